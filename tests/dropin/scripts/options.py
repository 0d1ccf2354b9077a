"""Options and properties changed while a simulation runs."""
import mujoco
from models import BLOCKS, CARTPOLE

for integrator in (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4, mujoco.mjtIntegrator.mjINT_IMPLICIT):
    model = mujoco.MjModel.from_xml_string(CARTPOLE)
    model.opt.integrator = integrator
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
    data = mujoco.MjData(model)
    data.qpos[1] = 1
    mujoco.mj_step(model, data, 100)
    print(mujoco.mjtIntegrator(model.opt.integrator).name, data.qpos, data.energy)
model = mujoco.MjModel.from_xml_string(BLOCKS)
data = mujoco.MjData(model)
model.opt.gravity = [1, 0, -9.81]
model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
model.opt.solver = mujoco.mjtSolver.mjSOL_CG
model.geom_friction[:, 0] = 0.5
model.body("a").mass *= 3
mujoco.mj_setConst(model, data)
mujoco.mj_step(model, data, 100)
print([round(float(x), 4) for x in data.qpos], model.stat.meanmass, model.opt.timestep, model.vis.global_.fovy, model.opt.tolerance)
print(data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number, data.solver_niter.shape, data.timer[0].number > 0)
