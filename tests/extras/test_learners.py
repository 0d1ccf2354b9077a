"""Learners on batched environments: Stable-Baselines3, PPO in one file, RLlib, TorchRL. Short; they learn something or run through."""

import re
import subprocess
import sys

import numpy as np
import pytest

import sinew.gym

torch = pytest.importorskip("torch")


def poisoned(kind, rows, **options):
    """Environments in which every twentieth step makes the numbers of a row bad; the reasons are kept."""

    class Poisoned(sinew.gym.find(kind)):
        count, reasons = 0, []

        def step(self, actions):
            self.count += 1
            if self.count % 20 == 0:
                self.qvel[2, 0] = np.nan
            found = super().step(actions)
            self.reasons += [(row, found[4]["bad_reason"][row]) for row in np.flatnonzero(found[4]["bad"])]
            return found

    return Poisoned(rows, **options)


def saw_bad_rows(env):
    return len(env.reasons) >= 5 and all(row == 2 and "bad numbers" in reason for row, reason in env.reasons)


@pytest.mark.parametrize("on_bad", ["reset", "leave"])
@pytest.mark.parametrize("learner", ["ppo", "stable_baselines", "torchrl"])
def test_training_goes_on_when_rows_go_bad(learner, on_bad, monkeypatch):
    """A row that goes bad has its reason, and what is learned stays finite."""
    torch.set_num_threads(1)
    if learner == "stable_baselines":
        ppo = pytest.importorskip("stable_baselines3").PPO
        env = poisoned("InvertedPendulum-v5", 4, autoreset_mode="SameStep", on_bad=on_bad)
        told = []
        vec = sinew.gym.StableVecEnv(env)
        model = ppo("MlpPolicy", vec, n_steps=64, seed=0, device="cpu")
        model.learn(512, callback=lambda known, _: told.extend(info["bad_reason"] for info in known["infos"] if info.get("bad")) or True)
        assert told == [reason for _, reason in env.reasons]
        parameters = model.policy.parameters()
    elif learner == "ppo":
        import ppo

        env = poisoned("InvertedPendulum-v5", 4, autoreset_mode="SameStep", on_bad=on_bad)
        monkeypatch.setattr(ppo, "make", lambda *_: env)
        curve = ppo.learn("InvertedPendulum-v5", 4, 1024, 1, "sinew", horizon=64)
        parameters = [torch.tensor(curve[-1][3])]
    else:
        pytest.importorskip("torchrl")
        import torchrl_ppo

        env = poisoned("InvertedPendulum-v5", 4, autoreset_mode="Disabled", on_bad=on_bad)
        monkeypatch.setattr(sinew.gym, "make", lambda *_, **__: env)
        curve = torchrl_ppo.learn("InvertedPendulum-v5", 4, 4096, 1)
        parameters = [torch.tensor(curve[-1][2])]
    assert saw_bad_rows(env) and all(values.isfinite().all() for values in parameters)


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


def test_torchrl_ppo():
    pytest.importorskip("torchrl.envs")
    from torchrl_ppo import learn

    curve = learn("InvertedPendulum-v5", 16, 16384, 1)
    assert curve[-1][2] > 2 * curve[0][2]


def test_rllib():
    pytest.importorskip("ray.rllib")
    done = subprocess.run([sys.executable, "rllib.py", "InvertedPendulum-v5", "--iterations", "1"], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    # a step of 16 rows counts those that did not start anew, so the sum need not stop at 2048
    steps = int(re.search(r"after (\d+) steps", done.stdout)[1])
    assert 2048 <= steps < 2048 + 16, done.stdout
