"""Entries of docs/differences.md that no other test shows: what each engine does, side by side."""

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


def test_multiccd_with_a_margin_is_the_patch():
    corners = " ".join(f"{x} {y} {z}" for z in (-1, 1) for y in (-1, 1) for x in (-1, 1))
    data, d = forward(f"""
    <mujoco>
      <option><flag multiccd="enable"/></option>
      <asset><mesh name="cube" vertex="{corners}" scale=".1 .1 .1"/></asset>
      <worldbody>
        <geom type="box" size=".3 .3 .1" margin=".02"/>
        <body pos=".01 .02 .21"><freejoint/><geom type="mesh" mesh="cube" margin=".01"/></body>
      </worldbody>
    </mujoco>""")
    assert (data.ncon, d.ncon) == (4, 5)
    assert np.allclose(data.contact["dist"], 0.01, atol=1e-6)
    across = np.sort(np.asarray(data.contact["pos"])[:, :2].round(5), axis=0)
    assert np.allclose(across, [[-0.09, -0.08]] * 2 + [[0.11, 0.12]] * 2)


def test_cable_of_three_points(tmp_path):
    xml = """
    <mujoco><worldbody><composite type="cable" vertex="0 0 0 .1 0 0 .2 0 0">
      <joint kind="main"/><geom type="capsule" size=".01"/></composite></worldbody></mujoco>"""
    with pytest.raises(ValueError, match="not found in bodypair"):
        mujoco.MjModel.from_xml_string(xml)
    path = tmp_path / "cable.xml"
    path.write_text(xml)
    assert load_ours(path).nbody == 3


@pytest.mark.parametrize("search", ["narrow", "bvh", "sap", "auto"])
def test_flex_against_itself_by_element_numbers(search):
    data, d = forward(f"""
    <mujoco>
      <option><flag gravity="disable"/></option>
      <worldbody><flexcomp name="f" type="grid" dim="2" count="6 6 1" spacing=".1 .1 .1" radius=".02" mass="1">
        <contact selfcollide="{search}" internal="false"/></flexcomp></worldbody>
    </mujoco>""", seed=1, size=0.25)
    mine = [tuple(e) for e in np.asarray(data.contact["elem"]).reshape(-1, 2).tolist()]
    theirs = [tuple(e) for e in d.contact.elem.tolist()]
    assert len(mine) > 10
    assert mine == sorted(mine)
    assert (mine == theirs) == (search == "narrow")
    assert sorted(map(sorted, mine)) == sorted(map(sorted, theirs))


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
