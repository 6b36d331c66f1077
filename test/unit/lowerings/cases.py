"""
One small function for every kind of op, element type, rank, broadcast and unknown size that a lowering must get right.

`CASES` maps a function's name to its text and its inputs; whoever lowers rlx ops runs all of them and compares with the
reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from programs import parse, random_inputs

from rlx_dialect.reference import Array
from rlx_dialect.signature import find_function

FLOATS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui32")
ACTIVATIONS = (
    *(
        "gelu",
        "gelu_approx",
        "silu",
        "relu",
        "sigmoid",
        "tanh",
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "neg",
        "abs",
        "sin",
        "cos",
        "tan",
    ),
    *(
        "atan",
        "recip",
        "round",
        "floor",
        "ceil",
        "sign",
        "softplus",
        "elu",
        "erf",
        "hard_swish",
        "hard_sigmoid",
        "mish",
    ),
    *("softsign", "log_sigmoid"),
)
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

CASTS = {
    "f16": ("f32", "bf16", "i32", "ui8"),
    "bf16": ("f32", "f16", "i32", "i1"),
    "f64": ("f16", "bf16", "i64", "ui32"),
    "i8": ("f32", "i64", "ui8", "ui32", "i1"),
    "i16": ("f16", "i8"),
    "i64": ("f64", "i8", "i1"),
    "ui8": ("f32", "i32", "i8", "i1"),
    "ui32": ("f32", "i64", "ui8"),
    "i1": ("f32", "bf16", "i8", "i64"),
}

SPECIAL = [
    np.nan,
    np.inf,
    -np.inf,
    0.0,
    -0.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    1e-3,
    -1e-3,
    3.0,
    -3.0,
    5.0,
    -5.0,
    -5.5,
    -8.0,
    9.5,
    30.0,
    -30.0,
]

Inputs = dict[str, Array]


@dataclass(frozen=True)
class Case:
    """A function as text, its inputs by argument name, and how large the sizes are that its types leave open."""

    text: str
    unknown: int = 3
    change: Callable[[Inputs], object] = field(default=lambda inputs: None)

    def inputs(self, name: str) -> Inputs:
        """Random values, then what `change` makes of them."""
        found = random_inputs(find_function(parse(self.text), name), seed=len(name), unknown=self.unknown)
        self.change(found)
        return found


def function(
    name: str, arguments: Mapping[str, str], body: Sequence[str], results: Mapping[str, str], **options: object
) -> dict[str, Case]:
    """The case `name`: arguments and results by name, each with the type of its tensor."""
    given = ", ".join(f'%{n}: tensor<{t}> {{rlx.input = "{n}"}}' for n, t in arguments.items())
    outputs = ", ".join(f'tensor<{t}> {{rlx.output = "{n}"}}' for n, t in results.items())
    returned = ", ".join(f"%{n}" for n in results)
    types = ", ".join(f"tensor<{t}>" for t in results.values())
    lines = "\n  ".join(body)
    text = f"func.func @{name}({given}) -> ({outputs}) {{\n  {lines}\n  func.return {returned} : {types}\n}}\n"
    return {name: Case(text, **options)}  # pyright: ignore[reportArgumentType] (the options of Case)


def op(name: str, arguments: Mapping[str, str], text: str, result: str, **options: object) -> dict[str, Case]:
    """A function of one op: `text` is its spelling without types."""
    types = ", ".join(f"tensor<{t}>" for t in arguments.values())
    return function(name, arguments, [f"%y = {text} : ({types}) -> tensor<{result}>"], {"y": result}, **options)


def special_values(*names: str) -> Callable[[Inputs], None]:
    """Puts the values at which formulas break into the first elements of the named inputs."""

    def change(inputs: Inputs) -> None:
        for name in names:
            inputs[name].reshape(-1)[: len(SPECIAL)] = SPECIAL

    return change


def scaled(factor: float, *names: str) -> Callable[[Inputs], None]:
    def change(inputs: Inputs) -> None:
        for name in names:
            inputs[name] = (inputs[name] * factor).astype(inputs[name].dtype)

    return change


def elementwise() -> Iterator[dict[str, Case]]:
    for t in FLOATS:
        kinds = ACTIVATIONS if t in ("f32", "f64") else ("gelu", "silu", "relu", "rsqrt", "round", "sign", "sin")
        lines = [f"%{kind} = rlx.activation {kind} %x : tensor<7x5x{t}>" for kind in kinds]
        names = {kind: f"7x5x{t}" for kind in kinds}
        yield function(f"activations_{t}", {"x": f"7x5x{t}"}, lines, names, change=special_values("x"))
        lines = [f"%{kind} = rlx.{kind} %x : tensor<7x5x{t}>" for kind in ("erfc", "log1p", "expm1")]
        lines.append(f"%finite = rlx.is_finite %x : tensor<7x5x{t}> -> tensor<7x5xi1>")
        names = {kind: f"7x5x{t}" for kind in ("erfc", "log1p", "expm1")} | {"finite": "7x5xi1"}
        yield function(f"unary_{t}", {"x": f"7x5x{t}"}, lines, names, change=special_values("x"))
        kinds = ("add", "sub", "mul", "div", "max", "min", "mod", "atan2")
        lines = [
            f"%{kind} = rlx.binary {kind} %a, %b : (tensor<8x5x{t}>, tensor<8x5x{t}>) -> tensor<8x5x{t}>"
            for kind in kinds
        ]
        lines += [
            f"%size = rlx.activation abs %a : tensor<8x5x{t}>",
            f"%pow = rlx.binary pow %size, %b : (tensor<8x5x{t}>, tensor<8x5x{t}>) -> tensor<8x5x{t}>",
        ]
        names = {kind: f"8x5x{t}" for kind in (*kinds, "pow")}
        yield function(f"binary_{t}", {"a": f"8x5x{t}", "b": f"8x5x{t}"}, lines, names)
    for t in INTEGERS:
        kinds = ("add", "sub", "mul", "max", "min", "div", "mod", "bit_and", "bit_or", "bit_xor", "shl", "shr")
        lines = [
            f"%{kind} = rlx.binary {kind} %a, %b : (tensor<6x4x{t}>, tensor<6x4x{t}>) -> tensor<6x4x{t}>"
            for kind in kinds
        ]
        lines.append(f"%pow = rlx.binary pow %a, %c : (tensor<6x4x{t}>, tensor<6x4x{t}>) -> tensor<6x4x{t}>")
        names = {kind: f"6x4x{t}" for kind in (*kinds, "pow")}
        arguments = {"a": f"6x4x{t}", "b": f"6x4x{t}", "c": f"6x4x{t}"}
        yield function(f"binary_{t}", arguments, lines, names, change=integers)
        unary = ("neg", "abs", "sign", "relu")
        lines = [f"%{kind} = rlx.activation {kind} %x : tensor<6x4x{t}>" for kind in unary]
        yield function(f"activations_{t}", {"x": f"6x4x{t}"}, lines, {kind: f"6x4x{t}" for kind in unary})
    for t in ("f32", "bf16", "i32", "ui8", "i1"):
        pair = f"(tensor<8x5x{t}>, tensor<8x5x{t}>) -> tensor<8x5xi1>"
        lines = [f"%{kind} = rlx.compare {kind} %a, %b : {pair}" for kind in COMPARISONS]
        change = shared_values if t != "i1" else None
        options = {} if change is None else {"change": change}
        names = {kind: "8x5xi1" for kind in COMPARISONS}
        yield function(f"compare_{t}", {"a": f"8x5x{t}", "b": f"8x5x{t}"}, lines, names, **options)
        yield op(
            f"where_{t}",
            {"c": "4x1xi1", "a": f"4x5x{t}", "b": f"5x{t}"},
            "rlx.where %c, %a, %b",
            f"4x5x{t}",
        )
    lines = [
        f"%{k} = rlx.binary {k} %a, %b : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>"
        for k in ("bit_and", "bit_or", "bit_xor", "add", "mul", "max", "min")
    ]
    lines.append("%not = rlx.logical_not %a : tensor<9xi1>")
    kinds = ("bit_and", "bit_or", "bit_xor", "add", "mul", "max", "min", "not")
    yield function("truth", {"a": "9xi1", "b": "9xi1"}, lines, {kind: "9xi1" for kind in kinds})
    every = (*FLOATS, *INTEGERS, "i1")
    for t in every:
        targets = every if t in ("f32", "i32") else CASTS[t]
        lines = [f"%to_{u} = rlx.cast %x : tensor<5x4x{t}> -> tensor<5x4x{u}>" for u in targets]
        yield function(f"cast_{t}", {"x": f"5x4x{t}"}, lines, {f"to_{u}": f"5x4x{u}" for u in targets}, change=castable)


def windows() -> Iterator[dict[str, Case]]:
    image, weight = "2x4x9x7xf32", "6x4x3x2xf32"
    yield op("conv", {"x": image, "w": weight}, "rlx.conv %x, %w", "2x6x7x6xf32")
    pads = "stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2]"
    yield op("conv_padded", {"x": image, "w": weight}, f"rlx.conv %x, %w {pads}", "2x6x5x6xf32")
    yield op("conv_groups", {"x": image, "w": "6x2x3x2xf32"}, "rlx.conv %x, %w groups(2)", "2x6x7x6xf32")
    yield op(
        "conv_depthwise",
        {"x": image, "w": "4x1x3x3xf32"},
        "rlx.conv %x, %w pad([1, 1], [1, 1]) groups(4)",
        "2x4x9x7xf32",
    )
    last = "rlx.conv %x, %w layout(channels_last)"
    yield op("conv_channels_last", {"x": "2x9x7x4xf32", "w": weight}, last, "2x7x6x6xf32")
    spread = "rlx.conv %x, %w stride [2] pad([-1], [3]) input_dilation [3]"
    yield op("conv_spread", {"x": "2x4x5xf16", "w": "6x4x2xf16"}, spread, "2x6x7xf16")
    yield op("conv_volume", {"x": "1x2x4x5x3xbf16", "w": "3x2x2x2x2xbf16"}, "rlx.conv %x, %w", "1x3x3x4x2xbf16")
    yield op("conv_batches", {"x": "?x4x9x7xf32", "w": weight}, "rlx.conv %x, %w", "?x6x7x6xf32")
    yield op("conv_nothing", {"x": "1x2x3xf32", "w": "2x2x5xf32"}, "rlx.conv %x, %w", "1x2x0xf32")
    fused = "rlx.fused_conv_bias_act %x, %w, %b residual(%r) activation(relu)"
    arguments = {"x": image, "w": weight, "b": "6xf32", "r": "2x6x7x6xf32"}
    yield op("fused_conv", arguments, fused, "2x6x7x6xf32")
    plain = "rlx.fused_conv_bias_act %x, %w, %b activation(silu) stride [2, 2] layout(channels_last)"
    yield op("fused_conv_last", {"x": "2x9x7x4xf32", "w": weight, "b": "6xf32"}, plain, "2x4x3x6xf32")
    for kind in ("max", "avg"):
        for name, text, result in (
            ("plain", "kernel [2, 3]", "2x4x8x5xf32"),
            ("padded", "kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1])", "2x4x5x4xf32"),
            ("ceil", "kernel [2, 2] stride [2, 2] ceil", "2x4x5x4xf32"),
            ("dilated", "kernel [2, 2] dilation [3, 2]", "2x4x6x5xf32"),
        ):
            yield pool(f"pool_{kind}_{name}", f"{kind} %x {text}", image, result)
    counted = "avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil count_include_pad"
    yield pool("pool_counts_pads", counted, image, "2x4x5x4xf32")
    yield pool("pool_last", "max %x kernel [2, 2] layout(channels_last)", "2x9x7x4xi32", "2x8x6x4xi32")


def pool(name: str, text: str, value: str, result: str) -> dict[str, Case]:
    return function(name, {"x": value}, [f"%y = rlx.pool {text} : tensor<{value}> -> tensor<{result}>"], {"y": result})


def integers(inputs: Inputs) -> None:
    """Divisors that are not 0, exponents that are not negative, shifts inside and beyond the width."""
    inputs["b"][inputs["b"] == 0] = 3
    inputs["b"].reshape(-1)[:2] = 100
    inputs["c"] = np.abs(inputs["c"])


def shared_values(inputs: Inputs) -> None:
    """Half of the elements are equal."""
    inputs["b"][::2] = inputs["a"][::2]
    if inputs["a"].dtype.kind not in "iu":
        special_values("a")(inputs)


def castable(inputs: Inputs) -> None:
    """Values that every dtype can hold: a number outside of an integer type has no defined cast."""
    x = inputs["x"]
    if x.dtype.kind not in "iub":
        inputs["x"] = np.abs(x * np.asarray(3, x.dtype)).astype(x.dtype)
    elif x.dtype.kind == "i":
        inputs["x"] = np.abs(x)


def broadcasts() -> Iterator[dict[str, Case]]:
    pairs = {
        "scalars": ("", "", ""),
        "scalar_left": ("", "2x3x", "2x3x"),
        "one": ("1x", "2x3x", "2x3x"),
        "row": ("2x3x", "3x", "2x3x"),
        "column": ("2x1x", "2x3x", "2x3x"),
        "both": ("4x1x5x", "3x1x", "4x3x5x"),
        "unit": ("1x1x", "1x", "1x1x"),
        "dynamic": ("?x4x", "?x4x", "?x4x"),
        "dynamic_row": ("?x?x", "?x", "?x?x"),
        "dynamic_column": ("?x1x", "1x4x", "?x4x"),
        "half_known": ("?x4x", "3x4x", "3x4x"),
        "empty": ("2x0x3x", "3x", "2x0x3x"),
    }
    for name, (a, b, result) in pairs.items():
        yield op(f"broadcast_{name}", {"a": f"{a}f32", "b": f"{b}f32"}, "rlx.binary sub %a, %b", f"{result}f32")
    yield op("declared_wider", {"a": "3x4xf32", "b": "4xf32"}, "rlx.binary sub %a, %b", "?x4xf32")


def contraction() -> Iterator[dict[str, Case]]:
    shapes = {
        "plain": ("4x8x", "8x5x", "4x5x"),
        "rows": ("2x3x4x8x", "8x5x", "2x3x4x5x"),
        "batched": ("2x4x8x", "2x8x5x", "2x4x5x"),
        "stretched": ("2x1x4x8x", "3x8x5x", "2x3x4x5x"),
        "left_matrix": ("4x8x", "2x8x5x", "2x4x5x"),
        "unit_batch": ("1x4x8x", "1x8x5x", "1x4x5x"),
        "right_unit": ("3x4x8x", "1x8x5x", "3x4x5x"),
        "left_unit": ("1x4x8x", "3x8x5x", "3x4x5x"),
        "unit_in_front": ("4x8x", "1x8x5x", "1x4x5x"),
        "dynamic": ("?x?x8x", "8x5x", "?x?x5x"),
        "dynamic_all": ("?x?x?x", "?x?x?x", "?x?x?x"),
        "nothing_to_sum": ("4x0x", "0x5x", "4x5x"),
        "no_rows": ("2x0x8x", "8x5x", "2x0x5x"),
    }
    for name, (a, b, result) in shapes.items():
        yield op(f"matmul_{name}", {"a": f"{a}f32", "b": f"{b}f32"}, "rlx.matmul %a, %b", f"{result}f32")
    yield op("matmul_truth", {"a": "4x8xi1", "b": "8x5xi1"}, "rlx.matmul %a, %b", "4x5xi1")
    yield op("matmul_truth_rows", {"a": "2x4x8xi1", "b": "8x5xi1"}, "rlx.matmul %a, %b", "2x4x5xi1")
    for t in ("f16", "bf16", "f64", "i32", "i8"):
        yield op(f"matmul_{t}", {"a": f"2x4x8x{t}", "b": f"8x5x{t}"}, "rlx.matmul %a, %b", f"2x4x5x{t}")
    yield op("matmul_wide", {"a": "4x8xf32", "b": "8x5xf32"}, "rlx.matmul %a, %b accumulate(f64)", "4x5xf32")
    general = {
        "matrix": ("4x8x", "8x5x", "contracting([1] x [0])", "4x5x"),
        "transposed": ("8x4x", "5x8x", "contracting([0] x [1])", "4x5x"),
        "batch": ("2x4x3x8x", "2x3x8x5x", "contracting([3] x [2]) batch([0, 2] x [0, 1])", "2x3x4x5x"),
        "two_sums": ("2x8x4x", "4x8x5x", "contracting([1, 2] x [1, 0])", "2x5x"),
        "outer": ("3x", "4x", "contracting([] x [])", "3x4x"),
        "inner": ("7x", "7x", "contracting([0] x [0])", ""),
        "dynamic": ("?x?x8x", "?x8x?x", "contracting([2] x [1]) batch([0] x [0])", "?x?x?x"),
    }
    for name, (a, b, axes, result) in general.items():
        yield op(
            f"dot_general_{name}", {"a": f"{a}f32", "b": f"{b}f32"}, f"rlx.dot_general %a, %b {axes}", f"{result}f32"
        )


def reductions() -> Iterator[dict[str, Case]]:
    for t in (*FLOATS, "i32", "i8", "ui8"):
        kinds = ("sum", "max", "min", "prod", *(("mean",) if t in FLOATS else ()))
        lines = [f"%{k} = rlx.reduce {k} %x axes [1] : tensor<3x5x2x{t}> -> tensor<3x2x{t}>" for k in kinds]
        yield function(f"reduce_{t}", {"x": f"3x5x2x{t}"}, lines, {k: f"3x2x{t}" for k in kinds})
    lines = [f"%{k} = rlx.reduce {k} %x axes [0, 2] : tensor<3x5x2xi1> -> tensor<5xi1>" for k in ("any", "all")]
    yield function("reduce_i1", {"x": "3x5x2xi1"}, lines, {"any": "5xi1", "all": "5xi1"})
    kinds = ("sum", "mean", "max", "min", "prod")
    lines = [f"%{k} = rlx.reduce {k} %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>" for k in kinds]
    yield function("reduce_nothing", {"x": "3x0xf32"}, lines, {k: "3xf32" for k in kinds})
    lines = [f"%{k} = rlx.reduce {k} %x axes [-1, 0] keep_dims : tensor<?x4x?xf32> -> tensor<1x4x1xf32>" for k in kinds]
    yield function("reduce_dynamic", {"x": "?x4x?xf32"}, lines, {k: "1x4x1xf32" for k in kinds})
    forms = {
        "all": ("3x4xf32", "axes [0, 1]", "f32"),
        "none": ("3x4xf32", "axes []", "3x4xf32"),
        "scalar": ("f32", "axes []", "f32"),
        "all_kept": ("3x4xf32", "axes [0, 1] keep_dims", "1x1xf32"),
        "wide": ("3x4xf32", "axes [1] accumulate(f64)", "3xf32"),
    }
    for name, (x, axes, y) in forms.items():
        line = f"%y = rlx.reduce sum %x {axes} : tensor<{x}> -> tensor<{y}>"
        yield function(f"reduce_{name}", {"x": x}, [line], {"y": y})
    lines = [f"%{k} = rlx.reduce {k} %x axes [1] : tensor<4x10xf32> -> tensor<4xf32>" for k in kinds]
    yield function("reduce_nan", {"x": "4x10xf32"}, lines, {k: "4xf32" for k in kinds}, change=special_values("x"))


def normalizations() -> Iterator[dict[str, Case]]:
    for t in FLOATS:
        vectors = {"x": f"3x4x8x{t}", "g": f"8x{t}", "b": f"8x{t}"}
        for norm in ("layer_norm", "rms_norm"):
            yield op(f"{norm}_{t}", vectors, f"rlx.{norm} %x, %g, %b epsilon(1.0e-5)", f"3x4x8x{t}")
        yield function(f"softmax_{t}", {"x": f"3x4x{t}"}, [f"%y = rlx.softmax %x : tensor<3x4x{t}>"], {"y": f"3x4x{t}"})
    for norm in ("layer_norm", "rms_norm"):
        vectors = {"x": "3x8x4xf32", "g": "8xf32", "b": "8xf32"}
        yield op(f"{norm}_middle", vectors, f"rlx.{norm} %x, %g, %b epsilon(1.0e-5) axis(1)", "3x8x4xf32")
        vectors = {"x": "?x?xf32", "g": "?xf32", "b": "?xf32"}
        yield op(f"{norm}_dynamic", vectors, f"rlx.{norm} %x, %g, %b epsilon(0.1)", "?x?xf32")
        vectors = {"x": "8xf32", "g": "8xf32", "b": "8xf32"}
        yield op(f"{norm}_vector", vectors, f"rlx.{norm} %x, %g, %b epsilon(1.0e-5)", "8xf32")
    rows = {"x": "2x3x8xf32", "g": "8xf32", "b": "8xf32"}
    yield op("rms_norm_rows", rows, "rlx.rms_norm %x, %g, %b epsilon(1.0e-5) flatten", "6x8xf32")
    far = {"x": "4x8xf32", "g": "8xf32", "b": "8xf32"}
    yield op(
        "layer_norm_far_mean",
        far,
        "rlx.layer_norm %x, %g, %b epsilon(1.0e-5) accumulate(f64)",
        "4x8xf32",
        change=far_off,
    )
    forms = {
        "axis": ("3x4x5xf32", " axis(0)"),
        "dynamic": ("?x?xf32", ""),
        "empty": ("3x0xf32", ""),
        "vector": ("6xf32", ""),
    }
    for name, (x, axis) in forms.items():
        yield function(f"softmax_{name}", {"x": x}, [f"%y = rlx.softmax %x{axis} : tensor<{x}>"], {"y": x})
    yield function(
        "softmax_hidden", {"x": "3x4xf32"}, ["%y = rlx.softmax %x : tensor<3x4xf32>"], {"y": "3x4xf32"}, change=hidden
    )


def far_off(inputs: Inputs) -> None:
    inputs["x"] += 1000


def hidden(inputs: Inputs) -> None:
    """A slice of -inf only, and one with a single -inf."""
    inputs["x"][0] = -np.inf
    inputs["x"][1, 2] = -np.inf


def attention() -> Iterator[dict[str, Case]]:
    def attend(
        name: str,
        q: str,
        k: str,
        config: str,
        *,
        v: str | None = None,
        mask: tuple[str, str] | None = None,
        result: str | None = None,
        heads: tuple[int, int] = (4, 4),
        widths: tuple[int, int] = (8, 8),
        layout: str = "bhsd",
        change: Callable[[Inputs], object] | None = None,
    ) -> dict[str, Case]:
        arguments = {"q": q, "k": k, "v": v or k} | ({"m": mask[1]} if mask else {})
        masking = f"mask {mask[0]}(%m) " if mask else ""
        text = (
            f"rlx.attention %q, %k, %v {masking}layout({layout}) heads({heads[0]}) kv_heads({heads[1]}) "
            f"head_dim({widths[0]}) v_head_dim({widths[1]}) scale(0.35) {config}"
        )
        return op(f"attention_{name}", arguments, text, result or q, **({"change": change} if change else {}))

    plain = ("2x4x5x8xf32", "2x4x7x8xf32")
    yield attend("plain", *plain, "")
    yield attend("softcap", *plain, "softcap(1.5)")
    yield attend("causal", *plain, "causal_offset(0)")
    yield attend("causal_end", *plain, "causal_offset(end)")
    yield attend("window", *plain, "causal_offset(end) window_left(2)")
    yield attend("window_both", *plain, "window_left(1) window_right(2)")
    for policy in ("uniform", "zero", "nan"):
        yield attend(f"blind_{policy}", *plain, f"causal_offset(-3) masked_rows({policy})")
        yield attend(f"keys_{policy}", *plain, f"masked_rows({policy})", mask=("keys", "2x7xi1"), change=no_keys)
        yield attend(
            f"bias_{policy}", *plain, f"masked_rows({policy})", mask=("bias", "2x1x5x7xf32"), change=minus_infinity
        )
    yield attend("keys_i32", *plain, "causal_offset(end)", mask=("keys", "2x7xi32"), change=zero_or_one)
    yield attend("keys_f32", *plain, "", mask=("keys", "2x7xf32"), change=zero_or_one)
    for shape in ("7xf32", "5x7xf32", "4x1x7xf32", "1x4x5x7xf32", "2x1x1x7xf32", "f32"):
        yield attend(f"bias_{shape}", *plain, "", mask=("bias", shape))
    yield attend("lowest_bias", *plain, "causal_offset(end)", mask=("bias", "2x1x1x7xf32"), change=lowest)
    yield attend("groups", "2x4x5x8xf32", "2x2x7x8xf32", "", heads=(4, 2))
    yield attend("groups_bias", "2x4x5x8xf32", "2x2x7x8xf32", "", heads=(4, 2), mask=("bias", "2x4x5x7xf32"))
    yield attend("one_key_head", "2x4x5x8xf32", "2x1x7x8xf32", "", heads=(4, 1), mask=("bias", "4x5x7xf32"))
    yield attend("one_head", "2x1x5x8xf32", "2x1x7x8xf32", "causal_offset(0)", heads=(1, 1))
    yield attend("wide_values", "2x4x5x8xf32", "2x4x7x8xf32", "", v="2x4x7x6xf32", result="2x4x5x6xf32", widths=(8, 6))
    yield attend("bshd", "2x5x4x8xf32", "2x7x2x8xf32", "", heads=(4, 2), layout="bshd")
    yield attend("bsm", "2x5x32xf32", "2x7x32xf32", "causal_offset(end)", layout="bsm", mask=("keys", "2x7xi1"))
    yield attend(
        "bsm_groups",
        "2x5x32xf32",
        "2x7x16xf32",
        "",
        layout="bsm",
        heads=(4, 2),
        v="2x7x12xf32",
        result="2x5x24xf32",
        widths=(8, 6),
    )
    yield attend("bsm_matrix", "5x32xf32", "7x32xf32", "", layout="bsm", mask=("keys", "1x7xi1"))
    yield attend(
        "dynamic", "?x?x32xf32", "?x?x16xf32", "causal_offset(end)", layout="bsm", heads=(4, 2), mask=("keys", "?x?xi1")
    )
    yield attend("dynamic_bhsd", "?x4x?x8xf32", "?x4x?x8xf32", "window_left(1)")
    for t in ("f16", "bf16", "f64"):
        yield attend(t, f"2x4x5x8x{t}", f"2x4x7x8x{t}", "causal_offset(end)", mask=("bias", f"2x1x5x7x{t}"))
    yield attend("wide_sums", "2x4x5x8xf32", "2x4x7x8xf32", "accumulate(f64)")


def no_keys(inputs: Inputs) -> None:
    """The first batch sees nothing."""
    inputs["m"][0] = False


def minus_infinity(inputs: Inputs) -> None:
    """A query that sees nothing, and one that misses a key."""
    inputs["m"][0, 0, 1] = -np.inf
    inputs["m"][1, 0, 2, 3] = -np.inf


def zero_or_one(inputs: Inputs) -> None:
    inputs["m"] = (inputs["m"] > 0).astype(inputs["m"].dtype)
    inputs["m"][:, 0] = 1


def lowest(inputs: Inputs) -> None:
    """A bias that hides by the most negative number: of the first batch everything."""
    inputs["m"][:] = 0
    inputs["m"][0] = np.finfo(np.float32).min
    inputs["m"][1, ..., 2:4] = np.finfo(np.float32).min


def shapes() -> Iterator[dict[str, Case]]:
    def plain(name: str, x: str, text: str, y: str, before: Sequence[str] = ()) -> dict[str, Case]:
        return function(name, {"x": x}, [*before, f"%y = {text} : tensor<{x}> -> tensor<{y}>"], {"y": y})

    reshapes = {
        "split": ("2x12xf32", "2x3x4xf32"),
        "merge": ("2x3x4xf32", "6x4xf32"),
        "both": ("4x6xf32", "3x8xf32"),
        "units": ("2x3xf32", "1x2x1x3x1xf32"),
        "no_units": ("1x2x1x3xf32", "2x3xf32"),
        "to_scalar": ("1x1xf32", "f32"),
        "from_scalar": ("f32", "1x1xf32"),
        "same": ("2x3xf32", "2x3xf32"),
        "empty": ("2x0xf32", "0x5xf32"),
        "mixed": ("2x3x4x5xf32", "6x20xf32"),
        "f16": ("2x12xf16", "4x6xf16"),
        "i1": ("2x6xi1", "3x4xi1"),
    }
    for name, (x, y) in reshapes.items():
        yield plain(f"reshape_{name}", x, "rlx.reshape %x", y)
    sized = ["%c0 = arith.constant 0 : index", "%d = tensor.dim %x, %c0 : tensor<{x}>"]
    for name, x, y in (
        ("heads", "?x12xf32", "?x3x4xf32"),
        ("flatten", "?x3x4xf32", "?x12xf32"),
        ("move", "?x4xf32", "2x?x2xf32"),
        ("known", "?x4xf32", "12xf32"),
        ("unit", "?xf32", "1x?x1xf32"),
    ):
        sizes = " sizes(%d)" if "?" in y else ""
        yield plain(f"reshape_dynamic_{name}", x, f"rlx.reshape %x{sizes}", y, [line.format(x=x) for line in sized])
    two = ["%c1 = arith.constant 1 : index", "%e = tensor.dim %x, %c1 : tensor<?x?x8xf32>"]
    before = [line.format(x="?x?x8xf32") for line in sized] + two
    yield plain("reshape_two_sizes", "?x?x8xf32", "rlx.reshape %x sizes(%d, %e)", "?x?x2x4xf32", before)
    yield plain("reshape_product", "?x?xf32", "rlx.reshape %x", "9xf32")
    for name, x, y in (
        ("row", "3xf32", "2x3xf32"),
        ("column", "2x1xf32", "2x4xf32"),
        ("scalar", "f32", "2x2xf32"),
        ("same", "2x3xi1", "2x3xi1"),
        ("i1", "3xi1", "2x3xi1"),
    ):
        yield plain(f"expand_{name}", x, "rlx.expand %x", y)
    yield plain(
        "expand_dynamic", "?x1xf32", "rlx.expand %x sizes(%d)", "?x4xf32", [line.format(x="?x1xf32") for line in sized]
    )
    yield plain("transpose", "2x3x4xf32", "rlx.transpose %x [2, 0, 1]", "4x2x3xf32")
    yield plain("transpose_dynamic", "?x3x?xf16", "rlx.transpose %x [2, 0, 1]", "?x?x3xf16")
    yield plain("transpose_i1", "2x3xi1", "rlx.transpose %x [1, 0]", "3x2xi1")
    yield plain("transpose_scalar", "f32", "rlx.transpose %x []", "f32")
    yield plain("narrow", "4x6xf32", "rlx.narrow %x axis(1) start(2) length(3)", "4x3xf32")
    yield plain("narrow_end", "?x6xi8", "rlx.narrow %x axis(-1) start(5) length(1)", "?x1xi8")
    yield plain("narrow_nothing", "4x6xf32", "rlx.narrow %x axis(0) start(4) length(0)", "0x6xf32")
    yield plain("narrow_empty", "0x6xf32", "rlx.narrow %x axis(1) start(2) length(3)", "0x3xf32")
    yield op("concat", {"a": "2x3xf32", "b": "2x1xf32", "c": "2x0xf32"}, "rlx.concat %a, %b, %c axis(1)", "2x4xf32")
    yield op("concat_empty", {"a": "2x0xf32", "b": "3x0xf32"}, "rlx.concat %a, %b axis(0)", "5x0xf32")
    yield op("concat_dynamic", {"a": "?x3xbf16", "b": "2x3xbf16"}, "rlx.concat %a, %b axis(-2)", "?x3xbf16")
    yield op("concat_i1", {"a": "2xi1", "b": "3xi1"}, "rlx.concat %a, %b axis(0)", "5xi1")
    for t in ("i32", "i64", "ui8"):
        yield op(
            f"gather_{t}", {"t": "6x4xf32", "i": f"2x3x{t}"}, "rlx.gather %t, %i axis(0)", "2x3x4xf32", change=indices
        )
    yield op(
        "gather_middle", {"t": "2x6x4xf16", "i": "5xi32"}, "rlx.gather %t, %i axis(1)", "2x5x4xf16", change=indices
    )
    yield op("gather_scalar", {"t": "6x4xi1", "i": "i32"}, "rlx.gather %t, %i axis(0)", "4xi1", change=indices)
    yield op(
        "gather_dynamic",
        {"t": "?x4xf32", "i": "?x2xi32"},
        "rlx.gather %t, %i axis(0)",
        "?x2x4xf32",
        change=first_indices,
    )
    constants = [
        "%w = arith.constant dense<[1, 255, 7]> : tensor<3xui8>",
        "%y = rlx.binary add %x, %w : (tensor<2x3xui8>, tensor<3xui8>) -> tensor<2x3xui8>",
        "%t = arith.constant dense<[true, false, true]> : tensor<3xi1>",
        "%s = arith.constant dense<true> : tensor<2x3xi1>",
        "%z = rlx.binary bit_and %s, %t : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>",
    ]
    yield function("constants", {"x": "2x3xui8"}, constants, {"y": "2x3xui8", "z": "2x3xi1", "t": "3xi1"})
    ones = {"ui8": "1", "i32": "1", "f32": "1.0"}
    empty = [f"%{t} = arith.constant dense<{one}> : tensor<0x3x{t}>" for t, one in ones.items()]
    yield function("constants_empty", {}, empty, {t: f"0x3x{t}" for t in ones})


def indices(inputs: Inputs) -> None:
    inputs["i"][...] = np.abs(inputs["i"].astype(np.int64)) % 6


def first_indices(inputs: Inputs) -> None:
    inputs["i"] = np.abs(inputs["i"]) % 3


def gradients() -> Iterator[dict[str, Case]]:
    for t in ("f32", "f64"):
        kind_of = "(tensor<7x5x{t}>, tensor<7x5x{t}>) -> tensor<7x5x{t}>".replace("{t}", t)
        lines = [f"%{kind} = rlx.activation_backward {kind} %x, %g : {kind_of}" for kind in ACTIVATIONS]
        lines.append(f"%plain = rlx.relu_backward %x, %g : {kind_of}")
        names = {kind: f"7x5x{t}" for kind in (*ACTIVATIONS, "plain")}
        yield function(f"gradients_{t}", {"x": f"7x5x{t}", "g": f"7x5x{t}"}, lines, names, change=corners)


def corners(inputs: Inputs) -> None:
    """The values at which derivatives jump."""
    inputs["x"].reshape(-1)[:9] = [0.0, -3.0, 3.0, np.nan, 0.5, -0.5, 20.0, -20.0, 1e-3]


def fused() -> Iterator[dict[str, Case]]:
    for t in FLOATS:
        arguments = {"x": f"2x4x8x{t}", "w": f"8x6x{t}", "b": f"6x{t}"}
        for activation in ("", " activation(gelu)", " activation(relu)", " activation(silu)"):
            name = activation[12:-1] or "none"
            yield op(
                f"fused_matmul_{name}_{t}", arguments, f"rlx.fused_matmul_bias_act %x, %w, %b{activation}", f"2x4x6x{t}"
            )
        rows = f"2x3x8x{t}"
        arguments = {"x": rows, "r": rows, "g": f"8x{t}", "b": f"8x{t}"}
        yield op(f"fused_residual_ln_{t}", arguments, "rlx.fused_residual_ln %x, %r, %g, %b epsilon(1.0e-5)", rows)
        types = (
            f"(tensor<{rows}>, tensor<{rows}>, tensor<8x{t}>, tensor<8x{t}>, tensor<8x{t}>) -> (tensor<{rows}>, "
            f"tensor<{rows}>)"
        )
        line = f"%y, %s = rlx.fused_residual_ln %x, %r, %g, %b bias(%c) epsilon(1.0e-5) : {types}"
        yield function(f"fused_residual_ln_tee_{t}", arguments | {"c": f"8x{t}"}, [line], {"y": rows, "s": rows})
    arguments = {"x": "?x8xf32", "w": "8x6xf32", "b": "6xf32"}
    yield op("fused_matmul_dynamic", arguments, "rlx.fused_matmul_bias_act %x, %w, %b activation(tanh)", "?x6xf32")
    config = "heads(4) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5)"
    for t in ("f32", "f16"):
        for name, bias, mask in (
            ("plain", "", ""),
            ("bias", f"bias(%c, %d : tensor<32x{t}>, tensor<16x{t}>) ", ""),
            ("mask", f"bias(%c, %d : tensor<32x{t}>, tensor<16x{t}>) ", "mask keys(%m : tensor<2x5xi1>) "),
        ):
            arguments = {
                "x": f"2x5x16x{t}",
                "w": f"16x32x{t}",
                "o": f"16x16x{t}",
                "c": f"32x{t}",
                "d": f"16x{t}",
                "m": "2x5xi1",
            }
            types = f"(tensor<2x5x16x{t}>, tensor<16x32x{t}>, tensor<16x16x{t}>) -> tensor<2x5x16x{t}>"
            line = f"%y = rlx.fused_attention_block %x, %w, %o {bias}{mask}{config} causal_offset(0) : {types}"
            change = scaled(0.3, "w", "o")
            yield function(f"attention_block_{name}_{t}", arguments, [line], {"y": f"2x5x16x{t}"}, change=change)


CHAPTERS = (
    elementwise,
    broadcasts,
    contraction,
    reductions,
    normalizations,
    attention,
    shapes,
    gradients,
    fused,
    windows,
)

CASES = {name: case for chapter in CHAPTERS for found in chapter() for name, case in found.items()}
