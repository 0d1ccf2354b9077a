"""Motions as files: NPZ as the command writes it, glTF read back here number by number."""

import json
import struct
import subprocess
import sys

import numpy as np
import pytest
import sinew

MODEL = """<mujoco><asset><texture name="check" type="2d" builtin="checker" width="16" height="16" rgb1="1 0 0" rgb2="0 0 1"/>
  <material name="check" texture="check" texrepeat="2 3"/>
  <mesh name="wedge" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset>
  <worldbody><geom type="plane" size="0 0 1" material="check"/><camera name="eye" pos="0 -1 .5" xyaxes="1 0 0 0 .4 1"/>
  <body name="a &quot;b&quot;" pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1" rgba="1 .5 0 1"/>
    <geom type="capsule" size=".02" fromto="0 0 .1 0 0 .3"/><geom type="mesh" mesh="wedge" pos=".2 0 0"/>
    <geom type="sphere" size=".05" group="3"/>
    <body name="arm" pos=".1 0 0"><joint name="hinge" axis="0 1 0"/><geom type="cylinder" size=".02 .1"/></body></body>
  </worldbody><actuator><motor joint="hinge" gear=".01" ctrlrange="-1 1"/></actuator></mujoco>"""


@pytest.fixture(scope="module")
def run():
    model = sinew.MjModel.from_xml_string(MODEL)
    data, motion = sinew.MjData(model), sinew.record.Motion(model)
    data.qvel[3:6] = 3, -2, 5  # turns more than once: quaternions pass through both sides
    for step in range(400):
        data.ctrl[:] = np.sin(0.05 * step)
        sinew.mj_step(model, data)
        motion.add(data)
    return model, motion


def read_glb(path):
    raw = path.read_bytes()
    magic, version, total = struct.unpack_from("<4sII", raw)
    assert (magic, version, total) == (b"glTF", 2, len(raw))
    size, kind = struct.unpack_from("<I4s", raw, 12)
    assert kind == b"JSON" and size % 4 == 0
    document = json.loads(raw[20 : 20 + size])
    length, kind = struct.unpack_from("<I4s", raw, 20 + size)
    assert kind == b"BIN\0" and 28 + size + length == total
    return document, raw[28 + size :]


def numbers(document, block, accessor):
    item = document["accessors"][accessor]
    view = document["bufferViews"][item["bufferView"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[item["type"]]
    kind = {5126: np.float32, 5125: np.uint32}[item["componentType"]]
    return np.frombuffer(block, kind, item["count"] * width, view["byteOffset"]).reshape(-1, width)


def test_glb_has_the_poses(run, tmp_path):
    model, motion = run
    sinew.record.save(tmp_path / "run.glb", model, motion, rate=0)
    document, block = read_glb(tmp_path / "run.glb")
    names = [node["name"] for node in document["nodes"]]
    assert {'a "b"', "arm", "eye"} <= set(names)
    assert document["scenes"][0]["nodes"] == [0]
    animation, seen = document["animations"][0], 0
    values, data = motion.arrays(), sinew.MjData(model)
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times = numbers(document, block, sampler["input"])[:, 0]
        found = numbers(document, block, sampler["output"])
        assert np.all(np.diff(times) > 0) and len(times) == len(motion)
        np.testing.assert_allclose(times, values["time"] - values["time"][0], atol=1e-6)
        body = model.body(names[channel["target"]["node"]]).id
        for row in range(0, len(motion), 37):
            data.qpos[:] = values["qpos"][row]
            sinew.mj_kinematics(model, data)
            if channel["target"]["path"] == "translation":
                np.testing.assert_allclose(found[row], data.xpos[body], atol=1e-6)
            else:
                quat = found[row][[3, 0, 1, 2]]
                assert abs(quat @ data.xquat[body]) == pytest.approx(1, abs=1e-6)
            seen += 1
        if channel["target"]["path"] == "rotation":
            assert np.all(np.sum(found[1:] * found[:-1], 1) > 0.9)  # no jump to the other side
    assert seen == 4 * len(range(0, len(motion), 37))


def test_glb_has_the_surfaces(run, tmp_path):
    model, motion = run
    sinew.record.save(tmp_path / "run.glb", model, motion)
    document, block = read_glb(tmp_path / "run.glb")
    # plane, box, capsule, mesh, cylinder; not the sphere of group 3
    assert len(document["meshes"]) == 5 and len(document["images"]) == 1
    for mesh in document["meshes"]:
        (primitive,) = mesh["primitives"]
        position = numbers(document, block, primitive["attributes"]["POSITION"])
        index = numbers(document, block, primitive["indices"])
        assert index.max() == len(position) - 1 and len(index) % 3 == 0
        bounds = document["accessors"][primitive["attributes"]["POSITION"]]
        np.testing.assert_array_equal(np.float32(bounds["min"]), position.min(0))
        np.testing.assert_array_equal(np.float32(bounds["max"]), position.max(0))
        normal = numbers(document, block, primitive["attributes"]["NORMAL"])
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-5)
        corner = position[index[:, 0]].reshape(-1, 3, 3)
        outward = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        mean = normal[index[:, 0]].reshape(-1, 3, 3).mean(1)
        area = np.linalg.norm(outward, axis=1) > 1e-9
        assert np.all(np.sum(outward * mean, 1)[area] > 0)  # faces wind as their normals say
    frames = document["accessors"][document["animations"][0]["samplers"][0]["input"]]["count"]
    assert frames == 24  # 0.8 s at 30 a second


def test_npz_is_the_commands(run, tmp_path):
    model, motion = run
    (tmp_path / "model.xml").write_text(MODEL)
    sinew.record.save(tmp_path / "run.npz", model, motion)
    command = [sys.executable, "-m", "sinew", "convert", str(tmp_path / "model.xml"), str(tmp_path / "run.csv"), "--motion", str(tmp_path / "run.npz")]
    subprocess.run(command, check=True)
    subprocess.run([*command[:5], str(tmp_path / "again.npz"), "--motion", str(tmp_path / "run.csv")], check=True)
    same, again = sinew.record.load(tmp_path / "again.npz", model)
    for name, values in motion.arrays().items():
        np.testing.assert_array_equal(values, again.arrays()[name])
    subprocess.run([*command[:5], str(tmp_path / "run.glb"), "--motion", str(tmp_path / "again.npz")], check=True)
    assert read_glb(tmp_path / "run.glb")[0]["animations"]


def test_states_and_refusals(run, tmp_path):
    model, motion = run
    data, rows = sinew.MjData(model), []
    spec = sinew.mjtState.mjSTATE_FULLPHYSICS
    for _ in range(10):
        sinew.mj_step(model, data)
        row = np.empty(sinew.mj_stateSize(model, spec))
        sinew.mj_getState(model, data, row, spec)
        rows.append(row)
    sinew.record.save(tmp_path / "states.glb", model, np.array(rows), rate=0)
    assert len(numbers(*read_glb(tmp_path / "states.glb"), 0)) > 0
    with pytest.raises(ValueError, match="none of .npz"):
        sinew.record.save(tmp_path / "run.avi", model, motion)
    with pytest.raises(ValueError, match="earlier"):
        sinew.record.save(tmp_path / "back.glb", model, sinew.record.Motion(model, time=[1, 0], qpos=np.tile(model.qpos0, (2, 1))))
    with pytest.raises(ValueError, match="not finite"):
        sinew.record.save(tmp_path / "nan.glb", model, sinew.record.Motion(model, time=[0], qpos=np.full((1, model.nq), np.nan)))
    with pytest.raises(ValueError, match="expected"):
        sinew.record.Motion(model, time=[0], qpos=[[1, 2]])
    with pytest.raises(ValueError, match="cannot be written"):
        sinew.record.save(tmp_path / "no/such/folder.glb", model, motion)


@pytest.mark.parametrize("kind,package", [("mcap", "mcap.writer"), ("rrd", "rerun.chunk")])
def test_recordings_come_back(run, tmp_path, kind, package, capfd):
    pytest.importorskip(package)
    model, motion = run
    path = tmp_path / f"run.{kind}"
    sinew.record.save(path, model, motion)
    assert "WARN" not in capfd.readouterr().err  # Rerun's, of names that it reads otherwise
    same, again = sinew.record.load(path)
    assert (same.nq, same.nbody, same.body("arm").id) == (model.nq, model.nbody, model.body("arm").id)
    for name, values in motion.arrays().items():
        np.testing.assert_array_equal(values, again.arrays()[name])  # the same bits


def test_mcap_is_foxgloves(run, tmp_path):
    reader = pytest.importorskip("mcap.reader")
    model, motion = run
    sinew.record.save(tmp_path / "run.mcap", model, motion, rate=10)
    with open(tmp_path / "run.mcap", "rb") as file:
        messages = [(schema.name, channel.topic, json.loads(message.data)) for schema, channel, message in reader.make_reader(file).iter_messages()]
    frames = [m for name, topic, m in messages if name == "foxglove.FrameTransforms"]
    assert len(frames) == 8 and all(len(m["transforms"]) == model.nbody - 1 for m in frames)
    (scene,) = [m for name, topic, m in messages if name == "foxglove.SceneUpdate"]
    shapes = {kind: sum(len(entity[kind]) for entity in scene["entities"]) for kind in ("cubes", "spheres", "cylinders", "triangles")}
    assert shapes == {"cubes": 2, "spheres": 2, "cylinders": 2, "triangles": 1}
