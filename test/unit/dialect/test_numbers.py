"""
Every bit of a number survives text, folding and MLIR: NaN and its payload, infinities, -0.0, denormals.

The arrays here are long enough to be printed as bits. In a short list xDSL prints each number by itself: a NaN stays
one, but a signalling one becomes quiet, and one of f16 loses its payload.
"""

import subprocess
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from programs import context, parse
from tools import need_program
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, ModuleOp
from xdsl.printer import Printer

from rlx_dialect.builder import Graph
from rlx_dialect.canonicalize.folding import MOST_BYTES
from rlx_dialect.constants import array_of
from rlx_dialect.description.irdl import irdl_text
from rlx_dialect.dtypes import DTYPES, element_type, numpy_dtype
from rlx_dialect.ops import LoraMatMulOp
from rlx_dialect.reference import Array, run
from rlx_passes.simplify.canonicalize import CanonicalizePass

FLOATS = ("f8e4m3fn", "f8e5m2", "f16", "bf16", "f32", "f64")
EDGES: dict[str, Sequence[int]] = {
    "f32": (
        *(0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000),
        *(0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0x3F800001, 0x3DCCCCCD),
    ),
    "f64": (
        *(0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF),
        *(0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000),
        *(0xFFF8000000000000, 0x7FF0000000000001, 0x7FFFFFFFFFFFFFFF, 0x3FF0000000000001, 0x3FB999999999999A),
    ),
}
"""Bits that a careless printer changes."""
REALS = ("inf", "neg_inf", "nan", "-0.0", "5.0e-324", "2.2250738585072014e-308", "1.7976931348623157e+308", "1.0e-45")


def numbers(dtype: str) -> Array:
    """All numbers of an element type of 8 or 16 bits; of a wider one those of `EDGES` and random ones."""
    kind = numpy_dtype(element_type(dtype))
    if kind.itemsize <= 2:
        return np.arange(256**kind.itemsize, dtype=f"u{kind.itemsize}").view(kind)
    bits = np.array(EDGES[dtype], f"u{kind.itemsize}")
    noise = np.random.default_rng(0).integers(0, 256, 500 * kind.itemsize, dtype=np.uint8).view(bits.dtype)
    return np.concatenate([bits, noise]).view(kind)


def program(array: Array) -> ModuleOp:
    """The numbers as one constant, moved so that a fold makes them anew."""
    g = Graph("f")
    g.output("y", g.transpose(g.constant(array.reshape(1, -1)), (1, 0)))
    return g.module()


def constant(module: ModuleOp) -> bytes:
    (found,) = (op.value for op in module.walk() if isinstance(op, ConstantOp))
    assert isinstance(found, DenseIntOrFPElementsAttr)
    return array_of(found).tobytes()


def printed(module: ModuleOp) -> str:
    out = StringIO()
    Printer(out, print_generic_format=True, print_properties_as_attributes=True).print_op(module)
    return out.getvalue()


def mlir_opt(text: str, folder: Path) -> str:
    """`text` read and printed by MLIR, which knows the dialect by its declarations."""
    declarations = folder / "rlx.irdl"
    declarations.write_text(irdl_text())
    command = [need_program("mlir-opt-22", "mlir-opt"), f"--irdl-file={declarations}", "--mlir-print-op-generic", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("dtype", FLOATS)
def test_text_keeps_constants(dtype: str):
    module, expected = program(numbers(dtype)), numbers(dtype).tobytes()
    for text in (str(module), printed(module)):
        again = parse(text)
        assert constant(again) == expected
        assert str(again) == str(module)


@pytest.mark.parametrize("dtype", FLOATS)
def test_folding_keeps_constants(dtype: str):
    every = numbers(dtype)
    few = every[:: 129 if every.itemsize == 2 else 1][: MOST_BYTES // every.itemsize]
    module = program(few)
    CanonicalizePass().apply(context(), module)
    assert not [op for op in module.walk() if op.name == "rlx.transpose"]
    assert constant(module) == few.tobytes()


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_reference_keeps_constants(dtype: str):
    (got,) = run(program(numbers(dtype))).values()
    assert got.tobytes() == numbers(dtype).tobytes()


@pytest.mark.parametrize("dtype", FLOATS)
def test_mlir_keeps_constants(dtype: str, tmp_path: Path):
    assert constant(parse(mlir_opt(printed(program(numbers(dtype))), tmp_path))) == numbers(dtype).tobytes()


@pytest.mark.parametrize("real", REALS)
def test_attributes_keep_their_bits(real: str, tmp_path: Path):
    x = "tensor<3x3xf32>"
    module = parse(f"""
    func.func @f(%x: {x}) -> {x} {{
      %0 = rlx.lora_matmul %x, %x, %x, %x scale({real}) : ({x}, {x}, {x}, {x}) -> {x}
      func.return %0 : {x}
    }}
    """)
    expected = scale(module)
    assert f"scale({real})" in str(module)
    for text in (str(module), printed(module), mlir_opt(printed(module), tmp_path)):
        assert scale(parse(text)) == expected


def scale(module: ModuleOp) -> bytes:
    (op,) = (op for op in module.walk() if isinstance(op, LoraMatMulOp))
    assert isinstance(op.scale, FloatAttr)
    return np.float64(op.scale.value.data).tobytes()


def test_all_floats_are_tried():
    floats = {name for name in DTYPES if numpy_dtype(element_type(name)).kind not in "iubc"}
    assert floats == set(FLOATS)


def test_complex_constants_keep_their_bits(tmp_path: Path):
    """In a short list, with parts as numbers or as bits."""
    bits = np.array([0x7FC00000_80000000, 0x7F800000_00000001, 0xFF800000_FFC00001, 0x80000000_80000000], np.uint64)
    module = program(bits.view(np.complex64))
    assert "(1.401300e-45,0x7f800000)" in str(module)
    for text in (str(module), printed(module), mlir_opt(printed(module), tmp_path)):
        assert constant(parse(text)) == bits.tobytes()
    CanonicalizePass().apply(context(), module)
    assert constant(parse(str(module))) == bits.tobytes()
