"""Scripts that make models, as users write them. Each takes the package (the released one, or Sinew
in its place) and `out`, which it gives models, specs and values to compare."""

from edited import ARM, script

# ---- adding, one kind after another

@script
def empty(mj, out):
    out(mj.MjSpec())


@script
def first_example(mj, out):
    spec = mj.MjSpec()
    spec.modelname = "my model"
    body = spec.worldbody.add_body(pos=[1, 2, 3], quat=[0, 1, 0, 0])
    body.add_geom(name="my_geom", type=mj.mjtGeom.mjGEOM_SPHERE, size=[1, 0, 0], rgba=[1, 0, 0, 1])
    out(spec)


@script
def defaults_of_elements(mj, out):
    """Everything added with nothing said."""
    spec = mj.MjSpec()
    body = spec.worldbody.add_body()
    body.add_freejoint()
    body.add_geom(size=[0.1, 0, 0])
    body.add_site()
    body.add_camera()
    body.add_light()
    body.add_frame()
    spec.add_numeric(name="n", size=3)
    spec.add_text(name="t", data="x")
    spec.add_key()
    out(spec)


@script
def all_geoms(mj, out):
    spec = mj.MjSpec()
    g = mj.mjtGeom
    for i, kind in enumerate([g.mjGEOM_SPHERE, g.mjGEOM_CAPSULE, g.mjGEOM_ELLIPSOID, g.mjGEOM_CYLINDER, g.mjGEOM_BOX]):
        body = spec.worldbody.add_body(name=f"b{i}", pos=[i, 0, 0])
        body.add_joint(type=mj.mjtJoint.mjJNT_BALL)
        body.add_geom(type=kind, size=[0.1, 0.2, 0.3], euler=[10, 20, 30], density=10 * i + 1)
        body.add_geom(type=kind, fromto=[0, 0, 0, 0.1, 0.2, 0.3], size=[0.1, 0.1, 0]) if kind != g.mjGEOM_SPHERE else None
        body.add_geom(type=kind, size=[0.1, 0.2, 0.3], mass=i + 1, pos=[0.2, 0, 0], axisangle=[1, 2, 3, 40])
    spec.worldbody.add_geom(type=g.mjGEOM_PLANE, size=[1, 1, 0.1], zaxis=[0, 1, 1])
    out(spec)


@script
def all_joints(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody
    for i, kind in enumerate([mj.mjtJoint.mjJNT_HINGE, mj.mjtJoint.mjJNT_SLIDE, mj.mjtJoint.mjJNT_BALL]):
        body = body.add_body(name=f"b{i}", pos=[0.3, 0, 0])
        body.add_geom(size=[0.1, 0.1, 0.1], type=mj.mjtGeom.mjGEOM_BOX)
        body.add_joint(name=f"j{i}", type=kind, axis=[1, i, 2], pos=[0.1, 0, 0.2], range=[0, 30], ref=5 if i < 2 else 0,
                       springref=10, stiffness=2, damping=0.3, frictionloss=0.1, armature=0.01, margin=0.02, group=2,
                       solref_limit=[0.1, 0.9], solimp_friction=[0.8, 0.9, 0.01, 0.4, 3], actfrcrange=[-1, 2])
    out(spec)


@script
def springdamper(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body()
    body.add_geom(size=[0.1, 0, 0])
    body.add_joint(springdamper=[0.5, 1])
    out(spec)


@script
def limits_unsaid(mj, out):
    for auto in (True, False):
        spec = mj.MjSpec()
        spec.compiler.autolimits = auto
        body = spec.worldbody.add_body()
        body.add_geom(size=[0.1, 0, 0])
        body.add_joint(range=[-10, 10])
        out(spec)


@script
def inertial(mj, out):
    spec = mj.MjSpec()
    for i, options in enumerate([dict(mass=2, inertia=[1, 2, 2.5]), dict(mass=2, fullinertia=[1, 2, 2.5, 0.1, 0.2, 0.1]),
                                 dict(mass=1, inertia=[1, 1, 1], ipos=[1, 0, 0], iquat=[1, 1, 0, 0])]):
        body = spec.worldbody.add_body(name=f"b{i}", explicitinertial=True, **options)
        body.add_joint()
        body.add_geom(size=[0.3, 0, 0])
    out(spec)


@script
def inertial_not_explicit(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body(mass=2, inertia=[1, 2, 2.5])
    body.add_joint()
    out(spec)


@script
def inertial_oriented(mj, out):
    spec = mj.MjSpec()
    for i, form in enumerate([dict(ieuler=[10, 20, 30]), dict(iaxisangle=[1, 0, 1, 30]), dict(ixyaxes=[1, 1, 0, 0, 1, 1]),
                              dict(izaxis=[1, 1, 1])]):
        body = spec.worldbody.add_body(name=f"b{i}", explicitinertial=True, mass=1, inertia=[1, 2, 2.5], **form)
        body.add_joint()
    out(spec)


@script
def orientations(mj, out):
    spec = mj.MjSpec()
    forms = [dict(euler=[10, 20, 30]), dict(axisangle=[1, 0, 1, 30]), dict(xyaxes=[1, 1, 0, 0, 1, 1]), dict(zaxis=[1, 1, 1]),
             dict(quat=[1, 2, 3, 4])]
    for form in forms:
        body = spec.worldbody.add_body(**form)
        body.add_geom(size=[0.1, 0.2, 0.3], type=mj.mjtGeom.mjGEOM_BOX, **form)
        body.add_site(**form)
        body.add_camera(**form)
        body.add_frame(**form).name = ""
    out(spec)


@script
def alt_by_field(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body()
    body.alt.type = mj.mjtOrientation.mjORIENTATION_EULER
    body.alt.euler = [10, 20, 30]
    spec.compiler.eulerseq = ["z", "Y", "x"]
    body.add_geom(size=[0.1, 0, 0])
    out(spec)


@script
def radians(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.compiler.degree = False
    spec.joint("ja").range = [-1, 1]
    out(spec)


@script
def frames(mj, out):
    spec = mj.MjSpec()
    one = spec.worldbody.add_frame(pos=[1, 0, 0], euler=[0, 0, 90])
    two = spec.worldbody.add_frame(one, pos=[0, 1, 0])
    body = spec.worldbody.add_body(name="b", pos=[1, 1, 1])
    body.set_frame(two)
    body.add_freejoint()
    geom = body.add_geom(size=[0.1, 0.2, 0.3], type=mj.mjtGeom.mjGEOM_CAPSULE)
    inner = body.add_frame(axisangle=[1, 0, 0, 45])
    geom.set_frame(inner)
    site = body.add_site(pos=[1, 0, 0])
    site.frame = inner
    out(spec)
    one.pos = [5, 0, 0]
    out(spec)
    out([f.name for f in spec.frames], body.frame == two, geom.frame == inner)


@script
def actuators(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body()
    body.add_joint(name="j", range=[-1, 1])
    body.add_geom(size=[0.1, 0, 0], pos=[1, 0, 0])
    body.add_site(name="s")
    trn = mj.mjtTrn
    for i, how in enumerate(["motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"]):
        a = spec.add_actuator(name=how, trntype=trn.mjTRN_JOINT, target="j")
        if how == "motor":
            a.set_to_motor()
        elif how == "position":
            a.set_to_position(kp=3, kv=2)
        elif how == "velocity":
            a.set_to_velocity(kv=2)
        elif how == "intvelocity":
            a.set_to_intvelocity(kp=3, dampratio=1)
            a.actrange = [-1, 1]
        elif how == "damper":
            a.set_to_damper(kv=2)
            a.ctrlrange = [0, 1]
        elif how == "cylinder":
            a.set_to_cylinder(timeconst=0.1, bias=1, area=2)
        elif how == "muscle":
            a.set_to_muscle(timeconst=0.01, tausmooth=0.1, range=[0.7, 1.1], force=10, scale=20, lmin=0.5,
                            lmax=1.6, vmax=1.5, fpmax=1.3, fvmax=1.2)
            a.lengthrange = [0, 1]
        elif how == "adhesion":
            a.set_to_adhesion(gain=2)
            a.trntype, a.target, a.ctrlrange = trn.mjTRN_BODY, "world", [0, 1]
    spec.add_actuator(name="general", trntype=trn.mjTRN_SITE, target="s", gear=[1, 2, 3, 4, 5, 6],
                      dyntype=mj.mjtDyn.mjDYN_FILTER, dynprm=[0.3] + [0] * 9, gaintype=mj.mjtGain.mjGAIN_FIXED,
                      gainprm=[2] + [0] * 9, biastype=mj.mjtBias.mjBIAS_AFFINE, biasprm=[1, 2, 3] + [0] * 7,
                      forcerange=[-1, 1], forcelimited=True, group=3, userdata=[1, 2, 3])
    out(spec)


@script
def position_variants(mj, out):
    for options in (dict(kp=3), dict(kp=3, kv=1), dict(kp=3, dampratio=1), dict(kp=2, timeconst=0.1), dict(kp=2, inheritrange=0.5)):
        spec = mj.MjSpec()
        body = spec.worldbody.add_body()
        body.add_joint(name="j", range=[-1, 1])
        body.add_geom(size=[0.1, 0, 0], pos=[1, 0, 0])
        a = spec.add_actuator(trntype=mj.mjtTrn.mjTRN_JOINT, target="j")
        a.set_to_position(**options)
        out(spec)


@script
def actuator_plain(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body()
    body.add_joint(name="j")
    body.add_geom(size=[0.1, 0, 0])
    spec.add_actuator(target="j")
    out(spec)
    spec.add_actuator(target="j", trntype=mj.mjtTrn.mjTRN_JOINT)
    out(spec)


@script
def sensors(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    s, o = mj.mjtSensor, mj.mjtObj
    for kind, objtype, name in [
            (s.mjSENS_TOUCH, o.mjOBJ_SITE, "sa"), (s.mjSENS_ACCELEROMETER, o.mjOBJ_SITE, "sb"), (s.mjSENS_RANGEFINDER, o.mjOBJ_SITE, "sa"),
            (s.mjSENS_JOINTVEL, o.mjOBJ_JOINT, "jb"), (s.mjSENS_TENDONVEL, o.mjOBJ_TENDON, "fix"), (s.mjSENS_ACTUATORFRC, o.mjOBJ_ACTUATOR, "act"),
            (s.mjSENS_SUBTREECOM, o.mjOBJ_BODY, "b"), (s.mjSENS_FRAMEQUAT, o.mjOBJ_GEOM, "gb"), (s.mjSENS_FRAMELINACC, o.mjOBJ_XBODY, "c"),
            (s.mjSENS_JOINTLIMITPOS, o.mjOBJ_JOINT, "ja"), (s.mjSENS_FRAMEXAXIS, o.mjOBJ_CAMERA, "ca")]:
        spec.add_sensor(type=kind, objtype=objtype, objname=name, cutoff=0 if kind in (s.mjSENS_FRAMEQUAT, s.mjSENS_FRAMEXAXIS) else 2, noise=0.1)
    spec.add_sensor(type=s.mjSENS_CLOCK)
    spec.add_sensor(type=s.mjSENS_E_KINETIC)
    spec.add_sensor(type=s.mjSENS_USER, dim=4, needstage=mj.mjtStage.mjSTAGE_VEL, datatype=mj.mjtDataType.mjDATATYPE_REAL)
    spec.add_sensor(type=s.mjSENS_GEOMDIST, objtype=o.mjOBJ_GEOM, objname="ga", reftype=o.mjOBJ_GEOM, refname="gc", cutoff=3)
    spec.add_sensor(type=s.mjSENS_CAMPROJECTION, objtype=o.mjOBJ_SITE, objname="sa", reftype=o.mjOBJ_CAMERA, refname="ca")
    spec.camera("ca").resolution = [10, 20]
    out(spec)


@script
def tendons(mj, out):
    spec = mj.MjSpec()
    body = spec.worldbody.add_body(pos=[0, 0, 1])
    body.add_joint(name="j", axis=[0, 1, 0])
    body.add_geom(name="g", size=[0.1, 0, 0], pos=[0.3, 0, 0])
    body.add_site(name="s1", pos=[0.6, 0, 0])
    body.add_site(name="side", pos=[0.3, 0, 0.2])
    spec.worldbody.add_site(name="s0")
    spec.worldbody.add_site(name="s2", pos=[0, 1, 0])
    t = spec.add_tendon(name="spatial", width=0.01, rgba=[1, 0, 0, 1], stiffness=3, damping=1, range=[0.1, 2], springlength=[0.5, 0.7], armature=0.1 * 0)
    t.wrap_site("s0")
    t.wrap_geom("g", "side")
    t.wrap_site("s1")
    t.wrap_pulley(2)
    t.wrap_site("s1")
    t.wrap_site("s2")
    f = spec.add_tendon(name="fixed", frictionloss=0.1, margin=0.01)
    f.wrap_joint("j", 2.5)
    out(spec)


@script
def equalities(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    e, o = mj.mjtEq, mj.mjtObj
    spec.add_equality(name="e1", type=e.mjEQ_CONNECT, objtype=o.mjOBJ_BODY, name1="a", name2="c", data=[1, 2, 3] + [0] * 8)
    spec.add_equality(name="e2", type=e.mjEQ_WELD, objtype=o.mjOBJ_BODY, name1="b", data=[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], active=False)
    spec.add_equality(name="e3", type=e.mjEQ_WELD, objtype=o.mjOBJ_SITE, name1="sa", name2="sb", data=[0] * 10 + [2], solref=[0.1, 1])
    spec.add_equality(name="e4", type=e.mjEQ_JOINT, objtype=o.mjOBJ_JOINT, name1="jb", data=[0, 1, 2, 3, 4] + [0] * 6)
    spec.add_equality(name="e5", type=e.mjEQ_TENDON, objtype=o.mjOBJ_TENDON, name1="ten", name2="fix", data=[1, 1, 0, 0, 0] + [0] * 6)
    out(spec)


@script
def pairs(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.add_pair(name="p1", geomname1="gb", geomname2="gc", condim=4, friction=[1, 2, 3, 4, 5], margin=0.1, gap=0.05)
    spec.add_pair(geomname1="floor", geomname2="gc")
    spec.add_exclude(bodyname1="b", bodyname2="c")
    out(spec)


@script
def keys(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.add_key(name="k1", qpos=[1, 2, 3, 4, 5, 1, 0, 0, 0], time=3)
    spec.add_key(name="k2", qvel=[1] * 8, ctrl=[1, 2, 3])
    spec.add_key(name="k3")
    out(spec)
    spec.nkey = 8
    out(spec)


@script
def key_wrong(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.add_key(name="k1", qpos=[1, 2, 3])
    out(spec)


@script
def custom(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.add_numeric(name="n", data=[1, 2, 3], size=5)
    spec.add_numeric(name="n2", data=[1, 2, 3])
    spec.add_text(name="t", data="some text")
    spec.add_tuple(name="tu", objtype=[mj.mjtObj.mjOBJ_BODY, mj.mjtObj.mjOBJ_SITE], objname=["a", "sa"], objprm=[1, 2])
    out(spec)


@script
def userdata(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.body("a").userdata = [1, 2, 3]
    spec.geom("ga").userdata = [4]
    spec.joint("ja").userdata = [5, 6]
    spec.site("sa").userdata = [7]
    spec.camera("ca").userdata = [8]
    spec.tendon("ten").userdata = [9, 9]
    spec.actuator("act").userdata = [10]
    spec.sensor("se").userdata = [11]
    spec.nuserdata = 7
    out(spec)
    spec.nuser_body = 5
    out(spec)
    spec.nuser_body = 1
    out(spec)


# ---- assets

@script
def user_mesh(mj, out):
    spec = mj.MjSpec()
    spec.add_mesh(name="tet", uservert=[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    spec.add_mesh(name="cube", uservert=[x for i in range(8) for x in (i & 1, i >> 1 & 1, i >> 2 & 1)],
                  userface=[0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5],
                  scale=[1, 2, 0.5], refpos=[0.1, 0.2, 0.3], refquat=[1, 1, 0, 0], inertia=mj.mjtMeshInertia.mjMESH_INERTIA_EXACT)
    body = spec.worldbody.add_body()
    body.add_freejoint()
    body.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="tet")
    body.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="cube", pos=[1, 0, 0], euler=[0, 0, 30])
    body.add_geom(type=mj.mjtGeom.mjGEOM_BOX, meshname="cube", fitscale=0.9)
    out(spec)


@script
def mesh_inertias(mj, out):
    k = mj.mjtMeshInertia
    for kind in (k.mjMESH_INERTIA_CONVEX, k.mjMESH_INERTIA_EXACT, k.mjMESH_INERTIA_LEGACY, k.mjMESH_INERTIA_SHELL):
        spec = mj.MjSpec()
        spec.add_mesh(name="tet", uservert=[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], userface=[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], inertia=kind)
        body = spec.worldbody.add_body()
        body.add_joint()
        body.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="tet")
        out(spec)


@script
def mesh_parts(mj, out):
    spec = mj.MjSpec()
    spec.add_mesh(name="quad", uservert=[0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.1], userface=[0, 1, 2, 1, 3, 2],
                  usernormal=[0, 0, 1] * 4, usertexcoord=[0, 0, 1, 0, 0, 1, 1, 1], inertia=mj.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="quad")
    out(spec)


@script
def mesh_without_points(mj, out):
    spec = mj.MjSpec()
    spec.add_mesh(name="none")
    out(spec)


@script
def mesh_unnamed(mj, out):
    spec = mj.MjSpec()
    spec.add_mesh(uservert=[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    out(spec)


@script
def mesh_refused(mj, out):
    for vertices, faces in [([0, 0, 0, 1], []), ([0, 0, 0] * 3, [0, 1, 2]), ([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 1, 7]),
                            ([0, 0, 0, 1, 0, 0, 0, 1, 0], []), ([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0], [])]:
        spec = mj.MjSpec()
        spec.add_mesh(name="m", uservert=vertices, userface=faces)
        spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="m")
        out(spec)


@script
def textures(mj, out):
    spec = mj.MjSpec()
    b, m, t = mj.mjtBuiltin, mj.mjtMark, mj.mjtTexture
    spec.add_texture(name="grad", type=t.mjTEXTURE_SKYBOX, builtin=b.mjBUILTIN_GRADIENT, rgb1=[1, 0, 0], rgb2=[0, 0, 1], width=8, height=8)
    spec.add_texture(name="check", type=t.mjTEXTURE_2D, builtin=b.mjBUILTIN_CHECKER, rgb1=[1, 1, 0], rgb2=[0, 1, 1], width=16, height=8, mark=m.mjMARK_EDGE, markrgb=[1, 0, 1])
    spec.add_texture(name="flat", type=t.mjTEXTURE_CUBE, builtin=b.mjBUILTIN_FLAT, rgb1=[1, 1, 0], width=8, height=8, mark=m.mjMARK_CROSS)
    own = spec.add_texture(name="own", type=t.mjTEXTURE_2D, width=3, height=1, nchannel=3)
    own.data = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255])
    out(spec.compile())
    out(spec)


@script
def texture_data(mj, out):
    spec = mj.MjSpec()
    texture = spec.add_texture(name="texture", height=1, width=3, nchannel=3)
    texture.data = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255])
    texture.data[1] = 255
    out(spec.compile().tex_data.tolist())


@script
def materials(mj, out):
    spec = mj.MjSpec()
    spec.add_texture(name="t", type=mj.mjtTexture.mjTEXTURE_2D, builtin=mj.mjtBuiltin.mjBUILTIN_FLAT, width=4, height=4)
    role = mj.mjtTextureRole
    names = [""] * int(role.mjNTEXROLE)
    names[int(role.mjTEXROLE_RGB)] = "t"
    mat = spec.add_material(name="m", rgba=[0.1, 0.2, 0.3, 0.4], emission=0.3, shininess=0.2, texrepeat=[2, 3], texuniform=True, textures=names)
    spec.worldbody.add_geom(size=[0.1, 0, 0], material="m")
    spec.worldbody.add_site(material="m")
    out(spec)
    mat.textures[int(role.mjTEXROLE_NORMAL)] = "t"
    out(spec)


@script
def hfields(mj, out):
    spec = mj.MjSpec()
    spec.add_hfield(name="h", nrow=3, ncol=2, size=[1, 2, 0.5, 0.1], userdata=[1, 2, 3, 4, 5, 6])
    spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_HFIELD, hfieldname="h")
    out(spec)


@script
def hfield_flat(mj, out):
    spec = mj.MjSpec()
    spec.add_hfield(name="h", nrow=3, ncol=2, size=[1, 2, 0.5, 0.1])
    spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_HFIELD, hfieldname="h")
    out(spec)
    spec.hfield("h").userdata = [1, 2]
    out(spec)


@script
def skins(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.add_skin(name="sk", vert=[0, 0, 0, 1, 0, 0, 0, 1, 0], face=[0, 1, 2], bodyname=["a", "b"], bindpos=[0, 0, 0, 1, 0, 0],
                  bindquat=[1, 0, 0, 0, 1, 1, 0, 0], vertid=[[0, 1], [1, 2]], vertweight=[[1, 0.5], [0.5, 1]], inflate=0.1, rgba=[1, 0, 0, 1])
    out(spec)


@script
def flexes(mj, out):
    spec = mj.MjSpec()
    names = []
    for i in range(4):
        body = spec.worldbody.add_body(name=f"v{i}", pos=[i & 1, i >> 1, 0])
        body.add_freejoint()
        body.add_geom(size=[0.05, 0, 0])
        names.append(body.name)
    spec.add_flex(name="fl", dim=2, vertbody=names, elem=[0, 1, 2, 1, 3, 2], radius=0.01, contype=2, condim=4, edgedamping=0.1, selfcollide=mj.mjtFlexSelf.mjFLEXSELF_NONE)
    out(spec)
    spec.flexes[0].young = 100
    spec.flexes[0].poisson = 0.1
    spec.flexes[0].thickness = 0.01
    spec.flexes[0].elastic2d = 3
    out(spec)


# ---- settings

@script
def options(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.option.timestep = 0.01
    spec.option.gravity = [0, 1, 2]
    spec.option.integrator = mj.mjtIntegrator.mjINT_RK4
    spec.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    spec.option.enableflags |= mj.mjtEnableBit.mjENBL_ENERGY
    spec.option.disableflags |= mj.mjtDisableBit.mjDSBL_GRAVITY
    spec.visual.global_.fovy = 30
    spec.visual.quality.shadowsize = 128
    spec.visual.rgba.fog = [1, 0, 0, 1]
    spec.visual.headlight.active = 0
    spec.visual.map.znear = 0.2
    spec.visual.scale.com = 2
    spec.stat.extent = 5
    spec.stat.center = [1, 2, 3]
    spec.memory = 1 << 20
    spec.modelname = "other"
    spec.comment = "a comment"
    out(spec)


@script
def compiler(mj, out):
    for field, value in [("boundmass", 10), ("boundinertia", 0.5), ("settotalmass", 3), ("balanceinertia", True), ("discardvisual", True),
                         ("fusestatic", True), ("inertiafromgeom", 1), ("inertiagrouprange", [0, 0]), ("alignfree", True),
                         ("saveinertial", True), ("usethread", False), ("autolimits", False), ("degree", False)]:
        spec = mj.MjSpec.from_string(ARM)
        setattr(spec.compiler, field, value)
        out(spec)


@script
def lengthrange(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    spec.compiler.LRopt.mode = mj.mjtLRMode.mjLRMODE_ALL
    spec.compiler.LRopt.uselimit = 1
    spec.tendon("ten").range = [0.1, 2]
    for a in list(spec.actuators)[1:]:
        spec.delete(a)
    out(spec)


# ---- defaults

@script
def default_main(mj, out):
    spec = mj.MjSpec()
    spec.default.geom.type = mj.mjtGeom.mjGEOM_BOX
    spec.default.geom.size = [0.1, 0.2, 0.3]
    spec.default.joint.damping = 3
    body = spec.worldbody.add_body()
    body.add_geom()
    body.add_joint()
    out(spec)


@script
def default_class(mj, out):
    spec = mj.MjSpec()
    main = spec.default
    one = spec.add_default("one", main)
    one.geom.rgba = [1, 0, 0, 1]
    one.geom.size = [0.3, 0, 0]
    one.site.size = [0.1, 0.1, 0.1]
    two = spec.add_default("two", one)
    two.geom.friction = [2, 0.1, 0.1]
    two.tendon.stiffness = 3
    two.actuator.gear = [2, 0, 0, 0, 0, 0]
    body = spec.worldbody.add_body(childclass="two")
    body.add_joint(name="j")
    body.add_geom(one)
    body.add_geom(two)
    body.add_geom(two, rgba=[0, 1, 0, 1])
    body.add_site(one)
    body.add_geom(size=[0.1, 0, 0])
    spec.add_actuator(two, target="j", trntype=mj.mjtTrn.mjTRN_JOINT)
    out(spec)
    out([body.classname.name, spec.find_default("two").name, spec.find_default("none"), one.name])


@script
def default_changed(mj, out):
    spec = mj.MjSpec.from_string(ARM)
    soft = spec.find_default("soft")
    soft.geom.condim = 6
    spec.body("a").add_geom(soft, size=[0.1, 0, 0])
    spec.geom("gc").classname = soft
    out(spec)


@script
def default_twice(mj, out):
    spec = mj.MjSpec()
    spec.add_default("one", spec.default)
    out(spec)
    spec.add_default("one", spec.default)
    out(spec)
