#!/usr/bin/env python3
"""What `make install` puts in place works as README.md says, and `make uninstall` takes it away.

check_install.py BUILD_FOLDER
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
MODEL = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"


def run(command, folder, **variables):
    """A shell line as a newcomer has it: nothing in the environment but what is given here."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **{k: str(v) for k, v in variables.items()}}
    done = subprocess.run(["sh", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def readme_program():
    """The C program of README.md, and the lines that build it."""
    text = (ROOT / "README.md").read_text()
    program = re.search(r"```c\n(.*?)```", text, re.S)[1]
    lines = [line.strip() for line in re.findall(r"^    (?:export|cc|\./|\$HOME).*$", text, re.M)]
    assert any("pkg-config" in line for line in lines), "README.md no longer says how to build a program"
    return program, lines


def programs(home, prefix):
    work = home / "work"
    work.mkdir()
    program, lines = readme_program()
    (work / "program.c").write_text(program)
    # as it stands in the README: $HOME/.local is the prefix
    script = "\n".join(line for line in lines if "-static" not in line)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run(["sh", "-ec", script], cwd=work, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    assert "positions after 10" in done.stdout, done.stdout
    (work / "robot.xml").write_text(MODEL)
    libraries = run("ldd ./program", work)
    assert f"{prefix}/lib" in libraries, libraries

    # statically: names of the program's own are not in the way
    variables = {"PKG_CONFIG_PATH": prefix / "lib/pkgconfig"}
    (work / "own.c").write_text(program + "int list_append(void) { return 0; }\nint string_set;\n")
    run("cc -static own.c $(pkg-config --static --cflags --libs sinew) -o own 2>&1; ./own; ! ldd ./own", work, **variables)

    # a plugin library that asks for the library by its name without the version
    (work / "host.c").write_text(
        "#include <mujoco/mujoco.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "static void fail(const char* text) { puts(text); exit(1); }\n"
        'int main(void) { mju_user_error = fail; mj_loadPluginLibrary("./plugin.so"); }\n')
    (work / "empty.c").write_text("")
    run("mkdir stub; cc -shared empty.c -Wl,-soname,libsinew.so -o stub/libsinew.so;"
        "cc -shared empty.c -Wl,--no-as-needed stub/libsinew.so -o plugin.so;"
        "cc host.c $(pkg-config --cflags --libs sinew) -o host; ./host", work, **variables)

    (work / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(p C)\nfind_package(sinew REQUIRED)\n"
        "add_executable(p program.c)\ntarget_link_libraries(p sinew::sinew)\n")
    run(f"cmake -S . -B b -DCMAKE_PREFIX_PATH={prefix} && cmake --build b && b/p", work)
    version = re.search(r'SN_VERSION "([\d.]+)"', (ROOT / "include/sinew/version.h").read_text())[1]
    assert run("pkg-config --modversion sinew", work, **variables).strip() == version
    assert version in run(f"{prefix}/bin/sinew --version", work)


def main():
    manifest = BUILD / "install_manifest.txt"
    before = manifest.read_bytes() if manifest.exists() else None
    with tempfile.TemporaryDirectory() as name:
        home = pathlib.Path(name)
        prefix = home / ".local"
        # a release that is there already
        (prefix / "include/mujoco").mkdir(parents=True)
        (prefix / "include/mujoco/mujoco.h").write_text("of the release")
        (prefix / "lib").mkdir()
        try:
            run(f"cmake --install '{BUILD}' --prefix '{prefix}'", home)
            assert (prefix / "include/mujoco/mujoco.h").read_text() == "of the release"
            programs(home, prefix)
            run(f"cmake -DMANIFEST='{manifest}' -P '{ROOT}/cmake/uninstall.cmake'", home)
        finally:
            if before is not None:
                manifest.write_bytes(before)
        left = [str(path) for path in prefix.rglob("*") if not path.is_dir()]
        assert left == [str(prefix / "include/mujoco/mujoco.h")], left
        ours = [str(path) for path in prefix.rglob("sinew*")]
        assert not ours, ours


if not shutil.which("pkg-config"):
    print("install: skipped, there is no pkg-config")
    sys.exit(77)
main()
