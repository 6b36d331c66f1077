"""Elementwise ops and their gradients, with every broadcast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from case_text import (
    ACTIVATIONS,
    CASTS,
    COMPARISONS,
    FLOATS,
    INTEGERS,
    Case,
    Inputs,
    function,
    op,
    special_values,
)


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
