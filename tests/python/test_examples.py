"""The longer programs of examples/python/, with less to do; test_docs.py runs the others. SINEW_SOURCE: the sources."""

import os
import pathlib
import sys

import pytest

FOLDER = pathlib.Path(os.environ.get("SINEW_SOURCE", pathlib.Path(__file__).resolve().parents[2])) / "examples/python"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"{FOLDER} is not there")
sys.path.insert(0, str(FOLDER))


def test_swing_up():
    import swing_up

    assert swing_up.swing_up(3) > 0.999


def test_stand_up():
    import stand_up

    plan = stand_up.stand_up(iterations=8)
    assert plan.qpos[-1, 2] > plan.qpos[0, 2] + 0.2  # the pelvis
    assert plan.cost < 0.4 * plan.trace[0].cost


def test_identify_arm():
    """Ten masses, friction and damping to 1% from noisy roll-outs."""
    import identify_arm

    found, true = identify_arm.recover(records=3, steps=150)
    assert len(true) == 13 and abs(found.values / true - 1).max() < 0.01
