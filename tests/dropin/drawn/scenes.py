"""Small scenes of all that a picture can have: `python scenes.py OUT.npz` draws them with the package on the path."""

import struct
import sys
import zlib

import mujoco as mj
import numpy as np

R, V = mj.mjtRndFlag, mj.mjtVisFlag
W, H = 160, 120


def png(pixels):
    """A file of 8-bit pixels, height x width x 3 or 4."""
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


Y, X = np.mgrid[0:32, 0:32]
ASSETS = {
    "ramp.png": png(np.stack([8 * X, 8 * Y, 255 - 4 * X - 4 * Y], -1)),
    "veil.png": png(np.stack([8 * X, 8 * Y, 255 - 4 * X - 4 * Y, np.where((X // 4 + Y // 4) % 2, 255, 90)], -1)),
    "hills.png": png(np.repeat((np.sin(X / 4) * np.cos(Y / 5) + 1)[..., None] * 127, 3, -1)),
}
for side in range(6):
    ASSETS[f"side{side}.png"] = png(np.stack([60 + 6 * X * (side & 1), 20 + 7 * Y * (side >> 1 & 1), 40 * side + 0 * X], -1))
SIDES = " ".join(f'file{name}="side{i}.png"' for i, name in enumerate(("right", "left", "up", "down", "front", "back")))

LIGHT = '<light pos="0 -1 3" dir="0 .3 -1"/>'
FLOOR = '<geom type="plane" size="2.5 2.5 .2" rgba=".7 .7 .6 1"/>'
GEOMS = """
<geom type="sphere" pos="-1.2 -.8 .35" size=".3" {m}/>
<geom type="capsule" pos="-.4 -.8 .4" size=".15 .2" euler="20 10 0" {m}/>
<geom type="ellipsoid" pos=".4 -.8 .35" size=".35 .2 .25" euler="0 20 40" {m}/>
<geom type="cylinder" pos="1.2 -.8 .4" size=".25 .3" euler="20 0 0" {m}/>
<geom type="box" pos="-1.2 .5 .4" size=".3 .2 .25" euler="0 0 30" {m}/>
<geom type="mesh" mesh="corner" pos="-.5 .5 .1" {m}/>
<geom type="mesh" mesh="mapped" pos=".5 .5 .4" euler="0 0 20" {m}/>
<geom type="hfield" hfield="hills" pos="1.3 .6 .1" {m}/>"""
SHAPES = """<mesh name="corner" vertex="0 0 0 .4 0 0 0 .4 0 0 0 .4"/>
<mesh name="mapped" vertex="-.3 -.3 -.3 .3 -.3 -.3 .3 .3 -.3 -.3 .3 -.3 0 0 .4" texcoord="0 0 1 0 1 1 0 1 .5 .5"
      face="0 2 1 0 3 2 0 1 4 1 2 4 2 3 4 3 0 4"/>
<hfield name="hills" file="hills.png" size=".5 .4 .3 .1"/>"""
VIEWS = {"far": {"azimuth": 100, "elevation": -30, "distance": 4.5}, "near": {"azimuth": -40, "elevation": -15, "distance": 2.4}}


def world(asset="", m='material="m"', light=LIGHT, floor=FLOOR, geoms=GEOMS, visual="", extra=""):
    return f"""<mujoco><visual>{visual}</visual><statistic center="0 0 .3" extent="2"/><asset>{SHAPES}{asset}</asset>
<worldbody>{light}{floor}{geoms.format(m=m)}</worldbody>{extra}</mujoco>"""


SCENES = {}


def scene(name, xml, views=VIEWS, **settings):
    """Views are cameras, or dictionaries with `camera`, `show`, `flip` and `change`."""
    SCENES[name] = (xml, views, settings)


def materials():
    for name, look in {
        "shiny": 'rgba=".2 .5 .8 1" specular="1" shininess="1"', "dull": 'rgba=".8 .6 .3 1" specular="1" shininess="0"',
        "glowing": 'rgba=".8 .6 .3 1" emission=".6"', "glass": 'rgba=".3 .6 .9 .4"', "mirror": 'rgba=".5 .5 .5 1" reflectance=".6"',
    }.items():
        scene("material " + name, world(f'<material name="m" {look}/>'))


def lights():
    for name, light in {
        "cone": '<light pos="0 -1 3" dir="0 .3 -1" cutoff="20"/>',
        "no cone": '<light pos="0 -1 3" dir="0 .3 -1" cutoff="180"/>', "even cone": '<light pos="0 -1 3" dir="0 .3 -1" cutoff="35" exponent="0"/>',
        "fading": '<light pos="0 -1 2" dir="0 .3 -1" attenuation=".2 .1 .3"/>', "without shadow": '<light pos="0 -1 2" castshadow="false"/>',
        "coloured": '<light pos="-1 -1 2" dir=".3 .3 -1" diffuse=".9 .2 .1" ambient="0 .2 .2"/><light pos="1 1 2" dir="-.3 -.3 -1" diffuse=".1 .4 .9"/>',
        "none": "",
    }.items():
        scene("light " + name, world('<material name="m" rgba=".8 .7 .6 1"/>', light=light))
    scene("light of the head", world(m='rgba=".8 .8 .8 1"', light="", visual='<headlight ambient=".3 .1 .1" diffuse=".2 .8 .2" specular="1 1 0"/>'))


def textures():
    checker = '<texture name="t" type="{}" builtin="checker" rgb1=".2 .3 .4" rgb2=".9 .8 .6" width="64" height="64" mark="edge" markrgb="1 0 0"/>'
    for name, (texture, look) in {
        "flat": (checker.format("2d"), 'texrepeat="3 2"'), "uniform": (checker.format("2d"), 'texrepeat="3 2" texuniform="true"'),
        "cube": (checker.format("cube"), ""), "gradient cube": ('<texture name="t" type="cube" builtin="gradient" rgb1=".9 .1 .1" rgb2=".1 .1 .9" width="64"/>', 'texuniform="true"'),
        "cube of one file": ('<texture name="t" type="cube" file="ramp.png"/>', ""), "cube of six files": (f'<texture name="t" type="cube" {SIDES}/>', ""),
        "flipped": ('<texture name="t" type="2d" file="ramp.png" hflip="true" vflip="true"/>', ""),
        "veil": ('<texture name="t" type="2d" file="veil.png" nchannel="4"/>', ""),
    }.items():
        scene("texture " + name, world(texture + f'<material name="m" texture="t" {look}/>', floor='<geom type="plane" size="2.5 2.5 .2" material="m"/>'))
    scene("texture without end", world(checker.format("2d") + '<material name="m" texture="t" texrepeat="5 5"/>', floor='<geom type="plane" size="0 2 .2" material="m"/>'))
    for name, sky in {
        "gradient": 'builtin="gradient" rgb1=".3 .5 .7" rgb2="0 0 0" width="64" height="384"', "of six files": SIDES,
    }.items():
        scene("sky " + name, world(f'<texture type="skybox" {sky}/><material name="m" rgba=".8 .7 .6 1"/>', floor='<geom type="plane" size="0 0 .2" rgba=".4 .5 .4 1"/>'))


def glass():
    around = {**VIEWS, "below": {"elevation": 25, "distance": 3}}
    parts = """<geom type="box" size=".3 .3 .3" pos="0 0 .5" rgba="1 0 0 .5"/><geom size=".3" pos=".5 .2 .5" rgba="0 1 0 .5"/>
<geom size=".25" pos="-.5 -.3 .5" rgba="0 0 1 .3"/><geom type="plane" size=".6 .6 .1" pos="0 0 1" rgba="1 1 0 .4"/>
<geom type="capsule" size=".1 .5" pos="0 .7 .5" euler="90 0 0"/>"""
    scene("glass in order", world(geoms=parts), around)
    scene("glass that meets", world(geoms='<geom size=".4" pos="0 0 .5" rgba="1 0 0 .5"/><geom size=".4" pos=".4 .2 .5" rgba="0 1 0 .5"/><geom size=".3" pos="-.4 .2 .5" rgba="0 0 1 .5"/>'))
    scene("glass and mirror", world('<material name="m" reflectance=".5"/>', geoms='<geom type="box" size=".5 .5 .3" pos="0 0 .5" rgba=".5 .5 .5 .5" material="m"/><geom type="box" size=".4 .3 .1" pos="1 1 .3" euler="20 10 0" material="m"/>', floor='<geom type="plane" size="2 2 .1" material="m"/>'), around)
    sky = '<texture type="skybox" builtin="gradient" rgb1=".3 .5 .7" rgb2="0 0 0" width="64" height="384"/>'
    below = '<geom size=".3" pos="0 0 .5"/><geom size=".3" pos="1 0 -.5"/>'
    horizon = {"above": {"elevation": -20, "distance": 4.5}, "level": {"elevation": -3, "distance": 4.5}, "no haze": {"camera": {"elevation": -12, "distance": 4.5}, "flip": [R.mjRND_HAZE]}}
    for name, (floor, haze) in {"thick": ('size="0 0 .1"', 0.8), "behind glass": ('size="0 0 .1" rgba=".4 .5 .4 .5"', 0.5), "of a strip": ('size="0 2 .1"', 0.5)}.items():
        visual = f'<map haze="{haze}"/><rgba haze="1 1 0 1"/>'
        scene(f"haze {name}", world(sky + '<material name="m"/>', geoms=below, floor=f'<geom type="plane" {floor}/>', visual=visual), horizon)
    scene("sky without material", world(sky, geoms=below), horizon)
    scene("table", world(geoms='<geom type="plane" size=".6 .6 .1" pos="0 0 1"/><geom size=".2" pos="0 0 .3"/>'))


def effects():
    sky = '<texture type="skybox" builtin="gradient" rgb1=".3 .5 .7" rgb2="0 0 0" width="64" height="384"/><material name="m" rgba=".8 .3 .2 1"/>'
    fog = '<map fogstart="1" fogend="4" haze=".5"/><rgba fog=".8 .2 .8 1" haze="1 1 0 1"/>'
    for name, floor in {"floor": FLOOR, "endless floor": '<geom type="plane" size="0 0 .2" rgba=".4 .5 .4 1"/>'}.items():
        views = {"fog": {"flip": [R.mjRND_FOG]}, "clear": {"camera": {"elevation": -10}}, "no sky": {"flip": [R.mjRND_SKYBOX]}, "fog, no sky": {"flip": [R.mjRND_SKYBOX, R.mjRND_FOG]}}
        scene("fog, " + name, world(sky, visual=fog, floor=floor), views)
    names = ("SHADOW", "REFLECTION", "ADDITIVE", "SKYBOX", "HAZE", "SEGMENT", "CULL_FACE")
    scene("flags", world(sky + '<material name="r" reflectance=".5"/>', floor='<geom type="plane" size="2.5 2.5 .2" material="r"/>'), {n: {"flip": [getattr(R, "mjRND_" + n)]} for n in names})
    for samples in (0, 1, 2, 8):
        scene(f"{samples} samples", world(sky, visual=f'<quality offsamples="{samples}"/>'))
    scene("few slices", world(sky, visual='<quality numslices="7" numstacks="5" numquads="3"/>'))
    scene("odd size", world(sky), size=(93, 41))
    scene("part of a buffer", world(sky), viewport=(40, 30, 101, 83))


ROBOT = """<mujoco><statistic center="0 0 .6" extent="1.6"/><visual><scale framelength=".6" framewidth=".06"/>{visual}</visual>
<worldbody>{light}<geom type="plane" size="2 2 .2" rgba=".6 .6 .6 1"/><site name="fix" pos="0 0 1.5" size=".03"/>
<camera name="side" pos="1.5 -1.5 1.4" xyaxes="1 1 0 -.4 .4 1" {camera}/>
<body pos="0 0 1"><joint name="h" type="hinge" axis="0 1 0" range="-60 60" limited="true"/><geom type="capsule" size=".07" fromto="0 0 0 .5 0 0" rgba=".8 .4 .2 1"/>
<site name="s0" pos=".2 0 .1" size=".03"/><body pos=".5 0 0"><joint type="slide" axis="1 0 0"/><joint type="ball"/><geom type="box" size=".2 .06 .05" pos=".2 0 0"/><site name="s1" pos=".3 0 .1" type="box" size=".03 .02 .05" rgba="0 1 0 1"/></body></body>
<body name="free" pos="-.5 .2 .25"><freejoint/><geom type="sphere" size=".25"/></body>
<body pos="-.5 -.5 .2"><freejoint/><geom type="box" size=".2 .15 .2"/></body>
<body name="m" mocap="true" pos="1 0 .3"><geom type="box" size=".1 .1 .1" contype="0" conaffinity="0" rgba="0 0 1 .5"/></body>
<geom name="wheel" type="cylinder" size=".1 .2" pos=".1 .5 .8" euler="90 0 0" rgba=".5 .5 .9 .6" contype="0" conaffinity="0"/><site name="up" pos=".1 .5 1.2"/>
<site name="t0" pos="-.4 .5 .8"/><site name="t1" pos=".6 .5 .8"/></worldbody>
<tendon><spatial name="t" width=".02" rgba=".9 .1 .1 1"><site site="fix"/><site site="s0"/><site site="s1"/></spatial>
<spatial name="w" width=".015"><site site="t0"/><geom geom="wheel" sidesite="up"/><site site="t1"/></spatial>
<spatial name="slack" springlength="0 2" width=".01" stiffness="1"><site site="t0"/><site site="fix"/></spatial></tendon>
<actuator><motor joint="h" ctrlrange="-1 1" ctrllimited="true"/><position tendon="t" kp="1"/><motor site="s1" gear="0 0 1 0 0 0"/></actuator>
<equality><connect body1="free" body2="m" anchor=".3 0 0"/></equality></mujoco>"""


def decorations():
    robot = ROBOT.format(visual="", camera="", light=LIGHT)
    names = [n for n in V.__members__ if n not in ("mjNVISFLAG", "mjVIS_BODYBVH")]
    scene("shown", robot, {n: {"show": [getattr(V, n)]} for n in names}, still=False)
    scene("shown together", robot, {
        "contacts": {"show": [V.mjVIS_CONTACTPOINT, V.mjVIS_CONTACTFORCE]}, "activations": {"show": [V.mjVIS_ACTUATOR, V.mjVIS_ACTIVATION]},
        "see through": {"show": [V.mjVIS_TRANSPARENT, V.mjVIS_JOINT, V.mjVIS_COM]}}, still=False)
    scene("frames", robot, {n: {"option": ("frame", value)} for n, value in mj.mjtFrame.__members__.items() if n != "mjNFRAME"}, still=False)
    scene("groups", robot, {n: {"group": n} for n in ("geomgroup", "sitegroup", "tendongroup")}, still=False)

    def room(s):
        s.enabletransform, s.translate[:], s.rotate[:], s.scale = 1, [0.1, 0.2, -0.3], [0.9238795, 0, 0.3826834, 0], 1.5

    def sides(s):
        s.stereo = mj.mjtStereo.mjSTEREO_SIDEBYSIDE

    def quad(s):
        s.stereo = mj.mjtStereo.mjSTEREO_QUADBUFFERED

    def framed(s):
        s.framewidth, s.framergb[:] = 5, [1, 0.5, 0]

    def lines(s):
        for i, kind in enumerate((mj.mjtGeom.mjGEOM_ARROW, mj.mjtGeom.mjGEOM_ARROW1, mj.mjtGeom.mjGEOM_ARROW2, mj.mjtGeom.mjGEOM_LINE, mj.mjtGeom.mjGEOM_TRIANGLE)):
            size = [3.0, 3, 0.5] if kind == mj.mjtGeom.mjGEOM_LINE else [0.06, 0.04, 0.5]
            mj.mjv_initGeom(s.geoms[s.ngeom], kind, np.array(size), np.array([-0.9 + 0.3 * i, 0, 0.8]), np.eye(3).ravel(), np.array([0.9, 0.5, 0.1, 1], np.float32))
            s.geoms[s.ngeom].segid = s.ngeom
            s.ngeom += 1

    def edges(s):
        mj.mjv_initGeom(s.geoms[s.ngeom], mj.mjtGeom.mjGEOM_LINEBOX, np.array([0.5, 0.4, 0.3]), np.array([0, 0, 0.8]), np.eye(3).ravel(), np.array([0.4, 0.5, 0.1, 1], np.float32))
        s.geoms[s.ngeom].segid = s.ngeom
        s.ngeom += 1

    for width in (1, 2):
        scene(f"edges of a box, {width}", ROBOT.format(visual=f'<global linewidth="{width}"/>', camera="", light='<light pos="0 -1 3" castshadow="false"/>'), {"turned": {"camera": {"azimuth": 110}, "change": edges}})
    changes = {"room": room, "sides": sides, "quad": quad, "framed": framed, "lines": lines}
    scene("changed", robot, {n: {"change": change} for n, change in changes.items()})
    for name, camera in {"angle": 'fovy="70"', "lens": 'sensorsize=".02 .015" focal=".012 .012" principal=".002 -.001" resolution="160 120"', "parallel": 'orthographic="true" fovy="2"'}.items():
        scene("camera " + name, ROBOT.format(visual="", camera=camera, light=LIGHT), {"side": {"camera": {"fixedcamid": 0, "type": mj.mjtCamera.mjCAMERA_FIXED}}})


def deformables():
    flex = """<mujoco><statistic center="0 0 .6" extent="1.6"/><asset><texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="1 1 1" width="64" height="64"/><material name="m" texture="t" texrepeat="3 3"/></asset>
<worldbody>""" + LIGHT + """<geom type="plane" size="2 2 .2"/>
<flexcomp name="c" type="grid" count="6 6 1" spacing=".15 .15 .1" pos="-.6 0 1" radius=".02" dim="2" {}><contact selfcollide="none"/></flexcomp>
<flexcomp name="v" type="grid" count="4 4 3" spacing=".12 .12 .12" pos=".5 0 .8" radius=".02" dim="3" rgba=".3 .8 .3 1"><contact selfcollide="none"/></flexcomp>
<flexcomp name="l" type="grid" count="8 1 1" spacing=".1 .1 .1" pos="0 .6 1.2" radius=".03" dim="1" rgba=".3 .3 .8 1"><contact selfcollide="none"/></flexcomp></worldbody></mujoco>"""
    views = {"skin": {}, "see through": {"show": [V.mjVIS_TRANSPARENT]}, "vertices": {"show": [V.mjVIS_FLEXVERT]}, "edges": {"show": [V.mjVIS_FLEXSKIN]}, "faces": {"show": [V.mjVIS_FLEXFACE, V.mjVIS_FLEXSKIN]}, "faces alone": {"show": [V.mjVIS_FLEXFACE, V.mjVIS_FLEXSKIN, V.mjVIS_FLEXEDGE]}, "layer": {"show": [V.mjVIS_FLEXFACE, V.mjVIS_FLEXSKIN], "option": ("flex_layer", 1)}}
    scene("flex", flex.format('rgba=".8 .3 .3 1"'), views, bent=True)
    scene("flex with texture", flex.format('material="m"'), views, bent=True)


def corners():
    """Where one rule meets another: cubes on what has vertices of its own, several lights on glass and in mirrors, parallel views of the sky."""
    six = f'<texture name="t" type="cube" {SIDES}/><material name="m" texture="t" texuniform="{{}}" texrepeat="3 2"/>'
    even = '<headlight ambient=".8 .8 .8" diffuse=".2 .2 .2"/>'
    for uniform in ("true", "false"):
        for size in ("1.5 1 .2", "0 1 .2", "0 0 .2"):
            scene(f"cube on a plane, {uniform}, {size}", world(six.format(uniform), light="", geoms="", visual=even, floor=f'<geom type="plane" size="{size}" material="m"/>'))
        for kind in ('type="hfield" hfield="hills"', 'type="mesh" mesh="corner"'):
            scene(f"cube on a {kind}, {uniform}", world(six.format(uniform), light="", geoms=f'<geom {kind} material="m"/>', visual=even, floor=""), {"near": {"azimuth": 120, "elevation": -35, "distance": 1.2}})
    two = """<light pos="0 .5 3" dir="0 -.1 -1" diffuse=".7 .5 .6" ambient=".1 .1 .1"/>
<light pos="0 .5 3" dir=".3 -.1 -1" directional="true" diffuse=".3 .7 .8" ambient=".05 .1 0"/>"""
    glass = '<material name="g" rgba=".8 .7 .6 .6"/><material name="r" rgba=".4 .4 .5 1" reflectance=".6"/>'
    scene("glass in two lights", world(glass, light=two, geoms='<geom size=".3" pos=".2 0 .5" material="g"/>', floor='<geom type="plane" size="1 1 .5" material="g"/>'))
    scene("mirror in two lights", world(glass, light=two, geoms='<geom type="box" size=".5 .4 .3" pos="0 0 .8" euler="0 100 0" material="r"/>', floor='<geom type="plane" size="2 2 .5" rgba=".9 .8 .7 1"/>'), {"side": {"azimuth": 200, "elevation": -15, "distance": 3}})
    shown = [V.mjVIS_CAMERA, V.mjVIS_LIGHT, V.mjVIS_INERTIA, V.mjVIS_COM]
    big = '<scale camera="1.5" light="1.5" com="1"/>'
    held = '<camera pos="-.6 0 .9"/><body pos=".5 0 .5"><freejoint/><geom type="capsule" size=".1 .2"/></body>'
    scene("shadows without decoration", world(geoms=held, visual=big), {"all": {"camera": {"azimuth": 120, "elevation": -50, "distance": 4}, "show": shown}, "frames": {"option": ("frame", mj.mjtFrame.mjFRAME_WORLD)}})
    balls = "".join(f'<geom size=".1" pos="{x / 2} {y / 2} .3"/>' for x in range(-6, 7) for y in range(-6, 7))
    for name, way in {"both": "-.6 .6 -1", "x": "1 .5 -1", "y": ".2 1 -.5"}.items():
        scene(f"shadow square, {name}", world(light=f'<light pos="0 0 .3" dir="{way}" directional="true"/>', geoms=balls, floor='<geom type="plane" size="4 4 .2"/>', visual='<map shadowclip=".8"/>'), {"above": {"elevation": -80, "distance": 6}})
    scene("shadow of a plane", world(light='<light pos="0 0 3" dir="0 0 -1"/>', geoms='<geom type="plane" size=".5 .5 .1" pos="1 0 .8" euler="0 -60 0" rgba=".9 .5 .2 1"/>'), {"side": {"azimuth": 90, "elevation": -40, "distance": 3.5}})
    cone = '<light pos=".8 .5 3" dir="0 0 -1" cutoff="12" exponent="0" castshadow="false"/>'
    scene("cells of a material", world('<material name="m"/>', light=cone, geoms="", floor='<geom type="plane" size="0 0 .05" material="m"/>', visual='<map zfar="20"/>'), {"above": {"azimuth": 90, "elevation": -70, "distance": 3}})
    scene("without light", world('<material name="m" rgba="1 .5 .25 1" emission=".2"/>', light="", visual='<headlight active="0"/>'))
    parallel = '<camera pos="2 -2 2" xyaxes="1 1 0 -.5 .5 1" orthographic="true" fovy="3"/><camera pos="2 -2 1" xyaxes="1 1 0 -.1 .1 1" orthographic="true" fovy="9"/>'
    eyes = {n: {"camera": {"fixedcamid": n, "type": mj.mjtCamera.mjCAMERA_FIXED}} for n in (0, 1)}
    sky = '<texture type="skybox" builtin="gradient" rgb1=".9 .2 .4" rgb2=".1 .5 .9" width="64" height="384"/>'
    scene("sky in parallel", world(sky + '<material name="m"/>', geoms=parallel + '<geom size=".3" pos="0 0 .5"/>', visual='<map zfar="10"/>'), eyes)


def draw(xml, views, size=(W, H), viewport=None, still=True, bent=False):
    """Colours, depth and segmentation of a scene's views, by name."""
    model = mj.MjModel.from_xml_string(xml, ASSETS)
    data = mj.MjData(model)
    if not still:
        data.ctrl[:], data.qpos[0] = [0.7, 0.2, 0.5], 0.4
        mj.mj_step(model, data, 150)
    if bent:
        data.qpos[:] += 0.04 * np.sin(1.3 * np.arange(model.nq))
    mj.mj_forward(model, data)
    scn, context = mj.MjvScene(model, 2000), mj.MjrContext(model, mj.mjtFontScale.mjFONTSCALE_150)
    mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, context)
    rect = mj.MjrRect(*(viewport or (0, 0, *size)))
    for name, view in views.items():
        view = {"camera": view} if "distance" in view or "azimuth" in view else view
        camera, option = mj.MjvCamera(), mj.MjvOption()
        mj.mjv_defaultFreeCamera(model, camera)
        for key, value in view.get("camera", {}).items():
            setattr(camera, key, value)
        for flag in view.get("show", ()):
            option.flags[flag] = not option.flags[flag]
        if "option" in view:
            setattr(option, *view["option"])
        if "group" in view:
            getattr(option, view["group"])[:] = 0
        mj.mjv_updateScene(model, data, option, None, camera, mj.mjtCatBit.mjCAT_ALL, scn)
        scn.stereo, scn.enabletransform, scn.framewidth = 0, 0, 0
        scn.flags[:] = [default == "1" for _, default, _ in mj.mjRNDSTRING]
        for flag in view.get("flip", ()):
            scn.flags[flag] = not scn.flags[flag]
        if "change" in view:
            view["change"](scn)
        pictures = {kind: np.zeros((rect.height, rect.width, 3), np.uint8) for kind in ("rgb", "segmentation")}
        depth = np.zeros((rect.height, rect.width), np.float32)
        mj.mjr_render(rect, scn, context)
        mj.mjr_readPixels(pictures["rgb"], depth, rect, context)
        scn.flags[R.mjRND_SEGMENT] = scn.flags[R.mjRND_IDCOLOR] = 1
        mj.mjr_render(rect, scn, context)
        mj.mjr_readPixels(pictures["segmentation"], None, rect, context)
        near, far = scn.camera[0].frustum_near, scn.camera[0].frustum_far
        if not scn.camera[0].orthographic:
            depth = near * far / (far - depth * (far - near))
        yield name, {**pictures, "depth": depth}
    context.free()


for kind in (materials, lights, textures, glass, effects, decorations, deformables, corners):
    kind()

if __name__ == "__main__":
    gl = mj.GLContext(640, 480)
    gl.make_current()
    drawn = {}
    for title, (model_xml, model_views, settings) in SCENES.items():
        for view_name, pictures in draw(model_xml, model_views, **settings):
            drawn.update({f"{title}, {view_name}:{kind}": picture for kind, picture in pictures.items()})
    np.savez_compressed(sys.argv[1], **drawn)
