#!/usr/bin/env python3
"""sinew render, run --video and --picture, info --picture: files that readers of PNG accept, what a
terminal gets, and what is said when something is wrong.

check_pictures.py COMMAND
"""

import base64
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SINEW = str(pathlib.Path(sys.argv[1]).resolve())
MODEL = """
<mujoco model="look">
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="side" pos="0 -2 .5" xyaxes="1 0 0 0 0 1"/>
    <camera pos="0 0 3"/>
    <geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .5"><freejoint/><geom size=".2" rgba="1 0 0 1"/></body>
  </worldbody>
  <keyframe><key name="low" qpos="0 0 .2 1 0 0 0"/><key name="high" qpos="0 0 .9 1 0 0 0"/></keyframe>
</mujoco>
"""


def run(*arguments, code=0, cwd=None, **environment):
    """(stdout, stderr) of the command."""
    env = dict(os.environ, TERM="xterm", **environment)
    for name in ("KITTY_WINDOW_ID", "TERM_PROGRAM"):
        env.pop(name, None)
    done = subprocess.run([SINEW, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=300, env=env)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def png(data):
    """(width, height, pictures) after a check of every chunk."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pictures, names = 8, 1, []
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(name + body), name
        if name == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if name == b"acTL":
            pictures = struct.unpack(">I", body[:4])[0]
        if name == b"IDAT":
            assert len(zlib.decompress(body)) == height * (1 + 3 * width)
        names.append(name)
        at += 12 + size
    assert names[-1] == b"IEND" and names.count(b"fdAT") == pictures - 1
    return width, height, pictures


def pictures(folder, model):
    out, _ = run("render", model, cwd=folder)
    assert out == "look.png\n" and png((folder / "look.png").read_bytes()) == (640, 480, 1)
    file = folder / "a.png"
    seen = set()
    for options in ([], ["--camera", "side"], ["--camera", "1"], ["--key", "high"], ["--depth"], ["--objects"], ["--time", "0.2"],
                    ["--keys"], ["--cameras"], ["--plain"], ["--show", "inertia"]):  # fmt: skip
        run("render", model, "-o", file, "--size", "64x48", *options)
        assert png(file.read_bytes()) == (64, 48, 1), options
        seen.add(file.read_bytes())
    assert len(seen) == 11, "options that change nothing"
    again = folder / "b.png"
    run("render", model, "-o", again, "--size", "64x48", "--show", "inertia")
    assert again.read_bytes() == file.read_bytes()
    run("render", "-o", file, "--size", "64x48")  # the figure


def videos(folder, model):
    turn = folder / "turn.png"
    out, _ = run("render", model, "-o", turn, "--turntable", "--size", "32x24")
    assert out.strip() == str(turn) and png(turn.read_bytes()) == (32, 24, 72)
    video = folder / "v.png"
    plain, _ = run("run", model, "--duration", "0.5", "--write", folder / "plain.csv")
    out, _ = run("run", model, "--duration", "0.5", "--video", video, "--size", "32x24", "--fps", "20",
                 "--picture", folder / "six.png", "--write", folder / "seen.csv")  # fmt: skip
    assert png(video.read_bytes()) == (32, 24, 11) and png((folder / "six.png").read_bytes()) == (48, 24, 1)
    assert re.search(r"^video .*v\.png, 11 pictures$", out, re.M) and re.search(r"^picture .*six\.png$", out, re.M)
    # looking changes no bit of the run
    assert (folder / "plain.csv").read_bytes() == (folder / "seen.csv").read_bytes()


def encoder(folder, model):
    """Other names go to ffmpeg; without it they become animated PNG."""
    tools = folder / "tools"
    tools.mkdir()
    video = folder / "v.mp4"
    arguments = ("run", model, "--duration", "0.1", "--video", video, "--size", "33x24", "--fps", "20")
    out, error = run(*arguments, PATH=str(tools))
    assert "ffmpeg is not installed" in error and png((folder / "v.mp4.png").read_bytes())[2] == 3
    tool = tools / "ffmpeg"
    tool.write_text('#!/bin/sh\nfor last; do :; done\n/bin/cat > "$last"\n')
    tool.chmod(0o755)
    out, error = run(*arguments, PATH=str(tools))
    assert video.stat().st_size == 3 * 33 * 24 * 3 and f"{video}, 3 pictures" in out and not error
    tool.write_text("#!/bin/sh\nexit 3\n")
    _, error = run(*arguments, code=1, PATH=str(tools))
    assert f"{video}: ffmpeg failed" in error


def real_encoder(folder, model):
    """What ffmpeg itself makes of it, where it is installed, can be read back; odd sizes too."""
    if not (shutil.which("ffmpeg") and shutil.which("ffprobe")):
        return
    video = folder / "real.mp4"
    run("run", model, "--duration", "0.1", "--video", video, "--size", "33x25", "--fps", "20")
    show = ["-v", "error", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames", "-of", "csv=p=0"]
    found = subprocess.run(["ffprobe", *show, str(video)], capture_output=True, text=True, timeout=60)
    assert found.stdout.split() == ["h264,3"], found


def terminals(folder, model):
    out, _ = run("render", model, "--terminal", COLUMNS="40", cwd=folder)
    lines = out.splitlines()
    assert len(lines) == 15 and all(line.count("\u2580") == 40 for line in lines), len(lines)
    assert not (folder / "look.png").exists()  # shown, not written
    out, _ = run("render", model, "--terminal=sixel", "--size", "30x20")
    assert out.startswith('\x1bPq"1;1;30;20#0;2;0;0;0') and out.endswith("\x1b\\\n")
    out, _ = run("render", model, "--terminal=kitty", "--size", "30x20")
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", out)
    assert pieces[0][0].startswith("a=T,f=100") and png(base64.b64decode("".join(piece for _, piece in pieces))) == (30, 20, 1)
    out, _ = run("info", model, "--picture", COLUMNS="40")
    # into a pipe: no escape codes, shades of both the figure and what is behind
    assert "\x1b" not in out and "degrees of freedom" in out
    rows = [line for line in out.splitlines() if len(line) == 40 and not set(line) - set(" .:-=+*#%@")]
    assert len(rows) >= 13 and len(set("".join(rows))) > 2, out
    out, _ = run("render", model, "--terminal=text", COLUMNS="40", cwd=folder)
    assert len(out.splitlines()) == 15 and out.isascii() and "\x1b" not in out
    run("info", model, f"--picture={folder / 'i.png'}")
    assert png((folder / "i.png").read_bytes())[2] == 1


def mistakes(folder, model):
    _, error = run("render", model, "--camera", "front", code=1)
    assert "no camera 'front'; it has 0 'side', 1\n" in error
    _, error = run("render", model, "--key", "middle", code=1)
    assert "no keyframe 'middle'" in error
    for size in ("0x10", "10", "10x", "axb", "99999x2", "10x10x10", "-5x5"):
        _, error = run("render", model, "--size", size, code=2)
        assert "expected WIDTHxHEIGHT" in error, error
    _, error = run("render", model, "--show", "everything", code=2)
    assert "Contact Point" in error
    out, _ = run("render", "--show", "list")
    assert "Texture (shown already)" in out
    _, error = run("render", model, "-o", "/no/such/folder/a.png", code=1)
    assert "/no/such/folder/a.png: No such file" in error
    _, error = run("render", model, "--terminal=paper", code=1)
    assert "expected blocks, kitty, sixel or text" in error
    _, error = run("render", model, "--turntable", "--camera", "side", "-o", folder / "x.png", code=1)
    assert "moves the camera" in error
    bare = folder / "bare.xml"
    bare.write_text("<mujoco/>")
    _, error = run("render", bare, "--keys", code=1)
    assert "the model has no keyframes" in error
    run("render", bare, "-o", folder / "bare.png", "--size", "20x10")
    _, error = run("run", model, "--video", folder / "x.png", "--camera", "front", code=1)
    assert "no camera 'front'" in error
    run("render", model, "--wrong", "x", code=2)
    run("render", model, "-o", code=2)


def main():
    for check in (pictures, videos, encoder, real_encoder, terminals, mistakes):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model = folder / "look.xml"
            model.write_text(MODEL)
            check(folder, model)
    print("pictures: fine")


if __name__ == "__main__":
    main()
