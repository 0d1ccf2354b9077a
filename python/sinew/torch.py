"""Steps in PyTorch: gradients through contact, for learning and optimization. PyTorch is imported with this module.

    import sinew.torch
    qpos, qvel, act = sinew.torch.step(model, qpos, qvel, ctrl)
    loss = ((qpos[:, 0] - 1) ** 2).sum()
    loss.backward()

Tensors are on the CPU, of one state (nq) or of many (.. x nq), which are stepped on all cores. docs/derive.md.
"""

from typing import Any, Optional

import numpy as np
import torch

from . import _check, _differentiable
from ._differentiable import State
from ._sinew import MjModel

_CALL = "sinew.torch.step"


def _numpy(tensors: tuple[Any, ...], model: MjModel) -> State:
    widths = (model.nq, model.nv, model.na, model.nu)
    return State(*(_differentiable.flat(x.detach().cpu().numpy(), n) if n else np.zeros((_count(tensors[0]), 0)) for x, n in zip(tensors, widths)))


def _count(qpos: Any) -> int:
    return int(np.prod(qpos.shape[:-1], dtype=int))


class _Gradient(torch.autograd.Function):
    """The gradient as a function, so that its own derivative is refused by name."""

    @staticmethod
    def forward(ctx: Any, model: MjModel, after: Any, gqpos: Any, gqvel: Any, gact: Any, *tensors: Any) -> Any:
        state, n = _numpy(tensors, model), len(after)
        own = _differentiable.engine(model, n)
        cotangents = (_differentiable.flat(g.detach().cpu().numpy(), w) if w else np.zeros((n, 0)) for g, w in ((gqpos, model.nq), (gqvel, model.nv), (gact, model.na)))
        found = own.pull(state, after, *cotangents)
        return tuple(torch.from_numpy(np.array(g)).reshape(x.shape).to(x.dtype) for g, x in zip(found, tensors))

    @staticmethod
    def backward(ctx: Any, *g: Any) -> Any:
        raise NotImplementedError(f"{_CALL}: there are no second derivatives of a step (double backward)")


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, model: MjModel, qpos: Any, qvel: Any, act: Any, ctrl: Any) -> Any:
        state = _numpy((qpos, qvel, act, ctrl), model)
        after = _differentiable.engine(model, len(state.qpos)).step(state)
        ctx.model, ctx.after = model, after[0]
        ctx.save_for_backward(qpos, qvel, act, ctrl)
        return tuple(torch.from_numpy(np.array(y)).reshape(x.shape).to(x.dtype) for x, y in zip((qpos, qvel, act), after))

    @staticmethod
    def backward(ctx: Any, gqpos: Any, gqvel: Any, gact: Any) -> Any:
        return (None, *_Gradient.apply(ctx.model, ctx.after, gqpos, gqvel, gact, *ctx.saved_tensors))


def step(
    model: MjModel, qpos: torch.Tensor, qvel: torch.Tensor, ctrl: Optional[torch.Tensor] = None, act: Optional[torch.Tensor] = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The next qpos, qvel and act, differentiable by all arguments.

    A pure function: quaternions are normalized and the solver starts cold, so lower the model's tolerance where
    gradients have to be smooth. Computed in double precision, given back in that of the arguments.
    """
    _check.instance(_CALL, "model", model, MjModel)
    for name, value in (("qpos", qpos), ("qvel", qvel)):
        if not isinstance(value, torch.Tensor):
            raise _check.refuse(TypeError, _CALL, name, "a tensor", value)
    lead = tuple(qpos.shape[:-1])
    controls = qpos.new_zeros((*lead, model.nu)) if ctrl is None else ctrl
    first = qpos.new_zeros((*lead, model.na)) if act is None else act
    _differentiable.rows(_CALL, model, {"qpos": tuple(qpos.shape), "qvel": tuple(qvel.shape), "ctrl": tuple(controls.shape), "act": tuple(first.shape)})
    after: tuple[torch.Tensor, torch.Tensor, torch.Tensor] = _Step.apply(model, qpos, qvel, first, controls)
    return after
