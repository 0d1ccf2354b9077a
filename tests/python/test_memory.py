"""The n-th allocation of the interpreter fails, for every n: MemoryError or success, and nothing else."""

import gc

import numpy as np
import pytest
import sinew

_testcapi = pytest.importorskip("_testcapi")

XML = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 .09"><freejoint/><geom size=".1"/></body>
<body><joint name="j"/><geom size=".1" contype="0" conaffinity="0"/></body></worldbody>
<actuator><motor joint="j"/></actuator></mujoco>"""
MODEL = sinew.MjModel.from_xml_string(XML)
DATA = sinew.MjData(MODEL)
SPEC = sinew.MjSpec.from_string(XML)
STATE = sinew.mjtState.mjSTATE_FULLPHYSICS


def load():
    sinew.MjModel.from_xml_string(XML)


def data():
    sinew.MjData(MODEL)


def jacobian():
    sinew.mj_jac(MODEL, DATA, np.zeros((3, MODEL.nv)), None, np.zeros(3), 1)


def state():
    x = np.zeros(sinew.mj_stateSize(MODEL, STATE))
    sinew.mj_getState(MODEL, DATA, x, STATE)
    sinew.mj_setState(MODEL, DATA, x, STATE)


def names():
    return sinew.mj_id2name(MODEL, sinew.mjtObj.mjOBJ_BODY, 1), sinew.mj_name2id(MODEL, sinew.mjtObj.mjOBJ_BODY, "a"), repr(DATA)


def spec():
    body = SPEC.body("a")
    geom = body.add_geom()
    SPEC.delete(geom)
    return SPEC.worldbody.first_body()


def callback():
    sinew.set_mjcb_control(lambda model, data: None)
    sinew.mj_step(MODEL, DATA)
    sinew.set_mjcb_control(None)


@pytest.mark.parametrize("work", [load, data, jacobian, state, names, spec, callback])
def test_every_allocation(work):
    work()
    gc.collect()
    failed = quiet = 0
    wrong = []
    for n in range(1, 500):
        _testcapi.set_nomemory(n, n + 1)
        try:
            work()
            quiet += 1
        except MemoryError:
            failed, quiet = failed + 1, 0
        except BaseException as problem:
            wrong.append((n, problem))
        finally:
            _testcapi.remove_mem_hooks()
        if quiet > 40:
            break
    sinew.set_mjcb_control(None)
    work()
    assert not wrong
    assert failed
