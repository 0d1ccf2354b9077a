"""A model built and edited in code: a table with legs, a ball, and then a heavier ball."""

import sinew

spec = sinew.MjSpec()
table = spec.worldbody.add_body(name="table", pos=[0, 0, 0.5])
table.add_geom(type=sinew.mjtGeom.mjGEOM_BOX, size=[0.4, 0.3, 0.02])
for x in (-0.35, 0.35):
    for y in (-0.25, 0.25):
        table.add_geom(type=sinew.mjtGeom.mjGEOM_CYLINDER, size=[0.02, 0.24, 0], pos=[x, y, -0.26])
ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.8])
ball.add_freejoint()
geom = ball.add_geom(name="ball", type=sinew.mjtGeom.mjGEOM_SPHERE, size=[0.05, 0, 0], mass=0.1)
for mass in (0.1, 1.0):
    geom.mass = mass
    model = spec.compile()
    data = sinew.MjData(model)
    sinew.mj_step(model, data, nstep=1000)
    print(f"a ball of {model.body('ball').mass[0]} kg rests at {data.body('ball').xpos[2]:.4f} m; {model.ngeom} geoms")
assert abs(data.body("ball").xpos[2] - 0.57) < 0.01
spec.from_string(spec.to_xml()).compile()  # what is saved can be read again
