"""Modules and functions of PyTorch, read and compared with what PyTorch itself gives."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
from tolerances import ONE_OP, Tolerance, agree
from tools import need_module

from rlx_dialect.reference import Array, run
from rlx_passes.frontends.imported import Imported
from rlx_passes.frontends.torch import from_torch

need_module("torch")
torch: Any = importlib.import_module("torch")

Function = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
)
"""A function of as many tensors as are given."""


class Wrapped(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Function):
        super().__init__()
        self.function = function

    def forward(self, *xs: Any) -> Any:
        return self.function(*xs)


def array(tensor: Any) -> Array:
    """The elements of a tensor in the NumPy type that the dialect has for them."""
    if tensor.dtype == torch.bfloat16:
        return tensor.detach().contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.detach().resolve_conj().resolve_neg().numpy()


def results_of(program: Imported, inputs: Sequence[Any], names: Sequence[str] = ()) -> dict[str, Array]:
    """What the reference gives for tensors of PyTorch, bound by position or by `names`."""
    known = [name for name in arguments(program) if name not in program.params]
    given = dict(zip(names or known, map(array, inputs)))
    return run(program.module, None, {**program.params, **given})


def arguments(program: Imported) -> list[str]:
    from rlx_dialect.signature import arguments_of, find_function

    return [binding.name for binding in arguments_of(find_function(program.module))]


def same(actual: Array, expected: Array, tolerance: float | None = None) -> None:
    """Equal element types, dims, and elements up to rounding."""
    tolerances = ONE_OP if tolerance is None else {expected.dtype.name: Tolerance(tolerance, tolerance)}
    agree(actual, expected, tolerances)


def check(module: Any, inputs: Sequence[Any], tolerance: float | None = None, **options: Any) -> Imported:
    """Read a module or a function and compare its results with PyTorch's."""
    wrapped = module if isinstance(module, torch.nn.Module) else Wrapped(module)
    program = from_torch(wrapped, tuple(inputs), **options)
    compare(program, wrapped, inputs, tolerance)
    return program


def compare(program: Imported, module: Any, inputs: Sequence[Any], tolerance: float | None = None) -> None:
    """The results of a program that was read are PyTorch's, also for other inputs than those it was read with."""
    with torch.no_grad():
        expected = module(*inputs)
    tensors = [each for each in torch.utils._pytree.tree_leaves(expected) if isinstance(each, torch.Tensor)]
    results = results_of(program, inputs)
    assert len(results) == len(tensors)
    for actual, wanted in zip(results.values(), tensors):
        same(actual, array(wanted), tolerance)
