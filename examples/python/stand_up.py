"""A figure that crouches stands up: a trajectory by iLQG through contact.

python stand_up.py [--compare]     with --compare the same on differenced derivatives, and the time of both
"""

import subprocess
import sys
import tempfile

import numpy as np

import sinew
from sinew import control


def figure() -> sinew.MjSpec:
    """The figure of `sinew example`, with sensors."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "sinew", "example", f"{folder}/figure.xml"], check=True, stdout=subprocess.DEVNULL)
        spec = sinew.MjSpec.from_file(f"{folder}/figure.xml")
    for name, kind, type, body in (
        ("head", sinew.mjtSensor.mjSENS_FRAMEPOS, sinew.mjtObj.mjOBJ_XBODY, "head"),
        ("up", sinew.mjtSensor.mjSENS_FRAMEZAXIS, sinew.mjtObj.mjOBJ_XBODY, "chest"),
        ("drift", sinew.mjtSensor.mjSENS_SUBTREELINVEL, sinew.mjtObj.mjOBJ_BODY, "pelvis"),
    ):
        spec.add_sensor(name=name, type=kind, objtype=type, objname=body)
    return spec


def crouched(model: sinew.MjModel) -> sinew.MjData:
    """The figure on its bent knees."""
    data = sinew.MjData(model)
    for side in "lr":
        for joint, angle in (("hip_bend", -50), ("knee", 85), ("ankle", -35)):
            data.joint(f"{joint}_{side}").qpos = np.deg2rad(angle)
    data.joint("spine_bend").qpos = np.deg2rad(25)
    data.qpos[2] = 0.729
    sinew.mj_step(model, data, 5)
    return data


def task(model: sinew.MjModel) -> control.Cost:
    cost = control.Cost(model, ctrl=0.02, final=10)
    cost.sensor("head", weight=[1, 1, 10], target=[0, 0, 1.55])
    return cost.sensor("up", weight=[0, 0, 5], target=[0, 0, 1]).sensor("drift", weight=0.2).velocity(0.002)


def stand_up(derivatives: str = "analytic", horizon: int = 120, iterations: int = 20, **more) -> control.Plan:
    model = figure().compile()
    return control.optimize(model, crouched(model), task(model), horizon, derivatives=derivatives, iterations=iterations, tolerance=1e-3, **more)


def show(it: control.Iteration) -> None:
    print(f"{it.seconds:6.2f} s  cost {it.cost:9.3f}  step {it.step:.3f}")


if __name__ == "__main__":
    plan = stand_up(progress=show)
    print(f"the pelvis rises from {plan.qpos[0, 2]:.2f} to {plan.qpos[-1, 2]:.2f} m")
    if "--compare" in sys.argv:
        plans = {how: stand_up(how, nthread=1) for how in ("differences", "analytic")}
        goal = 1.01 * max(plan.cost for plan in plans.values())  # one that both reach
        spent, first = (next((it.seconds for it in plan.trace if it.cost <= goal), float("nan")) for plan in plans.values())
        print(f"cost {goal:.3f} with differences in {spent:.2f} s, with analytic derivatives in {first:.2f} s: {spent / first:.1f} times faster")
