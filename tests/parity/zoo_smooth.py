"""Models written to reach every branch of the smooth dynamics and of the sensors."""

EVERYTHING = """<mujoco><option density="1.2" viscosity=".1" wind="1 2 3" integrator="implicit"><flag contact="disable"/></option>
<default><geom density="500"/></default>
<worldbody><light pos="0 0 3" dir="0 1 -1"/><camera name="c0" pos="0 0 2"/>
<body name="moc" mocap="true" pos="1 1 1"><geom size=".1"/><camera mode="targetbody" target="b" pos="0 0 1"/></body>
<body name="f" pos="0 0 1"><freejoint name="f"/><inertial pos=".1 .2 .3" mass="2" diaginertia="1 2 2.5" euler="10 20 30"/><geom size=".1"/><site name="fs" pos=".1 .2 0" euler="10 20 30"/>
  <camera mode="track" pos="1 0 0" euler="20 30 40"/><camera mode="trackcom" pos="1 0 0"/><camera mode="targetbodycom" target="a" pos="1 1 0"/><light mode="track" dir="1 0 0"/><light mode="trackcom" pos="0 1 0" dir="1 2 3"/><light mode="targetbody" target="b"/><light mode="targetbodycom" target="a" pos="2 2 2"/>
  <body pos=".3 0 0" gravcomp=".5"><joint name="fh" type="hinge" axis="1 2 3" pos=".1 .1 0" stiffness="3" springref="10" damping=".3" actuatorgravcomp="true" actuatorfrcrange="-1 1"/><joint name="fs" type="slide" axis="0 1 1" ref=".1" stiffness="4"/><geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="30 0 0"/><geom type="ellipsoid" size=".1 .2 .3" fluidshape="ellipsoid"/></body>
</body>
<body pos="1 2 0" name="a" gravcomp="1"><joint name="a" type="hinge" axis="1 0 0" armature=".1" ref="20" pos="0 0 .1"/><joint name="a2" type="hinge" axis="0 1 1" pos=".2 0 0" actuatorgravcomp="true"/><geom size=".1 .2" type="capsule" pos=".1 .2 .3"/>
 <site name="sa" pos=".1 .1 .1"/>
 <body pos="0 1 0" euler="30 40 50" name="b"><joint name="b" type="ball" pos=".1 .2 .3" stiffness="5" damping=".5"/><geom name="gc" size=".1 .2" type="cylinder" pos=".1 .2 .3"/><site name="s1" euler="20 40 10"/>
 <body pos="0 .1 0"><joint name="c" type="hinge" axis="0 1 0"/><joint name="c2" type="slide" axis="0 1 0"/><geom type="box" size=".1 .2 .3"/><site name="s3" pos=".1 0 0" euler="10 20 40"/></body></body>
 <body pos="0 -1 0" gravcomp="2"><joint name="d" type="hinge" axis="0 1 0"/><geom type="box" size=".1 .2 .3"/><site name="s2" euler="80 20 10"/><site name="s2b" pos=".1 .2 .3"/></body>
 <body pos=".2 .2 .2"><geom size=".05"/><site name="fixed"/></body>
</body>
<body pos="3 0 0"><freejoint/><geom size=".2"/></body>
<body pos="4 0 0"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><geom size=".2"/></body>
</worldbody>
<tendon><fixed name="t" stiffness="10" damping="2" springlength="-.1 .1" armature=".3"><joint joint="d" coef="1"/><joint joint="a" coef="2"/></fixed>
<spatial name="t1" stiffness="5" damping="1"><site site="s2"/><site site="s2b"/></spatial>
<spatial name="t2" stiffness="5" springlength=".1 .2" armature=".2"><site site="s2"/><site site="s2b"/><site site="s1"/></spatial>
<spatial name="t3" damping="3" range="0 1" actuatorfrcrange="-.5 .5"><site site="fs"/><geom geom="gc"/><site site="s3"/><pulley divisor="2"/><site site="fixed"/><site site="s3"/></spatial>
</tendon>
<actuator>
<motor joint="a" gear="2" ctrlrange="-.5 .5"/><position joint="b" kp="3" gear="1 2 3"/><motor jointinparent="b" gear="1 2 3"/>
<motor joint="f" gear="1 2 3 4 5 6"/><motor jointinparent="f" gear="1 2 3 4 5 6"/>
<motor tendon="t" gear="3"/><motor tendon="t1" gear="3"/><motor tendon="t2"/><motor tendon="t3"/><position tendon="t3" kp="4"/>
<motor site="s3" gear="1 2 3 4 5 6"/><motor site="s3" refsite="s2" gear="1 2 3 0 0 0"/><position site="s3" refsite="s2" gear="0 0 0 1 2 3"/><motor site="s3" refsite="fs" gear="1 2 3 4 5 6"/>
<motor site="s3" refsite="s1" gear="1 2 3 4 5 6"/>
<motor cranksite="s3" slidersite="s2" cranklength="3.5" gear="2"/><motor cranksite="s3" slidersite="s2" cranklength=".1"/><motor cranksite="s2" slidersite="sa" cranklength="3"/>
<velocity joint="c" kv="3"/><damper joint="c2" kv="2" ctrlrange="0 1"/><intvelocity joint="d" kp="3" actrange="-1 1"/><position joint="d" kp="3" timeconst=".1"/><cylinder joint="c" timeconst=".2" area=".3" bias="1 2 3"/>
<general joint="fh" dyntype="filter" dynprm=".3" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="3 2 1" forcerange="-2 2" actearly="true"/>
<general joint="fh" dyntype="filterexact" dynprm=".3" actlimited="true" actrange="0 .5" group="3" actearly="true"/>
<general joint="fh" dyntype="integrator" group="2"/>
<muscle tendon="t3" force="10" lengthrange=".1 2"/><muscle joint="fh" lengthrange=".1 2" tausmooth=".2"/><muscle joint="a" lengthrange="-1 2" />
</actuator>
</mujoco>"""

_FRAMES = "".join(
    f'<{kind} objtype="{obj}" objname="{name}" {ref}/>'
    for kind in "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel".split()
    for obj, name in (("body", "c"), ("xbody", "c"), ("geom", "gc"), ("site", "s3"), ("camera", "cf"), ("camera", "c1"))
    for ref in (
        "",
        'reftype="body" refname="f"',
        'reftype="xbody" refname="h"',
        'reftype="geom" refname="ag"',
        'reftype="site" refname="fs"',
        'reftype="camera" refname="cf"',
    )
) + "".join(
    f'<{kind} objtype="{obj}" objname="{name}"/>'
    for kind in ("framelinacc", "frameangacc")
    for obj, name in (("body", "c"), ("xbody", "c"), ("geom", "gc"), ("site", "s3"), ("camera", "cf"))
)

SENSORS = """<mujoco><option magnetic="1 2 3" ><flag contact="enable"/></option>
<worldbody><site name="ws" pos="0 0 3"/><camera name="c0" pos="0 0 2" resolution="640 480" fovy="50"/><camera name="c1" pos="1 0 2" resolution="640 480" sensorsize=".01 .02" focal=".015 .012" principal=".001 .002" euler="20 30 40"/>
<geom name="floor" type="plane" size="5 5 .1"/>
<body name="f" pos="0 0 1"><freejoint name="f"/><inertial pos=".1 .2 .3" mass="2" diaginertia="1 2 2.5" euler="10 20 30"/><geom name="fg" size=".1"/><site name="fs" pos=".1 .2 0" euler="10 20 30"/><camera name="cf" mode="targetbody" target="a" pos=".1 0 0" euler="10 20 40"/>
  <body pos=".3 0 0" name="h"><joint name="fh" type="hinge" axis="1 2 3" pos=".1 .1 0" range="-5 5"/><joint name="fs" type="slide" axis="0 1 1" ref=".1" range="-.01 .01"/><geom name="hg" type="box" size=".1 .2 .3" pos=".1 0 0" euler="30 0 0"/><site name="hs" pos=".1 0 0" euler="30 20 10"/></body>
</body>
<body pos="1 2 1" name="a"><joint name="a" type="hinge" axis="1 0 0" armature=".1"/><geom name="ag" size=".1 .2" type="capsule" pos=".1 .2 .3"/>
 <site name="sa" pos=".1 .1 .1" size=".3"/>
 <body pos="0 1 0" euler="30 40 50" name="b"><joint name="b" type="ball" pos=".1 .2 .3" range="0 20"/><geom name="gc" size=".1 .2" type="cylinder" pos=".1 .2 .3"/><geom size=".1" pos="0 0 .3"/><site name="s1" euler="20 40 10"/>
 <body pos="0 .1 0" name="c"><joint name="c" type="hinge" axis="0 1 0"/><joint name="c2" type="slide" axis="0 1 0"/><geom type="box" size=".1 .2 .3"/><site name="s3" pos=".1 0 0" euler="10 20 40"/></body></body>
 <body pos=".2 .2 .2" name="w"><geom size=".05"/><site name="fixed"/></body>
</body>
</worldbody>
<tendon><spatial name="t1" range="0 .3"><site site="sa"/><site site="s3"/></spatial><spatial name="t2" range="0 100"><site site="sa"/><site site="s3"/></spatial></tendon>
<actuator><motor name="m1" joint="a"/><motor name="m2" tendon="t1"/><position name="m3" tendon="t1"/></actuator>
<sensor>
<accelerometer site="s3"/><accelerometer site="fs" cutoff="2"/><velocimeter site="s3"/><gyro site="hs"/><force site="hs"/><torque site="hs"/><force site="fixed"/><torque site="fixed"/><force site="ws"/><torque site="sa" cutoff="1"/>
<magnetometer site="fs"/><rangefinder site="ws"/><rangefinder site="fs"/><rangefinder site="s3" cutoff=".5"/>
<camprojection site="fs" camera="c0"/><camprojection site="fs" camera="c1"/><camprojection site="s3" camera="cf"/>
<jointpos joint="a" cutoff=".1"/><jointvel joint="fh"/><tendonpos tendon="t1"/><tendonvel tendon="t1"/><actuatorpos actuator="m2"/><actuatorvel actuator="m2"/><actuatorfrc actuator="m3"/><jointactuatorfrc joint="a"/><tendonactuatorfrc tendon="t1"/>
<ballquat joint="b"/><ballangvel joint="b"/>
<jointlimitpos joint="fh"/><jointlimitvel joint="fh"/><jointlimitfrc joint="fh"/><jointlimitpos joint="fs"/><jointlimitvel joint="fs"/><jointlimitfrc joint="fs"/>
<tendonlimitpos tendon="t1"/><tendonlimitvel tendon="t1"/><tendonlimitfrc tendon="t1"/><tendonlimitpos tendon="t2"/>
FRAMES
<subtreecom body="a"/><subtreelinvel body="a"/><subtreeangmom body="a"/><subtreeangmom body="f"/><subtreelinvel body="world"/><subtreeangmom body="world"/>
<distance geom1="fg" geom2="gc"/><distance geom1="fg" geom2="gc" cutoff="10"/><distance body1="f" body2="b" cutoff="10"/><normal body1="f" body2="b" cutoff="10"/><fromto body1="f" body2="b" cutoff="10"/><normal geom1="fg" geom2="gc"/><fromto geom1="fg" geom2="gc" cutoff=".1"/><distance geom1="fg" geom2="floor" cutoff="10"/><fromto geom1="hg" geom2="floor" cutoff="10"/><normal geom1="hg" geom2="floor" cutoff="10"/>
<e_potential/><e_kinetic/><clock/><clock cutoff=".001"/>
<touch site="sa"/><user dim="3" needstage="pos" objtype="body" objname="a"/>
</sensor>
</mujoco>""".replace("FRAMES", _FRAMES)


def flex(count, dim, dof="full", elasticity="", edge="", pin=""):
    return f"""<mujoco><option><flag contact="disable"/></option><worldbody><body name="p" pos="0 0 1">
<joint type="ball"/><geom size=".1" pos=".3 0 0"/><flexcomp type="grid" count="{count}" spacing=".1 .12 .13" mass="1"
name="f" radius=".01" dim="{dim}" dof="{dof}"><edge equality="false" {edge}/>{elasticity}{pin}
<contact selfcollide="none" internal="false"/></flexcomp></body></worldbody></mujoco>"""


_SOLID = '<elasticity young="1000" poisson="0.3" damping="0.1"/>'
_SHELL = '<elasticity young="1e4" poisson=".3" thickness=".02" elastic2d="%s" damping=".1"/>'
FLEXES = {
    "solid": flex("3 3 3", 3, elasticity=_SOLID, edge='damping=".3"'),
    "solid pinned": flex("3 3 3", 3, elasticity=_SOLID, pin='<pin id="0 1 2"/>'),
    "shell stretch": flex("4 3 1", 2, elasticity=_SHELL % "stretch", pin='<pin id="0 1"/>'),
    "shell bend": flex("4 3 1", 2, elasticity=_SHELL % "bend"),
    "shell both": flex("4 3 1", 2, elasticity=_SHELL % "both"),
    "cable": flex("5 1 1", 1, edge='stiffness="100" damping="2"'),
    "cell": flex("4 4 4", 3, dof="trilinear", elasticity=_SOLID),
    "cell pinned": flex("4 4 4", 3, dof="trilinear", elasticity=_SOLID, pin='<pin id="0 1 2 3"/>'),
    "attached": """<mujoco><option gravity="0 0 0"/><worldbody>
<body name="b0" pos="0 0 1"><freejoint/><geom size=".1"/></body>
<body name="b1" pos="1 0 1"><joint type="ball"/><geom size=".1"/><body name="b2" pos=".5 .1 0">
<joint type="hinge" axis="0 1 0"/><geom size=".1"/></body></body></worldbody><deformable>
<flex name="f" dim="1" body="b0 b1 b2 world" vertex=".1 .1 0  .2 0 0  .3 0 0 .5 .5 .5" element="0 1 1 2 2 3">
<edge stiffness="100" damping="1"/></flex><flex name="r" dim="1" body="b1" vertex=".1 .1 0  .2 0 0" element="0 1"/>
</deformable></mujoco>""",
}


def wrap(kind, size, side):
    """A tendon between two free bodies around a geom."""
    site = f'<site name="side" pos="{side}"/>' if side else ""
    sidesite = 'sidesite="side"' if side else ""
    return f"""<mujoco><worldbody><body name="g" mocap="true">{site}
<geom name="g" type="{kind}" size="{size}" euler="10 20 30"/></body>
<body><freejoint/><geom size=".01"/><site name="a"/></body><body><freejoint/><geom size=".01"/><site name="b"/></body>
</worldbody><tendon><spatial><site site="a"/><geom geom="g" {sidesite}/><site site="b"/></spatial></tendon></mujoco>"""


WRAPS = {
    f"{kind} {side}": wrap(kind, size, side)
    for kind, size in (("sphere", ".1"), ("cylinder", ".1 .2"))
    for side in (None, ".15 0 0", ".1 .1 .3", "0 0 .12", ".05 .02 0", "0 0 0")
}

MEDIUM = {
    f"{kind} {coefficients}": f"""<mujoco><option density="1.2" viscosity=".1" wind="1 2 3"/><worldbody><body><freejoint/>
<geom type="{kind}" size=".1 .2 .3" fluidshape="ellipsoid" fluidcoef="{coefficients}"/></body></worldbody></mujoco>"""
    for kind in ("sphere", "ellipsoid", "box", "capsule", "cylinder")
    for coefficients in ("0.5 0.25 1.5 1.0 1.0", "1 0 0 0 0", "0 0 1 0 0", "0 0 0 1 0")
}
