#!/usr/bin/env python3
"""Runs the steps of packaging/Containerfile in fresh Debian roots, without a container engine: debootstrap makes a root
for each FROM, RUN is a shell in it, COPY copies. At the end the entry point runs, and so does a first simulation.

    tests/packages/container.py [--deb PACKAGE]     as root; with --deb the Debian package instead of the Containerfile

Exits with 77 where this user is not root or debootstrap is not there.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "packaging/Containerfile"
FIRST = "import sinew; m = sinew.MjModel.from_xml_string('<mujoco><worldbody><geom size=\".1\"/></worldbody></mujoco>'); print(m.ngeom, 'geom')"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def fresh(folder, base):
    """A minimal Debian in `folder`, a copy of `base` that is made once; it reaches packages as this machine does."""
    if not base.exists():
        run("debootstrap", "--variant=minbase", "bookworm", base, stdout=subprocess.DEVNULL)
        # under a name of its own: the package ca-certificates writes the usual one anew
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", base / "certificates")
        shutil.copy("/etc/resolv.conf", base / "etc/resolv.conf")
        for name in ("sources.list", "sources.list.d", "apt.conf.d"):
            run("sh", "-c", f"cp -r /etc/apt/{name} {base}/etc/apt/ 2>/dev/null || true")
    run("cp", "-a", base, folder)
    return folder


def inside(root, shell, env):
    keep = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    keep |= {"PIP_CERT": "/certificates", "SSL_CERT_FILE": "/certificates"}
    start = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
    chroot = shutil.which("chroot")  # the PATH of the root may lack it
    run(chroot, root, "/bin/sh", "-c", shell, env={**keep, **start, **env})


def steps():
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split(" ", 1)


def copy(words, root, stages):
    source = ROOT
    if words[0].startswith("--from="):
        source = stages[words.pop(0).removeprefix("--from=")]
    what, to = words
    if what == "." and source == ROOT:
        target = root / to.lstrip("/")
        target.mkdir(parents=True)
        archive = run("git", "-C", ROOT, "archive", "HEAD", stdout=subprocess.PIPE).stdout
        run("tar", "-x", "-C", target, input=archive)
    else:
        (root / to.lstrip("/")).mkdir(parents=True, exist_ok=True)
        run("cp", "-a", f"{source / what.lstrip('/')}/.", root / to.lstrip("/"))


def container(work):
    stages, root, env, entry = {}, None, {}, None
    for word, rest in steps():
        print(f"{word} {rest[:100]}", flush=True)
        if word == "FROM":
            name = rest.split(" AS ")[1] if " AS " in rest else "last"
            root, env = fresh(work / name, work / "base"), {}
            stages[name] = root
        elif word == "RUN":
            inside(root, rest, env)
        elif word == "COPY":
            copy(shlex.split(rest), root, stages)
        elif word == "ENV":
            env.update([rest.split("=", 1)])
        elif word == "ENTRYPOINT":
            entry = rest
        elif word not in ("WORKDIR", "CMD"):
            sys.exit(f"container: {FILE.name} has {word}, which this test does not know")
    if entry != '["sinew"]':
        sys.exit(f"container: the entry point is {entry}")
    inside(root, "sinew run --duration 0.5 --quiet", env)
    inside(root, f"python3 -c {shlex.quote(FIRST)}", env)


def deb(work, package):
    root = fresh(work / "deb", work / "base")
    shutil.copy(package, root / "sinew.deb")
    shutil.copy(ROOT / "examples/c/step.c", root / "step.c")
    inside(root, "apt-get update -qq && apt-get install -y -qq --no-install-recommends /sinew.deb", {})
    inside(root, "sinew --version && sinew run --duration 0.5 --quiet", {})
    inside(root, "apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config", {})
    inside(root, "cc step.c $(pkg-config --cflags --libs sinew) -lm -o step && ./step", {})
    inside(root, "apt-get remove -y -qq sinew && ! command -v sinew", {})


def main():
    if os.geteuid() or not shutil.which("debootstrap"):
        print("container: needs root and debootstrap")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="sinew-roots-") as work:
        if sys.argv[1:2] == ["--deb"]:
            deb(pathlib.Path(work), sys.argv[2])
        else:
            container(pathlib.Path(work))
    print("container: every step ran")


if __name__ == "__main__":
    main()
