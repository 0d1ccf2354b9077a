"""One state of a model in both engines, stage by stage: the first stage at which they part.

    stages.py model.xml ...                 each file, several states each
    stages.py --search [first [number]]     random scenes (scenes.py), by family
"""

import sys

import mujoco
import numpy as np
from harness import Data, call, load_ours, oracle_set, oracle_state, worst

# stage: (tolerance relative to the largest entry, fields). Later stages follow from earlier ones.
STAGES = {
    "kinematics": (1e-9, "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat cam_xpos cam_xmat"
                         " light_xpos light_xdir subtree_com cinert cdof flexvert_xpos flexelem_aabb"),
    "position": (1e-9, "ten_length ten_J wrap_xpos wrap_obj ten_wrapnum ten_wrapadr flexedge_length flexedge_J actuator_length"
                       " moment crb qM qLD"),
    "contact": (1e-6, ""),
    "rows": (1e-6, "efc_type efc_id efc_pos efc_margin efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R"),
    "velocity": (1e-9, "cvel cdof_dot ten_velocity actuator_velocity flexedge_velocity qfrc_bias qfrc_spring qfrc_damper"
                       " qfrc_gravcomp qfrc_fluid qfrc_passive efc_vel efc_aref"),
    "smooth": (1e-8, "actuator_force act_dot qfrc_actuator qfrc_smooth qacc_smooth"),
    "solve": (1e-6, "qacc qfrc_constraint efc_force cacc cfrc_int cfrc_ext"),
    "sensor": (1e-6, "sensordata energy"),
}
CONTACT = "dist pos frame includemargin friction solref solimp dim geom flex elem vert exclude efc_address"


def moment(m, d):
    """actuator_moment, dense: entries that are zero but for rounding are in its pattern or not."""
    out = np.zeros((m.nu, m.nv))
    for i in range(m.nu):
        at = slice(int(d.moment_rowadr[i]), int(d.moment_rowadr[i]) + int(d.moment_rownnz[i]))
        out[i, d.moment_colind[at]] = d.actuator_moment.ravel()[at]
    return out


def fields(names, data, d, tolerance):
    """[text] of what differs by more than the tolerance."""
    out = []
    for name in names.split():
        if name == "moment":
            a, b = moment(data.model, data), moment(data.model, d)
        else:
            a, b = np.asarray(getattr(data, name)), np.asarray(getattr(d, name))
        if a.size != b.size:
            out.append(f"{name}: {a.size} for {b.size}")
        elif b.size:
            ratio, at = worst(a, b, tolerance, tolerance)
            if ratio > 1:
                out.append(f"{name}[{at}]: {a.ravel()[at]:.9g} for {b.ravel()[at]:.9g}")
    return out


def pairs(contact, n):
    """{(geoms, flexes): number of contacts}"""
    out = {}
    for k in range(n):
        key = (*np.ravel(contact["geom"][k]), *np.ravel(contact["flex"][k]))
        out[tuple(int(x) for x in key)] = out.get(tuple(int(x) for x in key), 0) + 1
    return out


def contacts(m, data, d, tolerance):
    theirs = {name: np.asarray(getattr(d.contact, name)) for name in CONTACT.split()}
    x, y = pairs(data.contact, data.ncon), pairs(theirs, d.ncon)
    if x != y or data.ncon != d.ncon:
        kinds = lambda k: "/".join(mujoco.mjtGeom(m.geom_type[g]).name[7:].lower() if g >= 0 else "flex" for g in k[:2])
        return [f"{kinds(k)} {k}: {x.get(k, 0)} for {y.get(k, 0)}" for k in {**x, **y} if x.get(k) != y.get(k)]
    out = []
    for name in CONTACT.split() if d.ncon else ():
        a, b = np.asarray(data.contact[name]).reshape(d.ncon, -1), theirs[name].reshape(d.ncon, -1)
        for k in range(d.ncon):
            ratio, at = worst(a[k], b[k], tolerance, tolerance)
            if ratio > 1:
                kinds = "/".join(mujoco.mjtGeom(m.geom_type[g]).name[7:].lower() if g >= 0 else "flex" for g in theirs["geom"][k])
                out.append(f"{kinds} {name}[{k},{at}]: {a[k, at]:.9g} for {b[k, at]:.9g}")
                break
    return out


def jacobian(m, data, d, tolerance):
    if not d.nefc:
        return []
    sparse = mujoco.mj_isSparse(m)
    n = d.nJ if sparse else d.nefc * m.nv
    if sparse and data.nJ != d.nJ:
        return [f"nJ: {data.nJ} for {d.nJ}"]
    ratio, at = worst(data.efc_J.ravel()[:n], d.efc_J.ravel()[:n], tolerance, tolerance)
    return [f"efc_J[{at}]: {data.efc_J.ravel()[at]:.9g} for {d.efc_J.ravel()[at]:.9g}"] if ratio > 1 else []


def compare_stages(m, d, our, data, state):
    """[(stage, [text])] of the stages that differ at a state, the first one first; empty if none does."""
    oracle_set(m, d, state)
    d.qacc_warmstart[:] = 0
    data.set_state(state)
    data.qacc_warmstart = 0
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    out = []
    for stage, (tolerance, names) in STAGES.items():
        found = contacts(m, data, d, tolerance) if stage == "contact" else fields(names, data, d, tolerance)
        if stage == "rows" and not found:
            found = jacobian(m, data, d, tolerance)
        if found:
            out.append((stage, found))
        if d.efc_D.max(initial=0) > 1e11 and stage == "velocity":
            return out  # rows that move nothing: forces are rounding
    if not any(stage in ("contact", "rows") for stage, _ in out):
        # each engine inverts the acceleration of the released one
        mujoco.mj_inverse(m, d)
        data.qacc = d.qacc
        call("mj_inverse", our, data)
        if found := fields("qfrc_inverse efc_force", data, d, 1e-6):
            out.append(("inverse", found))
    oracle_set(m, d, state)
    data.set_state(state)
    mujoco.mj_step(m, d)
    call("mj_step", our, data)
    if not out and (found := fields("qpos qvel act", data, d, 1e-6)):
        out.append(("step", found))
    return out


def states(m, n, seed, steps):
    """Those of harness.random_states while the motion is stable."""
    rng, d = np.random.default_rng(seed), mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    for k in range(n):
        if k and m.nu:
            limited = m.actuator_ctrllimited.astype(bool)
            d.ctrl[:] = rng.uniform(np.where(limited, m.actuator_ctrlrange[:, 0], -1), np.where(limited, m.actuator_ctrlrange[:, 1], 1))
        for _ in range(steps if k else 0):
            mujoco.mj_step(m, d)
        if any(w.number for w in d.warning) or abs(d.qvel).max(initial=0) > 1e3:
            return
        state = oracle_state(m, d)
        if k % 2:
            mujoco.mj_integratePos(m, d.qpos, rng.standard_normal(m.nv), 0.01)
            d.qvel[:] += 0.3 * rng.standard_normal(m.nv)
            shaken = oracle_state(m, d)
            oracle_set(m, d, state)
            state = shaken
        yield state


def compare_model(m, our, n, seed=0, steps=20):
    """{stage: [(state, text)]} over n states."""
    d, data, out = mujoco.MjData(m), Data(our), {}
    for k, state in enumerate(states(m, n, seed, steps)):
        for stage, found in compare_stages(m, d, our, data, state)[:1]:
            out.setdefault(stage, []).append((k, found))
    return out


def main():
    import scenes

    if sys.argv[1] != "--search":
        for path in sys.argv[1:]:
            try:
                m = mujoco.MjModel.from_xml_path(path)
            except ValueError as problem:
                print(path, "refused", str(problem)[:60])
                continue
            show(path, compare_model(m, load_ours(path), 6))
        return
    first, number = (int(x) for x in (sys.argv[2:] + ["0", "100"][len(sys.argv) - 2:])[:2])
    only = sys.argv[4:] or scenes.FAMILIES
    for family in only:
        bad = {}
        for seed in range(first, first + number):
            m, our = scenes.both(family, seed)
            found = compare_model(m, our, 4, seed, steps=15)
            for stage, states in found.items():
                bad.setdefault(stage, []).append(seed)
            show(f"{family} {seed}", found)
        print("==", family, number, "scenes;", {k: (len(v), v[:12]) for k, v in bad.items()} or "all agree", flush=True)


def show(name, found):
    for stage, states in found.items():
        print(f"{name}: {stage} at states {[k for k, _ in states]}: {'; '.join(states[0][1][:3])}", flush=True)


if __name__ == "__main__":
    main()
