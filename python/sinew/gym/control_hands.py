"""Fingers, hands and what they handle in dm_control's suite."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .._sinew import MjModel
from .control import ControlTask, distance, tolerance, turned_about
from .vector import Floats, Rows

_INF = float("inf")
_XZ = [0, 2]


class Finger(ControlTask):
    domain, control = "finger", 0.02

    def look(self) -> None:
        self.sensed = self.batch.bind("sensordata")
        self._angles, self._rates = self.sensors("proximal", "distal"), self.sensors("proximal_velocity", "distal_velocity", "hinge_velocity")
        self._touch = self.sensors("touchtop", "touchbottom")
        self._tip, self._spinner = ([self.sensors(name)[i] for i in _XZ] for name in ("tip", "spinner"))

    def tip(self) -> Floats:
        return np.asarray(self.sensed[:, self._tip] - self.sensed[:, self._spinner])

    def parts(self) -> dict[str, Floats]:
        return {
            "position": np.concatenate([self.sensed[:, self._angles], self.tip()], axis=1),
            "velocity": self.sensed[:, self._rates],
            "touch": np.log1p(self.sensed[:, self._touch]),
        }

    def start_rows(self, rows: Rows) -> None:
        self.start_apart(rows, self.joints_anywhere)


class FingerSpin(Finger):
    def make_model(self) -> MjModel:
        model = super().make_model()
        model.site("target").rgba[3] = model.site("tip").rgba[3] = 0
        model.joint("hinge").damping[:] = 0.03
        return model

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return (self.sensed[:, self._rates[2]] <= -15).astype(np.float64)


class FingerTurn(Finger):
    size = 0.07
    target_models = True

    def make_model(self) -> MjModel:
        model = super().make_model()
        model.site("target").size[0] = self.size
        return model

    def look(self) -> None:
        super().look()
        model = self.batch.model
        self._hinge = self.batch.bind("xanchor")[0, self.named("joint", "hinge")].copy()
        self._radius = float(model.geom_size[self.named("geom", "cap1")].sum())
        self._site, self.target = self.named("site", "target"), np.zeros((self.num_envs, 2))

    def parts(self) -> dict[str, Floats]:
        target = self.target - self.sensed[:, self._spinner]
        return {**super().parts(), "target_position": target, "dist_to_target": distance(target, self.tip()) - self.size}

    def start_rows(self, rows: Rows) -> None:
        for row in rows:
            angle = self.rngs[row].uniform(-np.pi, np.pi)
            self.target[row] = self._hinge[_XZ] + self._radius * np.array([np.sin(angle), np.cos(angle)])
            model = self.model_of(int(row))
            if model is not None:
                model.site_pos[self._site, _XZ] = self.target[row]
        super().start_rows(rows)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return (distance(self.target - self.sensed[:, self._spinner], self.tip()) <= self.size).astype(np.float64)


class FingerTurnHard(FingerTurn):
    size = 0.03


class Arm(ControlTask):
    """A planar arm with a hand, and things to move."""

    seconds, control = 10, 0.01
    own_models = True  # targets, and what things are put into, are bodies
    joints = ("arm_root", "arm_shoulder", "arm_elbow", "arm_wrist", "finger", "fingertip", "thumb", "thumbtip")
    touched = ("palm_touch", "finger_touch", "thumb_touch", "fingertip_touch", "thumbtip_touch")

    def __init__(self, num_envs: int = 1, *, fully_observable: bool = True, **more: Any) -> None:
        self._sees_things = fully_observable
        super().__init__(num_envs, **more)

    def look(self) -> None:
        model = self.batch.model
        self.sensed, self.sites, self.quats = (self.batch.bind(name) for name in ("sensordata", "site_xpos", "xquat"))
        self._arm, self._arm_dofs = [self.position(name) for name in self.joints], [self.velocity(name) for name in self.joints]
        number = [self.named("joint", name) for name in self.joints]
        limited = model.jnt_limited[number].astype(bool)
        self._low, self._high = np.where(limited, model.jnt_range[number, 0], -np.pi), np.where(limited, model.jnt_range[number, 1], np.pi)
        self._touch, self._hand, self._grasp = self.sensors(*self.touched), self.body("hand"), self.named("site", "grasp")
        self._finger, self._thumb = self.position("finger"), self.position("thumb")

    def draw_arm(self, row: int, random: Any) -> None:
        self.qpos[row, self._arm] = random.uniform(self._low, self._high)
        self.qpos[row, self._finger] = self.qpos[row, self._thumb]

    def pose(self, bodies: Any) -> Floats:
        """x, z and the turn about y of bodies."""
        return np.concatenate([self.xpos[:, bodies][..., _XZ], self.quats[:, bodies][..., _XZ]], axis=-1)

    def parts(self) -> dict[str, Floats]:
        angles = self.qpos[:, self._arm]
        parts = {
            "arm_pos": np.stack([np.sin(angles), np.cos(angles)], axis=-1),
            "arm_vel": self.qvel[:, self._arm_dofs],
            "touch": np.log1p(self.sensed[:, self._touch]),
        }
        return {**parts, **self.things()} if self._sees_things else parts

    def things(self) -> dict[str, Floats]:
        raise NotImplementedError("a task says what things there are")

    def put(self, row: int, body: int, x: float, z: float, angle: float) -> None:
        model = self.model_of(row)
        assert model is not None
        model.body_pos[body, _XZ] = x, z
        model.body_quat[body, _XZ] = turned_about(angle, 1)[_XZ]

    def apart(self, a: str, b: str) -> Floats:
        return distance(self.sites[:, self.named("site", a)], self.sites[:, self.named("site", b)])


class Bring(Arm):
    """Bring a ball or a peg to a target, on the wall or in a cup or slot."""

    domain, peg, insert = "manipulator", False, False

    def make_model(self) -> MjModel:
        return self.compile(self.peg, self.insert, function="make_model")

    def look(self) -> None:
        super().look()
        self._name = "peg" if self.peg else "ball"
        axes = [f"{self._name}_{axis}" for axis in "xzy"]
        self._thing_at, self._thing_dofs = [self.position(name) for name in axes], [self.velocity(name) for name in axes]
        self._thing, self._target = self.body(self._name), self.body(f"target_{self._name}")
        self._receptacle = self.body("slot" if self.peg else "cup") if self.insert else -1
        self._turns = self.batch.bind("site_xmat")

    def things(self) -> dict[str, Floats]:
        return {
            "hand_pos": self.pose(self._hand),
            "object_pos": self.pose(self._thing),
            "object_vel": self.qvel[:, self._thing_dofs],
            "target_pos": self.pose(self._target),
        }

    def start_rows(self, rows: Rows) -> None:
        self.start_apart(rows, self.draw_all)

    def draw_all(self, row: int, random: Any) -> None:
        """The arm anywhere, a target, and the thing in the hand (1 of 10), at the target (1 of 10) or thrown anywhere."""
        self.draw_arm(row, random)
        x, z = random.uniform(-0.4, 0.4), random.uniform(0.1, 0.4)
        angle = random.uniform(-np.pi / 3, np.pi / 3) if self.insert else random.uniform(-np.pi, np.pi)
        if self.insert:
            self.put(row, self._receptacle, x, z, angle)
        self.put(row, self._target, x, z, angle)
        where = random.choice(["in_hand", "in_target", "uniform"], p=[0.1, 0.1, 0.8])
        if where == "in_hand":
            self.forward_rows(np.array([row]))
            x, z = self.sites[row, self._grasp, _XZ]
            across = self._turns[row, self._grasp]
            angle = np.pi - np.arctan2(across[6], across[0])
        elif where == "uniform":
            x, z, angle = random.uniform(-0.5, 0.5), random.uniform(0, 0.7), random.uniform(0, 2 * np.pi)
            self.qvel[row, self._thing_dofs[0]] = random.uniform(-5, 5)
        self.qpos[row, self._thing_at] = x, z, angle

    def near(self, a: str, b: str) -> Floats:
        return tolerance(self.apart(a, b), (0, 0.01), 0.02)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        if not self.peg:
            return self.near("ball", "target_ball")
        grasping = (self.near("peg_grasp", "grasp") + self.near("peg_pinch", "pinch")) / 2
        bringing = (self.near("peg", "target_peg") + self.near("target_peg_tip", "peg_tip")) / 2
        return np.maximum(bringing, grasping / 3)


class BringPeg(Bring):
    peg = True


class InsertBall(Bring):
    insert = True


class InsertPeg(Bring):
    peg = insert = True


class Stack(Arm):
    """Put a box where the target is, and take the hand away."""

    domain, boxes = "stacker", 2

    def make_model(self) -> MjModel:
        return self.compile(self.boxes, function="make_model")

    def look(self) -> None:
        super().look()
        names = [f"box{i}" for i in range(self.boxes)]
        self._box_at = [[self.position(f"{name}_{axis}") for axis in "xzy"] for name in names]
        self._box_dofs = [self.velocity(f"{name}_{axis}") for name in names for axis in "xyz"]
        self._boxes, self._target = [self.body(name) for name in names], self.body("target")
        self._box_sites, self._target_site = [self.named("site", name) for name in names], self.named("site", "target")
        self._size = float(self.batch.model.geom_size[self.named("geom", "target"), 0])

    def things(self) -> dict[str, Floats]:
        return {
            "hand_pos": self.pose(self._hand),
            "box_pos": self.pose(self._boxes),
            "box_vel": self.qvel[:, self._box_dofs],
            "target_pos": self.xpos[:, self._target, _XZ],
        }

    def start_rows(self, rows: Rows) -> None:
        self.start_apart(rows, self.draw_all)

    def draw_all(self, row: int, random: Any) -> None:
        self.draw_arm(row, random)
        height = 2 * random.randint(self.boxes) + 1
        model = self.model_of(row)
        assert model is not None
        model.body_pos[self._target, _XZ] = random.uniform(-0.37, 0.37), self._size * height
        for columns in self._box_at:
            self.qpos[row, columns] = random.uniform(0.1, 0.3), random.uniform(0, 0.7), random.uniform(0, 2 * np.pi)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        target = self.sites[:, self._target_site]
        nearest = distance(self.sites[:, self._box_sites], target[:, None]).min(axis=1)
        far = tolerance(distance(self.sites[:, self._grasp], target), (0.1, _INF), 0.01)
        return np.asarray(tolerance(nearest, margin=2 * self._size) * far)


class Stack4(Stack):
    boxes = 4
