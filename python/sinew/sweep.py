"""Studies: one simulation for each set of parameters and each seed, in chunks that give the same bytes wherever they run.

A task has an index. Its parameters and its random generator (Philox, keyed by the study's seed and the index) follow
from the index alone, so neither the order of work nor the number of workers changes a result. sinew.ray runs a study on
many processes; `sweep` with ``workers=0`` runs it here.
"""

import dataclasses
import hashlib
import inspect
import itertools
import json
import pathlib
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check
from ._enums import mjtObj
from ._sinew import MjModel, mj_name2id, mj_versionString
from .batch import Batch

Row = dict[str, Any]
_REDUCE = ("last", "mean", "min", "max")


@dataclasses.dataclass(frozen=True)
class Uniform:
    """A parameter drawn uniformly, anew for each task."""

    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Setting:
    """Where a parameter goes in the model: a field, the element by its name or number, a column; instead of the value, or times it."""

    field: str
    element: Union[str, int, None] = None
    column: Optional[int] = None
    relative: bool = False


@dataclasses.dataclass(frozen=True)
class Output:
    """What a roll-out gives: a field of MjData, a column of it, and what of its values over the steps (last, mean, min, max)."""

    field: str
    column: Optional[int] = None
    reduce: str = "last"


_KINDS = {"body": "BODY", "geom": "GEOM", "site": "SITE", "jnt": "JOINT", "actuator": "ACTUATOR", "tendon": "TENDON", "sensor": "SENSOR", "dof": "JOINT"}


@dataclasses.dataclass(frozen=True)
class Rollout:
    """A roll-out of a model, open loop: random first states and controls, parameters set in the model, outputs."""

    model: str  # the path of a file, or MJCF
    steps: int
    settings: Mapping[str, Setting] = dataclasses.field(default_factory=dict)
    outputs: Mapping[str, Output] = dataclasses.field(default_factory=lambda: {"qpos": Output("qpos")})
    noise: float = 0.0  # half the width of what is added to the first qpos and qvel
    control: float = 0.0  # controls are uniform within so much of their range, anew at each step
    every: int = 1  # steps between outputs
    time_limit: Optional[float] = None  # seconds of processor time of a row

    def load(self) -> MjModel:
        """The model, from its text or its file."""
        return MjModel.from_xml_string(self.model) if self.model.lstrip().startswith("<") else MjModel.from_xml_path(self.model)

    def prepare(self) -> "Prepared":
        """What a worker makes once, for all tasks that it runs."""
        return Prepared(self)


class Prepared:
    """A roll-out's model, and batches of it by their size."""

    def __init__(self, rollout: Rollout) -> None:
        self.rollout, self.model = rollout, rollout.load()
        self.places = {name: self._place(name, setting) for name, setting in rollout.settings.items()}
        self.batches: dict[int, Batch] = {}
        for name, output in rollout.outputs.items():
            if output.reduce not in _REDUCE:
                raise ValueError(f"output {name!r}: reduce: expected one of {', '.join(_REDUCE)}, found {output.reduce!r}")

    def _place(self, name: str, setting: Setting) -> tuple[Any, ...]:
        values = getattr(self.model, setting.field, None)
        if not isinstance(values, np.ndarray):
            raise ValueError(f"parameter {name!r}: the model has no field {setting.field!r}")
        place: tuple[Any, ...] = (slice(None),)
        if isinstance(setting.element, str):
            kind = setting.field.split("_")[0]
            number = mj_name2id(self.model, int(getattr(mjtObj, f"mjOBJ_{_KINDS[kind]}")), setting.element) if kind in _KINDS else -1
            if number < 0:
                raise ValueError(f"parameter {name!r}: {setting.field} has no element {setting.element!r}")
            place = (int(self.model.jnt_dofadr[number]) if kind == "dof" else number,)
        elif setting.element is not None:
            place = (setting.element,)
        if setting.column is not None:
            place += (setting.column,)
        try:
            values[place]
        except IndexError as problem:
            raise ValueError(f"parameter {name!r}: {setting.field}: {problem}") from None
        return place

    def run(self, parameters: Sequence[Row], generators: Sequence[np.random.Generator]) -> list[Row]:
        """The rows of tasks: their outputs, or a reason why there are none."""
        spec, size = self.rollout, len(parameters)
        if size not in self.batches:
            self.batches[size] = Batch(self.model, size, nthread=1, own_models=bool(self.places), time_limit=spec.time_limit)
        batch = self.batches[size]
        for row, values in enumerate(parameters):
            for name, place in self.places.items():
                setting = spec.settings[name]
                first = getattr(self.model, setting.field)[place]
                getattr(batch.models[row if size > 1 else 0], setting.field)[place] = first * values[name] if setting.relative else values[name]
        batch.reset()
        low, high = np.where(self.model.actuator_ctrllimited[:, None], self.model.actuator_ctrlrange, [[-1.0, 1.0]]).T
        controls = np.empty((size, spec.steps, self.model.nu))
        for row, random in enumerate(generators):
            for field in ("qpos", "qvel"):
                batch.bind(field)[row] += random.uniform(-spec.noise, spec.noise, batch.bind(field).shape[1])
            middle, half = (low + high) / 2, (high - low) / 2 * spec.control
            controls[row] = random.uniform(middle - half, middle + half, controls[row].shape)
        return self._follow(batch, controls)

    def _follow(self, batch: Batch, controls: npt.NDArray[np.float64]) -> list[Row]:
        spec = self.rollout
        ctrl, fields = batch.bind("ctrl"), {output.field: batch.bind(output.field) for output in spec.outputs.values()}
        kept: dict[str, Any] = {}
        bad: dict[int, str] = {}
        alive, count = np.ones(len(batch), bool), 0
        for step in range(spec.steps):
            ctrl[:] = controls[:, step]
            for row, reason in batch.step(1, None if alive.all() else alive):
                bad.setdefault(row, f"{reason} (step {step})")
                alive[row] = False
            if not alive.any():
                break
            if (step + 1) % spec.every == 0 or step + 1 == spec.steps:
                count += 1
                for name, output in spec.outputs.items():
                    value = fields[output.field]
                    kept[name] = _reduced(output.reduce, kept.get(name), value if output.column is None else value[:, output.column])
        for name, output in spec.outputs.items():
            if output.reduce == "mean" and name in kept:
                kept[name] = kept[name] / count
        return [{"reason": bad[row]} if row in bad else {name: _plain(kept[name][row]) for name in spec.outputs} for row in range(len(batch))]


def _reduced(how: str, so_far: Any, now: Any) -> Any:
    if so_far is None or how == "last":
        return np.array(now)
    return {"mean": np.add, "min": np.minimum, "max": np.maximum}[how](so_far, now)


def _plain(value: Any) -> Any:
    value = np.asarray(value)
    return value.item() if value.ndim == 0 else value.ravel().tolist()


Task = Union[Rollout, Callable[[Row, np.random.Generator], Row]]


class Expired(Exception):
    """A task took longer than its time limit."""


class Study:
    """A task with its parameters and seeds: what index i is, and the rows of a chunk of indices."""

    def __init__(self, task: Task, parameters: Any, seeds: int = 1, *, seed: int = 0, count: Optional[int] = None, time_limit: Optional[float] = None) -> None:
        if not isinstance(task, Rollout) and not callable(task):
            raise _check.refuse(TypeError, "sweep", "task", "a function of (parameters, random) or a Rollout", task)
        self.task, self.seed, self.time_limit = task, _check.whole("sweep", "seed", seed, 0), time_limit
        self.seeds = _check.whole("sweep", "seeds", seeds, 1)
        self.points = _points(parameters, count)
        if isinstance(task, Rollout):
            for name in task.settings:
                if any(name not in point for point in self.points):
                    raise ValueError(f"sweep: argument parameters: the roll-out sets {name!r}, which is not among them")

    def __len__(self) -> int:
        return len(self.points) * self.seeds

    def parameters(self, index: int) -> tuple[Row, np.random.Generator]:
        """The parameters of a task, and its generator behind what they drew."""
        random = np.random.Generator(np.random.Philox(key=[self.seed, index]))
        point = self.points[index // self.seeds]
        return {name: float(random.uniform(value.low, value.high)) if isinstance(value, Uniform) else value for name, value in point.items()}, random

    def fingerprint(self) -> str:
        """The same for the same work: task, parameters, seeds."""
        if isinstance(self.task, Rollout):
            text = self.task.model if self.task.model.lstrip().startswith("<") else pathlib.Path(self.task.model).read_text()
            task: Any = {**dataclasses.asdict(self.task), "model": hashlib.sha256(text.encode()).hexdigest()}
        else:
            function = getattr(self.task, "function", self.task)
            try:
                task = function.fingerprint() if hasattr(function, "fingerprint") else inspect.getsource(function)
            except (OSError, TypeError):
                task = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(function))}"
        points = [{name: dataclasses.asdict(value) if isinstance(value, Uniform) else value for name, value in point.items()} for point in self.points]
        what = {"task": task, "points": points, "seeds": self.seeds, "seed": self.seed, "engine": mj_versionString()}
        return hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()

    def prepare(self) -> Any:
        """What a worker makes once, for all tasks that it runs."""
        return self.task.prepare() if isinstance(self.task, Rollout) else self.task

    def rows(self, prepared: Any, first: int, last: int, lost: Mapping[int, str] = {}) -> list[Row]:
        """The rows of tasks first ... last - 1; those that are `lost` have their reason and nothing else."""
        wanted = [index for index in range(first, last) if index not in lost]
        drawn = {index: self.parameters(index) for index in range(first, last)}
        if isinstance(prepared, Prepared):
            results = dict(zip(wanted, prepared.run([drawn[i][0] for i in wanted], [drawn[i][1] for i in wanted]))) if wanted else {}
        else:
            results = {index: self._one(prepared, *drawn[index]) for index in wanted}
        rows = []
        for index in range(first, last):
            result = {"reason": lost[index]} if index in lost else results[index]
            rows.append({"index": index, "seed": index % self.seeds, **drawn[index][0], "reason": result.pop("reason", None), **result})
        return rows

    def _one(self, function: Any, parameters: Row, random: np.random.Generator) -> Row:
        """What a function gives; its exception, or the end of its time, is a reason."""
        try:
            with _limit(self.time_limit):
                result = function(parameters, random)
            if not isinstance(result, Mapping) or "reason" in result or set(result) & {"index", "seed", *parameters}:
                raise TypeError("a task returns a dict of results, by names that parameters do not have")
            return {str(name): _plain(value) if isinstance(value, (np.ndarray, np.generic)) else value for name, value in result.items()}
        except Expired:
            return {"reason": f"time limit: more than {self.time_limit} s"}
        except Exception as problem:
            return {"reason": f"{type(problem).__name__}: {problem}"}


class _limit:
    """A limit of processor time for what runs inside; looked at between instructions of Python."""

    def __init__(self, seconds: Optional[float]) -> None:
        if seconds is not None and not hasattr(signal, "setitimer"):
            raise OSError("time_limit: this system has no timer of processor time")
        self.seconds = seconds

    def __enter__(self) -> None:
        if self.seconds is not None:
            self.before = signal.signal(signal.SIGVTALRM, self._expire)
            signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds)

    def __exit__(self, *_: Any) -> None:
        if self.seconds is not None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, self.before)

    @staticmethod
    def _expire(*_: Any) -> None:
        raise Expired


def _points(parameters: Any, count: Optional[int]) -> list[Row]:
    """A list of sets of parameters; from lists of values, all combinations; from distributions, `count` of them."""
    if isinstance(parameters, Mapping):
        lists = {name: list(value) if isinstance(value, (list, tuple, range, np.ndarray)) else [value] for name, value in parameters.items()}
        points = [dict(zip(lists, values)) for values in itertools.product(*lists.values())]
    else:
        points = [dict(point) for point in parameters]
    if count is not None:
        points *= _check.whole("sweep", "count", count, 1)
    if not points:
        raise ValueError("sweep: argument parameters: expected at least one set of parameters, found none")
    for name in ("index", "seed", "reason"):
        if any(name in point for point in points):
            raise ValueError(f"sweep: argument parameters: {name!r} is a column of the results")
    return [{name: value.item() if isinstance(value, np.generic) else value for name, value in point.items()} for point in points]


# ---- results


class Store:
    """A folder, or a place in an object store (a URL), that holds a Parquet file for each chunk, and the manifest."""

    def __init__(self, place: str) -> None:
        from pyarrow import fs

        self.place = str(place)
        self.local = "://" not in self.place
        self.system: Any
        self.path: str
        self.system, self.path = (fs.LocalFileSystem(), str(pathlib.Path(self.place).absolute())) if self.local else fs.FileSystem.from_uri(self.place)
        self.system.create_dir(self.path, recursive=True)

    def write(self, name: str, data: bytes) -> None:
        """All of it or nothing: a rename where there are files; an object appears when it is complete."""
        target = f"{self.path}/{name}"
        written = f"{target}.{time.time_ns():x}.part" if self.local else target
        with self.system.open_output_stream(written) as stream:
            stream.write(data)
        if self.local:
            pathlib.Path(written).replace(target)

    def read(self, name: str) -> Optional[bytes]:
        """The bytes of a file of the study; None: it is not there."""
        try:
            with self.system.open_input_stream(f"{self.path}/{name}") as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """Names of all files of the study."""
        from pyarrow import fs

        return sorted(info.base_name for info in self.system.get_file_info(fs.FileSelector(self.path)) if info.is_file)

    def table(self) -> Any:
        """All rows, in the order of their indices."""
        import pyarrow
        from pyarrow import parquet

        parts = [parquet.read_table(pyarrow.BufferReader(self.read(name))) for name in self.names() if name.endswith(".parquet")]
        return pyarrow.concat_tables(parts, promote_options="permissive")


def part_name(first: int) -> str:
    """Name of the file with the rows from this task on."""
    return f"part-{first:010d}.parquet"


def part_bytes(rows: Sequence[Row], fingerprint: str) -> bytes:
    """A Parquet file of rows. Nothing in it tells where or when it was made."""
    import pyarrow
    from pyarrow import parquet

    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [pyarrow.array([row.get(name) for row in rows], pyarrow.string() if name == "reason" else None) for name in names]
    table = pyarrow.table(columns, names=names).replace_schema_metadata({"sinew.study": fingerprint})
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def run_chunk(study: Study, prepared: Any, fingerprint: str, store: Store, first: int, last: int, lost: Mapping[int, str] = {}) -> dict[str, Any]:
    """Work a chunk off and write its file; what the manifest says of it."""
    begin = time.perf_counter()
    rows = study.rows(prepared, first, last, lost)
    data = part_bytes(rows, fingerprint)
    store.write(part_name(first), data)
    bad = sum(row["reason"] is not None for row in rows)
    return {"first": first, "last": last, "bad": bad, "sha256": hashlib.sha256(data).hexdigest(), "seconds": time.perf_counter() - begin}


@dataclasses.dataclass
class Result:
    """A study that is done: rows in all, those that are bad, and where they are."""

    rows: int
    bad: int
    seconds: float
    store: Store

    def table(self) -> Any:
        """All rows as a pyarrow.Table (`.to_pandas()`, `.to_pylist()`)."""
        return self.store.table()


class Progress:
    """A line on stderr: tasks done, rate, time left."""

    def __init__(self, total: int, done: int, shown: bool) -> None:
        self.total, self.done, self.first, self.bad, self.shown = total, done, done, 0, shown
        self.begin = self.last = time.perf_counter()

    def restart(self) -> None:
        """The clock starts when workers do."""
        self.begin, self.first = time.perf_counter(), self.done

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Count a chunk that is done, and show how far the study is."""
        self.done += chunk["last"] - chunk["first"]
        self.bad += chunk["bad"]
        now = time.perf_counter()
        if self.shown and (now - self.last > 1 or self.done == self.total):
            self.last, rate = now, (self.done - self.first) / max(now - self.begin, 1e-9)
            left = (self.total - self.done) / rate
            print(f"{self.done}/{self.total} tasks, {rate:.1f} a second, {left:.0f} s left, {self.bad} bad", file=sys.stderr, flush=True)


class Driver:
    """The chunks of a study that are still to do, and the manifest that says which are done."""

    def __init__(self, study: Study, folder: str, chunk: Optional[int], shown: bool) -> None:
        self.study, self.store, self.fingerprint = study, Store(folder), study.fingerprint()
        written = self.store.read("manifest.json")
        self.manifest: dict[str, Any] = json.loads(written) if written else {}
        if self.manifest and self.manifest["study"] != self.fingerprint:
            raise ValueError(f"sweep: {folder} holds another study (another task, parameters or seeds): name another folder")
        if self.manifest and chunk not in (None, self.manifest["chunk"]):
            raise ValueError(f"sweep: argument chunk: {folder} was begun with {self.manifest['chunk']}")
        self.chunk = self.manifest.get("chunk") or chunk or self._second()
        chunks = self.manifest.get("chunks", {})
        there = set(self.store.names())
        for first in range(0, len(study), self.chunk):
            name = part_name(first)
            if name in there and str(first) not in chunks:  # written after the manifest was
                chunks[str(first)] = self._recover(name, first)
        self.chunks: dict[str, Any] = {key: value for key, value in chunks.items() if part_name(int(key)) in there}
        self.progress = Progress(len(study), sum(c["last"] - c["first"] for c in self.chunks.values()), shown)
        self.progress.bad = sum(c["bad"] for c in self.chunks.values())
        self.written = 0.0
        self.save()

    def _second(self) -> int:
        """A chunk of about a second, by the time of the first tasks: 1, 2, 4, ... and at most a 4th of the work."""
        prepared, count, most = self.study.prepare(), 1, max(1, len(self.study) // 4)
        while True:
            begin = time.perf_counter()
            self.study.rows(prepared, 0, min(count, len(self.study)))
            took = time.perf_counter() - begin
            if took > 0.25 or count >= most:
                return int(min(most, max(1, 2 ** round(np.log2(max(count / max(took, 1e-6), 1))))))
            count = min(2 * count, most)

    def _recover(self, name: str, first: int) -> dict[str, Any]:
        import pyarrow
        from pyarrow import parquet

        data = self.store.read(name) or b""
        table = parquet.read_table(pyarrow.BufferReader(data), columns=["reason"])
        if (table.schema.metadata or {}).get(b"sinew.study", b"").decode() != self.fingerprint:
            raise ValueError(f"sweep: {self.store.place}/{name} is of another study: name another folder")
        return {"first": first, "last": first + len(table), "bad": len(table) - table["reason"].null_count, "sha256": hashlib.sha256(data).hexdigest()}

    def todo(self) -> Iterator[tuple[int, int]]:
        """First and last task of each chunk that is not done."""
        for first in range(0, len(self.study), self.chunk):
            if str(first) not in self.chunks:
                yield first, min(first + self.chunk, len(self.study))

    def done(self, chunk: Mapping[str, Any]) -> None:
        """Note that a chunk is done."""
        self.chunks[str(chunk["first"])] = {name: chunk[name] for name in ("first", "last", "bad", "sha256")}
        self.progress.add(chunk)
        if time.perf_counter() - self.written > 2:
            self.save()

    def save(self) -> None:
        """Write what is done, so that a study that is broken off goes on from there."""
        self.written = time.perf_counter()
        chunks = {str(key): self.chunks[str(key)] for key in sorted(map(int, self.chunks))}
        manifest = {"study": self.fingerprint, "tasks": len(self.study), "chunk": self.chunk, "engine": mj_versionString(), "chunks": chunks}
        self.store.write("manifest.json", (json.dumps(manifest, indent=1) + "\n").encode())

    def result(self) -> Result:
        """What the study came to."""
        self.save()
        return Result(len(self.study), self.progress.bad, time.perf_counter() - self.progress.begin, self.store)


def run_here(driver: Driver) -> Result:
    """A study on this process alone."""
    prepared = driver.study.prepare()
    for first, last in driver.todo():
        driver.done(run_chunk(driver.study, prepared, driver.fingerprint, driver.store, first, last))
    return driver.result()


# ---- from a file


def read_study(path: str) -> tuple[Study, dict[str, Any]]:
    """A study in TOML, and how it is to be run: [study], [parameters.NAME], [outputs.NAME] (docs/scale.md)."""
    try:
        text = tomllib.loads(pathlib.Path(path).read_text())
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"{path}: {problem}") from None
    about = dict(text.pop("study", {}))
    parameters, outputs = text.pop("parameters", {}), text.pop("outputs", {})
    if text:
        raise ValueError(f"{path}: expected the tables study, parameters and outputs, found {', '.join(text)}")
    if "model" not in about:
        raise ValueError(f"{path}: [study] names a model")
    model = pathlib.Path(about.pop("model"))
    points: Row = {}
    settings: dict[str, Setting] = {}
    for name, table in parameters.items():
        table = dict(table)
        if ("values" in table) == ("uniform" in table):
            raise ValueError(f"{path}: [parameters.{name}] has values = [...] or uniform = [low, high]")
        points[name] = table.pop("values", None) or Uniform(*table.pop("uniform"))
        settings[name] = _from_table(Setting, table, f"{path}: [parameters.{name}]")
    named = {name: _from_table(Output, table, f"{path}: [outputs.{name}]") for name, table in outputs.items()} or {"qpos": Output("qpos")}
    run = {key: about.pop(key) for key in ("folder", "workers", "chunk") if key in about}
    task = {key: about.pop(key) for key in ("noise", "control", "every", "time_limit") if key in about}
    study = {"seeds": about.pop("seeds", 1), "seed": about.pop("seed", 0), "count": about.pop("count", None)}
    steps = about.pop("steps", 1000)
    if about:
        raise ValueError(f"{path}: [study] has no {', '.join(about)}")
    place = model if model.is_absolute() else pathlib.Path(path).parent / model
    run.setdefault("folder", str(pathlib.Path(path).with_suffix("")) + "-results")
    return Study(Rollout(str(place), steps, settings, named, **task), points, **study), run


def _from_table(kind: Any, table: Mapping[str, Any], where: str) -> Any:
    known = {field.name for field in dataclasses.fields(kind)}
    if not isinstance(table, Mapping) or "field" not in table or set(table) - known:
        raise ValueError(f"{where} takes {', '.join(sorted(known))}, and needs field")
    return kind(**table)


HELP = """sinew sweep STUDY.toml [--workers N] [--folder PLACE] [--address ADDRESS]

Roll-outs of a model for each set of parameters and each seed, on N processes (default: one for each core; 0 for none
but this one), in a folder of Parquet files. Started again, it goes on where it stopped. docs/scale.md says what a study is.
"""


def main(arguments: Sequence[str]) -> int:
    """`sinew sweep`."""
    import argparse

    parser = argparse.ArgumentParser("sinew sweep", usage=HELP, add_help=False)
    parser.add_argument("study")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--folder")
    parser.add_argument("--address")
    if not arguments or "--help" in arguments or "-h" in arguments:
        print(HELP, end="")
        return 0 if arguments else 2
    given = parser.parse_args(arguments)
    try:
        study, run = read_study(given.study)
        workers = given.workers if given.workers is not None else run.get("workers")
        driver = Driver(study, given.folder or run["folder"], run.get("chunk"), True)
        if workers == 0:
            result = run_here(driver)
        else:
            from .ray import run_on

            result = run_on(driver, workers, address=given.address)
    except (ValueError, OSError, ImportError) as problem:
        print(f"sinew sweep: {problem}", file=sys.stderr)
        return 1
    print(f"{result.rows} tasks, {result.bad} bad, {result.seconds:.1f} s: {result.store.place}")
    return 0
