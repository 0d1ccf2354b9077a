"""Learners on batched environments: Stable-Baselines3, PPO in one file, RLlib, TorchRL. Short; they learn something or run through."""

import re
import subprocess
import sys

import numpy as np
import pytest

import sinew.gym

torch = pytest.importorskip("torch")


def test_stable_baselines():
    """Its checker, the interface of a VecEnv, and a pendulum that stands longer than at first."""
    pytest.importorskip("stable_baselines3")
    import gymnasium
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env

    check_env(gymnasium.make("sinew/Hopper-v5"), warn=False)
    env = sinew.gym.StableVecEnv("InvertedPendulum-v5", 8)
    env.seed(3)
    first = env.reset()
    env.seed(3)
    assert first.shape == (8, 4) and (env.reset() == first).all()
    ended = []
    for _ in range(60):
        _, reward, done, infos = env.step(np.ones((8, 1), np.float32))
        assert reward.dtype == np.float32 and reward.shape == done.shape == (8,)
        ended += [info for info, over in zip(infos, done) if over]
    assert ended and all(info["terminal_observation"].shape == (4,) and not info["TimeLimit.truncated"] for info in ended)
    torch.set_num_threads(1)
    model = PPO("MlpPolicy", env, n_steps=256, seed=0, device="cpu")
    model.learn(8 * 256)
    before = np.mean([episode["r"] for episode in model.ep_info_buffer])
    model.learn(8 * 256 * 8)
    after = np.mean([episode["r"] for episode in model.ep_info_buffer])
    assert after > 2 * before, (before, after)


def test_ppo():
    from ppo import learn

    curve = learn("InvertedPendulum-v5", 16, 16384, 1, "sinew")
    assert curve[-1][3] > 2 * curve[0][3]


def test_torchrl():
    envs = pytest.importorskip("torchrl.envs")
    env = envs.GymWrapper(sinew.gym.make("Hopper-v5", 4, autoreset_mode="Disabled"))
    rolled = env.rollout(5)
    assert rolled["observation"].shape == (4, 5, 11) and rolled["next", "reward"].isfinite().all()


def test_rllib():
    pytest.importorskip("ray.rllib")
    done = subprocess.run([sys.executable, "rllib.py", "InvertedPendulum-v5", "--iterations", "1"], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    # a step of 16 rows counts those that did not start anew, so the sum need not stop at 2048
    steps = int(re.search(r"after (\d+) steps", done.stdout)[1])
    assert 2048 <= steps < 2048 + 16, done.stdout
