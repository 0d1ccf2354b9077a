"""Engine plugins: those of the released package, and one that notes its calls, on both libraries.

The same program runs three times: in the released package, in a copy of it on our library, and in a
copy that has lost the released plugins, so that ours take their place. Models are equal in every
field, callbacks come in the same order, trajectories agree to 1e-6.
"""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import mujoco
import numpy as np
import plugin_cases
import pytest
from harness import ROOT

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(mujoco.__file__).parent
LIBRARY = ROOT / "build/release/compat/libmujoco.so.3.3.4"
MODELS = pathlib.Path(os.environ.get("SINEW_MODELS", ROOT.parent / "shared/models"))
FILES = sorted(map(str, (MODELS / "mujoco/plugin").glob("*/*.xml")))

# names_map is a hash table of one's own; a plugin is asked and tried at compile time as often as one likes
FREE = ("names_map",)

# the released engine and plugins; ours with the released plugins loaded; ours alone
SIDES = ("released", "loaded", "native")


def package(folder, plugins):
    """A copy of the released package on our library, with or without the released plugins."""
    shutil.copytree(PACKAGE, folder / "mujoco", ignore=shutil.ignore_patterns("__pycache__", "doc"))
    if not plugins:
        for library in (folder / "mujoco/plugin").glob("*.so"):
            library.unlink()
    shutil.copy(LIBRARY, folder / "mujoco" / LIBRARY.name)
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    probe = folder / "libprobe.so"
    command = [os.environ.get("CC", "cc"), "-std=c17", "-shared", "-fPIC", "-I", ROOT / "include", HERE / "probe_plugin.c"]
    subprocess.run([*command, "-o", probe, "-L", PACKAGE, f"-l:{LIBRARY.name}"], check=True)
    out = {}
    for side in SIDES:
        path = "" if side == "released" else package(folder / side, side == "loaded")
        target = folder / f"{side}.pickle"
        environment = dict(os.environ, MUJOCO_GL="disable", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(path))
        subprocess.run([sys.executable, HERE / "plugin_cases.py", probe, target, *FILES], env=environment, cwd=folder, check=True)
        out[side] = pickle.loads(target.read_bytes())
    return out


@pytest.mark.parametrize("side", SIDES[1:])
@pytest.mark.parametrize("name", [*plugin_cases.CASES, *FILES], ids=lambda name: pathlib.Path(name).name)
def test_plugin(results, name, side):
    theirs, ours = results["released"][name], results[side][name]
    assert "died" not in theirs and "died" not in ours, (theirs.get("died"), ours.get("died"))
    assert ("error" in ours) == ("error" in theirs), (theirs.get("error"), ours.get("error"))
    if "error" in theirs:
        return
    surfaces = '"mujoco.sdf.' in plugin_cases.CASES.get(name, "")
    for field, expected in theirs["model"].items():
        value = ours["model"][field]
        if surfaces and field.startswith(("mesh_", "bvh_", "oct_", "noct")):
            continue  # triangles of a surface come in an order of one's own; test_sdf.py compares them
        assert value.shape == expected.shape, field
        if field in FREE:
            continue
        if expected.dtype.kind == "S":
            assert value.tobytes() == expected.tobytes(), field
        else:
            np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-9, err_msg=field)
    for part, expected in theirs.items():
        if part in ("model", "compiled") or (surfaces and part == "transition"):
            continue  # contacts found by descent are not smooth enough for differences
        if isinstance(expected, str):
            assert ours[part] == expected, part
        else:
            # a descent to the contact multiplies the rounding of the field's differences, 1e-8, step by step
            tolerance = 1e-4 if surfaces else 1e-6
            np.testing.assert_allclose(ours[part], expected, rtol=tolerance, atol=tolerance, err_msg=part)


LATER = """
import sys
import mujoco
import numpy as np
import plugin_cases

def run():
    model = mujoco.MjModel.from_xml_string(plugin_cases.CASES["pid slew"])
    data = mujoco.MjData(model)
    for _ in range(50):
        data.ctrl[:] = np.sin(data.time)
        mujoco.mj_step(model, data)
    return model, data

model, data = run()
first = data.qpos.copy()
for library in sys.argv[1:]:
    mujoco.mj_loadPluginLibrary(library)
mujoco.mj_step(model, data)
assert np.isfinite(data.qpos).all()
again, other = run()
np.testing.assert_array_equal(other.qpos, first)
np.testing.assert_array_equal(again.plugin, model.plugin)
"""


def test_released_libraries_later(tmp_path):
    """A program that loads the released plugin libraries after a model has used ours goes on as before."""
    folder = package(tmp_path / "native", plugins=False)
    libraries = sorted(map(str, (PACKAGE / "plugin").glob("*.so")))
    assert libraries
    environment = dict(os.environ, MUJOCO_GL="disable", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=f"{folder}{os.pathsep}{HERE}")
    environment["LD_LIBRARY_PATH"] = str(folder / "mujoco")
    subprocess.run([sys.executable, "-c", LATER, *libraries], env=environment, cwd=tmp_path, check=True)
