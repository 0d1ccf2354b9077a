"""Python functions inside a step."""
import mujoco
import numpy as np
from models import CARTPOLE

model = mujoco.MjModel.from_xml_string(CARTPOLE)
data = mujoco.MjData(model)
calls = []


def control(m, d):
    calls.append(d.time)
    d.ctrl[0] = -3 * d.qpos[1]


def passive(m, d):
    d.qfrc_passive[0] -= 0.5 * d.qvel[0]


mujoco.set_mjcb_control(control)
mujoco.set_mjcb_passive(passive)
data.qpos[1] = 0.2
mujoco.mj_step(model, data, 25)
print(len(calls), calls[-1], data.qpos, data.qvel, mujoco.get_mjcb_control() is control)
mujoco.set_mjcb_control(None)
mujoco.set_mjcb_passive(None)
mujoco.mj_step(model, data)
print(len(calls), mujoco.get_mjcb_control())


def broken(m, d):
    raise KeyError("why")


mujoco.set_mjcb_control(broken)
try:
    mujoco.mj_step(model, data)
except KeyError as problem:
    print("caught", problem)
mujoco.set_mjcb_control(None)
print(np.isfinite(data.qpos).all())
