"""Open-loop simulations of one model, many at once on threads."""

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _sinew
from ._enums import mjtState
from ._sinew import MjData, MjModel

Floats = np.ndarray[Any, np.dtype[np.float64]]


class RolloutError(_sinew.FatalError):
    """Some rows could not be simulated; ``rows`` says which, and why. The others were."""

    def __init__(self, rows: list[tuple[int, str]]) -> None:
        self.rows = rows
        super().__init__(rows[0][1])
        self.add_note(f"{len(rows)} of the rollouts failed: rows {', '.join(str(row) for row, _ in rows[:20])}")


def _ready(name: str, value: Optional[npt.ArrayLike], last: tuple[Optional[int], ...]) -> Optional[Floats]:
    """The array with as many dimensions as `last`, leading ones added; sizes checked where given."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)):
        raise ValueError(f"{name} must be a numpy array or float")
    array = np.ascontiguousarray(_check.numbers("rollout", name, value))
    if array.ndim > len(last):
        raise ValueError(f"{name} can have at most {len(last)} dimensions")
    array = array.reshape((1,) * (len(last) - array.ndim) + array.shape)
    if array.shape[-1] != last[-1]:
        raise ValueError(f"trailing dimension of {name} must be {last[-1]}, got {array.shape[-1]}")
    return array


def _spread(name: str, array: Optional[Floats], nbatch: int, nstep: Optional[int] = None) -> Optional[Floats]:
    if array is None:
        return None
    shape = (nbatch, *array.shape[1:]) if nstep is None else (nbatch, nstep, *array.shape[2:])
    for size, wanted in zip(array.shape, shape):
        if size not in (1, wanted):
            raise ValueError(f"{name}: expected shape {shape}, or 1 where it repeats, found {array.shape}")
    return np.ascontiguousarray(np.broadcast_to(array, shape))


class Rollout:
    """Rolls out on as many threads as `data` has instances.

    ``bad_rows`` lists (row, reason) of the last call's simulations that went bad (numbers that are
    not finite, or an error); their remaining states repeat the last good one.
    """

    def __init__(self, *, nthread: Optional[int] = None) -> None:
        self.nthread = None if nthread is None else _check.whole("Rollout", "nthread", nthread, 0)
        self.bad_rows: list[tuple[int, str]] = []

    def __enter__(self) -> "Rollout":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is kept between calls."""

    def rollout(
        self,
        model: Union[MjModel, Sequence[MjModel]],
        data: Union[MjData, Sequence[MjData]],
        initial_state: npt.ArrayLike,
        control: Optional[npt.ArrayLike] = None,
        *,
        control_spec: int = mjtState.mjSTATE_CTRL,
        skip_checks: bool = False,
        nstep: Optional[int] = None,
        initial_warmstart: Optional[npt.ArrayLike] = None,
        state: Optional[Floats] = None,
        sensordata: Optional[Floats] = None,
        chunk_size: Optional[int] = None,
    ) -> tuple[Floats, Floats]:
        """Simulate from every row of initial_state under every row of control.

        Arrays with one row, or one step, are repeated. Without control the inputs that it would set are
        those of the first data; all other inputs are as after a reset. Returns the states (nbatch x nstep x nstate)
        and sensor readings (nbatch x nstep x nsensordata) after every step. Threads take row by row,
        whatever the chunk_size.
        """
        models = _check.instances("rollout", "model", model, MjModel)
        datas = _check.instances("rollout", "data", data, MjData)
        if nstep is not None:
            nstep = _check.whole("rollout", "nstep", nstep, 0)
        control_spec = _check.whole("rollout", "control_spec", control_spec, 0)
        if not models or not datas:
            raise ValueError(f"The list of {'models' if not models else 'data instances'} is empty")
        if self.nthread == 0 and len(datas) > 1:
            raise ValueError("More than one data instance passed but rollout is configured to run on main thread")
        if self.nthread and len(datas) != self.nthread:
            raise ValueError(f"Length of data: {len(datas)} not equal to nthread: {self.nthread}")
        m = models[0]
        if control_spec & ~int(mjtState.mjSTATE_USER):
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        nstate = _sinew.mj_stateSize(m, mjtState.mjSTATE_FULLPHYSICS)
        ncontrol = _sinew.mj_stateSize(m, int(control_spec))
        if initial_state is None:
            raise _check.refuse(TypeError, "rollout", "initial_state", "numbers", initial_state)
        start = _ready("initial_state", initial_state, (None, nstate))
        warm = _ready("initial_warmstart", initial_warmstart, (None, m.nv))
        if control is None:  # what the first data has now is held
            control = np.empty(ncontrol)
            _sinew.mj_getState(m, datas[0], control, int(control_spec))
        given = _ready("control", control, (None, None, ncontrol))
        for name, out in (("state", state), ("sensordata", sensordata)):
            if out is not None and (not isinstance(out, np.ndarray) or out.dtype != np.float64 or not out.flags.c_contiguous):
                raise ValueError(f"{name} must be a contiguous array of float64")
        batches = [a.shape[0] for a in (start, warm, given) if a is not None]
        batches += [a.shape[0] for a in (state, sensordata) if a is not None and a.ndim == 3] + [len(models)]
        nbatch = max(batches)
        if skip_checks and start is not None:  # as many as there are states; further models are not used
            nbatch = start.shape[0]
            models = models[:nbatch] if len(models) > 1 else models
        steps = [given.shape[1]] if given is not None else []
        steps += [a.shape[-2] for a in (state, sensordata) if a is not None and a.ndim > 1]
        count = nstep if nstep is not None else steps[0] if steps and steps[0] > 1 else max(steps, default=1)
        if len(models) not in (1, nbatch):
            raise ValueError(f"expected 1 or {nbatch} models, found {len(models)}")
        if state is None:
            state = np.empty((nbatch, count, nstate))
        if sensordata is None:
            sensordata = np.empty((nbatch, count, m.nsensordata))
        for name, out, width in (("state", state, nstate), ("sensordata", sensordata, m.nsensordata)):
            if out.ndim == 3 and out.shape[1] != count:
                raise ValueError(f"dimension 1 inferred as {count} but {name} has {out.shape[1]}")
            if out.size != nbatch * count * width:
                raise ValueError(f"{name}: expected shape {(nbatch, count, width)}, found {out.shape}")
        start = _spread("initial_state", start, nbatch)
        assert start is not None
        self.bad_rows = _sinew._rollout(
            tuple(models), tuple(datas), nbatch, count, int(control_spec), start,
            _spread("initial_warmstart", warm, nbatch), _spread("control", given, nbatch, count), state, sensordata,
        )
        failed = [row for row in self.bad_rows if not row[1].startswith("bad numbers")]
        if failed:
            raise RolloutError(failed)
        return state, sensordata


def rollout(
    model: Union[MjModel, Sequence[MjModel]],
    data: Union[MjData, Sequence[MjData]],
    initial_state: npt.ArrayLike,
    control: Optional[npt.ArrayLike] = None,
    *,
    control_spec: int = mjtState.mjSTATE_CTRL,
    skip_checks: bool = False,
    nstep: Optional[int] = None,
    initial_warmstart: Optional[npt.ArrayLike] = None,
    state: Optional[Floats] = None,
    sensordata: Optional[Floats] = None,
    chunk_size: Optional[int] = None,
    persistent_pool: bool = False,
) -> tuple[Floats, Floats]:
    """Rollout().rollout: one thread per instance of data. See there."""
    return Rollout().rollout(
        model, data, initial_state, control, control_spec=control_spec, skip_checks=skip_checks, nstep=nstep,
        initial_warmstart=initial_warmstart, state=state, sensordata=sensordata, chunk_size=chunk_size,
    )


def shutdown_persistent_pool() -> None:
    """Nothing is kept between calls."""
