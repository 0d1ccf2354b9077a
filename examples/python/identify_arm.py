"""Ten masses, friction and damping of a robot on the floor from noisy recordings.

python identify_arm.py [plot.svg]
"""

import sys

import numpy as np

import sinew
from sinew import identify


def chain(links: int = 9) -> str:
    """A sled that slides on the floor and carries an arm."""
    inner = ""
    for i in reversed(range(links)):
        axis = ("0 1 0", "1 0 0", "0 0 1")[i % 3]
        inner = (
            f"<body name='link{i}' pos='0 0 .1'><joint name='joint{i}' axis='{axis}' damping='.4' armature='.02' stiffness='20'/>"
            f"<geom type='capsule' size='.03' fromto='.02 0 .02 .03 0 .08' mass='{0.5 + 0.1 * (i % 4)}' contype='0' conaffinity='0'/>{inner}</body>"
        )
    motors = "".join(f"<motor name='motor{i}' joint='joint{i}' gear='4'/>" for i in range(links))
    return (
        "<mujoco><option timestep='.005' integrator='implicitfast' cone='elliptic' tolerance='1e-12'/><worldbody>"
        "<geom name='floor' type='plane' size='9 9 .1' friction='.01'/><body name='sled' pos='0 0 .1'><freejoint/>"
        f"<geom name='sled' type='box' size='.6 .6 .1' mass='8' friction='.35'/>{inner}</body></worldbody>"
        f"<actuator>{motors}<motor name='push' site='hook' gear='30 0 0 0 0 0'/></actuator></mujoco>"
    ).replace("<geom name='sled'", "<site name='hook'/><geom name='sled'")


def measure(model: sinew.MjModel, rng: np.random.Generator, steps: int, noise: tuple[float, float]) -> identify.Record:
    """A roll-out with smooth random controls, and noise on what is measured."""
    data = sinew.MjData(model)
    sinew.mj_step(model, data, 100)
    time = np.arange(steps)[:, None] * model.opt.timestep
    ctrl = sum(rng.normal(size=model.nu) * np.sin(2 * np.pi * (f * time + rng.uniform(size=model.nu))) for f in (0.7, 1.6, 3.1))
    qpos, qvel = [], []
    for u in ctrl:
        qpos.append(np.array(data.qpos))
        qvel.append(np.array(data.qvel))
        data.ctrl[:] = u
        sinew.mj_step(model, data)
    qpos.append(np.array(data.qpos))
    qvel.append(np.array(data.qvel))
    for q in qpos:
        sinew.mj_integratePos(model, q, rng.normal(size=model.nv), noise[0])
    return identify.Record(qpos, np.array(qvel) + noise[1] * rng.normal(size=(steps + 1, model.nv)), ctrl)


def recover(records: int = 4, steps: int = 150, progress=None) -> tuple[identify.Fit, np.ndarray]:
    """What was found, and the truth."""
    rng = np.random.default_rng(3)
    truth = sinew.MjModel.from_xml_string(chain())
    guess = sinew.MjModel.from_xml_string(chain())
    bodies = ["sled"] + [f"link{i}" for i in range(9)]
    parameters = [identify.mass(name) for name in bodies]
    parameters += [identify.friction("sled"), identify.damping("joint0"), identify.damping("joint1")]
    for i, body in enumerate(bodies):  # the guess is up to 40% off
        factor = 1 + 0.4 * rng.uniform(-1, 1)
        guess.body(body).mass[:] *= factor
        guess.body(body).inertia[:] *= factor
    guess.geom("sled").friction[0] *= 0.7
    for joint in ("joint0", "joint1"):
        guess.joint(joint).damping[:] *= 1.5
    sinew.mj_setConst(guess, sinew.MjData(guess))
    recorded = [measure(truth, rng, steps, (2e-5, 1e-3)) for _ in range(records)]
    found = identify.fit(guess, parameters, recorded, window=25, progress=progress)
    true = [truth.body(b).mass[0] for b in bodies] + [0.35, 0.4, 0.4]
    return found, np.array(true)


if __name__ == "__main__":
    found, true = recover(progress=lambda it: print(f"{it.seconds:6.1f} s  residual {it.error:8.3f} standard deviations"))
    print(found)
    print(f"largest error: {100 * np.abs(found.values / true - 1).max():.2f}%")
    if len(sys.argv) > 1:
        found.plot(sys.argv[1])
