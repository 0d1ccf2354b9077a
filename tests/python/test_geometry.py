"""Christoffel symbols, Hamilton's equations and geodesics against the engine's own recursions."""

import numpy as np
import pytest
import sinew
from sinew import geometry

ARM = """<mujoco><worldbody><body pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
<body pos=".3 0 0"><joint axis="0 0 1"/><joint axis="1 0 0"/><geom type="box" size=".1 .05 .02" pos=".1 .02 0"/>
</body></body></worldbody></mujoco>"""


@pytest.fixture
def arm():
    model = sinew.MjModel.from_xml_string(ARM)
    data = sinew.MjData(model)
    data.qpos[:] = 0.4, -0.7, 0.3
    data.qvel[:] = 1.0, -2.0, 0.5
    return model, data


def bias(model, data):
    model.opt.gravity[:] = 0
    sinew.mj_forward(model, data)
    return data.qfrc_bias.copy()


def test_christoffel_is_bias(arm):
    model, data = arm
    v = data.qvel.copy()
    G = geometry.christoffel(model, data)
    assert np.array_equal(data.qvel, v)
    np.testing.assert_allclose(np.einsum("ijk,i,j->k", G, v, v), bias(model, data), atol=1e-10)


def test_hamilton(arm):
    model, data = arm
    v = data.qvel.copy()
    sinew.mj_forward(model, data)
    M = np.empty((model.nv, model.nv))
    sinew.mj_fullM(model, M, data.qM)
    sinew.mj_energyPos(model, data)
    H = geometry.hamiltonian(model, data, M @ v)
    np.testing.assert_allclose(H.velocity, v, atol=1e-12)
    assert H.energy == pytest.approx(0.5 * v @ M @ v + data.energy[0], abs=1e-12)
    # along the flow of Hamilton's equations H stays: dH/dt = dH/dq . v + velocity . rate = 0
    q, width, dH = data.qpos.copy(), 1e-6, 0.0
    for sign in (1, -1):
        data.qpos[:] = q + sign * width * v
        dH += sign * geometry.hamiltonian(model, data, M @ v).energy / (2 * width)
    assert dH + H.velocity @ H.rate == pytest.approx(0, abs=1e-6)


def test_geodesic_has_constant_speed(arm):
    model, data = arm
    sinew.mj_forward(model, data)
    M = np.empty((model.nv, model.nv))
    sinew.mj_fullM(model, M, data.qM)
    speed = np.sqrt(data.qvel @ M @ data.qvel)
    start = data.qpos.copy()
    assert geometry.geodesic(model, data, 0.5, 200) == pytest.approx(0.5 * speed, rel=1e-8)
    assert np.linalg.norm(data.qpos - start) > 0.1
    data.qvel[:] *= -1
    geometry.geodesic(model, data, 0.5, 200)
    np.testing.assert_allclose(data.qpos, start, atol=1e-7)


def test_refuses(arm):
    model, data = arm
    with pytest.raises(ValueError, match="momenta"):
        geometry.hamiltonian(model, data, [1.0])
    with pytest.raises(ValueError, match="steps"):
        geometry.geodesic(model, data, 1.0, 0)
    with pytest.raises(ValueError, match="time"):
        geometry.geodesic(model, data, float("nan"))
