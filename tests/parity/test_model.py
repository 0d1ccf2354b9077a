"""mjModel and mjData: layout, copies, reset."""

import mujoco
import numpy as np
import pytest

import differ
import harness
from harness import Data, call, compare, oracle, ours

STRUCTURE = (
    "B_rownnz B_rowadr B_colind M_rownnz M_rowadr M_colind mapM2M D_rownnz D_rowadr D_diag D_colind"
    " mapM2D mapD2M"
).split()


def test_copy_and_reset(path):
    m, d = oracle(path)
    our = ours(m)
    for name in harness.SCHEMA.sizes:
        assert getattr(our, name) == getattr(m, name), name
    for field in harness.SCHEMA.arrays:
        if field.name in ("names_map", "names", "paths", "text_data", "plugin_attr"):
            continue
        compare(field.name, getattr(our, field.name), getattr(m, field.name), 0, 0)
    data = Data(our)
    mujoco.mj_resetData(m, d)
    for field in harness.SCHEMA.buffer_arrays:
        if field.name == "plugin_data":
            continue
        compare(field.name, getattr(data, field.name), getattr(d, field.name), 0, 1e-16)


def test_copy_of_data(path):
    m, d = oracle(path)
    mujoco.mj_forward(m, d)
    our = ours(m)
    data = Data(our)
    data.copy_from(d)
    theirs = harness.MjDataStruct.from_address(d._address)
    for field in harness.SCHEMA.buffer_arrays + harness.SCHEMA.arena_arrays:
        # the oracle's bindings show memory that is not there when an array was not made
        if field.name == "plugin_data" or not getattr(theirs, field.name):
            continue
        if field.name == "contact":
            compare("contact.dist", data.contact["dist"], d.contact.dist, 0, 0)
            compare("contact.geom", data.contact["geom"], d.contact.geom, 0, 0)
        else:
            compare(field.name, getattr(data, field.name), getattr(d, field.name), 0, 0)


@pytest.mark.parametrize("kind", [t for t in mujoco.mjtObj.__members__.values() if int(t) < 26])
def test_names(kind):
    text = """<mujoco><worldbody><body name="a"><joint name="j"/><geom name="g" size="1"/>
      <site name="s"/><camera name="c"/><light name="l"/></body><body><geom size="1"/></body></worldbody>
      <actuator><motor name="m" joint="j"/></actuator></mujoco>"""
    m = mujoco.MjModel.from_xml_string(text)
    our = ours(m)
    for name in ("a", "world", "j", "g", "s", "c", "l", "m", "", "none"):
        theirs = mujoco.mj_name2id(m, kind, name)
        assert call("mj_name2id", our, int(kind), name, restype=harness.ctypes.c_int) == theirs
    for i in range(-1, 4):
        found = call("mj_id2name", our, int(kind), i, restype=harness.ctypes.c_char_p)
        assert (found.decode() if found else None) == mujoco.mj_id2name(m, kind, i)


def test_save_and_load(path, tmp_path):
    m, _ = oracle(path)
    our = ours(m)
    size = call("mj_sizeModel", our, restype=harness.ctypes.c_int)
    file = tmp_path / "model.mjb"
    call("mj_saveModel", our, file, None, 0)
    assert file.stat().st_size == size
    harness.warnings.clear()
    address = call("mj_loadModel", file, None, restype=harness.ctypes.c_void_p)
    assert address, harness.warnings
    back = harness.Model(address)
    mujoco.mj_saveModel(m, str(tmp_path / "released.mjb"), None)
    assert file.read_bytes() == (tmp_path / "released.mjb").read_bytes()
    assert mujoco.MjModel.from_binary_path(str(file)).nq == m.nq
    for field in harness.SCHEMA.arrays:
        ours_bytes, theirs = getattr(back, field.name), getattr(our, field.name)
        assert ours_bytes.tobytes() == theirs.tobytes(), field.name
    assert bytes(back.opt) == bytes(our.opt) and bytes(back.vis) == bytes(our.vis)


def test_load_released(path, tmp_path):
    """A binary model that the released engine saved, and one that is cut short."""
    m, _ = oracle(path)
    file = tmp_path / "model.mjb"
    mujoco.mj_saveModel(m, str(file), None)
    harness.warnings.clear()
    address = call("mj_loadModel", file, None, restype=harness.ctypes.c_void_p)
    assert address, harness.warnings
    back, our = harness.Model(address), ours(m)
    for field in harness.SCHEMA.arrays:
        assert getattr(back, field.name).tobytes() == getattr(our, field.name).tobytes(), field.name
    assert bytes(back.opt) == bytes(our.opt) and bytes(back.vis) == bytes(our.vis)
    file.write_bytes(file.read_bytes()[:-1])
    assert not call("mj_loadModel", file, None, restype=harness.ctypes.c_void_p)


MEMORY = ("  nbuffer ", "  total ", "  buffer ", "  arena ", "  maxuse_", "  narena ")


def lines(file):
    """What was printed, without what depends on how an engine lays out its memory."""
    return [line for line in file.read_text().split("\n") if not line.startswith(MEMORY)]


def same_text(found, expected):
    for i, (a, b) in enumerate(zip(found, expected)):
        assert a == b, (found[max(i - 3, 0) : i + 1], expected[max(i - 3, 0) : i + 1])
    assert len(found) == len(expected)


def same_dumps(m, d, folder, format="%- 9.2g"):
    our = ours(m)
    data = Data(our)
    data.copy_from(d)
    harness.warnings.clear()
    mujoco.mj_printFormattedModel(m, str(folder / "model.txt"), format)
    call("mj_printFormattedModel", our, folder / "ours.txt", format)
    same_text(lines(folder / "ours.txt"), lines(folder / "model.txt"))
    mujoco.mj_printFormattedData(m, d, str(folder / "data.txt"), format)
    call("mj_printFormattedData", our, data, folder / "ours.txt", format)
    same_text(lines(folder / "ours.txt"), lines(folder / "data.txt"))
    assert not harness.warnings


def print_apart(*arguments):
    """In a process of its own: the released printer may end it."""
    assert not (problem := differ.isolated(same_dumps)(*arguments)), problem


def test_print(path, tmp_path):
    """The dumps of a model and of data with the same numbers are the released ones, line by line."""
    if path.stem == "fish":
        pytest.skip("the released engine does not survive it")
    m, d = oracle(path)
    format = ["%- 9.2g", "%12.5f", "%g"][m.nbody % 3]
    m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY) | int(mujoco.mjtEnableBit.mjENBL_ISLAND) * (format == "%g")
    mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    print_apart(m, d, tmp_path, format)


ALL_KINDS = """
<mujoco model="big"><compiler autolimits="true"/><option><flag energy="enable"/></option>
<size nuser_body="2" nuser_jnt="1" nuser_geom="3" nuser_site="1" nuser_cam="1" nuser_tendon="2" nuser_actuator="1" nuser_sensor="1" nuserdata="2"/>
<asset><texture name="t" type="2d" builtin="checker" width="4" height="4"/><texture name="sky" type="skybox" builtin="gradient" width="4" height="4"/>
<material name="mm" texture="t"/>
<mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 0 0 1 1 1"/>
<mesh name="tet2" vertex="0 0 0 2 0 0 0 1 0 0 0 1"/>
<hfield name="hf" nrow="3" ncol="4" size="1 1 .2 .1" elevation="0 1 0 2 0 1 0 1 1 1 1 0"/></asset>
<worldbody><light name="l"/><camera name="c"/>
<geom name="floor" type="plane" size="1 1 .1" material="mm" user="1 2 3"/>
<geom type="hfield" hfield="hf" pos="5 0 0"/>
<body name="mo" mocap="true" pos="0 0 3">
<geom type="sphere" size=".1"/></body>
<body name="a" pos="0 0 .09" user="4 5"><freejoint name="f"/>
<geom name="g" type="box" size=".1 .1 .1"/>
<site name="s"/>
<body name="b" pos="0 0 .3"><joint name="h" range="-1 1" user="3"/>
<geom type="mesh" mesh="tet" contype="0" conaffinity="0"/>
<site name="s2" pos=".1 0 0"/>
<body name="bb"><joint name="bj" type="ball" damping="1"/>
<geom name="cyl" type="cylinder" size=".1 .2"/></body></body></body>
<body name="z" pos="2 0 .4"><freejoint/>
<geom type="sphere" size=".2"/></body>
<flexcomp name="sheet" type="grid" count="3 3 1" dim="2" spacing=".1 .1 .1" mass="1" pos="0 2 1"><edge equality="true"/><contact internal="false"/></flexcomp>
<flexcomp name="rope" type="grid" count="4 1 1" dim="1" spacing=".1 .1 .1" mass="1" pos="0 3 1"/>
<flexcomp name="jelly" type="grid" count="3 3 3" dim="3" spacing=".1 .1 .1" mass="1" pos="0 4 1" dof="trilinear"><elasticity young="1e3" poisson=".1"/><contact selfcollide="none" internal="false"/></flexcomp>
</worldbody>
<deformable><skin name="sk" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></deformable>
<contact><pair name="pr" geom1="floor" geom2="cyl"/><exclude name="ex" body1="a" body2="b"/></contact>
<equality><joint joint1="h"/><weld name="w" body1="a" body2="b" active="false"/></equality>
<tendon><fixed name="ten"><joint joint="h" coef="1"/></fixed>
<spatial name="sp" user="1 2">
<site site="s"/>
<geom geom="cyl"/>
<site site="s2"/><pulley divisor="2"/>
<site site="s"/>
<site site="s2"/></spatial></tendon>
<actuator><motor name="m" joint="h"/><position tendon="ten"/><general name="dy" joint="h" dyntype="integrator"/></actuator>
<sensor><jointpos name="jp" joint="h" user="1"/><framequat objtype="body" objname="a"/><rangefinder site="s"/></sensor>
<custom><numeric name="n" data="1 2 3"/><text name="tx" data="hello"/><tuple name="tu"><element objtype="body" objname="a"/><element objtype="geom" objname="g" prm="3"/></tuple></custom>
<keyframe><key name="k" time="2"/><key ctrl="1 2 3" mpos="1 2 3"/><key name="last"/></keyframe></mujoco>
"""


@pytest.mark.parametrize("jacobian", ["DENSE", "SPARSE"])
@pytest.mark.parametrize("solver", ["PGS", "CG", "NEWTON"])
def test_print_all_kinds(jacobian, solver, tmp_path):
    """Objects, custom fields and keys of all kinds, dual matrices, derivatives, islands, warnings."""
    m = mujoco.MjModel.from_xml_string(ALL_KINDS)
    m.opt.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{jacobian}")
    m.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
    d = mujoco.MjData(m)
    mujoco.mj_step(m, d)
    print_apart(m, d, tmp_path)
    m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ISLAND)
    mujoco.mj_step(m, d)
    d.warning[2].number, d.warning[2].lastinfo = 3, 7
    print_apart(m, d, tmp_path)
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICIT
    mujoco.mj_step(m, d)
    mujoco.mj_rnePostConstraint(m, d)
    print_apart(m, d, tmp_path, "%.3e")