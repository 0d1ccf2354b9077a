#!/usr/bin/env python3
"""sinew info, check and convert on small models: what they print, and their exit codes.

check_models.py COMMAND
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SINEW = str(pathlib.Path(sys.argv[1]).resolve())

SOUND = """<mujoco model="arm">
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" range="-90 90"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 0"/>
      <body name="lower" pos="0.5 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <geom type="capsule" size="0.04" fromto="0 0 0 0.3 0 0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="elbow" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="angle" joint="elbow"/></sensor>
  <keyframe><key name="home" qpos="0.1 0.2"/></keyframe>
</mujoco>"""

ROBOT = """<robot name="two">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="1"/></joint>
</robot>"""

# what is put wrong, and what check says of it
WRONG = {
    "massless": ("<body name='b'><joint/><geom size='.1' mass='0'/></body>", "mass and inertia of moving bodies", {}),
    "hollow": (
        "<body name='b'><joint/><body pos='1 0 0'><geom size='.1'/></body></body>", "body 'b' moves and has no mass", {}),
    "triangle": (
        "<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/></body>",
        "body 'b': principal inertias 5 1 1 break the triangle inequality|A \\+ B >= C", {}),
    "overlap": (
        "<geom name='wall' type='box' size='.5 .5 .5'/><body name='b'><freejoint/><geom size='.1' pos='.4 0 0'/></body>",
        "geom #1 of body 'b' and geom 'wall' overlap by 0.2 at rest", {}),
    "reversed": ("<body name='b'><joint name='j' range='1 0'/><geom size='.1'/></body>", "range", {}),
    "switched off": (
        "<body name='b'><joint name='j' range='0 1' limited='false'/><geom size='.1'/></body>",
        "joint 'j': range is given, 0 to 1, but switched off", {}),
    "outside": (
        "<body name='b'><joint name='j' range='10 20'/><geom size='.1'/></body>",
        "joint 'j': the reference position 0 is outside its range", {}),
    "degrees": (
        "<body name='b'><joint name='j' range='-90 90'/><geom size='.1'/></body>", "degrees\\?",
        {"pre": "<compiler angle='radian'/>"}),
    "unused mesh": ("", "mesh 'tet' is used by no geom", {
        "pre": "<asset><mesh name='tet' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"}),
    "unused texture": ("", "texture 'paint' is used by no material", {
        "pre": "<asset><texture name='paint' type='2d' builtin='flat' width='2' height='2'/></asset>"}),
    "unused material": ("", "material 'shine' is used by nothing", {
        "pre": "<asset><material name='shine'/></asset>"}),
    "unused field": ("", "hfield 'hill' is used by no geom", {
        "pre": "<asset><hfield name='hill' nrow='2' ncol='2' size='1 1 1 1'/></asset>"}),
    "long step": ("", "option timestep is 0.1 s", {"pre": "<option timestep='.1'/>"}),
    "units": ("", "gravity is 9.81e\\+03", {"pre": "<option gravity='0 0 -9810'/>"}),
    "ratio": (
        "<body name='b'><freejoint/><geom size='.1' mass='1e-5'/></body><body name='c' pos='1 0 0'><freejoint/>"
        "<geom size='.1' mass='1e4'/></body>", "a ratio over a million", {}),
}


def run(*arguments, code=0):
    done = subprocess.run([SINEW, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def check(folder):
    sound = folder / "sound.xml"
    sound.write_text(SOUND)
    assert "nothing to say" in run("check", sound)
    for name, (world, said, more) in WRONG.items():
        path = folder / "wrong.xml"
        path.write_text(f"<mujoco>{more.get('pre', '')}<worldbody>{world}</worldbody></mujoco>")
        text = run("check", path, code=1)
        assert re.search(said, text), f"{name}: {text}"
    # a fitted primitive uses its mesh
    path.write_text("<mujoco><asset><mesh name='tet' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
                    "<geom type='box' mesh='tet'/></worldbody></mujoco>")
    assert "nothing to say" in run("check", path)
    assert "no-such.xml" in run("check", folder / "no-such.xml", code=1)
    run("check", code=2)


def info(folder):
    text = run("info", folder / "sound.xml")
    for said in (r"^arm$", r"degrees of freedom +2$", r"^    lower  mass [\d.]+  hinge elbow$",
                 r"hinge shoulder \[-1.57, 1.57\]", r"push +joint elbow  control \[-1, 1\]",
                 r"angle +1 value of joint elbow$", r"home +time 0$", r"time step +0.002 s"):
        assert re.search(said, text, re.M), f"{said}: {text}"
    (folder / "bad.xml").write_text("<mujoco><worldbody><goem/></worldbody></mujoco>")
    text = run("info", folder / "bad.xml", code=1)
    assert re.search(r"bad.xml:1:20: .*goem.*geom", text), text
    run("info", code=2)


def convert(folder):
    """MJCF, URDF and binary in; MJCF, binary and text out: all say the same."""
    (folder / "robot.urdf").write_text(ROBOT)
    for first in ("sound.xml", "robot.urdf"):
        text = run("info", folder / first)
        run("convert", folder / first, folder / "a.xml")
        run("convert", folder / "a.xml", folder / "b.mjb")
        run("convert", folder / first, folder / "c.mjb")
        run("convert", folder / "c.mjb", folder / "c.txt")
        assert run("info", folder / "a.xml") == text == run("info", folder / "b.mjb")
        a, b = (folder / "b.mjb").read_bytes(), (folder / "c.mjb").read_bytes()
        assert len(a) == len(b) and len(a) > 1000
        assert "NBODY" in (folder / "c.txt").read_text().upper()
    assert "joint" in (folder / "a.xml").read_text() and "turn" in (folder / "a.xml").read_text()
    run("convert", folder / "b.mjb", folder / "d.xml", code=2)  # the binary model has no MJCF
    run("convert", folder / "sound.xml", folder / "d.foo", code=2)
    run("convert", folder / "bad.xml", folder / "e.xml", code=1)
    assert not (folder / "e.xml").exists()
    run("convert", folder / "sound.xml", folder / "no" / "f.xml", code=1)
    run("convert", folder / "sound.xml", folder / "no" / "f.mjb", code=1)
    (folder / "g.mjb").write_bytes(struct.pack("<4i", 1, 2, 3, 4))
    run("convert", folder / "g.mjb", folder / "h.txt", code=1)


HOPELESS = """<mujoco><option timestep="0.1"/><worldbody><body><joint type="slide" stiffness="1e9"/><geom size=".1"/></body></worldbody>
<keyframe><key qpos="1"/></keyframe></mujoco>"""


def hopeless(folder):
    """A run that goes bad says how often, and fails."""
    (folder / "hopeless.xml").write_text(HOPELESS)
    text = run("run", folder / "hopeless.xml", "--key", "0", code=1)
    assert "bad acceleration (reset): " in text and "(reset): 1 times" not in text
    run("run", folder / "sound.xml", "--duration", "0.1")


with tempfile.TemporaryDirectory() as name:
    for part in (check, info, convert, hopeless):
        part(pathlib.Path(name))
