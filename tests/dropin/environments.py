"""Steps environments with random actions and prints what they return, one JSON line each.

    python environments.py gymnasium|robotics|dm_control|composer [STEPS]

Runs in whatever `mujoco` package is first on the path: tests compare two runs.
"""

import json
import sys
import warnings

import numpy as np

GYMNASIUM = ["Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum"]
GYMNASIUM += ["InvertedPendulum", "Pusher", "Reacher", "Swimmer", "Walker2d"]
ROBOTICS = ["FetchReach-v4", "FetchPush-v4", "FetchSlide-v4", "FetchPickAndPlace-v4", "HandReach-v3"]
ROBOTICS += ["HandManipulateBlock-v1", "HandManipulateEgg-v1", "HandManipulatePen-v1", "AdroitHandDoor-v1"]
ROBOTICS += ["AdroitHandHammer-v1", "AdroitHandPen-v1", "AdroitHandRelocate-v1", "FrankaKitchen-v1", "AntMaze_UMaze-v5"]
ROBOTICS += ["PointMaze_UMaze-v3", "HandManipulateBlockRotateXYZ_ContinuousTouchSensors-v1"]
ROBOTICS += ["HandManipulateEgg-v1 nudged", "HandManipulateEgg-v1 settled"]
ROBOTICS += ["HandManipulateEggRotate_ContinuousTouchSensors-v1 settled"]


FAMILIES = ["gymnasium", "robotics", "dm_control", "composer"]

# Environments whose outcome hangs on where an iteration stops (friction of bricks by a few sweeps of
# noslip, which magnify what the solver leaves) run with both engines converged. A brick or box that
# settles beside an arm folded into itself takes longer, now the one engine, now the other. At 100
# iterations stack_2_bricks_features differs by 1.7e-4 in its first step, which is not explained.
CONVERGED = {"tolerance": 0, "ccd_tolerance": 1e-12, "ccd_iterations": 500}
LONGER = dict.fromkeys(("lift_brick_features", "lift_large_box_features", "stack_2_bricks_features"), {"iterations": 1000, "ls_iterations": 200})

# At the default tolerance the released search for contacts of curved shapes ends among triangles so
# slim that one unit in the last place of a pose moves the normal by 1e-5: the released engine does
# not agree with itself when the egg is nudged by that much. Ours is bound by ten times what the nudge
# does. Settled, with a larger tolerance, the search ends before that and all agrees.
NUDGED = {name: "HandManipulateEgg-v1" for name in ("HandManipulateEgg-v1", "HandManipulateEgg-v1 nudged")}
SETTLED = {"ccd_tolerance": 1e-5}

# environment: why its numbers are not expected to agree
STACKED = "studs of bricks that exactly touch: rounding decides which contacts there are"
INEXACT = {
    "reassemble_3_bricks_fixed_order_features": STACKED, "reassemble_5_bricks_random_order_features": STACKED,
}


def differences(found, expected):
    return [np.inf if len(a) != len(b) else np.max(np.abs(np.subtract(a, b)) / (1 + np.abs(b))) for a, b in zip(found, expected)]


def compare(theirs, ours):
    """Two runs, rows by name: what differs by more than 1e-6 and should not, one line each."""
    problems, compared = [], 0
    for name, expected in theirs.items():
        if isinstance(expected, str):  # it does not run on the released package either
            continue
        found = ours.get(name, "it was not run")
        if isinstance(found, str):
            problems.append(f"{name}: {found}")
            continue
        compared += 1
        limit = 1e-6
        if name in NUDGED:
            limit = max(limit, 10 * max(differences(theirs[f"{NUDGED[name]} nudged"], theirs[NUDGED[name]])))
        errors = differences(found, expected)
        step = next((i for i, error in enumerate(errors) if not error <= limit), None)
        if step is None and name in INEXACT:
            warnings.warn(f"{name} agrees: it need not be among those that do not", stacklevel=2)
        elif step is not None and name not in INEXACT:
            problems.append(f"{name}: step {step} differs by {errors[step]:.1e}")
    if not compared:
        problems.append("no environment runs here")
    return problems


def flat(observation):
    if isinstance(observation, dict):
        return np.concatenate([flat(observation[key]) for key in sorted(observation)])
    return np.ravel(observation)


def converge(options, name):
    for option, value in {**CONVERGED, **LONGER.get(name, {})}.items():
        setattr(options, option, value)


def report(name, rows):
    print(json.dumps({"name": name, "rows": rows}), flush=True)


def gymnasium_rows(name, steps):
    import gymnasium

    name, _, how = name.partition(" ")
    if not name.endswith("-v5"):
        import gymnasium_robotics

        gymnasium.register_envs(gymnasium_robotics)
    env = gymnasium.make(name).unwrapped
    if how == "settled":
        for option, value in SETTLED.items():
            setattr(env.model.opt, option, value)
    env.action_space.seed(3)
    observation, _ = env.reset(seed=3)
    if how == "nudged":
        height = env.model.joint("object:joint").qposadr[0] + 2
        env.data.qpos[height] = np.nextafter(env.data.qpos[height], 1)
    rows = [flat(observation).tolist()]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rows.append([*flat(observation).tolist(), float(reward), float(terminated)])
    env.close()
    return rows


def dm_control_rows(env, steps):
    rng = np.random.default_rng(7)
    specs = env.action_spec()
    step = env.reset()

    def action(spec):
        return rng.uniform(np.maximum(spec.minimum, -1), np.minimum(spec.maximum, 1))

    def row(step, *more):
        seen = step.observation if isinstance(step.observation, (list, tuple)) else [step.observation]
        return [*np.concatenate([flat(dict(one)) for one in seen]).astype(float).tolist(), *more]

    rows = [row(step)]
    for _ in range(steps):
        step = env.step([action(s) for s in specs] if isinstance(specs, (list, tuple)) else action(specs))
        rows.append(row(step, *np.ravel(step.reward if step.reward is not None else 0).astype(float).tolist()))
    return rows


def without_pictures():
    """dm_control as it is where nothing can be drawn; one of its tasks still says numpy.in1d."""
    import dm_control.mujoco

    dm_control.mujoco.Physics.contexts = property(lambda self: None)
    if not hasattr(np, "in1d"):
        np.in1d = np.isin


def suite_tasks():
    from dm_control import suite

    for domain, task in suite.ALL_TASKS:
        yield f"{domain}-{task}", lambda: suite.load(domain, task, task_kwargs={"random": 5})


def composer_tasks():
    from dm_control import composer, manipulation
    from dm_control.locomotion import arenas, soccer, tasks, walkers

    def manipulate(name):
        env = manipulation.load(name, seed=5)
        converge(env.task.root_entity.mjcf_model.option, name)
        return env

    for name in manipulation.get_environments_by_tag("features"):
        yield name, lambda: manipulate(name)
    yield "soccer", lambda: soccer.load(team_size=2, random_state=5)

    def gaps(walker):
        task = tasks.RunThroughCorridor(walker=walker, arena=arenas.GapsCorridor(corridor_width=10, corridor_length=100))
        walker.observables.egocentric_camera.enabled = False
        return composer.Environment(task=task, random_state=5, strip_singleton_obs_buffer_dim=True)

    def floor(walker):
        task = tasks.GoToTarget(walker=walker, arena=arenas.Floor(size=(8, 8)))
        return composer.Environment(task=task, random_state=5, strip_singleton_obs_buffer_dim=True)

    yield "humanoid-gaps", lambda: gaps(walkers.CMUHumanoidPositionControlledV2020(observable_options={}))
    yield "rodent-gaps", lambda: gaps(walkers.Rat())
    yield "ant-target", lambda: floor(walkers.Ant())
    yield "rolling-ball-target", lambda: floor(walkers.RollingBallWithHead())
    yield "jumping-ball-target", lambda: floor(walkers.JumpingBallWithHead())


def main():
    warnings.filterwarnings("ignore")
    family, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 25
    if family in ("dm_control", "composer"):
        without_pictures()
        for name, load in suite_tasks() if family == "dm_control" else composer_tasks():
            try:
                report(name, dm_control_rows(load(), steps))
            except Exception as problem:
                report(name, f"{type(problem).__name__}: {problem}")
        return
    for name in [f"{n}-v5" for n in GYMNASIUM] if family == "gymnasium" else ROBOTICS:
        try:
            report(name, gymnasium_rows(name, steps))
        except Exception as problem:
            report(name, f"{type(problem).__name__}: {problem}")


if __name__ == "__main__":
    main()
