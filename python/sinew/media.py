"""Pictures and videos: as files, and inline in notebooks.

    sinew.media.write_video("run.mp4", frames, fps=60)     # through ffmpeg; .png, .apng without it
    sinew.media.show_video(frames, fps=60)
    sinew.media.save_html("run.html", model, states)       # plays in any browser, offline

Pictures are arrays as Renderer gives them: H x W x 3, uint8; others are scaled from 0..1.
"""

import base64
import importlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _sinew
from ._enums import mjtState
from .batch import Batch

Path = Union[str, "os.PathLike[str]"]


def _pictures(images: Any) -> npt.NDArray[np.uint8]:
    """N x H x W x 3, uint8, in one block."""
    array = np.asarray(images if isinstance(images, np.ndarray) else list(images))
    if array.dtype != np.uint8:
        array = (np.clip(np.nan_to_num(array.astype(np.float64)), 0, 1) * 255 + 0.5).astype(np.uint8)
    if array.ndim == 3 and array.shape[-1] not in (3, 4) or array.ndim == 2:
        array = np.repeat(array[..., None], 3, -1)  # grey
    if array.ndim != 4 or array.shape[-1] not in (3, 4) or not array.size:
        raise ValueError(f"expected pictures of shape (N, height, width, 3), found {array.shape}")
    return np.ascontiguousarray(array[..., :3])


def _one(image: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    array = np.asarray(image)
    if array.ndim not in (2, 3) or array.ndim == 3 and array.shape[-1] not in (3, 4):
        raise ValueError(f"expected a picture of shape (height, width, 3), found {array.shape}")
    return _pictures(array[None])


def _encode(pictures: npt.NDArray[np.uint8], fps: float) -> bytes:
    count, height, width, _ = pictures.shape
    return _sinew._film(pictures, count, width, height, fps)


def compress_image(image: npt.ArrayLike) -> bytes:
    """A picture as the bytes of a PNG file."""
    return _encode(_one(image), 1)


def compress_video(images: Iterable[npt.ArrayLike], fps: float = 60) -> bytes:
    """Pictures as the bytes of an animated PNG file."""
    return _encode(_pictures(images), fps)


def write_image(path: Path, image: npt.ArrayLike) -> None:
    """Write a picture as PNG."""
    with open(path, "wb") as file:
        file.write(compress_image(image))


def write_video(path: Path, images: Iterable[npt.ArrayLike], fps: float = 60, codec: str = "h264") -> None:
    """Write pictures as a video: animated PNG when the name ends in .png or .apng, otherwise through ffmpeg."""
    name, pictures = os.fspath(path), _pictures(images)
    if name.lower().endswith((".png", ".apng")):
        with open(name, "wb") as file:
            file.write(_encode(pictures, fps))
        return
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise RuntimeError(f"{name}: ffmpeg, which makes such files, is not installed; a name that ends in .png needs nothing")
    count, height, width, _ = pictures.shape
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"] if height % 2 or width % 2 else []
    done = subprocess.run(
        [ffmpeg, "-y", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(fps), "-i", "-",
         *even, "-vcodec", codec, "-pix_fmt", "yuv420p", name],
        input=pictures.tobytes(), capture_output=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{name}: ffmpeg failed: {done.stderr.decode(errors='replace').strip()}")


class Inline:
    """HTML that a notebook shows in place of the value."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<inline media, {len(self.html)} characters of HTML>"


def _display(html: str) -> Optional[Inline]:
    shown = Inline(html)
    try:
        notebook = importlib.import_module("IPython.display")
    except ImportError:
        return shown
    notebook.display(shown)
    return None


def _tag(data: bytes, title: Optional[str], width: Optional[int], height: Optional[int]) -> str:
    size = "".join(f' {name}="{value}"' for name, value in (("width", width), ("height", height)) if value)
    picture = f'<img{size} src="data:image/png;base64,{base64.b64encode(data).decode()}"/>'
    return f"<figure>{picture}<figcaption>{title}</figcaption></figure>" if title else picture


def show_image(image: npt.ArrayLike, *, title: Optional[str] = None, width: Optional[int] = None, height: Optional[int] = None) -> Any:
    """Show a picture in the notebook; outside of one, what a notebook would show is returned."""
    return _display(_tag(compress_image(image), title, width, height))


def show_images(images: Union[dict[str, npt.ArrayLike], Sequence[npt.ArrayLike]], *, titles: Optional[Sequence[str]] = None,
                width: Optional[int] = None, height: Optional[int] = None) -> Any:  # fmt: skip
    """Show pictures side by side."""
    if isinstance(images, dict):
        titles, images = list(images), list(images.values())
    names = titles or [""] * len(images)
    return _display("".join(_tag(compress_image(image), name, width, height) for image, name in zip(images, names)))


def show_video(images: Iterable[npt.ArrayLike], *, fps: float = 60, title: Optional[str] = None, width: Optional[int] = None,
               height: Optional[int] = None, **other: Any) -> Any:  # fmt: skip
    """Play pictures in the notebook, as an animated PNG inside the page: no player and no ffmpeg are needed."""
    return _display(_tag(compress_video(images, fps), title, width, height))


# ---- a motion as a page


def _states(model: _sinew.MjModel, states: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """States with everything in them, of states as mj_getState gives them for any of the usual sets."""
    given = np.asarray(states, np.float64)
    data, whole = _sinew.MjData(model), int(mjtState.mjSTATE_INTEGRATION)
    size = _sinew.mj_stateSize(model, whole)
    sets = (whole, int(mjtState.mjSTATE_FULLPHYSICS), int(mjtState.mjSTATE_PHYSICS))
    if given.ndim != 2 or not len(given):
        raise ValueError(f"expected states of shape (N, size), found {given.shape}")
    for spec in sets:
        if given.shape[1] == _sinew.mj_stateSize(model, spec):
            break
    else:
        sizes = ", ".join(str(_sinew.mj_stateSize(model, spec)) for spec in sets)
        raise ValueError(f"states have {given.shape[1]} numbers; the model's have {sizes}")
    if spec == whole:
        return given
    result = np.empty((len(given), size))
    for row, values in zip(result, given):
        _sinew.mj_setState(model, data, values, spec)
        _sinew.mj_getState(model, data, row, whole)
    return result


def save_html(path: Path, model: _sinew.MjModel, states: npt.ArrayLike, *, title: str = "") -> None:
    """Write a motion as one HTML file that plays anywhere, offline, and can be run on from any moment. `states` has a
    row a step, as mj_getState or rollout gives them."""
    from . import _page

    text = _page.with_model(model, _states(model, states), title)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# ---- notebooks show models and data


def _seen(model: _sinew.MjModel, data: _sinew.MjData, width: int = 480, height: int = 360) -> bytes:
    everything = int(mjtState.mjSTATE_INTEGRATION)
    batch = Batch(model, 1, nthread=1)
    _sinew.mj_getState(model, data, batch.state[0], everything)
    return compress_image(batch.render(0 if model.ncam else -1, width, height)[0])


def _model_png(model: _sinew.MjModel) -> bytes:
    data = _sinew.MjData(model)
    if model.nkey:
        _sinew.mj_resetDataKeyframe(model, data, 0)
    return _seen(model, data)


def _data_png(data: _sinew.MjData) -> bytes:
    return _seen(data.model, data)


def install() -> None:
    """What a notebook shows of a model: its first keyframe, or first state; of data: its present state."""
    setattr(_sinew.MjModel, "_repr_png_", _model_png)
    setattr(_sinew.MjData, "_repr_png_", _data_png)
