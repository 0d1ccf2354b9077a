"""Random texts of attributes, in the ranges that models use."""


class Values:
    def __init__(self, rng):
        self.rng = rng

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, things):
        return things[self.rng.randrange(len(things))]

    def some(self, p, makers):
        """Each attribute with probability p."""
        return {k: make() for k, make in makers.items() if self.chance(p)}

    # ---- numbers

    def num(self, low, high):
        return f"{self.rng.uniform(low, high):.4g}"

    def vec(self, n, low, high):
        return " ".join(self.num(low, high) for _ in range(n))

    def one(self):
        return self.num(-1, 1)

    def positive(self):
        return self.num(0, 1)

    def tiny(self):
        return self.num(1e-4, 1e-2)

    def small(self):
        return str(self.rng.randint(0, 6))

    def group(self):
        return str(self.rng.randint(0, 5))

    def mask(self):
        return str(self.rng.randint(0, 3))

    def vec3(self):
        return self.vec(3, -1, 1)

    def quat(self):
        return self.vec(4, -1, 1)

    def rgba(self):
        return self.vec(4, 0, 1)

    def upto(self, n):
        return lambda: self.vec(self.rng.randint(1, n), 0.01, 0.5)

    def user(self):
        return self.vec(self.rng.randint(1, 4), -5, 5)

    def range(self):
        return f"{self.num(-2, 0)} {self.num(0.1, 2)}"

    def solref(self):
        return self.pick([self.vec(2, 0.01, 0.5), self.vec(1, 0.01, 0.5), self.vec(2, -500, -10)])

    def solimp(self):
        full = [self.num(0.1, 0.5), self.num(0.5, 0.9), self.num(0.001, 0.1), self.num(0.1, 0.9), self.num(1, 3)]
        return " ".join(full[: self.rng.randint(1, 5)])

    # ---- words

    def bool(self):
        return self.pick(["true", "false"])

    def auto(self):
        return self.pick(["true", "false", "auto"])

    def enable(self):
        return self.pick(["enable", "disable"])

    # ---- orientation

    def _orientation(self):
        return self.pick([
            {"quat": self.quat}, {"axisangle": self.quat}, {"euler": self.vec3},
            {"euler": lambda: self.vec(3, -90, 90)}, {"xyaxes": lambda: self.vec(6, -1, 1)}, {"zaxis": self.vec3}])

    def some_orient(self):
        """One form of orientation, as one more attribute to choose."""
        return self._orientation()

    def orient(self, p=0.6):
        return self.some(p, self._orientation())
