"""Readings by name, and what there is to know about a sensor."""
import mujoco
from models import ARM

model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
for step in range(400):
    data.ctrl[0] = 1
    mujoco.mj_step(model, data)
for i in range(model.nsensor):
    sensor = model.sensor(i)
    print(sensor.name, sensor.type, sensor.dim, sensor.adr, mujoco.mjtSensor(model.sensor_type[i]).name, data.sensor(sensor.name).data)
print(data.sensordata)
