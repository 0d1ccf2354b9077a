"""Features beyond the interface, asked for by name."""

import numpy as np
import pytest
import sinew
from sinew import holding

SLOPE = """<mujoco><worldbody><geom type="plane" size="5 5 .1" euler="0 20 0"/>
<body pos=".0342 0 .094" euler="0 20 0"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>"""


def creep(spec):
    model = spec.compile()
    data = sinew.MjData(model)
    for _ in range(1000):
        sinew.mj_step(model, data)
    start = data.qpos[:3].copy()
    for _ in range(500):
        sinew.mj_step(model, data)
    return np.linalg.norm(data.qpos[:3] - start)


def test_friction_holds():
    spec = sinew.MjSpec.from_string(SLOPE)
    assert creep(spec) > 1e-4
    sinew.ask(spec, friction="stick")
    assert creep(spec) < 1e-9
    sinew.ask(spec, friction="soft")
    assert creep(spec) > 1e-4


def test_unknown_feature():
    spec = sinew.MjSpec.from_string(SLOPE)
    sinew.ask(spec, glue="on")
    with pytest.raises(ValueError, match="'sinew:glue' is unknown; there are"):
        spec.compile()
    spec = sinew.MjSpec.from_string(SLOPE)
    sinew.ask(spec, loops="shut")
    with pytest.raises(ValueError, match="expected soft or closed"):
        spec.compile()


def test_stiffness():
    spec = sinew.MjSpec.from_string(SLOPE.replace('euler="0 20 0"', "").replace("<geom type=\"box\"", "<geom name=\"b\" type=\"box\""))
    sinew.ask(spec, stiffness={"b": 2000}, damping={"b": 100})
    sinew.ask(spec, stiffness={"b": 1000})
    model = spec.compile()
    data = sinew.MjData(model)
    for _ in range(2000):
        sinew.mj_step(model, data)
    assert 0.1 - data.qpos[2] == pytest.approx(9.81 / 1000, rel=0.01)
    with pytest.raises(TypeError, match="argument stiffness: expected a text or {geom: number}, got float"):
        sinew.ask(spec, stiffness=3.0)


def test_batch_and_rollout_hold():
    spec = sinew.MjSpec.from_string(SLOPE)
    sinew.ask(spec, friction="stick")
    model = spec.compile()
    batch = sinew.Batch(model, 3)
    for _ in range(1500):
        batch.step()
    data = sinew.MjData(model)
    for _ in range(1500):
        sinew.mj_step(model, data)
    np.testing.assert_array_equal(batch.get("qpos")[1], data.qpos)


def test_sleep():
    spec = sinew.MjSpec.from_string(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body name='b' pos='0 0 .1'><freejoint/>"
        "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>"
    )
    sinew.ask(spec, sleep="on")
    model = spec.compile()
    data = sinew.MjData(model)
    assert not holding.asleep(model, data, "b")
    sinew.mj_step(model, data, 300)
    assert holding.asleep(model, data, "b") and holding.asleep(model, data, 1)
    batch = sinew.Batch(model, 2)  # rows sleep as data does
    for _ in range(300):
        batch.step()
    np.testing.assert_array_equal(batch.get("qpos"), [data.qpos, data.qpos])
    np.testing.assert_array_equal(batch.get("qvel"), np.zeros((2, 6)))
    holding.wake(model, data, "b")
    assert not holding.asleep(model, data, "b")
    sinew.mj_step(model, data, 300)
    holding.wake(model, data)
    assert not holding.asleep(model, data, "b")
    with pytest.raises(KeyError, match="no body 'x'"):
        holding.asleep(model, data, "x")
    with pytest.raises(Exception, match="body is 7, expected -1 to 1"):
        holding.wake(model, data, 7)


BALL = """<mujoco><option timestep=".002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
<body name="b" pos="0 0 .6"><freejoint/><geom name="ball" size=".1" mass="1"/></body></worldbody></mujoco>"""


def test_restitution():
    spec = sinew.MjSpec.from_string(BALL)
    sinew.ask(spec, restitution={"ball": 0.8})
    model = spec.compile()
    data = sinew.MjData(model)
    batch = sinew.Batch(model, 2)
    top = 0.0
    for _ in range(350):
        sinew.mj_step(model, data)
        batch.step()
        if data.qvel[2] > 0:
            top = max(top, data.qpos[2])
    assert np.sqrt((top - 0.1) / 0.5) == pytest.approx(0.8, rel=0.01)
    np.testing.assert_array_equal(batch.get("qpos"), [data.qpos, data.qpos])


def test_certificate():
    model = sinew.MjModel.from_xml_string(BALL)
    data = sinew.MjData(model)
    sinew.mj_step(model, data)
    assert holding.certificate(model, data) is None
    holding.certify(model, data)
    work = 0.0
    for _ in range(300):
        sinew.mj_step(model, data)
        found = holding.certificate(model, data)
        assert found is not None and abs(found["closure"]) < 1e-7
        work += found["contacts"]
    assert found["penetration"] > 0 and found["penetration_geom1_name"] == "floor"
    assert found["penetration_geom2"] == 1 and found["loop_equality"] == -1 and found["loop_equality_name"] == ""
    assert work < -4  # the fall ends in the contact
    holding.certify(model, data, False)
    sinew.mj_step(model, data)
    assert holding.certificate(model, data) is None


def test_warnings():
    """Loops that contradict each other are counted, and a reset counts anew."""
    spec = sinew.MjSpec.from_string(
        "<mujoco><worldbody><body name='x'/><body name='y' pos='.3 0 0'/>"
        "<body name='a' pos='.1 0 0'><freejoint/><geom size='.1'/></body></worldbody><equality>"
        "<weld body1='a' body2='x' relpose='0 0 0 1 0 0 0'/><weld body1='a' body2='y' relpose='0 0 0 1 0 0 0'/>"
        "</equality></mujoco>"
    )
    sinew.ask(spec, loops="closed")
    model = spec.compile()
    data = sinew.MjData(model)
    sinew.mj_step(model, data, nstep=3)
    assert holding.warnings(model, data) == {"loops": 3, "anchors": 0}
    sinew.mj_resetData(model, data)
    assert holding.warnings(model, data)["loops"] == 0


def test_dissipation():
    """The force at the end of a step is k x (1 + c w)."""
    spec = sinew.MjSpec.from_string(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .2'><freejoint/>"
        "<geom name='ball' size='.1' mass='1'/></body></worldbody></mujoco>"
    )
    sinew.ask(spec, stiffness={"ball": 5000}, dissipation={"ball": 0.4})
    model = spec.compile()
    data = sinew.MjData(model)
    pushes = 0
    for _ in range(200):
        sinew.mj_step(model, data)
        depth, approach = 0.1 - data.qpos[2], -data.qvel[2]
        law = 5000 * depth * (1 + 0.4 * approach)
        if data.ncon and depth > 0 and law > 0:
            assert abs(data.qfrc_constraint[2] - law) < 1e-6 * law
            pushes += 1
    assert pushes > 20
