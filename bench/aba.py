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
    flags = sinew.mjtDisableBit
    model.opt.disableflags |= flags.mjDSBL_CONSTRAINT | flags.mjDSBL_CONTACT | flags.mjDSBL_PASSIVE | flags.mjDSBL_ACTUATION
    data, work = sinew.MjData(model), theirs.createData()
    nv, rng = model.nv, np.random.default_rng(1)
    by_q, by_v, by_act, by_ctrl, by_force = (np.zeros((nv, n)) for n in (nv, nv, model.na, model.nu, nv))
    best = np.full((2, STATES), np.inf)
    states = [(rng.uniform(-1, 1, nv), rng.standard_normal(nv), rng.standard_normal(nv)) for _ in range(STATES)]
    for r in range(repeats):
        for i, (q, v, tau) in enumerate(states):
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
            start = time.perf_counter()
            _sinew._derive_forward(model, data, by_q, by_v, by_act, by_ctrl, by_force)
            best[0, i] = min(best[0, i], time.perf_counter() - start)
            start = time.perf_counter()
            pinocchio.computeABADerivatives(theirs, work, q, v, tau)
            best[1, i] = min(best[1, i], time.perf_counter() - start)
            if r:
                continue
            minv = np.triu(work.Minv) + np.triu(work.Minv, 1).T
            for name, a, b in (("q", by_q, work.ddq_dq), ("v", by_v, work.ddq_dv), ("tau", by_force, minv)):
                if np.abs(a - b).max() > 1e-6 * np.abs(b).max():
                    sys.exit(f"derivatives by {name} differ: {np.abs(a - b).max():.2g} of {np.abs(b).max():.2g}")
    ours, pin = 1e6 * best.mean(axis=1)
    print(json.dumps({"model": path, "call": "ABADerivatives", "ours_us": ours, "theirs_us": pin, "ratio": pin / ours}))


if __name__ == "__main__":
    main()
