"""What the tasks of dm_control's suite have in common: soft indicators, named parts of the observation, first states.

Written from the documentation of the suite (arXiv:1801.00690, arXiv:2006.12983) and compared with it. The models are
those of the installed dm_control package. Everything is computed for all rows at once; poses and sensors are those of
the state after the step (mj_step1 follows it), as in dm_control.
"""

import collections
import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from .. import _check
from .._enums import mjtDisableBit, mjtJoint, mjtObj
from .._sinew import MjModel, mj_name2id
from .vector import Floats, Rows, VectorEnv

_ACTUATION = int(mjtDisableBit.mjDSBL_ACTUATION)
_ATTEMPTS = 10000  # at a first state without contacts

# value at the distance x, in margins, of functions that fall from 1 at 0 to v at 1
_SIGMOIDS: dict[str, Callable[[Floats, float], Floats]] = {
    "gaussian": lambda x, v: np.exp(x**2 * np.log(v)),
    "hyperbolic": lambda x, v: 1 / np.cosh(x * np.arccosh(1 / v)),
    "long_tail": lambda x, v: 1 / (1 + x**2 * (1 / v - 1)),
    "reciprocal": lambda x, v: 1 / (1 + np.abs(x) * (1 / v - 1)),
    "cosine": lambda x, v: np.where((s := x * np.arccos(2 * v - 1) / np.pi) < 1, (1 + np.cos(np.pi * s)) / 2, 0.0),
    "linear": lambda x, v: np.maximum(1 - x * (1 - v), 0.0),
    "quadratic": lambda x, v: np.maximum(1 - x**2 * (1 - v), 0.0),
    "tanh_squared": lambda x, v: 1 - np.tanh(x * np.arctanh(np.sqrt(1 - v))) ** 2,
}
_FROM_ZERO = ("cosine", "linear", "quadratic")  # these may be 0 at the margin, the others only near it


def tolerance(x: npt.ArrayLike, bounds: tuple[float, float] = (0.0, 0.0), margin: float = 0.0, sigmoid: str = "gaussian", value_at_margin: float = 0.1) -> Floats:
    """1 where x is inside the bounds; outside 0, or with a margin what falls to value_at_margin at that distance."""
    low, high = bounds
    if not low <= high:
        raise ValueError(f"tolerance: argument bounds: expected (low, high) with low <= high, found {bounds}")
    if not margin >= 0:
        raise ValueError(f"tolerance: argument margin: expected a number of at least 0, found {margin}")
    if sigmoid not in _SIGMOIDS:
        raise ValueError(f"tolerance: argument sigmoid: expected one of {', '.join(_SIGMOIDS)}, found {sigmoid!r}")
    least = 0 <= value_at_margin if sigmoid in _FROM_ZERO else 0 < value_at_margin
    if not (least and value_at_margin < 1):
        raise ValueError(f"tolerance: argument value_at_margin: expected a number between 0 and 1, found {value_at_margin}")
    x = np.asarray(x, np.float64)
    outside = np.maximum(np.maximum(low - x, x - high), 0.0)
    if margin == 0:
        return np.where(outside == 0, 1.0, 0.0)
    return np.asarray(np.where(outside == 0, 1.0, _SIGMOIDS[sigmoid](outside / margin, value_at_margin)))


def small(actions: npt.NDArray[Any]) -> Floats:
    """How small the controls of rows are: the mean over them, 0.8 when they are at their limits and 1 when they are 0."""
    return np.asarray((4 + tolerance(actions, margin=1, value_at_margin=0, sigmoid="quadratic").mean(axis=1)) / 5)


def distance(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.linalg.norm(a - b, axis=-1))


def into_frame(vectors: Floats, frames: Floats) -> Floats:
    """Vectors (N x 3) of the world in the frames of rows (N x 9)."""
    return np.asarray(np.matmul(vectors[:, None, :], frames.reshape(-1, 3, 3))[:, 0])


def turned_about(angle: float, axis: int) -> Floats:
    """The quaternion of a turn about an axis."""
    quat = np.zeros(4)
    quat[0], quat[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return quat


def random_direction(random: Any, size: int) -> Floats:
    normal = random.randn(size)
    return np.asarray(normal / np.linalg.norm(normal))


class ControlTask(VectorEnv):
    """A task of dm_control's suite, `num_envs` times.

    Observations are the parts in dm_control's order, flattened; with ``flat=False`` a dict of them. Row i, seeded with
    s, starts as dm_control's task does with ``task_kwargs={"random": s}``. ``time_limit`` is in seconds.
    """

    after = ("mj_step1",)
    domain: str
    seconds = 20.0  # time limit
    control: Optional[float] = None  # seconds between actions; None for every step
    target_models = False  # rows differ in where a target is drawn: models of their own when pictures are made

    def __init__(self, num_envs: int = 1, *, time_limit: Optional[float] = None, flat: bool = True, **more: Any) -> None:
        num_envs = _check.whole(type(self).__name__, "num_envs", num_envs, 1)
        model = self.make_model()
        control = model.opt.timestep if self.control is None else self.control
        limit = (self.seconds if time_limit is None else float(time_limit)) / control
        self._flat = flat
        if self.target_models and (more.get("pixels") is not None or more.get("render_mode") is not None):
            self.own_models = True
        steps = None if limit == np.inf else int(np.ceil(limit))
        super().__init__(model, num_envs, frame_skip=int(np.round(control / model.opt.timestep)), max_steps=steps, **more)

    def make_model(self) -> MjModel:
        return self.compile()

    def compile(self, *arguments: Any, function: str = "get_model_and_assets", **options: Any) -> MjModel:
        """The model of the domain: what a public function of its module makes."""
        made = getattr(find_domain(self.domain), function)(*arguments, **options)
        xml, assets = made if isinstance(made, tuple) else (made, importlib.import_module("dm_control.suite.common").ASSETS)
        text = xml.decode() if isinstance(xml, bytes) else xml
        return MjModel.from_xml_string(text, {name: data.encode() if isinstance(data, str) else data for name, data in assets.items()})

    def generator(self, seed: Any) -> Any:
        return np.random.RandomState(seed)

    def prepare(self) -> None:
        self.qpos, self.qvel, self.xpos, self.xmat = (self.batch.bind(name) for name in ("qpos", "qvel", "xpos", "xmat"))
        self.look()

    # ---- what a task is

    def look(self) -> None:
        """Bind fields and look names up."""

    def parts(self) -> dict[str, Floats]:
        """What is observed, by name, in order."""
        raise NotImplementedError("a task says what is observed")

    def draw(self, row: int, random: Any) -> None:
        """Draw the first state of a row."""

    # ---- VectorEnv

    def observe(self) -> Any:
        parts = self.parts()
        if not self._flat:
            return collections.OrderedDict((name, np.array(part)) for name, part in parts.items())
        return np.concatenate([part.reshape(self.num_envs, -1) for part in parts.values()], axis=1)

    def action_limits(self, model: MjModel) -> tuple[Floats, Floats]:
        limited = model.actuator_ctrllimited.astype(bool)
        return np.where(limited, model.actuator_ctrlrange[:, 0], -1e10), np.where(limited, model.actuator_ctrlrange[:, 1], 1e10)

    def start_rows(self, rows: Rows) -> None:
        for row in rows:
            self.draw(int(row), self.rngs[row])

    def forward_rows(self, rows: Rows) -> None:
        """Actuators are off: there is no action before the first one."""
        with self.unactuated(rows):
            self.batch.forward(rows)

    # ---- for tasks

    @contextlib.contextmanager
    def unactuated(self, rows: Rows) -> Iterator[None]:
        models = [self.batch.models[row] for row in rows] if len(self.batch.models) > 1 else self.batch.models
        flags = [model.opt.disableflags for model in models]
        for model, flag in zip(models, flags):
            model.opt.disableflags = flag | _ACTUATION
        try:
            yield
        finally:
            for model, flag in zip(models, flags):
                model.opt.disableflags = flag

    def start_apart(self, rows: Rows, draw: Callable[[int, Any], None]) -> None:
        """Draw first states until they have no contacts."""
        contacts = self.batch.bind("ncon")
        for _ in range(_ATTEMPTS):
            for row in rows:
                draw(int(row), self.rngs[row])
            self.forward_rows(rows)
            rows = rows[contacts[rows] > 0]
            if not len(rows):
                return
        raise RuntimeError(f"{type(self).__name__}: {_ATTEMPTS} random states of row {rows[0]} had contacts")

    def joints_anywhere(self, row: int, random: Any) -> None:
        """Joints with limits uniformly between them, hinges without anywhere, orientations of free joints at random."""
        for columns, low, high in self._ranges():
            if isinstance(low, str):
                quat = random.rand(4) if low == "free" else random.randn(4)
                self.qpos[row, columns] = quat / np.linalg.norm(quat)
            else:
                self.qpos[row, columns] = random.uniform(low, high)

    def _ranges(self) -> list[tuple[Any, Any, Any]]:
        """Columns of qpos that random draws fill, in order, with their limits."""
        if not hasattr(self, "_drawn"):
            self._drawn: list[tuple[Any, Any, Any]] = []
            model = self.batch.model
            columns: list[int] = []
            low: list[float] = []
            high: list[float] = []

            def close() -> None:
                if columns:
                    self._drawn.append((list(columns), np.array(low), np.array(high)))
                columns.clear(), low.clear(), high.clear()

            for joint in range(model.njnt):
                kind, at, limited = mjtJoint(int(model.jnt_type[joint])), int(model.jnt_qposadr[joint]), bool(model.jnt_limited[joint])
                if kind in (mjtJoint.mjJNT_FREE, mjtJoint.mjJNT_BALL):
                    close()
                    at += 3 if kind == mjtJoint.mjJNT_FREE else 0
                    self._drawn.append((slice(at, at + 4), "free" if kind == mjtJoint.mjJNT_FREE else "ball", None))
                elif limited or kind == mjtJoint.mjJNT_HINGE:
                    columns.append(at)
                    low.append(float(model.jnt_range[joint, 0]) if limited else -np.pi)
                    high.append(float(model.jnt_range[joint, 1]) if limited else np.pi)
            close()
        return self._drawn

    def named(self, kind: str, name: str) -> int:
        number = mj_name2id(self.batch.model, int(getattr(mjtObj, f"mjOBJ_{kind.upper()}")), name)
        if number < 0:
            raise ValueError(f"{type(self).__name__}: the model has no {kind} '{name}', which the task looks at")
        return number

    def body(self, name: str) -> int:
        return self.named("body", name)

    def position(self, joint: str) -> int:
        return int(self.batch.model.jnt_qposadr[self.named("joint", joint)])

    def velocity(self, joint: str) -> int:
        return int(self.batch.model.jnt_dofadr[self.named("joint", joint)])

    def sensors(self, *names: str) -> list[int]:
        """Columns of sensordata."""
        return [column for name in names for column in self._columns(self.named("sensor", name))]

    def sensors_of(self, *kinds: int) -> list[int]:
        """Columns of sensordata of sensors of some types, in the model's order."""
        return [column for i in range(self.batch.model.nsensor) if int(self.batch.model.sensor_type[i]) in kinds for column in self._columns(i)]

    def _columns(self, sensor: int) -> range:
        model = self.batch.model
        return range(int(model.sensor_adr[sensor]), int(model.sensor_adr[sensor]) + int(model.sensor_dim[sensor]))

    def model_of(self, row: int) -> Optional[MjModel]:
        """The model of a row, where rows have their own."""
        return self.batch.models[row if len(self.batch.models) > 1 else 0] if self.own_models else None


def find_domain(domain: str) -> Any:
    try:
        return importlib.import_module(f"dm_control.suite.{domain}")
    except ImportError as problem:
        raise ImportError(f"the models of the control suite are those of the package dm_control (pip install dm_control): {problem}") from problem
