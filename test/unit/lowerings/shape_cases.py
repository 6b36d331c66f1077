"""Ops that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from case_text import (
    Case,
    Inputs,
    function,
    op,
)


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
