"""Reading and writing of model files, against the released engine."""

import ctypes
import os
import pathlib
import re

import harness
import mujoco
import pytest

HERE = pathlib.Path(__file__).parent
P, S, I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int


def declare(lib):
    for name, result, arguments in (
        ("mj_parseXML", P, [S, P, S, I]),
        ("mj_loadXML", P, [S, P, S, I]),
        ("mj_compile", P, [P, P]),
        ("mj_saveXML", I, [P, S, S, I]),
        ("mj_saveXMLString", I, [P, S, I, S, I]),
        ("mj_sizeModel", I, [P]),
        ("mj_saveModel", None, [P, S, P, I]),
        ("mj_deleteModel", None, [P]),
        ("mj_deleteSpec", None, [P]),
        ("mjs_getError", S, [P]),
        ("mj_printSchema", I, [S, S, I, I, I]),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


OURS = declare(ctypes.CDLL(harness.LIBRARY))
THEIRS = declare(ctypes.CDLL(str(next(pathlib.Path(mujoco.__file__).parent.glob("libmujoco.so*")))))


@pytest.mark.parametrize("html", [0, 1])
@pytest.mark.parametrize("pad", [0, 1])
def test_schema(html, pad):
    texts = []
    for lib in (OURS, THEIRS):
        text = ctypes.create_string_buffer(1 << 20)
        assert lib.mj_printSchema(None, text, len(text), html, pad) == len(text.value)
        texts.append(text.value)
    assert texts[0] == texts[1]


CASES = re.split(r"\n== ", (HERE.parent / "read/malformed.txt").read_text())[1:]


@pytest.mark.parametrize("case", CASES, ids=[c.split("\n")[0] for c in CASES])
def test_malformed(case):
    """What our tests call malformed, the released engine refuses too."""
    with pytest.raises(Exception):
        mujoco.MjSpec.from_string(case.partition("\n")[2]).compile()


def blob(model):
    """All of a model but its signature, which knows the frames that the tree was made with."""
    signature = ctypes.c_uint64.from_address(model + ctypes.sizeof(harness.MjModelStruct) - 8)
    signature.value = 0
    size = OURS.mj_sizeModel(model)
    buffer = ctypes.create_string_buffer(size)
    OURS.mj_saveModel(model, None, buffer, size)
    return buffer.raw


def test_save_and_reload(path, tmp_path):
    """A model saved as MJCF and loaded again is the same, bit by bit."""
    error = ctypes.create_string_buffer(2000)
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError as problem:
        pytest.skip(f"the released engine refuses it: {problem}")
    spec = OURS.mj_parseXML(str(path).encode(), None, error, len(error))
    assert spec, error.value
    model = OURS.mj_compile(spec, None)
    assert model, OURS.mjs_getError(spec)
    saved = os.fsencode(tmp_path / "saved.xml")
    assert OURS.mj_saveXML(spec, saved, error, len(error)) == 0, error.value
    again = OURS.mj_loadXML(saved, None, error, len(error))
    assert again, error.value
    assert blob(model) == blob(again)
    OURS.mj_deleteModel(model)
    OURS.mj_deleteModel(again)
    OURS.mj_deleteSpec(spec)


# Documents whose text the released engine writes as it should be; the rest is in docs/differences.md.
TEXTS = {
    "settings": """<compiler autolimits="true" boundmass=".01"/>
<option timestep=".001" gravity="0 0 -1" cone="elliptic" iterations="7" solver="CG">
<flag contact="disable" energy="enable"/></option><size memory="1M" nuserdata="3" nkey="2"/><visual>
<global fovy="30" azimuth="3" offwidth="99"/><map fogstart="1" znear=".1"/><rgba haze="1 0 0 1" fog="0 1 0 1"/>
</visual><statistic extent="3" center="1 2 3" meanmass="2"/><custom><numeric name="n" size="3" data="1 2"/>
<text name="t" data="a &lt;&amp;&gt; b"/><tuple name="u"><element objtype="body" objname="world" prm="2"/>
<element objtype="body" objname="world"/></tuple></custom><worldbody/>""",
    "classes": """<default><geom friction=".3" size="1 2 3"/><joint damping="1"/><default class="e"/><default class="k">
<geom rgba="1 0 0 1"/><pair margin="1"/><equality solref="1 2"/><tendon range="0 1"/><position kp="3"/>
<mesh scale="1 1 2"/><material rgba="1 0 0 1"/><site type="box" size=".1 .2 .3"/><camera fovy="30"/>
<light type="directional"/><default class="l"><joint damping="2" axis="0 1 0" pos="1 1 1"/>
<geom pos="1 1 1" euler="90 0 0" mass="3"/></default></default></default><worldbody><frame childclass="k">
<body name="b"><joint name="j"/><joint name="j2" class="l" type="slide"/><geom/><geom class="l"/><site/>
<camera/><light/></body></frame><body childclass="l"><freejoint/><geom/></body></worldbody><actuator>
<position joint="j" class="k"/><motor joint="j"/></actuator>""",
    "tree": """<worldbody><light/><light pos="0 0 3" dir="0 1 0" type="point" castshadow="false"/>
<camera name="c" sensorsize=".1 .1" focal=".1 .1" resolution="30 40"/>
<geom type="plane" size="1 1 1" name="fl"/><frame name="f1" pos="1 0 0" euler="90 0 0">
<geom size=".3" pos="1 0 0"/><frame name="f2"><body name="b">
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><freejoint name="fj" group="2"/><geom name="g" size=".1"/>
<site name="s1"/><site name="s2" pos="1 0 0"/></body></frame></frame><body mocap="true" name="mc" pos="1 2 3">
<geom size=".1"/></body><body name="b3" axisangle="0 0 1 90" gravcomp="1" user="1 2">
<joint name="jj" limited="true" range="0 1" type="slide"/>
<joint name="h" range="-90 90" ref="10" springref="20" stiffness="2" axis="0 2 0"/>
<geom type="capsule" fromto="0 0 0 0 0 1" size=".1"/>
<geom type="box" size=".1 .2 .3" contype="2" conaffinity="3" condim="4" priority="2" solmix="2" margin=".1" gap=".1" group="3" density="7"/>
<geom type="ellipsoid" size=".1 .2 .3" fluidshape="ellipsoid" mass="2"/><body name="b4" pos="0 1 0">
<joint name="ba" type="ball" range="0 60"/><geom size=".1"/></body></body></worldbody>""",
    "links": """<worldbody><site name="s0"/><geom name="fl" size=".2" pos="0 0 9"/><body name="b1">
<joint name="j1" range="0 90"/><geom name="g1" type="cylinder" size=".1 .2"/><site name="s1" pos="1 0 0"/>
</body><body name="b2"><joint name="j2" type="slide" range="0 1"/><geom name="g2" size=".1"/>
<site name="s2" pos="0 1 0"/></body></worldbody><contact><pair geom1="g2" geom2="g1" friction="1 2"/>
<pair geom1="fl" geom2="g1" name="p" condim="1"/><exclude body1="b2" body2="b1"/></contact><equality>
<weld body1="b1" body2="b2"/><connect body1="b1" anchor="0 0 1" body2="b2" active="false"/>
<joint joint1="j1" polycoef="1 2"/><weld site1="s1" site2="s2"/><connect site1="s1" site2="s2" solref=".1"/>
</equality><tendon><spatial name="sp" springlength=".1" width=".1" range="0 3"><site site="s0"/>
<geom geom="g1" sidesite="s1"/><site site="s2"/><pulley divisor="2"/><site site="s0"/><site site="s2"/>
</spatial><fixed name="fx" stiffness="3"><joint joint="j1" coef="2"/></fixed></tendon><actuator>
<motor joint="j1" gear="2" ctrlrange="0 1" name="m"/><position joint="j2" kp="3" inheritrange="1"/>
<position joint="j1" kv="2" timeconst=".1"/><velocity tendon="fx" kv="3" forcerange="-1 1"/>
<intvelocity joint="j1" kp="2" actrange="-1 1"/><damper joint="j1" kv="1" ctrlrange="0 1"/>
<cylinder joint="j1" timeconst="2"/><adhesion body="b1" ctrlrange="0 1"/>
<general joint="j1" dyntype="user" actdim="2" actearly="true" user="1 2" gaintype="user"/>
<motor site="s1" refsite="s2" gear="1 2 3 4 5 6"/><motor cranksite="s1" slidersite="s2" cranklength="3"/>
<muscle joint="j1" lengthrange="0 1"/></actuator><sensor><clock name="t"/>
<distance geom1="g1" geom2="g2" cutoff="3"/><user dim="3" noise=".1"/><jointpos joint="j1" user="1 2"/>
<framepos objtype="site" objname="s1" reftype="body" refname="b2"/><touch site="s1"/><actuatorfrc actuator="m"/>
<tendonpos tendon="sp"/><subtreecom body="b1"/></sensor><keyframe><key name="kk" qpos="1 2"/>
<key time="3" ctrl="1 2 3 4 5 6 7 8 9 10 11 12"/></keyframe>""",
    "assets": """<asset>
<texture name="tx" type="2d" builtin="checker" rgb1="1 0 0" mark="edge" markrgb="0 1 0" width="4" height="4"/>
<texture type="skybox" builtin="gradient" width="4" height="4"/>
<material name="m" texture="tx" texuniform="true" texrepeat="2 3" rgba="1 0 0 1" metallic=".1"/>
<material name="m2"><layer role="rgb" texture="tx"/><layer role="normal" texture="tx"/></material>
<mesh name="ms" vertex="0 0 0 1 0 0 0 1 0 0 0 1" inertia="exact" refpos="0 0 1"/>
<mesh name="q" vertex="0 0 0 1 0 0 0 1 0 0 0 1" normal="0 0 1 0 0 1 0 0 1 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" texcoord="0 0 1 0 1 1 0 1" smoothnormal="true"/>
</asset><worldbody><geom type="sphere" size="1" material="m"/><geom type="box" size="1 1 1" material="m2"/>
</worldbody>""",
}


def saved_text(lib, path):
    error, text = ctypes.create_string_buffer(2000), ctypes.create_string_buffer(1 << 20)
    lib._mjPRIVATE__set_xml_precision(6)
    spec = lib.mj_parseXML(os.fsencode(path), None, error, len(error))
    assert spec, error.value
    lib.mj_deleteModel(lib.mj_compile(spec, None))
    assert lib.mj_saveXMLString(spec, text, len(text), error, len(error)) == 0, error.value
    lib.mj_deleteSpec(spec)
    lib._mjPRIVATE__set_xml_precision(17 if lib is OURS else 6)
    return text.value.decode()


@pytest.mark.parametrize("name", TEXTS)
def test_saved_text(name, tmp_path):
    """The text of a saved model, of six digits: elements, attributes and their order as released."""
    path = tmp_path / "model.xml"
    path.write_text(f'<mujoco model="a">{TEXTS[name]}</mujoco>')
    assert saved_text(OURS, path).splitlines() == saved_text(THEIRS, path).splitlines()
