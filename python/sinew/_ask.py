"""What a model asks for beyond the documented interface."""

from . import _sinew

_KNOWN = ("friction", "loops", "solver")


def ask(spec: "_sinew.MjSpec", **features: str) -> None:
    """Asks for features before the spec is compiled.

        spec = sinew.MjSpec.from_file("hand.xml")
        sinew.ask(spec, friction="stick", loops="closed")
        model = spec.compile()

    friction: "soft" or "stick", stuck contacts hold their place instead of creeping.
    loops: "soft" or "closed", equalities are closed to rounding after every step.
    solver: "soft" or the name of a solver of hard contact.

    The same as ``<custom><text name="sinew:friction" data="stick"/></custom>`` in the file.
    """
    for name, value in features.items():
        if name not in _KNOWN:
            raise ValueError(f"ask: there is no feature '{name}'; there are {', '.join(_KNOWN)}")
        text = next((t for t in spec.texts if t.name == f"sinew:{name}"), None)
        if text is None:
            text = spec.add_text(name=f"sinew:{name}")
        text.data = value
