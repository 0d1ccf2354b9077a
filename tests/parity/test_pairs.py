"""Random couples of every two types of geoms: a seeded sample of what pairs.py runs at length.

Closed formulas agree: the same number of contacts, distances to 1e-10, normals and positions to
1e-9. Where the released engine iterates, either distance and normal agree to 1e-6 or ours is the
nearer one, which is proved case by case: the separation of two convex shapes along any direction is
a lower bound of their signed distance, and ours is the larger one while our distance is no more
than 2e-6 above it. What is left is bounded here and explained in docs/differences.md.
"""

import pytest

from pairs import PAIRS, analytic, run

# largest share of the cases that may differ
COUNT = 0.03  # exactly touching, or a small core far inside: the released engine loses or invents one
SPECIAL = {
    ("box", "box"): 0.03,  # margins and lean boxes far inside each other
    ("capsule", "box"): 0.08,  # an axis through the box or exactly along one of its axes
}


@pytest.mark.parametrize("a,b", PAIRS)
def test_pairs(a, b):
    found = run(a, b, 1000, rounds=5)
    assert found["contacts"] > 200
    total = {}
    for name, entry in found.items():
        if isinstance(entry, list):
            kind = name.split(" (")[0]
            regime = name.split("(")[1]
            # a geom whose core is in a prism of a height field: docs/differences.md
            if a == "hfield" and regime.startswith("deep"):
                continue
            total[kind] = total.get(kind, 0) + entry[0] / found["cases"]
    total.pop("ours nearer", None)
    if (a, b) in SPECIAL:
        assert total.pop("order", 0) < 0.02
        assert sum(total.values()) <= SPECIAL[a, b], total
    elif analytic(a, b):
        assert not total
    elif a == "hfield":
        assert sum(total.values()) <= 0.1, total
    else:
        assert total.pop("count", 0) <= COUNT
        # two curved shapes far inside each other exhaust the allowed iterations in both engines
        assert sum(total.values()) <= 0.004, total
