"""A vector environment for Stable-Baselines3: StableVecEnv("Ant-v5", 64)."""

from collections.abc import Iterable
from typing import Any, Optional, Union

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from .vector import VectorEnv


class StableVecEnv(VecEnv):  # type: ignore[misc, unused-ignore]
    """A task by its name (sinew.gym.make, with its options), or a VectorEnv in autoreset mode "same step".

    The infos of a row are empty but at the end of its episode, when they have what the task reports, the last
    observation ("terminal_observation"), "TimeLimit.truncated" and the return and length of the "episode"; and when
    the row went bad ("bad", "bad_reason").
    """

    def __init__(self, task: Union[str, VectorEnv], num_envs: int = 1, **options: Any) -> None:
        from . import make

        self.rows = task if isinstance(task, VectorEnv) else make(task, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        if self.rows.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError("StableVecEnv: a VectorEnv in autoreset mode 'same step' is needed")
        self._actions: Any = None
        self._returns, self._lengths = np.zeros(self.rows.num_envs), np.zeros(self.rows.num_envs, int)
        self.render_mode = self.rows.render_mode
        super().__init__(self.rows.num_envs, self.rows.single_observation_space, self.rows.single_action_space)

    def reset(self) -> Any:
        seeds = list(self._seeds)
        seen, _ = self.rows.reset(seed=seeds if any(seed is not None for seed in seeds) else None)
        self._returns[:] = self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return seen

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        seen, reward, terminated, truncated, infos = self.rows.step(self._actions)
        done = terminated | truncated
        self._returns += reward
        self._lengths += 1
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(done):
            final = infos["final_info"]
            each[row] = {key: value[row] for key, value in final.items() if not key.startswith("_") and final["_" + key][row]}
            each[row]["terminal_observation"] = infos["final_obs"][row]
            each[row]["TimeLimit.truncated"] = bool(truncated[row] and not terminated[row])
            each[row]["episode"] = {"r": float(self._returns[row]), "l": int(self._lengths[row])}
        for row in np.flatnonzero(infos["bad"]):
            each[row].update(bad=True, bad_reason=infos["bad_reason"][row])
        self._returns[done] = self._lengths[done] = 0
        return seen, reward.astype(np.float32), done, each

    def close(self) -> None:
        self.rows.close()

    def get_images(self) -> Any:
        return list(self.rows.render() or [])

    def _chosen(self, indices: Any) -> Iterable[int]:
        return list(self._get_indices(indices))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.rows, attr_name) for _ in self._chosen(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self.rows, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self.rows, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        result = getattr(self.rows, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._chosen(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Optional[Any] = None) -> list[bool]:
        return [False for _ in self._chosen(indices)]
