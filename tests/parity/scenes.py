"""Random small scenes by family, from a seed: what people build (piles, stacks, grippers, cloths, tendons around
pulleys, distance sensors, particles), for stages.py to compare both engines on."""

import itertools
import pathlib
import tempfile

import mujoco
import numpy as np
from harness import load_ours

SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")


def text(values):
    return " ".join(f"{x:.4g}" for x in np.ravel(values))


class Scene:
    def __init__(self, family, seed):
        self.rng = np.random.default_rng([seed, *family.encode()])
        self.assets, self.count = "", 0
        getattr(self, family)()

    def pick(self, *items):
        return items[self.rng.integers(len(items))]

    def num(self, n, low, high):
        return text(self.rng.uniform(low, high, n))

    def turn(self):
        kind = self.rng.integers(4)
        q = self.rng.normal(size=4)
        if kind == 0:
            q[:] = 1, 0, 0, 0
        elif kind == 1:
            q[1:3] = 0
        elif kind == 2:
            q = np.array(self.pick((1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 0, 0), (1, 1, 1, 1)), float)
        return text(q / np.linalg.norm(q))

    def option(self, flags=""):
        self.head = (f"<option cone='{self.pick('pyramidal', 'elliptic')}' jacobian='{self.pick('dense', 'sparse', 'auto')}' "
                     f"integrator='{self.pick('Euler', 'implicitfast', 'implicit')}' impratio='{self.pick(1, 1, 10)}' "
                     f"tolerance='1e-10' iterations='200' ls_iterations='100'><flag energy='enable' {flags}/></option>")

    def mesh(self, size):
        """A named hull: a box, a prism, a wedge or a cloud on a sphere."""
        name, kind = f"m{self.count}", self.rng.integers(4)
        self.count += 1
        if kind == 0:
            v = np.array(list(itertools.product((-1, 1), repeat=3)), float)
        elif kind == 1:
            a = np.arange(n := int(self.rng.integers(3, 13))) * 2 * np.pi / n
            v = np.concatenate([np.c_[np.cos(a), np.sin(a), np.full(n, z)] for z in (-1, 1)])
        elif kind == 2:
            v = np.array([(x, y, z) for x, y, z in itertools.product((-1, 1), repeat=3) if (x, z) != (1, 1)], float)
        else:
            v = self.rng.normal(size=(int(self.rng.integers(5, 40)), 3))
            v /= np.linalg.norm(v, axis=1)[:, None]
        self.assets += f"<mesh name='{name}' vertex='{text(v * size)}'/>"
        return name

    def geom(self, kinds=SHAPES, low=0.04, high=0.15, more=""):
        kind, size = self.pick(*kinds), self.rng.uniform(low, high, 3).round(3)
        if kind == "mesh":
            return f"<geom type='mesh' mesh='{self.mesh(size)}' {more}/>"
        return f"<geom type='{kind}' size='{text(size)}' {more}/>"

    def surface(self):
        """Margin, gap, condim, friction and compliance of a geom, some of them."""
        rng, out = self.rng, f"condim='{self.pick(1, 3, 3, 3, 4, 6)}'"
        if rng.random() < 0.3:
            out += f" margin='{rng.uniform(0, 0.03):.3f}' gap='{self.pick(0, 0, 0.005)}'"
        if rng.random() < 0.3:
            out += f" friction='{rng.uniform(0, 1.5):.3f} .02 .01' solref='{self.pick('.01 1', '.05 .8', '-900 -30')}'"
        return out

    def floor(self):
        return self.pick("<geom type='plane' size='3 3 1'/>", "<geom type='box' size='2 2 .5' pos='0 0 -.5'/>",
                         "<geom type='plane' size='3 3 1' euler='4 3 0'/>")

    def free(self, content, pos, more=""):
        return f"<body pos='{text(pos)}' quat='{self.turn()}'><freejoint/>{content}{more}</body>"

    def whole(self, world, rest=""):
        assets = f"<asset>{self.assets}</asset>" if self.assets else ""
        self.xml = f"<mujoco>{self.head}{assets}<worldbody>{world}</worldbody>{rest}</mujoco>"

    # ---- families

    def pile(self):
        self.option(self.pick("", "", "multiccd='enable'", "nativeccd='disable'", "nativeccd='disable' multiccd='enable'"))
        kinds, surface = self.pick(SHAPES, SHAPES, ("box", "mesh"), ("ellipsoid", "sphere", "box"), ("cylinder", "mesh")), self.surface()
        bodies = "".join(self.free(self.geom(kinds, more=surface), (*self.rng.uniform(-0.12, 0.12, 2), 0.1 + 0.16 * k))
                         for k in range(self.rng.integers(2, 8)))
        self.whole(self.floor() + bodies)

    def stack(self):
        """Equal bricks on each other, exactly or by half, some turned by quarters, some as meshes."""
        self.option(self.pick("", "", "multiccd='enable'", "nativeccd='disable'"))
        size, kind = self.rng.uniform(0.02, 0.1, 3).round(2) + 0.01, self.pick("box", "box", "mesh", "cylinder")
        if kind == "mesh":
            shape = f"type='mesh' mesh='{self.mesh(size)}'"
        else:
            shape = f"type='{kind}' size='{text(size)}'"
        height = size[1] if kind == "cylinder" else size[2]
        out = ""
        for k in range(self.rng.integers(2, 6)):
            x, y = (self.pick(0, 0, 0.5, -0.5, 1) * size[i] for i in (0, 1))
            q = self.pick("1 0 0 0", "1 0 0 0", "1 0 0 1", "0 0 0 1", "1 0 0 .1")
            z = (2 * k + 1) * height - self.pick(0, 0, 1e-5, -1e-4, 1e-3)
            out += f"<body pos='{float(x)!r} {float(y)!r} {float(z)!r}' quat='{q}'><freejoint/><geom {shape} {self.surface()}/></body>"
        self.whole(self.floor() + out)

    def near(self):
        """Geoms apart within their margins."""
        self.option(self.pick("", "multiccd='enable'", "nativeccd='disable'"))
        kinds = self.pick(("box",), ("box", "mesh"), SHAPES)
        margin = self.pick(0.02, 0.1, 0.3)
        more = f"margin='{margin}' gap='{self.pick(0, 0, margin / 2)}'"
        bodies = "".join(self.free(self.geom(kinds, more=more), self.rng.uniform(-0.25, 0.25, 3) + (0, 0, 0.3))
                         for _ in range(self.rng.integers(2, 6)))
        self.whole(f"<geom type='plane' size='3 3 1' {more}/>" + bodies)

    def terrain(self):
        """Things on a height field."""
        self.option(self.pick("", "", "nativeccd='disable'", "multiccd='enable'"))
        rows, columns = self.rng.integers(3, 9, 2)
        heights = self.rng.uniform(0, 1, rows * columns)
        if self.rng.random() < 0.4:
            heights = np.round(heights)
        self.assets += (f"<hfield name='h' nrow='{rows}' ncol='{columns}' size='.6 .5 {self.pick(0.05, 0.2)} .1' "
                        f"elevation='{text(heights)}'/>")
        kinds = self.pick(SHAPES, ("mesh",), ("box", "mesh"), ("sphere", "capsule"))
        surface = self.surface()
        bodies = "".join(self.free(self.geom(kinds, more=surface), (*self.rng.uniform(-0.4, 0.4, 2), self.rng.uniform(0.1, 0.35)))
                         for _ in range(self.rng.integers(1, 5)))
        self.whole("<geom type='hfield' hfield='h'/>" + bodies)

    def flexes(self):
        """Cloths, ropes and solids on each other, on geoms and on the floor."""
        self.option()
        out = ""
        for k in range(self.rng.integers(1, 4)):
            dim = int(self.rng.integers(1, 4))
            kind = self.pick(*{1: ("grid", "circle"), 2: ("grid", "square", "disc"), 3: ("grid", "box", "ellipsoid", "cylinder")}[dim])
            count = [self.rng.integers(3, 6) if dim > i else 1 for i in range(3)]
            if dim == 3:
                count = [min(int(c), 4) for c in count]
            content = "<edge equality='true' damping='.1'/>"
            if dim == 1 and self.rng.random() < 0.7:
                content = "<edge stiffness='100' damping='.5'/>"
            elif dim > 1 and self.rng.random() < 0.7:
                sheet = f"thickness='.02' elastic2d='{self.pick('bend', 'stretch', 'both')}'" if dim == 2 else ""
                content = f"<elasticity young='{self.pick(1e3, 1e4)}' poisson='.2' damping='{self.pick(0, 0.01)}' {sheet}/>"
            dof = self.pick("full", "full", "trilinear", "radial") if dim == 3 and "elasticity" in content else "full"
            selfcollide = self.pick("none", "auto", "sap", "bvh", "narrow") if dof != "trilinear" else "none"
            out += (f"<flexcomp name='f{k}' type='{kind}' dim='{dim}' count='{text(count)}' spacing='.08 .08 .08' dof='{dof}' "
                    f"pos='{self.num(2, -0.05, 0.05)} {0.05 + 0.12 * k:.3f}' radius='{self.pick(0.01, 0.02)}' mass='.5' euler='{self.num(3, -40, 40)}'>"
                    f"{content}<contact {self.surface()} selfcollide='{selfcollide}' "
                    f"internal='{self.pick('true', 'false') if dof != 'trilinear' else 'false'}'/></flexcomp>")
        bodies = "".join(self.free(self.geom(more=self.surface(), high=0.08), (*self.rng.uniform(-0.1, 0.1, 2), 0.4 + 0.1 * k))
                         for k in range(self.rng.integers(0, 3)))
        self.whole(self.floor() + out + bodies)

    def tendons(self):
        """Spatial tendons over spheres and cylinders, around them and inside them, with pulleys; limits, springs,
        friction, equalities and actuators of them."""
        self.option()
        rng, sites, wraps, world, depth = self.rng, [], [], "", 0
        for k in range(rng.integers(2, 6)):
            if depth and rng.random() < 0.3:
                world, depth = world + "</body>" * depth, 0
            joint = self.pick("hinge", "hinge", "ball", "slide")
            axis = f"axis='{text(rng.normal(size=3))}' range='-60 60' damping='.1'" if joint != "ball" else "damping='.1'"
            world += f"<body pos='{self.num(3, -0.3, 0.3)}' quat='{self.turn()}'><joint type='{joint}' {axis}/><geom size='.05' contype='0' conaffinity='0'/>"
            for i in range(rng.integers(1, 4)):
                sites.append(f"s{k}_{i}")
                world += f"<site name='s{k}_{i}' pos='{self.num(3, -0.25, 0.25)}'/>"
            for i in range(rng.integers(0, 3)):
                name, kind = f"w{k}_{i}", self.pick("sphere", "cylinder", "capsule")
                kind = "cylinder" if kind == "capsule" else kind
                wraps.append(name)
                world += (f"<geom name='{name}' type='{kind}' size='{self.num(1, 0.03, 0.15)} {self.num(1, 0.05, 0.2)}' contype='0' conaffinity='0' "
                          f"pos='{self.num(3, -0.2, 0.2)}' quat='{self.turn()}'/>"
                          f"<site name='side{name}' pos='{self.num(3, -0.25, 0.25)}'/>")
            depth += 1
        world += "</body>" * depth + "<site name='s' pos='0 0 .5'/><site name='t' pos='.3 0 .3'/>"
        sites += ["s", "t"]
        out, names = "", []
        for k in range(rng.integers(1, 4)):
            order = iter(rng.permutation(sites))
            path = f"<site site='{next(order)}'/>"
            for _ in range(rng.integers(1, min(4, len(sites)))):
                if wraps and rng.random() < 0.7:
                    name = self.pick(*wraps)
                    side = f" sidesite='side{name}'" if rng.random() < 0.6 else ""
                    path += f"<geom geom='{name}'{side}/>"
                path += f"<site site='{next(order)}'/>"
            if rng.random() < 0.3:
                path += f"<pulley divisor='{self.pick(1, 2, 3)}'/><site site='s'/><site site='{sites[0]}'/>"
            names.append(f"t{k}")
            out += (f"<spatial name='t{k}' stiffness='{self.pick(0, 20)}' damping='{self.pick(0, 1)}' frictionloss='{self.pick(0, 0, .1)}' "
                    f"range='{self.pick('0 .5', '.2 1', '0 .1')}' springlength='{self.pick('0.1', '.2 .4')}' armature='{0 if '<geom' in path else self.pick(0, 0.1)}'>{path}</spatial>")
        actuators = "".join(f"<{self.pick('motor', 'position', 'velocity')} tendon='{n}'/>" for n in names)
        sensors = "".join(f"<tendonpos tendon='{n}'/><tendonvel tendon='{n}'/><tendonlimitpos tendon='{n}'/>" for n in names)
        equality = f"<equality><tendon tendon1='{names[0]}' polycoef='{self.num(1, -.1, .1)} 1 0 0 0'/></equality>" if rng.random() < 0.2 else ""
        self.whole(world, f"<tendon>{out}</tendon>{equality}<actuator>{actuators}</actuator><sensor>{sensors}</sensor>")

    def distances(self):
        """Sensors of distance, normal and segment between geoms and bodies of every type."""
        self.option("contact='disable' gravity='disable'")
        rng, names, bodies = self.rng, ["floor"], []
        world = "<geom name='floor' type='plane' size='3 3 1'/>"
        for k in range(rng.integers(3, 8)):
            geoms = "".join(self.geom(more=f"name='g{k}_{i}' pos='{self.num(3, -0.1, 0.1) if i else '0 0 0'}'") for i in range(rng.integers(1, 3)))
            names.append(f"g{k}_0")
            bodies.append(f"b{k}")
            # apart: of overlapping geoms the released sensors measure no depth (docs/differences.md)
            place = 0.75 * np.array([k % 2, k // 2 % 2, 1 + k // 4]) + rng.uniform(-0.1, 0.1, 3)
            world += f"<body name='b{k}' pos='{text(place)}' quat='{self.turn()}'><freejoint/>{geoms}</body>"
        out = ""
        for _ in range(12):
            kind = self.pick("distance", "normal", "fromto")
            if rng.random() < 0.7:
                a, b = rng.choice(names, 2, replace=False)
                what = f"geom1='{a}' geom2='{b}'"
            else:
                a, b = rng.choice(bodies, 2, replace=False)
                what = f"body1='{a}' body2='{b}'"
            out += f"<{kind} {what} cutoff='{self.pick(0.05, 0.5, 3)}'/>"
        self.whole(world, f"<sensor>{out}</sensor>")

    def particles(self):
        """Replicated bodies with sliders or free joints between walls."""
        self.option(self.pick("", "multiccd='enable'"))
        kind, r = self.pick("sphere", "sphere", "box", "capsule", "ellipsoid", "cylinder"), 0.03
        joint = self.pick("<freejoint/>", "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>",
                          "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>",
                          "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint type='hinge' axis='0 1 0'/>")
        body = f"<body><{joint[1:]}<geom type='{kind}' size='{r} {self.pick(r, 0.02)} {r}' {self.surface()}/></body>"
        gap = self.pick(2 * r, 2 * r - 1e-3, 0.055, 0.065)
        n, k = self.rng.integers(2, 6, 2)
        walls = "".join(f"<geom type='{self.pick('plane', 'box')}' size='.5 .5 .05' pos='{x} 0 .3' zaxis='{-x} 0 0'/>" for x in (-0.35, 0.35))
        self.whole(self.floor() + walls + f"<replicate count='{n}' offset='{gap} 0 0'><replicate count='{k}' offset='0 0 {gap}' "
                   f"euler='0 0 {self.pick(0, 0, 3)}'><frame pos='-.1 0 .05'>{body}</frame></replicate></replicate>")

    def meshes(self):
        """A hull in the floor, mostly turned by quarters."""
        self.option()
        body = self.free(f"<geom type='mesh' mesh='{self.mesh(self.rng.uniform(0.04, 0.15, 3).round(3))}'/>", (0, 0, 0.03))
        self.whole("<geom type='plane' size='3 3 1'/>" + body)

    def loops(self):
        """Chains closed by equalities, with limits, friction, mocap bodies and contacts."""
        self.option()
        rng, world, bodies, joints, depth = self.rng, "", [], [], 0
        for k in range(rng.integers(2, 7)):
            if depth and rng.random() < 0.35:
                world, depth = world + "</body>" * depth, 0
            joint = self.pick("hinge", "hinge", "slide", "ball", "free") if not depth else self.pick("hinge", "slide", "ball")
            more = "" if joint == "free" else f"frictionloss='{self.pick(0, 0.1)}' damping='.05' limited='true' range='{'0 40' if joint == 'ball' else '-20 20'}'"
            if joint in ("hinge", "slide"):
                joints.append(f"j{k}")
                more += f" axis='{text(rng.normal(size=3))}' solreflimit='{self.pick('.02 1', '-500 -10')}' margin='{self.pick(0, 0.1)}'"
            more_geom = f"{self.surface()} pos='{self.num(3, 0.02, 0.1)}'"
            world += (f"<body name='b{k}' pos='{text(rng.uniform(-0.3, 0.3, 3) + (0, 0, 0 if depth else 0.4))}' quat='{self.turn()}'>"
                      f"<joint name='j{k}' type='{joint}' {more}/>{self.geom(more=more_geom)}<site name='s{k}' pos='{self.num(3, -0.1, 0.1)}'/>")
            bodies.append(f"b{k}")
            depth += 1
        world += "</body>" * depth
        world += "<body name='hand' mocap='true' pos='.2 0 .5'/>"
        out = ""
        for _ in range(rng.integers(1, 4)):
            a, b = rng.choice([*bodies, "hand"], 2, replace=False)
            i, k = rng.choice(len(bodies), 2, replace=False)
            out += self.pick(f"<connect body1='{a}' body2='{b}' anchor='{self.num(3, -0.1, 0.1)}'/>",
                             f"<weld body1='{a}' body2='{b}' torquescale='{self.pick(1, 0.1)}'/>",
                             f"<connect site1='s{i}' site2='s{k}'/>", f"<weld site1='s{i}' site2='s{k}'/>",
                             f"<joint joint1='{self.pick(*joints)}' polycoef='.1 0 0 0 0'/>" if joints else "<weld body1='b0'/>",
                             "<weld body1='b0' body2='hand' relpose='.1 0 .1 1 0 0 .2'/>")
        sensors = "".join(f"<{s} site='s0'/>" for s in ("accelerometer", "velocimeter", "gyro", "force", "torque", "touch", "rangefinder"))
        sensors += "".join(f"<{s} objtype='body' objname='b{len(bodies) - 1}'/>" for s in ("framelinacc", "frameangacc", "framepos", "framelinvel"))
        self.whole(self.floor() + world, f"<equality>{out}</equality><sensor>{sensors}</sensor>")

    def hand(self):
        """Fingers of boxes, capsules and meshes that close on an object."""
        self.option(self.pick("", "", "multiccd='enable'"))
        kinds = self.pick(("box",), ("box", "capsule"), SHAPES)
        fingers, actuators = "", ""
        for k, x in enumerate((-1, 1)):
            fingers += (f"<body pos='{0.12 * x} 0 0'><joint name='j{k}' type='slide' axis='{-x} 0 0' range='0 .1' damping='5'/>"
                        f"{self.geom(kinds, 0.02, 0.06, self.surface())}<geom type='box' size='.01 .02 .04' pos='{-0.03 * x} 0 -.05' {self.surface()}/></body>")
            actuators += f"<position joint='j{k}' kp='200' ctrlrange='0 .1'/>"
        base = f"<body pos='0 0 .15'><joint type='slide' axis='0 0 1' damping='20'/><geom size='.02' mass='1'/>{fingers}</body>"
        thing = self.free(self.geom(SHAPES, 0.03, 0.06, self.surface()), (0, 0, 0.06))
        self.whole(self.floor() + base + thing, f"<actuator>{actuators}</actuator>")


FAMILIES = "pile stack near terrain flexes tendons distances particles meshes loops hand".split()


def both(family, seed):
    """The scene as either engine compiles it."""
    return compiled(Scene(family, seed).xml)


def compiled(xml):
    m = mujoco.MjModel.from_xml_string(xml)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scene.xml")
        path.write_text(xml)
        return m, load_ours(path)
