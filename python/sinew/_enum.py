"""The base of the interface's enums."""

import enum
from typing import TYPE_CHECKING

from . import _sinew

if TYPE_CHECKING:
    _EnumType = enum.EnumType
else:
    _EnumType = _sinew._enum_type(enum.EnumType)


class Enum(enum.IntEnum, metaclass=_EnumType):
    """A whole number with a name: equal to, indexed by and calculated with as that number."""

    def __init_subclass__(cls) -> None:
        # members themselves in the place of the descriptors that CPython 3.11 has there: three times
        # as fast to look up
        for name, member in cls.__members__.items():
            type.__setattr__(cls, name, member)

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
