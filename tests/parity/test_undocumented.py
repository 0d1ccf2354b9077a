"""Functions that the released library exports without declaring them, against it: the same call, the same result."""

import ctypes

import harness
import mujoco
import numpy as np
import pytest
from test_mju import OURS, THEIRS, call

INT = np.int32
RANDOM = np.random.default_rng(3)


def both(name, *args, restype=None):
    mine, theirs = call(OURS, name, args, restype), call(THEIRS, name, args, restype)
    assert mine[0] == theirs[0], name
    for a, b in zip(mine[1], theirs[1]):
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-14, err_msg=name)


def sparse(rows, columns, density=0.4):
    """A random matrix in rows: values, rownnz, rowadr, colind."""
    there = RANDOM.random((rows, columns)) < density
    there[1] = there[0]  # two rows of one pattern
    number = there.sum(axis=1).astype(INT)
    address = np.r_[0, np.cumsum(number)[:-1]].astype(INT)
    return RANDOM.normal(size=number.sum()), number, address, np.nonzero(there)[1].astype(INT)


@pytest.mark.parametrize("name", ["mju_mulMatMat3", "mju_mulMatTMat3", "mju_mulMatMatT3"])
def test_matrices_of_three(name):
    for _ in range(10):
        both(name, np.zeros(9), RANDOM.normal(size=9), RANDOM.normal(size=9))


def test_equal():
    for gap in (0, 2.3e-16, 9e-16, 1.2e-15, 1e-9, np.nan):
        both("mju_equal3", np.array([1.0, 2, 3]), np.array([1 + gap, 2, 3]), restype=ctypes.c_int)


def test_lists():
    some, places = RANDOM.normal(size=8), np.array([3, 0, 7, 5], INT)
    whole = np.arange(8, dtype=INT)
    both("mju_gather", np.zeros(4), some, places, 4)
    both("mju_scatter", np.zeros(8), some, places, 4)
    both("mju_gatherInt", np.zeros(4, INT), whole, places, 4)
    both("mju_scatterInt", np.zeros(8, INT), whole, places, 4)
    both("mju_copyInt", np.zeros(8, INT), whole, 8)
    both("mju_zeroInt", whole, 5)


@pytest.mark.parametrize("case", range(20))
def test_sparse(case):
    rows, columns = 2 + case % 5, 1 + case % 7
    values, number, address, column = sparse(rows, columns)
    pattern = (number, address, column)
    both("mju_mulMatVecSparse", np.zeros(rows), values, RANDOM.normal(size=columns), rows, *pattern, None)
    both("mju_mulMatTVecSparse", np.zeros(columns), values, RANDOM.normal(size=rows), rows, columns, *pattern)
    both("mju_superSparse", rows, np.zeros(rows, INT), *pattern)
    made = [np.zeros(len(values)), values, rows, columns]
    made += [np.zeros(columns, INT), np.zeros(columns, INT), np.zeros(len(values), INT), np.zeros(columns, INT)]
    both("mju_transposeSparse", *made, *pattern)
    both("mju_compressSparse", values * (np.abs(values) > 0.5), rows, columns, *pattern, 1e-9, restype=ctypes.c_int)


def test_symmetric():
    number, address, column = np.array([1, 1, 3], INT), np.array([0, 1, 2], INT), np.array([0, 1, 0, 1, 2], INT)
    both("mju_mulSymVecSparse", np.zeros(3), RANDOM.normal(size=5), RANDOM.normal(size=3), 3, number, address, column)


TEXTS = [b"", b"YQ==", b"YWI=", b"YWJj", b"YWJ", b"Y W=", b"=abc", b"aGVsbG8gd29ybGQ=", b"YR==", b"YWJ/", b"YW-_", b"YQ===", b"YW\nJj"]


def test_base64():
    for lib in (OURS, THEIRS):
        lib.mju_encodeBase64.restype = lib.mju_decodeBase64.restype = lib.mju_isValidBase64.restype = ctypes.c_size_t
    for text in TEXTS:
        size = THEIRS.mju_isValidBase64(text)
        assert OURS.mju_isValidBase64(text) == size, text
        buffers = [ctypes.create_string_buffer(32) for _ in range(2)]
        if size:
            assert OURS.mju_decodeBase64(buffers[0], text) == THEIRS.mju_decodeBase64(buffers[1], text)
            assert buffers[0].raw == buffers[1].raw
    for size in range(20):
        data = RANDOM.bytes(size)
        buffers = [ctypes.create_string_buffer(64) for _ in range(2)]
        length = ctypes.c_size_t(size)
        assert OURS.mju_encodeBase64(buffers[0], data, length) == THEIRS.mju_encodeBase64(buffers[1], data, length)
        assert buffers[0].raw == buffers[1].raw


def test_muscles():
    double = ctypes.c_double
    for name, cases in (
        ("mju_muscleGainLength", [(x, 0.5, 1.6) for x in np.linspace(0.3, 1.8, 40)]),
        ("mju_muscleDynamicsTimescale", [(x, 0.01, 0.04, w) for x in np.linspace(-1, 1, 21) for w in (0.0, 0.3, 1.0)]),
    ):
        for case in cases:
            both(name, *map(float, case), restype=double)


def test_outside_box():
    turn = np.array([0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6])
    answers = set()
    for _ in range(300):
        point, size, inflate = RANDOM.normal(size=3) / 3, RANDOM.uniform(0.1, 0.6, size=3), float(RANDOM.choice([1, 1.01, 1.5]))
        both("mju_outsideBox", point, np.zeros(3), turn, size, inflate, restype=ctypes.c_int)
        answers.add(call(OURS, "mju_outsideBox", (point, np.zeros(3), turn, size, inflate), ctypes.c_int)[0])
    assert answers == {-1, 0, 1}


@pytest.mark.parametrize("size", [2, 3])
def test_quadratic_in_an_ellipsoid(size):
    for k in range(60):
        root = RANDOM.normal(size=(size, size))
        A = root @ root.T + (0 if k == 7 else 0.1) * np.eye(size)
        if k == 8:
            A[:] = 0
        b, d = RANDOM.normal(size=size), RANDOM.uniform(0.3, 2, size=size)
        both(f"mju_QCQP{size}", np.zeros(size), A.ravel().copy(), b, d, float(10.0 ** RANDOM.uniform(-2, 2)), restype=ctypes.c_int)


COLLIDERS = {
    "mjc_PlaneSphere": ("plane", "sphere"), "mjc_PlaneCapsule": ("plane", "capsule"), "mjc_PlaneCylinder": ("plane", "cylinder"),
    "mjc_PlaneBox": ("plane", "box"), "mjc_SphereSphere": ("sphere", "sphere"), "mjc_SphereCapsule": ("sphere", "capsule"),
    "mjc_SphereCylinder": ("sphere", "cylinder"), "mjc_SphereBox": ("sphere", "box"), "mjc_CapsuleCapsule": ("capsule", "capsule"),
    "mjc_CapsuleBox": ("capsule", "box"), "mjc_BoxBox": ("box", "box"), "mjc_Convex": ("ellipsoid", "box"),
}


@pytest.mark.parametrize("name", COLLIDERS)
def test_colliders(name):
    """The collider of a name makes the contacts that the step makes for its pair of types."""
    sizes = {"plane": "1 1 1", "sphere": ".2", "capsule": ".1 .2", "cylinder": ".2 .15", "box": ".2 .15 .1", "ellipsoid": ".2 .15 .1"}
    first, second = COLLIDERS[name]
    text = (f"<mujoco><worldbody><geom type='{first}' size='{sizes[first]}'/><body pos='.03 .02 .11'><freejoint/>"
            f"<geom type='{second}' size='{sizes[second]}' quat='.9 .1 .2 .3'/></body></worldbody></mujoco>")
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    our = harness.ours(m)
    data = harness.Data(our)
    harness.call("mj_forward", our, data)
    found = (ctypes.c_byte * (100 * 1024))()
    assert harness.call(name, our, data, found, 0, 1, 0.0, restype=ctypes.c_int) == d.ncon > 0
    assert np.frombuffer(found, np.float64, 1)[0] == pytest.approx(d.contact.dist[0], abs=1e-9)


SWINGING = """
<mujoco>
  <option density="10" viscosity="1" wind="1 0 0"/>
  <worldbody>
    <geom type="plane" size="2 2 1" pos="0 0 -.3"/>
    <body>
      <joint name="a" axis="0 1 0" damping=".3"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <site name="s0" pos=".2 0 .1"/>
      <body pos=".4 0 0">
        <joint type="ball" damping=".1"/><geom type="ellipsoid" size=".1 .05 .2" fluidshape="ellipsoid"/><site name="s1" pos=".1 .1 0"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="t" damping="2" armature=".3"><site site="s0"/><site site="s1"/><pulley divisor="2"/><site site="s1"/><site site="s0"/></spatial>
    <fixed name="f" damping="1" armature=".1"><joint joint="a" coef="2"/></fixed>
  </tendon>
  <actuator><position joint="a" kp="10" kv="3"/><muscle tendon="t" lengthrange="0 1"/></actuator>
  <sensor><jointvel joint="a"/></sensor>
</mujoco>"""


def swinging(integrator):
    m = mujoco.MjModel.from_xml_string(SWINGING)
    m.opt.integrator = integrator
    d, our = mujoco.MjData(m), harness.ours(m)
    data = harness.Data(our)
    d.qvel[:], d.ctrl[:], d.act[:] = np.random.default_rng(0).normal(size=m.nv), [0.3, 0.5], 0.4
    state = harness.oracle_state(m, d)
    data.set_state(state)
    mujoco.mj_forward(m, d)
    harness.call("mj_forward", our, data)
    return m, d, our, data


@pytest.mark.parametrize("integrator", range(4))
@pytest.mark.parametrize("name", ["mjd_smooth_vel", "mjd_passive_vel", "mjd_actuator_vel", "mjd_smooth_velFD", "mjd_passive_velFD"])
def test_slopes(name, integrator):
    m, d, our, data = swinging(integrator)
    for extra in {"mjd_smooth_vel": ((0,), (1,)), "mjd_smooth_velFD": ((1e-6,),), "mjd_passive_velFD": ((1e-6,),)}.get(name, ((),)):
        d.qDeriv[:] = data.qDeriv[...] = 7
        values = [ctypes.c_double(x) if isinstance(x, float) else ctypes.c_int(x) for x in extra]
        getattr(THEIRS, name)(ctypes.c_void_p(m._address), ctypes.c_void_p(d._address), *values)
        harness.call(name, our, data, *values)
        harness.compare(name, data.qDeriv, d.qDeriv, rtol=1e-8 if name.endswith("FD") else 1e-12)
        harness.compare("qvel", data.qvel, d.qvel, rtol=0, atol=0)


def test_tendon_rates():
    m, d, our, data = swinging(0)
    for name, extra in (("mj_tendonBias", ()), ("mj_tendonDot", (0,)), ("mj_tendonDot", (1,))):
        mine, theirs = np.zeros(m.nv), np.zeros(m.nv)
        getattr(THEIRS, name)(ctypes.c_void_p(m._address), ctypes.c_void_p(d._address), *extra, ctypes.c_void_p(theirs.ctypes.data))
        harness.call(name, our, data, *extra, mine)
        harness.compare(name, mine, theirs)
        assert extra == (1,) or np.abs(theirs).max() > 1e-4


@pytest.mark.parametrize("integrator", range(4))
@pytest.mark.parametrize("skip", [(0, 0), (1, 0), (1, 1), (2, 1), (0, 1)])
def test_step_that_skips(integrator, skip):
    m, d, our, data = swinging(integrator)
    # factors that a step has made, for those that skip them
    mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    harness.call("mj_step", our, data)
    harness.call("mj_forward", our, data)
    d.ctrl[:] = data.ctrl[:] = 0.9
    for _ in range(2):
        THEIRS.mj_stepSkip(ctypes.c_void_p(m._address), ctypes.c_void_p(d._address), *skip)
        harness.call("mj_stepSkip", our, data, *skip)
    harness.compare_fields("qpos qvel act time qacc sensordata", data, d, rtol=1e-9)


def test_stack_that_is_left():
    m, d, our, data = swinging(0)
    THEIRS.mj_stackBytesAvailable.restype = ctypes.c_size_t
    theirs = THEIRS.mj_stackBytesAvailable(ctypes.c_void_p(d._address))
    mine = harness.call("mj_stackBytesAvailable", data, restype=ctypes.c_size_t)
    assert theirs == d.narena - d.parena - d.pstack and mine == data.narena - data.parena - data.pstack
