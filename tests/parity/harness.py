"""The library under test beside the released one (the oracle).

    m, d = oracle(path)               the oracle's model and data
    our = ours(m); data = Data(our)   our copy of the oracle's model, and our data for it
    for state in random_states(m, 5, seed=1):
        oracle_set(m, d, state); data.set_state(state)
        mujoco.mj_kinematics(m, d); call("mj_kinematics", our, data)
        compare("xpos", data.xpos, d.xpos, rtol=1e-12)

Every field of our structs is an attribute, arrays are numpy views. An error raised by a call comes
back as SinewError, warnings collect in `warnings`.
"""

import ctypes
import functools
import importlib.util
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _load_schema():
    spec = importlib.util.spec_from_file_location("schema", ROOT / "tools/schema.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


schema = _load_schema()
SCHEMA = schema.Schema()
CONSTANTS = schema.constants()

# ---- the structs, as ctypes lays them out

CTYPES = {
    "int": ctypes.c_int,
    "float": ctypes.c_float,
    "mjtNum": ctypes.c_double,
    "double": ctypes.c_double,
    "mjtByte": ctypes.c_ubyte,
    "char": ctypes.c_char,
    "size_t": ctypes.c_size_t,
    "uint64_t": ctypes.c_uint64,
    "uintptr_t": ctypes.c_size_t,
}


@functools.cache
def _count(expression):
    return int(eval(expression, {}, CONSTANTS))


def _struct(name, fields):
    members, nested = [], {}
    for f in fields:
        kind = ctypes.c_void_p if f.pointer else CTYPES[f.ctype]
        if not f.pointer and f.count != "1":
            kind = kind * _count(f.count)
        if f.group:
            nested.setdefault(f.group, []).append((f.name, kind))
        else:
            members.append((f.name, kind))
    for group, content in nested.items():
        members.append((group, type(f"{name}_{group}", (ctypes.Structure,), {"_fields_": content})))
    return type(name, (ctypes.Structure,), {"_fields_": members})


for _name, _header in [
    ("mjContact", "mjdata.h"),
    ("mjWarningStat", "mjdata.h"),
    ("mjTimerStat", "mjdata.h"),
    ("mjSolverStat", "mjdata.h"),
    ("mjOption", "mjmodel.h"),
    ("mjVisual", "mjmodel.h"),
    ("mjStatistic", "mjmodel.h"),
]:
    CTYPES[_name] = _struct(_name, schema.fields(_header, _name))
MjModelStruct = _struct("mjModel", SCHEMA.model)
MjDataStruct = _struct("mjData", SCHEMA.data)

# ---- the library


class SinewError(Exception):
    pass


LIBRARY = os.environ.get("SINEW_LIB", str(ROOT / "build/release/libsinew.so"))
lib = ctypes.CDLL(LIBRARY)
warnings = []
_errors = []
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_on_error = _HANDLER(lambda text: _errors.append(text.decode(errors="replace")))
_on_warning = _HANDLER(lambda text: warnings.append(text.decode(errors="replace")))
for _symbol, _handler in (("mju_user_error", _on_error), ("mju_user_warning", _on_warning)):
    ctypes.c_void_p.in_dll(lib, _symbol).value = ctypes.cast(_handler, ctypes.c_void_p).value


def _argument(value):
    if value is None:
        return ctypes.c_void_p(None)
    if isinstance(value, (Model, Data)):
        return ctypes.c_void_p(value.address)
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous, "pass contiguous arrays"
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, (bool, int, np.integer)):
        # 64 bits: right for int, size_t and addresses alike
        return ctypes.c_longlong(int(value))
    if isinstance(value, (float, np.floating)):
        return ctypes.c_double(float(value))
    if isinstance(value, (str, pathlib.Path)):
        return ctypes.c_char_p(str(value).encode())
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    return value


def call(name, *arguments, restype=None):
    """Calls a function of ours; floats must be given as Python floats. restype: a ctypes type."""
    function = getattr(lib, name)
    function.restype = restype
    _errors.clear()
    result = function(*[_argument(a) for a in arguments])
    if _errors:
        raise SinewError("; ".join(_errors))
    return result


# ---- our structs as objects


class _Struct:
    """Attribute access to a public struct at an address."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        field = self._pointers.get(name)
        if field:
            return self._array(field)
        value = getattr(self._struct, name)
        return np.ctypeslib.as_array(value) if isinstance(value, ctypes.Array) else value

    def __setattr__(self, name, value):
        if name.startswith("_") or name in ("address", "model"):
            object.__setattr__(self, name, value)
        elif name in self._pointers:
            self._array(self._pointers[name])[...] = value
        else:
            current = getattr(self._struct, name)
            if isinstance(current, ctypes.Array):
                np.ctypeslib.as_array(current)[...] = value
            else:
                setattr(self._struct, name, value)

    def _array(self, field):
        layout = self._layouts.get(field.name)
        if not layout:
            member, factor = SCHEMA.columns(field)
            kind = np.dtype("S1") if field.ctype == "char" else np.dtype(CTYPES[field.ctype])
            layout = self._layouts[field.name] = (member, _count(factor), kind, field.columns == "1")
        member, columns, kind, flat = layout
        rows = getattr(self._sizes(field.rows), field.rows)
        if member:
            columns *= getattr(self._model_struct(), member)
        shape = (rows,) if flat else (rows, columns)
        address = getattr(self._struct, field.name)
        size = rows * columns
        if not address or not size:
            return np.zeros(shape, kind)
        raw = (ctypes.c_ubyte * (size * kind.itemsize)).from_address(address)
        return np.frombuffer(raw, kind).reshape(shape)


class Model(_Struct):
    """An mjModel of ours; deleted with the object."""

    _pointers = {f.name: f for f in SCHEMA.arrays}
    _layouts = {}

    def __init__(self, address):
        if not address:
            raise SinewError("no model")
        self.address = address
        self._struct = MjModelStruct.from_address(address)

    def _model_struct(self):
        return self._struct

    def _sizes(self, _):
        return self._struct

    def __del__(self):
        if "address" in self.__dict__:
            call("mj_deleteModel", self.address)


class Data(_Struct):
    """An mjData of ours, made for a Model; deleted with the object."""

    _pointers = {f.name: f for f in SCHEMA.buffer_arrays + SCHEMA.arena_arrays}
    _layouts = {}

    def __init__(self, model, address=None):
        self.model = model
        self.address = address or call("mj_makeData", model, restype=ctypes.c_void_p)
        self._struct = MjDataStruct.from_address(self.address)

    def _model_struct(self):
        return self.model._struct

    def _sizes(self, rows):
        return self.model._struct if rows in SCHEMA.sizes else self._struct

    def set_state(self, state, spec=int(mujoco.mjtState.mjSTATE_INTEGRATION)):
        call("mj_setState", self.model, self, np.ascontiguousarray(state, float), spec)

    def get_state(self, spec=int(mujoco.mjtState.mjSTATE_INTEGRATION)):
        state = np.zeros(call("mj_stateSize", self.model, spec, restype=ctypes.c_int))
        call("mj_getState", self.model, self, state, spec)
        return state

    def copy_from(self, d):
        """Everything in an oracle's MjData, contacts and constraint rows included."""
        call("mj_copyData", self, self.model, d._address, restype=ctypes.c_void_p)

    def __del__(self):
        if "address" in self.__dict__:
            call("mj_deleteData", self.address)


def oracle_library():
    return ctypes.CDLL(next(str(p) for p in pathlib.Path(mujoco.__file__).parent.glob("libmujoco*")))


def _keep_no_assets():
    """The oracle keeps hulls by file name, also for models that compile the file otherwise.

    Without room its cache keeps nothing. Taking the room away from a cache that already holds assets may never return:
    once, before the first model.
    """
    library = oracle_library()
    library.mj_globalCache.restype = ctypes.c_void_p
    library.mj_setCacheSize(ctypes.c_void_p(library.mj_globalCache()), ctypes.c_size_t(0))


_keep_no_assets()


def _our_slot(theirs):
    """The slot at which our library has the plugin of an oracle's slot."""
    getter = oracle_library().mjp_getPluginAtSlot
    getter.restype = ctypes.POINTER(ctypes.c_char_p)
    name = getter(int(theirs))[0]
    slot = ctypes.c_int(-1)
    call("mjp_getPlugin", name, ctypes.byref(slot), restype=ctypes.c_void_p)
    if slot.value < 0:
        import pytest

        pytest.skip(f"the plugin {name.decode()} is not in our library")
    return slot.value


def ours(m):
    """Our copy of an oracle's model; skips the test when it needs a plugin that we do not have."""
    slots = [_our_slot(slot) for slot in m.plugin] if m.nplugin else []
    our = Model(call("mj_copyModel", None, m._address, restype=ctypes.c_void_p))
    if slots:
        our.plugin[:] = slots
    return our


def load_ours(path):
    """A model read by our own compiler."""
    error = ctypes.create_string_buffer(1024)
    address = call("mj_loadXML", str(path), None, error, len(error), restype=ctypes.c_void_p)
    if not address:
        raise SinewError(error.value.decode(errors="replace"))
    return Model(address)


# ---- models

# folders that hold broken or partial models on purpose
_NOT_MODELS = re.compile(r"dm_control/(mjcf|mujoco/testing)/|schema\.xml$")


def _package(name):
    found = importlib.util.find_spec(name)
    return pathlib.Path(found.origin).parent if found else None


def _is_whole(path):
    """A model of its own, not a part that others include."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except xml.etree.ElementTree.ParseError:
        return False
    return root.tag == "mujoco"


def _included(paths):
    names = set()
    for path in paths:
        for name in re.findall(r"<include\s+file=\"([^\"]+)\"", path.read_text(errors="replace")):
            names.add((path.parent / name).resolve())
    return names


@functools.lru_cache(None)
def models():
    """{name: path} of every model, filtered by SINEW_PARITY_MODELS."""
    folders = {"": pathlib.Path(os.environ.get("SINEW_MODELS", ROOT / "../shared/models"))}
    for package in ("gymnasium", "gymnasium_robotics", "dm_control"):
        if _package(package):
            folders[package + "/"] = _package(package)
    result = {}
    for prefix, folder in folders.items():
        if not folder.is_dir():
            print(f"parity: no models in {folder}", file=sys.stderr)
            continue
        paths = sorted(folder.rglob("*.xml"))
        parts = _included(paths)
        for path in paths:
            name = prefix + str(path.relative_to(folder))
            if path.resolve() not in parts and not _NOT_MODELS.search(name) and _is_whole(path):
                result[name] = path
    wanted = re.compile(os.environ.get("SINEW_PARITY_MODELS", ""))
    return {name: path for name, path in result.items() if wanted.search(name)}


@functools.lru_cache(4)
def oracle_model(path):
    """The oracle's model, or None when the oracle cannot load the file on its own."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return None


def oracle(path):
    """The oracle's model and fresh data; skips the test when the oracle refuses the file."""
    m = oracle_model(path)
    if m is None:
        import pytest

        pytest.skip("the released engine does not load this file on its own")
    return m, mujoco.MjData(m)


def model_from_string(text):
    return mujoco.MjModel.from_xml_string(text)


# ---- states

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def oracle_state(m, d, spec=STATE):
    state = np.zeros(mujoco.mj_stateSize(m, spec))
    mujoco.mj_getState(m, d, state, spec)
    return state


def oracle_set(m, d, state, spec=STATE):
    mujoco.mj_setState(m, d, np.asarray(state), spec)


def _random_inputs(m, d, rng, scale):
    limited = m.actuator_ctrllimited.astype(bool)
    low = np.where(limited, m.actuator_ctrlrange[:, 0], -1)
    high = np.where(limited, m.actuator_ctrlrange[:, 1], 1)
    d.ctrl[:] = rng.uniform(low, high) if m.nu else 0
    d.qfrc_applied[:] = scale * rng.standard_normal(m.nv)
    d.xfrc_applied[:] = scale * rng.standard_normal((m.nbody, 6))
    d.xfrc_applied[0] = 0


def random_states(m, n, seed=0, steps=20):
    """n integration states: the first is the start (keyframe 0 if there is one), then states along a
    driven motion of the oracle (in contact, mostly), every other one shaken."""
    rng = np.random.default_rng(seed)
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    states = [oracle_state(m, d)]
    while len(states) < n:
        _random_inputs(m, d, rng, 0.0)
        for _ in range(steps):
            mujoco.mj_step(m, d)
        keep = oracle_state(m, d)
        _random_inputs(m, d, rng, 0.1)
        if len(states) % 2 == 0 and m.nv:
            mujoco.mj_integratePos(m, d.qpos, rng.standard_normal(m.nv), 0.05)
            d.qvel[:] += 0.3 * rng.standard_normal(m.nv)
        if m.nmocap:
            d.mocap_pos[:] += 0.01 * rng.standard_normal(d.mocap_pos.shape)
        if m.na:
            d.act[:] = np.clip(d.act + 0.1 * rng.standard_normal(m.na), 0, 1)
        d.qacc_warmstart[:] = 0
        state = oracle_state(m, d)
        if np.isfinite(state).all():
            states.append(state)
        oracle_set(m, d, keep)
    return states[:n]


# ---- comparison


def worst(a, b, rtol, atol):
    """(error over tolerance, flat index) of the worst element; the tolerance of an element is
    atol + rtol * (largest magnitude in b)."""
    a = np.asarray(a, float).ravel()
    b = np.asarray(b, float).ravel()
    if not a.size:
        return 0.0, 0
    finite = b[np.isfinite(b)]
    tolerance = atol + rtol * (np.abs(finite).max() if finite.size else 1.0)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.abs(a - b))
    error[np.isnan(error)] = np.inf
    at = int(np.argmax(error))
    if error[at] == 0:
        return 0.0, at
    return (error[at] / tolerance if tolerance else np.inf), at


def compare(name, a, b, rtol=1e-12, atol=1e-14):
    """Fails with the worst element unless a (ours) equals b (the oracle's)."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "SU":
        a, b = a.astype("S"), b.astype("S")
    assert a.size == b.size, f"{name}: ours has shape {a.shape}, expected {b.shape}"
    if a.dtype.kind in "SU" or (a.dtype.kind in "iub" and b.dtype.kind in "iub"):
        differ = np.flatnonzero(a.ravel() != b.ravel())
        if differ.size:
            i = differ[0]
            raise AssertionError(
                f"{name}: {differ.size} of {a.size} differ, first at {np.unravel_index(i, b.shape)}:"
                f" ours {a.ravel()[i]}, expected {b.ravel()[i]}"
            )
        return
    ratio, at = worst(a, b, rtol, atol)
    if ratio > 1:
        index = tuple(int(i) for i in np.unravel_index(at, b.shape)) if b.ndim else ()
        ours_at, theirs = a.ravel()[at], b.ravel()[at]
        raise AssertionError(
            f"{name}{list(index)}: ours {ours_at!r}, expected {theirs!r},"
            f" off by {abs(ours_at - theirs):.3g} ({ratio:.3g} times the tolerance)"
        )


def compare_fields(names, data, d, rtol=1e-12, atol=1e-14):
    """compare() over fields of our data and the oracle's."""
    for name in names.split() if isinstance(names, str) else names:
        compare(name, getattr(data, name), getattr(d, name), rtol, atol)
