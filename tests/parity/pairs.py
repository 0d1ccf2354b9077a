"""Random scenes of every two types of geoms, and what our contacts differ in from the released ones.

    pairs.py [--cases 100000] [--pair box,mesh] [--seed 0]     a table, one line per pair of types

A scene holds many couples of geoms, each in a cell of its own and joined by an explicit pair, so
that one call of mj_collision meets all of them. A couple is posed in one of these regimes: touching
(from 1e-9 to 1e-2 of either side), deep, far, and along its axes (turned by quarters, offsets of
half sizes); sizes are common, tiny, or lean; margins and gaps are zero or not.
"""

import argparse
import ctypes
import itertools

import mujoco
import numpy as np

from harness import CTYPES, Data, call, ours

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
CODE = {name: int(getattr(mujoco.mjtGeom, f"mjGEOM_{name.upper()}")) for name in TYPES}
PAIRS = [(a, b) for a, b in itertools.combinations_with_replacement(TYPES, 2) if b not in ("plane", "hfield")]
REGIMES = ("touching", "deep", "far", "aligned")
ITERATES = {"ellipsoid", "cylinder", "mesh", "hfield"}  # pairs with one of these, planes aside
CELL = 8.0


def analytic(a, b):
    return a == "plane" or not {a, b} & ITERATES or (a, b) == ("sphere", "cylinder")


def sizes(rng, kind):
    s = rng.uniform(0.05, 0.5, 3)
    shape = rng.integers(4)
    if shape == 1:
        s *= 10 ** rng.uniform(-2, 0)  # tiny
    elif shape == 2:
        s[rng.integers(3)] *= 0.02  # lean
    elif shape == 3:
        s = np.round(s, 1) + 0.1
    return s


def hull(rng, s):
    if rng.integers(3) == 0:
        v = s * np.array(list(itertools.product((-1, 1), repeat=3)))
    else:
        v = rng.normal(size=(int(rng.integers(6, 60)), 3))
        v = s * v / np.linalg.norm(v, axis=1)[:, None]
    return " ".join(f"{x:.6f}" for x in v.ravel())


def scene(a, b, couples, rng, margin):
    """The released engine's model of so many couples of types a and b."""
    assets, bodies, pairs = [], [], []
    for k in range(couples):
        for side, kind in enumerate((a, b)):
            s, name = sizes(rng, kind), f"g{2 * k + side}"
            if kind == "mesh":
                assets.append(f'<mesh name="{name}" vertex="{hull(rng, s)}"/>')
                shape = f'type="mesh" mesh="{name}"'
            elif kind == "hfield":
                height = " ".join(f"{x:.4f}" for x in rng.uniform(0, 1, 30))
                assets.append(f'<hfield name="{name}" nrow="5" ncol="6" size="1 .8 .3 .2" elevation="{height}"/>')
                shape = f'type="hfield" hfield="{name}"'
            else:
                shape = f'type="{kind}" size="{s[0]} {s[1]} {s[2]}"'
            geom = f'<geom name="{name}" {shape} contype="0" conaffinity="0"/>'
            bodies.append(geom if kind in ("plane", "hfield") else f'<body pos="{k} 0 {side}"><freejoint/>{geom}</body>')
        m = rng.uniform(0, 0.1) if margin else 0
        pairs.append(f'<pair geom1="g{2 * k}" geom2="g{2 * k + 1}" margin="{m:.4f}" gap="{m / 2 * rng.integers(2):.4f}"/>')
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><asset>{"".join(assets)}</asset><worldbody>{"".join(bodies)}</worldbody>'
        f'<contact>{"".join(pairs)}</contact></mujoco>')


def reach(m, g, n):
    """The largest n.p over the points p of a geom, n in the geom's frame."""
    s, kind = m.geom_size[g], m.geom_type[g]
    if kind == CODE["plane"]:
        return 0
    if kind == CODE["sphere"]:
        return s[0]
    if kind == CODE["capsule"]:
        return s[0] + s[1] * abs(n[2])
    if kind == CODE["ellipsoid"]:
        return np.linalg.norm(s * n)
    if kind == CODE["cylinder"]:
        return s[0] * np.hypot(n[0], n[1]) + s[1] * abs(n[2])
    if kind == CODE["box"]:
        return s @ np.abs(n)
    if kind == CODE["hfield"]:
        return 0.3  # its highest peak, along its z axis
    i = m.geom_dataid[g]
    return float((m.mesh_vert[m.mesh_vertadr[i]:][:m.mesh_vertnum[i]] @ n).max())


def separation(m, d, a, b, n):
    """Of geom b from geom a along the unit vector n: a lower bound of their signed distance."""
    inside = [d.geom_xmat[g].reshape(3, 3).T @ n for g in (a, b)]
    return (d.geom_xpos[b] - d.geom_xpos[a]) @ n - reach(m, a, inside[0]) - reach(m, b, -inside[1])


def apart(m, d, a, b):
    """The largest separation along the axes of either geom and the line of centers."""
    axes = [*d.geom_xmat[a].reshape(3, 3).T, *d.geom_xmat[b].reshape(3, 3).T, d.geom_xpos[b] - d.geom_xpos[a]]
    return max(separation(m, d, a, b, sign * n / max(np.linalg.norm(n), 1e-12)) for n in axes for sign in (-1, 1))


def prisms(m, g):
    """The prisms of a height field in its frame, two to a cell: n x 6 x 3."""
    i = m.geom_dataid[g]
    nrow, ncol, size = int(m.hfield_nrow[i]), int(m.hfield_ncol[i]), m.hfield_size[i]
    z = m.hfield_data[m.hfield_adr[i]:][:nrow * ncol].reshape(nrow, ncol) * size[2]
    top = np.dstack([*np.meshgrid(np.linspace(-size[0], size[0], ncol), np.linspace(-size[1], size[1], nrow)), z])
    c, r = (k.ravel() for k in np.meshgrid(np.arange(ncol - 1), np.arange(nrow - 1)))
    halves = [np.stack([top[r, c], top[r + 1, c + 1], third], 1) for third in (top[r + 1, c], top[r, c + 1])]
    upper = np.concatenate(halves)
    lower = upper.copy()
    lower[:, :, 2] = -size[3]
    return np.concatenate([upper, lower], 1)


def prisms_apart(m, d, a, b, n, margin):
    """separation() of geom b from every prism of the height field a, as contacts within a margin see
    them: prisms higher by the margin, b larger by half of it."""
    R = d.geom_xmat[a].reshape(3, 3)
    points = prisms(m, a)
    points[:, :3, 2] += margin
    center = (d.geom_xpos[b] - d.geom_xpos[a]) @ n
    return center - (points @ (R.T @ n)).max(1) - reach(m, b, -d.geom_xmat[b].reshape(3, 3).T @ n) - margin / 2


def prism_proof(m, d, a, b, x, y, margin):
    """Is every contact of x the distance of b from a prism, or the same as one of y, whose normal
    separates less? y has no other ones."""
    matched = 0
    for i in range(len(x["dist"])):
        n, dist = x["frame"][i, :3], x["dist"][i, 0]
        same = [j for j in range(len(y["dist"])) if abs(y["dist"][j, 0] - dist) <= 1e-6
                and np.linalg.norm(y["frame"][j, :3] - n) <= 1e-6]
        if same:
            matched += 1
            continue
        apart = prisms_apart(m, d, a, b, n, margin)
        error = np.abs(apart - dist)
        # at one and the same distance the search ends where its normal is off by the root of 1e-6
        equal = len(x["dist"]) == len(y["dist"]) and abs(y["dist"][i, 0] - dist) <= 1e-6
        prism = error <= max(2e-6, error.min() if equal else 0)
        if not prism.any():
            return False
        if len(x["dist"]) == len(y["dist"]):
            if (prisms_apart(m, d, a, b, y["frame"][i, :3], margin) > apart + 1.1e-7)[prism].all():
                return False
            matched += 1
    return matched == len(y["dist"]) or len(x["dist"]) > len(y["dist"])


def turn(rng, quarters):
    mat = np.zeros(9)
    if quarters:
        p, mat = rng.permutation(3), np.zeros((3, 3))
        mat[np.arange(3), p] = rng.choice([-1, 1], 3)
        mat[:, 0] *= np.linalg.det(mat)
        return mat.ravel()
    q = rng.normal(size=4)
    mujoco.mju_quat2Mat(mat, q / np.linalg.norm(q))
    return mat


def cell(k):
    return CELL * np.array([k % 6, k // 6 % 6, k // 36])


def place(m, d, rng, couples):
    """Poses all couples; the regime of each."""
    regime = rng.integers(len(REGIMES), size=couples)
    for k in range(couples):
        name, a, b = REGIMES[regime[k]], geom(m, 2 * k), geom(m, 2 * k + 1)
        quarters = name == "aligned" or rng.integers(8) == 0
        d.geom_xmat[a], d.geom_xmat[b] = turn(rng, quarters), turn(rng, quarters)
        d.geom_xpos[a] = cell(k)
        field = m.geom_type[a] <= CODE["hfield"]
        u = rng.normal(size=3)
        if quarters:
            u = np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
        if field:
            u = d.geom_xmat[a].reshape(3, 3)[:, 2].copy() if field else u
        u /= np.linalg.norm(u)
        d.geom_xpos[b] = d.geom_xpos[a]
        t = -separation(m, d, a, b, u)
        off = 10 ** rng.uniform(-9, -2) * rng.choice([-1, 0, 1])
        t = {"touching": t + off, "deep": t * rng.uniform(0, 1), "far": t * rng.uniform(1, 2), "aligned": t + off}[name]
        d.geom_xpos[b] = d.geom_xpos[a] + t * u
        if field:
            d.geom_xpos[b] += d.geom_xmat[a].reshape(3, 3) @ (rng.uniform(-0.7, 0.7, 3) * [1, 1, 0])
        if name == "aligned":
            shift = rng.integers(-2, 3, 3) * m.geom_size[a] / 2
            d.geom_xpos[b] += d.geom_xmat[a].reshape(3, 3) @ shift - (d.geom_xmat[a].reshape(3, 3) @ shift) @ u * u
    return regime


_names = {}


def geom(m, k):
    """The geom called g<k>."""
    if id(m) not in _names:
        _names.clear()
        _names[id(m)] = {m.geom(i).name: i for i in range(m.ngeom)}
    return _names[id(m)][f"g{k}"]


FIELDS = {"dist": 1, "pos": 3, "frame": 9, "includemargin": 1, "geom": 2}


def our_contacts(data):
    kind = CTYPES["mjContact"]
    raw = np.frombuffer((ctypes.c_char * (data.ncon * ctypes.sizeof(kind))).from_address(data._struct.contact), np.uint8)
    raw, out = raw.reshape(data.ncon, ctypes.sizeof(kind)), {}
    for name, n in FIELDS.items():
        at, form = getattr(kind, name).offset, np.int32 if name == "geom" else np.float64
        out[name] = raw[:, at:at + n * np.dtype(form).itemsize].copy().view(form).reshape(data.ncon, n)
    return out


def their_contacts(d):
    c = d.contact
    return {name: np.array(getattr(c, name)).reshape(d.ncon, n) for name, n in FIELDS.items()}


def difference(a, b, x, y, m, d, k, margin):
    """How the contacts x (ours) and y of couple k differ: None, or what and by how much."""
    if len(x["dist"]) != len(y["dist"]):
        # at the very edge of the margin rounding decides
        edge = min(np.abs(np.concatenate([x["dist"], y["dist"]]) - margin).min(initial=1), 1)
        if edge <= (1e-12 if analytic(a, b) else 2e-6):
            return None
        if a == "hfield" and prism_proof(m, d, geom(m, 2 * k), geom(m, 2 * k + 1), x, y, margin):
            return "ours nearer", len(x["dist"]) - len(y["dist"])
        if a != "hfield" and not len(x["dist"]) and apart(m, d, geom(m, 2 * k), geom(m, 2 * k + 1)) >= margin - 1e-12:
            return "none there", float(np.abs(y["dist"]).max())
        return "count", len(x["dist"]) - len(y["dist"])
    if not len(y["dist"]):
        return None
    # equal contacts of exactly aligned shapes may come in another order
    if np.abs(x["pos"] - y["pos"]).max() > 1e-6:
        match = np.linalg.norm(x["pos"][:, None] - y["pos"][None], axis=2).argmin(axis=0)
        if len(set(match)) == len(match) and np.abs(x["pos"][match] - y["pos"]).max() < 1e-9:
            return "order", 0
    gap = float(np.abs(x["dist"] - y["dist"]).max())
    angle = float(np.linalg.norm(x["frame"][:, :3] - y["frame"][:, :3], axis=1).max())
    away = float(np.abs(x["pos"] - y["pos"]).max())
    if analytic(a, b):
        if gap > 1e-10:
            return "dist", gap
        return ("normal", angle) if angle > 1e-9 else ("pos", away) if away > 1e-9 else None
    if gap <= 1e-6 and angle <= 1e-6:
        return ("place", away) if away > 1e-6 else None
    if a == "hfield" and prism_proof(m, d, geom(m, 2 * k), geom(m, 2 * k + 1), x, y, margin):
        return "ours nearer", max(gap, angle)
    if a == "hfield":
        return ("dist", gap) if gap > 1e-6 else ("normal", angle)
    # curved shapes: whose normal separates more is nearer to the truth; ours is within 1e-7 of it
    first, second = geom(m, 2 * k), geom(m, 2 * k + 1)
    mine = separation(m, d, first, second, x["frame"][0, :3])
    theirs = separation(m, d, first, second, y["frame"][0, :3])
    if mine >= theirs - 1.1e-7 and abs(float(x["dist"][0, 0]) - mine) <= 2e-6:
        return "ours nearer", max(gap, angle)
    return ("dist", gap) if gap > 1e-6 else ("normal", angle)


def run(a, b, cases, seed=0, couples=100, rounds=20, options=None, examples=None):
    """Counts by kind of difference, with the largest of each."""
    rng = np.random.default_rng([seed, TYPES.index(a), TYPES.index(b)])
    found = {"cases": 0, "contacts": 0}
    while found["cases"] < cases:
        m = scene(a, b, couples, rng, margin=bool(found["cases"] // (couples * rounds) % 2))
        for name, value in (options or {}).items():
            setattr(m.opt, name, value)
        d, our = mujoco.MjData(m), ours(m)
        data, margin = Data(our), {}
        owner = {geom(m, i): i // 2 for i in range(2 * couples)}
        for i in range(couples):
            margin[owner[int(m.pair_geom1[i])]] = m.pair_margin[i]
        for _ in range(rounds):
            regime = place(m, d, rng, couples)
            data.geom_xpos[...], data.geom_xmat[...] = d.geom_xpos, d.geom_xmat
            mujoco.mj_collision(m, d)
            call("mj_collision", our, data)
            x, y = our_contacts(data), their_contacts(d)
            assert all(np.isfinite(v).all() for v in x.values()), "a contact that is not a number"
            mine = np.array([owner[g] for g in x["geom"][:, 0]], int)
            theirs = np.array([owner[g] for g in y["geom"][:, 0]], int)
            for k in range(couples):
                i, j = mine == k, theirs == k
                kind = difference(a, b, {n: v[i] for n, v in x.items()}, {n: v[j] for n, v in y.items()}, m, d, k, margin[k])
                if kind:
                    entry = found.setdefault(f"{kind[0]} ({REGIMES[regime[k]]})", [0, 0.0])
                    entry[0] += 1
                    entry[1] = max(entry[1], abs(kind[1]))
                    if examples is not None:
                        examples.append((kind, REGIMES[regime[k]], m, k, d.geom_xpos.copy(), d.geom_xmat.copy(),
                                         {n: v[i] for n, v in x.items()}, {n: v[j] for n, v in y.items()}))
            found["cases"] += couples
            found["contacts"] += len(y["dist"])
            if found["cases"] >= cases:
                break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100000)
    parser.add_argument("--pair", help="two types with a comma; all pairs by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tolerance", type=float, help="ccd_tolerance, with 500 iterations")
    arguments = parser.parse_args()
    for a, b in [tuple(arguments.pair.split(","))] if arguments.pair else PAIRS:
        options = {"ccd_tolerance": arguments.tolerance, "ccd_iterations": 500} if arguments.tolerance else None
        found = run(a, b, arguments.cases, arguments.seed, options=options)
        rest = {k: v for k, v in found.items() if isinstance(v, list)}
        text = ", ".join(f"{k} {n} (largest {most:.1e})" for k, (n, most) in sorted(rest.items()))
        print(f"{a:10}{b:10}{found['cases']:8}{found['contacts']:9} {text or 'agree'}", flush=True)


if __name__ == "__main__":
    main()
