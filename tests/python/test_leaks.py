"""What is made again and again does not add up: the process stays as large as after the first rounds."""

import copy
import gc
import pickle

import numpy as np
import pytest

import sinew
from sinew import rollout

XML = """
<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body name="b" pos="0 0 1"><freejoint/><geom size=".1"/><body name="c"><joint name="j"/><geom name="g" size=".1" pos="1 0 0"/></body></body>
</worldbody><actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor></mujoco>
"""


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def models():
    model = sinew.MjModel.from_xml_string(XML)
    copy.deepcopy(model)
    pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError):
        sinew.MjModel.from_xml_string("<mujoco><oops/></mujoco>")


def datas(model=sinew.MjModel.from_xml_string(XML)):
    data = sinew.MjData(model)
    sinew.mj_step(model, data, nstep=3)
    arrays = [data.qpos, data.contact, data.efc_J, data.body("b").xpos, copy.copy(data).qvel, repr(data.contact)]
    pickle.loads(pickle.dumps(data))
    return arrays


def specs():
    spec, child = sinew.MjSpec.from_string(XML), sinew.MjSpec()
    child.worldbody.add_body(name="x").add_geom(size=[0.1, 0, 0])
    spec.attach(child, prefix="p", frame=spec.worldbody.add_frame())
    body = spec.worldbody.add_body(name="gone")
    geom = body.add_geom(size=[1, 0, 0])
    spec.delete(body)
    with pytest.raises(ValueError):
        geom.pos
    model = spec.compile()
    data = sinew.MjData(model)
    spec.add_text(name="t", data="a text that is longer than a short one")
    model, data = spec.recompile(model, data)
    copy.deepcopy(spec).to_xml()
    assert data.bind([spec.joint("j"), spec.body("px")])[0].qpos[0] == 0


def callbacks(model=sinew.MjModel.from_xml_string(XML)):
    data = sinew.MjData(model)

    def fail(m, d):
        raise ValueError("no")

    for function in (lambda m, d: None, fail):
        sinew.set_mjcb_control(function)
        try:
            sinew.mj_step(model, data)
        except ValueError:
            pass
    sinew.set_mjcb_control(None)


def rollouts(model=sinew.MjModel.from_xml_string(XML)):
    batch = sinew.Batch(model, 3, nthread=2, own_models=True)
    batch.step(2)
    batch.set("ctrl", batch.get("ctrl"))
    start = batch.get_state(sinew.mjtState.mjSTATE_FULLPHYSICS)
    start[1] = np.nan
    rollout.rollout(model, [sinew.MjData(model), sinew.MjData(model)], start, nstep=5)


def scenes(model=sinew.MjModel.from_xml_string(XML), data=None):
    data = sinew.MjData(model)
    scene = sinew.MjvScene(model, 100)
    sinew.mj_forward(model, data)
    sinew.mjv_updateScene(model, data, sinew.MjvOption(), None, sinew.MjvCamera(), 7, scene)
    return [geom.pos for geom in scene.geoms[:3]]


def pictures(model=sinew.MjModel.from_xml_string(XML)):
    data = sinew.MjData(model)
    sinew.mj_forward(model, data)
    renderer = sinew.Renderer(model, 8, 8, max_geom=100)
    renderer.update_scene(data)
    renderer.render()  # left open: it goes with the object
    with pytest.raises(sinew.FatalError):
        sinew.mjr_resizeOffscreen(-1, 5, renderer._mjr_context)
    batch = sinew.Batch(model, 2, nthread=2)
    batch.render(-1, 8, 8, max_geom=100)
    sinew.media.compress_video(np.zeros((3, 4, 5, 3), np.uint8))


@pytest.mark.parametrize("work", [models, datas, specs, callbacks, rollouts, scenes, pictures])
def test_loop(work):
    """A leak grows in every block of rounds; what the allocator or another thread keeps grows in one."""
    for _ in range(60):
        work()
    grown = []
    for _ in range(3):
        gc.collect()
        before = resident()
        for _ in range(300):
            work()
        gc.collect()
        grown.append((resident() - before) / 300)
    assert min(grown) < 600, f"{min(grown):.0f} bytes in every round"
