"""Reading and writing of model files, against the released engine."""

import ctypes
import os
import pathlib
import re

import harness
import mujoco
import pytest

HERE = pathlib.Path(__file__).parent
P, S, I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int


def declare(lib):
    for name, result, arguments in (
        ("mj_parseXML", P, [S, P, S, I]),
        ("mj_loadXML", P, [S, P, S, I]),
        ("mj_compile", P, [P, P]),
        ("mj_saveXML", I, [P, S, S, I]),
        ("mj_sizeModel", I, [P]),
        ("mj_saveModel", None, [P, S, P, I]),
        ("mj_deleteModel", None, [P]),
        ("mj_deleteSpec", None, [P]),
        ("mjs_getError", S, [P]),
        ("mj_printSchema", I, [S, S, I, I, I]),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


OURS = declare(ctypes.CDLL(harness.LIBRARY))
THEIRS = declare(ctypes.CDLL(str(next(pathlib.Path(mujoco.__file__).parent.glob("libmujoco.so*")))))


@pytest.mark.parametrize("html", [0, 1])
@pytest.mark.parametrize("pad", [0, 1])
def test_schema(html, pad):
    texts = []
    for lib in (OURS, THEIRS):
        text = ctypes.create_string_buffer(1 << 20)
        assert lib.mj_printSchema(None, text, len(text), html, pad) == len(text.value)
        texts.append(text.value)
    assert texts[0] == texts[1]


CASES = re.split(r"\n== ", (HERE.parent / "read/malformed.txt").read_text())[1:]


@pytest.mark.parametrize("case", CASES, ids=[c.split("\n")[0] for c in CASES])
def test_malformed(case):
    """What our tests call malformed, the released engine refuses too."""
    with pytest.raises(Exception):
        mujoco.MjSpec.from_string(case.partition("\n")[2]).compile()


def blob(model):
    """All of a model but its signature, which knows the frames that the tree was made with."""
    signature = ctypes.c_uint64.from_address(model + ctypes.sizeof(harness.MjModelStruct) - 8)
    signature.value = 0
    size = OURS.mj_sizeModel(model)
    buffer = ctypes.create_string_buffer(size)
    OURS.mj_saveModel(model, None, buffer, size)
    return buffer.raw


def test_save_and_reload(path, tmp_path):
    """A model saved as MJCF and loaded again is the same, bit by bit."""
    error = ctypes.create_string_buffer(2000)
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError as problem:
        pytest.skip(f"the released engine refuses it: {problem}")
    spec = OURS.mj_parseXML(str(path).encode(), None, error, len(error))
    assert spec, error.value
    model = OURS.mj_compile(spec, None)
    assert model, OURS.mjs_getError(spec)
    saved = os.fsencode(tmp_path / "saved.xml")
    assert OURS.mj_saveXML(spec, saved, error, len(error)) == 0, error.value
    again = OURS.mj_loadXML(saved, None, error, len(error))
    assert again, error.value
    assert blob(model) == blob(again)
    OURS.mj_deleteModel(model)
    OURS.mj_deleteModel(again)
    OURS.mj_deleteSpec(spec)
