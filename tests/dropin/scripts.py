"""Runs the scripts of the folder beside this file and prints what each printed, one JSON line each.

    python scripts.py [NAME ...]

They are written as users write them, for `import mujoco`; tests run them on two packages and compare.
"""

import contextlib
import io
import json
import math
import pathlib
import re
import runpy
import sys
import traceback

FOLDER = pathlib.Path(__file__).parent / "scripts"
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\bnan\b|\binf\b", re.I)


def run(path):
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
    except Exception:
        printed.write("FAILED: " + traceback.format_exc())
    return printed.getvalue()


def compare(theirs, ours):
    """Two printed texts: the words equal, the numbers to 1e-6. None, or what differs first."""
    # arrays break their lines by the width of their numbers, and rounding may widen one
    theirs, ours = (re.sub(r"[\s\[\],]+", " ", text) for text in (theirs, ours))
    if NUMBER.sub("#", theirs) != NUMBER.sub("#", ours):
        return f"the words differ:\n{theirs}\n{ours}"
    for a, b in zip(NUMBER.findall(theirs), NUMBER.findall(ours)):
        x, y = float(a), float(b)
        if not (abs(x - y) <= 1e-6 * (1 + abs(x)) or (math.isnan(x) and math.isnan(y))):
            return f"{a} and {b}"
    return None


def main():
    sys.path.insert(0, str(FOLDER))
    names = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "models")
    for name in names:
        print(json.dumps({"name": name, "rows": run(FOLDER / f"{name}.py")}), flush=True)


if __name__ == "__main__":
    main()
