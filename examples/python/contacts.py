"""Contacts and their forces: three boxes in a stack, and what each contact bears."""

import numpy as np

import sinew

BOX = '<body pos="0 0 {z}"><freejoint/><geom name="{name}" type="box" size=".1 .1 .1" mass="{mass}"/></body>'
boxes = "".join(BOX.format(z=0.1 + 0.2 * i, name=name, mass=2**i) for i, name in enumerate(["low", "mid", "top"]))
model = sinew.MjModel.from_xml_string(f'<mujoco><worldbody><geom name="floor" type="plane" size="2 2 .1"/>{boxes}</worldbody></mujoco>')
data = sinew.MjData(model)
sinew.mj_step(model, data, nstep=1500)

force = np.zeros(6)  # in the frame of the contact: the first axis is the normal
bears: dict[tuple[str, str], float] = {}
for i, contact in enumerate(data.contact):
    sinew.mj_contactForce(model, data, i, force)
    pair = (model.geom(contact.geom[1]).name, model.geom(contact.geom[0]).name)
    bears[pair] = bears.get(pair, 0) + force[0]
for (upper, lower), total in bears.items():
    print(f"{upper} on {lower}: {total:.3f} N")
assert abs(bears["low", "floor"] - 7 * 9.81) < 0.1
