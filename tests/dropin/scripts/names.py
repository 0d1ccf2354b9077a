"""Names to numbers and back; what is not there."""
import mujoco
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
print(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "hand"), mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "nothing"))
print([mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(model.njnt)], mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SITE, 99))
print(model.joint("wrist").qposadr, model.joint("wrist").dofadr, model.jnt("elbow").range, model.geom("ball").friction)
print(model.body("hand").parentid, model.body(model.body("hand").parentid[0]).name, model.cam("front").id, model.light("sun").pos, model.mat("steel").rgba)
print(data.body("ball").cvel.shape, data.joint("free").qpos, data.jnt("shoulder").qvel, data.actuator("lag").length, data.ten("coupling").length)
model.geom("ball").rgba = [1, 0, 0, 0.5]
model.geom("ball").size[0] = 0.06
print(model.geom_rgba[-1], model.geom("ball").size, model.tendon("coupling").name, model.sensor("gyro").dim)
for access in (lambda: model.geom("none"), lambda: data.body(99), lambda: model.geom("ball").nothing):
    try:
        access()
    except (KeyError, IndexError, AttributeError) as problem:
        print(type(problem).__name__)
names = [model.names[a:].split(b"\0")[0].decode() for a in model.name_bodyadr]
print(names)
