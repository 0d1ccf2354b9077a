#!/usr/bin/env python3
"""Writes src/entry/entry.c and src/base/inside.h: the way into the library, with the checks of its arguments;
src/entry/sinew.c and src/base/inside_sinew.h, the same for include/sinew; and tests/fuzz/calls.inc, which calls every
such function with wild ones.

Every documented function that takes a model, data, a pointer, an index or a size is entered through a function of
its documented name that looks at the arguments once, by the rules below, and then calls the engine's own, whose name
begins with inside_. The engine calls its own functions directly: no stage checks what was checked at the door.

    entries.py           writes the files
    entries.py --check   fails when they are not up to date
"""

import re

import absent
import bindings
import generate

# Their arguments are looked at where they are implemented: files and specs, memory, errors, threads, drawing.
ELSEWHERE = re.compile(
    r"mj[spr]_\w+|mjui_\w+|mj_\w*VFS|mj_(loadXML|parseXML\w*|compile|recompile|freeLastXML|saveXML\w*|saveLastXML|copyBack"
    r"|copyModel|loadModel|deleteModel|deleteData|makeSpec|copySpec|deleteSpec|warning|copyData|loadPluginLibrary"
    r"|loadAllPluginLibraries|printSchema|sizeModel)|mjv_(copyModel|copyData|freeScene)"
    r"|mju_(error\w*|warning(_\w+)?|clearHandlers|malloc|free|threadPool\w+|bindThreadPool|defaultTask|taskJoin|writeLog)"
    r"|mju_(str2Type|strncpy|euler2Quat|standardNormal|boxQPmalloc)"
)

# The same of include/sinew: derivatives report what they refuse, renderers, films and specs are checked by their rooms.
SINEW_ELSEWHERE = re.compile(
    r"sn_(ask|\w+Budget|\w*[cC]onfine|writeLog|version|transition\w*|forwardDerivative|inverseDerivative|jvp|vjp\w*|rolloutVjp"
    r"|parameter|derive\w+|\w+Renderer|rendererBytes|draw\w+|\w+Film|filmBytes|addPicture|deleteMaximal)"
)
# Arrays of include/sinew: their sizes.
NX = "(2 * m->nv + m->na)"
SINEW_SIZE = {
    "sn_transition": {"A": f"{NX} * {NX}", "B": f"{NX} * m->nu", "C": f"m->nsensordata * {NX}", "D": "m->nsensordata * m->nu"},
    "sn_forwardDerivative": {"DaDq": "m->nv * m->nv", "DaDv": "m->nv * m->nv", "DaDact": "m->nv * m->na", "DaDctrl": "m->nv * m->nu", "DaDf": "m->nv * m->nv"},
    "sn_inverseDerivative": {"DfDq": "m->nv * m->nv", "DfDv": "m->nv * m->nv", "DfDa": "m->nv * m->nv", "DmDq": "m->nv * m->nM"},
    "sn_jvp": {"dx": NX, "du": "m->nu", "dxnext": NX},
    "sn_vjp": {"gnext": NX, "gx": NX, "gu": "m->nu"},
    "sn_rolloutVjp": {"ctrl": "nstep * m->nu", "gnext": f"nstep * {NX}", "gx": NX, "gctrl": "nstep * m->nu"},
    "sn_transitionInput": {"DxDf": f"{NX} * m->nv", "DxDw": f"{NX} * 6 * m->nbody", "DxDm": f"{NX} * 6 * m->nmocap"},
    "sn_vjpInput": {"gnext": NX, "gf": "m->nv", "gw": "6 * m->nbody", "gm": "6 * m->nmocap"},
    "sn_hamiltonian": {"p": "m->nv", "velocity": "m->nv", "rate": "m->nv"},
    "sn_christoffel": {"gamma": "m->nv"},
}

# Work that does not grow with the model: its sizes and the objects of the call are looked at, not all its indices.
LIGHT = re.compile(
    r"mj_(jac(?!Subtree)\w*|object\w+|applyFT|contactForce|stateSize|getState|setState|setKeyframe|is(Pyramidal|Sparse|Dual)|name2id|id2name|mulM2?|solveM2?"
    r"|mulJac\w+|addContact|getTotalmass|setTotalmass|getPluginConfig|saveModel|constraintUpdate)"
    r"|mjc_\w+|mjv_(defaultFreeCamera|moveCamera|moveModel)"
)
# Skins and materials are followed as well.
VIEW = re.compile(r"sn_saveGltf|mjv_(updateScene|addGeoms|makeLights|updateSkin|updateCamera|select)|mj_print\w+")
# Rows that a call before has made are read: options that decide their form must be those of then.
ROWS = re.compile(
    r"mj_(step2|fwdAcceleration|fwdConstraint|invConstraint|compareFwdInv|sensorAcc|rnePostConstraint|island|projectConstraint"
    r"|referenceConstraint|constraintUpdate|mulJac\w+|contactForce|forwardSkip|inverseSkip|fwdVelocity|invVelocity|print\w*Data"
    r"|Euler|RungeKutta|implicit|transmission|fwdActuation)"
)

# What links dofs to tendons, actuators and flexes is read as a call before has left it.
LINKS = re.compile(ROWS.pattern + r"|mj_(makeConstraint|passive|crb|sensor(Pos|Vel))|mjd_(transition|inverse)FD")

# Contacts are read, those that the program added with them.
TOUCHING = re.compile(r"mj_makeConstraint|mjv_(updateScene|addGeoms)")

# Pointers that may be NULL, by name or by function.
NULLABLE = bindings.NULLABLE | {"error", "filename", "float_format", "buffer", "name", "attrib"}
NULLABLE_IN = {
    "mjv_initGeom": {"size", "pos", "mat", "rgba"},
    "mjv_makeScene": {"m"},
    "mj_applyFT": {"force", "torque"},
    "mj_addM": {"rownnz", "rowadr", "colind"},
    "mj_defaultSolRefImp": {"solref", "solimp"},
    "mj_local2Global": {"xpos", "xmat", "pos", "quat"},
    "mju_transformSpatial": {"rotnew2old"},
    "sn_hamiltonian": {"velocity", "rate"},
    "sn_makeMaximal": {"m", "opt"},
    "sn_saveGltf": {"m", "state", "options", "path"},
    **{f"sn_set{what}": {"user"} for what in ("Passive", "Control", "ContactFilter", "Sensor", "ActDyn", "ActGain", "ActBias")},
}

# Objects: name of the parameter -> size of what it points into.
OBJECTS = {
    "body": "nbody", "geom": "ngeom", "geom1": "ngeom", "geom2": "ngeom", "geomid": "ngeom", "site": "nsite",
    "flexid": "nflex", "plugin_id": "nplugin",
}
OBJECTS_IN = {("mj_setLengthRange", "index"): "nu", ("mjc_getSDF", "id"): "ngeom"}
SIZES = set("n nr nc r1 c1 c2 r2 ntotal nband ndense nvec nray nface nvert maxgeom buffer_sz error_sz nnz".split())
# (function, parameter) -> first and last value
RANGES = {
    ("mju_Halton", "base"): ("2", "INT_MAX"),
    ("mju_Halton", "index"): ("0", "INT_MAX"),
    ("mju_encodePyramid", "dim"): ("1", "6"),
    ("mju_decodePyramid", "dim"): ("1", "6"),
    ("mj_RungeKutta", "N"): ("4", "4"),
    ("mju_bandDiag", "i"): ("0", "ntotal - 1"),
    ("sn_wake", "body"): ("-1", "m->nbody - 1"),
    ("sn_geodesic", "steps"): ("0", "INT_MAX"),
}
# What the rows of a band matrix look like, wherever it is a parameter.
BANDS = "nband"
# Contents of index arrays.
EXTRA = {
    "mj_addM": "(!rownnz || guard_sparse(F, m->nv, m->nv, rownnz, rowadr, colind, true))",
    "mju_sparse2dense": "guard_sparse(F, nr, nc, rownnz, rowadr, colind, false)",
    "mju_printMatSparse": "guard_sparse(F, nr, INT_MAX, rownnz, rowadr, colind, false)",
    "mju_raySkin": "guard_faces(F, nface, nvert, face)",
    # data of another model is none of theirs
    "sn_setMaximal": "guard_step(F, x->model, d, false)",
    "sn_getMaximal": "guard_step(F, x->model, d, true)",
    "sn_stepMaximal": "guard_step(F, x->model, x->data, true)",
}
RETURNS = {
    "mj_name2id": "-1", "mj_ray": "-1", "mj_rayHfield": "-1", "mj_rayMesh": "-1", "mju_rayGeom": "-1", "mju_rayFlex": "-1",
    "mju_raySkin": "-1", "mj_addContact": "1", "mjv_select": "-1",
    "sn_hamiltonian": "NAN", "sn_geodesic": "NAN", "sn_getMaximal": "NAN",
}


# Not called with wild arguments: the stack, and what writes files, which takes longer than all others together.
NOT_CALLED = re.compile(r"mj_(saveModel|print\w+|stackAlloc\w+|markStack|freeStack|local2Global)|mju_(print\w+)|mjc_\w+"
                        # made by hand in wild.h, or without arguments that can be wrong
                        r"|sn_(\w*Maximal|christoffel|saveGltf|set(Passive|Control|ContactFilter|Sensor|Act\w+)|transition(By|Over)|vjpBy"
                        r"|parameter|ask|\w+Budget|\w*[cC]onfine|writeLog|version|derive\w+|\w+Renderer|rendererBytes|draw\w+|\w+Film"
                        r"|filmBytes|addPicture|\w+Name)")


UNKNOWN = "nr"  # an array of which only the number of rows is known


def wide(size):
    """A size that does not overflow, whatever its factors are."""
    return size if "long long" in size else re.sub(r"(?<![\w>])([a-z]\w*)\b(?!->)", r"(long long)\1", size)


class Entry:
    def __init__(self, returns, name, parameters):
        self.returns, self.name, self.text = returns, name, parameters
        self.parameters = [] if parameters == "void" else [bindings.Parameter(None, p.strip()) for p in parameters.split(",")]
        self.names = [p.name for p in self.parameters]
        # numbers before the arrays that they measure
        ordered = sorted(self.parameters, key=lambda p: p.array and p.ctype not in ("mjModel", "mjData"))
        self.checks = [c for p in ordered for c in self.check(p)]
        if self.name in EXTRA:
            self.checks.append(EXTRA[self.name])
        if BANDS in self.names:
            self.checks.append("guard_band(F, ntotal, nband, ndense)")

    def named(self, name, ctype):
        return any(p.name == name and p.array and p.ctype == ctype for p in self.parameters)

    def check(self, p):
        nullable = p.array and (p.name in NULLABLE or p.name in NULLABLE_IN.get(self.name, ())) and not bindings.NEEDED.fullmatch(self.name)
        if p.ctype == "mjModel" and p.array:
            data = "d" if self.named("d", "mjData") else "NULL"
            writes = any(q.ctype == "mjData" and not q.const for q in self.parameters)
            how = "LIGHT" if LIGHT.fullmatch(self.name) else "VIEW" if VIEW.fullmatch(self.name) else "STEP"
            check = f"guard_{how.lower()}(F, {p.name}, {data}, {'true' if writes else 'false'})"
            if self.name.startswith("mjv_"):  # model and data may be another library's: only their public part is read
                check = f"guard_drawn(F, {p.name})" + (f" && guard_drawn_data(F, {p.name}, {data})" if data == "d" else "")
            if self.name == "sn_saveGltf":
                check += f" && guard_assets(F, {p.name})"
                check = f"({check})" if nullable else check
            yield f"(!{p.name} || {check})" if nullable else check
            if data == "d" and ROWS.fullmatch(self.name):
                yield "guard_rows(F, m, d)"
            if data == "d" and LINKS.fullmatch(self.name):
                yield "guard_links(F, m, d)"
            if data == "d" and TOUCHING.fullmatch(self.name):
                yield "guard_touching(F, m, d)"
        elif p.ctype == "mjData" and p.array:
            if not self.named("m", "mjModel"):
                yield f'guard_pointer(F, "{p.name}", {p.name})'
        elif p.array:
            if nullable:
                return
            if p.ctype == "mjvScene" and not re.fullmatch("mjv_(default|make)Scene", self.name):
                yield f"guard_scene(F, {p.name})"
                return
            size = self.size(p)
            if size and re.fullmatch(r"[\w\s*()+?:\->]+", size) and size != "1":
                yield f'guard_sized(F, "{p.name}", {p.name}, {wide(size)})'
            else:
                yield f'guard_pointer(F, "{p.name}", {p.name})'
        elif p.ctype == "int":
            key = (self.name, p.name)
            size = OBJECTS_IN.get(key) or OBJECTS.get(p.name)
            if key in RANGES:
                yield f'guard_range(F, "{p.name}", {p.name}, {", ".join(RANGES[key])})'
            elif size and self.named("m", "mjModel"):
                yield f'guard_object(F, "{p.name}", {p.name}, m->{size})'
                if LIGHT.fullmatch(self.name) and p.name in ("body", "geom", "site"):
                    yield f"guard_{p.name}(F, m, {p.name})"
            elif size and self.named("d", "mjData"):
                yield f'guard_object(F, "{p.name}", {p.name}, data_{size}(d))'
            elif p.name in SIZES:
                yield f'guard_size(F, "{p.name}", {p.name})'
            elif p.name == "objid":
                yield "guard_typed(F, m, objtype, objid)"

    def size(self, p):
        """The number of elements of an array, in the words of the parameters, or None."""
        if p.ctype == "char" or p.fixed:
            return None
        rule = SINEW_SIZE.get(self.name, {}).get(p.name) or bindings.SIZE.get(self.name, {}).get(p.name)
        if rule is None and "n" in self.names and p.ctype in bindings.TYPES:
            return "n"
        if rule is None or "mju_" in rule or "state_size" in rule or ">=" in rule:
            return None
        for _ in range(2):
            rule = re.sub(r"@(\w+)", lambda found: bindings.SIZE[self.name].get(found[1], "@"), rule)
        if "@" in rule:
            return UNKNOWN if "nr" in self.names else None
        return rule

    def code(self):
        head = f"{self.returns} {self.name}({self.text})"
        call = f"inside_{self.name}({', '.join(self.names)})"
        zero = RETURNS.get(self.name) or ("NULL" if "*" in self.returns else f"({self.returns}){{0}}")
        fail = "return;" if self.returns == "void" else f"return {zero};"
        lines = [head + " {", f'  static const char F[] = "{self.name}";']
        lines.append("  if (!(" + " &&\n        ".join(self.checks) + ")) " + fail)
        lines.append(("  " if self.returns == "void" else "  return ") + call + ";")
        return "\n".join(lines + ["}", ""])

    def wild(self):
        """Calls the function with arguments that the harness makes up (tests/fuzz/wild.h)."""
        lines, later = [], []
        for p in self.parameters:
            const = "const " if p.const else ""
            if p.array and p.ctype in ("mjModel", "mjData"):
                lines.append(f"  {const}{p.ctype}* {p.name} = wild_{p.ctype[2:].lower()}(w);")
            elif p.array and p.ctype == "char":
                made = "const char* %s = wild_text(w)" if p.const else "char* %s = (char*)wild_bytes(w, 4096)"
                later.append(f"  {made % p.name};")
            elif p.array and p.name in ("rownnz", "rowadr"):
                later.append(f"  int* {p.name} = wild_pattern(w);")
            elif p.array and p.ctype in bindings.TYPES:
                known = self.size(p)
                size = (known if known != UNKNOWN or p.name.startswith("row") else None) or (str(p.fixed) if p.fixed else "65536")
                size = re.sub(r"\b([md])->", r"w->\1->", size)
                # sizes of the model may have been written: their products go beyond any integer
                size = re.sub(r"(?<!\))\bw->", "(long long)w->", wide(size)).replace("(long long)", "(double)")
                kind = {"d": "reals", "f": "floats", "i": "ints", "B": "bytes"}[bindings.TYPES[p.ctype][0]]
                later.append(f"  {p.ctype}* {p.name} = wild_{kind}(w, {size});")
            elif p.array:
                later.append(f"  {const}{p.ctype}* {p.name} = wild_struct(w, &w->{p.ctype});")
            elif p.ctype in ("mjtNum", "float", "double"):
                lines.append(f"  {p.ctype} {p.name} = ({p.ctype})wild_real(w);")
            elif p.name in SIZES | {"nstep", "steps"}:
                lines.append(f"  int {p.name} = wild_size(w);")
            else:
                lines.append(f"  {p.ctype} {p.name} = ({p.ctype})wild_int(w);")
        call = f"  {self.name}({', '.join(self.names)});"
        return "\n".join([f"static void call_{self.name}(Wild* w) {{", *lines, *later, call, "}", ""])

    def declaration(self):
        return f"{self.returns} inside_{self.name}({self.text});\n#define {self.name} inside_{self.name}"


def entries():
    for returns, name, parameters in absent.declarations():
        if ELSEWHERE.fullmatch(name) or "..." in parameters:
            continue
        entry = Entry(returns, name, parameters)
        if entry.checks:
            yield entry


def sinew_headers():
    return sorted((absent.ROOT / "include/sinew").glob("*.h"))


def sinew_entries(skip):
    for returns, name, parameters in absent.declarations(sinew_headers()):
        if not skip.fullmatch(name):
            yield Entry(returns, name, parameters)


def outputs():
    made = list(entries())
    sinew = [e for e in sinew_entries(SINEW_ELSEWHERE) if e.checks]
    headers = [f"#include <sinew/{h.name}>" for h in sinew_headers()]
    banner = "// Generated by tools/entries.py from the headers. Do not edit."
    inside = [
        banner,
        "// The engine's own functions behind the documented ones (src/entry/entry.c), which check arguments first.",
        "#ifndef SINEW_BASE_INSIDE_H_",
        "#define SINEW_BASE_INSIDE_H_",
        "",
        "#include <mujoco/mujoco.h>",
        "",
        *[e.declaration() for e in made],
        "",
        "#endif",
    ]
    entry = [
        banner,
        "#define SN_ENTRY  // documented names are meant here",
        '#include "entry/guard.h"',
        "",
        *[f"{e.returns} inside_{e.name}({e.text});" for e in made],
        "",
        *[e.code() for e in made],
    ]
    inside_sinew = [
        banner,
        "// As inside.h for the functions of include/sinew; for the files that define them.",
        "#ifndef SINEW_BASE_INSIDE_SINEW_H_",
        "#define SINEW_BASE_INSIDE_SINEW_H_",
        "",
        *headers,
        "",
        *[e.declaration() for e in sinew],
        "",
        "#endif",
    ]
    entry_sinew = [
        banner,
        "#define SN_ENTRY  // documented names are meant here",
        "#include <math.h>",
        *headers,
        "",
        '#include "entry/guard.h"',
        "",
        *[f"{e.returns} inside_{e.name}({e.text});" for e in sinew],
        "",
        *[e.code() for e in sinew],
    ]
    called = [e for e in made if not NOT_CALLED.fullmatch(e.name)] + list(sinew_entries(NOT_CALLED))
    calls = [
        banner,
        *[e.wild() for e in called],
        "static const struct {\n  const char* name;\n  void (*call)(Wild* w);\n} calls[] = {",
        *[f'  {{"{e.name}", call_{e.name}}},' for e in called],
        "};",
    ]
    calls = {"tests/fuzz/calls.inc": "\n".join(calls) + "\n"}
    files = {"src/base/inside_sinew.h": "\n".join(inside_sinew) + "\n", "src/entry/sinew.c": "\n".join(entry_sinew)}
    return calls | files | {"src/base/inside.h": "\n".join(inside) + "\n", "src/entry/entry.c": "\n".join(entry)}


if __name__ == "__main__":
    generate.main(outputs(), "entries.py")
