"""sinew.control: regulators, trajectories, model-predictive control."""

import numpy as np
import pytest

import sinew
from sinew import control
from sinew._tangent import Tangent

CART = """<mujoco><option timestep='.02' integrator='implicitfast'/><default><geom contype='0' conaffinity='0'/></default><worldbody>
<body><joint name='slide' type='slide' axis='1 0 0' damping='.1'/><geom type='box' size='.2 .1 .1' mass='1'/>
<body name='pole'><joint name='hinge' axis='0 1 0' damping='.001'/><geom type='capsule' size='.03' fromto='0 0 0 0 0 .6' mass='.2'/></body>
</body></worldbody><actuator><motor joint='slide' gear='10' ctrlrange='-1 1'/></actuator>
<sensor><framezaxis name='up' objtype='xbody' objname='pole'/></sensor></mujoco>"""

TURNS = """<mujoco><worldbody><body><freejoint/><geom size='.1'/><body pos='.3 0 0'><joint type='ball'/><geom size='.1'/>
<body pos='.3 0 0'><joint/><geom size='.1'/></body></body></body></worldbody></mujoco>"""


@pytest.fixture
def cart():
    model = sinew.MjModel.from_xml_string(CART)
    return model, sinew.MjData(model)


def test_lqr_is_the_limit_of_riccati_iterations(cart):
    A, B, _, _ = sinew.derive.transition(*cart)
    Q, R = np.diag([1.0, 2, 0.1, 0.1]), np.array([[0.3]])
    K, P = control.lqr(A, B, Q, R)
    expected = Q
    for _ in range(5000):
        gain = np.linalg.solve(R + B.T @ expected @ B, B.T @ expected @ A)
        expected = Q + A.T @ expected @ (A - B @ gain)
    np.testing.assert_allclose(K, gain, rtol=1e-8)
    np.testing.assert_allclose(P, expected, rtol=1e-8)
    assert np.abs(np.linalg.eigvals(A - B @ K)).max() < 1
    with pytest.raises(ValueError, match="drifting away"):
        control.lqr(np.diag([1.1, 0.5]), np.array([[0.0], [1]]), np.eye(2), np.eye(1))
    with pytest.raises(ValueError, match="argument R"):
        control.lqr(A, B, Q, np.eye(2))


def test_tangent_rows_are_those_of_single_positions():
    model = sinew.MjModel.from_xml_string(TURNS)
    tangent, rng = Tangent(model), np.random.default_rng(0)
    start, end = np.zeros((6, model.nq)), np.zeros((6, model.nq))
    for row in range(6):
        for positions in (start, end):
            positions[row] = model.qpos0
            sinew.mj_integratePos(model, positions[row], rng.normal(size=model.nv), 0.9)
    found = tangent.difference(end, start)
    np.testing.assert_allclose(tangent.difference(tangent.add(start, found), end), 0, atol=1e-12)
    slope = tangent.slope(found)
    for row in range(6):
        expected = np.zeros(model.nv)
        sinew.mj_differentiatePos(model, expected, 1.0, start[row], end[row])
        np.testing.assert_allclose(found[row], expected, atol=1e-12)
        for j in range(model.nv):
            sides = [tangent.difference(tangent.add(end[row], side * 1e-6 * np.eye(model.nv)[j]), start[row]) for side in (-1, 1)]
            np.testing.assert_allclose(slope[row][:, j], (sides[1] - sides[0]) / 2e-6, atol=1e-8)


def test_gradient_of_a_cost(cart):
    """The quadratic model against differences of the cost."""
    model, data = cart
    cost = control.Cost(model, ctrl=0.3).sensor("up", [1, 2, 3], [0.1, 0, 1]).velocity(0.2, 0.1).position([1, 2], [0.3, 0.1])

    def at(x):
        data.qpos[:], data.qvel[:], data.ctrl[:] = x[:2], x[2:4], x[4:]
        sinew.mj_forward(model, data)
        return np.array(data.qpos), np.array(data.qvel), np.array(data.ctrl), np.array(data.sensordata)

    x = np.array([0.2, 0.7, -0.3, 0.4, 0.5])
    parts = [part[None] for part in at(x)]
    _, _, C, D = sinew.derive.transition(model, data)
    rows = [np.concatenate((part, part)) for part in parts]  # the last row is the end
    found = cost.quadratic(*rows, np.array([C, C]), np.array([D, D]))
    gradient = np.concatenate((found.x[0], found.u[0]))
    for i, step in enumerate(1e-6 * np.eye(5)):
        ends = [float(cost.value(*at(x + side * step))) for side in (-1, 1)]
        np.testing.assert_allclose(gradient[i], (ends[1] - ends[0]) / 2e-6, atol=1e-6)


def test_optimize_improves_and_agrees_with_differences(cart):
    model, data = cart
    data.qpos[1] = 0.25
    cost = control.Cost(model, ctrl=0.01, final=20).sensor("up", [0, 0, 5], [0, 0, 1]).velocity(0.05).position([1, 0])
    seen = []
    plans = [
        control.optimize(model, data, cost, 60, derivatives=how, tolerance=1e-9, progress=seen.append)
        for how in ("analytic", "differences")
    ]
    assert plans[0].cost == pytest.approx(plans[1].cost, rel=1e-4)
    costs = [iteration.cost for iteration in plans[0].trace]
    assert costs == sorted(costs, reverse=True) and len(seen) == sum(len(plan.trace) for plan in plans)
    assert np.abs(plans[0].ctrl).max() <= 1 and abs(plans[0].qpos[-1, 1]) < 0.05
    assert data.time == 0 and data.qpos[1] == 0.25
    # the plan is what the simulation does
    for u in plans[0].ctrl:
        data.ctrl[:] = u
        sinew.mj_step(model, data)
    np.testing.assert_array_equal(data.qpos, plans[0].qpos[-1])
    # a linear system with a quadratic cost needs one iteration
    linear = sinew.MjModel.from_xml_string(CART.replace("<framezaxis", "<jointpos name='x' joint='slide'/><framezaxis").replace("-1 1", "-99 99"))
    flat = sinew.MjData(linear)
    linear.opt.gravity[:] = 0
    linear.body_mass[2] = linear.body_inertia[2] = 1e-9
    flat.qpos[0] = 1
    once = control.optimize(linear, flat, control.Cost(linear, ctrl=0.1).sensor("x", 1), 30, iterations=1)
    more = control.optimize(linear, flat, control.Cost(linear, ctrl=0.1).sensor("x", 1), 30, iterations=20, tolerance=0)
    assert once.cost == pytest.approx(more.cost, rel=1e-6)


def test_what_is_wrong_is_told(cart):
    model, data = cart
    with pytest.raises(ValueError, match="'up'"):
        control.Cost(model).sensor("down", 1)
    with pytest.raises(ValueError, match="'analytic' or 'differences'"):
        control.optimize(model, data, control.Cost(model), 5, derivatives="guessed")
    with pytest.raises(ValueError, match="another model"):
        control.optimize(sinew.MjModel.from_xml_string(CART), data, control.Cost(model), 5)
    with pytest.raises(ValueError, match="no actuators"):
        still = sinew.MjModel.from_xml_string(TURNS)
        control.optimize(still, sinew.MjData(still), control.Cost(still), 5)
    with pytest.raises(ValueError, match="horizon"):
        control.MPC(model, control.Cost(model), 0)


FLOATS = """<mujoco><option timestep='.01'/><worldbody><geom type='plane' size='2 2 .1'/><body pos='0 0 .3'><freejoint/><geom type='box' size='.2 .1 .1'/>
<body pos='.3 0 0'><joint name='a' axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/>
<body pos='.3 0 0'><joint name='b' type='ball'/><geom type='capsule' size='.05' fromto='0 0 0 .2 0 0'/></body></body></body></worldbody>
<actuator><motor joint='a' ctrlrange='-1 1'/><position joint='b' gear='0 0 1' kp='2'/><general joint='a' dyntype='filter' dynprm='.1' ctrlrange='-.5 .5'/></actuator>
<sensor><framepos name='tip' objtype='body' objname='world'/><jointpos name='angle' joint='a'/></sensor></mujoco>"""


@pytest.fixture
def optimizer():
    """A free body with an arm on the floor, an activation among its actuators, and a path of random controls."""
    model = sinew.MjModel.from_xml_string(FLOATS)
    cost = control.Cost(model, ctrl=0.1, final=5).sensor("angle", 3, 0.4).velocity(0.05).position(0.2)
    own = control._Optimizer(model, cost, 30, "analytic", 2)
    ctrl = np.random.default_rng(0).uniform(-1.2, 1.2, (30, model.nu))
    return own, own.roll(control._start(model, sinew.MjData(model)), ctrl)


@pytest.mark.parametrize("follow", [True, False])
def test_value_function_is_that_of_the_formulas(optimizer, follow):
    """The recursion against its formulas, each written down; also where positions are not those of their velocities."""
    own, path = optimizer
    A, B, C, D = own.linear(path)
    if not follow:
        A[::2, : own.model.nv] += 1e-3 * np.random.default_rng(2).normal(size=A[::2, : own.model.nv].shape)
    ctrl = np.concatenate((path.ctrl, np.zeros((1, own.model.nu))))
    q = own.cost.quadratic(own.path.bind("qpos"), own.path.bind("qvel"), ctrl, path.sensors, C, D)
    own.mu = 1e-3
    change, gain, expected = own.backward(A, B, q, path.ctrl)
    Vx, Vxx, total, clamped = q.x[-1], q.xx[-1], 0.0, 0
    for t in reversed(range(30)):
        Qx, Qu = q.x[t] + A[t].T @ Vx, q.u[t] + B[t].T @ Vx
        Qxx, Qux, Quu = q.xx[t] + A[t].T @ Vxx @ A[t], q.ux[t] + B[t].T @ Vxx @ A[t], q.uu[t] + B[t].T @ Vxx @ B[t]
        H = Quu + own.mu * (1 + np.diag(Quu).max()) * np.eye(len(Qu))
        k = change[t]
        low, high = own.low - path.ctrl[t], own.high - path.ctrl[t]
        assert np.all(k >= low) and np.all(k <= high)
        slope = H @ k + Qu
        free = (k > low) & (k < high)
        np.testing.assert_allclose(slope[free], 0, atol=1e-8 * np.abs(Qu).max())
        assert np.all(slope[k == low] >= 0) and np.all(slope[k == high] <= 0)
        clamped += np.sum(~free)
        K = np.zeros_like(Qux)
        K[free] = np.linalg.solve(H[np.ix_(free, free)], Qux[free])
        np.testing.assert_allclose(gain[t], K, atol=1e-9 * max(1, np.abs(K).max()))
        total -= k @ Qu + 0.5 * k @ Quu @ k
        Vx = Qx - K.T @ (Quu @ k + Qu) + Qux.T @ k
        Vxx = Qxx + K.T @ Quu @ K - K.T @ Qux - Qux.T @ K
    assert 0 < clamped < 90 and expected == pytest.approx(total, rel=1e-9)


def test_roll_outs_follow_the_feedback(optimizer):
    """Rows of the search against single steps, the controls by hand, on any number of threads."""
    own, path = optimizer
    model, tangent = own.model, Tangent(own.model)
    rng = np.random.default_rng(1)
    change, gain = rng.normal(size=path.ctrl.shape), 0.1 * rng.normal(size=(30, model.nu, 2 * model.nv + model.na))
    own.path.state[:] = path.state
    near = [np.array(own.path.bind(name)) for name in ("qpos", "qvel", "act")]
    data = sinew.MjData(model)
    found = own.roll_some(np.array([0.25]), path.state[0], path.ctrl, change, gain, path.state)
    for t in range(30):
        dx = np.concatenate((tangent.difference(data.qpos, near[0][t]), data.qvel - near[1][t], data.act - near[2][t]))
        data.ctrl[:] = np.clip(path.ctrl[t] + 0.25 * change[t] - gain[t] @ dx, own.low, own.high)
        np.testing.assert_allclose(found.ctrl[t], data.ctrl, atol=1e-9)
        sinew.mj_step(model, data)
        np.testing.assert_allclose(found.sensors[t], data.sensordata, atol=1e-9)
    assert np.any(found.ctrl != path.ctrl)
    parts = np.array([1, 0.5, 0.25])
    alone = control._Optimizer(model, own.cost, 30, "analytic", 1)
    rows = [each.roll_some(parts, path.state[0], path.ctrl, change, gain, path.state) for each in (own, alone)]
    np.testing.assert_array_equal(rows[0].state, rows[1].state)
    assert rows[0].cost == rows[1].cost <= found.cost
    # a roll-out whose numbers go bad is not taken
    bad = own.roll_some(np.array([1, np.nan]), path.state[0], path.ctrl, change, gain, path.state)
    assert np.isfinite(bad.cost) and own.taken == 1
