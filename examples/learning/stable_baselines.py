#!/usr/bin/env python3
"""PPO of Stable-Baselines3 on a batched environment: examples/learning/stable_baselines.py Hopper-v5 --steps 300000"""

import argparse
import time

import sinew.gym
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize


class Curve(BaseCallback):
    """Steps, seconds and the mean return of the last 100 episodes, at the end of every roll-out."""

    def __init__(self, log):
        super().__init__()
        self.rows, self.begin, self.log = [], time.perf_counter(), log

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        ended = [episode["r"] for episode in self.model.ep_info_buffer]
        self.rows.append((self.num_timesteps, time.perf_counter() - self.begin, sum(ended) / len(ended) if ended else float("nan")))
        if self.log:
            with open(self.log, "w") as file:
                file.write("steps,seconds,return\n" + "".join(f"{a},{b:.2f},{c:.3f}\n" for a, b, c in self.rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--steps", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log")
    given = parser.parse_args()
    torch.set_num_threads(1)
    env = VecNormalize(sinew.gym.StableVecEnv(given.task, given.rows))
    model, curve = PPO("MlpPolicy", env, n_steps=2048 // given.rows, batch_size=64, seed=given.seed, device="cpu"), Curve(given.log)
    model.learn(given.steps, callback=curve)
    print(f"{given.task}, seed {given.seed}: return {curve.rows[-1][2]:.1f} after {curve.rows[-1][0]} steps, {curve.rows[-1][1]:.1f} s")
