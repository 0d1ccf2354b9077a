#!/usr/bin/env python3
"""PPO of TorchRL on a batched environment: examples/learning/torchrl_ppo.py Hopper-v5 --steps 300000 --seed 1 --log torchrl-Hopper-v5.csv"""

import argparse
import time
import warnings

import sinew.gym
import torch
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import Compose, DoubleToFloat, GymWrapper, RewardSum, TransformedEnv, VecNormV2
from torchrl.modules import ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE


def layers(*sizes):
    pairs = list(zip(sizes, sizes[1:]))
    return [part for i, (a, b) in enumerate(pairs) for part in ([nn.Linear(a, b), nn.Tanh()] if i < len(pairs) - 1 else [nn.Linear(a, b)])]


def learn(task, rows, total, seed, log=None):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env = GymWrapper(sinew.gym.make(task, rows, autoreset_mode="Disabled"))
    scales = [VecNormV2(["observation"], decay=0.9999, reduce_batch_dims=True), DoubleToFloat(), RewardSum()]
    env = TransformedEnv(env, Compose(*scales))
    env.set_seed(seed)
    size, acts, space = env.observation_spec["observation"].shape[-1], env.action_spec.shape[-1], env.full_action_spec_unbatched["action"].space
    body = nn.Sequential(*layers(size, 64, 64, 2 * acts), NormalParamExtractor())
    policy = ProbabilisticActor(TensorDictModule(body, ["observation"], ["loc", "scale"]), in_keys=["loc", "scale"], distribution_class=TanhNormal,
                                distribution_kwargs={"low": space.low, "high": space.high}, return_log_prob=True)  # fmt: skip
    value = ValueOperator(nn.Sequential(*layers(size, 64, 64, 1)), in_keys=["observation"])
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=value, average_gae=False)
    loss = ClipPPOLoss(policy, value, clip_epsilon=0.2, entropy_coeff=0.0, critic_coeff=0.5, loss_critic_type="l2", normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), 3e-4, eps=1e-5)
    collector = Collector(env, policy, frames_per_batch=2048, total_frames=total)
    begin, finished, curve, steps = time.perf_counter(), [], [], 0
    for batch in collector:
        steps += batch.numel()
        finished += batch["next", "episode_reward"][batch["next", "done"]].tolist()
        for _ in range(10):
            with torch.no_grad():
                advantage(batch)
            for chosen in torch.randperm(batch.numel()).split(64):
                terms = loss(batch.reshape(-1)[chosen])
                optimizer.zero_grad()
                (terms["loss_objective"] + terms["loss_critic"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        recent = finished[-100:]
        curve.append((steps, time.perf_counter() - begin, sum(recent) / len(recent) if recent else float("nan")))
        if log:
            with open(log, "w") as file:
                file.write("steps,seconds,return\n" + "".join(f"{a},{b:.2f},{c:.3f}\n" for a, b, c in curve))
    collector.shutdown()
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--steps", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    last = learn(given.task, given.rows, given.steps, given.seed, given.log)[-1]
    print(f"{given.task}, seed {given.seed}: return {last[2]:.1f} after {last[0]} steps, {last[1]:.1f} s")
