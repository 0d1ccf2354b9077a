"""Many simulations of one model, stepped together on threads."""

import copy
import os
from collections.abc import Sequence
from typing import Any, Literal, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import _check, _sinew
from ._enums import mjtState
from ._sinew import MjData, MjModel, MjvCamera, MjvOption
from .renderer import find_camera

_Floats = npt.NDArray[np.float64]
_STEP, _FORWARD, _RESET = 0, 1, 2
_ALL = int(mjtState.mjSTATE_INTEGRATION)

# parts of a state in their order, as fields of MjData
_PARTS = {
    mjtState.mjSTATE_TIME: "time", mjtState.mjSTATE_QPOS: "qpos", mjtState.mjSTATE_QVEL: "qvel", mjtState.mjSTATE_ACT: "act",
    mjtState.mjSTATE_WARMSTART: "qacc_warmstart", mjtState.mjSTATE_CTRL: "ctrl", mjtState.mjSTATE_QFRC_APPLIED: "qfrc_applied",
    mjtState.mjSTATE_XFRC_APPLIED: "xfrc_applied", mjtState.mjSTATE_EQ_ACTIVE: "eq_active", mjtState.mjSTATE_MOCAP_POS: "mocap_pos",
    mjtState.mjSTATE_MOCAP_QUAT: "mocap_quat", mjtState.mjSTATE_USERDATA: "userdata", mjtState.mjSTATE_PLUGIN: "plugin_state",
}  # fmt: skip


class Batch:
    """`size` simulations of `model`, each a row of ``batch.state``.

        batch = sinew.Batch(model, 64)
        qpos, ctrl, xpos = batch.bind("qpos"), batch.bind("ctrl"), batch.bind("xpos")
        for _ in range(1000):
            ctrl[:] = policy(qpos, xpos)   # 64 x nu
            batch.step()

    A row is an integration state (mjSTATE_INTEGRATION). A thread puts it in an MjData of its own, works
    and takes it back, so memory grows with the threads, not with the rows, and what a row computes is,
    to the bit, what an MjData of its own would, on any number of threads. A row that goes bad (numbers
    that are not finite, an error, which leaves its state alone) is listed in ``bad_rows`` after the
    call; the others go on. With ``own_models`` every row has a model of its own, so that masses,
    friction, gains ... may differ: ``batch.models[3].body_mass[1] = 2``.

    ``after`` names documented functions of (m, d) that follow every call, before bound fields are copied out:
    ``after=["mj_rnePostConstraint"]`` for contact forces in cfrc_ext, ``["mj_step1"]`` for poses and sensors of
    the state after the step instead of those it began with. They do not change what is simulated.
    """

    def __init__(self, model: MjModel, size: int, *, nthread: Optional[int] = None, own_models: bool = False, after: Sequence[str] = ()) -> None:
        _check.instance("Batch", "model", model, MjModel)
        size = _check.whole("Batch", "size", size, 1)
        if nthread is not None:
            nthread = _check.whole("Batch", "nthread", nthread, 0)
        self.model = model
        self.models = tuple(copy.copy(model) for _ in range(size)) if own_models else (model,)
        self.nthread = min(nthread or os.cpu_count() or 1, size)
        self.bad_rows: list[tuple[int, str]] = []
        self._state = np.zeros((size, _sinew.mj_stateSize(model, _ALL)))
        self._workers = tuple(MjData(model) for _ in range(self.nthread))
        self._prepared = _sinew._batch(self.models, self._workers, self._state, (after,) if isinstance(after, str) else tuple(after))
        self._arrays: dict[str, npt.NDArray[Any]] = {}  # bound fields
        self._renderers: dict[tuple[int, int, int, int], Any] = {}  # by size, samples and most geoms
        self._columns: dict[mjtState, slice] = {}
        at = 0
        for part, field in _PARTS.items():
            width = _sinew.mj_stateSize(model, int(part))
            self._columns[part] = slice(at, at + width)
            shape = np.shape(getattr(self._workers[0], field))
            self._arrays[field] = self.state[:, at : at + width].reshape(size, *shape)
            at += width
        self.reset()

    @property
    def state(self) -> npt.NDArray[np.float64]:
        """The integration states, a row for each simulation; may be written."""
        return self._state

    def __len__(self) -> int:
        return len(self.state)

    def _each(self, what: int, nstep: int, rows: Optional[npt.ArrayLike]) -> list[tuple[int, str]]:
        mask = None
        if rows is not None:
            mask = _check.mask(f"Batch.{('step', 'forward', 'reset')[what]}", rows, len(self.state))
        self.bad_rows = _sinew._each(self._prepared, what, nstep, mask)
        return self.bad_rows

    def step(self, nstep: int = 1, rows: Optional[npt.ArrayLike] = None) -> list[tuple[int, str]]:
        """Step all rows, or those given by index or mask; the rows that went bad."""
        if type(nstep) is not int or nstep < 0:
            nstep = _check.whole("Batch.step", "nstep", nstep, 0)
        if rows is not None:
            return self._each(_STEP, nstep, rows)
        self.bad_rows = bad = _sinew._each(self._prepared, _STEP, nstep, None)
        return bad

    def forward(self, rows: Optional[npt.ArrayLike] = None) -> list[tuple[int, str]]:
        """Compute everything from the states, without stepping."""
        return self._each(_FORWARD, 0, rows)

    def reset(self, rows: Optional[npt.ArrayLike] = None) -> list[tuple[int, str]]:
        """Reset rows to the model's first state."""
        return self._each(_RESET, 0, rows)

    @overload
    def transition(self, *, sensors: Literal[False] = False) -> tuple[_Floats, _Floats]: ...
    @overload
    def transition(self, *, sensors: Literal[True]) -> tuple[_Floats, _Floats, _Floats, _Floats]: ...
    def transition(self, *, sensors: bool = False) -> tuple[_Floats, ...]:
        """A and B of a step of every row (sinew.derive), N x (2nv+na) x (2nv+na) and N x (2nv+na) x nu; with
        `sensors` also C and D, N x nsensordata x (2nv+na) and N x nsensordata x nu.

        The states stay. Rows that went bad are listed in ``bad_rows``; theirs are 0.
        """
        nx, nu, ns, n = 2 * self.model.nv + self.model.na, self.model.nu, self.model.nsensordata, len(self)
        A, B = np.zeros((n, nx, nx)), np.zeros((n, nx, nu))
        if not sensors:
            self.bad_rows = _sinew._batch_transition(self._prepared, A, B, None, None)
            return A, B
        C, D = np.zeros((n, ns, nx)), np.zeros((n, ns, nu))
        self.bad_rows = _sinew._batch_transition(self._prepared, A, B, C, D)
        return A, B, C, D

    def vjp(self, gnext: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Reverse mode of a step of every row: gradients by the states (N x 2nv+na) and the controls (N x nu)."""
        nx = 2 * self.model.nv + self.model.na
        g = np.ascontiguousarray(_check.numbers("Batch.vjp", "gnext", gnext, (len(self), nx)))
        gx, gu = np.zeros((len(self), nx)), np.zeros((len(self), self.model.nu))
        self.bad_rows = _sinew._batch_vjp(self._prepared, g, gx, gu)
        return gx, gu

    def bind(self, field: str) -> npt.NDArray[Any]:
        """The field of MjData of all rows, rows first, in one array that sees what the simulations do.

        Parts of the state are views of ``state``, and may be written. Other fields are copied out after
        every call, and cannot be; after a step they are those it computed, as in an MjData. When they
        are first bound they are computed from the present states.
        """
        if not isinstance(field, str):
            raise _check.refuse(TypeError, "Batch.bind", "field", "the name of a field of MjData", field)
        if field not in self._arrays:
            value = getattr(self._workers[0], field)
            one = np.asarray(value, np.int32 if isinstance(value, int) else None)
            array = np.zeros((len(self.state), *one.shape), one.dtype)
            _sinew._batch_bind(self._prepared, field, array)
            self._arrays[field] = array.view()
            self._arrays[field].flags.writeable = False
        return self._arrays[field]

    def get(self, field: str, out: Optional[npt.NDArray[Any]] = None) -> npt.NDArray[Any]:
        """A copy of what is bound to the field, in a new array or in `out`."""
        array = self.bind(field)
        if out is None:
            return array.copy()
        if not isinstance(out, np.ndarray) or out.dtype != array.dtype or out.shape != array.shape:
            raise _check.refuse(ValueError, "Batch.get", "out", f"an array of {array.dtype} with shape {array.shape}", out)
        out[...] = array
        return out

    def set(self, field: str, values: npt.ArrayLike, rows: Optional[npt.ArrayLike] = None) -> None:
        """Set a part of the state in all rows, or in those given: one value for each, or one for all."""
        if field not in _PARTS.values():
            raise _check.refuse(ValueError, "Batch.set", "field", f"a part of the state ({', '.join(_PARTS.values())})", field)
        array = self._arrays[field]
        if rows is not None:
            _check.mask("Batch.set", rows, len(array))
        chosen = slice(None) if rows is None else np.asarray(rows, None if np.size(rows) else int)
        array[chosen] = _check.numbers("Batch.set", "values", values, array[chosen].shape)

    def _chosen(self, spec: int) -> list[slice]:
        if spec & ~_ALL:
            raise _check.refuse(ValueError, "Batch", "spec", "a combination of parts of mjSTATE_INTEGRATION", spec)
        chosen: list[slice] = []
        for part, columns in self._columns.items():
            if not spec & part or columns.start == columns.stop:
                continue
            if chosen and chosen[-1].stop == columns.start:  # side by side: one copy
                columns = slice(chosen.pop().start, columns.stop)
            chosen.append(columns)
        return chosen

    def get_state(self, spec: int) -> npt.NDArray[np.float64]:
        """mj_getState of all rows."""
        return np.concatenate([self.state[:, :0], *(self.state[:, columns] for columns in self._chosen(_check.whole("Batch.get_state", "spec", spec, 0)))], axis=1)

    def set_state(self, state: npt.ArrayLike, spec: int) -> None:
        """mj_setState of all rows, from one state for each or one for all."""
        chosen = self._chosen(_check.whole("Batch.set_state", "spec", spec, 0))
        shape = (len(self.state), sum(c.stop - c.start for c in chosen))
        rows = _check.numbers("Batch.set_state", "state", state, shape)
        at = 0
        for columns in chosen:
            width = columns.stop - columns.start
            self.state[:, columns] = rows[:, at : at + width]
            at += width

    def get_data(self, row: int) -> MjData:
        """A new MjData with everything computed from the present state of a row."""
        _check.whole("Batch.get_data", "row", row, -len(self.state))
        if row >= len(self.state):
            raise _check.refuse(IndexError, "Batch.get_data", "row", f"a row from 0 to {len(self.state) - 1}", row)
        model = self.models[row if len(self.models) > 1 else 0]
        data = MjData(model)
        _sinew.mj_setState(model, data, self.state[row], _ALL)
        _sinew.mj_forward(model, data)
        return data

    def render(
        self,
        camera: Union[int, str, MjvCamera] = -1,
        width: int = 64,
        height: int = 64,
        *,
        depth: bool = False,
        segmentation: bool = False,
        out: Optional[npt.NDArray[Any]] = None,
        rows: Optional[npt.ArrayLike] = None,
        scene_option: Optional[MjvOption] = None,
        samples: int = 0,
        max_geom: int = 10000,
    ) -> npt.NDArray[Any]:
        """Pictures of all rows, or those given, as a camera sees them: N x height x width x 3 colours (uint8).

        With ``depth``: N x height x width metres (float32); with ``segmentation``: N x height x width x 2 ids and types
        of objects (int32, -1 where there is none). Straight into ``out`` when it is given; otherwise rows that are not
        drawn are 0. Rows are drawn on the batch's threads; the pixels of one do not depend on the others. ``samples``
        against jagged edges: 1 for none, 0 for the model's offsamples. Meshes and textures are those the model had at
        the first call with the same size; ``forget_renderers`` takes them anew.
        """
        if depth and segmentation:
            raise ValueError("depth or segmentation, one of them in a call")
        shape: tuple[int, ...] = (len(self), height, width)
        dtype: Any = np.float32 if depth else np.int32 if segmentation else np.uint8
        if not depth:
            shape += (2 if segmentation else 3,)
        if out is None:
            out = np.zeros(shape, dtype)
        elif out.shape != shape or out.dtype != dtype:
            raise ValueError(f"out: expected {shape} of {np.dtype(dtype)}, found {out.shape} of {out.dtype}")
        mask = None if rows is None else _check.mask("Batch.render", rows, len(self))
        key = (width, height, samples, max_geom)
        if key not in self._renderers:
            self._renderers[key] = _sinew._renderers(self._prepared, *key)
        seen = find_camera(self.model, camera)
        option = scene_option if scene_option is not None else MjvOption()
        three = (None if depth or segmentation else out, out if depth else None, out if segmentation else None)
        self.bad_rows = _sinew._batch_render(self._prepared, self._renderers[key], seen, option, *three, mask)
        return out

    def forget_renderers(self) -> None:
        """Drop what `render` keeps for each size, so that it takes meshes, textures and height fields from the model anew."""
        self._renderers.clear()
