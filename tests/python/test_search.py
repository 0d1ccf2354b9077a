"""sinew.ray.minimize in this process: both methods find minima, failures cost one evaluation, a search goes on."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")

import sinew
from sinew import derive, identify
from sinew.ray import minimize


def valley(x, random):
    """Rosenbrock's function, with a region where it cannot be evaluated."""
    if x[0] < -1.9:
        raise RuntimeError("outside")
    return float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)


def valley_slope(x, random):
    slope = [-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)]
    return valley(x, random), slope


def noisy(x, random):
    return float(np.sum((x - random.normal(1, 0.1, len(x))) ** 2))


def here(folder, cost, start, **options):
    return minimize(cost, start, folder=str(folder), workers=0, chunk=1000, progress=False, **options)


def test_population(tmp_path):
    found = here(tmp_path, valley, [-1.5, 1.5], spread=0.5, population=12, iterations=150, seed=3)
    assert found.cost < 1e-10 and np.abs(found.x - 1).max() < 1e-4
    assert sum(step.bad for step in found.iterations) > 0  # points outside were tried
    again = here(tmp_path, valley, [-1.5, 1.5], spread=0.5, population=12, iterations=150, seed=3)
    assert again.x.tobytes() == found.x.tobytes()


def test_gradient(tmp_path):
    found = here(tmp_path, valley_slope, [-1.5, 1.5], method="gradient", iterations=60)
    assert found.cost < 1e-12 and len(found.iterations) < 45


def test_scenarios(tmp_path):
    found = here(tmp_path, noisy, [0.0, 0.0, 0.0], scenarios=4, iterations=80)
    generators = [np.random.Generator(np.random.Philox(key=[0, k])) for k in range(4)]
    wanted = np.mean([g.normal(1, 0.1, 3) for g in generators], axis=0)
    assert np.abs(found.x - wanted).max() < 1e-4  # every point met the same four


def test_wrong(tmp_path):
    for options, words in [
        ({"method": "magic"}, "population, gradient"), ({"spread": -1}, "positive"), ({"population": 1}, "population"),
        ({"scenarios": 0}, "scenarios"), ({"iterations": 0}, "iterations"),
    ]:  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=words):
            here(tmp_path / "a", valley, [0.0, 0.0], **options)
    with pytest.raises(ValueError, match="finite"):
        here(tmp_path / "b", valley, [np.nan])
    with pytest.raises(ValueError, match="every evaluation failed.*outside"):
        here(tmp_path / "c", valley, [-9.0, 0.0], spread=1e-3)
    with pytest.raises(ValueError, match="a pair"):
        here(tmp_path / "d", valley, [0.0, 0.0], method="gradient")


PENDULUM = """<mujoco><option timestep="0.01"/><worldbody><body name="rod"><joint name="j" axis="0 1 0" damping="0.05"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5"/></body></worldbody>
<actuator><motor joint="j"/></actuator></mujoco>"""


def lift(x, random):
    """Hold the pendulum level after half a second: 50 controls, the gradient in reverse through the steps."""
    model = sinew.MjModel.from_xml_string(PENDULUM)
    data = sinew.MjData(model)
    data.qpos[0] = random.uniform(-0.01, 0.01)
    ahead = sinew.MjData(model)
    ahead.qpos[:] = data.qpos
    cost, by_state = 0.0, np.zeros((len(x), 2))
    for k, u in enumerate(x):
        ahead.ctrl[0] = u
        sinew.mj_step(model, ahead)
        cost += 1e-3 * u * u
    far = np.array([ahead.qpos[0] - np.pi / 2, 0.1 * ahead.qvel[0]])
    by_state[-1] = 2 * far * [1, 0.1]
    gradient = derive.rollout_vjp(model, data, x[:, None], by_state)
    return cost + float(far @ far), np.asarray(gradient[1])[:, 0] + 2e-3 * x


def test_trajectory(tmp_path):
    found = here(tmp_path, lift, np.zeros(50), method="gradient", spread=1.0, scenarios=2, iterations=40, tolerance=1e-5)
    assert found.cost < 0.05 * found.iterations[0].cost


@pytest.mark.parametrize("method", ["gradient", "population"])
def test_identification(tmp_path, method):
    """The damping and mass that a motion was made with, from a guess that is off by a third."""
    truth = sinew.MjModel.from_xml_string(PENDULUM.replace('type="capsule"', 'type="capsule" mass="0.7"'))
    data = sinew.MjData(truth)
    controls = 0.5 * np.sin(np.arange(120) / 9)[:, None]
    motion = [(data.qpos.copy(), data.qvel.copy())]
    for u in controls:
        data.ctrl[:] = u
        sinew.mj_step(truth, data)
        motion.append((data.qpos.copy(), data.qvel.copy()))
    record = identify.Record(np.array([q for q, _ in motion]), np.array([v for _, v in motion]), controls)
    guess = sinew.MjModel.from_xml_string(PENDULUM.replace('type="capsule"', 'type="capsule" mass="1"').replace("0.05", "0.07"))
    numbers = [identify.mass("rod"), identify.damping("j")]
    cost = identify.Misfit(guess, numbers, [record])
    error, slope = cost(np.zeros(2))
    hair = 1e-6
    for k in range(2):
        step = hair * (np.arange(2) == k)
        assert abs((cost(step)[0] - cost(-step)[0]) / (2 * hair) - slope[k]) < 1e-4 * abs(slope).max()
    found = here(tmp_path, cost, np.zeros(2), method=method, spread=0.3, iterations=40 if method == "population" else 20)
    assert np.abs(np.exp(found.x) - [0.7, 0.05 / 0.07]).max() < 1e-3
