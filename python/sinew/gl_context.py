"""A graphics context that needs nothing: pictures are drawn in software, without OpenGL.

Programs make one before they render; whatever MUJOCO_GL says, it is this one.
"""


class GLContext:
    """Stands where an OpenGL context would: made for a size, made current, freed."""

    def __init__(self, max_width: int, max_height: int, device_id: int = -1) -> None:
        self._size = (max_width, max_height)

    def make_current(self) -> None:
        """Nothing to do: a context may be used from any thread, one at a time."""

    def free(self) -> None:
        """Nothing to give back."""
