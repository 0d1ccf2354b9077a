"""Minimizing a cost whose evaluations run on many processes: by a population (CMA-ES) or along gradients (BFGS).

A method asks for points and is told their costs. All points of an iteration are independent tasks of a sweep, so they
are worked off by any number of workers with the same result, and a search that was stopped goes on where it was.
"""

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check

Floats = npt.NDArray[np.float64]
Cost = Callable[[Floats, np.random.Generator], Union[float, tuple[float, npt.ArrayLike]]]


class Iteration(NamedTuple):
    """What is known after an iteration: the lowest cost so far, the width of the search, evaluations that failed."""

    cost: float
    width: float
    bad: int
    seconds: float


class Found(NamedTuple):
    """Where a search ended: the best point, its cost, and how it got there."""

    x: Floats
    cost: float
    iterations: list[Iteration]
    evaluations: int


class Evolution:
    """Covariance matrix adaptation (Hansen's tutorial, 2016): samples of a normal distribution that learns its shape.

        x_k = m + sigma B D z_k,   m <- sum of the better half, weighted
        C  <- (1 - c1 - cmu) C + c1 p p' + cmu sum w_k y_k y_k'   with p the path of the mean

    Coordinates are in units of `spread`.
    """

    gradient = False

    def __init__(self, start: Floats, spread: Floats, population: Optional[int], seed: int) -> None:
        n = len(start)
        self.n, self.seed, self.start, self.spread = n, seed, start, spread
        self.size = population or 4 + int(3 * np.log(n))
        weights = np.log((self.size + 1) / 2) - np.log(np.arange(1, self.size // 2 + 1))
        self.weights = weights / weights.sum()
        self.few = 1 / float(self.weights @ self.weights)  # how many samples the mean is worth
        self.c_path = (4 + self.few / n) / (n + 4 + 2 * self.few / n)
        self.c_sigma = (self.few + 2) / (n + self.few + 5)
        self.c_one = 2 / ((n + 1.3) ** 2 + self.few)
        self.c_many = min(1 - self.c_one, 2 * (self.few - 2 + 1 / self.few) / ((n + 2) ** 2 + self.few))
        self.damping = 1 + 2 * max(0.0, np.sqrt((self.few - 1) / (n + 1)) - 1) + self.c_sigma
        self.usual = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # length of a standard normal vector
        self.mean, self.sigma, self.C = np.zeros(n), 1.0, np.eye(n)
        self.path, self.path_sigma, self.round = np.zeros(n), np.zeros(n), 0

    def ask(self) -> Floats:
        """Points to be evaluated in this round, one a row."""
        random = np.random.Generator(np.random.Philox(key=[self.seed, self.round]))
        values, self.B = np.linalg.eigh(self.C)
        self.D = np.sqrt(np.maximum(values, 1e-20))
        self.y = (random.standard_normal((self.size, self.n)) * self.D) @ self.B.T
        return np.asarray(self.start + self.spread * (self.mean + self.sigma * self.y), np.float64)

    def tell(self, costs: Floats, _: Any) -> None:
        """Learn from the costs of the points that ask gave."""
        y = self.y[np.argsort(costs, kind="stable")[: len(self.weights)]]
        step = self.weights @ y
        self.mean = self.mean + self.sigma * step
        self.round += 1
        cs, cc = self.c_sigma, self.c_path
        self.path_sigma = (1 - cs) * self.path_sigma + np.sqrt(cs * (2 - cs) * self.few) * (self.B @ ((self.B.T @ step) / self.D))
        length = float(np.linalg.norm(self.path_sigma))
        # the path stalls while sigma grows fast, lest the shape be learned from the growth
        goes = length / np.sqrt(1 - (1 - cs) ** (2 * self.round)) < (1.4 + 2 / (self.n + 1)) * self.usual
        self.path = (1 - cc) * self.path + goes * np.sqrt(cc * (2 - cc) * self.few) * step
        old = (1 - self.c_one - self.c_many + (1 - goes) * self.c_one * cc * (2 - cc)) * self.C
        self.C = old + self.c_one * np.outer(self.path, self.path) + self.c_many * (y.T * self.weights) @ y
        self.sigma *= float(np.exp(min(1.0, cs / self.damping * (length / self.usual - 1))))

    @property
    def width(self) -> float:
        """Standard deviation of the points along the widest parameter."""
        return self.sigma * float(np.sqrt(np.diag(self.C).max()))


class Descent:
    """BFGS in units of `spread`. The line search is parallel: an iteration evaluates x + t p for many t at once."""

    gradient = True

    def __init__(self, start: Floats, spread: Floats, population: Optional[int], seed: int) -> None:
        self.start, self.spread, self.x = start, spread, np.zeros(len(start))
        self.steps = 2.0 ** (1 - np.arange(population or 8))
        self.H, self.cost, self.g, self.width = np.eye(len(start)), np.inf, np.zeros(0), 1.0
        self.reach = 1.0

    def ask(self) -> Floats:
        """Points to be evaluated in this round: the start, then points along a line."""
        if not len(self.g):
            self.at = self.x[None]
        else:
            self.p = -self.H @ self.g
            if self.p @ self.g >= 0:
                self.H, self.p = np.eye(len(self.g)), -self.g
            longest = float(np.abs(self.p).max())
            if longest > 1:  # no step leaves the spread by far
                self.p = self.p / longest
            self.at = self.x + self.reach * self.steps[:, None] * self.p
        return self.start + self.spread * self.at

    def tell(self, costs: Floats, gradients: Any) -> None:
        """Go to the best of the points that ask gave, and learn from its gradient."""
        best = int(np.argmin(costs))
        if not len(self.g):
            if not np.isfinite(costs[0]):
                raise ValueError("minimize: argument start: the cost there could not be evaluated")
            self.cost, self.g = float(costs[0]), self.spread * gradients[0]
            return
        slope = float(self.g @ (self.at[best] - self.x))
        if not costs[best] <= self.cost + 1e-4 * slope:  # Armijo: shorter steps next time
            self.reach *= float(self.steps[-1]) / 2
            self.width = self.reach * float(np.abs(self.p).max())
            return
        s, y = self.at[best] - self.x, self.spread * gradients[best] - self.g
        if s @ y > 1e-12 * np.linalg.norm(s) * np.linalg.norm(y):
            if np.array_equal(self.H, np.eye(len(s))):  # the first: a length for the identity
                self.H = np.eye(len(s)) * (s @ y) / (y @ y)
            V = np.eye(len(s)) - np.outer(s, y) / (s @ y)
            self.H = V @ self.H @ V.T + np.outer(s, s) / (s @ y)
        self.x, self.cost, self.g, self.reach = self.at[best], float(costs[best]), self.g + y, 1.0
        self.width = float(np.abs(s).max())


METHODS: dict[str, Any] = {"population": Evolution, "gradient": Descent}


class Evaluate:
    """A cost as the task of a sweep. Points of an iteration meet the same scenarios, with the same random numbers."""

    def __init__(self, function: Cost, gradient: bool, seed: int) -> None:
        self.function, self.gradient, self.seed = function, gradient, seed

    def __call__(self, parameters: dict[str, Any], _: np.random.Generator) -> dict[str, Any]:
        random = np.random.Generator(np.random.Philox(key=[self.seed, parameters["scenario"]]))
        value = self.function(np.array(parameters["x"], np.float64), random)
        if not self.gradient:
            value = value[0] if isinstance(value, tuple) else value
            return {"cost": float(value)}
        if not isinstance(value, tuple) or len(value) != 2:
            raise TypeError("with method='gradient' the cost returns a pair: cost, gradient")
        gradient = np.asarray(value[1], np.float64)
        if gradient.shape != (len(parameters["x"]),):
            raise ValueError(f"the gradient has shape {gradient.shape}, expected ({len(parameters['x'])},)")
        return {"cost": float(value[0]), "gradient": gradient}


def _costs(rows: list[dict[str, Any]], points: int, scenarios: int) -> tuple[Floats, Any, int]:
    """Means over scenarios; infinite where one failed."""
    costs = np.array([np.inf if row["reason"] is not None or row["cost"] is None else row["cost"] for row in rows], np.float64)
    costs = np.where(np.isfinite(costs), costs, np.inf).reshape(points, scenarios)
    gradients = None
    if any(row.get("gradient") for row in rows):
        nothing = np.zeros(len(rows[0]["x"]))
        gradients = np.array([row["gradient"] if row.get("gradient") else nothing for row in rows]).reshape(points, scenarios, -1).mean(axis=1)
    return costs.mean(axis=1), gradients, int(np.isinf(costs).sum())


def search(
    sweep: Callable[[Any, list[dict[str, Any]], str], Any],
    cost: Cost,
    start: npt.ArrayLike,
    folder: str,
    *,
    method: str,
    spread: npt.ArrayLike,
    population: Optional[int],
    scenarios: int,
    iterations: int,
    tolerance: float,
    seed: int,
    progress: bool,
) -> Found:
    """The loop of sinew.ray.minimize; `sweep` works the tasks of an iteration off."""
    if method not in METHODS:
        raise ValueError(f"minimize: argument method: expected one of {', '.join(METHODS)}, found {method!r}")
    first = np.array(start, np.float64)
    if first.ndim != 1 or not first.size or not np.isfinite(first).all():
        raise ValueError(f"minimize: argument start: expected a vector of finite numbers, found shape {first.shape}")
    wide = np.broadcast_to(np.asarray(spread, np.float64), first.shape)
    if not (np.isfinite(wide) & (wide > 0)).all():
        raise ValueError("minimize: argument spread: expected positive numbers")
    _check.whole("minimize", "scenarios", scenarios, 1)
    if population is not None:
        _check.whole("minimize", "population", population, 2)
    way = METHODS[method](first, wide, population, _check.whole("minimize", "seed", seed, 0))
    task = Evaluate(cost, way.gradient, seed)
    best, trace, evaluations, begin = (np.inf, first), [], 0, time.perf_counter()
    for k in range(_check.whole("minimize", "iterations", iterations, 1)):
        points = way.ask()
        tasks = [{"x": x.tolist(), "scenario": s} for x in points for s in range(scenarios)]
        rows = sweep(task, tasks, f"{folder}/{k:05d}").table().to_pylist()
        costs, gradients, bad = _costs(rows, len(points), scenarios)
        if way.gradient and gradients is None and np.isfinite(costs).any():
            raise ValueError("minimize: no gradient came back")
        if k == 0 and bad == len(rows):
            raise ValueError(f"minimize: every evaluation failed, the first with: {rows[0]['reason'] or 'a cost that is not finite'}")
        way.tell(costs, gradients)
        evaluations += len(rows)
        lowest = int(np.argmin(costs))
        if costs[lowest] < best[0]:
            best = float(costs[lowest]), points[lowest]
        trace.append(Iteration(best[0], way.width, bad, time.perf_counter() - begin))
        if progress:
            print(f"iteration {k + 1}/{iterations}: cost {best[0]:.6g}, width {way.width:.2e}, {bad} bad, {trace[-1].seconds:.0f} s", file=sys.stderr, flush=True)
        if way.width < tolerance:
            break
    return Found(best[1], best[0], trace, evaluations)
