"""What the package says to wrong arguments: the call, the argument, what was expected, what was given."""

import inspect
import itertools
import re

import numpy as np
import pytest
import sinew

XML = """<mujoco><worldbody><body name="b"><freejoint name="root"/><geom name="g" size=".1"/></body></worldbody>
<actuator><motor name="a" joint="root"/></actuator><keyframe><key name="k"/></keyframe></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return sinew.MjModel.from_xml_string(XML)


BIG = np.arange(1000.0)
SAID = [
    (lambda m, d: sinew.Batch(m, 4, nthread=-4), ValueError, "Batch: argument nthread: expected a whole number of at least 0, found -4"),
    (lambda m, d: sinew.Batch("x", 8), TypeError, "Batch: argument model: expected an MjModel, found 'x'"),
    (lambda m, d: sinew.Batch(m, "x"), TypeError, "Batch: argument size: expected a whole number of at least 1, found 'x'"),
    (lambda m, d: sinew.Batch(m, 0), ValueError, "Batch: argument size"),
    (lambda m, d: sinew.Batch(m, 1.5), TypeError, "Batch: argument size: .* found 1.5"),
    (lambda m, d: sinew.Batch(m, 2).step(-1), ValueError, "Batch.step: argument nstep: .* found -1"),
    (lambda m, d: sinew.Batch(m, 2).step(rows=[5]), IndexError, "Batch.step: argument rows: expected numbers of rows from 0 to 1"),
    (lambda m, d: sinew.Batch(m, 2).reset(rows="x"), TypeError, "Batch.reset: argument rows"),
    (lambda m, d: sinew.Batch(m, 2).set("qpos", BIG), ValueError, r"Batch.set: argument values: .*\(2, 7\), found an array of float64 with shape \(1000,\)"),
    (lambda m, d: sinew.Batch(m, 2).set("xpos", 0), ValueError, "Batch.set: argument field: .*qpos.* found 'xpos'"),
    (lambda m, d: sinew.Batch(m, 2).bind(3), TypeError, "Batch.bind: argument field: .* found 3"),
    (lambda m, d: sinew.Batch(m, 2).get("qpos", BIG), ValueError, r"Batch.get: argument out: .*\(2, 7\), found .*\(1000,\)"),
    (lambda m, d: sinew.Batch(m, 2).get_data(7), IndexError, "Batch.get_data: argument row: .* found 7"),
    (lambda m, d: sinew.Batch(m, 2).set_state(BIG, 2), ValueError, r"Batch.set_state: argument state"),
    (lambda m, d: sinew.rollout.Rollout(nthread=-4), ValueError, "Rollout: argument nthread: .* found -4"),
    (lambda m, d: sinew.rollout.rollout("x", d, [0]), TypeError, "rollout: argument model: .* found 'x'"),
    (lambda m, d: sinew.rollout.rollout(m, [d, 3], [0]), TypeError, r"rollout: argument data\[1\]: expected an MjData, found 3"),
    (lambda m, d: sinew.rollout.rollout(m, d, {}), TypeError, "rollout: argument initial_state: expected numbers, found"),
    (lambda m, d: sinew.minimize.least_squares("x", abs), TypeError, "least_squares: argument x0"),
    (lambda m, d: sinew.minimize.least_squares(1.0, "x"), TypeError, "least_squares: argument residual: expected a function"),
    (lambda m, d: sinew.solver.choose(m, d, 3), TypeError, "solver.choose: argument name: .*admm-ncp.*, found 3"),
    (lambda m, d: sinew.solver.choose("x", d, None), TypeError, "solver: argument model: expected MjModel, found 'x'"),
    (lambda m, d: sinew.MjData("x"), TypeError, "MjData: argument model: expected MjModel, found 'x'"),
    (lambda m, d: sinew.MjModel.from_xml_path(3), TypeError, "MjModel.from_xml_path: argument filename: expected a path, found 3"),
    (lambda m, d: sinew.MjModel.from_xml_string(3), TypeError, "MjModel.from_xml_string: argument xml: expected text, found 3"),
    (lambda m, d: sinew.MjModel.from_xml_string("<mujoco/>", 3), TypeError, "argument assets: expected a dict .* found 3"),
    (lambda m, d: sinew.MjModel.from_xml_string("<mujoco/>", {3: b""}), TypeError, "argument assets: expected names .* found 3"),
    (lambda m, d: sinew.MjModel.from_xml_string("<mujoco/>", {"a": 3}), TypeError, "argument assets: expected bytes .* found 3"),
    (lambda m, d: sinew.MjModel.from_xml_string("<mujoco/>", confine=3), TypeError, "argument confine: expected True, False or a folder"),
    (lambda m, d: sinew.MjSpec.from_file(3), TypeError, "MjSpec.from_file: argument filename"),
    (lambda m, d: sinew.MjSpec.from_string(3), TypeError, "MjSpec.from_string: argument xml"),
    (lambda m, d: sinew.MjSpec.from_string("<mujoco/>", assets={"a": 3}), TypeError, r"MjSpec.from_string: argument assets\['a'\]"),
    (lambda m, d: sinew.MjSpec().body(3), TypeError, "MjSpec.body: argument name: expected text, found 3"),
    (lambda m, d: sinew.MjSpec().attach("x"), TypeError, "MjSpec.attach: argument child"),
    (lambda m, d: sinew.MjSpec().attach(sinew.MjSpec()), ValueError, "MjSpec.attach: .*site and frame"),
    (lambda m, d: sinew.MjvScene(m, -3), ValueError, "MjvScene: argument maxgeom: expected 0 or more, found -3"),
    (lambda m, d: sinew.MjvScene("x", 3), TypeError, "MjvScene: argument model"),
    (lambda m, d: sinew.mj_step(d, m), TypeError, "mj_step: argument m: expected MjModel, found an object of type sinew.MjData"),
    (lambda m, d: sinew.mj_step(m, d, nstep=-3), ValueError, "mj_step: argument nstep: expected 0 or more, found -3"),
    (lambda m, d: m.geom(1.5), TypeError, "geom: argument name: expected a name or a whole number, found 1.5"),
    (lambda m, d: sinew.mju_add(np.zeros(3, np.float32), np.zeros(3), np.zeros(3)), TypeError,
     r"mju_add: argument res: expected a writable contiguous array of float64, found an array of float32 with shape \(3,\)$"),
    (lambda m, d: sinew.mju_add(np.zeros((3, 2))[:, 0], np.zeros(3), np.zeros(3)), TypeError, r"with shape \(3,\), not contiguous$"),
    (lambda m, d: sinew.mju_add([0, 0, 0], np.zeros(3), np.zeros(3)), TypeError, "argument res: .*, found a list of 3$"),
    (lambda m, d: sinew.mju_add(np.zeros(3), np.full(1000, "x"), np.zeros(3)), TypeError, r"argument vec1: .*, found an array of <U1 with shape"),
    (lambda m, d: setattr(d, "qpos", BIG), ValueError, r"MjData.qpos: .*float64 with shape \(7,\), found an array of float64 with shape \(1000,\)$"),
    (lambda m, d: setattr(d, "qpos", "abc"), ValueError, r"MjData.qpos: .*, found 'abc'$"),
    (lambda m, d: setattr(d, "qpos", np.zeros(7, complex)), TypeError, r"MjData.qpos: .*, found an array of complex128"),
    (lambda m, d: setattr(d, "time", BIG), TypeError, r"MjData.time: expected a number, found an array of float64 with shape \(1000,\)$"),
    (lambda m, d: setattr(m.opt, "gravity", [1, 2]), ValueError, r"MjOption.gravity: .*\(3,\), found a list of 2$"),
    (lambda m, d: setattr(m.geom("g"), "size", BIG), ValueError, r"geom.size: .*\(3,\), found .*\(1000,\)$"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(SAID)))
def test_said(model, number):
    call, kind, words = SAID[number]
    with pytest.raises(kind, match=words):
        call(model, sinew.MjData(model))


def test_state_size(model):
    """The words of the released package, and in a note what they leave out."""
    with pytest.raises(TypeError, match="state size should equal") as caught:
        sinew.mj_getState(model, sinew.MjData(model), BIG.copy(), 1)
    assert caught.value.__notes__ == ["mj_getState: argument state: expected 1 elements, found 1000"]


def wild():
    return [None, "x", b"x", -7, 10**30, 1.5, float("nan"), BIG, np.zeros((3, 3), np.float32), np.full(200, "y"), [1, "a"], {}, object()]


def test_no_array_is_printed(model):
    """Every function with wrong arguments in each place: short messages that name the call, and no numbers of an array."""
    data = sinew.MjData(model)
    good = {"m": model, "d": data, "model": model, "data": data}
    # those that write files, print, load libraries or draw
    left_out = re.compile(r"mj_(save|print|load)\w*|mju_(print|write)\w*|mj[prv]_\w+")
    seen = 0
    for name in dir(sinew):
        function = getattr(sinew, name)
        if not name.startswith("mj") or not callable(function) or isinstance(function, type) or left_out.fullmatch(name):
            continue
        names = list(inspect.signature(function).parameters)
        if "m" not in names and "d" not in names and not name.startswith("mju_"):
            continue
        # one wrong struct or array at a time: numbers out of range are for other tests
        for place in range(len(names)):
            for value in wild():
                if isinstance(value, (int, float)) and value is not None:
                    continue
                arguments = [good.get(each, "x") for each in names]
                arguments[place] = value
                try:
                    function(*arguments)
                    continue  # None, or a text, is what it takes there
                except Exception as problem:
                    text = " ".join([str(problem), *getattr(problem, "__notes__", [])])
                    known = isinstance(problem, sinew.FatalError)
                assert "array(" not in text and "0., 0." not in text and len(text) < 400, f"{name}: {text}"
                assert name in text or known, f"{name}: {text}"
                seen += 1
    assert seen > 2000


@pytest.mark.filterwarnings("ignore")
def test_fields_say_their_names():
    """Wild values for every field of every kind of object: an error names the field and prints no array."""
    model = sinew.MjModel.from_xml_string(XML)
    data = sinew.MjData(model)
    sinew.mj_step(model, data)
    spec = sinew.MjSpec.from_string(XML)
    things = [
        model, data, model.opt, model.vis, model.vis.quality, model.stat, data.warning[0], sinew.MjvCamera(), sinew.MjvOption(), sinew.MjvPerturb(),
        sinew.MjvFigure(), sinew.MjvScene(model, 10), sinew.MjrRect(0, 0, 1, 1), model.geom(0), data.body(1), spec, spec.compiler,
        spec.default, spec.bodies[1], spec.geoms[0], spec.joints[0], spec.actuators[0], spec.keys[0], spec.add_mesh(), spec.add_texture(),
        spec.add_material(), spec.add_sensor(), spec.add_tendon(), spec.add_equality(), spec.add_numeric(), spec.add_flex(), spec.add_skin(),
    ]  # fmt: skip
    seen = 0
    for thing in things:
        for name in dir(thing):
            if name.startswith("__"):
                continue
            for value in [*wild(), np.zeros(7, complex), model, data]:
                try:
                    setattr(thing, name, value)
                except Exception as problem:
                    text = str(problem)
                    assert "array(" not in text and "0., 0." not in text and len(text) < 400, f"{type(thing)}.{name}: {text}"
                    assert name in text, f"{type(thing)}.{name}: {text}"
                    seen += 1
    assert seen > 10000


def test_constructors_of_the_package(model):
    """Values of all kinds in every argument: an error names the call or the argument, and nothing hangs or crashes."""
    data = sinew.MjData(model)
    calls = {
        "Batch": (sinew.Batch, {"model": model, "size": 2, "nthread": 1}),
        "Rollout": (sinew.rollout.Rollout, {"nthread": 1}),
        "rollout": (sinew.rollout.rollout, {"model": model, "data": data, "initial_state": np.zeros(14), "control": np.zeros((2, 1)), "nstep": 2}),
        "least_squares": (sinew.minimize.least_squares, {"x0": np.zeros(2), "residual": lambda x: x}),
        "choose": (sinew.solver.choose, {"model": model, "data": data, "name": "soft"}),
        "from_xml_string": (sinew.MjModel.from_xml_string, {"xml": "<mujoco/>", "assets": None}),
        "from_xml_path": (sinew.MjModel.from_xml_path, {"filename": "none.xml", "assets": None}),
        "from_string": (sinew.MjSpec.from_string, {"xml": "<mujoco/>", "include": None, "assets": None}),
    }
    for (name, (function, arguments)), value in itertools.product(calls.items(), wild()):
        for argument in arguments:
            if argument in ("size", "nthread", "nstep") and isinstance(value, int) and value > 0:
                continue
            try:
                function(**{**arguments, argument: value})
            except Exception as problem:
                text = str(problem)
                assert "array(" not in text and len(text) < 400, f"{name}({argument}): {text}"
                told = re.search(rf"\b{argument}\b|{name}|file|XML|dimension|shape|expected", text)
                assert told or isinstance(problem, (OverflowError, sinew.FatalError)), f"{name}({argument}={value!r}): {text}"
