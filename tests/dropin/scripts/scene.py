"""The abstract scene of a picture, without drawing it."""
import mujoco
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 1)
mujoco.mj_forward(model, data)
scene = mujoco.MjvScene(model, maxgeom=200)
option, camera, perturb = mujoco.MjvOption(), mujoco.MjvCamera(), mujoco.MjvPerturb()
mujoco.mjv_defaultFreeCamera(model, camera)
option.flags[mujoco.mjtVisFlag.mjVIS_CONTACTPOINT] = True
option.flags[mujoco.mjtVisFlag.mjVIS_CONTACTFORCE] = True
option.flags[mujoco.mjtVisFlag.mjVIS_JOINT] = 1
option.frame = mujoco.mjtFrame.mjFRAME_BODY
mujoco.mjv_updateScene(model, data, option, perturb, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
print(scene.ngeom, scene.nlight)
for geom in scene.geoms[: scene.ngeom]:
    print(geom.type, geom.objtype, geom.objid, geom.category, geom.size, geom.pos, geom.rgba)
print(scene.camera[0].pos, scene.camera[0].forward, scene.lights[0].pos)
camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
camera.fixedcamid = model.camera("front").id
mujoco.mjv_updateScene(model, data, option, None, camera, int(mujoco.mjtCatBit.mjCAT_DYNAMIC), scene)
print(scene.ngeom, scene.camera[1].pos)
extra = scene.geoms[scene.ngeom]
mujoco.mjv_initGeom(extra, mujoco.mjtGeom.mjGEOM_ARROW, [0.01, 0.01, 0.3], [0, 0, 1], [1, 0, 0, 0, 1, 0, 0, 0, 1], [1, 0, 0, 1])
mujoco.mjv_connector(extra, mujoco.mjtGeom.mjGEOM_CAPSULE, 0.02, [0, 0, 0], [1, 1, 1])
scene.ngeom += 1
print(extra.size, extra.pos, extra.mat)
mujoco.mjv_moveCamera(model, mujoco.mjtMouse.mjMOUSE_ZOOM, 0, 0.1, scene, camera)
print(camera.distance, camera.azimuth, camera.elevation)
