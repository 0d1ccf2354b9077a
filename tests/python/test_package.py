"""The package from outside: structs, arrays, names, copies, errors, callbacks."""

import copy
import gc
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import sinew

XML = """
<mujoco model="little">
  <compiler angle="radian"/>
  <option timestep="0.004" gravity="0 0 -9"/>
  <visual><global fovy="50"/></visual>
  <default><geom solref="0.01 1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <camera name="eye" pos="0 -1 1"/>
    <body name="box" pos="0 0 .2">
      <freejoint name="free"/>
      <geom name="cube" type="box" size=".1 .2 .3" mass="2"/>
      <site name="tip" pos="0 0 .3"/>
    </body>
    <body name="arm" pos="1 0 1">
      <joint name="shoulder" axis="0 1 0" range="-1 1" damping=".2"/>
      <geom name="rod" type="capsule" fromto="0 0 0 0 0 -.5" size=".04"/>
      <body name="hand" pos="0 0 -.5">
        <joint name="wrist" type="ball"/>
        <geom name="palm" size=".05"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="pull" joint="shoulder" gear="3"/>
    <general name="slow" joint="shoulder" dyntype="filter" dynprm=".1" gainprm="2"/>
  </actuator>
  <sensor><jointpos name="angle" joint="shoulder"/><framepos name="where" objtype="site" objname="tip"/></sensor>
  <custom><numeric name="three" data="1 2 3"/></custom>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 .5 1 0 0 0"/></keyframe>
</mujoco>
"""


@pytest.fixture
def model():
    return sinew.MjModel.from_xml_string(XML)


@pytest.fixture
def data(model):
    return sinew.MjData(model)


# ---- loading


def test_load_errors_say_where():
    with pytest.raises(ValueError, match="model.xml:2:18.*geom.*tpye"):
        sinew.MjModel.from_xml_string("<mujoco>\n<worldbody><geom tpye='box'/></worldbody></mujoco>")
    with pytest.raises(ValueError):
        sinew.MjModel.from_xml_path("/nowhere/at/all.xml")
    with pytest.raises(ValueError):
        sinew.MjModel.from_binary_path("/nowhere/at/all.mjb")
    with pytest.raises(TypeError):
        sinew.MjModel()


def test_assets(tmp_path):
    assets = {"part.xml": b"<mujoco><worldbody><geom name='a' size='1'/></worldbody></mujoco>", "model.xml": b"<mujoco/>"}
    included = sinew.MjModel.from_xml_string("<mujoco><include file='part.xml'/></mujoco>", assets)
    assert included.geom("a").size[0] == 1
    assert sinew.MjModel.from_xml_path("part.xml", assets=assets).ngeom == 1
    with pytest.raises(ValueError, match="Repeated"):
        sinew.MjModel.from_xml_string("<mujoco/>", {"x.xml": b"", "a/x.xml": b""})


def test_binary_round_trip(model, tmp_path):
    path = tmp_path / "model.mjb"
    sinew.mj_saveModel(model, str(path))
    again = sinew.MjModel.from_binary_path(str(path))
    np.testing.assert_array_equal(again.body_mass, model.body_mass)
    buffer = np.zeros(sinew.mj_sizeModel(model), np.uint8)
    sinew.mj_saveModel(model, None, buffer)
    assert buffer.tobytes() == path.read_bytes()


def test_save_last_xml(tmp_path):
    model = sinew.MjModel.from_xml_string(XML)
    path = tmp_path / "saved.xml"
    sinew.mj_saveLastXML(str(path), model)
    assert sinew.MjModel.from_xml_path(str(path)).nq == model.nq


# ---- structs and arrays


def test_shapes(model, data):
    assert data.qpos.shape == (model.nq,) and data.qpos.dtype == np.float64
    assert data.xpos.shape == (model.nbody, 3)
    assert data.xmat.shape == (model.nbody, 9)
    assert model.geom_rgba.dtype == np.float32 and model.geom_rgba.shape == (model.ngeom, 4)
    assert model.jnt_type.dtype == np.int32 and model.jnt_limited.dtype == np.uint8
    assert data.solver_niter.shape == (20,) and data.energy.shape == (2,)
    assert isinstance(model.names, bytes) and model.names.startswith(b"little\0")


def test_arrays_are_views_made_once(model, data):
    assert data.qpos is data.qpos and model.opt is model.opt
    data.qpos[2] = 7
    assert data.joint("free").qpos[2] == 7
    data.qpos = np.arange(model.nq)
    assert data.qpos[3] == 3
    data.ctrl = 0.5
    assert (data.ctrl == 0.5).all()
    with pytest.raises(ValueError):
        data.qpos = [1, 2]
    with pytest.raises(TypeError, match="timestep"):
        model.opt.timestep = "short"


def test_sizes_cannot_be_set(model, data):
    for thing, name in ((model, "nq"), (model, "nbody"), (data, "narena"), (sinew.MjvScene(model, 5), "maxgeom")):
        with pytest.raises(AttributeError, match=name):
            setattr(thing, name, 1000)


def test_counts_go_down(model, data):
    """Contacts and rows may be left out of the count, and none can be counted that is not there."""
    sinew._functions._realloc_con_efc(data, ncon=3, nefc=5, nJ=7)
    assert len(data.contact) == 3 and data.efc_J.shape == (7,) and data.efc_KBIP.shape == (5, 4)
    data.efc_force[:] = range(5)
    data.nl = 1000  # of five rows
    assert data.nl == 5
    for name in ("ncon", "nefc", "nJ"):
        with pytest.raises(ValueError, match=name):
            setattr(data, name, 1000)
    data.ncon, data.nefc, data.ne = 1, 4, 2
    assert len(data.contact) == 1 and data.efc_force.tolist() == [0, 1, 2, 3] and data.ne == 2
    with pytest.raises(sinew.FatalError, match="insufficient arena memory"):
        sinew._functions._realloc_con_efc(data, 100000000, 100000000)
    assert len(data.contact) == 0 and data.efc_id.shape == (0,)
    sinew.mj_step(model, data)


def test_shapes_of_matrices(model, data):
    """An array of two dimensions has the rows and columns that are asked for."""
    sinew.mj_jacBody(model, data, np.zeros((3, model.nv)), None, 1)
    with pytest.raises(TypeError, match="jacr: expected shape"):
        sinew.mj_jacBody(model, data, None, np.zeros((model.nv, 3)), 1)
    with pytest.raises(TypeError, match="res: expected shape"):
        sinew.mju_transpose(np.zeros((2, 3)), np.ones((2, 3)))


def test_array_keeps_its_memory(model):
    data = sinew.MjData(model)
    data.qpos[:] = 3
    qpos, option = data.qpos, model.opt
    del data, model
    gc.collect()
    assert (qpos == 3).all() and option.timestep == 0.004


def test_memory_is_given_back(model):
    resource = pytest.importorskip("resource")

    for _ in range(20):
        sinew.MjData(model).qpos
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(300):
        data = sinew.MjData(model)
        sinew.mj_step(model, data)
        data.qpos, data.contact, data.body("box").xpos, data.model
        copy.copy(data)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000  # KB


def test_scalars_and_nested(model):
    assert model.opt.timestep == 0.004 and model.opt.gravity[2] == -9
    model.opt.gravity = 0, 0, -1
    model.opt.iterations = 7
    assert model.opt.gravity[2] == -1 and model.opt.iterations == 7
    assert model.vis.global_.fovy == 50
    model.vis.global_.fovy = 30
    assert model.vis.global_.fovy == 30
    with pytest.raises(OverflowError):
        model.opt.iterations = 1 << 40
    fresh = sinew.MjOption()
    assert fresh.timestep == 0.002
    model.opt = fresh
    assert model.opt == fresh and model.opt.timestep == 0.002


def test_struct_equality_copy_repr():
    for cls in (sinew.MjOption, sinew.MjStatistic, sinew.MjVisual, sinew.MjvCamera, sinew.MjvOption, sinew.MjvPerturb,
                sinew.MjLROpt, sinew.MjContact, sinew.MjvGeom, sinew.MjvLight, sinew.MjvGLCamera, sinew.MjWarningStat):
        a, b = cls(), cls()
        assert a == b and not a != b and a != 3
        assert copy.copy(a) == a and copy.deepcopy(a) is not a
        assert cls.__name__ in repr(a)
        with pytest.raises(TypeError):
            hash(a)
    option = sinew.MjOption()
    other = copy.copy(option)
    other.gravity[0] = 1
    assert option != other
    assert "gravity: array([ 1." in repr(other)
    figure = sinew.MjvFigure()
    figure.title = "Energie für alle"
    assert figure.title == "Energie für alle" and len(figure.linename) == sinew.mjMAXLINE
    figure.linename[2] = "qvel"
    assert figure.linename[2] == b"qvel"
    with pytest.raises(ValueError, match="room"):
        figure.xlabel = "x" * 200


# ---- named access


def test_named(model, data):
    sinew.mj_forward(model, data)
    assert model.body("box").id == model.geom("cube").bodyid[0] == 1
    assert model.body(1).name == "box" and model.body(name="arm").id == 2
    np.testing.assert_array_equal(data.body("arm").xpos, [1, 0, 1])
    np.testing.assert_array_equal(model.joint("shoulder").range, [-1, 1])
    assert data.joint("free").qpos.shape == (7,) and data.joint("free").cdof.shape == (6, 6)
    assert data.joint("wrist").qvel.shape == (3,) and model.joint("wrist").damping.shape == (3,)
    assert data.jnt("wrist").qpos.shape == (4,) and data.cam("eye").xpos.shape == (3,)
    data.actuator("pull").ctrl = 2
    assert data.ctrl[0] == 2
    model.geom("palm").rgba = 1, 0, 0, 1
    np.testing.assert_array_equal(model.geom_rgba[model.geom("palm").id], [1, 0, 0, 1])
    assert model.geom("cube").solref[0] == 0.01
    np.testing.assert_array_equal(data.sensor("where").data, data.site("tip").xpos)
    np.testing.assert_array_equal(model.numeric("three").data, [1, 2, 3])
    assert model.key("home").qpos[7] == 0.5 and model.keyframe(0).name == "home"
    assert data.actuator("slow").act.shape == (1,) and data.actuator("pull").act.shape == (0,)
    assert "xpos" in repr(data.body("arm")) and "xpos" in dir(data.body("arm"))


def test_named_views_are_made_once(model):
    data = sinew.MjData(model)
    assert data.body("arm") is data.body("arm") is data.body(2)
    assert data.body("arm").xpos is data.body("arm").xpos and data.body("arm") is not data.body("box")
    assert model.body("arm") is not data.body("arm")
    view = data.joint("free")
    del data
    gc.collect()
    view.qpos[:] = 4
    assert (view.qpos == 4).all() and view.name == "free"


def test_named_errors(model, data):
    with pytest.raises(KeyError, match="'nobody'.*'arm', 'box', 'hand', 'world'"):
        model.body("nobody")
    with pytest.raises(KeyError, match="''"):
        data.joint()
    with pytest.raises(IndexError, match="4.*0 to 3"):
        model.body(4)
    with pytest.raises(IndexError):
        data.geom(-1)
    with pytest.raises(AttributeError):
        model.body("box").colour
    with pytest.raises(AttributeError):
        model.body("box").colour = 3
    with pytest.raises(TypeError):
        model.body("box", "arm")


# ---- stepping


def test_step(model, data):
    sinew.mj_step(model, data)
    sinew.mj_step(model, data, 4)
    sinew.mj_step(model, data, nstep=5)
    assert data.time == pytest.approx(10 * 0.004)
    one = sinew.MjData(model)
    for _ in range(10):
        sinew.mj_step(m=model, d=one)
    np.testing.assert_array_equal(one.qpos, data.qpos)


def test_contacts(model, data):
    sinew.mj_forward(model, data)
    assert data.ncon == len(data.contact) > 0
    first = data.contact[0]
    assert isinstance(first, sinew.MjContact) and first == data.contact[-data.ncon]
    assert data.contact.dist.shape == (data.ncon,) and data.contact.frame.shape == (data.ncon, 9)
    np.testing.assert_array_equal(data.contact.pos, [c.pos for c in data.contact])
    assert data.efc_force.shape == (data.nefc,)
    data.contact[0].friction[0] = 9
    assert data.contact.friction[0, 0] == 9
    assert len(data.contact[1:]) == data.ncon - 1
    with pytest.raises(IndexError):
        data.contact[data.ncon]
    contacts, kept = data.contact, copy.copy(data.contact[0])
    assert kept == data.contact[0]
    data.qpos[2] = 5
    sinew.mj_forward(model, data)
    assert len(data.contact) == data.ncon == 0 and data.contact.pos.shape == (0, 3)
    assert len(contacts) == 0  # the list goes with its data
    assert kept.friction[0] == 9
    assert data.warning[0].number == 0 and data.warning.number.shape == (8,)
    assert data.timer[sinew.mjtTimer.mjTIMER_STEP].number >= 0
    assert data.solver.improvement.shape == (4000,)


def test_many_contacts_do_not_harm_arrays_taken_before():
    """The arena of a data may move: what was taken from it stays readable."""
    body = "".join(f"<body pos='{i % 10} {i // 10} .05'><freejoint/><geom type='box' size='.1 .1 .1'/></body>" for i in range(100))
    model = sinew.MjModel.from_xml_string(f"<mujoco><size memory='20K'/><worldbody><geom type='plane' size='1 1 1'/>{body}</worldbody></mujoco>")
    data = sinew.MjData(model)
    data.qpos[2::7] = 5
    data.qpos[2] = 0.05
    sinew.mj_forward(model, data)
    forces, contact = data.efc_force, data.contact[0]
    data.qpos[2::7] = 0.05
    sinew.mj_forward(model, data)
    assert data.ncon == 400
    assert np.isfinite(forces.sum()) and np.isfinite(contact.dist)


def test_state(model, data):
    spec = sinew.mjtState.mjSTATE_INTEGRATION
    state = np.zeros(sinew.mj_stateSize(model, spec))
    sinew.mj_step(model, data, 3)
    sinew.mj_getState(model, data, state, spec)
    other = sinew.MjData(model)
    sinew.mj_setState(model, other, state, spec)
    sinew.mj_step(model, data)
    sinew.mj_step(model, other)
    np.testing.assert_array_equal(other.qpos, data.qpos)
    with pytest.raises(TypeError, match="state size should equal"):
        sinew.mj_getState(model, data, state[:-1], spec)


def test_keyframe(model, data):
    sinew.mj_resetDataKeyframe(model, data, 0)
    assert data.qpos[2] == 1 and data.joint("shoulder").qpos[0] == 0.5


# ---- copies


def test_copy_model(model):
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other is not model and other._address != model._address
        other.body_mass[1] = 99
        assert model.body_mass[1] != 99
        assert other.body("arm").id == 2
        np.testing.assert_array_equal(other.geom_size, model.geom_size)


def test_copy_data(model, data):
    sinew.mj_step(model, data, 5)
    shared = copy.copy(data)
    assert shared.model is data.model is model
    for other in (shared, copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert other.time == data.time and other.ncon == data.ncon > 0
        for name in ("qpos", "qvel", "xpos", "efc_J", "efc_force", "sensordata", "qLD"):
            np.testing.assert_array_equal(getattr(other, name), getattr(data, name))
        np.testing.assert_array_equal(other.contact.dist, data.contact.dist)
    again = pickle.loads(pickle.dumps(data))
    for _ in range(10):
        sinew.mj_step(model, data)
        sinew.mj_step(again.model, again)
    np.testing.assert_array_equal(again.qpos, data.qpos)
    with pytest.raises(ValueError):
        sinew.MjData._from_bytes(model, b"nonsense")


# ---- functions


def test_arguments():
    res, vec = np.zeros(3), np.arange(3.0)
    sinew.mju_add(res, vec, vec)
    np.testing.assert_array_equal(res, [0, 2, 4])
    sinew.mju_addScl(res=res, vec1=vec, vec2=[1, 1, 1], scl=2)
    np.testing.assert_array_equal(res, [2, 3, 4])
    assert sinew.mju_dot(vec[::-1], (1, 0, 0)) == 2
    for bad in (
        lambda: sinew.mju_add(np.zeros(4), vec, vec),
        lambda: sinew.mju_add(np.zeros(3, np.float32), vec, vec),
        lambda: sinew.mju_add(np.zeros(6)[::2], vec, vec),
        lambda: sinew.mju_add([0, 0, 0], vec, vec),
        lambda: sinew.mju_add(res, vec),
        lambda: sinew.mju_add(res, vec, vec, vec),
        lambda: sinew.mju_add(res, vec, vec3=vec),
        lambda: sinew.mju_add(res, vec, "abc"),
        lambda: sinew.mju_rotVecQuat(res, vec, np.zeros(3)),
        lambda: sinew.mj_step(vec, res),
        lambda: sinew.mju_fill(res, "x"),
    ):
        with pytest.raises(TypeError, match="mj[u_]"):
            bad()
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="res.*writable"):
        sinew.mju_zero(frozen)


def test_matrices():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    out = np.zeros((2, 4))
    sinew.mju_mulMatMat(out, a, b)
    np.testing.assert_allclose(out, a @ b)
    res = np.zeros(3)
    sinew.mju_mulMatTVec(res, a, [1, 2])
    np.testing.assert_allclose(res, a.T @ [1, 2])
    h = np.array([[2.0, 1], [1, 3]])
    factor = h.copy()
    assert sinew.mju_cholFactor(factor, 1e-10) == 2
    x = np.zeros(2)
    sinew.mju_cholSolve(x, factor, [1, 2])
    np.testing.assert_allclose(h @ x, [1, 2])
    rownnz, rowadr, colind, values = np.zeros(2, np.int32), np.zeros(2, np.int32), np.zeros(3, np.int32), np.zeros(3)
    sinew.mju_dense2sparse(values, np.array([[1.0, 0], [2, 3]]), rownnz, rowadr, colind)
    dense = np.zeros((2, 2))
    sinew.mju_sparse2dense(dense, values, rownnz, rowadr, colind)
    np.testing.assert_array_equal(dense, [[1, 0], [2, 3]])


def test_jacobians(model, data):
    sinew.mj_forward(model, data)
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    sinew.mj_jacSite(model, data, jacp, jacr, model.site("tip").id)
    sinew.mj_jacSite(model, data, None, jacr, model.site("tip").id)
    np.testing.assert_array_equal(jacp[:, :3], np.eye(3))
    with pytest.raises(TypeError, match="jacp"):
        sinew.mj_jacSite(model, data, np.zeros((3, 2)), None, 0)
    n = 2 * model.nv + model.na
    a, b = np.zeros((n, n)), np.zeros((n, model.nu))
    sinew.mjd_transitionFD(model, data, 1e-6, True, a, b, None, None)
    assert np.isfinite(a).all() and abs(b).max() > 0


def test_names_and_ids(model):
    assert sinew.mj_name2id(model, sinew.mjtObj.mjOBJ_GEOM, "palm") == model.geom("palm").id
    assert sinew.mj_id2name(model, sinew.mjtObj.mjOBJ_BODY, 1) == "box"
    assert sinew.mj_id2name(model, sinew.mjtObj.mjOBJ_BODY, 77) is None
    assert sinew.mj_versionString() == "3.3.4" == sinew.__version__ and sinew.mj_version() == sinew.mjVERSION_HEADER


def test_docstrings():
    assert sinew.mj_step.__doc__.startswith("mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None")
    undocumented = [n for n in dir(sinew) if n.startswith(("mj_", "mju_", "mjv_", "mjd_")) and "\n\n" not in getattr(sinew, n).__doc__]
    assert not undocumented


def test_fatal_error_leaves_all_usable(model, data):
    for _ in range(3):
        with pytest.raises(sinew.FatalError, match="mj_setKeyframe"):
            sinew.mj_setKeyframe(model, data, 9)
        with pytest.raises(sinew.FatalError):
            sinew.mju_euler2Quat(np.zeros(4), np.zeros(3), "abc")
    sinew.mj_step(model, data)


def test_ray(model, data):
    sinew.mj_forward(model, data)
    geomid = np.zeros(1, np.int32)
    assert sinew.mj_ray(model, data, [1.5, 1.5, 3], [0, 0, -1], None, 1, -1, geomid) == 3
    assert geomid[0] == model.geom("floor").id
    vectors, ids, dist = np.array([0, 0, -1.0, 0, 0, 1]), np.zeros(2, np.int32), np.zeros(2)
    sinew.mj_multiRay(model, data, [1.5, 1.5, 3], vectors, None, 1, -1, ids, dist, 2, sinew.mjMAXVAL)
    np.testing.assert_array_equal(dist, [3, -1])


# ---- enums and constants


def test_enums():
    hinge = sinew.mjtJoint.mjJNT_HINGE
    assert hinge == 3 and hinge.value == 3 and hinge.name == "mjJNT_HINGE" and int(hinge) == 3
    assert sinew.mjtJoint(3) is hinge and str(hinge) == "mjtJoint.mjJNT_HINGE"
    assert repr(hinge) == "<mjtJoint.mjJNT_HINGE: 3>"
    assert "abcd"[hinge] == "d" and hinge / 2 == 1.5 and hinge | 4 == 7 and -hinge == -3 and 1 << hinge == 8
    assert {hinge: "x"}[3] == "x"
    with pytest.raises(ValueError):
        sinew.mjtJoint(1000)
    assert pickle.loads(pickle.dumps(hinge)) is hinge


def test_constants():
    assert sinew.mjMAXVAL == 1e10 and sinew.mjNREF == 2 and sinew.mjPI == np.pi
    assert sinew.mjDISABLESTRING[0] == "Constraint" and len(sinew.mjVISSTRING[0]) == 3


# ---- callbacks


def test_control_callback(model, data):
    seen = []

    def control(m, d):
        assert m is model and d is data
        seen.append((m.nq, d.time))
        d.ctrl[0] = 1

    sinew.set_mjcb_control(control)
    try:
        assert sinew.get_mjcb_control() is control
        sinew.mj_step(model, data)
    finally:
        sinew.set_mjcb_control(None)
    assert seen == [(model.nq, 0)] and data.ctrl[0] == 1 and sinew.get_mjcb_control() is None
    before = sys.getrefcount(model)
    sinew.mj_step(model, data)
    assert sys.getrefcount(model) == before


def test_callback_errors_come_out(model, data):
    class Mine(Exception):
        pass

    def fail(*args):
        raise Mine("here")

    for setter in (sinew.set_mjcb_control, sinew.set_mjcb_passive, sinew.set_mjcb_time):
        setter(fail)
        try:
            with pytest.raises(Mine, match="here"):
                sinew.mj_step(model, data)
        finally:
            setter(None)
        sinew.mj_resetData(model, data)
        sinew.mj_step(model, data)
    sinew.set_mjcb_time(lambda: "late")
    try:
        with pytest.raises(TypeError, match="mjcb_time"):
            sinew.mj_step(model, data)
    finally:
        sinew.set_mjcb_time(None)
    with pytest.raises(TypeError):
        sinew.set_mjcb_control(3.5)


# ---- scenes


def test_scene(model, data):
    sinew.mj_forward(model, data)
    scene = sinew.MjvScene(model, maxgeom=50)
    camera, option, perturb = sinew.MjvCamera(), sinew.MjvOption(), sinew.MjvPerturb()
    sinew.mjv_updateScene(model, data, option, None, camera, sinew.mjtCatBit.mjCAT_ALL, scene)
    assert scene.ngeom == model.ngeom + model.nsite and scene.maxgeom == 50 == len(scene.geoms)
    scene.ngeom += 1
    sinew.mjv_initGeom(scene.geoms[scene.ngeom - 1], sinew.mjtGeom.mjGEOM_SPHERE, [0.1, 0, 0], [1, 2, 3], np.eye(3).ravel(), [1, 0, 0, 1])
    np.testing.assert_array_equal(scene.geoms.pos[scene.ngeom - 1], [1, 2, 3])
    sinew.mjv_updateScene(model, data, option, perturb, camera, sinew.mjtCatBit.mjCAT_STATIC, scene)
    assert scene.ngeom == 1
    assert sinew.MjvScene().ngeom == 0


def test_classes_can_be_extended(model):
    class Scene(sinew.MjvScene):
        def __init__(self, model, most_geoms):
            super().__init__(model, most_geoms)

    class Rectangle(sinew.MjrRect):
        def __init__(self, side):
            super().__init__(0, 0, side, side)

    assert Scene(model, most_geoms=7).maxgeom == 7
    assert Rectangle(3).width == 3
    with pytest.raises(TypeError, match="takes no arguments"):
        sinew.MjvOption(3)


def test_copy_of_a_scene(model, data):
    """A copy has geoms, flexes and skins of its own."""
    flexes = sinew.MjModel.from_xml_string(
        "<mujoco><worldbody><flexcomp name='sheet' type='grid' count='3 3 1' dim='2' spacing='.1 .1 .1' mass='1'/>"
        "<flexcomp name='rope' type='grid' count='4 1 1' dim='1' spacing='.1 .1 .1' mass='1'/></worldbody></mujoco>"
    )
    for m in (model, flexes):
        d = sinew.MjData(m)
        sinew.mj_forward(m, d)
        scene = sinew.MjvScene(m, 30)
        sinew.mjv_updateScene(m, d, sinew.MjvOption(), None, sinew.MjvCamera(), int(sinew.mjtCatBit.mjCAT_ALL), scene)
        for same in (copy.copy(scene), copy.deepcopy(scene)):
            assert same.ngeom == scene.ngeom and same.maxgeom == 30 and len(same.geoms) == len(scene.geoms)
            for name in ("flexvert", "flexface", "flexnormal", "flexedge", "flextexcoord", "skinvert"):
                assert np.array_equal(getattr(same, name), getattr(scene, name)), name
            assert [g.pos.tolist() for g in same.geoms] == [g.pos.tolist() for g in scene.geoms]
            before = scene.geoms[0].pos[0]
            same.geoms[0].pos[0] = before + 9
            assert scene.geoms[0].pos[0] == before
            sinew.mjv_updateScene(m, d, sinew.MjvOption(), None, sinew.MjvCamera(), int(sinew.mjtCatBit.mjCAT_ALL), same)
            assert same.geoms[0].pos[0] == before
    assert scene.flexface.size == 9 * scene.flexfacenum.sum() > 0
    assert copy.copy(sinew.MjvScene()).maxgeom == 0


def test_absent_says_its_name():
    with pytest.raises(AttributeError):
        sinew.nothing_of_the_kind


# ---- threads


def test_other_threads_run_during_a_step(model):
    data = sinew.MjData(model)
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        before = ticks[0]
        sinew.mj_step(model, data, 20000)
        during = ticks[0] - before
    finally:
        stop.set()
        thread.join()
    assert during > 100


def test_install_as_mujoco():
    program = (
        "import sinew; sinew.install_as_mujoco(); import mujoco; from mujoco import mjtObj; from mujoco.rollout import rollout;"
        "assert mujoco is sinew; m = mujoco.MjModel.from_xml_string('<mujoco/>'); mujoco.mj_step(m, mujoco.MjData(m))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_mjx_of_a_released_package(tmp_path):
    """Python over the names of the package, found where the released one is installed."""
    folder = tmp_path / "mujoco" / "mjx"
    folder.mkdir(parents=True)
    for part in ("usd", "introspect"):
        (folder.parent / part).mkdir()
        (folder.parent / part / "__init__.py").write_text("import mujoco\n\nversion = mujoco.__version__\n")
    (folder.parent / "_rollout.py").write_text("raise ImportError('not this one')\n")
    (folder.parent / "__init__.py").write_text("raise ImportError('not this one')\n")
    (folder / "__init__.py").write_text("import mujoco\nfrom mujoco.mjx._src import dofs\n")
    (folder / "_src.py").write_text("import mujoco\n\n\ndef dofs(m: mujoco.MjModel, c: mujoco._structs._MjContactList):\n    return m.nv\n")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import sinew; sinew.install_as_mujoco(); import mujoco;"
        "from mujoco import mjx; m = mujoco.MjModel.from_xml_string('<mujoco/>'); assert mjx.dofs(m, mujoco.MjData(m).contact) == 0;"
        "from mujoco import usd; import mujoco.introspect; assert usd.version == mujoco.introspect.version == '3.3.4';"
        "import importlib.util; assert importlib.util.find_spec('mujoco._rollout') is None"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
