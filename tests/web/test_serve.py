"""What `sinew view` and sinew.viewer serve on their loopback ports, and what they refuse."""

import asyncio
import base64
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import pytest
import sinew
import websockets.asyncio.client
import websockets.exceptions

MODEL = """<mujoco><worldbody><geom type="plane" size="2 2 .1"/><body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body>
<body pos="1 0 1"><joint name="hinge"/><geom size=".1" pos=".2 0 0"/></body></worldbody>
<actuator><motor joint="hinge"/></actuator></mujoco>"""


def get(address, method="GET", body=None):
    """(status, bytes), the path as it is."""
    parts = urllib.parse.urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), 10) as s:
        s.settimeout(10)
        body = body or b""
        head = f"{method} {parts.path or '/'} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        try:
            s.sendall(head.encode() + body)
            answer = b""
            while piece := s.recv(1 << 16):
                answer += piece
        except (ConnectionError, TimeoutError):
            answer = b""
    return (int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]) if answer.startswith(b"HTTP/") else (0, answer)


async def connect(address, origin):
    return await websockets.asyncio.client.connect(address.replace("http", "ws") + "socket", origin=origin, max_size=1 << 28)


def own(address):
    return "http://" + urllib.parse.urlsplit(address).netloc


def refused(address, origin):
    async def attempt():
        try:
            async with await connect(address, origin) as s:
                await asyncio.wait_for(s.recv(), 2)
        except (websockets.exceptions.InvalidHandshake, websockets.exceptions.ConnectionClosed, EOFError, OSError):
            return True
        except TimeoutError:
            return False
        return False

    return asyncio.run(attempt())


def random_bytes(address, count):
    """Noise, and requests that noise has gone over, on so many connections."""
    parts = urllib.parse.urlsplit(address)
    seed = random.Random(1)
    whole = f"GET {parts.path}socket HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: {own(address)}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n".encode()
    for i in range(count):
        with socket.create_connection((parts.hostname, parts.port), 5) as s:
            s.settimeout(0.02)
            text = bytearray(whole)
            if i % 3:
                for _ in range(seed.randrange(1, 8)):
                    text[seed.randrange(len(text))] = seed.randrange(256)
            if i % 5 == 0:
                text = bytearray(seed.randbytes(seed.randrange(1, 3000)))
            try:
                s.sendall(bytes(text))
                if i % 3 == 0:
                    s.sendall(seed.randbytes(seed.randrange(1, 4000)))
                s.recv(100)
            except (OSError, TimeoutError):
                pass


# ---- sinew view


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "model"
    (inside / "assets").mkdir(parents=True)
    (inside / "ball.xml").write_text(MODEL)
    (inside / "assets" / "a b.txt").write_text("inner")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "model-other").mkdir()
    (tmp_path / "model-other" / "secret.txt").write_text("secret")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "out").symlink_to(tmp_path)
    return inside


@pytest.fixture
def view(folder):
    command = os.environ["SINEW_COMMAND"]
    process = subprocess.Popen([command, "view", str(folder / "ball.xml"), "--no-open"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip()
    if not address.startswith("http://127.0.0.1:"):
        said = process.stderr.read()
        process.wait()
        if "no web server" in said:
            pytest.skip("sinew was built without libwebsockets")
        raise AssertionError(said)
    yield address, process
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0, process.stderr.read()


def test_view_serves_the_page_and_the_folder(view, folder):
    address, _ = view
    status, page = get(address)
    assert status == 200 and b'id="engine"' in page
    assert json.loads(get(address + "start.json")[1]) == {"served": "ball.xml"}
    assert get(address + "file/ball.xml") == (200, MODEL.encode())
    assert get(address + "file/assets/a%20b.txt") == (200, b"inner")


def test_view_refuses_what_is_outside(view, folder):
    address, _ = view
    names = ["../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "assets/../../secret.txt", "link.txt", "out/secret.txt", "../model-other/secret.txt",
             "/etc/passwd", "//etc/passwd", "%00", "ball.xml%00.txt", "", "assets", "a" * 3000, "..\\secret.txt"]  # fmt: skip
    for name in names:
        status, body = get(address + "file/" + name)
        assert status != 200 and b"secret" not in body, name
    base = own(address)
    for path in ["/", "/start.json", "/file/ball.xml", "/" + "0" * 32 + "/", "/" + "0" * 32 + "/file/ball.xml", address[len(base):-2] + "x/"]:
        assert get(base + path)[0] != 200, path


def test_view_refuses_other_methods_and_large_bodies(view):
    address, process = view
    for method in ["POST", "PUT", "DELETE", "PATCH"]:
        assert get(address, method, bytes(1 << 20))[0] in (0, 403, 404, 405), method
    assert get(address)[0] == 200 and process.poll() is None


def test_view_refuses_foreign_pages(view):
    address, _ = view
    for origin in ["http://evil.example", "https://127.0.0.1:1", "http://127.0.0.1.evil.example:80", "null", None]:
        assert refused(address, origin), origin
    assert refused(own(address) + "/" + "0" * 32 + "/", own(address))


def test_view_says_when_a_file_changes(view, folder):
    address, _ = view
    get(address + "file/ball.xml")

    async def wait():
        async with await connect(address, own(address)) as s:
            await asyncio.sleep(0.1)
            (folder / "ball.xml").write_text(MODEL.replace('size=".1"', 'size=".2"'))
            return await asyncio.wait_for(s.recv(), 20)

    assert asyncio.run(wait()) == "changed"


def test_view_stands_random_bytes(view):
    address, process = view
    random_bytes(address, 200)

    async def much():
        async with await connect(address, own(address)) as s:
            try:
                for _ in range(40):
                    await s.send(bytes(1 << 14))
                await asyncio.wait_for(s.recv(), 3)
            except websockets.exceptions.ConnectionClosed:
                return True
            except TimeoutError:
                return False

    assert asyncio.run(much())
    assert process.poll() is None and get(address)[0] == 200


def test_view_says_what_is_wrong(tmp_path):
    command = os.environ["SINEW_COMMAND"]
    for arguments, code in [([str(tmp_path / "none.xml")], 1), ([], 2), (["a.xml", "--port", "x"], 2)]:
        done = subprocess.run([command, "view", *arguments], capture_output=True, text=True, timeout=20)
        if "no web server" in done.stderr:
            pytest.skip("sinew was built without libwebsockets")
        assert done.returncode == code and done.stderr, arguments


# ---- sinew.viewer


@pytest.fixture
def scene(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    model = sinew.MjModel.from_xml_string(MODEL)
    return model, sinew.MjData(model)


def test_viewer_streams_states_that_step_to_the_same_bits(scene):
    model, data = scene
    with sinew.viewer.launch_passive(model, data) as viewer:

        async def watch():
            async with await connect(viewer.address, own(viewer.address)) as s:
                first = await asyncio.wait_for(s.recv(), 10)
                assert first[:1] == b"M"
                states = []
                while len(states) < 10:
                    message = await asyncio.wait_for(s.recv(), 10)
                    if isinstance(message, bytes):
                        assert message[:1] == b"S"
                        states.append(np.frombuffer(message[8:]))
                    for _ in range(5):
                        sinew.mj_step(model, data)
                    viewer.sync()
                return first[8:], states

        saved, states = asyncio.run(watch())
    assert saved == sinew._page.model_bytes(model)
    again = sinew.MjData(model)
    for before, after in zip(states, states[1:]):
        sinew.mj_setState(model, again, before, int(sinew.mjtState.mjSTATE_INTEGRATION))
        for _ in range(round((after[0] - before[0]) / model.opt.timestep)):
            sinew.mj_step(model, again)
        assert (sinew._page.state(model, again)[: 1 + model.nq + model.nv] == after[: 1 + model.nq + model.nv]).all()


def test_viewer_takes_pushes_controls_and_keys(scene):
    model, data = scene
    keys = []
    pert = {"select": 1, "active": 1, "active2": 0, "localmass": 1.0, "scale": 1.0, "refpos": [0, 0, 1], "refquat": [1, 0, 0, 0], "refselpos": [0.5, 0, 1], "localpos": [0, 0, 0]}
    with sinew.viewer.launch_passive(model, data, key_callback=keys.append) as viewer:
        sinew.mj_forward(model, data)

        async def say():
            async with await connect(viewer.address, own(viewer.address)) as s:
                await s.send(json.dumps({"pert": pert}))
                await s.send(json.dumps({"ctrl": [0, 0.25]}))
                await s.send(json.dumps({"key": 65}))
                await asyncio.sleep(0.5)
                viewer.sync()
                pushed, ctrl = data.xfrc_applied[1].copy(), data.ctrl[0]
                await s.send(json.dumps({"pert": {**pert, "active": 0}}))
                await asyncio.sleep(0.5)
                viewer.sync()
                return pushed, ctrl

        pushed, ctrl = asyncio.run(say())
        assert pushed[0] > 0.01 and ctrl == 0.25 and keys == [65]
        assert (data.xfrc_applied == 0).all()


def test_viewer_takes_the_camera_of_the_page(scene):
    model, data = scene
    moved = {"type": 1, "fixedcamid": -1, "trackbodyid": 2, "lookat": [1, 2, 3], "distance": 4.5, "azimuth": 30, "elevation": -10}
    with sinew.viewer.launch_passive(model, data) as viewer:

        async def say():
            async with await connect(viewer.address, own(viewer.address)) as s:
                await s.send(json.dumps({"cam": moved}))
                for _ in range(100):
                    await asyncio.sleep(0.05)
                    if viewer.cam.azimuth == 30:
                        break
                viewer.sync()
                return viewer._frame()[3]

        told = asyncio.run(say())
        assert "cam" not in told, "the page is not told what it said"
        assert (viewer.cam.lookat == [1, 2, 3]).all() and viewer.cam.distance == 4.5 and viewer.cam.elevation == -10
        assert viewer.cam.type == 1 and viewer.cam.trackbodyid == 2


def png_size(overlay):
    png = base64.b64decode(overlay["png"])
    assert png[:4] == b"\x89PNG"
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def test_viewer_shows_figures_and_images(scene):
    model, data = scene
    figure = sinew.MjvFigure()
    figure.title = "height"
    figure.linepnt[0] = 3
    figure.linedata[0][:6] = [0, 0, 1, 1, 2, 0]
    image = np.zeros((20, 30, 3), np.uint8)
    with sinew.viewer.launch_passive(model, data) as viewer:
        viewer.set_figures((sinew.MjrRect(10, 20, 300, 200), figure))
        viewer.set_images([(sinew.MjrRect(0, 0, 60, 40), image), (sinew.MjrRect(100, 0, 60, 40), image)])
        overlays = viewer._frame()[3]["overlays"]
        assert [o["box"] for o in overlays] == [[10, 20, 300, 200], [0, 0, 60, 40], [100, 0, 60, 40]]
        assert [png_size(o) for o in overlays] == [(300, 200), (30, 20), (30, 20)]
        plain = overlays[0]["png"]
        figure.linedata[0][3] = 0.2
        viewer.set_figures([(sinew.MjrRect(10, 20, 300, 200), figure)])
        assert viewer._frame()[3]["overlays"][0]["png"] != plain
        for size in (0, 5000):
            with pytest.raises(ValueError, match="figure"):
                viewer.set_figures((sinew.MjrRect(0, 0, size, 10), figure))
        with pytest.raises(ValueError, match="picture"):
            viewer.set_images((sinew.MjrRect(0, 0, 10, 10), np.zeros(5)))
        viewer.clear_figures()
        viewer.clear_images()
        assert viewer._frame()[3]["overlays"] == []


def test_viewer_refuses(scene):
    model, data = scene
    with sinew.viewer.launch_passive(model, data) as viewer:
        address = viewer.address
        assert refused(address, "http://evil.example") and refused(address, None) and refused(own(address) + "/" + "0" * 32 + "/", own(address))
        for path in ["/", "/start.json", "/" + "0" * 32 + "/"]:
            assert get(own(address) + path)[0] == 404
        for rest in ["nothing", "../" + "x", "file/x"]:
            assert get(address + rest)[0] != 200
        assert get(address, "POST", bytes(1 << 20))[0] != 200
        random_bytes(address, 60)

        async def wrong(message):
            async with await connect(address, own(address)) as s:
                try:
                    await s.send(message)
                    while True:
                        await asyncio.wait_for(s.recv(), 5)
                except websockets.exceptions.ConnectionClosed as closed:
                    return closed.rcvd is not None

        camera = {"type": 0, "fixedcamid": -1, "trackbodyid": -1, "lookat": [0, 0, 0], "distance": 1, "azimuth": 0, "elevation": 0}
        cameras = [{**camera, **wrong} for wrong in ({"lookat": [0, 0]}, {"distance": float("nan")}, {"type": 3}, {"fixedcamid": 0}, {"trackbodyid": 99}, {"type": "x"})]
        for message in ["not json", json.dumps({"pert": {"select": 99}}), json.dumps({"pert": 3}), "x" * (2 << 20),
                        *(json.dumps({"cam": cam}) for cam in cameras), json.dumps({"cam": {}}), "[]", "3", '"key"', "{}",
                        *(json.dumps({"ctrl": value}) for value in ("x", [1], {}, None, [0, "x"], [0, float("nan")], [0, 1, 2]))]:  # fmt: skip
            assert asyncio.run(wrong(message)), message[:20]
        viewer.sync()
        assert viewer.is_running() and get(address)[0] == 200


def test_viewer_second_client_and_closed_tab(scene):
    model, data = scene
    viewer = sinew.viewer.launch_passive(model, data)

    async def two():
        async with await connect(viewer.address, own(viewer.address)) as a, await connect(viewer.address, own(viewer.address)) as b:
            for s in (a, b):
                assert (await asyncio.wait_for(s.recv(), 10))[:1] == b"M"

    asyncio.run(two())
    assert viewer.is_running()
    begin = time.monotonic()
    while viewer.is_running() and time.monotonic() - begin < 30:
        time.sleep(0.1)
    assert not viewer.is_running() and time.monotonic() - begin < 29


def test_viewer_does_not_grow(scene):
    model, data = scene
    with sinew.viewer.launch_passive(model, data) as viewer:

        async def stream(seconds):
            async with await connect(viewer.address, own(viewer.address)) as s:
                begin, n = time.monotonic(), 0
                while time.monotonic() - begin < seconds:
                    sinew.mj_step(model, data)
                    viewer.sync()
                    await asyncio.wait_for(s.recv(), 10)
                    n += 1
                return n

        asyncio.run(stream(2))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert asyncio.run(stream(float(os.environ.get("SINEW_STREAM", 5)))) > 20
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000


def test_handle_has_the_released_members(scene):
    model, data = scene
    with sinew.viewer.launch_passive(model, data, show_left_ui=False, show_right_ui=False) as viewer:
        with viewer.lock():
            viewer.cam.azimuth = 33
            viewer.opt.flags[sinew.mjtVisFlag.mjVIS_CONTACTPOINT] = True
        viewer.user_scn.ngeom = 1
        sinew.mjv_initGeom(viewer.user_scn.geoms[0], sinew.mjtGeom.mjGEOM_SPHERE, [0.1, 0, 0], [0, 0, 1], np.eye(3).ravel(), [1, 0, 0, 1])
        viewer.set_texts([(None, None, "a", "b")])
        viewer.sync(state_only=True)
        viewer.sync()
        told = viewer._frame()[3]
        assert told["cam"]["azimuth"] == 33 and told["opt"]["flags"][sinew.mjtVisFlag.mjVIS_CONTACTPOINT] == 1 and told["texts"] == ["a  b"]
        assert len(base64.b64decode(told["geoms"])) == 236
        assert viewer.m is model and viewer.d is data and viewer.perturb is viewer.pert and viewer.viewport.width > 0
        for name in ("clear_texts", "clear_figures", "clear_images"):
            getattr(viewer, name)()
        with pytest.raises(ValueError):
            viewer.update_mesh(0)
    assert not viewer.is_running()
    with pytest.raises(ValueError, match="expected a model"):
        sinew.viewer.launch_passive(3, data)
    with pytest.raises(ValueError, match="both"):
        sinew.viewer.launch(model, loader=lambda: (model, data))


# ---- pages as files


def test_motion_as_a_page(scene, tmp_path):
    model, data = scene
    states = []
    for _ in range(50):
        sinew.mj_step(model, data)
        states.append(sinew._page.state(model, data))
    path = tmp_path / "run.html"
    sinew.media.save_html(path, model, np.array(states), title="a < b")
    text = path.read_text()
    assert "<title>a &lt; b</title>" in text and '"states"' in text and "http://" not in text.partition("<script>")[0].replace("http://www.w3.org", "")
    with pytest.raises(ValueError, match="numbers"):
        sinew.media.save_html(path, model, np.zeros((3, 2)))
    cell = sinew.viewer.show(model)._repr_html_()
    assert "srcdoc" in cell
    if folder := os.environ.get("SINEW_SAVED"):  # for saved.mjs
        shutil.copy(path, folder)
        pathlib.Path(folder, "cell.html").write_text(f"<!doctype html><meta charset=utf-8>{cell}")
        pathlib.Path(folder, "last.json").write_text(json.dumps({"time": data.time, "steps": len(states)}))
    assert pathlib.Path(path).stat().st_size < 3e6
