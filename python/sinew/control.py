"""Optimal control on analytic derivatives: the linear-quadratic regulator, trajectories by iLQG, and MPC.

    K, P = control.lqr(A, B, Q, R)                       # u = -K x

    cost = control.Cost(model, ctrl=1e-3, final=10)      # r'Wr / 2 a step
    cost.sensor("tip", weight=10, target=[0, 0, 1])
    cost.velocity(0.01)
    plan = control.optimize(model, data, cost, horizon=200)
    data.ctrl[:] = plan.ctrl[0]

    mpc = control.MPC(model, cost, horizon=50)
    while True:
        mpc.act(data)                                    # sets data.ctrl
        sinew.mj_step(model, data)

docs/control.md.
"""

import time
from typing import Callable, Literal, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _sinew
from ._enums import mjtObj, mjtState
from ._sinew import MjData, MjModel
from ._tangent import Floats, Tangent
from .batch import Batch

_ALL = int(mjtState.mjSTATE_INTEGRATION)


def lqr(A: npt.ArrayLike, B: npt.ArrayLike, Q: npt.ArrayLike, R: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The gain K of u = -K x that minimizes the sum of x'Q x + u'R u along x' = A x + B u, and the cost P to go.

    ValueError when no gain keeps x from growing.
    """
    a, b, q, r = (_check.numbers("control.lqr", name, value) for name, value in (("A", A), ("B", B), ("Q", Q), ("R", R)))
    n, nu = b.shape if b.ndim == 2 else (0, 0)
    for name, found, shape in (("A", a, (n, n)), ("B", b, (n, nu)), ("Q", q, (n, n)), ("R", r, (nu, nu))):
        if found.shape != shape:
            raise _check.refuse(ValueError, "control.lqr", name, f"numbers of shape {shape}", found)
    # after k rounds P is the cost of 2^k steps
    one, step, G, P = np.eye(n), a, b @ np.linalg.solve(r, b.T), q
    for _ in range(60):
        with np.errstate(over="ignore", invalid="ignore"):
            W = np.linalg.solve(one + G @ P, np.hstack((step, G)))
            change = step.T @ P @ W[:, :n]
            P = P + 0.5 * (change + change.T)
        if not np.all(np.isfinite(P)):
            break
        if np.abs(change).max(initial=0) <= 1e-13 * np.abs(P).max(initial=0):
            return np.asarray(np.linalg.solve(r + b.T @ P @ b, b.T @ P @ a), np.float64), P
        G, step = G + step @ W[:, n:] @ step.T, step @ W[:, :n]
    raise ValueError("control.lqr: no controls keep this system from drifting away")


class Cost:
    """A sum of squares: half of weight * (value - target)^2 for each number of each term, at every step.

    What a cost speaks of are sensors of the model, positions, velocities and controls. `final` multiplies the terms
    of the state that is reached at the end.
    """

    def __init__(self, model: MjModel, *, ctrl: npt.ArrayLike = 0.0, final: float = 1.0) -> None:
        _check.instance("control.Cost", "model", model, MjModel)
        nv, ns = model.nv, model.nsensordata
        self.model, self.final, self.tangent = model, float(final), Tangent(model)
        self.ctrl = np.array(_check.numbers("control.Cost", "ctrl", ctrl, (model.nu,)))
        self.ctrl_target = np.zeros(model.nu)
        self.sensor_weight, self.sensor_target = np.zeros(ns), np.zeros(ns)
        self.qpos_weight, self.qpos_target = np.zeros(nv), np.array(model.qpos0)
        self.qvel_weight, self.qvel_target = np.zeros(nv), np.zeros(nv)

    def sensor(self, name: str, weight: npt.ArrayLike, target: npt.ArrayLike = 0.0) -> "Cost":
        """The reading of a sensor; a weight for each of its numbers, or one for all."""
        id = _sinew.mj_name2id(self.model, int(mjtObj.mjOBJ_SENSOR), name)
        if id < 0:
            known = [self.model.sensor(i).name for i in range(self.model.nsensor)]
            raise _check.refuse(ValueError, "Cost.sensor", "name", f"one of {known}", name)
        at, n = int(self.model.sensor_adr[id]), int(self.model.sensor_dim[id])
        self.sensor_weight[at : at + n] = _check.numbers("Cost.sensor", "weight", weight, (n,))
        self.sensor_target[at : at + n] = _check.numbers("Cost.sensor", "target", target, (n,))
        return self

    def position(self, weight: npt.ArrayLike, target: Optional[npt.ArrayLike] = None) -> "Cost":
        """Distance from positions (nq numbers, the model's qpos0 when left out); a weight for each dof, or one for all."""
        self.qpos_weight[:] = _check.numbers("Cost.position", "weight", weight, (self.model.nv,))
        if target is not None:
            self.qpos_target[:] = _check.numbers("Cost.position", "target", target, (self.model.nq,))
        return self

    def velocity(self, weight: npt.ArrayLike, target: npt.ArrayLike = 0.0) -> "Cost":
        """Velocities; a weight for each dof, or one for all."""
        self.qvel_weight[:] = _check.numbers("Cost.velocity", "weight", weight, (self.model.nv,))
        self.qvel_target[:] = _check.numbers("Cost.velocity", "target", target, (self.model.nv,))
        return self

    @property
    def senses(self) -> bool:
        """Does the cost weigh sensor readings?"""
        return bool(np.any(self.sensor_weight))

    def value(self, qpos: Floats, qvel: Floats, ctrl: Floats, sensors: Floats) -> Floats:
        """Costs of rows of states, with their controls and readings."""
        total = np.sum(self.ctrl * (ctrl - self.ctrl_target) ** 2, axis=-1) + self._still(qpos, qvel, sensors)
        return np.asarray(0.5 * total)

    def end(self, qpos: Floats, qvel: Floats, sensors: Floats) -> Floats:
        """The same at the end, without controls."""
        return np.asarray(0.5 * self.final * self._still(qpos, qvel, sensors))

    def _still(self, qpos: Floats, qvel: Floats, sensors: Floats) -> Floats:
        total: Floats = np.sum(self.qvel_weight * (qvel - self.qvel_target) ** 2, axis=-1)
        if np.any(self.qpos_weight):
            total = total + np.sum(self.qpos_weight * self.tangent.difference(qpos, self.qpos_target) ** 2, axis=-1)
        if self.senses:
            total = total + np.sum(self.sensor_weight * (sensors - self.sensor_target) ** 2, axis=-1)
        return total

    def quadratic(
        self,
        qpos: Floats,
        qvel: Floats,
        ctrl: Floats,
        sensors: Floats,
        C: Optional[Floats],
        D: Optional[Floats],
        out: Optional[Floats] = None,
    ) -> "Quadratic":
        """Gradients and Gauss-Newton Hessians of rows of states; the last row is the end. Hessians go to `out`."""
        n, nv, nu = len(qpos), self.model.nv, self.model.nu
        nx = 2 * nv + self.model.na
        slope, curve = np.zeros((n, nx + nu)), np.empty((n, nx + nu, nx + nu)) if out is None else out
        if C is not None and D is not None:
            used = np.flatnonzero(self.sensor_weight)
            by = np.concatenate((C[:, used], D[:, used]), axis=2)
            weighted = np.swapaxes(by * self.sensor_weight[used, None], 1, 2)
            slope += (weighted @ (sensors[:, used] - self.sensor_target[used])[..., None])[..., 0]
            np.matmul(weighted, by, out=curve)
        else:
            curve[:] = 0
        q = Quadratic(slope, curve, nx)
        each = np.arange(nx, nx + nu)
        slope[:, each] += self.ctrl * (ctrl - self.ctrl_target)
        curve[:, each, each] += self.ctrl
        each = np.arange(nv, 2 * nv)
        slope[:, each] += self.qvel_weight * (qvel - self.qvel_target)
        curve[:, each, each] += self.qvel_weight
        if np.any(self.qpos_weight):
            far = self.tangent.difference(qpos, self.qpos_target)
            turn = self.tangent.slope(far)
            weighted = np.swapaxes(turn, 1, 2) * self.qpos_weight
            slope[:, :nv] += (weighted @ far[..., None])[..., 0]
            curve[:, :nv, :nv] += weighted @ turn
        q.x[-1] *= self.final
        q.xx[-1] *= self.final
        return q


class Quadratic:
    """A cost near a trajectory: gradients and second derivatives by state x and control u, rows of times."""

    def __init__(self, slope: Floats, curve: Floats, nx: int) -> None:
        self.slope, self.curve = slope, curve  # by (x, u)
        self.x, self.u = slope[:, :nx], slope[:, nx:]
        self.xx, self.ux, self.uu = curve[:, :nx, :nx], curve[:, nx:, :nx], curve[:, nx:, nx:]


class Iteration(NamedTuple):
    """One improvement of a trajectory."""

    cost: float
    improvement: float
    step: float  # the part of the proposed change that was taken, 0 when none helped
    regularizer: float
    seconds: float  # since the call


class Plan(NamedTuple):
    """A trajectory: `horizon` controls, the states before, between and behind them, and gains."""

    ctrl: Floats  # horizon x nu
    qpos: Floats  # horizon + 1 x nq
    qvel: Floats  # horizon + 1 x nv
    act: Floats  # horizon + 1 x na
    gain: Floats  # horizon x nu x (2nv + na): u = ctrl - gain (x - plan)
    cost: float
    trace: list[Iteration]


class _Path(NamedTuple):
    state: Floats  # horizon + 1 x nstate
    ctrl: Floats
    sensors: Floats
    cost: float


class _Optimizer:
    # parts of a change that are tried: all of it first, large ones when that gains less than half of what is expected,
    # small ones when none of those helps
    steps, enough = np.split(0.5 ** np.arange(8), [1, 3]), 0.5

    def __init__(self, model: MjModel, cost: Cost, horizon: int, derivatives: str, nthread: Optional[int]) -> None:
        self.model, self.cost, self.horizon, self.tangent = model, cost, horizon, cost.tangent
        self.differenced = derivatives == "differences"
        self.path = Batch(model, horizon + 1, nthread=nthread)
        # numbers of all steps, made once: new memory costs as much as the arithmetic
        n, nx, nu, ns = horizon + 1, 2 * model.nv + model.na, model.nu, model.nsensordata
        sensed = (np.zeros((n, ns, nx)), np.zeros((n, ns, nu))) if cost.senses else (None, None)
        self.by = (np.zeros((n, nx, nx)), np.zeros((n, nx, nu)), *sensed)
        self.curve = np.zeros((n, nx + nu, nx + nu))
        limited = np.array(model.actuator_ctrllimited, bool)
        self.low = np.where(limited, model.actuator_ctrlrange[:, 0], -np.inf)
        self.high = np.where(limited, model.actuator_ctrlrange[:, 1], np.inf)
        self.mu, self.taken = 1e-6, 0.0  # the regularizer; the part of the last change that was best

    def roll(self, start: Floats, ctrl: Floats) -> _Path:
        """The trajectory of these controls."""
        return self.roll_some(np.ones(1), start, ctrl, np.zeros_like(ctrl), None, None)

    def search(self, around: _Path, change: Floats, gain: Floats, expected: float) -> _Path:
        """The best of several roll-outs that take parts of a change of the controls, with feedback to a path."""
        best, taken, enough = around, 0.0, around.cost - self.enough * expected
        for parts in self.steps:
            found = self.roll_some(parts, around.state[0], around.ctrl, change, gain, around.state)
            if found.cost < best.cost:
                best, taken = found, self.taken
            if best.cost < enough:
                break
            enough = around.cost
        self.taken = taken
        return best

    def roll_some(self, parts: Floats, start: Floats, ctrl: Floats, change: Floats, gain: Optional[Floats], near: Optional[Floats]) -> _Path:
        cost, T, columns = self.cost, self.horizon, self.path._columns
        states = np.zeros((len(parts), T + 1, len(start)))
        seen = np.zeros((len(parts), T + 1, self.model.nsensordata))
        bad = _sinew._control_roll(
            self.path._prepared, T, cost.senses, start, parts, ctrl, change, gain, near, self.low, self.high, states, seen
        )
        q, v, u = (states[..., columns[part]] for part in (mjtState.mjSTATE_QPOS, mjtState.mjSTATE_QVEL, mjtState.mjSTATE_CTRL))
        running = cost.value(q[:, :T], v[:, :T], u[:, :T], seen[:, :T])
        total = np.sum(running, axis=1) + cost.end(q[:, T], v[:, T], seen[:, T])
        total[~np.isfinite(total)] = np.inf
        total[[row for row, _ in bad]] = np.inf
        best = int(np.argmin(total))
        self.taken = float(parts[best])
        return _Path(states[best], u[best, :T].copy(), seen[best], float(total[best]))

    def linear(self, path: _Path) -> tuple[Floats, Floats, Optional[Floats], Optional[Floats]]:
        """A, B, C, D along a path."""
        self.path.state[:] = path.state
        work = _sinew._batch_differences if self.differenced else _sinew._batch_transition
        for row, _ in work(self.path._prepared, *self.by):
            for by in self.by:
                if by is not None:
                    by[row] = 0
        return self.by

    def backward(self, A: Floats, B: Floats, q: Quadratic, ctrl: Floats) -> Optional[tuple[Floats, Floats, float]]:
        """Changes of the controls, gains and the improvement to expect; None when the regularizer is too small."""
        change, gain = np.zeros(ctrl.shape), np.zeros((*ctrl.shape, A.shape[1]))
        h = float(self.model.opt.timestep)
        expected = _sinew._control_back(self.model.nv, self.mu, h, A, B, q.slope, q.curve, self.low, self.high, ctrl, change, gain)
        return None if expected is None else (change, gain, expected)

    def improve(self, path: _Path) -> tuple[_Path, Floats, float]:
        """One iteration: a better path, gains, and the part of the change that was taken (0: none helped)."""
        A, B, C, D = self.linear(path)
        qpos, qvel = self.path.bind("qpos"), self.path.bind("qvel")
        ctrl = np.concatenate((path.ctrl, np.zeros((1, self.model.nu))))
        q = self.cost.quadratic(qpos, qvel, ctrl, path.sensors, C, D, self.curve)
        for _ in range(12):
            found = self.backward(A, B, q, path.ctrl)
            if found is not None:
                change, gain, expected = found
                new = self.search(path, change, gain, expected)
                if new.cost < path.cost:
                    self.mu = max(1e-9, self.mu * (0.3 if self.taken > 0.3 else 1.0))
                    return new, gain, self.taken
            self.mu = max(1e-6, self.mu * 10)
        return path, np.zeros((self.horizon, self.model.nu, A.shape[1])), 0.0


def _checked(call: str, model: MjModel, cost: Cost, horizon: int, derivatives: str) -> int:
    _check.instance(call, "model", model, MjModel)
    _check.instance(call, "cost", cost, Cost)
    if cost.model is not model:
        raise ValueError(f"{call}: argument cost: it is of another model")
    if derivatives not in ("analytic", "differences"):
        raise _check.refuse(ValueError, call, "derivatives", "'analytic' or 'differences'", derivatives)
    if not model.nu:
        raise ValueError(f"{call}: argument model: it has no actuators")
    return _check.whole(call, "horizon", horizon, 1)


def _start(model: MjModel, data: MjData) -> Floats:
    state = np.zeros(_sinew.mj_stateSize(model, _ALL))
    _sinew.mj_getState(model, data, state, _ALL)
    return state


def optimize(
    model: MjModel,
    data: MjData,
    cost: Cost,
    horizon: int,
    ctrl: Optional[npt.ArrayLike] = None,
    *,
    iterations: int = 100,
    tolerance: float = 1e-4,
    seconds: float = np.inf,
    derivatives: Literal["analytic", "differences"] = "analytic",
    nthread: Optional[int] = None,
    progress: Optional[Callable[[Iteration], object]] = None,
) -> Plan:
    """The controls from the state of `data` on that minimize a cost, by iLQG: every iteration solves the problem for
    the linear system and the quadratic cost around the last trajectory, inside the limits of the controls, and takes
    the best of several parts of the change.

    Begins with `ctrl` (horizon x nu, or nu; 0 when left out). Ends after `iterations` or `seconds`, or when an
    iteration gains less than `tolerance` of the cost. `progress` is called with every Iteration. `data` stays.
    """
    horizon = _checked("control.optimize", model, cost, horizon, derivatives)
    _check.instance("control.optimize", "data", data, MjData)
    first = np.zeros(model.nu) if ctrl is None else ctrl
    controls = np.array(_check.numbers("control.optimize", "ctrl", first, (horizon, model.nu)), order="C")
    began = time.perf_counter()
    own = _Optimizer(model, cost, horizon, derivatives, nthread)
    path = own.roll(_start(model, data), controls)
    if not np.isfinite(path.cost):
        raise ValueError("control.optimize: argument ctrl: the numbers go bad along the first trajectory")
    gain, trace = np.zeros((horizon, model.nu, 2 * model.nv + model.na)), []
    for _ in range(_check.whole("control.optimize", "iterations", iterations, 0)):
        before = path.cost
        path, gain, taken = own.improve(path)
        trace.append(Iteration(path.cost, before - path.cost, taken, own.mu, time.perf_counter() - began))
        if progress is not None:
            progress(trace[-1])
        if before - path.cost <= tolerance * abs(before) or trace[-1].seconds > seconds:
            break
    parts = (mjtState.mjSTATE_QPOS, mjtState.mjSTATE_QVEL, mjtState.mjSTATE_ACT)
    qpos, qvel, act = (path.state[:, own.path._columns[part]].copy() for part in parts)
    return Plan(path.ctrl, qpos, qvel, act, gain, path.cost, trace)


class MPC:
    """Model-predictive control: the plan of the last moment, moved on by a step and improved, at every call."""

    def __init__(self, model: MjModel, cost: Cost, horizon: int, *, iterations: int = 1, nthread: Optional[int] = None) -> None:
        horizon = _checked("control.MPC", model, cost, horizon, "analytic")
        self.model, self.iterations = model, _check.whole("control.MPC", "iterations", iterations, 1)
        self._own = _Optimizer(model, cost, horizon, "analytic", nthread)
        self.ctrl = np.zeros((horizon, model.nu))
        self.cost = np.inf

    def reset(self, ctrl: Union[float, npt.ArrayLike] = 0.0) -> None:
        """Forget the plan; begin with these controls (nu, or horizon x nu)."""
        self.ctrl[:] = _check.numbers("MPC.reset", "ctrl", ctrl, self.ctrl.shape)
        self._own.mu = 1e-6

    def act(self, data: MjData) -> Floats:
        """Improve the plan from the state of `data`, set its controls for one step, and move the plan on."""
        _check.instance("MPC.act", "data", data, MjData)
        own = self._own
        path = own.roll(_start(self.model, data), self.ctrl)
        for _ in range(self.iterations):
            if not np.isfinite(path.cost):
                break
            path, _, taken = own.improve(path)
            if not taken:
                own.mu = 1e-6
                break
        self.cost = path.cost
        data.ctrl[:] = path.ctrl[0]
        self.ctrl[:-1] = path.ctrl[1:]
        self.ctrl[-1] = path.ctrl[-1]
        return np.array(path.ctrl[0])
