#!/usr/bin/env python3
"""The engine inside a wheel gives the golden bits: the module of each wheel runs the trajectories of tests/golden, on its
own C library and, in emulation, on its own processor.

    tests/packages/bits.py WHEEL ...

A module for Python asks for functions of Python, which no trajectory calls: the program has their names. The module for
Windows runs in Wine. Exits with 77 when an emulator or a compiler (ziglang, mingw-w64) is not there.
"""

import os
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


def found_in(places, package):
    """The first of some programs that is there."""
    for place in places:
        if shutil.which(place):
            return place
    print(f"bits: no {places[0]} (package {package})")
    sys.exit(77)


def check_windows(wheel, work):
    cc = found_in(["x86_64-w64-mingw32-gcc-posix"], "gcc-mingw-w64-x86-64")
    wine = found_in(["wine64", "/usr/lib/wine/wine64"], "wine64")
    zipfile.ZipFile(wheel).extractall(work)
    module = work / "sinew/_sinew.pyd"
    imports = output("x86_64-w64-mingw32-objdump", "-p", module)
    names = re.findall(r"\b(_?Py\w+)$", imports.split("DLL Name: python3.dll")[1].split("DLL Name:")[0], re.M)
    (work / "names.c").write_text("".join(f"char {name}[64];\n" for name in names))
    run(cc, "-shared", "-Wl,--export-all-symbols", work / "names.c", "-o", work / "python3.dll")
    shutil.copy(module, work)
    run(cc, "-O1", "-w", "-std=gnu17", f"-I{ROOT}/include", GOLDEN / "trajectory.c", work / "_sinew.pyd", "-static", "-lm", "-o", work / "trajectory.exe")
    environment = {**os.environ, "WINEPREFIX": str(work / "wine"), "WINEDEBUG": "-all"}
    return run(wine, work / "trajectory.exe", 1000, *MODELS, env=environment, stdout=subprocess.PIPE).stdout.decode().replace("\r", "")


def check(wheel, compiler, work):
    if wheel.name.endswith("win_amd64.whl"):
        return compare(wheel, check_windows(wheel, work))
    if "macosx" in wheel.name:
        return print(f"{wheel.name}: not run, there is no emulator of macOS")
    processor = re.search(r"(x86_64|aarch64)\.whl$", wheel.name)[1]
    musl = "musllinux" in wheel.name
    zipfile.ZipFile(wheel).extractall(work)
    module = work / "sinew/_sinew.abi3.so"
    undefined = re.findall(r"\bU (_?Py\w+)", output("nm", "-D", "--undefined-only", module))
    (work / "names.c").write_text("".join(f"char {name}[64];\n" for name in undefined))
    target = f"{processor}-linux-" + ("musl" if musl else "gnu.2.31")
    cc = [*compiler, "cc", "-target", target, "-O1", "-w", "-ffp-contract=off"]  # the program makes controls, to the bit
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
    compare(wheel, output(*start, program, 1000, *MODELS))


def compare(wheel, found):
    if found != (GOLDEN / "trajectories.txt").read_text():
        print(found)
        sys.exit(f"bits: {wheel.name} differs from tests/golden/trajectories.txt")
    print(f"{wheel.name}: {len(MODELS)} trajectories of 1000 steps, the golden bits", flush=True)


def main():
    compiler = zig() if any("linux" in wheel for wheel in sys.argv[1:]) else []
    for wheel in map(pathlib.Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as work:
            check(wheel.resolve(), compiler, pathlib.Path(work))


if __name__ == "__main__":
    main()
