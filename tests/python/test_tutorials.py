"""What tutorials do with pictures, in cells of our own: run and film, options of the scene, cameras that
move, depth and segmentation as pictures, decoration of the scene, ghosts of other states, figures beside
the picture. Written with the released package's names, as notebooks are."""

import numpy as np
import pytest

import sinew
import sinew.media

ARM = """
<mujoco>
  <option timestep=".005"/>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="64" height="64"/>
    <texture name="squares" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".1 .2 .3" width="64" height="64"/>
    <material name="squares" texture="squares" texrepeat="3 3" reflectance=".2"/>
  </asset>
  <worldbody>
    <light pos="0 -1 3" dir="0 .3 -1"/>
    <camera name="fixed" pos="0 -2 1" xyaxes="1 0 0 0 .4 1"/>
    <geom type="plane" size="2 2 .1" material="squares"/>
    <body name="arm" pos="0 0 1">
      <joint name="swing" axis="0 1 0" damping=".01"/>
      <geom name="link" type="capsule" fromto="0 0 0 .4 0 0" size=".05" rgba=".8 .2 .1 1"/>
      <camera name="eye" pos=".4 0 .3" mode="targetbody" target="arm"/>
    </body>
    <body name="brick" pos=".3 .3 .2"><freejoint/><geom name="brick" type="box" size=".1 .1 .1" rgba=".1 .8 .2 1"/></body>
  </worldbody>
  <actuator><motor joint="swing"/></actuator>
</mujoco>
"""


@pytest.fixture
def arm():
    model = sinew.MjModel.from_xml_string(ARM)
    data = sinew.MjData(model)
    sinew.mj_forward(model, data)
    return model, data


def film(model, data, seconds, fps, **scene):
    frames = []
    with sinew.Renderer(model, 60, 80) as renderer:
        while data.time < seconds:
            sinew.mj_step(model, data)
            if len(frames) < data.time * fps:
                renderer.update_scene(data, **scene)
                frames.append(renderer.render())
    return frames


def test_a_run_is_filmed(arm, tmp_path):
    frames = film(*arm, seconds=0.49, fps=20)
    assert len(frames) == 10 and all(f.shape == (60, 80, 3) for f in frames)
    changed = [np.abs(a.astype(int) - b).max() for a, b in zip(frames, frames[1:])]
    assert min(changed) > 20  # everything falls and swings
    sinew.media.write_video(tmp_path / "swing.png", frames, fps=20)
    assert (tmp_path / "swing.png").stat().st_size > 1000


def test_options_of_the_scene(arm):
    model, data = arm
    while data.ncon == 0:
        sinew.mj_step(model, data)
    plain, option = film(model, data, data.time + 0.01, 1000)[0], sinew.MjvOption()
    sinew.mjv_defaultOption(option)
    for flag in ("mjVIS_JOINT", "mjVIS_CONTACTPOINT", "mjVIS_CONTACTFORCE", "mjVIS_TRANSPARENT"):
        option.flags[getattr(sinew.mjtVisFlag, flag)] = True
    option.frame = sinew.mjtFrame.mjFRAME_GEOM
    model.vis.map.force, model.vis.scale.contactwidth = 0.1, 0.05
    with sinew.Renderer(model, 60, 80) as renderer:
        renderer.update_scene(data, scene_option=option)
        decorated = renderer.scene.ngeom
        shown = renderer.render()
        renderer.update_scene(data)
        assert decorated > renderer.scene.ngeom
    assert np.abs(shown.astype(int) - plain).mean() > 1


def test_a_camera_that_moves(arm):
    model, data = arm
    camera = sinew.MjvCamera()
    sinew.mjv_defaultFreeCamera(model, camera)
    camera.lookat[:] = data.geom("link").xpos
    seen = set()
    with sinew.Renderer(model, 60, 80) as renderer:
        for azimuth in (0, 90, 180, 270):
            camera.azimuth, camera.distance, camera.elevation = azimuth, 2, -20
            renderer.update_scene(data, camera)
            seen.add(renderer.render().tobytes())
        for camera in ("fixed", "eye", -1):
            renderer.update_scene(data, camera)
            seen.add(renderer.render().tobytes())
    assert len(seen) == 7


def test_depth_and_segmentation_as_pictures(arm):
    model, data = arm
    with sinew.Renderer(model, 60, 80) as renderer:
        renderer.update_scene(data, "fixed")
        renderer.enable_depth_rendering()
        depth = renderer.render()
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        objects = renderer.render()
    near = depth - depth.min()
    grey = 255 * np.clip(near / near[near <= 3].max(), 0, 1)
    assert grey.min() == 0 and grey.max() == 255
    ids = objects[..., 0].astype(float) + 1
    shades = np.unique((255 * ids / ids.max()).astype(np.uint8))
    assert len(shades) == 1 + model.ngeom  # three geoms and the sky
    link = (objects[..., 0] == model.geom("link").id) & (objects[..., 1] == sinew.mjtObj.mjOBJ_GEOM)
    distance = -(data.geom("link").xpos - data.camera("fixed").xpos) @ data.camera("fixed").xmat.reshape(3, 3)[:, 2]
    assert abs(np.median(depth[link]) - distance) < 0.1


def test_decoration(arm):
    """A trace of capsules with the colour of their speed, added to the scene before it is drawn."""
    model, data = arm
    places = []
    for _ in range(30):
        sinew.mj_step(model, data)
        places.append(data.body("arm").xpos + 0.4 * data.body("arm").xmat.reshape(3, 3)[:, 0])
    with sinew.Renderer(model, 120, 160) as renderer:
        renderer.update_scene(data, "fixed")
        plain, scene = renderer.render(), renderer.scene
        for a, b in zip(places, places[1:]):
            scene.ngeom += 1
            geom = scene.geoms[scene.ngeom - 1]
            colour = np.array([1, 0.9, 0, 1], dtype=np.float32)
            sinew.mjv_initGeom(geom, sinew.mjtGeom.mjGEOM_CAPSULE, np.zeros(3), np.zeros(3), np.zeros(9), colour)
            sinew.mjv_connector(geom, sinew.mjtGeom.mjGEOM_CAPSULE, 0.05, a, b)
        traced = renderer.render()
    changed = np.abs(traced.astype(int) - plain).max(-1) > 30
    r, g, b = traced[changed].astype(int).mean(0)
    assert changed.sum() > 10 and r > 2 * b and g > 2 * b  # yellow


def test_ghosts(arm):
    """Other states in the same picture, transparent."""
    model, data = arm
    ghost, option, perturb = sinew.MjData(model), sinew.MjvOption(), sinew.MjvPerturb()
    sinew.mjv_defaultOption(option)
    option.flags[sinew.mjtVisFlag.mjVIS_TRANSPARENT] = True
    dynamic = int(sinew.mjtCatBit.mjCAT_DYNAMIC)
    with sinew.Renderer(model, 60, 80) as renderer:
        renderer.update_scene(data, "fixed")
        alone, count = renderer.render(), renderer.scene.ngeom
        for angle in (0.5, 1.0):
            ghost.qpos[:] = data.qpos
            ghost.joint("swing").qpos[0] = angle
            sinew.mj_forward(model, ghost)
            sinew.mjv_addGeoms(model, ghost, option, perturb, dynamic, renderer.scene)
        assert renderer.scene.ngeom == count + 4
        together = renderer.render()
    assert 0.5 < np.abs(together.astype(int) - alone).mean() < 40


def test_a_model_that_was_edited():
    """From a spec, compiled, filmed; then with more bodies."""
    spec = sinew.MjSpec()
    spec.worldbody.add_light(pos=[0, 0, 3])
    spec.worldbody.add_geom(type=sinew.mjtGeom.mjGEOM_PLANE, size=[2, 2, 0.1])
    pictures = []
    for i in range(3):
        body = spec.worldbody.add_body(pos=[0.4 * i, 0, 0.5])
        body.add_freejoint()
        body.add_geom(type=sinew.mjtGeom.mjGEOM_ELLIPSOID, size=[0.1, 0.15, 0.1], rgba=[1, 0.5 * i, 0, 1])
        model = spec.compile()
        data = sinew.MjData(model)
        pictures.append(film(model, data, 0.05, 20)[-1])
    assert len({p.tobytes() for p in pictures}) == 3
