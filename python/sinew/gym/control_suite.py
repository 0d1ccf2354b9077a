"""dm_control's suite with many rows at once: TASKS has all of suite.ALL_TASKS by name (cartpole-balance, ...).

The tasks on small mechanisms are here, the others in control_bodies and control_hands.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from .._sinew import MjModel
from . import control_bodies as bodies
from . import control_hands as hands
from .control import ControlTask, distance, into_frame, random_direction, small, tolerance
from .vector import Floats, Rows

_INF = float("inf")
_XZ = [0, 2]


class Pendulum(ControlTask):
    domain = "pendulum"

    def look(self) -> None:
        self._pole = self.body("pole")

    def parts(self) -> dict[str, Floats]:
        return {"orientation": self.xmat[:, self._pole, [8, 2]], "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        self.qpos[row] = random.uniform(-np.pi, np.pi)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return tolerance(self.xmat[:, self._pole, 8], (np.cos(np.deg2rad(8)), 1))


class Acrobot(ControlTask):
    domain, seconds, margin = "acrobot", 10, 1.0

    def look(self) -> None:
        self._arms = [self.body("upper_arm"), self.body("lower_arm")]
        self._sites, self.sites = [self.named("site", "target"), self.named("site", "tip")], self.batch.bind("site_xpos")
        self._radius = float(self.batch.model.site_size[self._sites[0], 0])

    def parts(self) -> dict[str, Floats]:
        return {"orientations": np.concatenate([self.xmat[:, self._arms, 2], self.xmat[:, self._arms, 8]], axis=1), "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        self.qpos[row] = random.uniform(-np.pi, np.pi, 2)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        target, tip = self._sites
        return tolerance(distance(self.sites[:, target], self.sites[:, tip]), (0, self._radius), self.margin)


class AcrobotSparse(Acrobot):
    margin = 0.0


class Cartpole(ControlTask):
    domain, seconds, poles, swing, sparse = "cartpole", 10, 1, False, False

    def make_model(self) -> MjModel:
        return self.compile(num_poles=self.poles)

    def parts(self) -> dict[str, Floats]:
        turns = self.xmat[:, 2:][:, :, [8, 2]].reshape(self.num_envs, -1)
        return {"position": np.concatenate([self.qpos[:, :1], turns], axis=1), "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        nv = self.batch.model.nv
        if self.swing:
            self.qpos[row, 0] = 0.01 * random.randn()
            self.qpos[row, 1] = np.pi + 0.01 * random.randn()
            self.qpos[row, 2:] = 0.1 * random.randn(nv - 2)
        else:
            self.qpos[row, 0] = random.uniform(-0.1, 0.1)
            self.qpos[row, 1:] = random.uniform(-0.034, 0.034, nv - 1)
        self.qvel[row] = 0.01 * random.randn(nv)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        cart, up = self.qpos[:, 0], self.xmat[:, 2:, 8]
        if self.sparse:
            return np.asarray(tolerance(cart, (-0.25, 0.25)) * tolerance(up, (0.995, 1)).prod(axis=1))
        slow = tolerance(self.qvel[:, 1:], margin=5).min(axis=1)
        return np.asarray((up.mean(axis=1) + 1) / 2 * (1 + tolerance(cart, margin=2)) / 2 * small(actions[:, :1]) * (1 + slow) / 2)


class CartpoleSparse(Cartpole):
    sparse = True


class CartpoleSwingup(Cartpole):
    swing = True


class CartpoleSwingupSparse(Cartpole):
    swing = sparse = True


class CartpoleTwo(CartpoleSwingup):
    poles = 2


class CartpoleThree(CartpoleSwingup):
    poles = 3


class BallInCup(ControlTask):
    domain, control = "ball_in_cup", 0.02

    def look(self) -> None:
        model = self.batch.model
        self._target, self._ball, self.sites = self.named("site", "target"), self.body("ball"), self.batch.bind("site_xpos")
        self._room = model.site_size[self._target, _XZ] - model.geom_size[self.named("geom", "ball"), 0]
        self._at = [self.position("ball_x"), self.position("ball_z")]

    def parts(self) -> dict[str, Floats]:
        return {"position": self.qpos, "velocity": self.qvel}

    def start_rows(self, rows: Rows) -> None:
        self.start_apart(rows, self.draw_ball)

    def draw_ball(self, row: int, random: Any) -> None:
        self.qpos[row, self._at] = random.uniform(-0.2, 0.2), random.uniform(0.2, 0.5)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        away = np.abs(self.sites[:, self._target, _XZ] - self.xpos[:, self._ball, _XZ])
        return np.asarray((away < self._room).all(axis=1), np.float64)


class PointMass(ControlTask):
    domain = "point_mass"

    def look(self) -> None:
        self.geoms = self.batch.bind("geom_xpos")
        self._target, self._mass = self.named("geom", "target"), self.named("geom", "pointmass")
        self._size = float(self.batch.model.geom_size[self._target, 0])

    def parts(self) -> dict[str, Floats]:
        return {"position": self.qpos, "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        self.joints_anywhere(row, random)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        away = distance(self.geoms[:, self._target], self.geoms[:, self._mass])
        return tolerance(away, (0, self._size), self._size) * small(actions)


class PointMassHard(PointMass):
    """Each control pulls in a random direction."""

    own_models = True

    def draw(self, row: int, random: Any) -> None:
        super().draw(row, random)
        one = random_direction(random, 2)
        other = random_direction(random, 2)
        while abs(one @ other) > 0.9:
            other = random_direction(random, 2)
        model = self.model_of(row)
        assert model is not None
        model.wrap_prm[: 2 * len(one)] = np.concatenate([one, other])


class Reacher(ControlTask):
    domain, size = "reacher", 0.05
    target_models = True

    def make_model(self) -> MjModel:
        model = super().make_model()
        model.geom("target").size[0] = self.size
        return model

    def look(self) -> None:
        self.geoms = self.batch.bind("geom_xpos")
        self._geom, self._finger = self.named("geom", "target"), self.named("geom", "finger")
        self._radii = float(self.batch.model.geom_size[[self._geom, self._finger], 0].sum())
        self.target = np.zeros((self.num_envs, 2))

    def parts(self) -> dict[str, Floats]:
        return {"position": self.qpos, "to_target": self.target - self.geoms[:, self._finger, :2], "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        self.joints_anywhere(row, random)
        angle, radius = random.uniform(0, 2 * np.pi), random.uniform(0.05, 0.2)
        self.target[row] = radius * np.sin(angle), radius * np.cos(angle)
        model = self.model_of(row)
        if model is not None:
            model.geom_pos[self._geom, :2] = self.target[row]

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return tolerance(distance(self.target, self.geoms[:, self._finger, :2]), (0, self._radii))


class ReacherHard(Reacher):
    size = 0.015


class Swimmer(ControlTask):
    domain, seconds, control, links = "swimmer", 30, 0.03, 6
    target_models = True

    def make_model(self) -> MjModel:
        return self.compile(self.links)

    def look(self) -> None:
        self.sensed, self.geoms = self.batch.bind("sensordata"), self.batch.bind("geom_xpos")
        self._geom, self._nose, self._head = self.named("geom", "target"), self.named("geom", "nose"), self.body("head")
        self._size = float(self.batch.model.geom_size[self._geom, 0])
        self._velocities = np.arange(12, self.batch.model.nsensordata).reshape(-1, 6)[:, [0, 1, 5]].ravel()
        self.target = np.tile(self.geoms[0, self._geom], (self.num_envs, 1))

    def to_target(self) -> Floats:
        return into_frame(self.target - self.geoms[:, self._nose], self.xmat[:, self._head])[:, :2]

    def parts(self) -> dict[str, Floats]:
        return {"joints": self.qpos[:, 3:], "to_target": self.to_target(), "body_velocities": self.sensed[:, self._velocities]}

    def draw(self, row: int, random: Any) -> None:
        self.joints_anywhere(row, random)
        box = 0.3 if random.rand() < 0.2 else 2
        self.target[row, :2] = random.uniform(-box, box), random.uniform(-box, box)
        model = self.model_of(row)
        if model is not None:
            model.geom_pos[self._geom, :2] = model.light("target_light").pos[:2] = self.target[row, :2]

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        away = np.linalg.norm(self.to_target(), axis=1)
        return tolerance(away, (0, self._size), 5 * self._size, "long_tail")


class Swimmer15(Swimmer):
    links = 15


class FishUpright(ControlTask):
    domain, seconds, control = "fish", 40, 0.04
    joints = ("tail1", "tail_twist", "tail2", "finright_roll", "finright_pitch", "finleft_roll", "finleft_pitch")

    def make_model(self) -> MjModel:
        model = super().make_model()
        model.geom("target").rgba[3] = 0
        return model

    def look(self) -> None:
        self._torso, self._angles = self.body("torso"), [self.position(name) for name in self.joints]

    def upright(self) -> Floats:
        return self.xmat[:, self._torso, 8]

    def parts(self) -> dict[str, Floats]:
        return {"joint_angles": self.qpos[:, self._angles], "upright": self.upright(), "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        self.qpos[row, 3:7] = random_direction(random, 4)
        self.qpos[row, self._angles] = random.uniform(-0.2, 0.2, len(self._angles))

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return tolerance(self.upright(), (1, 1), 1)


class FishSwim(FishUpright):
    target_models = True

    def make_model(self) -> MjModel:
        return ControlTask.make_model(self)

    def look(self) -> None:
        super().look()
        self.geoms, self.frames = self.batch.bind("geom_xpos"), self.batch.bind("geom_xmat")
        self._geom, self._mouth = self.named("geom", "target"), self.named("geom", "mouth")
        self._radii = float(self.batch.model.geom_size[[self._geom, self._mouth], 0].sum())
        self.target = np.zeros((self.num_envs, 3))

    def to_target(self) -> Floats:
        return into_frame(self.target - self.geoms[:, self._mouth], self.frames[:, self._mouth])

    def parts(self) -> dict[str, Floats]:
        return {"joint_angles": self.qpos[:, self._angles], "upright": self.upright(), "target": self.to_target(), "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        super().draw(row, random)
        self.target[row] = random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), random.uniform(0.1, 0.3)
        model = self.model_of(row)
        if model is not None:
            model.geom_pos[self._geom] = self.target[row]

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        near = tolerance(np.linalg.norm(self.to_target(), axis=1), (0, self._radii), 2 * self._radii)
        return np.asarray((7 * near + (self.upright() + 1) / 2) / 8)


class LQR(ControlTask):
    """Masses on springs, whose stiffness is drawn when a row is seeded."""

    domain, seconds, sizes = "lqr", _INF, (2, 1)
    own_models = True

    def make_model(self) -> MjModel:
        return self.compile(*self.sizes, np.random.RandomState(0))

    def seeded(self, rows: Rows) -> None:
        for row in rows:
            drawn, model = self.compile(*self.sizes, self.rngs[row]), self.model_of(int(row))
            assert model is not None
            model.jnt_stiffness[:], model.dof_damping[:], model.tendon_stiffness[:] = drawn.jnt_stiffness, drawn.dof_damping, drawn.tendon_stiffness

    def parts(self) -> dict[str, Floats]:
        return {"position": self.qpos, "velocity": self.qvel}

    def draw(self, row: int, random: Any) -> None:
        self.qpos[row] = np.sqrt(2) * random_direction(random, self.batch.model.nq)

    def reward(self, actions: npt.NDArray[Any]) -> Floats:
        return np.asarray(1 - 0.5 * (self.qpos**2).sum(axis=1) - 0.05 * np.square(actions).sum(axis=1))

    def terminated(self) -> npt.NDArray[np.bool_]:
        """The masses are at rest in the middle."""
        return np.asarray((self.qpos**2).sum(axis=1) + (self.qvel**2).sum(axis=1) < 1e-12)


class LQR62(LQR):
    sizes = (6, 2)


TASKS: dict[str, type[ControlTask]] = {
    "acrobot-swingup": Acrobot,
    "acrobot-swingup_sparse": AcrobotSparse,
    "ball_in_cup-catch": BallInCup,
    "cartpole-balance": Cartpole,
    "cartpole-balance_sparse": CartpoleSparse,
    "cartpole-swingup": CartpoleSwingup,
    "cartpole-swingup_sparse": CartpoleSwingupSparse,
    "cartpole-two_poles": CartpoleTwo,
    "cartpole-three_poles": CartpoleThree,
    "cheetah-run": bodies.Cheetah,
    "dog-stand": bodies.Dog,
    "dog-walk": bodies.DogWalk,
    "dog-trot": bodies.DogTrot,
    "dog-run": bodies.DogRun,
    "dog-fetch": bodies.DogFetch,
    "finger-spin": hands.FingerSpin,
    "finger-turn_easy": hands.FingerTurn,
    "finger-turn_hard": hands.FingerTurnHard,
    "fish-upright": FishUpright,
    "fish-swim": FishSwim,
    "hopper-stand": bodies.HopperStand,
    "hopper-hop": bodies.HopperHop,
    "humanoid-stand": bodies.Humanoid,
    "humanoid-walk": bodies.HumanoidWalk,
    "humanoid-run": bodies.HumanoidRun,
    "humanoid-run_pure_state": bodies.HumanoidPureState,
    "humanoid_CMU-stand": bodies.HumanoidCMU,
    "humanoid_CMU-walk": bodies.HumanoidCMUWalk,
    "humanoid_CMU-run": bodies.HumanoidCMURun,
    "lqr-lqr_2_1": LQR,
    "lqr-lqr_6_2": LQR62,
    "manipulator-bring_ball": hands.Bring,
    "manipulator-bring_peg": hands.BringPeg,
    "manipulator-insert_ball": hands.InsertBall,
    "manipulator-insert_peg": hands.InsertPeg,
    "pendulum-swingup": Pendulum,
    "point_mass-easy": PointMass,
    "point_mass-hard": PointMassHard,
    "quadruped-walk": bodies.QuadrupedWalk,
    "quadruped-run": bodies.QuadrupedRun,
    "quadruped-escape": bodies.QuadrupedEscape,
    "quadruped-fetch": bodies.QuadrupedFetch,
    "reacher-easy": Reacher,
    "reacher-hard": ReacherHard,
    "stacker-stack_2": hands.Stack,
    "stacker-stack_4": hands.Stack4,
    "swimmer-swimmer6": Swimmer,
    "swimmer-swimmer15": Swimmer15,
    "walker-stand": bodies.Walker,
    "walker-walk": bodies.WalkerWalk,
    "walker-run": bodies.WalkerRun,
}
