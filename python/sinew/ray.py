"""Sweeps over many processes and machines, on Ray (pip install sinew-physics[ray]).

    result = sinew.ray.sweep(task, {"mass": [1, 2], "friction": Uniform(0.2, 1)}, seeds=10, folder="results")

`task` is a function of (parameters, random) that returns a dict, or a `Rollout`. Results are Parquet files in a folder
or object store, the same bytes on any number of workers. Called again after a crash, a sweep goes on where it stopped.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Optional

import numpy.typing as npt

from .search import Cost, Found, search
from .sweep import Driver, Output, Result, Rollout, Setting, Study, Task, Uniform, run_chunk, run_here

__all__ = ["Found", "Output", "Result", "Rollout", "Setting", "Uniform", "Workers", "minimize", "sweep"]

_QUEUED = 2  # chunks that a worker has at hand
_RETRIES = 3  # of a chunk whose worker was lost


class _Worker:
    """Holds a study, and the model and batches of a roll-out."""

    def __init__(self) -> None:
        self._study: Any = None
        self._key = ""

    def _hold(self, key: str, study: Study) -> None:
        if key != self._key:
            self._study, self._prepared, self._key = study, study.prepare(), key

    def run(self, key: str, study: Study, store: Any, first: int, last: int, lost: dict[int, str]) -> dict[str, Any]:
        self._hold(key, study)
        return run_chunk(self._study, self._prepared, key, store, first, last, lost)

    def ready(self) -> bool:
        return True

    def probe(self, key: str, study: Study, index: int) -> bool:
        """Whether a task can be worked off at all."""
        self._hold(key, study)
        self._study.rows(self._prepared, index, index + 1)
        return True


def _begin(ray: Any, count: Optional[int], address: Optional[str]) -> None:
    """Join a cluster, or start one here: Ray waits half a minute for it, which a machine with other load may exceed."""
    # a local cluster may be asked for more processes than the machine has cores
    local = {} if address else {"num_cpus": count, "include_dashboard": False}
    for late in range(4):
        try:
            ray.init(address=address, log_to_driver=False, logging_level="error", **local)
            return
        except Exception as problem:
            ray.shutdown()
            if address or late == 3 or "timed out during startup" not in str(problem):
                raise


class Workers:
    """Processes that stay between sweeps, so that populations and gradients need no new ones for each iteration.

    with sinew.ray.Workers(8) as workers:
        for iteration in range(50):
            result = sinew.ray.sweep(cost, population, folder=f"run/{iteration}", workers=workers)
    """

    def __init__(self, count: Optional[int] = None, *, address: Optional[str] = None) -> None:
        try:
            import ray
        except ImportError as problem:
            raise ImportError(f"sinew.ray runs on the package ray (pip install sinew-physics[ray]): {problem}") from problem
        self.ray = ray
        self._mine = not ray.is_initialized()
        if self._mine:
            _begin(ray, count, address)
        cores = int(ray.cluster_resources().get("CPU", 1))
        actor: Any = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=0)(_Worker)
        self.actors = [actor.remote() for _ in range(count or cores)]
        ray.get([actor.ready.remote() for actor in self.actors])

    def close(self) -> None:
        """End the workers, and Ray too if this object began it."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.actors = []
        if self._mine:
            self.ray.shutdown()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def run(self, driver: Driver) -> Result:
        """Work a study off: chunks to whoever is free, again when a worker is lost, and one by one when that does not help."""
        ray, key = self.ray, driver.fingerprint
        study, store = ray.put(driver.study), driver.store
        todo = driver.todo()
        again: list[tuple[int, int, int]] = []  # first, last, how often it was lost
        running: dict[Any, tuple[Any, int, int, int]] = {}

        def give(actor: Any) -> None:
            first, last, times = again.pop() if again else (*next(todo, (-1, -1)), 0)
            if first < 0:
                return
            lost = self._find_lost(actor, key, study, first, last) if times > _RETRIES else {}
            running[actor.run.remote(key, study, store, first, last, lost)] = (actor, first, last, times)

        driver.progress.restart()
        for actor in self.actors * _QUEUED:
            give(actor)
        while running:
            (ready, *_), _ = ray.wait(list(running), num_returns=1)
            actor, first, last, times = running.pop(ready)
            try:
                driver.done(ray.get(ready))
            except ray.exceptions.RayActorError:
                again.append((first, last, times + 1))
            except ray.exceptions.RayTaskError as problem:
                raise problem.as_instanceof_cause() from None
            give(actor)
        return driver.result()

    def _find_lost(self, actor: Any, key: str, study: Any, first: int, last: int) -> dict[int, str]:
        """Tasks that end the process that works on them, by working on each alone."""
        lost = {}
        for index in range(first, last):
            for attempt in range(2):
                try:
                    self.ray.get(actor.probe.remote(key, study, index))
                    break
                except self.ray.exceptions.RayActorError:
                    if attempt:
                        lost[index] = "the process that worked on it ended"
        return lost


@contextlib.contextmanager
def _workers(workers: Any, address: Optional[str]) -> Iterator[Workers]:
    if isinstance(workers, Workers):
        yield workers
    else:
        with Workers(workers, address=address) as made:
            yield made


def run_on(driver: Driver, workers: Any = None, *, address: Optional[str] = None) -> Result:
    """A study on workers."""
    if not any(True for _ in driver.todo()):
        return driver.result()
    with _workers(workers, address) as them:
        return them.run(driver)


def sweep(
    task: Task,
    parameters: Any,
    seeds: int = 1,
    *,
    folder: str,
    count: Optional[int] = None,
    seed: int = 0,
    workers: Any = None,
    chunk: Optional[int] = None,
    time_limit: Optional[float] = None,
    address: Optional[str] = None,
    progress: bool = True,
) -> Result:
    """Run `task` for every set of parameters and every seed, and write the results to `folder` (a path or a URL).

    parameters: a list of dicts, or a dict whose lists are combined; a `Uniform` is drawn for each task, `count` repeats
    all sets. workers: how many processes (default: one for each core of the cluster), `Workers`, or 0 for this process
    alone, without Ray. chunk: tasks in a file (default: about a second of them, as measured; it is kept when a sweep
    goes on, and files of two sweeps are the same bytes when their chunks are). time_limit: seconds of processor time of
    a function. A task that fails is a row with its `reason`; a worker that is lost is started again.
    """
    driver = Driver(Study(task, parameters, seeds, seed=seed, count=count, time_limit=time_limit), folder, chunk, progress)
    return run_here(driver) if workers == 0 else run_on(driver, workers, address=address)


def minimize(
    cost: Cost,
    start: npt.ArrayLike,
    *,
    folder: str,
    method: str = "population",
    spread: npt.ArrayLike = 1.0,
    population: Optional[int] = None,
    scenarios: int = 1,
    iterations: int = 100,
    tolerance: float = 1e-6,
    seed: int = 0,
    workers: Any = None,
    chunk: int = 1,
    time_limit: Optional[float] = None,
    address: Optional[str] = None,
    progress: bool = True,
) -> Found:
    """Find x with the lowest mean of cost(x, random) over `scenarios`, evaluated by workers.

    method: "population" (CMA-ES) needs costs alone; "gradient" (BFGS with a parallel line search) costs that return
    (cost, gradient), as sinew.derive gives them. spread: how far from `start` to look, a number or one for each
    coordinate. Every point of the search meets the same scenarios, with random numbers by their index. An evaluation
    that fails counts as infinite. Each iteration is a sweep in `folder`: called again, the search goes on where it
    stopped, and takes the same way on any number of workers. workers, chunk (evaluations in a file, more for quick
    costs), time_limit, address: as in `sweep`.
    """

    def run(them: Any) -> Found:
        def work(task: Any, points: list[dict[str, Any]], place: str) -> Result:
            return sweep(task, points, folder=place, seed=seed, workers=them, chunk=chunk, time_limit=time_limit, progress=False)

        return search(
            work, cost, start, folder, method=method, spread=spread, population=population, scenarios=scenarios,
            iterations=iterations, tolerance=tolerance, seed=seed, progress=progress,
        )  # fmt: skip

    if workers == 0:
        return run(0)
    with _workers(workers, address) as them:
        return run(them)
