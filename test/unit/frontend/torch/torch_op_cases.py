"""A small program for each op that is read."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch_oracle import torch

nn, F = torch.nn, torch.nn.functional


@dataclass(frozen=True)
class OpCase:
    """A function of tensors and the tensors; `target` is the overload that it must reach the importer as."""

    name: str
    target: str
    function: Callable[..., Any]
    inputs: Sequence[Any] = field(repr=False)
    tolerance: float | None = None


def seeded(name: str) -> Any:
    return torch.Generator().manual_seed(zlib.crc32(name.encode()))


def floats(*shape: int, name: str = "x", dtype: Any = torch.float32, low: float = -3, high: float = 3) -> Any:
    return (torch.rand(shape, generator=seeded(f"{name}{shape}"), dtype=torch.float64) * (high - low) + low).to(dtype)


def integers(*shape: int, name: str = "i", low: int = -7, high: int = 8, dtype: Any = torch.int64) -> Any:
    return torch.randint(low, high, shape, generator=seeded(f"{name}{shape}")).to(dtype)


def truths(*shape: int, name: str = "b") -> Any:
    return torch.rand(shape, generator=seeded(f"{name}{shape}")) > 0.5


X, Y = floats(3, 5), floats(3, 5, name="y")
POSITIVE = floats(3, 5, low=0.1, high=4)
UNIT = floats(3, 5, low=-0.95, high=0.95)
I, J = integers(3, 5), integers(3, 5, name="j", low=1, high=9)
B, C = truths(3, 5), truths(3, 5, name="c")
ODD = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 0.5, 1.5, 2.5, -2.5])
Z = torch.complex(floats(3, 4, name="re"), floats(3, 4, name="im"))


def unary(name: str, x: Any = X, tolerance: float | None = None, **options: Any) -> OpCase:
    function = getattr(torch, name, None) or getattr(F, name)
    return OpCase(name, f"aten.{name}.default", lambda a: function(a, **options), [x], tolerance)


UNARY = [
    *(unary(name) for name in ("exp", "sin", "cos", "atan", "erf", "erfc", "expm1", "sigmoid", "tanh", "silu", "mish")),
    *(unary(name) for name in ("neg", "abs", "sign", "relu", "floor", "ceil", "trunc", "sinh", "cosh", "exp2", "asinh")),
    *(unary(name, POSITIVE) for name in ("log", "sqrt", "rsqrt", "reciprocal", "log1p", "log2", "log10")),
    *(unary(name, UNIT, 1e-5) for name in ("tan", "asin", "acos", "atanh")),
    unary("acosh", floats(3, 5, low=1.05, high=4)),
    *(unary(name, ODD) for name in ("round", "isnan", "isinf", "floor", "relu", "trunc")),
    OpCase("isfinite", "aten.isfinite.default", torch.isfinite, [ODD]),
    unary("gelu"),
    OpCase("gelu_tanh", "aten.gelu.default", lambda x: F.gelu(x, approximate="tanh"), [X]),
    *(unary(name) for name in ("hardswish", "hardsigmoid")),
    OpCase("logsigmoid", "aten.log_sigmoid.default", F.logsigmoid, [X]),
    OpCase("softplus", "aten.softplus.default", F.softplus, [X * 10]),
    OpCase("softplus_beta", "aten.softplus.default", lambda x: F.softplus(x, beta=2.0, threshold=3.0), [X]),
    OpCase("elu", "aten.elu.default", F.elu, [X]),
    OpCase("elu_alpha", "aten.elu.default", lambda x: F.elu(x, alpha=0.7), [X]),
    OpCase("selu", "aten.elu.default", F.selu, [X]),
    OpCase("celu", "aten.elu.default", lambda x: F.celu(x, alpha=1.3), [X]),
    OpCase("leaky_relu", "aten.leaky_relu.default", lambda x: F.leaky_relu(x, 0.2), [X]),
    OpCase("prelu", "aten.where.self", lambda x, w: F.prelu(x, w), [X, floats(5, name="w")]),
    OpCase("hardtanh", "aten.hardtanh.default", lambda x: F.hardtanh(x, -0.5, 1.5), [X]),
    OpCase("relu6", "aten.hardtanh.default", lambda x: F.relu6(x * 4), [X]),
    OpCase("glu", "aten.sigmoid.default", lambda x: F.glu(x, 0), [floats(4, 5)]),
    OpCase("softsign", "aten.div.Tensor", F.softsign, [X]),
    OpCase("tanhshrink", "aten.tanh.default", F.tanhshrink, [X]),
    OpCase("hardshrink", "aten.where.self", F.hardshrink, [X]),
    OpCase("softshrink", "aten.where.self", F.softshrink, [X]),
    OpCase("threshold", "aten.where.self", lambda x: F.threshold(x, 0.1, 20.0), [X]),
    OpCase("square", "aten.pow.Tensor_Scalar", torch.square, [X]),
    OpCase("frac", "aten.trunc.default", torch.frac, [X]),
    OpCase("logit", "aten.log.default", lambda x: torch.logit(x, 1e-3), [UNIT.abs()]),
    OpCase("logical_not", "aten.logical_not.default", torch.logical_not, [I]),
    OpCase("bitwise_not", "aten.bitwise_not.default", torch.bitwise_not, [I]),
    OpCase("bitwise_not_bool", "aten.bitwise_not.default", torch.bitwise_not, [B]),
    OpCase("bitwise_not_ui8", "aten.bitwise_not.default", torch.bitwise_not, [integers(5, low=0, dtype=torch.uint8)]),
    OpCase("exp_of_integers", "aten.exp.default", torch.exp, [I]),
    OpCase("floor_of_integers", "aten.floor.default", torch.floor, [I]),
    OpCase("neg_of_integers", "aten.neg.default", torch.neg, [I]),
    OpCase("relu_of_integers", "aten.relu.default", torch.relu, [I]),
    OpCase("to", "aten._to_copy.default", lambda x: x.to(torch.int32), [X * 3]),
    OpCase("to_bool", "aten._to_copy.default", lambda x: x.bool(), [I]),
    OpCase("to_f16", "aten._to_copy.default", lambda x: x.half(), [X]),
    OpCase("clone", "aten.clone.default", lambda x: x.clone() + 1, [X]),
    OpCase("detach", "aten.detach.default", lambda x: x.detach() + 1, [X]),
    OpCase("dropout", "aten.dropout.default", lambda x: F.dropout(x, 0.5, training=False), [X]),
    OpCase("nan_to_num", "aten.where.self", torch.nan_to_num, [ODD]),
]

BINARY = [
    *(OpCase(name, f"aten.{name}.Tensor", getattr(torch, name), [X, Y]) for name in ("add", "sub", "mul", "div", "fmod")),
    OpCase("add_alpha", "aten.add.Tensor", lambda x, y: torch.add(x, y, alpha=2.5), [X, Y]),
    OpCase("sub_alpha", "aten.sub.Tensor", lambda x, y: torch.sub(x, y, alpha=3), [I, J]),
    OpCase("add_scalar", "aten.add.Tensor", lambda x: x + 1.5, [X]),
    OpCase("add_float_to_integers", "aten.add.Tensor", lambda x: x + 1.5, [I]),
    OpCase("add_bool", "aten.add.Tensor", lambda x, y: x + y, [B, C]),
    OpCase("mul_bool", "aten.mul.Tensor", lambda x, y: x * y, [B, C]),
    OpCase("add_mixed", "aten.add.Tensor", lambda x, y: x + y, [X, I]),
    OpCase("add_half", "aten.add.Tensor", lambda x, y: x + y, [X.half(), Y]),
    OpCase("add_half_scalar_tensor", "aten.add.Tensor", lambda x, y: x + y, [X.half(), torch.tensor(1.5)]),
    OpCase("add_i32_i64", "aten.add.Tensor", lambda x, y: x + y, [I.int(), J]),
    OpCase("add_bool_float", "aten.add.Tensor", lambda x, y: x + y, [B, Y]),
    OpCase("rsub", "aten.sub.Tensor", lambda x: 2 - x, [X]),
    OpCase("rdiv", "aten.reciprocal.default", lambda x: 2 / x, [POSITIVE]),
    OpCase("mul_broadcast", "aten.mul.Tensor", lambda x, y: x * y, [floats(3, 1, 5), floats(4, 1, name="y")]),
    OpCase("div_of_integers", "aten.div.Tensor", lambda x, y: x / y, [I, J]),
    *(
        OpCase(f"div_{mode}_{kind}", "aten.div.Tensor_mode", lambda x, y, mode=mode: torch.div(x, y, rounding_mode=mode), pair)
        for mode in ("floor", "trunc")
        for kind, pair in (("floats", [X * 3, Y]), ("integers", [I, J]), ("negative", [I, -J]))
    ),
    OpCase("floor_divide", "aten.floor_divide.default", lambda x: x // 3, [I]),
    OpCase("floor_divide_exact", "aten.floor_divide.default", lambda x: x // 0.1, [torch.tensor([1.0, 0.3, -0.7, 5.0])]),
    *(
        OpCase(f"{name}_{kind}", f"aten.{name}.Tensor", getattr(torch, name), pair)
        for name in ("fmod", "remainder")
        for kind, pair in (("floats", [X * 3, Y]), ("integers", [I, J]), ("negative", [I, -J]))
    ),
    OpCase("remainder_scalar", "aten.remainder.Scalar", lambda x: x % -3, [I]),
    *(OpCase(f"pow_{n}", "aten.pow.Tensor_Scalar", lambda x, n=n: x**n, [POSITIVE]) for n in (2, 3, 0.5, -0.5, -1, -2, 2.5)),
    OpCase("pow_integers", "aten.pow.Tensor_Scalar", lambda x: x**4, [I]),
    OpCase("pow_tensor", "aten.pow.Tensor_Tensor", torch.pow, [POSITIVE, Y]),
    OpCase("pow_of_scalar", "aten.pow.Scalar", lambda x: 2.0**x, [X]),
    *(OpCase(name, f"aten.{name}.default", getattr(torch, name), [X, Y]) for name in ("maximum", "minimum", "atan2")),
    OpCase("maximum_nan", "aten.maximum.default", torch.maximum, [ODD, torch.zeros(8)]),
    *(OpCase(name, f"aten.{name}.default", getattr(torch, name), [ODD, torch.ones(8)]) for name in ("fmax", "fmin")),
    *(
        OpCase(f"{name}_{kind}", f"aten.{name}.Tensor", getattr(torch, name), pair)
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
        for kind, pair in (("integers", [I, J]), ("bool", [B, C]))
    ),
    OpCase("shift_left", "aten.bitwise_left_shift.Tensor", torch.bitwise_left_shift, [I, J % 4]),
    OpCase("shift_right", "aten.bitwise_right_shift.Tensor", torch.bitwise_right_shift, [I, J % 4]),
    *(OpCase(name, f"aten.{name}.default", getattr(torch, name), [I, J - 3]) for name in ("logical_and", "logical_or", "logical_xor")),
    *(OpCase(name, f"aten.{name}.Tensor", getattr(torch, name), [I, J - 3]) for name in ("eq", "ne", "lt", "le", "gt", "ge")),
    OpCase("eq_mixed", "aten.eq.Tensor", torch.eq, [I, I.double() + 0.0]),
    OpCase("lt_scalar", "aten.lt.Scalar", lambda x: x < 0.5, [X]),
    OpCase("gt_integers_float", "aten.gt.Scalar", lambda x: x > 0.5, [I]),
    OpCase("ne_nan", "aten.ne.Tensor", torch.ne, [ODD, ODD]),
    OpCase("where", "aten.where.self", torch.where, [B, X, Y]),
    OpCase("where_scalar", "aten.where.self", lambda b, x: torch.where(b, x, 0.5), [B, X]),
    OpCase("where_mixed", "aten.where.self", torch.where, [B, X, I]),
    OpCase("masked_fill", "aten.masked_fill.Scalar", lambda x, b: x.masked_fill(b, float("-inf")), [X, B]),
    OpCase("masked_fill_tensor", "aten.masked_fill.Tensor", lambda x, b: x.masked_fill(b, x.max()), [X, B]),
    OpCase("clamp", "aten.clamp.default", lambda x: x.clamp(-1, 1.5), [X]),
    OpCase("clamp_integers", "aten.clamp.default", lambda x: x.clamp(-1, 2), [I]),
    OpCase("clamp_to_floats", "aten.clamp.default", lambda x: x.clamp(-1.5, 2.5), [I]),
    OpCase("clamp_min", "aten.clamp.default", lambda x: x.clamp(min=0.25), [ODD]),
    OpCase("clamp_max", "aten.clamp.default", lambda x: x.clamp(max=0.25), [X]),
    OpCase("clamp_tensors", "aten.clamp.Tensor", lambda x, y: x.clamp(y, y + 1), [X, Y]),
    OpCase("lerp", "aten.where.self", torch.lerp, [X, Y, UNIT]),
    OpCase("addcmul", "aten.mul.Tensor", lambda x, y: torch.addcmul(x, x, y, value=0.5), [X, Y]),
    OpCase("addcdiv", "aten.div.Tensor", lambda x, y: torch.addcdiv(x, x, y, value=0.5), [X, POSITIVE]),
    OpCase("hypot", "aten.sqrt.default", torch.hypot, [X, Y]),
    OpCase("copysign", "aten.where.self", torch.copysign, [X, Y]),
    OpCase("xlogy", "aten.where.self", torch.xlogy, [X, POSITIVE]),
    OpCase("logaddexp", "aten.log1p.default", torch.logaddexp, [X, Y]),
    OpCase("heaviside", "aten.where.self", torch.heaviside, [X, Y]),
    OpCase("isclose", "aten.le.Tensor", torch.isclose, [X, X + 1e-9]),
    OpCase("dist", "aten.sub.Tensor", lambda x, y: (x - y).norm(dim=-1), [X, Y]),
]

REDUCTION = [
    *(
        OpCase(f"{name}_{axes}_{keep}", "", lambda x, name=name, axes=axes, keep=keep: getattr(torch, name)(x, axes, keep), [floats(2, 3, 4)])
        for name in ("sum", "mean", "amax", "amin")
        for axes, keep in (((1,), False), ((0, -1), True), ((0, 1, 2), False))
    ),
    *(OpCase(name, "", getattr(torch, name), [X]) for name in ("sum", "mean", "amax", "amin", "max", "min", "prod")),
    OpCase("sum_of_integers", "aten.sum.dim_IntList", lambda x: x.sum(1), [I.int()]),
    OpCase("sum_of_bool", "aten.sum.dim_IntList", lambda x: x.sum(0), [B]),
    OpCase("sum_to_f64", "aten.sum.dim_IntList", lambda x: x.sum(1, dtype=torch.float64), [X]),
    OpCase("mean_of_half", "aten.mean.dim", lambda x: x.mean(1), [X.half()]),
    OpCase("sum_of_scalar", "aten.sum.dim_IntList", lambda x: x.sum(), [torch.tensor(2.5)]),
    OpCase("prod_dim", "aten.prod.dim_int", lambda x: x.prod(1, keepdim=True), [X]),
    OpCase("prod_of_integers", "aten.prod.dim_int", lambda x: x.prod(1), [J.int()]),
    OpCase("any", "aten.any.default", torch.any, [B]),
    OpCase("any_dim", "aten.any.dim", lambda x: x.any(1), [I]),
    OpCase("all_dim", "aten.all.dim", lambda x: x.all(0, keepdim=True), [X]),
    OpCase("all", "", torch.all, [B]),
    OpCase("max_dim", "aten.max.dim", lambda x: tuple(torch.max(x, 1)), [X]),
    OpCase("min_dim", "aten.min.dim", lambda x: tuple(torch.min(x, 0, keepdim=True)), [X]),
    OpCase("max_dim_nan", "aten.max.dim", lambda x: tuple(torch.max(x, 0)), [ODD]),
    OpCase("argmax", "aten.argmax.default", torch.argmax, [X]),
    OpCase("argmax_keep", "aten.argmax.default", lambda x: torch.argmax(x, keepdim=True), [X]),
    OpCase("argmax_dim", "aten.argmax.default", lambda x: x.argmax(1), [X]),
    OpCase("argmin_dim", "aten.argmin.default", lambda x: x.argmin(0, keepdim=True), [X]),
    OpCase("var", "aten.var.correction", lambda x: x.var(1), [X]),
    OpCase("var_population", "aten.var.correction", lambda x: x.var((0, 1), unbiased=False, keepdim=True), [X]),
    OpCase("std", "aten.var.correction", lambda x: x.std(-1), [X]),
    OpCase("std_mean", "aten.var_mean.correction", lambda x: torch.std_mean(x, 1), [X]),
    OpCase("var_mean", "aten.var_mean.correction", lambda x: torch.var_mean(x, 0, correction=2, keepdim=True), [X]),
    OpCase("logsumexp", "aten.logsumexp.default", lambda x: torch.logsumexp(x, (0, 1)), [X]),
    OpCase("logsumexp_keep", "aten.logsumexp.default", lambda x: torch.logsumexp(x, 1, keepdim=True), [X]),
    OpCase("norm_2", "aten.sqrt.default", lambda x: x.norm(dim=1), [X]),
    OpCase("norm_1", "aten.abs.default", lambda x: torch.linalg.vector_norm(x, 1, dim=0), [X]),
    OpCase("normalize", "aten.clamp_min.default", lambda x: F.normalize(x, dim=-1), [X]),
    OpCase("cosine_similarity", "aten.mul.Tensor", lambda x, y: F.cosine_similarity(x, y, dim=1), [X, Y]),
    OpCase("cumsum", "aten.cumsum.default", lambda x: x.cumsum(1), [X]),
    OpCase("cumsum_of_bool", "aten.cumsum.default", lambda x: x.cumsum(0), [B]),
    OpCase("cumprod", "aten.cumprod.default", lambda x: x.cumprod(-1), [X]),
    OpCase("cummax", "aten.cummax.default", lambda x: torch.cummax(x, 1)[0], [X]),
    OpCase("count_nonzero", "aten.ne.Scalar", lambda x: torch.count_nonzero(x, 1), [I]),
    OpCase("sort", "aten.sort.default", lambda x: tuple(x.sort(1)), [X]),
    OpCase("sort_descending", "aten.sort.stable", lambda x: tuple(torch.sort(x, 0, descending=True, stable=True)), [I]),
    OpCase("argsort", "aten.sort.stable", lambda x: torch.argsort(x, 1, stable=True), [X]),
    OpCase("topk", "aten.topk.default", lambda x: tuple(x.topk(3, 1)), [X]),
    OpCase("topk_smallest", "aten.topk.default", lambda x: tuple(x.topk(2, 0, largest=False)), [X]),
    OpCase("cross_entropy", "aten._log_softmax.default", F.cross_entropy, [X, integers(3, low=0, high=5)]),
    OpCase("mse_loss", "aten.mean.default", F.mse_loss, [X, Y]),
]
