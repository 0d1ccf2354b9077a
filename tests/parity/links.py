"""What links the tree of a random model: contacts, equalities, tendons, actuators, sensors, keyframes,
custom data, flexes and skins."""

import xml.etree.ElementTree as ET

SHORTCUTS = ["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"]
OBJECTS = {"body": "body", "xbody": "body", "geom": "geom", "site": "site", "camera": "camera"}


def add(m, root):
    for p, make in ((0.3, custom), (0.3, contact), (0.3, deformable), (0.4, equality), (0.6, tendon), (0.7, actuator),
                    (0.7, sensor), (0.25, keyframe)):
        # the released compiler copies keys, and sensors of nothing, with every replica
        if m.chance(p) and not (make is keyframe and m.replicates):
            make(m, root)


def custom(m, root):
    at = ET.SubElement(root, "custom")
    for _ in range(m.rng.randint(0, 2)):
        n = m.rng.randint(0, 4)
        m.add(at, "numeric", {**m.name("numeric", True), "data": m.vec(n, -9, 9) if n else None,
                              "size": str(n + m.rng.randint(not n, 2)) if not n or m.chance(0.4) else None})
    if m.chance(0.5):
        m.add(at, "text", {**m.name("text", True), "data": m.pick(["some words", "a&b <c>", "x"])})
    if m.chance(0.5):
        tuple_ = m.add(at, "tuple", m.name("tuple", True))
        m.add(tuple_, "element", {"objtype": "body", "objname": "world"})
        for _ in range(m.rng.randint(1, 3)):
            kind = m.pick(["body", "xbody", "geom", "site", "camera", "light", "numeric", "text", "material", "texture",
                           "mesh"])
            found = m.ref(kind.lstrip("x"))
            if found:
                m.add(tuple_, "element", {"objtype": kind, "objname": found, **m.some(0.5, {"prm": m.one})})


def pair_common(m):
    return {"condim": lambda: m.pick("1346"), "friction": m.upto(5), "gap": m.positive, "margin": m.positive,
            "solimp": m.solimp, "solref": m.solref, "solreffriction": m.solref}


def contact(m, root):
    at = ET.SubElement(root, "contact")
    for _ in range(m.rng.randint(0, 3)):
        if m.ref("geom"):
            m.add(at, "pair", {**m.name("pair"), **m.class_(), "geom1": m.ref("geom"), "geom2": m.ref("geom"),
                               **m.some(m.p, pair_common(m))})
    for _ in range(m.rng.randint(0, 2)):
        if m.ref("body"):
            m.add(at, "exclude", {**m.name("exclude"), "body1": m.pick([m.ref("body"), "world"]), "body2": m.ref("body")})


def deformable(m, root):
    bodies = m.named.get("body", [])
    if len(bodies) < 1:
        return
    if m.kid:
        return  # the released compiler does not rename flexes and skins that it attaches
    at = ET.SubElement(root, "deformable")
    if m.chance(0.6):
        dim = m.pick([1, 2, 3])
        n = dim + 2
        elements = {1: "0 1 1 2", 2: "0 1 2 1 3 2", 3: "0 1 2 3 1 2 3 4"}[dim]
        same = m.chance(0.5)
        flex = m.add(at, "flex", {
            **m.name("flex", True), "dim": str(dim), "element": elements,
            "body": m.pick(bodies) if same else " ".join(m.pick(bodies + ["world"]) for _ in range(n)),
            "vertex": m.vec(3 * n, -1, 1) if same or m.chance(0.5) else None,
            **m.some(0.2, {"flatskin": m.bool, "group": m.group, "material": lambda: m.ref("material"),
                           "radius": lambda: m.num(0.01, 0.1), "rgba": m.rgba,
                           "texcoord": lambda: m.vec(2 * n, 0, 1)})})
        if m.chance(0.5):
            m.add(flex, "contact", m.flex_contact())
        if m.chance(0.5):
            m.add(flex, "edge", m.some(0.5, {"damping": m.positive, **({"stiffness": m.positive} if dim == 1 else {})}))
        if dim > 1 and m.chance(0.4):
            m.add(flex, "elasticity", {"young": m.num(100, 1e4), **m.some(0.4, {
                "poisson": lambda: m.num(0, 0.45), "damping": m.positive, "thickness": lambda: "0.02",
                **({"elastic2d": lambda: m.pick(["none", "bend", "stretch", "both"])} if dim == 2 else {})})})
    if m.chance(0.5):
        skin = m.add(at, "skin", {
            **m.name("skin"), "vertex": m.vec(12, -1, 1), "face": "0 1 2 1 2 3",
            **m.some(m.p, {"group": m.group, "inflate": m.positive, "material": lambda: m.ref("material"),
                           "rgba": m.rgba, "texcoord": lambda: m.vec(8, 0, 1)})})
        for i in range(2):
            m.add(skin, "bone", {"body": m.pick(bodies), "bindpos": m.vec3(), "bindquat": m.quat(),
                                 "vertid": "0 1 2 3" if i else "0 1", "vertweight": m.vec(4 if i else 2, 0.1, 1)})


def equality_common(m):
    return {"active": m.bool, "solimp": m.solimp, "solref": m.solref}


def equality(m, root):
    at = ET.SubElement(root, "equality")
    for _ in range(m.rng.randint(1, 4)):
        kind = m.pick(["connect", "weld", "joint", "joint", "flex", "connect", "weld"])
        ends = {}
        if kind in ("connect", "weld"):
            if m.chance(0.3) and m.ref("site"):
                ends = {"site1": m.ref("site"), "site2": m.ref("site")}
                if ends["site1"] == ends["site2"]:
                    continue
            elif m.ref("body"):
                one, other = m.ref("body"), m.pick([m.ref("body"), None])
                ends = {"body1": one, "body2": other if other != one else None}
                if kind == "connect":
                    ends["anchor"] = m.vec3()
            else:
                continue
            if kind == "weld":
                ends.update(m.some(0.4, {"torquescale": m.positive}))
                if "body1" in ends:
                    ends.update(m.some(0.4, {"anchor": m.vec3, "relpose": lambda: m.pick(
                        [m.vec(7, -1, 1), "0 1 0 0 0 0 0", "0 0 1 1 0 0 0"])}))
        elif kind == "joint" and m.ref("joint"):
            one, other = m.ref("joint"), m.pick([m.ref("joint"), None])
            ends = {"joint1": one, "joint2": other if other != one else None,
                    **m.some(0.5, {"polycoef": lambda: m.vec(m.rng.randint(1, 5), -1, 1)})}
        elif kind == "flex" and m.ref("flex"):
            ends = {"flex": m.ref("flex")}
        else:
            continue
        m.add(at, kind, {**m.name("equality"), **m.class_(), **ends, **m.some(m.p, equality_common(m))})


def tendon_common(m, default=False):
    return {
        **({} if default else {"actuatorfrclimited": m.auto, "actuatorfrcrange": m.range}),
        "damping": m.positive, "frictionloss": m.positive, "group": m.group, "limited": m.auto, "margin": m.positive,
        "range": lambda: f"{m.num(0, 0.3)} {m.num(0.4, 3)}", "solimpfriction": m.solimp, "solimplimit": m.solimp,
        "solreffriction": m.solref, "solreflimit": m.solref,
        "springlength": lambda: m.pick([m.num(0, 1), f"{m.num(0, 0.5)} {m.num(0.5, 1)}"]),
        "stiffness": m.positive, "user": m.user,
        **({"material": lambda: m.ref("material"), "rgba": m.rgba, "width": m.tiny} if default else {})}


def tendon(m, root):
    at = ET.SubElement(root, "tendon")
    for _ in range(m.rng.randint(1, 3)):
        spatial = m.chance(0.6) and len(m.named.get("site", [])) > 1
        if not spatial and not m.ref("joint"):
            continue
        attributes = m.sane({**m.class_(), **m.some(m.p, tendon_common(m))})
        name = m.name("tendon")
        if name and "range" in attributes and attributes.get("limited") != "false":
            m.named.setdefault("cord", []).append(name["name"])
        if not spatial:
            cord = m.add(at, "fixed", {**name, **attributes})
            for joint in m.rng.sample(m.named["joint"], min(len(m.named["joint"]), m.rng.randint(1, 3))):
                m.add(cord, "joint", {"joint": joint, "coef": m.one()})
            continue
        # of fixed tendons the released engine drops the armature where a body is simple
        attributes.update(m.some(m.p, {"armature": m.positive, "material": lambda: m.ref("material"), "rgba": m.rgba, "width": m.tiny}))
        cord = m.add(at, "spatial", {**name, **attributes})
        strand(m, cord)
        if m.chance(0.25):
            m.add(cord, "pulley", {"divisor": m.num(1, 3)})
            strand(m, cord)
    if len(m.named.get("tendon", [])) and m.chance(0.3):
        two = ET.SubElement(root, "equality")
        one, other = m.ref("tendon"), m.pick([m.ref("tendon"), None])
        m.add(two, "tendon", {"tendon1": one, "tendon2": other if other != one else None,
                              **m.some(0.5, {"polycoef": lambda: m.vec(m.rng.randint(1, 5), -1, 1)}),
                              **m.some(0.3, equality_common(m)), **m.name("equality")})


def strand(m, cord):
    sites = m.rng.sample(m.named["site"], min(len(m.named["site"]), m.rng.randint(2, 4)))
    for i, site in enumerate(sites):
        if i and m.ref("round") and "armature" not in cord.attrib and m.chance(0.3):
            m.add(cord, "geom", {"geom": m.ref("round"), "sidesite": m.pick([m.ref("site"), None])})
        m.add(cord, "site", {"site": site})


def actuator_common(m, tag, default=False):
    """Attributes of a shortcut that say nothing of what it drives."""
    result = {
        "forcelimited": m.auto, "forcerange": m.range, "group": m.group, "user": m.user,
        "ctrlrange": m.range if tag not in ("damper", "adhesion") else lambda: f"0 {m.num(0.5, 2)}"}
    if tag != "adhesion":
        result["gear"] = lambda: m.vec(m.rng.randint(1, 6), -2, 2)
        if default:
            result["cranklength"] = lambda: m.num(0.5, 2)
        if not default:
            result["lengthrange"] = m.range
    if tag not in ("damper", "adhesion"):
        result["ctrllimited"] = m.auto
    own = {
        "general": {
            "actdim": lambda: m.pick(["-1", "1", "2"]), "actearly": m.bool, "actlimited": m.auto, "actrange": m.range,
            "biasprm": lambda: m.vec(m.rng.randint(1, 4), -1, 1),
            "biastype": lambda: m.pick(["none", "affine", "muscle", "user"]),
            "dynprm": lambda: m.vec(m.rng.randint(1, 4), 0.1, 1),
            "dyntype": lambda: m.pick(["none", "integrator", "filter", "filterexact", "muscle", "user"]),
            "gainprm": lambda: m.vec(m.rng.randint(1, 4), -1, 1),
            "gaintype": lambda: m.pick(["fixed", "affine", "muscle", "user"])},
        "position": {"kp": m.positive, "timeconst": m.positive, "inheritrange": m.positive,
                     **m.pick([{"kv": m.positive}, {"dampratio": m.positive}])},
        "velocity": {"kv": m.positive},
        "intvelocity": {"kp": m.positive, **m.pick([{"actrange": m.range}, {"inheritrange": m.positive}]),
                        **m.pick([{"kv": m.positive}, {"dampratio": m.positive}])},
        "damper": {"kv": m.positive},
        "cylinder": {"timeconst": m.positive, "bias": m.vec3, **m.pick([{"area": m.positive}, {"diameter": m.positive}])},
        "muscle": {"force": lambda: m.num(1, 100), "fpmax": m.positive, "fvmax": lambda: m.num(1.1, 2),
                   "lmax": lambda: m.num(1.2, 2), "lmin": lambda: m.num(0.3, 0.7), "range": lambda: "0.7 1.1",
                   "scale": lambda: m.num(100, 300), "timeconst": lambda: m.vec(2, 0.01, 0.1), "vmax": m.positive,
                   **({} if default else {"tausmooth": m.positive})},
        "adhesion": {"gain": m.positive},
    }
    result.update(own.get(tag, {}))
    return result


def transmission(m, tag):
    if tag == "adhesion":
        return {"body": m.ref("body")} if m.ref("body") else None
    choices = []
    if m.ref("joint", "ball", "free"):
        choices += [{"joint": m.ref("joint", "ball", "free")}, {"joint": m.ref("joint", "ball", "free")},
                    {"jointinparent": m.ref("joint", "ball", "free")}]
    if m.ref("tendon"):
        choices += [{"tendon": m.ref("tendon")}] * 2
    if m.ref("site"):
        if tag != "muscle":
            choices.append({"site": m.ref("site"), **m.some(0.5, {"refsite": lambda: m.ref("site")})})
        choices.append({"cranksite": m.ref("site"), "slidersite": m.ref("site"), "cranklength": m.num(0.5, 2)})
    if tag == "general" and m.ref("body"):
        choices.append({"body": m.ref("body")})
    return m.pick(choices) if choices else None


def actuator(m, root):
    at = ET.SubElement(root, "actuator")
    for _ in range(m.rng.randint(1, 5)):
        tag = m.pick(SHORTCUTS)
        drive = transmission(m, tag)
        if drive is None:
            continue
        attributes = m.some(m.p, actuator_common(m, tag))
        if tag in ("damper", "adhesion"):
            attributes["ctrlrange"] = "0 1"
        if tag == "general" and m.chance(0.9):
            if attributes.get("dyntype", "none") == "none":
                for key in ("actrange", "actdim", "actlimited"):
                    attributes.pop(key, None)
            elif attributes.get("dyntype") != "user":
                attributes.pop("actdim", None)
        if tag == "intvelocity" and not attributes.keys() & {"actrange", "inheritrange"}:
            attributes["actrange"] = m.range()
        if "inheritrange" in attributes:
            attributes.pop("ctrlrange", None)
            attributes.pop("actrange", None)
        if tag == "muscle" and m.chance(0.8):
            attributes["lengthrange"] = "0.1 1"
        m.add(at, tag, {**m.name("actuator"), **m.class_(), **m.sane(attributes), **drive})


SITE = "touch accelerometer velocimeter gyro force torque magnetometer rangefinder".split()
JOINT = "jointpos jointvel jointactuatorfrc".split()
LIMIT = "jointlimitpos jointlimitvel jointlimitfrc".split()
TENDON = "tendonpos tendonvel tendonactuatorfrc".split()
CORD = "tendonlimitpos tendonlimitvel tendonlimitfrc".split()
ACTUATOR = "actuatorpos actuatorvel actuatorfrc".split()
FRAME = ("framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc "
         "frameangacc").split()
BODY = "subtreecom subtreelinvel subtreeangmom".split()
PAIR = "distance normal fromto".split()
ALONE = "e_potential e_kinetic clock".split()


def sensor(m, root):
    at = ET.SubElement(root, "sensor")
    for _ in range(m.rng.randint(1, 8)):
        tag, ends = measured(m)
        if tag:
            common = m.some(m.p, {"cutoff": m.positive, "noise": m.positive, "user": m.user})
            if ("quat" in tag or "axis" in tag) and m.chance(0.95):
                common.pop("cutoff", None)
            m.add(at, tag, {**m.name("sensor"), **ends, **common})


def measured(m):
    group = m.pick([SITE, JOINT, TENDON, ACTUATOR, FRAME, FRAME, BODY, PAIR, ALONE, ["ball"], ["user"],
                    ["camprojection"], LIMIT, CORD])
    tag = m.pick(group)
    if m.replicates and (group is ALONE or tag == "user"):
        return None, None
    for kind, tags in (("site", SITE), ("joint", JOINT), ("tendon", TENDON), ("actuator", ACTUATOR), ("body", BODY)):
        if tag in tags:
            found = m.ref(kind)
            return (tag, {kind: found}) if found else (None, None)
    if tag in LIMIT or tag in CORD:
        found = m.ref("limited" if tag in LIMIT else "cord")
        return (tag, {"joint" if tag in LIMIT else "tendon": found}) if found else (None, None)
    if tag in ALONE:
        return tag, {}
    if tag in FRAME:
        ends = frame(m, "obj")
        if ends and "acc" not in tag and m.chance(0.5):
            ends.update(frame(m, "ref") or {})
        return (tag, ends) if ends else (None, None)
    if tag in PAIR:
        ends = {}
        for i in "12":
            kind = m.pick(["geom", "body"])
            if not m.ref(kind):
                return None, None
            ends[kind + i] = m.ref(kind)
        return tag, ends
    if tag == "ball":
        found = m.ref("ball")
        return (m.pick(["ballquat", "ballangvel"]), {"joint": found}) if found else (None, None)
    if tag == "camprojection":
        if not (m.ref("site") and m.ref("camera")):
            return None, None
        return tag, {"site": m.ref("site"), "camera": m.ref("camera")}
    return "user", {"dim": str(m.rng.randint(1, 4)), **(frame(m, "obj") or {} if m.chance(0.5) else {}), **m.some(0.4, {
        "datatype": lambda: m.pick(["real", "positive", "axis", "quaternion"]),
        "needstage": lambda: m.pick(["pos", "vel", "acc"])})}


def frame(m, end):
    kind = m.pick(list(OBJECTS))
    found = m.ref(OBJECTS[kind])
    return {end + "type": kind, end + "name": found} if found else None


def keyframe(m, root):
    at = ET.SubElement(root, "keyframe")
    for _ in range(m.rng.randint(1, 2)):
        m.add(at, "key", {**m.name("key"), **m.some(0.4, {"time": m.positive})})
