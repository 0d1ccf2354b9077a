#!/usr/bin/env python3
"""Writes the drawings of docs/design.md: docs/pictures/rooms.svg and docs/pictures/step.svg.

    drawings.py            write both
    drawings.py --check    fail if a drawing is not what the tree says

rooms.svg is the include graph of src/ without the arrows that follow from others (its transitive reduction). A room
stands one row above the highest room that it includes. step.svg is the list of stages below.
"""

import html
import re
import sys

import generate

ROOT = generate.ROOT
INK, LINE, FILL, BOX = "#1f2933", "#7b8794", "#ffffff", "#e8eef4"

# stage of mj_step, the room and file that compute it, what it reads, what it writes (fields of mjData)
STAGES = [
    ("kinematics", "smooth/kinematics.c", "qpos, mocap_pos", "xpos, xquat, xanchor, geom_xpos, site_xpos"),
    ("center of mass", "smooth/com.c", "xipos", "subtree_com, cinert, cdof"),
    ("flex and tendon", "smooth/tendon.c", "xpos, site_xpos", "flexvert_xpos, ten_length, ten_J"),
    ("inertia", "smooth/inertia.c", "cinert, cdof", "crb, qM, qLD"),
    ("collision", "collide/driver.c", "geom_xpos, geom_xmat", "contact"),
    ("constraint rows", "constrain/rows.c", "contact, cdof, qpos", "efc_J, efc_pos, efc_D, efc_R"),
    ("transmission", "smooth/transmission.c", "ten_J, site_xpos", "actuator_length, actuator_moment"),
    ("velocity", "smooth/rne.c", "qvel, cdof", "cvel, qfrc_bias, qfrc_passive, efc_vel, efc_aref"),
    ("actuation", "smooth/actuation.c", "ctrl, act", "act_dot, actuator_force, qfrc_actuator"),
    ("smooth acceleration", "step/forward.c", "qfrc_*, qLD", "qfrc_smooth, qacc_smooth"),
    ("constraint force", "solve/solve.c", "M, efc_J, efc_aref, efc_D, qacc_warmstart", "qacc, efc_force, qfrc_constraint"),
    ("sensors", "sense/stage.c", "all of the above", "sensordata"),
    ("integration", "integrate/euler.c", "qacc, qM, qDeriv", "qpos, qvel, act, time"),
]


def include_graph():
    """{room: rooms whose headers its files include}"""
    graph = {path.name: set() for path in (ROOT / "src").iterdir() if path.is_dir()}
    for path in (ROOT / "src").glob("*/*.[ch]"):
        found = re.findall(r'^\s*#\s*include\s+"(\w+)/\w+\.\w+"', path.read_text(), re.M)
        graph[path.parent.name] |= {room for room in found if room in graph and room != path.parent.name}
    return graph


def reduced(graph):
    def reach(room):
        return set().union(*({other} | reach(other) for other in graph[room]), set())

    return {room: {other for other in others if not any(other in reach(third) for third in others - {other})}
            for room, others in graph.items()}


def text(x, y, words, size=13, weight="normal", anchor="middle", color=INK):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
            f'fill="{color}">{html.escape(words)}</text>')


def page(width, height, title, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="Helvetica, Arial, sans-serif" role="img" aria-label="{title}">',
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{LINE}"/></marker></defs>',
        f'<rect width="100%" height="100%" fill="{FILL}"/>', *parts, "</svg>", ""])


def rooms_drawing():
    graph = include_graph()
    arrows = reduced(graph)
    level = {}

    def height_of(room):
        if room not in level:
            level[room] = 1 + max((height_of(other) for other in graph[room]), default=-1)
        return level[room]

    rows = {}
    for room in sorted(graph):
        rows.setdefault(height_of(room), []).append(room)

    # an arrow over several rows bends at a point of its own in each of them, which takes room like a box does
    paths = []
    for room in sorted(arrows):
        for other in sorted(arrows[room]):
            between = [(room, other, row) for row in range(level[room] - 1, level[other], -1)]
            for point in between:
                rows[point[2]].append(point)
            paths.append([room, *between, other])
    below = {}
    for path in paths:
        for upper, lower in zip(path, path[1:]):
            below.setdefault(upper, []).append(lower)

    # each row in the order of the mean place of what it stands on, so that arrows cross little
    width, step_y = 880, 74
    place = {}
    for row in sorted(rows):
        def wish(node):
            under = [place[other][0] for other in below.get(node, ())]
            return (sum(under) / len(under) if under else width / 2, str(node))

        ordered = sorted(rows[row], key=wish)
        wide = [118 if isinstance(node, str) else 26 for node in ordered]
        middle = sum(wish(node)[0] for node in ordered) / len(ordered)
        left = min(max(middle - sum(wide) / 2, 10), width - 10 - sum(wide))
        for node, size in zip(ordered, wide):
            place[node] = (left + size / 2, (max(rows) - row) * step_y + 40)
            left += size

    parts = []
    for path in paths:
        x, y = place[path[0]]
        curve = f"M{x:g} {y + 17:g}"
        for node in path[1:]:
            x1, y1 = place[node]
            end = y1 - 18 if node == path[-1] else y1
            start = y + 17 if node == path[1] else y
            bend = (end - start) / 2
            curve += f" C{x:g} {start + bend:g} {x1:g} {end - bend:g} {x1:g} {end:g}"
            x, y = x1, y1
        parts.append(f'<path d="{curve}" fill="none" stroke="{LINE}" stroke-width="1.3" marker-end="url(#tip)"/>')
    for room, (x, y) in sorted((room, place[room]) for room in graph):
        parts.append(f'<rect x="{x - 46:g}" y="{y - 17:g}" width="92" height="34" rx="6" fill="{BOX}" stroke="{LINE}"/>')
        parts.append(text(x, y + 4.5, room, 14, "bold"))
    return page(width, (max(rows) + 1) * step_y + 10, "The rooms of src and what each includes", parts)


def step_drawing():
    for _, path, _, _ in STAGES:
        if not (ROOT / "src" / path).exists():
            sys.exit(f"drawings.py: there is no src/{path}")
    fields = (ROOT / "include/mujoco/mjdata.h").read_text() + (ROOT / "include/mujoco/mjmodel.h").read_text()
    for stage, _, reads, writes in STAGES:
        for name in re.findall(r"\w*_\w+\b(?!\*)", reads + ", " + writes):
            if not re.search(rf"\b{name}", fields):
                sys.exit(f"drawings.py: {stage} names {name}, which mjData does not have")
    width, step, top = 880, 46, 52
    parts = [text(150, 28, "reads", 13, "bold"), text(440, 28, "stage", 13, "bold"), text(730, 28, "writes", 13, "bold")]
    for index, (stage, path, reads, writes) in enumerate(STAGES):
        y = top + index * step
        parts.append(f'<rect x="340" y="{y}" width="200" height="36" rx="6" fill="{BOX}" stroke="{LINE}"/>')
        parts.append(text(440, y + 15, stage, 13, "bold"))
        parts.append(text(440, y + 30, "src/" + path, 11, color=LINE))
        parts.append(text(315, y + 22, reads, 12, anchor="end"))
        parts.append(text(565, y + 22, writes, 12, anchor="start"))
        for x0, x1 in ((319, 337), (543, 561)):
            parts.append(f'<path d="M{x0} {y + 18} L{x1} {y + 18}" stroke="{LINE}" marker-end="url(#tip)"/>')
        if index + 1 < len(STAGES):
            parts.append(f'<path d="M440 {y + 37} L440 {y + step - 1}" stroke="{LINE}" marker-end="url(#tip)"/>')
    return page(width, top + len(STAGES) * step + 6, "Data through one step", parts)


def outputs():
    return {"docs/pictures/rooms.svg": rooms_drawing(), "docs/pictures/step.svg": step_drawing()}


if __name__ == "__main__":
    generate.main(outputs(), "drawings.py")
