"""Least squares with bounds: minima that are known."""

import io

import numpy as np
import pytest

from sinew import minimize


def rosenbrock(x):
    return np.stack([1 - x[0], 10 * (x[1] - x[0] ** 2)])


def solve(*args, **kwargs):
    return minimize.least_squares(*args, output=io.StringIO(), **kwargs)


def test_minimum():
    x, trace = solve([-1.2, 1.0], rosenbrock)
    np.testing.assert_allclose(x, [1, 1], atol=1e-8)
    objectives = [log.objective for log in trace]
    assert objectives == sorted(objectives, reverse=True) and len(trace) < 60


def test_linear_in_two_steps():
    a, b = np.random.default_rng(0).normal(size=(2, 8, 3))
    b = b[:, :1]
    x, trace = solve(np.zeros(3), lambda x: a @ x - b)
    np.testing.assert_allclose(x, np.linalg.lstsq(a, b, rcond=None)[0].ravel(), atol=1e-7)
    assert len(trace) <= 4


@pytest.mark.parametrize("bounds, expected", [([[-2, -2], [0.5, 2]], [0.5, 0.25]), ([[-2, 2], [0.5, 3]], [0.5, 2])])
def test_bounds(bounds, expected):
    x, trace = solve([0.0, 0.0], rosenbrock, bounds=bounds, verbose=minimize.Verbosity.FULLITER)
    np.testing.assert_allclose(x, expected, atol=1e-6)
    assert trace[-1].grad.shape == (2, 1)


def test_wrong_jacobian():
    with pytest.raises(ValueError, match="does not match"):
        solve([0.0, 0.0], rosenbrock, jacobian=lambda x, r: np.eye(2), check_derivatives=True)
    with pytest.raises(ValueError, match="pair"):
        solve([0.0, 0.0], rosenbrock, bounds=[[0, 0]])
