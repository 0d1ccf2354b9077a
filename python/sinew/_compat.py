"""Lets programs that say ``import mujoco`` run on Sinew."""

import ctypes
import importlib.abc
import importlib.machinery
import os
import pathlib
import sys
import types
import warnings
from typing import Any


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
    if not extension.with_name("_name.so").exists():
        return  # a system whose libraries are found by their files' names alone
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


def _dm_control(module: types.ModuleType) -> None:
    """dm_control's package of contexts keeps its other modules; its Renderer is a context that needs nothing."""
    base, executor, constants = (importlib.import_module(f"{module.__name__}.{part}") for part in ("base", "executor", "constants"))

    def passing(self: Any, max_width: int, max_height: int) -> None:
        base.ContextBase.__init__(self, max_width, max_height, executor.PassthroughRenderExecutor)

    nothing = {name: lambda self, *size: None for name in ("_platform_init", "_platform_make_current", "_platform_free")}
    renderer = type("Renderer", (base.ContextBase,), {"__init__": passing, **nothing})
    vars(module).update(base=base, executor=executor, constants=constants, Renderer=renderer, BACKEND="sinew", USING_GPU=False)


def _robosuite(module: types.ModuleType) -> None:
    """Each of robosuite's modules of contexts has one class."""
    from .gl_context import GLContext

    platform = module.__name__.rpartition(".")[2].partition("_")[0]
    setattr(module, {"egl": "EGL", "osmesa": "OSMesa", "glfw": "GLFW"}[platform] + "GLContext", GLContext)


class _Contexts(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives packages that make OpenGL contexts by themselves contexts that need nothing, in modules of the same names."""

    MODULES = {
        "dm_control._render": _dm_control,
        **{f"robosuite.renderers.context.{name}_context": _robosuite for name in ("egl", "osmesa", "glfw")},
    }

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name not in self.MODULES or (real := importlib.machinery.PathFinder.find_spec(name, path)) is None:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=real.origin)
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def exec_module(self, module: types.ModuleType) -> None:
        self.MODULES[module.__name__](module)


class _Watch(importlib.abc.MetaPathFinder):
    """Speaks up when the released package is imported beside Sinew, which ``import sinew as mujoco`` followed by
    ``import mujoco.viewer`` does: the second line gives the name mujoco to the released package."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "mujoco" or sys._getframe(2).f_globals.get("__name__") == "importlib.util":
            return None  # importlib.util.find_spec asks whether there is one, and imports nothing
        sys.meta_path.remove(self)
        if importlib.machinery.PathFinder.find_spec("mujoco") is None:
            raise ModuleNotFoundError(
                "No module named 'mujoco'. After `import sinew as mujoco` the parts of the package are sinew.rollout, sinew.viewer ...; "
                "sinew.install_as_mujoco() makes `import mujoco` and `import mujoco.viewer` give Sinew", name="mujoco")
        warnings.warn(
            "the released package mujoco is imported beside sinew: from here on `mujoco` is that package, also after "
            "`import sinew as mujoco`, and objects of one cannot be given to the other. Call sinew.install_as_mujoco() before the "
            "import to run on Sinew alone; filter this warning if both are wanted", MixedPackagesWarning, stacklevel=2)
        return None


class MixedPackagesWarning(UserWarning):
    """The released package and Sinew are in one process."""


def _watch() -> None:
    if "mujoco" not in sys.modules and not any(isinstance(finder, _Watch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watch())


def install_as_mujoco() -> types.ModuleType:
    """Make ``import mujoco`` give Sinew in this process. Call it before anything imports mujoco.

    Plugin libraries made for the released library can then be loaded. Rendering needs no OpenGL,
    whatever MUJOCO_GL says, in dm_control and robosuite too.
    """
    import sinew

    there = sys.modules.get("mujoco")
    if there is sinew:
        return sinew
    if there is not None:
        raise ImportError("mujoco is imported already: call sinew.install_as_mujoco() first")
    for finder in [finder for finder in sys.meta_path if isinstance(finder, _Watch)]:
        sys.meta_path.remove(finder)
    _allow_plugins()
    sys.modules["mujoco"] = sinew
    sys.meta_path.insert(0, _Contexts())
    if released := _released():
        setattr(sinew, "HEADERS_DIR", str(released / "include/mujoco"))
        setattr(sinew, "PLUGINS_DIR", str(released / "plugin"))
        setattr(sinew, "PLUGIN_HANDLES", [])
        sys.meta_path.insert(0, _Parts(released))
    for name in ("rollout", "minimize", "msh2obj", "renderer", "gl_context"):
        sys.modules[f"mujoco.{name}"] = importlib.import_module(f"sinew.{name}")
    for name in ("_structs", "_functions", "_callbacks", "_errors", "_specs", "_render"):
        sys.modules[f"mujoco.{name}"] = sinew._sinew
    for name in ("_MjContactList", "_MjSolverStatList", "_MjTimerStatList", "_MjWarningStatList"):
        setattr(sinew._sinew, name, sinew._sinew.StructList)
    for name in ("_enums", "_constants"):
        sys.modules[f"mujoco.{name}"] = sinew._enums
    for name in ("egl", "osmesa", "glfw", "cgl"):  # each has a GLContext; there is one
        sys.modules[f"mujoco.{name}"] = sinew.gl_context
        setattr(sinew, name, sinew.gl_context)
    sys.modules["mujoco.viewer"] = sinew.viewer
    return sinew
