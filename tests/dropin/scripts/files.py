"""Binary and XML files, assets from memory, errors of files."""
import os
import tempfile

import mujoco
import numpy as np
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
with tempfile.TemporaryDirectory() as folder:
    binary, xml = os.path.join(folder, "m.mjb"), os.path.join(folder, "m.xml")
    mujoco.mj_saveModel(model, binary)
    again = mujoco.MjModel.from_binary_path(binary)
    print(again.nq, np.array_equal(again.body_inertia, model.body_inertia), mujoco.mj_sizeModel(model) == os.path.getsize(binary))
    mujoco.mj_saveLastXML(xml, model)
    saved = mujoco.MjModel.from_xml_path(xml)
    print(saved.nu, np.abs(saved.geom_pos - model.geom_pos).max() < 1e-6)
mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
tetrahedron = mujoco.MjModel.from_xml_string(
    "<mujoco><asset><mesh name='t' file='t.obj'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='t'/></body></worldbody></mujoco>",
    {"t.obj": mesh},
)
print(tetrahedron.nmeshvert, tetrahedron.body_mass, tetrahedron.body_inertia, tetrahedron.geom_pos)
for bad in ("<mujoco><worldbody><geom/></worldbody></mujoco>", "<mujoco><nothing/></mujoco>", "no xml"):
    try:
        mujoco.MjModel.from_xml_string(bad)
    except ValueError:
        print("ValueError")
try:
    mujoco.MjModel.from_xml_path("/nothing/here.xml")
except ValueError as problem:
    print("here.xml" in str(problem))
