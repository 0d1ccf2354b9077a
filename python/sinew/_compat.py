"""Lets programs that say ``import mujoco`` run on Sinew."""

import importlib
import sys
import types
from typing import Any


def _absent(module: str, name: str) -> Any:
    def raise_(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{module}.{name} is not there yet in sinew")

    return raise_


class _Stub(types.ModuleType):
    """A module that can be imported, and fails by name when something of it is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _absent(self.__name__, name)


def install_as_mujoco() -> types.ModuleType:
    """Make ``import mujoco`` give Sinew in this process. Call it before anything imports mujoco."""
    import sinew

    there = sys.modules.get("mujoco")
    if there is not None and there is not sinew:
        raise ImportError("mujoco is imported already: call sinew.install_as_mujoco() first")
    sys.modules["mujoco"] = sinew
    for name in ("rollout", "minimize", "msh2obj"):
        sys.modules[f"mujoco.{name}"] = importlib.import_module(f"sinew.{name}")
    for name in ("_structs", "_functions", "_callbacks", "_errors", "_specs"):
        sys.modules[f"mujoco.{name}"] = sinew._sinew
    for name in ("_enums", "_constants"):
        sys.modules[f"mujoco.{name}"] = sinew._enums
    for name in ("_render", "renderer", "viewer", "glfw", "egl", "osmesa", "gl_context"):
        sys.modules[f"mujoco.{name}"] = _Stub(f"mujoco.{name}")
    return sinew
