"""Bodies that sleep, and a certificate of every step.

A model that asks for sleep (``sinew.ask(spec, sleep="on")``) has bodies that cost nothing while they are at rest. They wake
by themselves; a program that changes numbers of the model can wake them at once.

    holding.certify(model, data)
    mujoco.mj_step(model, data)
    holding.certificate(model, data)["penetration"]

says how well a step was solved, how far constraints are from closed, and where energy went.
"""

from typing import Any, Optional, Union

from . import _sinew
from ._enums import mjtObj


def _body(model: "_sinew.MjModel", body: Union[int, str]) -> int:
    if isinstance(body, int):
        return body
    number = _sinew.mj_name2id(model, int(mjtObj.mjOBJ_BODY), body)
    if number < 0:
        raise KeyError(f"there is no body {body!r}")
    return number


def asleep(model: "_sinew.MjModel", data: "_sinew.MjData", body: Union[int, str]) -> bool:
    """Is a body asleep? Bodies that cannot move never are."""
    return _sinew._hold_asleep(model, data, _body(model, body))


def wake(model: "_sinew.MjModel", data: "_sinew.MjData", body: Optional[Union[int, str]] = None) -> None:
    """Wakes a body and all that sleep with it; without one, everyone."""
    _sinew._hold_wake(model, data, -1 if body is None else _body(model, body))


def certify(model: "_sinew.MjModel", data: "_sinew.MjData", on: bool = True) -> None:
    """Certificates for this data from the next step on, or none; over what the model says (``sinew:report``)."""
    _sinew._hold_certify(model, data, bool(on))


def certificate(model: "_sinew.MjModel", data: "_sinew.MjData") -> Optional[dict[str, Any]]:
    """The certificate of the last step, None when there is none.

    The numbers of ``snCertificate`` (docs/holding.md) by name: the residual and the duality gap of the solve, the deepest
    penetration, the largest gap of a loop, works and energies in J, memory. Geoms, joints and equalities behind the worst
    of each are there by id (-1: none) and, under the same name with ``_name`` behind it, by name.
    """
    return _sinew._hold_certificate(model, data)


def warnings(model: "_sinew.MjModel", data: "_sinew.MjData") -> dict[str, int]:
    """How often each warning beyond the documented ones was raised since the last reset.

    ``loops``: steps whose loops stay open because equalities contradict each other. ``anchors``: steps with contacts beyond
    those that friction has room to hold.
    """
    return _sinew._hold_warnings(model, data)
