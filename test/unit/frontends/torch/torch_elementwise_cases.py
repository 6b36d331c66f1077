"""A small program for each elementwise op."""

from __future__ import annotations

from typing import Any

from torch_cases import COUNTS, INTS, ODD, OTHERS, POSITIVE, TRUTHS, UNIT, OpCase, X, Y, floats, integers
from torch_oracle import torch

nn, F = torch.nn, torch.nn.functional


def unary(name: str, x: Any = X, tolerance: float | None = None, **options: Any) -> OpCase:
    function = getattr(torch, name, None) or getattr(F, name)
    return OpCase(name, f"aten.{name}.default", lambda a: function(a, **options), [x], tolerance)


GAMMA = floats(4, 5, name="gamma", low=-4, high=20)
ENDS = torch.tensor([0.0, -0.0, 1.0, 2.0, -1.0, -2.0, -0.5, 1e-30, 3e4, float("inf"), float("nan")])

UNARY = [
    *(unary(name) for name in ("exp", "sin", "cos", "atan", "erf", "erfc", "expm1", "sigmoid", "tanh", "silu", "mish")),
    *(
        unary(name)
        for name in ("neg", "abs", "sign", "relu", "floor", "ceil", "trunc", "sinh", "cosh", "exp2", "asinh")
    ),
    *(unary(name, POSITIVE) for name in ("log", "sqrt", "rsqrt", "reciprocal", "log1p", "log2", "log10")),
    *(unary(name, UNIT, 1e-5) for name in ("tan", "asin", "acos", "atanh")),
    *(
        OpCase(f"{name}_{kind}", f"aten.{name}.default", getattr(torch, name), [x])
        for name in ("lgamma", "digamma")
        for kind, x in (("f32", GAMMA), ("f64", GAMMA.double()), ("ends", ENDS), ("integers", COUNTS))
    ),
    OpCase("gammaln", "aten.lgamma.default", torch.special.gammaln, [POSITIVE.half()]),
    OpCase("psi", "aten.digamma.default", torch.special.psi, [POSITIVE]),
    OpCase("multigammaln", "aten.lgamma.default", lambda x: torch.special.multigammaln(x, 2), [POSITIVE + 1]),
    OpCase("polygamma", "aten.polygamma.default", lambda x: torch.polygamma(0, x), [POSITIVE]),
    *(
        OpCase(f"erfinv_{kind}", "aten.erfinv.default", torch.special.erfinv, [x])
        for kind, x in (("f32", UNIT), ("f64", UNIT.double()), ("ends", torch.tensor([-1.0, 0.0, 1.0, 1.5])))
    ),
    unary("acosh", floats(3, 5, low=1.05, high=4)),
    *(unary(name, ODD) for name in ("round", "isnan", "isinf", "floor", "relu", "trunc")),
    OpCase("isfinite", "aten.isfinite.default", torch.isfinite, [ODD]),
    unary("gelu"),
    OpCase("gelu_tanh", "aten.gelu.default", lambda x: F.gelu(x, approximate="tanh"), [X]),
    *(unary(name) for name in ("hardswish", "hardsigmoid")),
    OpCase("logsigmoid", "aten.log_sigmoid.default", F.logsigmoid, [X]),
    OpCase("softplus", "aten.softplus.default", F.softplus, [X * 10]),
    OpCase("softplus_beta", "aten.softplus.default", lambda x: F.softplus(x, beta=2.0, threshold=3.0), [X]),
    *(
        OpCase(f"softplus_{name}", "aten.softplus.default", lambda x, beta=beta: F.softplus(x, beta, 5.0), [x])
        for name, beta, x in (
            ("less", 0.3, X * 10),
            ("turned", -2.0, X),
            ("halves", 2.0, X.half()),
            ("f64", 3.0, X.double()),
        )
    ),
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
    OpCase("logical_not", "aten.logical_not.default", torch.logical_not, [INTS]),
    OpCase("bitwise_not", "aten.bitwise_not.default", torch.bitwise_not, [INTS]),
    OpCase("bitwise_not_bool", "aten.bitwise_not.default", torch.bitwise_not, [TRUTHS]),
    OpCase("bitwise_not_ui8", "aten.bitwise_not.default", torch.bitwise_not, [integers(5, low=0, dtype=torch.uint8)]),
    OpCase("exp_of_integers", "aten.exp.default", torch.exp, [INTS]),
    OpCase("floor_of_integers", "aten.floor.default", torch.floor, [INTS]),
    OpCase("neg_of_integers", "aten.neg.default", torch.neg, [INTS]),
    OpCase("relu_of_integers", "aten.relu.default", torch.relu, [INTS]),
    OpCase("to", "aten._to_copy.default", lambda x: x.to(torch.int32), [X * 3]),
    OpCase("to_bool", "aten._to_copy.default", lambda x: x.bool(), [INTS]),
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
    OpCase("sub_alpha", "aten.sub.Tensor", lambda x, y: torch.sub(x, y, alpha=3), [INTS, COUNTS]),
    OpCase("add_scalar", "aten.add.Tensor", lambda x: x + 1.5, [X]),
    OpCase("add_float_to_integers", "aten.add.Tensor", lambda x: x + 1.5, [INTS]),
    OpCase("add_bool", "aten.add.Tensor", lambda x, y: x + y, [TRUTHS, OTHERS]),
    OpCase("mul_bool", "aten.mul.Tensor", lambda x, y: x * y, [TRUTHS, OTHERS]),
    OpCase("add_mixed", "aten.add.Tensor", lambda x, y: x + y, [X, INTS]),
    OpCase("add_half", "aten.add.Tensor", lambda x, y: x + y, [X.half(), Y]),
    OpCase("add_half_scalar_tensor", "aten.add.Tensor", lambda x, y: x + y, [X.half(), torch.tensor(1.5)]),
    OpCase("add_i32_i64", "aten.add.Tensor", lambda x, y: x + y, [INTS.int(), COUNTS]),
    OpCase("add_bool_float", "aten.add.Tensor", lambda x, y: x + y, [TRUTHS, Y]),
    OpCase("rsub", "aten.rsub.Scalar", lambda x: 2 - x, [X]),
    OpCase("rdiv", "aten.reciprocal.default", lambda x: 2 / x, [POSITIVE]),
    OpCase("mul_broadcast", "aten.mul.Tensor", lambda x, y: x * y, [floats(3, 1, 5), floats(4, 1, name="y")]),
    OpCase("div_of_integers", "aten.div.Tensor", lambda x, y: x / y, [INTS, COUNTS]),
    *(
        OpCase(
            f"div_{mode}_{kind}",
            "aten.div.Tensor_mode",
            lambda x, y, mode=mode: torch.div(x, y, rounding_mode=mode),
            pair,
        )
        for mode in ("floor", "trunc")
        for kind, pair in (("floats", [X * 3, Y]), ("integers", [INTS, COUNTS]), ("negative", [INTS, -COUNTS]))
    ),
    OpCase("floor_divide", "aten.floor_divide.default", lambda x: x // 3, [INTS]),
    OpCase(
        "floor_divide_exact", "aten.floor_divide.default", lambda x: x // 0.1, [torch.tensor([1.0, 0.3, -0.7, 5.0])]
    ),
    *(
        OpCase(f"{name}_{kind}", f"aten.{name}.Tensor", getattr(torch, name), pair)
        for name in ("fmod", "remainder")
        for kind, pair in (("floats", [X * 3, Y]), ("integers", [INTS, COUNTS]), ("negative", [INTS, -COUNTS]))
    ),
    OpCase("remainder_scalar", "aten.remainder.Scalar", lambda x: x % -3, [INTS]),
    *(
        OpCase(f"pow_{n}", "aten.pow.Tensor_Scalar", lambda x, n=n: x**n, [POSITIVE])
        for n in (2, 3, 0.5, -0.5, -1, -2, 2.5)
    ),
    OpCase("pow_integers", "aten.pow.Tensor_Scalar", lambda x: x**4, [INTS]),
    OpCase("pow_tensor", "aten.pow.Tensor_Tensor", torch.pow, [POSITIVE, Y]),
    OpCase("pow_of_scalar", "aten.pow.Scalar", lambda x: 2.0**x, [X]),
    *(OpCase(name, f"aten.{name}.default", getattr(torch, name), [X, Y]) for name in ("maximum", "minimum", "atan2")),
    OpCase("maximum_nan", "aten.maximum.default", torch.maximum, [ODD, torch.zeros(8)]),
    *(OpCase(name, f"aten.{name}.default", getattr(torch, name), [ODD, torch.ones(8)]) for name in ("fmax", "fmin")),
    *(
        OpCase(f"{name}_{kind}", f"aten.{name}.Tensor", getattr(torch, name), pair)
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
        for kind, pair in (("integers", [INTS, COUNTS]), ("bool", [TRUTHS, OTHERS]))
    ),
    OpCase("shift_left", "aten.bitwise_left_shift.Tensor", torch.bitwise_left_shift, [INTS, COUNTS % 4]),
    OpCase("shift_right", "aten.bitwise_right_shift.Tensor", torch.bitwise_right_shift, [INTS, COUNTS % 4]),
    *(
        OpCase(name, f"aten.{name}.default", getattr(torch, name), [INTS, COUNTS - 3])
        for name in ("logical_and", "logical_or", "logical_xor")
    ),
    *(
        OpCase(name, f"aten.{name}.Tensor", getattr(torch, name), [INTS, COUNTS - 3])
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    ),
    OpCase("eq_mixed", "aten.eq.Tensor", torch.eq, [INTS, INTS.double() + 0.0]),
    OpCase("lt_scalar", "aten.lt.Scalar", lambda x: x < 0.5, [X]),
    OpCase("gt_integers_float", "aten.gt.Scalar", lambda x: x > 0.5, [INTS]),
    OpCase("ne_nan", "aten.ne.Tensor", torch.ne, [ODD, ODD]),
    OpCase("where", "aten.where.self", torch.where, [TRUTHS, X, Y]),
    OpCase("where_scalar", "aten.where.self", lambda b, x: torch.where(b, x, 0.5), [TRUTHS, X]),
    OpCase("where_mixed", "aten.where.self", torch.where, [TRUTHS, X, INTS]),
    OpCase("masked_fill", "aten.masked_fill.Scalar", lambda x, b: x.masked_fill(b, float("-inf")), [X, TRUTHS]),
    OpCase("masked_fill_tensor", "aten.masked_fill.Tensor", lambda x, b: x.masked_fill(b, x.max()), [X, TRUTHS]),
    OpCase("clamp", "aten.clamp.default", lambda x: x.clamp(-1, 1.5), [X]),
    OpCase("clamp_integers", "aten.clamp.default", lambda x: x.clamp(-1, 2), [INTS]),
    OpCase("clamp_to_floats", "aten.clamp.default", lambda x: x.clamp(-1.5, 2.5), [INTS]),
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
