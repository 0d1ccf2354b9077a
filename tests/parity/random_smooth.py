"""Random models for the smooth dynamics: trees with every joint, transmission, activation, gain, bias,
tendon, sensor, camera and light mode, medium and flag, each attribute drawn at random."""

import numpy as np


class Writer:
    GEOMS = ("sphere", "capsule", "cylinder", "box", "ellipsoid")

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.bodies, self.joints, self.sites, self.geoms, self.cameras = ["world"], [], [], [], []

    def maybe(self, p=0.5):
        return self.rng.random() < p

    def pick(self, items):
        return items[self.rng.integers(len(items))]

    def num(self, n=1, low=-1.0, high=1.0):
        return " ".join(f"{x:.4g}" for x in self.rng.uniform(low, high, n))

    def pair(self, low, high):
        return " ".join(f"{x:.4g}" for x in np.sort(self.rng.uniform(low, high, 2)) + [0, 0.01])

    def optional(self, name, value, p=0.5):
        return f' {name}="{value}"' if self.maybe(p) else ""

    def joint(self, kind):
        name = f"j{len(self.joints)}"
        self.joints.append((name, kind))
        # joints of a body may do the same: without armature M would be singular
        text = f'<joint name="{name}" type="{kind}" armature="{self.num(1, 0.05, 0.3)}"'
        if kind != "free":
            text += self.optional("pos", self.num(3, -0.2, 0.2))
            text += self.optional("damping", self.num(1, 0, 1)) + self.optional("stiffness", self.num(1, 0, 5))
            text += self.optional("actuatorgravcomp", "true", 0.3)
        if kind in ("hinge", "slide"):
            text += f' axis="{self.num(3)} "' + self.optional("ref", self.num()) + self.optional("springref", self.num())
            text += self.optional("actuatorfrcrange", self.pair(-2, 2), 0.3)
        return text + "/>"

    def geom(self):
        name = f"g{len(self.geoms)}"
        kind = self.pick(self.GEOMS)
        self.geoms.append((name, kind))
        text = f'<geom name="{name}" type="{kind}" size="{self.num(3, 0.03, 0.2)}" density="{self.num(1, 100, 1000)}"'
        text += self.optional("pos", self.num(3, -0.3, 0.3)) + self.optional("euler", self.num(3, -90, 90))
        if self.maybe(0.3):
            text += f' fluidshape="ellipsoid" fluidcoef="{self.num(5, 0, 2)}"'
        return text + "/>"

    def body(self, depth):
        name = f"b{len(self.bodies)}"
        self.bodies.append(name)
        text = f'<body name="{name}"' + self.optional("pos", self.num(3), 0.8) + self.optional("euler", self.num(3, -90, 90))
        text += self.optional("gravcomp", self.num(1, -1, 2), 0.3) + ">"
        if depth == 0 and self.maybe(0.3):
            text += self.joint("free")
        else:
            kinds = self.rng.choice(["hinge", "slide"], self.rng.integers(0, 4), p=[0.7, 0.3])
            text += "".join(self.joint(kind) for kind in kinds)
            if self.maybe(0.2):
                text += self.joint("ball")
        if self.maybe(0.3):
            text += f'<inertial pos="{self.num(3, -0.2, 0.2)}" mass="{self.num(1, 0.1, 3)}" diaginertia="1 {self.num(1, 0.7, 1.2)} {self.num(1, 0.6, 1.5)}"'
            text += self.optional("euler", self.num(3, -90, 90)) + "/>"
        text += "".join(self.geom() for _ in range(self.rng.integers(1, 3)))
        for _ in range(self.rng.integers(0, 3)):
            site = f"s{len(self.sites)}"
            self.sites.append(site)
            text += f'<site name="{site}" size="{self.num(1, 0.05, 0.3)}" type="{self.pick(["sphere", "box", "ellipsoid", "capsule", "cylinder"])}"'
            text += self.optional("pos", self.num(3, -0.3, 0.3)) + self.optional("euler", self.num(3, -90, 90)) + "/>"
        if self.maybe(0.3):
            camera = f"c{len(self.cameras)}"
            self.cameras.append(camera)
            mode = self.pick(["fixed", "track", "trackcom", "targetbody", "targetbodycom"])
            text += f'<camera name="{camera}" resolution="64 48" mode="{mode}" pos="{self.num(3)}" euler="{self.num(3, -90, 90)}"'
            text += (f' target="{self.pick(self.bodies[1:])}"' if "target" in mode else "") + "/>"
        if self.maybe(0.3):
            mode = self.pick(["fixed", "track", "trackcom", "targetbody", "targetbodycom"])
            text += f'<light mode="{mode}" pos="{self.num(3)}" dir="{self.num(3)}"'
            text += (f' target="{self.pick(self.bodies[1:])}"' if "target" in mode else "") + "/>"
        if depth < 6:
            text += "".join(self.body(depth + 1) for _ in range(self.rng.choice([0, 1, 2], p=[0.4, 0.4, 0.2])))
        return text + "</body>"

    def scalar_joints(self):
        return [name for name, kind in self.joints if kind in ("hinge", "slide")]

    def tendon(self, i):
        common = self.optional("stiffness", self.num(1, 0, 5)) + self.optional("damping", self.num(1, 0, 2))
        common += self.optional("springlength", self.pair(0, 2), 0.3) + self.optional("actuatorfrcrange", self.pair(-1, 1), 0.3)
        joints = self.scalar_joints()
        if joints and (self.maybe() or len(self.sites) < 2):
            chosen = self.rng.permutation(joints)[: self.rng.integers(1, 4)]
            rows = "".join(f'<joint joint="{j}" coef="{self.num()}"/>' for j in chosen)
            return f'<fixed name="t{i}"{common}{self.optional("armature", self.num(1, 0, 1), 0.3)}>{rows}</fixed>'
        if len(self.sites) < 2:
            return ""
        obstacles = [g for g, kind in self.geoms if kind in ("sphere", "cylinder")]
        last = self.pick(self.sites)
        path, wrapped = f'<site site="{last}"/>', False

        def next_site():
            nonlocal last
            last = self.pick([site for site in self.sites if site != last])
            return f'<site site="{last}"/>'

        for _ in range(self.rng.integers(1, 4)):
            # side sites are left to the wrap zoo
            if obstacles and self.maybe(0.4):
                path += f'<geom geom="{self.pick(obstacles)}"/>'
                wrapped = True
            path += next_site()
            if self.maybe(0.2):
                path += f'<pulley divisor="{self.num(1, 1, 3)}"/>' + next_site() + next_site()
        armature = "" if wrapped else self.optional("armature", self.num(1, 0, 1), 0.3)
        return f'<spatial name="t{i}"{common}{armature}>{path}</spatial>'

    def actuator(self, tendons):
        choices = [f'body="{self.pick(self.bodies[1:])}"']
        joints = [name for name, _ in self.joints]
        if joints:
            choices += [f'joint="{self.pick(joints)}"'] * 4 + [f'jointinparent="{self.pick(joints)}"']
        if tendons:
            choices += [f'tendon="{self.pick(tendons)}"'] * 2
        if self.sites:
            choices += [f'site="{self.pick(self.sites)}"', f'site="{self.pick(self.sites)}" refsite="{self.pick(self.sites)}"']
        if len(self.sites) > 1:
            a, b = self.rng.permutation(self.sites)[:2]
            choices.append(f'cranksite="{a}" slidersite="{b}" cranklength="{self.num(1, 0.1, 3)}"')
        text = f'<general {self.pick(choices)} gear="{self.num(6)}"'
        dyn = self.pick(["none", "none", "integrator", "filter", "filterexact", "muscle"])
        text += f' dyntype="{dyn}"'
        if dyn == "muscle":
            text += f' dynprm="{self.num(1, 0.01, 0.1)} {self.num(1, 0.01, 0.1)} {self.pick([0, 0.3])}"'
        elif dyn != "none":
            text += f' dynprm="{self.num(1, 0.01, 0.3)}"'
        if dyn != "none":
            text += self.optional("actearly", "true") + self.optional("actrange", self.pair(-1, 1), 0.3)
        gain, bias = self.pick(["fixed", "affine", "muscle"]), self.pick(["none", "affine", "muscle"])
        muscle = f"0.7 1.1 {self.pick([-1, 20])} 200 0.5 1.6 1.5 1.3 1.2"
        text += f' gaintype="{gain}" gainprm="{muscle if gain == "muscle" else self.num(3)}"'
        text += f' biastype="{bias}"' + ("" if bias == "none" else f' biasprm="{muscle if bias == "muscle" else self.num(3)}"')
        text += f' lengthrange="{self.pair(-1, 1)}" group="{self.rng.integers(0, 5)}"'
        text += self.optional("ctrlrange", self.pair(-1, 1), 0.3) + self.optional("forcerange", self.pair(-1, 1), 0.3)
        return text + "/>"

    def framed(self):
        choices = [("body", self.pick(self.bodies[1:])), ("xbody", self.pick(self.bodies[1:])), ("geom", self.pick(self.geoms)[0])]
        if self.sites:
            choices.append(("site", self.pick(self.sites)))
        if self.cameras:
            choices.append(("camera", self.pick(self.cameras)))
        return self.pick(choices)

    def sensor(self, tendons, actuators):
        cut = self.optional("cutoff", self.num(1, 0.1, 2), 0.3)
        choices = []
        obj, name = self.framed()
        ref = self.optional('reftype="{}" refname'.format((r := self.framed())[0]), r[1])
        for kind in "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel".split():
            limits = "" if kind in ("framequat", "framexaxis", "frameyaxis", "framezaxis") else cut
            choices.append(f'<{kind} objtype="{obj}" objname="{name}"{ref}{limits}/>')
        choices += [f'<{kind} objtype="{obj}" objname="{name}"{cut}/>' for kind in ("framelinacc", "frameangacc")]
        choices += [f'<{kind} body="{self.pick(self.bodies[1:])}"{cut}/>' for kind in ("subtreecom", "subtreelinvel", "subtreeangmom")]
        choices += ["<clock/>", "<e_potential/>", "<e_kinetic/>"]
        if self.sites:
            site = self.pick(self.sites)
            choices += [f'<{kind} site="{site}"{cut}/>' for kind in "accelerometer velocimeter gyro force torque magnetometer rangefinder touch".split()]
            if self.cameras:
                choices.append(f'<camprojection site="{site}" camera="{self.pick(self.cameras)}"/>')
        joints = self.scalar_joints()
        if joints:
            joint = self.pick(joints)
            choices += [f'<{kind} joint="{joint}"{cut}/>' for kind in ("jointpos", "jointvel", "jointactuatorfrc")]
        for name, kind in self.joints:
            if kind == "ball":
                choices += [f'<ballquat joint="{name}"/>', f'<ballangvel joint="{name}"{cut}/>']
        if tendons:
            choices += [f'<{kind} tendon="{self.pick(tendons)}"{cut}/>' for kind in ("tendonpos", "tendonvel", "tendonactuatorfrc")]
        if actuators:
            i = self.rng.integers(actuators)
            choices += [f'<{kind} actuator="a{i}"{cut}/>' for kind in ("actuatorpos", "actuatorvel", "actuatorfrc")]
        return self.pick(choices)


class Constrained(Writer):
    """The same with limits, friction, equalities and contacts of closed form, each with parameters."""

    GEOMS = ("sphere", "capsule", "box")

    def soft(self, suffix="", p=0.3):
        ref = self.num(1, 0.01, 0.1) + " " + self.num(1, 0.3, 1.5) if self.maybe(0.8) else self.num(2, -300, -1)
        low, high = sorted(self.rng.uniform(0.3, 0.99, 2))
        imp = f"{low:.4g} {high:.4g} {self.num(1, 0.001, 0.05)} {self.num(1, 0.1, 0.9)} {self.num(1, 1, 4)}"
        return self.optional("solref" + suffix, ref, p) + self.optional("solimp" + suffix, imp, p)

    def joint(self, kind):
        text = super().joint(kind)[:-2]
        if kind != "free":
            text += self.optional("frictionloss", self.num(1, 0, 2), 0.4) + self.soft("friction")
            if self.maybe():
                span = self.pair(-30, 40) if kind == "hinge" else self.pair(-0.1, 0.2)
                text += f' range="{span if kind != "ball" else "0 " + self.num(1, 5, 60)}"'
            text += self.soft("limit") + self.optional("margin", self.num(1, 0, 0.1), 0.3)
        return text + "/>"

    def geom(self):
        text = super().geom()[:-2] + f' condim="{self.pick([1, 3, 3, 4, 6])}"' + self.soft()
        text += self.optional("friction", self.num(3, 0, 1), 0.4) + self.optional("margin", self.num(1, 0, 0.02), 0.3)
        text += self.optional("gap", self.num(1, 0, 0.02), 0.2) + self.optional("priority", self.pick([0, 1, 2]), 0.3)
        text += self.optional("solmix", self.num(1, 0, 2), 0.3) + self.optional("conaffinity", self.pick([0, 1, 3]), 0.2)
        return text + "/>"

    def tendon(self, i):
        text = super().tendon(i)
        more = self.optional("frictionloss", self.num(1, 0, 2), 0.4) + self.soft("friction") + self.soft("limit")
        more += self.optional("range", self.pair(-0.5, 1), 0.5) + self.optional("margin", self.num(1, 0, 0.1), 0.3)
        return text.replace(f'name="t{i}"', f'name="t{i}"{more}', 1)

    def equality(self, tendons):
        kind = self.pick(["connect", "weld", "joint", "tendon", "connect sites", "weld sites"])
        common = self.soft() + self.optional("active", "false", 0.1)
        joints = self.scalar_joints()
        poly = self.optional("polycoef", self.num(5))
        if kind == "joint" and len(joints) > 1:
            a, b = self.rng.permutation(joints)[:2]
            return f'<joint joint1="{a}"{self.optional("joint2", b, 0.7)}{poly}{common}/>'
        if kind == "tendon" and len(tendons) > 1:
            a, b = self.rng.permutation(tendons)[:2]
            return f'<tendon tendon1="{a}"{self.optional("tendon2", b, 0.7)}{poly}{common}/>'
        if "sites" in kind and len(self.sites) > 1:
            a, b = self.rng.permutation(self.sites)[:2]
            return f'<{kind.split()[0]} site1="{a}" site2="{b}"{common}/>'
        a, b = self.rng.permutation(self.bodies[1:] + ["mocap"])[:2]
        if kind == "weld":
            more = self.optional("anchor", self.num(3, -0.3, 0.3)) + self.optional("torquescale", self.num(1, 0, 2))
            more += self.optional("relpose", self.num(7), 0.3)
            return f'<weld body1="{a}"{self.optional("body2", b, 0.8)}{more}{common}/>'
        return f'<connect body1="{a}"{self.optional("body2", b, 0.8)} anchor="{self.num(3, -0.3, 0.3)}"{common}/>'

    def option(self):
        text = self.optional("impratio", self.num(1, 0.5, 5), 0.3) + f' cone="{self.pick(["pyramidal", "elliptic"])}"'
        text += self.optional("o_margin", self.num(1, 0, 0.02)) + self.optional("o_friction", self.num(5, 0, 1))
        return text + self.optional("o_solref", "0.03 0.7")

    def flags(self):
        names = "constraint equality frictionloss limit filterparent refsafe eulerdamp warmstart midphase".split()
        return "".join(self.optional(flag, "disable", 0.06) for flag in names) + self.optional("override", "enable", 0.15)


def model(seed, constrained=False):
    w = Constrained(seed) if constrained else Writer(seed)
    bodies = "".join(w.body(0) for _ in range(w.rng.integers(1, 5)))
    bodies += f'<body>{w.joint("slide")}{w.geom()}</body>'  # something moves
    bodies += f'<body name="mocap" mocap="true" pos="{w.num(3)}"><geom size=".1" contype="0" conaffinity="0"/></body>'
    texts = [w.tendon(i) for i in range(w.rng.integers(0, 5))]
    tendons = [f"t{i}" for i, text in enumerate(texts) if text]
    actuators = [w.actuator(tendons).replace("<general ", f'<general name="a{i}" ', 1) for i in range(w.rng.integers(0, 12))]
    sensors = [w.sensor(tendons, len(actuators)) for _ in range(w.rng.integers(5, 30))]
    flags = "".join(w.optional(flag, "disable", 0.1) for flag in "gravity passive clampctrl actuation".split())
    option = w.optional("density", w.num(1, 0, 3)) + w.optional("viscosity", w.num(1, 0, 1)) + w.optional("wind", w.num(3))
    option += w.optional("gravity", w.num(3, -10, 10)) + w.optional("magnetic", w.num(3))
    option += w.optional("actuatorgroupdisable", "2 3", 0.3) + f' jacobian="{w.pick(["dense", "sparse"])}"'
    more = ""
    if constrained:
        option += w.option()
        flags += w.flags()
        more = f'<equality>{"".join(w.equality(tendons) for _ in range(w.rng.integers(0, 5)))}</equality>'
        bodies += f'<geom type="plane" size="1 1 1" pos="0 0 {w.num()}" condim="{w.pick([1, 3, 4, 6])}"/>'
    contact = "enable" if constrained else "disable"
    return f"""<mujoco><option{option}><flag contact="{contact}" energy="enable"{flags}/></option>{more}
<worldbody>{bodies}</worldbody><tendon>{"".join(texts)}</tendon><actuator>{"".join(actuators)}</actuator>
<sensor>{"".join(sensors)}</sensor></mujoco>"""
