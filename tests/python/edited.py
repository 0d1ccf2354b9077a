"""Models that the scripts edit, and the scripts by name."""

SCRIPTS = {}


def script(function):
    SCRIPTS[function.__name__] = function
    return function


ARM = """
<mujoco model="arm">
  <compiler angle="degree" autolimits="true"/>
  <default>
    <geom rgba="1 0 0 1"/>
    <default class="soft"><geom solref="0.1 1" contype="2"/><joint damping="3" stiffness="2"/></default>
  </default>
  <asset>
    <texture name="t" type="2d" builtin="checker" width="8" height="8"/>
    <material name="m" texture="t" specular="0.2"/>
    <mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <light name="sun" pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="a" pos="0 0 1" euler="10 20 30" childclass="soft">
      <joint name="ja" axis="0 1 0" range="-90 45" ref="10"/>
      <geom name="ga" type="capsule" fromto="0 0 0 .5 0 0" size=".05" material="m"/>
      <site name="sa" pos=".1 0 0"/>
      <camera name="ca" pos="0 -1 0" xyaxes="1 0 0 0 0 1"/>
      <frame name="f" pos="0 .1 0" axisangle="0 0 1 30">
        <body name="b" pos=".5 0 0">
          <joint name="jb" axis="0 0 1" damping="1"/>
          <geom name="gb" type="mesh" mesh="tet"/>
          <site name="sb" pos=".1 0 .2" size=".02"/>
        </body>
        <geom name="gf" type="box" size=".1 .2 .3" euler="0 90 0"/>
      </frame>
    </body>
    <body name="c" pos="1 0 1"><freejoint name="jc"/><geom name="gc" size=".1"/><geom name="ge" type="ellipsoid" size=".1 .2 .3" pos=".3 0 0"/></body>
  </worldbody>
  <contact><pair name="p" geom1="ga" geom2="gc"/><exclude name="x" body1="a" body2="c"/></contact>
  <tendon><spatial name="ten" range="0 3"><site site="sa"/><geom geom="gc"/><site site="sb"/></spatial>
    <fixed name="fix"><joint joint="ja" coef="1"/><joint joint="jb" coef="-2"/></fixed></tendon>
  <equality><connect name="eq" body1="b" body2="c" anchor="0 0 .1"/><joint name="eqj" joint1="ja" joint2="jb"/></equality>
  <actuator><position name="act" joint="ja" kp="10"/><motor name="mt" tendon="ten"/><general name="gen" site="sb" refsite="sa" gear="1 0 0 0 1 0"/></actuator>
  <sensor><framepos name="se" objtype="site" objname="sb" reftype="body" refname="c"/><jointpos name="sj" joint="jb"/><tendonpos tendon="ten"/></sensor>
  <custom><numeric name="num" data="1 2 3"/><text name="txt" data="hello"/><tuple name="tup"><element objtype="body" objname="a" prm=".5"/><element objtype="geom" objname="gc"/></tuple></custom>
  <keyframe><key name="home" qpos=".1 .2 1 0 1 1 0 0 0" qvel="1 2 0 0 0 0 0 0" ctrl=".1 .2 .3"/></keyframe>
</mujoco>"""

KID = """
<mujoco model="kid">
  <compiler angle="radian" eulerseq="zyx" boundmass="0.1" balanceinertia="true"/>
  <option timestep="0.005"/>
  <default><geom rgba="0 1 0 1" density="500"/><default class="k"><site rgba="0 0 1 1"/></default></default>
  <asset>
    <material name="m" rgba=".1 .2 .3 1"/>
    <mesh name="tet" vertex="0 0 0 2 0 0 0 2 0 0 0 2"/>
    <hfield name="hf" nrow="3" ncol="2" size="1 1 .1 .1" elevation="1 2 3 4 5 6"/>
  </asset>
  <worldbody>
    <geom name="ground" type="sphere" size=".3"/>
    <frame name="kf" pos="1 2 3" euler=".1 .2 .3">
      <body name="k1" euler=".3 .4 .5">
        <joint name="kj" range="-1 1"/>
        <geom name="kg" size=".1" material="m"/>
        <site name="ks" class="k" pos="0 0 .1"/>
        <body name="k2" pos="0 0 1"><joint name="kj2" type="slide"/><geom name="kg2" type="mesh" mesh="tet"/>
          <light name="kl"/><camera name="kc" mode="targetbody" target="k1"/></body>
      </body>
    </frame>
  </worldbody>
  <actuator><velocity name="ka" joint="kj" kv="2"/></actuator>
  <sensor><gyro name="kgy" site="ks"/></sensor>
  <tendon><fixed name="kt"><joint joint="kj2" coef="2"/></fixed></tendon>
  <equality><weld name="kw" body1="k2"/></equality>
  <contact><exclude body1="k1" body2="k2"/></contact>
  <keyframe><key name="kk" qpos=".3 .4" ctrl="1"/></keyframe>
</mujoco>"""
