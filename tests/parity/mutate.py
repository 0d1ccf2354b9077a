"""Valid models with one or two mistakes in them, from a seed: what is refused must be refused by both.

    python mutate.py FIRST COUNT      prints the models on which the two engines disagree
"""

import ctypes
import os
import random
import signal
import sys
import xml.etree.ElementTree as ET

import generate
import harness
import mujoco

NUMBERS = ["-1", "0", "1e30", "-1e30", "nan", "inf", "1e-300", "2147483648", "-2147483649", "1e999", "0.5", "3"]
WORDS = ["", " ", "x", "true", "auto", "world", "1 2", "1,2", "0x10", "1.5.2", "--1", "1e", "+1", "1 x", "é", "main"]
# seeds of the generator that make valid models
VALID = [0, 3, 4, 5, 6, 11, 12, 13, 14, 15, 21, 22, 24, 34, 39, 40, 42, 43, 45, 46, 47, 49, 51, 52, 56, 58, 65, 67]


class Mutator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.files = generate.Maker(self.rng.choice(VALID)).files()

    def mutated(self):
        """The files with a few mistakes in one of them."""
        name = self.rng.choice(sorted(self.files))
        root = ET.fromstring(self.files[name])
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            self.mistake(root)
        return {**self.files, name: ET.tostring(root, "unicode")}

    def mistake(self, root):
        elements = list(root.iter())
        at = self.rng.choice(elements)
        parents = {child: parent for parent in elements for child in parent}
        with_attributes = [e for e in elements if e.attrib]
        kind = self.rng.randrange(12)
        if kind < 7 and with_attributes:
            self.attribute(self.rng.choice(with_attributes), elements)
        elif kind == 7 and at in parents:
            parents[at].remove(at)
        elif kind == 8 and at in parents:
            parents[at].insert(self.rng.randrange(len(parents[at]) + 1), ET.fromstring(ET.tostring(at)))
        elif kind == 9 and at in parents:
            to = self.rng.choice(elements)
            if to not in at.iter():
                parents[at].remove(at)
                to.append(at)
        elif kind == 10:
            at.tag = self.rng.choice([e.tag for e in elements] + ["geon", "Body"])
        else:
            other = self.rng.choice(elements)
            if other.attrib:
                key = self.rng.choice(sorted(other.attrib))
                at.set(key, other.get(key))

    def attribute(self, element, elements):
        key = self.rng.choice(sorted(element.attrib))
        value = element.get(key)
        parts = value.split()
        kind = self.rng.randrange(8)
        if kind == 0:
            del element.attrib[key]
        elif kind == 1 and parts:
            element.set(key, " ".join(parts[:-1]))
        elif kind == 2:
            element.set(key, value + " " + self.rng.choice(parts or ["1"]))
        elif kind == 3:
            element.set(key, self.rng.choice(WORDS))
        elif kind == 4:
            del element.attrib[key]
            element.set(key[:-1] or "a", value)
        elif kind == 5 and parts:
            parts[self.rng.randrange(len(parts))] = self.rng.choice(NUMBERS)
            element.set(key, " ".join(parts))
        elif kind == 6 and parts:
            i = self.rng.randrange(len(parts))
            parts[i] = parts[i][1:] if parts[i].startswith("-") else "-" + parts[i]
            element.set(key, " ".join(parts))
        else:
            same = [e.get(key) for e in elements if e.get(key)]
            element.set(key, self.rng.choice(same))


def accepted(files):
    """(ours, theirs): None, or the message with which each refuses."""
    vfs = ctypes.create_string_buffer(8 << 10)
    harness.call("mj_defaultVFS", vfs)
    for name, text in files.items():
        content = text.encode()
        harness.call("mj_addBufferVFS", vfs, name, content, len(content), restype=ctypes.c_int)
    error = ctypes.create_string_buffer(1024)
    address = harness.call("mj_loadXML", "main.xml", vfs, error, len(error), restype=ctypes.c_void_p)
    harness.call("mj_deleteVFS", vfs)
    ours = None if address else error.value.decode(errors="replace")
    if address:
        harness.Model(address)
    try:
        mujoco.MjModel.from_xml_string(files["main.xml"], {k: v.encode() for k, v in files.items() if k != "main.xml"})
        theirs = None
    except Exception as problem:
        theirs = str(problem)
    return ours, theirs


def verdicts(seeds):
    """{seed: (ours, theirs)} or "crash" where the released engine ends the process."""
    results, left = {}, list(seeds)
    while left:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)
            os.dup2(null, 1)
            for seed in left:
                signal.alarm(4)
                os.write(write, (repr((seed, accepted(Mutator(seed).mutated()))) + "\n").encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read, errors="replace") as lines:
            for line in lines:
                seed, verdict = eval(line)
                results[seed] = verdict
        _, status = os.waitpid(child, 0)
        left = [seed for seed in left if seed not in results]
        if status and left:
            results[left.pop(0)] = "crash"
    return results


def main(first, count):
    found = verdicts(range(first, first + count))
    both = sum(v != "crash" and v[0] is None and v[1] is None for v in found.values())
    print(f"{both} accepted, {sum(v != 'crash' and v[0] is not None and v[1] is not None for v in found.values())} refused,"
          f" {sum(v == 'crash' for v in found.values())} crashes of theirs")
    for seed, verdict in sorted(found.items()):
        if verdict != "crash" and (verdict[0] is None) != (verdict[1] is None):
            print(seed, "OURS:" if verdict[0] else "THEIRS:", " ".join((verdict[0] or verdict[1]).split()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
