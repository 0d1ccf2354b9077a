#!/usr/bin/env python3
"""The engine inside a wheel gives the golden bits: the module of each wheel runs the trajectories of tests/golden, on its
own C library and, in emulation, on its own processor.

    tests/packages/bits.py WHEEL ...

A module for Python asks for functions of Python, which no trajectory calls: the program has their names.
Exits with 77 when an emulator or a compiler (ziglang) is not there.
"""

import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
GOLDEN = ROOT / "tests/golden"
HOW = ("walkers.xml:admm-ncp walkers.xml:pgs-ncp fourbar.xml:implicit fourbar.xml:barrier fourbar.xml:maximal chain.xml:maximal "
       "walkers.xml:derive fourbar.xml:derive fish.xml:derive").split()  # fmt: skip
MODELS = ["figure", *sorted(map(str, (GOLDEN / "models").glob("*.xml"))), *(str(GOLDEN / "models" / how) for how in HOW), "figure:derive"]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def output(*command):
    return run(*command, stdout=subprocess.PIPE, text=True).stdout


def zig():
    python = pathlib.Path.home() / ".cache/sinew/wheels/bin/python"
    for candidate in (str(python), sys.executable):
        if shutil.which(candidate) and not subprocess.run([candidate, "-c", "import ziglang"], capture_output=True).returncode:
            return [candidate, "-m", "ziglang"]
    print("bits: no ziglang (tools/wheels installs it)")
    sys.exit(77)


def check(wheel, compiler, work):
    processor = re.search(r"(x86_64|aarch64)\.whl$", wheel.name)[1]
    musl = "musllinux" in wheel.name
    zipfile.ZipFile(wheel).extractall(work)
    module = work / "sinew/_sinew.abi3.so"
    undefined = re.findall(r"\bU (_?Py\w+)", output("nm", "-D", "--undefined-only", module))
    (work / "names.c").write_text("".join(f"char {name}[64];\n" for name in undefined))
    target = f"{processor}-linux-" + ("musl" if musl else "gnu.2.31")
    cc = [*compiler, "cc", "-target", target, "-O1", "-w"]
    program = work / "trajectory"
    dynamic = ["-dynamic"] if musl else []
    run(*cc, *dynamic, "-std=gnu17", f"-I{ROOT}/include", GOLDEN / "trajectory.c", work / "names.c", module, "-rdynamic",
        f"-Wl,-rpath,{work}/sinew", "-lm", "-o", program)  # fmt: skip
    start = []
    if processor != platform.machine():
        emulator = shutil.which(f"qemu-{processor}") or shutil.which(f"qemu-{processor}-static")
        if not emulator:
            print(f"bits: no qemu-{processor} (package qemu-user)")
            sys.exit(77)
        root = output(ROOT / "tools/sysroot", DEBIAN[processor], "musl" if musl else "bullseye").strip()
        start = [emulator, "-L", root]
    elif musl:
        root = output(ROOT / "tools/sysroot", DEBIAN[processor], "musl").strip()
        start = [f"{root}/lib/{processor}-linux-musl/libc.so"]  # the loader
    found = output(*start, program, 1000, *MODELS)
    if found != (GOLDEN / "trajectories.txt").read_text():
        print(found)
        sys.exit(f"bits: {wheel.name} differs from tests/golden/trajectories.txt")
    print(f"{wheel.name}: {len(MODELS)} trajectories of 1000 steps, the golden bits", flush=True)


def main():
    compiler = zig()
    for wheel in map(pathlib.Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as work:
            check(wheel.resolve(), compiler, pathlib.Path(work))


if __name__ == "__main__":
    main()
