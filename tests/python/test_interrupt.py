"""Ctrl-C ends calls that take long, and leaves what they worked on usable."""

import os
import signal
import threading
import time

import pytest

import sinew

FALLING = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"


@pytest.fixture(autouse=True)
def listening():
    """Python's own handler: a program that a shell started in the background ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(call):
    """Runs a call until a signal comes; how long it took from there."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
    return time.monotonic() - sent[0]


def test_steps():
    m = sinew.MjModel.from_xml_string(FALLING)
    d = sinew.MjData(m)
    assert interrupted(lambda: sinew.mj_step(m, d, nstep=2**31)) < 2
    made = d.time
    assert made > 0
    sinew.mj_step(m, d, 10)
    assert d.time == pytest.approx(made + 10 * m.opt.timestep)


@pytest.mark.parametrize("threads", [1, 3])
def test_batch(threads):
    batch = sinew.Batch(sinew.MjModel.from_xml_string(FALLING), 4, nthread=threads)
    assert interrupted(lambda: batch.step(2**30)) < 2
    assert not batch.step(3)
