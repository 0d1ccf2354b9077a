"""sinew.torch.step: gradients by the numbers of a state, through contact."""

import numpy as np
import pytest

import sinew
import sinew.torch
import torch

XML = """<mujoco><option cone='elliptic' tolerance='0' iterations='200' timestep='.004'/><default><joint damping='.3' armature='.01'/></default>
<worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .12'><freejoint/><geom type='box' size='.2 .1 .1'/>
<body name='arm' pos='.2 .1 0'><joint name='a' axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 .2 0 0'/>
<body pos='.25 0 0'><joint type='ball'/><geom size='.06'/></body></body></body></worldbody>
<actuator><position joint='a' kp='5'/><general joint='a' dyntype='filter' dynprm='.1'/></actuator></mujoco>"""


@pytest.fixture
def scene():
    """In contact, in motion."""
    model = sinew.MjModel.from_xml_string(XML)
    data = sinew.MjData(model)
    data.ctrl[:] = 0.3, -0.2
    sinew.mj_step(model, data, 60)
    assert data.ncon >= 4
    state = [torch.tensor(np.array(x), requires_grad=True) for x in (data.qpos, data.qvel, data.ctrl, data.act)]
    return model, state


def test_step_is_that_of_data(scene):
    model, (qpos, qvel, ctrl, act) = scene
    after = sinew.torch.step(model, qpos, qvel, ctrl, act)
    data = sinew.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:], data.act[:] = (x.detach().numpy() for x in (qpos, qvel, ctrl, act))
    sinew.mj_step(model, data)
    np.testing.assert_allclose(after[0].detach().numpy(), data.qpos, atol=1e-14)
    np.testing.assert_allclose(after[1].detach().numpy(), data.qvel, atol=1e-11)
    np.testing.assert_array_equal(after[2].detach().numpy(), data.act)


def test_gradcheck_over_fifty_steps_with_contact(scene):
    model, state = scene
    steps = 50

    def roll(qpos, qvel, ctrl, act):
        for t in range(steps):
            qpos, qvel, act = sinew.torch.step(model, qpos, qvel, ctrl, act)
        return qpos, qvel, act

    assert torch.autograd.gradcheck(roll, state, eps=1e-7, atol=1e-4, rtol=1e-4)


def test_quaternions_that_are_not_normalized(scene):
    model, (qpos, qvel, ctrl, act) = scene
    longer = qpos.detach().clone()
    longer[3:7] *= 1.7
    longer.requires_grad_(True)
    assert torch.autograd.gradcheck(lambda q: sinew.torch.step(model, q, qvel, ctrl, act), (longer,), eps=1e-6, atol=1e-5, rtol=1e-5)


def test_rows_are_those_of_single_states(scene):
    model, (qpos, qvel, ctrl, act) = scene
    rng = np.random.default_rng(0)
    many = qvel.detach() + 0.1 * torch.tensor(rng.normal(size=(2, 3, model.nv)))
    many.requires_grad_(True)
    rows = sinew.torch.step(model, qpos.expand(2, 3, -1), many, ctrl.expand(2, 3, -1), act.expand(2, 3, -1))
    rows[1].sum().backward()
    single = many[1, 2].detach().requires_grad_(True)
    sinew.torch.step(model, qpos, single, ctrl, act)[1].sum().backward()
    np.testing.assert_array_equal(many.grad[1, 2].numpy(), single.grad.numpy())


def test_second_derivatives_are_refused_by_name(scene):
    model, (qpos, qvel, ctrl, act) = scene
    after = sinew.torch.step(model, qpos, qvel, ctrl, act)[1].sum()
    (first,) = torch.autograd.grad(after, qvel, create_graph=True)
    assert first.shape == qvel.shape
    with pytest.raises(NotImplementedError, match="sinew.torch.step.*double backward"):
        first.sum().backward()


def test_what_is_wrong_is_told(scene):
    model, (qpos, qvel, ctrl, act) = scene
    with pytest.raises(TypeError, match="a tensor"):
        sinew.torch.step(model, np.zeros(model.nq), qvel)
    with pytest.raises(ValueError, match="argument qvel"):
        sinew.torch.step(model, qpos, qvel[:3])
    with pytest.raises(ValueError, match="quaternion"):
        sinew.torch.step(model, qpos.detach() * 0, qvel, ctrl, act)


def test_single_precision(scene):
    model, (qpos, qvel, ctrl, act) = scene
    x = qvel.detach().float().requires_grad_(True)
    after = sinew.torch.step(model, qpos.detach().float(), x, ctrl.detach().float(), act.detach().float())
    assert after[1].dtype == torch.float32
    after[1].sum().backward()
    assert x.grad.dtype == torch.float32
