"""Inverse dynamics: the torques of a given motion, and forward dynamics that returns it."""

import numpy as np

import sinew

model = sinew.MjModel.from_xml_string("""
<mujoco>
  <worldbody>
    <body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="2"/>
      <body pos=".4 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/></body>
    </body>
  </worldbody>
</mujoco>""")
data = sinew.MjData(model)
w = np.array([2.0, 3.0])
worst = 0.0
for t in np.arange(0, 1, 0.01):
    q, v, a = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
    data.qpos, data.qvel, data.qacc = q, v, a
    sinew.mj_inverse(model, data)  # tau = M a + c - J'f
    data.qfrc_applied = data.qfrc_inverse
    sinew.mj_forward(model, data)
    worst = max(worst, float(np.abs(data.qacc - a).max()))
print(f"the last torques are {data.qfrc_applied} N m; forward dynamics returns the acceleration to {worst:.1e}")
assert worst < 1e-10
