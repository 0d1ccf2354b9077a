"""Calls of every function of the package with wild arguments, on a model whose arrays and options are wild.

    python wild.py CALLS [SEED]     refused with an exception or done; a crash is a crash of the interpreter

Model and data are put back after every round. What is refused raises; nothing prints.
"""

import copy
import inspect
import pathlib
import re
import sys
import time

import numpy as np

import sinew

INTS = [-1, -2, 0, 1, 2, 3, 7, 100, 65536, 2**31 - 1, -(2**31), 2**31, 2**63, -(2**70)]
REALS = [0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e300, 1e11, 0.5]
# what ends the process, waits, writes files or changes the program itself
NOT = re.compile(r"mj_(saveModel|saveLastXML|print\w*|loadPlugin\w*|loadAll\w*|setLengthRange)|mju_(print\w*|writeLog)|set_mj\w+|get_mj\w+|_\w+")


def text():
    """The model of tests/fuzz/everything.h."""
    source = (pathlib.Path(__file__).resolve().parents[1] / "fuzz/everything.h").read_text()
    body = source[source.index("kEverything[]") : source.index("static const char kSmall")]
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', body))


class Wild:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.m = sinew.MjModel.from_xml_string(text())
        self.pristine = copy.copy(self.m)
        self.small = sinew.MjModel.from_xml_string("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
        self.d, self.other = sinew.MjData(self.m), sinew.MjData(self.small)
        self.things = [
            sinew.MjvScene(self.m, 100), sinew.MjvCamera(), sinew.MjvOption(), sinew.MjvPerturb(), sinew.MjOption(), sinew.MjvFigure(),
            sinew.MjvGeom(), sinew.MjvGLCamera(), sinew.MjVisual() if hasattr(sinew, "MjVisual") else None,
        ]
        self.functions = [(n, f) for n, f in vars(sinew._sinew).items() if re.match(r"mj[duv]?_", n) and callable(f) and not NOT.fullmatch(n)]
        self.arrays = [n for n in dir(self.m) if isinstance(getattr(self.m, n), np.ndarray) and getattr(self.m, n).size]
        self.held = {n: np.array(getattr(self.m, n)) for n in self.arrays}
        self.ints = [n for n in self.arrays if getattr(self.m, n).dtype.kind in "iu"]
        self.options = [n for n in dir(self.m.opt) if not n.startswith("_") and np.isscalar(getattr(self.m.opt, n))]
        self.refused = self.done = 0

    def pick(self, items):
        return items[self.random.integers(len(items))]

    def argument(self, name):
        roll = self.random.random()
        if name == "m" and roll < 0.9:
            return self.m if roll < 0.85 else self.small
        if name == "d" and roll < 0.9:
            return self.d if roll < 0.85 else self.other
        if name == "nstep":  # as many steps as are asked for are made
            return self.pick([-1, 0, 1, 3])
        if roll < 0.03:
            return None
        kind = self.random.integers(6)
        if kind == 0:
            return self.pick(INTS)
        if kind == 1:
            return self.pick(REALS)
        if kind == 2:
            return self.pick(self.things)
        if kind == 3:
            return self.pick(["", "body1", "x" * 1000, "\0", b"\xff"])
        size = self.pick([0, 1, 2, 3, 4, 6, 9, 10, self.m.nv, self.m.nq, 3 * self.m.nv, self.m.nv**2, self.m.nM])
        shape = self.pick([(size,), (size, 1), (3, size), (size, size) if size < 50 else (size,)])
        if kind == 4:
            return np.asarray(self.random.choice(REALS, size=shape))
        return np.asarray(self.random.integers(-3, 9, size=shape), dtype=np.int32)

    def call(self):
        name, function = self.pick(self.functions)
        found = re.search(r"\((.*?)\) ->", function.__doc__ or "")
        names = [p.split(":")[0].strip() for p in re.split(r", (?=\w+:)", found[1])] if found and found[1] else []
        try:
            function(*[self.argument(n) for n in names])
            self.done += 1
        except (TypeError, ValueError, RuntimeError, OverflowError, IndexError, sinew.FatalError):
            self.refused += 1

    def change(self):
        what = self.random.integers(6)
        try:
            if what < 2:
                array = getattr(self.m, self.pick(self.ints))
                array.reshape(-1)[self.random.integers(array.size)] = self.pick([v for v in INTS if abs(v) < 2**31 and (v >= 0 or array.dtype.kind == "i") and v < 2 ** (8 * array.itemsize - 1)])
            elif what == 2:
                setattr(self.m.opt, self.pick(self.options), self.pick(INTS[:10] + REALS))
            elif what == 3:
                thing = self.pick(self.things)
                names = [n for n in dir(thing) if not n.startswith("_") and np.isscalar(getattr(thing, n))]
                setattr(thing, self.pick(names), self.pick(INTS + REALS))
            elif what == 4:
                names = [n for n in dir(self.d) if not n.startswith("_") and isinstance(getattr(self.d, n), np.ndarray) and getattr(self.d, n).size]
                array = getattr(self.d, self.pick(names))
                array.reshape(-1)[self.random.integers(array.size)] = self.pick(INTS[:8])
        except (TypeError, ValueError, AttributeError, OverflowError):
            pass

    def restore(self):
        for name in self.arrays:
            array = getattr(self.m, name)
            if array.flags.writeable:
                array[...] = self.held[name]
        for name in self.options:
            setattr(self.m.opt, name, getattr(self.pristine.opt, name))
        self.m.opt.iterations = 20
        self.d = sinew.MjData(self.m)

    def round(self):
        self.change()
        for name in ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints"):
            if getattr(self.m.opt, name) > 50:
                setattr(self.m.opt, name, 50)
        for _ in range(20):
            self.call()
        self.restore()


def main(calls, seed):
    wild, slowest = Wild(seed), 0.0
    while wild.done + wild.refused < calls:
        start = time.perf_counter()
        wild.round()
        slowest = max(slowest, time.perf_counter() - start)
    print(f"{wild.done} calls done, {wild.refused} refused, the slowest round took {slowest:.2f} s")
    return int(not wild.done or not wild.refused)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
