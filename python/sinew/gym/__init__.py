"""Batched environments for reinforcement learning, over sinew.Batch."""

from .vector import VectorEnv

__all__ = ["VectorEnv"]
