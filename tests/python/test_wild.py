"""Arguments that no program should pass: an exception that names the argument, never a crash."""

import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import sinew as mujoco

XML = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
HEAVY = "<mujoco><worldbody>" + "".join(f"<body pos='0 0 {k}'><freejoint/><geom size='.6'/></body>" for k in range(60)) + "</worldbody></mujoco>"


def test_wild_calls():
    """In a process of their own: what crashes there fails here."""
    script = pathlib.Path(__file__).with_name("wild.py")
    if not script.exists() or not (script.parents[1] / "fuzz/everything.h").exists():
        pytest.skip("the tests are not in their tree")
    done = subprocess.run([sys.executable, "-X", "faulthandler", str(script), "2000"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_numbers_fit_their_type():
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    for number in (2**31, -(2**31) - 1, 2**32, 2**70):
        with pytest.raises(TypeError, match="argument body: expected a whole number"):
            mujoco.mj_jacBody(m, d, np.zeros((3, m.nv)), None, number)
    with pytest.raises(mujoco.FatalError, match="mj_jacBody: body is 2, expected 0 to 1"):
        mujoco.mj_jacBody(m, d, np.zeros((3, m.nv)), None, 2)


def test_rows_lie_in_their_arrays():
    dense, values = np.zeros((2, 3)), np.ones(3)
    with pytest.raises(ValueError, match="row 1 has 2 elements from 2 on, of 3 there are"):
        mujoco.mju_sparse2dense(dense, values, np.array([2, 2], np.int32), np.array([0, 2], np.int32), np.array([0, 1, 2], np.int32))
    with pytest.raises(mujoco.FatalError, match="a column in colind is 7"):
        mujoco.mju_sparse2dense(dense, values, np.array([2, 1], np.int32), np.array([0, 2], np.int32), np.array([0, 1, 7], np.int32))


def test_index_of_a_model():
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    m.jnt_bodyid[0] = 9
    with pytest.raises(mujoco.FatalError, match=r"jnt_bodyid\[0\] is 9"):
        mujoco.mj_step(m, d)
    m.jnt_bodyid[0] = 1
    mujoco.mj_step(m, d)


def test_data_of_another_model():
    with pytest.raises(mujoco.FatalError, match="another model"):
        mujoco.mj_step(mujoco.MjModel.from_xml_string(HEAVY), mujoco.MjData(mujoco.MjModel.from_xml_string(XML)))


def test_two_threads_in_one_data():
    """One works, the other is refused; each with its own data both work."""
    m = mujoco.MjModel.from_xml_string(HEAVY)
    d = mujoco.MjData(m)
    heard, running = [], threading.Event()

    def work():
        running.set()
        mujoco.mj_step(m, d, nstep=3000)

    thread = threading.Thread(target=work)
    thread.start()
    running.wait()
    while thread.is_alive() and not heard:
        try:
            mujoco.mj_kinematics(m, d)
        except RuntimeError as error:
            heard.append(str(error))
    mujoco.mj_step(m, mujoco.MjData(m))
    thread.join()
    assert heard and "another thread works in this MjData" in heard[0]
    mujoco.mj_step(m, d)


def test_calls_from_a_callback():
    """The thread that steps may call from inside."""
    m = mujoco.MjModel.from_xml_string(XML)
    d, seen = mujoco.MjData(m), []
    mujoco.set_mjcb_control(lambda m, d: (mujoco.mj_kinematics(m, d), seen.append(1)))
    try:
        mujoco.mj_step(m, d)
    finally:
        mujoco.set_mjcb_control(None)
    assert seen


def test_bad_control_is_seen():
    m = mujoco.MjModel.from_xml_string(XML.replace("<joint/>", "<joint name='j'/>").replace("</worldbody>", "</worldbody><actuator><motor joint='j'/></actuator>"))
    batch = mujoco.Batch(m, 2)
    batch.set("ctrl", np.array([[0.5], [np.nan]]))
    batch.step()
    assert batch.bad_rows == [(1, "bad numbers in ctrl: it counted as zero")]
