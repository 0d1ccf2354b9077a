"""Both engines on one model of text: what differs, and the smallest model on which it does.

    python differ.py [first seed [number]]      looks for differences, shrinks and prints them
"""

import ctypes
import faulthandler
import os
import pathlib
import signal
import sys
import tempfile
import xml.etree.ElementTree as ET

import compiled
import generate
import harness
import mujoco

def write(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return path.parent / "main.xml" if len(files) == 1 else pathlib.Path(folder, "main.xml")


def ours(path):
    mark(b"o")
    try:
        return harness.load_ours(path), None
    except harness.SinewError as problem:
        return None, str(problem)


def theirs(path):
    mark(b"t")
    try:
        return mujoco.MjModel.from_xml_path(str(path)), None
    except (ValueError, mujoco.FatalError) as problem:
        return None, str(problem)
    finally:
        mark(b"o")


def isolated(test):
    """The test in a process of its own, for an engine may crash: [("crash of ours|theirs", signal)]."""
    def run(*arguments):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            faulthandler.disable()
            signal.alarm(20)
            global _marker
            _marker = writer
            try:
                text = repr(test(*arguments))
            except BaseException as problem:
                text = repr([("exception", repr(problem))])
            os.write(writer, b"\0" + text[:60000].encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        marks, _, text = said.partition(b"\0")
        if status:
            return [(f"crash of {'theirs' if marks[-1:] == b't' else 'ours'}", f"status {status}")]
        return eval(text)  # what repr wrote, of lists and strings

    return run


_marker = None


def mark(side):
    if _marker is not None:
        os.write(_marker, side)


def load(files):
    """(our model, our error, their model, their error)"""
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, files)
        return (*ours(path), *theirs(path))


def different(files):
    """[(field, text)]; the field is `accepted` or `refused` when the engines do not agree on that."""
    our, problem, m, refusal = load(files)
    if (our is None) != (m is None):
        return [("refused", problem)] if our is None else [("accepted", refusal)]
    return [(f, text) for f, text in compiled.differences(our, m) if f not in compiled.SEARCH] if our else []


def saved(files):
    """[(step, text)] of saving: ours reloads as itself, theirs reads ours, ours reads theirs."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, files)
        m, _ = theirs(path)
        our, _ = ours(path)
        if m is None or our is None:
            return []
        found = []
        error = ctypes.create_string_buffer(1000)
        mine, yours = pathlib.Path(folder, "mine.xml"), pathlib.Path(folder, "yours.xml")
        spec = harness.call("mj_parseXML", path, None, error, len(error), restype=ctypes.c_void_p)
        made = harness.Model(harness.call("mj_compile", spec, None, restype=ctypes.c_void_p))
        if harness.call("mj_saveXML", spec, mine, error, len(error), restype=ctypes.c_int):
            return [("save", error.value.decode())]
        harness.call("mj_deleteSpec", spec)
        again, problem = ours(mine)
        if again is None:
            return [("reload", problem)]
        found += [("reload " + f, t) for f, t in compiled.differences(again, m, search=False)]
        their, problem = theirs(mine)
        if their is None:
            return [("theirs reads ours", problem)]
        found += [("theirs reads ours " + f, t) for f, t in compiled.differences(our, their, search=False)]
        mujoco.MjModel.from_xml_path(str(path))
        mujoco.mj_saveLastXML(str(yours), m)
        their, _ = theirs(yours)
        if their is not None:
            read, problem = ours(yours)
            if read is None:
                return found + [("ours reads theirs", problem)]
            found += [("ours reads theirs " + f, t) for f, t in compiled.differences(read, their, search=False)]
        return found


def shrink(files, key, test=different):
    """Removes elements and attributes from the files for as long as the difference `key` stays."""
    def holds(candidate):
        return any(f == key for f, _ in test(candidate))

    for name in sorted(files, key=lambda n: n == "main.xml"):
        if name != "main.xml" and name in files:
            candidate = {k: v for k, v in files.items() if k != name}
            if holds(candidate):
                files = candidate
    for name in list(files):
        if not files[name].startswith("<"):
            continue
        changed = True
        while changed:
            changed = False
            at = 0
            while True:
                root = ET.fromstring(files[name])
                spots = [(p, c) for p in root.iter() for c in list(p)]
                if at >= len(spots):
                    break
                parent, child = spots[at]
                parent.remove(child)
                candidate = {**files, name: ET.tostring(root, "unicode")}
                if holds(candidate):
                    files, changed = candidate, True
                    continue
                index = at
                root = ET.fromstring(files[name])
                parent, child = [(p, c) for p in root.iter() for c in list(p)][index]
                if child.tag in ("frame", "replicate", "body", "default") and len(child):  # its content in its place
                    place = list(parent).index(child)
                    parent.remove(child)
                    for k, inner in enumerate(list(child)):
                        parent.insert(place + k, inner)
                    candidate = {**files, name: ET.tostring(root, "unicode")}
                    if holds(candidate):
                        files, changed = candidate, True
                        continue
                at += 1
            for index in range(len(list(ET.fromstring(files[name]).iter()))):
                for attribute in list(list(ET.fromstring(files[name]).iter())[index].attrib):
                    root = ET.fromstring(files[name])
                    list(root.iter())[index].attrib.pop(attribute)
                    candidate = {**files, name: ET.tostring(root, "unicode")}
                    if holds(candidate):
                        files, changed = candidate, True
    return files


def pretty(files):
    result = []
    for name, text in files.items():
        root = ET.fromstring(text)
        ET.indent(root)
        result.append(f"--- {name}\n" + ET.tostring(root, "unicode"))
    return "\n".join(result)


def main(first, number, test, seen):
    accepted = 0
    for seed in range(first, first + number):
        files = generate.Maker(seed).files()
        print(f"seed {seed}", end="\r", file=sys.stderr, flush=True)
        found = test(files)
        accepted += isolated(lambda: load(files)[2] is not None)() is True
        for key, text in found:
            if key in seen:
                continue
            seen.add(key)
            small = shrink(files, key, test)
            print(f"\n=== seed {seed}: {key}: {dict(test(small)).get(key)}\n{pretty(small)}", flush=True)
            break
    print(f"\n{accepted} of {number} are valid")


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:3]]
    main(*(numbers + [0, 100][len(numbers):]), isolated(saved if "saved" in sys.argv else different), set())
