"""One step as a function of arrays, and its gradient: what sinew.torch and sinew.jax stand on.

The function is pure: quaternions are normalized, the solver starts cold, and nothing else of a state is kept. Gradients
are by the numbers of qpos themselves: of a quaternion, along the sphere.
"""

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ._sinew import MjModel
from ._tangent import Floats, Tangent
from .batch import Batch


class State(NamedTuple):
    """Rows of states and controls: qpos (.. x nq), qvel (.. x nv), act (.. x na), ctrl (.. x nu)."""

    qpos: Floats
    qvel: Floats
    act: Floats
    ctrl: Floats


def _turned(quat: Floats) -> Floats:
    """The 4 x 3 matrices E of rows: quat times a small turn x is quat + E x / 2."""
    w, x, y, z = (quat[..., k] for k in range(4))
    rows = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


class Engine:
    """Steps and gradients of `size` rows."""

    def __init__(self, model: MjModel, size: int) -> None:
        self.model, self.batch, self.tangent = model, Batch(model, size), Tangent(model)

    def _load(self, state: State) -> Floats:
        """Put rows in the batch; the norms of their quaternions."""
        qpos = np.array(state.qpos)
        norms = np.ones((len(qpos), len(self.tangent.turns)))
        for k, (q, _) in enumerate(self.tangent.turns):
            norms[:, k] = np.linalg.norm(qpos[:, q : q + 4], axis=1)
            if not np.all(norms[:, k] > 1e-10):
                raise ValueError(f"qpos: numbers {q} to {q + 3} are a quaternion, found zeros")
            qpos[:, q : q + 4] /= norms[:, k : k + 1]
        self.batch.reset()
        for name, value in (("qpos", qpos), ("qvel", state.qvel), ("act", state.act), ("ctrl", state.ctrl)):
            self.batch.set(name, value)
        return norms

    def step(self, state: State) -> tuple[Floats, Floats, Floats]:
        """The next qpos, qvel and act of all rows. ValueError with the rows whose numbers go bad."""
        self._load(state)
        bad = self.batch.step()
        if bad:
            raise ValueError(f"step: the numbers go bad in rows {[row for row, _ in bad]}: {bad[0][1]}")
        qpos = self.batch.get("qpos")
        for q, _ in self.tangent.turns:
            qpos[:, q : q + 4] /= np.linalg.norm(qpos[:, q : q + 4], axis=1, keepdims=True)
        return qpos, self.batch.get("qvel"), self.batch.get("act")

    def pull(self, state: State, after: Floats, gqpos: Floats, gqvel: Floats, gact: Floats) -> State:
        """Gradients by state and control from those by the next state, whose qpos is `after`."""
        t, nv = self.tangent, self.model.nv
        l = np.zeros((len(after), nv))
        l[:, t.plain_v] = gqpos[:, t.plain_q]
        for q, v in t.turns:
            l[:, v : v + 3] = 0.5 * np.einsum("nij,ni->nj", _turned(after[:, q : q + 4]), gqpos[:, q : q + 4])
        norms = self._load(state)
        gx, gu = self.batch.vjp(np.concatenate((l, gqvel, gact), axis=1))
        if self.batch.bad_rows:
            row, why = self.batch.bad_rows[0]
            raise ValueError(f"step: row {row} has no gradient: {why}")
        g = np.zeros_like(gqpos)
        g[:, t.plain_q] = gx[:, t.plain_v]
        for k, (q, v) in enumerate(t.turns):
            unit = state.qpos[:, q : q + 4] / norms[:, k : k + 1]
            g[:, q : q + 4] = 2 * np.einsum("nij,nj->ni", _turned(unit), gx[:, v : v + 3]) / norms[:, k : k + 1]
        return State(g, gx[:, nv : 2 * nv], gx[:, 2 * nv :], gu)


@functools.lru_cache(maxsize=8)
def engine(model: MjModel, size: int) -> Engine:
    """The engine of a model and a number of rows; the last few are kept."""
    return Engine(model, size)


def rows(call: str, model: MjModel, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The leading shape that all arguments share; ValueError otherwise."""
    widths = {"qpos": model.nq, "qvel": model.nv, "act": model.na, "ctrl": model.nu}
    lead = shapes["qpos"][:-1]
    for name, shape in shapes.items():
        if shape != (*lead, widths[name]):
            raise ValueError(f"{call}: argument {name}: expected an array of shape {(*lead, widths[name])}, found {shape}")
    return lead


def flat(value: npt.ArrayLike, width: int) -> Floats:
    return np.ascontiguousarray(np.asarray(value, np.float64).reshape(-1, width))
