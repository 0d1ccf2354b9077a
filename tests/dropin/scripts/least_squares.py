"""Inverse kinematics and a fit with bounds."""
import mujoco
import numpy as np
from models import ARM
from mujoco import minimize

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
target = np.array([0.35, 0.2, 0.55])


def residual(x):
    out = np.zeros((6, x.shape[1]))
    for i in range(x.shape[1]):
        data.qpos[:3] = x[:, i]
        mujoco.mj_kinematics(model, data)
        out[:3, i] = data.site("tip").xpos - target
        out[3:, i] = 0.05 * x[:, i]
    return out


x, trace = minimize.least_squares(np.array([0.1, 0.1, 0.5]), residual, bounds=[np.array([-2, -2, 0]), np.array([2, 2, 2.4])], verbose=0)
print(x.round(5), len(trace) > 2, np.abs(residual(x[:, None])[:3]).max() < 0.2)
