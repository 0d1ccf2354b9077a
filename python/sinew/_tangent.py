"""Positions and their tangent space, many rows at once: what mj_differentiatePos does to one."""

import numpy as np
import numpy.typing as npt

from ._enums import mjtJoint
from ._sinew import MjModel

Floats = npt.NDArray[np.float64]

# conj(a) b = sum of _CONJ[i, j, k] a_j b_k
_CONJ = np.zeros((4, 4, 4))
for _i, _j, _k, _sign in (
    (0, 0, 0, 1), (0, 1, 1, 1), (0, 2, 2, 1), (0, 3, 3, 1), (1, 0, 1, 1), (1, 1, 0, -1), (1, 2, 3, -1), (1, 3, 2, 1),
    (2, 0, 2, 1), (2, 2, 0, -1), (2, 3, 1, -1), (2, 1, 3, 1), (3, 0, 3, 1), (3, 3, 0, -1), (3, 1, 2, -1), (3, 2, 1, 1),
):  # fmt: skip
    _CONJ[_i, _j, _k] = _sign


class Tangent:
    """Differences of positions of a model, and their slopes."""

    def __init__(self, model: MjModel) -> None:
        self.nv = model.nv
        plain_q: list[int] = []
        plain_v: list[int] = []
        self.turns: list[tuple[int, int]] = []  # quaternions: where in qpos, where in qvel
        for j in range(model.njnt):
            q, v, kind = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), model.jnt_type[j]
            n = 3 if kind == mjtJoint.mjJNT_FREE else 0 if kind == mjtJoint.mjJNT_BALL else 1
            plain_q += range(q, q + n)
            plain_v += range(v, v + n)
            if kind in (mjtJoint.mjJNT_FREE, mjtJoint.mjJNT_BALL):
                self.turns.append((q + n, v + n))
        self.plain_q, self.plain_v = np.array(plain_q, int), np.array(plain_v, int)
        self.flat = not self.turns and plain_q == plain_v

    def difference(self, end: Floats, start: Floats) -> Floats:
        """end - start, rows of velocities that lead from start to end in unit time."""
        if self.flat:
            return end - start
        start = np.broadcast_to(start, end.shape)
        result = np.zeros((*end.shape[:-1], self.nv))
        result[..., self.plain_v] = end[..., self.plain_q] - start[..., self.plain_q]
        for q, v in self.turns:
            a, b = start[..., q : q + 4], end[..., q : q + 4]
            turn = np.einsum("ijk,...j,...k->...i", _CONJ, a, b)  # conj(a) b
            w, xyz = turn[..., :1], turn[..., 1:]
            size = np.sqrt(np.sum(xyz * xyz, axis=-1, keepdims=True))
            angle = 2 * np.arctan2(size, np.abs(w)) * np.where(w < 0, -1, 1)
            result[..., v : v + 3] = xyz * np.where(size > 1e-12, angle / np.maximum(size, 1e-12), 2)
        return result

    def add(self, qpos: Floats, dq: Floats) -> Floats:
        """Positions moved by a velocity for unit time."""
        if self.flat:
            return qpos + dq
        result = np.array(qpos)
        result[..., self.plain_q] += dq[..., self.plain_v]
        for q, v in self.turns:
            turn, old = dq[..., v : v + 3], qpos[..., q : q + 4]
            angle = np.linalg.norm(turn, axis=-1, keepdims=True)
            w, xyz = np.cos(0.5 * angle), 0.5 * turn * np.sinc(angle / (2 * np.pi))
            result[..., q : q + 1] = old[..., :1] * w - np.sum(old[..., 1:] * xyz, axis=-1, keepdims=True)
            result[..., q + 1 : q + 4] = old[..., :1] * xyz + w * old[..., 1:] + np.cross(old[..., 1:], xyz)
        return result

    def slope(self, difference: Floats) -> Floats:
        """Derivative of a difference by its end, rows of nv x nv: the inverse right Jacobian of turns."""
        result = np.zeros((*difference.shape, self.nv))
        result[..., np.arange(self.nv), np.arange(self.nv)] = 1
        for _, v in self.turns:
            x = difference[..., v : v + 3]
            angle = np.linalg.norm(x, axis=-1)
            half = np.maximum(0.5 * angle, 1e-4)
            bend = np.where(angle > 2e-4, (1 - half / np.tan(half)) / (4 * half * half), 1 / 12)
            cross = np.zeros((*x.shape, 3))
            cross[..., 0, 1], cross[..., 0, 2], cross[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
            cross -= np.swapaxes(cross, -1, -2)
            result[..., v : v + 3, v : v + 3] += 0.5 * cross + bend[..., None, None] * (cross @ cross)
        return result
