"""Lets programs that say ``import mujoco`` run on Sinew."""

import ctypes
import importlib.abc
import importlib.machinery
import os
import pathlib
import sys
import types
from typing import Any


_RENDERING = (
    "mjr_addAux", "mjr_blitAux", "mjr_blitBuffer", "mjr_changeFont", "mjr_drawPixels", "mjr_figure", "mjr_findRect", "mjr_finish",
    "mjr_getError", "mjr_label", "mjr_maxViewport", "mjr_overlay", "mjr_readPixels", "mjr_rectangle", "mjr_render",
    "mjr_resizeOffscreen", "mjr_restoreBuffer", "mjr_setAux", "mjr_setBuffer", "mjr_text", "mjr_uploadHField", "mjr_uploadMesh",
    "mjr_uploadTexture",
)  # fmt: skip


def _absent(module: str, name: str) -> Any:
    def raise_(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{module}.{name} is not there yet in sinew")

    raise_.__name__ = name
    return raise_


def _absent_class(name: str) -> Any:
    return type(name, (), {"__init__": _absent("sinew", name)})


class _Stub(types.ModuleType):
    """A module that can be imported, and fails by name when something of it is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _absent(self.__name__, name)


def _released() -> pathlib.Path | None:
    """The folder of the released package, where it is installed."""
    spec = importlib.machinery.PathFinder.find_spec("mujoco")
    return pathlib.Path(spec.origin).parent if spec and spec.origin else None


def _allow_plugins() -> None:
    """Plugin libraries made for the released library can be loaded from now on.

    They are linked to the released library. One of its name with nothing inside stands in for it, and the
    functions are found in the extension, once all may see them. The first-party plugins need none.
    """
    from . import _sinew

    extension = pathlib.Path(_sinew.__file__)
    ctypes.CDLL(str(extension), os.RTLD_GLOBAL | os.RTLD_NOLOAD)
    ctypes.CDLL(str(extension.with_name("_name.so")))


# parts of a released package that are Python over the names of this one
_PARTS = ("mjx", "usd", "introspect")


class _Parts(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds mujoco.mjx and the like, and nothing else, in a released package.

    ``from mujoco import mjx`` looks for sinew.mjx, by the module's own name: that is mujoco.mjx.
    """

    def __init__(self, released: pathlib.Path) -> None:
        self.released = released

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        package, _, part = name.partition(".")
        if part not in _PARTS or package not in ("sinew", "mujoco"):
            return None
        if package == "mujoco":
            return importlib.machinery.PathFinder.find_spec(name, [str(self.released)])
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module("mujoco." + spec.name.partition(".")[2])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        assert module.__spec__
        module.__spec__ = module.__spec__.loader_state


def install_as_mujoco() -> types.ModuleType:
    """Make ``import mujoco`` give Sinew in this process. Call it before anything imports mujoco.

    Plugin libraries made for the released library can then be loaded.
    """
    import sinew

    there = sys.modules.get("mujoco")
    if there is sinew:
        return sinew
    if there is not None:
        raise ImportError("mujoco is imported already: call sinew.install_as_mujoco() first")
    _allow_plugins()
    sys.modules["mujoco"] = sinew
    if released := _released():
        setattr(sinew, "HEADERS_DIR", str(released / "include/mujoco"))
        setattr(sinew, "PLUGINS_DIR", str(released / "plugin"))
        setattr(sinew, "PLUGIN_HANDLES", [])
        sys.meta_path.insert(0, _Parts(released))
    for name in ("rollout", "minimize", "msh2obj"):
        sys.modules[f"mujoco.{name}"] = importlib.import_module(f"sinew.{name}")
    for name in ("_structs", "_functions", "_callbacks", "_errors", "_specs"):
        sys.modules[f"mujoco.{name}"] = sinew._sinew
    for name in ("_MjContactList", "_MjSolverStatList", "_MjTimerStatList", "_MjWarningStatList"):
        setattr(sinew._sinew, name, sinew._sinew.StructList)
    for name in ("_enums", "_constants"):
        sys.modules[f"mujoco.{name}"] = sinew._enums
    for name in ("_render", "renderer", "viewer", "glfw", "egl", "osmesa", "gl_context"):
        sys.modules[f"mujoco.{name}"] = _Stub(f"mujoco.{name}")
    return sinew
