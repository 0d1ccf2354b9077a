"""Scripts that change models: finding, deleting, attaching, copying, compiling again."""

from edited import ARM, KID, SCRIPTS, script

# ---- finding and changing

@script
def change(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    out(spec)
    spec.geom("ga").size = [0.1, 0.1, 0.1]
    spec.geom("ga").fromto = [0, 0, 0, 0, 0, 2]
    spec.body("b").pos = [1, 2, 3]
    spec.joint("ja").axis = [1, 1, 0]
    spec.site("sa").pos = [0, 1, 0]
    spec.actuator("act").gear = [3, 0, 0, 0, 0, 0]
    out(spec)
    spec.body("b").name = "bee"
    out(spec)
    spec.equality("eq").name1 = "bee"
    out(spec)


@script
def lists(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    for kind in "bodies geoms joints sites cameras lights frames actuators sensors pairs excludes equalities tendons numerics texts tuples keys meshes textures materials".split():
        out([x.name for x in getattr(spec, kind)])
    a = spec.body("a")
    for kind in "bodies geoms joints sites cameras lights frames".split():
        out([x.name for x in getattr(a, kind)], [x.name for x in getattr(spec.worldbody, kind)])
    for kind in "body geom joint site camera light".split():
        out([x.name for x in spec.worldbody.find_all(kind)], [x.name for x in a.find_all(getattr(mj.mjtObj, "mjOBJ_" + kind.upper()))])
    out(spec.geom("gf").parent.name, spec.body("b").parent.name, spec.body("b").frame.name, spec.frame("f").parent.name)
    out(a.first_geom().name, a.next_geom(a.first_geom()).name, a.first_body().name, a.first_joint().name, a.first_site().name)
    spec.compile()
    out([g.id for g in spec.geoms], [b.id for b in spec.bodies], [j.id for j in spec.joints])


@script
def duplicate_name(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.worldbody.add_geom(name="ga", size=[1, 0, 0])
    out(spec)


@script
def missing_reference(mj, out):
    for change in [lambda s: setattr(s.geom("ga"), "material", "none"), lambda s: setattr(s.geom("gb"), "meshname", "none"),
                   lambda s: setattr(s.actuator("act"), "target", "none"), lambda s: setattr(s.sensor("se"), "objname", "none"),
                   lambda s: setattr(s.pair("p"), "geomname1", "none"), lambda s: setattr(s.equality("eq"), "name2", "none"),
                   lambda s: s.tendon("fix").wrap_joint("none", 1), lambda s: setattr(s.material("m"), "textures", ["none"] + [""] * 9),
                   lambda s: setattr(s.exclude("x"), "bodyname1", "none")]:
        spec = mj.MjSpec.from_string(ARM)
        change(spec)
        out(spec)


# ---- deleting

DELETED = [("body", "a"), ("body", "b"), ("body", "c"), ("geom", "ga"), ("geom", "gb"), ("geom", "gc"), ("geom", "gf"),
           ("joint", "ja"), ("joint", "jb"), ("joint", "jc"), ("site", "sa"), ("site", "sb"), ("camera", "ca"), ("light", "sun"),
           ("frame", "f"), ("material", "m"), ("texture", "t"), ("mesh", "tet"), ("pair", "p"), ("exclude", "x"),
           ("tendon", "ten"), ("tendon", "fix"), ("equality", "eq"), ("actuator", "act"), ("actuator", "mt"), ("sensor", "se"),
           ("numeric", "num"), ("text", "txt"), ("tuple", "tup"), ("key", "home")]


def deleting(kind, name, compiled, nokey):
    def delete(mj, out):
        spec = mj.MjSpec.from_string(ARM)
        if nokey:
            spec.delete(spec.key("home"))
        if compiled:
            out(spec)
        spec.delete(getattr(spec, kind)(name))
        out(spec)
    return delete


for kind, name in DELETED:
    for compiled in (False, True):
        for nokey in (False, True):
            if kind != "key" or not nokey:
                SCRIPTS[f"delete_{kind}_{name}" + "_compiled" * compiled + "_nokey" * nokey] = deleting(kind, name, compiled, nokey)


@script
def delete_default(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.delete(spec.find_default("soft"))
    out(spec)


@script
def delete_and_add(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.delete(spec.body("b"))
    body = spec.body("a").add_body(name="b", pos=[0, 1, 0])
    body.add_joint(name="jb")
    body.add_geom(name="gb", size=[0.2, 0, 0])
    out(spec)
    spec.delete(spec.key("home"))
    out(spec)


# ---- attaching

@script
def attach_body_to_frame(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    frame = parent.worldbody.add_frame(pos=[1, 0, 0], euler=[0, 0, 90])
    made = frame.attach_body(kid.body("k1"), "pre-", "-suf")
    out(made.name, [b.name for b in parent.bodies])
    out(parent)
    out(parent.parent if False else [d for d in ("main", "pre-main-suf", "pre-k-suf") if parent.find_default(d)])


@script
def attach_body_to_site(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    parent.site("sb").attach_body(kid.body("k1"), "pre-", "")
    out(parent)


@script
def attach_inner_body(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    parent.frame("f").attach_body(kid.body("k2"), "", "-k")
    out(parent)


@script
def attach_frame_to_body(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    frame = parent.body("b").attach_frame(kid.frame("kf"), "pre-", "-suf")
    out(frame.name)
    out(parent)


@script
def attach_spec_to_frame(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    frame = parent.worldbody.add_frame(name="here", pos=[1, 0, 0], euler=[0, 0, 90])
    parent.attach(kid, frame="here", prefix="k_")
    out(parent)
    out([b.name for b in parent.bodies], [k.name for k in parent.keys], [m.name for m in parent.meshes])


@script
def attach_spec_to_site(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    parent.attach(kid, site=parent.site("sa"), suffix="_k")
    out(parent)


@script
def attach_copies(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    parent.copy_during_attach = True
    for i in range(3):
        frame = parent.worldbody.add_frame(pos=[i, 0, 0])
        parent.attach(kid, frame=frame, prefix=f"k{i}_")
    out(kid)
    out(parent)


@script
def attach_copied_bodies(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    parent.copy_during_attach = True
    for i in range(2):
        parent.worldbody.add_frame(pos=[i, 0, 0]).attach_body(kid.body("k1"), f"k{i}_", "")
    out(parent)
    kid.geom("kg").size = [0.7, 0, 0]
    parent.worldbody.add_frame().attach_body(kid.body("k1"), "z", "")
    out(parent)


@script
def attach_change_child(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    body = parent.worldbody.add_frame().attach_body(kid.body("k1"), "p", "")
    out(parent)
    body.pos = [4, 5, 6]
    body.add_geom(name="more", size=[0.2, 0, 0])
    out(parent)
    kid.compiler.degree = True
    out(parent)


@script
def attach_same_names(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(ARM)
    out(parent.attach(kid, frame=parent.worldbody.add_frame()) is not None)
    out(parent)


@script
def attach_itself(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.copy_during_attach = True
    frame = spec.worldbody.add_frame(pos=[0, 0, 2])
    frame.attach_body(spec.body("a"), "copy-", "")
    out(spec)


@script
def attach_nested(mj, out):
    parent, kid, third = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID), mj.MjSpec()
    third.compiler.degree = False
    third.worldbody.add_body(name="t", euler=[1, 0, 0]).add_geom(name="t", size=[0.1, 0, 0])
    kid.attach(third, frame=kid.frame("kf"), prefix="third-")
    parent.attach(kid, frame=parent.frame("f"), prefix="kid-")
    out(parent)


@script
def attach_then_delete(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    parent.copy_during_attach = True
    parent.attach(kid, frame=parent.worldbody.add_frame(), prefix="k-")
    out(parent)
    parent.delete(parent.body("k-k1"))
    out(parent)
    parent.attach(kid, frame=parent.worldbody.add_frame(), prefix="l-")
    out(parent)


@script
def attach_keys(mj, out):
    """Keys of both, before and after compiling."""
    for first in (False, True):
        parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
        if first:
            out(parent)
            out(kid)
        parent.attach(kid, frame=parent.worldbody.add_frame(), prefix="k-")
        out(parent)


@script
def attach_empty(mj, out):
    parent = mj.MjSpec()
    body = parent.worldbody.add_body()
    frame = parent.worldbody.add_frame()
    site = parent.worldbody.add_site()
    child = mj.MjSpec()
    child_body = child.worldbody.add_body()
    child_frame = child.worldbody.add_frame()
    child2, child3 = mj.MjSpec(), mj.MjSpec()
    frame.attach_body(child_body, "child-", "")
    body.attach_frame(child_frame, "child-", "")
    parent.attach(child2, site=site, prefix="child2-")
    parent.attach(child3, frame=frame, prefix="child3-")
    out(parent)


@script
def attach_compiler(mj, out):
    """Settings of the compiler stay with what is attached."""
    for field, value in [("boundmass", 10), ("boundinertia", 5), ("balanceinertia", True), ("inertiafromgeom", 1), ("autolimits", False),
                         ("inertiagrouprange", [1, 2]), ("settotalmass", 3), ("alignfree", True), ("discardvisual", True), ("fusestatic", True)]:
        parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
        setattr(kid.compiler, field, value)
        parent.attach(kid, frame=parent.worldbody.add_frame(), prefix="k-")
        out(parent)


@script
def attach_assets(mj, out):
    parent, kid = mj.MjSpec(), mj.MjSpec()
    kid.add_texture(name="t", type=mj.mjtTexture.mjTEXTURE_2D, builtin=mj.mjtBuiltin.mjBUILTIN_FLAT, width=4, height=4)
    names = [""] * 10
    names[1] = "t"
    kid.add_material(name="m", textures=names)
    kid.add_mesh(name="me", uservert=[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    kid.add_hfield(name="h", nrow=2, ncol=2, size=[1, 1, 1, 1], userdata=[1, 2, 3, 4])
    kid.add_numeric(name="n", data=[1])
    kid.add_text(name="tx", data="x")
    body = kid.worldbody.add_body(name="b")
    body.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="me", material="m")
    kid.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_HFIELD, hfieldname="h")
    parent.attach(kid, frame=parent.worldbody.add_frame(), prefix="k-")
    out(parent)


# ---- copying, recompiling, saving

@script
def copies(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    other = spec.copy()
    other.geom("ga").size = [0.3, 0, 0]
    other.delete(other.body("c"))
    out(spec)
    out(other)


@script
def copy_of_attached(mj, out):
    parent, kid = mj.MjSpec.from_string(ARM), mj.MjSpec.from_string(KID)
    parent.attach(kid, frame=parent.worldbody.add_frame(), prefix="k-")
    out(parent.copy())
    out(parent)


@script
def recompile(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    model = spec.compile()
    data = mj.MjData(model)
    data.qpos[:] = [0.1, 0.2, 1, 2, 3, 1, 0, 0, 0]
    data.qvel[:] = range(8)
    data.ctrl[:] = [1, 2, 3]
    data.time = 3
    body = spec.worldbody.add_body(pos=[0, 0, 5])
    body.add_joint()
    body.add_geom(size=[0.1, 0, 0])
    spec.delete(spec.body("b")) if False else None
    model, data = spec.recompile(model, data)
    out(model)
    out(data.qpos.tolist(), data.qvel.tolist(), data.ctrl.tolist(), data.time)


@script
def recompile_less(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    model = spec.compile()
    data = mj.MjData(model)
    data.qpos[:] = [0.1, 0.2, 1, 2, 3, 1, 0, 0, 0]
    data.qvel[:] = range(8)
    data.ctrl[:] = [1, 2, 3]
    spec.delete(spec.joint("ja"))
    model, data = spec.recompile(model, data)
    out(model)
    out(data.qpos.tolist(), data.qvel.tolist(), data.ctrl.tolist())


@script
def recompile_activations(mj, out):
    spec = mj.MjSpec.from_string("""<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body><body mocap="true" name="m"><geom size="1" contype="0" conaffinity="0"/></body></worldbody>
      <actuator><intvelocity name="a" joint="j" actrange="-1 1"/><motor joint="j"/><cylinder name="b" joint="j"/></actuator></mujoco>""")
    model = spec.compile()
    data = mj.MjData(model)
    data.act[:] = [0.3, 0.4]
    data.mocap_pos[:] = [1, 2, 3]
    body = spec.worldbody.add_body(mocap=True)
    body.add_geom(size=[0.1, 0, 0])
    spec.delete(spec.actuator("a"))
    model, data = spec.recompile(model, data)
    out(model)
    out(data.act.tolist(), data.mocap_pos.tolist(), data.mocap_quat.tolist())


@script
def compiled_often(mj, out):
    spec = mj.MjSpec()
    for i in range(4):
        body = spec.worldbody.add_body(name=f"b{i}", pos=[i, 0, 1])
        body.add_freejoint(name=f"f{i}")
        body.add_geom(size=[0.1 + i, 0.2, 0.3], type=mj.mjtGeom.mjGEOM_BOX)
        out(spec)


@script
def free_align(mj, out):
    for align in (0, 1, 2):
        spec = mj.MjSpec()
        body = spec.worldbody.add_body(name="b")
        body.add_freejoint(align=align)
        body.add_geom(size=[0.1, 0.2, 0.3], type=mj.mjtGeom.mjGEOM_BOX, pos=[1, 0, 0], euler=[10, 20, 30])
        body.add_site(name="s", pos=[0, 0, 1])
        out(spec)


@script
def mocap_and_gravcomp(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body(name="m", mocap=True, pos=[1, 2, 3])
    body.add_geom(size=[0.1, 0, 0])
    body = spec.worldbody.add_body(name="g", gravcomp=0.5)
    body.add_freejoint()
    body.add_geom(size=[0.1, 0, 0])
    out(spec)


@script
def cameras_lights(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    body = spec.body("b")
    c, l = mj.mjtCamLight, mj.mjtLightType
    body.add_camera(name="c1", mode=c.mjCAMLIGHT_TARGETBODY, targetbody="c", fovy=30, ipd=0.1, pos=[1, 0, 0])
    body.add_camera(name="c2", resolution=[640, 480], sensor_size=[0.01, 0.02], focal_length=[0.01, 0.02], principal_length=[0.001, 0.002])
    body.add_camera(name="c3", resolution=[640, 480], sensor_size=[0.01, 0.02], focal_pixel=[300, 400], principal_pixel=[3, 4])
    body.add_camera(name="c4", orthographic=True, mode=c.mjCAMLIGHT_TRACKCOM)
    body.add_light(name="l1", type=l.mjLIGHT_DIRECTIONAL, dir=[1, 1, 0], castshadow=False, ambient=[0.1, 0.2, 0.3], mode=c.mjCAMLIGHT_TRACK)
    body.add_light(name="l2", mode=c.mjCAMLIGHT_TARGETBODYCOM, targetbody="a", active=False, attenuation=[1, 2, 3], cutoff=30, exponent=3)
    out(spec)


@script
def to_geom_forces(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body()
    body.add_freejoint()
    body.add_geom(type=mj.mjtGeom.mjGEOM_ELLIPSOID, size=[0.1, 0.2, 0.3], fluid_ellipsoid=1, fluid_coefs=[0.1, 0.2, 0.3, 0.4, 0.5])
    body.add_geom(type=mj.mjtGeom.mjGEOM_BOX, size=[0.1, 0.2, 0.3], typeinertia=mj.mjtGeomInertia.mjINERTIA_SHELL, gap=0.1, margin=0.2, solmix=2, priority=3, solimp=[0.8, 0.9, 0.1, 0.5, 3], condim=6, group=4)
    out(spec)


def moving(spec):
    body = spec.worldbody.add_body()
    body.add_joint()
    return body


def still(**options):
    return lambda mj, spec: spec.worldbody.add_geom(**{"size": [0.1, 0, 0], **options})


WRONG = {
    "no mass": lambda mj, s: moving(s),
    "no size": lambda mj, s: moving(s).add_geom(),
    "negative size": still(size=[-1, 0, 0]),
    "joint of the world": lambda mj, s: s.worldbody.add_joint(),
    "free world": lambda mj, s: s.worldbody.add_freejoint(),
    "no mesh": lambda mj, s: s.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_MESH),
    "no height field": lambda mj, s: s.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_HFIELD),
    "axis": lambda mj, s: moving(s).add_joint(axis=[0, 0, 0]),
    "points": lambda mj, s: s.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_CAPSULE, size=[0.1, 0, 0], fromto=[0] * 6),
    "nan": still(size=[float("nan"), 0, 0]),
    "site size": lambda mj, s: s.worldbody.add_site(size=[0, 0, 0]),
    "fovy": lambda mj, s: s.worldbody.add_camera(fovy=200),
    "mocap": lambda mj, s: s.worldbody.add_body(mocap=True).add_body(mocap=True),
    "mass": still(mass=-1),
    "condim": still(condim=2),
    "group": still(group=9),
    "timestep": lambda mj, s: setattr(s.option, "timestep", 0),
    **{kind: lambda mj, s, kind=kind: getattr(s, "add_" + kind)() for kind in (
        "sensor equality pair exclude tendon actuator numeric text tuple skin flex hfield texture material").split()},
}


def wrong(make):
    def made(mj, out):
        spec = mj.MjSpec()
        make(mj, spec)
        out(spec)
    return made


SCRIPTS.update({f"wrong {name}": wrong(make) for name, make in WRONG.items()})
