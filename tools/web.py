#!/usr/bin/env python3
"""The fields of the public structs for JavaScript: a table that the engine for browsers carries, from which the
interface makes typed arrays by name, and their TypeScript types.

    web.py           writes the generated files
    web.py --check   fails and names every generated file that is not up to date
"""

import re

import generate
import schema

# structs whose members are numbers, and the header of each
PLAIN = [
    ("mjmodel.h", "mjOption"),
    ("mjmodel.h", "mjVisual"),
    ("mjmodel.h", "mjStatistic"),
    ("mjdata.h", "mjContact"),
    ("mjdata.h", "mjWarningStat"),
    ("mjdata.h", "mjTimerStat"),
    ("mjdata.h", "mjSolverStat"),
    ("mjvisualize.h", "mjvPerturb"),
    ("mjvisualize.h", "mjvCamera"),
    ("mjvisualize.h", "mjvGLCamera"),
    ("mjvisualize.h", "mjvGeom"),
    ("mjvisualize.h", "mjvLight"),
    ("mjvisualize.h", "mjvOption"),
]
ARRAYS = {
    "mjtNum": "Float64Array",
    "float": "Float32Array",
    "int": "Int32Array",
    "mjtByte": "Uint8Array",
    "char": "Uint8Array",
    "size_t": "Uint32Array",
    "uintptr_t": "Uint32Array",
    "uint64_t": "BigUint64Array",
}
# enums whose constants programs in JavaScript need
ENUMS = (
    "mjtGeom mjtObj mjtJoint mjtTrn mjtSensor mjtState mjtVisFlag mjtRndFlag mjtMouse mjtPertBit mjtCamera mjtLabel "
    "mjtFrame mjtIntegrator mjtSolver mjtCone mjtDisableBit mjtEnableBit mjtTimer mjtWarning mjtTexture mjtTextureRole "
    "mjtLightType mjtEq mjtCatBit"
).split()


def scene():
    """mjvScene: numbers inside of it, and arrays (their length is known to who uses them)."""
    lines = []
    for line in schema.struct_body("mjvisualize.h", "mjvScene").splitlines():
        found = re.match(r"\s*(\w+)\s*(\*?)\s+(\w+)(?:\[(\w+)\])?;", line)
        if found:
            ctype, star, name, count = found.groups()
            lines.append(f"{'POINTER' if star else 'MEMBER'}(mjvScene, {ctype}, {name}, {count or 1})")
    return lines


def table(s):
    lines = [schema.BANNER.replace("schema.py", "web.py"), "// clang-format off"]
    for header, struct in PLAIN:
        for f in schema.fields(header, struct):
            name = f"{f.group}.{f.name}" if f.group else f.name
            lines.append(f"MEMBER({struct}, {f.ctype}, {name}, {f.count})")
    lines += scene()
    for f in s.model:
        if not f.pointer and f.ctype in ARRAYS:
            lines.append(f"MEMBER(mjModel, {f.ctype}, {f.name}, {f.count})")
    for name in ("opt", "vis", "stat"):
        lines.append(f"MEMBER(mjModel, struct, {name}, 1)")
    for f in s.data:
        if not f.pointer:
            ctype = f.ctype if f.ctype in ARRAYS else "struct"
            lines.append(f"MEMBER(mjData, {ctype}, {f.name}, {f.count})")
    for struct, fields in (("mjModel", s.arrays), ("mjData", s.buffer_arrays + s.arena_arrays)):
        for f in fields:
            ctype = f.ctype if f.ctype in ARRAYS else "struct"
            lines.append(f"ARRAY({struct}, {ctype}, {f.name}, {f.rows}, {f.columns})")
    lines += ["#undef MEMBER", "#undef POINTER", "#undef ARRAY"]
    return "\n".join(lines) + "\n"


def types(s):
    def member(f):
        if f.ctype not in ARRAYS:
            return None
        kind = ARRAYS[f.ctype] if f.count != "1" else "number"
        return f"  {f.name}: {kind};"

    out = [schema.BANNER.replace("schema.py", "web.py")]
    for header, struct in PLAIN:
        out.append(f"export interface {struct} {{")
        groups = {}
        for f in schema.fields(header, struct):
            groups.setdefault(f.group, []).append(member(f))
        for group, lines in groups.items():
            lines = [line for line in lines if line]
            out += [f"  readonly {group}: {{"] + ["  " + line for line in lines] + ["  };"] if group else lines
        out.append("}\n")
    for struct, numbers, arrays, also in (
        ("ModelFields", s.model, s.arrays, ["opt: mjOption", "vis: mjVisual", "stat: mjStatistic"]),
        ("DataFields", s.data, s.buffer_arrays + s.arena_arrays, ["contact: mjContact[]", "warning: mjWarningStat[]",
                                                                  "timer: mjTimerStat[]", "solver: mjSolverStat[]"]),
    ):  # fmt: skip
        out.append(f"export interface {struct} {{")
        out += [line for line in (member(f) for f in numbers if not f.pointer) if line]
        out += [f"  readonly {line};" for line in also]
        for f in arrays:
            if f.ctype in ARRAYS:
                out.append(f"  /** {f.rows} x {f.columns} */\n  readonly {f.name}: {ARRAYS[f.ctype]};")
        out.append("}\n")
    return "\n".join(out)


def constants():
    known = {}
    lines = [schema.BANNER.replace("schema.py", "web.py")]
    found = {}
    for header in ("mjmodel.h", "mjdata.h", "mjvisualize.h"):
        for name, values in schema.enums(header, schema.constants()).items():
            found[name] = values
    for name in ENUMS:
        pairs = ", ".join(f"{constant[2:]}: {value}" for constant, value in found[name].items())
        lines.append(f"export const {name} = {{ {pairs} }};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    s = schema.Schema()
    generate.main(
        {
            "web/engine/fields.inc": table(s),
            "web/engine/fields.d.ts": types(s),
            "web/engine/constants.js": constants(),
        },
        "web.py",
    )
