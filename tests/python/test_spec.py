"""Models made and changed in Python."""

import copy

import numpy as np
import pytest

import sinew


def arm():
    spec = sinew.MjSpec()
    spec.modelname = "arm"
    spec.option.timestep = 0.001
    spec.worldbody.add_geom(name="floor", type=sinew.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    body = spec.worldbody.add_body(name="upper", pos=[0, 0, 1])
    body.add_joint(name="shoulder", axis=[0, 1, 0], damping=0.1)
    body.add_geom(name="rod", type=sinew.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, 0, 0.5, 0, 0], size=[0.05, 0, 0])
    body.add_site(name="tip", pos=[0.5, 0, 0])
    motor = spec.add_actuator(name="motor", target="shoulder", trntype=sinew.mjtTrn.mjTRN_JOINT)
    motor.set_to_position(kp=20, kv=2)
    spec.add_sensor(name="where", type=sinew.mjtSensor.mjSENS_FRAMEPOS, objtype=sinew.mjtObj.mjOBJ_SITE, objname="tip")
    spec.add_key(name="up", qpos=[0.5])
    return spec


def test_compile():
    model = arm().compile()
    assert (model.nbody, model.nv, model.nu, model.nkey) == (2, 1, 1, 1)
    assert model.opt.timestep == 0.001 and model.actuator("motor").gainprm[0] == 20
    assert model.key("up").qpos[0] == 0.5
    data = sinew.MjData(model)
    sinew.mj_forward(model, data)
    np.testing.assert_allclose(data.sensor("where").data, [0.5, 0, 1])


def test_same_as_text():
    spec = arm()
    model = spec.compile()
    text = spec.to_xml()
    again = sinew.MjModel.from_xml_string(text)
    for name in ("body_mass", "geom_size", "actuator_biasprm", "sensor_type", "key_qpos"):
        np.testing.assert_allclose(getattr(again, name), getattr(model, name), rtol=1e-5)
    read = sinew.MjSpec.from_string(text)
    assert read.modelname == "arm" and [g.name for g in read.geoms] == ["floor", "rod"]
    assert read.compile().nv == 1


def test_find_and_change():
    spec = arm()
    assert spec.body("upper").name == "upper" and spec.geom("nobody") is None
    rod = spec.geom("rod")
    assert rod.parent.name == "upper" and rod == spec.body("upper").first_geom()
    rod.name = "bone"
    rod.rgba = 1, 0, 0, 1
    rod.userdata = [1, 2]
    spec.nuser_geom = 2
    model = spec.compile()
    np.testing.assert_array_equal(model.geom("bone").rgba, [1, 0, 0, 1])
    np.testing.assert_array_equal(model.geom("bone").user, [1, 2])
    np.testing.assert_array_equal(rod.userdata, [1, 2])
    rod.userdata[0] = 5
    np.testing.assert_array_equal(spec.compile().geom("bone").user, [5, 2])
    assert [b.name for b in spec.bodies] == ["world", "upper"]
    assert len(spec.worldbody.find_all("geom")) == 2 and len(spec.worldbody.geoms) == 1
    spec.delete(spec.site("tip"))
    spec.delete(spec.sensors[0])
    assert spec.compile().nsite == 0
    site = spec.body("upper").add_site(name="gone")
    spec.delete(site)
    with pytest.raises(ValueError, match="deleted"):
        site.pos


def test_mistakes():
    spec = sinew.MjSpec()
    spec.worldbody.add_body(name="a").add_joint()
    with pytest.raises(ValueError):
        spec.compile()
    with pytest.raises(TypeError, match="Invalid colour keyword argument. Valid options are: name, type"):
        spec.worldbody.add_geom(colour=3)
    assert spec.geoms == []
    with pytest.raises(ValueError):
        sinew.MjSpec.from_string("<mujoco><oops/></mujoco>")
    with pytest.raises(TypeError):
        sinew.MjsGeom()
    with pytest.raises(ValueError, match="pos should be a list/array of size 3."):
        spec.worldbody.add_geom(pos=[1, 2])
    with pytest.raises(ValueError, match="type is the wrong type."):
        spec.worldbody.add_geom(type="box")
    with pytest.raises(ValueError, match="Only one of"):
        spec.worldbody.add_geom(euler=[1, 2, 3], zaxis=[0, 0, 1])
    with pytest.raises(ValueError, match="repeated name"):
        spec.worldbody.add_body(name="a")


def test_enums_and_strings():
    """Numbers with names are read as members of their enums; strings are asked for as such."""
    spec = sinew.MjSpec()
    body = spec.worldbody.add_body()
    geom, joint, motor = body.add_geom(type=6), body.add_joint(), spec.add_actuator(trntype=0)
    assert (geom.type, joint.type, motor.trntype) == (sinew.mjtGeom.mjGEOM_BOX, sinew.mjtJoint.mjJNT_HINGE, sinew.mjtTrn.mjTRN_JOINT)
    assert [field.name for field in (geom.type, joint.type, motor.trntype)] == ["mjGEOM_BOX", "mjJNT_HINGE", "mjTRN_JOINT"]
    assert geom.alt.type is sinew.mjtOrientation.mjORIENTATION_QUAT and spec.default.geom.type.name == "mjGEOM_SPHERE"
    geom.type = 77  # no member: compiling says so
    assert geom.type == 77
    with pytest.raises(ValueError, match="geom"):
        spec.compile()
    for call in (body.add_geom, spec.add_text):
        with pytest.raises(ValueError, match="name should be a string."):
            call(name=5)
    for owner, field in ((geom, "name"), (geom, "material"), (spec, "modelname")):
        with pytest.raises(TypeError, match=f"{field}: expected a string, found 5"):
            setattr(owner, field, 5)
    tendon = spec.add_tendon()
    assert tendon.default() is tendon.classname


def test_defaults():
    spec = sinew.MjSpec()
    spec.default.geom.rgba = 0, 1, 0, 1
    small = spec.add_default("small", spec.default)
    small.geom.size = 0.01, 0, 0
    spec.worldbody.add_geom(small, name="g")
    spec.worldbody.add_geom(name="h", size=[1, 0, 0])
    model = spec.compile()
    assert model.geom("g").size[0] == 0.01
    np.testing.assert_array_equal(model.geom("h").rgba, [0, 1, 0, 1])
    assert spec.find_default("small").name == "small" and spec.find_default("large") is None


def test_copy_attach():
    parent, child = sinew.MjSpec(), arm()
    frame = parent.worldbody.add_frame(pos=[1, 0, 0])
    parent.attach(child, prefix="left_", frame=frame)
    model = parent.compile()
    assert model.body("left_upper").pos[0] == 1
    one = arm()
    two = copy.deepcopy(one)
    two.geom("rod").name = "other"
    assert one.geom("rod") is not None and two.geom("rod") is None


def test_recompile():
    spec = arm()
    model = spec.compile()
    data = sinew.MjData(model)
    data.qpos[0] = 0.3
    spec.worldbody.add_body(name="more").add_geom(size=[0.1, 0, 0])
    model2, data2 = spec.recompile(model, data)
    assert model2.nbody == 3 and data2.qpos[0] == 0.3 and data2.xpos.shape == (3, 3) and model.nbody == 2
    sinew.mj_step(model2, data2)
    sinew.mj_step(model, data)


def test_assets_and_mesh():
    spec = sinew.MjSpec.from_string("<mujoco><asset><mesh name='m' file='m.obj'/></asset></mujoco>",
                                    assets={"m.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"})
    spec.worldbody.add_geom(type=sinew.mjtGeom.mjGEOM_MESH, meshname="m")
    assert spec.compile().nmeshvert == 4
    other = sinew.MjSpec()
    mesh = other.add_mesh(name="t", uservert=[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    assert mesh.uservert.dtype == np.float32
    other.worldbody.add_geom(type=sinew.mjtGeom.mjGEOM_MESH, meshname="t")
    assert other.compile().nmesh == 1


def test_tendon():
    spec = arm()
    tendon = spec.add_tendon(name="t")
    tendon.wrap_joint("shoulder", 2)
    assert spec.compile().ntendon == 1


def test_one_object_for_an_element():
    spec = arm()
    upper = spec.body("upper")
    assert spec.body("upper") is upper and upper.geoms[0].parent is upper
    frame = spec.worldbody.add_frame()
    geom = spec.worldbody.add_geom(size=[1, 0, 0])
    geom.set_frame(frame)
    assert geom.frame is frame


def test_deleted_elements():
    """Objects and arrays over what was deleted can be held and say what happened; nothing is freed under them."""
    spec = arm()
    body = spec.worldbody.add_body(name="b")
    inner = body.add_body(name="i")
    geom, pos, alt, plugin = inner.add_geom(size=[1, 0, 0]), inner.pos, inner.alt, inner.plugin
    tendon = spec.add_tendon(name="t")
    texts = spec.add_material(name="m").textures
    spec.delete(body)
    spec.delete(spec.material("m"))
    for element in (body, inner, geom):
        with pytest.raises(ValueError, match="was deleted"):
            element.name
        with pytest.raises(ValueError, match="was deleted"):
            element.info = "x"
        with pytest.raises(ValueError, match="was deleted"):
            spec.delete(element)
        repr(element)
    assert len(texts) == 0
    pos[:] = 3
    assert alt.euler.shape == (3,) and plugin.plugin_name == ""
    with pytest.raises(ValueError, match="was deleted"):
        body.add_geom()
    frame = spec.worldbody.add_body(name="f").to_frame()
    del spec
    assert frame.name == "" and tendon.name == "t"
    assert pos[0] == 3


def test_attached_elements_outlive_both_specs():
    parent, child = sinew.MjSpec(), sinew.MjSpec()
    body = child.worldbody.add_body(name="b")
    geom = body.add_geom(name="g", size=[1, 0, 0])
    assert parent.worldbody.add_frame().attach_body(body, prefix="x-") is body
    assert body.name == "x-b" and geom.name == "x-g" and parent.geom("x-g") is geom
    del parent, child
    assert geom.size[0] == 1 and body.pos.shape == (3,)


def test_bind():
    spec = arm()
    model = spec.compile()
    data = sinew.MjData(model)
    joint, body = spec.joint("shoulder"), spec.body("upper")
    data.qpos[0] = 0.5
    assert data.bind(joint).qpos[0] == 0.5 and model.bind(body).id == model.body("upper").id
    both = data.bind([body, spec.worldbody])
    np.testing.assert_array_equal(both.xpos, np.concatenate([data.body("upper").xpos, data.body("world").xpos]))
    both.xpos = 2
    assert data.body("upper").xpos[1] == 2
    assert data.bind([]).qpos.shape == (0,)
    with pytest.raises(AttributeError):
        both.nothing
    with pytest.raises(TypeError):
        model.bind(None)
    added = spec.worldbody.add_geom(size=[1, 0, 0])
    for element in (added, joint):
        with pytest.raises(ValueError, match="does not match"):
            model.bind(element)


def test_vectors():
    spec = sinew.MjSpec()
    material = spec.add_material(name="m")
    material.textures[1] = "t"
    assert list(material.textures)[:2] == ["", "t"] and material.textures[1] == "t"
    with pytest.raises(IndexError):
        material.textures[-1] = "t"
    spec.compiler.eulerseq[0] = "z"
    assert spec.compiler.eulerseq == "zyz" and list(spec.compiler.eulerseq) == ["z", "y", "z"]
    texture = spec.add_texture(data=b"abc")
    texture.data[0] = 120
    assert texture.data == b"xbc" and len(texture.data) == 3
    skin = spec.add_skin(vertid=[[1, 2], [3]])
    assert skin.vertid == [[1, 2], [3]]
    plugin = spec.add_plugin(name="p", plugin_name="q")
    plugin.config = {"b": "2", "a": "1"}
    assert plugin.config == {"a": "1", "b": "2"}
    spec.override_assets = False
    spec.assets = {"f": b"1"}
    child = sinew.MjSpec()
    child.assets = {"f": b"2"}
    with pytest.raises(ValueError, match="Asset f already exists"):
        spec.attach(child, frame=spec.worldbody.add_frame())
