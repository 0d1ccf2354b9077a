"""Hard contact and closed loops: the same four-bar linkage, soft and hard."""

import numpy as np

import sinew
from sinew import solver

XML = """
<mujoco>
  <option timestep=".002"><flag contact="disable"/></option>
  <worldbody>
    <body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .2" size=".01"/>
      <body pos="0 0 .2"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".01"/><site name="a" pos=".4 0 0"/></body>
    </body>
    <body pos=".4 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .2" size=".01"/><site name="b" pos="0 0 .2"/></body>
  </worldbody>
  <equality><connect site1="a" site2="b"/></equality>
</mujoco>"""


def widest_gap(name: str) -> float:
    model = sinew.MjModel.from_xml_string(XML)
    data = sinew.MjData(model)
    if name != "soft":
        solver.choose(model, data, name)
    data.qvel[0] = 5
    gap = 0.0
    for _ in range(1000):
        sinew.mj_step(model, data)
        sinew.mj_kinematics(model, data)
        gap = max(gap, float(np.linalg.norm(data.site("a").xpos - data.site("b").xpos)))
    return gap


soft, hard = widest_gap("soft"), widest_gap("admm-ncp")
print(f"the loop opens by {1000 * soft:.3f} mm with soft constraints, by {1000 * hard:.6f} mm with hard ones")
assert hard < soft
