"""Balance by LQR: derivatives of a step, a Riccati iteration, a simulation."""
import mujoco
import numpy as np
from models import CARTPOLE

model = mujoco.MjModel.from_xml_string(CARTPOLE)
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
A = np.zeros((2 * model.nv, 2 * model.nv))
B = np.zeros((2 * model.nv, model.nu))
C = np.zeros((model.nsensordata, 2 * model.nv))
mujoco.mjd_transitionFD(model, data, 1e-6, True, A, B, C, None)
print(A.round(6), B.round(6), C.round(6))
P = Q = np.diag([1, 10, 0.1, 0.1])
R = np.eye(1)
for _ in range(2000):
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    P = Q + A.T @ P @ (A - B @ K)
print(K.round(4))
data.qpos[1] = 0.1
for _ in range(300):
    dx = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, dx, 1, np.zeros(model.nq), data.qpos)
    data.ctrl = -K @ np.concatenate([dx, data.qvel])
    mujoco.mj_step(model, data)
print(data.qpos.round(8), data.qvel.round(8))
