"""A pole on a cart swings up and stays: model-predictive control on analytic derivatives.

python swing_up.py
"""

import numpy as np

import sinew
from sinew import control

CART = """
<mujoco model='cart and pole'>
  <option timestep='.02' integrator='implicitfast'/>
  <default><geom contype='0' conaffinity='0'/></default>
  <worldbody>
    <body name='cart'>
      <joint name='slide' type='slide' axis='1 0 0' damping='.1'/>
      <geom type='box' size='.2 .1 .1' mass='1'/>
      <body name='pole'>
        <joint name='hinge' axis='0 1 0' damping='.001'/>
        <geom type='capsule' size='.03' fromto='0 0 0 0 0 .6' mass='.2'/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name='push' joint='slide' gear='10' ctrlrange='-1 1'/></actuator>
  <sensor><framezaxis name='up' objtype='xbody' objname='pole'/></sensor>
</mujoco>"""


def swing_up(seconds: float = 4.0) -> float:
    """How far the pole points up at the end: 1 is upright."""
    model = sinew.MjModel.from_xml_string(CART)
    data = sinew.MjData(model)
    data.qpos[:] = 0, np.pi  # hangs down
    cost = control.Cost(model, ctrl=0.01, final=50)
    cost.sensor("up", weight=[0, 0, 5], target=[0, 0, 1]).velocity(0.05).position([1, 0])
    mpc = control.MPC(model, cost, horizon=50)
    mpc.reset(0.05)  # straight down is an equilibrium: a plan that leaves it
    for step in range(round(seconds / model.opt.timestep)):
        mpc.act(data)
        sinew.mj_step(model, data)
        if step % 25 == 0:
            print(f"{data.time:5.2f} s  cart {data.qpos[0]:6.3f}  up {data.sensor('up').data[2]:6.3f}  cost {mpc.cost:9.4f}")
    return float(data.sensor("up").data[2])


if __name__ == "__main__":
    print(f"upright: {swing_up():.6f} of 1")
