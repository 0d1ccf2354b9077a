"""The type stubs say what the compiled module has, no more and no less."""

import ast
import keyword
import pathlib
import re

import pytest

import sinew
from sinew import _sinew

TREE = ast.parse((pathlib.Path(sinew.__file__).parent / "_sinew.pyi").read_text())
OURS = {"Array"}  # names of the stubs' own


def classes(body):
    return {node.name: node for node in body if isinstance(node, ast.ClassDef)}


def functions(body):
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def attributes(node):
    names = set(functions(node.body)) | set(classes(node.body))
    return names | {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}


def test_module():
    stubbed = set(classes(TREE.body)) | set(functions(TREE.body))
    there = {n for n in dir(_sinew) if not n.startswith("__")}
    assert stubbed - OURS == there


def test_parameters():
    for name, node in functions(TREE.body).items():
        match = re.match(r"(\w+)\(([^\n]*)\) -> ", getattr(_sinew, name).__doc__ or "")
        if match:
            documented = re.findall(r"(?:^|, )(\w+): ", re.sub(r"\[[^\[\]]*\]", "", match[2]))
            assert [a.arg for a in node.args.args] == documented, name


@pytest.mark.parametrize("name", sorted(set(classes(TREE.body))))
def test_class(name):
    def compare(node, cls):
        special = re.compile(r"__\w+__|_from_bytes")
        stubbed = {n for n in attributes(node) if not special.fullmatch(n)}
        there = {n for n in vars(cls) if not special.fullmatch(n) and not keyword.iskeyword(n)}
        if name not in ("Named", "FatalError", "UnexpectedError"):
            assert stubbed == there
        for inner, inner_node in classes(node.body).items():
            compare(inner_node, getattr(cls, inner))

    compare(classes(TREE.body)[name], getattr(_sinew, name))


def test_docs():
    """Fields say what they are at run time, each what its own line of the header says; functions in the stubs as well."""
    for cls in (sinew.MjModel, sinew.MjData, sinew.MjOption, sinew.MjContact, sinew.MjsGeom, sinew.MjvScene):
        fields = [n for n, value in vars(cls).items() if type(value).__name__ == "getset_descriptor" and not n.startswith("__")]
        assert len(fields) > 10 and all(getattr(cls, n).__doc__ for n in fields), cls
    assert "(kg) (nbody x 1)" in sinew.MjModel.body_mass.__doc__
    assert "compiled structure" in sinew.MjModel.signature.__doc__ and "compiled structure" in sinew.MjData.signature.__doc__
    public = {name: node for name, node in functions(TREE.body).items() if not name.startswith(("_", "set_mj", "get_mj"))}
    assert len(public) > 250 and [name for name, node in public.items() if not ast.get_docstring(node)] == []
