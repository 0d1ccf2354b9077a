#!/usr/bin/env python3
"""PPO of RLlib, whose runner steps a batch of rows: examples/learning/rllib.py Hopper-v5 --iterations 50"""

import argparse
import math
import time

import ray
import sinew.gym
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import MeanStdFilter

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log")
    given = parser.parse_args()
    torch.set_num_threads(1)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    config = sinew.gym.prepare_rllib(PPOConfig(), given.task, given.rows).debugging(seed=given.seed)
    normal = lambda env=None, spaces=None, device=None: MeanStdFilter()  # noqa: E731  observations by their mean and variance
    config = config.env_runners(num_env_runners=0, rollout_fragment_length=2048 // given.rows, env_to_module_connector=normal)
    config = config.training(train_batch_size_per_learner=2048, minibatch_size=64, num_epochs=10, lr=3e-4, lambda_=0.95, clip_param=0.2, vf_clip_param=1e6)
    algorithm, begin, rows = config.build_algo(), time.perf_counter(), []
    for _ in range(given.iterations):
        found = algorithm.train()["env_runners"]
        mean = float(found.get("episode_return_mean", float("nan")))  # of episodes that ended in this iteration
        mean = rows[-1][2] if math.isnan(mean) and rows else mean
        rows.append((int(found["num_env_steps_sampled_lifetime"]), time.perf_counter() - begin, mean))
        if given.log:
            with open(given.log, "w") as file:
                file.write("steps,seconds,return\n" + "".join(f"{a},{b:.2f},{c:.3f}\n" for a, b, c in rows))
    print(f"{given.task}, seed {given.seed}: return {rows[-1][2]:.1f} after {rows[-1][0]} steps, {rows[-1][1]:.1f} s")
    algorithm.stop()
