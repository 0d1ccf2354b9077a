#!/usr/bin/env python3
"""Reference pages from the comments of the public headers and the docstrings of the Python modules, for tools/site.

    tools/reference.py    fails and names every function, field and constant that says nothing of itself
"""

import ast
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include"
OWN = [f"sinew/{path.name}" for path in sorted((INCLUDE / "sinew").glob("*.h"))]
SCHEMA = "mjmodel mjdata mjspec mjvisualize mjrender mjui mjplugin mjthread"
HEADERS = [*(f"mujoco/{name}.h" for name in SCHEMA.split()), *OWN]

# prefixes of functions, and what those functions are for
GROUPS = {
    "mj": "Models, data, the simulation and its stages",
    "mjs": "The editable model (mjSpec)",
    "mjv": "The abstract scene and its cameras",
    "mjr": "Pictures",
    "mjui": "User interface",
    "mju": "Vectors, matrices, quaternions, tools",
    "mjd": "Derivatives",
    "mjc": "Signed distance fields",
    "mjp": "Plugins and providers of files",
    "mjcb": "Callbacks of the program",
}

# a comment and the declarations below it, without an empty line between
DECLARED = re.compile(r"^((?://[^\n]*\n)*)((?:MJAPI[^;]+;[^\n]*\n)+)", re.M)
STRUCT = re.compile(r"((?:^//[^\n]*\n)*)^(?:typedef )?struct (\w+)_ \{[ \t]*(?://([^\n]*))?\n(.*?)^\}", re.M | re.S)
ENUM = re.compile(r"((?:^//[^\n]*\n)*)^typedef enum (\w+)_ \{[ \t]*(?://([^\n]*))?\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^\s*((?:const\s+)?(?:unsigned\s+)?\w+[\s*]*?)\s*(\w+)((?:\[[^\]]+\])*)\s*;\s*(?://\s*(.*))?$")
SHAPE = re.compile(r"\s*\(([^()]*\bx\b[^()]*|\w+|\d\*\w+)\)\s*$")


def words(comment):
    """A comment as one line, without the slashes."""
    return " ".join(line.strip().lstrip("/").strip() for line in comment.strip().splitlines()).strip()


def functions(header):
    """(name, declaration, what it does) of everything that a header exports, in its order."""
    for comment, block in DECLARED.findall((INCLUDE / header).read_text()):
        for declaration, behind in re.findall(r"MJAPI\s+([^;]+);[ \t]*(?://([^\n]*))?", block):
            name = re.match(r"[^()]*\(\*(\w+)\)", declaration) or re.search(r"(\w+)\s*(?:\(|(?:\[[^\]]*\])*$)", declaration)
            yield name[1], re.sub(r"\s+", " ", declaration), behind.strip() or words(comment)


def fields(body):
    """(group, type, name, shape, what it is) of the fields of a struct; a comment may go on in lines of its own."""
    found, start, above = [], None, ""  # start: where the struct within the struct begins
    for line in body.splitlines():
        closing, match, follows = re.match(r"\s*\} (\w+);", line), FIELD.match(line), re.match(r"\s*//\s*(.*)", line)
        if re.match(r"\s*struct \{", line):
            start = len(found)
        elif closing:
            for field in found[start:]:
                field[0] = closing[1]
        elif match:
            found.append(["", match[1].strip(), match[2], match[3], match[4] or above])
        elif follows and found and re.match(r"\s{12,}//", line):
            found[-1][4] += " " + follows[1]
            follows = None
        above = (above + " " + follows[1]).strip() if follows else ""
    for group, kind, name, dims, comment in found:
        shape = SHAPE.search(comment) if "*" in kind else None
        yield group, kind, name, shape[1] if shape else dims.strip("[]").replace("][", " x "), SHAPE.sub("", comment) if shape else comment


def structs(header):
    """(name, what it is, fields) of the structs of a header."""
    for above, name, beside, body in STRUCT.findall((INCLUDE / header).read_text()):
        yield name, (beside or words(above)).strip(), list(fields(body))


def enums(header):
    """(name, what it is, constants with what they are) of the enums of a header."""
    for above, name, beside, body in ENUM.findall((INCLUDE / header).read_text()):
        found, over = [], ""
        for line in body.splitlines():
            match = re.match(r"\s*((?:mj|sn)[A-Z]\w*)\s*(?:=[^/]*)?,?\s*(?://\s*(.*))?$", line)
            if match and match[1] not in dict(found):
                found.append((match[1], match[2] or over))
            over = words(line) if line.strip().startswith("//") else ""
        yield name, (beside or words(above)).strip(), found


ENUMS = {name for header in HEADERS for name, _, _ in enums(header)}

# ---- pages


def cell(text):
    return html.escape(text, quote=False).replace("|", "\\|")


def linked(text):
    """Names of enums as links to their constants."""
    return re.sub(r"\b(mjt[A-Z]\w+)", lambda m: f"[{m[1]}](constants.md#{m[1].lower()})" if m[1] in ENUMS else m[1], text)


def sentence(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".") if text else ""


def functions_page():
    parts = ["# Functions", "", "Every function of the headers, with what it does. [Fields](fields.md) has what models and data hold, [Python modules](modules.md) what Sinew adds in Python.", ""]
    grouped = {}
    for item in functions("mujoco/mujoco.h"):
        grouped.setdefault(item[0].split("_")[0], []).append(item)
    told = [(f"`{prefix}_`: {what}", grouped[prefix]) for prefix, what in GROUPS.items()]
    told += [("Tables: names of constants, collision functions", [item for prefix, items in grouped.items() if prefix not in GROUPS for item in items])]
    told += [(f"`{header}`", list(functions(header))) for header in OWN]
    for title, items in told:
        if items:
            parts += [f"## {title}", ""]
        for name, declaration, does in items:
            parts += [f"### {name}", "", "```c", declaration + ";", "```", "", sentence(html.escape(does, quote=False)), ""]
    return "\n".join(parts)


FIRST = ["mjModel", "mjData", "mjOption", "mjVisual", "mjStatistic", "mjContact", "mjSpec", "mjvScene"]  # what is looked up most


def fields_page(title, lead, headers):
    parts = [f"# {title}", "", lead, ""]
    found = [struct for header in headers for struct in structs(header)]
    for name, what, members in sorted(found, key=lambda s: FIRST.index(s[0]) if s[0] in FIRST else len(FIRST)):
        if not members:
            continue
        parts += [f"## {name}", "", sentence(html.escape(what, quote=False)), ""]
        last = None
        for group, kind, field, shape, comment in members:
            if group != last:
                parts += [*(["", f"### {name}.{group}", ""] if group else [""]), "| field | type | shape | meaning |", "|---|---|---|---|"]
                last = group
            parts.append(f"| `{field}` | `{kind}` | {shape} | {linked(cell(comment))} |")
        parts.append("")
    return "\n".join(parts)


def constants_page():
    parts = ["# Constants", "", "The constants of the headers. Those that are bits are added up.", ""]
    for header in HEADERS:
        for name, what, constants in enums(header):
            parts += [f"## {name}", "", sentence(html.escape(what, quote=False)), "", "| constant | meaning |", "|---|---|"]
            parts += [f"| `{constant}` | {cell(comment)} |" for constant, comment in constants] + [""]
    return "\n".join(parts)


def modules_page():
    """What Sinew adds in Python: public functions and classes of the modules, with their docstrings."""
    parts = ["# Python modules", "", "What Sinew has in Python beyond the names of the interface, which are in [functions](functions.md) and [fields](fields.md) under the same names.", ""]
    for path in sorted([*(ROOT / "python/sinew").glob("*.py"), *(ROOT / "python/sinew").glob("*/__init__.py")]):
        tree = ast.parse(path.read_text())
        listed = next((ast.literal_eval(node.value) for node in tree.body
                       if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__" and isinstance(node.value, (ast.List, ast.Tuple))), None)
        members = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") and ast.get_docstring(node)]
        members = [node for node in members if listed is None or node.name in listed]
        name = path.parent.name if path.stem == "__init__" else path.stem
        module = "sinew" if name in ("sinew", "_ask", "_confine") else f"sinew.{name}"
        if not members or (name.startswith("_") and module != "sinew"):
            continue
        if f"## `{module}`" not in parts:
            parts += [f"## `{module}`", "", *([] if path.stem == "_confine" else [prose(ast.get_docstring(tree))]), ""]
        for node in members:
            parts += [f"### {module}.{node.name}", "", "```python", signature(node), "```", "", prose(ast.get_docstring(node)), ""]
            methods = [m for m in getattr(node, "body", []) if isinstance(node, ast.ClassDef) and isinstance(m, ast.FunctionDef) and not m.name.startswith("_")]
            rows = [f"| `{m.name}` | {cell(words(ast.get_docstring(m)))} |" for m in methods if ast.get_docstring(m)]
            parts += ["| method or property | meaning |", "|---|---|", *rows, ""] if rows else []
    return "\n".join(parts)


def prose(text):
    """A docstring as Markdown: what is indented is code, and pages are links."""
    text = re.sub(r"\bdocs/([\w-]+)\.md", r"[\1](\1.md)", re.sub(r"``([^`]+)``", r"`\1`", text or ""))
    # Markdown escapes what is code by itself
    return re.sub(r"`[^`]+`|^    .*$|[^`\n]+", lambda m: m[0] if m[0].startswith(("`", "    ")) else html.escape(m[0], quote=False), text, flags=re.M)


def signature(node):
    if isinstance(node, ast.FunctionDef):
        return f"def {node.name}({ast.unparse(node.args)})"
    init = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
    arguments = re.sub(r"^self(?:: [^,]*)?(?:, )?", "", ast.unparse(init.args)) if init else ""
    if not init:  # a dataclass: its fields are what it is made of
        arguments = ", ".join(ast.unparse(m) for m in node.body if isinstance(m, ast.AnnAssign))
    return f"class {node.name}({arguments})"


def pages():
    """{name of a page: its Markdown}"""
    model = ["mujoco/mjmodel.h", "mujoco/mjdata.h"]
    lead = "Shapes are rows x columns. Units are in parentheses; where there are two, the second is of turns. In Python the names are the same: `model.body_mass`, `data.qpos`."
    return {
        "functions": functions_page(),
        "fields": fields_page("Fields of models and data", lead, model),
        "fields-spec": fields_page("Fields of specs", "The editable model, element by element. [MJCF](mjcf.md) has the same numbers as attributes.", ["mujoco/mjspec.h"]),
        "fields-scene": fields_page("Fields of scenes and pictures", "What is drawn, and how.", ["mujoco/mjvisualize.h", "mujoco/mjrender.h", "mujoco/mjui.h"]),
        "fields-own": fields_page("Fields of Sinew's own structs", "Settings and reports of what goes beyond the interface.", [*OWN, "mujoco/mjplugin.h", "mujoco/mjthread.h"]),
        "constants": constants_page(),
        "modules": modules_page(),
    }


def silent():
    """Everything public that says nothing of itself."""
    for header in ["mujoco/mujoco.h", *OWN]:
        yield from (f"{header}: {name}" for name, _, does in functions(header) if not does)
    for header in HEADERS:
        yield from (f"{header}: {name}" for name, what, *_ in [*structs(header), *enums(header)] if not what)
        yield from (f"{header}: {name}.{field}" for name, _, members in structs(header) for _, _, field, _, comment in members if not comment)
        yield from (f"{header}: {name}" for name, _, constants in enums(header) for name, comment in constants if not comment and not re.match(r"(mj|sn)N[A-Z]+$", name))


if __name__ == "__main__":
    missing = list(silent())
    print("\n".join(missing) if missing else "every function, field and constant says what it is")
    sys.exit(bool(missing))
