#!/usr/bin/env python3
"""Pictures: Sinew against the released renderer on OSMesa, in one run, on the same scenes.

    bench/draw.py [--models humanoid cassie] [--repeats 10]

Three modes in two sizes: `full` with shadows, reflections and samples, `plain` without them, `depth`.
Prints the best time of each (ms) and the ratio (theirs / ours), the same of the processor time of all
threads, the ratio of two threads to one, the processor time to make a renderer, and its memory. OSMesa
draws with as many threads as the machine has, Sinew with one. Where other programs run, times mean
little and processor times more. Sinew draws another state each time; `again` is the ratio of processor
times when the state stays the same, as with several cameras, and its shadow maps are kept.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sinew"
PYTHON = pathlib.Path(os.environ.get("SINEW_PARITY_VENV", CACHE / "parity-3.3.4")) / "bin/python"
MODELS = pathlib.Path(os.environ.get("SINEW_MODELS", ROOT / "../shared/models"))
NAMES = {
    "humanoid": "mujoco/humanoid/humanoid.xml",
    "cassie": "menagerie/agility_cassie/scene.xml",
    "panda": "menagerie/franka_emika_panda/scene.xml",
    "aloha": "menagerie/aloha/scene.xml",
}
SIZES = [(64, 64), (640, 480)]


def released(path, size, mode, repeats, folder):
    job = {"path": str(path), "width": size[0], "height": size[1], "cameras": [-1], "repeats": repeats}
    job["kinds"] = ["depth" if mode == "depth" else "rgb"]
    if mode != "full":
        job["off"], job["samples"] = [0, 2], 1
    (folder / "job.json").write_text(json.dumps(job))
    command = [str(PYTHON), str(ROOT / "tests/parity/pictures.py"), str(folder / "job.json"), str(folder / "out.npz")]
    run = subprocess.run(command, env={**os.environ, "MUJOCO_GL": "osmesa"}, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"bench: the released renderer does not run here:\n{run.stderr[-500:]}")
    import numpy as np

    result = np.load(folder / "out.npz")
    return [1e3 * float(result[f"{what}_{job['kinds'][0]}0"]) for what in ("seconds", "processor")]


def ours(pictures, path, size, mode, repeats, threads, moving=True):
    renderer = pictures.Ours(path, *size, samples=0 if mode == "full" else 1, threads=threads)
    off = () if mode == "full" else pictures.PLAIN
    renderer.update(-1, off)
    best = processor = 1e9
    for _ in range(3 * repeats):
        if moving:
            renderer.lib.mj_step(renderer.model, renderer.data)
            renderer.update(-1, off)
        renderer.draw(rgb=mode != "depth", depth=mode == "depth")
        best, processor = min(best, 1e3 * renderer.seconds), min(processor, 1e3 * renderer.processor)
    size_mb = renderer.lib.sn_rendererBytes(renderer.renderer) / 1e6
    renderer.close()
    return best, processor, 1e3 * renderer.made, size_mb


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=list(NAMES))
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    if "SINEW_BENCH_INSIDE" not in os.environ:
        os.execve(PYTHON, [str(PYTHON), *sys.argv], {**os.environ, "SINEW_BENCH_INSIDE": "1"})
    sys.path.insert(0, str(ROOT / "tests/parity"))
    import pictures

    titles = ("released", "ours", "ratio", "released", "ours", "ratio", "again", "2 threads", "made", "MB")
    print(f"{'':27} {'time, ms':>26} {'processor time, ms':>26}")
    print(f"{'model':10} {'size':9} {'mode':6}", *(f"{title:>8}" for title in titles))
    with tempfile.TemporaryDirectory() as name:
        for model_name in arguments.models:
            path = MODELS / NAMES[model_name]
            for size in SIZES:
                for mode in ("full", "plain", "depth"):
                    theirs = released(path, size, mode, arguments.repeats, pathlib.Path(name))
                    one = ours(pictures, path, size, mode, arguments.repeats, 1)
                    two = ours(pictures, path, size, mode, arguments.repeats, 2)
                    columns = []
                    for k in range(2):
                        columns += [theirs[k], one[k], theirs[k] / one[k]]
                    again = ours(pictures, path, size, mode, arguments.repeats, 1, False)
                    columns += [theirs[1] / again[1], one[0] / two[0], one[2], one[3]]
                    label = f"{model_name:10} {size[0]}x{size[1]:<5} {mode:6}"
                    print(label, *(f"{value:8.2f}" for value in columns), flush=True)


if __name__ == "__main__":
    main()
