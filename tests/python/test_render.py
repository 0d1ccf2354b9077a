"""Pictures from Python: Renderer, MjrContext and mjr_ functions, Batch.render. Nothing here needs OpenGL."""

import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import sinew

XML = """
<mujoco>
  <visual><global offwidth="320" offheight="240"/><quality offsamples="4"/></visual>
  <asset>
    <texture name="grid" type="2d" builtin="checker" rgb1=".1 .2 .3" rgb2=".8 .8 .8" width="64" height="64"/>
    <material name="grid" texture="grid" texrepeat="4 4"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="side" pos="0 -2 .5" xyaxes="1 0 0 0 0 1"/>
    <camera name="top" pos="0 0 3"/>
    <geom name="floor" type="plane" size="2 2 .1" material="grid"/>
    <body name="ball" pos="0 0 .5"><freejoint/><geom name="ball" size=".2" rgba="1 0 0 1"/></body>
  </worldbody>
</mujoco>
"""
GEOM = int(sinew.mjtObj.mjOBJ_GEOM)


@pytest.fixture(scope="module")
def model():
    return sinew.MjModel.from_xml_string(XML)


@pytest.fixture
def data(model):
    data = sinew.MjData(model)
    sinew.mj_forward(model, data)
    return data


# ---- Renderer


def test_colours(model, data):
    with sinew.Renderer(model) as renderer:
        assert (renderer.height, renderer.width, renderer.model) == (240, 320, model)
        renderer.update_scene(data, "side")
        pixels = renderer.render()
        assert pixels.shape == (240, 320, 3) and pixels.dtype == np.uint8
        r, g, b = pixels[120, 160].astype(int)
        assert r > 60 + g and r > 60 + b  # the ball is red, in the middle
        assert renderer.render().tobytes() == pixels.tobytes()
        out = np.zeros_like(pixels)
        assert renderer.render(out=out) is out and np.array_equal(out, pixels)
        other = np.zeros(pixels.shape)  # the type is cast
        assert renderer.render(out=other) is other and np.array_equal(other, pixels)
        flipped = np.zeros_like(pixels)[::-1]  # not in one piece
        assert np.array_equal(renderer.render(out=flipped), pixels)


def test_depth(model, data):
    with sinew.Renderer(model, 120, 160) as renderer:
        renderer.update_scene(data, "side")
        renderer.enable_depth_rendering()
        depth = renderer.render()
        assert depth.shape == (120, 160) and depth.dtype == np.float32
        assert depth[60, 80] == pytest.approx(1.8, abs=2e-3)  # two metres, less the ball's radius
        far = model.vis.map.zfar * model.stat.extent
        assert depth[0, 0] == pytest.approx(far, rel=1e-3)
        renderer.disable_depth_rendering()
        assert renderer.render().dtype == np.uint8


def test_segmentation(model, data):
    with sinew.Renderer(model, 120, 160) as renderer:
        renderer.update_scene(data, "side")
        renderer.enable_depth_rendering()
        renderer.enable_segmentation_rendering()  # the last one counts
        segments = renderer.render()
        assert segments.shape == (120, 160, 2) and segments.dtype == np.int32
        assert tuple(segments[60, 80]) == (model.geom("ball").id, GEOM)
        assert tuple(segments[110, 80]) == (model.geom("floor").id, GEOM)
        assert tuple(segments[0, 0]) == (-1, -1)
        assert set(np.unique(segments[..., 1])) == {-1, GEOM}
        renderer.disable_segmentation_rendering()
        assert renderer.render().shape == (120, 160, 3)


def test_cameras(model, data):
    with sinew.Renderer(model, 60, 80) as renderer:
        pictures = []
        free = sinew.MjvCamera()
        sinew.mjv_defaultFreeCamera(model, free)
        for camera in ("side", 0, "top", 1, -1, free):
            renderer.update_scene(data, camera=camera)
            pictures.append(renderer.render().tobytes())
        side, zero, top, one, default, given = pictures
        assert side == zero and top == one and default == given and len({side, top, default}) == 3
        with pytest.raises(ValueError, match=r'The camera "front" does not exist\. There are: side, top\.'):
            renderer.update_scene(data, "front")
        for wrong in (2, -2):
            with pytest.raises(ValueError, match=rf"The camera id {wrong} is out of range \[-1, 2\)"):
                renderer.update_scene(data, wrong)


def test_scene_option(model, data):
    option = sinew.MjvOption()
    option.geomgroup[0] = 0
    with sinew.Renderer(model, 60, 80) as renderer:
        renderer.update_scene(data, "side", scene_option=option)
        renderer.enable_segmentation_rendering()
        assert np.all(renderer.render() == -1)
        assert renderer.scene.ngeom == 0


def test_sizes(model):
    for wrong, name in (((10, 321), "offwidth"), ((241, 10), "offheight")):
        with pytest.raises(ValueError, match=f'framebuffer.*<global {name}="'):
            sinew.Renderer(model, *wrong)
    for wrong in ((0, 10), (10, -1)):
        with pytest.raises(ValueError, match="expected 1 or more"):
            sinew.Renderer(model, *wrong)
    with sinew.Renderer(model, 20, 30) as renderer:
        for shape in ((20, 30), (30, 20, 3), (20, 30, 4)):
            with pytest.raises(ValueError, match=r"Expected `out.shape == \(20, 30, 3\)`"):
                renderer.render(out=np.zeros(shape, np.uint8))


def test_closed(model, data):
    renderer = sinew.Renderer(model)
    renderer.update_scene(data)
    renderer.close()
    renderer.close()
    for call in (renderer.render, lambda: renderer.update_scene(data)):
        with pytest.raises(RuntimeError, match="cannot be called after close"):
            call()


def test_many_at_once(model):
    """A renderer in each of several threads draws the same picture; hundreds leave nothing behind."""
    pictures = []

    def draw():
        data = sinew.MjData(model)  # one for each thread
        sinew.mj_forward(model, data)
        for _ in range(5):
            with sinew.Renderer(model, 48, 64) as renderer:
                renderer.update_scene(data, "side")
                pictures.append(renderer.render().tobytes())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pictures) == 20 and len(set(pictures)) == 1


def test_scene_changes_show(model, data):
    """What programs add to renderer.scene is drawn."""
    with sinew.Renderer(model, 60, 80) as renderer:
        renderer.update_scene(data, "side")
        before = renderer.render()
        geom = renderer.scene.geoms[renderer.scene.ngeom]
        sinew.mjv_initGeom(geom, int(sinew.mjtGeom.mjGEOM_SPHERE), [0.3, 0, 0], [0, -0.5, 0.5], np.eye(3).ravel(), np.array([0, 1, 0, 1], np.float32))
        renderer.scene.ngeom += 1
        after = renderer.render()
        assert after[30, 40, 1] > 60 > before[30, 40, 1]


def test_before_the_first_scene(model, data):
    """A picture of nothing is black; the scene's flags stay when it is updated."""
    with sinew.Renderer(model, 60, 80) as renderer:
        assert not renderer.render().any()
        renderer.update_scene(data, "top")
        shadows = renderer.render()
        renderer.scene.flags[sinew.mjtRndFlag.mjRND_SHADOW] = 0
        renderer.update_scene(data, "top")
        assert renderer.scene.flags[sinew.mjtRndFlag.mjRND_SHADOW] == 0
        assert not np.array_equal(renderer.render(), shadows)


# ---- contexts


def test_context(model, data):
    context = sinew.MjrContext(model, sinew.mjtFontScale.mjFONTSCALE_150)
    assert context.offWidth == 320 and context.fontScale == 150 and context.glInitialized
    assert context.mat_texid.shape == (10000,) and context.skinvertVBO.shape == (0,)
    scene, rect = sinew.MjvScene(model, 100), sinew.MjrRect(0, 0, 320, 240)
    camera = sinew.MjvCamera()
    sinew.mjv_defaultFreeCamera(model, camera)
    sinew.mjv_updateScene(model, data, sinew.MjvOption(), None, camera, 7, scene)
    sinew.mjr_setBuffer(sinew.mjtFramebuffer.mjFB_OFFSCREEN, context)
    sinew.mjr_render(rect, scene, context)
    rgb, depth = np.zeros((240, 320, 3), np.uint8), np.zeros((240, 320), np.float32)
    sinew.mjr_readPixels(rgb, depth, rect, context)
    assert rgb.std() > 10 and 0 < depth.min() < depth.max() <= 1
    again = np.zeros_like(rgb)
    sinew.mjr_readPixels(again, None, rect, context)
    assert np.array_equal(again, rgb)
    most = sinew.mjr_maxViewport(context)
    assert (most.left, most.bottom, most.width, most.height) == (0, 0, 320, 240)
    assert most == rect
    sinew.mjr_resizeOffscreen(640, 100, context)
    assert sinew.mjr_maxViewport(context).width == 640
    with pytest.raises(TypeError, match="mjr_readPixels: argument rgb: expected 192000 elements"):
        sinew.mjr_readPixels(rgb[1:], None, sinew.mjr_maxViewport(context), context)
    context.free()
    context.free()
    with pytest.raises(sinew.FatalError, match="mjr_render: the context has not been made, or was freed"):
        sinew.mjr_render(rect, scene, context)
    with pytest.raises(TypeError):
        import copy

        copy.copy(context)


def test_pixels_in_and_out(model):
    context = sinew.MjrContext(model, 100)
    rect = sinew.MjrRect(3, 4, 20, 10)
    given = np.random.default_rng(0).integers(0, 256, (10, 20, 3), dtype=np.uint8)
    sinew.mjr_drawPixels(given, None, rect, context)
    found = np.zeros_like(given)
    sinew.mjr_readPixels(found, None, rect, context)
    assert np.array_equal(given, found)
    sinew.mjr_rectangle(rect, 1, 0, 0, 1)
    sinew.mjr_text(sinew.mjtFont.mjFONT_NORMAL, "text", context, 0.1, 0.1, 1, 1, 1)
    sinew.mjr_overlay(sinew.mjtFont.mjFONT_BIG, sinew.mjtGridPos.mjGRID_TOPLEFT, sinew.MjrRect(0, 0, 320, 240), "a", "b", context)
    sinew.mjr_label(rect, 0, "label", 1, 1, 1, 1, 0, 0, 0, context)
    figure = sinew.MjvFigure()
    figure.linepnt[0] = 3
    sinew.mjr_figure(sinew.MjrRect(0, 0, 320, 240), figure, context)
    assert figure.xaxispixel[1] > figure.xaxispixel[0] > 0
    sinew.mjr_changeFont(200, context)
    assert context.charHeight == 36
    sinew.mjr_finish()
    assert sinew.mjr_getError() == 0
    assert sinew.mjr_findRect(5, 5, 1, rect) == 0 and sinew.mjr_findRect(50, 5, 1, rect) == -1
    with pytest.raises(ValueError, match="nrect is 2"):
        sinew.mjr_findRect(5, 5, 2, rect)
    sinew.mjr_addAux(0, 16, 8, 0, context)
    sinew.mjr_setAux(0, context)
    sinew.mjr_blitAux(0, sinew.MjrRect(0, 0, 16, 8), 0, 0, context)
    sinew.mjr_restoreBuffer(context)
    with pytest.raises(sinew.FatalError, match="auxiliary buffer 10, expected from 0 to 9"):
        sinew.mjr_addAux(10, 16, 8, 0, context)
    with pytest.raises(sinew.FatalError, match="no window buffer"):
        sinew.mjr_blitBuffer(rect, rect, 1, 0, context)


def test_uploads(model, data):
    """A change of the model's textures shows after mjr_uploadTexture, in a Renderer too."""
    changed = sinew.MjModel.from_xml_string(XML)
    renderer = sinew.Renderer(changed, 60, 80)
    renderer.update_scene(data, "top")
    before = renderer.render()
    changed.tex_data[:] = 255 - changed.tex_data
    assert np.array_equal(renderer.render(), before)
    sinew.mjr_uploadTexture(changed, renderer._mjr_context, 0)
    assert np.abs(renderer.render().astype(int) - before).mean() > 5
    with pytest.raises(sinew.FatalError, match="mjr_uploadTexture"):
        sinew.mjr_uploadTexture(changed, renderer._mjr_context, 7)
    renderer.close()


def test_gl_context_needs_nothing():
    """Whatever MUJOCO_GL says, without a graphics library in the process."""
    program = (
        "import sinew, sys; sinew.install_as_mujoco(); import mujoco, mujoco.gl_context, mujoco.renderer\n"
        "from mujoco.egl import GLContext as a; from mujoco.osmesa import GLContext as b; from mujoco.glfw import GLContext as c\n"
        "context = mujoco.GLContext(64, 64); context.make_current(); assert a is b is c is mujoco.gl_context.GLContext\n"
        f"m = mujoco.MjModel.from_xml_string({XML!r}); d = mujoco.MjData(m); mujoco.mj_forward(m, d)\n"
        "r = mujoco.Renderer(m); r.update_scene(d); assert r.render().any()\n"
        "assert not [n for n in sys.modules if n.startswith(('OpenGL', 'glfw'))]; context.free(); print('drawn')"
    )
    site = str(pathlib.Path(sinew.__file__).parent.parent)
    for backend in ("egl", "osmesa", "glfw", "disable", "nonsense"):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={"MUJOCO_GL": backend, "PYTHONPATH": site})
        assert done.stdout == "drawn\n", done.stderr


# ---- batches


def test_batch(model):
    batch = sinew.Batch(model, 6, nthread=3)
    batch.bind("qpos")[:, 0] = np.linspace(-0.5, 0.5, 6)
    pictures = batch.render("side", 40, 30)
    assert pictures.shape == (6, 30, 40, 3) and pictures.dtype == np.uint8
    assert len({picture.tobytes() for picture in pictures}) == 6
    state = batch.state.copy()
    for row in range(6):  # each as one alone, on one thread
        alone = sinew.Batch(model, 1, nthread=1)
        alone.state[0] = state[row]
        assert np.array_equal(alone.render("side", 40, 30)[0], pictures[row])
    assert np.array_equal(batch.state, state)  # looking changes nothing


def test_batch_is_renderer(model):
    """The pictures are those of Renderer."""
    batch = sinew.Batch(model, 2)
    batch.step(10)
    data = batch.get_data(1)
    with sinew.Renderer(model, 30, 40) as renderer:
        renderer.update_scene(data, "side")
        assert np.array_equal(batch.render("side", 40, 30)[1], renderer.render())
        renderer.enable_depth_rendering()
        depth = batch.render("side", 40, 30, depth=True)
        assert depth.dtype == np.float32 and np.array_equal(depth[1], renderer.render())
        renderer.enable_segmentation_rendering()
        segments = batch.render("side", 40, 30, segmentation=True)
        assert segments.shape == (2, 30, 40, 2) and np.array_equal(segments[1], renderer.render())


def test_batch_rows_and_out(model):
    batch = sinew.Batch(model, 4)
    out = np.full((4, 30, 40, 3), 7, np.uint8)
    assert batch.render("side", 40, 30, out=out, rows=[1, 3]) is out
    assert np.all(out[[0, 2]] == 7) and out[1].std() > 5 and np.array_equal(out[1], out[3])
    own = sinew.Batch(model, 2, own_models=True)
    own.models[1].geom_rgba[1] = [0, 0, 1, 1]
    first, second = own.render("side", 40, 30)
    assert first[15, 20, 0] > first[15, 20, 2] and second[15, 20, 2] > second[15, 20, 0]


def test_batch_mistakes(model):
    batch = sinew.Batch(model, 2)
    with pytest.raises(ValueError, match="There are: side, top"):
        batch.render("nowhere")
    with pytest.raises(ValueError, match="out: expected .2, 64, 64, 3. of uint8"):
        batch.render(out=np.zeros((2, 64, 64, 3)))
    with pytest.raises(ValueError, match="one of them"):
        batch.render(depth=True, segmentation=True)
    for size in ((0, 10), (10, 20000), (-1, 5)):
        with pytest.raises((sinew.FatalError, ValueError), match="expected from 1 to 16384|negative"):
            batch.render("side", *size)
    batch.bind("qpos")[0] = np.nan  # a row that is no pose is drawn as far as that goes; the other is not touched
    good = batch.render("side", 40, 30)[1]
    assert np.array_equal(good, sinew.Batch(model, 1).render("side", 40, 30)[0])


def test_batch_textures(model):
    changed = sinew.MjModel.from_xml_string(XML)
    batch = sinew.Batch(changed, 1)
    before = batch.render("top").copy()
    changed.tex_data[:] = 255 - changed.tex_data
    assert np.array_equal(batch.render("top"), before)
    batch.forget_renderers()
    assert not np.array_equal(batch.render("top"), before)


# ---- notebooks and files


def test_notebook(model, data):
    for thing in (model, data):
        png = thing._repr_png_()
        assert png.startswith(b"\x89PNG\r\n") and len(png) > 2000
    before = data.qpos.copy()
    data._repr_png_()
    assert np.array_equal(data.qpos, before)


def test_vector_env_pixels(model):
    gym = pytest.importorskip("sinew.gym", exc_type=ImportError)
    env = gym.VectorEnv(model, 3, pixels={"camera": "side", "width": 40, "height": 30}, render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    assert observation.shape == (3, 30, 40, 3) and observation.dtype == np.uint8
    assert env.single_observation_space.shape == (30, 40, 3) and env.observation_space.contains(observation)
    later, *_ = env.step(env.action_space.sample())
    assert not np.array_equal(later, observation)
    frames = env.render()
    assert len(frames) == 3 and frames[0].shape == (480, 640, 3)
    both = gym.VectorEnv(model, 2, pixels={"camera": "side", "width": 8, "height": 8, "with_state": True})
    observation, _ = both.reset(seed=0)
    assert set(observation) == {"pixels", "state"} and observation["state"].shape == (2, model.nq + model.nv)
    assert both.observation_space.contains(observation)
