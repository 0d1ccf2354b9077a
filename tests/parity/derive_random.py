"""Random models for the derivatives of the step: what random_smooth.py makes, with every integrator, solver and
cone, curved shapes and meshes that touch, tendons around obstacles with side sites, and adhesion."""

import re

import random_smooth

INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")


class Derived(random_smooth.Constrained):
    GEOMS = ("sphere", "capsule", "box", "ellipsoid", "cylinder", "mesh")

    def __init__(self, seed):
        super().__init__(seed)
        self.seed, self.sides = seed, []

    def geom(self):
        text = super().geom()
        name, kind = self.geoms[-1]
        if self.maybe(0.5):  # or all would be rows of contacts
            text = re.sub(r' conaffinity="\d"', "", text)[:-2] + ' contype="0" conaffinity="0"/>'
        # a side site: above the obstacle, or within it
        if kind in ("sphere", "cylinder") and self.maybe(0.4):
            side = f"side{len(self.sides)}"
            self.sides.append((name, side))
            far = self.num(1, 0.22, 0.4) if self.maybe(0.6) else self.num(1, -0.01, 0.01)
            text += f'<site name="{side}" pos="0 0 {far}"/>'
        if kind == "mesh":
            text = text.replace('type="mesh"', 'type="mesh" mesh="rock"')
        return text

    def tendon(self, i):
        text = super().tendon(i)
        for geom, side in self.sides:
            if self.maybe(0.6):
                text = text.replace(f'<geom geom="{geom}"/>', f'<geom geom="{geom}" sidesite="{side}"/>')
        if self.seed % 4:  # with it the whole step is differenced, and shows nothing here
            text = re.sub(r'(<spatial[^>]*) armature="[^"]*"', r"\1", text)
        return text

    def body(self, depth):
        return super().body(depth + 4)

    def joint(self, kind):
        text = super().joint(kind)
        if kind not in ("free", "ball") and self.maybe(0.1) and "stiffness" not in text:
            text = text[:-2] + f' springdamper="{self.num(2, 0.2, 1)}"/>'
        return text

    def actuator(self, tendons):
        if self.maybe(0.08):
            return f'<adhesion body="{self.pick(self.bodies[1:])}" ctrlrange="0 1" gain="{self.num(1, 1, 20)}"/>'
        return super().actuator(tendons)


ROCK = ('<asset><mesh name="rock" vertex=".1 0 .02 -.08 .09 0 -.07 -.1 .01 0 .01 .13 .02 -.01 -.12 .05 .08 .06"/></asset>')


def links(w):
    """Tendons, actuators, sensors and flags, for the bodies that there are."""
    texts = [w.tendon(i) for i in range(w.rng.integers(0, 4))]
    tendons = [f"t{i}" for i, text in enumerate(texts) if text]
    actuators = [a[:a.index(" ")] + f' name="a{i}"' + a[a.index(" "):]
                 for i, a in enumerate(w.actuator(tendons) for _ in range(w.rng.integers(0, 10)))]
    sensors = [w.sensor(tendons, len(actuators)) for _ in range(w.rng.integers(5, 20))]
    flags = "".join(w.optional(flag, "disable", 0.06) for flag in "gravity passive clampctrl actuation nativeccd".split())
    flags += w.flags() + w.optional("island", "disable", 0.2) + w.optional("multiccd", "enable", 0.2)
    return texts, tendons, actuators, sensors, flags


def model(seed):
    w = Derived(seed)
    bodies = "".join(w.body(0) for _ in range(w.rng.integers(1, 4)))
    bodies += f'<body>{w.joint("slide")}{w.geom()}</body>'  # something moves
    bodies += f'<body name="mocap" mocap="true" pos="{w.num(3)}"><geom size=".1"/></body>'
    texts, tendons, actuators, sensors, flags = links(w)
    option = w.optional("density", w.num(1, 0, 3), 0.3) + w.optional("viscosity", w.num(1, 0, 1), 0.3) + w.optional("wind", w.num(3))
    option += w.optional("gravity", w.num(3, -10, 10)) + w.optional("magnetic", w.num(3))
    option += w.optional("actuatorgroupdisable", "2 3", 0.3) + f' jacobian="{w.pick(["dense", "sparse"])}"'
    option += f' integrator="{w.pick(INTEGRATORS)}" timestep="{w.num(1, 0.0005, 0.01)}"' + w.option()
    equality = "".join(w.equality(tendons) for _ in range(w.rng.integers(0, 4)))
    bodies += f'<geom type="plane" size="1 1 1" pos="0 0 {w.num()}" condim="{w.pick([1, 3, 4, 6])}"/>'
    return f"""<mujoco><option{option}><flag{flags}/></option>{ROCK}
<equality>{equality}</equality>
<worldbody>{bodies}</worldbody><tendon>{"".join(texts)}</tendon><actuator>{"".join(actuators)}</actuator>
<sensor>{"".join(sensors)}</sensor></mujoco>"""
