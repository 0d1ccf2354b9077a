"""The animals and humanoids of dm_control's suite."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .._enums import mjtJoint, mjtSensor
from .._sinew import MjData, MjModel, mj_forward
from .control import ControlTask, distance, into_frame, random_direction, small, tolerance, turned_about
from .vector import Floats, Rows

_INF = float("inf")
_UP = [6, 7, 8]  # of a matrix: what of each axis points up


class Planar(ControlTask):
    """Runners in the plane, which see everything but where they are."""

    def look(self) -> None:
        self.sensed = self.batch.bind("sensordata")
        self._speed = self.sensors("torso_subtreelinvel")[0]

    def parts(self) -> dict[str, Floats]:
        return {"position": self.qpos[:, 1:], "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        self.joints_anywhere(row, random)

    def speed(self) -> Floats:
        return self.sensed[:, self._speed]


class Cheetah(Planar):
    domain, seconds, fast = "cheetah", 10, 10.0

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return tolerance(self.speed(), (self.fast, _INF), self.fast, "linear", 0)

    def start_rows(self, rows: Rows) -> None:
        """A random pose that has fallen for 200 steps, the first of which is taken with the forces of the model's pose."""
        limited = self.batch.model.jnt_limited.astype(bool)
        low, high = self.batch.model.jnt_range[limited].T
        first = self.qpos[rows]
        with self.unactuated(rows):
            self.batch.step(1, rows)
            moved = self.qpos[rows] - first
            for i, row in enumerate(rows):
                first[i, limited] = self.rngs[row].uniform(low, high)
            self.qpos[rows] = first + moved
            self.batch.step(199, rows)
        self.batch.set("time", 0.0, rows)


class Hopper(Planar):
    domain, control = "hopper", 0.02

    def look(self) -> None:
        super().look()
        self.xipos = self.batch.bind("xipos")
        self._touch = self.sensors("touch_toe", "touch_heel")
        self._top, self._foot = self.body("torso"), self.body("foot")

    def parts(self) -> dict[str, Floats]:
        return {**super().parts(), "touch": np.log1p(self.sensed[:, self._touch])}

    def standing(self) -> Floats:
        return tolerance(self.xipos[:, self._top, 2] - self.xipos[:, self._foot, 2], (0.6, 2))


class HopperStand(Hopper):
    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return self.standing() * small(actions)


class HopperHop(Hopper):
    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return self.standing() * tolerance(self.speed(), (2, _INF), 1, "linear", 0.5)


class Walker(Planar):
    domain, seconds, control, fast = "walker", 25, 0.025, 0.0

    def look(self) -> None:
        super().look()
        self._torso = self.body("torso")

    def parts(self) -> dict[str, Floats]:
        return {"orientations": self.xmat[:, 1:, [0, 2]], "height": self.xpos[:, self._torso, 2], "velocity": self.qvel}

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        standing = tolerance(self.xpos[:, self._torso, 2], (1.2, _INF), 0.6)
        stands = (3 * standing + (1 + self.xmat[:, self._torso, 8]) / 2) / 4
        if not self.fast:
            return np.asarray(stands)
        return np.asarray(stands * (5 * tolerance(self.speed(), (self.fast, _INF), self.fast / 2, "linear", 0.5) + 1) / 6)


class WalkerWalk(Walker):
    fast = 1.0


class WalkerRun(Walker):
    fast = 8.0


class Humanoid(ControlTask):
    domain, seconds, control, fast = "humanoid", 25, 0.025, 0.0
    limbs = ("left_hand", "left_foot", "right_hand", "right_foot")
    trunk, up = "torso", 8  # a body, and its axis that is to point up

    def look(self) -> None:
        self.sensed = self.batch.bind("sensordata")
        self._moves = self.sensors(f"{self.trunk}_subtreelinvel")
        self._trunk, self._head, self._limbs = self.body(self.trunk), self.body("head"), [self.body(name) for name in self.limbs]

    def parts(self) -> dict[str, Floats]:
        frame = self.xmat[:, self._trunk]
        reach = self.xpos[:, self._limbs] - self.xpos[:, self._trunk, None]
        return {
            "joint_angles": self.qpos[:, 7:],
            "head_height": self.xpos[:, self._head, 2],
            "extremities": np.matmul(reach, frame.reshape(-1, 3, 3)),
            "torso_vertical": frame[:, _UP],
            "com_velocity": self.sensed[:, self._moves],
            "velocity": self.qvel,
        }

    def start_rows(self, rows: Rows) -> None:
        self.start_apart(rows, self.joints_anywhere)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        standing = tolerance(self.xpos[:, self._head, 2], (1.4, _INF), 0.35)
        upright = tolerance(self.xmat[:, self._trunk, self.up], (0.9, _INF), 1.9, "linear", 0)
        velocity = self.sensed[:, self._moves[:2]]
        if not self.fast:
            moves = tolerance(velocity, margin=2).mean(axis=1)
        else:
            moves = (5 * tolerance(np.linalg.norm(velocity, axis=1), (self.fast, _INF), self.fast, "linear", 0) + 1) / 6
        return np.asarray(small(actions) * standing * upright * moves)


class HumanoidWalk(Humanoid):
    fast = 1.0


class HumanoidRun(Humanoid):
    fast = 10.0


class HumanoidPureState(HumanoidRun):
    def parts(self) -> dict[str, Floats]:
        return {"position": self.qpos, "velocity": self.qvel}


class HumanoidCMU(Humanoid):
    domain, seconds, control = "humanoid_CMU", 20, 0.02
    limbs = ("lhand", "lfoot", "rhand", "rfoot")
    trunk, up = "thorax", 7


class HumanoidCMUWalk(HumanoidCMU):
    fast = 1.0


class HumanoidCMURun(HumanoidCMU):
    fast = 10.0


class Quadruped(ControlTask):
    domain, control = "quadruped", 0.02
    lean = 0.0  # degrees that the torso may lean without loss

    def look(self) -> None:
        model = self.batch.model
        self.act, self.sensed, self.sites = self.batch.bind("act"), self.batch.bind("sensordata"), self.batch.bind("site_xpos")
        hinges = np.flatnonzero(model.jnt_type == int(mjtJoint.mjJNT_HINGE))
        self._positions, self._velocities = model.jnt_qposadr[hinges].copy(), model.jnt_dofadr[hinges].copy()
        self._torso, self._workspace = self.body("torso"), self.named("site", "workspace")
        self._velocimeter = self.sensors("velocimeter")
        self._imu = self.sensors_of(int(mjtSensor.mjSENS_GYRO), int(mjtSensor.mjSENS_ACCELEROMETER))
        self._toes = self.sensors_of(int(mjtSensor.mjSENS_FORCE), int(mjtSensor.mjSENS_TORQUE))

    def parts(self) -> dict[str, Floats]:
        return {
            "egocentric_state": np.concatenate([self.qpos[:, self._positions], self.qvel[:, self._velocities], self.act], axis=1),
            "torso_velocity": self.sensed[:, self._velocimeter],
            "torso_upright": self.xmat[:, self._torso, 8],
            "imu": self.sensed[:, self._imu],
            "force_torque": np.arcsinh(self.sensed[:, self._toes]),
        }

    def in_torso(self, points: Any) -> Floats:
        return into_frame(points - self.xpos[:, self._torso], self.xmat[:, self._torso])

    def upright(self) -> Floats:
        least = np.cos(np.deg2rad(self.lean))
        return tolerance(self.xmat[:, self._torso, 8], (least, _INF), 1 + least, "linear", 0)

    def place(self, rows: Rows, where: Floats) -> None:
        """Put rows at x, y and a quaternion each, as low as they have no contacts, by centimetres."""
        contacts = self.batch.bind("ncon")
        self.qpos[rows, :2], self.qpos[rows, 3:7] = where[:, :2], where[:, 2:]
        height = 0.0
        while len(rows):
            self.qpos[rows, 2] = height
            self.forward_rows(rows)
            rows = rows[contacts[rows] > 0]
            height += 0.01

    def start_rows(self, rows: Rows) -> None:
        self.place(rows, np.stack([np.concatenate([np.zeros(2), random_direction(self.rngs[row], 4)]) for row in rows]))


class QuadrupedWalk(Quadruped):
    fast = 0.5

    def make_model(self) -> MjModel:
        return self.compile(function="make_model", floor_size=self.seconds * self.fast)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        forward = self.sensed[:, self._velocimeter[0]]
        return self.upright() * tolerance(forward, (self.fast, _INF), self.fast, "linear", 0.5)


class QuadrupedRun(QuadrupedWalk):
    fast = 5.0


class QuadrupedEscape(Quadruped):
    lean = 20.0
    own_models = True  # a terrain for each row

    def make_model(self) -> MjModel:
        return self.compile(function="make_model", floor_size=40, terrain=True, rangefinders=True)

    def look(self) -> None:
        super().look()
        self._ranges_seen = self.sensors_of(int(mjtSensor.mjSENS_RANGEFINDER))

    def parts(self) -> dict[str, Floats]:
        seen = self.sensed[:, self._ranges_seen]
        return {**super().parts(), "origin": self.in_torso(0.0), "rangefinder": np.where(seen == -1, 1.0, np.tanh(seen))}

    def start_rows(self, rows: Rows) -> None:
        """A bowl with bumps: 0.5 (1 - cos 2 pi r), r at least 0.04, times random numbers on a coarse grid, made smooth."""
        from scipy import ndimage

        size, extent = int(self.batch.model.hfield_nrow[0]), 2 * self.batch.model.hfield_size[0, 0]
        coarse = int(extent / 2)
        x, y = np.ogrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
        bowl = 0.5 - np.cos(2 * np.pi * np.clip(np.sqrt(x**2 + y**2), 0.04, 1)) / 2
        for row in rows:
            bumps = ndimage.zoom(self.rngs[row].uniform(0.15, 1, (coarse, coarse)), size / coarse)
            model = self.model_of(int(row))
            assert model is not None
            model.hfield_data[: size * size] = (bowl * bumps).ravel()
        super().start_rows(rows)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        extent = float(self.batch.model.hfield_size[0, 0])
        away = np.linalg.norm(self.sites[:, self._workspace], axis=1)
        return self.upright() * tolerance(away, (extent, _INF), extent, "linear", 0)


class QuadrupedFetch(Quadruped):
    def make_model(self) -> MjModel:
        return self.compile(function="make_model", walls_and_ball=True)

    def look(self) -> None:
        super().look()
        model = self.batch.model
        self._ball, self._target = self.body("ball"), self.named("site", "target")
        self._ball_at, self._ball_dof = self.position("ball_root"), self.velocity("ball_root")
        self._arena = float(model.geom_size[self.named("geom", "floor"), 0])
        ball = float(model.geom_size[self.named("geom", "ball"), 0])
        self._reach, self._goal = float(model.site_size[self._workspace, 0]) + ball, float(model.site_size[self._target, 0])

    def parts(self) -> dict[str, Floats]:
        frame, dof = self.xmat[:, self._torso], self._ball_dof
        linear = into_frame(self.qvel[:, dof : dof + 3] - self.qvel[:, :3], frame)
        angular = into_frame(self.qvel[:, dof + 3 : dof + 6], frame)
        ball = np.concatenate([self.in_torso(self.xpos[:, self._ball]), linear, angular], axis=1)
        return {**super().parts(), "ball_state": ball, "target_position": self.in_torso(self.sites[:, self._target])}

    def start_rows(self, rows: Rows) -> None:
        where, spawn = np.zeros((len(rows), 6)), 0.9 * self._arena
        for i, row in enumerate(rows):
            where[i, 2:] = turned_about(self.rngs[row].uniform(0, 2 * np.pi), 2)
            where[i, :2] = self.rngs[row].uniform(-spawn, spawn, 2)
        self.place(rows, where)
        for row in rows:
            at, dof = self._ball_at, self._ball_dof
            self.qpos[row, at : at + 2] = self.rngs[row].uniform(-spawn, spawn, 2)
            self.qpos[row, at + 2] = 2
            self.qvel[row, dof : dof + 2] = 5 * self.rngs[row].randn(2)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        ball, margin = self.xpos[:, self._ball, :2], self._arena * np.sqrt(2)
        reach = tolerance(distance(self.sites[:, self._workspace, :2], ball), (0, self._reach), margin, "linear", 0)
        fetch = tolerance(distance(self.sites[:, self._target, :2], ball), (0, self._goal), margin, "linear", 0)
        return np.asarray(self.upright() * reach * (0.5 + 0.5 * fetch))


class Dog(ControlTask):
    domain, seconds, control, fast = "dog", 15, 0.015, 0.0
    floor, ball = 10.0, False

    def make_model(self) -> MjModel:
        return self.compile(self.floor, not self.ball)

    def look(self) -> None:
        model = self.batch.model
        self.act, self.sensed = self.batch.bind("act"), self.batch.bind("sensordata")
        hinges = np.flatnonzero(model.jnt_type == int(mjtJoint.mjJNT_HINGE))
        self._positions, self._velocities = model.jnt_qposadr[hinges].copy(), model.jnt_dofadr[hinges].copy()
        self._torso, self._pelvis, self._skull = (self.body(name) for name in ("torso", "pelvis", "skull"))
        self._inertial = self.sensors("accelerometer", "velocimeter", "gyro")
        self._feet = self.sensors("foot_L", "foot_R", "hand_L", "hand_R")
        self._touch = self.sensors("palm_L", "palm_R", "sole_L", "sole_R")
        self._moves = self.sensors("torso_linvel")
        first = MjData(model)
        mj_forward(model, first)
        self._heights = 0.9 * first.xpos[[self._torso, self._pelvis], 2]
        self._weight = float(-model.opt.gravity[2] * model.body_subtreemass[self._torso])

    def parts(self) -> dict[str, Floats]:
        return {
            "joint_angles": self.qpos[:, self._positions],
            "joint_velocites": self.qvel[:, self._velocities],  # as the suite spells it
            "torso_pelvis_height": self.xpos[:, [self._torso, self._pelvis], 2],
            "z_projection": self.xmat[:, [self._skull, self._torso, self._pelvis]][:, :, _UP],
            "torso_com_velocity": self.torso_velocity(),
            "inertial_sensors": self.sensed[:, self._inertial],
            "foot_forces": self.sensed[:, self._feet],
            "touch_sensors": self.sensed[:, self._touch],
            "actuator_state": self.act,
        }

    def torso_velocity(self) -> Floats:
        return into_frame(self.sensed[:, self._moves], self.xmat[:, self._torso])

    def draw(self, row: int, random: Any) -> None:
        model = self.batch.model
        self.qpos[row, 3:7] = turned_about(random.uniform(0, 2 * np.pi), 2)
        self.qvel[row, 0] = 2 * random.randn()
        self.qvel[row, 1] = 2 * random.randn()
        self.qvel[row, 5] = 2 * random.randn()
        self.act[row] = random.uniform(*model.actuator_ctrlrange.T)

    def stands(self) -> Floats:
        """How well the dog stands: heights, bodies upright, and its weight on its feet."""
        least = np.sqrt(0.75)  # 30 degrees
        reward = np.ones(self.num_envs)
        for body, height in zip((self._torso, self._pelvis), self._heights):
            reward *= tolerance(self.xpos[:, body, 2], (height, _INF), height)
        upright = tolerance(self.xmat[:, [self._skull, self._torso, self._pelvis], 8], (least, _INF), 1 + least, "linear", 0)
        touch = tolerance(self.sensed[:, self._touch].sum(axis=1), (self._weight, _INF), self._weight, "linear", 0.9)
        return np.asarray(reward * upright.prod(axis=1) * touch)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        if not self.fast:
            return self.stands()
        forward = tolerance(self.torso_velocity()[:, 0], (self.fast, 2 * self.fast), max(1.0, self.fast), "linear", 0)
        return np.asarray(self.stands() * (4 * forward + 1) / 5)


class DogWalk(Dog):
    fast = 1.0
    floor = Dog.seconds * fast


class DogTrot(Dog):
    fast = 3.0
    floor = Dog.seconds * fast


class DogRun(Dog):
    fast = 9.0
    floor = Dog.seconds * fast


class DogFetch(Dog):
    ball = True

    def look(self) -> None:
        super().look()
        model = self.batch.model
        self.sites, self.frames, self.geoms = self.batch.bind("site_xpos"), self.batch.bind("site_xmat"), self.batch.bind("geom_xpos")
        self._head, self._bites = self.named("site", "head"), [self.named("site", name) for name in ("upper_bite", "lower_bite")]
        self._ball, self._target = self.named("geom", "ball"), self.named("geom", "target")
        self._ball_at, self._ball_dof = self.position("ball_root"), self.velocity("ball_root")
        self._bite, self._goal = float(model.site_size[self._bites[0], 0]), float(model.geom_size[self._target, 0])
        self._arena = float(model.geom_size[self.named("geom", "floor"), 0])
        self._skull_root = int(model.body_rootid[self._skull])
        self.moves, self.centres = self.batch.bind("cvel"), self.batch.bind("subtree_com")

    def draw(self, row: int, random: Any) -> None:
        """A ball that is thrown at the target, to a height of 3 m at most, at 5 m/s at most, not quite straight."""
        super().draw(row, random)
        angle = random.uniform(0, 2 * np.pi)
        from_target = np.array([np.sin(angle), np.cos(angle)])
        rise, speed = np.sqrt(-2 * self.batch.model.opt.gravity[2] * random.uniform(0, 3)), random.uniform(0, 5)
        self.qpos[row, self._ball_at : self._ball_at + 3] = *(0.75 * self._arena * from_target), 0.05
        self.qvel[row, self._ball_dof : self._ball_dof + 3] = *(speed * (0.05 * random.randn(2) - from_target)), rise

    def head_velocity(self) -> Floats:
        """v + w x r, r from the centre of mass that cvel is about."""
        moves = self.moves[:, self._skull]
        return np.asarray(moves[:, 3:] + np.cross(moves[:, :3], self.sites[:, self._head] - self.centres[:, self._skull_root]))

    def parts(self) -> dict[str, Floats]:
        frame, head = self.frames[:, self._head], self.sites[:, self._head]
        where = into_frame(self.geoms[:, self._ball] - head, frame)
        linear = into_frame(self.qvel[:, self._ball_dof : self._ball_dof + 3] - self.head_velocity(), frame)
        target = into_frame(self.geoms[:, self._target] - head, frame)
        return {**super().parts(), "ball_state": np.concatenate([where, linear], axis=1), "target_position": target}

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        ball = self.geoms[:, self._ball]
        mouth = sum(distance(ball, self.sites[:, bite]) for bite in self._bites) / 2
        away = distance(ball, self.geoms[:, self._target])
        reach = (6 * tolerance(mouth, (0, self._bite), 2, "reciprocal") + 1) / 7
        fetch = (tolerance(away, (0, self._goal), self._arena, "reciprocal") + 1) / 2
        return np.asarray(self.stands() * np.where(away < 2 * self._goal, 1.0, reach) * fetch)
