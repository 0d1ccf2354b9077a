"""Nonlinear least squares with bounds.

    x, trace = minimize.least_squares(x0, residual, bounds=[lower, upper])

minimizes norm(residual(x)), by default r'r / 2. Every iteration solves

    min_dx  g'dx + dx'(H + mu I)dx / 2   with   lower <= x + dx <= upper

where g and H are gradient and Gauss-Newton Hessian, and mu grows while a step makes things worse.
"""

import abc
import dataclasses
import enum
import sys
from collections.abc import Callable, Sequence
from typing import Any, Optional, TextIO, Union

import numpy as np
import numpy.typing as npt

from . import _check, _sinew

Floats = npt.NDArray[np.float64]
Residual = Callable[[Floats], Floats]


class Verbosity(enum.Enum):
    """How much least_squares prints: nothing, the end, a line for each iteration, all of it."""

    SILENT = 0
    FINAL = 1
    ITER = 2
    FULLITER = 3


class Status(enum.Enum):
    """Why least_squares stopped."""

    FACTORIZATION_FAILED = enum.auto()
    NO_IMPROVEMENT = enum.auto()
    MAX_ITER = enum.auto()
    DX_TOL = enum.auto()
    G_TOL = enum.auto()


_WHY = {
    Status.FACTORIZATION_FAILED: "the Hessian could not be factorized at the largest regularizer",
    Status.NO_IMPROVEMENT: "no step improves the objective at the largest regularizer",
    Status.MAX_ITER: "maximum iterations reached",
    Status.DX_TOL: "norm(dx) < tol",
    Status.G_TOL: "norm(gradient) < tol",
}


@dataclasses.dataclass(frozen=True)
class IterLog:
    """One iteration: where it began, what it gained; with FULLITER also residual, Jacobian, gradient and step."""

    candidate: Floats
    objective: float
    reduction: float
    regularizer: float
    residual: Optional[Floats] = None
    jacobian: Optional[Floats] = None
    grad: Optional[Floats] = None
    step: Optional[Floats] = None


class Norm(abc.ABC):
    """How large a residual is."""

    @abc.abstractmethod
    def value(self, r: Floats) -> float:
        """The norm of r."""

    @abc.abstractmethod
    def grad_hess(self, r: Floats, proj: Floats) -> tuple[Floats, Floats]:
        """proj' g and proj' H proj, with g and H the gradient and Hessian of the norm at r."""


class Quadratic(Norm):
    """r'r / 2."""

    def value(self, r: Floats) -> float:
        """r'r / 2."""
        return 0.5 * float(np.vdot(r, r))

    def grad_hess(self, r: Floats, proj: Floats) -> tuple[Floats, Floats]:
        """proj' r and proj' proj."""
        return proj.T @ r, proj.T @ proj


def jacobian_fd(
    residual: Residual, x: Floats, r: Floats, eps: float, n_res: int, bounds: Optional[Sequence[Floats]] = None,
) -> tuple[Floats, int]:
    """The Jacobian by one-sided differences, all points in one call; a step at the upper bound goes down."""
    x = x.reshape(-1, 1)
    step = np.full(x.size, eps)
    if bounds is not None:
        step[x.ravel() + step > np.ravel(bounds[1])] *= -1
    moved = x + np.diag(step)
    step = np.diag(moved) - x.ravel()  # what the sum really added
    return (residual(moved) - r.reshape(-1, 1)) / step, n_res + x.size


def _matches(given: Floats, found: Floats, eps: float) -> bool:
    return bool(np.all(np.abs(given - found) <= np.sqrt(eps) * (1 + np.abs(found))))


def check_jacobian(
    residual: Residual, x: Floats, r: Floats, jac: Floats, eps: float, n_res: int,
    bounds: Optional[Sequence[Floats]] = None, output: Optional[TextIO] = None, name: Optional[str] = "Jacobian",
) -> int:
    """Compare a Jacobian with finite differences: ValueError where it differs."""
    found, n_res = jacobian_fd(residual, x, r, eps, n_res, bounds)
    if not _matches(jac, found, eps):
        raise ValueError(f"User-provided {name} does not match finite differences: by {np.max(np.abs(jac - found)):.2g}")
    print(f"User-provided {name} matches finite differences.", file=output)
    return n_res


def check_norm(r: Floats, norm: Norm, eps: float, output: Optional[TextIO] = None) -> None:
    """Compare gradient and Hessian of a norm with finite differences: ValueError where they differ."""
    n, one = r.size, np.eye(r.size)
    grad, hess = norm.grad_hess(r, one)

    def value(points: Floats) -> Floats:
        return np.array([[norm.value(points[:, [k]]) for k in range(points.shape[1])]])

    def gradient(points: Floats) -> Floats:
        return np.hstack([norm.grad_hess(points[:, [k]], one)[0].reshape(n, 1) for k in range(points.shape[1])])

    slope, _ = jacobian_fd(value, r, np.array([[norm.value(r)]]), eps, 0)
    if not _matches(grad.reshape(1, n), slope, eps):
        raise ValueError("User-provided norm gradient does not match finite differences")
    print("User-provided norm gradient matches finite differences.", file=output)
    if not np.allclose(hess, hess.T, rtol=1e-12, atol=1e-12):
        raise ValueError("User-provided norm Hessian is not symmetric")
    if np.linalg.eigvalsh(hess)[0] < -np.sqrt(eps):
        raise ValueError("User-provided norm Hessian is not positive definite")
    bend, _ = jacobian_fd(gradient, r, grad.reshape(n, 1), eps, 0)
    if not _matches(hess, bend, eps):
        raise ValueError("User-provided norm Hessian does not match finite differences")
    print("User-provided norm Hessian matches finite differences.", file=output)


def _checked_bounds(bounds: Optional[Sequence[Any]], n: int) -> Optional[list[Floats]]:
    if bounds is None:
        return None
    if len(bounds) != 2:
        raise ValueError("bounds are a pair: lower and upper")
    lower, upper = (np.array(b, np.float64).ravel() for b in bounds)
    if lower.size != n or upper.size != n:
        raise ValueError(f"bounds: expected {n} numbers each, found {lower.size} and {upper.size}")
    if not np.all(np.isfinite(lower)) or not np.all(np.isfinite(upper)) or np.any(lower >= upper):
        raise ValueError("bounds must be finite, each lower one below its upper one")
    return [lower, upper]


def _step(hess: Floats, grad: Floats, mu: float, x: Floats, bounds: Optional[list[Floats]]) -> Optional[Floats]:
    """The minimum of the regularized quadratic model inside the bounds; None when it has none."""
    n = x.size
    regular = np.ascontiguousarray(hess + mu * np.eye(n))
    if bounds is None:
        try:
            return -np.linalg.solve(np.linalg.cholesky(regular).T, np.linalg.solve(np.linalg.cholesky(regular), grad))
        except np.linalg.LinAlgError:
            return None
    dx, factor, index = np.zeros(n), np.zeros((n, n + 7)), np.zeros(n, np.int32)
    free = _sinew.mju_boxQP(dx, factor, index, regular, grad, bounds[0] - x, bounds[1] - x)
    return None if free < 0 else dx


def least_squares(
    x0: npt.ArrayLike,
    residual: Residual,
    bounds: Optional[Sequence[Any]] = None,
    jacobian: Optional[Callable[[Floats, Floats], Floats]] = None,
    norm: Norm = Quadratic(),
    eps: float = float(np.finfo(np.float64).eps ** 0.5),
    mu_min: float = 1e-6,
    mu_max: float = 1e8,
    mu_factor: float = 10**0.1,
    xtol: float = 1e-8,
    gtol: float = 1e-8,
    max_iter: int = 100,
    verbose: Union[Verbosity, int] = Verbosity.ITER,
    output: Optional[TextIO] = None,
    iter_callback: Optional[Callable[[list[IterLog]], None]] = None,
    check_derivatives: bool = False,
) -> tuple[Floats, list[IterLog]]:
    """Minimize norm(residual(x)) from x0 on; the best x, and a log of the iterations.

    residual takes points as columns (n x k) and gives residuals as columns; without `jacobian` it is
    differentiated by differences of `eps`. The regularizer stays between mu_min and mu_max (below, it
    is 0) and changes by mu_factor. Ends when the step is shorter than xtol or the gradient (of what is
    free to move) than gtol.
    """
    verbose = Verbosity(verbose)
    start = _check.numbers("least_squares", "x0", x0)
    if not callable(residual):
        raise _check.refuse(TypeError, "least_squares", "residual", "a function", residual)
    shape = start.shape
    x: Floats = np.array(start).ravel()
    n = x.size
    box = _checked_bounds(bounds, n)
    if box is not None:
        x = np.clip(x, box[0], box[1])
    out = output or sys.stdout

    def say(level: Verbosity, text: str) -> None:
        if verbose.value >= level.value:
            print(text, file=out)

    def at(point: Floats) -> tuple[Floats, float]:
        r = np.asarray(residual(point.reshape(n, 1)), np.float64).reshape(-1, 1)
        return r, float(norm.value(r))

    r, y = at(x)
    n_res, mu, trace, status = 1, 0.0, [], Status.MAX_ITER
    down = 1.0  # changes of mu in one direction get larger, up to ten factors at once
    if check_derivatives and not isinstance(norm, Quadratic):
        check_norm(r, norm, eps, output=out)
    for iteration in range(max_iter):
        if jacobian is None:
            jac, n_res = jacobian_fd(residual, x, r, eps, n_res, box)
        else:
            jac = np.asarray(jacobian(x.reshape(n, 1), r), np.float64)
            if check_derivatives and iteration == 0:
                n_res = check_jacobian(residual, x, r, jac, eps, n_res, box, output=out)
        grad, hess = norm.grad_hess(r, jac)
        grad = grad.ravel()
        held = np.zeros(n, bool)
        if box is not None:
            held = ((x <= box[0]) & (grad > 0)) | ((x >= box[1]) & (grad < 0))
        dx, reduction, why = np.zeros(n), 0.0, None
        if np.linalg.norm(grad[~held]) < gtol:
            why = Status.G_TOL
        up, better = 1.0, (x, r, y)
        while why is None:
            step = _step(hess, grad, mu, x, box)
            if step is not None:
                dx = step
                there = x + dx if box is None else np.clip(x + dx, box[0], box[1])
                r_new, y_new = at(there)
                n_res += 1
                reduction = y - y_new
                expected = -float(grad @ dx + 0.5 * dx @ hess @ dx)
                if reduction > 0:
                    better = (there, r_new, y_new)
                    ratio = reduction / expected if expected > 0 else 0.0
                    if ratio > 0.75:
                        mu, down = mu / mu_factor**down, min(10.0, 2 * down)
                        mu = mu if mu > mu_min else 0.0
                    elif ratio < 0.25:
                        mu, down = max(mu_min, mu * mu_factor), 1.0
                    break
                if np.linalg.norm(dx) < xtol:
                    why, reduction = Status.DX_TOL, 0.0
                    break
            if mu >= mu_max:
                why, reduction = Status.FACTORIZATION_FAILED if step is None else Status.NO_IMPROVEMENT, 0.0
                break
            mu, up, down = min(mu_max, max(mu_min, mu) * mu_factor**up), min(10.0, 2 * up), 1.0
        full = verbose is Verbosity.FULLITER
        trace.append(IterLog(x.copy(), y, reduction, mu, *((r, jac, grad.reshape(-1, 1), dx) if full else ())))
        say(Verbosity.ITER, f"iter {iteration:3d}  y {y:.4g}  log10(mu) {np.log10(mu) if mu else -np.inf:5.1f}  "
            f"reduction {reduction:.2g}  |dx| {np.linalg.norm(dx):.2g}  |g| {np.linalg.norm(grad[~held]):.2g}")
        if iter_callback is not None:
            iter_callback(trace)
        if why is None and np.linalg.norm(better[0] - x) < xtol:
            why = Status.DX_TOL
        x, r, y = better
        if why is not None:
            status = why
            break
    exact = ", exact minimum found" if y == 0 else ""
    say(Verbosity.FINAL, f"Terminated after {len(trace)} iterations: {_WHY[status]}{exact}. y {y:.4g}, residuals evaluated {n_res}")
    return x.reshape(shape), trace
