"""A reinforcement-learning environment in the manner of tutorials."""
import mujoco
import numpy as np
from models import CARTPOLE


class Balance:
    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(CARTPOLE)
        self.data = mujoco.MjData(self.model)

    def reset(self, seed):
        self.rng = np.random.default_rng(seed)
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.model.qpos0 + self.rng.uniform(-0.05, 0.05, self.model.nq)
        self.data.qvel[:] = self.rng.uniform(-0.05, 0.05, self.model.nv)
        mujoco.mj_forward(self.model, self.data)
        return np.concatenate((self.data.qpos, self.data.qvel)).copy()

    def step(self, action):
        self.data.ctrl[:] = np.clip(action, -1, 1)
        mujoco.mj_step(self.model, self.data, nstep=2)
        observation = np.concatenate((self.data.qpos, self.data.qvel)).copy()
        return observation, float(np.cos(self.data.qpos[1])), bool(abs(self.data.qpos[1]) > 0.8)


env = Balance()
for episode in range(3):
    observation, total, steps, done = env.reset(episode), 0, 0, False
    while not done and steps < 60:
        observation, reward, done = env.step(np.array([2 * observation[1] + 0.3 * observation[3]]))
        total += reward
        steps += 1
    print(episode, steps, total, observation)
