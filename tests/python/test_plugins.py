"""The first-party plugins come with the package: nothing to install or load."""

import numpy as np
import pytest

import sinew

EXTENSION = '<extension><plugin plugin="{0}"><instance name="i">{1}</instance></plugin></extension>'


def config(**settings):
    return "".join(f'<config key="{key}" value="{value}"/>' for key, value in settings.items())


PID = f"""
<mujoco>{EXTENSION.format("mujoco.pid", config(kp=40, ki=40, kd=4))}
  <worldbody><body><joint name="j" type="slide" axis="0 0 1"/><geom size=".01" mass="1"/></body></worldbody>
  <actuator><plugin joint="j" instance="i" actdim="1"/></actuator>
</mujoco>"""

CABLE = f"""
<mujoco>{EXTENSION.format("mujoco.elasticity.cable", config(twist=1e8, bend=4e8))}
  <worldbody>
    <body name="hand" pos="0 0 1">
      <composite prefix="c_" type="cable" curve="s" count="11 1 1" size="1" initial="none">
        <plugin plugin="mujoco.elasticity.cable" instance="i"/>
        <joint kind="main" damping="0.15" armature="0.01"/><geom type="capsule" size=".01"/>
      </composite>
    </body>
  </worldbody>
</mujoco>"""

TOUCH = f"""
<mujoco>{EXTENSION.format("mujoco.sensor.touch_grid", config(nchannel=3, size="3 3", fov="90 90"))}
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .1"><freejoint/><geom size=".1" mass="1"/><site name="s"/></body>
  </worldbody>
  <sensor><plugin instance="i" objtype="site" objname="s"/></sensor>
</mujoco>"""

TORUS = f"""
<mujoco>{EXTENSION.format("mujoco.sdf.torus", "")}
  <asset><mesh name="t"><plugin instance="i"/></mesh></asset>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .16"><freejoint/><geom type="sdf" mesh="t"><plugin instance="i"/></geom></body>
  </worldbody>
</mujoco>"""


def run(xml, steps):
    model = sinew.MjModel.from_xml_string(xml)
    data = sinew.MjData(model)
    if model.nu:
        data.ctrl[:] = 0.5
    for _ in range(steps):
        sinew.mj_step(model, data)
    assert np.isfinite(data.qpos).all()
    return model, data


def test_pid():
    _, data = run(PID, 5000)
    assert abs(data.qpos[0] - 0.5) < 1e-3  # the integral carries the weight
    assert abs(data.actuator_force[0] - 9.81) < 0.1


def test_cable():
    model, data = run(CABLE, 200)
    soft = sinew.MjModel.from_xml_string(CABLE.replace("400000000.0", "4e4"))
    limp = sinew.MjData(soft)
    for _ in range(200):
        sinew.mj_step(soft, limp)
    assert data.xpos[-1, 2] > limp.xpos[-1, 2] + 0.1


def test_touch_grid():
    model, data = run(TOUCH, 2000)
    image = data.sensordata.reshape(3, 3, 3)
    assert abs(image[0].sum() - 9.81) < 1e-2
    assert np.count_nonzero(image[0]) == 1


def test_torus():
    _, data = run(TORUS, 500)
    assert abs(data.qpos[2] - 0.15) < 1e-2


def test_refused():
    with pytest.raises(ValueError, match='kp="much"'):
        sinew.MjModel.from_xml_string(PID.replace('"40"', '"much"', 1))


def test_slots():
    """As in the released package, whose binary models name plugins by slot."""
    assert sinew.MjModel.from_xml_string(PID).plugin[0] == 0
    assert sinew.MjModel.from_xml_string(CABLE).plugin[0] == 1
    assert sinew.MjModel.from_xml_string(TORUS).plugin[0] == 8
