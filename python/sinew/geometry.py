"""The geometry of multi-joint dynamics: configurations with the joint-space inertia as their metric.

    G = geometry.christoffel(model, data)                  # bias force of motion: einsum("ijk,i,j->k", G, v, v)
    H, velocity, rate = geometry.hamiltonian(model, data, p)
    length = geometry.geodesic(model, data, time=1.0)      # data moves on as no force would have it

Conventions for ball and free joints: include/sinew/geometry.h.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _check, _sinew
from ._sinew import MjData, MjModel

_Array = npt.NDArray[np.float64]


class Hamilton(NamedTuple):
    """The Hamiltonian and Hamilton's equations, without applied and damping forces."""

    energy: float
    velocity: _Array  # dH/dp = inv(M) p
    rate: _Array  # dp/dt


def christoffel(model: MjModel, data: MjData) -> _Array:
    """Christoffel symbols of the first kind at data.qpos, nv x nv x nv. Positions are evaluated, velocities stay."""
    gamma = np.empty((model.nv, model.nv, model.nv))
    _sinew._geometry_christoffel(model, data, gamma)
    return gamma


def hamiltonian(model: MjModel, data: MjData, p: npt.ArrayLike) -> Hamilton:
    """1/2 p' inv(M) p + potential for the momenta p = M v. data.qvel becomes the velocity."""
    momenta = np.ascontiguousarray(p, dtype=np.float64)
    if momenta.shape != (model.nv,):
        raise _check.refuse(ValueError, "geometry.hamiltonian", "p", f"{model.nv} momenta", p)
    velocity, rate = np.empty(model.nv), np.empty(model.nv)
    return Hamilton(_sinew._geometry_hamiltonian(model, data, momenta, velocity, rate), velocity, rate)


def geodesic(model: MjModel, data: MjData, time: float, steps: int = 100) -> float:
    """Moves data.qpos and data.qvel along the geodesic through them for a time, by `steps` steps of RK4; its length."""
    if not math.isfinite(time):
        raise _check.refuse(ValueError, "geometry.geodesic", "time", "a finite number", time)
    if steps < 1:
        raise _check.refuse(ValueError, "geometry.geodesic", "steps", "1 or more", steps)
    return _sinew._geometry_geodesic(model, data, time, steps)
