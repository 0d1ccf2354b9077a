"""Rollouts and batches: the same whatever the number of threads, one bad row apart."""

import numpy as np
import pytest

import sinew
from sinew import rollout

XML = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/>
      <body pos="0 0 .3"><joint name="hip" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 0 0 .4" size=".05"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="hip"/></actuator>
  <sensor><jointpos joint="hip"/></sensor>
</mujoco>
"""
FULL = sinew.mjtState.mjSTATE_FULLPHYSICS


@pytest.fixture(scope="module")
def model():
    return sinew.MjModel.from_xml_string(XML)


def starts(model, n, seed=0):
    rng = np.random.default_rng(seed)
    data = sinew.MjData(model)
    states = np.zeros((n, sinew.mj_stateSize(model, FULL)))
    for row in states:
        data.qpos[2] = rng.uniform(0.3, 1)
        data.qvel[:] = rng.normal(size=model.nv)
        sinew.mj_getState(model, data, row, FULL)
    return states


def by_hand(model, state, control):
    data = sinew.MjData(model)
    sinew.mj_setState(model, data, state, FULL)
    states, readings = [], []
    for ctrl in control:
        data.ctrl[:] = ctrl
        sinew.mj_step(model, data)
        out = np.zeros(len(state))
        sinew.mj_getState(model, data, out, FULL)
        states.append(out)
        readings.append(data.sensordata.copy())
    return np.array(states), np.array(readings)


def test_rollout_is_stepping(model):
    states, control = starts(model, 7), np.random.default_rng(1).normal(size=(7, 60, model.nu))
    one, sensors = rollout.rollout(model, sinew.MjData(model), states, control)
    assert one.shape == (7, 60, states.shape[1]) and sensors.shape == (7, 60, 1)
    for row in range(7):
        expected, readings = by_hand(model, states[row], control[row])
        np.testing.assert_array_equal(one[row], expected)
        np.testing.assert_array_equal(sensors[row], readings)
    for threads in (2, 3):
        many, _ = rollout.rollout(model, [sinew.MjData(model) for _ in range(threads)], states, control)
        np.testing.assert_array_equal(many, one)


def test_rollout_shapes(model):
    states, data = starts(model, 3), sinew.MjData(model)
    state, _ = rollout.rollout(model, data, states[0], nstep=4)
    assert state.shape == (1, 4, states.shape[1])
    state, _ = rollout.rollout(model, data, states[0], np.zeros((5, 6, model.nu)))
    assert state.shape == (5, 6, states.shape[1]) and (state[0] == state[4]).all()
    out = np.zeros((3, 2, states.shape[1]))
    assert rollout.rollout(model, data, states, state=out)[0] is out and out.any()
    for bad in (
        lambda: rollout.rollout(model, data, states[:, :-1]),
        lambda: rollout.rollout(model, data, states, np.zeros((2, 4, model.nu))),
        lambda: rollout.rollout(model, data, states, np.zeros((3, 4, model.nu + 1))),
        lambda: rollout.rollout([model] * 2, data, states),
        lambda: rollout.rollout(model, [], states),
        lambda: rollout.rollout(model, data, states, np.zeros(1), control_spec=FULL),
    ):
        with pytest.raises(ValueError):
            bad()


def test_rollout_models_by_row(model):
    import copy

    models = [copy.copy(model) for _ in range(3)]
    for i, m in enumerate(models):
        m.opt.gravity[2] = -i
    state, _ = rollout.rollout(models, [sinew.MjData(model) for _ in range(2)], starts(model, 1), nstep=20)
    assert state[0, -1, 3] > state[1, -1, 3] > state[2, -1, 3]


def test_bad_row_is_reported_and_others_go_on(model):
    states = starts(model, 6)
    good, _ = rollout.rollout(model, sinew.MjData(model), states, nstep=30)
    states[4, -1] = np.nan
    runner = rollout.Rollout()
    state, _ = runner.rollout(model, [sinew.MjData(model), sinew.MjData(model)], states, nstep=30)
    assert [row for row, _ in runner.bad_rows] == [4]
    keep = [0, 1, 2, 3, 5]
    np.testing.assert_array_equal(state[keep], good[keep])


def test_error_in_a_row(model):
    def fail(m, d):
        raise ValueError("no")

    sinew.set_mjcb_control(fail)
    try:
        with pytest.raises(rollout.RolloutError, match="no") as caught:
            rollout.rollout(model, [sinew.MjData(model), sinew.MjData(model)], starts(model, 3), nstep=2)
        assert [row for row, _ in caught.value.rows] == [0, 1, 2]
    finally:
        sinew.set_mjcb_control(None)


def test_batch(model):
    results = []
    for threads in (1, 2, 4):
        batch = sinew.Batch(model, 9, nthread=threads)
        batch.set_state(starts(model, 9), FULL)
        for t in range(20):
            batch.set("ctrl", np.full((9, model.nu), np.sin(t)))
            assert batch.step(2) == []
        results.append(batch.get("qpos"))
    assert results[0].shape == (9, model.nq)
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
    before = batch.get("qpos")
    batch.reset([2, 3])
    np.testing.assert_array_equal(batch.get("qpos")[2], model.qpos0)
    np.testing.assert_array_equal(batch.get("qpos")[4], before[4])
    view = batch.views("qpos")[5]
    batch.step()
    np.testing.assert_array_equal(view, batch.get("qpos")[5])


def test_batch_models_of_their_own(model):
    batch = sinew.Batch(model, 3, own_models=True)
    for i, m in enumerate(batch.models):
        m.opt.gravity[2] = -i
    batch.step(20)
    heights = batch.get("qpos")[:, 2]
    assert heights[0] > heights[1] > heights[2]


def test_batch_bad_row(model):
    batch = sinew.Batch(model, 4)
    batch.data[1].qvel[0] = np.inf
    bad = batch.step(3)
    assert [row for row, _ in bad] == [1] and batch.bad_rows == bad
    assert batch.step(3) == []
    with pytest.raises(ValueError):
        sinew.Batch(model, 0)


def test_gym():
    pytest.importorskip("gymnasium")
    from sinew.gym import VectorEnv

    model = sinew.MjModel.from_xml_string(XML)
    env = VectorEnv(model, 5, frame_skip=2, max_steps=10, reward=lambda b: b.get("qpos")[:, 2])
    first, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    np.testing.assert_array_equal(first, again)
    assert first.shape == (5, model.nq + model.nv) and env.observation_space.shape == first.shape
    env.action_space.seed(0)
    for t in range(12):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert reward.shape == (5,) and not terminated.any()
        assert truncated.all() == (t == 9)
    assert observation.dtype == env.observation_space.dtype
    env.close()
