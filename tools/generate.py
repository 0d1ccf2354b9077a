"""What the generators share: writing their files, or with --check failing when a file is not up to date."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def main(outputs, script):
    """`outputs` maps a path in the tree to the text that belongs there."""
    stale = [path for path, text in outputs.items() if not (ROOT / path).exists() or (ROOT / path).read_text() != text]
    if "--check" in sys.argv[1:]:
        if stale:
            sys.exit(f"not up to date, run tools/{script}: " + ", ".join(stale))
        return
    for path in stale:
        (ROOT / path).write_text(outputs[path])
