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
    *(
        unary(name)
        for name in ("neg", "abs", "sign", "relu", "floor", "ceil", "trunc", "sinh", "cosh", "exp2", "asinh")
    ),
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
    OpCase("celu", "aten.mul.Tensor", lambda x: F.celu(x, alpha=1.3), [X]),
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
    OpCase("erf_half", "aten.erf.default", torch.erf, [X.half()]),
    OpCase("gelu_bf16", "aten.gelu.default", F.gelu, [X.bfloat16()]),
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
    OpCase("dropout", "", lambda x: F.dropout(x, 0.5, training=False), [X]),
    OpCase("nan_to_num", "aten.where.self", torch.nan_to_num, [ODD]),
]

BINARY = [
    *(
        OpCase(name, f"aten.{name}.Tensor", getattr(torch, name), [X, Y])
        for name in ("add", "sub", "mul", "div", "fmod")
    ),
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
    OpCase("rsub", "aten.rsub.Scalar", lambda x: 2 - x, [X]),
    OpCase("rdiv", "aten.reciprocal.default", lambda x: 2 / x, [POSITIVE]),
    OpCase("mul_broadcast", "aten.mul.Tensor", lambda x, y: x * y, [floats(3, 1, 5), floats(4, 1, name="y")]),
    OpCase("div_of_integers", "aten.div.Tensor", lambda x, y: x / y, [I, J]),
    *(
        OpCase(
            f"div_{mode}_{kind}",
            "aten.div.Tensor_mode",
            lambda x, y, mode=mode: torch.div(x, y, rounding_mode=mode),
            pair,
        )
        for mode in ("floor", "trunc")
        for kind, pair in (("floats", [X * 3, Y]), ("integers", [I, J]), ("negative", [I, -J]))
    ),
    OpCase("floor_divide", "aten.floor_divide.default", lambda x: x // 3, [I]),
    OpCase(
        "floor_divide_exact", "aten.floor_divide.default", lambda x: x // 0.1, [torch.tensor([1.0, 0.3, -0.7, 5.0])]
    ),
    *(
        OpCase(f"{name}_{kind}", f"aten.{name}.Tensor", getattr(torch, name), pair)
        for name in ("fmod", "remainder")
        for kind, pair in (("floats", [X * 3, Y]), ("integers", [I, J]), ("negative", [I, -J]))
    ),
    OpCase("remainder_scalar", "aten.remainder.Scalar", lambda x: x % -3, [I]),
    *(
        OpCase(f"pow_{n}", "aten.pow.Tensor_Scalar", lambda x, n=n: x**n, [POSITIVE])
        for n in (2, 3, 0.5, -0.5, -1, -2, 2.5)
    ),
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
    *(
        OpCase(name, f"aten.{name}.default", getattr(torch, name), [I, J - 3])
        for name in ("logical_and", "logical_or", "logical_xor")
    ),
    *(
        OpCase(name, f"aten.{name}.Tensor", getattr(torch, name), [I, J - 3])
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    ),
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
    OpCase("hypot", "aten.hypot.default", torch.hypot, [X, Y]),
    OpCase("copysign", "aten.copysign.Tensor", torch.copysign, [X, Y]),
    OpCase("xlogy", "aten.where.self", torch.xlogy, [X, POSITIVE]),
    OpCase("logaddexp", "aten.log1p.default", torch.logaddexp, [X, Y]),
    OpCase("heaviside", "aten.where.self", torch.heaviside, [X, Y]),
    OpCase("isclose", "aten.le.Tensor", torch.isclose, [X, X + 1e-9]),
    OpCase("dist", "aten.sub.Tensor", lambda x, y: (x - y).norm(dim=-1), [X, Y]),
]

REDUCTION = [
    *(
        OpCase(
            f"{name}_{axes}_{keep}",
            "",
            lambda x, name=name, axes=axes, keep=keep: getattr(torch, name)(x, axes, keep),
            [floats(2, 3, 4)],
        )
        for name in ("sum", "mean", "amax", "amin")
        for axes, keep in (((1,), False), ((0, -1), True), ((0, 1, 2), False))
    ),
    *(OpCase(name, "", getattr(torch, name), [X]) for name in ("sum", "mean", "amax", "amin", "max", "min", "prod")),
    OpCase("sum_of_integers", "aten.sum.dim_IntList", lambda x: x.sum(1), [I.int()]),
    OpCase("sum_of_bool", "aten.sum.dim_IntList", lambda x: x.sum(0), [B]),
    OpCase("sum_to_f64", "aten.sum.dim_IntList", lambda x: x.sum(1, dtype=torch.float64), [X]),
    OpCase("mean_of_half", "aten.mean.dim", lambda x: x.mean(1), [X.half()]),
    OpCase("sum_of_scalar", "aten.sum.default", lambda x: x.sum(), [torch.tensor(2.5)]),
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
    OpCase("var", "aten.var.dim", lambda x: x.var(1), [X]),
    OpCase("var_population", "aten.var.dim", lambda x: x.var((0, 1), unbiased=False, keepdim=True), [X]),
    OpCase("std", "aten.var.correction", lambda x: x.std(-1), [X]),
    OpCase("std_mean", "aten.var_mean.correction", lambda x: torch.std_mean(x, 1), [X]),
    OpCase("var_mean", "aten.var_mean.correction", lambda x: torch.var_mean(x, 0, correction=2, keepdim=True), [X]),
    OpCase("logsumexp", "aten.logsumexp.default", lambda x: torch.logsumexp(x, (0, 1)), [X]),
    OpCase("logsumexp_keep", "aten.logsumexp.default", lambda x: torch.logsumexp(x, 1, keepdim=True), [X]),
    OpCase("norm_2", "aten.sum.dim_IntList", lambda x: x.norm(dim=1), [X]),
    OpCase("norm_1", "aten.abs.default", lambda x: torch.linalg.vector_norm(x, 1, dim=0), [X]),
    OpCase("normalize", "aten.clamp_min.default", lambda x: F.normalize(x, dim=-1), [X]),
    OpCase("cosine_similarity", "aten.mul.Tensor", lambda x, y: F.cosine_similarity(x, y, dim=1), [X, Y]),
    OpCase("cumsum", "aten.cumsum.default", lambda x: x.cumsum(1), [X]),
    OpCase("cumsum_of_bool", "aten.cumsum.default", lambda x: x.cumsum(0), [B]),
    OpCase("cumprod", "aten.cumprod.default", lambda x: x.cumprod(-1), [X]),
    OpCase("cummax", "aten.cummax.default", lambda x: torch.cummax(x, 1)[0], [X]),
    OpCase("count_nonzero", "aten.ne.Scalar", lambda x: torch.count_nonzero(x, 1), [I]),
    OpCase("sort", "aten.sort.default", lambda x: tuple(x.sort(1)), [X]),
    OpCase(
        "sort_descending", "aten.sort.stable", lambda x: tuple(torch.sort(x, dim=0, descending=True, stable=True)), [I]
    ),
    OpCase("argsort", "aten.argsort.stable", lambda x: torch.argsort(x, dim=1, stable=True), [X]),
    OpCase("topk", "aten.topk.default", lambda x: tuple(x.topk(3, 1)), [X]),
    OpCase("topk_smallest", "aten.topk.default", lambda x: tuple(x.topk(2, 0, largest=False)), [X]),
    OpCase("cross_entropy", "aten._log_softmax.default", F.cross_entropy, [X, integers(3, low=0, high=5)]),
    OpCase("mse_loss", "aten.mean.default", F.mse_loss, [X, Y]),
]

V = floats(2, 3, 4)

SHAPE = [
    OpCase("view", "aten.view.default", lambda x: x.view(4, -1), [V]),
    OpCase("reshape", "aten._unsafe_view.default", lambda x: x.transpose(0, 1).reshape(6, 4), [V]),
    OpCase("flatten", "aten.view.default", lambda x: x.flatten(1), [V]),
    OpCase("unflatten", "aten.view.default", lambda x: x.unflatten(2, (2, 2)), [V]),
    OpCase("squeeze", "aten.squeeze.default", lambda x: x[:, :1].squeeze(), [V]),
    OpCase("squeeze_dim", "aten.squeeze.dim", lambda x: x[:, :1].squeeze(1), [V]),
    OpCase("unsqueeze", "aten.unsqueeze.default", lambda x: x.unsqueeze(-1), [V]),
    OpCase("expand", "aten.expand.default", lambda x: x.expand(2, 3, -1), [floats(3, 1)]),
    OpCase("expand_new", "aten.expand.default", lambda x: x.expand(4, 3, 5), [X]),
    OpCase("expand_as", "aten.expand.default", lambda x, y: x.expand_as(y), [floats(5), X]),
    OpCase("permute", "aten.permute.default", lambda x: x.permute(2, 0, -2), [V]),
    OpCase("transpose", "aten.transpose.int", lambda x: x.transpose(0, -1), [V]),
    OpCase("t", "aten.t.default", lambda x: x.t() + 1, [X]),
    OpCase("movedim", "aten.permute.default", lambda x: x.movedim(0, 2), [V]),
    OpCase("select", "aten.select.int", lambda x: x[1], [V]),
    OpCase("select_from_end", "aten.select.int", lambda x: x[..., -1], [V]),
    OpCase("slice", "aten.slice.Tensor", lambda x: x[:, 1:], [V]),
    OpCase("slice_step", "aten.slice.Tensor", lambda x: x[..., 1::2], [V]),
    OpCase("slice_from_end", "aten.slice.Tensor", lambda x: x[:, -2:-1], [V]),
    OpCase("slice_beyond", "aten.slice.Tensor", lambda x: x[:, 2:100], [V]),
    OpCase("slice_nothing", "aten.slice.Tensor", lambda x: x[:, 3:], [V]),
    OpCase("narrow", "aten.slice.Tensor", lambda x: x.narrow(2, 1, 2), [V]),
    OpCase("split", "aten.split.Tensor", lambda x: x.split(2, -1), [floats(2, 5)]),
    OpCase("split_sizes", "aten.split_with_sizes.default", lambda x: x.split([1, 4], 1), [floats(2, 5)]),
    OpCase("chunk", "aten.split.Tensor", lambda x: x.chunk(3, 1), [floats(2, 7)]),
    OpCase("unbind", "aten.unbind.int", lambda x: x.unbind(1), [V]),
    OpCase("cat", "aten.cat.default", lambda x, y: torch.cat([x, y, x], 1), [X, floats(3, 2)]),
    OpCase("cat_mixed", "aten.cat.default", lambda x, i: torch.cat([x, i], -1), [X, I]),
    OpCase("cat_empty", "aten.cat.default", lambda x: torch.cat([torch.zeros(0), x], 1), [X]),
    OpCase("stack", "aten.stack.default", lambda x, y: torch.stack([x, y], 1), [X, Y]),
    OpCase("stack_last", "aten.stack.default", lambda x, y: torch.stack([x, y], -1), [X, Y]),
    OpCase("hstack", "aten.cat.default", lambda x, y: torch.hstack([x, y]), [X, Y]),
    OpCase("diagonal", "aten.diagonal.default", lambda x: torch.diagonal(x, 1, 0, 2), [V]),
    OpCase("diag_embed", "aten.where.self", torch.diag_embed, [X]),
    OpCase("trace", "aten.diagonal.default", torch.trace, [floats(4, 4)]),
    OpCase("repeat", "aten.repeat.default", lambda x: x.repeat(2, 1, 3), [X]),
    OpCase("repeat_ones", "aten.repeat.default", lambda x: x.repeat(2, 4, 1), [floats(1, 5)]),
    OpCase("tile", "aten.repeat.default", lambda x: x.tile(2), [X]),
    OpCase("repeat_interleave", "aten.repeat_interleave.self_int", lambda x: x.repeat_interleave(2, dim=1), [V]),
    OpCase("repeat_interleave_flat", "aten.repeat_interleave.self_int", lambda x: x.repeat_interleave(3), [X]),
    OpCase("flip", "aten.flip.default", lambda x: x.flip(0, -1), [V]),
    OpCase("roll", "aten.roll.default", lambda x: x.roll((1, -2), (0, 2)), [V]),
    OpCase("roll_flat", "aten.roll.default", lambda x: x.roll(3), [X]),
    OpCase("triu", "aten.triu.default", lambda x: x.triu(1), [V]),
    OpCase("tril", "aten.tril.default", lambda x: x.tril(-1), [X]),
    OpCase("rot90", "aten.flip.default", torch.rot90, [X]),
    OpCase("meshgrid", "aten.expand.default", lambda x, y: torch.meshgrid(x, y, indexing="ij"), [floats(3), floats(4)]),
    OpCase("pad", "aten.pad.default", lambda x: F.pad(x, (1, 2, -1, 0), value=1.5), [X]),
    OpCase("pad_integers", "aten.pad.default", lambda x: F.pad(x, (0, 1), value=3), [I]),
    *(
        OpCase(f"pad_{mode}", "aten.pad.default", lambda x, mode=mode: F.pad(x, (2, 1), mode=mode), [V])
        for mode in ("reflect", "replicate", "circular")
    ),
    OpCase(
        "pad_reflect_2d", "aten.pad.default", lambda x: F.pad(x, (1, 0, 2, 1), mode="reflect"), [floats(1, 2, 3, 4)]
    ),
    OpCase("pixel_shuffle", "aten.permute.default", lambda x: F.pixel_shuffle(x, 2), [floats(1, 8, 3, 2)]),
    OpCase("pixel_unshuffle", "aten.permute.default", lambda x: F.pixel_unshuffle(x, 2), [floats(1, 2, 4, 6)]),
    OpCase("channel_shuffle", "aten.transpose.int", lambda x: F.channel_shuffle(x, 2), [floats(1, 6, 3, 2)]),
    OpCase("unfold", "aten.im2col.default", lambda x: F.unfold(x, (2, 3), padding=1, stride=2), [floats(2, 3, 5, 6)]),
    OpCase("copy", "aten.copy.default", lambda x, y: torch.ops.aten.copy.default(x, y), [X, I[0]]),
]

FILLING = [
    OpCase("full", "aten.full.default", lambda x: torch.full((2, 3), 1.5) + x, [floats(3)]),
    OpCase("full_like", "aten.full_like.default", lambda x: torch.full_like(x, 7) * x, [I]),
    OpCase(
        "zeros_ones",
        "aten.zeros_like.default",
        lambda x: torch.ones(3, 5, dtype=torch.int32) + torch.zeros_like(x),
        [I.int()],
    ),
    OpCase("new_ones", "aten.new_ones.default", lambda x: x.new_ones(5) + x, [X]),
    OpCase("full_bool", "aten.ones.default", lambda x: torch.ones(3, 5, dtype=torch.bool) & x, [B]),
    OpCase("fill", "aten.fill.Scalar", lambda x: torch.empty_like(x).fill_(2.5) + x, [X]),
    OpCase("empty", "aten.empty.memory_format", lambda x: torch.empty(3, 5).fill_(2) + x, [X]),
    OpCase("new_empty", "aten.new_empty.default", lambda x: x.new_empty(5).fill_(2) + x, [X]),
    OpCase("arange", "aten.arange.start_step", lambda x: torch.arange(5) + x, [I]),
    OpCase("arange_step", "aten.arange.start_step", lambda x: torch.arange(10, 0, -2) + x, [I]),
    OpCase("arange_floats", "aten.arange.start_step", lambda x: torch.arange(0.1, 1.0, 0.2) + x, [X]),
    OpCase("arange_cast", "aten.arange.start_step", lambda x: torch.arange(5, dtype=torch.float32) * x, [X]),
    OpCase("linspace", "aten.where.self", lambda x: torch.linspace(-1, 1, 5) + x, [X]),
    OpCase("eye", "aten.eq.Tensor", lambda x: torch.eye(3) @ x, [X]),
    OpCase("scalar_tensor", "aten.scalar_tensor.default", lambda x: torch.scalar_tensor(2.5) * x, [X]),
    OpCase("tensor", "", lambda x: torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]) * x, [X]),
    OpCase("one_hot", "aten.eq.Tensor", lambda i: F.one_hot(i, 9), [J[0]]),
    OpCase("tril_indices", "", lambda x: torch.tril_indices(3, 3) + x, [integers(2, 6)]),
]

PICK = integers(4, low=0, high=3, name="pick")
SIGNED = integers(4, low=-3, high=3, name="signed")

INDEXING = [
    OpCase("embedding", "aten.embedding.default", F.embedding, [integers(2, 3, low=0, high=6), floats(6, 4)]),
    OpCase(
        "embedding_padding",
        "aten.embedding.default",
        lambda i, w: F.embedding(i, w, padding_idx=0),
        [integers(3, low=0, high=6), floats(6, 4)],
    ),
    OpCase("index_select", "aten.index_select.default", lambda x, i: x.index_select(1, i), [V, PICK]),
    OpCase("gather", "aten.gather.default", lambda x, i: x.gather(1, i), [V, integers(2, 2, 3, low=0, high=3)]),
    OpCase(
        "take_along_dim",
        "aten.gather.default",
        lambda x, i: torch.take_along_dim(x, i, 1),
        [X, integers(3, 2, low=0, high=5)],
    ),
    OpCase("take", "aten.take.default", torch.take, [X, integers(2, 2, low=-15, high=15)]),
    OpCase("index_one", "aten.index.Tensor", lambda x, i: x[i], [floats(3, 4), SIGNED]),
    OpCase("index_one_constant", "aten.index.Tensor", lambda x: x[:, torch.tensor([0, 2, 2])], [V]),
    OpCase("index_negative_constant", "aten.index.Tensor", lambda x: x[:, torch.tensor([0, -1])], [V]),
    OpCase("index_inner", "aten.index.Tensor", lambda x, i: x[:, i], [V, SIGNED]),
    OpCase("index_two", "aten.index.Tensor", lambda x, i, j: x[i, j], [floats(3, 3, 2), SIGNED, PICK]),
    OpCase(
        "index_two_broadcast",
        "aten.index.Tensor",
        lambda x, i, j: x[i[:, None], j],
        [floats(3, 3, 2), SIGNED, PICK[:2]],
    ),
    OpCase("index_two_inner", "aten.index.Tensor", lambda x, i, j: x[:, i, j], [floats(2, 3, 3), SIGNED, PICK]),
    OpCase("index_two_apart", "aten.index.Tensor", lambda x, i, j: x[i, :, j], [floats(3, 2, 3), SIGNED, PICK]),
    OpCase("index_row_numbers", "aten.index.Tensor", lambda x, i: x[torch.arange(3), i], [floats(3, 3), PICK[:3]]),
    OpCase(
        "index_put",
        "aten.index_put.default",
        lambda x, i, v: x.index_put((i,), v),
        [X, torch.tensor([2, 0]), floats(2, 5)],
    ),
    OpCase(
        "index_put_add",
        "aten.index_put.default",
        lambda x, i, v: x.index_put((i, i), v, accumulate=True),
        [floats(4, 4), SIGNED, floats(4)],
    ),
    OpCase(
        "index_put_inner",
        "aten.index_put.default",
        lambda x, i, v: torch.ops.aten.index_put(x, [None, i], v),
        [V, torch.tensor([2, 0]), floats(2, 2, 4)],
    ),
    OpCase(
        "index_put_value",
        "aten.index_put.default",
        lambda x, i: x.index_put((i,), torch.tensor(1.5)),
        [X, torch.tensor([2, 0])],
    ),
    OpCase("index_put_mask", "aten.index_put.default", lambda x, b: x.index_put((b,), torch.tensor(1.5)), [X, B]),
    OpCase("index_put_rows", "aten.index_put.default", lambda x, b: x.index_put((b,), torch.tensor(1.5)), [X, B[:, 0]]),
    OpCase("assign", "aten.copy.default", lambda x: _assigned(x), [X]),
    OpCase("assign_mask", "aten.index_put.default", lambda x, b: _assigned_mask(x, b), [X, B]),
    OpCase(
        "index_add", "aten.index_add.default", lambda x, i, v: x.index_add(1, i, v, alpha=2), [V, PICK, floats(2, 4, 4)]
    ),
    OpCase(
        "index_copy",
        "aten.index_copy.default",
        lambda x, i, v: x.index_copy(1, i, v),
        [V, torch.tensor([2, 0]), floats(2, 2, 4)],
    ),
    OpCase(
        "select_scatter",
        "aten.select_scatter.default",
        lambda x, v: torch.select_scatter(x, v, 1, -1),
        [V, floats(2, 4)],
    ),
    OpCase(
        "slice_scatter",
        "aten.slice_scatter.default",
        lambda x, v: torch.slice_scatter(x, v, 1, 1, 3),
        [V, floats(2, 2, 4)],
    ),
    OpCase(
        "slice_scatter_step",
        "aten.slice_scatter.default",
        lambda x, v: torch.slice_scatter(x, v, 2, 1, None, 2),
        [V, floats(2, 3, 2)],
    ),
    OpCase(
        "scatter",
        "aten.scatter.src",
        lambda x, i, v: x.scatter(1, i, v),
        [X, torch.tensor([[0, 2], [1, 4], [3, 0]]), Y],
    ),
    OpCase(
        "scatter_value", "aten.scatter.value", lambda x, i: x.scatter(0, i, 2.5), [X, integers(2, 5, low=0, high=3)]
    ),
    OpCase(
        "scatter_add",
        "aten.scatter_add.default",
        lambda x, i, v: x.scatter_add(0, i, v),
        [X, integers(2, 4, low=0, high=3), Y],
    ),
    *(
        OpCase(
            f"scatter_reduce_{how}",
            "aten.scatter_reduce.two",
            lambda x, i, v, how=how: x.scatter_reduce(1, i, v, how),
            [X, integers(3, 4, low=0, high=5), Y],
        )
        for how in ("sum", "prod", "amax", "amin")
    ),
    OpCase("masked_scatter", "aten.masked_scatter.default", lambda x, b, y: x.masked_scatter(b, y), [X, B, Y]),
    OpCase(
        "scatter_reduce_alone",
        "aten.scatter_reduce.two",
        lambda x, i, v: x.scatter_reduce(1, i, v, "amax", include_self=False),
        [X, integers(3, 4, low=0, high=5), Y],
    ),
]


def _assigned(x: Any) -> Any:
    y = x.clone()
    y[1] = 7
    y[:, 2:4] = y[:, :2] + 1
    return y


def _assigned_mask(x: Any, mask: Any) -> Any:
    y = x * 2
    y[mask] = -1.0
    return y


W = floats(5, 4, name="w")

CONTRACTION = [
    OpCase("mm", "aten.mm.default", torch.mm, [X, W]),
    OpCase("bmm", "aten.bmm.default", torch.bmm, [V, floats(2, 4, 5)]),
    OpCase("matmul", "aten.matmul.default", torch.matmul, [floats(2, 1, 3, 5), floats(3, 5, 4)]),
    OpCase("matmul_vector", "aten.matmul.default", torch.matmul, [floats(2, 3, 5), floats(5)]),
    OpCase("matmul_from_vector", "aten.matmul.default", torch.matmul, [floats(5), floats(2, 5, 3)]),
    OpCase("matmul_vectors", "aten.matmul.default", torch.matmul, [floats(5), floats(5, name="y")]),
    OpCase("mv", "aten.mv.default", torch.mv, [X, floats(5)]),
    OpCase("dot", "aten.dot.default", torch.dot, [floats(5), floats(5, name="y")]),
    OpCase("outer", "aten.mul.Tensor", torch.outer, [floats(5), floats(3)]),
    OpCase("linear", "aten.linear.default", F.linear, [V, floats(6, 4), floats(6)]),
    OpCase("linear_vector", "aten.linear.default", F.linear, [floats(4), floats(6, 4), floats(6)]),
    OpCase("linear_half", "aten.linear.default", F.linear, [V.half(), floats(6, 4).half(), floats(6).half()], 1e-2),
    OpCase(
        "linear_bf16",
        "aten.linear.default",
        F.linear,
        [V.bfloat16(), floats(6, 4).bfloat16(), floats(6).bfloat16()],
        5e-2,
    ),
    OpCase("linear_f64", "aten.linear.default", F.linear, [V.double(), floats(6, 4).double(), floats(6).double()]),
    OpCase("addmm", "aten.addmm.default", lambda b, x, w: torch.addmm(b, x, w, beta=0.5, alpha=2), [floats(4), X, W]),
    OpCase("addmm_plain", "aten.addmm.default", torch.addmm, [floats(4), X, W]),
    OpCase(
        "baddbmm",
        "aten.baddbmm.default",
        lambda b, x, w: torch.baddbmm(b, x, w, beta=0, alpha=0.5),
        [floats(2, 3, 5), V, floats(2, 4, 5)],
    ),
    OpCase("addbmm", "aten.addbmm.default", torch.addbmm, [floats(3, 5), V, floats(2, 4, 5)], 1e-5),
    OpCase("addmv", "aten.addmv.default", torch.addmv, [floats(3), X, floats(5)]),
    OpCase("einsum", "aten.bmm.default", lambda x, y: torch.einsum("bij,bkj->bik", x, y), [V, floats(2, 5, 4)]),
    OpCase(
        "einsum_heads",
        "aten.bmm.default",
        lambda x, y: torch.einsum("bshd,bthd->bhst", x, y),
        [floats(2, 3, 2, 4), floats(2, 5, 2, 4)],
    ),
    OpCase(
        "tensordot", "aten.mm.default", lambda x, y: torch.tensordot(x, y, dims=([0, 2], [0, 1])), [V, floats(2, 4, 5)]
    ),
    OpCase("kron", "aten.mul.Tensor", torch.kron, [floats(2, 3), floats(3, 2)]),
    *(
        OpCase(
            f"cdist_{p}", "aten._cdist_forward.default", lambda x, y, p=p: torch.cdist(x, y, p), [X, floats(4, 5)], 1e-5
        )
        for p in (2.0, 1.0, 3.0, float("inf"))
    ),
    OpCase("mm_integers", "aten.mm.default", torch.mm, [I, integers(5, 4)]),
]

IMAGE = floats(2, 6, 7, 8)

WINDOWS = [
    OpCase(
        "conv1d",
        "aten.convolution.default",
        lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1),
        [floats(2, 3, 9), floats(4, 3, 3), floats(4)],
        1e-5,
    ),
    OpCase(
        "conv2d",
        "aten.convolution.default",
        lambda x, w, b: F.conv2d(x, w, b, (2, 1), (1, 0), (1, 2)),
        [IMAGE, floats(4, 6, 3, 3), floats(4)],
        2e-5,
    ),
    OpCase(
        "conv2d_groups",
        "aten.convolution.default",
        lambda x, w: F.conv2d(x, w, groups=3),
        [IMAGE, floats(9, 2, 3, 2)],
        1e-5,
    ),
    OpCase(
        "conv2d_same",
        "aten.convolution.default",
        lambda x, w: F.conv2d(x, w, padding="same"),
        [IMAGE, floats(4, 6, 3, 5)],
        2e-5,
    ),
    OpCase(
        "conv2d_unbatched",
        "aten.convolution.default",
        lambda x, w: F.conv2d(x, w),
        [IMAGE[0], floats(4, 6, 3, 2)],
        1e-5,
    ),
    OpCase(
        "conv3d",
        "aten.convolution.default",
        lambda x, w, b: F.conv3d(x, w, b, padding=1),
        [floats(1, 2, 3, 4, 5), floats(3, 2, 2, 3, 3), floats(3)],
        1e-5,
    ),
    OpCase(
        "conv_transpose1d",
        "aten.convolution.default",
        lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2, padding=1, output_padding=1),
        [floats(2, 3, 5), floats(3, 4, 3), floats(4)],
        1e-5,
    ),
    OpCase(
        "conv_transpose2d",
        "aten.convolution.default",
        lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2, dilation=2),
        [IMAGE, floats(6, 2, 3, 2)],
        1e-5,
    ),
    OpCase(
        "conv_transpose3d",
        "aten.convolution.default",
        lambda x, w: F.conv_transpose3d(x, w),
        [floats(1, 2, 3, 4, 2), floats(2, 3, 2, 2, 2)],
        1e-5,
    ),
    OpCase("max_pool1d", "aten.max_pool1d.default", lambda x: F.max_pool1d(x, 3, 2, 1), [floats(2, 3, 9)]),
    OpCase("max_pool2d", "aten.max_pool2d.default", lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 0)), [IMAGE]),
    OpCase("max_pool2d_ceil", "aten.max_pool2d.default", lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), [IMAGE]),
    OpCase("max_pool2d_dilation", "aten.max_pool2d.default", lambda x: F.max_pool2d(x, 2, 1, dilation=2), [IMAGE[0]]),
    OpCase("max_pool3d", "aten.max_pool3d.default", lambda x: F.max_pool3d(x, 2), [floats(1, 2, 4, 5, 6)]),
    OpCase("avg_pool1d", "aten.avg_pool1d.default", lambda x: F.avg_pool1d(x, 3, 2, 1), [floats(2, 3, 9)]),
    OpCase("avg_pool2d", "aten.avg_pool2d.default", lambda x: F.avg_pool2d(x, 3, 2, 1), [IMAGE]),
    OpCase(
        "avg_pool2d_no_pad",
        "aten.avg_pool2d.default",
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        [IMAGE],
    ),
    OpCase(
        "avg_pool2d_ceil", "aten.avg_pool2d.default", lambda x: F.avg_pool2d(x, (2, 3), 2, 1, ceil_mode=True), [IMAGE]
    ),
    OpCase(
        "avg_pool2d_divisor", "aten.avg_pool2d.default", lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5), [IMAGE]
    ),
    OpCase("avg_pool3d", "aten.avg_pool3d.default", lambda x: F.avg_pool3d(x, 2), [floats(1, 2, 4, 5, 6)]),
    OpCase(
        "adaptive_avg_pool1d",
        "aten.adaptive_avg_pool1d.default",
        lambda x: F.adaptive_avg_pool1d(x, 4),
        [floats(2, 3, 9)],
    ),
    OpCase(
        "adaptive_avg_pool2d", "aten.adaptive_avg_pool2d.default", lambda x: F.adaptive_avg_pool2d(x, (3, 4)), [IMAGE]
    ),
    OpCase(
        "adaptive_avg_pool2d_whole", "aten.adaptive_avg_pool2d.default", lambda x: F.adaptive_avg_pool2d(x, 1), [IMAGE]
    ),
    OpCase(
        "adaptive_avg_pool2d_even",
        "aten.adaptive_avg_pool2d.default",
        lambda x: F.adaptive_avg_pool2d(x, (7, 4)),
        [IMAGE],
    ),
    OpCase(
        "adaptive_avg_pool3d",
        "aten.adaptive_avg_pool3d.default",
        lambda x: F.adaptive_avg_pool3d(x, (2, 3, 3)),
        [floats(1, 2, 4, 5, 6)],
    ),
    OpCase(
        "adaptive_max_pool2d", "aten.adaptive_max_pool2d.default", lambda x: F.adaptive_max_pool2d(x, (3, 4)), [IMAGE]
    ),
    OpCase("lp_pool", "aten.avg_pool2d.default", lambda x: F.lp_pool2d(x, 2, 2), [IMAGE], 1e-5),
    *(
        OpCase(
            f"interpolate_{mode}_{kind}",
            f"aten.{op}.vec",
            lambda x, mode=mode, options=options: F.interpolate(x, mode=mode, **options),
            [shape],
            1e-5,
        )
        for mode, op, shape in (
            ("nearest", "upsample_nearest1d", floats(2, 3, 5)),
            ("nearest", "upsample_nearest2d", IMAGE),
            ("nearest", "upsample_nearest3d", floats(1, 2, 2, 3, 4)),
            ("nearest-exact", "_upsample_nearest_exact2d", IMAGE),
            ("linear", "upsample_linear1d", floats(2, 3, 5)),
            ("bilinear", "upsample_bilinear2d", IMAGE),
            ("trilinear", "upsample_trilinear3d", floats(1, 2, 2, 3, 4)),
            ("bicubic", "upsample_bicubic2d", IMAGE),
        )
        for kind, options in (
            ("twice", {"scale_factor": 2}),
            ("scale", {"scale_factor": 1.5}),
            ("size", {"size": (5, 9, 7)[: shape.ndim - 2]}),
        )
    ),
    OpCase(
        "interpolate_corners",
        "aten.upsample_bilinear2d.vec",
        lambda x: F.interpolate(x, size=(5, 11), mode="bilinear", align_corners=True),
        [IMAGE],
        1e-5,
    ),
    OpCase(
        "interpolate_antialias",
        "aten._upsample_bilinear2d_aa.vec",
        lambda x: F.interpolate(x, size=(3, 5), mode="bilinear", antialias=True),
        [IMAGE],
        1e-5,
    ),
    OpCase(
        "interpolate_cubic_antialias",
        "aten._upsample_bicubic2d_aa.vec",
        lambda x: F.interpolate(x, size=(3, 5), mode="bicubic", antialias=True),
        [IMAGE],
        1e-5,
    ),
    OpCase(
        "grid_sample",
        "",
        lambda x, g: F.grid_sample(x, g, align_corners=False),
        [IMAGE, floats(2, 3, 4, 2, low=-0.9, high=0.9)],
        1e-4,
    ),
    OpCase("fold", "aten._unsafe_index_put.default", lambda x: F.fold(x, (4, 5), (2, 2)), [floats(1, 8, 12)], 1e-5),
]

GAIN = floats(6, name="gain")

NORMS = [
    OpCase(
        "layer_norm",
        "aten.layer_norm.default",
        lambda x, g, b: F.layer_norm(x, (4,), g, b),
        [V, floats(4), floats(4, name="b")],
        1e-5,
    ),
    OpCase("layer_norm_plain", "aten.layer_norm.default", lambda x: F.layer_norm(x, (4,)), [V], 1e-5),
    OpCase(
        "layer_norm_two",
        "aten.layer_norm.default",
        lambda x, g: F.layer_norm(x, (3, 4), g, eps=1e-3),
        [V, floats(3, 4)],
        1e-5,
    ),
    OpCase(
        "layer_norm_half",
        "aten.layer_norm.default",
        lambda x, g, b: F.layer_norm(x, (4,), g, b),
        [V.half(), floats(4).half(), floats(4, name="b").half()],
        1e-2,
    ),
    OpCase("rms_norm", "aten.rms_norm.default", lambda x, g: F.rms_norm(x, (4,), g, 1e-6), [V, floats(4)], 1e-5),
    OpCase("rms_norm_plain", "aten.rms_norm.default", lambda x: F.rms_norm(x * 1e-3, (3, 4)), [V], 1e-5),
    OpCase("rms_norm_half", "aten.rms_norm.default", lambda x: F.rms_norm(x * 1e-2, (4,)), [V.half()], 1e-2),
    OpCase(
        "group_norm", "aten.group_norm.default", lambda x, g, b: F.group_norm(x, 3, g, b), [IMAGE, GAIN, GAIN + 1], 1e-5
    ),
    OpCase("group_norm_plain", "aten.group_norm.default", lambda x: F.group_norm(x, 2), [IMAGE], 1e-5),
    OpCase(
        "instance_norm", "aten.instance_norm.default", lambda x, g: F.instance_norm(x, weight=g), [IMAGE, GAIN], 1e-5
    ),
    OpCase(
        "batch_norm",
        "aten._native_batch_norm_legit_no_training.default",
        lambda x, m, v, g, b: F.batch_norm(x, m, v, g, b),
        [IMAGE, GAIN, GAIN.abs() + 0.1, GAIN - 1, GAIN + 1],
        1e-5,
    ),
    OpCase(
        "batch_norm_rows",
        "aten._native_batch_norm_legit_no_training.default",
        lambda x, m, v: F.batch_norm(x, m, v),
        [floats(4, 6), GAIN, GAIN.abs() + 0.1],
        1e-5,
    ),
    OpCase(
        "batch_norm_of_batch",
        "aten._native_batch_norm_legit.no_stats",
        lambda x, g: F.batch_norm(x, None, None, g, training=True),
        [IMAGE, GAIN],
        1e-5,
    ),
    OpCase("local_response_norm", "aten.div.Tensor", lambda x: F.local_response_norm(x, 3), [IMAGE], 1e-5),
    OpCase("softmax", "aten._softmax.default", lambda x: x.softmax(1), [V]),
    OpCase("softmax_to_f32", "aten._softmax.default", lambda x: x.softmax(-1, dtype=torch.float32), [V.half()]),
    OpCase("softmin", "aten._softmax.default", lambda x: F.softmin(x, 0), [V]),
    OpCase("log_softmax", "aten._log_softmax.default", lambda x: x.log_softmax(-1), [V]),
]


def heads(*shape: int, name: str) -> Any:
    return floats(*shape, name=name, low=-1, high=1)


Q, K, VALUE = heads(2, 4, 3, 8, name="q"), heads(2, 4, 5, 8, name="k"), heads(2, 4, 5, 6, name="v")
sdpa = F.scaled_dot_product_attention

ATTENTION = [
    OpCase("sdpa", "aten.scaled_dot_product_attention.default", sdpa, [Q, K, VALUE]),
    OpCase(
        "sdpa_scale",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v, scale=0.3),
        [Q, K, VALUE],
    ),
    OpCase(
        "sdpa_causal",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v, is_causal=True),
        [Q, K, VALUE],
    ),
    OpCase(
        "sdpa_bias",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, floats(4, 3, 5)],
    ),
    OpCase(
        "sdpa_mask",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, truths(2, 1, 3, 5)],
    ),
    OpCase(
        "sdpa_keys",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, torch.tensor([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0]]).bool()[:, None, None]],
    ),
    OpCase(
        "sdpa_keys_shared",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, torch.tensor([[True, True, False, True, False]])],
    ),
    OpCase(
        "sdpa_groups",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v, enable_gqa=True),
        [Q, K[:, :2], VALUE[:, :2]],
    ),
    OpCase(
        "sdpa_rank3",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q[0], K[0], VALUE[0], truths(4, 3, 5)],
    ),
    OpCase("sdpa_rank2", "aten.scaled_dot_product_attention.default", sdpa, [Q[0, 0], K[0, 0], VALUE[0, 0]]),
    OpCase(
        "sdpa_rank5",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v),
        [Q[None], K[None], VALUE[None]],
    ),
    OpCase("sdpa_half", "aten.scaled_dot_product_attention.default", sdpa, [Q.half(), K.half(), VALUE.half()], 5e-3),
]

SPECTRAL = [
    OpCase("complex", "aten.complex.default", lambda x, y: torch.complex(x, y) * torch.complex(y, x), [X, Y]),
    OpCase("complex_div", "aten.div.Tensor", lambda z: z / (z + 2), [Z]),
    OpCase("complex_scalar", "aten.mul.Tensor", lambda z: z * 2j + 1, [Z]),
    OpCase("complex_abs", "aten.abs.default", torch.abs, [Z]),
    OpCase("complex_exp", "aten.exp.default", torch.exp, [Z]),
    OpCase("angle", "aten.angle.default", torch.angle, [Z]),
    OpCase("polar", "aten.polar.default", torch.polar, [X.abs(), Y]),
    OpCase("real_imag", "aten.view_as_real.default", lambda z: (z.real + 1, z.imag * 2), [Z]),
    OpCase("conj", "aten._conj.default", lambda z: z.conj() * z, [Z]),
    OpCase("view_as_real", "aten.view_as_real.default", lambda z: torch.view_as_real(z) + 1, [Z]),
    OpCase(
        "view_as_complex", "aten.view_as_complex.default", lambda x: torch.view_as_complex(x) * 1j, [floats(3, 4, 2)]
    ),
    OpCase("real_to_complex", "aten.mul.Tensor", lambda z, x: z * x, [Z, floats(3, 4)]),
    *(
        OpCase(
            f"rfft_{norm}",
            "aten._fft_r2c.default",
            lambda x, norm=norm: torch.fft.rfft(x, norm=norm),
            [floats(3, 7)],
            1e-5,
        )
        for norm in ("backward", "ortho", "forward")
    ),
    *(
        OpCase(
            f"irfft_{norm}", "aten._fft_c2r.default", lambda z, norm=norm: torch.fft.irfft(z, 7, norm=norm), [Z], 1e-5
        )
        for norm in ("backward", "ortho", "forward")
    ),
    *(
        OpCase(f"fft_{norm}", "aten._fft_c2c.default", lambda z, norm=norm: torch.fft.fft(z, norm=norm), [Z], 1e-5)
        for norm in ("backward", "ortho", "forward")
    ),
    OpCase("ifft", "aten._fft_c2c.default", lambda z: torch.fft.ifft(z, dim=0), [Z], 1e-5),
    OpCase("fft2", "aten._fft_c2c.default", torch.fft.fft2, [Z], 1e-5),
    OpCase("rfft2", "aten._fft_r2c.default", torch.fft.rfft2, [floats(2, 3, 6)], 1e-5),
    OpCase("irfft2", "aten._fft_c2r.default", torch.fft.irfft2, [torch.fft.rfft2(floats(3, 6))], 1e-5),
    OpCase("fft_of_real", "aten._fft_r2c.default", torch.fft.fft, [floats(3, 5)], 1e-5),
]


def recurrent(kind: str, x: Any = None, **options: Any) -> OpCase:
    torch.manual_seed(7)
    layer = getattr(nn, kind)(5, 4, **options)
    shape = f"{kind.lower()}{''.join(f'_{key}' for key in options)}"
    target = f"aten.{kind.lower()}{'_' + options.get('nonlinearity', 'tanh') if kind == 'RNN' else ''}.input"
    return OpCase(shape, target, layer, [floats(6, 2, 5)])


RECURRENT = [
    recurrent("LSTM"),
    recurrent("LSTM", batch_first=True, num_layers=2, bidirectional=True),
    recurrent("LSTM", bias=False),
    recurrent("GRU"),
    recurrent("GRU", num_layers=2, bidirectional=True),
    recurrent("GRU", batch_first=True, bias=False),
    recurrent("RNN"),
    recurrent("RNN", nonlinearity="relu"),
]

aten = torch.ops.aten


def direct(name: str, *args: Any, tolerance: float | None = None, **options: Any) -> OpCase:
    """An overload called as such: one that the functions of PyTorch reach by another way."""
    packet, overload = name.split(".")
    op = getattr(getattr(aten, packet), overload)
    tensors = [each for each in args if isinstance(each, torch.Tensor)]

    def function(*given: Any) -> Any:
        rest = iter(given)
        result = op(*(next(rest) if isinstance(each, torch.Tensor) else each for each in args), **options)
        return result[0] if isinstance(result, tuple) else result

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
    OpCase("_unsafe_index", "aten._unsafe_index.Tensor", lambda x, i: aten._unsafe_index(x, [None, i]), [V, SIGNED]),
    direct("all.dims", B, [0, 1]),
    direct("any.dims", I, [1], True),
    direct("argsort.default", X, 0, True),
    *(direct(f"bitwise_{name}.Scalar", I, 6) for name in ("and", "or", "xor")),
    *(direct(f"bitwise_{name}_shift.Tensor_Scalar", I, 2) for name in ("left", "right")),
    direct("clamp_max.default", X, 0.5),
    direct("clamp_max.Tensor", X, Y),
    direct("div.Scalar", X, 3),
    direct("div.Scalar_mode", I, 3, rounding_mode="floor"),
    direct("floor_divide.Scalar", I, 3),
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

CHAPTERS: dict[str, list[OpCase]] = {
    "unary": UNARY,
    "binary": BINARY,
    "reduction": REDUCTION,
    "shape": SHAPE,
    "filling": FILLING,
    "indexing": INDEXING,
    "contraction": CONTRACTION,
    "windows": WINDOWS,
    "norms": NORMS,
    "attention": ATTENTION,
    "spectral": SPECTRAL,
    "recurrent": RECURRENT,
    "direct": DIRECT,
}
