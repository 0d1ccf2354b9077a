"""Numbers that are not finite, or huge, and quaternions of no length: a step does with them what the
released engine's does, warnings and resets included."""

import contextlib

import mujoco
import numpy as np
import pytest

from harness import Data, call, ours

XML = """<mujoco><option timestep=".01" tolerance="0"/><worldbody><geom type="plane" size="3 3 1"/>
<body name="f" pos="0 0 1"><freejoint/><geom size=".1"/><site name="s0"/><site name="s0b"/>
 <body pos=".3 0 0"><joint name="b" type="ball" stiffness="1" damping=".1"/><geom size=".1"/><site name="s1"/></body></body>
<body name="h" pos="1 0 1"><joint name="h" axis="0 1 0" range="-60 60"/><geom name="hg" size=".1"/><site name="s3"/></body>
<body name="m" mocap="true" pos="0 1 1"/></worldbody>
<tendon><spatial stiffness="10" damping="1" name="t0"><site site="s0"/><site site="s0b"/></spatial>
<spatial stiffness="10" range="0 .1" name="t1"><site site="s0"/><site site="s0b"/><site site="s1"/></spatial>
<spatial stiffness="10"><site site="s0"/><geom geom="hg"/><site site="s3"/></spatial></tendon>
<equality><weld body1="m" body2="h" active="false"/></equality>
<actuator><motor joint="h"/><motor tendon="t0"/><motor tendon="t1"/><general joint="h" dyntype="integrator"/><position joint="b" kp="2"/></actuator>
<sensor><ballquat joint="b"/><tendonpos tendon="t1"/><tendonvel tendon="t1"/><accelerometer site="s1"/><framequat objtype="body" objname="m"/></sensor>
</mujoco>"""
FIELDS = """time qpos qvel act ctrl qacc xpos xquat ten_length ten_J ten_velocity sensordata qfrc_passive qfrc_actuator
qfrc_constraint mocap_quat qfrc_applied xfrc_applied""".split()

# (field, index, value) ...
CASES = [
    [(field, index, value)]
    for field, indices in (("qpos", (0, 2, 3, 7, 11)), ("qvel", (0, 4, 9)), ("ctrl", (0, 2)), ("act", (0,)), ("qfrc_applied", (1,)))
    for index in indices
    for value in (np.nan, np.inf, -np.inf, 1e11)
]
CASES += [[("qpos", i, value) for i in range(at, at + 4)] for at in (3, 7) for value in (0, 1e-20)]
CASES += [[("qpos", 3, 2), ("qpos", 4, 3), ("qpos", 8, 5)], [("mocap_quat", 1, 3)], [("mocap_quat", i, 0) for i in range(4)]]
CASES += [[("mocap_quat", i, 0) for i in range(4)] + [("eq_active", 0, 1)]]


@contextlib.contextmanager
def quiet():
    mujoco.set_mju_user_warning(lambda text: None)  # it would go to the screen and a file
    yield
    mujoco.set_mju_user_warning(None)


@pytest.mark.parametrize("integrator", list(mujoco.mjtIntegrator.__members__.values())[:4])
def test_step(integrator):
    m = mujoco.MjModel.from_xml_string(XML)
    m.opt.integrator = integrator
    our = ours(m)
    warned = 0
    for case in CASES:
        d, data = mujoco.MjData(m), Data(our)
        mujoco.mj_step(m, d, 3)
        for _ in range(3):
            call("mj_step", our, data)
        for field, index, value in case:
            getattr(d, field).flat[index] = value
            getattr(data, field).reshape(-1)[index] = value
        with quiet():
            mujoco.mj_step(m, d)
        call("mj_step", our, data)
        theirs = [w.number for w in d.warning]
        assert [w.number for w in data._struct.warning] == theirs, case
        warned += any(theirs)
        for field in FIELDS:
            want = getattr(d, field)
            # entries of a vector carry the rounding of its largest one
            largest = np.abs(want).max(initial=0, where=np.isfinite(want))
            np.testing.assert_allclose(getattr(data, field), want, rtol=1e-7, atol=1e-8 + 1e-10 * largest, err_msg=f"{field}: {case}")
    assert warned > 30


@pytest.mark.parametrize("function", ["mj_forward", "mj_inverse", "mj_step1"])
def test_warnings_without_a_step(function):
    """What a state that is not a number leaves in the list of warnings."""
    m = mujoco.MjModel.from_xml_string(XML)
    our = ours(m)
    for case in CASES:
        d, data = mujoco.MjData(m), Data(our)
        for field, index, value in case:
            getattr(d, field).flat[index] = value
            getattr(data, field).reshape(-1)[index] = value
        with quiet():
            getattr(mujoco, function)(m, d)
        call(function, our, data)
        assert [w.number for w in data._struct.warning] == [w.number for w in d.warning], case


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_warm_start_is_not_needed(value):
    """Where the released engine resets (docs/differences.md), the solver starts without it."""
    m = mujoco.MjModel.from_xml_string(XML)
    our = ours(m)
    data, plain = Data(our), Data(our)
    data.qpos = plain.qpos = np.r_[0, 0, 0.099, m.qpos0[3:]]  # on the floor
    data.qacc_warmstart = value
    call("mj_step", our, data)
    call("mj_step", our, plain)
    assert data.ncon > 0 and not any(w.number for w in data._struct.warning)
    np.testing.assert_allclose(data.qacc, plain.qacc, rtol=1e-8, atol=1e-8)
