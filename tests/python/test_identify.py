"""sinew.identify: numbers of a model from recorded motion."""

import xml.etree.ElementTree

import numpy as np
import pytest

import sinew
from sinew import identify

ARM = """<mujoco><option timestep='.01' integrator='implicitfast'/><default><geom contype='0' conaffinity='0'/></default><worldbody>
<body name='upper'><joint name='shoulder' axis='0 1 0' damping='{damping}'/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 0' mass='{mass}'/>
<body name='lower' pos='.3 0 0'><joint name='elbow' axis='0 1 0' damping='.05'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0' mass='.4'/>
</body></body></worldbody><actuator><position name='servo' joint='shoulder' kp='{kp}' kv='1'/><motor name='motor' joint='elbow'/></actuator></mujoco>"""
TRUE = {"damping": 0.3, "mass": 0.8, "kp": 12.0}
GUESS = {"damping": 0.5, "mass": 1.1, "kp": 9.0}
PARAMETERS = [identify.damping("shoulder"), identify.mass("upper"), identify.servo("servo")]


def arm(numbers):
    return sinew.MjModel.from_xml_string(ARM.format(**numbers))


def record(model, noise, velocities=True, steps=120, seed=0):
    rng, data = np.random.default_rng(seed), sinew.MjData(model)
    ctrl = np.column_stack((np.sin(np.arange(steps) / 9), 0.3 * np.cos(np.arange(steps) / 6)))
    qpos, qvel = [np.array(data.qpos)], [np.array(data.qvel)]
    for u in ctrl:
        data.ctrl[:] = u
        sinew.mj_step(model, data)
        qpos.append(np.array(data.qpos))
        qvel.append(np.array(data.qvel))
    qpos, qvel = (np.array(rows) + scale * rng.normal(size=np.shape(rows)) for rows, scale in ((qpos, noise), (qvel, 10 * noise)))
    return identify.Record(qpos, qvel if velocities else None, ctrl)


@pytest.mark.parametrize("velocities", (True, False))
def test_what_was_true_is_found(velocities):
    seen, guess = [], arm(GUESS)
    found = identify.fit(guess, PARAMETERS, [record(arm(TRUE), 1e-4, velocities)], progress=seen.append)
    np.testing.assert_allclose(found.values, [0.3, 0.8, 12], rtol=0.01)
    assert len(seen) == len(found.trace) and seen[-1].error == pytest.approx(1, abs=0.3)
    assert found.noise[0] == pytest.approx(1e-4, rel=0.2)
    text = str(found)
    assert "mass of upper" in text and all(len(line) < 80 for line in text.splitlines())
    assert guess.body("upper").mass[0] == pytest.approx(1.1), "the model stays as it is"
    found.apply(guess)
    assert guess.body("upper").mass[0] == found.values[1]
    assert guess.actuator("servo").biasprm[1] == -guess.actuator("servo").gainprm[0] == pytest.approx(-12, rel=0.01)


def test_intervals_hold_what_they_say():
    """Of 24 fits with other noise about 95% have the truth in their interval."""
    inside = []
    for seed in range(24):
        found = identify.fit(arm(TRUE), PARAMETERS, [record(arm(TRUE), 1e-3, steps=60, seed=seed)])
        inside += list((found.low < [0.3, 0.8, 12]) & (found.high > [0.3, 0.8, 12]))
    assert 0.85 <= np.mean(inside) <= 1.0
    assert np.mean((found.high - found.low) / found.values) < 0.3


def test_windows_and_plot(tmp_path):
    found = identify.fit(arm(GUESS), PARAMETERS, [record(arm(TRUE), 1e-4, seed=1), record(arm(TRUE), 1e-4, seed=2)], window=40)
    np.testing.assert_allclose(found.values, [0.3, 0.8, 12], rtol=0.01)
    assert len(found.motions) == 6
    found.plot(tmp_path / "fit.svg")
    root = xml.etree.ElementTree.parse(tmp_path / "fit.svg").getroot()
    names = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "shoulder" in names and "elbow" in names
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 2


def test_what_the_motion_does_not_show_has_no_bound():
    model = arm(TRUE)
    still = identify.Record(np.zeros((10, 2)), np.zeros((10, 2)), np.zeros((9, 2)))
    model.opt.gravity[:] = 0
    found = identify.fit(model, [identify.mass("lower")], [still], sigma=(1e-3, 1e-2))
    assert found.high[0] > 100 * found.values[0]


def test_what_is_wrong_is_told():
    model, good = arm(TRUE), record(arm(TRUE), 1e-4)
    with pytest.raises(sinew.FatalError, match="knee"):
        identify.fit(model, [identify.damping("knee")], [good])
    with pytest.raises(ValueError, match="armature of elbow.*not 0"):
        identify.fit(model, [identify.armature("elbow")], [good])
    with pytest.raises(ValueError, match="record.ctrl"):
        identify.fit(model, PARAMETERS, [identify.Record(good.qpos, good.qvel)])
    with pytest.raises(ValueError, match="at least one"):
        identify.fit(model, [], [good])
    with pytest.raises(ValueError, match="two rows"):
        identify.Record(np.zeros(3))
