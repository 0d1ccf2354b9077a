#!/usr/bin/env python3
"""The sinew command as a stranger meets it: help, wrong arguments, files that cannot be written,
models with several mistakes, names in what it writes.

check_usage.py COMMAND
"""

import csv
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

SINEW = str(pathlib.Path(sys.argv[1]).resolve())
COMMANDS = ("run", "render", "info", "check", "convert", "inverse", "linearize", "example", "solvers", "paper", "sweep", "bench")
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def run(*arguments, code=0, cwd=None):
    """(stdout, stderr) of the command."""
    done = subprocess.run([SINEW, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=120)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def narrow(text):
    """Fits a terminal of 80 columns."""
    for line in text.splitlines():
        assert len(line) <= 80, f"{len(line)} columns: {line}"


def help_texts(folder):
    out, _ = run("help")
    narrow(out)
    for name in COMMANDS:
        assert re.search(rf"^  sinew {name}\b", out, re.M), name
        texts = [run(*words)[0] for words in (("help", name), (name, "--help"), (name, "-h"), (name, "x", "--help"))]
        assert len(set(texts)) == 1 and texts[0].startswith(f"usage: sinew {name}"), texts
        assert len(texts[0].splitlines()) > 3, texts[0]
        narrow(texts[0])
        # wrong usage is told on stderr, with what was wrong and where more is said
        _, err = run(name, "--no-such-option", code=2)
        assert f"sinew {name}: " in err and f"sinew help {name}" in err, err
    assert out == run("--help")[0] == run("-h")[0]
    assert "unknown command 'chek'" in run("chek", code=2)[1]
    assert "unknown command 'chek'" in run("help", "chek", code=2)[1]
    run(code=2)
    version = re.search(r'SN_VERSION "([\d.]+)"', pathlib.Path("include/sinew/version.h").read_text())[1]
    assert run("--version")[0] == f"sinew {version} (interface of MuJoCo 3.3.4)\n"


def wrong_values(folder):
    for option, value, said in (
        ("--duration", "long", "expected a number"), ("--duration", "nan", "expected a number"), ("--duration", "-1", "expected"),
        ("--threads", "0", "expected"), ("--integrator", "magic", "implicitfast"), ("--solver", "magic", "admm-ncp"),
        ("--key", "7", "the model has 0 keyframes"), ("--key", "home", "no keyframe 'home'"),
    ):
        _, err = run("run", option, value, code=2)
        assert said in err, err
        assert run("run", f"{option}={value}", code=2)[1] == err
    for name in (".", folder, "sub/.."):  # a folder is said to be one
        out = run("check", name, code=1, cwd=folder)[0]
        assert "'': " not in out and "it is not a regular file" in out, out
    assert "one model at a time" in run("run", "a.xml", "b.xml", code=2)[1]
    assert "python -m sinew sweep" in run("sweep", "study.toml", code=2)[1]
    assert "'soon'" in run("solvers", "--seconds", "soon", code=2)[1]


def example(folder):
    run("example", folder / "robot.xml")
    assert "sinew figure" in run("info", folder / "robot.xml")[0]
    before = (folder / "robot.xml").read_bytes()
    assert "there already" in run("example", folder / "robot.xml", code=1)[1]
    assert (folder / "robot.xml").read_bytes() == before
    assert run("example", "-")[0].encode() == before


def demo(folder):
    """What `make demo` shows names its model and says what the numbers are."""
    out, _ = run("run", "--duration", "0.5")
    narrow(out)
    for said in ("model +the built-in figure", "degrees of freedom", "simulated +0.5 s", "steps per second", "times real time",
                 "J at the start", "warnings +none"):
        assert re.search(said, out), f"{said}\n{out}"
    out, _ = run("run", folder / "robot.xml", "--duration", "0.1")
    assert re.search(r"model +sinew figure, .*robot.xml", out), out


def plots(folder):
    out, _ = run("run", "--plot", "--duration", "2")
    narrow(out)
    assert len(re.findall(r"^ +0 +0.5 +1 +1.5 +2 s$", out, re.M)) == 3, out


def columns(folder):
    (folder / "named.xml").write_text(
        "<mujoco><worldbody><body name='b'><freejoint name='root'/><geom size='.1'/><body pos='1 0 0'><joint name='el,bow'/>"
        "<geom size='.1'/><body pos='1 0 0'><joint type='ball' name='wrist'/><geom size='.1'/><body pos='1 0 0'><joint/>"
        "<geom size='.1'/></body></body></body></body></worldbody><actuator><motor name='push' joint='el,bow'/>"
        "<position timeconst='.1' name='lag' joint='el,bow'/></actuator></mujoco>")
    run("run", folder / "named.xml", "--duration", "0.1", "--write", folder / "named.csv")
    with open(folder / "named.csv", newline="") as f:
        rows = list(csv.reader(f))
    free = ["root:x", "root:y", "root:z", "root:qw", "root:qx", "root:qy", "root:qz"]
    ball = ["wrist:qw", "wrist:qx", "wrist:qy", "wrist:qz"]
    assert rows[0][:14] == ["time", *(f"qpos:{name}" for name in [*free, "el,bow", *ball]), "qpos_12"], rows[0]
    moves = [f"root:{name}" for name in ("vx", "vy", "vz", "wx", "wy", "wz")] + ["el,bow", "wrist:wx", "wrist:wy", "wrist:wz"]
    rest = [f"qvel:{name}" for name in moves] + ["qvel_10", "act:lag", "ctrl:push", "ctrl:lag"]
    assert rows[0][14:14 + len(rest)] == rest, rows[0][14:]
    assert all(len(row) == len(rows[0]) for row in rows) and len(rows) == 51
    # and they are read again
    out, _ = run("inverse", folder / "named.xml", folder / "named.csv")
    assert re.search(r"^relative +\d(\.\d+)?e-\d\d$", out, re.M), out


def linear(folder):
    """Modes whose numbers are known, and a gain that holds what falls."""
    model = folder / "cart.xml"
    model.write_text(
        "<mujoco model='cart'><option timestep='.01'/><worldbody><body><joint name='a,slide' type='slide' axis='1 0 0'/>"
        "<geom size='.1' mass='1'/><body name='pole'><joint name='hinge' axis='0 1 0'/><geom size='.05' pos='0 0 .5' mass='.2' "
        "contype='0'/></body></body><body pos='3 0 0'><joint name='spring' type='slide' stiffness='100'/><geom size='.1' mass='1'/>"
        "</body></worldbody><actuator><motor name='push' joint='a,slide'/><motor name='held' joint='spring'/></actuator>"
        "<sensor><jointpos name='angle' joint='hinge'/></sensor>"
        "<keyframe><key name='up'/><key name='down' qpos='0 3.14159265358979 0'/></keyframe></mujoco>")
    out, _ = run("linearize", model, "--lqr", "1,.1", "--write", folder / "cart.csv")
    narrow(out)
    assert "modes            1 of 6 grow: the state is not stable" in out, out
    # z + 1/z = 2 - (w h)^2 for a spring with w = 10
    rows = [line.split() for line in out.splitlines()]
    assert ["1.000000", "0.0000", f"{math.acos(1 - 0.005) / 0.01 / (2 * math.pi):.4f}"] in [row[:3] for row in rows], out
    assert "0 of 6 grow" in run("linearize", model, "--key", "down")[0]
    with open(folder / "cart.csv", newline="") as f:
        table = list(csv.reader(f))
    names = ["dq:a,slide", "dq:hinge", "dq:spring", "qvel:a,slide", "qvel:hinge", "qvel:spring"]
    assert table[0] == ["by", *names, "ctrl:push", "ctrl:held"], table[0]
    assert [row[0] for row in table[1:]] == [*names, "sensor:angle", "ctrl:push", "ctrl:held"]
    numbers = [[float(cell or "nan") for cell in row[1:]] for row in table[1:]]
    AB, gain = numbers[:6], numbers[7:]
    x = [0.1] * 6
    for _ in range(3000):
        u = [sum(g * v for g, v in zip(row, x)) for row in gain]
        x = [sum(a * v for a, v in zip(row, x + u)) for row in AB]
    assert max(map(abs, x)) < 1e-6, x
    run("linearize", model, "--lqr=1,.1", "--write", folder / "cart.npz")
    with zipfile.ZipFile(folder / "cart.npz") as archive:
        assert archive.testzip() is None and archive.namelist() == ["A.npy", "B.npy", "C.npy", "D.npy", "K.npy"]
        raw = archive.read("A.npy")
    assert b"'shape': (6, 6)" in raw[:128]
    assert list(struct.unpack("<36d", raw[128:])) == [number for row in AB for number in row[:6]]
    for words, said in ((("--ctrl", "1"), "expected 2 numbers"), (("--lqr", "1"), "expected two positive"), (("--key", "x"), "'x'"),
                        (("--time", "-1"), "expected seconds"), (("--write",), "needs a value"), (("b.xml",), "one model at a time")):
        assert said in run("linearize", model, *words, code=2)[1], words
    assert "cannot be written" in run("linearize", model, "--write", folder / "no" / "a.csv", code=1)[1]
    # nothing that pushes: no gain
    (folder / "ball.xml").write_text("<mujoco><worldbody><body><joint type='slide'/><joint type='slide' axis='1 0 0'/><geom size='.1'/></body>"
                                     "</worldbody></mujoco>")
    assert "drifting away" in run("linearize", folder / "ball.xml", "--lqr", "1,1", code=1)[1]


def bad_places(folder):
    """Told before the run, and nothing is left behind."""
    for place in (folder / "no" / "t.csv", folder):
        _, err = run("run", "--duration", "1e6", "--write", place, code=1)  # would take hours
        assert "cannot be written" in err
    keep = folder / "keep.csv"
    keep.write_text("mine")
    run("run", folder / "no-such-model.xml", "--write", keep, code=1)
    assert keep.read_text() == "mine"
    run("run", folder / "no-such-model.xml", "--write", folder / "new.csv", code=1)
    assert not (folder / "new.csv").exists()
    assert "cannot be written" in run("convert", folder / "robot.xml", folder / "no" / "o.xml", code=1)[1]
    # a full disk behind stdout
    if pathlib.Path("/dev/full").exists():
        with open("/dev/full", "w") as full:
            done = subprocess.run([SINEW, "info", folder / "robot.xml"], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and "could not be written" in done.stderr


MISTAKES = """<mujoco model="bad">
  <compiler meshdir="meshes" texturedir="paint"/>
  <asset>
    <mesh name="a" file="nowhere.obj"/>
    <mesh file="b.stl" scale="1 1 1"/>
    <texture name="t" type="2d" file="t.png"/>
    <material name="m" texture="t" shine="3"/>
    <hfield name="h" file="h.png" size="1 1 1 1"/>
    <!-- <mesh name="not there"/> -->
  </asset>
  <include file="sub/part.xml"/>
  <worldbody>
    <geom type="mesh" mesh="a"/> <geom type="mesh" mesh="b" material="m"/>
    <body name="x" pos="0 0 one">
      <joint name="j" range="1 0"/> <geom size=".1"/>
      <geom type="box" size="1"/>
      <goem name="inside" size=".1"/>
      <body name="x"><geom size=".1"/></body>
    </body>
  </worldbody>
  <actuator>
    <motor name="mo" joint="j" gear="nan"/>
    <motor name="m2" joint="nojoint"/>
    <general name="g" joint="j" gainprm="nan 0 0"/>
  </actuator>
  <sensor><jointpos joint="kk"/> <framepos objtype="geom" objname="inside"/></sensor>
</mujoco>"""


def mistakes(folder):
    """check goes on after the first, names the file that asked and the folder, and finds NaN."""
    (folder / "sub").mkdir()
    (folder / "meshes").mkdir()
    (folder / "bad.xml").write_text(MISTAKES)
    (folder / "sub/part.xml").write_text("<mujocoinclude>\n  <asset>\n    <mesh name='c' file='c.obj'/>\n  </asset>\n</mujocoinclude>")
    full = re.escape(str(folder.resolve()))
    for cwd, model in ((folder, "bad.xml"), ("/", folder / "bad.xml")):
        out, err = run("check", model, code=1, cwd=cwd)
        for said in (
            r"bad.xml:7:36: element 'material', attribute 'shine'", r"bad.xml:17:7: element 'goem'", r"bad.xml:14:20: .*'one'",
            r"bad.xml:18: repeated name 'x'", rf"bad.xml:4: Error opening file '.*meshes/nowhere.obj'.*folder '{full}/meshes'",
            r"bad.xml:5: Error opening file '.*b.stl'", r"bad.xml:6: Error opening file '.*paint/t.png'", r"bad.xml:8: Error opening .*h.png",
            r"sub/part.xml:3: Error opening file '.*c.obj'", r"bad.xml:16: size 1 must be positive", r"bad.xml:23: .*'nojoint'",
            r"bad.xml:26: .*'kk'", r"^actuator 'g': gainprm\[0\] is -?nan", r"^actuator 'mo': gear\[0\] is -?nan",
            r"^joint 'j': range is reversed, 1 to 0", r"^12 errors, \d findings$",
        ):
            assert re.search(said, out, re.M), f"{said}\n{out}"
        assert "'inside'" not in out, out  # follows from an error that was told
        assert out.count("warning:") == 1 and not err, out + err
    (folder / "open.xml").write_text("<mujoco>\n<worldbody><geom size='1'></worldbody></mujoco>")
    assert "mend this first" in run("check", folder / "open.xml", code=1)[0]
    # messages of the other commands name file and folder too
    (folder / "one.xml").write_text("<mujoco>\n<asset>\n<mesh name='a' file='nowhere.obj'/></asset></mujoco>")
    _, err = run("info", "one.xml", code=1, cwd=folder)
    assert re.search(rf"nowhere.obj.*folder '{full}'\)\nElement name 'a', id 0, line 3 of one.xml", err), err


def hopeless(folder):
    """A model whose numbers go bad is reported, and the exit code says so."""
    (folder / "hopeless.xml").write_text(
        "<mujoco><option timestep='0.1'/><worldbody><body><joint type='slide' stiffness='1e9'/><geom size='.1'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>".replace("<joint type", "<joint name='j' type"))
    out, _ = run("run", folder / "hopeless.xml", "--duration", "100", code=1)
    assert re.search(r"FAILED +the numbers went bad \d+ times?, first at t = [\d.]+ s", out), out


def relative_paths(folder):
    """A converted model finds its files from where it is, and after both were moved."""
    home = folder / "home"
    for name in ("meshes", "sub", "out/deep"):
        (home / name).mkdir(parents=True)
    (home / "meshes/a.obj").write_text(TETRAHEDRON)
    (home / "sub/c.obj").write_text(TETRAHEDRON)
    (home / "sub/part.xml").write_text("<mujocoinclude><asset><mesh name='c' file='c.obj'/></asset></mujocoinclude>")
    (home / "sub/arm.xml").write_text(
        "<mujoco model='arm'><asset><mesh name='d' file='c.obj'/></asset><worldbody><body name='b'><geom type='mesh' mesh='d'/></body>"
        "</worldbody></mujoco>")
    (home / "m.xml").write_text(
        "<mujoco model='m'><compiler meshdir='meshes'/><asset><mesh name='a' file='a.obj'/><model name='arm' file='sub/arm.xml'/></asset>"
        "<include file='sub/part.xml'/><worldbody><geom type='mesh' mesh='a'/><geom type='mesh' mesh='c'/>"
        "<attach model='arm' body='b' prefix='p_'/></worldbody></mujoco>")
    made = ("same.xml", "out/o.xml", "out/deep/o.xml")
    for place in made:
        for cwd, name in ((home, "m.xml"), (home / "out", "../m.xml"), (folder, home / "m.xml")):
            run("convert", name, home / place, cwd=cwd)
            text = (home / place).read_text()
            assert str(folder) not in text and "/tmp" not in text, text
            run("info", home / place)
            run("info", pathlib.Path(place).name, cwd=(home / place).parent)
    home.rename(folder / "moved")
    for place in made:
        run("info", folder / "moved" / place)


def confinement(folder):
    home, secret = folder / "inner", folder / "secret.obj"
    home.mkdir()
    secret.write_text(TETRAHEDRON)
    (home / "own.obj").write_text(TETRAHEDRON)
    (home / "m.xml").write_text("<mujoco><asset><mesh name='a' file='../secret.obj'/></asset><worldbody><geom type='mesh' mesh='a'/>"
                                "</worldbody></mujoco>")
    (home / "n.xml").write_text((home / "m.xml").read_text().replace("../secret", "own"))
    for command, more in (("info", []), ("check", []), ("convert", [folder / "c.xml"]), ("run", ["--duration", "0.01"])):
        run(command, home / "m.xml", *more)
        out, err = run(command, "--confine", home / "m.xml", *more, code=1)
        assert "confined to that folder" in out + err, out + err
        run(command, home / "n.xml", *more, "--confine")
        run(command, "n.xml", *more, "--confine", cwd=home)


def budget(folder):
    """What asks for too much is told how to ask for more, and may then."""
    model = folder / "many.xml"
    model.write_text("<mujoco><worldbody><replicate count='2000'><geom size='1'/></replicate></worldbody></mujoco>")
    for command, more in (("info", []), ("check", []), ("convert", [folder / "many.mjb"]), ("run", ["--duration", "0.002"])):
        for words in (["--budget", "1000"], ["--budget=1e3"], ["--budget", "1e5,1000"]):
            out, err = run(command, model, *more, *words, code=1)
            assert "budget of 1000;" in out + err and "--budget" in out + err, out + err
        run(command, model, *more)
        run(command, model, *more, "--budget", "5e3,1e7")
        for bad in ("", "x", "-1", "0", "nan", "1e30", "5,", "5,x", "5,0", "5 6", "5,6,7"):
            assert "expected a number of elements" in run(command, model, *more, "--budget", bad, code=2)[1]
    assert "got 'nothing'" in run("info", model, "--budget", code=2)[1]


with tempfile.TemporaryDirectory() as name:
    for part in (help_texts, wrong_values, example, demo, plots, columns, linear, bad_places, mistakes, hopeless, relative_paths, confinement, budget):
        part(pathlib.Path(name))
