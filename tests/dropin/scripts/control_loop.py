"""A control loop with feedback from named joints."""
import math

import mujoco
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
while data.time < 1:
    target = 0.5 * math.sin(2 * data.time)
    data.actuator("shoulder").ctrl = target
    elbow = data.joint("elbow")
    data.ctrl[1] = 2 * (0.6 - elbow.qpos[0]) - 0.3 * elbow.qvel[0]
    data.actuator("lag").ctrl[0] = 0.2
    mujoco.mj_step(model, data)
print(data.time, data.qpos, data.qvel, data.act)
print(data.body("hand").xpos, data.geom("hand").xmat, data.site("tip").xpos)
