"""Jacobians, and an inverse kinematics step by them."""
import mujoco
import numpy as np
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, model.key("ready").id)
mujoco.mj_forward(model, data)
jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
site = model.site("tip").id
goal = data.mocap_pos[0]
for _ in range(60):
    mujoco.mj_jacSite(model, data, jacp, jacr, site)
    error = goal - data.site_xpos[site]
    J = jacp[:, :6]
    dq = np.zeros(model.nv)
    dq[:6] = J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(3), error)
    mujoco.mj_integratePos(model, data.qpos, dq, 0.3)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
print(np.linalg.norm(goal - data.site_xpos[site]) < 1e-3, data.site("tip").xpos)
body = np.zeros((3, model.nv))
mujoco.mj_jacBody(model, data, body, None, model.body("hand").id)
mujoco.mj_jacBodyCom(model, data, jacp, None, 3)
mujoco.mj_jacSubtreeCom(model, data, jacr, 1)
print(body, jacp, jacr)
mujoco.mj_jac(model, data, jacp, jacr, [0.1, 0.2, 0.3], model.body("lower").id)
print(jacp, jacr)
mujoco.mj_jacDot(model, data, jacp, jacr, [0.1, 0.2, 0.3], 2)
velocity = np.zeros(6)
data.qvel[:3] = 1
mujoco.mj_forward(model, data)
mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, velocity, 0)
print(velocity, jacp)
