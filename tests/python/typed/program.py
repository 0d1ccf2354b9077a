"""What a user writes, for type checkers in their strict modes; it is not run."""

import numpy as np
import sinew
import sinew as mujoco
from sinew import Batch, MjData, MjModel, MjSpec, confined, install_as_mujoco, minimize, mj_step, mjtObj, rollout, solver
from sinew.batch import Batch as Same


def simulate(path: str) -> float:
    model = MjModel.from_xml_path(path, confine=True)
    data = MjData(model)
    data.qpos[2] = 1.0
    data.ctrl = np.zeros(model.nu)
    mj_step(model, data, nstep=10)
    mujoco.mj_forward(model, data)
    name = mujoco.mj_id2name(model, int(mjtObj.mjOBJ_BODY), 1)
    return float(data.qpos[2]) + (len(name) if name else 0)


def many(model: MjModel) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    batch: Same = Batch(model, 8, nthread=2)
    batch.step()
    states, _ = rollout.rollout(model, MjData(model), np.zeros(model.nq))
    solver.choose(model, batch.get_data(0), "soft")
    x, _ = minimize.least_squares(np.zeros(2), lambda v: v)
    return np.asarray(states * float(x[0]), np.float64)


def edit() -> MjModel:
    with confined("."):
        spec = MjSpec.from_string("<mujoco/>")
    geom = spec.worldbody.add_geom(size=[0.1, 0, 0])
    geom.rgba = [1, 0, 0, 1]
    key = spec.add_key(name="home")
    key.qpos = [1, 2]
    key.qpos[0] = 4
    return spec.compile()


sinew.set_budget(elements=2 * sinew.get_budget()[0])
version: str = sinew.sinew_version
install_as_mujoco()
