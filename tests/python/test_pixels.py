"""Pictures of Gymnasium's and dm_control's environments on Sinew, without OpenGL in the process."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest

GYMNASIUM = """
import gymnasium, numpy as np
names = ["Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum", "InvertedPendulum", "Pusher", "Reacher"]
for name in names + ["Swimmer", "Walker2d"]:
    for mode in ("rgb_array", "depth_array", "rgbd_tuple"):
        env = gymnasium.make(name + "-v5", render_mode=mode)
        env.reset(seed=0)
        before = env.render()
        for _ in range(20):
            env.step(env.action_space.sample())
        after = env.render()
        if mode == "rgbd_tuple":
            assert after[0].shape == (480, 480, 3) and after[1].shape == (480, 480), name
            before, after = before[0], after[0]
        assert after.std() > 1e-4 and not np.array_equal(before, after), (name, mode)
        env.close()
    print(json.dumps(name))
"""

DM_CONTROL = """
import numpy as np
if not hasattr(np, "in1d"):
    np.in1d = np.isin  # numpy 2.4 has dropped it, dm_control uses it
from dm_control import suite
from dm_control.suite.wrappers import pixels
for domain, task in suite.ALL_TASKS:
    env = pixels.Wrapper(suite.load(domain, task, task_kwargs={"random": 0}), render_kwargs={"height": 48, "width": 64, "camera_id": 0})
    env.reset()
    seen = env.step(env.action_spec().generate_value()).observation["pixels"]
    assert seen.shape == (48, 64, 3) and seen.std() > 1, (domain, task)
    depth = env.physics.render(48, 64, camera_id=0, depth=True)
    segments = env.physics.render(48, 64, camera_id=0, segmentation=True)
    assert depth.shape == (48, 64) and segments.shape == (48, 64, 2) and depth.min() > 0, (domain, task)
    env.close()
    print(json.dumps(f"{domain} {task}"))
"""


def need(*packages):
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not here")


def drawn(program, backend):
    """What the program printed, one name a line."""
    start = "import json, sys, warnings; warnings.simplefilter('ignore'); import sinew; sinew.install_as_mujoco()\n"
    end = "\nassert not [name for name in sys.modules if name.startswith('OpenGL')]"
    done = subprocess.run(
        [sys.executable, "-c", start + program + end], capture_output=True, text=True, timeout=900, env=dict(os.environ, MUJOCO_GL=backend)
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("backend", ["egl", "osmesa"])
def test_gymnasium(backend):
    need("gymnasium", "glfw", "imageio")
    assert len(drawn(GYMNASIUM, backend)) == 11


def test_dm_control():
    need("dm_control")
    assert len(drawn(DM_CONTROL, "disable")) == 51
