"""Models and data through pickle and copy."""
import copy
import pickle

import mujoco
import numpy as np
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
mujoco.mj_step(model, data, 30)
m2, d2 = pickle.loads(pickle.dumps((model, data)))
m3, d3 = copy.deepcopy(model), copy.copy(data)
mujoco.mj_step(model, data, 20)
mujoco.mj_step(m2, d2, 20)
mujoco.mj_step(m3, d3, 20)
print(np.array_equal(d2.qpos, data.qpos), np.array_equal(d3.qpos, data.qpos), d2.time, m2.nbody, m2.body("hand").name)
m3.body("hand").mass *= 2
print(model.body("hand").mass, m3.body_mass.sum() - model.body_mass.sum())
