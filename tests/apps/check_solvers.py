#!/usr/bin/env python3
"""sinew solvers: records, solves and reports; solves recorded samples to the same numbers. sinew paper: a page each.

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


def run(folder, *arguments, code=0, command="solvers"):
    done = subprocess.run([SINEW, command, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stderr}"
    return done


def results(path):
    """Every row but its time."""
    with open(path) as f:
        return [{k: v for k, v in row.items() if not k.startswith("us")} for row in csv.DictReader(f)]


def check_page(path, least):
    """No file besides itself, no missing number, plots that are XML."""
    page = re.sub(r"base64,[^']*", "", path.read_text())
    plots = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(plots) >= least and "http" not in page and "nan" not in page, (path, len(plots))
    for plot in plots:
        xml.etree.ElementTree.fromstring(plot)
    return page


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    chosen = ["--solvers", "admm-ncp,pgs-ncp,raisim", "--quick", "--repeats", "2"]
    run(folder, "--systems", "nunchuk,fourbar-free", "--seconds", "0.2", "--samples", "2", "--out", "a", *chosen)
    run(folder, "--read", "a/samples.bin", "--out", "b", *chosen)
    first, again = results(folder / "a/results.csv"), results(folder / "b/results.csv")
    assert len(first) >= 3 * 6 and first == again
    assert {row["system"] for row in first} == {"nunchuk", "fourbar-free"}
    assert any(int(row["contacts"]) > 0 for row in first)
    assert max(float(row["r_nat"]) for row in first if row["solver"] == "admm-ncp") < 1e-5

    page = check_page(folder / "a/report.html", 5)
    assert "What follows" in page and page.count("<img") == 2
    assert "no study" not in run(folder, "--read", "a/samples.bin", "--study", "warmstart", "--solvers", "pgs-ncp").stdout
    assert "expected one of" in run(folder, "--study", "magic", code=2).stderr
    # contact in at least half of the samples of a fixed system, and of a system with shells
    run(folder, "--systems", "fourbar-fixed,misha", "--out", "c", "--solvers", "admm-ncp", "--quick")
    for system in ("fourbar-fixed", "misha"):
        rows = [row for row in results(folder / "c/results.csv") if row["system"] == system]
        assert 2 * sum(int(row["contacts"]) > 0 for row in rows) >= len(rows) >= 10, system

    found = run(folder, "2014-2", "-o", "p.html", command="paper").stdout
    assert float(found.split()[4]) < 1e-5, found
    check_page(folder / "p.html", 2)
    found = run(folder, "trajectory", "-o", "t.html", command="paper").stdout
    check_page(folder / "t.html", 1)
    turned, played = (float(x) for x in re.search(r"turns by ([-\d.]+) rad, played forward by ([-\d.]+)", found).groups())
    assert abs(turned - 0.6) < 0.01 and abs(played - turned) < 0.05, found
    assert (folder / "t.npz").stat().st_size > 1000
    assert "none of 2014-2" in run(folder, "1999", code=2, command="paper").stderr

    assert "no system 'lamp'" in run(folder, "--systems", "lamp", code=2).stderr
    assert "no solver 'magic'" in run(folder, "--solvers", "magic", code=2).stderr
    (folder / "broken.bin").write_bytes(b"SNDUAL02" + bytes(40))
    run(folder, "--read", "broken.bin", code=1)
    run(folder, "--write", "models")
    assert len(list((folder / "models").glob("*.xml"))) == 13
