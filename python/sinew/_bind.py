"""model.bind(element) and data.bind(element): the named views of elements of a spec."""

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _sinew

# class of an element: the named view it is seen through
_KINDS: dict[type, str] = {
    _sinew.MjsActuator: "actuator", _sinew.MjsBody: "body", _sinew.MjsCamera: "camera", _sinew.MjsEquality: "equality",
    _sinew.MjsExclude: "exclude", _sinew.MjsFlex: "flex", _sinew.MjsGeom: "geom", _sinew.MjsHField: "hfield", _sinew.MjsJoint: "joint",
    _sinew.MjsKey: "key", _sinew.MjsLight: "light", _sinew.MjsMaterial: "material", _sinew.MjsMesh: "mesh",
    _sinew.MjsNumeric: "numeric", _sinew.MjsPair: "pair", _sinew.MjsSensor: "sensor", _sinew.MjsSite: "site",
    _sinew.MjsSkin: "skin", _sinew.MjsTendon: "tendon", _sinew.MjsText: "text", _sinew.MjsTexture: "texture",
    _sinew.MjsTuple: "tuple",
}


class Bound:
    """Views of several elements: a field is that of all of them, one behind the other."""

    def __init__(self, views: list[Any]) -> None:
        object.__setattr__(self, "_views", views)

    def __len__(self) -> int:
        return len(self._views)

    def __getitem__(self, index: int) -> Any:
        return self._views[index]

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        parts = [np.ravel(getattr(view, name)) for view in self._views]
        return np.concatenate(parts) if parts else np.empty(0)

    def __setattr__(self, name: str, value: Any) -> None:
        parts = [getattr(view, name) for view in self._views]
        values, at = np.broadcast_to(value, (sum(part.size for part in parts),)), 0
        for part in parts:
            part[...] = np.reshape(values[at : at + part.size], part.shape)
            at += part.size


def _bind_scalar(self: Any, spec: Any) -> Any:
    """The named view of one element of the spec that the model was compiled from."""
    kind = _KINDS.get(type(spec))
    if kind is None or not hasattr(type(self), kind):
        raise TypeError(f"{type(self).__name__} has no view of {type(spec).__name__}")
    model = self if isinstance(self, _sinew.MjModel) else self.model
    if spec.signature != model.signature:
        raise ValueError("The mjSpec does not match mjModel. Please recompile the mjSpec.")
    return getattr(self, kind)(spec.id)


def _bind(self: Any, specs: Union[Any, Sequence[Any]]) -> Any:
    """The named view of an element of the spec, or of a sequence of them."""
    if isinstance(specs, Sequence):
        return Bound([_bind_scalar(self, spec) for spec in specs])
    return _bind_scalar(self, specs)


def install() -> None:
    for struct in (_sinew.MjModel, _sinew.MjData):
        owner: Any = struct
        owner.bind, owner.bind_scalar = _bind, _bind_scalar
