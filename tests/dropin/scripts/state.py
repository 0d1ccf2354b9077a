"""State vectors: save, perturb, restore."""
import mujoco
import numpy as np
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
for spec in (mujoco.mjtState.mjSTATE_PHYSICS, mujoco.mjtState.mjSTATE_FULLPHYSICS, mujoco.mjtState.mjSTATE_INTEGRATION, mujoco.mjtState.mjSTATE_CTRL):
    print(spec.name, mujoco.mj_stateSize(model, spec))
spec = mujoco.mjtState.mjSTATE_INTEGRATION
saved = np.zeros(mujoco.mj_stateSize(model, spec))
data.ctrl[:] = [0.5, 0.2, 0.1]
mujoco.mj_step(model, data, 50)
mujoco.mj_getState(model, data, saved, spec)
mujoco.mj_step(model, data, 20)
first = data.qpos.copy()
mujoco.mj_setState(model, data, saved, spec)
mujoco.mj_step(model, data, 20)
print(np.array_equal(first, data.qpos), first)
data.xfrc_applied[model.body("hand").id] = [0, 0, 20, 0, 0, 0]
data.qfrc_applied[0] = 0.3
mujoco.mj_step(model, data, 20)
print(data.qpos, data.qfrc_applied[0])
data.xfrc_applied[:] = 0
force = np.zeros(model.nv)
mujoco.mj_applyFT(model, data, [1, 2, 3], [0.1, 0, 0], data.body("hand").xpos, model.body("hand").id, force)
print(force)
try:
    mujoco.mj_setState(model, data, saved[:-1], spec)
except TypeError:
    print("TypeError")
