#!/usr/bin/env python3
"""Includes go one way: a room may use the rooms below it, and of those only their open headers. A type has one meaning,
and what differs between systems one place.

    layering.py [root]    fails and names every include that goes up, sideways or into a private header, and every
                          struct type that is defined twice
"""

import pathlib
import re
import sys

# room: the rooms it stands on; those of its ground are included
GROUND = {
    "base": [],
    "algebra": ["base"],
    "model": ["algebra"],
    "data": ["model"],
    "smooth": ["data"],
    "collide": ["data"],
    "constrain": ["smooth", "collide"],
    "dual": ["algebra"],
    "maximal": ["hard"],
    "solve": ["constrain"],
    "integrate": ["solve"],
    "sense": ["solve"],
    "hard": ["integrate", "dual"],
    "hold": ["maximal"],
    "step": ["hold", "sense"],
    "derive": ["step", "entry"],
    "plugin": ["step"],
    "spec": ["model"],
    "compile": ["spec", "step"],
    "read": ["compile"],
    "write": ["read"],
    "view": ["step"],
    "draw": ["view", "entry"],
    "entry": ["data"],
}

# headers open to the rooms above besides the room's own (model/model.h)
OPEN = {
    "base": {"assert.h", "layout.h", "union_find.h", "elementary.h", "inside.h", "inside_sinew.h", "lanes.h", "lanes_asin.h", "stack_fail.h", "system.h"},
    "algebra": {"block_lu.h", "small.h"},
    "data": {"frame.h"},
    "constrain": {"cone.h"},
    "compile": {"asset.h"},
    "smooth": {"spatial_lanes.h"},
    "integrate": {"moving.h"},
    "solve": {"loop_rows.h"},
    "entry": {"guard.h"},
    "model": {"plan.h", "watch.h", "validate.h", "plan_hull.h", "schema.h", "print.h", "confine.h", "resource.h", "formats.h"},
    "spec": {"composite.h", "flexcomp.h"},
    "read": {"table.h"},
}


def below(room):
    result, todo = set(), list(GROUND[room])
    while todo:
        other = todo.pop()
        if other not in result:
            result.add(other)
            todo += GROUND[other]
    return result


def complaints(root):
    for path in sorted((root / "src").glob("*/*.[ch]")):
        room = path.parent.name
        if room not in GROUND:
            yield f"{path.relative_to(root)}: room {room} has no place in tools/layering.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"(\w+)/(\w+\.\w+)"', line)
            if not found or found.group(1) == room:
                continue
            other, header = found.groups()
            where = f"{path.relative_to(root)}:{number}: includes {other}/{header}"
            if other not in GROUND:
                yield f"{where}, and there is no such room"
            elif other not in below(room):
                yield f"{where}, but {room} does not stand on {other}"
            elif header != other + ".h" and header not in OPEN.get(other, ()):
                yield f"{where}, which is private to {other}"


def twice(root):
    where = {}
    for path in sorted((root / "src").glob("*/*.[ch]")):
        for name in re.findall(r"^typedef struct (sn\w+)_ \{", path.read_text(), re.M):
            where.setdefault(name, []).append(str(path.relative_to(root)))
    for name, paths in sorted(where.items()):
        if len(paths) > 1:
            yield f"{name} is defined in {' and '.join(paths)}"


def systems(root):
    """What differs between systems stands in base/system.h alone: _setjmp has two arguments on Windows."""
    for path in sorted(path for folder in ("src", "apps", "python") for path in (root / folder).rglob("*.[ch]")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if path.name != "system.h" and re.search(r"\b_setjmp\(", line):
                yield f"{path.relative_to(root)}:{number}: _setjmp, for which base/system.h has SYSTEM_SETJMP"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    found = [*complaints(root.resolve()), *twice(root.resolve()), *systems(root.resolve())]
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
