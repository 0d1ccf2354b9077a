"""Environments by name: Gymnasium's checker, seeds, autoreset, bad rows, pixels. test_tasks.py compares their numbers."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import sinew.gym  # noqa: E402
from sinew.gym import mujoco_v5  # noqa: E402

V5 = list(mujoco_v5.TASKS)


def roll(env, steps, seed=1):
    rng, rows = np.random.default_rng(0), []
    seen, _ = env.reset(seed=seed)
    for _ in range(steps):
        action = rng.uniform(env.action_space.low, env.action_space.high).astype(env.action_space.dtype)
        rows.append(env.step(action))
    return [seen] + [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], [row[4] for row in rows]


def test_names():
    assert len(sinew.gym.names()) == 62 and "Ant-v5" in sinew.gym.names() and "dog-fetch-v0" in sinew.gym.names()
    assert sinew.gym.find("sinew/Hopper-v5") is sinew.gym.find("Hopper-v5") is mujoco_v5.HopperEnv
    assert sinew.gym.find("cartpole-balance") is sinew.gym.find("sinew/cartpole-balance-v0")
    with pytest.raises(ValueError, match="such as Hopper-v5.*found 'Hoper-v5'"):
        sinew.gym.make("Hoper-v5")
    with pytest.raises(ValueError, match="num_envs"):
        sinew.gym.make("Hopper-v5", 0)


@pytest.mark.parametrize("name", V5)
def test_gymnasium_checks_one(name):
    env = gymnasium.make(f"sinew/{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*[Oo]bservation space.*(infinity|unbounded|precision).*")
        warnings.filterwarnings("ignore", message=".*action space.*")
        warnings.filterwarnings("ignore", message=".*render.*")
        warnings.filterwarnings("ignore", message=".*spec.*")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", V5)
def test_a_row_is_an_environment(name):
    """Rows of a batch, on any number of threads, are to the bit what environments on their own are."""
    many = gymnasium.make_vec(f"sinew/{name}", num_envs=3)
    assert isinstance(many, sinew.gym.VectorEnv)
    seen, rewards, _, _ = roll(many, 10, seed=4)
    again, same, _, _ = roll(sinew.gym.make(name, 3, nthread=1), 10, seed=4)
    assert all((a == b).all() for a, b in zip(seen, again)) and all((a == b).all() for a, b in zip(rewards, same))
    one, rng = gymnasium.make(f"sinew/{name}"), np.random.default_rng(0)
    first, _ = one.reset(seed=6)
    assert (first == seen[0][2]).all()
    for number in range(5):
        action = rng.uniform(many.action_space.low, many.action_space.high).astype(np.float32)
        row, reward, terminated, _, info = one.step(action[2])
        assert (row == seen[number + 1][2]).all() and reward == rewards[number][2] and not info["bad"]
        if terminated:
            break


def episodes(env, actions, seed):
    """The episodes of every row, each a list of (observation, reward, terminated, truncated): action k of a row is for its k-th step."""
    rows, (seen, _) = np.arange(env.num_envs), env.reset(seed=seed)
    found, taken, over = [[[(row, None, None, None)]] for row in seen], np.zeros(env.num_envs, int), np.zeros(env.num_envs, bool)
    while taken.min() < len(actions):
        mode, anew = env.autoreset_mode, over.copy()
        if mode is AutoresetMode.DISABLED and anew.any():
            seen, _ = env.reset(options={"reset_mask": anew})
            for row in np.flatnonzero(anew):
                found[row].append([(seen[row], None, None, None)])
            anew[:] = False
        seen, reward, terminated, truncated, infos = env.step(actions[np.minimum(taken, len(actions) - 1), rows])
        over = terminated | truncated
        for row in rows:
            if anew[row] and mode is AutoresetMode.NEXT_STEP:  # this step began an episode, and took no action
                assert reward[row] == 0 and not over[row]
                found[row].append([(seen[row], None, None, None)])
                continue
            taken[row] += 1
            ended = mode is AutoresetMode.SAME_STEP and over[row]
            found[row][-1].append((infos["final_obs"][row] if ended else seen[row], reward[row], terminated[row], truncated[row]))
            if ended:
                found[row].append([(seen[row], None, None, None)])
    return found


def check_episodes(make, steps, seed=9):
    """Whole episodes, in every autoreset mode: the same as of single environments, to the bit. How many ended."""
    three = [make(3, mode) for mode in AutoresetMode]
    space, rng = three[0].action_space, np.random.default_rng(2)
    low, high = np.maximum(space.low, -1), np.minimum(space.high, 1)
    actions = rng.uniform(low, high, (steps, *space.shape)).astype(space.dtype)
    found = [episodes(env, actions, seed) for env in three]
    alone = [episodes(make(1, AutoresetMode.DISABLED), actions[:, row : row + 1], seed + row)[0] for row in range(3)]
    for row in range(3):
        for other in found:
            compared = 0
            for mine, theirs in zip(alone[row], other[row]):
                for one, two in zip(mine, theirs):
                    assert np.array_equal(one[0], two[0]) and one[1:] == two[1:]
                    compared += one[1] is not None
            assert compared >= steps - 1
    return sum(len(row) - 1 for row in alone)


@pytest.mark.parametrize("name", V5)
def test_whole_episodes(name):
    assert check_episodes(lambda rows, mode: sinew.gym.make(name, rows, autoreset_mode=mode, nthread=1), 1100) >= 3


@pytest.mark.parametrize("on_bad", ["reset", "leave"])
def test_bad_rows(on_bad):
    env = sinew.gym.make("HalfCheetah-v5", 4, on_bad=on_bad, autoreset_mode=AutoresetMode.SAME_STEP)
    plain = sinew.gym.make("HalfCheetah-v5", 4, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=0), plain.reset(seed=0)
    action = np.zeros(env.action_space.shape, np.float32)
    env.qpos[2, 3] = np.nan
    seen, reward, terminated, truncated, info = env.step(action)
    other, expected, _, _, _ = plain.step(action)
    assert info["bad"].tolist() == [False, False, True, False] and "bad numbers" in info["bad_reason"][2] and info["bad_reason"][0] == ""
    assert terminated.tolist() == [False, False, on_bad == "reset", False] and not truncated.any()
    assert reward[2] == 0 and np.isfinite(seen).all()
    rest = [0, 1, 3]
    assert (seen[rest] == other[rest]).all() and (reward[rest] == expected[rest]).all()
    seen, _, _, _, info = env.step(action)
    assert np.isfinite(seen).all() and not info["bad"].any()
    with pytest.raises(ValueError, match="on_bad 'stop'"):
        sinew.gym.make("HalfCheetah-v5", 4, on_bad="stop")


@pytest.mark.parametrize("on_bad", ["reset", "leave"])
def test_rows_that_take_too_long(on_bad):
    """An episode may use so much processor time; a row that has used it up is bad, and the others go on."""
    env = sinew.gym.make("HalfCheetah-v5", 3, on_bad=on_bad, autoreset_mode=AutoresetMode.SAME_STEP, row_seconds=60)
    env.reset(seed=0)
    action = np.zeros(env.action_space.shape, np.float32)
    assert not env.step(action)[4]["bad"].any()
    env.batch.seconds[1] = 61
    _, reward, terminated, _, info = env.step(action)
    assert info["bad"].tolist() == [False, True, False] and "time limit" in info["bad_reason"][1] and reward[1] == 0
    assert terminated.tolist() == [False, on_bad == "reset", False]
    assert env.step(action)[4]["bad"].tolist() == [False, on_bad == "leave", False]  # until it starts anew


def test_ends_of_episodes():
    """Time limits truncate; an episode that is over is not stepped on."""
    env = sinew.gym.make("Reacher-v5", 2, max_episode_steps=5, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    action = np.zeros(env.action_space.shape, np.float32)
    ends = [env.step(action)[3].tolist() for _ in range(5)]
    assert ends == [[False, False]] * 4 + [[True, True]]
    with pytest.raises(ValueError, match=r"rows \[0, 1\] are over"):
        env.step(action)
    first, _ = env.reset(options={"reset_mask": np.array([False, True])})
    with pytest.raises(ValueError, match=r"rows \[0\] are over"):
        env.step(action)


def test_pixels():
    env = sinew.gym.make("Hopper-v5", 2, pixels={"camera": "track", "width": 24, "height": 16, "with_state": True}, render_mode="rgb_array")
    seen, _ = env.reset(seed=0)
    assert seen["pixels"].shape == (2, 16, 24, 3) and seen["state"].shape == (2, 11) and seen["pixels"].std() > 5
    assert env.observation_space.contains(seen)
    assert len(env.render()) == 2 and env.render()[0].shape == (480, 640, 3)
    one = gymnasium.make("sinew/Hopper-v5", render_mode="rgb_array")
    one.reset(seed=0)
    assert one.render().shape == (480, 640, 3)


def test_asking_for_the_released_package():
    """importlib.util.find_spec, by which packages ask what is installed, neither fails nor warns."""
    program = "import warnings; warnings.simplefilter('error'); import importlib.util, sinew; print(importlib.util.find_spec('mujoco') is None)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip() in ("True", "False"), done.stderr


def test_without_dm_control():
    try:
        import dm_control  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install dm_control"):
            sinew.gym.make("cartpole-balance")
