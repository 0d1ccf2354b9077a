"""Random models of every element and attribute, by both compilers: accepted alike, the same in every
field, and the same again after saving.

    SINEW_GENERATE=5000 tests/parity/run test_generate.py      a longer search, from seed 0
"""

import os
import re
import xml.etree.ElementTree as ET

import differ
import generate
import pytest

COUNT = int(os.environ.get("SINEW_GENERATE", 64))
CHUNK = max(1, COUNT // 4)
ISOLATED = {test: differ.isolated(test) for test in (differ.different, differ.saved)}


@pytest.mark.parametrize("test", ISOLATED, ids=["fields", "saved"])
@pytest.mark.parametrize("first", range(0, COUNT, CHUNK))
def test_models(first, test):
    compared = 0
    for seed in range(first, min(first + CHUNK, COUNT)):
        files = generate.Maker(seed).files()
        found = ISOLATED[test](files)
        if found and found[0][0] == "crash of theirs":
            continue
        if found:
            pytest.fail(f"seed {seed}: {found[0][0]}: {found[0][1]}; differ.py {seed} 1 shrinks it")
        compared += 1
    assert compared > 0.5 * min(CHUNK, COUNT - first)


# seeds beyond the first ones that found something
FOUND = [130, 208, 389, 460, 470, 486, 625, 718, 724, 739, 789, 799, 917, 1059, 1169, 1294, 1811, 1813]


@pytest.mark.parametrize("test", ISOLATED, ids=["fields", "saved"])
def test_found(test):
    for seed in FOUND:
        assert not ISOLATED[test](generate.Maker(seed).files()), f"seed {seed}"


def test_many_are_valid():
    """A generator of nothing but errors would compare nothing."""
    valid = sum(differ.isolated(lambda files: differ.load(files)[2] is not None)(generate.Maker(seed).files()) is True
                for seed in range(40))
    assert valid > 8


def test_coverage():
    """Every element of the schema is generated, but for those listed."""
    made = set()
    for seed in range(700):
        for text in generate.Maker(seed).files().values():
            for element in ET.fromstring(text).iter():
                made.update((element.tag, a) for a in element.attrib)
    missing = []
    for tag, attributes in schema():
        missing += [f"{tag}.{a}" for a in attributes if (tag, a) not in made and not LEFT.fullmatch(f"{tag}.{a}")]
    assert not missing, " ".join(sorted(set(missing)))


# files, plugins and keys have tests of their own; some are refused or differ on purpose; the rest is for
# composites and flexes of other kinds
LEFT = re.compile(
    r".*\.(file\w*|content_type|plugin|instance)|(config|instance|plugin)\..*|texture\.(gridsize|gridlayout)"
    r"|mesh\.normal|flexcomp\.(element|point|texcoord|origin)|flex\.(node|elemtexcoord)|composite\.vertex"
    r"|skin\.subgrid|joint\.(kind|solimpfix|solreffix)|ballquat\.cutoff|fixed\.armature|key\.\w+|compiler\.fitaabb"
    r"|tendon\.(class|material)")


def schema():
    """[(element, [attributes])] as the library itself prints it."""
    import ctypes

    import harness

    text = ctypes.create_string_buffer(1 << 20)
    harness.call("mj_printSchema", None, text, len(text), 0, 0, restype=ctypes.c_int)
    result = []
    for line in text.value.decode().splitlines():
        head = re.match(r" *([\w()]+) \(.\) *(.*)", line)
        if head:
            result.append((head[1].replace("(world)", ""), head[2].split()))
        elif result:
            result[-1][1].extend(line.split())
    return result
