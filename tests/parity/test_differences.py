"""Entries of docs/differences.md that no other test shows: what each engine does, side by side."""

import struct
import zlib

import compiled
import harness
import mujoco
import numpy as np
import pytest

from harness import Data, call, load_ours, oracle_set, oracle_state, ours


def forward(xml, seed=None, size=0.0):
    """Both engines at the first state of a model, or at one near it."""
    m = mujoco.MjModel.from_xml_string(xml)
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    if seed is not None:
        d.qpos[:] += np.random.default_rng(seed).uniform(-size, size, m.nq)
    state = oracle_state(m, d)
    oracle_set(m, d, state)
    data.set_state(state)
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    return data, d


def test_height_fields_keep_all_contacts():
    checks = " ".join("01"[(i + j) % 2] for i in range(30) for j in range(30))
    data, d = forward(f"""
    <mujoco>
      <asset><hfield name="h" nrow="30" ncol="30" size="1 1 .1 .1" elevation="{checks}"/></asset>
      <worldbody>
        <geom type="hfield" hfield="h"/>
        <body pos="0 0 .15"><freejoint/><geom type="box" size=".6 .6 .1"/></body>
      </worldbody>
    </mujoco>""")
    assert d.ncon == 50
    assert data.ncon > 17 * 17  # cells below the box
    assert np.asarray(data.contact["dist"]).max() <= 0


def test_edges_of_a_vertex():
    """The lower end of an edge is the second vertex of the mesh: the released engine misses the edge."""
    vertex = " ".join(f"{x} {y} {z}" for y, z in ((0, -0.1), (-0.1, 0.1), (0.1, 0.1)) for x in (-0.2, 0.2))
    data, d = forward(f"""
    <mujoco>
      <option><flag multiccd="enable"/></option>
      <asset><mesh name="wedge" vertex="{vertex}"/></asset>
      <worldbody>
        <geom type="box" size=".5 .5 .5"/>
        <body pos="0 0 .599"><freejoint/><geom type="mesh" mesh="wedge" euler="0 .05 0"/></body>
      </worldbody>
    </mujoco>""")
    assert (data.ncon, d.ncon) == (2, 1)
    assert np.allclose(np.sort(np.asarray(data.contact["pos"])[:, 0]), [-0.2, 0.2], atol=1e-3)


def test_volumes_gone_through_are_not_marked_by_steps():
    """The contacts are those that the trees lead to. Drawing makes the marks: test_marks.py."""
    balls = "".join(f'<geom size=".1" pos="0 {y} 0"/>' for y in (0, 1, 2))
    data, d = forward(f"""
    <mujoco>
      <worldbody><body>{balls}</body><body pos=".19 0 0"><freejoint/>{balls}</body></worldbody>
    </mujoco>""")
    assert data.ncon == d.ncon == 3
    assert d.bvh_active.all() and not np.any(data.bvh_active)


def test_cable_of_three_points(tmp_path):
    xml = """
    <mujoco><worldbody><composite type="cable" vertex="0 0 0 .1 0 0 .2 0 0">
      <joint kind="main"/><geom type="capsule" size=".01"/></composite></worldbody></mujoco>"""
    with pytest.raises(ValueError, match="not found in bodypair"):
        mujoco.MjModel.from_xml_string(xml)
    path = tmp_path / "cable.xml"
    path.write_text(xml)
    assert load_ours(path).nbody == 3


def test_fused_bodies_leave_no_nodes(tmp_path):
    xml = """
    <mujoco>
      <compiler fusestatic="true"/>
      <worldbody>
        <geom size=".1"/>
        <body pos="0 0 1">
          <geom size=".1"/><geom size=".1" pos="1 0 0"/>
          <body pos="0 1 0"><joint/><geom size=".1"/></body>
        </body>
        <flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" radius=".02" mass="1"/>
      </worldbody>
    </mujoco>"""
    path = tmp_path / "fused.xml"
    path.write_text(xml)
    theirs, mine = mujoco.MjModel.from_xml_string(xml), load_ours(path)
    used = int(sum(mine.body_bvhnum)) + int(sum(mine.flex_bvhnum))
    assert mine.nbvh == used
    assert theirs.nbvh > used


SKIN = """<mujoco><worldbody><body name="b"/></worldbody><deformable>
<skin name="s" vertex="0 0 0 1 0 0 0 1 0" face="0 1 {}"><bone body="b" bindpos="0 0 0" bindquat="1 0 0 0"
vertid="0 1 2" vertweight="1 1 1"/></skin></deformable></mujoco>"""
MESH = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 0 3 2"
normal="1 0 0 0 1 0{}"/></asset></mujoco>"""


@pytest.mark.parametrize("xml, bad, good", [
    (SKIN, "3", "2"),
    (MESH, "", " 0 0 1 1 0 0"),
    ("{}<mujoco/>", "text", "<!-- text -->"),
    ("<mujoco/>{}", "<mujoco/>", "<!-- text -->"),
], ids=["face of a skin", "too few normals", "text before the root", "a second root"])
def test_refused_though_accepted(xml, bad, good, tmp_path):
    path = tmp_path / "model.xml"
    for text in (bad, good):
        path.write_text(xml.format(text))
        mujoco.MjModel.from_xml_path(str(path))
    assert load_ours(path)
    path.write_text(xml.format(bad))
    with pytest.raises(harness.SinewError):
        load_ours(path)


def test_length_range_of_limits(tmp_path):
    """From the limits of its own joint, times its gear; the released one looks at other joints."""
    xml = """<mujoco><compiler angle="radian"><lengthrange mode="all" uselimit="true"/></compiler>
    <worldbody><body><joint name="a" range="-1 2"/><geom size=".1"/></body>
    <body pos="1 0 0"><joint name="b" range="-3 4"/><geom size=".1"/></body></worldbody>
    <actuator><motor joint="a" gear="2"/><motor joint="b"/><motor joint="b" gear="-1"/></actuator></mujoco>"""
    path = tmp_path / "model.xml"
    path.write_text(xml)
    assert load_ours(path).actuator_lengthrange.tolist() == [[-2, 4], [-3, 4], [-4, 3]]
    assert mujoco.MjModel.from_xml_string(xml).actuator_lengthrange[0].tolist() == [-1, 2]


def test_weights_of_a_cable_skin(tmp_path):
    """No weight is a rounding error of zero."""
    xml = """<mujoco><worldbody><composite type="cable" prefix="p" curve="s" count="5 1 1" size="1">
    <geom type="box" size=".01 .01 .01"/><skin subgrid="2"/></composite></worldbody></mujoco>"""
    path = tmp_path / "model.xml"
    path.write_text(xml)
    mine, theirs = load_ours(path), mujoco.MjModel.from_xml_string(xml)
    assert np.abs(mine.skin_bonevertweight).min() > 1e-3
    real = np.abs(theirs.skin_bonevertweight) > 1e-12
    assert real.sum() == mine.nskinbonevert < theirs.nskinbonevert
    np.testing.assert_array_equal(mine.skin_bonevertweight, theirs.skin_bonevertweight[real])


def test_keys_of_attached_models(tmp_path):
    """A key of an attached model knows the joints that came with it, and nested ones all prefixes."""
    (tmp_path / "kid.xml").write_text("""<mujoco><worldbody><body name="a"><joint/><geom size=".1"/></body>
    <body name="z"><joint/><geom size=".1"/></body></worldbody>
    <keyframe><key name="k" qpos=".1 .3"/></keyframe></mujoco>""")
    (tmp_path / "mid.xml").write_text("""<mujoco><asset><model name="kid" file="kid.xml"/></asset><worldbody>
    <body name="x" euler="0 0 90"><geom size=".1"/><attach model="kid" body="a" prefix="q_"/></body></worldbody></mujoco>""")
    path = tmp_path / "model.xml"
    path.write_text("""<mujoco><asset><model name="kid" file="kid.xml"/></asset><worldbody>
    <attach model="kid" body="a" prefix="p_"/><attach model="kid" body="z" prefix="q_"/></worldbody></mujoco>""")
    assert load_ours(path).key_qpos.tolist() == [[0.1, 0], [0, 0.3]]
    assert mujoco.MjModel.from_xml_path(str(path)).key_qpos.tolist() == [[0.1, 0.3], [0, 0.3]]
    path.write_text("""<mujoco><asset><model name="mid" file="mid.xml"/></asset><worldbody>
    <attach model="mid" body="x" prefix="p_"/></worldbody></mujoco>""")
    mine, theirs = load_ours(path), mujoco.MjModel.from_xml_path(str(path))
    assert b"p_q_k\0" in bytes(mine.names) and b"p_q_k\0" not in theirs.names
    assert [f for f, _ in compiled.differences(mine, theirs)] == ["nnames", "names", "names_map"]
    # a key of the model that attaches
    path.write_text("""<mujoco><asset><model name="kid" file="kid.xml"/></asset><worldbody><attach model="kid" body="a"
    prefix="p_"/><attach model="kid" body="a" prefix="q_"/></worldbody><keyframe><key qpos="1 2"/></keyframe></mujoco>""")
    assert [1, 2] in load_ours(path).key_qpos.tolist()
    assert [1, 2] not in mujoco.MjModel.from_xml_path(str(path)).key_qpos.tolist()


def test_cables_of_attached_models(tmp_path):
    """The instances of a cable's plugin come with it, one that nothing uses does not."""
    (tmp_path / "kid.xml").write_text("""<mujoco><extension><plugin plugin="mujoco.elasticity.cable"><instance name="u"/>
    </plugin></extension><worldbody><body name="a"><composite type="cable" count="4 1 1" size="1 0 0" curve="s" initial="none"><plugin
    plugin="mujoco.elasticity.cable"><config key="twist" value="1e3"/></plugin><geom type="capsule" size=".01"/>
    </composite></body></worldbody></mujoco>""")
    path = tmp_path / "model.xml"
    path.write_text("""<mujoco><asset><model name="kid" file="kid.xml"/></asset><worldbody>
    <attach model="kid" body="a" prefix="p_"/></worldbody></mujoco>""")
    mine, alone = load_ours(path), load_ours(tmp_path / "kid.xml")
    assert mine.nplugin == alone.nplugin - 1 == 1 and (mine.body_plugin >= 0).sum() == 3
    with pytest.raises(ValueError, match="body_plugin out of bounds"):
        mujoco.MjModel.from_xml_path(str(path))


REPLICATED = """<mujoco><worldbody><replicate count="2" offset="1 0 0"><body name="a"><joint name="j"/><geom size=".1"/>
<site name="s"/></body></replicate><body name="b" pos="0 2 0"><joint/><geom size=".1"/><site name="t"/></body></worldbody>{}</mujoco>"""


@pytest.mark.parametrize("link, count", [
    ('<contact><exclude body1="a" body2="b"/></contact>', "nexclude"),
    ('<tendon><spatial><site site="s"/><site site="t"/></spatial></tendon>', "ntendon"),
    ('<sensor><framepos objtype="site" objname="s" reftype="site" refname="t"/></sensor>', "nsensor")])
def test_links_out_of_a_replica(link, count, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(REPLICATED.format(link))
    with pytest.raises(ValueError, match="not found|unrecognized"):
        mujoco.MjModel.from_xml_path(str(path))
    assert getattr(load_ours(path), count) == 2


def test_flipped_channels(tmp_path):
    width, height = 2, 3
    rows = b"".join(b"\0" + bytes(4 * width * r + c for c in range(4 * width)) for r in range(height))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    (tmp_path / "t.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    path = tmp_path / "model.xml"
    xml = '<mujoco><asset><texture name="t" type="2d" nchannel="4" file="t.png"{}/></asset></mujoco>'
    path.write_text(xml.format(""))
    plain = mujoco.MjModel.from_xml_path(str(path)).tex_data.reshape(height, width, 4)
    for flip, expected in ((' hflip="true"', plain[:, ::-1]), (' vflip="true"', plain[::-1])):
        path.write_text(xml.format(flip))
        with pytest.raises(ValueError, match="3-channel"):
            mujoco.MjModel.from_xml_path(str(path))
        np.testing.assert_array_equal(np.asarray(load_ours(path).tex_data).reshape(plain.shape), expected)


def test_flex_on_a_fused_body(tmp_path):
    xml = """<mujoco><compiler fusestatic="true"/><worldbody><body name="B" pos="1 2 3"><geom size=".1"/>
    <flexcomp name="F" type="direct" dim="1" point="0 0 0 1 0 0 0 1 0" element="0 1 1 2" radius=".01" mass="1">
    <pin id="0"/></flexcomp></body></worldbody></mujoco>"""
    path = tmp_path / "model.xml"
    path.write_text(xml)
    with pytest.raises(ValueError, match="unknown body"):
        mujoco.MjModel.from_xml_path(str(path))
    mine = load_ours(path)
    assert mine.nbody == 4 and np.asarray(mine.flex_vertbodyid).tolist() == [1, 2, 3]


def test_unused_points_of_a_rigid_flexcomp(tmp_path):
    xml = """<mujoco><worldbody><flexcomp name="F" type="direct" dim="1" point="9 9 9 0 0 0 1 0 0" element="1 2"
    radius=".01" mass="1" rigid="true"/></worldbody></mujoco>"""
    path = tmp_path / "model.xml"
    path.write_text(xml)
    theirs, mine = mujoco.MjModel.from_xml_path(str(path)), load_ours(path)
    assert theirs.flex_elem.tolist() == np.asarray(mine.flex_elem).ravel().tolist() == [0, 1]
    assert (theirs.nflexvert, mine.nflexvert) == (3, 2)


def test_links_of_attached_models(tmp_path):
    """Tendons around a geom without a side site, and lengths of a flex, come with the model they are in."""
    (tmp_path / "kid.xml").write_text("""<mujoco><worldbody><body name="x"><joint/><site name="a" pos="1 0 0"/>
    <site name="b" pos="-1 0 0"/><geom name="g" size=".1"/><flexcomp name="f" type="grid" count="3 1 1" dim="1"
    spacing=".1 .1 .1" radius=".01" mass="1"><edge equality="true"/></flexcomp></body></worldbody>
    <tendon><spatial><site site="a"/><geom geom="g"/><site site="b"/></spatial></tendon></mujoco>""")
    path = tmp_path / "model.xml"
    path.write_text("""<mujoco><asset><model name="kid" file="kid.xml"/></asset><worldbody>
    <attach model="kid" prefix="p_"/></worldbody></mujoco>""")
    mine, theirs = load_ours(path), mujoco.MjModel.from_xml_path(str(path))
    assert (mine.ntendon, mine.nwrap, mine.neq) == (1, 3, 1)
    assert (theirs.ntendon, theirs.nwrap, theirs.neq) == (0, 0, 0)


def test_radial_flex_forces():
    """Stiffness is symmetric; the released one gives y and z of the force on a vertical slider to its neighbours."""
    m = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><flexcomp name="f" type="grid" count="3 3 2" dim="3"
    spacing=".1 .1 .1" radius=".01" mass="1" dof="radial"><elasticity young="1e3" poisson=".2"/></flexcomp></worldbody></mujoco>""")
    d, our = mujoco.MjData(m), ours(m)
    data, K = Data(our), np.zeros((2, m.nv, m.nv))
    for i in range(m.nv):
        d.qpos[:] = 1e-5 * (np.arange(m.nv) == i)
        data.qpos[:] = d.qpos
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        K[:, :, i] = d.qfrc_spring, data.qfrc_spring
    vertical = abs(m.jnt_axis[:, 2]) > 0.999
    assert vertical.sum() == 2 and np.allclose(K[0][~vertical], K[1][~vertical], atol=1e-12)
    assert abs(K[1] - K[1].T).max() < 1e-3 * abs(K[1]).max() < 1e-2 * abs(K[0] - K[0].T).max()
