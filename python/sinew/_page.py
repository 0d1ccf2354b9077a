"""The page that draws models in a browser: one file, found where it was installed or built."""

import base64
import gzip
import html
import importlib.util
import json
import os
import pathlib
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _sinew
from ._enums import mjtState

_PLACES = [
    pathlib.Path(__file__).with_name("page.html"),
    pathlib.Path(__file__).parents[2] / "build/web/package/page.html",
    pathlib.Path("/usr/local/share/sinew/page.html"),
    pathlib.Path("/usr/share/sinew/page.html"),
]


def path() -> pathlib.Path:
    """Where the page is."""
    named = os.environ.get("SINEW_PAGE")
    package = importlib.util.find_spec("sinew_page")  # the package sinew-physics-page
    inside = [pathlib.Path(folder) / "page.html" for folder in (package.submodule_search_locations or [] if package else [])]
    for place in [pathlib.Path(named)] if named else _PLACES + inside:
        if place.is_file():
            return place
    raise FileNotFoundError(
        "the viewer's page is not there: `make web` in Sinew's sources builds it as build/web/package/page.html, `tools/wheels page` makes the package sinew-physics-page of it, SINEW_PAGE names it"
    )


def model_bytes(model: _sinew.MjModel) -> bytes:
    """The model as a binary model."""
    buffer = np.empty(_sinew.mj_sizeModel(model), np.uint8)
    _sinew.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def state(model: _sinew.MjModel, data: _sinew.MjData) -> npt.NDArray[np.float64]:
    """All that the next step depends on."""
    spec = int(mjtState.mjSTATE_INTEGRATION)
    values = np.empty(_sinew.mj_stateSize(model, spec))
    _sinew.mj_getState(model, data, values, spec)
    return values


def with_model(model: _sinew.MjModel, states: Optional[npt.NDArray[np.float64]] = None, title: str = "") -> str:
    """The page with a model in it, and with a trajectory to play."""
    start: dict[str, Any] = {"model": {"path": "model.mjb", "files": {"model.mjb": base64.b64encode(model_bytes(model)).decode()}}}
    if states is not None:
        start["states"] = base64.b64encode(gzip.compress(np.ascontiguousarray(states, np.float64).tobytes())).decode()
    text = path().read_text()
    marker = 'id="start">'
    begin = text.index(marker) + len(marker)
    end = text.index("</script>", begin)
    text = text[:begin] + json.dumps(start).replace("<", "\\u003c") + text[end:]
    return text.replace("<title>Sinew</title>", f"<title>{html.escape(title)}</title>", 1) if title else text
