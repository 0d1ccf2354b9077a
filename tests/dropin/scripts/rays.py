"""Rays, selection and distance."""
import mujoco
import numpy as np
from models import BLOCKS

model = mujoco.MjModel.from_xml_string(BLOCKS)
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
geom = np.zeros(1, np.int32)
for point, direction in (([0, 0, 2], [0, 0, -1]), ([2, 0, 0.1], [-1, 0, 0]), ([0, 0, 2], [0, 0, 1]), ([0.6, 0, 3], [0, 0, -2])):
    print(mujoco.mj_ray(model, data, point, direction, None, 1, -1, geom), geom)
n = 20
directions = np.random.default_rng(3).normal(size=(n, 3))
ids, dist = np.zeros(n, np.int32), np.zeros(n)
mujoco.mj_multiRay(model, data, [0.3, 0.2, 0.5], directions.flatten(), None, 1, -1, ids, dist, n, mujoco.mjMAXVAL)
print(ids, dist)
segment = np.zeros(6)
print(mujoco.mj_geomDistance(model, data, model.geom("a").id, model.geom("c").id, 10, segment), segment)
