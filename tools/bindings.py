#!/usr/bin/env python3
"""Writes the tables of the Python package from the headers: fields, named views, functions, enums
and constants, and the type stubs.

    bindings.py           writes the generated files
    bindings.py --check   fails and names every generated file that is not up to date
"""

import keyword
import re
import sys

import absent
import generate
import schema

# Struct classes: C name -> (header, function that fills in defaults or "").
STRUCTS = {
    "mjModel": ("mjmodel.h", ""),
    "mjData": ("mjdata.h", ""),
    "mjOption": ("mjmodel.h", "mj_defaultOption"),
    "mjVisual": ("mjmodel.h", "mj_defaultVisual"),
    "mjStatistic": ("mjmodel.h", ""),
    "mjContact": ("mjdata.h", ""),
    "mjSolverStat": ("mjdata.h", ""),
    "mjWarningStat": ("mjdata.h", ""),
    "mjTimerStat": ("mjdata.h", ""),
    "mjLROpt": ("mjmodel.h", ""),
    "mjvCamera": ("mjvisualize.h", "mjv_defaultCamera"),
    "mjvGLCamera": ("mjvisualize.h", ""),
    "mjvGeom": ("mjvisualize.h", "geom_default"),
    "mjvLight": ("mjvisualize.h", ""),
    "mjvOption": ("mjvisualize.h", "mjv_defaultOption"),
    "mjvPerturb": ("mjvisualize.h", "mjv_defaultPerturb"),
    "mjvScene": ("mjvisualize.h", "mjv_defaultScene"),
    "mjvFigure": ("mjvisualize.h", "mjv_defaultFigure"),
    "mjrRect": ("mjrender.h", ""),
    "mjrContext": ("mjrender.h", "mjr_defaultContext"),
    "mjsCompiler": ("mjspec.h", ""),
    "mjsOrientation": ("mjspec.h", "mjs_defaultOrientation"),
    "mjSpec": ("mjspec.h", ""),
}
for name in """Body Frame Joint Geom Site Camera Light Flex Mesh HField Skin Texture Material Pair
Exclude Equality Tendon Wrap Actuator Sensor Numeric Text Tuple Key Default Plugin""".split():
    STRUCTS["mjs" + name] = ("mjspec.h", "")

# Element types: C type -> (code of the buffer protocol, numpy's name, Python's name).
TYPES = {
    "mjtNum": ("d", "float64", "float"),
    "double": ("d", "float64", "float"),
    "float": ("f", "float32", "float"),
    "int": ("i", "int32", "int"),
    "mjtByte": ("B", "uint8", "int"),
    "unsigned char": ("B", "uint8", "int"),
    "char": ("b", "int8", "str"),
    "unsigned": ("I", "uint32", "int"),
    "unsigned int": ("I", "uint32", "int"),
    "size_t": ("L", "uint64", "int"),
    "uint64_t": ("L", "uint64", "int"),
    "uintptr_t": ("L", "uint64", "int"),
    "mjtSize": ("l", "int64", "int"),
}
REFERENCES = {
    "mjString": "TEXT",
    "mjDoubleVec": "DOUBLES",
    "mjFloatVec": "FLOATS",
    "mjIntVec": "INTS",
    "mjStringVec": "TEXTS",
    "mjByteVec": "BYTES",
    "mjIntVecVec": "INTLISTS",
    "mjFloatVecVec": "FLOATLISTS",
}

# Characters that Python sees as bytes; others are numbers to it.
TEXTS = ("names", "paths", "text_data")
# Pointers of mjvScene whose number of elements is no member: kept as what scene_count is asked for.
SCENE_COUNTS = ("flexedge", "flexvert", "flexface", "flexnormal", "flextexcoord", "skinvert", "skinnormal")


def python_class(struct):
    if struct.startswith("mjs"):
        return "Mjs" + struct[3:]
    return "Mj" + struct[2:]


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


class Member:
    def __init__(self, struct, name, kind, ctype, dims, doc, path, members=None):
        self.struct, self.name, self.kind, self.ctype = struct, name, kind, ctype
        self.dims, self.doc, self.path, self.members = dims, doc, path, members


def body_of(header, struct):
    text = (schema.INCLUDE / header).read_text()
    found = re.search(r"^(?:typedef )?struct %s_ \{[^\n]*\n(.*?)^\}" % struct, text, re.M | re.S)
    if not found:
        raise schema.SchemaError(f"{header}: no struct {struct}_")
    return found.group(1)


LINE = re.compile(
    r"^\s*(?:const )?(?P<ctype>(?:unsigned\s+)?\w+)(?P<star>\s*\*\s*|\s+)(?P<name>\w+)(?P<dims>(?:\[[^\]]+\])*)\s*;"
    r"\s*(?://\s*(?P<doc>.*))?$"
)


class Bindings:
    def __init__(self):
        self.schema = schema.Schema()
        self.enum_names = {}
        for header in ("mjmodel.h", "mjdata.h", "mjvisualize.h", "mjrender.h", "mjui.h", "mjplugin.h", "mjspec.h", "mjthread.h"):
            self.enum_names.update(schema.enums(header, self.schema.constants))
        self.structs = {}
        for struct, (header, default) in STRUCTS.items():
            self.read_struct(header, struct)
        self.functions = [f for f in (Function(self, *d) for d in absent.declarations()) if f.wanted]

    def read_struct(self, header, struct):
        members, group = [], None
        lines = body_of(header, struct).splitlines()
        for number, line in enumerate(lines):
            if re.match(r"\s*struct \{", line):
                group = []
                continue
            closing = re.match(r"\s*\} (\w+);", line)
            if closing:
                name = closing.group(1)
                inner = f"{struct}.{name}"
                for member in group:
                    member.struct, member.path = inner, f"{name}.{member.path}"
                self.structs[inner] = group
                members.append(Member(struct, name, "STRUCT", inner, [], name, name))
                group = None
                continue
            if not line.strip() or line.strip().startswith("//"):
                continue
            found = LINE.match(line)
            if not found:
                raise schema.SchemaError(f"{header}: cannot read this line of {struct}: {line}")
            following = lines[number + 1] if number + 1 < len(lines) else ""
            member = self.member(struct, found, following)
            if member:
                (members if group is None else group).append(member)
        self.structs[struct] = members

    def member(self, struct, found, following):
        ctype, name = found["ctype"], found["name"]
        dims = re.findall(r"\[([^\]]+)\]", found["dims"])
        if (struct, name) == ("mjvGeom", "mat"):
            dims = ["3", "3"]
        doc = found["doc"] or ""
        star = "*" in found["star"]
        members = ctype if ctype in self.enum_names and struct.startswith("mjs") else None
        if ctype in self.enum_names:
            ctype = "int"
        if not star:
            if ctype in STRUCTS:
                return Member(struct, name, "STRUCTS" if dims else "STRUCT", ctype, dims, doc, name)
            if ctype == "char":
                if len(dims) > 1:
                    return Member(struct, name, "STRINGS", "char", dims, doc, name)
                return Member(struct, name, "STRING", "char", dims, doc, name)
            return Member(struct, name, "INLINE" if dims else "SCALAR", ctype, dims, doc, name, members)
        if ctype in REFERENCES:
            return Member(struct, name, REFERENCES[ctype], ctype, [], doc, name)
        if ctype == "void" or ctype == "mjsElement":
            return None
        if ctype in STRUCTS and struct.startswith("mjs"):
            return Member(struct, name, "REFERENCE", ctype, [], doc, name)
        if struct == "mjrContext":
            return Member(struct, name, "POINTER", ctype, ["nskin"], doc, name)
        if struct == "mjvScene":
            counted = re.search(r"\(([^()]*)\)\s*$", doc)
            dims = ["COUNT"] if name in SCENE_COUNTS else [counted.group(1)]
            if ctype in STRUCTS:
                return Member(struct, name, "LIST", ctype, dims, doc, name)
            return Member(struct, name, "POINTER", ctype, dims, doc, name)
        shaped = schema.shape(doc) or schema.shape(following)
        if not shaped:
            raise schema.SchemaError(f"{struct}.{name} does not end in its shape")
        rows, columns = shaped
        dims = [rows] if columns == "1" else [rows, columns]
        if ctype in STRUCTS:
            return Member(struct, name, "LIST", ctype, [rows], doc, name)
        return Member(struct, name, "CHARS" if name in TEXTS else "POINTER", ctype, dims, doc, name)

    def dim(self, struct, text):
        """A C initializer of one dimension."""
        if text == "COUNT":
            return "{COUNTED, 0, 1}"
        text = text.replace(" ", "")
        if (struct, text) == ("mjrContext", "nskin"):
            return "{OWN, offsetof(mjrContext, nskin), 1}"
        if struct in ("mjModel", "mjData", "mjvScene") and not re.fullmatch(r"[\dm][\w*]*", text):
            member, factor = None, "1"
            for part in text.split("*"):
                if part.isdigit() or part in self.schema.constants:
                    factor = part
                else:
                    member = part
            if struct == "mjvScene":
                return f"{{OWN, offsetof(mjvScene, {member}), {factor}}}"
            if struct == "mjModel" or member in self.schema.sizes:
                return f"{{MODEL, offsetof(mjModel, {member}), {factor}}}"
            return f"{{DATA, offsetof(mjData, {member}), {factor}}}"
        if struct == "mjvScene" and text == "maxgeom":
            return "{OWN, offsetof(mjvScene, maxgeom), 1}"
        return f"{{FIXED, 0, {text}}}"

    # ---- fields

    def fields_file(self):
        out = [BANNER, ""]
        names = list(self.structs)
        for struct in names:
            out.append(f"static const Info {info(struct)};")
        out.append("")
        for struct in names:
            out.append(f"static const Field {field_table(struct)}[] = {{")
            outer = struct.partition(".")[0]
            base = f"offsetof({outer}, {struct.partition('.')[2]})" if "." in struct else "0"
            for m in self.structs[struct]:
                dims = ", ".join(self.dim(struct, d) for d in m.dims) or "{0}"
                code = "0" if m.ctype in self.structs else f"'{TYPES[m.ctype][0]}'" if m.ctype in TYPES else "0"
                nested = f"&{info(m.ctype)}" if m.ctype in self.structs else "NULL"
                out.append(
                    f'  {{"{python_name(m.name)}", {m.kind}, {code}, '
                    f"(int)(offsetof({outer}, {m.path}) - {base}), {len(m.dims)}, {{{dims}}}, {nested}, "
                    + (quote(m.members) if m.members else "NULL") + "},"
                )
            out.append("};")
            out.append(f"static const char docs_{info(struct)}[] =")
            out += [f'  {quote(m.doc)} "\\0"' for m in self.structs[struct]]
            out[-1] += ";\n"
        for struct in names:
            outer, _, group = struct.partition(".")
            default = STRUCTS[outer][1] if not group else ""
            size = f"sizeof((({outer}*)0)->{group})" if group else f"sizeof({outer})"
            label = f"{python_class(outer)}.{group.capitalize()}" if group else python_class(struct)
            maker = f"(void (*)(void*)){default}" if default else "NULL"
            out.append(
                f"static const Info {info(struct)} = {{\"{label}\", (int){size}, {field_table(struct)}, "
                f"(int)(sizeof {field_table(struct)} / sizeof(Field)), {maker}, {names.index(struct)}, {quote(struct_doc(struct))}, docs_{info(struct)}}};"
            )
        out.append("\nstatic const Info* const infos[INFO_COUNT] = {")
        out += [f"  &{info(s)}," for s in names]
        out.append("};\n")
        return "\n".join(out)

    # ---- named views

    def view_file(self):
        """Which fields belong to an object of a kind, and how its part of each is found."""
        out = [BANNER, ""]
        kinds = []
        for method, alias, objtype, size, prefixes in VIEWS:
            for struct in ("mjModel", "mjData"):
                rows = []
                taken = set()

                def add(name, field, mode):
                    if name not in taken:
                        taken.add(name)
                        index = [m.name for m in self.structs[struct]].index(field)
                        rows.append(f'  {{"{name}", {index}, {mode}}},')

                for m in self.structs[struct]:
                    if m.kind != "POINTER":
                        continue
                    rule = SLICES.get((struct, m.name))
                    if rule and rule[0] == method:
                        add(rule[1], m.name, rule[2])
                        continue
                    if method == "joint" and m.name == "jnt_bodyid":
                        continue  # the dofs' takes the name
                    if m.dims[0] == size and not rule:
                        name = m.name
                        for prefix in prefixes:
                            if name.startswith(prefix):
                                name = name[len(prefix):]
                                break
                        add(name, m.name, "ROW")
                    elif method == "joint" and not rule and m.dims[0] in ("nv", "nq"):
                        if struct == "mjData" or m.name.startswith(("dof_", "qpos")):
                            name = m.name[4:] if m.name.startswith("dof_") else m.name
                            add(name, m.name, "OF_DOFS" if m.dims[0] == "nv" else "OF_QPOS")
                if not rows:
                    continue
                label = f"{method}_{struct}"
                out.append(f"static const Part {label}[] = {{")
                out += rows + ["};\n"]
                kinds.append((method, alias, objtype, size, struct, label, len(rows)))
        out.append("static Kind kinds[] = {")
        for method, alias, objtype, size, struct, label, count in kinds:
            out.append(
                f'  {{"{method}", "{alias}", {objtype}, offsetof(mjModel, {size}), {int(struct == "mjData")}, '
                f"{label}, {count}, NULL}},"
            )
        out.append("};\n")
        for number, (method, alias, objtype, size, struct, label, count) in enumerate(kinds):
            out.append(f"NAMED({number}, {struct})")
        for struct in ("mjModel", "mjData"):
            out.append(f"\nstatic PyMethodDef named_{struct}[] = {{")
            for number, kind in enumerate(kinds):
                if kind[4] == struct:
                    for name in dict.fromkeys(filter(None, kind[:2])):
                        doc = f"Named access to the fields of a {kind[0]}: by name or id."
                        out.append(f'  {{"{name}", (PyCFunction)(void (*)(void))named_{number}, METH_FASTCALL | METH_KEYWORDS, "{doc}"}},')
            out.append("  {NULL, NULL, 0, NULL}};")
        out.append("")
        return "\n".join(out)

    def functions_file(self):
        out = [BANNER, ""]
        for f in self.functions:
            out.append(f.code())
        out.append("static PyMethodDef functions[] = {")
        for f in self.functions:
            out.append(
                f'  {{"{f.name}", (PyCFunction)(void (*)(void))py_{f.name}, METH_FASTCALL | METH_KEYWORDS, {quote(f.docstring())}}},'
            )
        out.append("  {NULL, NULL, 0, NULL}};\n")
        return "\n".join(out)

    def enums_file(self):
        out = ['"""Enums and constants of the interface. Generated by tools/bindings.py. Do not edit."""', ""]
        out += ["from ._enum import Enum", ""]
        enums = {n: v for n, v in self.enum_names.items() if n.startswith("mjt") and n not in NOT_ENUMS}
        for name, values in enums.items():
            out += ["", f"class {name}(Enum):", f'    """{name} of the interface."""', ""]
            out += [f"    {constant} = {value}" for constant, value in values.items()]
            out.append("")
        out.append("")
        for name, value in self.number_constants().items():
            out.append(f"{name} = {value}")
        out.append("")
        return "\n".join(out)

    def number_constants(self):
        result = {}
        wanted = """mjMAXCONPAIR mjMAXIMP mjMAXLIGHT mjMAXLINE mjMAXLINEPNT mjMAXOVERLAY mjMAXPLANEGRID mjMAXVAL mjMINIMP
        mjMINMU mjMINVAL mjNBIAS mjNDYN mjNEQDATA mjNGAIN mjNGROUP mjNIMP mjNREF mjNSOLVER mjPI mjVERSION_HEADER""".split()
        for header in sorted(schema.INCLUDE.glob("m*.h")):
            for name, value in re.findall(r"^\s*#\s*define\s+(mj[A-Z]\w+)\s+([-+.\dEe]+)\s*(?://.*)?$", header.read_text(), re.M):
                if name in wanted and name not in result:
                    result[name] = value
        missing = set(wanted) - set(result)
        if missing:
            raise schema.SchemaError(f"constants not found: {sorted(missing)}")
        return dict(sorted(result.items()))

    # ---- stubs

    def stub_type(self, m):
        if m.kind == "SCALAR":
            return f"_enums.{m.members}" if m.members else TYPES[m.ctype][2]
        if m.kind in ("INLINE", "POINTER"):
            return f"Array[np.{TYPES[m.ctype][1]}]"
        if m.name == "eulerseq":
            return "MjCharVec"
        if m.kind in ("STRING", "TEXT"):
            return "str"
        if m.kind == "STRINGS":
            return "Array[np.bytes_]"
        if m.kind == "CHARS":
            return "bytes"
        if m.kind in ("STRUCT", "REFERENCE"):
            return stub_class(m.ctype)
        if m.kind in ("STRUCTS", "LIST"):
            return f"StructList[{stub_class(m.ctype)}]"
        return {"DOUBLES": "Array[np.float64]", "FLOATS": "Array[np.float32]", "INTS": "Array[np.int32]",
                "TEXTS": "MjStringVec", "BYTES": "MjByteVec", "INTLISTS": "list[list[int]]", "FLOATLISTS": "list[list[float]]"}.get(m.kind, "Any")

    def stub_class_lines(self, struct):
        outer, _, group = struct.partition(".")
        out = [f"class {group.capitalize() or python_class(struct)}:", "    " + said(struct_doc(struct).partition("\n--\n\n")[2] or struct_doc(struct), 4)]
        for inner in self.structs:
            if inner.startswith(struct + "."):
                out += ["    " + line.replace("\n", "\n    ") for line in self.stub_class_lines(inner)]
        if struct == "mjModel":
            out += STUB_MODEL
        elif struct == "mjData":
            out += STUB_DATA
        elif struct == "mjvScene":
            out.append("    def __init__(self, model: Optional[MjModel] = None, maxgeom: int = 0) -> None: ...")
        elif struct == "mjrRect":
            out.append("    def __init__(self, left: int, bottom: int, width: int, height: int) -> None: ...")
        elif struct == "mjrContext":
            out += STUB_CONTEXT
        elif struct == "mjSpec":
            out += STUB_SPEC
        elif struct.startswith("mjs"):
            out += stub_element(struct)
        elif "." not in struct:
            out.append("    def __init__(self) -> None: ...")
        for m in self.structs[struct]:
            settable = m.kind in ("INLINE", "POINTER")
            name, typename = python_name(m.name), self.stub_type(m)
            out.append(f"    @property\n    def {name}(self) -> {typename}: ...")
            fixed = m.kind == "SCALAR" and struct == "mjModel"
            if settable or not fixed and m.kind in ("SCALAR", "STRING", "STRUCT", "TEXT", "TEXTS", "DOUBLES", "FLOATS", "INTS", "BYTES"):
                taken = "npt.ArrayLike" if settable or "Array" in typename else "int" if m.members else SETTING.get(typename, typename)
                out.append(f"    @{name}.setter\n    def {name}(self, value: {taken}) -> None: ...")
        if struct in ("mjModel", "mjData"):
            for method, alias, _, size, _ in VIEWS:
                if any(True for _ in self.views_of(struct, method, size)):
                    for name in dict.fromkeys(filter(None, (method, alias))):
                        out.append(f"    def {name}(self, name: str | int = ...) -> Named: ...")
        if struct == "mjrContext":
            return out
        return out + ["    def __copy__(self) -> Any: ...", "    def __deepcopy__(self, memo: Any) -> Any: ..."]

    def stubs_file(self):
        out = ['"""Types of the compiled module. Generated by tools/bindings.py. Do not edit."""', ""]
        out += ["import os", "from collections.abc import Callable, Iterator, Mapping, Sequence"]
        out += ["from typing import Any, Generic, Optional, TypeVar, overload", "", "import numpy as np", "import numpy.typing as npt", "", "from . import _enums", ""]
        out += ["_T = TypeVar('_T')", "_S = TypeVar('_S', bound=np.generic)", "Array = np.ndarray[Any, np.dtype[_S]]", ""]
        out += ["class FatalError(Exception): ...", "class UnexpectedError(Exception): ...", ""]
        out += ["class StructList(Generic[_T]):", "    def __len__(self) -> int: ...", "    @overload",
                "    def __getitem__(self, index: int) -> _T: ...", "    @overload",
                "    def __getitem__(self, index: slice) -> StructList[_T]: ...",
                "    def __iter__(self) -> Iterator[_T]: ...", "    def __getattr__(self, name: str) -> Any: ...", ""]
        for name, item in (("String", "str"), ("Char", "str"), ("Byte", "int")):
            out += [f"class Mj{name}Vec:", "    def __len__(self) -> int: ...", f"    def __getitem__(self, index: int) -> {item}: ...",
                    f"    def __setitem__(self, index: int, value: {item}) -> None: ...", f"    def __iter__(self) -> Iterator[{item}]: ...", ""]
        out += ["class Named:", "    id: int", "    name: str", "    def __getattr__(self, name: str) -> Any: ...",
                "    def __setattr__(self, name: str, value: Any) -> None: ...", ""]
        for struct in self.structs:
            if "." not in struct:
                out += tell(self.stub_class_lines(struct)) + [""]
        for f in self.functions:
            out.append(f.stub())
        out += STUB_MORE
        return "\n".join(out) + "\n"

    def views_of(self, struct, method, size):
        for m in self.structs[struct]:
            rule = SLICES.get((struct, m.name))
            if m.kind == "POINTER" and ((rule and rule[0] == method) or (m.dims[0] == size and not rule)):
                yield m


STUB_MODEL = """    def __init__(self, *args: Any) -> None: ...
    def _repr_png_(self) -> bytes: ...
    def bind(self, specs: Any) -> Any: ...
    @staticmethod
    def from_xml_path(filename: str | os.PathLike[str], assets: Optional[Mapping[str, bytes]] = None, *,
                      confine: bool | str | os.PathLike[str] = False) -> MjModel: ...
    @staticmethod
    def from_xml_string(xml: str, assets: Optional[Mapping[str, bytes]] = None, *,
                        confine: bool | str | os.PathLike[str] = False) -> MjModel: ...
    @staticmethod
    def from_binary_path(filename: str | os.PathLike[str], assets: Optional[Mapping[str, bytes]] = None, *,
                         confine: bool | str | os.PathLike[str] = False) -> MjModel: ...
    @property
    def _address(self) -> int: ...
    @property
    def _sizes(self) -> Array[np.int64]: ...""".splitlines()

STUB_DATA = """    def __init__(self, model: MjModel) -> None: ...
    def _repr_png_(self) -> bytes: ...
    def bind(self, specs: Any) -> Any: ...
    @property
    def model(self) -> MjModel: ...
    @property
    def _address(self) -> int: ...""".splitlines()

STUB_CONTEXT = """    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, model: MjModel, fontscale: int, /) -> None: ...
    def free(self) -> None: ...""".splitlines()

STUB_MORE = """
def _strings() -> dict[str, Any]: ...
def _version() -> str: ...
def _confine(folder: Optional[str]) -> Optional[str]: ...
def _budget(elements: int, bytes: int, /) -> tuple[int, int]: ...
def _command(arguments: Sequence[str], /) -> int: ...
def _spec_is_vector(element: Any, field: str, /) -> bool: ...
def _described(value: Any, /) -> str: ...
def _realloc_con_efc(d: MjData, ncon: int, nefc: int, nJ: int = -1) -> None: ...
def _enum_type(base: type, /) -> Any: ...
def _rollout(models: tuple[MjModel, ...], datas: tuple[MjData, ...], nbatch: int, nstep: int, control_spec: int,
             state0: Array[np.float64], warmstart0: Optional[Array[np.float64]],
             control: Optional[Array[np.float64]], state: Optional[Array[np.float64]],
             sensordata: Optional[Array[np.float64]]) -> list[tuple[int, str]]: ...
def _batch(models: tuple[MjModel, ...], datas: tuple[MjData, ...], state: Array[np.float64], after: tuple[str, ...],
           seconds: Optional[Array[np.float64]], limit: float) -> Any: ...
def _batch_bind(batch: Any, field: str, array: npt.NDArray[Any]) -> list[tuple[int, str]]: ...
def _each(batch: Any, what: int, nstep: int, mask: Optional[Array[np.uint8]], /) -> list[tuple[int, str]]: ...
def _draw(rect: MjrRect, scene: MjvScene, context: Optional[MjrContext], rgb: Optional[npt.NDArray[np.uint8]],
          depth: Optional[npt.NDArray[np.float32]], segmentation: Optional[npt.NDArray[np.int32]]) -> None: ...
def _film(pictures: npt.NDArray[np.uint8], count: int, width: int, height: int, rate: float) -> bytes: ...
def _gltf(model: MjModel, states: npt.NDArray[np.float64], spec: int, rate: float, path: str) -> None: ...
def _renderers(batch: Any, width: int, height: int, samples: int, maxgeom: int) -> Any: ...
def _batch_render(batch: Any, renderers: Any, camera: MjvCamera, option: MjvOption, rgb: Optional[npt.NDArray[np.uint8]],
                  depth: Optional[npt.NDArray[np.float32]], segmentation: Optional[npt.NDArray[np.int32]],
                  mask: Optional[npt.NDArray[np.uint8]]) -> list[tuple[int, str]]: ...
def _derive_transition(model: MjModel, data: MjData, A: Optional[Array[np.float64]], B: Optional[Array[np.float64]],
                       C: Optional[Array[np.float64]], D: Optional[Array[np.float64]]) -> dict[str, Any]: ...
def _derive_forward(model: MjModel, data: MjData, q: Array[np.float64], v: Array[np.float64], act: Array[np.float64],
                    ctrl: Array[np.float64], force: Array[np.float64]) -> dict[str, Any]: ...
def _derive_inverse(model: MjModel, data: MjData, actuation: bool, q: Array[np.float64], v: Array[np.float64],
                    a: Array[np.float64], M: Array[np.float64]) -> dict[str, Any]: ...
def _derive_inputs(model: MjModel, data: MjData, force: Array[np.float64], wrench: Array[np.float64],
                   mocap: Array[np.float64]) -> dict[str, Any]: ...
def _derive_vjp_inputs(model: MjModel, data: MjData, gnext: Array[np.float64], force: Array[np.float64],
                       wrench: Array[np.float64], mocap: Array[np.float64]) -> dict[str, Any]: ...
def _derive_vjp(model: MjModel, data: MjData, gnext: Array[np.float64], gx: Array[np.float64],
                gu: Array[np.float64]) -> None: ...
def _derive_jvp(model: MjModel, data: MjData, dx: Array[np.float64], du: Optional[Array[np.float64]],
                dxnext: Array[np.float64]) -> None: ...
def _derive_rollout(model: MjModel, data: MjData, nstep: int, ctrl: Array[np.float64], gnext: Array[np.float64],
                    gx: Array[np.float64], gctrl: Array[np.float64]) -> dict[str, Any]: ...
def _derive_by(model: MjModel, data: MjData, numbers: tuple[tuple[str, Optional[str], int], ...], constants: bool,
               DxDp: Array[np.float64]) -> dict[str, Any]: ...
def _derive_over(model: MjModel, data: MjData, low: tuple[MjModel, ...], high: tuple[MjModel, ...], width: Array[np.float64],
                 work: MjData, DxDp: Array[np.float64]) -> dict[str, Any]: ...
def _derive_places(model: MjModel, data: MjData, numbers: tuple[tuple[str, Optional[str], int], ...]) -> tuple[int, ...]: ...
def _batch_transition(batch: Any, A: Array[np.float64], B: Array[np.float64], C: Optional[Array[np.float64]],
                      D: Optional[Array[np.float64]]) -> list[tuple[int, str]]: ...
def _batch_differences(batch: Any, A: Array[np.float64], B: Array[np.float64], C: Optional[Array[np.float64]],
                       D: Optional[Array[np.float64]]) -> list[tuple[int, str]]: ...
def _batch_vjp(batch: Any, gnext: Array[np.float64], gx: Array[np.float64], gu: Array[np.float64]) -> list[tuple[int, str]]: ...
def _control_roll(batch: Any, horizon: int, compute_end: bool, start: Array[np.float64], parts: Array[np.float64],
                  ctrl: Array[np.float64], change: Array[np.float64], gain: Optional[Array[np.float64]],
                  near: Optional[Array[np.float64]], low: Array[np.float64], high: Array[np.float64], state: Array[np.float64],
                  sensordata: Array[np.float64]) -> list[tuple[int, str]]: ...
def _control_back(nv: int, regularizer: float, timestep: float, A: Array[np.float64], B: Array[np.float64],
                  slope: Array[np.float64], curve: Array[np.float64], low: Array[np.float64], high: Array[np.float64],
                  ctrl: Array[np.float64], change: Array[np.float64], gain: Array[np.float64], /) -> Optional[float]: ...
def _solver_names() -> tuple[str, ...]: ...
def _solver_set(model: MjModel, data: MjData, name: Optional[str]) -> None: ...
def _solver_get(model: MjModel, data: MjData) -> str: ...
def _solver_settings(model: MjModel, data: MjData) -> Optional[dict[str, float]]: ...
def _solver_setting(model: MjModel, data: MjData, name: str, value: float) -> None: ...
def _solver_report(model: MjModel, data: MjData) -> Optional[dict[str, float]]: ...
def _solver_clear(model: MjModel, data: MjData) -> None: ...
def _solver_impact(model: MjModel, data: MjData, name: Optional[str]) -> Optional[str]: ...
def _solver_restitution(model: MjModel, data: MjData, geom: int, value: Optional[float]) -> float: ...
def _hold_certify(model: MjModel, data: MjData, on: bool) -> None: ...
def _hold_certificate(model: MjModel, data: MjData) -> Optional[dict[str, Any]]: ...
def _geometry_christoffel(model: MjModel, data: MjData, gamma: Array[np.float64]) -> None: ...
def _geometry_hamiltonian(model: MjModel, data: MjData, p: Array[np.float64], velocity: Array[np.float64],
                          rate: Array[np.float64]) -> float: ...
def _geometry_geodesic(model: MjModel, data: MjData, time: float, steps: int) -> float: ...
def _hold_warnings(model: MjModel, data: MjData) -> dict[str, int]: ...
def _hold_asleep(model: MjModel, data: MjData, body: int) -> bool: ...
def _hold_wake(model: MjModel, data: MjData, body: int) -> None: ...
""".splitlines()
for callback in "passive control contactfilter sensor time act_dyn act_gain act_bias".split():
    STUB_MORE += [f"def set_mjcb_{callback}(callback: Any) -> None: ...", f"def get_mjcb_{callback}() -> Any: ..."]
for name in """spec_parse spec_compile spec_xml spec_copy spec_add spec_default spec_list spec_find spec_delete spec_attach spec_owner
spec_plugin spec_orient spec_extra spec_deepcopy plugin_config element_get element_set body_to_frame actuator_set tendon_wrap""".split():
    STUB_MORE.append(f"def _{name}(*args: Any) -> Any: ...")
STUB_MORE += ["def set_mju_user_warning(callback: Any) -> None: ...", "def get_mju_user_warning() -> Any: ..."]

BODY_KINDS = "body geom joint site camera light frame".split()
SPEC_KINDS = """actuator sensor flex pair exclude equality tendon numeric text tuple key plugin mesh hfield skin texture
material""".split()


# What methods do that are written by hand, by name; {kind}: what is added or found.
METHODS = {
    "from_xml_path": "Read an MJCF or URDF file and compile it. With confine=True it reads no file outside its folder; confine may name another.",
    "from_xml_string": "Compile MJCF or URDF text; assets are the files that it names.",
    "from_binary_path": "Load a model that mj_saveModel wrote.",
    "bind": "The rows of this model or data that belong to elements of a spec.",
    "model": "The model that the data was made for.",
    "free": "Give the memory of pictures back.",
    "worldbody": "The body that everything else is in.",
    "default": "The main default class; of a tendon, its own.",
    "parent": "What it is inside of.",
    "from_string": "A spec from MJCF or URDF text; include holds the files that it includes, assets all others.",
    "from_file": "A spec from an MJCF or URDF file.",
    "from_zip": "A spec from a zip file that holds one MJCF file and its assets.",
    "resolve_orientation": "The quaternion of an orientation that is given in another way.",
    "compile": "The model that the spec describes. Its mistakes are a ValueError.",
    "recompile": "Model and data anew, with the state of data for what is still there.",
    "to_xml": "The spec as MJCF text.",
    "to_file": "Write the spec as an MJCF file.",
    "to_zip": "Write the spec and its assets to a zip file.",
    "copy": "A second spec with everything that this one has.",
    "attach": "Attach the world of another spec at a site or frame, its names between prefix and suffix.",
    "delete": "Remove an element and what is inside it.",
    "find_default": "The default class of that name, or None.",
    "add_default": "Add a default class below a parent class.",
    "activate_plugin": "Let the spec use a registered plugin.",
    "id": "Its number in the compiled model; -1 before that.",
    "frame": "The frame that it stands in, or None.",
    "set_frame": "Put it into a frame.",
    "find_all": "All elements of a kind in this body and below.",
    "find_child": "The body of that name below this one, or None.",
    "to_frame": "Turn a body without joints into a frame; the body is gone.",
    "attach_frame": "Attach a frame of another spec to this body.",
    "attach_body": "Attach a body of another spec to this site or frame.",
    "wrap_site": "Let the tendon go through a site.",
    "wrap_geom": "Let the tendon go around a sphere or cylinder, on the side of a site if one is named.",
    "wrap_joint": "Add coef times the position of a joint to the tendon's length.",
    "wrap_pulley": "Begin a branch that counts divided by divisor.",
    "add_*": "Add a {kind} and return it; values are its fields.",
    "set_to_*": "Make it a {kind}, with the numbers that MJCF has for one.",
    "first_*": "The first {kind} in this body, or None.",
    "next_*": "The {kind} after this one in the body, or None.",
}


def said(text, indent=8):
    """Text as the docstring of a stub."""
    return '"""' + re.sub(r"\n(?=[^\n])", "\n" + " " * indent, text.replace("\\", "\\\\")) + '"""'


def tell(lines):
    """A class of the stubs, its methods with what METHODS says of them."""

    def told(found):
        name = found["name"]
        start = next((key for key in METHODS if key.endswith("*") and name.startswith(key[:-1])), "")
        doc = METHODS.get(name) or METHODS.get(start, "").format(kind=name[len(start) - 1 :])
        return f"{found['head']}\n        {said(doc)}" if doc else found[0]

    return re.sub(r"(?<!setter\n)(?P<head>^    def (?P<name>\w+)\((?:[^()]|\([^()]*\))*\) -> [^\n]*:) \.\.\.$", told, "\n".join(lines), flags=re.M).split("\n")


def plural(kind):
    return {"body": "bodies", "equality": "equalities", "flex": "flexes", "mesh": "meshes"}.get(kind, kind + "s")


def element_class(kind):
    return "MjsHField" if kind == "hfield" else "MjsJoint" if kind == "freejoint" else "Mjs" + kind.capitalize()


def stub_element(struct):
    """Methods of an element of a spec, which sinew/_spec.py adds."""
    name = struct[3:]
    if name in ("Compiler", "Orientation", "Wrap"):
        return []
    out = [] if name == "Plugin" else ["    name: str"]
    out += ["    @property\n    def id(self) -> int: ...", "    @property\n    def signature(self) -> int: ..."]
    if name != "Default":
        out.append("    classname: MjsDefault")
    if name.lower() in BODY_KINDS:
        out += ["    @property\n    def parent(self) -> MjsBody: ...", "    @property\n    def frame(self) -> Optional[MjsFrame]: ...",
                "    def set_frame(self, frame: MjsFrame) -> None: ..."]
    if name == "Body":
        for kind in BODY_KINDS + ["freejoint"]:
            first = "" if kind == "freejoint" else "default: Any = None, "
            out.append(f"    def add_{kind}(self, {first}**values: Any) -> {element_class(kind)}: ...")
        for kind in BODY_KINDS:
            cls = element_class(kind)
            out += [f"    @property\n    def {plural(kind)}(self) -> list[{cls}]: ...",
                    f"    def first_{kind}(self) -> Optional[{cls}]: ...",
                    f"    def next_{kind}(self, element: {cls}) -> Optional[{cls}]: ..."]
        out += ["    def find_all(self, what: int | str) -> list[Any]: ...",
                "    def find_child(self, name: str) -> Optional[MjsBody]: ...",
                "    def to_frame(self) -> MjsFrame: ...",
                "    def attach_frame(self, frame: MjsFrame, prefix: Optional[str] = None, suffix: Optional[str] = None) -> MjsFrame: ..."]
    if name in ("Frame", "Site"):
        out.append("    def attach_body(self, body: MjsBody, prefix: Optional[str] = None, suffix: Optional[str] = None) -> MjsBody: ...")
    if name == "Plugin":
        out.append("    config: dict[str, str]")
    if name == "Actuator":
        for kind in "motor position intvelocity velocity damper cylinder muscle adhesion".split():
            out.append(f"    def set_to_{kind}(self, *args: Any, **values: Any) -> None: ...")
    if name == "Tendon":
        out.append("    def default(self) -> MjsDefault: ...")
        out += ["    def wrap_site(self, name: str) -> MjsWrap: ...", "    def wrap_geom(self, name: str, sidesite: str = ...) -> MjsWrap: ...",
                "    def wrap_joint(self, name: str, coef: float) -> MjsWrap: ...", "    def wrap_pulley(self, divisor: float) -> MjsWrap: ..."]
    return out


STUB_SPEC = """    def __init__(self) -> None: ...
    assets: dict[str, Any]
    override_assets: bool
    copy_during_attach: bool
    @property
    def parent(self) -> Optional[MjSpec]: ...
    @property
    def _address(self) -> int: ...
    @property
    def worldbody(self) -> MjsBody: ...
    @property
    def default(self) -> MjsDefault: ...
    @staticmethod
    def from_string(xml: str, include: Optional[dict[str, bytes]] = None, assets: Optional[dict[str, Any]] = None) -> MjSpec: ...
    @staticmethod
    def from_file(filename: Any, include: Optional[dict[str, bytes]] = None, assets: Optional[dict[str, Any]] = None) -> MjSpec: ...
    @staticmethod
    def from_zip(file: Any) -> MjSpec: ...
    @staticmethod
    def resolve_orientation(*, degree: bool = True, sequence: Any = None, orientation: MjsOrientation) -> list[float]: ...
    def compile(self) -> MjModel: ...
    def recompile(self, model: MjModel, data: MjData) -> tuple[MjModel, MjData]: ...
    def to_xml(self) -> str: ...
    def to_file(self, filename: str) -> None: ...
    def to_zip(self, file: Any) -> None: ...
    def copy(self) -> MjSpec: ...
    def attach(self, child: MjSpec, prefix: Optional[str] = None, suffix: Optional[str] = None, site: Any = None, frame: Any = None) -> Any: ...
    def delete(self, element: Any) -> None: ...
    def find_default(self, name: str) -> Optional[MjsDefault]: ...
    def add_default(self, name: str, parent: Optional[MjsDefault] = None) -> MjsDefault: ...
    def activate_plugin(self, name: str) -> None: ...""".splitlines()
for kind in SPEC_KINDS:
    STUB_SPEC.append(f"    def add_{kind}(self, default: Optional[MjsDefault] = None, **values: Any) -> {element_class(kind)}: ...")
for kind in BODY_KINDS + SPEC_KINDS:
    STUB_SPEC.append(f"    @property\n    def {plural(kind)}(self) -> list[{element_class(kind)}]: ...")
    STUB_SPEC.append(f"    def {kind}(self, name: str) -> Optional[{element_class(kind)}]: ...")

SETTING = {"MjStringVec": "Sequence[str]", "MjCharVec": "Sequence[str]", "MjByteVec": "npt.ArrayLike | bytes"}
NOT_ENUMS = ()

# method, alias, object type, size, prefixes that its fields drop
VIEWS = [
    ("body", "", "mjOBJ_BODY", "nbody", ("body_",)),
    ("joint", "jnt", "mjOBJ_JOINT", "njnt", ("jnt_",)),
    ("geom", "", "mjOBJ_GEOM", "ngeom", ("geom_",)),
    ("site", "", "mjOBJ_SITE", "nsite", ("site_",)),
    ("camera", "cam", "mjOBJ_CAMERA", "ncam", ("cam_",)),
    ("light", "", "mjOBJ_LIGHT", "nlight", ("light_",)),
    ("flex", "", "mjOBJ_FLEX", "nflex", ("flex_",)),
    ("mesh", "", "mjOBJ_MESH", "nmesh", ("mesh_",)),
    ("skin", "", "mjOBJ_SKIN", "nskin", ("skin_",)),
    ("hfield", "", "mjOBJ_HFIELD", "nhfield", ("hfield_",)),
    ("texture", "tex", "mjOBJ_TEXTURE", "ntex", ("tex_",)),
    ("material", "mat", "mjOBJ_MATERIAL", "nmat", ("mat_",)),
    ("pair", "", "mjOBJ_PAIR", "npair", ("pair_",)),
    ("exclude", "", "mjOBJ_EXCLUDE", "nexclude", ("exclude_",)),
    ("equality", "eq", "mjOBJ_EQUALITY", "neq", ("eq_",)),
    ("tendon", "ten", "mjOBJ_TENDON", "ntendon", ("tendon_", "ten_")),
    ("actuator", "", "mjOBJ_ACTUATOR", "nu", ("actuator_",)),
    ("sensor", "", "mjOBJ_SENSOR", "nsensor", ("sensor_",)),
    ("numeric", "", "mjOBJ_NUMERIC", "nnumeric", ("numeric_",)),
    ("text", "", "mjOBJ_TEXT", "ntext", ("text_",)),
    ("tuple", "", "mjOBJ_TUPLE", "ntuple", ("tuple_",)),
    ("keyframe", "key", "mjOBJ_KEY", "nkey", ("key_",)),
]

# Fields of which an object has a part that is not its row: (kind, name, how the part is found).
SLICES = {
    ("mjModel", "numeric_data"): ("numeric", "data", "OF_NUMERIC"),
    ("mjModel", "tuple_objtype"): ("tuple", "objtype", "OF_TUPLE"),
    ("mjModel", "tuple_objid"): ("tuple", "objid", "OF_TUPLE"),
    ("mjModel", "tuple_objprm"): ("tuple", "objprm", "OF_TUPLE"),
    ("mjModel", "hfield_data"): ("hfield", "data", "OF_HFIELD"),
    ("mjModel", "tex_data"): ("texture", "data", "OF_TEXTURE"),
    ("mjData", "sensordata"): ("sensor", "data", "OF_SENSOR"),
    ("mjData", "actuator_moment"): ("actuator", "moment", "OF_MOMENT"),
    ("mjData", "act"): ("actuator", "act", "OF_ACT"),
    ("mjData", "act_dot"): ("actuator", "act_dot", "OF_ACT"),
}
for name in ("D_rownnz", "D_rowadr", "D_diag", "M_rownnz", "M_rowadr"):
    SLICES["mjData", name] = ("", "", "")

# ---- functions

# In C for memory, files and errors; Python has objects and exceptions for these.
NOT_IN_PYTHON = re.compile(
    r"mjs_\w+|mjp_\w+|mjui_\w+|mjr_(default|make|free)Context|mj_\w*VFS|mj_(loadXML|parseXML\w*|compile|copyBack|recompile|freeLastXML|saveXML\w*"
    r"|copyModel|loadModel|deleteModel|makeData|copyData|markStack|freeStack|stackAlloc\w+|deleteData|makeSpec|copySpec"
    r"|deleteSpec|getPluginConfig|warning)|mjv_(copyData|defaultScene|makeScene|freeScene|copyModel)"
    r"|mju_(error\w*|warning(_\w+)?|clearHandlers|malloc|free|boxQPmalloc|strncpy|threadPool\w+|bindThreadPool|defaultTask"
    r"|taskJoin)|mjc_\w+"
)
# Written by hand in functions.c.
BY_HAND = {
    "mj_step": "mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None",
    "mj_saveLastXML": "mj_saveLastXML(filename: str, m: MjModel) -> None",
    "mj_saveModel": "mj_saveModel(m: MjModel, filename: Optional[str] = None, buffer: Optional[Array[np.uint8]] = None) -> None",
    "mj_setLengthRange": "mj_setLengthRange(m: MjModel, d: MjData, index: int, opt: MjLROpt) -> None",
    "mj_printSchema": "mj_printSchema(flg_html: bool, flg_pad: bool) -> str",
    "mj_loadAllPluginLibraries": "mj_loadAllPluginLibraries(directory: str) -> None",
    "mju_standardNormal": "mju_standardNormal(num2: Optional[npt.ArrayLike]) -> float",
    "mjr_findRect": "mjr_findRect(x: int, y: int, nrect: int, rect: MjrRect) -> int",
}
NULLABLE = {
    "jacp", "jacr", "jacPoint", "jacAxis", "cost", "geomgroup", "fromto", "DfDq", "DfDv", "DfDa", "DsDq", "DsDv", "DsDa",
    "DmDq", "A", "B", "C", "D", "index", "lower", "upper", "diag", "Dquat", "Dvel", "Dscale", "Da", "Db", "pert", "vertid",
    "geomid", "rgb", "depth",
}
# Functions of mjv that need what others may go without.
NEEDED = re.compile(r"mjv_select|mjv_(movePerturb|initPerturb|applyPerturb\w+|defaultPerturb)")
# Numbers that Python finds from the arrays, and sizes of arrays where the header gives none.
# @x: elements of x; @x.r, @x.c: its rows and columns. Without a rule a dropped n is the number of
# elements of the first array, and all arrays of unknown size have n elements.
DROP = {
    "mj_solveM": {"n": "@x / (m->nv ? m->nv : 1)"},
    "mj_solveM2": {"n": "@x / (m->nv ? m->nv : 1)"},
    "mju_boxQP": {"n": "@res"},
    "mju_cholFactor": {"n": "@mat.r"},
    "mju_cholSolve": {"n": "@res"},
    "mju_cholUpdate": {"n": "@x"},
    "mju_decodePyramid": {"dim": "@force"},
    "mju_encodePyramid": {"dim": "@force"},
    "mju_dense2sparse": {"nr": "@mat.r", "nc": "@mat.c", "nnz": "@res"},
    "mju_sparse2dense": {"nr": "@res.r", "nc": "@res.c"},
    "mju_eye": {"n": "@mat.r"},
    "mju_symmetrize": {"n": "@mat.r"},
    "mju_mulMatMat": {"r1": "@mat1.r", "c1": "@mat1.c", "c2": "@mat2.c"},
    "mju_mulMatMatT": {"r1": "@mat1.r", "c1": "@mat1.c", "r2": "@mat2.r"},
    "mju_mulMatTMat": {"r1": "@mat1.r", "c1": "@mat1.c", "c2": "@mat2.c"},
    "mju_mulMatTVec": {"nr": "@mat.r", "nc": "@mat.c"},
    "mju_mulMatVec": {"nr": "@mat.r", "nc": "@mat.c"},
    "mju_mulVecMatVec": {"n": "@vec1"},
    "mju_printMat": {"nr": "@mat.r", "nc": "@mat.c"},
    "mju_printMatSparse": {"nr": "@rownnz"},
    "mju_sqrMatTD": {"nr": "@mat.r", "nc": "@mat.c"},
    "mju_transpose": {"nr": "@mat.r", "nc": "@mat.c"},
}
JAC = {"jacp": "3 * m->nv", "jacr": "3 * m->nv"}
BAND = "((long long)ntotal - ndense) * nband + (long long)ndense * ntotal"
SIZE = {
    # the mass matrix in either of its sparse forms, or dense
    "mj_addM": {"dst": "@dst >= m->nC ? @dst : m->nC", "rownnz": "m->nv", "rowadr": "m->nv", "colind": "@colind >= m->nC ? @colind : m->nC"},
    "mj_angmomMat": {"mat": "3 * m->nv"},
    "mj_applyFT": {"qfrc_target": "m->nv"},
    "mj_constraintUpdate": {"jar": "d->nefc"},
    "mj_differentiatePos": {"qvel": "m->nv", "qpos1": "m->nq", "qpos2": "m->nq"},
    "mj_fullM": {"dst": "m->nv * m->nv", "M": "m->nM"},
    "mj_getState": {"state": "state_size(m, spec)"},
    "mj_setState": {"state": "state_size(m, spec)"},
    "mj_integratePos": {"qpos": "m->nq", "qvel": "m->nv"},
    "mj_jac": JAC, "mj_jacBody": JAC, "mj_jacBodyCom": JAC, "mj_jacDot": JAC, "mj_jacGeom": JAC, "mj_jacSite": JAC,
    "mj_jacSubtreeCom": JAC,
    "mj_jacPointAxis": {"jacPoint": "3 * m->nv", "jacAxis": "3 * m->nv"},
    "mj_mulJacTVec": {"res": "m->nv", "vec": "d->nefc"},
    "mj_mulJacVec": {"res": "d->nefc", "vec": "m->nv"},
    "mj_mulM": {"res": "m->nv", "vec": "m->nv"},
    "mj_mulM2": {"res": "m->nv", "vec": "m->nv"},
    "mj_multiRay": {"vec": "3LL * nray", "geomid": "nray", "dist": "nray", "geomgroup": "mjNGROUP"},
    "mj_ray": {"geomgroup": "mjNGROUP"},
    "mj_normalizeQuat": {"qpos": "m->nq"},
    "mj_rne": {"result": "m->nv"},
    "mj_solveM": {"x": "@y", "y": "n * m->nv"},
    "mj_solveM2": {"x": "@y", "y": "n * m->nv", "sqrtInvD": "m->nv"},
    "mj_defaultSolRefImp": {"solref": "mjNREF", "solimp": "mjNIMP"},
    "mjd_inverseFD": {
        "DfDq": "m->nv * m->nv", "DfDv": "m->nv * m->nv", "DfDa": "m->nv * m->nv",
        "DsDq": "m->nv * m->nsensordata", "DsDv": "m->nv * m->nsensordata", "DsDa": "m->nv * m->nsensordata",
        "DmDq": "m->nv * m->nM",
    },
    "mjd_transitionFD": {
        "A": "(2 * m->nv + m->na) * (2 * m->nv + m->na)", "B": "(2 * m->nv + m->na) * m->nu",
        "C": "m->nsensordata * (2 * m->nv + m->na)", "D": "m->nsensordata * m->nu",
    },
    "mjr_readPixels": {"rgb": "3 * pixel_count(viewport)", "depth": "pixel_count(viewport)"},
    "mjr_drawPixels": {"rgb": "3 * pixel_count(viewport)", "depth": "pixel_count(viewport)"},
    "mju_band2Dense": {"res": "(long long)ntotal * ntotal", "mat": BAND},
    "mju_dense2Band": {"res": BAND, "mat": "(long long)ntotal * ntotal"},
    "mju_bandMulMatVec": {"res": "(long long)ntotal * nvec", "mat": BAND, "vec": "(long long)ntotal * nvec"},
    "mju_cholFactorBand": {"mat": BAND},
    "mju_cholSolveBand": {"res": "ntotal", "mat": BAND, "vec": "ntotal"},
    "mju_boxQP": {"res": "n", "R": "n * (n + 7)", "index": "n", "H": "n * n", "g": "n", "lower": "n", "upper": "n"},
    "mju_cholFactor": {"mat": "n * n"},
    "mju_cholSolve": {"res": "n", "mat": "n * n", "vec": "n"},
    "mju_cholUpdate": {"mat": "n * n", "x": "n"},
    "mju_decodePyramid": {"force": "dim", "pyramid": "(dim > 1 ? 2 * (dim - 1) : 1)", "mu": "dim - 1"},
    "mju_encodePyramid": {"force": "dim", "pyramid": "(dim > 1 ? 2 * (dim - 1) : 1)", "mu": "dim - 1"},
    "mju_dense2sparse": {"res": "@colind", "mat": "nr * nc", "rownnz": "nr", "rowadr": "nr", "colind": "nnz"},
    "mju_sparse2dense": {"res": "nr * nc", "mat": "@colind", "rownnz": "nr", "rowadr": "nr", "colind": "@mat"},
    "mju_eye": {"mat": "n * n"},
    "mju_symmetrize": {"res": "n * n", "mat": "n * n"},
    "mju_mulMatMat": {"res": "r1 * c2", "mat1": "r1 * c1", "mat2": "c1 * c2"},
    "mju_mulMatMatT": {"res": "r1 * r2", "mat1": "r1 * c1", "mat2": "r2 * c1"},
    "mju_mulMatTMat": {"res": "c1 * c2", "mat1": "r1 * c1", "mat2": "r1 * c2"},
    "mju_mulMatTVec": {"res": "nc", "mat": "nr * nc", "vec": "nr"},
    "mju_mulMatVec": {"res": "nr", "mat": "nr * nc", "vec": "nc"},
    "mju_mulVecMatVec": {"vec1": "n", "mat": "n * n", "vec2": "n"},
    "mju_printMat": {"mat": "nr * nc"},
    "mju_printMatSparse": {"mat": "@colind", "rownnz": "nr", "rowadr": "nr", "colind": "@mat"},
    "mju_sqrMatTD": {"res": "nc * nc", "mat": "nr * nc", "diag": "nr"},
    "mju_transpose": {"res": "nc * nr", "mat": "nr * nc"},
    "mju_rayFlex": {"pnt": "3", "vec": "3"},
    "mju_raySkin": {"face": "3LL * nface", "vert": "3LL * nvert"},
}
# Sizes that are rows times columns, and functions whose products are lengths.
MATRIX = re.compile(r"(?:\(long long\))?(3|n|nr|nc|r1|r2|c1|ntotal|m->nv|m->nsensordata|\(2 \* m->nv \+ m->na\)) \* (\w+|m->\w+|\(2 \* m->nv \+ m->na\))")
FLAT = {"mj_multiRay", "mj_solveM", "mj_solveM2", "mju_raySkin", "mju_bandMulMatVec"}
# Calls that are worth letting other threads run.
LONG = re.compile(
    r"mj_(step[12]|forward\w*|inverse\w*|fwd\w+|inv[A-Z]\w+|collision|makeConstraint|projectConstraint|RungeKutta|Euler|implicit|island"
    r"|setConst|sensor\w+|multiRay|printFormatted\w+|print\w+)|mjd_(transition|inverse)FD|mjv_(updateScene|addGeoms|select)|mju_boxQP"
    r"|mjr_(render|figure|readPixels|drawPixels|resizeOffscreen|upload\w+)"
)


class Parameter:
    def __init__(self, bindings, text):
        found = re.fullmatch(r"(const )?((?:unsigned )?\w+)\s*(\*?)\s*(?:const )?(\w+)((?:\[\d+\])*)", text)
        if not found:
            raise schema.SchemaError(f"cannot read the parameter {text!r}")
        self.const, self.ctype, self.name = bool(found[1]), found[2], found[4]
        self.array = bool(found[3]) or bool(found[5])
        self.fixed = 1
        for size in re.findall(r"\[(\d+)\]", found[5]):
            self.fixed *= int(size)
        if not found[5]:
            self.fixed = 0


class Function:
    def __init__(self, bindings, returns, name, parameters):
        self.name = name
        self.returns = returns.replace("const char*", "text").strip()
        self.wanted = not NOT_IN_PYTHON.fullmatch(name)
        if not self.wanted or name in BY_HAND:
            return
        texts = [] if parameters == "void" else [p.strip() for p in parameters.split(",")]
        self.parameters = [Parameter(bindings, text) for text in texts]
        arrays = [p for p in self.parameters if p.array and p.ctype in TYPES and p.ctype != "char" and not p.fixed]
        self.drop = dict(DROP.get(name, {}))
        self.size = dict(SIZE.get(name, {}))
        if not self.drop and arrays and any(p.name == "n" and not p.array for p in self.parameters):
            self.drop = {"n": "@" + arrays[0].name}
            self.size = {p.name: "n" for p in arrays}
        for p in arrays:
            if p.name not in self.size:
                raise schema.SchemaError(f"{name}: no rule gives the size of {p.name}")
        self.kept = [p for p in self.parameters if p.name not in self.drop]

    def kind(self, p):
        """(C initializer of the argument, C expression of its value, stub type)"""
        i = self.kept.index(p)
        optional = p.name in NULLABLE and p.array and not NEEDED.fullmatch(self.name)
        flags = "OPTIONAL" if optional else "0"
        wrap = "Optional[%s]" if optional else "%s"
        if p.array and p.ctype in STRUCTS:
            return f"{{A_STRUCT, {info_number(p.ctype)}, {flags}, 0, ", f"v[{i}].p", wrap % python_class(p.ctype)
        if p.ctype in STRUCTS:
            return f"{{A_STRUCT, {info_number(p.ctype)}, 0, 0, ", f"*(const {p.ctype}*)v[{i}].p", python_class(p.ctype)
        if p.array and p.ctype == "char":
            return f"{{A_TEXT, 0, {flags}, 0, ", f"v[{i}].p", "str"
        if p.array:
            code, numpy_name, _ = TYPES[p.ctype]
            flags += "" if p.const else " | WRITES"
            taken = "npt.ArrayLike" if p.const else f"Array[np.{numpy_name}]"
            return f"{{A_ARRAY, '{code}', {flags}, {p.fixed}, ", f"v[{i}].p", wrap % taken
        if p.ctype in ("mjtNum", "double", "float"):
            return "{A_REAL, 0, 0, 0, ", f"v[{i}].real", "float"
        code = {"int": "'i'", "mjtByte": "'B'", "unsigned char": "'B'", "unsigned int": "'I'", "size_t": "'L'"}[p.ctype]
        return f"{{A_WHOLE, {code}, 0, 0, ", f"({p.ctype})v[{i}].whole", "int"

    def expression(self, text):
        def replace(found):
            i = [p.name for p in self.kept].index(found[1])
            return {None: f"v[{i}].count", ".r": f"v[{i}].rows", ".c": f"v[{i}].columns"}[found[2]]

        return re.sub(r"@(\w+)(\.[rc])?", replace, text)

    def code(self):
        if self.name in BY_HAND:
            return ""
        head = f"static PyObject* py_{self.name}(PyObject* self, PyObject* const* a, Py_ssize_t n_, PyObject* k)"
        lines = []
        count = len(self.kept)
        if count:
            lines.append(f"static const Argument arguments_{self.name}[] = {{")
            lines += [f'  {self.kind(p)[0]}"{python_name(p.name)}"}},' for p in self.kept]
            lines.append("};")
        arguments = f"arguments_{self.name}" if count else "NULL"
        lines.append(head + " {")
        lines.append(f'  static const Signature signature = {{"{self.name}", {count}, {arguments}}};')
        lines.append(f"  Value v[{max(count, 1)}];")
        lines.append("  if (!arguments_read(&signature, a, n_, k, v)) return NULL;")
        data = "NULL"
        used = " ".join(list(self.drop.values()) + list(self.size.values()))
        for p in self.kept:
            value = self.kind(p)[1]
            if p.ctype == "mjData" and p.array:
                data = "d_"
                lines.append(f"  mjData* d_ = {value};")
            if re.search(rf"\b{p.name}\b", re.sub(r"@\w+", "", used)):
                if p.array and p.ctype in ("mjModel", "mjData"):
                    lines.append(f"  const {p.ctype}* {p.name} = {value};")
                elif not p.array:
                    lines.append(f"  {p.ctype} {p.name} = {value};")
        for name, rule in self.drop.items():
            lines.append(f"  int {name} = (int)({self.expression(rule)});")
        checks = [p for p in self.kept if p.name in self.size]
        for p in checks:
            i = self.kept.index(p)
            size = self.expression(self.size[p.name])
            matrix = MATRIX.fullmatch(size)
            if "state_size" in size:
                lines.append(f"  if (!argument_state(&signature, v, {i}, {size})) return NULL;")
            elif matrix and self.name not in FLAT:
                lines.append(f"  if (!argument_shape(&signature, v, {i}, {matrix[1]}, {matrix[2]})) return NULL;")
            else:
                lines.append(f"  if (!argument_size(&signature, v, {i}, (Py_ssize_t)({size}))) return NULL;")
        if {"rownnz", "rowadr", "colind"} <= {p.name for p in self.kept} and self.name != "mju_dense2sparse":
            rows = ", ".join(str([p.name for p in self.kept].index(name)) for name in ("rownnz", "rowadr", "colind"))
            both = "v[0].p, v[1].p" if data == "d_" else "NULL, NULL"
            lines.append(f"  if (!argument_rows(&signature, v, {rows}, {both})) return NULL;")
        call = f"{self.name}({', '.join(p.name if p.name in self.drop else self.kind(p)[1] for p in self.parameters)})"
        long_call = int(bool(LONG.fullmatch(self.name)))
        result = {"void": "", "text": "const char* volatile r = NULL;"}.get(self.returns, f"{self.returns} volatile r = {{0}};")
        if self.returns in STRUCTS:
            result = f"{self.returns} r = {{0}};"
        assign = "" if self.returns == "void" else "r = "
        if result:
            lines.append("  " + result)
        lines.append("  Guard g;")
        lines.append(f"  guard_enter(&g, {data}, {long_call});")
        lines.append(f"  if (!SYSTEM_SETJMP(g.place)) {assign}{call};")
        lines.append(f"  if (!guard_leave(&g)) return arguments_release(&signature, v), NULL;")
        lines.append("  arguments_release(&signature, v);")
        done = {
            "void": "Py_RETURN_NONE",
            "text": "return text_or_none(r)",
            "mjtNum": "return PyFloat_FromDouble(r)",
            "double": "return PyFloat_FromDouble(r)",
            "float": "return PyFloat_FromDouble(r)",
            **{s: f"return struct_copy_of({info_number(s)}, &r)" for s in ("mjvGLCamera", "mjrRect")},
        }.get(self.returns, "return PyLong_FromLongLong((long long)r)")
        lines.append(f"  {done};")
        lines.append("}\n")
        return "\n".join(lines)

    def python_signature(self):
        if self.name in BY_HAND:
            return BY_HAND[self.name]
        arguments = ", ".join(f"{python_name(p.name)}: {self.kind(p)[2]}" for p in self.kept)
        returns = {"void": "None", "text": "str", "mjtNum": "float", "double": "float", "float": "float", "mjvGLCamera": "MjvGLCamera", "mjrRect": "MjrRect"}
        if self.name in ("mj_id2name", "mju_type2Str"):
            returns["text"] = "Optional[str]"
        return f"{self.name}({arguments}) -> {returns.get(self.returns, 'int')}"

    def docstring(self):
        """The first line is what inspect.signature reads, which takes no annotations: they follow."""
        signature = self.python_signature()
        arguments = signature[len(self.name) + 1 : signature.rindex(") ->")]
        # an annotation ends where its brackets are closed
        plain = re.sub(r":\s*(?:[^,\[\]=]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])+", "", arguments).replace("= ", "=")
        return f"{self.name}($module, {plain})".replace(", )", ")") + "\n--\n\n" + signature + "\n\n" + DOCS.get(self.name, "")

    def stub(self):
        doc = DOCS.get(self.name)
        return f"def {self.python_signature()}:" + (f"\n    {said(doc)}" if doc else " ...")


# What a class has to say beyond the comment of its struct: how one is made.
MAKING = {
    "mjModel": "Made by MjModel.from_xml_path, from_xml_string, from_binary_path or MjSpec.compile. Its arrays are numpy arrays\n"
    "over the engine's memory: model.body_mass[1] = 2 holds from the next step on. model.geom('name') is what it has of one geom.",
    "mjData": "Its arrays are numpy arrays over the engine's memory. data.body('name') is what it has of one body.",
    "mjSpec": "Made by MjSpec(), MjSpec.from_file or MjSpec.from_string; spec.compile() makes an MjModel of it.",
}
CONSTRUCTORS = {"mjModel": None, "mjData": "model", "mjSpec": "", "mjvScene": "model=None, maxgeom=0", "mjrRect": "left, bottom, width, height",
                "mjrContext": "model=None, fontscale=100, /"}


def struct_doc(struct):
    """What the header says of a struct, and before it a line that inspect.signature reads."""
    outer, _, group = struct.partition(".")
    text = (schema.INCLUDE / STRUCTS[outer][0]).read_text()
    found = re.search(r"^(?:typedef )?struct %s_ \{[ \t]*//([^\n]*)" % outer, text, re.M)
    if not found:
        raise schema.SchemaError(f"no comment says what {outer} is")
    said = f"{found[1].strip()}: {group}" if group else found[1].strip()
    doc = said[0].upper() + said[1:] + "."
    if struct in MAKING:
        doc += "\n\n" + MAKING[struct]
    arguments = CONSTRUCTORS.get(struct, None if outer.startswith("mjs") else "")
    name = group.capitalize() if group else python_class(struct)
    return doc if arguments is None else f"{name}({arguments})\n--\n\n{doc}"


def documentation():
    """The comment above each declaration."""
    result = {}
    for header in absent.HEADERS:
        text = (schema.INCLUDE / header).read_text()
        for comment, name in re.findall(r"((?:^//[^\n]*\n)+)MJAPI[^;{}()]*?\b(\w+)\(", text, re.M):
            result[name] = " ".join(line.strip("/ ").strip() for line in comment.strip().splitlines())
    result["mj_step"] += " Optionally, repeat nstep times."
    return result


DOCS = documentation()
BANNER = "// Generated by tools/bindings.py from the headers. Do not edit."


def info(struct):
    return "info_" + struct.replace(".", "_")


def info_number(struct):
    return "INFO_" + struct.replace(".", "_")


def field_table(struct):
    return "fields_" + struct.replace(".", "_")


def stub_class(struct):
    outer, _, group = struct.partition(".")
    return python_class(outer) + ("." + group.capitalize() if group else "")


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def numbers_file(b):
    out = [BANNER, "enum {"]
    out += [f"  {info_number(s)} = {i}," for i, s in enumerate(b.structs)]
    return "\n".join(out + ["  INFO_COUNT", "};", ""])


def outputs():
    b = Bindings()
    return {
        "python/extension/numbers.inc": numbers_file(b),
        "python/extension/fields.inc": b.fields_file(),
        "python/extension/named.inc": b.view_file(),
        "python/extension/functions.inc": b.functions_file(),
        "python/sinew/_enums.py": b.enums_file(),
        "python/sinew/_sinew.pyi": b.stubs_file(),
    }


if __name__ == "__main__":
    try:
        generate.main(outputs(), "bindings.py")
    except schema.SchemaError as error:
        sys.exit(f"bindings.py: {error}")
