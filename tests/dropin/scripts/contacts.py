"""Contacts, their forces, the rows of constraints."""
import mujoco
import numpy as np
from models import BLOCKS

model = mujoco.MjModel.from_xml_string(BLOCKS)
data = mujoco.MjData(model)
mujoco.mj_step(model, data, 300)
mujoco.mj_forward(model, data)
print(data.ncon, data.nefc, len(data.contact))
total = np.zeros(3)
for i, contact in enumerate(data.contact):
    force = np.zeros(6)
    mujoco.mj_contactForce(model, data, i, force)
    names = [model.geom(g).name for g in contact.geom]
    world = contact.frame.reshape(3, 3).T @ force[:3]
    if "floor" in names:
        total += world
    print(names, contact.dim, contact.friction[:3], round(contact.dist, 7), contact.efc_address)
print(total.round(4), (model.body_mass.sum() * model.opt.gravity).round(4))
print(data.contact.geom1, data.contact.dist.shape, data.contact[0].pos.shape)
print(np.unique(data.efc_type), data.efc_J.shape, data.qfrc_constraint.shape)
print(mujoco.mj_geomDistance(model, data, 1, 3, 5.0, None) > 0)
