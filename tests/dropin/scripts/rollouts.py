"""Open-loop simulations on threads."""
import mujoco
import numpy as np
from models import CARTPOLE
from mujoco import rollout

model = mujoco.MjModel.from_xml_string(CARTPOLE)
data = [mujoco.MjData(model) for _ in range(2)]
rng = np.random.default_rng(0)
spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
start = np.zeros((6, mujoco.mj_stateSize(model, spec)))
start[:, 2] = np.linspace(-0.2, 0.2, 6)
state, sensors = rollout.rollout(model, data, start, rng.uniform(-1, 1, (6, 40, model.nu)))
print(state.shape, sensors.shape, state[:, -1], sensors[:, ::20].ravel())
for each in data:
    each.ctrl[0] = 0.5  # held where no control is given
    each.qfrc_applied[1] = 3  # not an input of a rollout
with rollout.Rollout(nthread=2) as pool:
    again, _ = pool.rollout(model, data, start, nstep=5)
print(again[3])
