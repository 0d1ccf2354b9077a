"""State vectors and keyframes."""

import ctypes

import mujoco
import numpy as np
import pytest

from harness import (
    CONSTANTS, CTYPES, SCHEMA, Data, SinewError, call, compare, oracle_library, oracle_set, oracle_state,
    ours, random_states,
)

MODEL = """<mujoco><size nuserdata="3"/><worldbody><body name="a" mocap="true" pos="1 2 3" quat="1 1 0 0"><geom size=".1"/></body>
  <body name="b"><freejoint/><geom size=".1"/><body pos="1 0 0"><joint name="h"/><geom size=".1"/></body></body>
  <body name="c"><joint type="ball"/><geom size=".1"/></body></worldbody>
  <equality><connect body1="b" body2="c" anchor="0 0 0"/><connect body1="b" anchor="0 0 0" active="false"/></equality>
  <actuator><position joint="h" kp="3"/><intvelocity joint="h" kp="2" actrange="-1 1"/></actuator>
  <keyframe><key time="1.5" qpos="1 2 3 1 0 0 0 .5 0 1 0 0" act=".3" ctrl="1 2" mpos="4 5 6"/><key/></keyframe></mujoco>"""


@pytest.fixture(scope="module")
def pair():
    m = mujoco.MjModel.from_xml_string(MODEL)
    our = ours(m)
    return m, mujoco.MjData(m), our, Data(our)


def test_every_combination_has_its_size(pair):
    m, _, our, _ = pair
    for spec in range(1 << CONSTANTS["mjNSTATE"]):
        assert call("mj_stateSize", our, spec, restype=ctypes.c_int) == mujoco.mj_stateSize(m, spec)


def test_get_and_set(pair):
    m, d, _, data = pair
    rng = np.random.default_rng(1)
    for state in random_states(m, 4, seed=3):
        oracle_set(m, d, state)
        data.set_state(state)
        for spec in rng.integers(0, 1 << CONSTANTS["mjNSTATE"], 200):
            compare(f"state {spec}", data.get_state(int(spec)), oracle_state(m, d, int(spec)), 0, 0)


def test_bad_specification_is_an_error(pair):
    with pytest.raises(SinewError, match="mjNSTATE"):
        call("mj_stateSize", pair[2], 1 << CONSTANTS["mjNSTATE"], restype=ctypes.c_int)


@pytest.mark.parametrize("key", [-1, 0, 1, 2])
def test_keyframes(pair, key):
    m, d, our, data = pair
    mujoco.mj_resetDataKeyframe(m, d, key)
    call("mj_resetDataKeyframe", our, data, key)
    compare("state", data.get_state(), oracle_state(m, d), 0, 0)


def test_set_keyframe(pair):
    m, d, our, data = pair
    state = random_states(m, 2, seed=5)[1]
    oracle_set(m, d, state)
    data.set_state(state)
    mujoco.mj_setKeyframe(m, d, 1)
    call("mj_setKeyframe", our, data, 1)
    for name in ("time", "qpos", "qvel", "act", "mpos", "mquat", "ctrl"):
        compare(name, getattr(our, "key_" + name), getattr(m, "key_" + name), 0, 0)
    with pytest.raises(SinewError, match="index must be smaller than"):
        call("mj_setKeyframe", our, data, 2)


def test_debug_reset(pair):
    m, d, our, data = pair
    mujoco.mj_resetDataDebug(m, d, 17)
    call("mj_resetDataDebug", our, data, 17)
    for field in SCHEMA.buffer_arrays:
        if field.name != "plugin_data":
            ours, theirs = getattr(data, field.name), np.ascontiguousarray(getattr(d, field.name))
            if theirs.dtype == np.int32:  # indices lead nowhere: zero instead (docs/differences.md)
                debug = theirs == 0x11111111
                assert not ours[debug].any() and (ours == theirs)[~debug].all(), field.name
            elif field.name != "qM":
                assert ours.tobytes() == theirs.tobytes(), field.name


@pytest.mark.parametrize("function, size", [
    ("mj_defaultOption", "mjOption"), ("mj_defaultVisual", "mjVisual"), ("mj_defaultLROpt", 88)])
def test_defaults(function, size):
    bytes_of = ctypes.sizeof(CTYPES[size]) if isinstance(size, str) else size
    ours_block, theirs = (ctypes.create_string_buffer(bytes_of) for _ in range(2))
    call(function, ours_block)
    getattr(oracle_library(), function)(theirs)
    assert ours_block.raw == theirs.raw


def test_version():
    assert call("mj_version", restype=ctypes.c_int) == mujoco.mj_version()
    assert call("mj_versionString", restype=ctypes.c_char_p).decode() == mujoco.mj_versionString()
