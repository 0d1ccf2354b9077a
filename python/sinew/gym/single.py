"""One environment, for what does not take a vector of them: a task with one row."""

import copy
from typing import Any, Optional

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode


class SingleEnv(gymnasium.Env[Any, Any]):
    """A task by its name (sinew.gym.make), with the interface of a Gymnasium environment."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}

    def __init__(self, name: str, **options: Any) -> None:
        from . import make

        self.rows = make(name, 1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self.metadata = {**self.metadata, "render_fps": self.rows.metadata["render_fps"]}
        self.render_mode = self.rows.render_mode
        self.observation_space = self.rows.single_observation_space
        self.action_space = self.rows.single_action_space

    def _only(self, seen: Any) -> Any:
        return {key: self._only(value) for key, value in seen.items()} if isinstance(seen, dict) else np.array(seen[0])

    def _info(self, infos: dict[str, Any]) -> dict[str, Any]:
        return {key: copy.copy(value[0]) for key, value in infos.items() if not key.startswith("_") and infos["_" + key][0]}

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        seen, infos = self.rows.reset(seed=seed)
        return self._only(seen), self._info(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.rows.go_on()  # whoever steps on after the end of an episode may
        seen, reward, terminated, truncated, infos = self.rows.step(np.asarray(action)[None])
        return self._only(seen), float(reward[0]), bool(terminated[0]), bool(truncated[0]), self._info(infos)

    def render(self) -> Any:
        pictures = self.rows.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        self.rows.close()
