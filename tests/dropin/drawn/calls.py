"""Calls of all mjr_* functions, one by one: `python calls.py OUT.npz` saves what they did, by name."""

import sys

import mujoco as mj
import numpy as np

FUNCTIONS = """defaultContext makeContext changeFont addAux freeContext resizeOffscreen uploadTexture uploadMesh uploadHField restoreBuffer setBuffer
readPixels drawPixels blitBuffer setAux blitAux text overlay maxViewport rectangle label figure render finish getError findRect""".split()

# what the released library does that ours does not, or does in a way of its own
DIFFERENT = {
    "makeContext rangePlane",  # lists of OpenGL
    "makeContext windowAvailable",  # there is no window buffer
    "makeContext currentBuffer",  # there is one buffer
    "drawPixels",  # clipped there by the viewport of the picture before
    "setAux",  # mixed there with what the buffer held
    "blitAux",
    "overlay 4",  # columns lie over each other there
    "overlay 5",
    "figure",
}
# pixels by which text may differ: the font is our own
CLOSE = {"makeContext": 1, "changeFont": 2, "text": 4, "overlay": 8, "label": 2}

XML = """<mujoco><visual><global offwidth="120" offheight="90"/><quality offsamples="4"/></visual><asset>
<texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="16" height="16"/><material name="m" texture="t"/>
<mesh name="k" vertex="-1 -1 0 1 -1 0 1 1 0 -1 1 0 0 0 1" face="0 2 1 0 3 2 0 1 4 1 2 4 2 3 4 3 0 4"/>
<hfield name="h" nrow="6" ncol="6" size="1 1 1 .1"/></asset><worldbody><light pos="0 0 4"/>
<geom type="box" size=".5 .5 .5" material="m" pos="-2 0 0"/><geom type="mesh" mesh="k"/><geom type="hfield" hfield="h" pos="2.4 0 0"/></worldbody></mujoco>"""

DESCRIBED = """lineWidth shadowClip shadowScale fogStart fogEnd fogRGBA shadowSize offWidth offHeight offSamples fontScale auxWidth auxHeight
auxSamples ntexture nskin textureType mat_texuniform mat_texrepeat charHeight rangePlane rangeMesh glInitialized windowAvailable
currentBuffer""".split()


def rect(*numbers):
    return mj.MjrRect(*numbers)


class Calls:
    """One model, its scene and a context; `kept` is what the calls did."""

    def __init__(self):
        self.model = mj.MjModel.from_xml_string(XML)
        data, camera = mj.MjData(self.model), mj.MjvCamera()
        mj.mj_forward(self.model, data)
        self.scene = mj.MjvScene(self.model, 100)
        mj.mjv_defaultFreeCamera(self.model, camera)
        camera.distance = 7
        mj.mjv_updateScene(self.model, data, mj.MjvOption(), mj.MjvPerturb(), camera, mj.mjtCatBit.mjCAT_ALL, self.scene)
        self.context, self.kept, self.size = mj.MjrContext(self.model, 150), {}, (120, 90)

    def keep(self, name, *values):
        for i, value in enumerate(values):
            self.kept[f"{name}.{i}"] = np.asarray(value)

    def read(self, *where):
        """Colours and depth."""
        left, bottom, width, height = where or (0, 0, *self.size)
        rgb, depth = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.float32)
        mj.mjr_readPixels(rgb, depth, rect(left, bottom, width, height), self.context)
        return rgb, depth

    def render(self, *where):
        mj.mjr_render(rect(*(where or (0, 0, *self.size))), self.scene, self.context)

    def describe(self):
        for field in DESCRIBED:
            self.keep("makeContext " + field, getattr(self.context, field))
        self.keep("defaultContext", True)  # the package calls it first
        whole = mj.mjr_maxViewport(self.context)
        self.keep("maxViewport", [whole.left, whole.bottom, whole.width, whole.height])
        mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, self.context)
        self.keep("setBuffer", self.context.currentBuffer)

    def pixels(self):
        context = self.context
        self.render()
        self.keep("render", *self.read())
        self.render(10, 20, 50, 40)
        self.keep("render inside", *self.read())
        self.keep("readPixels", *self.read(13, 17, 31, 22))
        self.render()
        mj.mjr_rectangle(rect(20, 10, 60, 50), 0.2, 0.4, 0.6, 0.5)
        self.keep("rectangle", *self.read())
        mj.mjr_rectangle(rect(100, -10, 60, 50), 1, 0.4, 0.6, 1)
        self.keep("rectangle over the edge", *self.read())
        mj.mjr_drawPixels((np.arange(3600) % 251).astype(np.uint8), np.linspace(0, 1, 1200, dtype=np.float32), rect(5, 6, 40, 30), context)
        self.keep("drawPixels", *self.read())
        mj.mjr_finish()
        self.keep("finish", True)
        self.keep("getError", mj.mjr_getError())
        points = ((0, 0), (49, 39), (50, 0), (12, 12), (-1, 3), (3, 40))
        self.keep("findRect", *[mj.mjr_findRect(x, y, 1, rect(0, 0, 50, 40)) for x, y in points])

    def buffers(self):
        context = self.context
        mj.mjr_addAux(2, 60, 40, 0, context)
        self.keep("addAux", context.auxWidth[2], context.auxHeight[2], context.auxSamples[2])
        mj.mjr_setAux(2, context)
        self.render(0, 0, 60, 40)
        self.keep("setAux", *self.read(0, 0, 60, 40))
        mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, context)
        self.render()
        mj.mjr_blitAux(2, rect(10, 5, 30, 20), 70, 60, context)
        self.keep("blitAux", *self.read())
        mj.mjr_restoreBuffer(context)
        self.keep("restoreBuffer", context.currentBuffer)
        try:
            mj.mjr_blitBuffer(rect(0, 0, 9, 9), rect(0, 0, 9, 9), 1, 1, context)
        except mj.FatalError as error:  # ours says that there is no window
            assert "window" in str(error)
        self.keep("blitBuffer", True)
        mj.mjr_resizeOffscreen(150, 100, context)
        self.size = (150, 100)
        self.keep("resizeOffscreen", context.offWidth, context.offHeight)
        mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, context)
        self.render()
        self.keep("resizeOffscreen render", *self.read())

    def uploads(self):
        model, context = self.model, self.context
        model.tex_data[:] = 255 - model.tex_data
        mj.mjr_uploadTexture(model, context, 0)
        self.render()
        self.keep("uploadTexture", *self.read())
        model.mesh_vert[:] *= 0.7
        mj.mjr_uploadMesh(model, context, 0)
        self.render()
        self.keep("uploadMesh", *self.read())
        model.hfield_data[:] = np.linspace(0, 1, 36)
        mj.mjr_uploadHField(model, context, 0)
        self.render()
        self.keep("uploadHField", *self.read())
        context.readDepthMap = 1
        self.keep("readPixels other way", self.read()[1])
        context.readDepthMap = 0

    def words(self, name, draw):
        """The box around what is written on black."""
        mj.mjr_rectangle(rect(0, 0, *self.size), 0, 0, 0, 1)
        draw()
        rows, columns = np.nonzero(self.read()[0].max(-1) > 80)
        assert len(rows), name
        self.keep(name, [columns.min(), columns.max(), rows.min(), rows.max()])

    def text(self):
        context, whole = self.context, rect(0, 0, *self.size)
        for scale in (50, 100, 150, 200, 250, 300):
            mj.mjr_changeFont(scale, context)
            self.keep(f"changeFont {scale}", context.fontScale, context.charHeight, context.charHeightBig)
        mj.mjr_changeFont(100, context)
        for i, name in enumerate(("normal", "shadow", "big")):
            self.words("text " + name, lambda: mj.mjr_text(i, "HIH", context, 0.2, 0.3, 1, 1, 1))
        self.words("label", lambda: mj.mjr_label(rect(20, 20, 100, 50), 0, "HIH", 0.1, 0.1, 0.1, 1, 1, 1, 1, context))
        mj.mjr_rectangle(rect(0, 0, 50, 50), 0, 0, 0, 1)
        for place in range(8):
            self.words(f"overlay {place}", lambda: mj.mjr_overlay(0, place, whole, "HI\nHIH", "HH", context))
        figure = mj.MjvFigure()
        mj.mjv_defaultFigure(figure)
        figure.linepnt[0], figure.linedata[0][:6] = 3, [0, 1, 1, 3, 2, 2]
        self.words("figure", lambda: mj.mjr_figure(whole, figure, context))
        self.keep("figure axes", figure.xaxisdata, figure.yaxisdata)


if __name__ == "__main__":
    gl = mj.GLContext(120, 90)
    gl.make_current()
    calls = Calls()
    for step in (calls.describe, calls.pixels, calls.buffers, calls.uploads, calls.text):
        step()
    calls.context.free()
    calls.keep("freeContext", True)
    np.savez(sys.argv[1], **calls.kept)
