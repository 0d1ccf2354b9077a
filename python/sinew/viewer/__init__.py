"""Models in a browser, while a program simulates them.

    with sinew.viewer.launch_passive(model, data) as viewer:
        while viewer.is_running():
            sinew.mj_step(model, data)
            viewer.sync()

The page is served on a loopback port, at an address with a random token that is printed and opened. States go to the
page sixty times a second, where the same engine computes contacts and forces from them; what the user pushes comes back.
Needs the package `websockets` (pip install 'sinew-physics[viewer]').

    python -m sinew.viewer [MODEL]
"""

import base64
import contextlib
import html
import importlib
import json
import os
import secrets
import struct
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np

from .. import _enums, _page, _sinew

KeyCallbackType = Callable[[int], None]
LoaderType = Callable[[], tuple[_sinew.MjModel, _sinew.MjData]]

_RATE = 1 / 60
_LARGEST = 1 << 20  # bytes of a message from a page
_CAMERA = ("type", "fixedcamid", "trackbodyid", "lookat", "distance", "azimuth", "elevation")
_OPTION = ("label", "frame", "geomgroup", "sitegroup", "jointgroup", "tendongroup", "actuatorgroup", "flexgroup", "skingroup", "flags")
_GEOM = struct.Struct("<8i 3f 3f 9f 4f 4f 100s 2f B3x")


def _values(thing: Any, names: Sequence[str]) -> dict[str, Any]:
    found = {}
    for name in names:
        value = np.asarray(getattr(thing, name))
        found[name] = value.ravel().tolist() if value.ndim else value.item()
    return found


def _geom_bytes(geom: _sinew.MjvGeom) -> bytes:
    """A geom of a scene as the bytes of its struct, which are the same everywhere."""
    label = geom.label if isinstance(geom.label, bytes) else str(geom.label).encode()
    return _GEOM.pack(
        geom.type, geom.dataid, geom.objtype, geom.objid, geom.category, geom.matid, geom.texcoord, geom.segid,
        *np.ravel(geom.size), *np.ravel(geom.pos), *np.ravel(geom.mat), *np.ravel(geom.rgba),
        geom.emission, geom.specular, geom.shininess, geom.reflectance, label[:99], geom.camdist, geom.modelrbound, geom.transparent,
    )  # fmt: skip


def _change(message: dict[str, Any]) -> dict[str, Any]:
    """What a page changes in the data: an index and a number for each name."""
    found: dict[str, Any] = {}
    for name in ("ctrl", "qpos", "eq"):
        if name in message:
            index, value = message[name]
            found[name] = int(index), float(value)
            if not np.isfinite(found[name][1]):
                raise ValueError(f"{name} of {value}")
    if "reset" in message:
        found["reset"] = True
    if not found:
        raise ValueError(f"unknown message {list(message)[:3]}")
    return found


def _overlay(viewport: _sinew.MjrRect, image: Any) -> dict[str, Any]:
    """A picture and its place, as the page is told."""
    from .. import media

    box = [viewport.left, viewport.bottom, viewport.width, viewport.height]
    return {"box": box, "png": base64.b64encode(media.compress_image(image)).decode()}


def _figure(viewport: _sinew.MjrRect, figure: _sinew.MjvFigure) -> Any:
    """A figure as pixels, drawn as it is in a window."""
    width, height = viewport.width, viewport.height
    if not (1 <= width <= 4096 and 1 <= height <= 4096):
        raise ValueError(f"a figure of {width} x {height} pixels, expected from 1 to 4096 each way")
    context = _sinew.MjrContext(_sinew.MjModel.from_xml_string("<mujoco/>"), int(_enums.mjtFontScale.mjFONTSCALE_100))
    _sinew.mjr_resizeOffscreen(width, height, context)
    place = _sinew.MjrRect(0, 0, width, height)
    pixels = np.zeros((height, width, 3), np.uint8)
    _sinew.mjr_figure(place, figure, context)
    _sinew.mjr_readPixels(pixels, None, place, context)
    context.free()
    return pixels[::-1]


def _own(origin: Optional[str], host: str) -> bool:
    """Does a WebSocket come from a page of this server?"""
    parts = urllib.parse.urlsplit(origin or "")
    return parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1", host)


class _Server:
    """The page and its WebSocket, on a thread of its own."""

    def __init__(self, handle: "Handle", port: int) -> None:
        try:
            self.library = importlib.import_module("websockets.asyncio.server")
            self.http = importlib.import_module("websockets.http11")
            self.headers = importlib.import_module("websockets.datastructures").Headers
        except ImportError as reason:
            raise ImportError("the viewer needs the package websockets, version 13 or later: pip install websockets") from reason
        self.handle, self.port = handle, port
        self.page = _page.path().read_bytes()
        self.token = secrets.token_hex(16)
        self.clients: set[Any] = set()
        self.seen = 0  # clients so far
        self.ready = threading.Event()
        self.failed: Optional[BaseException] = None
        self.thread = threading.Thread(target=self._run, name="sinew viewer", daemon=True)
        self.thread.start()
        self.ready.wait()
        if self.failed is not None:
            raise self.failed

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def _run(self) -> None:
        import asyncio

        try:
            asyncio.run(self._serve())
        except BaseException as reason:  # the thread that waits has to hear of it
            self.failed = reason
        finally:
            self.ready.set()

    async def _serve(self) -> None:
        import asyncio

        self.loop, self.stop = asyncio.get_running_loop(), asyncio.Event()
        async with self.library.serve(self._client, "127.0.0.1", self.port, process_request=self._answer, max_size=_LARGEST, compression=None) as server:
            self.port = server.sockets[0].getsockname()[1]
            self.ready.set()
            await self.stop.wait()

    def _respond(self, status: int, body: bytes = b"", kind: str = "text/plain") -> Any:
        headers = self.headers({
            "Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Connection": "close",
        })  # fmt: skip
        return self.http.Response(status, {200: "OK", 403: "Forbidden", 404: "Not Found"}[status], headers, body)

    def _answer(self, connection: Any, request: Any) -> Any:
        path = urllib.parse.urlsplit(request.path).path
        token, _, rest = path.lstrip("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return self._respond(404)
        if rest == "":
            return self._respond(200, self.page, "text/html; charset=utf-8")
        if rest == "start.json":
            return self._respond(200, b'{"connect":"socket"}', "application/json")
        if rest != "socket":
            return self._respond(404)
        return None if _own(request.headers.get("Origin"), "") else self._respond(403)

    async def _client(self, socket: Any) -> None:
        """One page: the model, then what is new at every frame; what it says is taken by another task."""
        import asyncio

        self.clients.add(socket)
        self.seen += 1
        listening = asyncio.create_task(self._listen(socket))
        model: Optional[bytes] = None
        sent: dict[str, Any] = {}
        number = -1
        try:
            while not listening.done():
                model_now, count, state, told = self.handle._frame()
                if model_now is not model:
                    model, number, sent = model_now, -1, {}
                    await socket.send(b"M" + bytes(7) + model)
                fresh = {key: value for key, value in told.items() if sent.get(key) != value}
                if fresh:
                    await socket.send(json.dumps(fresh))
                    sent.update(fresh)
                if count != number:
                    number = count
                    await socket.send(b"S" + bytes(7) + state)
                await asyncio.sleep(_RATE)
        except Exception as reason:
            if type(reason).__name__ not in ("ConnectionClosedOK", "ConnectionClosedError"):
                print(f"sinew.viewer: {reason}", file=sys.stderr)
        finally:
            listening.cancel()
            self.clients.discard(socket)

    async def _listen(self, socket: Any) -> None:
        async for message in socket:
            try:
                self.handle._take(json.loads(message))
            except (ValueError, TypeError, KeyError, IndexError, AttributeError) as reason:
                await socket.close(1008, f"not understood: {reason}"[:100])

    def close(self) -> None:
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.stop.set)
            self.thread.join(5)


class Handle:
    """A running viewer, with the members of the released one."""

    def __init__(self, model: _sinew.MjModel, data: _sinew.MjData, key_callback: Optional[KeyCallbackType] = None, port: int = 0) -> None:
        self._mutex = threading.RLock()
        self._key_callback = key_callback
        self._running = True
        self._changes: list[dict[str, Any]] = []
        self._texts: list[str] = []
        self._figures: list[dict[str, Any]] = []
        self._images: list[dict[str, Any]] = []
        self._alone: Optional[float] = None
        self._count = 0
        self._pulled = 0
        self.paused = False
        self.opt, self.cam, self.pert = _sinew.MjvOption(), _sinew.MjvCamera(), _sinew.MjvPerturb()
        self._load(model, data)
        self._server = _Server(self, port)

    def _load(self, model: _sinew.MjModel, data: _sinew.MjData) -> None:
        with self._mutex:
            self._model, self._data = model, data
            self._bytes = _page.model_bytes(model)
            self._state = _page.state(model, data).tobytes()
            self.user_scn = _sinew.MjvScene(model, 1000)
            _sinew.mjv_defaultFreeCamera(model, self.cam)
            self._geoms = b""
            self._first_cam, self._first_opt = _values(self.cam, _CAMERA), _values(self.opt, _OPTION)
            self._told_cam: dict[str, Any] = {}
            self._told_opt: dict[str, Any] = {}
            self._count += 1

    # ---- as released

    @property
    def m(self) -> _sinew.MjModel:
        return self._model

    @property
    def d(self) -> _sinew.MjData:
        return self._data

    @property
    def perturb(self) -> _sinew.MjvPerturb:
        return self.pert

    @property
    def viewport(self) -> _sinew.MjrRect:
        return _sinew.MjrRect(0, 0, 1280, 800)

    def is_running(self) -> bool:
        """False once it was closed, or once the last page has been left for three seconds."""
        server = self._server
        if self._running and server.seen and not server.clients:
            self._alone = self._alone or time.monotonic()
            if time.monotonic() - self._alone > 3:
                self.close()
        else:
            self._alone = None
        return self._running

    def close(self) -> None:
        self._running = False
        self._server.close()

    def lock(self) -> contextlib.AbstractContextManager[Any]:
        return self._mutex

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def sync(self, state_only: bool = False) -> None:
        """Shows the state as it is now, and takes what the user did: forces, controls, switches."""
        with self._mutex:
            m, d = self._model, self._data
            for change in self._changes:
                self._apply(change)
            self._changes.clear()
            if self._pulled:
                d.xfrc_applied[self._pulled] = 0
                self._pulled = 0
            if self.pert.select > 0 and self.pert.active:
                _sinew.mjv_applyPerturbPose(m, d, self.pert, 0)
                _sinew.mjv_applyPerturbForce(m, d, self.pert)
                self._pulled = self.pert.select
            self._state = _page.state(m, d).tobytes()
            self._count += 1
            if state_only:
                return
            cam, opt = _values(self.cam, _CAMERA), _values(self.opt, _OPTION)
            if cam != self._first_cam:
                self._told_cam = self._first_cam = cam
            if opt != self._first_opt:
                self._told_opt = self._first_opt = opt
            n = self.user_scn.ngeom
            self._geoms = b"".join(_geom_bytes(self.user_scn.geoms[i]) for i in range(n)) if n else b""

    def set_texts(self, texts: Union[tuple[Any, ...], list[tuple[Any, ...]]]) -> None:
        """Texts in a corner: (font, position, text1, text2), or a list of such."""
        rows = texts if isinstance(texts, list) else [texts]
        with self._mutex:
            self._texts = ["  ".join(str(part) for part in row[2:] if part) for row in rows]

    def clear_texts(self) -> None:
        with self._mutex:
            self._texts = []

    def set_figures(self, viewports_figures: Union[tuple[Any, Any], list[tuple[Any, Any]]]) -> None:
        """Figures over the picture: (viewport, figure), or a list of such. Viewports are places in `viewport`."""
        rows = viewports_figures if isinstance(viewports_figures, list) else [viewports_figures]
        drawn = [_overlay(viewport, _figure(viewport, figure)) for viewport, figure in rows]
        with self._mutex:
            self._figures = drawn

    def clear_figures(self) -> None:
        with self._mutex:
            self._figures = []

    def set_images(self, viewports_images: Union[tuple[Any, Any], list[tuple[Any, Any]]]) -> None:
        """Pictures over the picture: (viewport, array of height x width x 3), or a list of such."""
        rows = viewports_images if isinstance(viewports_images, list) else [viewports_images]
        drawn = [_overlay(viewport, image) for viewport, image in rows]
        with self._mutex:
            self._images = drawn

    def clear_images(self) -> None:
        with self._mutex:
            self._images = []

    def update_hfield(self, hfieldid: int) -> None:
        self._resend("hfield", hfieldid, self._model.nhfield)

    def update_mesh(self, meshid: int) -> None:
        self._resend("mesh", meshid, self._model.nmesh)

    def update_texture(self, texid: int) -> None:
        self._resend("texture", texid, self._model.ntex)

    def _resend(self, kind: str, number: int, count: int) -> None:
        if not 0 <= number < count:
            raise ValueError(f"{kind} {number}: there are {count}")
        with self._mutex:
            self._bytes = _page.model_bytes(self._model)
            self._count += 1

    @property
    def address(self) -> str:
        """Where the page is."""
        return self._server.address

    # ---- pages

    def _frame(self) -> tuple[bytes, int, bytes, dict[str, Any]]:
        with self._mutex:
            told: dict[str, Any] = {"texts": self._texts, "geoms": base64.b64encode(self._geoms).decode()}
            told["overlays"] = self._figures + self._images
            if self._told_cam:
                told["cam"] = self._told_cam
            if self._told_opt:
                told["opt"] = self._told_opt
            return self._bytes, self._count, self._state, told

    def _take(self, message: dict[str, Any]) -> None:
        """A message of a page. What changes data waits for the next sync; what is not understood raises here."""
        if not isinstance(message, dict):
            raise ValueError(f"expected an object, found {type(message).__name__}")
        if "key" in message:
            if self._key_callback is not None and isinstance(message["key"], int) and message["key"]:
                self._key_callback(message["key"])
            return
        with self._mutex:
            if "pert" in message:
                said = message["pert"]
                select = int(said["select"])
                if not 0 <= select < self._model.nbody:
                    raise ValueError(f"body {select}")
                for name in ("refpos", "refquat", "refselpos", "localpos"):
                    values = np.asarray(said[name], float)
                    if values.shape != getattr(self.pert, name).shape or not np.isfinite(values).all():
                        raise ValueError(name)
                    getattr(self.pert, name)[:] = values
                self.pert.select, self.pert.active, self.pert.active2 = select, int(said["active"]) & 3, int(said["active2"]) & 3
                self.pert.localmass, self.pert.scale = float(said["localmass"]), float(said["scale"])
            elif "run" in message:
                self.paused = not message["run"]
            elif "cam" in message:
                self._take_camera(message["cam"])
                self._first_cam = _values(self.cam, _CAMERA)
            elif len(self._changes) < 1000:
                self._changes.append(_change(message))

    def _take_camera(self, said: dict[str, Any]) -> None:
        """The camera as a page has moved it; all of it is good, or nothing is taken."""
        lookat, numbers = np.asarray(said["lookat"], float), [float(said[name]) for name in ("distance", "azimuth", "elevation")]
        kind, fixed, track = (int(said[name]) for name in ("type", "fixedcamid", "trackbodyid"))
        if lookat.shape != (3,) or not np.isfinite([*lookat, *numbers]).all():
            raise ValueError("camera")
        if not (0 <= kind <= 2 and -1 <= fixed < self._model.ncam and -1 <= track < self._model.nbody):
            raise ValueError(f"camera of type {kind}: camera {fixed}, body {track}")
        self.cam.lookat[:] = lookat
        self.cam.distance, self.cam.azimuth, self.cam.elevation = numbers
        self.cam.type, self.cam.fixedcamid, self.cam.trackbodyid = kind, fixed, track

    def _apply(self, change: dict[str, Any]) -> None:
        m, d = self._model, self._data
        for name, array in (("ctrl", d.ctrl), ("qpos", d.qpos), ("eq", d.eq_active)):
            if name in change:
                index, value = change[name]
                if 0 <= index < len(array):
                    array[index] = value
        if "reset" in change:
            _sinew.mj_resetData(m, d)


def _announce(handle: Handle) -> None:
    print(handle.address, file=sys.stderr)
    if os.environ.get("SSH_CONNECTION"):
        port = urllib.parse.urlsplit(handle.address).port
        print(f"over ssh, on the machine with the browser: ssh -N -L {port}:127.0.0.1:{port} HOST", file=sys.stderr)
    elif os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin":
        import webbrowser

        webbrowser.open(handle.address)


def launch_passive(
    model: _sinew.MjModel,
    data: _sinew.MjData,
    *,
    key_callback: Optional[KeyCallbackType] = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
    port: int = 0,
) -> Handle:
    """Shows what the program simulates; nothing is stepped here. Returns at once."""
    if not isinstance(model, _sinew.MjModel):
        raise ValueError(f"expected a model, found {type(model).__name__}")
    if not isinstance(data, _sinew.MjData):
        raise ValueError(f"expected data, found {type(data).__name__}")
    if key_callback is not None and not callable(key_callback):
        raise ValueError(f"expected a function for keys, found {type(key_callback).__name__}")
    handle = Handle(model, data, key_callback, port)
    _announce(handle)
    return handle


def _steps(handle: Handle) -> Iterator[None]:
    """Steps in real time until the page is closed, pausing where the page says so."""
    begin, start = time.monotonic(), handle.d.time
    while handle.is_running():
        m, d = handle.m, handle.d
        if handle.paused:
            time.sleep(_RATE)
            begin, start = time.monotonic(), d.time
        else:
            behind = time.monotonic() - begin - (d.time - start)
            if behind > 0.1 or d.time < start:  # too slow for real time, or set back
                begin, start = time.monotonic(), d.time
            steps = 0
            while d.time - start < time.monotonic() - begin and steps < 1000:
                _sinew.mj_step(m, d)
                steps += 1
            time.sleep(_RATE / 2)
        handle.sync()
        yield


def launch(
    model: Optional[_sinew.MjModel] = None,
    data: Optional[_sinew.MjData] = None,
    *,
    loader: Optional[LoaderType] = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
) -> None:
    """Simulates and shows a model until its page is closed."""
    if loader is not None:
        if model is not None or data is not None:
            raise ValueError("expected a model or a loader, found both")
        model, data = loader()[:2]
    if model is None:
        model = _sinew.MjModel.from_xml_string("<mujoco/>")
    with launch_passive(model, data if data is not None else _sinew.MjData(model)) as handle:
        with contextlib.suppress(KeyboardInterrupt):
            for _ in _steps(handle):
                pass


def launch_from_path(path: Union[str, "os.PathLike[str]"]) -> None:
    """Simulates and shows the model in a file."""
    model = _sinew.MjModel.from_xml_path(os.fspath(path))
    launch(model, _sinew.MjData(model))


class Shown:
    """A page inside of a notebook."""

    def __init__(self, page: str, height: int) -> None:
        self._page, self._height = page, height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self._page, quote=True)}" width="100%" height="{self._height}" '
                'style="border:1px solid #8884;border-radius:6px" allow="fullscreen"></iframe>')  # fmt: skip


def show(model: _sinew.MjModel, states: Optional[Any] = None, *, height: int = 520) -> Shown:
    """The model in a notebook: the engine runs in the page, so it goes on when the kernel is gone. With states (N x
    size, as mj_getState gives them) their motion is played."""
    from .. import media

    return Shown(_page.with_model(model, None if states is None else media._states(model, states)), height)
