"""Random URDF robots: trees of links with every joint, shape and setting of the extension."""

import random

MESH = """v 0 0 0\nv .3 0 0\nv 0 .2 0\nv 0 0 .4\nv .1 .1 .3
f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 2 5 4\nf 3 4 5\n"""
FILES = {name: MESH for name in ("a.obj", "c.obj", "b.obj", "sub/a.obj", "sub/b.obj", "sub/c.obj", "sub/sub/b.obj")}
JOINTS = "revolute revolute continuous prismatic fixed fixed floating planar planar spherical".split()
SETTINGS = {
    "discardvisual": "true false", "strippath": "true false", "fusestatic": "true false", "meshdir": "sub ./",
    "balanceinertia": "true", "boundmass": ".02", "boundinertia": ".01", "inertiafromgeom": "true false auto",
    "settotalmass": "5", "angle": "radian degree", "eulerseq": "XYZ zyx", "saveinertial": "true",
    "alignfree": "true false"}


class Robot:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def chance(self, p):
        return self.rng.random() < p

    def numbers(self, n, low=-1.0, high=1.0):
        return " ".join(f"{self.rng.uniform(low, high):.4g}" for _ in range(n))

    def maybe(self, p, text):
        return text if self.chance(p) else ""

    def origin(self):
        place = self.maybe(0.8, f' xyz="{self.numbers(3)}"') + self.maybe(0.6, f' rpy="{self.numbers(3, -3, 3)}"')
        return self.maybe(0.7, f"<origin{place}/>")

    def inertial(self):
        terms = [self.rng.uniform(0.1, 0.2) for _ in range(3)] + [0.01 * self.rng.randint(-1, 1) for _ in range(3)]
        if self.chance(0.05):
            terms[0] = self.rng.choice([2.0, -0.1])
        inertia = " ".join(f'{name}="{value:.4g}"' for name, value in zip("ixx iyy izz ixy ixz iyz".split(), terms))
        mass = f'<mass value="{self.numbers(1, 0.01, 3) if self.chance(0.97) else 0}"/>'
        return self.maybe(0.85, f"<inertial>{self.origin()}{mass}{self.maybe(0.98, f'<inertia {inertia}/>')}</inertial>")

    def shape(self, role):
        round_ = f'radius="{self.numbers(1, 0.05, 0.3)}"'
        mesh = self.rng.choice(["a.obj", "sub/b.obj"])
        geometry = self.rng.choice([
            f'<box size="{self.numbers(3, 0.05, 0.4)}"/>', f"<sphere {round_}/>",
            f'<cylinder {round_} length=".3"/>', f'<capsule {round_} length=".2"/>', f'<mesh filename="{mesh}"/>',
            '<mesh filename="c.obj" scale="2 1 .5"/>'])
        color = f'<color rgba="{self.numbers(4, 0, 1)}"/>'
        material = self.rng.choice(['<material name="red"/>', f'<material name="">{color}</material>',
                                    f'<material name="m{self.rng.randint(0, 2)}">{color}</material>', ""])
        name = self.maybe(0.3, f' name="{role}{self.rng.randint(0, 20)}"')
        return (f"<{role}{name}>{self.origin()}<geometry>{geometry}</geometry>"
                f"{material if role == 'visual' else ''}</{role}>")

    def link(self, name):
        parts = [self.inertial()]
        for role in ("visual", "collision"):
            parts += [self.shape(role) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        self.rng.shuffle(parts)
        return f'<link name="{name}">{"".join(parts)}</link>'

    def joint(self, number, parent, child):
        kind = self.rng.choice(JOINTS)
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        axis = self.rng.choice(["1 0 0", "0 0 -1", self.numbers(3)])
        limit = (self.maybe(0.9, f' lower="{self.numbers(1, -2, 0)}" upper="{self.numbers(1, 0.1, 2)}"')
                 + self.maybe(0.7, f' effort="{self.rng.choice([0, 5, 17.5])}" velocity="3"'))
        dynamics = self.maybe(0.8, f' damping="{self.numbers(1, 0, 2)}"') + self.maybe(0.6, ' friction=".3"')
        return (f'<joint name="j{number}" type="{kind}">{self.origin()}{ends}' + self.maybe(0.85, f'<axis xyz="{axis}"/>')
                + self.maybe(0.8, f"<limit{limit}/>") + self.maybe(0.5, f"<dynamics{dynamics}/>")
                + self.maybe(0.1, '<safety_controller k_velocity="3"/>') + "</joint>")

    def files(self):
        settings = " ".join(f'{name}="{self.rng.choice(values.split())}"' for name, values in SETTINGS.items()
                            if self.chance(0.25))
        option = self.maybe(0.2, '<option timestep=".004"/>')
        extension = self.maybe(0.6, f"<mujoco><compiler {settings}/>{option}</mujoco>")
        names = [self.rng.choice(["world", "base", "base"])] + [f"l{i}" for i in range(1, self.rng.randint(1, 7))]
        parts = [self.link(name) for name in names]
        for i, name in enumerate(names[1:], 1):
            parts.append(self.joint(i, self.rng.choice(names[:i] if self.chance(0.98) else names), name))
        parts.append(self.maybe(0.5, '<material name="red"><color rgba="1 0 0 1"/></material>'))
        if self.chance(0.4):
            self.rng.shuffle(parts)
        return {"main.xml": f'<robot name="r">{extension}{"".join(parts)}</robot>', **FILES}
