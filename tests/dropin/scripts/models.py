"""Models that the scripts share."""

ARM = """
<mujoco model="arm">
  <option timestep=".002" integrator="implicitfast"/>
  <default><geom rgba=".2 .4 .6 1" density="800"/><joint damping=".4" armature=".01"/></default>
  <asset><material name="steel" rgba=".7 .7 .8 1" specular=".4"/><texture name="sky" type="skybox" builtin="gradient" rgb1=".1 .2 .3" rgb2="1 1 1" width="32" height="32"/></asset>
  <worldbody>
    <light name="sun" pos="0 0 4" dir="0 0 -1"/>
    <camera name="front" pos="2 0 1" xyaxes="0 1 0 -.4 0 1"/>
    <geom name="floor" type="plane" size="3 3 .1"/>
    <body name="base" pos="0 0 .4">
      <geom name="post" type="cylinder" size=".06 .2" pos="0 0 -.2" contype="0" conaffinity="0"/>
      <body name="upper"><joint name="shoulder" axis="0 1 0" range="-150 150"/><joint name="twist" axis="0 0 1"/>
        <geom name="upper" type="capsule" fromto="0 0 0 .4 0 0" size=".04" material="steel"/>
        <body name="lower" pos=".4 0 0"><joint name="elbow" axis="0 1 0" range="0 140" limited="true"/>
          <geom name="lower" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
          <body name="hand" pos=".3 0 0"><joint name="wrist" type="ball" damping=".05"/><geom name="hand" type="box" size=".05 .04 .02"/>
            <site name="tip" pos=".06 0 0" size=".01"/></body>
        </body>
      </body>
    </body>
    <body name="ball" pos=".5 .1 .05"><freejoint name="free"/><geom name="ball" type="sphere" size=".05" condim="4" friction="1 .01 .001"/></body>
    <body name="goal" mocap="true" pos=".3 .3 .5"><site name="goal" type="box" size=".02 .02 .02"/></body>
  </worldbody>
  <tendon><fixed name="coupling"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-.5"/></fixed></tendon>
  <actuator>
    <position name="shoulder" joint="shoulder" kp="60" ctrlrange="-2 2"/>
    <motor name="elbow" joint="elbow" gear="5" ctrlrange="-1 1"/>
    <general name="lag" tendon="coupling" dyntype="filter" dynprm=".05" gainprm="3"/>
  </actuator>
  <sensor>
    <jointpos name="angle" joint="elbow"/><framepos name="tip" objtype="site" objname="tip"/><accelerometer name="acc" site="tip"/>
    <gyro name="gyro" site="tip"/><touch name="touch" site="tip"/><framequat name="orientation" objtype="body" objname="hand"/>
    <actuatorfrc name="effort" actuator="elbow"/><rangefinder name="range" site="tip"/><subtreecom name="com" body="base"/>
  </sensor>
  <keyframe><key name="ready" qpos=".4 -.2 .9 1 0 0 0 .5 .1 .05 1 0 0 0" ctrl=".4 0 .1" act="0"/><key name="low" time="2" qpos="1 0 .3 1 0 0 0 .6 .1 .05 1 0 0 0"/></keyframe>
</mujoco>"""

CARTPOLE = """
<mujoco>
  <option timestep=".01"/>
  <worldbody>
    <body name="cart"><joint name="slide" type="slide" axis="1 0 0" damping=".1"/><geom name="cart" type="box" size=".2 .1 .1" mass="1"/>
      <body name="pole"><joint name="hinge" axis="0 1 0"/><geom name="pole" type="capsule" fromto="0 0 0 0 0 1" size=".045" mass=".1"/></body></body>
  </worldbody>
  <actuator><motor name="push" joint="slide" gear="10"/></actuator>
  <sensor><jointpos joint="slide"/><jointpos joint="hinge"/></sensor>
</mujoco>"""

BLOCKS = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1" friction=".8"/>
    <body name="a" pos="0 0 .1"><freejoint/><geom name="a" type="box" size=".1 .1 .1"/></body>
    <body name="b" pos=".02 .01 .271"><freejoint/><geom name="b" type="box" size=".08 .07 .07" rgba="1 0 0 1"/></body>
    <body name="c" pos=".6 0 .2" euler="0 30 0"><freejoint/><geom name="c" type="capsule" size=".06 .1"/></body>
  </worldbody>
</mujoco>"""
