"""What went wrong in other tools between a program and its text, named by its id."""

from io import StringIO

import numpy as np
import pytest
from programs import parse
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from rlx_dialect.constants import array_of
from rlx_dialect.ops import LoraMatMulOp

BITS = {
    "f32": (np.uint32, ["0x7FC00000", "0x7F800000", "0xFF800000", "-0.0", "1.0e-45", "0x7FC00001"]),
    "f64": (np.uint64, ["0x7FF8000000000000", "0xFFF0000000000000", "-0.0", "5.0e-324"]),
    "f16": (np.uint16, ["0x7E00", "0xFC00", "-0.0", "6.0e-8"]),
    "bf16": (np.uint16, ["0x7FC0", "0xFF80", "-0.0", "1.0e-40"]),
    "complex<f32>": (
        np.uint64,
        ["(0x7FC00000, -0.0)", "(1.0e-45, 0x7F800000)", "(0xFF800000, 0xFFC00001)", "(-0.0, -0.0)"],
    ),
}


def printed(module: ModuleOp, generic: bool) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def bits(module: ModuleOp, kind: type[np.generic]) -> list[int]:
    (constant,) = [op for op in module.walk() if isinstance(op, ConstantOp)]
    return np.frombuffer(array_of(constant.value).tobytes(), kind).tolist()


@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
@pytest.mark.parametrize("dtype", BITS)
def test_k50_constants_keep_their_bits(dtype: str, generic: bool):
    kind, numbers = BITS[dtype]
    module = parse(f"%c = arith.constant dense<[{', '.join(numbers)}]> : tensor<{len(numbers)}x{dtype}>")
    text = printed(module, generic)
    assert bits(parse(text), kind) == bits(module, kind)
    assert len(set(bits(module, kind))) == len(numbers)
    assert printed(parse(text), generic) == text


@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
@pytest.mark.parametrize("scale", ["inf", "neg_inf", "nan", "-0.0", "1.0e-45", "9.99999996e-13"])
def test_k50_attributes_keep_theirs(scale: str, generic: bool):
    module = parse(f"""
    func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
      %y = rlx.lora_matmul %x, %x, %x, %x scale({scale})
          : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      func.return %y : tensor<4x4xf32>
    }}""")
    text = printed(module, generic)
    again = parse(text)
    before, after = (
        np.float64(op.scale.value.data).tobytes()
        for each in (module, again)
        for op in each.walk()
        if isinstance(op, LoraMatMulOp)
    )
    assert after == before
    assert printed(again, generic) == text
