"""Pictures of both engines, each from its own model and data.

The released renderer needs an OpenGL library; OSMesa draws without a display. It is chosen when the
package is imported, so this module is run as a program of its own:

    MUJOCO_GL=osmesa python pictures.py JOB.json OUT.npz
"""

import ctypes
import json
import os
import pathlib
import sys
import time

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
RND = mujoco.mjtRndFlag
FLAGS = 10748  # offset of flags in mjvScene
PLAIN = (RND.mjRND_SHADOW, RND.mjRND_REFLECTION)


def library():
    lib = ctypes.CDLL(os.environ.get("SINEW_LIB", str(ROOT / "build/release/libsinew.so")))
    lib.mj_loadXML.restype = lib.mj_makeData.restype = ctypes.c_void_p
    lib.sn_makeRenderer.restype = ctypes.c_void_p
    lib.sn_makeRenderer.argtypes = [ctypes.c_void_p] + 4 * [ctypes.c_int]
    lib.sn_drawScene.argtypes = 5 * [ctypes.c_void_p]
    lib.sn_freeRenderer.argtypes = [ctypes.c_void_p]
    lib.sn_rendererBytes.argtypes = [ctypes.c_void_p]
    lib.sn_rendererBytes.restype = ctypes.c_size_t
    return lib


def load(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def cameras(model, most=3):
    """Free camera, named ones, inside and outside."""
    center, extent = [float(c) for c in model.stat.center], model.stat.extent
    inside, outside = center + [0.35 * extent, 40.0, -20.0], center + [4 * extent, 200.0, -35.0]
    return [-1] + list(range(min(model.ncam, most))) + [inside, outside]


def released_camera(model, camera):
    view = mujoco.MjvCamera()
    if isinstance(camera, int) and camera >= 0:
        view.type, view.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, camera
        return view
    mujoco.mjv_defaultFreeCamera(model, view)
    if not isinstance(camera, int):
        view.lookat[:] = camera[:3]
        view.distance, view.azimuth, view.elevation = camera[3:]
    return view


class Ours:
    """Pictures of Sinew."""

    def __init__(self, path, width, height, samples=0, threads=1):
        self.lib, self.width, self.height = library(), width, height
        message = ctypes.create_string_buffer(1000)
        self.model = ctypes.c_void_p(self.lib.mj_loadXML(str(path).encode(), None, message, 1000))
        assert self.model, message.value.decode()
        self.data = ctypes.c_void_p(self.lib.mj_makeData(self.model))
        self.lib.mj_forward(self.model, self.data)
        self.scene, self.option = ctypes.create_string_buffer(16384), ctypes.create_string_buffer(256)
        self.lib.mjv_defaultScene(self.scene)
        self.lib.mjv_makeScene(self.model, self.scene, 10000)
        self.lib.mjv_defaultOption(self.option)
        start = time.process_time()
        self.renderer = self.lib.sn_makeRenderer(self.model, width, height, samples, threads)
        self.made = time.process_time() - start

    def update(self, camera, off=()):
        view = ctypes.create_string_buffer(128)
        self.lib.mjv_defaultFreeCamera(self.model, view)
        if isinstance(camera, int):
            if camera >= 0:
                view[0:8] = np.array([mujoco.mjtCamera.mjCAMERA_FIXED, camera], np.int32).tobytes()
        else:
            view[16:64] = np.array(camera, float).tobytes()
        self.lib.mjv_updateScene(self.model, self.data, self.option, None, view, 7, self.scene)
        for flag in range(int(RND.mjNRNDFLAG)):
            default = mujoco.mjRNDSTRING[flag][1] == "1"
            self.scene[FLAGS + flag] = bytes([default and flag not in [int(f) for f in off]])

    def draw(self, rgb=True, depth=False, segmentation=False):
        shape = (self.height, self.width)
        out = [
            np.zeros(shape + (3,), np.uint8) if rgb else None,
            np.zeros(shape, np.float32) if depth else None,
            np.zeros(shape + (2,), np.int32) if segmentation else None,
        ]
        pointers = [None if a is None else a.ctypes.data_as(ctypes.c_void_p) for a in out]
        start, used = time.perf_counter(), time.process_time()
        assert self.lib.sn_drawScene(self.renderer, self.scene, *pointers)
        self.seconds, self.processor = time.perf_counter() - start, time.process_time() - used
        return out

    def close(self):
        self.lib.sn_freeRenderer(self.renderer)
        self.lib.mjv_freeScene(self.scene)
        self.lib.mj_deleteData(self.data)
        self.lib.mj_deleteModel(self.model)


def released(job, out):
    """Pictures, or the best of some times, of the released renderer."""
    model, data = load(job["path"])
    width, height = job["width"], job["height"]
    model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
    model.vis.global_.offheight = max(height, model.vis.global_.offheight)
    if job.get("samples") == 1:
        model.vis.quality.offsamples = 0
    renderer = mujoco.Renderer(model, height, width, max_geom=10000)
    result = {}
    for i, camera in enumerate(job["cameras"]):
        renderer.update_scene(data, released_camera(model, camera))
        for flag in job.get("off", ()):
            renderer.scene.flags[flag] = 0
        for kind in job["kinds"]:
            flags = renderer.scene.flags.copy()
            if kind != "rgb":
                getattr(renderer, f"enable_{kind}_rendering")()
            best = processor = 1e9
            for _ in range(job.get("repeats", 1)):
                start, used = time.perf_counter(), time.process_time()
                picture = renderer.render()
                best = min(best, time.perf_counter() - start)
                processor = min(processor, time.process_time() - used)
            if kind != "rgb":
                getattr(renderer, f"disable_{kind}_rendering")()
            for k, value in enumerate(flags):
                renderer.scene.flags[k] = value
            result[f"{kind}{i}"], result[f"seconds_{kind}{i}"] = picture.copy(), best
            result[f"processor_{kind}{i}"] = processor
    renderer.close()
    np.savez(out, **result)


if __name__ == "__main__":
    released(json.loads(pathlib.Path(sys.argv[1]).read_text()), sys.argv[2])
