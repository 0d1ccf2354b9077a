"""Pictures of a simulation: colours, depths, segmentation."""

from types import TracebackType
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _enums, _sinew
from .gl_context import GLContext

Picture = npt.NDArray[Any]
_FONT = int(_enums.mjtFontScale.mjFONTSCALE_150)


def camera_names(model: _sinew.MjModel) -> list[str]:
    """The names of the cameras; those without one by number."""
    return [_sinew.mj_id2name(model, int(_enums.mjtObj.mjOBJ_CAMERA), i) or f"#{i}" for i in range(model.ncam)]


def find_camera(model: _sinew.MjModel, camera: Union[int, str, _sinew.MjvCamera]) -> _sinew.MjvCamera:
    """A camera of the model by name or number (-1: a free one that sees the whole model), or the one given."""
    if isinstance(camera, _sinew.MjvCamera):
        return camera
    if isinstance(camera, str):
        number = _sinew.mj_name2id(model, int(_enums.mjtObj.mjOBJ_CAMERA), camera)
        if number == -1:
            there = ", ".join(camera_names(model))
            raise ValueError(f'The camera "{camera}" does not exist.' + (f" There are: {there}." if there else " The model has none."))
    else:
        number = int(camera)
        if not -1 <= number < model.ncam:
            raise ValueError(f"The camera id {number} is out of range [-1, {model.ncam}).")
    made = _sinew.MjvCamera()
    made.fixedcamid = number
    if number == -1:
        _sinew.mjv_defaultFreeCamera(model, made)
    else:
        made.type = int(_enums.mjtCamera.mjCAMERA_FIXED)
    return made


def _check_size(side: str, size: int, room: int) -> None:
    if size > room:
        raise ValueError(
            f"Image {side} {size} > framebuffer {side} {room}. The model decides how large pictures may be: "
            f'write <visual><global off{side}="{size}"/></visual> in it, or set model.vis.global_.off{side}.'
        )
    if size < 1:
        raise ValueError(f"Image {side} {size}: expected 1 or more.")


class Renderer:
    """Draws the scenes of a model, of one size, without a window, a driver or a graphics card.

        with sinew.Renderer(model, 480, 640) as renderer:
            renderer.update_scene(data, camera="track")
            pixels = renderer.render()          # 480 x 640 x 3, uint8

    Meshes, textures and height fields are those the model had when the renderer was made.
    """

    def __init__(self, model: _sinew.MjModel, height: int = 240, width: int = 320, max_geom: int = 10000) -> None:
        self._gl_context: Optional[GLContext] = None
        self._mjr_context: Optional[_sinew.MjrContext] = None
        _check_size("width", width, model.vis.global_.offwidth)
        _check_size("height", height, model.vis.global_.offheight)
        self._width, self._height, self._model = width, height, model
        self._scene = _sinew.MjvScene(model=model, maxgeom=max_geom)
        self._scene_option = _sinew.MjvOption()
        self._rect = _sinew.MjrRect(0, 0, width, height)
        self._gl_context = GLContext(width, height)
        self._gl_context.make_current()
        self._mjr_context = _sinew.MjrContext(model, _FONT)
        self._depth_rendering = False
        self._segmentation_rendering = False

    @property
    def model(self) -> _sinew.MjModel:
        """The model that is drawn."""
        return self._model

    @property
    def scene(self) -> _sinew.MjvScene:
        """The scene of the last update_scene; geoms may be added to it."""
        return self._scene

    @property
    def height(self) -> int:
        """Rows of a picture (pixels)."""
        return self._height

    @property
    def width(self) -> int:
        """Columns of a picture (pixels)."""
        return self._width

    def enable_depth_rendering(self) -> None:
        """Let render return distances from the camera (m) from now on."""
        self._segmentation_rendering = False
        self._depth_rendering = True

    def disable_depth_rendering(self) -> None:
        """Let render return colours again."""
        self._depth_rendering = False

    def enable_segmentation_rendering(self) -> None:
        """Let render return the id and type of the object at each pixel from now on, -1 where there is none."""
        self._segmentation_rendering = True
        self._depth_rendering = False

    def disable_segmentation_rendering(self) -> None:
        """Let render return colours again."""
        self._segmentation_rendering = False

    def update_scene(
        self, data: _sinew.MjData, camera: Union[int, str, _sinew.MjvCamera] = -1, scene_option: Optional[_sinew.MjvOption] = None
    ) -> None:
        """Takes the poses of `data`, as a camera of the model (name or id), the free one (-1) or an MjvCamera sees them."""
        self._check_open("update_scene")
        seen = find_camera(self._model, camera)
        option = scene_option if scene_option is not None else self._scene_option
        _sinew.mjv_updateScene(self._model, data, option, None, seen, int(_enums.mjtCatBit.mjCAT_ALL), self._scene)

    def render(self, *, out: Optional[Picture] = None) -> Picture:
        """The picture of the last scene: H x W x 3 colours (uint8); H x W depths in metres (float32) or H x W x 2 ids and
        types of objects (int32, -1 where there is none) when these are enabled. In `out`, when it is given, of its type.
        """
        self._check_open("render")
        shape: tuple[int, ...] = (self._height, self._width)
        if not self._depth_rendering:
            shape += (2 if self._segmentation_rendering else 3,)
        if out is not None and out.shape != shape:
            raise ValueError(
                f"Expected `out.shape == {shape}`. Got `out.shape={out.shape}` instead. When using depth rendering, the out array "
                "should be of shape `(height, width)`, when using segmentation rendering `(height, width, 2)` and otherwise "
                f"(height, width, 3). Got `(self.height, self.width)={(self._height, self._width)}` and "
                f"`self._depth_rendering={self._depth_rendering}`."
            )
        dtype = np.float32 if self._depth_rendering else np.int32 if self._segmentation_rendering else np.uint8
        direct = out is not None and out.dtype == dtype and out.flags.c_contiguous and out.flags.writeable
        pixels = out if direct and out is not None else np.empty(shape, dtype)
        rgb, depth, segmentation = (pixels if pixels.dtype == kind else None for kind in (np.uint8, np.float32, np.int32))
        _sinew._draw(self._rect, self._scene, self._mjr_context, rgb, depth, segmentation)
        if out is None or direct:
            return pixels
        out[...] = pixels
        return out

    def _check_open(self, what: str) -> None:
        if self._mjr_context is None:
            raise RuntimeError(f"{what} cannot be called after close.")

    def close(self) -> None:
        """Gives back what the renderer holds; it cannot be used afterwards."""
        if self._gl_context is not None:
            self._gl_context.free()
        if self._mjr_context is not None:
            self._mjr_context.free()
        self._gl_context = self._mjr_context = None

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()
