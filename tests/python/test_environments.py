"""Gymnasium's and dm_control's environments on the package, against the released one.

Runs where the released package and the environments are installed; steps them in two processes.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("mujoco")
pytest.importorskip("gymnasium_robotics")
pytest.importorskip("dm_control")

PROGRAM = pathlib.Path(__file__).parent / "environments.py"
# Differs from its reset on (1e-3), a difference of the engine that is not explained yet. Once it
# agrees this test fails, and the name has to go.
OPEN = {"HandManipulateEgg-v1"}
ON_SINEW = "import sinew, runpy, sys; sinew.install_as_mujoco(); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"


def rows(command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=None)
    return {entry["name"]: entry["rows"] for entry in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("family", ["gymnasium", "robotics", "dm_control"])
def test_environments(family):
    if not PROGRAM.exists():
        pytest.skip("environments.py is not beside this file")
    theirs = rows([str(PROGRAM), family, "25"])
    ours = rows(["-c", ON_SINEW, str(PROGRAM), family, "25"])
    assert len(theirs) > 5 and ours.keys() == theirs.keys()
    wrong = {}
    for name, expected in theirs.items():
        found = ours[name]
        if isinstance(expected, str):  # does not run on the released package either
            continue
        if isinstance(found, str):
            wrong[name] = found
            continue
        error = max(np.abs(np.subtract(a, b)).max() for a, b in zip(expected, found))
        if not error <= 1e-6:
            wrong[name] = error
    assert wrong.keys() == OPEN & theirs.keys(), wrong
