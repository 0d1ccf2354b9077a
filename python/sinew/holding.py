"""Bodies that sleep.

A model that asks for sleep (``sinew.ask(spec, sleep="on")``) has bodies that cost nothing while they are at rest. They wake
by themselves; a program that changes numbers of the model can wake them at once.
"""

from typing import Optional, Union

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
