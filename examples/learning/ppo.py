#!/usr/bin/env python3
"""PPO in one file, in the style of CleanRL, on a vector environment; --on says whose.

    examples/learning/ppo.py Hopper-v5 --steps 500000 --seed 1 --on sinew --log hopper.csv

Needs torch and gymnasium. The learner is the same for `sinew`, for `gymnasium` (SyncVectorEnv on the released engine) and
for `gymnasium-async` (AsyncVectorEnv, a process for each row).
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn


def make(name, rows, on, threads):
    if on == "sinew":
        import sinew.gym

        return sinew.gym.make(name, rows, nthread=threads, autoreset_mode=AutoresetMode.SAME_STEP)
    vector = gymnasium.vector.SyncVectorEnv if on == "gymnasium" else gymnasium.vector.AsyncVectorEnv
    return vector([lambda: gymnasium.make(name)] * rows, autoreset_mode=AutoresetMode.SAME_STEP)


class Normal:
    """Running mean and variance."""

    def __init__(self, size):
        self.mean, self.var, self.count = np.zeros(size), np.ones(size), 1e-4

    def update(self, x):
        mean, var, count = x.mean(axis=0), x.var(axis=0), len(x)
        apart, total = mean - self.mean, self.count + count
        self.mean = self.mean + apart * count / total
        self.var = (self.var * self.count + var * count + apart**2 * self.count * count / total) / total
        self.count = total

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10, 10).astype(np.float32)


def layers(*sizes, last):
    made = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layer = nn.Linear(a, b)
        nn.init.orthogonal_(layer.weight, last if i == len(sizes) - 2 else np.sqrt(2))
        nn.init.zeros_(layer.bias)
        made += [layer, nn.Tanh()]
    return nn.Sequential(*made[:-1])


class Agent(nn.Module):
    def __init__(self, seen, acts):
        super().__init__()
        self.actor, self.critic = layers(seen, 64, 64, acts, last=0.01), layers(seen, 64, 64, 1, last=1.0)
        self.spread = nn.Parameter(torch.zeros(acts))

    def forward(self, seen):
        return self.actor(seen), self.value(seen)

    def value(self, seen):
        return self.critic(seen)[..., 0]

    def log_prob(self, mean, act):
        """Of actions, normal around their means."""
        return -(0.5 * ((act - mean) / self.spread.exp()).square() + self.spread + 0.5 * np.log(2 * np.pi)).sum(1)


def learn(name, rows, total, seed, on, log=None, horizon=None, epochs=10, batches=32, threads=None, gamma=0.99, lam=0.95, clip=0.2, rate=3e-4):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env, rng = make(name, rows, on, threads), np.random.default_rng(seed)
    horizon = horizon or max(32, 2048 // rows)
    size, acts = env.single_observation_space.shape[0], env.single_action_space.shape[0]
    low, high = env.single_action_space.low, env.single_action_space.high
    agent, scale, reward_scale = Agent(size, acts), Normal(size), Normal(())
    optimizer = torch.optim.Adam(agent.parameters(), rate, eps=1e-5)
    raw, _ = env.reset(seed=seed)
    scale.update(raw)
    seen, discounted, returns, finished, curve = scale(raw), np.zeros(rows), np.zeros(rows), [], []
    stepping, begin = 0.0, time.perf_counter()
    updates = max(1, total // (rows * horizon))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = rate * (1 - update / updates)
        kept = {key: np.zeros((horizon, rows, *shape), np.float32) for key, shape in (("seen", (size,)), ("act", (acts,)), ("log", ()), ("reward", ()), ("value", ()), ("next", ()), ("end", ()))}
        for t in range(horizon):
            with torch.no_grad():
                mean = agent.actor(torch.from_numpy(seen))
                act = mean + agent.spread.exp() * torch.randn_like(mean)
                kept["log"][t] = agent.log_prob(mean, act).numpy()
            kept["seen"][t], kept["act"][t] = seen, act.numpy()
            stepped = time.perf_counter()
            raw, reward, terminated, truncated, infos = env.step(np.clip(act.numpy(), low, high))
            stepping += time.perf_counter() - stepped
            done = terminated | truncated
            returns += reward
            discounted = discounted * gamma + reward
            reward_scale.update(discounted)
            discounted[done] = 0
            scale.update(raw)
            seen = scale(raw)
            if done.any():  # the value of what an episode ended with; of other rows it is the next step's
                last = scale(np.stack(infos["final_obs"][done]))
                with torch.no_grad():
                    kept["next"][t, done] = agent.value(torch.from_numpy(last)).numpy() * ~terminated[done]
                finished.extend(returns[done])
                returns[done] = 0
            kept["reward"][t] = np.clip(reward / np.sqrt(reward_scale.var + 1e-8), -10, 10)
            kept["end"][t] = done
        with torch.no_grad():  # no value was needed while the rows were stepped: one pass has them all
            kept["value"][:] = agent.value(torch.from_numpy(kept["seen"])).numpy()
            value = agent.value(torch.from_numpy(seen)).numpy()
        following = np.concatenate([kept["value"][1:], value[None]])
        kept["next"] = np.where(kept["end"] > 0, kept["next"], following)
        gain, advantage = np.zeros((horizon, rows), np.float32), np.zeros(rows, np.float32)
        for t in reversed(range(horizon)):
            advantage = kept["reward"][t] + gamma * kept["next"][t] - kept["value"][t] + gamma * lam * (1 - kept["end"][t]) * advantage
            gain[t] = advantage
        flat = {key: torch.from_numpy(kept[key].reshape(horizon * rows, *kept[key].shape[2:])) for key in ("seen", "act", "log", "value")}
        gains = torch.from_numpy(gain.reshape(-1))
        target = gains + flat["value"]
        for _ in range(epochs):
            for chosen in np.array_split(rng.permutation(horizon * rows), batches):
                mean, value = agent(flat["seen"][chosen])
                ratio = (agent.log_prob(mean, flat["act"][chosen]) - flat["log"][chosen]).exp()
                g = gains[chosen]
                g = (g - g.mean()) / (g.std() + 1e-8)
                loss = -torch.min(ratio * g, ratio.clamp(1 - clip, 1 + clip) * g).mean() + 0.5 * (value - target[chosen]).square().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        done_steps = (update + 1) * horizon * rows
        mean = float(np.mean(finished[-50:])) if finished else float("nan")
        curve.append((done_steps, time.perf_counter() - begin, stepping, mean))
        if log:
            with open(log, "w") as file:
                file.write("steps,seconds,stepping,return\n" + "".join(f"{a},{b:.2f},{c:.2f},{d:.3f}\n" for a, b, c, d in curve))
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batches", type=int, default=32, help="of an epoch")
    parser.add_argument("--horizon", type=int, help="steps of a row between updates (default: 2048 of all rows, 32 at least)")
    parser.add_argument("--threads", type=int, help="of sinew's environments (default: one for each core)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--on", choices=["sinew", "gymnasium", "gymnasium-async"], default="sinew")
    parser.add_argument("--log")
    given = parser.parse_args()
    how = {"horizon": given.horizon, "epochs": given.epochs, "batches": given.batches, "threads": given.threads}
    last = learn(given.task, given.rows, given.steps, given.seed, given.on, given.log, **how)[-1]
    print(f"{given.task} on {given.on}, seed {given.seed}: return {last[3]:.1f} after {last[0]} steps, {last[1]:.1f} s, {last[2]:.1f} s of them in env.step")
