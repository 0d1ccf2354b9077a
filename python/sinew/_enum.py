"""The base of the interface's enums."""

import enum


class Enum(enum.IntEnum):
    """A whole number with a name: equal to, indexed by and calculated with as that number."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
