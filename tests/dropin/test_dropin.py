"""The released Python package, with its library replaced by ours, in a temporary folder.

Its own tests pass but for those named here, and environments built on it give what they give on the
released library.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import mujoco
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build/release/compat/libmujoco.so.3.3.4"
PACKAGE = pathlib.Path(mujoco.__file__).parent

# test of the package: why it is not expected to pass
EXPECTED = {
    "test_can_raise_error": "asks for a stack overflow, which does not happen: the stack grows",
    "test_actuator_shortname": "fails on the released library too",
    "test_basic": "compares the text of a saved file",
    "test_modelname_default_class": "compares the text of a saved file",
}

# environment: why its numbers are not expected to agree
INEXACT = {
    "HandManipulateEgg-v1": "an ellipsoid in a hand: its contacts agree to the tolerance of an iterative search",
}


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """A folder for the path, with the package on our library."""
    folder = tmp_path_factory.mktemp("dropin")
    shutil.copytree(PACKAGE, folder / "mujoco", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(LIBRARY, folder / "mujoco" / LIBRARY.name)
    return folder


def run(arguments, folder, **options):
    environment = dict(os.environ, MUJOCO_GL="disable", PYTHONDONTWRITEBYTECODE="1")
    environment["PYTHONPATH"] = str(folder) if folder else ""
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=900, **options)


@pytest.mark.parametrize("name", ["bindings_test", "rollout_test", "minimize_test", "specs_test", "msh2obj_test"])
def test_package(package, name, tmp_path):
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", str(package / "mujoco" / f"{name}.py")], package, cwd=tmp_path)
    summary = re.search(r"(\d+) passed", done.stdout)
    assert summary, done.stdout[-2000:] + done.stderr[-2000:]
    failed = set(re.findall(r"^(?:FAILED|ERROR) \S+::(\w+)", done.stdout, re.M))
    assert failed <= set(EXPECTED), f"{sorted(failed - set(EXPECTED))}\n{done.stdout[-4000:]}"


@pytest.mark.parametrize("family", ["gymnasium", "robotics", "dm_control"])
def test_environments(package, family, tmp_path):
    """Observations and rewards over 25 random steps, to 1e-6."""
    results = []
    for folder in (None, package):
        done = run([str(pathlib.Path(__file__).with_name("environments.py")), family, "25"], folder, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[-2000:]
        results.append({row["name"]: row["rows"] for row in map(json.loads, done.stdout.splitlines())})
    theirs, ours = results
    problems, compared = [], 0
    for name, expected in theirs.items():
        if isinstance(expected, str):  # it does not run on the released library either
            continue
        if name in INEXACT:
            assert not isinstance(ours[name], str), f"{name}: {ours[name]}"
            continue
        compared += 1
        found = ours[name]
        if isinstance(found, str):
            problems.append(f"{name}: {found}")
            continue
        for step, (a, b) in enumerate(zip(found, expected)):
            a, b = np.array(a), np.array(b)
            error = np.max(np.abs(a - b) / (1 + np.abs(b))) if a.shape == b.shape else np.inf
            if not error <= 1e-6:
                problems.append(f"{name}: step {step} differs by {error:.1e}")
                break
    assert compared, f"no {family} environment runs here"
    assert not problems, "\n".join(problems)
