"""Gymnasium's and dm_control's environments, and scripts as users write them, against the released package.

Runs where the released package and the environments are installed; steps them in two processes.
"""

import json
import subprocess
import sys

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("gymnasium_robotics")
pytest.importorskip("dm_control")

ON_SINEW = "import sinew, runpy, sys; sinew.install_as_mujoco(); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"


def rows(command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=None)
    return {entry["name"]: entry["rows"] for entry in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("family", ["gymnasium", "robotics", "dm_control"])
def test_environments(family):
    environments = pytest.importorskip("environments", reason="environments.py is not beside this file")
    theirs = rows([environments.__file__, family, "25"])
    ours = rows(["-c", ON_SINEW, environments.__file__, family, "25"])
    problems = environments.compare(theirs, ours)
    assert not problems, "\n".join(problems)


def test_scripts():
    scripts = pytest.importorskip("scripts", reason="scripts.py is not beside this file")
    theirs, ours = rows([scripts.__file__]), rows(["-c", ON_SINEW, scripts.__file__])
    assert len(theirs) > 15 and not any("FAILED" in text for text in theirs.values())
    problems = [f"{name}: {problem}" for name in theirs if (problem := scripts.compare(theirs[name], ours.get(name, "nothing")))]
    assert not problems, "\n".join(problems)
