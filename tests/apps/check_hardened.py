#!/usr/bin/env python3
"""The libraries and the command are hardened: what readelf says of them.

check_hardened.py BUILD_FOLDER
"""

import pathlib
import platform
import re
import shutil
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1])
SONAME = {"libsinew.so": "libsinew.so.0", "compat/libmujoco.so.3.3.4": "libmujoco.so.3.3.4", "sinew": None}


def said(option, name):
    return subprocess.run(["readelf", option, "-W", BUILD / name], check=True, capture_output=True, text=True).stdout


if not shutil.which("readelf"):
    print("hardened: skipped, there is no readelf")
    sys.exit(77)
for name, soname in SONAME.items():
    dynamic, segments, symbols, notes = (said(option, name) for option in ("-d", "-l", "--dyn-syms", "-n"))
    assert "BIND_NOW" in dynamic or "NOW" in dynamic.split("FLAGS_1", 1)[-1], f"{name}: not bound when loaded"
    assert "GNU_RELRO" in segments, f"{name}: no RELRO"
    stack = next(line for line in segments.splitlines() if "GNU_STACK" in line)
    assert " RWE " not in stack, f"{name}: the stack can be executed"
    assert "__stack_chk_fail" in symbols, f"{name}: no stack protector"
    assert "__snprintf_chk" in symbols, f"{name}: no FORTIFY"
    assert "TEXTREL" not in dynamic, f"{name}: code is relocated"
    if platform.machine() == "x86_64":
        assert "SHSTK" in notes, f"{name}: no note of a shadow stack"
    # an empty entry would be the current folder
    for path in re.findall(r"R(?:UN)?PATH.*\[(.*)\]", dynamic):
        assert path == "$ORIGIN", f"{name}: libraries are looked for in {path}"
    if soname:
        assert f"[{soname}]" in dynamic, f"{name}: its soname is not {soname}\n{dynamic}"
