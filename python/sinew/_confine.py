"""Models that are not trusted."""

import contextlib
import numbers
import os
from collections.abc import Iterator
from typing import Optional, Union

from . import _sinew


@contextlib.contextmanager
def confined(folder: Union[str, "os.PathLike[str]"]) -> Iterator[None]:
    """Models that are read on this thread inside the block read no file outside `folder`.

        with sinew.confined("upload/"):
            spec = sinew.MjSpec.from_file("upload/robot.xml")

    Links, "..", absolute paths and URDF packages that lead out are refused. What was read so stays
    confined, whenever and wherever it is compiled. ``MjModel.from_xml_path(path, confine=True)`` does it
    for one model and its folder.
    """
    before = _sinew._confine(os.fspath(folder))
    try:
        yield
    finally:
        _sinew._confine(before)


def set_budget(elements: Optional[int] = None, bytes: Optional[int] = None) -> None:
    """How much a model may ask for before it is refused: elements of its spec, bytes of its arrays.

    A model of ninety bytes can name a million replicas. The budget holds for the whole process;
    a number that is None stays as it is. ``get_budget`` says what holds.
    """
    for name, number in (("elements", elements), ("bytes", bytes)):
        if number is not None and (not isinstance(number, numbers.Integral) or isinstance(number, bool)):
            raise TypeError(f"set_budget: argument {name}: expected a whole number, got {_sinew._described(number)}")
        if number is not None and not 0 < number < 2**63:
            raise ValueError(f"set_budget: argument {name}: expected 1 to 2^63 - 1, got {number}")
    _sinew._budget(int(elements or 0), int(bytes or 0))


def get_budget() -> tuple[int, int]:
    """The elements and the bytes that a model may ask for."""
    return _sinew._budget(0, 0)
