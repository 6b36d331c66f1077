"""Modules of PyTorch that are put together from choices: what the kinds share."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
from drawing import Case, Draw
from tools import need_module

from rlx_dialect.reference import Array
from rlx_dialect.signature import arguments_of, find_function
from rlx_passes import from_torch

need_module("torch")
torch: Any = importlib.import_module("torch")
F: Any = importlib.import_module("torch.nn.functional")

BATCH, PLACES, WIDTH = 2, 6, 16

ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {
    "relu": torch.relu,
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "hard_swish": F.hardswish,
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "silu written": lambda x: x * torch.sigmoid(x),
    "gelu written": lambda x: 0.5 * x * (1.0 + torch.erf(x / 2**0.5)),
    "gelu_tanh written": lambda x: 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3))),
}
"""Those that end fused products."""


class Net(torch.nn.Module):
    """A module whose parts and inputs are made as its body is written."""

    def __init__(self, draw: Draw):
        super().__init__()
        self.generator = torch.Generator().manual_seed(draw.seed)
        self.given: list[Any] = []
        self.body: Callable[..., Any] = lambda *xs: xs
        self.dtype = torch.float32

    def of_type(self, name: str) -> str:
        self.dtype = getattr(torch, name)
        return name

    def part(self, name: str, module: Any) -> Any:
        """A module among the parts, its parameters drawn anew."""
        for parameter in module.parameters():
            around = 1.0 if parameter.dim() == 1 and "weight" in name else 0.0
            size = parameter[0].numel() ** -0.5 if parameter.dim() > 1 else 0.2
            parameter.data = around + size * torch.randn(parameter.shape, generator=self.generator)
        self.add_module(name, module.to(self.dtype))
        return module

    def linear(self, name: str, inputs: int, outputs: int, bias: bool = True) -> Any:
        return self.part(name, torch.nn.Linear(inputs, outputs, bias=bias))

    def learnt(self, name: str, *dims: int, around: float = 0.0, size: float = 0.3) -> Any:
        value = around + size * torch.randn(dims, generator=self.generator)
        parameter = torch.nn.Parameter(value.to(self.dtype))
        self.register_parameter(name, parameter)
        return parameter

    def input(self, *dims: int) -> int:
        """An input of floats; gives its position."""
        return self.also(torch.randn(dims, generator=self.generator).to(self.dtype))

    def also(self, value: Any) -> int:
        self.given.append(value)
        return len(self.given) - 1

    def forward(self, *xs: Any) -> Any:
        return self.body(*xs)

    def case(self, raised: Mapping[str, int], fused: Mapping[str, int], **more: Any) -> Case:
        """Read by `from_torch` and run by PyTorch."""
        self.eval()
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            wanted = self(*self.given)
            program = from_torch(self, tuple(self.given), **more)
        tensors = [each for each in torch.utils._pytree.tree_leaves(wanted) if isinstance(each, torch.Tensor)]
        names = [each.name for each in arguments_of(find_function(program.module)) if each.name not in program.params]
        inputs = dict(zip(names, map(array, self.given), strict=True))
        return Case(program, inputs, [array(each) for each in tensors], raised, fused)


def array(tensor: Any) -> Array:
    """The elements of a tensor in the NumPy type that the dialect has for them."""
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def normed(x: Any, weight: Any, kind: str, epsilon: float = 1e-5) -> Any:
    """An rms norm in one of the ways of writing it, in f32 where `kind` says so."""
    if kind == "op":
        return F.rms_norm(x, (x.shape[-1],), weight, epsilon)
    wide = x if kind == "plain" else x.float()
    y = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + epsilon)
    if kind == "llama":
        return weight * y.to(x.dtype)
    if kind == "gemma":
        return (y * (1.0 + weight.float())).to(x.dtype)
    return y * weight if kind == "plain" else (y * weight.float()).to(x.dtype)
