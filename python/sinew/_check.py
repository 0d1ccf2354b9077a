"""Arguments of the package's own functions: an error names the call, the argument, what was expected and what was given."""

import operator
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _sinew


def refuse(kind: type[Exception], call: str, argument: str, expected: str, value: Any) -> Exception:
    """The exception to raise. Arrays are described, never printed."""
    return kind(f"{call}: argument {argument}: expected {expected}, found {_sinew._described(value)}")


def whole(call: str, argument: str, value: Any, least: int) -> int:
    """A whole number that is at least so much."""
    expected = f"a whole number of at least {least}"
    try:
        number = operator.index(value)
    except TypeError:
        raise refuse(TypeError, call, argument, expected, value) from None
    if number < least:
        raise refuse(ValueError, call, argument, expected, value)
    return number


def instance(call: str, argument: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise refuse(TypeError, call, argument, f"an {kind.__name__}", value)
    return value


def instances(call: str, argument: str, value: Any, kind: type) -> list[Any]:
    """One, or a sequence of them."""
    if isinstance(value, kind):
        return [value]
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise refuse(TypeError, call, argument, f"an {kind.__name__} or a sequence of them", value)
    return [instance(call, f"{argument}[{i}]", item, kind) for i, item in enumerate(value)]


def numbers(call: str, argument: str, value: Any, shape: Optional[tuple[int, ...]] = None) -> npt.NDArray[np.float64]:
    """An array of float64; of a shape, or spread to it, where one is given."""
    wanted = "numbers" if shape is None else f"numbers of shape {shape}"
    if np.iscomplexobj(value):
        raise refuse(TypeError, call, argument, wanted, value)
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise refuse(TypeError, call, argument, wanted, value) from None
    try:
        return array if shape is None or array.shape == shape else np.broadcast_to(array, shape)
    except ValueError:
        raise refuse(ValueError, call, argument, wanted, array) from None


def mask(call: str, rows: Any, size: int) -> npt.NDArray[np.uint8]:
    """Rows by their numbers or by a mask, as a mask."""
    chosen = np.zeros(size, np.uint8)
    index = np.asarray(rows)
    if index.size == 0:
        return chosen
    expected = f"numbers of rows from 0 to {size - 1}, or a mask of {size}"
    if index.dtype.kind not in "biu":
        raise refuse(TypeError, call, "rows", expected, rows)
    try:
        chosen[index] = 1
    except IndexError:
        raise refuse(IndexError, call, "rows", expected, rows) from None
    return chosen
