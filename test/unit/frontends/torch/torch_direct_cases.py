"""Overloads that the functions of PyTorch reach by another way only."""

from __future__ import annotations

from typing import Any, cast

from torch_cases import GAIN, IMAGE, INTS, TRUTHS, OpCase, V, X, Y, floats, integers
from torch_oracle import torch

nn, F = torch.nn, torch.nn.functional

aten = torch.ops.aten


def direct(name: str, *args: Any, tolerance: float | None = None, **options: Any) -> OpCase:
    """An overload called as such: one that the functions of PyTorch reach by another way."""
    packet, overload = name.split(".")
    op = getattr(getattr(aten, packet), overload)
    tensors = [each for each in args if isinstance(each, torch.Tensor)]

    def function(*given: Any) -> Any:
        rest = iter(given)
        result = op(*(next(rest) if isinstance(each, torch.Tensor) else each for each in args), **options)
        return cast("tuple[Any, ...]", result)[0] if isinstance(result, tuple) else result

    return OpCase(name, f"aten.{name}", function, tensors, tolerance)


DIRECT = [
    direct("_adaptive_avg_pool2d.default", IMAGE, [3, 4]),
    direct("_adaptive_avg_pool3d.default", floats(1, 2, 4, 5, 6), [2, 3, 3]),
    direct("adaptive_max_pool1d.default", floats(2, 3, 9), [4]),
    direct("adaptive_max_pool3d.default", floats(1, 2, 4, 5, 6), [2, 3, 3]),
    direct("max_pool2d_with_indices.default", IMAGE, [2, 2]),
    direct("max_pool3d_with_indices.default", floats(1, 2, 4, 5, 6), [2, 2, 2]),
    direct("_safe_softmax.default", torch.tensor([[0.5, float("-inf")], [float("-inf")] * 2]), -1),
    direct("alias.default", X),
    OpCase(
        "_unsafe_index",
        "aten._unsafe_index.Tensor",
        lambda x, i: aten._unsafe_index(x, [None, i]),
        [V, integers(4, low=-3, high=3)],
    ),
    direct("all.dims", TRUTHS, [0, 1]),
    direct("any.dims", INTS, [1], True),
    direct("argsort.default", X, 0, True),
    *(direct(f"bitwise_{name}.Scalar", INTS, 6) for name in ("and", "or", "xor")),
    *(direct(f"bitwise_{name}_shift.Tensor_Scalar", INTS, 2) for name in ("left", "right")),
    direct("clamp_max.default", X, 0.5),
    direct("clamp_max.Tensor", X, Y),
    direct("div.Scalar", X, 3),
    direct("div.Scalar_mode", INTS, 3, rounding_mode="floor"),
    direct("floor_divide.Scalar", INTS, 3),
    direct("fmod.Scalar", X, 0.7),
    direct("sub.Scalar", X, 0.7),
    direct("rsub.Tensor", X, Y, alpha=2),
    direct("new_full.default", X, [2, 3], 1.5),
    direct("ones_like.default", X),
    direct("native_group_norm.default", IMAGE, GAIN, None, 2, 6, 56, 3, 1e-5, tolerance=1e-5),
    direct("native_layer_norm.default", V, [4], None, None, 1e-5, tolerance=1e-5),
    *(direct(f"{kind}_pad1d.default", V, [1, 2]) for kind in ("reflection", "replication")),
    *(direct(f"{kind}_pad2d.default", V, [1, 2, 0, 1]) for kind in ("reflection", "replication")),
    *(
        direct(f"{kind}_pad3d.default", floats(1, 2, 3, 4), [1, 2, 0, 1, 0, 0])
        for kind in ("reflection", "replication")
    ),
    direct("constant_pad_nd.default", X, [1, 0, -1, 2], 0.5),
    direct("squeeze.dims", floats(1, 3, 1), [0, 2]),
    direct("_upsample_nearest_exact1d.vec", floats(2, 3, 5), [7], None),
    direct("_upsample_nearest_exact3d.vec", floats(1, 2, 2, 3, 4), None, [2.0, 1.5, 2.0]),
]
