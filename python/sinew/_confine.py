"""Models that are not trusted."""

import contextlib
import os
from collections.abc import Iterator
from typing import Union

from . import _sinew


@contextlib.contextmanager
def confined(folder: Union[str, "os.PathLike[str]"]) -> Iterator[None]:
    """Models that are read on this thread inside the block read no file outside `folder`.

        with sinew.confined("upload/"):
            spec = sinew.MjSpec.from_file("upload/robot.xml")

    Links, "..", absolute paths and URDF packages that lead out are refused. What was read so stays
    confined, whenever and wherever it is compiled. ``MjModel.from_xml_path(path, confine=True)`` does it
    for one model and its folder.
    """
    before = _sinew._confine(os.fspath(folder))
    try:
        yield
    finally:
        _sinew._confine(before)
