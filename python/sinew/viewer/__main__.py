"""``python -m sinew.viewer MODEL``: simulate and show a model until its page is closed."""

import sys

from . import launch_from_path

arguments = [argument.removeprefix("--mjcf=") for argument in sys.argv[1:]]
if len(arguments) != 1 or arguments[0].startswith("-"):
    sys.exit("usage: python -m sinew.viewer MODEL")
launch_from_path(arguments[0])
