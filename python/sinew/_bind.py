"""model.bind(element), data.bind(element): what a compiled model or its data has of an element of a spec."""

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _sinew


class Several:
    """What there is of several elements: a field has the numbers of all, one element behind the other."""

    def __init__(self, views: list[Any]) -> None:
        self.__dict__["_views"] = views

    def __getitem__(self, index: int) -> Any:
        return self._views[index]

    def __len__(self) -> int:
        return len(self._views)

    def __getattr__(self, field: str) -> npt.NDArray[Any]:
        if field.startswith("__"):
            raise AttributeError(field)
        return np.concatenate([np.empty(0), *(np.ravel(getattr(view, field)) for view in self._views)])

    def __setattr__(self, field: str, value: Any) -> None:
        arrays = [getattr(view, field) for view in self._views]
        ends = np.cumsum([array.size for array in arrays])
        numbers = np.broadcast_to(value, (ends[-1] if arrays else 0,))
        for array, part in zip(arrays, np.split(numbers, ends[:-1])):
            array.flat = part


def _view(owner: Any, model: Any, element: Any) -> Any:
    """The named view of one element, as owner.geom(...) gives it for an MjsGeom."""
    kind = type(element).__name__.removeprefix("Mjs").lower()
    find = getattr(type(owner), kind, None)
    if not hasattr(element, "signature") or find is None:
        raise TypeError(f"bind: {type(owner).__name__} has nothing of a {type(element).__name__}")
    if element.signature != model.signature:
        name = type(owner).__name__.replace("Mj", "mj")
        raise ValueError(f"The mjSpec does not match {name}. Please recompile the mjSpec.")  # programs look for these words
    return find(owner, element.id)


def _bind(owner: Any, elements: Any) -> Any:
    """The named view of an element of the spec that was compiled, or of each in a list."""
    model = owner if isinstance(owner, _sinew.MjModel) else owner.model
    if isinstance(elements, (list, tuple)):
        return Several([_view(owner, model, element) for element in elements])
    return _view(owner, model, elements)


def install() -> None:
    for struct in (_sinew.MjModel, _sinew.MjData):
        setattr(struct, "bind", _bind)
