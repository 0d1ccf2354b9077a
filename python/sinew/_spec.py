"""Methods of MjSpec and its elements, put together from the functions of the compiled module."""

import os
import zipfile
from collections.abc import Callable, Iterable
from typing import IO, Any, Optional, Union

from . import _sinew
from ._enums import mjtObj

# kind, plural, object type
_OF_BODY = [
    ("body", "bodies", mjtObj.mjOBJ_BODY),
    ("geom", "geoms", mjtObj.mjOBJ_GEOM),
    ("joint", "joints", mjtObj.mjOBJ_JOINT),
    ("site", "sites", mjtObj.mjOBJ_SITE),
    ("camera", "cameras", mjtObj.mjOBJ_CAMERA),
    ("light", "lights", mjtObj.mjOBJ_LIGHT),
    ("frame", "frames", mjtObj.mjOBJ_FRAME),
]
_OF_SPEC = [
    ("actuator", "actuators", mjtObj.mjOBJ_ACTUATOR),
    ("sensor", "sensors", mjtObj.mjOBJ_SENSOR),
    ("flex", "flexes", mjtObj.mjOBJ_FLEX),
    ("pair", "pairs", mjtObj.mjOBJ_PAIR),
    ("exclude", "excludes", mjtObj.mjOBJ_EXCLUDE),
    ("equality", "equalities", mjtObj.mjOBJ_EQUALITY),
    ("tendon", "tendons", mjtObj.mjOBJ_TENDON),
    ("numeric", "numerics", mjtObj.mjOBJ_NUMERIC),
    ("text", "texts", mjtObj.mjOBJ_TEXT),
    ("tuple", "tuples", mjtObj.mjOBJ_TUPLE),
    ("key", "keys", mjtObj.mjOBJ_KEY),
    ("plugin", "plugins", mjtObj.mjOBJ_PLUGIN),
    ("mesh", "meshes", mjtObj.mjOBJ_MESH),
    ("hfield", "hfields", mjtObj.mjOBJ_HFIELD),
    ("skin", "skins", mjtObj.mjOBJ_SKIN),
    ("texture", "textures", mjtObj.mjOBJ_TEXTURE),
    ("material", "materials", mjtObj.mjOBJ_MATERIAL),
]

Spec: Any = _sinew.MjSpec


_ORIENTATIONS = {"axisangle": 1, "xyaxes": 2, "zaxis": 3, "euler": 4}


def _fill(element: Any, values: dict[str, Any]) -> Any:
    for name, value in values.items():
        plain = name[1:] if name.startswith("i") else name
        field = "ialt" if name.startswith("i") else "alt"
        if plain in _ORIENTATIONS and hasattr(type(element), field):
            orientation = getattr(element, field)
            orientation.type = _ORIENTATIONS[plain]
            setattr(orientation, plain, value)
        elif hasattr(type(element), name):
            setattr(element, name, value)
        else:
            raise TypeError(f"{type(element).__name__} has no {name}")
    return element


def _adder(kind: str) -> Callable[..., Any]:
    if kind in ("freejoint",):

        def add_plain(self: Any, **values: Any) -> Any:
            return _fill(_sinew._spec_add(self, kind, None), values)

        method: Callable[..., Any] = add_plain
    else:

        def add(self: Any, default: Any = None, **values: Any) -> Any:
            try:
                return _fill(made := _sinew._spec_add(self, kind, default), values)
            except Exception:
                # nothing half made stays behind
                if "made" in locals():
                    _sinew._spec_delete(_spec_of(self), made)
                raise

        method = add
    method.__name__ = f"add_{kind}"
    method.__doc__ = f"Add a {kind}, with the values of a default class, then those given."
    return method


def _spec_of(element: Any) -> Any:
    return element if isinstance(element, _sinew.MjSpec) else _sinew._spec_owner(element)


def _lister(objtype: int, recurse: bool = False) -> property:
    return property(lambda self: _sinew._spec_list(self, int(objtype), recurse))


def _finder(kind: str, objtype: int) -> Callable[[Any, str], Any]:
    def find(self: Any, name: str) -> Any:
        return _sinew._spec_find(self, int(objtype), name)

    find.__name__ = kind
    find.__doc__ = f"The {kind} of that name, or None."
    return find


def _member(what: str, settable: bool = False) -> property:
    def get(self: Any) -> Any:
        return _sinew._element_get(self, what)

    def put(self: Any, value: Any) -> None:
        _sinew._element_set(self, what, value)

    return property(get, put if settable else None)


# ---- MjSpec


def _files(*sources: Optional[dict[str, Any]]) -> dict[str, Any]:
    return {name: content for source in sources if source for name, content in source.items()}


def _from_string(xml: str, include: Optional[dict[str, bytes]] = None, assets: Optional[dict[str, Any]] = None) -> Any:
    """A spec from MJCF or URDF text; `include` holds the files it includes, `assets` all others."""
    spec = _sinew._spec_parse(True, xml, _files(include, assets))
    spec.assets = dict(assets or {})
    return spec


def _from_file(filename: Union[str, "os.PathLike[str]"], include: Optional[dict[str, bytes]] = None,
               assets: Optional[dict[str, Any]] = None) -> Any:
    """A spec from an MJCF or URDF file."""
    spec = _sinew._spec_parse(False, os.fspath(filename), _files(include, assets))
    spec.assets = dict(assets or {})
    return spec


def _from_zip(file: Union[str, IO[bytes]]) -> Any:
    """A spec from a zip file that holds one MJCF file and its assets."""
    with zipfile.ZipFile(file) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    models = [name for name in files if name.endswith(".xml")]
    if not models:
        raise ValueError("the zip file holds no .xml file")
    main = min(models, key=lambda name: name.count("/"))
    return _from_string(files.pop(main).decode(), assets={os.path.basename(n): c for n, c in files.items()})


def _compile(self: Any) -> _sinew.MjModel:
    """The model that this spec describes. Its mistakes are a ValueError."""
    model: _sinew.MjModel = _sinew._spec_compile(self, self.assets, None, None)
    return model


def _recompile(self: Any, model: _sinew.MjModel, data: _sinew.MjData) -> tuple[_sinew.MjModel, _sinew.MjData]:
    """Model and data anew, with the state of `data` for what is still there."""
    result: tuple[_sinew.MjModel, _sinew.MjData] = _sinew._spec_compile(self, self.assets, model, data)
    return result


def _to_xml(self: Any) -> str:
    """The spec as MJCF text."""
    text: str = _sinew._spec_xml(self)
    return text


def _to_file(self: Any, filename: str) -> None:
    """Write the spec as an MJCF file."""
    with open(filename, "w", encoding="utf-8") as file:
        file.write(_to_xml(self))


def _to_zip(self: Any, file: Union[str, IO[bytes]]) -> None:
    """Write the spec and its assets to a zip file."""
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr((self.modelname or "model") + ".xml", _to_xml(self))
        for name, content in self.assets.items():
            archive.writestr(name, content)


def _copy(self: Any, memo: Any = None) -> Any:
    """A copy of the spec."""
    spec = _sinew._spec_copy(self)
    spec.assets = dict(self.assets)
    return spec


def _attach(self: Any, child: Any, prefix: Optional[str] = None, suffix: Optional[str] = None, site: Any = None, frame: Any = None) -> Any:
    """Attach another spec's world at a site or frame of this one, its names between prefix and suffix."""
    if (site is None) == (frame is None):
        raise ValueError("attach takes a site or a frame")
    place = site if site is not None else frame
    if isinstance(place, str):
        place = _sinew._spec_find(self, int(mjtObj.mjOBJ_SITE if site is not None else mjtObj.mjOBJ_FRAME), place)
        if place is None:
            raise ValueError("there is no such site or frame")
    self.assets.update(child.assets)
    return _sinew._spec_attach(place, child, prefix or "", suffix or "")


def _delete(self: Any, element: Any) -> None:
    """Remove an element, and what is inside it. Objects that stand for it are not to be used any more."""
    _sinew._spec_delete(self, element)


def _find_default(self: Any, name: str) -> Any:
    """The default class of that name, or None."""
    return _sinew._spec_default(self, name)


def _add_default(self: Any, name: str, parent: Any = None) -> Any:
    """Add a default class under a parent class."""
    return _sinew._spec_default(self, name, True, parent)


def _resolve(*, degree: bool = True, sequence: Optional[Iterable[str]] = None, orientation: Any) -> list[float]:
    """The quaternion of an orientation given in another way."""
    quat: list[float] = _sinew._spec_orient(degree, "".join(sequence or "xyz"), orientation)
    return quat


def _absent(kind: str, name: str) -> Callable[..., Any]:
    def absent(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{kind}.{name} is not there yet")

    absent.__name__ = name
    return absent


# ---- elements


def _set_frame(self: Any, frame: Any) -> None:
    """Put the element into a frame."""
    _sinew._element_set(self, "frame", frame)


def _find_all(self: Any, what: Union[int, str]) -> list[Any]:
    """All elements of a kind in this body and below."""
    if isinstance(what, str):
        kinds = {kind: objtype for kind, _, objtype in _OF_BODY}
        if what not in kinds:
            raise ValueError(f"bodies hold {', '.join(kinds)}, not {what!r}")
        what = kinds[what]
    found: list[Any] = _sinew._spec_list(self, int(what), True)
    return found


def _first(objtype: int) -> Callable[[Any], Any]:
    def first(self: Any) -> Any:
        found = _sinew._spec_list(self, int(objtype), False)
        return found[0] if found else None

    return first


def _next(objtype: int) -> Callable[[Any, Any], Any]:
    def following(self: Any, element: Any) -> Any:
        found = _sinew._spec_list(self, int(objtype), False)
        at = found.index(element) + 1
        return found[at] if at < len(found) else None

    return following


def _attach_frame(self: Any, frame: Any, prefix: Optional[str] = None, suffix: Optional[str] = None) -> Any:
    """Attach a frame of another spec to this body."""
    return _sinew._spec_attach(self, frame, prefix or "", suffix or "")


def _attach_body(self: Any, body: Any, prefix: Optional[str] = None, suffix: Optional[str] = None) -> Any:
    """Attach a body of another spec to this site or frame."""
    return _sinew._spec_attach(self, body, prefix or "", suffix or "")


def _to_position(kind: str) -> Callable[..., None]:
    def set_to(self: Any, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: float = 0) -> None:
        _sinew._actuator_set(self, kind, [kp, kv, dampratio, timeconst, inheritrange])

    return set_to


def _set_to_motor(self: Any) -> None:
    _sinew._actuator_set(self, "motor", [])


def _set_to_velocity(self: Any, kv: float) -> None:
    _sinew._actuator_set(self, "velocity", [kv])


def _set_to_damper(self: Any, kv: float) -> None:
    _sinew._actuator_set(self, "damper", [kv])


def _set_to_cylinder(self: Any, timeconst: float, bias: float, area: float, diameter: float = -1) -> None:
    _sinew._actuator_set(self, "cylinder", [timeconst, bias, area, diameter])


def _set_to_muscle(self: Any, timeconst: Any = (-1, -1), tausmooth: float = 0, range: Any = (-1, -1), force: float = -1,
                   scale: float = -1, lmin: float = -1, lmax: float = -1, vmax: float = -1, fpmax: float = -1, fvmax: float = -1) -> None:
    _sinew._actuator_set(self, "muscle", [*timeconst, tausmooth, *range, force, scale, lmin, lmax, vmax, fpmax, fvmax])


def _set_to_adhesion(self: Any, gain: float) -> None:
    _sinew._actuator_set(self, "adhesion", [gain])


def _wrap_site(self: Any, name: str) -> Any:
    return _sinew._tendon_wrap(self, "site", name, "", 0)


def _wrap_geom(self: Any, name: str, sidesite: str = "") -> Any:
    return _sinew._tendon_wrap(self, "geom", name, sidesite, 0)


def _wrap_joint(self: Any, name: str, coef: float) -> Any:
    return _sinew._tendon_wrap(self, "joint", name, "", coef)


def _wrap_pulley(self: Any, divisor: float) -> Any:
    return _sinew._tendon_wrap(self, "pulley", "", "", divisor)


def _install() -> None:
    for kind, plural, objtype in _OF_BODY + _OF_SPEC:
        setattr(Spec, plural, _lister(objtype))
        if not hasattr(Spec, kind):
            setattr(Spec, kind, _finder(kind, objtype))
    for kind, _, _ in _OF_SPEC:
        setattr(Spec, f"add_{kind}", _adder(kind))
    for name, function in {
        "compile": _compile, "recompile": _recompile, "to_xml": _to_xml, "to_file": _to_file, "to_zip": _to_zip, "copy": _copy,
        "__copy__": _copy, "__deepcopy__": _copy, "attach": _attach, "delete": _delete, "find_default": _find_default,
        "add_default": _add_default,
    }.items():
        setattr(Spec, name, function)
    Spec.activate_plugin = lambda self, name: _sinew._spec_plugin(self, name)
    statics: dict[str, Any] = {
        "from_string": _from_string, "from_file": _from_file, "from_zip": _from_zip, "resolve_orientation": _resolve,
    }
    for name, static in statics.items():
        setattr(Spec, name, staticmethod(static))
    Spec.default = property(lambda self: _sinew._spec_default(self))
    Spec.worldbody = property(lambda self: _sinew._spec_find(self, int(mjtObj.mjOBJ_BODY), "world"))

    body: Any = _sinew.MjsBody
    for kind, plural, objtype in _OF_BODY:
        setattr(body, f"add_{kind}", _adder(kind))
        setattr(body, plural, _lister(objtype))
        setattr(body, f"first_{kind}", _first(objtype))
        setattr(body, f"next_{kind}", _next(objtype))
    body.add_freejoint = _adder("freejoint")
    body.find_all = _find_all
    body.find_child = _finder("find_child", mjtObj.mjOBJ_BODY)
    body.to_frame = lambda self: _sinew._body_to_frame(self)
    body.attach_frame = _attach_frame
    for name in """Body Frame Joint Geom Site Camera Light Flex Mesh HField Skin Texture Material Pair Exclude Equality Tendon
    Actuator Sensor Numeric Text Tuple Key Plugin Default""".split():
        cls: Any = getattr(_sinew, f"Mjs{name}")
        if name != "Plugin":  # has a name of its own
            cls.name = _member("name", settable=True)
        cls.id = _member("id")
        cls.signature = _member("signature")
        if name != "Default":
            cls.classname = _member("default", settable=True)
        if name in ("Body", "Frame", "Joint", "Geom", "Site", "Camera", "Light"):
            cls.parent = _member("parent")
            cls.frame = _member("frame")
            cls.set_frame = _set_frame
    for owner in (_sinew.MjsFrame, _sinew.MjsSite):
        place: Any = owner
        place.attach_body = _attach_body
    actuator: Any = _sinew.MjsActuator
    actuator.set_to_position, actuator.set_to_intvelocity = _to_position("position"), _to_position("intvelocity")
    actuator.set_to_motor, actuator.set_to_velocity, actuator.set_to_damper = _set_to_motor, _set_to_velocity, _set_to_damper
    actuator.set_to_cylinder, actuator.set_to_muscle, actuator.set_to_adhesion = _set_to_cylinder, _set_to_muscle, _set_to_adhesion
    tendon: Any = _sinew.MjsTendon
    tendon.wrap_site, tendon.wrap_geom, tendon.wrap_joint, tendon.wrap_pulley = _wrap_site, _wrap_geom, _wrap_joint, _wrap_pulley
    for other in (_sinew.MjModel, _sinew.MjData):
        later: Any = other
        later.bind = _absent(other.__name__, "bind")


_install()
