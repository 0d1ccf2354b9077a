"""Rollouts and batches: the same whatever the number of threads, one bad row apart."""

import concurrent.futures
import os
import time

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


def test_rollout_without_control(model):
    """What the first data's inputs are is held; other inputs, and other data, do not matter."""
    states = starts(model, 3)
    datas = [sinew.MjData(model) for _ in range(2)]
    datas[0].ctrl[0], datas[1].ctrl[0] = 0.7, -5
    datas[0].qfrc_applied[0] = 100
    held, _ = rollout.rollout(model, datas, states, nstep=10)
    given, _ = rollout.rollout(model, datas, states, np.full((1, 1, 1), 0.7), nstep=10)
    np.testing.assert_array_equal(held, given)


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
    view = batch.bind("qpos")[5]
    batch.step()
    np.testing.assert_array_equal(view, batch.get("qpos")[5])


def test_batch_is_stepping(model):
    """To the bit what an MjData for each row gives, in the state and in what is computed."""
    batch = sinew.Batch(model, 5, nthread=2)
    batch.set_state(starts(model, 5), FULL)
    datas = [batch.get_data(row) for row in range(5)]
    xpos, ncon, ctrl = batch.bind("xpos"), batch.bind("ncon"), batch.bind("ctrl")
    np.testing.assert_array_equal(xpos, [d.xpos for d in datas])
    batch.forward()
    for t in range(200):
        ctrl[:] = np.sin(t + np.arange(5)[:, None])
        batch.step()
        for row, data in enumerate(datas):
            data.ctrl[:] = ctrl[row]
            sinew.mj_step(model, data)
            np.testing.assert_array_equal(batch.bind("qvel")[row], data.qvel)
            np.testing.assert_array_equal(xpos[row], data.xpos)
            assert ncon[row] == data.ncon
    assert ncon.any()
    np.testing.assert_array_equal(batch.get("qacc_warmstart"), [d.qacc_warmstart for d in datas])
    batch.reset()
    np.testing.assert_array_equal(xpos[3], batch.get_data(3).xpos)
    assert not xpos.flags.writeable and xpos is batch.bind("xpos")


def test_batch_models_of_their_own(model):
    batch = sinew.Batch(model, 3, own_models=True)
    with pytest.raises(AttributeError):
        batch.state = batch.state.copy()  # bound fields are views of it
    for i, m in enumerate(batch.models):
        m.opt.gravity[2] = -i
    batch.step(20)
    heights = batch.get("qpos")[:, 2]
    assert heights[0] > heights[1] > heights[2]


def test_batch_bad_row(model):
    batch = sinew.Batch(model, 4)
    batch.bind("qvel")[1, 0] = np.inf
    bad = batch.step(3)
    assert [row for row, _ in bad] == [1] and batch.bad_rows == bad
    assert batch.step(3) == []
    with pytest.raises(ValueError):
        sinew.Batch(model, 0)


def test_batch_fields(model):
    batch = sinew.Batch(model, 4)
    state = starts(model, 4)
    batch.set_state(state, FULL)
    np.testing.assert_array_equal(batch.get_state(FULL), state)
    out = np.empty((4, model.nq))
    assert batch.get("qpos", out) is out
    np.testing.assert_array_equal(out, batch.bind("qpos"))
    batch.set("qvel", 2.0, rows=[1, 3])
    assert batch.get_data(3).qvel[0] == 2 and batch.get_data(2).qvel[0] == state[2, -model.nv - model.na]
    batch.set("time", np.arange(4.0))
    assert batch.get_data(2).time == 2 and batch.get("time").shape == (4,)
    assert batch.get_state(0).shape == (4, 0)
    full = batch.get_state(sinew.mjtState.mjSTATE_INTEGRATION)
    np.testing.assert_array_equal(full, batch.state)
    for field in ("nothing", "contact", "efc_J"):
        with pytest.raises(AttributeError):
            batch.get(field)
    with pytest.raises(ValueError):
        batch.get("qpos", np.empty((3, model.nq)))
    with pytest.raises(ValueError):
        batch.set("qpos", np.zeros(3))
    with pytest.raises(ValueError, match="expected a part of the state"):
        batch.set("xpos", 0)
    with pytest.raises(ValueError):
        batch.bind("xpos")[0] = 1
    with pytest.raises(ValueError):
        batch.set_state(np.zeros(3), FULL)
    with pytest.raises(ValueError):
        batch.get_state(1 << 20)


def test_batch_error_leaves_its_row_alone(model):
    batch = sinew.Batch(model, 3, nthread=2)
    batch.step()
    before = batch.state.copy()

    def fail(m, d):
        if d.qpos[0] == 7:
            raise ValueError("seven")

    batch.bind("qpos")[1, 0] = 7
    sinew.set_mjcb_control(fail)
    try:
        assert batch.step() == [(1, "mjcb_control: seven")]
    finally:
        sinew.set_mjcb_control(None)
    before[1, 1] = 7
    np.testing.assert_array_equal(batch.state[1], before[1])
    assert (batch.bind("time") == [2 * model.opt.timestep, model.opt.timestep, 2 * model.opt.timestep]).all()


def test_many_callers(model):
    """The threads serve one caller at a time; the others work on their own and give the same."""
    states = starts(model, 8)
    expected, _ = rollout.rollout(model, sinew.MjData(model), states, nstep=40)

    def one(_):
        return rollout.rollout(model, [sinew.MjData(model) for _ in range(3)], states, nstep=40)[0]

    with concurrent.futures.ThreadPoolExecutor(4) as callers:
        for found in callers.map(one, range(12)):
            np.testing.assert_array_equal(found, expected)


def test_calls_one_after_another(model):
    """Threads that look, threads that sleep and threads that are not wanted find the call that is theirs."""
    rng = np.random.default_rng(4)
    batches = [sinew.Batch(model, 7, nthread=n) for n in (1, 5, 2, 7, 3)]
    for batch in batches:
        batch.set_state(starts(model, 7), FULL)
    for call in range(400):
        for batch in batches:
            assert batch.step(1 + call % 2) == []
        if call % 40 == 0:
            time.sleep(rng.uniform(0, 0.005))
    for batch in batches[1:]:
        np.testing.assert_array_equal(batch.state, batches[0].state)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_child_of_fork(model):
    batch = sinew.Batch(model, 4, nthread=3)
    batch.step()
    child = os.fork()
    if child == 0:  # its parent's threads are not there
        batch.step(3)
        os._exit(0 if batch.bind("time")[0] > 0 else 1)
    assert os.waitpid(child, 0)[1] == 0


def height(batch):
    return batch.get("qpos")[:, 2]


def fell(batch):
    return height(batch) < 0.45


@pytest.mark.skipif(os.name == "nt", reason="Windows counts processor time in hundredths of a second")
def test_a_row_has_its_time():
    """A row that took its seconds stops after a step and says so; the others, and rows after a reset, do not know of it."""
    model = sinew.MjModel.from_xml_string("<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body></worldbody></mujoco>")
    batch, free = sinew.Batch(model, 3, time_limit=1.0, nthread=2), sinew.Batch(model, 3)
    assert batch.step(5) == [] and free.seconds is None and (batch.seconds > 0).all()
    free.step(5)
    batch.seconds[1] = 2.0
    assert batch.step(3) == [(1, "time limit: more than 1 s, after 0 of 3 steps")]
    free.step(3, rows=[0, 2])
    assert (batch.state == free.state).all()
    batch.reset([1])
    assert batch.seconds[1] == 0 and batch.step(3) == []
    short = sinew.Batch(model, 1, time_limit=1e-9)
    assert short.step(10) == [(0, "time limit: more than 1e-09 s, after 1 of 10 steps")]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_gym_against_single_environments(model, mode):
    """Gymnasium's own vector of single environments gives the same, episode ends and all."""
    gymnasium = pytest.importorskip("gymnasium")
    from sinew.gym import VectorEnv

    class One(gymnasium.Env):
        def __init__(self):
            self.data = sinew.MjData(model)
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (model.nq + model.nv,), np.float64)
            self.action_space = gymnasium.spaces.Box(-1, 1, (model.nu,), np.float64)
            self.rng = None

        def observe(self):
            return np.concatenate([self.data.qpos, self.data.qvel])

        def reset(self, *, seed=None, options=None):
            if seed is not None:
                self.rng = np.random.default_rng(seed)
            sinew.mj_resetData(model, self.data)
            self.data.qpos += self.rng.uniform(-0.1, 0.1, model.nq)
            self.data.qvel += self.rng.uniform(-0.1, 0.1, model.nv)
            sinew.mj_forward(model, self.data)
            self.steps = 0
            return self.observe(), {}

        def step(self, action):
            self.data.ctrl[:] = action
            sinew.mj_step(model, self.data, nstep=5)
            self.steps += 1
            return self.observe(), self.data.qpos[2], bool(self.data.qpos[2] < 0.45), self.steps >= 25, {}

    kind = gymnasium.vector.AutoresetMode(mode)
    theirs = gymnasium.vector.SyncVectorEnv([One] * 3, autoreset_mode=kind)
    ours = VectorEnv(model, 3, frame_skip=5, max_steps=25, reward=height, terminated=fell, noise=0.1, nthread=2, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is kind
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    np.testing.assert_array_equal(ours.reset(seed=7)[0], theirs.reset(seed=7)[0])
    ours.action_space.seed(1)
    ends = 0
    for _ in range(80):
        action = ours.action_space.sample()
        a, b = ours.step(action), theirs.step(action)
        for x, y in zip(a[:4], b[:4]):
            np.testing.assert_array_equal(x, y)
        over = a[2] | a[3]
        ends += over.sum()
        if mode == "SameStep" and over.any():
            np.testing.assert_array_equal(a[4]["_final_obs"], b[4]["_final_obs"])
            for row in np.flatnonzero(over):
                np.testing.assert_array_equal(a[4]["final_obs"][row], b[4]["final_obs"][row])
        if mode == "Disabled" and over.any():
            with pytest.raises(ValueError, match="reset them first"):
                ours.step(action)
            mask = {"reset_mask": over}
            np.testing.assert_array_equal(ours.reset(options=mask)[0], theirs.reset(options=mask)[0])
    assert ends > 5


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_gym_tells_of_bad_numbers(mode):
    """A row whose numbers went bad ends, with info["bad"] true for it alone; the others go on as ever."""
    pytest.importorskip("gymnasium")
    from sinew.gym import VectorEnv

    model = sinew.MjModel.from_xml_string(XML)
    assert model.nu
    make = lambda: VectorEnv(model, 3, nthread=2, autoreset_mode=mode)
    env, calm = make(), make()
    env.reset(seed=1), calm.reset(seed=1)
    action = np.zeros((3, model.nu))
    for infos in (env.step(action)[4], calm.step(action)[4]):
        assert infos["bad"].dtype == bool and not infos["bad"].any()
    wild = action.copy()
    wild[1] = np.nan
    seen, _, terminated, truncated, infos = env.step(wild)
    expected = calm.step(action)[0]
    assert infos["bad"].tolist() == [False, True, False] == terminated.tolist() and not truncated.any()
    np.testing.assert_array_equal(seen[[0, 2]], expected[[0, 2]])
    assert np.isfinite(seen).all()
    if mode != "SameStep":
        assert [row for row, _ in env.batch.bad_rows] == [1]
    else:
        assert infos["final_info"]["bad"][1] and infos["_final_obs"].tolist() == [False, True, False]
    if mode == "Disabled":
        env.reset(options={"reset_mask": terminated})
    seen, _, terminated, _, infos = env.step(action)
    assert not infos["bad"].any() and not terminated.any() and np.isfinite(seen).all()


def test_gym():
    gymnasium = pytest.importorskip("gymnasium")
    import gymnasium.wrappers.vector
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

    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(VectorEnv(model, 3, max_steps=4, info=lambda b: {"time": b.get("time")}))
    wrapped = gymnasium.wrappers.vector.ClipAction(gymnasium.wrappers.vector.NormalizeObservation(wrapped))
    _, info = wrapped.reset(seed=[1, 2, 3])
    assert info["time"].shape == (3,)
    for _ in range(4):
        *_, info = wrapped.step(wrapped.action_space.sample())
    assert info["episode"]["l"].tolist() == [4, 4, 4] and not info["bad"].any()
    with pytest.raises(ValueError, match="seeds"):
        env.reset(seed=[1])
    with pytest.raises(ValueError, match="shape"):
        env.step(np.zeros((2, 1)))
    with pytest.raises(ValueError, match="rows of numbers"):
        VectorEnv(model, 2, observe=lambda batch: np.zeros(3))


def test_no_rows(model):
    """An empty list of rows is no row, wherever rows are given."""
    batch = sinew.Batch(model, 3)
    before = batch.state.copy()
    for rows in ([], np.zeros(3, bool), np.zeros(0, int)):
        assert batch.step(rows=rows) == batch.reset(rows=rows) == []
        batch.set("ctrl", 1.0, rows=rows)
        batch.render(rows=rows)
    assert np.array_equal(batch.state, before)
