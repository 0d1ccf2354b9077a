"""Physics of articulated bodies in contact.

The names are those of MuJoCo's Python package at version 3.3.4, so that ``import sinew as mujoco``
is enough for a program written for it. ``install_as_mujoco`` does the same for programs of others.
Beside them: ``sinew.rollout``, ``sinew.Batch``, ``sinew.solver``, ``sinew.derive``, ``sinew.geometry``, ``sinew.control``, ``sinew.identify``, ``sinew.media``, ``sinew.record``,
``sinew.viewer``, ``sinew.gym``, ``sinew.ask``, ``sinew.confined``, ``sinew.set_budget``; ``python -m sinew`` is the command.
"""

from typing import Union as _Union

# "as": type checkers take these names as meant for others
from . import _compat, _enums, _sinew, _spec
from ._compat import MixedPackagesWarning as MixedPackagesWarning, install_as_mujoco as install_as_mujoco
from ._ask import ask as ask
from ._confine import confined as confined, get_budget as get_budget, set_budget as set_budget
from ._enums import *  # noqa: F403
from ._sinew import *  # noqa: F403
from . import control as control, derive as derive, geometry as geometry, gl_context as gl_context, identify as identify, media as media, minimize as minimize, record as record, renderer as renderer, rollout as rollout, solver as solver, viewer as viewer
from .batch import Batch as Batch
from .gl_context import GLContext as GLContext
from .renderer import Renderer as Renderer

__version__ = "3.3.4"  # of the interface
sinew_version: str = _sinew._version()

_strings = _sinew._strings()
mjDISABLESTRING: tuple[str, ...] = _strings["mjDISABLESTRING"]
mjENABLESTRING: tuple[str, ...] = _strings["mjENABLESTRING"]
mjTIMERSTRING: tuple[str, ...] = _strings["mjTIMERSTRING"]
mjLABELSTRING: tuple[str, ...] = _strings["mjLABELSTRING"]
mjFRAMESTRING: tuple[str, ...] = _strings["mjFRAMESTRING"]
mjVISSTRING: tuple[tuple[str, str, str], ...] = _strings["mjVISSTRING"]
mjRNDSTRING: tuple[tuple[str, str, str], ...] = _strings["mjRNDSTRING"]

to_zip = _spec._to_zip
from_zip = _spec._from_zip
MjVisualHeadlight, MjVisualRgba = MjVisual.Headlight, MjVisual.Rgba
MjStruct = _Union[
    MjsBody, MjsFrame, MjsGeom, MjsJoint, MjsLight, MjsMaterial, MjsSite, MjsMesh, MjsSkin, MjsTexture, MjsText, MjsTuple, MjsCamera,
    MjsFlex, MjsHField, MjsKey, MjsNumeric, MjsPair, MjsExclude, MjsEquality, MjsTendon, MjsSensor, MjsActuator, MjsPlugin,
]

media.install()

# the modules that the released package keeps these in
_structs = _functions = _specs = _callbacks = _errors = _render = _sinew
_constants = _enums

_compat._watch()
