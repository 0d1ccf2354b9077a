"""Motions as files that other programs read.

    motion = sinew.record.Motion(model)                   # or rollout's states: Motion.of_states(model, states)
    while data.time < 5:
        mj_step(model, data)
        motion.add(data)
    sinew.record.save("run.npz", model, motion)           # the arrays, as `sinew run --write` writes them
    sinew.record.save("run.glb", model, motion)           # animated glTF: browsers, Blender
    sinew.record.save("run.mcap", model, motion)          # Foxglove: pip install sinew-physics[record]
    sinew.record.save("run.rrd", model, motion)           # Rerun: the same
    model, motion = sinew.record.load("run.mcap")

MCAP and Rerun files hold the numbers of the motion and the model itself, so load gives back the same bits; they show
the geoms of the default view (groups 0 to 2) with their colours, without textures.
"""

import base64
import importlib
import json
import os
import tempfile
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _sinew
from ._enums import mjtGeom, mjtState

Path = Union[str, "os.PathLike[str]"]
FIELDS = ("time", "qpos", "qvel", "act", "ctrl", "qacc", "force")


class Motion:
    """Rows of a motion: time (s), qpos, qvel, act, ctrl, qacc and force, the net applied force in joint coordinates."""

    def __init__(self, model: _sinew.MjModel, **arrays: npt.ArrayLike) -> None:
        widths = (1, model.nq, model.nv, model.na, model.nu, model.nv, model.nv)
        self._rows: list[npt.NDArray[np.float64]] = []
        self._width = dict(zip(FIELDS, widths))
        unknown = set(arrays) - set(FIELDS)
        if unknown:
            raise ValueError(f"a motion has {', '.join(FIELDS)}, not {sorted(unknown)[0]}")
        if not arrays:
            return
        if "time" not in arrays or "qpos" not in arrays:
            raise ValueError("a motion needs time and qpos at least")
        count = np.asarray(arrays["time"]).size
        table = np.zeros((count, sum(widths)))
        for name, part in zip(FIELDS, self._split(table)):
            given = np.asarray(arrays.get(name, np.zeros(part.shape)), np.float64)
            if given.size != part.size:
                raise ValueError(f"{name} has shape {given.shape}, expected ({count}, {self._width[name]}) for this model")
            part[...] = given.reshape(part.shape)
        self._rows = list(table)

    def _split(self, table: npt.NDArray[np.float64]) -> Iterator[npt.NDArray[np.float64]]:
        at = 0
        for width in self._width.values():
            yield table[:, at : at + width]
            at += width

    def add(self, data: _sinew.MjData) -> None:
        """The present state, with the acceleration and force that led to it."""
        force = data.qfrc_applied + data.qfrc_actuator
        if np.any(data.xfrc_applied):
            model = data.model
            for body in np.flatnonzero(np.any(data.xfrc_applied, 1)):
                total = np.zeros(model.nv)
                wrench = data.xfrc_applied[body]
                _sinew.mj_applyFT(model, data, wrench[:3], wrench[3:], data.xipos[body], int(body), total)
                force = force + total
        self._rows.append(np.concatenate([[data.time], data.qpos, data.qvel, data.act, data.ctrl, data.qacc, force]))

    @classmethod
    def of_states(cls, model: _sinew.MjModel, states: npt.ArrayLike) -> "Motion":
        """Of states as mj_getState or rollout gives them; ctrl is there when the states have it."""
        from .media import _states

        data, rows = _sinew.MjData(model), _states(model, states)
        motion = cls(model)
        for row in rows:
            _sinew.mj_setState(model, data, row, int(mjtState.mjSTATE_INTEGRATION))
            empty = np.zeros(model.nv)
            motion._rows.append(np.concatenate([[data.time], data.qpos, data.qvel, data.act, data.ctrl, empty, empty]))
        return motion

    def __len__(self) -> int:
        return len(self._rows)

    def arrays(self) -> dict[str, npt.NDArray[np.float64]]:
        """Each field as an array with a row a step; time has one number a row."""
        table = np.array(self._rows).reshape(len(self._rows), sum(self._width.values()))
        result = dict(zip(FIELDS, map(np.ascontiguousarray, self._split(table))))
        result["time"] = result["time"][:, 0]
        return result


# ---- what is shown


def _colour(rgba: npt.ArrayLike) -> dict[str, float]:
    return dict(zip("rgba", map(float, np.asarray(rgba))))


def _name(model: _sinew.MjModel, body: int) -> str:
    return model.body(body).name or f"body {body}"


def _shown(model: _sinew.MjModel) -> Iterator[tuple[int, int, npt.NDArray[np.float64]]]:
    """Geoms of the default view: geom, body, colour."""
    grey = np.array([0.5, 0.5, 0.5, 1], np.float32)
    for geom in range(model.ngeom):
        rgba = np.asarray(model.geom_rgba[geom])
        if model.geom_matid[geom] >= 0 and np.array_equal(rgba, grey):
            rgba = np.asarray(model.mat_rgba[model.geom_matid[geom]])
        if model.geom_group[geom] < 3 and rgba[3] > 0:
            yield geom, int(model.geom_bodyid[geom]), rgba.astype(np.float64)


def _mesh(model: _sinew.MjModel, mesh: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    face, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    return np.asarray(model.mesh_vert[first : first + count]), np.asarray(model.mesh_face[face : face + faces])


def _plane(model: _sinew.MjModel, geom: int) -> list[float]:
    """Half sizes of a plane; without an end, five times the model's extent."""
    return [float(size) if size > 0 else 5 * float(model.stat.extent) for size in model.geom_size[geom][:2]]


def _poses(model: _sinew.MjModel, motion: Motion, rate: float) -> Iterator[tuple[float, _sinew.MjData]]:
    """Time and data with the poses of bodies, at most `rate` a second (0: each row)."""
    data, due, values = _sinew.MjData(model), -np.inf, motion.arrays()
    for time, qpos in zip(values["time"], values["qpos"]):
        if rate > 0 and time < due - 1e-9:
            continue
        due = time + 1 / rate if rate > 0 else due
        data.time = time
        data.qpos[:] = qpos
        _sinew.mj_kinematics(model, data)
        yield float(time), data


def _binary(model: _sinew.MjModel) -> bytes:
    buffer = np.empty(_sinew.mj_sizeModel(model), np.uint8)
    _sinew.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def _model(binary: bytes) -> _sinew.MjModel:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mjb")
        with open(path, "wb") as file:
            file.write(binary)
        return _sinew.MjModel.from_binary_path(path)


def _need(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise ImportError(f"such recordings need the package {package}: pip install sinew-physics[record]") from missing


# ---- MCAP, with Foxglove's schemas as JSON

_VECTOR = {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_SCHEMAS = {
    "foxglove.FrameTransforms": {"type": "object", "properties": {"transforms": {"type": "array", "items": {"type": "object", "properties": {
        "timestamp": {"type": "object"}, "parent_frame_id": {"type": "string"}, "child_frame_id": {"type": "string"},
        "translation": _VECTOR, "rotation": {"type": "object"}}}}}},
    "foxglove.SceneUpdate": {"type": "object", "properties": {"deletions": {"type": "array"}, "entities": {"type": "array"}}},
    "sinew.Row": {"type": "object", "properties": {"time": {"type": "number"}, **{name: _NUMBERS for name in FIELDS[1:]}}},
}  # fmt: skip


def _stamp(time: float) -> dict[str, int]:
    nanoseconds = round(time * 1e9)
    return {"sec": nanoseconds // 10**9, "nsec": nanoseconds % 10**9}


def _xyz(values: npt.ArrayLike) -> dict[str, float]:
    return dict(zip("xyz", map(float, np.asarray(values))))


def _pose(position: npt.ArrayLike, quaternion: npt.ArrayLike) -> dict[str, Any]:
    w, x, y, z = map(float, np.asarray(quaternion))
    return {"position": _xyz(position), "orientation": {"x": x, "y": y, "z": z, "w": w}}


def _along(model: _sinew.MjModel, geom: int, z: float) -> npt.NDArray[np.float64]:
    """A point on the z axis of a geom, in the frame of its body."""
    axis = np.zeros(3)
    _sinew.mju_rotVecQuat(axis, np.array([0.0, 0.0, z]), model.geom_quat[geom])
    return np.asarray(model.geom_pos[geom] + axis)


def _entity(model: _sinew.MjModel, body: int, geoms: list[tuple[int, npt.NDArray[np.float64]]]) -> dict[str, Any]:
    """The geoms of a body as one entity that moves with the body's frame."""
    kinds: dict[str, list[Any]] = {name: [] for name in ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")}
    for geom, rgba in geoms:
        size, kind = model.geom_size[geom], int(model.geom_type[geom])
        pose, colour = _pose(model.geom_pos[geom], model.geom_quat[geom]), _colour(rgba)
        if kind == mjtGeom.mjGEOM_BOX:
            kinds["cubes"].append({"pose": pose, "size": _xyz(2 * size), "color": colour})
        elif kind == mjtGeom.mjGEOM_PLANE:
            half = _plane(model, geom)
            kinds["cubes"].append({"pose": pose, "size": _xyz([2 * half[0], 2 * half[1], 0.001]), "color": colour})
        elif kind in (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_ELLIPSOID):
            radii = size if kind == mjtGeom.mjGEOM_ELLIPSOID else np.full(3, size[0])
            kinds["spheres"].append({"pose": pose, "size": _xyz(2 * radii), "color": colour})
        elif kind in (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER):
            box = _xyz([2 * size[0], 2 * size[0], 2 * size[1]])
            kinds["cylinders"].append({"pose": pose, "size": box, "bottom_scale": 1.0, "top_scale": 1.0, "color": colour})
            for end in (-size[1], size[1]) if kind == mjtGeom.mjGEOM_CAPSULE else ():
                ball = _pose(_along(model, geom, float(end)), model.geom_quat[geom])
                kinds["spheres"].append({"pose": ball, "size": _xyz(np.full(3, 2 * size[0])), "color": colour})
        elif kind == mjtGeom.mjGEOM_MESH:
            vertices, faces = _mesh(model, int(model.geom_dataid[geom]))
            kinds["triangles"].append({"pose": pose, "points": [_xyz(v) for v in vertices], "indices": faces.ravel().tolist(), "color": colour, "colors": []})
    return {"id": _name(model, body), "frame_id": _name(model, body), "frame_locked": True, "timestamp": _stamp(0),
            "lifetime": _stamp(0), "metadata": [], **kinds}  # fmt: skip


def _save_mcap(path: str, model: _sinew.MjModel, motion: Motion, rate: float) -> None:
    writer_module = _need("mcap.writer", "mcap")
    values = motion.arrays()
    with open(path, "wb") as file:
        writer = writer_module.Writer(file)
        writer.start(profile="", library="sinew")
        channels = {}
        for topic, schema in (("/tf", "foxglove.FrameTransforms"), ("/scene", "foxglove.SceneUpdate"), ("/motion", "sinew.Row")):
            made = writer.register_schema(name=schema, encoding="jsonschema", data=json.dumps(_SCHEMAS[schema]).encode())
            channels[topic] = writer.register_channel(topic=topic, message_encoding="json", schema_id=made)

        def put(topic: str, time: float, message: dict[str, Any]) -> None:
            at = max(0, round(time * 1e9))
            writer.add_message(channel_id=channels[topic], log_time=at, publish_time=at, data=json.dumps(message).encode())

        bodies: dict[int, list[tuple[int, npt.NDArray[np.float64]]]] = {}
        for geom, body, rgba in _shown(model):
            bodies.setdefault(body, []).append((geom, rgba))
        begin = float(values["time"][0]) if len(motion) else 0.0
        put("/scene", begin, {"deletions": [], "entities": [_entity(model, body, geoms) for body, geoms in bodies.items()]})
        for time, data in _poses(model, motion, rate):
            frames = []
            for body in range(1, model.nbody):
                pose = _pose(data.xpos[body], data.xquat[body])
                frames.append({"timestamp": _stamp(time), "parent_frame_id": _name(model, 0), "child_frame_id": _name(model, body),
                               "translation": pose["position"], "rotation": pose["orientation"]})  # fmt: skip
            put("/tf", time, {"transforms": frames})
        for row in range(len(motion)):
            put("/motion", float(values["time"][row]), {name: values[name][row].tolist() for name in FIELDS})
        writer.add_attachment(create_time=0, log_time=0, name="model.mjb", media_type="application/octet-stream", data=_binary(model))
        writer.finish()


def _load_mcap(path: str) -> tuple[_sinew.MjModel, Motion]:
    reader_module = _need("mcap.reader", "mcap")
    with open(path, "rb") as file:
        reader = reader_module.make_reader(file)
        binary = [item.data for item in reader.iter_attachments() if item.name == "model.mjb"]
        rows = [json.loads(message.data) for _, _, message in reader.iter_messages(topics=["/motion"], log_time_order=False)]
    if not binary:
        raise ValueError(f"{path}: no attachment model.mjb; only recordings that this module wrote can be read")
    model = _model(binary[0])
    return model, Motion(model, **{name: [row[name] for row in rows] for name in FIELDS} if rows else {})


# ---- Rerun


def _save_rrd(path: str, model: _sinew.MjModel, motion: Motion, rate: float) -> None:
    rr = _need("rerun", "rerun-sdk")
    stream = rr.RecordingStream("sinew")
    stream.save(path)
    stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    stream.log("model", rr.AnyValues(mjb=base64.b64encode(_binary(model)).decode()), static=True)
    place = [f"world/{rr.escape_entity_path_part(_name(model, body))}" for body in range(model.nbody)]
    for geom, body, rgba in _shown(model):
        at, kind, size = f"{place[body]}/geom{geom}", int(model.geom_type[geom]), model.geom_size[geom]
        w, x, y, z = map(float, model.geom_quat[geom])
        colour = (np.clip(rgba, 0, 1) * 255).astype(np.uint8)
        shape: Any = None
        if kind == mjtGeom.mjGEOM_BOX:
            shape = rr.Boxes3D(half_sizes=[size], colors=[colour], fill_mode="solid")
        elif kind == mjtGeom.mjGEOM_PLANE:
            shape = rr.Boxes3D(half_sizes=[[*_plane(model, geom), 0.0005]], colors=[colour], fill_mode="solid")
        elif kind in (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_ELLIPSOID):
            radii = size if kind == mjtGeom.mjGEOM_ELLIPSOID else np.full(3, size[0])
            shape = rr.Ellipsoids3D(half_sizes=[radii], colors=[colour], fill_mode="solid")
        elif kind == mjtGeom.mjGEOM_CAPSULE:  # theirs begins at the origin
            shape = rr.Capsules3D(lengths=[2 * size[1]], radii=[size[0]], translations=[[0, 0, -size[1]]], colors=[colour])
        elif kind == mjtGeom.mjGEOM_CYLINDER:
            shape = rr.Cylinders3D(lengths=[2 * size[1]], radii=[size[0]], colors=[colour], fill_mode="solid")
        elif kind == mjtGeom.mjGEOM_MESH:
            vertices, faces = _mesh(model, int(model.geom_dataid[geom]))
            shape = rr.Mesh3D(vertex_positions=vertices, triangle_indices=faces, albedo_factor=colour)
        if shape is not None:
            stream.log(at, rr.Transform3D(translation=model.geom_pos[geom], quaternion=[x, y, z, w]), static=True)
            stream.log(at, shape, static=True)
    for time, data in _poses(model, motion, rate):
        stream.set_time("time", duration=time)
        for body in range(1, model.nbody):
            w, x, y, z = map(float, data.xquat[body])
            stream.log(place[body], rr.Transform3D(translation=data.xpos[body], quaternion=[x, y, z, w]))
    values = motion.arrays()
    for row in range(len(motion)):
        stream.set_time("time", duration=float(values["time"][row]))
        stream.set_time("row", sequence=row)
        for name in FIELDS:
            stream.log(f"motion/{name}", rr.Scalars(np.atleast_1d(values[name][row])))
    stream.flush()
    stream.disconnect()


def _load_rrd(path: str) -> tuple[_sinew.MjModel, Motion]:
    chunk_module = _need("rerun.chunk", "rerun-sdk>=0.41")
    rows: dict[str, dict[int, list[float]]] = {name: {} for name in FIELDS}
    binary = None
    for chunk in chunk_module.RrdReader(path).stream():
        entity = chunk.entity_path.strip("/")
        batch = chunk.to_record_batch()
        if entity == "model":
            column = [name for name in batch.schema.names if "mjb" in name]
            binary = batch.column(column[0])[0].as_py()[0] if column else None
        elif entity.startswith("motion/"):
            (column,) = [name for name in batch.schema.names if "scalars" in name.lower()]
            numbers = batch.column("row").to_pylist()
            rows[entity[7:]].update(zip(numbers, batch.column(column).to_pylist()))
    if binary is None:
        raise ValueError(f"{path}: no model inside; only recordings that this module wrote can be read")
    model = _model(base64.b64decode(binary))
    order = sorted(rows["time"])
    return model, Motion(model, **{name: [rows[name].get(row) or [] for row in order] for name in FIELDS} if order else {})


# ---- by name


def save(path: Path, model: _sinew.MjModel, motion: Union[Motion, npt.ArrayLike], *, rate: float = 30) -> None:
    """Write a motion as its name says: .npz, .glb, .mcap, .rrd. `motion` may be states as mj_getState gives them; `rate`
    is the most poses a second that are shown (0: all); the numbers of a motion are always all there."""
    name = os.fspath(path)
    rows = motion if isinstance(motion, Motion) else Motion.of_states(model, motion)
    values = rows.arrays()
    if name.endswith(".npz"):
        np.savez(name, **{field: values[field] for field in FIELDS})  # type: ignore[arg-type]
    elif name.endswith(".glb"):
        spec = int(mjtState.mjSTATE_TIME) | int(mjtState.mjSTATE_QPOS)
        states = np.ascontiguousarray(np.column_stack([values["time"], values["qpos"]]))
        _sinew._gltf(model, states, spec, rate, name)
    elif name.endswith(".mcap"):
        _save_mcap(name, model, rows, rate)
    elif name.endswith(".rrd"):
        _save_rrd(name, model, rows, rate)
    else:
        raise ValueError(f"{name}: ends in none of .npz, .glb, .mcap, .rrd")


def load(path: Path, model: Optional[_sinew.MjModel] = None) -> tuple[_sinew.MjModel, Motion]:
    """Model and motion of a file that save wrote: .mcap, .rrd; .npz too, with its model."""
    name = os.fspath(path)
    if name.endswith(".npz"):
        if model is None:
            raise ValueError(f"{name}: an NPZ file holds no model; give the model")
        with np.load(name) as values:
            return model, Motion(model, **{field: values[field] for field in FIELDS if field in values})
    if name.endswith(".mcap"):
        return _load_mcap(name)
    if name.endswith(".rrd"):
        return _load_rrd(name)
    raise ValueError(f"{name}: ends in none of .npz, .mcap, .rrd")


def main(arguments: list[str]) -> int:
    """`sinew convert` for recordings: MODEL OUT.mcap --motion FILE, and IN.mcap OUT.npz."""
    import argparse
    import sys

    parser = argparse.ArgumentParser(prog="sinew convert", description="Recordings for Foxglove (.mcap) and Rerun (.rrd), and back.")
    parser.add_argument("input", metavar="IN", help="a model, or a recording")
    parser.add_argument("output", metavar="OUT", help="a recording; .npz or .glb of a recording")
    parser.add_argument("--motion", help="what 'sinew run IN --write FILE.npz' wrote")
    parser.add_argument("--rate", type=float, default=30, help="most poses a second that are shown (default 30; 0: all)")
    given = parser.parse_args(arguments)
    try:
        if given.input.endswith((".mcap", ".rrd")):
            model, motion = load(given.input)
        else:
            binary = given.input.endswith(".mjb")
            model = (_sinew.MjModel.from_binary_path if binary else _sinew.MjModel.from_xml_path)(given.input)
            if not given.motion:
                parser.error("a recording is of a motion: --motion FILE.npz")
            _, motion = load(given.motion, model)
        save(given.output, model, motion, rate=given.rate)
    except (ValueError, ImportError, OSError) as wrong:
        print(f"sinew convert: {wrong}", file=sys.stderr)
        return 1
    return 0
