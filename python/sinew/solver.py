"""Hard contact: which solver steps a simulation, and what it reached.

    solver.choose(model, data, "admm-ncp", tol_dual=1e-8)
    mujoco.mj_step(model, data)
    solver.report(model, data)["r_natural"]

Names, settings and what they mean: docs/solvers.md.
"""

import warnings
from typing import Optional

from . import _check, _sinew

NAMES: tuple[str, ...] = _sinew._solver_names()


def choose(model: _sinew.MjModel, data: _sinew.MjData, name: Optional[str], **settings: float) -> None:
    """Step `data` with this solver from now on; "soft" is the documented engine, None what the model says."""
    if name is not None and not isinstance(name, str):
        raise _check.refuse(TypeError, "solver.choose", "name", f"None, 'soft' or one of {', '.join(NAMES)}", name)
    _sinew._solver_set(model, data, name)
    for key, value in settings.items():
        _sinew._solver_setting(model, data, key, value)


def chosen(model: _sinew.MjModel, data: _sinew.MjData) -> str:
    """The name of the solver that steps `data`, "soft" when there is none."""
    return _sinew._solver_get(model, data)


def settings(model: _sinew.MjModel, data: _sinew.MjData) -> Optional[dict[str, float]]:
    """The settings `data` steps with, None when it steps softly."""
    return _sinew._solver_settings(model, data)


def report(model: _sinew.MjModel, data: _sinew.MjData) -> Optional[dict[str, float]]:
    """What the solver reached in the last step, None when it was soft."""
    return _sinew._solver_report(model, data)


class ConvergenceError(RuntimeError):
    """Steps whose solver did not reach its tolerances."""


def check(model: _sinew.MjModel, data: _sinew.MjData, action: str = "raise") -> int:
    """How many steps missed their tolerances since the last call; if any did, raise or warn.

    `action` is "raise" (ConvergenceError), "warn" (RuntimeWarning) or "ignore".
    """
    if action not in ("raise", "warn", "ignore"):
        raise ValueError(f"action is {action!r}, expected 'raise', 'warn' or 'ignore'")
    found = report(model, data)
    _sinew._solver_clear(model, data)
    if found is None or not found["unconverged"]:
        return 0
    text = (
        f"{chosen(model, data)} did not reach its tolerance in {found['unconverged']:.0f} of {found['steps']:.0f} "
        f"steps; worst natural map {found['worst']:.3g}, at {found['worst_time']:g} s"
    )
    if action == "raise":
        raise ConvergenceError(text)
    if action == "warn":
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return int(found["unconverged"])


def impact(model: _sinew.MjModel, data: _sinew.MjData, name: Optional[str] = None) -> Optional[str]:
    """The impact law ("newton", "poisson", "energetic", "sequential"), after setting it when a name is given.

    None when `data` steps softly.
    """
    return _sinew._solver_impact(model, data, name)


def restitution(model: _sinew.MjModel, data: _sinew.MjData, geom: int, value: Optional[float] = None) -> float:
    """The restitution of a geom, after setting it when a value is given."""
    return _sinew._solver_restitution(model, data, geom, value)
