"""Learning: random search finds a policy that swings a pendulum up, 64 trials at a time in a vector environment."""

import numpy as np

import sinew
from sinew.gym import VectorEnv

model = sinew.MjModel.from_xml_string("""
<mujoco>
  <option timestep=".02"/>
  <worldbody><body><joint name="swing" axis="0 1 0" damping=".05"/><geom type="capsule" fromto="0 0 0 0 0 -1" size=".05" mass="1"/></body></worldbody>
  <actuator><motor joint="swing" gear="4" ctrlrange="-1 1"/></actuator>
</mujoco>""")


def seen(batch: sinew.Batch) -> np.ndarray:
    angle = batch.bind("qpos")
    return np.concatenate([np.cos(angle), np.sin(angle), batch.bind("qvel")], axis=1)


def returns(env: VectorEnv, policies: np.ndarray) -> np.ndarray:
    """What each row's policy u = tanh(w x) earns in 200 steps."""
    observations, _ = env.reset(seed=0)
    total = np.zeros(env.num_envs)
    for _ in range(200):
        actions = np.tanh(np.einsum("nk,nk->n", policies, observations))[:, None]
        observations, reward, *_ = env.step(actions)
        total += reward
    return total


env = VectorEnv(model, 64, frame_skip=2, observe=seen, reward=lambda batch: -np.cos(batch.bind("qpos")[:, 0]))
rng = np.random.default_rng(0)
mean, spread = np.zeros(3), np.ones(3) * 3
for generation in range(15):
    policies = mean + spread * rng.standard_normal((64, 3))
    earned = returns(env, policies)
    elite = policies[np.argsort(earned)[-8:]]
    mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.05
    print(f"generation {generation}: best return {earned.max():7.2f}")
assert earned.max() > 0, "hanging still earns -200"
