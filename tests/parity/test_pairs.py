"""Random couples of every two types of geoms: a seeded sample of what pairs.py runs at length.

Closed formulas agree: the same number of contacts, distances to 1e-10, normals and positions to
1e-9. Where the released engine iterates, ours takes the same steps, rounded alike: distance, normal
and position agree to 1e-6 but where two curved shapes are aligned and faces of the polytope are at
one distance. A contact that only the released engine has is proved not to be there: an axis parts
the geoms. Of the others ours is often the nearer one, which is proved case by case: the separation of
two convex shapes along any direction is a lower bound of their signed distance, and ours is the larger
one while our distance is no more than 2e-6 above it.
What is left is explained in docs/differences.md.
"""

import pytest

from pairs import PAIRS, analytic, run

# largest share of the cases that may differ
EDGES = 0.01  # boxes within a margin of each other, edge to edge
# two curved surfaces, aligned: many faces at one distance
CURVED = {"ellipsoid", "cylinder"}
CORE = {"sphere", "capsule"}


@pytest.mark.parametrize("a,b", PAIRS)
def test_pairs(a, b):
    found = run(a, b, 1000, rounds=5)
    assert found["contacts"] > 200
    total = {}
    for name, entry in found.items():
        if isinstance(entry, list):
            kind = name.split(" (")[0]
            total[kind] = total.get(kind, 0) + entry[0] / found["cases"]
    if (a, b) == ("box", "box"):
        assert total.pop("order", 0) < 0.02
        assert sum(total.values()) <= EDGES, total
    elif analytic(a, b):
        assert not total
    elif a == "hfield":
        assert total.pop("count", 0) == 0
        assert sum(total.values()) <= (0.006 if b in CURVED else 0.004), total
    else:
        total.pop("none there", None)
        core, curved = a in CORE, {a, b} <= CURVED
        assert total.pop("count", 0) <= 0.002, total
        assert sum(total.values()) <= (0.04 if curved else 0.025 if core else 0.005), total
