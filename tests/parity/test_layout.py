"""The headers: every struct, field, enum, constant and function as in the released ones."""

import pathlib
import re
import subprocess

import mujoco
import pytest

from harness import ROOT

OURS = ROOT / "include"
THEIRS = pathlib.Path(mujoco.__file__).parent / "include"
MACRO_HEADERS = [p.name for p in sorted((OURS / "mujoco").glob("*.h"))]


def preprocess(include, text="#include <mujoco/mujoco.h>\n", flags=()):
    """Our own lines of the preprocessed text: what comes from the headers under `include`."""
    out = subprocess.run(
        ["cc", "-E", *flags, "-I", str(include), "-x", "c", "-"],
        input=text, capture_output=True, text=True, check=True,
    ).stdout
    kept, keep = [], True
    for line in out.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            keep = "/mujoco/" in marker.group(1) or marker.group(1) == "<stdin>"
        elif keep:
            kept.append(line)
    return "\n".join(kept)


def body_at(text, start):
    """The text between the brace at `start` and its partner, and the position behind it."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[start + 1 : i], i + 1
    raise ValueError("braces")


def fields_of(body):
    """Paths of the fields of a struct body; members of nested structs come with their prefix."""
    at, result = 0, []
    while body[at:].strip():
        nested = re.compile(r"\s*(?:struct|union)\s*\w*\s*\{").match(body, at)
        if nested:
            inner, at = body_at(body, nested.end() - 1)
            end = body.index(";", at)
            name = re.sub(r"\[.*", "", body[at:end].strip())
            result += [name] if name else []
            result += [f"{name}.{f}" if name else f for f in fields_of(inner)]
        else:
            end = body.index(";", at)
            for declarator in re.sub(r"\([^)]*\)$", "", body[at:end].strip()).split(","):
                result.append(re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", declarator))[-1])
        at = end + 1
    return result


def structs(text):
    result = {}
    for found in re.finditer(r"struct (\w+)\s*\{", text):
        if found.group(1).startswith("mj"):
            result[found.group(1)] = fields_of(body_at(text, found.end() - 1)[0])
    return result


def enumerators(text):
    result = []
    for found in re.finditer(r"enum (\w+)\s*\{", text):
        body, _ = body_at(text, found.end() - 1)
        result += re.findall(r"(?:^|,)\s*(\w+)", body)
    return result


def numbers(include, expressions, tmp_path, header="#include <mujoco/mujoco.h>"):
    """Values of expressions, from a program compiled against the headers."""
    lines = [header, "#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    lines += [f'  printf("%.17g\\n", (double)({e}));' for e in expressions]
    source = tmp_path / "numbers.c"
    source.write_text("\n".join(lines + ["  return 0;", "}"]))
    program = tmp_path / "numbers"
    subprocess.run(["cc", "-w", "-I", str(include), str(source), "-o", str(program)], check=True)
    out = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return [float(line) for line in out.split()]


def assert_equal_numbers(expressions, tmp_path):
    ours, theirs = (numbers(d, expressions, tmp_path) for d in (OURS, THEIRS))
    wrong = [f"{e}: {a} {b}" for e, a, b in zip(expressions, ours, theirs) if a != b]
    assert not wrong, "\n".join(["ours, expected:"] + wrong)


def test_structs(tmp_path):
    ours, theirs = (structs(preprocess(d)) for d in (OURS, THEIRS))
    assert ours == theirs
    assert len(ours) > 60
    expressions = []
    for struct, fields in ours.items():
        expressions.append(f"sizeof(struct {struct})")
        for field in fields:
            expressions.append(f"offsetof(struct {struct}, {field})")
            expressions.append(f"sizeof(((struct {struct}*)0)->{field})")
    assert_equal_numbers(expressions, tmp_path)


def test_enums(tmp_path):
    ours, theirs = (enumerators(preprocess(d)) for d in (OURS, THEIRS))
    assert ours == theirs
    assert len(ours) > 400
    assert_equal_numbers(ours, tmp_path)


def test_constants(tmp_path):
    def constants(include):
        names = set()
        for header in (include / "mujoco").glob("*.h"):
            names |= set(re.findall(r"^#define\s+(mj[A-Z]\w*)\s+[-\d(.]", header.read_text(), re.M))
        return names

    theirs = sorted(constants(THEIRS))
    assert sorted(constants(OURS)) == theirs
    assert_equal_numbers([n for n in theirs if n != "mjPRINTFLIKE"], tmp_path)


def test_functions(tmp_path):
    """Redeclares our functions behind their headers: a difference in type does not compile."""
    text = re.sub(r"\s+", " ", preprocess(OURS, flags=["-DMJ_STATIC"]))
    text = re.sub(r"__attribute__ ?\(\(.*?\)\)(?=[ ;])", "", text)
    ours = re.findall(r"(?<=[;}] )((?!typedef)[\w* ]+?\b(mj\w_?\w*)\([^;{}]*\)) ?;", text)
    names = {name for _, name in ours}
    theirs = set(re.findall(r"MJAPI (?!extern)[\w* ]*?(mj\w+)\(", "".join(
        p.read_text() for p in sorted((THEIRS / "mujoco").glob("*.h")))))
    # declared only for builds with USD, which the released wheel is not
    assert theirs - names == {"mj_loadUSD", "mj_parseUSDStage"}
    assert len(names) > 400
    source = tmp_path / "declare.c"
    source.write_text("#include <mujoco/mujoco.h>\n" + "".join(d.strip() + ";\n" for d, _ in ours))
    done = subprocess.run(
        ["cc", "-fsyntax-only", "-I", str(THEIRS), str(source)], capture_output=True, text=True
    )
    assert not done.returncode, done.stderr


MACROS = """MJOPTION_FLOATS MJOPTION_INTS MJOPTION_SCALARS MJOPTION_VECTORS MJMODEL_INTS
  MJMODEL_POINTERS_PREAMBLE(m) MJMODEL_POINTERS MJDATA_POINTERS_PREAMBLE(m) MJDATA_POINTERS
  MJDATA_ARENA_POINTERS_CONTACT MJDATA_ARENA_POINTERS_SOLVER MJDATA_ARENA_POINTERS_DUAL
  MJDATA_ARENA_POINTERS_ISLAND MJDATA_ARENA_POINTERS MJDATA_SCALAR MJDATA_VECTOR""".split()


def test_field_macros():
    """mjxmacro.h: every macro of the released one, with the same expansion."""

    def names(include):
        text = (include / "mujoco/mjxmacro.h").read_text()
        return set(re.findall(r"^#define (\w+)", text, re.M)) - {"MUJOCO_MJXMACRO_H_"}

    def expansions(include):
        program = "#include <mujoco/mjxmacro.h>\n#undef MJ_M\n#undef MJ_D\n#undef XNV\n"
        program += "".join(f"@ {macro}\n" for macro in MACROS)
        out = preprocess(include, program).split("@ ")[1:]
        entries = lambda text: re.findall(r"XN?V?\(.*?\)(?=X|$)|int\w+=m->\w+;", re.sub(r"\s+", "", text))
        return {macro: entries(text) for macro, text in zip(MACROS, out)}

    assert names(OURS) == names(THEIRS)
    assert {m.split("(")[0] for m in MACROS} | {"MJ_M", "MJ_D", "XNV"} == names(THEIRS)
    ours, theirs = expansions(OURS), expansions(THEIRS)
    for macro in MACROS:
        # declarations may stand in any order, fields stand in theirs
        key = sorted if "PREAMBLE" in macro else list
        assert theirs[macro] and key(ours[macro]) == key(theirs[macro]), macro


@pytest.mark.parametrize("header", MACRO_HEADERS)
def test_headers_stand_alone(header, tmp_path):
    for compiler, language in (("cc", "c"), ("c++", "c++")):
        done = subprocess.run(
            [compiler, "-fsyntax-only", "-Wall", "-Werror", "-I", str(OURS), "-x", language, "-"],
            input=f"#include <mujoco/{header}>\nint unused;\n", capture_output=True, text=True,
        )
        assert not done.returncode, done.stderr
