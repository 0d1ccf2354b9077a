#!/usr/bin/env python3
"""Writes the import library of python3.dll, Python's stable interface on Windows, for the names that objects ask for.

    tools/python3_library.py --nm NM --dlltool DLLTOOL OUT OBJECT ...
"""

import argparse
import pathlib
import re
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", required=True)
    parser.add_argument("--dlltool", required=True)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("objects", nargs="+")
    given = parser.parse_args()
    symbols = subprocess.run([given.nm, "-u", *given.objects], check=True, capture_output=True, text=True).stdout
    # "__imp_" stands before the names of data, and of functions that are called through the table of imports
    names = {"_" + name if under else name for under, name in re.findall(r"\bU (?:__imp_)?(_)?(Py\w+)", symbols)}
    data = {name for name in names if re.match(r"_?Py\w*_Type$|PyExc_|_Py_\w+Struct$", name)}
    exports = "".join(f"  {name}{' DATA' if name in data else ''}\n" for name in sorted(names))
    definition = given.out.with_suffix(".def")
    definition.write_text(f"LIBRARY python3.dll\nEXPORTS\n{exports}")
    subprocess.run([given.dlltool, "-m", "i386:x86-64", "-d", definition, "-l", given.out], check=True)


if __name__ == "__main__":
    main()
