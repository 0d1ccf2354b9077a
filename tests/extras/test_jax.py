"""sinew.jax.step: under grad, jit and vmap."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sinew
import sinew.jax

jax.config.update("jax_enable_x64", True)

XML = """<mujoco><option tolerance='0' iterations='200'/><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/>
<geom type='box' size='.2 .1 .1'/><body pos='.2 .1 0'><joint name='a' axis='0 1 0' damping='.1'/><geom type='capsule' size='.05' fromto='0 0 0 .2 0 0'/>
</body></body></worldbody><actuator><position joint='a' kp='5'/></actuator></mujoco>"""


@pytest.fixture
def scene():
    model = sinew.MjModel.from_xml_string(XML)
    data = sinew.MjData(model)
    data.qvel[:2] = 0.3, 0.1
    sinew.mj_step(model, data, 20)
    assert data.ncon
    return model, tuple(jnp.array(x) for x in (data.qpos, data.qvel, data.ctrl))


def cost(model, state, steps=5):
    qpos, qvel, ctrl = state
    for _ in range(steps):
        qpos, qvel, _ = sinew.jax.step(model, qpos, qvel, ctrl)
    return jnp.sum(qpos**2) + jnp.sum(qvel**3)


def test_gradient_against_differences(scene):
    model, state = scene
    gradient = jax.jit(jax.grad(lambda s: cost(model, s)))(state)
    for k, part in enumerate(state):
        for i in range(len(part)):
            ends = [cost(model, [x.at[i].add(side * 1e-6) if j == k else x for j, x in enumerate(state)]) for side in (-1, 1)]
            np.testing.assert_allclose(gradient[k][i], (ends[1] - ends[0]) / 2e-6, rtol=1e-4, atol=1e-5)


def test_rows(scene):
    model, (qpos, qvel, ctrl) = scene
    many = qvel + 0.1 * jnp.arange(4)[:, None]
    rows = jax.vmap(lambda v: sinew.jax.step(model, qpos, v, ctrl)[1])(many)
    np.testing.assert_array_equal(rows, sinew.jax.step(model, jnp.tile(qpos, (4, 1)), many, jnp.tile(ctrl, (4, 1)))[1])
    slopes = jax.vmap(jax.grad(lambda v: jnp.sum(sinew.jax.step(model, qpos, v, ctrl)[1])))(many)
    one = jax.grad(lambda v: jnp.sum(sinew.jax.step(model, qpos, v, ctrl)[1]))(many[2])
    np.testing.assert_array_equal(slopes[2], one)


def test_what_is_wrong_is_told(scene):
    model, (qpos, qvel, ctrl) = scene
    with pytest.raises(ValueError, match="argument ctrl"):
        sinew.jax.step(model, qpos, qvel, jnp.zeros(7))
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(lambda v: sinew.jax.step(model, qpos, v, ctrl)[1], (qvel,), (qvel,))
