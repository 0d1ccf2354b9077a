"""Constraint rows, solvers, islands, integrators and the whole step against the released engine."""

import itertools

import mujoco
import numpy as np
import pytest
import random_smooth

from harness import (
    CONSTANTS,
    Data,
    call,
    compare,
    oracle,
    oracle_set,
    oracle_state,
    ours,
    random_states,
)

SOLVERS = {"pgs": 0, "cg": 1, "newton": 2}
ROWS = (
    "efc_type efc_id efc_pos efc_margin efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R"
    " efc_vel efc_aref tendon_efcadr"
).split()
PATTERN = (
    "efc_J_rownnz efc_J_rowadr efc_J_rowsuper efc_J_colind efc_JT_rownnz efc_JT_rowadr"
    " efc_JT_rowsuper efc_JT_colind efc_JT"
).split()
ISLANDS = (
    "dof_island island_nv island_idofadr island_dofadr map_dof2idof map_idof2dof iM_rownnz"
    " iM_rowadr iLDiagInv efc_island island_ne island_nf island_nefc island_iefcadr map_efc2iefc"
    " map_iefc2efc iefc_type iefc_id iefc_frictionloss iefc_D iefc_R"
).split()
ISLAND_ROWS = "J J_rownnz J_rowadr J_colind J_rowsuper JT JT_rownnz JT_rowadr JT_colind JT_rowsuper"
ISLAND_ROWS = ["iefc_" + name for name in ISLAND_ROWS.split()]


class Options:
    """Options of a model, put back at the end."""

    def __init__(self, m, **values):
        self.m, self.values = m, values

    def __enter__(self):
        self.old = {k: getattr(self.m.opt, k) for k in self.values}
        for k, v in self.values.items():
            setattr(self.m.opt, k, v)

    def __exit__(self, *_):
        for k, v in self.old.items():
            setattr(self.m.opt, k, v)


def make(m):
    our = ours(m)
    return our, Data(our)


def skip_tiny_ellipsoids(m, integrator):
    """For ellipsoids of a millimetre in a fluid the released engine's derivative meets its guards
    against division by zero; ours equals the finite difference of the drag."""
    tiny = (m.geom_fluid[:, 0] > 0) & (m.geom_size.min(axis=1, initial=1) < 2e-3)
    if integrator >= 2 and tiny.any():
        pytest.skip("derivative of fluid forces on tiny ellipsoids")


def sparsities(m):
    return (1,) if m.nv > 300 else (0, 1)


def test_rows(path):
    m, d = oracle(path)
    states = random_states(m, 3, seed=1)
    for cone, jacobian in itertools.product((0, 1), sparsities(m)):
        with Options(m, cone=cone, jacobian=jacobian):
            our, data = make(m)
            for state in states:
                oracle_set(m, d, state)
                mujoco.mj_forward(m, d)
                data.copy_from(d)
                call("mj_makeConstraint", our, data)
                call("mj_referenceConstraint", our, data)
                for size in "ne nf nl nefc nJ".split():
                    assert getattr(data, size) == getattr(d, size), size
                if not d.nefc:
                    continue
                n = d.nJ if jacobian else d.nefc * m.nv
                compare("efc_J", data.efc_J[:n], d.efc_J[:n], rtol=1e-9, atol=1e-10)
                for name in ROWS + (PATTERN if jacobian else []):
                    compare(name, getattr(data, name), getattr(d, name), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_rows_that_move_nothing(cone):
    """A geom on the axis of its hinge has no weight at the contact: R is at its lower bound, and what
    friction and impratio make of the bound is not bounded again."""
    for impratio, friction in itertools.product((0.5, 1, 10, 1e6), (0, 1e-5, 0.01, 1, 100)):
        m = mujoco.MjModel.from_xml_string(f"""<mujoco><option impratio="{impratio}" cone="{cone}"/><worldbody>
        <geom type="plane" size="1 1 1"/><body pos="0 0 .1"><joint axis="0 0 1" frictionloss=".1"/>
        <geom size=".05" pos="0 0 -.1" friction="{friction}" priority="1"/></body></worldbody></mujoco>""")
        d, (our, data) = mujoco.MjData(m), make(m)
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        for name in "efc_R efc_D efc_diagApprox efc_aref".split():
            ours_, theirs = np.asarray(getattr(data, name)), getattr(d, name)
            assert np.allclose(ours_, theirs, rtol=1e-12, atol=0), (name, impratio, friction, ours_, theirs)


def test_projection(path):
    m, d = oracle(path)
    if m.nv > 300:
        pytest.skip("A is large")
    states = random_states(m, 2, seed=2)
    for cone, jacobian in itertools.product((0, 1), (0, 1)):
        with Options(m, cone=cone, jacobian=jacobian, solver=0):
            our, data = make(m)
            for state in states:
                oracle_set(m, d, state)
                mujoco.mj_forward(m, d)
                if not d.nefc:
                    continue
                data.copy_from(d)
                call("mj_makeConstraint", our, data)
                call("mj_projectConstraint", our, data)
                assert data.nA == d.nA
                compare("efc_AR", data.efc_AR, d.efc_AR, rtol=1e-8, atol=1e-12)
                if jacobian:
                    for name in "efc_AR_rownnz efc_AR_rowadr efc_AR_colind".split():
                        compare(name, getattr(data, name), getattr(d, name))


def optimal(data, d):
    return np.allclose(data.qacc, d.qacc, rtol=1e-6, atol=1e-7)


def dual_cost(our, data):
    """What PGS minimizes, 1/2 f'(A + R) f + f'b, as f'(J qacc - aref + R f + b) / 2."""
    row = np.zeros(data.nefc)
    call("mj_mulJacVec", our, data, row, np.array(data.qacc))
    f = np.array(data.efc_force)
    return f @ (row - data.efc_aref + data.efc_R * f + data.efc_b) / 2


def need_sweeps(m, d, our, data, state, sweeps):
    """PGS that has not arrived stands where the released one stands after as many sweeps, is on its
    way (ten times the sweeps close half the gap), and does not leave the optimum."""
    released = mujoco.MjData(m)
    oracle_set(m, released, state)
    with Options(m, solver=SOLVERS["pgs"], iterations=sweeps):
        released.qacc_warmstart[:] = 0
        mujoco.mj_forward(m, released)
    scale = np.abs(released.efc_force).max()
    compare("efc_force", data.efc_force, released.efc_force, rtol=0, atol=1e-9 * scale)
    cost = dual_cost(our, data)
    our._struct.opt.iterations = 10 * sweeps
    data.qacc_warmstart = 0
    call("mj_fwdConstraint", our, data)
    our._struct.opt.iterations = sweeps
    later = dual_cost(our, data)
    data.qacc_warmstart = d.qacc
    call("mj_fwdConstraint", our, data)
    gap = cost - dual_cost(our, data)
    assert 0 < 0.5 * gap < cost - later, "PGS rests away from the optimum"


def need_steps(m, our, data, state, steps):
    """CG that has not arrived (nor has the released one: stiff bodies share one line search) takes the
    released one's first steps, before rounding has grown, and arrives in three times as many."""
    released = mujoco.MjData(m)
    oracle_set(m, released, state)
    with Options(m, solver=SOLVERS["cg"], iterations=20):
        released.qacc_warmstart[:] = 0
        mujoco.mj_forward(m, released)
    for our._struct.opt.iterations in (20, 3 * steps):
        data.qacc_warmstart = 0
        call("mj_fwdConstraint", our, data)
        if our._struct.opt.iterations == 20:
            compare("qacc", data.qacc, released.qacc, rtol=1e-9, atol=1e-9 * np.abs(released.qacc).max())
    our._struct.opt.iterations = steps


@pytest.mark.parametrize("solver", SOLVERS)
def test_solver(path, solver):
    """The problem has one solution: all solvers are held to the released engine's Newton (its PGS
    can stay at the tip of an elliptic cone)."""
    m, d = oracle(path)
    if solver != "newton" and m.nv > 100:
        pytest.skip("first-order methods do not converge to 1e-6 in reasonable time")
    iterations = {"pgs": 3000, "cg": 2000, "newton": 100}[solver]
    states = random_states(m, 3, seed=3)
    for cone, jacobian in itertools.product((0, 1), sparsities(m)):
        with Options(
            m,
            cone=cone,
            jacobian=jacobian,
            solver=SOLVERS["newton"],
            tolerance=0,
            iterations=100,
            ls_iterations=100,
            ls_tolerance=1e-6,
            noslip_iterations=0,
        ):
            our, data = make(m)
            our._struct.opt.solver = SOLVERS[solver]
            our._struct.opt.iterations = iterations
            for state in states:
                oracle_set(m, d, state)
                mujoco.mj_forward(m, d)
                if not d.nefc:
                    continue
                data.copy_from(d)
                data.qacc_warmstart = 0
                if solver == "pgs":
                    call("mj_makeConstraint", our, data)
                    call("mj_projectConstraint", our, data)
                    call("mj_referenceConstraint", our, data)
                call("mj_fwdConstraint", our, data)
                if solver == "pgs" and not optimal(data, d):
                    need_sweeps(m, d, our, data, state, iterations)
                if solver == "cg" and not optimal(data, d):
                    need_steps(m, our, data, state, iterations)
                for name in "qacc qfrc_constraint".split():
                    compare(name, getattr(data, name), getattr(d, name), rtol=1e-6, atol=1e-7)
                compare("efc_b", data.efc_b, d.efc_b, rtol=1e-9, atol=1e-9)


def test_pgs_sweeps(path):
    """PGS stands where the released engine's stands after as many sweeps. (Asked for less than 1e-12
    it looks, at rest, whether a cone is held at its tip: test_solver.)"""
    m, d = oracle(path)
    if m.nv > 100:
        pytest.skip("A is large")
    states = random_states(m, 2, seed=3)
    for cone, jacobian, sweeps in itertools.product((0, 1), sparsities(m), (7, 100)):
        with Options(
            m, cone=cone, jacobian=jacobian, solver=0, tolerance=1e-12, iterations=sweeps, noslip_iterations=0
        ):
            our, data = make(m)
            for state in states:
                oracle_set(m, d, state)
                d.qacc_warmstart[:] = 0
                mujoco.mj_forward(m, d)
                if not d.nefc:
                    continue
                data.copy_from(d)
                data.qacc_warmstart = 0
                call("mj_makeConstraint", our, data)
                call("mj_projectConstraint", our, data)
                call("mj_referenceConstraint", our, data)
                call("mj_fwdConstraint", our, data)
                scale = np.abs(d.efc_force).max()
                compare("efc_force", data.efc_force, d.efc_force, rtol=0, atol=1e-9 * scale)


FEW = """<mujoco><option iterations="{}" ls_iterations="{}" solver="{}" cone="{}"/><worldbody>
<geom type="plane" size="5 5 1"/>
<body pos="0 0 .09"><freejoint/><geom type="box" size=".2 .3 .1" friction=".8"/><body pos=".3 0 0">
<joint axis="0 1 0" frictionloss=".4" range="-20 20"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 -.06"/></body></body>
<body pos="1 0 .04"><freejoint/><geom size=".05"/><body pos=".1 0 0"><joint/><geom size=".05"/>
<body pos=".1 0 0"><joint/><geom size=".05"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_few_iterations(solver, cone):
    """A solver that runs out of iterations stands where the released one does, step for step."""
    for iterations, search in itertools.product((1, 2, 3, 10), (1, 3, 4, 5, 8, 50)):
        m = mujoco.MjModel.from_xml_string(FEW.format(iterations, search, solver, cone))
        d, rng = mujoco.MjData(m), np.random.default_rng(1)
        our, data = make(m)
        for k in range(18):
            mujoco.mj_resetData(m, d)
            d.qvel = rng.normal(size=m.nv) * (0.3, 1, 3)[k % 3]
            d.qacc_warmstart = rng.normal(size=m.nv) * (1, 20, 100)[k // 3 % 3]
            data.set_state(oracle_state(m, d))
            mujoco.mj_forward(m, d)
            call("mj_forward", our, data)
            scale = 1 + np.abs(d.qacc).max()
            compare("qacc", data.qacc / scale, d.qacc / scale, 1e-9, 1e-9)


APART = """<mujoco><option solver="CG" tolerance="{}"/><worldbody><geom type="plane" size="5 5 1"/>
<replicate count="4" offset=".055 0 0"><replicate count="3" offset="0 0 .061"><body pos="0 0 .05"><freejoint/>
<geom type="{}" size=".03 .02 .04" density="{}"/></body></replicate></replicate>
<body pos="2 0 .1"><freejoint/><geom type="box" size=".1 .2 .1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("shape", ["sphere", "ellipsoid", "capsule"])
def test_cg_of_bodies_apart(shape):
    """Conjugate gradients end short of the optimum: bodies that do not touch stand where one line
    search over all of them leaves them, as in the released engine."""
    compared = 0
    for tolerance, density in itertools.product((1e-6, 1e-8), (100, 3000)):
        m = mujoco.MjModel.from_xml_string(APART.format(tolerance, shape, density))
        d, rng = mujoco.MjData(m), np.random.default_rng(1)
        our, data = make(m)
        for _ in range(12):
            for _ in range(10):
                mujoco.mj_step(m, d)
            keep = oracle_state(m, d)
            d.qvel += 0.1 * rng.normal(size=m.nv)
            state = oracle_state(m, d)
            data.set_state(state)
            mujoco.mj_forward(m, d)
            call("mj_forward", our, data)
            if same_contacts(data, d):
                scale = 1 + np.abs(d.qacc).max()
                compare("qacc", data.qacc / scale, d.qacc / scale, 1e-7, 1e-7)
                compared += d.nefc > 0
            oracle_set(m, d, keep)
    assert compared > 20


CONES = """<mujoco><option cone="elliptic" solver="{}" iterations="{}" tolerance="{}" noslip_iterations="{}" noslip_tolerance="0"/>
<default><geom condim="{}" friction="{}" density="{}"/></default><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 .09"><freejoint/><geom type="box" size=".2 .3 .1"/></body>
<body pos="1 0 .04"><freejoint/><geom size=".05"/></body><body pos="1 0 .13"><freejoint/><geom size=".05"/></body>
<body pos="2 0 .09"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/><geom size=".1"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("solver", ["PGS", "noslip"])
@pytest.mark.parametrize("condim", [3, 4, 6])
def test_cone_sweeps(solver, condim):
    """Friction in two to five directions, some of which nothing moves in, light and heavy bodies, large
    and tiny forces: sweep for sweep."""
    rng = np.random.default_rng(condim)
    for k, sweeps in enumerate((1, 1, 2, 2, 2, 5, 5, 5) if solver == "PGS" else (1, 1, 2, 2, 3, 3)):
        options = ("PGS", sweeps, 1e-10, 0) if solver == "PGS" else ("Newton", 100, 0, sweeps)
        friction = ("1 .005 .0001", "1 .1 .1", "1 1 1")[k % 3]
        m = mujoco.MjModel.from_xml_string(
            CONES.format(*options, condim, friction, 10 ** rng.uniform(-2, 4))
        )
        d = mujoco.MjData(m)
        our, data = make(m)
        for _ in range(30):
            mujoco.mj_resetData(m, d)
            d.qvel = rng.normal(size=m.nv) * 10 ** rng.uniform(-1, 1)
            data.set_state(oracle_state(m, d))
            mujoco.mj_forward(m, d)
            call("mj_forward", our, data)
            scale = np.abs(d.efc_force).max()
            compare("efc_force", data.efc_force, d.efc_force, rtol=0, atol=1e-8 * scale)


def test_islands(path):
    m, d = oracle(path)
    states = random_states(m, 3, seed=4)
    island = int(mujoco.mjtEnableBit.mjENBL_ISLAND)
    for jacobian in sparsities(m):
        with Options(
            m,
            jacobian=jacobian,
            enableflags=m.opt.enableflags | island,
            solver=2,
            tolerance=1e-14,
            iterations=100,
            noslip_iterations=0,
        ):
            our, data = make(m)
            for state in states:
                oracle_set(m, d, state)
                mujoco.mj_forward(m, d)
                if not d.nefc:
                    continue
                data.copy_from(d)
                call("mj_makeConstraint", our, data)
                call("mj_referenceConstraint", our, data)
                call("mj_island", our, data)
                assert (data.nisland, data.nidof) == (d.nisland, d.nidof)
                for name in ISLANDS:
                    compare(name, getattr(data, name), getattr(d, name), rtol=1e-9, atol=1e-10)
                n = int(d.iM_rowadr[-1] + d.iM_rownnz[-1]) if d.nidof else 0
                for name in "iM iM_colind iLD".split():
                    compare(name, getattr(data, name)[:n], getattr(d, name)[:n], rtol=1e-9)
                if jacobian:
                    for name in ISLAND_ROWS:
                        compare(name, getattr(data, name), getattr(d, name), rtol=1e-9, atol=1e-10)
                for k in range(0 if jacobian else d.nisland):
                    at = d.nidof * d.island_iefcadr[k]
                    block = slice(at, at + d.island_nefc[k] * d.island_nv[k])
                    compare("iefc_J", data.iefc_J[block], d.iefc_J[block], rtol=1e-9, atol=1e-10)
                call("mj_fwdConstraint", our, data)
                compare("qacc", data.qacc, d.qacc, rtol=1e-6, atol=1e-7)


PARTS = """<mujoco><option cone="{}" solver="{}"><flag island="{}"/></option><worldbody>
<geom type="plane" size="50 50 1"/>
<body pos="-2 0 .5"><joint axis="0 0 1" frictionloss="1"/><geom size=".5" mass="{}"/>
<body pos="1 0 0"><joint axis="0 1 0" range="-1 1"/><geom size=".1"/></body></body>
<replicate count="{}" offset="1 0 0"><body pos="0 0 .0499"><freejoint/>
<geom type="box" size=".05 .07 .05" mass=".02" friction=".6"/><body pos="0 .2 0">
<joint axis="0 0 1" frictionloss=".0003" range="-10 10"/><geom size=".04" mass=".002"/></body></body></replicate>
</worldbody></mujoco>"""


def solved_from_near(m, d, our, data, trials, seed, far):
    """Solves with both engines from warm starts of the light bodies around the solution; d holds what the released one found.
    Yields the solution to the last bit and ours."""
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        mujoco.mj_resetData(m, d)
        d.qvel[:] = rng.normal(size=m.nv) * 0.05
        mujoco.mj_forward(m, d)
        start = d.qacc + rng.normal(size=m.nv) * 10 ** rng.uniform(-3, far)
        start[:2] = d.qacc[:2]
        with Options(m, tolerance=0):
            d.qacc_warmstart[:] = start
            mujoco.mj_forward(m, d)
            exact = d.qacc.copy()
        d.qacc_warmstart[:] = start
        mujoco.mj_forward(m, d)
        data.copy_from(d)
        data.qacc_warmstart = start
        call("mj_forward", our, data)
        yield exact, np.array(data.qacc)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_parts_take_a_further_step(cone):
    """Light bodies beside a heavy one: a step of theirs gains less than the tolerance, though rows
    change their state in it. Solved together with the others they would have further steps."""
    for heavy, count in itertools.product((10, 1000), (3, 6, 9)):
        m = mujoco.MjModel.from_xml_string(PARTS.format(cone, "Newton", "disable", heavy, count))
        d = mujoco.MjData(m)
        our, data = make(m)
        for exact, found in solved_from_near(m, d, our, data, 60, count, 0):
            scale = 1 + np.abs(exact).max()
            ours, released = np.abs(found - exact).max() / scale, np.abs(d.qacc - exact).max() / scale
            assert ours <= 100 * released + 1e-11, (heavy, count, ours, released)


@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_islands_stop_by_their_own_inertia(cone, solver):
    """Improvement and gradient of an island are in units of the trace of its M: light bodies converge as
    far beside a heavy one as they would alone."""
    for heavy, count in itertools.product((10, 1000), (1, 2, 4)):
        m = mujoco.MjModel.from_xml_string(PARTS.format(cone, solver, "enable", heavy, count))
        d = mujoco.MjData(m)
        our, data = make(m)
        for _, found in solved_from_near(m, d, our, data, 40, count, -1):
            for k in range(d.nisland):
                dofs = d.dof_island == k
                n, theirs = data.solver_niter[k], d.solver_niter[k]
                if theirs == 0 or n == 0:
                    continue  # rows that stand alone start at their solution
                assert n == theirs, (heavy, count, k)
                compare("qacc", found[dofs], d.qacc[dofs], rtol=1e-8, atol=1e-8)
                first = k * CONSTANTS["mjNSOLVER"]
                gained = data._struct.solver[first].improvement, d.solver[first].improvement
                assert gained[0] == pytest.approx(gained[1], rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_changes_of_state(cone, solver):
    """nactive and nchange of every iteration: a cone in its middle zone changes its forces, not its
    state, until it leaves the zone."""
    for count in (1, 2):
        m = mujoco.MjModel.from_xml_string(PARTS.format(cone, solver, "disable", 10, count))
        d = mujoco.MjData(m)
        our, data = make(m)
        for _ in solved_from_near(m, d, our, data, 100, count, 0):
            assert data.solver_niter[0] == d.solver_niter[0]
            for i in range(d.solver_niter[0]):
                ours, released = data._struct.solver[i], d.solver[i]
                assert (ours.nactive, ours.nchange) == (released.nactive, released.nchange), i


def test_noslip(path):
    m, d = oracle(path)
    if m.nv > 100:
        pytest.skip("A is large")
    states = random_states(m, 2, seed=5)
    for cone, jacobian in itertools.product((0, 1), (0, 1)):
        with Options(
            m,
            cone=cone,
            jacobian=jacobian,
            solver=2,
            tolerance=0,
            iterations=100,
            noslip_iterations=3,
            noslip_tolerance=0,
        ):
            our, data = make(m)
            for state in states:
                oracle_set(m, d, state)
                mujoco.mj_forward(m, d)
                if not d.nefc:
                    continue
                data.copy_from(d)
                data.qacc_warmstart = 0
                call("mj_fwdConstraint", our, data)
                compare("qacc", data.qacc, d.qacc, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("integrator", [0, 1, 2, 3])
def test_integrators(path, integrator):
    """From the same accelerations to the next state (RK4: from the same state)."""
    m, d = oracle(path)
    states = random_states(m, 3, seed=6)
    stage = ["mj_Euler", "mj_RungeKutta", "mj_implicit", "mj_implicit"][integrator]
    if integrator == 1:
        pytest.skip("its stages are whole forward dynamics: test_step")
    skip_tiny_ellipsoids(m, integrator)
    with Options(m, integrator=integrator):
        our, data = make(m)
        for state in states:
            oracle_set(m, d, state)
            mujoco.mj_forward(m, d)
            data.copy_from(d)
            getattr(mujoco, stage)(m, d)
            call(stage, our, data)
            for name in "qpos qvel act".split():
                compare(name, getattr(data, name), getattr(d, name), rtol=1e-9, atol=1e-10)
            assert data.time == d.time


def test_inverse(path):
    m, d = oracle(path)
    states = random_states(m, 3, seed=7)
    discrete = int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)
    skip_tiny_ellipsoids(m, 2)
    for flag, integrator in itertools.product((0, discrete), (0, 2, 3)):
        with Options(m, integrator=integrator, enableflags=m.opt.enableflags | flag):
            our, data = make(m)
            for state in states:
                oracle_set(m, d, state)
                mujoco.mj_forward(m, d)
                data.copy_from(d)
                mujoco.mj_inverseSkip(m, d, 2, 1)
                call("mj_inverseSkip", our, data, 2, 1)
                # what cancels in the result is as large as the constraint force
                atol = 1e-8 + 1e-9 * np.abs(d.qfrc_constraint).max(initial=0)
                compare("qfrc_inverse", data.qfrc_inverse, d.qfrc_inverse, rtol=1e-7, atol=atol)
                compare("qacc", data.qacc, d.qacc, rtol=1e-12)


def same_contacts(data, d):
    """Are contacts the same to rounding. Convex collision is iterative: its depth and normal agree
    to the solver's tolerance only (test_collide.py), and what follows from them no better."""
    if data.ncon != d.ncon:
        return False
    for name in "dist pos frame".split():
        ours_, theirs = np.asarray(data.contact[name]), np.asarray(getattr(d.contact, name))
        if ours_.size and not np.allclose(ours_.reshape(theirs.shape), theirs, rtol=1e-9, atol=1e-11):
            return False
    return True


def need_some(compared):
    if not compared:
        pytest.skip("no state whose contacts agree to rounding")


def agreeing_steps(m, d, our, data, state, steps):
    """Steps from a state up to the one whose contacts differ, if there is one: how many agree."""
    oracle_set(m, d, state)
    data.set_state(state)
    for done in range(steps):
        mujoco.mj_step(m, d)
        call("mj_step", our, data)
        if not same_contacts(data, d):
            return done
        for name in "qpos qvel act".split():
            compare(name, getattr(data, name), getattr(d, name), rtol=1e-6, atol=1e-6)
    return steps


@pytest.mark.parametrize("steps", [1, 10])
def test_step(path, steps):
    """The step from state to state, whole, with the model's own options but tight tolerances."""
    m, d = oracle(path)
    skip_tiny_ellipsoids(m, m.opt.integrator)
    compared = 0
    with Options(m, tolerance=1e-14, iterations=200, ls_tolerance=1e-6, ls_iterations=100):
        our, data = make(m)
        for state in random_states(m, 3, seed=8):
            compared += agreeing_steps(m, d, our, data, state, steps)
    need_some(compared)


SOLVING = {
    "pgs": {"solver": 0, "iterations": 30, "tolerance": 1e-10, "noslip_iterations": 0},
    "cg": {"solver": 1, "iterations": 500, "tolerance": 1e-15, "ls_iterations": 100, "ls_tolerance": 1e-6},
    "noslip": {"solver": 2, "iterations": 100, "tolerance": 1e-14, "noslip_iterations": 5},
}


@pytest.mark.parametrize("solving", SOLVING)
def test_step_solvers(path, solving):
    """Ten steps of the robots with every other solver and both cones, as test_step."""
    if "dm_control" in str(path) or "gymnasium" in str(path):
        pytest.skip("not a robot")
    m, d = oracle(path)
    if m.nv > 100:
        pytest.skip("A is large")
    compared = 0
    for cone in (0, 1):
        with Options(m, cone=cone, **SOLVING[solving]):
            our, data = make(m)
            compared += agreeing_steps(m, d, our, data, random_states(m, 2, seed=8)[1], 10)
    need_some(compared)


@pytest.mark.parametrize("integrator", [0, 1, 2, 3])
def test_random_models(integrator):
    """Steps of random trees with every joint, tendon, transmission, actuator, sensor and constraint,
    under random controls, up to a step whose contacts differ."""
    compared = 0
    for seed in range(24):
        m = mujoco.MjModel.from_xml_string(random_smooth.model(seed, constrained=True))
        d, rng = mujoco.MjData(m), np.random.default_rng(seed)
        options = {"tolerance": 1e-15, "iterations": 100, "ls_tolerance": 1e-6, "ls_iterations": 100}
        with Options(m, integrator=integrator, cone=int(rng.integers(2)), **options):
            our, data = make(m)
            for _ in range(6):
                d.ctrl[:] = rng.uniform(-1, 1, m.nu)
                state = oracle_state(m, d)
                oracle_set(m, d, state)
                data.set_state(state)
                call("mj_step", our, data)
                try:
                    mujoco.mj_step(m, d)
                except mujoco.FatalError:  # of the released engine: a Hessian of deficient rank
                    break
                # rounding becomes force in a crank at its dead point, and in a row that moves nothing
                stiff = max(abs(d.actuator_force).max(initial=0), d.efc_D.max(initial=0)) > 1e6
                if stiff or not same_contacts(data, d):
                    break
                compared += 1
                for name in "qpos qvel act sensordata qfrc_actuator actuator_velocity energy".split():
                    b = getattr(d, name)
                    atol = 1e-6 * (1 + 0.01 * abs(b).max(initial=0))
                    compare(f"seed {seed} {name}", getattr(data, name), b, rtol=1e-6, atol=atol)
    assert compared > 60


@pytest.mark.parametrize("gain", [3, 60, 4000, 1e9])
def test_forces_that_grow_with_velocity(gain):
    """M - h D is indefinite from some gain on, which is no reason to leave the released step."""
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><option integrator="implicitfast"/><worldbody>
    <body><joint name="a" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/><body pos=".6 0 0"><joint name="b" axis="0 1 0" armature=".1"/>
    <joint type="ball"/><geom type="capsule" size=".05 .2" pos=".1 .1 0"/></body></body></worldbody>
    <actuator><general joint="a" biastype="affine" biasprm="0 0 {gain}"/>
    <general joint="b" biastype="affine" biasprm="0 0 {0.7 * gain}"/></actuator></mujoco>""")
    d, (our, data) = mujoco.MjData(m), make(m)
    d.qvel[:] = np.arange(1, 6) * 0.01
    for _ in range(3):
        data.set_state(oracle_state(m, d))
        mujoco.mj_step(m, d)
        call("mj_step", our, data)
        for name in "qpos qvel qH qHDiagInv".split():
            compare(name, getattr(data, name), getattr(d, name), rtol=1e-9, atol=1e-9)


def two_sided(m, d, eps):
    """The controls that can be moved up and down inside their range."""
    low, high = m.actuator_ctrlrange.T
    return (m.actuator_ctrllimited == 0) | ((d.ctrl - eps >= low) & (d.ctrl + eps <= high))


def test_transition_fd(path):
    m, d = oracle(path)
    if m.nv > 60 or m.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        pytest.skip("too large, or not supported")
    nx, nu, ns = 2 * m.nv + m.na, m.nu, m.nsensordata
    compared = 0
    with Options(m, tolerance=0, iterations=20, ls_tolerance=1e-6, ls_iterations=50):
        our, data = make(m)
        for state, centered in itertools.product(random_states(m, 2, seed=9), (0, 1)):
            oracle_set(m, d, state)
            data.set_state(state)
            shapes = {"A": (nx, nx), "B": (nx, nu), "C": (ns, nx), "D": (ns, nu)}
            expected = {k: np.zeros(s) for k, s in shapes.items()}
            got = {k: np.zeros(s) for k, s in shapes.items()}
            mujoco.mj_forward(m, d)
            call("mj_forward", our, data)
            if not same_contacts(data, d):
                continue
            sensors = d.sensordata.copy()
            oracle_set(m, d, state)
            data.set_state(state)
            mujoco.mjd_transitionFD(m, d, 1e-6, centered, *expected.values())
            call("mjd_transitionFD", our, data, 1e-6, centered, *got.values())
            for name in "AB":
                compare(name, got[name], expected[name], rtol=1e-4, atol=1e-5)
            # a sensor of 1e5 N carries the solver's last digits, divided by the step of 1e-6
            size = np.maximum(1, abs(sensors))[:, None]
            if centered:
                expected["D"][:, two_sided(m, d, 1e-6)] *= -1  # docs/differences.md
            for name in "CD":
                compare(name, got[name] / size, expected[name] / size, rtol=1e-4, atol=1e-5)
            compare("state", data.get_state(), state, rtol=0, atol=0)
            compared += 1
    need_some(compared)


def test_transition_fd_at_the_model_s_tolerance(path):
    """One step of Newton at least follows every change, however small: at any tolerance derivatives are those
    of the solution. Contacts of curved shapes are left out, whose normals move by more than the step."""
    m, d = oracle(path)
    rk4, newton = mujoco.mjtIntegrator.mjINT_RK4, mujoco.mjtSolver.mjSOL_NEWTON
    if not 0 < m.nv <= 60 or m.opt.integrator == rk4 or m.opt.solver != newton:
        pytest.skip("too large, or not supported, or not Newton")
    our, data = make(m)
    curved = [mujoco.mjtGeom.mjGEOM_ELLIPSOID, mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_MESH]
    compared, result = 0, [np.zeros((2 * m.nv + m.na,) * 2) for _ in range(3)]
    for state in random_states(m, 3, seed=5, steps=60)[1:]:
        oracle_set(m, d, state)
        mujoco.mj_forward(m, d)
        state = oracle_state(m, d)
        data.set_state(state)
        call("mj_forward", our, data)
        if np.isin(m.geom_type[d.contact.geom], curved).any() or not same_contacts(data, d):
            continue
        mujoco.mjd_transitionFD(m, d, 1e-6, 0, result[0], None, None, None)
        call("mjd_transitionFD", our, data, 1e-6, 0, result[1], None, None, None)
        with Options(m, tolerance=0, iterations=100, ls_tolerance=1e-6, ls_iterations=50):
            oracle_set(m, d, state)
            mujoco.mj_forward(m, d)
            mujoco.mjd_transitionFD(m, d, 1e-6, 0, result[2], None, None, None)
        theirs, mine = (np.linalg.norm(result[k] - result[2]) / np.linalg.norm(result[2]) for k in (0, 1))
        assert mine < 1e-6 + 2 * theirs, (mine, theirs)
        compared += 1
    need_some(compared)


def test_inverse_fd(path):
    m, d = oracle(path)
    if m.nv > 60 or m.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        pytest.skip("too large, or not supported")
    nv, ns, compared = m.nv, m.nsensordata, 0
    with Options(m, noslip_iterations=0):
        our, data = make(m)
        for state, actuation in itertools.product(random_states(m, 2, seed=10), (0, 1)):
            oracle_set(m, d, state)
            data.set_state(state)
            mujoco.mj_forward(m, d)
            call("mj_forward", our, data)
            if not same_contacts(data, d):
                continue
            mujoco.mj_inverse(m, d)
            forces, sensors = np.abs(d.qfrc_inverse).max(initial=0), np.abs(d.sensordata).max(initial=0)
            data.copy_from(d)
            shapes = [(nv, nv)] * 3 + [(nv, ns)] * 3 + [(nv, m.nM)]
            expected = [np.zeros(s) for s in shapes]
            got = [np.zeros(s) for s in shapes]
            mujoco.mjd_inverseFD(m, d, 1e-6, actuation, *expected)
            call("mjd_inverseFD", our, data, 1e-6, actuation, *got)
            # rounding of a force f shows as 2e-10 f behind a step of 1e-6
            size = [forces] * 3 + [sensors] * 3 + [0]
            for name, a, b, s in zip("DfDq DfDv DfDa DsDq DsDv DsDa DmDq".split(), got, expected, size):
                compare(name, a, b, rtol=1e-5, atol=1e-5 + 1e-9 * s)
            compared += 1
    need_some(compared)


def hard_optimum(m, d):
    """The solution where every row is an equality: M x - J'f = frc_smooth, J x + R f = aref."""
    M, J = np.zeros((m.nv, m.nv)), d.efc_J.reshape(d.nefc, m.nv)
    mujoco.mj_fullM(m, M, d.qM)
    K = np.block([[M, -J.T], [J, np.diag(d.efc_R)]])
    return np.linalg.solve(K, np.concatenate([d.qfrc_smooth, d.efc_aref]))[: m.nv]


def words(values):
    return " ".join(f"{x:.4f}" for x in values)


@pytest.mark.parametrize("count", [3, 5])
def test_bodies_that_turn_about_their_centres(count):
    """They have no weight where they are connected: R is at its lower bound, beside which rounding hides M.
    Newton does not leave the optimum for it."""
    rng, most, joint = np.random.default_rng(0), 0, ("<joint type='ball'/>", "<freejoint/>")
    for _ in range(60):
        bodies = "".join(
            f"<body name='b{i}' pos='{0.4 * i:.1f} 0 1' quat='{words(rng.normal(size=4))}'>"
            f"{joint[i > 1]}<geom type='capsule' size='.05 .1'/></body>"
            for i in range(count))
        anchors = [words(rng.uniform(-0.2, 0.2, 3)) for _ in range(3)]
        connects = "".join(f"<connect body1='b{i}' body2='b{j}' anchor='{a}'/>" for (i, j), a in zip(((0, 1), (1, 2), (3, 4))[: (count + 1) // 2], anchors))
        m = mujoco.MjModel.from_xml_string(
            f"<mujoco><option jacobian='dense'/><worldbody>{bodies}</worldbody><equality>{connects}</equality></mujoco>")
        d, (our, data) = mujoco.MjData(m), make(m)
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        x = hard_optimum(m, d)
        most = max(most, np.abs(data.qacc - x).max() / np.abs(x).max())
    assert most < 1e-2, most
