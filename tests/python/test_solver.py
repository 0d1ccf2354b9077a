"""Hard contact from Python: choose, set, step, read the report."""

import pytest

import sinew
from sinew import solver

XML = """
<mujoco>
  <option timestep="0.002"/>
  <custom>{custom}</custom>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 1.1"><freejoint/><geom name="ball" size=".1"/></body>
  </worldbody>
</mujoco>
"""


def make(custom=""):
    model = sinew.MjModel.from_xml_string(XML.format(custom=custom))
    return model, sinew.MjData(model)


def rebound(model, data):
    top, rises = 0.0, False
    while data.time < 1.5:
        sinew.mj_step(model, data)
        rises = rises or data.qvel[2] > 0.1
        top = max(top, data.qpos[2] - 0.1) if rises else top
        if rises and data.qvel[2] < 0:
            break
    return top


def test_choose():
    model, data = make()
    assert solver.chosen(model, data) == "soft"
    assert solver.settings(model, data) is None and solver.report(model, data) is None
    assert "admm-ncp" in solver.NAMES
    solver.choose(model, data, "admm-ncp", iterations=300)
    assert solver.chosen(model, data) == "admm-ncp"
    assert solver.settings(model, data)["iterations"] == 300
    assert solver.restitution(model, data, 1, 0.5) == 0.5
    assert solver.impact(model, data) == "newton"
    assert solver.impact(model, data, "poisson") == "poisson"
    with pytest.raises(Exception, match="energetic"):
        solver.impact(model, data, "rubber")
    assert solver.impact(model, data, "newton") == "newton"
    assert rebound(model, data) == pytest.approx(0.25, rel=0.01)
    assert solver.report(model, data)["r_natural"] < 1e-8
    solver.choose(model, data, "soft")
    assert solver.chosen(model, data) == "soft"


def test_model_says():
    custom = (
        '<text name="sinew:solver" data="nbgs"/><numeric name="sinew:slop" data="1e-4"/>'
        '<tuple name="sinew:restitution"><element objtype="geom" objname="ball" prm="0.75"/></tuple>'
    )
    model, data = make(custom)
    assert solver.chosen(model, data) == "nbgs"
    assert solver.settings(model, data)["slop"] == 1e-4
    assert solver.restitution(model, data, 1) == 0.75
    assert rebound(model, data) == pytest.approx(0.5625, rel=0.01)


def test_errors_name_what_there_is():
    model, data = make()
    with pytest.raises(sinew.FatalError, match="pgs-ccp"):
        solver.choose(model, data, "magic")
    solver.choose(model, data, "prox")
    with pytest.raises(sinew.FatalError, match="omega_min"):
        solver.choose(model, data, "prox", speed=1)
    with pytest.raises(sinew.FatalError, match="0 to 2"):
        solver.choose(model, data, "prox", omega=3)
    with pytest.raises(sinew.FatalError):
        solver.restitution(model, data, 7, 0.5)
    for custom in (
        '<text name="sinew:solver" data="magic"/>',
        '<text name="sinew:resolver" data="nbgs"/>',
        '<numeric name="sinew:speed" data="1"/>',
        '<tuple name="sinew:bounce"><element objtype="geom" objname="ball" prm="1"/></tuple>',
        '<tuple name="sinew:restitution"><element objtype="geom" objname="ball" prm="2"/></tuple>',
    ):
        with pytest.raises(ValueError, match="sinew:"):
            make(custom)


def test_steps_that_do_not_converge_are_counted():
    model = sinew.MjModel.from_xml_string(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 .3'><freejoint/>"
        "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>"
    )
    data = sinew.MjData(model)
    solver.choose(model, data, "pgs-ncp", iterations=1, tol_dual=1e-12)
    data.qvel[:] = [1, 0.5, -1, 3, 2, 1]
    sinew.mj_step(model, data, 200)
    found = solver.report(model, data)
    assert found["steps"] == 200 and 0 < found["unconverged"] <= 200
    assert found["worst"] > 1e-12 and 0 < found["worst_time"] < data.time
    with pytest.warns(RuntimeWarning, match="pgs-ncp did not reach its tolerance"):
        assert solver.check(model, data, "warn") == found["unconverged"]
    assert solver.check(model, data) == 0  # counts begin anew
    data.qvel[:] = [1, 0.5, -1, 3, 2, 1]
    data.qpos[2] = 0.3
    sinew.mj_step(model, data, 200)
    with pytest.raises(solver.ConvergenceError, match="of 200 steps"):
        solver.check(model, data)
    with pytest.raises(ValueError, match="expected 'raise'"):
        solver.check(model, data, "shout")
