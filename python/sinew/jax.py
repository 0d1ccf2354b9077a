"""Steps in JAX: gradients through contact. JAX is imported with this module.

    import sinew.jax
    qpos, qvel, act = sinew.jax.step(model, qpos, qvel, ctrl)

Under jit, grad and vmap; computed on the CPU by a callback, in double precision when jax_enable_x64 is set (otherwise
numbers are rounded to single on the way). There is no forward mode (jvp), and no second derivative. docs/derive.md.
"""

import functools
from typing import Any, Optional

import jax
import jax.numpy as jnp
import numpy as np

from . import _check, _differentiable
from ._differentiable import State
from ._sinew import MjModel

_CALL = "sinew.jax.step"


def _widths(model: MjModel) -> tuple[int, int, int, int]:
    return model.nq, model.nv, model.na, model.nu


def _rows(model: MjModel, state: tuple[Any, ...]) -> tuple[State, int]:
    n = int(np.prod(np.shape(state[0])[:-1], dtype=int))
    return State(*(_differentiable.flat(x, w) if w else np.zeros((n, 0)) for x, w in zip(state, _widths(model)))), n


def _forward(model: MjModel, *state: Any) -> Any:
    rows, n = _rows(model, state)
    after = _differentiable.engine(model, n).step(rows)
    return tuple(np.asarray(y, x.dtype).reshape(x.shape) for x, y in zip(state, after))


def _pull(model: MjModel, *all: Any) -> Any:
    state, after, cotangents = all[:4], all[4], all[5:]
    rows, n = _rows(model, state)
    g = (_differentiable.flat(x, w) if w else np.zeros((n, 0)) for x, w in zip(cotangents, _widths(model)))
    found = _differentiable.engine(model, n).pull(rows, _differentiable.flat(after, model.nq), *g)
    return tuple(np.asarray(y, x.dtype).reshape(x.shape) for x, y in zip(state, found))


def _like(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arrays)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _step(model: MjModel, qpos: Any, qvel: Any, act: Any, ctrl: Any) -> Any:
    return jax.pure_callback(functools.partial(_forward, model), _like((qpos, qvel, act)), qpos, qvel, act, ctrl, vmap_method="broadcast_all")


def _step_forward(model: MjModel, *state: Any) -> Any:
    after = _step(model, *state)
    return after, (state, after[0])


def _step_backward(model: MjModel, kept: Any, g: Any) -> Any:
    state, after = kept
    return jax.pure_callback(functools.partial(_pull, model), _like(state), *state, after, *g, vmap_method="broadcast_all")


_step.defvjp(_step_forward, _step_backward)


def step(
    model: MjModel, qpos: jax.Array, qvel: jax.Array, ctrl: Optional[jax.Array] = None, act: Optional[jax.Array] = None
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The next qpos, qvel and act, differentiable by all arguments: of one state (nq) or of many (.. x nq).

    A pure function: quaternions are normalized and the solver starts cold, so lower the model's tolerance where
    gradients have to be smooth.
    """
    _check.instance(_CALL, "model", model, MjModel)
    positions, velocities = jnp.asarray(qpos, float), jnp.asarray(qvel, float)
    lead = positions.shape[:-1]
    controls = jnp.zeros((*lead, model.nu)) if ctrl is None else jnp.asarray(ctrl, float)
    first = jnp.zeros((*lead, model.na)) if act is None else jnp.asarray(act, float)
    _differentiable.rows(_CALL, model, {"qpos": positions.shape, "qvel": velocities.shape, "ctrl": controls.shape, "act": first.shape})
    after: tuple[jax.Array, jax.Array, jax.Array] = _step(model, positions, velocities, first, controls)
    return after
