"""Skips the folder with a message when the oracle or the library under test is not there."""

import faulthandler
import os
import pathlib
import re
import sys
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

collect_ignore_glob = []
try:
    import harness
except (ImportError, OSError) as problem:
    harness = None
    collect_ignore_glob = ["test_*.py"]
    print(f"parity: SKIPPED, {problem}", file=sys.stderr)


TIME_LIMIT = 300  # seconds; the slowest test takes some twenty on a quiet machine

# Tests that are known to fail, and why: each is work that is open, none is accepted as it is. One
# that begins to pass fails here, so that it is taken off the list.
KNOWN = [
    (r"test_derive.py::test_transition\[gymnasium_robotics/envs/assets/fetch/slide.xml\]", "4 of 42 columns are at a switch of a row, more than one in twenty"),
]


def pytest_collection_modifyitems(items):
    for item in items:
        for pattern, reason in KNOWN:
            if re.search(pattern, item.nodeid):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A test that does not return ends its worker with a traceback, and is a failure: the run goes on."""
    faulthandler.dump_traceback_later(TIME_LIMIT, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_generate_tests(metafunc):
    """A test with the argument `path` runs on every fourth model, in turn with the other tests; on every model with
    SINEW_PARITY_FULL=1 or when models are named."""
    if harness and "path" in metafunc.fixturenames:
        found = harness.models()
        if not os.environ.get("SINEW_PARITY_FULL") and not os.environ.get("SINEW_PARITY_MODELS"):
            test = metafunc.definition.nodeid
            found = {name: path for name, path in found.items() if zlib.crc32(f"{test} {name}".encode()) % 4 == 0}
        metafunc.parametrize("path", list(found.values()), ids=list(found))


@pytest.fixture
def quiet():
    """Forgets the warnings that came before."""
    harness.warnings.clear()
    return harness.warnings
