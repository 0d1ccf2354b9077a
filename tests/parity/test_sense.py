"""Sensors against the oracle: our data is a copy of the oracle's, its readings are overwritten."""

import os

import mujoco
import numpy as np
import pytest

import random_smooth
import zoo_smooth
from harness import Data, SinewError, call, compare, oracle, oracle_set, ours, random_states
from test_smooth import check_stages, data_for, spread_states

RTOL, ATOL = 1e-10, 1e-12
NAMES = {int(value): name for name, value in mujoco.mjtSensor.__members__.items()}
SEARCHED = {mujoco.mjtSensor.mjSENS_GEOMDIST, mujoco.mjtSensor.mjSENS_GEOMNORMAL, mujoco.mjtSensor.mjSENS_GEOMFROMTO}


def check_sensors(m, d, states):
    our, data = data_for(m)
    for state in states:
        oracle_set(m, d, state)
        mujoco.mj_forward(m, d)
        data.copy_from(d)
        data.sensordata = np.nan
        for stage in ("mj_sensorPos", "mj_sensorVel", "mj_sensorAcc"):
            call(stage, our, data)
        floor = ATOL + RTOL * np.abs(d.cfrc_ext).max()
        for i in range(m.nsensor):
            kind = int(m.sensor_type[i])
            if kind == mujoco.mjtSensor.mjSENS_USER:
                continue
            at = slice(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i])
            # distances come from an iterative search; forces are differences of larger ones
            rtol = 1e-5 if kind in SEARCHED else RTOL
            compare(f"{NAMES[kind]} {i}", data.sensordata[at], d.sensordata[at], rtol, floor)


def test_models(path):
    m, d = oracle(path)
    if not m.nsensor:
        pytest.skip("no sensors")
    check_sensors(m, d, random_states(m, 5, seed=4))


@pytest.mark.parametrize("contact", [True, False])
def test_every_type(contact):
    m = mujoco.MjModel.from_xml_string(zoo_smooth.SENSORS)
    if not contact:
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    assert set(m.sensor_type) >= set(range(mujoco.mjtSensor.mjSENS_CLOCK + 1)), "every type is there"
    check_sensors(m, mujoco.MjData(m), spread_states(m, 8, (0.05, 0.3, 1)))


def test_stages_that_do_not_run_leave_readings_alone():
    m = mujoco.MjModel.from_xml_string(zoo_smooth.SENSORS)
    our = ours(m)
    data = Data(our)
    call("mj_fwdPosition", our, data)
    call("mj_fwdVelocity", our, data)
    data.sensordata = -7
    call("mj_sensorVel", our, data)
    for i in range(m.nsensor):
        at = slice(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i])
        if m.sensor_needstage[i] != mujoco.mjtStage.mjSTAGE_VEL:
            assert (data.sensordata[at] == -7).all(), NAMES[int(m.sensor_type[i])]
    our.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
    data.sensordata = -7
    for stage in ("mj_sensorPos", "mj_sensorVel", "mj_sensorAcc"):
        call(stage, our, data)
    assert (data.sensordata == -7).all()


# more with SINEW_RANDOM=n
@pytest.mark.parametrize("seed", range(int(os.environ.get("SINEW_RANDOM", 40))))
def test_random_models(seed):
    m = mujoco.MjModel.from_xml_string(random_smooth.model(seed))
    states = spread_states(m, 4, (0.1, 0.5, 1), seed)
    check_stages(m, mujoco.MjData(m), states)
    check_sensors(m, mujoco.MjData(m), states)


GRID = """<plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s"><config key="size" value="3 3"/>
<config key="fov" value="45 45"/><config key="gamma" value="0"/><config key="nchannel" value="3"/></plugin>"""


@pytest.mark.parametrize("sensor", [*(f'<user dim="1" needstage="{stage}"/>' for stage in ("pos", "vel", "acc")), GRID])
def test_user_sensors_find_what_they_may_read(sensor):
    """Velocities of subtrees at the velocity stage, accelerations and forces of bodies at the last one."""
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
    <worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .09"><freejoint/><geom size=".1"/><site name="s"/>
    <body pos="0 0 .3"><joint/><geom size=".1"/></body></body></worldbody><sensor>{sensor}</sensor></mujoco>""")
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    d.qvel[:] = np.arange(m.nv) + 1
    data.qvel[:] = d.qvel
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    stage = m.sensor_needstage[0]
    assert (abs(d.cacc).max() > 0) == (stage == mujoco.mjtStage.mjSTAGE_ACC)
    assert (abs(d.subtree_angmom).max() > 0) == (stage == mujoco.mjtStage.mjSTAGE_VEL)
    for name in "subtree_linvel subtree_angmom cacc cfrc_int cfrc_ext".split():
        compare(name, getattr(data, name), getattr(d, name), rtol=1e-9, atol=1e-9)


PAD, BALL = range(2)


@pytest.mark.parametrize("where", ["site", "child", "child with a geom", "lower geom"])
@pytest.mark.parametrize("order", [(PAD, BALL), (BALL, PAD)])
@pytest.mark.parametrize("free", [(0, 1), (1, 0), (1, 1)])
def test_touch_grid_of_a_rigid_part(where, order, free):
    """Which contacts count, and with which sign: by weld and by the numbers of bodies, whatever the order of geoms."""
    joint = ["", "<freejoint/>"]
    for pad, ball in (("box", "sphere"), ("sphere", "box"), ("sphere", "sphere"), ("ellipsoid", "capsule")):
        geom, site = f'<geom type="{pad}" size=".2 .2 .2" condim="6"/>', '<site name="s" pos="0 0 .5"/>'
        inside = {
            "site": geom + site,
            "child": f'{geom}<body pos="0 0 .1">{site}</body>',
            "child with a geom": f'{geom}<body pos="0 0 .01">{geom}{site}</body>',
            "lower geom": f'<geom size=".01" pos="5 0 0"/>{site}<body>{geom}</body>',
        }[where]
        body = [f"<body>{joint[free[0]]}{inside}</body>",
                f'<body pos=".02 .03 .29">{joint[free[1]]}<geom type="{ball}" size=".1 .1 .1" condim="6"/></body>']
        m = mujoco.MjModel.from_xml_string(f"""<mujoco><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
        <worldbody>{body[order[0]]}{body[order[1]]}</worldbody>
        <sensor>{GRID.replace('"3"/></plugin>', '"6"/></plugin>')}</sensor></mujoco>""")
        d, our = mujoco.MjData(m), ours(m)
        data = Data(our)
        d.qvel[:] = np.linspace(-0.1, 0.1, m.nv)
        data.qvel[:] = d.qvel
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        assert abs(d.sensordata).max() > 1
        compare("taxels", data.sensordata, d.sensordata, rtol=1e-6, atol=1e-6 * abs(d.sensordata).max())


def test_projection_of_the_camera_itself():
    m = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><camera name="c" resolution="64 48"/><site name="s"/></worldbody>
    <sensor><camprojection camera="c" site="s"/></sensor></mujoco>""")
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    compare("projection", data.sensordata, d.sensordata, rtol=0, atol=0)
