"""The sinew command: ``python -m sinew``, and ``sinew`` where the package is installed."""

import signal
import sys

from . import _sinew


def main() -> int:
    """Run, look at, check and convert models; `sinew help` says how. Returns the exit code."""
    if sys.argv[1:2] == ["sweep"]:
        from .sweep import main as sweep

        return sweep(sys.argv[2:])
    if sys.argv[1:2] == ["convert"] and any(word.endswith((".mcap", ".rrd")) for word in sys.argv[2:]):
        from .record import main as recordings

        return recordings(sys.argv[2:])
    sys.stdout.flush()
    # the command runs without Python looking on: keys that end it, and closed pipes, end it at once
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    return _sinew._command(["sinew", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
