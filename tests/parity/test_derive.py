"""A and B of sn_transition against centred differences of the released step, column by column."""

import mujoco
import numpy as np
import pytest

from harness import call, oracle, oracle_set, oracle_state, random_states
from test_step import Options, make, need_some, same_contacts

CURVED = [mujoco.mjtGeom.mjGEOM_ELLIPSOID, mujoco.mjtGeom.mjGEOM_CYLINDER]
NEAREST = 2  # the number of snDeriveReport that says how far the nearest switch is
WILD = 1e7  # accelerations of bodies pushed deep into each other: differences are their rounding
LARGE = 60  # dofs: of larger models every so many columns
WIDTHS = (4e-5, 8e-6, 1e-6, 1e-7, 2e-8)  # the reference is the one whose two halves agree best


def move(m, d, column, step):
    nv, nx = m.nv, 2 * m.nv + m.na
    if column < nv:
        direction = np.zeros(nv)
        direction[column] = 1
        mujoco.mj_integratePos(m, d.qpos, direction, step)
    elif column < 2 * nv:
        d.qvel[column - nv] += step
    elif column < nx:
        d.act[column - 2 * nv] += step
    else:
        d.ctrl[column - nx] += step


def side(m, d, state, column, step):
    """The next state, and what has to be alike on both sides: states of rows, contacts."""
    oracle_set(m, d, state)
    move(m, d, column, step)
    mujoco.mj_step(m, d)
    touch = np.hstack((d.contact.pos, d.contact.frame[:, :3], d.contact.dist[:, None]))
    return np.hstack((d.qpos, d.qvel, d.act)), d.efc_state.copy(), d.contact.geom.copy(), touch.copy()


def switched(low, middle, high, step):
    """Do row states, the list of contacts, or what of a pair touches differ on the two sides?"""
    for other in (low, high):
        if any(a.shape != b.shape or (a != b).any() for a, b in zip(other[1:3], middle[1:3])):
            return True
    bend = np.abs(low[3] - 2 * middle[3] + high[3]).max(axis=1, initial=0)
    moved = np.abs(high[3] - low[3]).max(axis=1, initial=0)
    return bool((bend > 1e-2 * step + 1e-3 * moved).any())


def difference(m, low, high, width):
    dq = np.zeros(m.nv)
    mujoco.mj_differentiatePos(m, dq, width, low[0][: m.nq], high[0][: m.nq])
    return np.hstack((dq, (high[0][m.nq :] - low[0][m.nq :]) / width))


def reference(m, d, state, column, middle):
    """Richardson's extrapolation at the width whose two halves agree best, and how well: None at a switch."""
    best = None
    for step in WIDTHS:
        low, high = (side(m, d, state, column, s) for s in (-step, step))
        if switched(low, middle, high, step):
            continue
        wide = difference(m, low, high, 2 * step)
        low, high = (side(m, d, state, column, s / 2) for s in (-step, step))
        narrow = difference(m, low, high, step)
        expected = (4 * narrow - wide) / 3
        rough = np.abs(wide - narrow).max() / max(0.01, np.abs(expected).max())
        if best is None or rough < best[1]:
            best = expected, rough
        if rough < 1e-7:
            break
    return best


def curved(m, d):
    """Is there a contact that a search for curved shapes found?"""
    types = m.geom_type[d.contact.geom] if d.ncon else np.zeros((0, 2))
    return bool((np.isin(types, CURVED).any(axis=1) & (types[:, 0] != mujoco.mjtGeom.mjGEOM_PLANE)).any())


def settled(m, d, state, step=8e-6):
    """Do contacts of the released search move evenly with their bodies? That of curved shapes may end anywhere."""
    rng, sides = np.random.default_rng(3), []
    for _ in range(6):
        direction = rng.standard_normal(m.nv)
        for factor in (-step, 0, step):
            oracle_set(m, d, state)
            mujoco.mj_integratePos(m, d.qpos, direction, factor)
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            mujoco.mj_collision(m, d)
            touch = np.hstack((d.contact.pos, d.contact.frame[:, :3], d.contact.dist[:, None]))
            sides.append((None, np.zeros(0), d.contact.geom.copy(), touch.copy()))
        if switched(*sides[-3:], step):
            return False
    return True


def touching(m, d, state):
    """Do contacts come and go within rounding, as those of a ball that was placed by its radius?"""
    rng, found = np.random.default_rng(5), set()
    for _ in range(6):
        oracle_set(m, d, state)
        mujoco.mj_integratePos(m, d.qpos, rng.standard_normal(m.nv), 1e-12)
        mujoco.mj_forward(m, d)
        found.add((d.ncon, d.nefc))
    return len(found) > 1


def inside(m, d, column):
    """At a limit a centred difference is half of either side."""
    act, u = column - 2 * m.nv, column - 2 * m.nv - m.na
    if u >= 0:
        low, high = m.actuator_ctrlrange[u]
        return not m.actuator_ctrllimited[u] or low + 1e-3 < d.ctrl[u] < high - 1e-3
    return act < 0 or 1e-3 < d.act[act] < 1 - 1e-3


def test_transition(path):
    m, d = oracle(path)
    if not m.nv or m.nv > 700 or m.opt.noslip_iterations or m.nflex or m.nplugin:
        pytest.skip("too large, or a part that is differenced as a whole")
    compared = left = 0
    with Options(m, solver=int(mujoco.mjtSolver.mjSOL_NEWTON), tolerance=0, iterations=100, ls_tolerance=1e-6, ls_iterations=50):
        # searches at their own tolerance: both engines end them alike
        our, data = make(m)
        for state in random_states(m, 3, seed=7, steps=60)[1:]:
            oracle_set(m, d, state)
            mujoco.mj_forward(m, d)
            state = oracle_state(m, d)
            data.set_state(state)
            call("mj_forward", our, data)
            if not same_contacts(data, d) or np.abs(d.qacc).max() > WILD:
                continue
            nx = 2 * m.nv + m.na
            A, B, report = np.zeros((nx, nx)), np.zeros((nx, m.nu)), np.zeros(512)
            data.set_state(state)
            call("sn_transition", our, data, A, B, None, None, report)
            if report[NEAREST] < 1e-9:
                continue  # the state itself is at a switch: boxes face on face, contacts at their margin
            ours = np.hstack((A, B))
            middle = side(m, d, state, 0, 0.0)
            if touching(m, d, state) or (curved(m, d) and not settled(m, d, state)):
                continue
            for c in range(0, nx + m.nu, 1 + m.nv // LARGE):
                oracle_set(m, d, state)
                if not inside(m, d, c):
                    continue
                found = reference(m, d, state, c, middle)
                if found is None or found[1] > 2e-6:
                    left += 1
                    continue
                compared += 1
                expected, rough = found
                error = np.abs(ours[:, c] - expected).max() / max(0.01, np.abs(expected).max())
                # the reference is no better than its two halves agree
                assert error < 1e-6 + 2 * rough, (path, c, error, rough)
    need_some(compared)
    assert left <= max(3, 0.05 * (compared + left)), (left, compared)
