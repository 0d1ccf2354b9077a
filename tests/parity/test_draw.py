"""Pictures against those of the released renderer on OSMesa.

Segmentation equal on 99.5% of the pixels, the rest beside an edge; depth within 1e-3 away from
edges; colours within 4 of 255 in the mean with shadows and reflections, structural similarity above
0.97. SINEW_DRAW_MODELS is a regular expression for more models than the few of the quick loop.
"""

import ctypes.util
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import pictures
import similar

HERE = pathlib.Path(__file__).resolve().parent
MODELS = pathlib.Path(os.environ.get("SINEW_MODELS", HERE.parents[1] / "../shared/models"))
WIDTH, HEIGHT = 160, 120
FEW = r"humanoid/humanoid.xml|agility_cassie/scene.xml|franka_emika_panda/scene.xml|flex/flag.xml|car/car.xml"


def paths():
    wanted = re.compile(os.environ.get("SINEW_DRAW_MODELS", FEW))
    own = [HERE.parent / "golden/pictures/gallery.xml"]
    return own + [p for p in sorted(MODELS.glob("**/*.xml")) if wanted.search(str(p))]


def released(path, cameras, tmp_path):
    job = {"path": str(path), "width": WIDTH, "height": HEIGHT, "cameras": cameras}
    job["kinds"] = ["rgb", "depth", "segmentation"]
    (tmp_path / "job.json").write_text(json.dumps(job))
    command = [sys.executable, str(HERE / "pictures.py"), str(tmp_path / "job.json"), str(tmp_path / "out.npz")]
    run = subprocess.run(command, env={**os.environ, "MUJOCO_GL": "osmesa"}, capture_output=True, text=True)
    if run.returncode:
        last = run.stderr.strip().splitlines()[-1:]
        pytest.skip(f"the released renderer does not run here (OSMesa and PyOpenGL are needed): {last}")
    return np.load(tmp_path / "out.npz")


@pytest.mark.parametrize("drawn", paths(), ids=lambda p: p.stem if p.stem != "scene" else p.parent.name)
def test_pictures(drawn, tmp_path):
    if not ctypes.util.find_library("OSMesa"):
        pytest.skip("OSMesa is not installed (Debian: libosmesa6)")
    model, _ = pictures.load(drawn)
    cameras = [c for c in pictures.cameras(model) if not (isinstance(c, int) and c >= 0 and model.cam_orthographic[c])]
    theirs = released(drawn, cameras, tmp_path)
    ours = pictures.Ours(drawn, WIDTH, HEIGHT)
    for i, camera in enumerate(cameras):
        ours.update(camera)
        rgb, depth, segmentation = ours.draw(True, True, True)
        same = (segmentation == theirs[f"segmentation{i}"]).all(-1)
        edge = similar.edges(segmentation, theirs[f"segmentation{i}"])
        assert same.mean() >= 0.995, f"camera {camera}: {same.mean():.4f} of the pixels show the same object"
        off = np.abs(depth / theirs[f"depth{i}"] - 1)
        # two objects at one depth: which of them is seen hangs on the last bit
        wrong = np.argwhere(~same & ~edge & (off > 1e-4))
        assert not len(wrong), f"camera {camera}: another object away from edges at {wrong[:5].tolist()}"
        near = off[same & ~edge]
        assert (near < 1e-3).all(), f"camera {camera}: depth off by {near.max():.2e}"
        away = np.abs(rgb.astype(int) - theirs[f"rgb{i}"]).mean()
        assert away <= 4, f"camera {camera}: colours differ by {away:.2f}"
        alike = similar.structure(rgb, theirs[f"rgb{i}"])
        assert alike > 0.97, f"camera {camera}: similarity {alike:.4f}"
    ours.close()
