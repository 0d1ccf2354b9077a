"""Studies in this process: indices, seeds, chunks, files, resuming, bad tasks. tools/test-extras runs them on Ray."""

import json
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("pyarrow")
import sinew  # noqa: E402
from sinew.ray import Output, Rollout, Setting, Uniform, sweep  # noqa: E402
from sinew.sweep import Study  # noqa: E402

ARM = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0" damping=".01"/><geom name="rod" type="capsule" size=".02" fromto="0 0 0 .5 0 0"/></body></worldbody>
<actuator><motor joint="hinge" ctrlrange="-1 1"/></actuator></mujoco>"""
SWING = Rollout(ARM, 50, {"mass": Setting("body_mass", "arm", relative=True), "damping": Setting("dof_damping", "hinge")},
                {"angle": Output("qpos", 0), "fastest": Output("qvel", 0, "max"), "place": Output("xpos")}, noise=0.1, control=0.5)  # fmt: skip
SETS = {"mass": Uniform(0.5, 2), "damping": [0.01, 0.1]}


def parts(folder):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).glob("*.parquet"))}


def run(task, parameters, folder, **more):
    return sweep(task, parameters, folder=str(folder), workers=0, progress=False, **more)


def test_rollouts(tmp_path):
    result = run(SWING, SETS, tmp_path / "a", seeds=5, chunk=4)
    table = result.table().to_pylist()
    assert (result.rows, result.bad) == (10, 0) and [row["index"] for row in table] == list(range(10))
    assert [row["damping"] for row in table] == [0.01] * 5 + [0.1] * 5 and all(0.5 <= row["mass"] <= 2 for row in table)
    assert sorted(parts(tmp_path / "a")) == ["part-0000000000.parquet", "part-0000000004.parquet", "part-0000000008.parquet"]
    # row 7, by hand
    study = Study(SWING, SETS, 5)
    values, random = study.parameters(7)
    model = sinew.MjModel.from_xml_string(ARM)
    model.body_mass[1] *= values["mass"]
    model.dof_damping[0] = values["damping"]
    data = sinew.MjData(model)
    data.qpos += random.uniform(-0.1, 0.1, 1)
    data.qvel += random.uniform(-0.1, 0.1, 1)
    fastest = -np.inf
    for control in random.uniform(-0.5, 0.5, (50, 1)):
        data.ctrl[:] = control
        sinew.mj_step(model, data)
        fastest = max(fastest, data.qvel[0])
    assert table[7]["angle"] == data.qpos[0] and table[7]["fastest"] == fastest and table[7]["place"] == data.xpos.ravel().tolist()
    # the numbers do not depend on the chunks
    assert run(SWING, SETS, tmp_path / "b", seeds=5, chunk=10).table().to_pylist() == table


def test_goes_on(tmp_path):
    whole = run(SWING, SETS, tmp_path / "whole", seeds=5, chunk=2)
    run(SWING, SETS, tmp_path / "cut", seeds=5, chunk=2)
    cut = tmp_path / "cut"
    manifest = json.loads((cut / "manifest.json").read_text())
    (cut / "part-0000000002.parquet").unlink()  # lost with the machine
    (cut / "part-0000000006.parquet.1f.part").write_bytes(b"PAR1")  # half written when it stopped
    del manifest["chunks"]["4"]  # written after the manifest
    (cut / "manifest.json").write_text(json.dumps(manifest))
    again = run(SWING, SETS, cut, seeds=5)
    assert parts(cut) == parts(tmp_path / "whole") and again.table() == whole.table()
    assert json.loads((cut / "manifest.json").read_text()) == json.loads((tmp_path / "whole" / "manifest.json").read_text())
    with pytest.raises(ValueError, match="holds another study"):
        run(SWING, SETS, cut, seeds=6)
    with pytest.raises(ValueError, match="begun with 2"):
        run(SWING, SETS, cut, seeds=5, chunk=4)


def slow_or_wrong(parameters, random):
    if parameters["x"] == 2:
        raise RuntimeError("two is not possible")
    while parameters["x"] == 3:
        pass
    return {"square": parameters["x"] ** 2, "drawn": random.normal(size=2)}


def test_bad_tasks(tmp_path):
    begin = time.process_time()
    result = run(slow_or_wrong, {"x": [1, 2, 3, 4]}, tmp_path, chunk=4, time_limit=0.2)
    rows = result.table().to_pylist()
    assert result.bad == 2 and time.process_time() - begin < 5
    assert [row["reason"] for row in rows] == [None, "RuntimeError: two is not possible", "time limit: more than 0.2 s", None]
    assert [row["square"] for row in rows] == [1, None, None, 16] and len(rows[0]["drawn"]) == 2


def test_bad_rollouts(tmp_path):
    """Numbers that go bad, and a time limit, cost a row each."""
    result = run(SWING, {"mass": 1.0, "damping": [0.01, -1e4, 0.02]}, tmp_path / "a", chunk=3)
    rows = result.table().to_pylist()
    assert result.bad == 1 and "bad numbers" in rows[1]["reason"] and rows[1]["angle"] is None and rows[2]["reason"] is None
    import dataclasses

    late = run(dataclasses.replace(SWING, time_limit=1e-9), {"mass": 1.0, "damping": 0.01}, tmp_path / "b").table().to_pylist()
    assert late[0]["reason"].startswith("time limit: more than 1e-09 s")


@pytest.mark.parametrize("change, message", [
    ({"settings": {"x": Setting("body_size")}}, "no field 'body_size'"), ({"settings": {"x": Setting("body_mass", "leg")}}, "no element 'leg'"),
    ({"settings": {"x": Setting("body_mass", 7)}}, "out of bounds"), ({"outputs": {"q": Output("qpos", 0, "sum")}}, "expected one of last, mean"),
])  # fmt: skip
def test_wrong_studies(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        run(Rollout(ARM, 5, **change), {"x": 1.0}, tmp_path, chunk=1)


def test_wrong_arguments(tmp_path):
    with pytest.raises(TypeError, match="a function of"):
        run(3, {}, tmp_path)
    with pytest.raises(ValueError, match="'seed' is a column"):
        run(slow_or_wrong, {"seed": 1}, tmp_path)
    with pytest.raises(ValueError, match="sets 'mass'"):
        run(SWING, {"damping": 1.0}, tmp_path)


def test_command(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "study.toml").write_text("""
[study]
model = "arm.xml"
steps = 20
seeds = 3
workers = 0
control = 0.5

[parameters.mass]
field = "body_mass"
element = "arm"
values = [1.0, 2.0]

[outputs.angle]
field = "qpos"
column = 0
""")
    done = subprocess.run([sys.executable, "-m", "sinew", "sweep", str(tmp_path / "study.toml")], capture_output=True, text=True)
    assert done.returncode == 0 and "6 tasks, 0 bad" in done.stdout and "6/6 tasks" in done.stderr
    assert parts(tmp_path / "study-results")
    (tmp_path / "wrong.toml").write_text("[study]\nmodel = 'arm.xml'\nstep = 3\n")
    done = subprocess.run([sys.executable, "-m", "sinew", "sweep", str(tmp_path / "wrong.toml")], capture_output=True, text=True)
    assert done.returncode == 1 and "[study] has no step" in done.stderr
