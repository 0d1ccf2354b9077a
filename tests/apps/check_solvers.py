#!/usr/bin/env python3
"""sinew solvers: records, solves and reports; solves recorded samples to the same numbers.

check_solvers.py COMMAND
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SINEW = str(pathlib.Path(sys.argv[1]).resolve())


def run(folder, *arguments, code=0):
    done = subprocess.run([SINEW, "solvers", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stderr}"
    return done


def results(path):
    """Every row but its time."""
    with open(path) as f:
        return [{k: v for k, v in row.items() if k != "us"} for row in csv.DictReader(f)]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    chosen = ["--solvers", "admm-ncp,pgs-ncp,raisim"]
    run(folder, "--systems", "nunchuk,fourbar-free", "--seconds", "0.2", "--samples", "2", "--out", "a", *chosen)
    run(folder, "--read", "a/samples.bin", "--out", "b", *chosen)
    first, again = results(folder / "a/results.csv"), results(folder / "b/results.csv")
    assert len(first) >= 3 * 6 and first == again
    assert {row["system"] for row in first} == {"nunchuk", "fourbar-free"}
    assert any(int(row["contacts"]) > 0 for row in first)
    assert max(float(row["r_nat"]) for row in first if row["solver"] == "admm-ncp") < 1e-5

    page = (folder / "a/report.html").read_text()
    plots = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(plots) == 6 and "http" not in page and "nan" not in page
    for plot in plots:
        xml.etree.ElementTree.fromstring(plot)

    assert "no system 'lamp'" in run(folder, "--systems", "lamp", code=2).stderr
    assert "no solver 'magic'" in run(folder, "--solvers", "magic", code=2).stderr
    (folder / "broken.bin").write_bytes(b"SNDUAL02" + bytes(40))
    run(folder, "--read", "broken.bin", code=1)
    run(folder, "--write", "models")
    assert len(list((folder / "models").glob("*.xml"))) == 13
