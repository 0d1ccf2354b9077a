"""Torques that hold a posture and that follow an acceleration."""
import mujoco
import numpy as np
from models import ARM

np.set_printoptions(precision=9, suppress=True)
model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
mujoco.mj_forward(model, data)
data.qacc = 0
mujoco.mj_inverse(model, data)
print("hold", data.qfrc_inverse)
data.qvel[:3] = [0.3, -0.2, 0.5]
mujoco.mj_forward(model, data)
acceleration = data.qacc.copy()
mujoco.mj_inverse(model, data)
applied = data.qfrc_actuator + data.qfrc_applied
print("difference", np.abs(data.qfrc_inverse - applied).max() < 1e-8)
full = np.zeros((model.nv, model.nv))
mujoco.mj_fullM(model, full, data.qM)
print(np.diag(full), np.linalg.eigvalsh(full))
out = np.zeros(model.nv)
mujoco.mj_rne(model, data, 0, out)
print(out, data.qfrc_bias)
