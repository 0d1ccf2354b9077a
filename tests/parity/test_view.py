"""The abstract scene: every geom, light and camera as the released engine makes them.

Structs have the same layout, so both libraries fill scenes from the oracle's own model and data.
"""

import ctypes
import pathlib

import mujoco
import numpy as np
import pytest

import harness

VIS = mujoco.mjtVisFlag
ORACLE = ctypes.CDLL(str(next(pathlib.Path(mujoco.__file__).parent.glob("libmujoco.so.*"))))

GEOM = np.dtype(
    {
        "names": ["ids", "size", "pos", "mat", "rgba", "light", "label", "rbound", "transparent"],
        "formats": [("i4", 8), ("f4", 3), ("f4", 3), ("f4", 9), ("f4", 4), ("f4", 4), "S100", "f4", "u1"],
        "offsets": [0, 32, 44, 56, 92, 108, 124, 228, 232],
        "itemsize": 236,
    }
)
SCENE_BYTES, OPTION_BYTES, PERTURB_BYTES, CAMERA_BYTES = 16384, 256, 256, 128
LABEL, FRAME, FLAGS = 0, 4, 50  # offsets in mjvOption
TRANSFORM = 10708  # offset in mjvScene

EVERYTHING = """<mujoco><option><flag energy="enable" island="enable"/></option>
<asset><material name="mt" rgba=".1 .2 .3 .5" emission=".2" specular=".3" shininess=".4" reflectance=".6"/>
<mesh name="me" vertex="0 0 0 .2 0 0 0 .2 0 0 0 .2"/></asset>
<worldbody><light pos="0 0 3"/><camera name="cm" pos="0 -2 1"/><geom type="plane" size="0 3 .1" name="fl"/>
<site name="w" pos="0 0 1" size=".02"/>
<body name="a" pos="0 0 .19"><freejoint name="fj"/><geom name="ga" size=".1 .15 .2" type="box"/>
<site name="s1" pos=".1 .1 .1"/><camera name="cb" pos="0 0 .5" mode="targetbody" target="b"/><light name="lb" pos="0 0 .4"/>
<body name="b" pos=".4 0 0"><joint name="h" axis="0 1 0" range="-1 1"/><geom name="gb" type="capsule" size=".05 .1" material="mt"/>
<site name="s2" pos="0 0 .2"/>
<body name="b2" pos=".2 0 0"><joint name="sl" type="slide" axis="1 0 0"/><geom name="gm" type="mesh" mesh="me"/><site name="s3"/></body></body></body>
<body name="c" pos="2 0 .5"><joint name="bl" type="ball" pos="0 0 .2"/><geom name="gc" size=".1" rgba="1 0 0 .3"/>
<geom name="gc2" type="ellipsoid" size=".1 .2 .3" pos=".3 0 0" group="3"/></body>
<body name="mc" mocap="true" pos="0 0 2"><geom size=".03" contype="0" conaffinity="0"/></body></worldbody>
<tendon><spatial name="t1" limited="true" range="0 .3"><site site="s1"/><geom geom="gc" /><site site="s2"/></spatial>
<spatial name="t2" rgba="0 1 0 1" width=".01"><site site="w"/><site site="s2"/></spatial></tendon>
<equality><connect name="eq1" body1="b" body2="c" anchor="0 0 .1"/><weld name="eq2" body1="mc" body2="a"/></equality>
<actuator><motor name="m1" joint="h" ctrlrange="-1 1"/><position name="m2" tendon="t2" ctrlrange=".2 1"/>
<motor name="m3" site="s3" gear="0 0 1 0 0 0"/><general name="m4" joint="sl" dyntype="integrator"/><motor name="m5" joint="bl" gear="1 0 0"/>
<adhesion body="a" name="m6" ctrlrange="0 1"/><motor name="m7" joint="fj" gear="0 0 1 0 0 0"/></actuator>
<sensor><rangefinder site="s2"/></sensor></mujoco>"""


def _address(value):
    return ctypes.c_void_p(value.ctypes.data if isinstance(value, np.ndarray) else value)


class Scenes:
    """A scene of each library for one model; of data of its own for ours, when that is given."""

    def __init__(self, m, d, our=None):
        self.m, self.d = m, d
        self.sides = ((m._address, d._address), (our.model.address, our.address) if our else (m._address, d._address))
        self.scene = []
        for library in (ORACLE, harness.lib):
            scene = np.zeros(SCENE_BYTES, np.uint8)
            library.mjv_defaultScene(_address(scene))
            library.mjv_makeScene(_address(m._address), _address(scene), 5000)
            self.scene.append(scene)

    def close(self):
        for library, scene in zip((ORACLE, harness.lib), self.scene):
            library.mjv_freeScene(_address(scene))

    def update(self, flags=None, label=0, frame=0, select=0, active=0, catmask=7):
        geoms, rest = [], []
        for library, scene, (model, data) in zip((ORACLE, harness.lib), self.scene, self.sides):
            option = np.zeros(OPTION_BYTES, np.uint8)
            library.mjv_defaultOption(_address(option))
            if flags is not None:
                option[FLAGS : FLAGS + VIS.mjNVISFLAG] = 0
                option[[FLAGS + k for k in {int(VIS.mjVIS_STATIC), int(VIS.mjVIS_TEXTURE), *map(int, flags)}]] = 1
            option[LABEL : LABEL + 4].view(np.int32)[0] = label
            option[FRAME : FRAME + 4].view(np.int32)[0] = frame
            perturb = np.zeros(PERTURB_BYTES, np.uint8)
            library.mjv_defaultPerturb(_address(perturb))
            perturb[:4].view(np.int32)[0] = select
            perturb[12:16].view(np.int32)[0] = active
            perturb[24:].view(np.float64)[3:13] = [0.6, 0.8, 0, 0, 1, 2, 3, 0.01, 0.02, 0.03]
            camera = np.zeros(CAMERA_BYTES, np.uint8)
            library.mjv_defaultFreeCamera(_address(self.m._address), _address(camera))
            library.mjv_updateScene(
                *map(_address, (model, data, option, perturb, camera)), catmask, _address(scene)
            )
            count = int(scene[4:8].view(np.int32)[0])
            block = (ctypes.c_char * (count * GEOM.itemsize)).from_address(int(scene[8:16].view(np.int64)[0]))
            geoms.append(np.frombuffer(block, GEOM).copy() if count else np.zeros(0, GEOM))
            rest.append(scene.copy())
        return geoms

    def check(self, what, **options):
        theirs, our = self.update(**options)
        assert len(our) == len(theirs), f"{what}: {len(our)} geoms, expected {len(theirs)}"
        for i in range(len(our)):
            for name in GEOM.names:
                a, b = our[name][i], theirs[name][i]
                same = a == b if name == "label" else np.allclose(a, b, rtol=2e-5, atol=2e-6)
                assert np.all(same), f"{what}: geom {i} {theirs['ids'][i]}: {name} is {a}, expected {b}"


def moved(text):
    """Scenes of a model a few steps on."""
    m = harness.model_from_string(text)
    d = mujoco.MjData(m)
    d.ctrl[:] = 0.3
    for _ in range(5):
        mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    return Scenes(m, d)


@pytest.fixture
def everything():
    scenes = moved(EVERYTHING)
    yield scenes
    scenes.close()


# the released engine draws no bounding volumes of meshes at this depth
@pytest.mark.parametrize("flag", [k for k in range(VIS.mjNVISFLAG) if k != VIS.mjVIS_MESHBVH])
def test_flag(everything, flag):
    everything.check(VIS(flag).name, flags=[flag])


@pytest.mark.parametrize("active", range(4))
def test_perturbation(everything, active):
    for flag in (VIS.mjVIS_PERTFORCE, VIS.mjVIS_PERTOBJ, VIS.mjVIS_SELECT):
        everything.check(VIS(flag).name, flags=[flag], select=2, active=active)


# frames of cameras and lights: see test_frames_keep_identity
@pytest.mark.parametrize("frame", [0, 1, 2, 3, 6, 7])
def test_frame(everything, frame):
    everything.check(f"frame {frame}", flags=[VIS.mjVIS_JOINT, VIS.mjVIS_CAMERA], frame=frame)


def test_frames_keep_identity(everything):
    """With frames of cameras on, the released engine forgets that later cameras are cameras."""
    theirs, our = everything.update(flags=[VIS.mjVIS_CAMERA], frame=int(mujoco.mjtFrame.mjFRAME_CAMERA))
    assert len(our) == len(theirs)
    boxes = our[our["ids"][:, 3] == 1]["ids"]
    assert (boxes[boxes[:, 0] == mujoco.mjtGeom.mjGEOM_BOX][:, 2] != 0).any()


@pytest.mark.parametrize("label", range(17))
def test_label(everything, label):
    shown = [VIS.mjVIS_JOINT, VIS.mjVIS_CAMERA, VIS.mjVIS_ACTUATOR, VIS.mjVIS_LIGHT, VIS.mjVIS_TENDON]
    shown += [VIS.mjVIS_CONSTRAINT, VIS.mjVIS_CONTACTPOINT, VIS.mjVIS_CONTACTFORCE, VIS.mjVIS_SELECT]
    everything.check(f"label {label}", flags=shown, label=label, select=2)


@pytest.mark.parametrize("catmask", [1, 2, 4])
def test_category(everything, catmask):
    everything.check(f"category {catmask}", catmask=catmask)


MATERIALS = """<mujoco><asset><material name="mt" rgba=".1 .2 .3 .5" emission=".2"/></asset><worldbody>
<site name="w" pos="0 0 1" material="mt"/><body name="a" pos="0 0 .2"><freejoint/><geom size=".1" material="mt"/>
<site name="s" material="mt"/><body pos=".2 0 0"><joint axis="0 1 0"/><geom size=".05"/><site name="cs"/></body></body>
<body><joint type="slide"/><geom size=".05"/><site name="sl"/></body></worldbody>
<tendon><spatial material="mt"><site site="w"/><site site="s"/></spatial></tendon>
<actuator><motor cranksite="cs" slidersite="sl" cranklength=".5"/></actuator></mujoco>"""


@pytest.mark.parametrize("text", [EVERYTHING, MATERIALS])
def test_random_options(text):
    """Flags, labels, frames, selections and categories together: the order of what is drawn, too."""
    rng = np.random.default_rng(2)
    scenes = moved(text)
    for _ in range(200):
        flags = [k for k in range(VIS.mjNVISFLAG) if k != VIS.mjVIS_MESHBVH and rng.random() < 0.3]
        options = dict(
            flags=flags, label=int(rng.integers(17)), frame=int(rng.choice([0, 0, 1, 2, 3, 6, 7])),
            select=int(rng.integers(-1, scenes.m.nbody)), active=int(rng.integers(4)), catmask=int(rng.integers(1, 8)),
        )
        scenes.check(str(options), **options)
    scenes.close()


CABLE = """<mujoco><visual><quality numslices="{}"/></visual><worldbody><site name="a"/><site name="b" pos="1 0 .2"/></worldbody>
<tendon><spatial {}><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("slices", [5, 28, 90])
def test_cables(slices):
    """What hangs: a tendon that a limit or the dead band of a spring alone keeps within a length."""
    for tendon in (
        'range="0 2"', 'range=".1 2"', 'range="0 2" stiffness="1"', 'springlength="0 2"', 'springlength="0 2" stiffness="1"',
        'range="0 2" springlength="0 3" stiffness="1"', 'springlength=".1 2" stiffness="1"', 'springlength="0 .5" stiffness="1"',
        'range="0 2" damping="1"', 'springlength="0 2" stiffness="1" frictionloss="1"', 'range="0 2" armature="1"', 'springlength="2" stiffness="1"',
    ):
        scenes = moved(CABLE.format(slices, tendon))
        try:
            scenes.check(tendon)
        finally:
            scenes.close()


def test_rooms():
    """The released mjv_model2room scales the translation too, so that it does not lead back."""
    scene = np.zeros(SCENE_BYTES, np.uint8)
    scene[TRANSFORM] = 1
    transform = scene[TRANSFORM + 4 : TRANSFORM + 36].view(np.float32)  # translate, rotate, scale
    transform[:7] = [1, 0, 3, 0.8, 0.6, 0, 0]
    pos, quat = np.array([0.3, 2, -1]), np.array([0.6, 0, 0.8, 0])
    for scale, same in ((1.0, True), (2.0, False)):
        transform[7] = scale
        results = []
        for library in (ORACLE, harness.lib):
            there, turned, back, same_quat = np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(4)
            library.mjv_room2model(*map(_address, (there, turned, pos, quat, scene)))
            library.mjv_model2room(*map(_address, (back, same_quat, there, turned, scene)))
            results.append((there, turned, back, same_quat))
        np.testing.assert_allclose(results[1][0], results[0][0], atol=1e-7)
        np.testing.assert_allclose(results[1][1], results[0][1], atol=1e-7)
        np.testing.assert_allclose(results[1][2], pos, atol=1e-6)
        assert np.allclose(results[0][2], pos, atol=1e-6) == same


def test_scene(path):
    """Default options, and everything that is drawn of a robot, on every model."""
    m, d = harness.oracle(path)
    if m.nflex or m.nskin or m.nplugin:
        pytest.skip("scratch memory or plugins need data of our own")
    d.ctrl[:] = 0.1
    for _ in range(3):
        mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    scenes = Scenes(m, d)
    try:
        scenes.check("default")
        drawn = [VIS.mjVIS_JOINT, VIS.mjVIS_ACTUATOR, VIS.mjVIS_INERTIA, VIS.mjVIS_CONTACTPOINT]
        drawn += [VIS.mjVIS_CONTACTFORCE, VIS.mjVIS_TENDON, VIS.mjVIS_COM, VIS.mjVIS_AUTOCONNECT, VIS.mjVIS_LIGHT]
        scenes.check("drawn", flags=drawn)
    finally:
        scenes.close()


def _double(x):
    return ctypes.c_double(x)


def test_cameras_and_perturbations():
    """Free and tracking cameras moved by the mouse, bodies pulled and turned."""
    m = harness.model_from_string(EVERYTHING)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(5)
    scene = np.zeros(SCENE_BYTES, np.uint8)
    ORACLE.mjv_defaultScene(_address(scene))
    ORACLE.mjv_makeScene(_address(m._address), _address(scene), 10)
    model, data = _address(m._address), _address(d._address)
    for _ in range(200):
        d.qpos[:] += rng.normal(size=m.nq) * 0.05
        d.qvel[:] = rng.normal(size=m.nv)
        mujoco.mj_forward(m, d)
        camera = np.zeros(CAMERA_BYTES, np.uint8)
        ORACLE.mjv_defaultCamera(_address(camera))
        camera[:4].view(np.int32)[0] = rng.integers(0, 2)
        camera[8:12].view(np.int32)[0] = 1
        camera[16:64].view(np.float64)[:] = rng.normal(size=6) * [1, 1, 1, 0, 100, 30] + [0, 0, 0, rng.uniform(0.1, 3), 0, 0]
        action = int(rng.integers(1, 6))
        dx, dy = rng.normal(size=2)
        results = []
        for library in (ORACLE, harness.lib):
            cam, scn = camera.copy(), scene.copy()
            library.mjv_updateCamera(model, data, _address(cam), _address(scn))
            library.mjv_moveCamera(model, action, _double(dx), _double(dy), _address(scn), _address(cam))
            perturb = np.zeros(PERTURB_BYTES, np.uint8)
            library.mjv_defaultPerturb(_address(perturb))
            perturb[:4].view(np.int32)[0] = 1 + _ % (m.nbody - 1)
            ORACLE.mjv_initPerturb(model, data, _address(scn), _address(perturb))
            library.mjv_movePerturb(model, data, action, _double(dx), _double(dy), _address(scn), _address(perturb))
            perturb[12:16].view(np.int32)[0] = 3
            d.xfrc_applied[:] = 0
            library.mjv_applyPerturbForce(model, data, _address(perturb))
            results.append((cam[16:64].view(np.float64).copy(), perturb[24:128].view(np.float64).copy(), d.xfrc_applied.copy()))
        for a, b in zip(*results):
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-5)  # scenes hold floats
    ORACLE.mjv_freeScene(_address(scene))
