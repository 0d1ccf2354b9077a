"""Derivatives of forward dynamics without contact against Pinocchio's computeABADerivatives, on the same robot.

    python aba.py MODEL [REPEATS]

Runs where both packages can be imported. Constraints, springs, dampers and collisions are switched off; what is left are
d qacc / d(q, v, tau). Both are called from Python, with arrays that are there, at the same random states turn by turn.
Prints a JSON line, as `sinew bench` does, and fails when the two do not agree.
"""

import json
import pathlib
import sys
import time

import numpy as np
import pinocchio

import sinew
from sinew import _sinew

STATES = 20


def main():
    path, repeats = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    model = sinew.MjModel.from_xml_path(path)
    theirs = pinocchio.buildModelFromMJCF(path)
    if theirs.nv != model.nv or model.nq != model.nv:
        sys.exit(f"{pathlib.Path(path).name}: not a chain of hinges and slides in both")
    # where each dof of ours is in theirs, which sorts joints by name
    place = np.array([theirs.joints[theirs.getJointId(model.joint(j).name)].idx_v for j in range(model.njnt)])
    flags = sinew.mjtDisableBit
    model.opt.disableflags |= flags.mjDSBL_CONSTRAINT | flags.mjDSBL_CONTACT | flags.mjDSBL_PASSIVE | flags.mjDSBL_ACTUATION
    data, work = sinew.MjData(model), theirs.createData()
    nv, rng = model.nv, np.random.default_rng(1)
    by_q, by_v, by_act, by_ctrl, by_force = (np.zeros((nv, n)) for n in (nv, nv, model.na, model.nu, nv))
    sides = (("q", by_q, "ddq_dq"), ("v", by_v, "ddq_dv"), ("tau", by_force, "Minv"))
    best = np.full((2, STATES), np.inf)
    states = [(rng.uniform(-1, 1, nv), rng.standard_normal(nv), rng.standard_normal(nv)) for _ in range(STATES)]
    for r in range(repeats):
        for i, (q, v, tau) in enumerate(states):
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
            start = time.perf_counter()
            _sinew._derive_forward(model, data, by_q, by_v, by_act, by_ctrl, by_force)
            best[0, i] = min(best[0, i], time.perf_counter() - start)
            there = [np.zeros(nv) for _ in range(3)]
            for to, numbers in zip(there, (q, v, tau)):
                to[place] = numbers
            start = time.perf_counter()
            pinocchio.computeABADerivatives(theirs, work, *there)
            best[1, i] = min(best[1, i], time.perf_counter() - start)
            if r:
                continue
            for name, ours, field in sides:
                expected = getattr(work, field)
                if field == "Minv":
                    expected = np.triu(expected) + np.triu(expected, 1).T
                expected = expected[np.ix_(place, place)]
                if np.abs(ours - expected).max() > 1e-6 * np.abs(expected).max():
                    sys.exit(f"derivatives by {name} differ: {np.abs(ours - expected).max():.2g} of {np.abs(expected).max():.2g}")
    ours, pin = 1e6 * best.mean(axis=1)
    print(json.dumps({"model": path, "call": "ABADerivatives", "ours_us": ours, "theirs_us": pin, "ratio": pin / ours}))


if __name__ == "__main__":
    main()
