"""Control: a pendulum is held upright by proportional and derivative control."""

import sinew

model = sinew.MjModel.from_xml_string("""
<mujoco>
  <worldbody>
    <body pos="0 0 1">
      <joint name="swing" axis="0 1 0" damping=".01"/>
      <geom type="capsule" fromto="0 0 0 0 0 .5" size=".02" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor name="torque" joint="swing" ctrlrange="-20 20"/></actuator>
  <sensor><jointpos name="angle" joint="swing"/><jointvel name="rate" joint="swing"/></sensor>
</mujoco>""")
data = sinew.MjData(model)
data.joint("swing").qpos = 0.5
while data.time < 2:
    sinew.mj_step1(model, data)  # positions, velocities and their sensors
    data.actuator("torque").ctrl = -30 * data.sensor("angle").data - 5 * data.sensor("rate").data
    sinew.mj_step2(model, data)  # forces, accelerations, integration
print(f"after {data.time:.1f} s the pendulum stands at {data.qpos[0]:.1e} rad")
assert abs(data.qpos[0]) < 1e-3
