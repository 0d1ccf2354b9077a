"""Wider random models for the derivatives of the step: what derive_random.py makes, with height fields, contact pairs,
every solver, mocap bodies that push and lead, gravity compensation, dense media, sensors of limits and of distances,
and states at rest or with quaternions that are not normalized."""

import re

import derive_random
import numpy as np

INTEGRATORS = ("Euler", "Euler", "implicit", "implicitfast", "RK4")


class Wide(derive_random.Derived):
    def __init__(self, seed):
        super().__init__(seed)
        self.rng = np.random.default_rng((seed, 24))
        self.media = self.maybe(0.3)
        self.limited, self.bounded = [], []  # joints, tendons

    def body(self, depth):
        text = super().body(depth)
        return re.sub(r'<body name="b\d+"', lambda name: name[0] + self.optional("gravcomp", self.num(1, -0.5, 1.5), 0.2), text, count=1)

    def joint(self, kind):
        text = super().joint(kind)
        if kind == "free" and self.maybe(0.3):  # springs and dampers of free joints
            text = text[:-2] + f' stiffness="{self.num(1, 0, 5)}" damping="{self.num(1, 0, 1)}" frictionloss="{self.num(1, 0, 1)}"/>'
        if " range=" in text:
            self.limited.append(self.joints[-1][0])
        return text

    def tendon(self, i):
        text = super().tendon(i)
        if " range=" in text:
            self.bounded.append(f"t{i}")
        return text

    def actuator(self, tendons):
        text = super().actuator(tendons)
        joints = [name for name, _ in self.joints]
        if joints and self.maybe(0.3):
            kind = self.pick(["motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "dcmotor"][:7])
            where = f'joint="{self.pick(joints)}"'
            if tendons and self.maybe(0.4):
                where = f'tendon="{self.pick(tendons)}"'
            more = {"position": f' kp="{self.num(1, 0, 20)}" kv="{self.num(1, 0, 2)}"' + self.optional("timeconst", self.num(1, 0.01, 0.2), 0.4),
                    "velocity": f' kv="{self.num(1, 0, 3)}"',
                    "intvelocity": f' kp="{self.num(1, 0, 20)}" actrange="-2 2"',
                    "damper": f' kv="{self.num(1, 0, 3)}" ctrlrange="0 1"',
                    "cylinder": f' timeconst="{self.num(1, 0.01, 1)}" area="{self.num(1, 0.1, 2)}" bias="{self.num(3)}"',
                    "muscle": f' lengthrange="{self.pair(-1, 1)}" force="{self.num(1, 1, 50)}"' + self.optional("tausmooth", 0.2)}.get(kind, "")
            text = f"<{kind} {where}{more}/>"
        return text

    def sensor(self, tendons, actuators):
        choices = []
        for name in self.limited:
            choices += [f'<{kind} joint="{name}"/>' for kind in ("jointlimitpos", "jointlimitvel", "jointlimitfrc")]
        for name in self.bounded:
            choices += [f'<{kind} tendon="{name}"/>' for kind in ("tendonlimitpos", "tendonlimitvel", "tendonlimitfrc")]
        if len(self.geoms) > 1:
            a, b = self.rng.permutation([name for name, _ in self.geoms])[:2]
            choices += [f'<{kind} geom1="{a}" geom2="{b}" cutoff="3"/>' for kind in ("distance", "normal", "fromto")] * 2
        if choices and self.maybe(0.3):
            return self.pick(choices)
        return super().sensor(tendons, actuators)

    def pairs(self):
        names = [name for name, _ in self.geoms]
        text = ""
        for _ in range(self.rng.integers(0, 3)):
            if len(names) < 2:
                break
            a, b = self.rng.permutation(names)[:2]
            text += f'<pair geom1="{a}" geom2="{b}" condim="{self.pick([1, 3, 4, 6])}"' + self.soft(p=0.5)
            text += self.optional("solreffriction", self.num(1, 0.01, 0.1) + " " + self.num(1, 0.3, 1.5), 0.5)
            text += self.optional("friction", self.num(5, 0.1, 1), 0.5) + self.optional("margin", self.num(1, 0, 0.3), 0.5)
            text += self.optional("gap", self.num(1, 0, 0.02), 0.2) + "/>"
        return text


def model(seed):
    w = Wide(seed)
    bodies = "".join(w.body(0) for _ in range(w.rng.integers(1, 4)))
    bodies += f'<body>{w.joint("slide")}{w.geom()}</body>'  # something moves
    bodies += f'<body name="mocap" mocap="true" pos="{w.num(3)}" quat="{w.num(4)}"><geom type="{w.pick(["sphere", "box", "capsule"])}" size=".1 .1 .1"/></body>'
    texts, tendons, actuators, sensors, flags = derive_random.links(w)
    scale = 1000 if w.media else 3
    option = w.optional("density", w.num(1, 0, scale), 0.5) + w.optional("viscosity", w.num(1, 0, 1), 0.5) + w.optional("wind", w.num(3))
    option += w.optional("gravity", w.num(3, -10, 10)) + w.optional("magnetic", w.num(3))
    option += w.optional("actuatorgroupdisable", "2 3", 0.3) + f' jacobian="{w.pick(["dense", "sparse"])}"'
    option += f' integrator="{w.pick(INTEGRATORS)}" timestep="{w.num(1, 0.0005, 0.01)}"' + w.option()
    option += f' solver="{w.pick(["Newton", "Newton", "CG", "PGS"])}"' + w.optional("noslip_iterations", 3, 0.05)
    equality = "".join(w.equality(tendons) for _ in range(w.rng.integers(0, 5)))
    assets = derive_random.ROCK
    if w.maybe(0.25):
        heights = " ".join(f"{x:.2f}" for x in w.rng.uniform(0, 1, 36))
        assets = assets.replace("</asset>", f'<hfield name="hills" nrow="6" ncol="6" size="2 2 .5 .1" elevation="{heights}"/></asset>')
        bodies += f'<geom type="hfield" hfield="hills" pos="0 0 {w.num(1, -1.5, -0.3)}" condim="{w.pick([1, 3, 4, 6])}"/>'
    else:
        bodies += f'<geom type="plane" size="1 1 1" pos="0 0 {w.num()}" condim="{w.pick([1, 3, 4, 6])}"/>'
    return f"""<mujoco><option{option}><flag{flags}/></option>{assets}
<contact>{w.pairs()}</contact><equality>{equality}</equality>
<worldbody>{bodies}</worldbody><tendon>{"".join(texts)}</tendon><actuator>{"".join(actuators)}</actuator>
<sensor>{"".join(sensors)}</sensor></mujoco>"""
