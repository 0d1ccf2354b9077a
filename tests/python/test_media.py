"""Pictures and videos as files and inline."""

import os
import stat
import struct
import zlib

import numpy as np
import pytest

from sinew import media


def decode(png):
    """Pictures of a PNG or animated PNG, by a reader written from the format alone."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, canvas, pictures, box = 8, None, [], None
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at : at + 8])
        data = png[at + 8 : at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0] == zlib.crc32(name + data)
        at += 12 + size
        if name == b"IHDR":
            width, height = struct.unpack(">II", data[:8])
            canvas = np.zeros((height, width, 3), np.uint8)
            box = (width, height, 0, 0)
        if name == b"fcTL":
            box = struct.unpack(">IIII", data[4:20])
        if name in (b"IDAT", b"fdAT"):
            w, h, x, y = box
            raw = np.frombuffer(zlib.decompress(data if name == b"IDAT" else data[4:]), np.uint8).reshape(h, 1 + 3 * w).astype(int)
            rows = np.zeros((h + 1, 3 * w + 3), int)
            for j in range(h):
                for i in range(3, 3 * w + 3):
                    a, b, c = rows[j + 1, i - 3], rows[j, i], rows[j, i - 3]
                    nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
                    rows[j + 1, i] = (raw[j, i - 2] + (0, a, b, (a + b) // 2, nearest)[raw[j, 0]]) % 256
            canvas[y : y + h, x : x + w] = rows[1:, 3:].reshape(h, w, 3)
            pictures.append(canvas.copy())
    return pictures


def frames(n=4, height=9, width=13):
    pictures = np.random.default_rng(1).integers(0, 256, (1, height, width, 3), dtype=np.uint8).repeat(n, 0)
    for i in range(n):
        pictures[i, i : i + 2, 3:5] = 10 * i
    return pictures


def test_image(tmp_path):
    picture = frames()[0]
    (found,) = decode(media.compress_image(picture))
    assert np.array_equal(found, picture)
    media.write_image(tmp_path / "a.png", picture)
    assert (tmp_path / "a.png").read_bytes() == media.compress_image(picture)
    (grey,) = decode(media.compress_image(np.linspace(0, 1, 20).reshape(4, 5)))
    assert grey[0, 0, 0] == 0 and tuple(grey[-1, -1]) == (255, 255, 255)
    (opaque,) = decode(media.compress_image(np.zeros((2, 3, 4), np.uint8)))
    assert opaque.shape == (2, 3, 3)
    for wrong in (np.zeros(5), np.zeros((2, 3, 5)), np.zeros((0, 4, 3), np.uint8)):
        with pytest.raises(ValueError, match="expected"):
            media.compress_image(wrong)


def test_video(tmp_path):
    given = frames()
    for pictures in (given, list(given), iter(given)):
        assert np.array_equal(decode(media.compress_video(pictures, fps=10)), given)
    media.write_video(tmp_path / "a.png", given, fps=10)
    assert np.array_equal(decode((tmp_path / "a.png").read_bytes()), given)
    with pytest.raises(ValueError, match="expected pictures"):
        media.write_video(tmp_path / "b.png", [])


@pytest.mark.skipif(os.name == "nt", reason="the ffmpeg of the test is a script for a shell")
def test_ffmpeg(tmp_path, monkeypatch):
    """Other names go through ffmpeg, which is told what it gets; without it the message says what to do."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="ffmpeg, which makes such files, is not installed"):
        media.write_video(tmp_path / "a.mp4", frames())
    tool = tmp_path / "ffmpeg"
    tool.write_text('#!/bin/sh\necho "$@" > "$0.said"\n/bin/cat > "$0.read"\n')
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    media.write_video(tmp_path / "a.mp4", frames(), fps=24)
    said = (tmp_path / "ffmpeg.said").read_text()
    assert "-s 13x9 -r 24" in said and said.strip().endswith(os.fspath(tmp_path / "a.mp4"))
    assert (tmp_path / "ffmpeg.read").read_bytes() == frames().tobytes()
    tool.write_text("#!/bin/sh\n/bin/cat > /dev/null\necho unknown codec >&2\nexit 1\n")
    with pytest.raises(RuntimeError, match="ffmpeg failed: unknown codec"):
        media.write_video(tmp_path / "a.mp4", frames())


def test_inline(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    for shown in (media.show_image(frames()[0], title="one"), media.show_video(frames(), fps=5, width=200), media.show_images({"a": frames()[0]})):
        assert 'src="data:image/png;base64,' in shown._repr_html_()
