"""Engine plugins: the released plugin libraries, and a plugin that notes its calls, on both libraries.

The same program runs twice, in the released package and in a copy of it on our library: models equal
in every field, the same callbacks in the same order, trajectories to 1e-6.
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


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PACKAGE, folder / "mujoco", ignore=shutil.ignore_patterns("__pycache__", "doc"))
    shutil.copy(LIBRARY, folder / "mujoco" / LIBRARY.name)
    probe = folder / "libprobe.so"
    command = [os.environ.get("CC", "cc"), "-std=c17", "-shared", "-fPIC", "-I", ROOT / "include", HERE / "probe_plugin.c"]
    subprocess.run([*command, "-o", probe, "-L", PACKAGE, f"-l:{LIBRARY.name}"], check=True)
    out = []
    for path in ("", folder):
        target = folder / f"{'ours' if path else 'theirs'}.pickle"
        environment = dict(os.environ, MUJOCO_GL="disable", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(path))
        subprocess.run([sys.executable, HERE / "plugin_cases.py", probe, target, *FILES], env=environment, cwd=folder, check=True)
        out.append(pickle.loads(target.read_bytes()))
    return out


@pytest.mark.parametrize("name", [*plugin_cases.CASES, *FILES], ids=lambda name: pathlib.Path(name).name)
def test_plugin(results, name):
    theirs, ours = (side[name] for side in results)
    assert "died" not in theirs and "died" not in ours, (theirs.get("died"), ours.get("died"))
    assert ("error" in ours) == ("error" in theirs), (theirs.get("error"), ours.get("error"))
    if "error" in theirs:
        return
    for field, expected in theirs["model"].items():
        value = ours["model"][field]
        assert value.shape == expected.shape, field
        if field in FREE:
            continue
        if expected.dtype.kind == "S":
            assert value.tobytes() == expected.tobytes(), field
        else:
            np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-9, err_msg=field)
    for part, expected in theirs.items():
        if part in ("model", "compiled"):
            continue
        if isinstance(expected, str):
            assert ours[part] == expected, part
        else:
            np.testing.assert_allclose(ours[part], expected, rtol=1e-6, atol=1e-6, err_msg=part)
