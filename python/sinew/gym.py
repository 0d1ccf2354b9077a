"""A Gymnasium VectorEnv over a Batch: many copies of one model, stepped together on threads."""

from collections.abc import Callable
from typing import Any, Optional

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ._sinew import MjModel
from .batch import Batch

Floats = npt.NDArray[np.float64]


def _state(batch: Batch) -> Floats:
    return np.concatenate([batch.get("qpos"), batch.get("qvel")], axis=1)


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` simulations of a model, with functions of the Batch for what a task is.

    observe(batch) gives num_envs x n observations (default: qpos and qvel), reward(batch) and
    terminated(batch) one value for each row (default: 0, False), reset_row(batch, row, rng) sets the
    state of a row after its reset (default: the model's first state with noise of `noise` on qpos and
    qvel). Actions are the controls. An episode that ended starts anew in the next step, as
    Gymnasium's autoreset mode "next step" says. A row whose numbers went bad is terminated, with
    ``info["bad"]`` true for it.
    """

    def __init__(
        self,
        model: MjModel,
        num_envs: int,
        *,
        frame_skip: int = 1,
        max_steps: Optional[int] = None,
        observe: Callable[[Batch], Floats] = _state,
        reward: Optional[Callable[[Batch], Floats]] = None,
        terminated: Optional[Callable[[Batch], npt.NDArray[np.bool_]]] = None,
        reset_row: Optional[Callable[[Batch, int, np.random.Generator], None]] = None,
        noise: float = 0.01,
        nthread: Optional[int] = None,
    ) -> None:
        self.batch = Batch(model, num_envs, nthread=nthread)
        self.num_envs = num_envs
        self.frame_skip = frame_skip
        self.max_steps = max_steps
        self.noise = noise
        self._observe, self._reward, self._terminated, self._reset_row = observe, reward, terminated, reset_row
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        limited = model.actuator_ctrllimited.astype(bool)
        low = np.where(limited, model.actuator_ctrlrange[:, 0], -1.0)
        high = np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)
        self.single_action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        self.batch.forward()
        size = observe(self.batch).shape[1]
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._rngs = [np.random.default_rng(s) for s in np.random.SeedSequence().spawn(num_envs)]
        self._steps = np.zeros(num_envs, int)
        self._over = np.zeros(num_envs, bool)

    def _start(self, rows: npt.NDArray[np.intp]) -> None:
        if not len(rows):
            return
        self.batch.reset(rows)
        for row in rows:
            data, rng = self.batch.data[row], self._rngs[row]
            if self._reset_row is not None:
                self._reset_row(self.batch, int(row), rng)
            else:
                data.qpos += rng.uniform(-self.noise, self.noise, data.qpos.shape)
                data.qvel += rng.uniform(-self.noise, self.noise, data.qvel.shape)
        self.batch.forward(rows)
        self._steps[rows] = 0

    def reset(self, *, seed: Any = None, options: Optional[dict[str, Any]] = None) -> tuple[Floats, dict[str, Any]]:
        if seed is not None:
            seeds = seed if isinstance(seed, (list, tuple)) else [seed + i for i in range(self.num_envs)]
            if len(seeds) != self.num_envs:
                raise ValueError(f"expected {self.num_envs} seeds, found {len(seeds)}")
            for row, value in enumerate(seeds):
                if value is not None:
                    self._rngs[row] = np.random.default_rng(value)
        mask = (options or {}).get("reset_mask")
        rows = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
        self._start(rows)
        self._over[rows] = False
        return self._observe(self.batch), {}

    def step(self, actions: Any) -> tuple[Floats, Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        anew, running = np.flatnonzero(self._over), np.flatnonzero(~self._over)
        self._start(anew)
        self.batch.set("ctrl", np.asarray(actions)[running], rows=[int(r) for r in running])
        bad = np.zeros(self.num_envs, bool)
        for row, _ in self.batch.step(self.frame_skip, running) if len(running) else ():
            bad[row] = True
        self._steps[running] += 1
        none = np.zeros(self.num_envs)
        reward = none if self._reward is None else np.asarray(self._reward(self.batch), np.float64).copy()
        terminated = bad if self._terminated is None else bad | np.asarray(self._terminated(self.batch), bool)
        truncated = np.zeros(self.num_envs, bool)
        if self.max_steps is not None:
            truncated |= self._steps >= self.max_steps
        for ended in (terminated, truncated):
            ended[anew] = False
        reward[anew] = 0
        self._over = terminated | truncated
        return self._observe(self.batch), reward, terminated, truncated, {"bad": bad}

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing to close."""
