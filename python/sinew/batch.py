"""Many simulations of one model, stepped together on threads."""

import copy
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _sinew
from ._sinew import MjData, MjModel

_STEP, _FORWARD, _RESET = 0, 1, 2


class Batch:
    """`size` simulations of `model`, each with an MjData of its own.

        batch = sinew.Batch(model, 64)
        batch.set("ctrl", actions)         # 64 x nu
        batch.step(5)
        qpos = batch.get("qpos")           # 64 x nq

    What a row computes does not depend on the number of threads. A row that goes bad (numbers that
    are not finite, an error) is listed in ``bad_rows`` after the call; the others go on.
    With ``own_models`` every row has a model of its own, so that masses, friction, gains ... may
    differ: ``batch.models[3].body_mass[1] = 2``.
    """

    def __init__(self, model: MjModel, size: int, *, nthread: Optional[int] = None, own_models: bool = False) -> None:
        if size < 1:
            raise ValueError(f"a batch has one simulation or more, not {size}")
        self.model = model
        self.models: list[MjModel] = [copy.copy(model) for _ in range(size)] if own_models else [model]
        self.data: list[MjData] = [MjData(self.models[i if own_models else 0]) for i in range(size)]
        self.nthread = nthread or os.cpu_count() or 1
        self.bad_rows: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self.data)

    def _each(self, what: int, nstep: int, rows: Optional[npt.ArrayLike]) -> list[tuple[int, str]]:
        mask = None
        if rows is not None:
            mask = np.zeros(len(self.data), np.uint8)
            mask[np.asarray(rows)] = 1
        self.bad_rows = _sinew._each(self.models, self.data, self.nthread, nstep, what, mask)
        return self.bad_rows

    def step(self, nstep: int = 1, rows: Optional[npt.ArrayLike] = None) -> list[tuple[int, str]]:
        """Step all rows, or those given by index or mask; the rows that went bad."""
        return self._each(_STEP, nstep, rows)

    def forward(self, rows: Optional[npt.ArrayLike] = None) -> list[tuple[int, str]]:
        """Compute everything from the states, without stepping."""
        return self._each(_FORWARD, 0, rows)

    def reset(self, rows: Optional[npt.ArrayLike] = None) -> list[tuple[int, str]]:
        """Reset rows to the model's first state."""
        return self._each(_RESET, 0, rows)

    def views(self, field: str) -> list[Any]:
        """The field of every row, as arrays that see what the simulations do."""
        return [getattr(data, field) for data in self.data]

    def _shape(self, field: str) -> tuple[tuple[int, ...], npt.DTypeLike]:
        one = np.asarray(getattr(self.data[0], field))
        return one.shape, one.dtype

    def get(self, field: str, out: Optional[npt.NDArray[Any]] = None) -> npt.NDArray[Any]:
        """The field of all rows in one new array (or in `out`), rows first."""
        shape, dtype = self._shape(field)
        if out is None:
            out = np.empty((len(self.data), *shape), dtype)
        elif out.dtype != dtype or out.shape != (len(self.data), *shape):
            raise ValueError(f"{field}: expected {(len(self.data), *shape)} of {dtype}, found {out.shape} of {out.dtype}")
        _sinew._copy_rows(self.data, field, out, False)
        return out

    def set(self, field: str, values: npt.ArrayLike, rows: Optional[Sequence[int]] = None) -> None:
        """Set the field of all rows, or of those given: one value for each, or one for all."""
        chosen = self.data if rows is None else [self.data[row] for row in rows]
        shape, dtype = self._shape(field)
        _sinew._copy_rows(chosen, field, np.ascontiguousarray(np.broadcast_to(values, (len(chosen), *shape)), dtype), True)

    def get_state(self, spec: int) -> npt.NDArray[np.float64]:
        """mj_getState of all rows."""
        state = np.empty((len(self.data), _sinew.mj_stateSize(self.model, int(spec))))
        _sinew._copy_states(self.models, self.data, int(spec), state, False)
        return state

    def set_state(self, state: npt.ArrayLike, spec: int) -> None:
        """mj_setState of all rows, from one state for each or one for all."""
        shape = (len(self.data), _sinew.mj_stateSize(self.model, int(spec)))
        rows = np.ascontiguousarray(np.broadcast_to(np.asarray(state, np.float64), shape))
        _sinew._copy_states(self.models, self.data, int(spec), rows, True)
