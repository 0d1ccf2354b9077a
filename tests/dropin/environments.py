"""Steps environments with random actions and prints what they return, one JSON line each.

    python environments.py gymnasium|robotics|dm_control [STEPS]

Runs in whatever `mujoco` package is first on the path: the test compares two runs.
"""

import json
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")

GYMNASIUM = ["Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum"]
GYMNASIUM += ["InvertedPendulum", "Pusher", "Reacher", "Swimmer", "Walker2d"]
ROBOTICS = ["FetchReach-v4", "FetchPush-v4", "FetchSlide-v4", "FetchPickAndPlace-v4", "HandReach-v3"]
ROBOTICS += ["HandManipulateBlock-v1", "HandManipulateEgg-v1", "HandManipulatePen-v1", "AdroitHandDoor-v1"]


def flat(observation):
    if isinstance(observation, dict):
        return np.concatenate([np.ravel(observation[key]) for key in sorted(observation)])
    return np.ravel(observation)


def report(name, rows):
    print(json.dumps({"name": name, "rows": rows}), flush=True)


def gymnasium_rows(name, steps):
    import gymnasium

    if not name.endswith("-v5"):
        import gymnasium_robotics

        gymnasium.register_envs(gymnasium_robotics)
    env = gymnasium.make(name).unwrapped
    env.action_space.seed(3)
    observation, _ = env.reset(seed=3)
    rows = [flat(observation).tolist()]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rows.append([*flat(observation).tolist(), float(reward), float(terminated)])
    env.close()
    return rows


def dm_control_rows(domain, task, steps):
    from dm_control import suite

    env = suite.load(domain, task, task_kwargs={"random": 5})
    rng = np.random.default_rng(7)
    spec = env.action_spec()
    low, high = np.maximum(spec.minimum, -1), np.minimum(spec.maximum, 1)
    step = env.reset()
    rows = [flat(dict(step.observation)).tolist()]
    for _ in range(steps):
        step = env.step(rng.uniform(low, high))
        rows.append([*flat(dict(step.observation)).tolist(), float(step.reward or 0)])
    return rows


def main():
    family, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 25
    if family == "dm_control":
        from dm_control import suite

        for domain, task in suite.ALL_TASKS:
            try:
                report(f"{domain}-{task}", dm_control_rows(domain, task, steps))
            except Exception as problem:
                report(f"{domain}-{task}", f"{type(problem).__name__}: {problem}")
        return
    for name in [f"{n}-v5" for n in GYMNASIUM] if family == "gymnasium" else ROBOTICS:
        try:
            report(name, gymnasium_rows(name, steps))
        except Exception as problem:
            report(name, f"{type(problem).__name__}: {problem}")


if __name__ == "__main__":
    main()
