"""A Gymnasium VectorEnv over a Batch: many copies of one model, stepped together on threads."""

from collections.abc import Callable, Sequence
from typing import Any, Optional

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .. import _check
from .._sinew import MjModel
from ..batch import Batch

Floats = npt.NDArray[np.float64]


def _state(batch: Batch) -> Floats:
    return np.concatenate([batch.bind("qpos"), batch.bind("qvel")], axis=1)


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` simulations of a model, with functions of the Batch for what a task is.

    observe(batch) gives num_envs x n observations (default: qpos and qvel), reward(batch) and
    terminated(batch) one value for each row (default: 0, False), reset_row(batch, row, rng) sets the
    state of a row after its reset (default: the model's first state with noise of `noise` on qpos and
    qvel), info(batch) a dict of arrays with one entry for each row. Actions are the controls.

    When an episode that ended starts anew is Gymnasium's autoreset mode: in the next step, whose action
    it does not take (default); in the same step, with the last observation in ``info["final_obs"]``; or
    never, until ``reset(options={"reset_mask": ...})``. A row whose numbers went bad is terminated, with
    ``info["bad"]`` true for it. Every row has a random generator of its own, seeded by ``reset(seed=)``.

    With ``pixels``, the arguments of Batch.render (camera, width, height, depth, ...), observations are
    the pictures of the rows, drawn on the batch's threads; with ``"with_state": True`` in it they are a
    dict of "pixels" and "state", what `observe` gives. With render_mode "rgb_array" ``render()`` gives a
    picture of each row, by the arguments in ``render_options`` (default: 640 x 480, the first camera).

    A class of tasks derives from this one and overrides `prepare` (what to bind), `observe`, `reward`, `terminated`,
    `start_rows` and `info`, each for all rows at once (sinew.gym.mujoco_v5 and sinew.gym.control_suite do).
    """

    after: Sequence[str] = ()  # documented functions that follow every step (sinew.Batch)
    action_type: type[np.floating[Any]] = np.float64

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
        info: Optional[Callable[[Batch], dict[str, Any]]] = None,
        noise: float = 0.01,
        nthread: Optional[int] = None,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        pixels: Optional[dict[str, Any]] = None,
        render_mode: Optional[str] = None,
        render_options: Optional[dict[str, Any]] = None,
    ) -> None:
        _check.instance("VectorEnv", "model", model, MjModel)
        num_envs = _check.whole("VectorEnv", "num_envs", num_envs, 1)
        frame_skip = _check.whole("VectorEnv", "frame_skip", frame_skip, 1)
        max_steps = None if max_steps is None else _check.whole("VectorEnv", "max_steps", max_steps, 1)
        self.batch = Batch(model, num_envs, nthread=nthread, after=self.after)
        self.num_envs = num_envs
        self.frame_skip = frame_skip
        self.max_steps = max_steps
        self.noise = noise
        self._observe, self._reward, self._terminated, self._reset_row, self._info = observe, reward, terminated, reset_row, info
        self.mode = AutoresetMode(autoreset_mode)
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        self._render_options = {"camera": 0 if model.ncam else -1, "width": 640, "height": 480, **(render_options or {})}
        self.metadata = {"autoreset_mode": self.mode, "render_modes": ["rgb_array"], "render_fps": 1 / (model.opt.timestep * frame_skip)}
        limited = model.actuator_ctrllimited.astype(bool)
        low = np.where(limited, model.actuator_ctrlrange[:, 0], -1.0)
        high = np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)
        self.single_action_space = gymnasium.spaces.Box(low.astype(self.action_type), high.astype(self.action_type), dtype=self.action_type)
        self._steps = np.zeros(num_envs, int)  # of the episodes
        self.batch.forward()
        self.prepare()
        shape = np.shape(self.observe())
        if len(shape) != 2 or shape[0] != num_envs:
            raise ValueError(f"observe gives {num_envs} rows of numbers, not an array of shape {shape}")
        self._pixels = None if pixels is None else dict(pixels)
        self._with_state = bool(self._pixels and self._pixels.pop("with_state", False))
        self.single_observation_space = self._space(shape[1])
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.rngs = [np.random.default_rng(s) for s in np.random.SeedSequence().spawn(num_envs)]
        self._over = np.zeros(num_envs, bool)

    def _space(self, size: int) -> gymnasium.spaces.Space[Any]:
        state = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        if self._pixels is None:
            return state
        one = self.batch.render(rows=[], **self._pixels)[0]  # of the shape and type alone
        low, high = {"f": (0.0, np.inf), "u": (0, 255)}.get(one.dtype.kind, (-1, np.iinfo(np.int32).max))
        pictures = gymnasium.spaces.Box(low, high, one.shape, one.dtype.type)
        return gymnasium.spaces.Dict({"pixels": pictures, "state": state}) if self._with_state else pictures

    # ---- what a task is

    def prepare(self) -> None:
        """Bind fields and look names up, once, before anything is observed."""

    def observe(self) -> Floats:
        """What is observed of all rows: num_envs x n."""
        return self._observe(self.batch)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        """The rewards of a step, one for each row."""
        return np.zeros(self.num_envs) if self._reward is None else np.array(self._reward(self.batch), np.float64)

    def terminated(self) -> npt.NDArray[np.bool_]:
        """Which episodes a step ended."""
        return np.zeros(self.num_envs, bool) if self._terminated is None else np.array(self._terminated(self.batch), bool)

    def start_rows(self, rows: npt.NDArray[np.intp]) -> None:
        """Set the states of rows that were reset to the model's first one; row i draws from self.rngs[i]."""
        for row in rows:
            if self._reset_row is not None:
                self._reset_row(self.batch, int(row), self.rngs[row])
                continue
            for field in ("qpos", "qvel"):
                values = self.batch.bind(field)[row]
                values += self.rngs[row].uniform(-self.noise, self.noise, values.shape)

    def started(self, rows: npt.NDArray[np.intp]) -> None:
        """Called when everything has been computed from the first states of rows."""

    def info(self) -> dict[str, Any]:
        """Facts about all rows, an array of num_envs entries each."""
        return {} if self._info is None else dict(self._info(self.batch))

    def terms(self) -> dict[str, Any]:
        """Facts about the last step, such as the terms of its reward; a row that starts anew has none."""
        return {}

    # ---- Gymnasium's interface

    def _seen(self) -> Any:
        """What is observed of all rows."""
        if self._pixels is None:
            return self.observe()
        pictures = self.batch.render(**self._pixels)
        return {"pixels": pictures, "state": self.observe()} if self._with_state else pictures

    def render(self) -> Any:
        """A picture of each row, in render_mode "rgb_array"."""
        return None if self.render_mode is None else tuple(self.batch.render(**self._render_options))

    def _start(self, rows: npt.NDArray[np.intp]) -> None:
        if not len(rows):
            return
        self.batch.reset(rows)
        self.start_rows(rows)
        self.batch.forward(rows)
        self.started(rows)
        self._steps[rows] = 0

    def reset(self, *, seed: Any = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        """Start all episodes anew, or with options={"reset_mask": ...} those of a mask."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is not None:
            seeds = seed if isinstance(seed, (list, tuple)) else [seed + i for i in range(self.num_envs)]
            if len(seeds) != self.num_envs:
                raise ValueError(f"expected {self.num_envs} seeds, found {len(seeds)}")
            for row, value in enumerate(seeds):
                if value is not None:
                    self.rngs[row] = np.random.default_rng(value)
        mask = (options or {}).get("reset_mask")
        if mask is not None and np.shape(mask) != (self.num_envs,):
            raise ValueError(f"reset_mask: expected {self.num_envs} entries, found shape {np.shape(mask)}")
        rows = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
        self._start(rows)
        self._over[rows] = False
        return self._seen(), self._infos()

    def _infos(self, absent: Optional[npt.NDArray[np.intp]] = None, **more: npt.NDArray[Any]) -> dict[str, Any]:
        """The infos, each with a mask of the rows that have it: the terms of a step are `absent` in rows that start anew."""
        infos: dict[str, Any] = {}
        there = np.ones(self.num_envs, bool)
        for key, value in {**self.info(), **more}.items():
            infos[key], infos["_" + key] = value, there
        if absent is None:
            return infos
        if len(absent):
            there = there.copy()
            there[absent] = False
        for key, value in self.terms().items():
            value[absent] = 0
            infos[key], infos["_" + key] = value, there
        return infos

    def step(self, actions: Any) -> tuple[Any, Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Apply the actions for frame_skip steps of the engine."""
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"expected actions of shape {self.action_space.shape}, found {actions.shape}")
        if self.mode is AutoresetMode.DISABLED and self._over.any():
            raise ValueError(f"episodes of rows {np.flatnonzero(self._over)[:10].tolist()} are over: reset them first")
        anew = np.flatnonzero(self._over)  # none but in mode "next step"
        bad = np.zeros(self.num_envs, bool)
        if len(anew):
            running = np.flatnonzero(~self._over)
            self._start(anew)
            self.batch.set("ctrl", actions[running], rows=running)
            went_bad = self.batch.step(self.frame_skip, running) if len(running) else []
            self._steps[running] += 1
        else:
            self.batch.bind("ctrl")[...] = actions
            went_bad = self.batch.step(self.frame_skip)
            self._steps += 1
        for row, _ in went_bad:
            bad[row] = True
        reward = self.reward(actions)
        terminated = bad | self.terminated()
        truncated = np.zeros(self.num_envs, bool) if self.max_steps is None else self._steps >= self.max_steps
        terminated[anew] = truncated[anew] = False
        reward[anew] = 0
        infos = self._infos(anew, bad=bad)
        self._over = terminated | truncated
        if self.mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = self._start_over(infos)
        return self._seen(), reward, terminated, truncated, infos

    def _start_over(self, last: dict[str, Any]) -> dict[str, Any]:
        """Start the episodes that are over; their last observations and infos go into the infos."""
        over = self._over.copy()
        final = np.full(self.num_envs, None, dtype=object)
        seen = self._seen()
        for row in np.flatnonzero(over):
            final[row] = {key: value[row].copy() for key, value in seen.items()} if isinstance(seen, dict) else seen[row].copy()
        self._start(np.flatnonzero(over))
        self._over[:] = False
        infos = {**last, **self._infos(bad=last["bad"])}
        for key in self.terms():
            infos["_" + key] = last["_" + key] & ~over
        return {**infos, "final_obs": final, "_final_obs": over, "final_info": last, "_final_info": over}

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing to close."""
