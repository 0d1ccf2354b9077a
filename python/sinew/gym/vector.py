"""A Gymnasium VectorEnv over a Batch: many copies of one model, stepped together on threads."""

from collections import OrderedDict
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
Rows = npt.NDArray[np.intp]


def _state(batch: Batch) -> Floats:
    return np.concatenate([batch.bind("qpos"), batch.bind("qvel")], axis=1)


def _space_of(observed: Any, rows: int) -> gymnasium.spaces.Space[Any]:
    """The space of one row of what is observed: an array of numbers, or a dict of them."""
    if isinstance(observed, dict):
        return gymnasium.spaces.Dict(OrderedDict((name, _space_of(part, rows)) for name, part in observed.items()))
    shape = np.shape(observed)
    if not shape or shape[0] != rows:
        raise ValueError(f"observe gives {rows} rows of numbers, not an array of shape {shape}")
    return gymnasium.spaces.Box(-np.inf, np.inf, shape[1:], np.float64)


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` simulations of a model, with functions of the Batch for what a task is.

    observe(batch) gives num_envs x n observations (default: qpos and qvel), reward(batch) and
    terminated(batch) one value for each row (default: 0, False), reset_row(batch, row, rng) sets the
    state of a row after its reset (default: the model's first state with noise of `noise` on qpos and
    qvel), info(batch) a dict of arrays with one entry for each row. Actions are the controls.

    When an episode that ended starts anew is Gymnasium's autoreset mode: in the next step, whose action
    it does not take (default); in the same step, with the last observation in ``info["final_obs"]``; or
    never, until ``reset(options={"reset_mask": ...})``. Every row has a random generator of its own, seeded by
    ``reset(seed=)``.

    A row that goes bad (numbers that are not finite, an error) never stops the others: ``info["bad"]`` is true for it,
    ``info["bad_reason"]`` says why, its reward is 0. With ``on_bad`` "reset" its episode is terminated; with "leave" it
    goes on from where the engine put it, the model's first state after bad numbers. ``row_seconds`` is how much processor
    time an episode of a row may use (time_limit of sinew.Batch): one that has used it up is bad until it starts anew.

    With ``pixels``, the arguments of Batch.render (camera, width, height, depth, ...), observations are
    the pictures of the rows, drawn on the batch's threads; with ``"with_state": True`` in it they are a
    dict of "pixels" and "state", what `observe` gives. With render_mode "rgb_array" ``render()`` gives a
    picture of each row, by the arguments in ``render_options`` (default: 640 x 480, the first camera).

    A class of tasks derives from this one and overrides `prepare` (what to bind), `observe`, `reward`, `terminated`,
    `start_rows` and `info`, each for all rows at once (sinew.gym.mujoco_v5 and sinew.gym.control_suite do).
    """

    after: Sequence[str] = ()  # documented functions that follow every step (sinew.Batch)
    action_type: type[np.floating[Any]] = np.float64
    own_models = False  # a model for each row

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
        on_bad: str = "reset",
        row_seconds: Optional[float] = None,
    ) -> None:
        _check.instance("VectorEnv", "model", model, MjModel)
        num_envs = _check.whole("VectorEnv", "num_envs", num_envs, 1)
        frame_skip = _check.whole("VectorEnv", "frame_skip", frame_skip, 1)
        max_steps = None if max_steps is None else _check.whole("VectorEnv", "max_steps", max_steps, 1)
        self.batch = Batch(model, num_envs, nthread=nthread, after=self.after, own_models=self.own_models, time_limit=row_seconds)
        self.num_envs = num_envs
        self.frame_skip = frame_skip
        self.max_steps = max_steps
        self.noise = noise
        self._observe, self._reward, self._terminated, self._reset_row, self._info = observe, reward, terminated, reset_row, info
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if on_bad not in ("reset", "leave"):
            raise ValueError(f"on_bad {on_bad!r}, expected 'reset' or 'leave'")
        self._resets_bad = on_bad == "reset"
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        self._render_options = {"camera": 0 if model.ncam else -1, "width": 640, "height": 480, **(render_options or {})}
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": ["rgb_array"], "render_fps": 1 / (model.opt.timestep * frame_skip)}
        low, high = self.action_limits(model)
        self.single_action_space = gymnasium.spaces.Box(low.astype(self.action_type), high.astype(self.action_type), dtype=self.action_type)
        self._steps = np.zeros(num_envs, int)  # of the episodes
        self._ctrl = self.batch.bind("ctrl")
        self.batch.forward()
        self.prepare()
        observed = self.observe()
        self._pixels = None if pixels is None else dict(pixels)
        self._with_state = bool(self._pixels and self._pixels.pop("with_state", False))
        self.single_observation_space = self._space(_space_of(observed, num_envs))
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.rngs = [self.generator(int(seed)) for seed in np.random.SeedSequence().generate_state(num_envs)]
        self.seeded(np.arange(num_envs))
        self._over = np.zeros(num_envs, bool)

    def _space(self, state: gymnasium.spaces.Space[Any]) -> gymnasium.spaces.Space[Any]:
        if self._pixels is None:
            return state
        one = self.batch.render(rows=[], **self._pixels)[0]  # of the shape and type alone
        low, high = {"f": (0.0, np.inf), "u": (0, 255)}.get(one.dtype.kind, (-1, np.iinfo(np.int32).max))
        pictures = gymnasium.spaces.Box(low, high, one.shape, one.dtype.type)
        return gymnasium.spaces.Dict({"pixels": pictures, "state": state}) if self._with_state else pictures

    # ---- what a task is

    def prepare(self) -> None:
        """Bind fields and look names up, once, before anything is observed."""

    def observe(self) -> Any:
        """What is observed of all rows: num_envs x n, or a dict of such arrays."""
        return self._observe(self.batch)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        """The rewards of a step, one for each row."""
        return np.zeros(self.num_envs) if self._reward is None else np.array(self._reward(self.batch), np.float64)

    def terminated(self) -> npt.NDArray[np.bool_]:
        """Which episodes a step ended."""
        return np.zeros(self.num_envs, bool) if self._terminated is None else np.array(self._terminated(self.batch), bool)

    def action_limits(self, model: MjModel) -> tuple[Floats, Floats]:
        """The least and the greatest actions."""
        limited = model.actuator_ctrllimited.astype(bool)
        return np.where(limited, model.actuator_ctrlrange[:, 0], -1.0), np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)

    def generator(self, seed: Any) -> Any:
        """The random generator of a row."""
        return np.random.default_rng(seed)

    def seeded(self, rows: Rows) -> None:
        """Called when rows have new random generators: draw what lasts longer than an episode."""

    def start_rows(self, rows: Rows) -> None:
        """Set the states of rows that were reset to the model's first one; row i draws from self.rngs[i]."""
        for row in rows:
            if self._reset_row is not None:
                self._reset_row(self.batch, int(row), self.rngs[row])
                continue
            for field in ("qpos", "qvel"):
                values = self.batch.bind(field)[row]
                values += self.rngs[row].uniform(-self.noise, self.noise, values.shape)

    def forward_rows(self, rows: Rows) -> None:
        """Compute everything from the first states of rows."""
        self.batch.forward(rows)

    def started(self, rows: Rows) -> None:
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

    def _start(self, rows: Rows) -> None:
        if not len(rows):
            return
        self.batch.reset(rows)
        self.start_rows(rows)
        self.forward_rows(rows)
        self.started(rows)
        self._steps[rows] = 0

    def reset(self, *, seed: Any = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        """Start all episodes anew, or with options={"reset_mask": ...} those of a mask."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is not None:
            seeds = seed if isinstance(seed, (list, tuple)) else [seed + i for i in range(self.num_envs)]
            if len(seeds) != self.num_envs:
                raise ValueError(f"expected {self.num_envs} seeds, found {len(seeds)}")
            new = np.array([row for row, value in enumerate(seeds) if value is not None], np.intp)
            for row in new:
                self.rngs[row] = self.generator(seeds[row])
            self.seeded(new)
        mask = (options or {}).get("reset_mask")
        if mask is not None and np.shape(mask) != (self.num_envs,):
            raise ValueError(f"reset_mask: expected {self.num_envs} entries, found shape {np.shape(mask)}")
        rows = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
        self._start(rows)
        self._over[rows] = False
        return self._seen(), self._infos()

    def _infos(self, absent: Optional[Rows] = None, **more: npt.NDArray[Any]) -> dict[str, Any]:
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
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            raise ValueError(f"episodes of rows {np.flatnonzero(self._over)[:10].tolist()} are over: reset them first")
        anew = np.flatnonzero(self._over)  # none but in mode "next step"
        if len(anew):
            running = np.flatnonzero(~self._over)
            self._start(anew)
            self._ctrl[running] = actions[running]
            went_bad = self.batch.step(self.frame_skip, running) if len(running) else []
            self._steps[running] += 1
        else:
            self._ctrl[...] = actions
            went_bad = self.batch.step(self.frame_skip)
            self._steps += 1
        reward = self.reward(actions)
        terminated = self.terminated()
        truncated = np.zeros(self.num_envs, bool) if self.max_steps is None else self._steps >= self.max_steps
        more = {"bad": self._bad(went_bad, reward, terminated)} if went_bad else {"bad": np.zeros(self.num_envs, bool)}
        if went_bad:
            more["bad_reason"] = np.array([dict(went_bad).get(row, "") for row in range(self.num_envs)], object)
        if len(anew):
            terminated[anew] = truncated[anew] = False
            reward[anew] = 0
        infos = self._infos(anew, **more)
        self._over = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = self._start_over(infos)
        return self._seen(), reward, terminated, truncated, infos

    def _bad(self, went_bad: list[tuple[int, str]], reward: Floats, terminated: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The mask of rows that went bad; they have no reward, and end when they are to be reset."""
        bad = np.zeros(self.num_envs, bool)
        bad[[row for row, _ in went_bad]] = True
        reward[bad] = 0
        if self._resets_bad:
            terminated |= bad
        return bad

    def go_on(self) -> None:
        """Forget which episodes are over."""
        self._over[:] = False

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
