"""Methods of MjSpec and its elements, put together from the functions of the compiled module."""

import os
import types
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any, Optional, Union

import numpy as np

from . import _bind, _check, _sinew
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
_FREE = ("align", "group", "name")


def _options(cls: Any) -> list[str]:
    """What can be given for an element when it is added: its fields, an orientation in any of its forms."""
    names = [] if cls is _sinew.MjsPlugin else ["name"]
    for name, value in vars(cls).items():
        if isinstance(value, types.GetSetDescriptorType):
            forms = [name[:-3] + form for form in _ORIENTATIONS] if name in ("alt", "ialt") else [name]
            names += forms
    return names


def _assign(element: Any, name: str, value: Any) -> None:
    """Set a field; what it expected is said when that fails."""
    current = getattr(element, name)
    inline = isinstance(current, np.ndarray) and not _sinew._spec_is_vector(element, name)
    if isinstance(current, str) and not isinstance(value, (str, bytes)):
        raise ValueError(f"{name} should be a string.")
    if inline and (isinstance(value, str) or np.ndim(value) == 0):
        raise ValueError(f"{name} should be a list/array.")
    if inline and np.size(value) != current.size:
        raise ValueError(f"{name} should be a list/array of size {current.size}.")
    try:
        setattr(element, name, np.reshape(value, current.shape) if inline else value)
    except (TypeError, ValueError, OverflowError) as problem:
        if isinstance(current, (int, float)):
            raise ValueError(f"{name} is the wrong type.") from problem
        if name == "name":
            raise
        raise ValueError(f"{name} has the wrong type.") from problem


def _orient(element: Any, given: dict[str, Any], prefix: str) -> None:
    forms = [form for form in _ORIENTATIONS if prefix + form in given]
    if len(forms) > 1:
        one, two, three, four = (prefix + form for form in _ORIENTATIONS)
        raise ValueError(f"Only one of: {one}, {two}, {three}, or{four} can be set.")
    for form in forms:
        orientation = getattr(element, prefix + "alt")
        _assign(orientation, form, given[prefix + form])
        orientation.type = _ORIENTATIONS[form]


def _fill(element: Any, values: dict[str, Any], options: Sequence[str]) -> Any:
    for name in values:
        if name not in options:
            raise TypeError(f"Invalid {name} keyword argument. Valid options are: {', '.join(options)}.")
    for prefix in ("", "i"):
        if hasattr(type(element), prefix + "alt"):
            _orient(element, values, prefix)
    for name, value in values.items():
        if hasattr(type(element), name):
            _assign(element, name, value)
    return element


def _adder(kind: str) -> Callable[..., Any]:
    def add(self: Any, default: Any = None, **values: Any) -> Any:
        made = _sinew._spec_add(self, kind, default)
        try:
            return _fill(made, values, _FREE if kind == "freejoint" else _options(type(made)))
        except Exception:
            _sinew._spec_delete(_spec_of(self), made)  # nothing half made stays behind
            raise

    def add_plain(self: Any, **values: Any) -> Any:
        return add(self, **values)

    method: Callable[..., Any] = add_plain if kind == "freejoint" else add
    method.__name__ = f"add_{kind}"
    method.__doc__ = f"Add a {kind}, with the values of a default class, then those given."
    return method


def _spec_of(element: Any) -> Any:
    return element if isinstance(element, _sinew.MjSpec) else _sinew._spec_owner(element)


def _lister(objtype: int, recurse: bool = False) -> property:
    return property(lambda self: _sinew._spec_list(self, int(objtype), recurse))


def _finder(kind: str, objtype: int) -> Callable[[Any, str], Any]:
    def find(self: Any, name: str) -> Any:
        if not isinstance(name, str):
            raise _check.refuse(TypeError, f"{type(self).__name__}.{kind}", "name", "text", name)
        return _sinew._spec_find(self, int(objtype), name)

    find.__name__ = kind
    find.__doc__ = f"The {kind} of that name, or None."
    return find


def _member(what: str, settable: bool = False) -> property:
    def get(self: Any) -> Any:
        return _sinew._element_get(self, what)

    def put(self: Any, value: Any) -> None:
        if what == "default" and not isinstance(value, _sinew.MjsDefault):
            raise TypeError(f"{type(self).__name__}.classname: expected an MjsDefault, found {_sinew._described(value)}")
        _sinew._element_set(self, what, value)

    return property(get, put if settable else None)


# ---- MjSpec


def _files(call: str, **sources: Optional[dict[str, Any]]) -> dict[str, Any]:
    for argument, source in sources.items():
        if source is not None and not isinstance(source, Mapping):
            raise _check.refuse(TypeError, call, argument, "a dict of file names and bytes", source)
        for name, content in (source or {}).items():
            if not isinstance(name, str):
                raise _check.refuse(TypeError, call, argument, "names of files as keys", name)
            if not isinstance(content, (str, bytes, bytearray, memoryview)):
                raise _check.refuse(TypeError, call, f"{argument}[{name!r}]", "bytes or text", content)
    return {name: content for source in sources.values() if source for name, content in source.items()}


def _from_string(xml: str, include: Optional[dict[str, bytes]] = None, assets: Optional[dict[str, Any]] = None, *,
                 confine: Union[bool, str, "os.PathLike[str]"] = False) -> Any:
    """A spec from MJCF or URDF text; `include` holds the files it includes, `assets` all others.

    With confine=True it reads no file outside the current folder; confine may name another.
    """
    if not isinstance(xml, str):
        raise _check.refuse(TypeError, "MjSpec.from_string", "xml", "text", xml)
    spec = _sinew._spec_parse(True, xml, _files("MjSpec.from_string", include=include, assets=assets), confine)
    spec.assets = dict(assets or {})
    return spec


def _from_file(filename: Union[str, "os.PathLike[str]"], include: Optional[dict[str, bytes]] = None,
               assets: Optional[dict[str, Any]] = None, *, confine: Union[bool, str, "os.PathLike[str]"] = False) -> Any:
    """A spec from an MJCF or URDF file. With confine=True it reads no file outside its folder; confine may name another."""
    if not isinstance(filename, (str, os.PathLike)):
        raise _check.refuse(TypeError, "MjSpec.from_file", "filename", "a path", filename)
    spec = _sinew._spec_parse(False, os.fspath(filename), _files("MjSpec.from_file", include=include, assets=assets), confine)
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
    """The spec as MJCF text. One that has not been compiled since it was edited is compiled as a copy."""
    try:
        text: str = _sinew._spec_xml(self)
    except _sinew.FatalError as problem:
        if "Only compiled" not in str(problem):
            raise
        copy = self.copy()
        _sinew._spec_compile(copy, self.assets, None, None)
        text = _sinew._spec_xml(copy)
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
    if not isinstance(child, _sinew.MjSpec):
        raise _check.refuse(TypeError, "MjSpec.attach", "child", "an MjSpec", child)
    if (site is None) == (frame is None):
        raise ValueError("MjSpec.attach: expected one of the arguments site and frame, found " + ("both" if site is not None else "none"))
    place, kind = (site, "Site") if site is not None else (frame, "Frame")
    if isinstance(place, str):
        place = _sinew._spec_find(self, int(mjtObj.mjOBJ_SITE if site is not None else mjtObj.mjOBJ_FRAME), place)
    if place is None or _spec_of(place) is not self:
        raise ValueError(f"{kind} not found.")
    _share_assets(self, child)
    attached = _sinew._spec_attach(place, child, prefix or "", suffix or "")
    _sinew._spec_extra(child)["parent"] = self
    return attached


def _share_assets(parent: Any, child: Any) -> None:
    """The files of what is attached go to the spec it is attached to."""
    if not parent.override_assets:
        for name in child.assets:
            if name in parent.assets:
                raise ValueError(f"Asset {name} already exists in parent spec.")
    parent.assets.update(child.assets)


def _delete(self: Any, element: Any) -> None:
    """Remove an element, and what is inside it. Objects that stand for it say so from then on."""
    _sinew._spec_delete(self, element)


def _extra(name: str, make: Callable[[], Any], kind: type) -> property:
    def get(self: Any) -> Any:
        return _sinew._spec_extra(self).setdefault(name, make())

    def put(self: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise TypeError(f"MjSpec.{name}: expected a {kind.__name__}, found {_sinew._described(value)}")
        _sinew._spec_extra(self)[name] = value

    return property(get, put)


def _set_copying(self: Any, value: Any) -> None:
    if not isinstance(value, (bool, int, np.bool_)):
        raise TypeError(f"MjSpec.copy_during_attach: expected True or False, found {_sinew._described(value)}")
    _sinew._spec_deepcopy(self, bool(value))


def _write_only(self: Any) -> Any:
    raise ValueError("copy_during_attach can only be set.")


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


# ---- elements


def _set_frame(self: Any, frame: Any) -> None:
    """Put the element into a frame."""
    _sinew._element_set(self, "frame", frame)


def _find_all(self: Any, what: Union[int, str]) -> list[Any]:
    """All elements of a kind in this body and below."""
    if isinstance(what, str):
        kinds = {kind: objtype for kind, _, objtype in _OF_BODY}
        if what not in kinds:
            raise ValueError("body.find_all supports the types: body, frame, geom, site, joint, light, camera.")
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
    _share_assets(_spec_of(self), _spec_of(frame))
    return _sinew._spec_attach(self, frame, prefix or "", suffix or "")


def _attach_body(self: Any, body: Any, prefix: Optional[str] = None, suffix: Optional[str] = None) -> Any:
    """Attach a body of another spec to this site or frame."""
    _share_assets(_spec_of(self), _spec_of(body))
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
    Spec.copy_during_attach = property(_write_only, _set_copying)
    Spec.assets, Spec.override_assets = _extra("assets", dict, dict), _extra("override_assets", lambda: True, bool)
    Spec.to_zip = _to_zip
    Spec.parent = property(lambda self: _sinew._spec_extra(self).get("parent"))
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
    tendon.default = lambda self: self.classname
    tendon.wrap_site, tendon.wrap_geom, tendon.wrap_joint, tendon.wrap_pulley = _wrap_site, _wrap_geom, _wrap_joint, _wrap_pulley
    plugin: Any = _sinew.MjsPlugin
    plugin.config = property(lambda self: _sinew._plugin_config(self), lambda self, values: _sinew._plugin_config(self, dict(values)))
    visual: Any = _sinew.MjVisual
    setattr(visual, "global", visual.global_)
    _bind.install()
    # a property that was put into a class afterwards does not know its name, which its errors tell
    for owner in [getattr(_sinew, name) for name in dir(_sinew) if name.startswith("Mj")]:
        for name, value in list(vars(owner).items()):
            if isinstance(value, property) and hasattr(value, "__set_name__"):
                value.__set_name__(owner, name)


_install()
