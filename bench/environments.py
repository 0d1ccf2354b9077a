#!/usr/bin/env python3
"""Steps a second of vector environments: sinew.gym against Gymnasium's on the released engine, and EnvPool where it is.

    bench/environments.py [--tasks Hopper-v5 ...] [--rows 1 16 ...] [--threads 1 2] [--seconds 2]

Runs in an environment that has the packages (gymnasium, mujoco==3.3.4, sinew; envpool where it installs); every
measurement in a process of its own, with random actions made before. SyncVectorEnv steps on one thread; AsyncVectorEnv
has a process for each row, 64 at most. Rates are for a second of processor time, of all threads and processes together,
which other load does not change much; --clock takes the clock instead. Memory is what a row adds to the process.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings

TASKS = ["InvertedPendulum-v5", "Hopper-v5", "HalfCheetah-v5", "Ant-v5", "Humanoid-v5"]
KINDS = ["sinew", "sync", "async", "envpool"]


def children():
    path = f"/proc/self/task/{os.getpid()}/children"
    return open(path).read().split() if os.path.exists(path) else []


def used():
    """Seconds of processor time of this process and its children."""
    total = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    for process in children():
        with open(f"/proc/{process}/stat") as file:
            total += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return total


def resident():
    """MB of this process and its children."""
    total = 0
    for process in ["self", *children()]:
        with open(f"/proc/{process}/statm") as file:
            total += int(file.read().split()[1])
    return total * resource.getpagesize() / 1e6


def make(kind, task, rows, threads):
    if kind == "sinew":
        import sinew.gym

        return sinew.gym.make(task, rows, nthread=threads)
    if kind == "envpool":
        import envpool

        return envpool.make_gymnasium(task, num_envs=rows, num_threads=threads)
    import gymnasium

    vector = gymnasium.vector.SyncVectorEnv if kind == "sync" else gymnasium.vector.AsyncVectorEnv
    return vector([lambda: gymnasium.make(task)] * rows)


def one(kind, task, rows, threads, seconds):
    import numpy as np

    warnings.simplefilter("ignore")
    before = resident()
    env = make(kind, task, rows, threads)
    env.reset() if kind == "envpool" else env.reset(seed=0)
    space = env.action_space
    shape = space.shape if kind != "envpool" else (rows, *space.shape)
    rng = np.random.default_rng(0)
    actions = rng.uniform(np.broadcast_to(space.low, shape), np.broadcast_to(space.high, shape), (20, *shape)).astype(np.float32)
    for action in actions[:3]:
        env.step(action)
    steps, begin = 0, time.perf_counter()
    use = used()
    while time.perf_counter() - begin < seconds:
        env.step(actions[steps % 20])
        steps += 1
    wall, use = time.perf_counter() - begin, used() - use
    print(json.dumps({"clock": rows * steps / wall, "processor": rows * steps / use, "memory": resident() - before}))


def measure(kind, task, rows, threads, seconds):
    command = [sys.executable, __file__, "--one", kind, task, str(rows), str(threads), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MUJOCO_GL": "disable"}, timeout=600)
    if done.returncode:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="*", default=TASKS)
    parser.add_argument("--rows", nargs="*", type=int, default=[1, 16, 256, 1024, 4096])
    parser.add_argument("--threads", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--sync", type=int, default=256, help="rows of SyncVectorEnv at most; its rate does not grow with them (default: %(default)s)")
    parser.add_argument("--most", type=int, default=64, help="rows of AsyncVectorEnv, a process each (default: %(default)s)")
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    parser.add_argument("--clock", action="store_true", help="rates by the clock, for a machine without other load")
    arguments = parser.parse_args()
    if arguments.one:
        kind, task, rows, threads, seconds = arguments.one
        return one(kind, task, int(rows), int(threads), float(seconds))
    by = "clock" if arguments.clock else "processor"
    print(f"steps a second of the {by} (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores); in brackets, times SyncVectorEnv of as many rows")
    for task in arguments.tasks:
        single, sync = {}, None
        for rows in arguments.rows:
            if sync is None or rows <= arguments.sync:
                sync = measure("sync", task, min(rows, arguments.sync), 1, arguments.seconds)
            line = f"{task:20s} {rows:5d} rows  sync {sync[by]:8.0f}"
            if rows <= arguments.most:
                found = measure("async", task, rows, 1, arguments.seconds)
                line += f"  async {found[by]:8.0f} ({found[by] / sync[by]:4.1f})" if found else "  async fails"
            for threads in arguments.threads:
                if threads > rows:
                    continue
                found = measure("sinew", task, rows, threads, arguments.seconds)
                line += f"  sinew/{threads} {found[by]:8.0f} ({found[by] / sync[by]:4.1f})"
                pool = measure("envpool", task, rows, threads, arguments.seconds)
                line += f"  envpool/{threads} {pool[by]:8.0f}" if pool else ""
                if threads == 1:
                    first, ours, theirs = single.setdefault("first", (rows, found["memory"], sync["memory"]))
                    if rows > first:
                        line += f"  kB a row: sinew {1e3 * (found['memory'] - ours) / (rows - first):.0f}"
                    if min(rows, arguments.sync) > first:
                        line += f", sync {1e3 * (sync['memory'] - theirs) / (min(rows, arguments.sync) - first):.0f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
