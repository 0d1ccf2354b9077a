"""Batched environments for reinforcement learning, over sinew.Batch.

`make(name, num_envs)` makes a task of Gymnasium's MuJoCo suite ("Ant-v5") or of dm_control's ("cartpole-balance"), or
any other model by VectorEnv. Importing this module registers them with Gymnasium: ``gymnasium.make_vec("sinew/Ant-v5",
64)``, ``gymnasium.make("sinew/cartpole-balance-v0")``.
"""

import importlib
from typing import Any

try:
    import gymnasium
except ImportError as problem:
    raise ImportError(f"sinew.gym needs gymnasium (pip install sinew-physics[gym]): {problem}") from problem

from . import control_suite, mujoco_v5
from .single import SingleEnv
from .vector import VectorEnv

__all__ = ["SingleEnv", "VectorEnv", "find", "make", "names", "prepare_rllib", "register"]

_TASKS: dict[str, type[VectorEnv]] = {**mujoco_v5.TASKS, **{f"{name}-v0": kind for name, kind in control_suite.TASKS.items()}}


def names() -> list[str]:
    """The names of all tasks."""
    return list(_TASKS)


def find(name: str) -> type[VectorEnv]:
    """The class of a task by its name, with or without "sinew/" and, for the control suite, "-v0"."""
    short = str(name).removeprefix("sinew/")
    kind = _TASKS.get(short) or _TASKS.get(f"{short}-v0")
    if kind is None:
        import difflib

        near = difflib.get_close_matches(short, _TASKS, 3, 0.4)
        raise ValueError(f"make: argument name: expected a task{f', such as ' + ', '.join(near) if near else ''} (sinew.gym.names() has all), found {name!r}")
    return kind


def make(name: str, num_envs: int = 1, **options: Any) -> VectorEnv:
    """`num_envs` environments of a task, as a Gymnasium vector environment; options are those of its class."""
    kind: Any = find(name)
    made: VectorEnv = kind(num_envs, **options)
    made.spec = gymnasium.envs.registration.registry.get(f"sinew/{_id(kind)}")
    return made


def _id(kind: type[VectorEnv]) -> str:
    return next(name for name, other in _TASKS.items() if other is kind)


def register() -> None:
    """Make all tasks known to Gymnasium, as "sinew/" and their names. Importing this module does it."""
    for name in _TASKS:
        if f"sinew/{name}" not in gymnasium.envs.registration.registry:
            gymnasium.register(f"sinew/{name}", entry_point="sinew.gym.single:SingleEnv", vector_entry_point="sinew.gym:make", kwargs={"name": name})


def prepare_rllib(config: Any, name: str, num_envs: int, **options: Any) -> Any:
    """An RLlib configuration whose runners step `num_envs` rows of a task each, together, in one batch.

    config = sinew.gym.prepare_rllib(PPOConfig(), "Hopper-v5", 64)
    """
    full = f"sinew/{_id(find(name))}"
    config = config.environment(f"sinew.gym:{full}", env_config=options)
    return config.env_runners(num_envs_per_env_runner=num_envs, gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT)


def __getattr__(name: str) -> Any:
    # adapters that need packages of their own
    if name == "StableVecEnv":
        return importlib.import_module(".stable", __name__).StableVecEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register()
