"""A ball falls on a floor: read a model, step it, look at the state."""

import sinew

model = sinew.MjModel.from_xml_string("""
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom size=".1" mass="1"/></body>
  </worldbody>
</mujoco>""")
data = sinew.MjData(model)
for _ in range(10):
    sinew.mj_step(model, data, nstep=50)
    print(f"{data.time:.1f} s: height {data.body('ball').xpos[2]:.4f} m, {data.ncon} contacts")
assert abs(data.qpos[2] - 0.1) < 0.01 and data.ncon == 1
