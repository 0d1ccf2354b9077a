"""mjModel and mjData: layout, copies, reset."""

import mujoco
import numpy as np
import pytest

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


def test_print(path, tmp_path):
    m, d = oracle(path)
    mujoco.mj_forward(m, d)
    our = ours(m)
    data = Data(our)
    data.copy_from(d)
    harness.warnings.clear()
    call("mj_printModel", our, tmp_path / "model.txt")
    call("mj_printData", our, data, tmp_path / "data.txt")
    assert not harness.warnings
    assert f"BODY {m.nbody - 1}:" in (tmp_path / "model.txt").read_text()
    assert "xpos" in (tmp_path / "data.txt").read_text()
