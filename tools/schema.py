#!/usr/bin/env python3
"""The headers are the schema: reads the fields of the public structs and their shapes, and writes
the tables from which models and data are made, copied, saved, loaded, checked and printed.

    schema.py           writes the generated files
    schema.py --check   fails and names every generated file that is not up to date
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include/mujoco"

# ctype: without the star; count: elements of an inline array, a C expression ("1" for a scalar);
# rows, columns: shape of a pointer's array; group: the struct inside the struct, or "".
Field = collections.namedtuple("Field", "ctype name pointer count rows columns group")

DECLARATION = re.compile(
    r"^\s*(?P<ctype>(?:unsigned\s+)?\w+)\s*(?P<star>\*?)\s+?\*?(?P<name>\w+)(?P<dims>(?:\[[^\]]+\])*)\s*;"
    r"\s*(?://(?P<comment>.*))?$"
)


class SchemaError(Exception):
    pass


def struct_body(header, struct):
    text = (INCLUDE / header).read_text()
    found = re.search(r"^struct %s_ \{[^\n]*\n(.*?)^\};" % struct, text, re.M | re.S)
    if not found:
        raise SchemaError(f"{header}: no struct {struct}_")
    return found.group(1)


def shape(comment):
    """(rows, columns) from the last parenthesis of a comment, or None."""
    found = re.search(r"\(([^()]*)\)\s*$", comment or "")
    if not found:
        return None
    parts = [part.strip() for part in found.group(1).split(" x ")]
    return tuple(parts) if len(parts) == 2 else None


def fields(header, struct):
    """Every field of a struct in order."""
    result, group, pending = [], "", []
    lines = struct_body(header, struct).splitlines()
    for number, line in enumerate(lines):
        if re.match(r"\s*struct \{", line):
            pending = []
            group = "?"
            continue
        closing = re.match(r"\s*\} (\w+);", line)
        if closing:
            result += [f._replace(group=closing.group(1)) for f in pending]
            group = ""
            continue
        if not line.strip() or line.strip().startswith("//"):
            continue
        found = DECLARATION.match(line)
        if not found:
            raise SchemaError(f"{header}: cannot read this line of {struct}: {line}")
        dims = re.findall(r"\[([^\]]+)\]", found["dims"])
        pointer = bool(found["star"])
        rows = columns = ""
        if pointer and found["ctype"] != "void":
            comment = found["comment"]
            if not shape(comment):  # the description may go on behind the next line's slashes
                follow = re.match(r"\s*//(.*)$", lines[number + 1])
                comment = follow.group(1) if follow else None
            if not shape(comment):
                raise SchemaError(f"{header}: {struct}.{found['name']} does not end in its shape")
            rows, columns = shape(comment)
        field = Field(found["ctype"], found["name"], pointer, "*".join(dims) or "1", rows, columns, "")
        if group:
            pending.append(field)
        else:
            result.append(field)
    return result


def enums(header, known=None):
    """The enums of a header: {name: {constant: value}}, in order."""
    known = dict(known or {})
    text = re.sub(r"//[^\n]*", "", (INCLUDE / header).read_text())
    result = {}
    for body, name in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", text, re.S):
        values, following = {}, 0
        for item in filter(None, (part.strip() for part in body.split(","))):
            constant, _, expression = (part.strip() for part in item.partition("="))
            value = eval(f"({expression})", {}, known) if expression else following
            values[constant] = known[constant] = value
            following = value + 1
        result[name] = values
    return result


def constants():
    """Whole-number constants of the headers, by name."""
    result = {}
    for header in sorted(INCLUDE.glob("mj*.h")):
        for name, value in re.findall(r"^#define\s+(mj[A-Z]\w+)\s+(\d+)\s*(?://.*)?$", header.read_text(), re.M):
            result[name] = int(value)
        for values in enums(header.name, result).values():
            result.update(values)
    return result


class Schema:
    def __init__(self):
        self.model = fields("mjmodel.h", "mjModel")
        self.data = fields("mjdata.h", "mjData")
        self.option = fields("mjmodel.h", "mjOption")
        self.visual = fields("mjmodel.h", "mjVisual")
        self.statistic = fields("mjmodel.h", "mjStatistic")
        self.sizes = [f.name for f in self.model if f.ctype == "int" and not f.pointer]
        self.arrays = [f for f in self.model if f.pointer and f.ctype != "void"]
        pointers = [f for f in self.data if f.pointer and f.ctype != "void"]
        arena = [f.name for f in pointers].index("contact")
        self.buffer_arrays, self.arena_arrays = pointers[:arena], pointers[arena:]
        self.data_sizes = [f.name for f in self.data if f.ctype == "int" and not f.pointer]
        self.constants = constants()

    def columns(self, field):
        """A number of columns as (size in mjModel or None, constant factor)."""
        member, factor = None, "1"
        for part in field.columns.split("*"):
            if part in self.sizes:
                member = part
            elif part.isdigit() or part in self.constants:
                factor = part
            else:
                raise SchemaError(f"{field.name}: unknown number of columns {field.columns}")
        return member, factor

    def array(self, field):
        member, factor = self.columns(field)
        if field.rows in self.sizes:
            rows = f"MODEL({field.rows})"
        elif field.rows in self.data_sizes:
            rows = f"DATA({field.rows})"
        else:
            raise SchemaError(f"{field.name}: unknown number of rows {field.rows}")
        by = f"BY({member})" if member else "ONE"
        return f"ARRAY({field.ctype}, {field.name}, {rows}, {by}, {factor})"


BANNER = "// Generated by tools/schema.py from the headers. Do not edit.\n"


def table(sections):
    """An include file: the includer defines the macros of the sections it wants."""
    names = [name for name, _ in sections]
    out = [BANNER]
    for name in names:
        out.append(f"#ifndef {name}\n#define {name}(...)\n#endif")
    out.append("")
    for name, lines in sections:
        out += lines + [""]
    out += [f"#undef {name}" for name in names]
    return "\n".join(out) + "\n"


def model_table(schema):
    def members(macro, field_list):
        return [
            f"{macro}({f.group + ', ' if f.group else ''}{f.ctype}, {f.name}, {f.count})"
            for f in field_list
        ]

    return table(
        [
            ("SIZE", [f"SIZE({name})" for name in schema.sizes]),
            ("OPTION", members("OPTION", schema.option)),
            ("VISUAL", members("VISUAL", schema.visual)),
            ("STATISTIC", members("STATISTIC", schema.statistic)),
            ("ARRAY", [schema.array(f) for f in schema.arrays]),
        ]
    )


def data_table(schema):
    inline = [f for f in schema.data if not f.pointer]
    return table(
        [
            ("MEMBER", [f"MEMBER({f.ctype}, {f.name}, {f.count})" for f in inline]),
            ("ARRAY", [schema.array(f) for f in schema.buffer_arrays]),
            ("ARENA", [schema.array(f).replace("ARRAY", "ARENA") for f in schema.arena_arrays]),
        ]
    )


# Fields that no one needs to build a scene from, as the interface marks them.
NOT_SCENE = re.compile(
    r"geom_fluid|mesh_(vert|normal|texcoord|face|facenormal|facetexcoord|graph|poly\w+)|hfield_data"
    r"|tex_data|crb|M|q(M|LD|H|Deriv|LU)|[BMD]_\w+|map(M2M|M2D|D2M)|i?efc_JT?(_\w+)?|efc_AR(_\w+)?"
    r"|iM(_\w+)?|iLD"
)


# fields that the lists name behind another one than the structs do
LISTED_AFTER = [
    ("mesh_vertnum", "mesh_normaladr mesh_normalnum mesh_texcoordadr mesh_texcoordnum"),
    ("mesh_graphadr", "mesh_scale mesh_pos mesh_quat"),
    ("ten_J_colind", "ten_length"),
    ("efc_b", "efc_force"),
    ("maxuse_threadstack", "warning timer"),
]


def listed(fields):
    """The fields in the order of the lists."""
    fields = list(fields)
    for after, names in LISTED_AFTER:
        moved = [f for f in fields if f.name in names.split()]
        if moved:
            fields = [f for f in fields if f not in moved]
            at = 1 + next(i for i, f in enumerate(fields) if f.name == after)
            fields[at:at] = moved
    return fields


def field_macros(schema):
    """mjxmacro.h: the fields of the structs for programs that expand them with an X of their own."""

    def define(name, lines):
        return f"#define {name} \\\n" + " \\\n".join("    " + line for line in lines) + "\n"

    def entry(f, in_arena=False):
        rows = f.rows
        if in_arena:
            rows = f"MJ_D({rows})" if rows in schema.data_sizes and rows not in schema.sizes else f"MJ_M({rows})"
        member, factor = schema.columns(f)
        columns = f.columns.replace(member, f"MJ_M({member})") if member else factor
        macro = "XNV" if NOT_SCENE.fullmatch(f.name) else "X"
        return f"{macro}( {f.ctype}, {f.name}, {rows}, {columns} )"

    def kind(f):
        if f.name == "contact":
            return "CONTACT"
        if f.name.startswith("efc_AR"):
            return "DUAL"
        if re.match(r"i(efc|sland|M|LD|frc|acc)|map_|dof_island|efc_island", f.name):
            return "ISLAND"
        return "SOLVER"

    def preamble(arrays):
        members = dict.fromkeys(schema.columns(f)[0] for f in arrays)
        return [f"int {name} = m->{name};" for name in members if name]

    scalars = [f for f in schema.option if f.count == "1"]
    inline = listed(f for f in schema.data if not f.pointer and f.name != "signature")
    groups = ("CONTACT", "SOLVER", "DUAL", "ISLAND")
    parts = [
        BANNER.rstrip(),
        "// Lists of fields: define X (and XNV, MJ_M, MJ_D where wanted), expand a list, undefine.",
        "#ifndef MUJOCO_MJXMACRO_H_",
        "#define MUJOCO_MJXMACRO_H_",
        "",
        "// mjOption: numbers by type, and short arrays",
        define("MJOPTION_FLOATS", [f"X( {f.ctype}, {f.name} )" for f in scalars if f.ctype != "int"]),
        define("MJOPTION_INTS", [f"X( {f.ctype}, {f.name} )" for f in scalars if f.ctype == "int"]),
        define("MJOPTION_SCALARS", ["MJOPTION_FLOATS", "MJOPTION_INTS"]),
        define("MJOPTION_VECTORS", [f"X( {f.name}, {f.count} )" for f in schema.option if f.count != "1"]),
        "// mjModel: sizes, nbuffer last",
        define("MJMODEL_INTS", [f"X( {name} )" for name in schema.sizes + ["narena", "nbuffer"]]),
        "// sizes that stand as a number of columns in MJMODEL_POINTERS",
        define("MJMODEL_POINTERS_PREAMBLE( m )", preamble(schema.arrays)),
        "// marks a size that is a member of mjModel",
        "#define MJ_M(n) n\n",
        "// mjModel: arrays as type, name, rows, columns; XNV where a scene does not need the field",
        define("MJMODEL_POINTERS", [entry(f) for f in listed(schema.arrays)]),
        "// mjData: arrays in the buffer",
        define("MJDATA_POINTERS_PREAMBLE( m )", preamble(schema.buffer_arrays)),
        define("MJDATA_POINTERS", [entry(f) for f in listed(schema.buffer_arrays)]),
        "// marks a size that is a member of mjData",
        "#define MJ_D(n) n\n",
        "// mjData: arrays in the arena",
    ]
    for group in groups:
        members = [entry(f, True) for f in listed(schema.arena_arrays) if kind(f) == group]
        parts.append(define(f"MJDATA_ARENA_POINTERS_{group}", members))
    parts.append(define("MJDATA_ARENA_POINTERS", [f"MJDATA_ARENA_POINTERS_{g}" for g in groups]))
    parts.append("// mjData: numbers, and short arrays as type, name, rows, columns")
    parts.append(define("MJDATA_SCALAR", [f"X( {f.ctype}, {f.name} )" for f in inline if f.count == "1"]))
    vectors = []
    for f in inline:
        if f.count != "1":
            rows, _, columns = f.count.partition("*")
            vectors.append(f"X( {f.ctype}, {f.name}, {rows}, {columns or 1} )")
    parts.append(define("MJDATA_VECTOR", vectors))
    parts += ["#define XNV X", "", "#endif", ""]
    return "\n".join(parts)


def outputs():
    schema = Schema()
    return {
        "include/mujoco/mjxmacro.h": field_macros(schema),
        "src/model/schema_model.inc": model_table(schema),
        "src/data/schema_data.inc": data_table(schema),
    }


if __name__ == "__main__":
    import generate  # not at the top: tests load this file alone, for its tables

    try:
        generate.main(outputs(), "schema.py")
    except SchemaError as error:
        sys.exit(f"schema.py: {error}")
