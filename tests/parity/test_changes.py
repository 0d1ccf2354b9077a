"""Numbers of a model that change while it runs, as when it is randomized or tuned: data that has run
with the old ones gives the bits of a fresh copy of the changed model."""

import ctypes

import numpy as np
import pytest
from harness import SCHEMA, Data, Model, call, load_ours, models

NAMES = "humanoid.xml|panda/scene|shadow_hand/scene_right|cassie/scene|softbox|arm26|swimmer.xml|car.xml".split("|")
OUTPUTS = (
    "xpos xquat geom_xpos site_xpos cam_xpos light_xpos subtree_com cinert ten_length actuator_length qM qLD cvel "
    "qfrc_bias qfrc_passive qfrc_actuator qacc_smooth efc_J efc_D efc_aref efc_force qfrc_constraint qacc sensordata "
    "flexvert_xpos qpos qvel act"
).split()
CHANGED = [f.name for f in SCHEMA.arrays if f.ctype == "mjtNum" and not f.name.startswith(("key_", "numeric", "tuple"))]
SWITCHES = "geom_contype geom_conaffinity geom_condim geom_priority jnt_limited tendon_limited actuator_ctrllimited".split()


def models_named(part):
    return next((path for name, path in models().items() if name.endswith(part) or part in str(path)), None)


def change(our, name, rng):
    """Three entries at most, by some 10 percent; zeros become small numbers now and then."""
    flat = getattr(our, name).reshape(-1)
    for i in rng.choice(flat.size, min(3, flat.size), replace=False):
        if name in SWITCHES:
            flat[i] = rng.choice([1, 3, 4, 6] if name == "geom_condim" else [0, 1])
        else:
            flat[i] = flat[i] * (1 + 0.1 * rng.random()) + 0.01 * (rng.random() < 0.3)


@pytest.mark.parametrize("part", NAMES)
def test_changes(part):
    path = models_named(part)
    if not path:
        pytest.skip(f"no model {part}")
    rng = np.random.default_rng(3)
    our = load_ours(path)
    warm = Data(our)
    for name in CHANGED + SWITCHES + ["opt"] * 12:
        if name == "opt":
            our.opt.disableflags ^= 1 << int(rng.integers(14))
            our.opt.cone, our.opt.solver = int(rng.integers(2)), int(rng.integers(3))
            our.opt.integrator = int(rng.integers(4))
        elif not getattr(our, name).size:
            continue
        else:
            change(our, name, rng)
        if not np.isfinite(warm.qpos).all() or np.abs(warm.qvel).max(initial=0) > 100:
            call("mj_resetData", our, warm)
        warm.ctrl[:] = rng.standard_normal(our.nu) * 0.1
        copy = Model(call("mj_copyModel", None, our, restype=ctypes.c_void_p))
        fresh = Data(copy)
        fresh.set_state(warm.get_state())
        fresh.sensordata[:] = warm.sensordata  # kept when sensors are disabled
        call("mj_step", our, warm)
        call("mj_step", copy, fresh)
        different = [f for f in OUTPUTS if getattr(warm, f).tobytes() != getattr(fresh, f).tobytes()]
        assert not different, f"after {name}"
