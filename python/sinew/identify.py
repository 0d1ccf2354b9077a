"""Numbers of a model from recorded motion: masses, friction, damping, gains.

    guess = [identify.mass("arm"), identify.friction("foot"), identify.damping("elbow")]
    found = identify.fit(model, guess, [identify.Record(qpos, qvel, ctrl)], progress=print)
    print(found)                 # values with 95% confidence intervals
    found.plot("fit.svg")        # measured and fitted motion
    found.apply(model)

Every record begins in a state that is estimated too, so that noise in it does not bend the numbers. Residuals are
differentiated along the trajectory: S' = A S + dx'/dp, exact through contact. docs/identify.md.
"""

import copy
import hashlib
import pathlib
import pickle
import time
from collections.abc import Sequence
from typing import Callable, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _sinew, derive
from ._sinew import MjData, MjModel
from ._tangent import Floats, Tangent

Number = tuple[str, Optional[str], int]
_STEP = 1e-6


class Parameter(NamedTuple):
    """Numbers of a model that grow and shrink together, by one factor."""

    name: str
    numbers: tuple[Number, ...]  # (field, object, index); the first is the one that is reported


def mass(body: str) -> Parameter:
    """The mass of a body, and its inertia in proportion."""
    return Parameter(f"mass of {body}", (("body_mass", body, 0), *(("body_inertia", body, k) for k in range(3))))


def friction(geom: str) -> Parameter:
    """The sliding friction of a geom. Of two geoms that touch the larger one counts."""
    return Parameter(f"friction of {geom}", (("geom_friction", geom, 0),))


def damping(joint: str) -> Parameter:
    """The damping of a hinge or slide joint."""
    return Parameter(f"damping of {joint}", (("dof_damping", joint, 0),))


def armature(joint: str) -> Parameter:
    """The armature of a hinge or slide joint."""
    return Parameter(f"armature of {joint}", (("dof_armature", joint, 0),))


def stiffness(joint: str) -> Parameter:
    """The stiffness of a joint's spring."""
    return Parameter(f"stiffness of {joint}", (("jnt_stiffness", joint, 0),))


def gain(actuator: str) -> Parameter:
    """The gain of a motor."""
    return Parameter(f"gain of {actuator}", (("actuator_gainprm", actuator, 0),))


def servo(actuator: str) -> Parameter:
    """The gain of a position servo: of its control and of its position."""
    return Parameter(f"gain of {actuator}", (("actuator_gainprm", actuator, 0), ("actuator_biasprm", actuator, 1)))


class Record:
    """A recorded motion: positions (n + 1 x nq), velocities (n + 1 x nv, or None when they were not measured) and the
    controls that were applied between them (n x nu). `act` is the first activation (na), known."""

    def __init__(
        self, qpos: npt.ArrayLike, qvel: Optional[npt.ArrayLike] = None, ctrl: Optional[npt.ArrayLike] = None,
        act: Optional[npt.ArrayLike] = None,
    ) -> None:  # fmt: skip
        self.qpos = np.array(_check.numbers("identify.Record", "qpos", qpos))
        if self.qpos.ndim != 2 or len(self.qpos) < 2:
            raise _check.refuse(ValueError, "identify.Record", "qpos", "at least two rows of positions", self.qpos)
        self.steps = len(self.qpos) - 1
        self.qvel = None if qvel is None else np.array(_check.numbers("identify.Record", "qvel", qvel))
        self.ctrl = np.zeros((self.steps, 0)) if ctrl is None else np.array(_check.numbers("identify.Record", "ctrl", ctrl))
        self.act = None if act is None else np.array(_check.numbers("identify.Record", "act", act))
        self.follows = False  # begins where the piece before it ends

    def check(self, model: MjModel) -> None:
        """Raise ValueError where an array has not the shape that the model asks for."""
        for name, value, shape in (
            ("qpos", self.qpos, (self.steps + 1, model.nq)), ("qvel", self.qvel, (self.steps + 1, model.nv)),
            ("ctrl", self.ctrl, (self.steps, model.nu)), ("act", self.act, (model.na,)),
        ):  # fmt: skip
            if value is not None and value.shape != shape:
                raise _check.refuse(ValueError, "identify.fit", f"record.{name}", f"numbers of shape {shape}", value)

    def cut(self, steps: int) -> list["Record"]:
        """Pieces of at most so many steps, each with a first state of its own."""
        if self.act is not None and steps < self.steps:
            raise ValueError("identify.fit: argument window: records with activations cannot be cut")
        pieces = []
        for at in range(0, self.steps, steps):
            end = min(at + steps, self.steps)
            pieces.append(Record(self.qpos[at : end + 1], None if self.qvel is None else self.qvel[at : end + 1], self.ctrl[at:end], self.act))
            pieces[-1].follows = at > 0
        return pieces


class Iteration(NamedTuple):
    """One improvement: what `progress` is called with."""

    error: float  # root mean square of the residuals, in standard deviations
    values: Floats
    damping: float
    seconds: float


class Fit:
    """What was found. `values` are of the first number of each parameter, `low` and `high` the ends of their 95%
    confidence intervals; `noise` is the standard deviation of the residuals of positions and velocities, `trust` the
    weight of each record (or piece of one): less than 1 where the motion could not be followed."""

    def __init__(
        self, model: MjModel, parameters: Sequence[Parameter], places: list[tuple[int, ...]], first: list[Floats],
        factor: Floats, covariance: Floats, noise: tuple[float, float], trace: list[Iteration],
        motions: list[tuple[Record, Floats, Floats]], trust: Floats,
    ) -> None:  # fmt: skip
        self.parameters, self._places, self._first = tuple(parameters), places, first
        self.factor, self.covariance, self.noise, self.trace = factor, covariance, noise, trace
        self.motions, self.trust, self._model = motions, trust, model
        start = np.array([numbers[0] for numbers in first])
        spread = np.minimum(1.96 * np.sqrt(np.diag(covariance)), 100)
        self.values = start * factor
        ends = np.array([start * factor * np.exp(-spread), start * factor * np.exp(spread)])
        self.low, self.high = ends.min(axis=0), ends.max(axis=0)

    def apply(self, model: MjModel) -> None:
        """Put what was found in a model of the same structure, with what mj_setConst makes of it."""
        _set(model, MjData(model), self.parameters, self._places, self._first, self.factor)

    def __str__(self) -> str:
        width = max(len(p.name) for p in self.parameters)
        lines = [f"{'':{width}}      value   95% interval               was"]
        for p, value, low, high, first in zip(self.parameters, self.values, self.low, self.high, self._first):
            lines.append(f"{p.name:{width}}  {value:9.5g}   {low:9.5g} .. {high:<9.5g}  {first[0]:9.5g}")
        doubted = int(np.sum(self.trust < 1))
        if doubted:
            lines.append(f"{doubted} of {len(self.trust)} pieces could not be followed and count less")
        lines.append(f"residuals: positions {self.noise[0]:.3g}, velocities {self.noise[1]:.3g}; {len(self.trace)} iterations")
        return "\n".join(lines)

    def plot(self, path: Union[str, pathlib.Path], most: int = 8) -> None:
        """Measured positions as points, fitted ones as lines, of the first record and up to `most` dofs, as SVG."""
        _check.whole("Fit.plot", "most", most, 1)
        pieces = self.motions[:1] + [m for i, m in enumerate(self.motions[1:]) if all(n[0].follows for n in self.motions[1 : i + 2])]
        tangent = Tangent(self._model)
        fitted, measured = (
            tangent.difference(np.concatenate(rows), self.motions[0][0].qpos[0])
            for rows in ([qpos for _, qpos, _ in pieces], [record.qpos for record, _, _ in pieces])
        )
        names = [self._dof(j) for j in range(self._model.nv)]
        span = np.ptp(measured, axis=0)
        chosen = np.sort(np.argsort(-span)[:most])
        pathlib.Path(path).write_text(_svg(self._model.opt.timestep, measured[:, chosen], fitted[:, chosen], [names[j] for j in chosen]))

    def _dof(self, j: int) -> str:
        joint = self._model.joint(int(self._model.dof_jntid[j]))
        part = j - int(self._model.jnt_dofadr[joint.id])
        return joint.name + (f":{part}" if len(joint.qpos0) > 1 else "") if joint.name else f"dof {j}"


def _svg(step: float, measured: Floats, fitted: Floats, names: list[str]) -> str:
    """A strip for each column, over time."""
    left, wide, high, gap = 120, 600, 70, 18
    n = len(measured)
    total = len(names) * (high + gap) + 50
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{left + wide + 50}' height='{total}' font-family='sans-serif' font-size='11'>",
        "<rect width='100%' height='100%' fill='white'/>",
        f"<text x='{left}' y='16'>positions: measured (points) and fitted (line)</text>",
    ]
    for k, name in enumerate(names):
        top = 28 + k * (high + gap)
        low, span = measured[:, k].min(), max(float(np.ptp(measured[:, k])), 1e-12)
        name = name.replace("&", "&amp;").replace("<", "&lt;")

        def place(i: int, y: float) -> str:
            return f"{left + wide * i / max(n - 1, 1):.1f},{top + high * (1 - min(max((y - low) / span, -0.2), 1.2)):.1f}"

        every = max(1, n // 150)
        dots = "".join("<circle cx='{}' cy='{}' r='2.2'/>".format(*place(i, measured[i, k]).split(",")) for i in range(0, n, every))
        line = " ".join(place(i, fitted[i, k]) for i in range(n))
        parts += [
            f"<rect x='{left}' y='{top}' width='{wide}' height='{high}' fill='none' stroke='#ccc'/>",
            f"<text x='{left - 8}' y='{top + high / 2 + 4}' text-anchor='end'>{name}</text>",
            f"<text x='{left + wide + 3}' y='{top + 9}' font-size='8'>{low + span:.2g}</text>",
            f"<text x='{left + wide + 3}' y='{top + high}' font-size='8'>{low:.2g}</text>",
            f"<g fill='#4a90d9'>{dots}</g><polyline points='{line}' fill='none' stroke='#c33' stroke-width='1.2'/>",
        ]
    parts += [f"<text x='{left}' y='{total - 8}'>0</text>", f"<text x='{left + wide}' y='{total - 8}' text-anchor='end'>{(n - 1) * step:.3g} s</text>"]
    return "\n".join([*parts, "</svg>", ""])


def _array(model: MjModel, field: str) -> npt.NDArray[np.float64]:
    owner, name = (model.opt, field[4:]) if field.startswith("opt.") else (model, field)
    return np.asarray(getattr(owner, name)).reshape(-1)


def _set(
    model: MjModel, data: MjData, parameters: Sequence[Parameter], places: list[tuple[int, ...]], first: list[Floats], factor: Floats
) -> None:
    for p, place, numbers, f in zip(parameters, places, first, factor):
        for (field, _, _), at, number in zip(p.numbers, place, numbers):
            _array(model, field)[at] = f * number
    _sinew.mj_setConst(model, data)


class _Problem:
    """Residuals of all records in standard deviations, by the logarithms of the factors and the first states."""

    def __init__(self, model: MjModel, parameters: Sequence[Parameter], records: list[Record], sigma: tuple[float, float]) -> None:
        self.model, self.parameters, self.records, self.sigma = copy.copy(model), parameters, records, sigma
        self.data, self.tangent = MjData(self.model), Tangent(model)
        self.places = [_sinew._derive_places(model, self.data, p.numbers) for p in parameters]
        self.first = [
            np.array([_array(model, field)[at] for (field, _, _), at in zip(p.numbers, place)]) for p, place in zip(parameters, self.places)
        ]
        for p, numbers in zip(parameters, self.first):
            if not np.all(np.isfinite(numbers)) or numbers[0] == 0:
                raise ValueError(f"identify.fit: {p.name}: its first value is {numbers[0]:g}: expected a guess that is not 0")
        self.pairs = [(copy.copy(model), copy.copy(model)) for _ in parameters]
        self.work = MjData(self.model)

    def start(self) -> list[Floats]:
        """First states: as measured; velocities that were not are differences of positions."""
        states = []
        for record in self.records:
            step = self.model.opt.timestep
            guess = self.tangent.difference(record.qpos[1], record.qpos[0]) / step if record.qvel is None else record.qvel[0]
            states.append(np.concatenate((record.qpos[0], guess)))
        return states

    def set(self, theta: Floats, pairs: bool) -> None:
        """Take these parameters; with `pairs` also models a hair to both sides in each."""
        _set(self.model, self.data, self.parameters, self.places, self.first, np.exp(theta))
        for i, pair in enumerate(self.pairs if pairs else ()):
            for side, changed in zip((-1, 1), pair):
                moved = np.exp(theta + side * _STEP * (np.arange(len(theta)) == i))
                _set(changed, self.work, self.parameters, self.places, self.first, moved)

    def run(self, record: Record, state: Floats, by_state: bool = False, by_parameters: bool = False) -> "_Run":
        """The motion of a record with the present parameters, and slopes of its residuals."""
        m, d, n = self.model, self.data, record.steps
        nq, nv, nx, npar = m.nq, m.nv, 2 * m.nv + m.na, len(self.parameters)
        qpos, qvel = np.zeros((n + 1, nq)), np.zeros((n + 1, nv))
        by_p = np.zeros((n + 1, 2 * nv, npar)) if by_parameters else None
        by_x = np.zeros((n + 1, 2 * nv, 2 * nv)) if by_state else None
        P, X = np.zeros((nx, npar)), np.eye(nx)[:, : 2 * nv]
        low, high = (tuple(pair[side] for pair in self.pairs) for side in (0, 1))
        width, columns = np.full(npar, 2 * _STEP), np.zeros((nx, npar))
        _sinew.mj_resetData(m, d)
        d.qpos[:], d.qvel[:] = state[:nq], state[nq:]
        if record.act is not None:
            d.act[:] = record.act
        for t in range(n + 1):
            qpos[t], qvel[t] = d.qpos, d.qvel
            if by_p is not None:
                by_p[t] = P[: 2 * nv]
            if by_x is not None:
                by_x[t] = X[: 2 * nv]
            if t == n:
                break
            d.ctrl[:] = record.ctrl[t]
            if by_state or by_parameters:
                A = derive.transition(m, d, sensors=False).A
                X = A @ X
            if by_parameters:
                _sinew._derive_over(m, d, low, high, width, self.work, columns)
                P = A @ P + columns
            _sinew.mj_step(m, d)
        far = self.tangent.difference(qpos, record.qpos)
        velocity = None if record.qvel is None else (qvel - record.qvel) / self.sigma[1]
        r = (far / self.sigma[0]).ravel()
        turn = self.tangent.slope(far) / self.sigma[0]

        def rows(by: Optional[Floats]) -> Floats:
            if by is None:
                return np.zeros((0, 0))
            parts = [turn @ by[:, :nv]] + ([] if velocity is None else [by[:, nv:] / self.sigma[1]])
            return np.concatenate([part.reshape(-1, part.shape[2]) for part in parts])

        return _Run(r if velocity is None else np.concatenate((r, velocity.ravel())), rows(by_p), rows(by_x), qpos, qvel)

    def settle(self, record: Record, state: Floats, rounds: int) -> Floats:
        """The first state that fits a record best, with the present parameters."""
        mu, run = 1e-3, self.run(record, state, by_state=True)
        for _ in range(rounds):
            g, H = run.X.T @ run.r, run.X.T @ run.X
            while mu < 1e9:
                there = self.moved(state, -np.asarray(np.linalg.solve(_damped(H, mu), g), np.float64))
                new = self.run(record, there, by_state=True)
                if new.error < run.error:
                    break
                mu *= 10
            else:
                return state
            gained, state, run, mu = run.error - new.error, there, new, max(mu / 10, 1e-12)
            if gained < 1e-4 * run.error:
                break
        return state

    def settle_all(self, states: list[Floats]) -> list[Floats]:
        """First states of all records, each from the last one or from where the record before it ends."""
        found: list[Floats] = []
        end: Optional[Floats] = None
        for record, state in zip(self.records, states):
            chosen = self.settle(record, state, 3)
            run = self.run(record, chosen)
            if record.follows and end is not None:
                other = self.settle(record, end, 3)
                there = self.run(record, other)
                if there.error < run.error:
                    chosen, run = other, there
            found.append(chosen)
            end = np.concatenate((run.qpos[-1], run.qvel[-1]))
        return found

    def moved(self, state: Floats, dx: Floats) -> Floats:
        nq, nv = self.model.nq, self.model.nv
        return np.concatenate((self.tangent.add(state[:nq], dx[:nv]), state[nq:] + dx[nv:]))


class _Run(NamedTuple):
    r: Floats  # residuals in standard deviations
    P: Floats  # their slopes by parameters
    X: Floats  # and by the first state
    qpos: Floats
    qvel: Floats

    @property
    def error(self) -> float:
        total = float(self.r @ self.r)
        return total if np.isfinite(total) else np.inf


class Misfit:
    """The squared residuals of records as a cost for sinew.ray.minimize, by the logarithms of the factors of the
    parameters (0: as in the model), with its gradient. Records begin as they were measured; `window` cuts them.

        cost = identify.Misfit(model, parameters, records, window=50)
        found = sinew.ray.minimize(cost, np.zeros(len(parameters)), spread=0.3, folder="fit")   # found.x: logarithms
    """

    def __init__(
        self, model: MjModel, parameters: Sequence[Parameter], records: Sequence[Record], *,
        window: Optional[int] = None, sigma: tuple[float, float] = (1.0, 1.0),
    ) -> None:  # fmt: skip
        for record in records:
            _check.instance("identify.Misfit", "records", record, Record)
            record.check(model)
        pieces = [p for r in records for p in r.cut(window)] if window is not None else list(records)
        self.known = model, list(parameters), pieces, sigma
        self.problem = _Problem(*self.known)

    def __getstate__(self) -> object:
        return self.known

    def __setstate__(self, known: tuple[MjModel, list[Parameter], list[Record], tuple[float, float]]) -> None:
        self.known, self.problem = known, _Problem(*known)

    def fingerprint(self) -> str:
        """The same for the same model, parameters and records."""
        model, parameters, records, sigma = self.known
        motions = [(r.qpos.tobytes(), None if r.qvel is None else r.qvel.tobytes(), r.ctrl.tobytes()) for r in records]
        return hashlib.sha256(pickle.dumps((pickle.dumps(model), parameters, motions, sigma))).hexdigest()

    def __call__(self, x: Floats, random: object = None) -> tuple[float, Floats]:
        self.problem.set(np.asarray(x, np.float64), True)
        runs = [self.problem.run(r, s, by_parameters=True) for r, s in zip(self.problem.records, self.problem.start())]
        return sum(run.error for run in runs), np.asarray(sum(2 * run.P.T @ run.r for run in runs), np.float64)


def _damped(H: Floats, mu: float) -> Floats:
    diagonal = np.diag(H)
    return H + np.diag(mu * diagonal + 1e-12 * max(float(diagonal.max(initial=0)), 1e-300))


def fit(
    model: MjModel,
    parameters: Sequence[Parameter],
    records: Sequence[Record],
    *,
    window: Optional[int] = None,
    sigma: Optional[tuple[float, float]] = None,
    iterations: int = 30,
    tolerance: float = 1e-4,
    progress: Optional[Callable[[Iteration], object]] = None,
) -> Fit:
    """Find the parameters with which the model moves as it was recorded: least squares by Gauss-Newton with damping,
    over the logarithms of the parameters (they keep their signs) and the first state of each record.

    `window` cuts records in pieces of so many steps, each with a first state of its own: long motions through contact
    are too sensitive to fit as a whole. `sigma` are the standard deviations of measured positions and velocities, found
    from the residuals when left out. Intervals are those of the linearized problem. The model stays as it is.
    """
    _check.instance("identify.fit", "model", model, MjModel)
    chosen = list(parameters)
    if not chosen:
        raise ValueError("identify.fit: argument parameters: expected at least one")
    for record in records:
        _check.instance("identify.fit", "records", record, Record)
        record.check(model)
    if not records:
        raise ValueError("identify.fit: argument records: expected at least one")
    pieces = [p for r in records for p in r.cut(_check.whole("identify.fit", "window", window, 1))] if window is not None else list(records)
    began, n = time.perf_counter(), len(chosen)
    problem = _Problem(model, chosen, pieces, sigma or (1.0, 1.0))
    theta, states, mu, trace = np.zeros(n), problem.start(), 1e-3, []
    counts = np.array([(record.steps + 1) * (1 + (record.qvel is not None)) * model.nv for record in pieces])
    problem.set(theta, False)
    if sigma is None:  # weights from the residuals themselves
        problem.sigma = _noise(problem, [problem.run(record, x) for record, x in zip(pieces, states)])
    for _ in range(_check.whole("identify.fit", "iterations", iterations, 1)):
        problem.set(theta, True)
        states = problem.settle_all(states)
        runs = [problem.run(record, x, True, True) for record, x in zip(pieces, states)]
        if sigma is None:
            old, problem.sigma = problem.sigma, _noise(problem, runs)
            runs = [_weighed(problem, record, run, old) for record, run in zip(pieces, runs)]
        trust = _trust(runs)
        error, moved = float(trust @ [run.error for run in runs]), 0.0
        while mu < 1e12:
            step, steps = _solve(runs, trust, mu, n)
            if np.abs(step).max() < 3:
                problem.set(theta + step, False)
                new = [problem.moved(x, dx) for x, dx in zip(states, steps)]
                ends = [problem.run(record, x) for record, x in zip(pieces, new)]
                # a record whose first state does not follow the linear model finds its own
                for i, (record, run, end) in enumerate(zip(pieces, runs, ends)):
                    if end.error > 1.1 * run.error:
                        new[i] = problem.settle(record, states[i], 3)
                        ends[i] = problem.run(record, new[i])
                total = float(trust @ [end.error for end in ends])
                if total <= error:
                    theta, states, mu, moved, error = theta + step, new, max(1e-9, mu / 10), float(np.abs(step).max()), total
                    break
            mu *= 10
        first = np.array([numbers[0] for numbers in problem.first])
        trace.append(Iteration(float(np.sqrt(error / (trust @ counts))), first * np.exp(theta), mu, time.perf_counter() - began))
        if progress is not None:
            progress(trace[-1])
        if moved < tolerance:
            break
    problem.set(theta, True)
    runs = [problem.run(record, x, True, True) for record, x in zip(pieces, states)]
    trust = _trust(runs)
    noise = _noise(problem, runs)
    return Fit(
        model, chosen, problem.places, problem.first, np.exp(theta), _covariance(runs, trust, n, sigma is not None), noise, trace,
        [(record, run.qpos, run.qvel) for record, run in zip(pieces, runs)], trust,
    )  # fmt: skip


def _trust(runs: list[_Run]) -> Floats:
    """Weights of records, less where residuals are far above the usual ones: a contact that was missed."""
    size = np.array([run.error / len(run.r) for run in runs])
    usual = 4 * float(np.quantile(size, 0.3))
    return np.where(size > usual, (usual / np.maximum(size, 1e-300)) ** 2, 1.0)


def _weighed(problem: _Problem, record: Record, run: _Run, old: tuple[float, float]) -> _Run:
    """The same with other standard deviations."""
    positions = (record.steps + 1) * problem.model.nv
    scale = np.full(len(run.r), old[1] / problem.sigma[1])
    scale[:positions] = old[0] / problem.sigma[0]
    return run._replace(r=run.r * scale, P=run.P * scale[:, None], X=run.X * scale[:, None])


def _noise(problem: _Problem, runs: list[_Run]) -> tuple[float, float]:
    """Standard deviations of the residuals of positions and of velocities, of the usual record; 1 for what was not
    measured."""
    found = []
    for k in (0, 1):
        sizes = []
        for record, run in zip(problem.records, runs):
            cut = (record.steps + 1) * problem.model.nv
            part = run.r[cut:] if k else run.r[:cut]
            if len(part):
                sizes.append(float(np.mean(part**2)))
        found.append(max(1e-12, float(np.sqrt(np.quantile(sizes, 0.5))) * problem.sigma[k]) if sizes else 1.0)
    return (found[0], found[1])


def _reduced(runs: list[_Run], trust: Floats, mu: float, n: int) -> tuple[Floats, Floats, list[tuple[Floats, Floats]]]:
    """Normal equations of the parameters, first states eliminated; and how these follow: x = a - b p."""
    H, g, back = np.zeros((n, n)), np.zeros(n), []
    for run, weight in zip(runs, trust):
        XP = run.X.T @ run.P
        both = np.asarray(np.linalg.solve(_damped(run.X.T @ run.X, mu), np.column_stack((-run.X.T @ run.r, XP))), np.float64)
        a, b = both[:, 0], both[:, 1:]
        H += weight * (run.P.T @ run.P - XP.T @ b)
        g += weight * (run.P.T @ run.r + XP.T @ a)
        back.append((a, b))
    return H, g, back


def _solve(runs: list[_Run], trust: Floats, mu: float, n: int) -> tuple[Floats, list[Floats]]:
    H, g, back = _reduced(runs, trust, mu, n)
    p = -np.asarray(np.linalg.lstsq(_damped(H, mu), g, rcond=1e-14)[0], np.float64)
    return p, [a - b @ p for a, b in back]


def _covariance(runs: list[_Run], trust: Floats, n: int, known: bool) -> Floats:
    """Of the logarithms of the parameters; scaled by the residuals where the noise is not known."""
    H, _, _ = _reduced(runs, trust, 0.0, n)
    count = float(trust @ [len(run.r) - run.X.shape[1] for run in runs]) - n
    error = float(trust @ [run.error for run in runs]) / max(count, 1.0)
    values, vectors = np.linalg.eigh(0.5 * (H + H.T))
    # what the motion does not show has no bound
    inverse = np.where(values > 1e-12 * max(float(values.max()), 1e-300), 1 / np.maximum(values, 1e-300), 1e6)
    return np.asarray((vectors * inverse) @ vectors.T * (1.0 if known else error))
