"""Derivatives of the step: a linear-quadratic regulator balances a pole on a cart."""

import numpy as np

import sinew
from sinew import derive

model = sinew.MjModel.from_xml_string("""
<mujoco>
  <option timestep=".01"/>
  <worldbody>
    <body><joint name="cart" type="slide" axis="1 0 0"/><geom type="box" size=".2 .1 .05" mass="1"/>
      <body><joint name="pole" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size=".02" mass=".1"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="cart"/></actuator>
</mujoco>""")
data = sinew.MjData(model)
A, B = derive.transition(model, data)[:2]  # x' = A x + B u about the upright pole, x = (q, v)

# Riccati's equation by iteration: P = Q + A'P(A - B K), K = inv(R + B'PB) B'PA
Q, R, P = np.diag([1.0, 10.0, 0.1, 0.1]), np.eye(1) * 0.1, np.eye(4)
for _ in range(2000):
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    P = Q + A.T @ P @ (A - B @ K)
data.qpos = [0.5, 0.3]  # half a metre off, the pole leans by 0.3 rad
while data.time < 8:
    data.ctrl = -K @ np.concatenate([data.qpos, data.qvel])
    sinew.mj_step(model, data)
print(f"gains {K[0].round(2)}; after {data.time:.0f} s the cart is at {data.qpos[0]:.1e} m, the pole at {data.qpos[1]:.1e} rad")
assert np.abs(data.qpos).max() < 1e-3
