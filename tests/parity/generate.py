"""Random models that use every element and attribute of MJCF, from a seed.

    files = Maker(seed).files()     {"main.xml": text, "kid.xml": text, ...}

Most are valid, some are not: both engines must agree on which, and on every field. Nothing is random
but by the seed.
"""

import random
import xml.etree.ElementTree as ET

import links
from values import Values

GEOMS = ["sphere", "capsule", "ellipsoid", "cylinder", "box"]


class Maker(Values):
    """One model. `kid` makes it small, for others to attach."""

    def __init__(self, seed, kid=False, exact=False):
        super().__init__(random.Random(seed))
        self.seed, self.kid = seed, kid
        self.p = self.pick([0.08, 0.2, 0.45])
        self.exact = exact
        self.extra = {}
        self.named = {}
        self.classes = ["main"]
        self.count = 0
        self.depth = 0
        self.copying = False
        self.replicates = False
        self.posed = False  # a class places its geoms or sites, which fromto does not allow

    # ---- names

    def name(self, kind, always=False):
        """A new name, known to references of the kind unless the element will be copied."""
        if not always and self.chance(0.15):
            return {}
        self.count += 1
        text = f"{kind}{self.count}n"
        if not self.copying:
            self.named.setdefault(kind, []).append(text)
        return {"name": text}

    def ref(self, *kinds):
        found = [n for k in kinds for n in self.named.get(k, [])]
        return self.pick(found) if found else None

    def class_(self):
        return {"class": self.pick(self.classes)} if self.chance(self.p) else {}

    def sane(self, attributes):
        """Without the flags that ask for a range which is not there, mostly."""
        if self.chance(0.03):
            return attributes
        need = {"limited": "range", "actuatorfrclimited": "actuatorfrcrange", "ctrllimited": "ctrlrange",
                "forcelimited": "forcerange", "actlimited": "actrange"}
        return {k: v for k, v in attributes.items() if k not in need or v != "true" or need[k] in attributes}

    def add(self, parent, tag, attributes):
        return ET.SubElement(parent, tag, {k: v for k, v in attributes.items() if v is not None})

    # ---- whole files

    def files(self):
        root = ET.Element("mujoco", {"model": f"model{self.seed}"} if self.chance(0.8) else {})
        self.settings(root)
        if self.chance(0.7):
            self.defaults(root)
        self.assets(root)
        self.world(root)
        links.add(self, root)
        if self.chance(0.2):
            self.include(root)
        ET.indent(root)
        return {"main.xml": ET.tostring(root, "unicode"), **self.extra}

    def include(self, root):
        """Moves one section into a file of its own."""
        section = self.pick(list(root))
        at = list(root).index(section)
        root.remove(section)
        part = ET.Element("mujocoinclude")
        part.append(section)
        ET.indent(part)
        self.extra["part.xml"] = ET.tostring(part, "unicode")
        root.insert(at, ET.Element("include", {"file": "part.xml"}))

    # ---- settings

    def settings(self, root):
        if self.chance(0.7):
            compiler = self.add(root, "compiler", self.some(0.15, {
                "alignfree": self.bool, "angle": lambda: self.pick(["radian", "degree"]),
                "autolimits": lambda: self.pick(["true", "true", "true", "false"]), "balanceinertia": self.bool,
                "boundinertia": lambda: self.num(0, 0.01), "boundmass": lambda: self.num(0, 0.1),
                "coordinate": lambda: "local", "discardvisual": lambda: self.pick(["true", "false", "false"]),
                "eulerseq": lambda: "".join(self.pick("xyzXYZ") for _ in range(3)),
                "fusestatic": self.bool,
                "inertiafromgeom": lambda: self.pick(["true", "auto", "auto", "false"]),
                "inertiagrouprange": lambda: self.pick(["0 5", "0 5", "0 3"]),
                "saveinertial": self.bool, "settotalmass": lambda: self.pick(["-1", "3.5", "0"]),
                "strippath": self.bool, "usethread": self.bool,
                "meshdir": lambda: "meshes", "texturedir": lambda: "textures", "assetdir": lambda: "assets",
            }))
            if self.chance(0.3):
                self.add(compiler, "lengthrange", self.some(0.4, {
                    "accel": lambda: "20", "interval": lambda: "2", "inttotal": lambda: "10",
                    "maxforce": lambda: "0", "mode": lambda: self.pick(["none", "muscle", "muscleuser", "all"]),
                    "timeconst": lambda: "1", "timestep": lambda: "0.01", "tolrange": lambda: "0.05",
                    "useexisting": self.bool, "uselimit": self.bool}))
        if self.chance(0.5):
            option = self.add(root, "option", self.some(0.3, {
                "actuatorgroupdisable": lambda: self.pick(["1", "0 2", "3 4 5"]),
                "apirate": lambda: self.num(1, 100), "ccd_iterations": self.small, "ccd_tolerance": self.tiny,
                "cone": lambda: self.pick(["pyramidal", "elliptic"]), "density": self.positive,
                "gravity": self.vec3, "impratio": self.positive,
                "integrator": lambda: self.pick(["Euler", "RK4", "implicit", "implicitfast"]),
                "iterations": self.small, "jacobian": lambda: self.pick(["dense", "sparse", "auto"]),
                "ls_iterations": self.small, "ls_tolerance": self.tiny, "magnetic": self.vec3,
                "noslip_iterations": self.small, "noslip_tolerance": self.tiny, "o_friction": self.upto(5),
                "o_margin": self.positive, "o_solimp": self.solimp, "o_solref": self.solref,
                "sdf_initpoints": self.small, "sdf_iterations": self.small,
                "solver": lambda: self.pick(["PGS", "CG", "Newton"]), "timestep": self.tiny,
                "tolerance": self.tiny, "viscosity": self.positive, "wind": self.vec3}))
            if self.chance(0.5):
                self.add(option, "flag", self.some(0.3, {k: self.enable for k in (
                    "actuation autoreset clampctrl constraint contact energy equality eulerdamp filterparent "
                    "frictionloss fwdinv gravity invdiscrete island limit midphase multiccd nativeccd override "
                    "passive refsafe sensor warmstart").split()}))
        if self.chance(0.4):
            self.size(root)
        if self.chance(0.3):
            self.visual(root)
        if self.chance(0.25):
            self.add(root, "statistic", self.some(0.5, {
                "center": self.vec3, "extent": self.positive, "meaninertia": self.positive,
                "meanmass": self.positive, "meansize": self.positive}))

    def size(self, root):
        users = {f"nuser_{k}": lambda: self.pick(["-1", "4", "6"])
                 for k in "actuator body cam geom jnt sensor site tendon".split()}
        memory = self.pick([{"memory": lambda: self.pick(["1M", "200K", "3000000", "-1"])}, {
            "nconmax": lambda: self.pick(["-1", "50"]), "njmax": lambda: self.pick(["-1", "200"]),
            "nstack": lambda: self.pick(["-1", "100000"])}])
        self.add(root, "size", self.some(0.25, {
            **memory, "nkey": self.small, "nuserdata": self.small, **users}))

    def visual(self, root):
        visual = ET.SubElement(root, "visual")
        f, c = self.positive, self.rgba
        self.add(visual, "global", self.some(0.3, {
            "azimuth": f, "bvactive": self.bool, "cameraid": lambda: "-1", "elevation": f, "ellipsoidinertia": self.bool,
            "fovy": f, "glow": f, "ipd": f, "linewidth": f, "offheight": self.small, "offwidth": self.small,
            "orthographic": self.bool, "realtime": f}))
        self.add(visual, "quality", self.some(0.3, {k: self.small for k in (
            "numquads numslices numstacks offsamples shadowsize").split()}))
        self.add(visual, "headlight", self.some(0.3, {
            "active": lambda: self.pick("01"), "ambient": self.vec3, "diffuse": self.vec3, "specular": self.vec3}))
        for tag, kind, names in (
                ("map", f, "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness "
                           "stiffnessrot torque zfar znear"),
                ("scale", f, "actuatorlength actuatorwidth camera com connect constraint contactheight "
                             "contactwidth forcewidth framelength framewidth frustum jointlength jointwidth light "
                             "selectpoint slidercrank"),
                ("rgba", c, "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint "
                            "contactforce contactfriction contactgap contactpoint contacttorque crankbroken fog "
                            "force frustum haze inertia joint light rangefinder selectpoint slidercrank")):
            self.add(visual, tag, self.some(0.3, {k: kind for k in names.split()}))

    def defaults(self, root):
        top = self.add(root, "default", {"class": "main"} if self.chance(0.2) else {})
        self.default_content(top)
        for _ in range(self.rng.randint(0, 2)):
            self.default_class(top, 1)

    def default_class(self, parent, depth):
        self.count += 1
        name = f"class{self.count}"
        inner = self.add(parent, "default", {"class": name})
        self.classes.append(name)
        self.default_content(inner)
        if depth < 3 and self.chance(0.4):
            self.default_class(inner, depth + 1)

    def default_content(self, at):
        p = 0.12
        for tag, attributes in (
                ("mesh", self.mesh_common()), ("material", self.material_common()), ("joint", self.joint_common()),
                ("geom", self.geom_common()), ("site", self.site_common()), ("camera", self.camera_default()),
                ("light", self.light_common()), ("pair", links.pair_common(self)),
                ("equality", links.equality_common(self)), ("tendon", links.tendon_common(self, True))):
            if self.chance(0.3):
                made = self.add(at, tag, self.sane(self.some(p, attributes)))
                self.posed = self.posed or (tag in ("geom", "site") and "pos" in made.attrib)
        if self.chance(0.4):
            tag = self.pick(links.SHORTCUTS)
            self.add(at, tag, self.sane(self.some(0.25, links.actuator_common(self, tag, True))))

    # ---- assets

    def mesh_common(self):
        return {"inertia": lambda: self.pick(["convex", "exact", "legacy", "shell"]),
                "maxhullvert": lambda: self.pick(["-1", "6", "20"]), "scale": lambda: self.vec(3, 0.5, 1.5)}

    def material_common(self):
        f = lambda: self.num(0, 1)
        return {"emission": f, "metallic": f, "reflectance": f, "rgba": self.rgba, "roughness": f, "shininess": f,
                "specular": f, "texrepeat": lambda: self.vec(2, 1, 3), "texuniform": self.bool,
                "texture": lambda: self.ref("texture")}

    def assets(self, root):
        if self.chance(0.3):
            return
        asset = ET.SubElement(root, "asset")
        for _ in range(self.rng.randint(0, 3)):
            self.texture(asset)
        for _ in range(self.rng.randint(0, 3)):
            material = self.add(asset, "material", {
                **self.name("material", True), **self.class_(), **self.some(self.p, self.material_common())})
            if "texture" not in material.attrib and self.ref("texture") and self.chance(0.3):
                for role in self.rng.sample(["rgb", "normal", "occlusion", "roughness", "metallic", "opacity",
                                             "emissive", "orm", "rgba"], self.rng.randint(1, 2)):
                    self.add(material, "layer", {"role": role, "texture": self.ref("texture")})
        for _ in range(self.rng.randint(0, 2)):
            self.mesh(asset)
        if self.chance(0.3):
            rows, columns = self.rng.randint(2, 5), self.rng.randint(2, 5)
            self.add(asset, "hfield", {
                **self.name("hfield", True), "nrow": str(rows), "ncol": str(columns), "size": self.vec(4, 0.1, 2),
                "elevation": self.vec(rows * columns, 0, 3) if self.chance(0.8) else None})
        if not self.kid and self.chance(0.35):
            for i in range(self.rng.randint(1, 2)):
                made = Maker(self.seed * 31 + i + 1, kid=True)
                self.extra.update({f"kid{i}.xml" if k == "main.xml" else k: v for k, v in made.files().items()})
                self.add(asset, "model", {"name": f"kid{i}", "file": f"kid{i}.xml"})
                self.named.setdefault("model", []).append(f"kid{i}")
                self.bodies_of = getattr(self, "bodies_of", {})
                self.bodies_of[f"kid{i}"] = made.named.get("body", [])

    def texture(self, asset):
        kind = self.pick(["2d", "cube", "skybox"])
        self.add(asset, "texture", {
            **self.name("texture", True), "type": kind, "builtin": self.pick(["gradient", "checker", "flat"]),
            "width": "8", "height": "8" if kind == "2d" else None,
            **self.some(self.p, {
                "colorspace": lambda: self.pick(["auto", "linear", "sRGB"]), "hflip": self.bool, "vflip": self.bool,
                "mark": lambda: self.pick(["none", "edge", "cross", "random"]),
                "markrgb": lambda: self.vec(3, 0, 1), "nchannel": lambda: "3",
                "random": lambda: self.num(0, 1), "rgb1": lambda: self.vec(3, 0, 1),
                "rgb2": lambda: self.vec(3, 0, 1), "gridsize": lambda: "1 1", "gridlayout": lambda: "."})})

    def mesh(self, asset):
        points = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        points = [tuple(0.1 * c + self.rng.uniform(-0.03, 0.03) for c in q) for q in points]
        faces = "0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5"
        # faces turn outward as the corners are numbered
        self.add(asset, "mesh", {
            **self.name("mesh", True), **self.class_(),
            "vertex": " ".join(f"{c:.4f}" for q in points for c in q),
            "face": faces if self.chance(0.7) else None,
            **self.some(self.p, {
                **self.mesh_common(), "refpos": self.vec3, "refquat": self.quat, "smoothnormal": self.bool,
                "texcoord": lambda: self.vec(16, 0, 1)})})

    # ---- the tree

    def world(self, root):
        world = ET.SubElement(root, "worldbody")
        self.content(world, top=True)
        for _ in range(self.rng.randint(1, 2 if self.kid else 3)):
            self.body(world, 0)
        if not self.kid and self.chance(0.3):
            self.replicate(world, 0)
        if not self.kid and self.chance(0.12):
            self.composite(world)
        if not self.kid and self.chance(0.15):
            self.flexcomp(world)

    def content(self, at, top=False):
        # planes stand in the world alone
        for _ in range(self.rng.randint(0 if top else 1, 2)):
            self.geom(at, top)
        for make in (self.site, self.site, self.camera, self.light):
            if self.chance(0.4):
                make(at)
        if self.depth < 3 and self.chance(0.25):
            self.depth += 1
            frame = self.add(at, "frame", {
                **self.name("frame"), **self.some(0.6, {"pos": self.vec3}), **self.orient(),
                **({"childclass": self.pick(self.classes)} if self.chance(0.2) else {})})
            self.content(frame, top)
            if self.chance(0.5):
                self.body(frame, self.depth)
            self.depth -= 1
        if self.depth < 2 and self.chance(0.08):
            self.replicate(at, self.depth)
        if self.named.get("model") and self.chance(0.4) and not self.copying:
            kid = self.pick(self.named["model"])
            self.count += 1
            body = self.pick(self.bodies_of[kid] or [None]) if self.chance(0.8) else None
            self.add(at, "attach", {"model": kid, "prefix": f"p{self.count}_", "body": body})
            if body:
                self.named.setdefault("body", []).append(f"p{self.count}_{body}")

    def replicate(self, at, depth):
        before, self.copying = self.copying, True
        self.depth += 1
        replicate = self.add(at, "replicate", {
            "count": str(self.rng.randint(1, 3)),
            **self.some(0.5, {"offset": self.vec3, "euler": lambda: self.vec(3, -60, 60),
                              "sep": lambda: self.pick(["_", "-", "x"])})})
        if self.chance(0.5):
            self.content(replicate, top=True)
        self.replicates = True
        if self.chance(0.7):
            self.body(replicate, depth + 1)
        self.depth -= 1
        self.copying = before

    def body(self, at, depth):
        body = self.add(at, "body", {
            **self.name("body"), **self.some(0.6, {"pos": self.vec3}), **self.orient(),
            **self.some(0.2, {"gravcomp": lambda: self.num(0, 1), "user": self.user,
                              "childclass": lambda: self.pick(self.classes)})})
        if at.tag == "worldbody" and self.chance(0.1):
            body.set("mocap", "true")
        elif at.tag == "worldbody" and self.chance(0.3):
            free = self.add(body, "freejoint" if self.chance(0.6) else "joint",
                            {**self.name("free"), **self.some(0.3, {"group": self.group})})
            if free.tag == "joint":
                free.set("type", "free")
            elif self.chance(0.3):
                free.set("align", self.pick(["true", "false", "auto"]))
        else:
            for _ in range(self.rng.randint(0, 3)):
                if self.joint(body) == "ball":
                    break
        if self.chance(0.3):
            self.inertial(body)
        self.content(body)
        self.depth += 1
        for _ in range(self.pick([0, 0, 1, 1, 2]) if depth < 3 else 0):
            self.body(body, depth + 1)
        self.depth -= 1

    def inertial(self, body):
        a, b = self.rng.uniform(0.3, 1), self.rng.uniform(0.3, 1)
        c = self.rng.uniform(abs(a - b) + 0.01, a + b - 0.01)
        inertia = {}
        if self.chance(0.5):
            inertia = {"diaginertia": f"{a:.4f} {b:.4f} {c:.4f}"}
            inertia.update(self.orient())
        elif self.chance(0.7):
            inertia = {"fullinertia": f"{a:.4f} {b:.4f} {(a + b) * 0.7:.4f} {self.vec(3, -0.003, 0.003)}"}
        self.add(body, "inertial", {"pos": self.vec3(), "mass": self.num(0.1, 3), **inertia})

    def joint_common(self):
        return {
            "actuatorfrclimited": self.auto, "actuatorfrcrange": self.range, "actuatorgravcomp": self.bool,
            "armature": self.positive, "axis": self.vec3, "damping": self.positive, "frictionloss": self.positive,
            "group": self.group, "limited": self.auto, "margin": self.positive, "pos": self.vec3,
            "range": self.range, "ref": self.one, "solimpfriction": self.solimp, "solimplimit": self.solimp,
            "solreffriction": self.solref, "solreflimit": self.solref,
            "springdamper": lambda: self.vec(2, 0.1, 1), "springref": self.one, "stiffness": self.positive,
            "type": lambda: self.pick(["hinge", "slide"]), "user": self.user}

    def joint(self, body):
        kind = self.pick(["hinge", "hinge", "slide", "ball", None])
        if kind == "ball" and any(j.get("type") != "slide" for j in body):
            kind = "hinge"
        attributes = {**self.some(self.p, self.joint_common()), **self.class_()}
        attributes.pop("type", None)
        if kind:
            attributes["type"] = kind
        if kind != "ball" and any(j.tag == "joint" for j in body):
            attributes["axis"] = self.vec3()  # two joints about one axis have no inverse inertia
        if kind == "ball" and "range" in attributes:
            attributes["range"] = f"0 {self.num(0.5, 2)}"
        name, attributes = self.name("ball" if kind == "ball" else "joint"), self.sane(attributes)
        if name and "range" in attributes and attributes.get("limited") != "false" and not self.copying:
            self.named.setdefault("limited", []).append(name["name"])
        self.add(body, "joint", {**name, **attributes})
        return kind

    def geom_common(self):
        return {
            **self.some_orient(), "conaffinity": self.mask, "condim": lambda: self.pick("1346"),
            "contype": self.mask, "density": self.positive,
            "fitscale": lambda: self.num(0.8, 1.2), "fluidcoef": self.upto(5),
            "fluidshape": lambda: self.pick(["none", "ellipsoid"]), "friction": self.upto(3), "gap": self.positive,
            "group": self.group, "margin": self.positive, "mass": lambda: self.num(0.1, 3),
            "material": lambda: self.ref("material"), "pos": self.vec3,
            "priority": self.small, "rgba": self.rgba, "shellinertia": self.bool, "solimp": self.solimp,
            "solmix": self.positive, "solref": self.solref, "user": self.user,
            "size": lambda: self.vec(3, 0.05, 0.3), "type": lambda: self.pick(GEOMS)}

    def geom(self, at, top=False):
        kind = self.pick(GEOMS + [None])
        attributes = {**self.some(self.p, self.geom_common()), **self.class_()}
        attributes["size"] = self.vec(3, 0.05, 0.3) if self.chance(0.995) else self.vec(self.rng.randint(1, 3), 0.05, 0.3)
        if kind:
            attributes["type"] = kind
        else:
            attributes.pop("type", None)
        if kind in ("capsule", "cylinder", "box", "ellipsoid") and self.chance(0.01 if self.posed else 0.25):
            attributes["fromto"] = self.vec(6, -0.5, 0.5)
            for key in ("class", "pos", "axisangle", "euler", "quat", "xyaxes", "zaxis"):
                attributes.pop(key, None)
        if self.ref("mesh") and self.chance(0.25):
            attributes["mesh"] = self.ref("mesh")
            attributes["type"] = self.pick(["mesh", "mesh", *GEOMS])
            if self.chance(0.7):
                attributes.pop("size", None)
            attributes.pop("fromto", None)
        elif top and at.tag == "worldbody" and self.chance(0.2):
            attributes["type"] = "plane"
            attributes.pop("fromto", None)
            attributes["size"] = self.pick(["0 0 1", "1 2 .1"])
        elif self.ref("hfield") and self.chance(0.2):
            attributes.update({"type": "hfield", "hfield": self.ref("hfield")})
            attributes.pop("size", None)
            attributes.pop("fromto", None)
        if attributes.get("type") in ("mesh", "hfield", "plane"):
            attributes.pop("fluidshape", None)
            attributes.pop("shellinertia", None)
        name = self.name("geom")
        if name and not self.copying and attributes.get("type", "sphere") in ("sphere", "cylinder"):
            self.named.setdefault("round", []).append(name["name"])
        self.add(at, "geom", {**name, **attributes})

    def site_common(self):
        return {**self.some_orient(), "group": self.group, "material": lambda: self.ref("material"),
                "pos": self.vec3, "rgba": self.rgba, "size": self.upto(3), "type": lambda: self.pick(GEOMS),
                "user": self.user}

    def site(self, at):
        attributes = {**self.some(self.p, self.site_common()), **self.class_()}
        if self.chance(0.01 if self.posed else 0.1):
            attributes = {k: v for k, v in attributes.items()
                          if k not in ("class", "pos", "axisangle", "euler", "quat", "xyaxes", "zaxis")}
            attributes.update({"fromto": self.vec(6, -0.5, 0.5), "type": self.pick(GEOMS[1:]), "size": "0.1"})
        self.add(at, "site", {**self.name("site"), **attributes})

    def camera_common(self):
        return {**self.some_orient(), "fovy": lambda: self.num(10, 90), "ipd": self.positive,
                "mode": lambda: self.pick(["fixed", "track", "trackcom"]),
                "orthographic": self.bool, "pos": self.vec3, "resolution": lambda: "640 480", "user": self.user}

    def camera_default(self):
        """User data of a camera's class is lost in the released compiler."""
        return {k: v for k, v in self.camera_common().items() if k != "user"}

    def camera(self, at):
        attributes = {**self.some(self.p, self.camera_common()), **self.class_()}
        if self.chance(0.3):
            attributes.pop("fovy", None)
            attributes.update(self.pick([
                {"sensorsize": self.vec(2, 0.01, 0.03), "focal": self.vec(2, 0.01, 0.03)},
                {"sensorsize": self.vec(2, 0.01, 0.03), "focalpixel": "30 40"}]))
            attributes.update(self.some(0.5, {"principal": lambda: self.vec(2, 0, 0.01)}) if self.chance(0.5)
                              else self.some(0.5, {"principalpixel": lambda: "1 2"}))
            attributes["resolution"] = "640 480"
        if self.ref("body") and self.chance(0.01 if self.kid or self.copying else 0.2):
            attributes.update({"mode": self.pick(["targetbody", "targetbodycom"]), "target": self.ref("body")})
        self.add(at, "camera", {**self.name("camera"), **attributes})

    def light_common(self):
        return {"active": self.bool, "ambient": self.vec3, "attenuation": self.vec3, "bulbradius": self.positive,
                "castshadow": self.bool, "cutoff": lambda: self.num(10, 80), "diffuse": self.vec3,
                "dir": self.vec3, "exponent": self.positive, "intensity": self.positive,
                "mode": lambda: self.pick(["fixed", "track", "trackcom"]), "pos": self.vec3, "range": self.positive,
                "specular": self.vec3,
                **self.pick([{"type": lambda: self.pick(["spot", "directional", "point", "image"])},
                             {"directional": self.bool}])}

    def light(self, at):
        attributes = {**self.some(self.p, self.light_common()), **self.class_()}
        if self.ref("body") and self.chance(0.01 if self.kid or self.copying else 0.2):
            attributes.update({"mode": self.pick(["targetbody", "targetbodycom"]), "target": self.ref("body")})
        if self.ref("texture") and self.chance(0.01 if self.copying else 0.2):
            attributes["texture"] = self.ref("texture")
        self.add(at, "light", {**self.name("light"), **attributes})

    # ---- bodies in numbers

    def composite(self, world):
        at = ET.SubElement(world, "body", {"name": "composed", "pos": self.vec3()})
        self.count += 1
        composite = self.add(at, "composite", {
            "type": "cable", "prefix": f"c{self.count}",
            "curve": self.pick(["s 0 0", "cos(s) sin(s) s", "s sin(s) 0"]),
            "count": f"{self.rng.randint(3, 8)} 1 1", "size": self.vec(3, 0.5, 1.5),
            **self.some(0.3, {"initial": lambda: self.pick(["ball", "free", "none"]), "offset": self.vec3,
                              "quat": lambda: self.pick(["0 1 0 0", "0.6 0 0.8 0"])})})
        self.add(composite, "joint", {"kind": "main", **self.some(0.2, {
            "armature": self.positive, "damping": self.positive, "frictionloss": self.positive, "group": self.group,
            "stiffness": self.positive})})
        kind = self.pick(["capsule", "cylinder", "box"])
        self.add(composite, "geom", {"type": kind, "size": self.vec(3, 0.01, 0.03), **self.some(0.2, {
            "conaffinity": self.mask, "condim": lambda: self.pick("1346"), "contype": self.mask,
            "density": self.positive, "friction": self.upto(3), "gap": self.positive, "group": self.group,
            "margin": self.positive, "material": lambda: self.ref("material"), "priority": self.small,
            "rgba": self.rgba, "solimp": self.solimp, "solmix": self.positive, "solref": self.solref,
            "mass": self.positive})})
        if self.chance(0.3):
            self.add(composite, "site", self.some(0.4, {
                "group": self.group, "material": lambda: self.ref("material"), "rgba": self.rgba,
                "size": lambda: self.vec(3, 0.05, 0.3)}))

    def flexcomp(self, world):
        at = ET.SubElement(world, "body", {"name": "soft", "pos": self.vec3()})
        dim = self.pick([1, 2, 3])
        count = {1: "4 1 1", 2: "3 3 1", 3: "3 2 2"}[dim]
        flex = self.add(at, "flexcomp", {
            **self.name("flex", True), "type": "grid", "dim": str(dim), "count": count,
            "spacing": self.vec(3, 0.1, 0.2), "mass": self.num(0.1, 2), "radius": self.num(0.005, 0.02),
            **self.orient(), **self.some(0.2, {
                "dof": lambda: self.pick(["full", "radial"] + (["trilinear"] if dim == 3 else [])),
                "flatskin": self.bool, "group": self.group,
                "inertiabox": self.positive, "material": lambda: self.ref("material"), "pos": self.vec3,
                "rgba": self.rgba, "rigid": self.bool, "scale": lambda: self.vec(3, 0.5, 1.5)})})
        if self.chance(0.6):
            self.add(flex, "edge", self.some(0.4, {
                "damping": self.positive, "equality": self.bool, "solimp": self.solimp, "solref": self.solref,
                **({"stiffness": self.positive} if dim == 1 else {})}))
        if dim > 1 and self.chance(0.5):
            self.add(flex, "elasticity", {"young": self.num(100, 1e4), "poisson": self.num(0, 0.45), **self.some(0.4, {
                "damping": self.positive, "thickness": lambda: "0.01",
                **({"elastic2d": lambda: self.pick(["none", "bend", "stretch", "both"])} if dim == 2 else {})})})
        if self.chance(0.6):
            self.add(flex, "contact", self.flex_contact())
        if self.chance(0.5):
            self.add(flex, "pin", self.pick([{"id": "0 1"}, {"range": "0 2"}, *([] if dim == 1 else [
                {"grid": "0 0 0"[:2 * dim - 1]}, {"gridrange": "0 0 0 1 1 1" if dim == 3 else "0 0 1 1"}])]))

    def flex_contact(self):
        return self.some(0.3, {
            "activelayers": self.small, "conaffinity": self.mask, "condim": lambda: self.pick("1346"),
            "contype": self.mask, "friction": self.upto(3), "gap": self.positive, "internal": self.bool,
            "margin": self.positive, "priority": self.small,
            "selfcollide": lambda: self.pick(["none", "narrow", "bvh", "sap", "auto"]), "solimp": self.solimp,
            "solmix": self.positive, "solref": self.solref, "vertcollide": self.bool})
