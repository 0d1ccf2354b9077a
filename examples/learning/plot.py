#!/usr/bin/env python3
"""Learning curves from the --log files of the examples, as one SVG: a panel for each task, a line for each learner and seed.

    examples/learning/plot.py curves.svg ppo-Hopper-v5-1.csv ppo-Hopper-v5-2.csv rllib-Hopper-v5-1.csv ...

A file is named LEARNER-TASK-SEED.csv; its first column is steps, its last the mean return.
"""

import csv
import math
import pathlib
import re
import sys

WIDE, HIGH, LEFT, TOP = 300, 190, 52, 30
COLOURS = {"ppo": "#b5551d", "sb3": "#2a6fb0", "rllib": "#3c8a4a", "torchrl": "#8a3ea8"}


def read(path):
    with open(path) as file:
        rows = [(float(row[0]), float(row[-1])) for row in list(csv.reader(file))[1:]]
    return [(steps, value) for steps, value in rows if math.isfinite(value)]


def ticks(low, high, count=4):
    raw = max(high - low, 1e-9) / count
    step = 10 ** math.floor(math.log10(raw))
    step *= next(k for k in (1, 2, 5, 10) if k * step >= raw)
    first = math.ceil(low / step)
    return [k * step for k in range(first, math.floor(high / step) + 1)]


def panel(task, curves, at):
    points = [point for _, curve in curves for point in curve]
    most = max(steps for steps, _ in points)
    low, high = min(0, min(value for _, value in points)), max(value for _, value in points)
    x = lambda steps: at + LEFT + steps / most * (WIDE - LEFT - 14)  # noqa: E731
    y = lambda value: TOP + (high - value) / (high - low) * (HIGH - TOP - 30)  # noqa: E731
    yield f'<text x="{at + LEFT}" y="18" font-weight="bold">{task}</text>'
    for value in ticks(low, high):
        yield f'<path d="M{at + LEFT},{y(value):.1f}H{at + WIDE - 14}" stroke="#ddd"/>'
        yield f'<text x="{at + LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>'
    for steps in ticks(0, most, 3):
        yield f'<text x="{x(steps):.1f}" y="{HIGH - 12}" text-anchor="middle">{steps / 1000:g}k</text>'
    for learner, curve in curves:
        line = " ".join(f"{x(steps):.1f},{y(value):.1f}" for steps, value in curve)
        yield f'<polyline points="{line}" fill="none" stroke="{COLOURS.get(learner, "#777")}" stroke-width="1.6"/>'


def main():
    out, tasks = sys.argv[1], {}
    for path in map(pathlib.Path, sys.argv[2:]):
        learner, task, _ = re.fullmatch(r"([^-]+)-(.+)-(\d+)", path.stem).groups()
        tasks.setdefault(task, []).append((learner, read(path)))
    parts = [part for number, (task, curves) in enumerate(tasks.items()) for part in panel(task, curves, number * WIDE)]
    for number, (learner, colour) in enumerate(COLOURS.items()):
        parts.append(f'<text x="{LEFT + 70 * number}" y="{HIGH + 8}" fill="{colour}" font-weight="bold">{learner}</text>')
    width = WIDE * len(tasks)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HIGH + 16}" width="{width}" font-family="sans-serif" font-size="11" fill="#333">'
    pathlib.Path(out).write_text("\n".join([head, f'<rect width="{width}" height="{HIGH + 16}" fill="#fff"/>', *parts, "</svg>\n"]))


if __name__ == "__main__":
    main()
