"""Gymnasium's MuJoCo tasks, version 5, with many rows at once: the same names, models, arguments, observations,
rewards, ends of episodes and first states, as Gymnasium's documentation defines them.

The model files are those of the installed gymnasium package. A row that is seeded as an environment of Gymnasium is
draws the same first states. Positions of bodies and sites are those that the last mj_step began with, as in
Gymnasium: one step of the engine behind qpos.
"""

import pathlib
from typing import Any, Optional

import gymnasium
import numpy as np
import numpy.typing as npt

from .. import _check
from .._enums import mjtObj
from .._sinew import MjModel, mj_name2id
from .vector import Floats, Rows, VectorEnv

_INF = float("inf")


def find_model(file: str) -> MjModel:
    """A model by its path, or one of Gymnasium's by its name."""
    path = pathlib.Path(file).expanduser()
    if not path.is_absolute() and not path.exists():
        path = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets" / file
    return MjModel.from_xml_path(str(path))


class MujocoEnv(VectorEnv):
    """What the tasks have in common: first states with noise, a reward that is a sum of terms."""

    file: str
    skip: int
    steps = 1000
    noise_scale: Optional[float] = None
    normal_velocity = False  # first velocities are normal and not uniform
    action_type = np.float32

    def __init__(self, num_envs: int = 1, *, xml_file: Optional[str] = None, frame_skip: Optional[int] = None, reset_noise_scale: Optional[float] = None,
                 max_episode_steps: Optional[int] = None, **more: Any) -> None:  # fmt: skip
        if reset_noise_scale is not None and self.noise_scale is None:
            raise TypeError(f"{type(self).__name__} has no argument reset_noise_scale")
        self._scale = float(self.noise_scale or 0) if reset_noise_scale is None else float(reset_noise_scale)
        self._terms: dict[str, Any] = {}
        skip = self.skip if frame_skip is None else frame_skip
        model = find_model(self.file if xml_file is None else xml_file)
        track = mj_name2id(model, int(mjtObj.mjOBJ_CAMERA), "track")
        more["render_options"] = {"camera": track, **(more.get("render_options") or {})}
        self.dt = model.opt.timestep * skip
        super().__init__(model, num_envs, frame_skip=skip, max_steps=self.steps if max_episode_steps is None else max_episode_steps, **more)
        self.metadata["render_fps"] = int(np.round(1 / self.dt))

    def prepare(self) -> None:
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.qpos0 = self.batch.model.qpos0.copy()

    def start_rows(self, rows: Rows) -> None:
        scale, (nq, nv) = self._scale, (self.batch.model.nq, self.batch.model.nv)
        for row in rows:
            rng = self.rngs[row]
            self.qpos[row] = self.qpos0 + rng.uniform(-scale, scale, nq)
            self.qvel[row] = scale * rng.standard_normal(nv) if self.normal_velocity else rng.uniform(-scale, scale, nv)

    def terms(self) -> dict[str, Any]:
        return self._terms

    def body(self, name: str) -> int:
        return self._id(mjtObj.mjOBJ_BODY, name)

    def _id(self, kind: mjtObj, name: str) -> int:
        number = mj_name2id(self.batch.model, int(kind), name)
        if number < 0:
            raise ValueError(f"{type(self).__name__}: the model has no {kind.name[6:].lower()} '{name}', which the task looks at")
        return number


def _inside(values: npt.NDArray[Any], limits: tuple[float, float], strictly: bool = False) -> npt.NDArray[np.bool_]:
    low, high = limits
    inside: npt.NDArray[np.bool_] = (low < values) & (values < high) if strictly else (low <= values) & (values <= high)
    return inside


class Runner(MujocoEnv):
    """Tasks rewarded for running along x: forward velocity less the cost of controls."""

    forward, control = 1.0, 0.0
    skipped = 1  # positions that are not observed

    def __init__(self, num_envs: int = 1, *, forward_reward_weight: Optional[float] = None, ctrl_cost_weight: Optional[float] = None,
                 exclude_current_positions_from_observation: bool = True, **more: Any) -> None:  # fmt: skip
        self._forward = self.forward if forward_reward_weight is None else forward_reward_weight
        self._control = self.control if ctrl_cost_weight is None else ctrl_cost_weight
        self._skipped = self.skipped if exclude_current_positions_from_observation else 0
        super().__init__(num_envs, **more)

    def prepare(self) -> None:
        super().prepare()
        self._place = self.place()

    def place(self) -> Floats:
        """Where rows are along x, or along x and y (num_envs x 2)."""
        return self.qpos[:, :1].copy()

    def started(self, rows: Rows) -> None:
        self._place[rows] = self.place()[rows]

    def observe(self) -> Floats:
        return np.concatenate([self.qpos[:, self._skipped :], self.qvel], axis=1)

    def costs(self, actions: npt.NDArray[Any]) -> Any:
        cost = self._control * np.sum(np.square(actions), axis=1)
        self._terms["reward_ctrl"] = -cost
        return cost

    def moved(self) -> Floats:
        """The reward of the forward velocity."""
        place = self.place()
        velocity = (place - self._place) / self.dt
        self._place = place
        forward = self._forward * velocity[:, 0]
        self._terms["x_velocity"] = velocity[:, 0]
        if velocity.shape[1] > 1:
            self._terms["y_velocity"] = velocity[:, 1]
        self._terms["reward_forward"] = forward.copy()
        return np.asarray(forward)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        self._terms = {}
        return np.asarray(self.moved() - self.costs(actions))

    def info(self) -> dict[str, Any]:
        return {"x_position": self.qpos[:, 0].copy()}


class HalfCheetahEnv(Runner):
    """HalfCheetah-v5."""

    file, skip, control, noise_scale, normal_velocity = "half_cheetah.xml", 5, 0.1, 0.1, True


class SwimmerEnv(Runner):
    """Swimmer-v5."""

    file, skip, control, noise_scale, skipped = "swimmer.xml", 4, 1e-4, 0.1, 2

    def place(self) -> Floats:
        return self.qpos[:, :2].copy()

    def info(self) -> dict[str, Any]:
        return _in_the_plane(self.qpos)


def _in_the_plane(qpos: Floats) -> dict[str, Any]:
    return {"x_position": qpos[:, 0].copy(), "y_position": qpos[:, 1].copy(), "distance_from_origin": np.linalg.norm(qpos[:, :2], axis=1)}


class Healthy(Runner):
    """Runners whose episodes end when they fall, with a reward as long as they have not."""

    alive = 1.0
    z_range = (-_INF, _INF)

    def __init__(self, num_envs: int = 1, *, healthy_reward: Optional[float] = None, terminate_when_unhealthy: bool = True,
                 healthy_z_range: Optional[tuple[float, float]] = None, **more: Any) -> None:  # fmt: skip
        self._alive = self.alive if healthy_reward is None else healthy_reward
        self._ends = terminate_when_unhealthy
        self._z_range = self.z_range if healthy_z_range is None else healthy_z_range
        super().__init__(num_envs, **more)

    def healthy(self) -> npt.NDArray[np.bool_]:
        raise NotImplementedError("a task says what is healthy")

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        self._terms = {}
        self._healthy = self.healthy()
        survive = self._alive * self._healthy.astype(np.float64)
        self._terms["reward_survive"] = survive.copy()
        return np.asarray(self.moved() + survive - self.costs(actions))

    def terminated(self) -> npt.NDArray[np.bool_]:
        return ~self._healthy if self._ends else np.zeros(self.num_envs, bool)

    def finite(self) -> npt.NDArray[np.bool_]:
        return np.asarray(np.isfinite(self.qpos).all(axis=1) & np.isfinite(self.qvel).all(axis=1))


class Walking(Healthy):
    """Hopper and Walker2d: planar, with an angle of the torso that must stay small."""

    angle_range = (-_INF, _INF)
    control, noise_scale, skip = 1e-3, 5e-3, 4

    def __init__(self, num_envs: int = 1, *, healthy_angle_range: Optional[tuple[float, float]] = None, **more: Any) -> None:
        self._angle_range = self.angle_range if healthy_angle_range is None else healthy_angle_range
        super().__init__(num_envs, **more)

    def observe(self) -> Floats:
        return np.concatenate([self.qpos[:, self._skipped :], np.clip(self.qvel, -10, 10)], axis=1)

    def healthy(self) -> npt.NDArray[np.bool_]:
        return _inside(self.qpos[:, 1], self._z_range, True) & _inside(self.qpos[:, 2], self._angle_range, True)

    def info(self) -> dict[str, Any]:
        return {"x_position": self.qpos[:, 0].copy(), "z_distance_from_origin": self.qpos[:, 1] - self.qpos0[1]}


class HopperEnv(Walking):
    """Hopper-v5."""

    file, z_range, angle_range = "hopper.xml", (0.7, _INF), (-0.2, 0.2)

    def __init__(self, num_envs: int = 1, *, healthy_state_range: tuple[float, float] = (-100.0, 100.0), **more: Any) -> None:
        self._state_range = healthy_state_range
        super().__init__(num_envs, **more)

    def healthy(self) -> npt.NDArray[np.bool_]:
        state = _inside(self.qpos[:, 2:], self._state_range, True).all(axis=1) & _inside(self.qvel, self._state_range, True).all(axis=1)
        return np.asarray(super().healthy() & state)


class Walker2dEnv(Walking):
    """Walker2d-v5."""

    file, z_range, angle_range = "walker2d_v5.xml", (0.8, 2.0), (-1.0, 1.0)


def _squares(forces: Floats) -> Floats:
    return np.asarray(np.square(forces).sum(axis=(1, 2)))


class Forces(MujocoEnv):
    """Tasks that look at the forces of contacts on bodies."""

    after = ("mj_rnePostConstraint",)

    def prepare(self) -> None:
        self._forces = self.batch.bind("cfrc_ext")
        super().prepare()

    def forces(self) -> Floats:
        """cfrc_ext of all rows; 0 in rows that have not stepped, as after mj_resetData."""
        first = self._steps == 0
        return np.where(first[:, None, None], 0.0, self._forces) if first.any() else self._forces


class Contacts(Healthy, Forces):
    """Ant and Humanoid: contact forces cost, and are observed."""

    contact = 0.0
    skipped = 2

    def __init__(self, num_envs: int = 1, *, contact_cost_weight: Optional[float] = None, include_cfrc_ext_in_observation: bool = True, **more: Any) -> None:
        self._contact = self.contact if contact_cost_weight is None else contact_cost_weight
        self._sees_forces = include_cfrc_ext_in_observation
        super().__init__(num_envs, **more)

    def contact_cost(self) -> Any:
        raise NotImplementedError("a task says what contacts cost")

    def costs(self, actions: npt.NDArray[Any]) -> Any:
        cost = self.contact_cost()
        self._terms["reward_contact"] = -cost
        return super().costs(actions) + cost

    def info(self) -> dict[str, Any]:
        return _in_the_plane(self.qpos)


class AntEnv(Contacts):
    """Ant-v5."""

    file, skip, control, contact, noise_scale, normal_velocity, z_range = "ant.xml", 5, 0.5, 5e-4, 0.1, True, (0.2, 1.0)

    def __init__(self, num_envs: int = 1, *, main_body: Any = 1, contact_force_range: tuple[float, float] = (-1.0, 1.0), **more: Any) -> None:
        self._main, self._force_range = main_body, contact_force_range
        super().__init__(num_envs, **more)

    def prepare(self) -> None:
        self._xpos = self.batch.bind("xpos")
        if isinstance(self._main, str):
            self._main = self.body(self._main)
        self._main = _check.whole("AntEnv", "main_body", self._main, 0)
        super().prepare()

    def place(self) -> Floats:
        return self._xpos[:, self._main, :2].copy()

    def clipped(self) -> Floats:
        return np.clip(self.forces(), *self._force_range)

    def observe(self) -> Floats:
        parts = [self.qpos[:, self._skipped :], self.qvel]
        if self._sees_forces:
            parts.append(self.clipped()[:, 1:].reshape(self.num_envs, -1))
        return np.concatenate(parts, axis=1)

    def healthy(self) -> npt.NDArray[np.bool_]:
        return self.finite() & _inside(self.qpos[:, 2], self._z_range)

    def contact_cost(self) -> Any:
        return self._contact * _squares(self.clipped())


class Body:
    """What the two humanoids observe: inertias, velocities and forces of bodies, forces of actuators."""

    def _bind_body(self: Any, cinert: bool, cvel: bool, qfrc_actuator: bool) -> None:
        self._seen_of_bodies = [self.batch.bind(name) for name, wanted in (("cinert", cinert), ("cvel", cvel)) if wanted]
        self._actuation = self.batch.bind("qfrc_actuator") if qfrc_actuator else None
        self._tendons = self.batch.bind("ten_length"), self.batch.bind("ten_velocity")

    def _observe_body(self: Any) -> Floats:
        parts = [self.qpos[:, self._skipped :], self.qvel]
        parts += [field[:, 1:].reshape(self.num_envs, -1) for field in self._seen_of_bodies]
        if self._actuation is not None:
            parts.append(self._actuation[:, 6:])
        if self._sees_forces:
            parts.append(self.forces()[:, 1:].reshape(self.num_envs, -1))
        return np.concatenate(parts, axis=1)

    def _tendon_info(self: Any) -> dict[str, Any]:
        length, velocity = self._tendons
        return {"tendon_length": length.copy(), "tendon_velocity": velocity.copy()}


class HumanoidEnv(Contacts, Body):
    """Humanoid-v5."""

    file, skip, forward, control, contact, alive, noise_scale, z_range = "humanoid.xml", 5, 1.25, 0.1, 5e-7, 5.0, 1e-2, (1.0, 2.0)

    def __init__(self, num_envs: int = 1, *, contact_cost_range: tuple[float, float] = (-_INF, 10.0), include_cinert_in_observation: bool = True,
                 include_cvel_in_observation: bool = True, include_qfrc_actuator_in_observation: bool = True, **more: Any) -> None:  # fmt: skip
        self._cost_range = contact_cost_range
        self._wanted = include_cinert_in_observation, include_cvel_in_observation, include_qfrc_actuator_in_observation
        super().__init__(num_envs, **more)

    def prepare(self) -> None:
        self._xipos = self.batch.bind("xipos")
        self._mass = self.batch.model.body_mass / self.batch.model.body_mass.sum()
        self._bind_body(*self._wanted)
        super().prepare()

    def place(self) -> Floats:
        """The centre of mass."""
        return np.asarray(np.einsum("b,nbk->nk", self._mass, self._xipos[:, :, :2]))

    def observe(self) -> Floats:
        return self._observe_body()

    def healthy(self) -> npt.NDArray[np.bool_]:
        return _inside(self.qpos[:, 2], self._z_range, True)

    def contact_cost(self) -> Any:
        return np.clip(self._contact * _squares(self.forces()), *self._cost_range)

    def info(self) -> dict[str, Any]:
        return {**super().info(), **self._tendon_info()}


class HumanoidStandupEnv(Forces, Body):
    """HumanoidStandup-v5."""

    file, skip, noise_scale = "humanoidstandup.xml", 5, 1e-2

    def __init__(self, num_envs: int = 1, *, uph_cost_weight: float = 1, ctrl_cost_weight: float = 0.1, impact_cost_weight: float = 0.5e-6,
                 impact_cost_range: tuple[float, float] = (-_INF, 10.0), exclude_current_positions_from_observation: bool = True,
                 include_cinert_in_observation: bool = True, include_cvel_in_observation: bool = True, include_qfrc_actuator_in_observation: bool = True,
                 include_cfrc_ext_in_observation: bool = True, **more: Any) -> None:  # fmt: skip
        self._weights = uph_cost_weight, ctrl_cost_weight, impact_cost_weight
        self._cost_range = impact_cost_range
        self._skipped = 2 if exclude_current_positions_from_observation else 0
        self._wanted = include_cinert_in_observation, include_cvel_in_observation, include_qfrc_actuator_in_observation
        self._sees_forces = include_cfrc_ext_in_observation
        super().__init__(num_envs, **more)

    def prepare(self) -> None:
        super().prepare()
        self._bind_body(*self._wanted)

    def observe(self) -> Floats:
        return self._observe_body()

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        up, control, impact = self._weights
        height = up * self.qpos[:, 2] / self.batch.model.opt.timestep
        effort = control * np.sum(np.square(self.batch.bind("ctrl")), axis=1)
        hit = np.clip(impact * _squares(self.forces()), *self._cost_range)
        self._terms = {"reward_linup": height, "reward_quadctrl": -effort, "reward_impact": -hit}
        return np.asarray(height - effort - hit + 1)

    def info(self) -> dict[str, Any]:
        place = {"x_position": self.qpos[:, 0].copy(), "y_position": self.qpos[:, 1].copy(), "z_distance_from_origin": self.qpos[:, 2] - self.qpos0[2]}
        return {**place, **self._tendon_info()}


class InvertedPendulumEnv(MujocoEnv):
    """InvertedPendulum-v5."""

    file, skip, noise_scale = "inverted_pendulum.xml", 2, 0.01

    def observe(self) -> Floats:
        return np.concatenate([self.qpos, self.qvel], axis=1)

    def terminated(self) -> npt.NDArray[np.bool_]:
        return np.asarray(~(np.isfinite(self.qpos).all(axis=1) & np.isfinite(self.qvel).all(axis=1) & (np.abs(self.qpos[:, 1]) <= 0.2)))

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        reward = (~self.terminated()).astype(np.float64)
        self._terms = {"reward_survive": reward.copy()}
        return reward


class InvertedDoublePendulumEnv(MujocoEnv):
    """InvertedDoublePendulum-v5."""

    file, skip, noise_scale, normal_velocity = "inverted_double_pendulum.xml", 5, 0.1, True

    def __init__(self, num_envs: int = 1, *, healthy_reward: float = 10.0, **more: Any) -> None:
        self._alive = healthy_reward
        super().__init__(num_envs, **more)

    def prepare(self) -> None:
        super().prepare()
        self._tip, self._force = self.batch.bind("site_xpos"), self.batch.bind("qfrc_constraint")

    def observe(self) -> Floats:
        angles = self.qpos[:, 1:]
        parts = [self.qpos[:, :1], np.sin(angles), np.cos(angles), np.clip(self.qvel, -10, 10), np.clip(self._force[:, :1], -10, 10)]
        return np.concatenate(parts, axis=1)

    def terminated(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self._tip[:, 0, 2] <= 1)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        x, y = self._tip[:, 0, 0], self._tip[:, 0, 2]
        far = 0.01 * x**2 + (y - 2) ** 2
        fast = 1e-3 * self.qvel[:, 1] ** 2 + 5e-3 * self.qvel[:, 2] ** 2
        alive = self._alive * (~self.terminated()).astype(np.float64)
        self._terms = {"reward_survive": alive, "distance_penalty": -far, "velocity_penalty": -fast}
        return np.asarray(alive - far - fast)


class PusherEnv(MujocoEnv):
    """Pusher-v5."""

    file, skip, steps = "pusher_v5.xml", 5, 100

    def __init__(self, num_envs: int = 1, *, reward_near_weight: float = 0.5, reward_dist_weight: float = 1, reward_control_weight: float = 0.1,
                 **more: Any) -> None:  # fmt: skip
        self._weights = reward_near_weight, reward_dist_weight, reward_control_weight
        super().__init__(num_envs, **more)

    def prepare(self) -> None:
        super().prepare()
        self._xpos = self.batch.bind("xpos")
        self._bodies = [self.body(name) for name in ("tips_arm", "object", "goal")]

    def start_rows(self, rows: Rows) -> None:
        nv = self.batch.model.nv
        for row in rows:
            rng, far = self.rngs[row], False
            while not far:
                place = np.concatenate([rng.uniform(-0.3, 0, 1), rng.uniform(-0.2, 0.2, 1)])
                far = bool(np.linalg.norm(place) > 0.17)  # the goal stands at (0, 0)
            self.qpos[row] = self.qpos0
            self.qpos[row, -4:] = [*place, 0, 0]
            self.qvel[row] = rng.uniform(-0.005, 0.005, nv)
            self.qvel[row, -4:] = 0

    def observe(self) -> Floats:
        return np.concatenate([self.qpos[:, :7], self.qvel[:, :7], *(self._xpos[:, body] for body in self._bodies)], axis=1)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        tip, thing, goal = (self._xpos[:, body] for body in self._bodies)
        near, far, control = self._weights
        terms = {
            "reward_dist": -np.linalg.norm(thing - goal, axis=1) * far,
            "reward_ctrl": -np.square(actions).sum(axis=1) * control,
            "reward_near": -np.linalg.norm(thing - tip, axis=1) * near,
        }
        self._terms = terms
        return np.asarray(terms["reward_dist"] + terms["reward_ctrl"] + terms["reward_near"])


class ReacherEnv(MujocoEnv):
    """Reacher-v5."""

    file, skip, steps = "reacher.xml", 2, 50

    def __init__(self, num_envs: int = 1, *, reward_dist_weight: float = 1, reward_control_weight: float = 1, **more: Any) -> None:
        self._weights = reward_dist_weight, reward_control_weight
        super().__init__(num_envs, **more)

    def prepare(self) -> None:
        super().prepare()
        self._xpos = self.batch.bind("xpos")
        self._bodies = [self.body(name) for name in ("fingertip", "target")]

    def start_rows(self, rows: Rows) -> None:
        nq, nv = self.batch.model.nq, self.batch.model.nv
        for row in rows:
            rng, inside = self.rngs[row], False
            qpos = rng.uniform(-0.1, 0.1, nq) + self.qpos0
            while not inside:
                goal = rng.uniform(-0.2, 0.2, 2)
                inside = bool(np.linalg.norm(goal) < 0.2)
            qpos[-2:] = goal
            self.qpos[row] = qpos
            self.qvel[row] = rng.uniform(-0.005, 0.005, nv)
            self.qvel[row, -2:] = 0

    def apart(self) -> Floats:
        tip, target = self._bodies
        return np.asarray(self._xpos[:, tip] - self._xpos[:, target])

    def observe(self) -> Floats:
        angles = self.qpos[:, :2]
        return np.concatenate([np.cos(angles), np.sin(angles), self.qpos[:, 2:], self.qvel[:, :2], self.apart()[:, :2]], axis=1)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        far, control = self._weights
        terms = {"reward_dist": -np.linalg.norm(self.apart(), axis=1) * far, "reward_ctrl": -np.square(actions).sum(axis=1) * control}
        self._terms = terms
        return np.asarray(terms["reward_dist"] + terms["reward_ctrl"])


TASKS: dict[str, type[MujocoEnv]] = {
    f"{kind.__name__[:-3]}-v5": kind
    for kind in (AntEnv, HalfCheetahEnv, HopperEnv, HumanoidEnv, HumanoidStandupEnv, InvertedDoublePendulumEnv, InvertedPendulumEnv, PusherEnv,
                 ReacherEnv, SwimmerEnv, Walker2dEnv)
}  # fmt: skip
