"""A model made without a file: bodies, defaults, actuators, attachment, compile and recompile."""
import mujoco
import numpy as np

spec = mujoco.MjSpec()
spec.modelname = "made"
spec.option.timestep = 0.004
main = spec.default
main.geom.rgba = [1, 0, 0, 1]
soft = spec.add_default("soft", main)
soft.geom.solref = [0.05, 1]
spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 0.1])
parent = spec.worldbody
for i in range(4):
    parent = parent.add_body(name=f"link{i}", pos=[0, 0, 0.3 if i else 1.5])
    parent.add_joint(name=f"j{i}", axis=[0, 1, i % 2], type=mujoco.mjtJoint.mjJNT_HINGE, damping=0.1)
    parent.add_geom(soft if i == 2 else None, type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, 0, 0, 0, 0.25], size=[0.03, 0, 0])
site = parent.add_site(name="end", pos=[0, 0, 0.25])
motor = spec.add_actuator(name="m", target="j1", trntype=mujoco.mjtTrn.mjTRN_JOINT)
motor.gainprm[0] = 4
spec.add_sensor(name="s", type=mujoco.mjtSensor.mjSENS_FRAMEPOS, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="end")
model = spec.compile()
data = mujoco.MjData(model)
data.ctrl[0] = 1
mujoco.mj_step(model, data, 200)
print(model.nbody, model.nv, model.opt.timestep, model.geom_solref, data.qpos, data.sensordata)

gripper = mujoco.MjSpec.from_string("<mujoco><worldbody><body name='palm'><geom size='.05'/><joint name='roll' axis='0 0 1'/></body></worldbody></mujoco>")
frame = spec.body("link3").add_frame(pos=[0, 0, 0.3])
frame.attach_body(gripper.body("palm"), "grip_", "")
model, data = spec.recompile(model, data)
print(model.nbody, [model.joint(i).name for i in range(model.njnt)], data.qpos, data.time)
spec.delete(spec.joint("j0"))
spec.geoms[1].rgba = np.array([0, 1, 0, 1])
model = spec.compile()
print(model.njnt, model.geom_rgba, [g.name for g in spec.geoms], [b.name for b in spec.bodies], spec.body("link1").first_geom().size)
