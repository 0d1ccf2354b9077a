"""Runs models with plugins in whatever `mujoco` package is first on the path, and writes what they give.

    python plugin_cases.py PROBE_LIBRARY OUT.pickle FILE.xml...

The test runs it twice, on the released library and on ours, and compares the two files.
"""

import copy
import ctypes
import os
import pathlib
import pickle
import sys

import mujoco
import numpy as np

STEPS = 50


def actuators(attributes, plugin="probe.acc", config='<config key="states" value="2"/>'):
    return f"""
<mujoco>
  <extension><plugin plugin="{plugin}"/></extension>
  <worldbody>
    <body><joint name="a" type="slide"/><geom size=".1" mass="1"/></body>
    <body><joint name="b" type="slide"/><geom size=".1" mass="1"/></body>
  </worldbody>
  <actuator>
    <motor joint="b" gear="2"/>
    <plugin joint="a" plugin="{plugin}" {attributes}>{config}</plugin>
    <general joint="b" dyntype="filter" dynprm=".1" actlimited="true" actrange="-.1 .1"/>
  </actuator>
</mujoco>"""


def pid(config="", attributes='actdim="1"', settings=""):
    return f"""
<mujoco>
  <extension>
    <plugin plugin="mujoco.pid">
      <instance name="one"><config key="kp" value="40"/><config key="ki" value="40"/>
        <config key="kd" value="4"/>{config}</instance>
    </plugin>
  </extension>
  <option timestep="0.01" {settings}/>
  <worldbody>
    <body><joint name="a" type="slide" axis="0 0 1" damping="1"/><geom size=".1" mass="1"/></body>
  </worldbody>
  <actuator><plugin joint="a" plugin="mujoco.pid" instance="one" {attributes}/></actuator>
</mujoco>"""


BODIES = """
  <worldbody>
    <body><joint name="a" type="slide" axis="0 0 1" stiffness="2" damping=".1"/><geom name="g" size=".1" mass="1"/>PLUGIN
      <body><joint name="b" type="slide"/><geom size=".1" mass="1"/></body>
    </body>
  </worldbody>"""

DECLARED = '<plugin plugin="probe.acc"/>'
INSTANCE = '<plugin plugin="probe.acc"><instance name="x"/></plugin>'


def small(extension, body="", drive="", config=""):
    drives = f'<actuator><plugin joint="a" {drive}>{config}</plugin></actuator>' if drive else ""
    return f'<mujoco><extension>{extension}</extension>{BODIES.replace("PLUGIN", body)}{drives}</mujoco>'


MIXED = f"""
<mujoco>
  <extension>
    <plugin plugin="probe.acc">
      <instance name="shared"><config key="states" value="3"/><config key="readings" value="2"/></instance>
      <instance name="idle"/>
    </plugin>
    <plugin plugin="probe.vel"/>
    <plugin plugin="probe.pos"/>
    <plugin plugin="probe.bare"/>
  </extension>
  <option integrator="INTEGRATOR"/>
  {BODIES.replace("PLUGIN", '<plugin instance="shared"/>')}
  <actuator>
    <motor joint="b"/>
    <plugin joint="a" instance="shared" actdim="2"/>
    <plugin joint="b" plugin="probe.acc"><config key="states" value="1"/></plugin>
  </actuator>
  <sensor>
    <jointpos joint="a"/>
    <plugin instance="shared" cutoff=".5"/>
    <plugin plugin="probe.vel"><config key="readings" value="4"/></plugin>
    <jointvel joint="a"/>
    <plugin plugin="probe.pos" objtype="geom" objname="g" reftype="body" refname="world"><config key="states" value="1"/></plugin>
  </sensor>
  <keyframe><key act="1 2"/></keyframe>
</mujoco>"""



def staged(stage, able):
    """One plugin, used in every way it is able to be: sensors before and behind a native one, a body, an actuator."""
    plugin = f"probe.stage{stage}.able{able}"
    instance = f'<plugin plugin="{plugin}"><instance name="x"/></plugin>'
    sensor = f'<sensor><plugin plugin="{plugin}"/><jointpos joint="a"/><plugin instance="x" cutoff="3.5"/></sensor>' if able & 2 else ""
    model = small(instance, '<plugin instance="x"/>' if able & 4 else "", 'instance="x"' if able & 1 else "")
    return model.replace("</mujoco>", f'{sensor}<option integrator="{"RK4" if stage % 2 else "Euler"}"/></mujoco>')


TOUCH = """
<mujoco>
  <extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .105">
      <freejoint/>
      <geom type="box" size=".1 .1 .1"/>
      <site name="pad" pos="0 0 -.1" euler="180 0 0"/>
    </body>
    <body pos=".3 0 .06"><freejoint/><geom name="ball" size=".05"/><site name="ball" euler="0 90 0"/></body>
  </worldbody>
  <sensor>
    <plugin name="grid" plugin="mujoco.sensor.touch_grid" objtype="site" objname="pad">
      <config key="size" value="7 5"/><config key="fov" value="60 45"/><config key="gamma" value="GAMMA"/><config key="nchannel" value="CHANNELS"/>
    </plugin>
    <plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="ball">
      <config key="size" value="4 4"/><config key="fov" value="180 90"/><config key="gamma" value="0"/><config key="nchannel" value="1"/>
    </plugin>
  </sensor>
</mujoco>"""

CABLE = """
<mujoco>
  <extension>
    <plugin plugin="mujoco.elasticity.cable">
      <instance name="wire"><config key="twist" value="1e6"/><config key="bend" value="4e6"/><config key="vmax" value="0.05"/></instance>
    </plugin>
  </extension>
  <worldbody>
    <body pos="0 0 1">ROOT
      <body pos=".1 0 0"><joint type="ball" damping=".1"/><geom type="capsule" size=".01" fromto="0 0 0 .1 0 0"/><plugin instance="wire"/>
        <body pos=".1 0 0" euler="0 20 0"><joint type="ball" damping=".1"/><geom type="capsule" size=".01" fromto="0 0 0 .1 0 0"/><plugin instance="wire"/>
          <body pos=".1 0 0"><joint type="ball" damping=".1"/><geom type="box" size=".05 .01 .02" pos=".05 0 0"/><plugin instance="wire"/></body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

COMPOSITE = """
<mujoco>
  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
  <worldbody>
    <body name="hand" pos="0 0 1">
      <composite prefix="c_" type="cable" curve="s" count="12 1 1" size="1" initial="INITIAL">
        <plugin plugin="mujoco.elasticity.cable">
          <config key="twist" value="1e7"/><config key="bend" value="4e6"/>
        </plugin>
        <joint kind="main" damping="0.15" armature="0.01"/>
        <geom type="capsule" size=".005" rgba=".8 .2 .1 1"/>
      </composite>
    </body>
  </worldbody>
</mujoco>"""



def field(name, plugin, body, geom="", **settings):
    """Instance, mesh and body of a signed distance plugin."""
    config = "".join(f'<config key="{key}" value="{value}"/>' for key, value in settings.items())
    return (
        f'<plugin plugin="mujoco.sdf.{plugin}"><instance name="{name}">{config}</instance></plugin>',
        f'<mesh name="{name}"><plugin instance="{name}"/></mesh>',
        f'{body}<geom type="sdf" name="{name}" mesh="{name}" {geom}><plugin instance="{name}"/></geom></body>',
    )


def fields_scene(parts, others="", option="", rest=""):
    extension, assets, bodies = ("".join(part) for part in zip(*parts))
    return f"""
<mujoco>
  <extension>{extension}</extension>
  <asset>{assets}</asset>
  <option {option}/>
  <default><geom solref="0.01 1" solimp=".95 .99 .0001" friction="0.3"/></default>
  <worldbody>{bodies}{others}</worldbody>
  {rest}
</mujoco>"""


NUT_ON_BOLT = fields_scene(
    [
        field("nut", "nut", '<body name="nut" pos="0 0 -.52"><freejoint/>', radius=0.26),
        field("bolt", "bolt", '<body name="bolt" pos="0 0 0"><joint damping="30" axis="0 0 1"/>', radius=0.255),
    ],
    option='sdf_iterations="10" sdf_initpoints="20" timestep="0.001"',
)

GEARS = fields_scene(
    [
        field("gear1", "gear", '<body pos="0 0 .2"><joint name="freewheel" damping="10" axis="0 0 1"/>', alpha=0),
        field("gear2", "gear", '<body pos="2.82 0 .2"><joint name="drive" damping=".1" axis="0 0 1"/>', alpha=15, innerdiameter=0.5),
    ],
    option='sdf_iterations="5" sdf_initpoints="20"',
    rest='<actuator><motor joint="drive" gear="300"/></actuator>',
)

BOWL = fields_scene(
    [field("bowl", "bowl", '<body pos="0 0 1">', radius=0.8, height=0.3, thickness=0.04)],
    "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom {shape}/></body>' for x, y, z, shape in (
        (0.05, 0, 0.35, 'size=".1"'), (-0.3, 0.1, 0.6, 'type="ellipsoid" size=".1 .06 .08"'), (0.1, 0.35, 0.7, 'type="capsule" size=".05 .1"'),
    )),
    option='sdf_iterations="10" sdf_initpoints="30"',
)  # fmt: skip

TORUS_STACK = fields_scene(
    [
        field("one", "torus", '<body pos="0 0 .15">', radius1=0.35, radius2=0.15),
        field("two", "torus", '<body pos=".02 .01 .44"><freejoint/>', radius1=0.3, radius2=0.15),
        field("three", "torus", '<body pos="0 -.03 .8" euler="20 0 0"><freejoint/>'),
    ],
    '<geom type="plane" size="2 2 .1"/>',
    option='sdf_iterations="15" sdf_initpoints="20"',
)

CASES = {
    "plain": actuators(""),
    "actdim 0": actuators('actdim="0"'),
    "actdim 1": actuators('actdim="1"'),
    "actdim 3": actuators('actdim="3"'),
    "filter": actuators('dyntype="filter" dynprm=".2"'),
    "filter 0": actuators('dyntype="filter" actdim="0"'),
    "filter 3": actuators('dyntype="filter" dynprm=".2" actdim="3"'),
    "filter 3 limited": actuators('dyntype="filter" dynprm=".2" actdim="3" actlimited="true" actrange="-.01 .01"'),
    "exact 3 limited": actuators('dyntype="filterexact" dynprm=".2" actdim="3" actlimited="true" actrange="-.01 .01"'),
    "exact 2 early": actuators('dyntype="filterexact" dynprm=".2" actdim="2" actearly="true"'),
    "integrator 2": actuators('dyntype="integrator" actdim="2"'),
    "user 2": actuators('dyntype="user" actdim="2"'),
    "muscle 2": actuators('dyntype="muscle" actdim="2" actlimited="true" actrange="0 1" dynprm=".01 .04 0"'),
    "limited without dynamics": actuators('actlimited="true" actrange="-1 1" actdim="1"'),
    "limits": actuators('ctrllimited="true" ctrlrange="-.1 .1" forcelimited="true" forcerange="-1 1" actdim="2"'),
    "fails": actuators("", config='<config key="fail" value="1"/>'),
    "unknown setting": actuators("", config='<config key="colour" value="1"/>'),
    "setting twice": actuators("", config='<config key="fail" value="0"/><config key="fail" value="0"/>'),
    "unknown plugin": actuators("", plugin="probe.none"),
    "no such capability": actuators("", plugin="probe.pos"),
    "settings beside an instance": small(INSTANCE, drive='instance="x"', config='<config key="states" value="1"/>'),
    "unknown instance": small(DECLARED, drive='instance="x"'),
    "another plugin's instance": small(INSTANCE + '<plugin plugin="probe.pos"/>', drive='instance="x" plugin="probe.pos"'),
    "neither plugin nor instance": small(DECLARED, drive=" "),
    "not declared": small("", drive='plugin="probe.acc"'),
    "declared twice": small(DECLARED + DECLARED, drive='plugin="probe.acc"'),
    "same instance name": small(INSTANCE + INSTANCE),
    "unused instance": small(INSTANCE),
    "bare": small('<plugin plugin="probe.bare"/>', '<plugin plugin="probe.bare"/>'),
    "mixed Euler": MIXED.replace("INTEGRATOR", "Euler"),
    "mixed RK4": MIXED.replace("INTEGRATOR", "RK4"),
    "mixed implicit": MIXED.replace("INTEGRATOR", "implicit"),
    "mixed implicitfast": MIXED.replace("INTEGRATOR", "implicitfast"),
    "no actuation": MIXED.replace("<option", '<option><flag actuation="disable"/></option><option').replace("INTEGRATOR", "Euler"),
    "no passive": MIXED.replace("<option", '<option><flag passive="disable"/></option><option').replace("INTEGRATOR", "Euler"),
    "no sensor": MIXED.replace("<option", '<option><flag sensor="disable"/></option><option').replace("INTEGRATOR", "Euler"),
    **{f"stage {stage} able {able}": staged(stage, able) for stage in range(5) for able in range(16)},
    "pid": pid(),
    "pid without integral state": pid(attributes=""),
    "pid imax": pid('<config key="imax" value=".5"/>'),
    "pid slew": pid('<config key="slewmax" value="3"/>', 'actdim="2"'),
    "pid filter": pid("", 'actdim="2" dyntype="filter" dynprm=".1"'),
    "pid exact": pid('<config key="slewmax" value="3"/>', 'actdim="3" dyntype="filterexact" dynprm=".1" actlimited="true" actrange="-.2 .2"'),
    "pid ctrl range": pid("", 'actdim="1" ctrlrange="-.2 .2"', 'integrator="implicitfast"'),
    "touch 1": TOUCH.replace("GAMMA", "0").replace("CHANNELS", "1"),
    "touch 6": TOUCH.replace("GAMMA", ".5").replace("CHANNELS", "6"),
    "cable": CABLE.replace("ROOT", ""),
    "cable on a free body": CABLE.replace("ROOT", '<freejoint/><geom size=".03"/>'),
    "composite cable": COMPOSITE.replace("INITIAL", "none"),
    "composite cable free": COMPOSITE.replace("INITIAL", "free"),
    "nut on bolt": NUT_ON_BOLT,
    "gears": GEARS,
    "bowl": BOWL,
    "torus stack": TORUS_STACK,
}


def fields(thing):
    """Every number and array of a model."""
    found = {}
    for name in dir(thing):
        if name.startswith("_") or name in ("opt", "vis", "stat", "nbuffer", "signature"):
            continue
        value = getattr(thing, name)
        if isinstance(value, (int, float, bytes)):
            found[name] = np.array(value)
        elif isinstance(value, np.ndarray):
            found[name] = value.copy()
    return found


def text(problem):
    return str(problem).splitlines()[0]


# single calls whose callbacks are noted
CALLS = (
    *(("mj_forwardSkip", stage, sensor) for stage in range(4) for sensor in (0, 1)),
    *(("mj_inverseSkip", stage, sensor) for stage in range(4) for sensor in (0, 1)),
    ("mj_sensorPos",), ("mj_sensorVel",), ("mj_sensorAcc",), ("mj_passive",), ("mj_fwdPosition",), ("mj_fwdVelocity",),
    ("mj_fwdActuation",), ("mj_fwdAcceleration",), ("mj_fwdConstraint",), ("mj_step1",), ("mj_compareFwdInv",), ("mj_energyPos",),
    ("mj_collision",), ("mj_step2",), ("mj_Euler",), ("mj_RungeKutta", 4),
)


def record(data):
    return np.concatenate([data.qpos, data.qvel, data.act, data.plugin_state, data.sensordata, data.actuator_force])


def run(model, probe):
    """A story: steps, a copy, a saved state, a reset, a keyframe, a scene."""
    out = {"model": fields(model), "compiled": probe.probe_notes().decode()}
    # slots depend on what else the library brings
    out["model"].pop("plugin", None)
    probe.probe_clear()
    data = mujoco.MjData(model)
    out["made"] = probe.probe_notes().decode()
    rows, copied, restored = [], [], []

    def step(data, rows):
        data.ctrl[:] = np.sin(4 * data.time + np.arange(model.nu))
        mujoco.mj_step(model, data)
        rows.append(record(data))

    probe.probe_clear()
    step(data, rows)
    out["first step"] = probe.probe_notes().decode()
    while len(rows) < STEPS:
        step(data, rows)
    probe.probe_clear()
    twin = copy.copy(data)
    out["copy"] = probe.probe_notes().decode()
    full = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.zeros(mujoco.mj_stateSize(model, full))
    mujoco.mj_getState(model, data, state, full)
    for _ in range(5):
        step(twin, copied)
        step(data, rows)
    mujoco.mj_setState(model, data, state, full)
    for _ in range(5):
        step(data, restored)
    probe.probe_clear()
    mujoco.mj_forward(model, data)
    mujoco.mj_inverse(model, data)
    out["forward, inverse"] = probe.probe_notes().decode()
    if model.nv:
        probe.probe_clear()
        n = 2 * model.nv + model.na
        a, b = np.zeros((n, n)), np.zeros((n, model.nu))
        if model.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4:
            # a large step: both engines leave out the same terms, and rounding counts a thousandth
            mujoco.mjd_transitionFD(model, data, 1e-3, False, a, b, None, None)
            out["transition"] = np.concatenate([a.ravel(), b.ravel()])
    for name, *arguments in CALLS:
        probe.probe_clear()
        getattr(mujoco, name)(model, data, *arguments)
        out[f"{name} {arguments}"] = probe.probe_notes().decode()
        if name not in ("mj_Euler", "mj_RungeKutta"):  # without a forward between them they leave the physics
            rows.append(record(data))
    probe.probe_clear()
    mujoco.mj_resetData(model, data)
    out["reset"] = probe.probe_notes().decode()
    out["reset state"] = data.plugin_state.copy()
    probe.probe_clear()
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    out["keyframe"] = probe.probe_notes().decode()
    mujoco.mj_forward(model, data)
    probe.probe_clear()
    scene = mujoco.MjvScene(model, maxgeom=1000)
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera(), mujoco.mjtCatBit.mjCAT_ALL, scene)
    out["scene"] = probe.probe_notes().decode()
    out["geoms"] = np.array([[*g.pos, *g.size, *g.rgba, g.type] for g in scene.geoms[: scene.ngeom]])
    probe.probe_clear()
    del data, twin
    out["deleted"] = probe.probe_notes().decode()
    out.update(rows=np.array(rows), copied=np.array(copied), restored=np.array(restored))
    return out


def case(name, probe):
    probe.probe_clear()
    try:
        if name in CASES:
            model = mujoco.MjModel.from_xml_string(CASES[name])
        else:
            model = mujoco.MjModel.from_xml_path(name)
    except ValueError as problem:
        return {"error": text(problem), "notes": probe.probe_notes().decode()}
    return run(model, probe)


def apart(work):
    """The result of work done in a process of its own: the released library is not whole after a failed init."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = pickle.dumps(work())
        except BaseException as problem:
            result = pickle.dumps({"died": repr(problem)})
        with os.fdopen(there, "wb") as out:
            out.write(result)
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as answer:
        result = answer.read()
    code = os.waitpid(child, 0)[1]
    return pickle.loads(result) if result else {"died": f"exit {code}"}


def main():
    library, target, *files = sys.argv[1:]
    mujoco.mj_loadPluginLibrary(library)
    probe = ctypes.CDLL(library)
    probe.probe_notes.restype = ctypes.c_char_p
    results = {name: apart(lambda: case(name, probe)) for name in [*CASES, *files]}
    pathlib.Path(target).write_bytes(pickle.dumps(results))


if __name__ == "__main__":
    main()
