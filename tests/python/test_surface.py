"""The package as a stranger meets it: documentation, signatures, types, the command, versions, notices."""

import importlib.metadata
import inspect
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import sinew

MESH = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
INSTALLED = any("sinew-physics" in (d.metadata["Name"] or "") for d in importlib.metadata.distributions())


def python(code, *options, **more):
    """A fresh interpreter that runs the code; (exit code, stdout, stderr)."""
    path = str(pathlib.Path(sinew.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([path, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, *options, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=environment, **more)
    return done.returncode, done.stdout, done.stderr


def test_documentation():
    assert str(inspect.signature(sinew.mj_step)) == "(m, d, nstep=1)"
    assert str(inspect.signature(sinew.mj_jac)) == "(m, d, jacp, jacr, point, body)"
    assert str(inspect.signature(sinew.mj_version)) == "()"
    assert str(inspect.signature(sinew.MjData)) == "(model)"
    assert str(inspect.signature(sinew.MjvScene)) == "(model=None, maxgeom=0)"
    assert str(inspect.signature(sinew.MjModel.from_xml_path)) == "(filename, assets=None, *, confine=False)"
    assert "from_xml_path" in sinew.MjModel.__doc__
    assert sinew.mj_step.__doc__.startswith("mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None\n\n")
    for name in dir(sinew):
        thing = getattr(sinew, name)
        if name.startswith("_") or not callable(thing) or name == "MjStruct":
            continue
        assert thing.__doc__ and "--\n" not in thing.__doc__, name
        if name.startswith(("mj_", "mju_", "mjv_", "mjd_", "mjs_")):
            # called by the names it shows, as far as that goes
            parameters = list(inspect.signature(thing).parameters)
            if parameters:
                with pytest.raises(TypeError) as caught:
                    thing(**{name: object() for name in parameters})
                assert "unknown" not in str(caught.value) and "missing" not in str(caught.value), caught.value


def test_keys_can_be_written_in_place():
    spec = sinew.MjSpec.from_string("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    key = spec.add_key(name="home", qpos=[0, 0, 1, 1, 0, 0, 0])
    key.qpos[2] = 3
    key.qpos[:2] += 0.5
    np.multiply(key.qpos, 2, out=key.qpos, where=[True, False, False, False, False, False, False])
    assert spec.key("home").qpos.tolist() == [1, 0.5, 3, 1, 0, 0, 0]
    assert spec.compile().key_qpos[0].tolist() == [1, 0.5, 3, 1, 0, 0, 0]
    # an array outlives its vector's block, its element and its spec
    held = key.qpos
    key.qpos = np.arange(70.0)
    key.qpos = []
    assert held.tolist() == [1, 0.5, 3, 1, 0, 0, 0]
    held[0] = 9
    assert len(key.qpos) == 0
    key.qpos = held
    again = key.qpos
    spec.delete(key)
    del spec, key
    again[1] = 4
    assert again[:3].tolist() == [9, 4, 3]


def test_command(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(sinew.__file__).parent.parent)}

    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "sinew", *map(str, arguments)], capture_output=True, text=True, env=environment)

    done = run("--version")
    assert done.returncode == 0 and done.stdout == f"sinew {sinew.sinew_version} (interface of MuJoCo {sinew.__version__})\n"
    assert run("example", tmp_path / "robot.xml").returncode == 0
    done = run("run", tmp_path / "robot.xml", "--duration", "0.1")
    assert done.returncode == 0 and "steps per second" in done.stdout
    assert run("check", tmp_path / "none.xml").returncode == 1
    assert run("fly").returncode == 2
    if INSTALLED:
        script = pathlib.Path(sys.executable).with_name("sinew")
        assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout == f"sinew {sinew.sinew_version} (interface of MuJoCo 3.3.4)\n"


@pytest.mark.skipif(not INSTALLED, reason="the package is not installed from a wheel")
def test_distribution():
    metadata = importlib.metadata.metadata("sinew-physics")
    assert metadata["Version"] == sinew.sinew_version
    assert metadata["License-Expression"] == "Apache-2.0" and metadata["Author"] and metadata["Project-URL"]
    files = {path.name: path for path in importlib.metadata.files("sinew-physics")}
    notices = files["NOTICES.txt"].read_text()
    # a notice for each library that the wheel brings
    for library in [name for name in files if ".so" in name and name.startswith("lib")]:
        short = library[3:].partition(".so")[0].rstrip("0123456789_r").replace("png", "libpng")
        assert {"z": "zlib"}.get(short, short) in notices, library
    assert "Permission is hereby granted" in notices and "qhull" in notices and "LICENSE" in files


def test_two_packages_do_not_mix_silently(tmp_path):
    fake = tmp_path / "mujoco"
    fake.mkdir()
    (fake / "__init__.py").write_text("")
    (fake / "viewer.py").write_text("")
    head = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport sinew as mujoco\n"
    code, _, err = python(head + "import mujoco.viewer")
    assert code == 0 and "MixedPackagesWarning" in err and "install_as_mujoco" in err
    code, _, err = python(head + "import mujoco.viewer", "-W", "ignore::UserWarning")
    assert code == 0 and not err
    code, out, err = python(head + "mujoco.install_as_mujoco()\nimport mujoco.viewer\nprint(mujoco.MjModel.__module__)")
    assert code == 0 and out == "sinew\n" and "MixedPackagesWarning" not in err
    code, out, err = python("import sys\nimport sinew, sinew.viewer\nsys.path = [p for p in sys.path if 'site-packages' not in p]\nimport mujoco")
    assert code == 1 and "ModuleNotFoundError" in err and "install_as_mujoco" in err
    # an object of the other package is named as such
    code, _, err = python("import sinew\nclass MjModel: __module__ = 'mujoco._structs'\nsinew.MjData(MjModel())")
    assert "found an object of type mujoco._structs.MjModel" in err


def test_confinement(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.obj").write_bytes(MESH)
    (home / "own.obj").write_bytes(MESH)
    text = "<mujoco><asset><mesh name='a' file='{}'/></asset><worldbody><geom type='mesh' mesh='a'/></worldbody></mujoco>"
    (home / "bad.xml").write_text(text.format("../secret.obj"))
    (home / "good.xml").write_text(text.format("own.obj"))
    assert sinew.MjModel.from_xml_path(home / "bad.xml").nmesh == 1
    for confine in (True, str(home), home):
        with pytest.raises(ValueError, match="confined to that folder"):
            sinew.MjModel.from_xml_path(str(home / "bad.xml"), confine=confine)
        assert sinew.MjModel.from_xml_path(home / "good.xml", confine=confine).nmesh == 1
    assert sinew.MjModel.from_xml_path(home / "bad.xml", confine=tmp_path).nmesh == 1
    with pytest.raises(ValueError, match="confined"):
        sinew.MjModel.from_xml_string(text.format(tmp_path / "secret.obj"), confine=home)
    with pytest.raises(ValueError, match="argument confine: there is no folder"):
        sinew.MjModel.from_xml_path(home / "good.xml", confine=tmp_path / "nowhere")
    # what was read so stays so; assets that the program gives are its own
    spec = sinew.MjSpec.from_file(home / "bad.xml", confine=True)
    with pytest.raises(ValueError, match="confined"):
        spec.compile()
    with sinew.confined(home):
        with pytest.raises(ValueError, match="confined"):
            sinew.MjModel.from_xml_path(home / "bad.xml")
        with sinew.confined(tmp_path):
            sinew.MjModel.from_xml_path(home / "bad.xml")
        with pytest.raises(ValueError, match="confined"):
            sinew.MjModel.from_xml_path(home / "bad.xml")
        sinew.MjModel.from_xml_string(text.format("given.obj"), {"given.obj": MESH})
    assert sinew.MjModel.from_xml_path(home / "bad.xml").nmesh == 1


def test_budget():
    text = "<mujoco><worldbody><replicate count='100'><geom size='1'/></replicate></worldbody></mujoco>"
    before = sinew.get_budget()
    try:
        sinew.set_budget(elements=50)
        assert sinew.get_budget() == (50, before[1])
        with pytest.raises(ValueError, match="more than the budget of 50; .*sinew.set_budget"):
            sinew.MjModel.from_xml_string(text)
        with pytest.raises(ValueError, match="sinew.set_budget"):
            sinew.MjSpec.from_string(text)
        sinew.set_budget(np.int64(5000), 1000)
        with pytest.raises(ValueError, match="bytes are more than the budget of 1000; .*sinew.set_budget"):
            sinew.MjModel.from_xml_string(text)
        sinew.set_budget(bytes=10**9)
        assert sinew.MjModel.from_xml_string(text).ngeom == 100
        for bad in (0, -1, 2**63):
            with pytest.raises(ValueError, match="set_budget: argument elements: expected 1 to"):
                sinew.set_budget(bad)
        for bad in (1.5, "9", True):
            with pytest.raises(TypeError, match="set_budget: argument bytes: expected a whole number"):
                sinew.set_budget(bytes=bad)
        assert sinew.get_budget() == (5000, 10**9)
    finally:
        sinew.set_budget(*before)


def test_versions_agree():
    major = sinew.sinew_version.split(".")
    assert len(major) == 3 and all(part.isdigit() for part in major)
    if INSTALLED:
        assert importlib.metadata.version("sinew-physics") == sinew.sinew_version
