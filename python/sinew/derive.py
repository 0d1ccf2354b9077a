"""Derivatives of the step, analytic and through contact.

    A, B, C, D = derive.transition(model, data)      # dx' = A dx + B du, dy = C dx + D du
    gx, gu = derive.vjp(model, data, gnext)          # A' gnext, B' gnext, at the cost of about two steps
    Dm = derive.parameters(model, data, [("body_mass", "torso", 0)])

The state is (dq, dv, act) in the tangent space, as in mjd_transitionFD. What was exact, what was differenced and how
far the nearest switch is stands in the report: ``derive.transition(model, data, report=True)``. docs/derive.md.
"""

from typing import Any, Literal, NamedTuple, Optional, Sequence, Union, overload

import numpy as np
import numpy.typing as npt

from . import _check, _sinew
from ._sinew import MjData, MjModel

_Array = npt.NDArray[np.float64]


class Transition(NamedTuple):
    """x' = A x + B u, y = C x + D u."""

    A: _Array
    B: _Array
    C: Optional[_Array]
    D: Optional[_Array]


class Report(NamedTuple):
    """How a derivative was found."""

    whole: bool  # the whole step was differenced
    residual: float  # how far the solver is from the solution that was differentiated
    nearest: float  # distance of the nearest switch, infinite when there is none
    nearest_kind: str  # "row", "contact", "muscle" or "none"
    nearest_id: int
    raised: int  # pivots without inertia
    differenced: str  # names of what was differenced
    unsupported: str
    noted: str  # what makes the derivative less than exact: steps that did not converge, noslip


class Forward(NamedTuple):
    """Derivatives of qacc by positions, velocities, activations, controls and applied forces."""

    q: _Array
    v: _Array
    act: _Array
    ctrl: _Array
    force: _Array


class Inverse(NamedTuple):
    """Derivatives of qfrc_inverse in the layout of mjd_inverseFD: row j is by coordinate j."""

    q: _Array
    v: _Array
    a: _Array
    M: _Array


class Inputs(NamedTuple):
    """By applied forces (nv), applied wrenches (6 of each body) and mocap poses (6 of each mocap body)."""

    force: _Array
    wrench: _Array
    mocap: _Array


def _sizes(model: MjModel) -> tuple[int, int, int, int]:
    return model.nv, 2 * model.nv + model.na, model.nu, model.nsensordata


def _report(found: dict[str, Any]) -> Report:
    return Report(**found)


@overload
def transition(model: MjModel, data: MjData, *, sensors: bool = True, report: Literal[False] = False) -> Transition: ...
@overload
def transition(model: MjModel, data: MjData, *, sensors: bool = True, report: Literal[True]) -> tuple[Transition, Report]: ...
def transition(
    model: MjModel, data: MjData, *, sensors: bool = True, report: bool = False
) -> Union[Transition, tuple[Transition, Report]]:
    """A, B, C, D of one step from the state of `data`, which stays there; with `report` also the Report.

    Without `sensors` C and D are None, which is faster.
    """
    _check.instance("derive.transition", "model", model, MjModel)
    nv, nx, nu, ns = _sizes(model)
    A, B = np.zeros((nx, nx)), np.zeros((nx, nu))
    C, D = (np.zeros((ns, nx)), np.zeros((ns, nu))) if sensors else (None, None)
    found = _sinew._derive_transition(model, data, A, B, C, D)
    result = Transition(A, B, C, D)
    return (result, _report(found)) if report else result


def forward(model: MjModel, data: MjData) -> Forward:
    """Derivatives of qacc at the state of `data`."""
    _check.instance("derive.forward", "model", model, MjModel)
    nv, nu, na = model.nv, model.nu, model.na
    result = Forward(*(np.zeros((nv, n)) for n in (nv, nv, na, nu, nv)))
    _sinew._derive_forward(model, data, *result)
    return result


def inverse(model: MjModel, data: MjData, *, actuation: bool = False) -> Inverse:
    """Derivatives of inverse dynamics at qpos, qvel and qacc of `data`."""
    _check.instance("derive.inverse", "model", model, MjModel)
    nv = model.nv
    result = Inverse(*(np.zeros((nv, n)) for n in (nv, nv, nv, model.nM)))
    _sinew._derive_inverse(model, data, actuation, *result)
    return result


def vjp(model: MjModel, data: MjData, gnext: npt.ArrayLike) -> tuple[_Array, _Array]:
    """Reverse mode: (A' gnext, B' gnext)."""
    _check.instance("derive.vjp", "model", model, MjModel)
    _, nx, nu, _ = _sizes(model)
    g = np.ascontiguousarray(_check.numbers("derive.vjp", "gnext", gnext, (nx,)))
    gx, gu = np.zeros(nx), np.zeros(nu)
    _sinew._derive_vjp(model, data, g, gx, gu)
    return gx, gu


def inputs(model: MjModel, data: MjData) -> Inputs:
    """Derivatives of the next state by what acts from outside: a row for each of its numbers.

    A mocap pose has three translations along the axes of the world and three turns about those of the body.
    """
    _check.instance("derive.inputs", "model", model, MjModel)
    nv, nx, _, _ = _sizes(model)
    result = Inputs(*(np.zeros((nx, n)) for n in (nv, 6 * model.nbody, 6 * model.nmocap)))
    _sinew._derive_inputs(model, data, *result)
    return result


def vjp_inputs(model: MjModel, data: MjData, gnext: npt.ArrayLike) -> Inputs:
    """The same in reverse: gradients of gnext'x' by forces (nv), wrenches (nbody x 6) and mocap poses (nmocap x 6)."""
    _check.instance("derive.vjp_inputs", "model", model, MjModel)
    nv, nx, _, _ = _sizes(model)
    g = np.ascontiguousarray(_check.numbers("derive.vjp_inputs", "gnext", gnext, (nx,)))
    result = Inputs(np.zeros(nv), np.zeros((model.nbody, 6)), np.zeros((model.nmocap, 6)))
    _sinew._derive_vjp_inputs(model, data, g, *result)
    return result


def jvp(model: MjModel, data: MjData, dx: npt.ArrayLike, du: Optional[npt.ArrayLike] = None) -> _Array:
    """Forward mode: A dx + B du."""
    _check.instance("derive.jvp", "model", model, MjModel)
    _, nx, nu, _ = _sizes(model)
    x = np.ascontiguousarray(_check.numbers("derive.jvp", "dx", dx, (nx,)))
    u = None if du is None else np.ascontiguousarray(_check.numbers("derive.jvp", "du", du, (nu,)))
    result = np.zeros(nx)
    _sinew._derive_jvp(model, data, x, u, result)
    return result


def rollout_vjp(model: MjModel, data: MjData, ctrl: npt.ArrayLike, gnext: npt.ArrayLike) -> tuple[_Array, _Array]:
    """Gradients of a trajectory from the state of `data` by that state and by the controls (nstep x nu).

    Row i of `gnext` is the gradient of the cost by the state that step i reaches.
    """
    _check.instance("derive.rollout_vjp", "model", model, MjModel)
    _, nx, nu, _ = _sizes(model)
    nstep = len(np.asarray(ctrl))
    u = np.ascontiguousarray(_check.numbers("derive.rollout_vjp", "ctrl", ctrl, (nstep, nu)))
    g = np.ascontiguousarray(_check.numbers("derive.rollout_vjp", "gnext", gnext, (nstep, nx)))
    gx, gu = np.zeros(nx), np.zeros((nstep, nu))
    _sinew._derive_rollout(model, data, nstep, u, g, gx, gu)
    return gx, gu


def parameters(
    model: MjModel, data: MjData, numbers: Sequence[tuple[str, Union[str, None], int]], *, constants: bool = False
) -> _Array:
    """Derivatives of the next state by numbers of the model, a column for each (field, object, index).

        derive.parameters(model, data, [("body_mass", "torso", 0), ("opt.timestep", None, 0)])

    With `constants` also what mj_setConst makes of a number moves with it.
    """
    _check.instance("derive.parameters", "model", model, MjModel)
    result = np.zeros((_sizes(model)[1], len(numbers)))
    _sinew._derive_by(model, data, tuple(numbers), constants, result)
    return result
