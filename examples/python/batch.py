"""A batch: 256 simulations with controls of their own, on all cores, in one array."""

import time

import numpy as np

import sinew

model = sinew.MjModel.from_xml_string("""
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .3"><freejoint/><geom type="box" size=".2 .1 .05"/>
      <body pos=".2 .1 0"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/></body>
      <body pos="-.2 -.1 0"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/></body>
    </body>
  </worldbody>
  <actuator><position joint="a" kp="20" kv="1"/><position joint="b" kp="20" kv="1"/></actuator>
</mujoco>""")
batch = sinew.Batch(model, 256)
qpos, ctrl = batch.bind("qpos"), batch.bind("ctrl")  # 256 x nq, 256 x nu: views that stay
phase = np.linspace(0, np.pi, len(batch))
begin = time.perf_counter()
for i in range(200):
    ctrl[:, 0] = np.sin(0.1 * i)
    ctrl[:, 1] = np.sin(0.1 * i + phase)
    batch.step(2)
spent = time.perf_counter() - begin
best = int(np.argmax(np.abs(qpos[:, 0])))
print(f"{256 * 400 / spent:,.0f} steps a second; row {best} went farthest, {qpos[best, 0]:.2f} m, with a phase of {phase[best]:.2f} rad")
assert not batch.bad_rows and np.isfinite(qpos).all()
