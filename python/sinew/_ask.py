"""What a model asks for beyond the documented interface."""

from collections.abc import Mapping
from typing import Union

from . import _sinew
from ._enums import mjtObj


def _geoms(spec: "_sinew.MjSpec", name: str, numbers: Mapping[str, float]) -> None:
    old = next((t for t in spec.tuples if t.name == name), None)
    if old is not None:
        spec.delete(old)
    kinds = [int(mjtObj.mjOBJ_GEOM)] * len(numbers)
    spec.add_tuple(name=name, objtype=kinds, objname=list(numbers), objprm=[float(x) for x in numbers.values()])


def ask(spec: "_sinew.MjSpec", **features: Union[str, Mapping[str, float]]) -> None:
    """Asks for features before the spec is compiled.

        spec = sinew.MjSpec.from_file("hand.xml")
        sinew.ask(spec, friction="stick", loops="closed")
        model = spec.compile()

    friction: "soft" or "stick", stuck contacts hold their place instead of creeping.
    loops: "soft" or "closed", equalities are closed to rounding after every step.
    report: "off" or "on", a certificate of every step (sinew.holding.certificate).
    sleep: "off", "on" or a speed in m/s, bodies that are slower for a while fall asleep and cost nothing.
    solver: "soft" or the name of a solver of hard contact.
    coordinates: "minimal" or "maximal", a pose and a twist for every body, joints as constraints.
    stepping: of hard contact, "euler", "richardson" (second order while contacts hold), or, in maximal coordinates
    alone, "moreau" (midpoint).
    stiffness, damping: {geom: number}, contact in N/m and N s/m.
    dissipation: {geom: number}, Hunt-Crossley's in s/m, beside a stiffness and in place of damping.
    across, backward, kinetic: {geom: number}, friction across the geom's x axis, towards its -x, and while sliding,
    as shares of its friction.
    restitution: {geom: number}, 0 to 1.

    A name or a value that does not exist is refused when the spec is compiled.
    The same as ``<custom><text name="sinew:friction" data="stick"/></custom>`` in the file.
    """
    for name, value in features.items():
        if isinstance(value, Mapping):
            _geoms(spec, f"sinew:{name}", value)
        elif isinstance(value, str):
            text = next((t for t in spec.texts if t.name == f"sinew:{name}"), None)
            if text is None:
                text = spec.add_text(name=f"sinew:{name}")
            text.data = value
        else:
            raise TypeError(f"ask: argument {name}: expected a text or {{geom: number}}, got {type(value).__name__}")
