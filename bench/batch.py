"""Many simulations at once: sinew.Batch and sinew.rollout against the released rollout.

    python batch.py MODEL [REPEATS] [ROWS] [STEPS]

Runs where both packages can be imported. All start from the model's first keyframe (or its first
state) under the same random controls; Batch gets them step by step, as a policy would give them. The
best repeat counts, of those taken turn by turn. A repeat is long beside what it takes to wake threads
that slept while the others had their turns. Prints JSON lines, as `sinew bench` does.
"""

import json
import sys
import time

import mujoco
import mujoco.rollout
import numpy as np

import sinew

THREADS = (1, 2)
FULL = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)


def start(path, rows, steps):
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    state = np.empty(mujoco.mj_stateSize(model, FULL))
    mujoco.mj_getState(model, data, state, FULL)
    noise = np.random.default_rng(0).uniform(-0.1, 0.1, (rows, steps, model.nu))
    return model, np.tile(state, (rows, 1)), data.ctrl + noise


def main():
    path, numbers = sys.argv[1], [int(a) for a in sys.argv[2:]]
    repeats, rows, steps = numbers + [100, 32, 100][len(numbers) :]
    theirs, state, control = start(path, rows, steps)
    ours = sinew.MjModel.from_xml_path(path)
    calls = {}
    for n in THREADS:
        released = mujoco.rollout.Rollout(nthread=n if n > 1 else 0)
        batch = sinew.Batch(ours, rows, nthread=n)
        ctrl = batch.bind("ctrl")
        first = batch.state.copy()
        theirs_data = [mujoco.MjData(theirs) for _ in range(n)]
        ours_data = [sinew.MjData(ours) for _ in range(n)]

        def closed_loop(batch=batch, ctrl=ctrl, first=first):
            batch.state[:] = first
            batch.set_state(state, FULL)
            for t in range(steps):
                ctrl[:] = control[:, t]
                batch.step()

        calls["theirs", n] = lambda released=released, datas=theirs_data: released.rollout(theirs, datas, state, control)
        calls["Batch", n] = closed_loop
        calls["rollout", n] = lambda datas=ours_data: sinew.rollout.rollout(ours, datas, state, control)
    best = dict.fromkeys(calls, np.inf)
    for _ in range(repeats):
        for key, call in calls.items():
            begin = time.perf_counter()
            call()
            best[key] = min(best[key], (time.perf_counter() - begin) / (rows * steps) * 1e6)
    for what in ("Batch", "rollout"):
        for n in THREADS:
            ratio = best["theirs", n] / best[what, n]
            row = {"model": path, "call": f"{what} x{n}", "ours_us": best[what, n], "theirs_us": best["theirs", n], "ratio": ratio}
            print(json.dumps(row))
    gain = {what: best[what, 1] / best[what, 2] for what in ("Batch", "rollout", "theirs")}
    print(json.dumps({"  two threads over one": " ".join(f"{what} {value:.2f}" for what, value in gain.items())}))


if __name__ == "__main__":
    main()
