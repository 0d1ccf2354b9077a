"""Programs compiled and linked for the released library, run on it and then on ours.

Both runs print the same words, and numbers that agree to the digits printed (1e-6 where contacts were stepped through).
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from test_dropin import LIBRARY, PACKAGE

HERE = pathlib.Path(__file__).parent / "programs"
HUMANOID = pathlib.Path(os.environ.get("SINEW_MODELS", HERE.parents[3] / "shared/models")) / "mujoco/humanoid/humanoid.xml"


def build(source, folder):
    compiler = shutil.which("c++" if source.suffix == ".cc" else "cc")
    if not compiler:
        pytest.skip("there is no compiler")
    program = folder / source.stem
    warnings = ["-Wall", "-Werror", "-Wno-unused-parameter"]
    done = subprocess.run(
        [compiler, "-O1", *warnings, f"-I{PACKAGE / 'include'}", str(source), "-o", str(program), f"-L{PACKAGE}",
         "-l:libmujoco.so.3.3.4", "-lpthread", "-lm"],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    return program


def run(program, library, folder):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(library))
    folder.mkdir()
    done = subprocess.run([str(program), str(HUMANOID)], capture_output=True, text=True, env=environment, cwd=folder, timeout=60)
    assert done.returncode == 0, f"{library}: exit {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-500:]}"
    return done.stdout.split()


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.c*")))
def test_program(name, tmp_path):
    if name in ("speed.c", "compile.c") and not HUMANOID.exists():
        pytest.skip(f"{HUMANOID} is not there (SINEW_MODELS)")
    program = build(HERE / name, tmp_path)
    theirs, ours = (run(program, where, tmp_path / str(i)) for i, where in enumerate((PACKAGE, LIBRARY.parent)))
    assert len(theirs) > 5 and len(ours) == len(theirs), f"{ours}\n{theirs}"
    number = re.compile(r"[-+0-9.e]+|[-+]?nan|[-+]?inf")
    for found, expected in zip(ours, theirs):
        if number.fullmatch(expected) and expected not in "-+.e":
            assert float(found) == pytest.approx(float(expected), rel=1e-6, abs=2e-6), (found, expected)
        else:
            assert found == expected


def exports(library):
    """Kind and, of objects, size of what a library shows, by name."""
    if not shutil.which("readelf"):
        pytest.skip("there is no readelf")
    lines = subprocess.run(["readelf", "--dyn-syms", "-W", str(library)], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in lines.splitlines())
    shown = [row for row in rows if len(row) > 7 and row[4] in ("GLOBAL", "WEAK") and row[6] != "UND"]
    kinds = {row[7].split("@")[0]: (row[3].removeprefix("I"), int(row[2], 0)) for row in shown}
    return {name: (kind, 0 if kind == "FUNC" else size) for name, (kind, size) in kinds.items()}


def test_exports():
    """Functions, tables, callback pointers and thread-local hooks as released; no names that a program may use itself."""
    theirs, ours = exports(PACKAGE / "libmujoco.so.3.3.4"), exports(LIBRARY)
    theirs = {name: kind for name, kind in theirs.items() if name.startswith(("mj", "_mj"))}
    assert len(theirs) > 600
    assert {name: ours.get(name) for name in theirs} == theirs
    assert [name for name in ours if not name.startswith(("mj", "_mj", "sn_"))] == []


def test_drawing(tmp_path):
    """A program that draws offscreen, linked for the released library, runs on ours without a context of OpenGL."""
    if not HUMANOID.exists():
        pytest.skip(f"{HUMANOID} is not there (SINEW_MODELS)")
    program = build(HERE / "drawn/offscreen.c", tmp_path)
    words = run(program, LIBRARY.parent, tmp_path / "run")
    expected = "buffer 1 size 320 240 colours 1 depth 1 overlay 1 figure 1 ids 1 outside 0 auxiliary 85 error 0"
    assert " ".join(words) == expected
