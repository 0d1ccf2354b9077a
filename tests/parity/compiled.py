"""Models compiled by both engines, compared field by field.

    python compiled.py [regular expression of model names]     a summary of all differences
"""

import sys

import harness
import numpy as np

# not part of what a model means: its hash, the size of the first arena, where buffers lie
SKIPPED_SIZES = {"nbuffer", "narena"}
SKIPPED = {"buffer", "signature"}
# search structures: a valid one may have another order (their own tests say what is valid)
SEARCH = {"bvh_depth", "bvh_child", "bvh_nodeid", "bvh_aabb", "oct_depth", "oct_child", "oct_aabb",
          "mesh_graph", "mesh_polynormal", "mesh_polyvertadr", "mesh_polyvertnum", "mesh_polyvert",
          "mesh_polymapadr", "mesh_polymapnum", "mesh_polymap"}
SEARCH_SIZES = {"nbvh", "nbvhstatic", "nbvhdynamic", "noct", "nmeshgraph", "nmeshpoly",
                "nmeshpolyvert", "nmeshpolymap"}


def array_difference(a, b, rtol):
    """(text of the worst difference) or None; an element's tolerance is relative to itself, and a
    thousandth of that to the largest in its array."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind == "S" or b.dtype.kind in "SU":
        return None if bytes(a) == bytes(b) else f"{bytes(a)[:60]} != {bytes(b)[:60]}"
    if a.size == b.size and a.tobytes() == b.astype(a.dtype, copy=False).tobytes():
        return None
    a, b = a.astype(float).ravel(), b.astype(float).ravel()
    if a.size != b.size:
        return f"{a.size} numbers, expected {b.size}"
    if not a.size:
        return None
    finite = np.abs(b[np.isfinite(b)])
    largest = finite.max() if finite.size else 0
    with np.errstate(invalid="ignore", over="ignore"):
        excess = np.abs(a - b) - (rtol * np.abs(b) + 1e-3 * rtol * largest + 1e-15)
    excess[(a == b) | (np.isnan(a) & np.isnan(b))] = -1
    excess[np.isnan(excess)] = np.inf
    at = int(np.argmax(excess))
    if excess[at] <= 0:
        return None
    return f"[{at}] {a[at]!r} != {b[at]!r} ({int((excess > 0).sum())} of {a.size} differ)"


def differences(our, m, search=True):
    """[(field, text)] of everything in our model that is not as in the oracle's."""
    found = []
    for name in harness.SCHEMA.sizes:
        if name in SKIPPED_SIZES or (not search and name in SEARCH_SIZES):
            continue
        if hasattr(m, name) and getattr(our, name) != getattr(m, name):
            found.append((name, f"{getattr(our, name)} != {getattr(m, name)}"))
    for group in ("opt", "vis", "stat"):
        for f in _members(getattr(our, group)):
            if f in ("rgba.bv", "rgba.bvactive"):
                continue  # the oracle's bindings do not show them
            a, b = _get(getattr(our, group), f), _get(getattr(m, group), f)
            rtol = 1e-6 if group == "vis" else 1e-9
            text = array_difference(np.ravel(a), np.ravel(b), rtol)
            if text:
                found.append((f"{group}.{f}", text))
    for f in harness.SCHEMA.arrays:
        if f.name in SKIPPED or (not search and f.name in SEARCH):
            continue
        if not getattr(our, f.name).size and f.name in ("text_data", "plugin_attr"):
            continue  # the oracle's bindings show a byte where there is none
        # the angle of a camera with a sensor is made in single precision by the platform's atan2f
        rtol = 1e-6 if f.ctype == "float" or (f.name == "cam_fovy" and our.cam_sensorsize.any()) else 1e-9
        ours_, theirs = getattr(our, f.name), getattr(m, f.name)
        if f.name == "mesh_normal":
            # unit vectors of floats: exact to a few roundings of 1, not of each component
            off = np.abs(ours_.astype(float) - theirs).max(initial=0) if ours_.shape == theirs.shape else 1
            text = f"off by {off:.1e}" if off > 3e-7 else None
        else:
            text = array_difference(ours_, theirs, rtol)
        if text:
            found.append((f.name, text))
    return found


def _members(struct, prefix=""):
    import ctypes

    for name, kind in struct._fields_:
        if isinstance(kind, type) and issubclass(kind, ctypes.Structure):
            yield from _members(getattr(struct, name), prefix + name + ".")
        else:
            yield prefix + name


def _get(struct, path):
    for name in path.split("."):
        if name == "global":
            name = "global" if hasattr(struct, "global") else "global_"
        struct = getattr(struct, name)
    return np.asarray(struct)


def main(pattern):
    import os
    import collections

    os.environ["SINEW_PARITY_MODELS"] = pattern
    fields, failed, same, total = collections.Counter(), [], 0, 0
    for name, path in harness.models().items():
        m = harness.oracle_model(path)
        if m is None:
            continue
        total += 1
        try:
            our = harness.load_ours(path)
        except harness.SinewError as problem:
            failed.append(name)
            print(f"FAILED {name}: {problem}")
            continue
        found = differences(our, m)
        same += not found
        fields.update(f for f, _ in found)
        if found:
            print(f"{name}:")
            for f, text in found[:40]:
                print(f"    {f}: {text}")
    print(f"{total} models, {same} the same, {len(failed)} not loaded")
    print(", ".join(f"{f} {n}" for f, n in fields.most_common()))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
