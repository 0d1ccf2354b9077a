"""iLQG through contact by where derivatives come from: analytic, differences of this engine, differences of the released one.

    python control.py [STARTS]

Runs where both packages and examples/python can be imported. The figure of stand_up.py stands up from its crouch, and from
crouches near it, with the same algorithm throughout; only A, B, C and D come from elsewhere. Two goals for each start: the
cost that the differences end with, plus 1%; and the higher of both ends, plus 1%, which both reach. Times are from the call
to the iteration that reaches the goal, processor time on one thread and wall time on two.
"""

import sys
import time

import mujoco
import numpy as np
import stand_up

import sinew
from sinew import control

FULL = int(sinew.mjtState.mjSTATE_INTEGRATION)


class Released(control._Optimizer):
    """Differences by the released engine, of the same model."""

    model_of: mujoco.MjModel

    def linear(self, path):
        data = mujoco.MjData(self.model_of)
        self.path.state[:] = path.state
        for t, state in enumerate(path.state):
            mujoco.mj_setState(self.model_of, data, state, FULL)
            mujoco.mjd_transitionFD(self.model_of, data, 1e-6, False, *(by[t] for by in self.by))
        return self.by


SOURCES = {"analytic": (control._Optimizer, "analytic"), "differences": (control._Optimizer, "differences"), "released": (Released, "differences")}


def run(model, data, source, nthread):
    """(cost, seconds) of every iteration."""
    own, derivatives = SOURCES[source]
    clock = time.process_time if nthread == 1 else time.perf_counter
    trace = []
    kept, control._Optimizer = control._Optimizer, own
    began = clock()
    try:
        control.optimize(
            model, data, stand_up.task(model), 120, iterations=30, tolerance=1e-3, derivatives=derivatives, nthread=nthread,
            progress=lambda it: trace.append((it.cost, clock() - began)),
        )  # fmt: skip
    finally:
        control._Optimizer = kept
    return trace


def reach(trace, goal):
    return next((seconds for cost, seconds in trace if cost <= goal), np.nan)


def starts(model, count):
    """The crouch of the example, then others: joints turned a little, settled for a few steps."""
    for seed in range(count):
        data = stand_up.crouched(model)
        if seed:
            data.qpos[7:] += np.random.default_rng(seed).uniform(-0.05, 0.05, model.nq - 7)
            sinew.mj_step(model, data, 5)
        yield data


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    spec = stand_up.figure()
    model = spec.compile()
    Released.model_of = mujoco.MjModel.from_xml_string(spec.to_xml())
    run(model, stand_up.crouched(model), "analytic", 2)  # threads, caches
    for nthread, what in ((1, "processor time, 1 thread"), (2, "wall time, 2 threads")):
        print(f"{what}: final costs and iterations; seconds to the cost of the differences / to a cost that both reach")
        rows = []
        for start, data in enumerate(starts(model, count)):
            traces = {source: run(model, data, source, nthread) for source in SOURCES if nthread == 1 or source != "released"}
            ends = {source: trace[-1][0] for source, trace in traces.items()}
            goals = [1.01 * ends["differences"], 1.01 * max(ends.values())]
            rows.append({source: [reach(trace, goal) for goal in goals] + [trace[-1][1] / len(trace)] for source, trace in traces.items()})
            for source, trace in traces.items():
                first, both, each = rows[-1][source]
                print(f"  start {start} {source:12} cost {ends[source]:8.3f} after {len(trace):2}  {first:6.3f} / {both:6.3f} s  {1e3 * each:6.1f} ms an iteration")
        for source in list(rows[0])[1:]:
            for k, goal in enumerate(("cost of the differences", "cost that both reach")):
                pairs = [(row[source][k], row["analytic"][k]) for row in rows if np.isfinite(row["analytic"][k])]
                spent, first = np.sum(pairs, axis=0) if pairs else (np.nan, np.nan)
                print(f"{source} over analytic, {goal}: {spent / first:.2f} times, {len(pairs)} of {len(rows)} starts")
            print(f"{source} over analytic, an iteration: {np.mean([row[source][2] for row in rows]) / np.mean([row['analytic'][2] for row in rows]):.2f} times")


if __name__ == "__main__":
    main()
