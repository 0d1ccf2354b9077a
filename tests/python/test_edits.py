"""Specs edited by the same script in the released package and in Sinew: the same models in every
field, the same again from saved text, the same refusals."""

import faulthandler
import os

import numpy as np
import pytest

import sinew

mujoco = pytest.importorskip("mujoco", reason="the released package is not here")

import edits_change  # noqa: E402, F401
import edits_make  # noqa: E402, F401
from edited import SCRIPTS  # noqa: E402

# not part of what a model means, or free in its order
FREE = {"narena", "nbuffer", "nnames_map", "names_map", "signature", "buffer", "bvh_aabb", "bvh_nodeid", "bvh_child",
        "bvh_depth", "bv", "bvactive"}

OTHERWISE = {
    "position_variants": "inheritrange is a yes or no in the other package",
    "equalities": "numbers that a connect does not use are not saved",
    "mesh_inertias": "the axes of a regular body are free",
    "texture_data": "bytes of a texture cannot be set one by one there",
    "default_twice": "returns nothing there, raises here",
    "duplicate_name": "found by compile there, when the name is given here",
    "delete_body_a": "what refers to the body goes with it, tuples too", "delete_body_c": "the same",
    "copies": "the same",
    "attach_body_to_site": "keys of a parent that gets joints in its middle: its numbers stay with their joints here",
    "attach_frame_to_body": "the same", "attach_spec_to_site": "the same", "attach_nested": "the same",
    "delete_default": "the other package cannot save it",
    "attach_itself": "keys are left alone",
    "copy_of_attached": "a spec compiles alike after it was copied",
    "cameras_lights": "an angle in single precision",
}


def different(a, b, rtol):
    a, b = np.asarray(a), np.asarray(b)
    if a.size != b.size:
        return f"{a.size} numbers, expected {b.size}"
    if a.dtype.kind in "SUO":
        return None if a.tolist() == b.tolist() else f"{a} != {b}"
    a, b = a.astype(float).ravel(), b.astype(float).ravel()
    largest = np.abs(b[np.isfinite(b)]).max(initial=0)
    wrong = ~((np.abs(a - b) <= rtol * np.abs(b) + 1e-3 * rtol * largest + 1e-15) | (a == b) | (np.isnan(a) & np.isnan(b)))
    at = int(np.argmax(wrong)) if wrong.size else 0
    return f"[{at}] {a[at]} != {b[at]}" if wrong.any() else None


def differences(ours, theirs, rtol=1e-9, path=""):
    found = []
    for name in dir(theirs):
        if name.startswith("_") or name in FREE:
            continue
        b = getattr(theirs, name)
        if callable(b):
            continue
        a = getattr(ours, name)
        if isinstance(b, bytes):
            text = None if bytes(a).rstrip(b"\0") == b.rstrip(b"\0") else f"{a[:80]!r} != {b[:80]!r}"
        elif isinstance(b, (int, float, np.ndarray)):
            single = path or (isinstance(b, np.ndarray) and b.dtype == np.float32)
            text = different(a, b, 1e-6 if single else rtol)
        else:
            found += differences(a, b, rtol, f"{path}{name}.")
            continue
        if text:
            found.append(f"{path}{name}: {text}")
    return found


def run(package, script):
    """What the script gives out: ("model", model, text), ("value", value), ("refused", kind of error)."""
    results = []

    def out(*values):
        for value in values:
            if isinstance(value, package.MjSpec):
                try:
                    results.append(("model", value.compile(), value.to_xml()))
                except (ValueError, package.FatalError) as problem:
                    results.append(("refused", type(problem).__name__))
            elif isinstance(value, package.MjModel):
                results.append(("model", value, None))
            else:
                results.append(("value", value))

    try:
        script(package, out)
    except Exception as problem:
        results.append(("raised", type(problem).__name__))
    return results


def compare(script):
    ours, theirs = run(sinew, script), run(mujoco, script)
    found = [] if [r[0] for r in ours] == [r[0] for r in theirs] else [f"{[r[0] for r in ours]} != {[r[0] for r in theirs]}"]
    for a, b in zip(ours, theirs):
        if a[0] == b[0] == "model":
            found += differences(a[1], b[1])
            if a[2]:
                found += [f"saved: {text}" for text in differences(sinew.MjModel.from_xml_string(a[2]), a[1])]
        elif a[0] == b[0] and a[1] != b[1]:
            found.append(f"{a[1]} != {b[1]}")
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name):
    """In a process of its own: the released package may end it."""
    if any(name.startswith(known) for known in OTHERWISE):
        pytest.skip(next(why for known, why in OTHERWISE.items() if name.startswith(known)))
    read, write = os.pipe()
    child = os.fork()
    if not child:
        faulthandler.disable()
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            said = "\n".join(compare(SCRIPTS[name]))
        except BaseException as problem:
            said = repr(problem)
        os.write(write, said.encode()[:60000] + b".")
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    if not said:
        assert run(sinew, SCRIPTS[name])
        pytest.skip("the released package ends the process; ours does not")
    assert said == b".", said.decode()
