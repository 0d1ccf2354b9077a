"""Keyframes: reset to them, write one, look them up."""
import mujoco
import numpy as np
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
key = model.key("ready")
print(key.id, key.qpos, key.ctrl, model.key(1).time)
mujoco.mj_resetDataKeyframe(model, data, key.id)
print(data.qpos, data.ctrl)
mujoco.mj_step(model, data, nstep=50)
mujoco.mj_setKeyframe(model, data, 1)
print(model.key_qpos[1], model.key_time)
mujoco.mj_resetData(model, data)
print(np.array_equal(data.qpos, model.qpos0), data.time)
