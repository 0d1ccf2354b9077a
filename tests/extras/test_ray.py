"""sinew.ray on a cluster of two processes: the same bytes on any number of workers, after a lost worker and a killed driver.

SINEW_TASKS roll-outs of a humanoid (default: 1000).
"""

import glob
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("pyarrow")

TASKS, CHUNK = int(os.environ.get("SINEW_TASKS", "1000")), 25
STUDY = f"""
import os, sys
from sinew.ray import Output, Rollout, Setting, Uniform, sweep
import gymnasium
HUMANOID = gymnasium.__path__[0] + "/envs/mujoco/assets/humanoid.xml"
SPEC = Rollout(HUMANOID, 100, {{"mass": Setting("body_mass", "torso", relative=True), "friction": Setting("geom_friction", "floor", 0)}},
               {{"lowest": Output("qpos", 2, "min"), "qpos": Output("qpos")}}, noise=0.01, control=0.4)
SETS = {{"mass": Uniform(0.5, 1.5), "friction": Uniform(0.3, 1.0)}}
def fragile(parameters, random):
    if parameters["x"] == 5:
        os.abort()
    return {{"y": parameters["x"] + random.uniform()}}
if __name__ == "__main__":
    if sys.argv[3] == "fragile":
        result = sweep(fragile, {{"x": list(range(8))}}, folder=sys.argv[1], workers=int(sys.argv[2]), chunk=4)
    else:
        result = sweep(SPEC, SETS, folder=sys.argv[1], workers=int(sys.argv[2]), count={TASKS}, chunk={CHUNK})
    print(f"{{result.rows}} {{result.bad}} {{result.seconds:.2f}}")
"""


def start(folder, workers, what="rollouts", study=STUDY):
    script = folder.parent / "study.py"
    script.write_text(study)
    return subprocess.Popen([sys.executable, str(script), str(folder), str(workers), what], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def finish(process):
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err[-2000:]
    return out.splitlines()[-1].split()  # Ray writes before it


def parts(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


def workers_of(session):
    """Processes of Ray's actors of a session."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            name, mine = pathlib.Path(path).read_bytes(), os.getsid(int(path.split("/")[2])) == session
        except OSError:
            continue
        if name.startswith(b"ray::_Worker") and mine:
            found.append(int(path.split("/")[2]))
    return found


def wait_for(folder, count):
    end = time.time() + 600
    while len(parts(folder)) < count and time.time() < end:
        time.sleep(0.05)
    assert len(parts(folder)) >= count


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone") / "results"
    rows, bad, seconds = finish(start(folder, 0))
    assert (int(rows), int(bad)) == (TASKS, 0)
    return parts(folder), float(seconds)


def test_lost_worker_and_lost_driver(alone, tmp_path):
    folder, chunks = tmp_path / "results", TASKS // CHUNK
    process = start(folder, 2)
    wait_for(folder, chunks // 4)
    lost = workers_of(process.pid)
    assert lost, "no worker was found"
    os.kill(lost[0], signal.SIGKILL)
    wait_for(folder, chunks // 2)
    os.killpg(process.pid, signal.SIGKILL)  # the driver and all of the cluster
    process.communicate()
    begun = parts(folder)
    assert chunks // 2 <= len(begun) < chunks
    assert finish(start(folder, 2))[:2] == [str(TASKS), "0"]
    assert parts(folder) == alone[0]
    assert all(parts(folder)[name] == data for name, data in begun.items())


def test_a_cluster_that_starts_slowly(monkeypatch):
    """Ray gives its cluster half a minute to start; then it is tried again, and other problems are not."""
    from sinew.ray import Workers

    begin, said = ray.init, ["The current node timed out during startup. ..."] * 2

    def late(*args, **options):
        if said:
            raise Exception(said.pop())
        return begin(*args, **options)

    monkeypatch.setattr(ray, "init", late)
    with Workers(1) as workers:
        assert len(workers.actors) == 1 and not said
    said.append("no address")
    with pytest.raises(Exception, match="no address"):
        Workers(1)


def test_a_task_that_ends_its_process(tmp_path):
    import pyarrow.parquet

    folder = tmp_path / "results"
    assert finish(start(folder, 2, "fragile"))[:2] == ["8", "1"]
    rows = [row for path in sorted(folder.glob("*.parquet")) for row in pyarrow.parquet.read_table(path).to_pylist()]
    assert [row["reason"] for row in rows] == [None] * 5 + ["the process that worked on it ended"] + [None] * 2


def bowl(x, random):
    if x[0] > 2:
        raise ValueError("outside")
    return float(np.sum((x - random.normal(0, 1, 3)) ** 2))


PENDULUM = """<mujoco><option timestep="0.01"/><worldbody><body name="rod"><joint name="j" axis="0 1 0" damping="0.05"/>
<geom type="capsule" mass="MASS" size="0.02" fromto="0 0 0 0 0 -0.5"/></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>"""


def lift(x, random):
    """Hold a pendulum level after a fifth of a second: 20 controls, with the gradient."""
    import sinew
    from sinew import derive

    model = sinew.MjModel.from_xml_string(PENDULUM.replace("MASS", "0.7"))
    data, ahead = sinew.MjData(model), sinew.MjData(model)
    for u in x:
        ahead.ctrl[0] = u
        sinew.mj_step(model, ahead)
    far, by_state = ahead.qpos[0] - np.pi / 2, np.zeros((len(x), 2))
    by_state[-1, 0] = 2 * far
    return float(far**2 + 1e-3 * x @ x), np.asarray(derive.rollout_vjp(model, data, x[:, None], by_state)[1])[:, 0] + 2e-3 * x


def misfit():
    """The mass and damping of a pendulum from its motion."""
    import sinew
    from sinew import identify

    truth, guess = (sinew.MjModel.from_xml_string(PENDULUM.replace("MASS", mass)) for mass in ("0.7", "1"))
    data, controls = sinew.MjData(truth), 0.5 * np.sin(np.arange(60) / 9)[:, None]
    motion = [(data.qpos.copy(), data.qvel.copy())]
    for u in controls:
        data.ctrl[:] = u
        sinew.mj_step(truth, data)
        motion.append((data.qpos.copy(), data.qvel.copy()))
    record = identify.Record(np.array([q for q, _ in motion]), np.array([v for _, v in motion]), controls)
    return identify.Misfit(guess, [identify.mass("rod"), identify.damping("j")], [record])


@pytest.mark.parametrize("what", ["bowl", "trajectory", "identification"])
def test_minimize(what, tmp_path):
    """The same way with two workers as with none, and none lost: both methods, a trajectory and an identification."""
    from sinew.ray import minimize

    cost, start, options = {
        "bowl": (bowl, [1.5, 0, 0], {"population": 8, "scenarios": 2, "iterations": 12}),
        "trajectory": (lift, np.zeros(20), {"method": "gradient", "iterations": 10, "tolerance": 1e-5}),
        "identification": (misfit(), np.zeros(2), {"spread": 0.3, "iterations": 30}),
    }[what]
    alone, both = (minimize(cost, start, folder=str(tmp_path / str(workers)), workers=workers, progress=False, **options) for workers in (0, 2))
    assert alone.x.tobytes() == both.x.tobytes() and alone.cost == both.cost
    assert [step[:3] for step in alone.iterations] == [step[:3] for step in both.iterations]
    if what == "trajectory":
        assert both.cost < 0.2 * both.iterations[0].cost
    if what == "identification":
        assert abs(np.exp(both.x[0]) - 0.7) < 1e-2


def test_throughput(alone, tmp_path):
    """At least 0.9 of two plain processes, by the clock, each of which does half of the work: roll-outs of 1000 steps, of
    100 they take a second, and what a sweep takes to begin and to end is a third of that."""
    long = STUDY.replace("Rollout(HUMANOID, 100,", "Rollout(HUMANOID, 1000,")
    assert long != STUDY
    plain = tmp_path / "plain.py"
    plain.write_text(long.split("if __name__")[0] + f"""
import time
from sinew.sweep import Study
study, prepared = Study(SPEC, SETS, count={TASKS}), SPEC.prepare()
study.rows(prepared, 0, 1)
begin = time.perf_counter()
for first in range(int(sys.argv[1]), {TASKS}, {2 * CHUNK}):
    study.rows(prepared, first, first + {CHUNK})
print(time.perf_counter() - begin)
""")  # fmt: skip
    both = [subprocess.Popen([sys.executable, str(plain), str(first)], stdout=subprocess.PIPE, text=True) for first in (0, CHUNK)]
    seconds = max(float(process.communicate()[0]) for process in both)
    swept = float(finish(start(tmp_path / "results", 2, study=long))[2])
    print(f"two plain processes {seconds:.1f} s, two workers {swept:.1f} s: {seconds / swept:.2f}")
    if os.getloadavg()[0] > 3:
        pytest.skip(f"other load makes the clock say nothing ({seconds / swept:.2f})")
    assert seconds / swept > 0.9
