"""Attention, fused ops and whole programs, exported to StableHLO and run by XLA on the CPU."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from exported import Array, check, compare, function, random_inputs
from tools import need_module, sampled
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from rlx_dialect.description.facts import accepted
from rlx_dialect.reference import run
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.core.errors import Refusal
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.reading.dialects import tool_context

HEADS = "heads(4) kv_heads(2) head_dim(6) v_head_dim(5) scale(0.4)"


LAYOUTS = {
    "bhsd": ("tensor<2x4x3x6xf32>", "tensor<2x2x7x6xf32>", "tensor<2x2x7x5xf32>", "tensor<2x4x3x5xf32>"),
    "bshd": ("tensor<2x3x4x6xf32>", "tensor<2x7x2x6xf32>", "tensor<2x7x2x5xf32>", "tensor<2x3x4x5xf32>"),
    "bsm": ("tensor<2x3x24xf32>", "tensor<2x7x12xf32>", "tensor<2x7x10xf32>", "tensor<2x3x20xf32>"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_attention(layout: str):
    q, k, v, out = LAYOUTS[layout]
    masks = {
        "": "",
        "mask keys(%3) ": ", tensor<2x7xi1>",
        "mask bias(%4) ": ", tensor<4x1x7xf32>",
    }
    forms = [
        "",
        "softcap(2.0) ",
        "causal_offset(end) ",
        "causal_offset(0) masked_rows(zero) ",
        "window_left(1) window_right(2) masked_rows(nan) ",
        "causal_offset(2) window_left(2) masked_rows(uniform) ",
    ]
    lines = [
        (f"rlx.attention %0, %1, %2 {mask}layout({layout}) {HEADS} {form}: ({q}, {k}, {v}{type}) -> {out}", out)
        for mask, type in masks.items()
        for form in (forms if layout == "bhsd" else forms[:3:2])
    ]
    check(function([q, k, v, "tensor<2x7xi1>", "tensor<4x1x7xf32>"], lines))


def test_attention_rows_that_see_nothing():
    q, out = "tensor<1x2x4xf32>", "tensor<1x2x4xf32>"
    heads = "heads(1) kv_heads(1) head_dim(4) v_head_dim(4) scale(1.0)"
    bias = np.array([[0, -np.inf], [-np.inf, -np.inf]], "f4")
    lines: list[tuple[str, str]] = []
    for rows in ("uniform", "zero", "nan"):
        for kind, operand, type in (("keys", "%1", "tensor<1x2xf32>"), ("bias", "%2", "tensor<2x2xf32>")):
            text = f"rlx.attention %0, %0, %0 mask {kind}({operand}) layout(bsm) {heads} masked_rows({rows})"
            lines.append((f"{text} : ({q}, {q}, {q}, {type}) -> {out}", out))
    x = np.arange(8, dtype="f4").reshape(1, 2, 4)
    check(function([q, "tensor<1x2xf32>", "tensor<2x2xf32>"], lines), inputs=[x, np.zeros((1, 2), "f4"), bias])


FUSED = """
func.func @main(%x: tensor<2x3x8xf32>, %w: tensor<8x12xf32>, %b: tensor<12xf32>, %r: tensor<2x3x8xf32>,
    %g: tensor<8xf32>,
             %w2: tensor<4x8xf32>, %b2: tensor<8xf32>, %m: tensor<2x3xi1>)
    -> (tensor<2x3x12xf32>, tensor<2x3x12xf32>, tensor<2x3x12xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>,
        tensor<2x3x8xf32>,
        tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu)
       : (tensor<2x3x8xf32>, tensor<8x12xf32>, tensor<12xf32>) -> tensor<2x3x12xf32>
  %1 = rlx.fused_matmul_bias_act %r, %w, %b activation(gelu)
       : (tensor<2x3x8xf32>, tensor<8x12xf32>, tensor<12xf32>) -> tensor<2x3x12xf32>
  %2 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<2x3x8xf32>, tensor<8x12xf32>, tensor<12xf32>)
      -> tensor<2x3x12xf32>
  %3 = rlx.fused_residual_ln %x, %r, %g, %b2 epsilon(1.0e-5)
       : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %4, %5 = rlx.fused_residual_ln %x, %r, %g, %b2 bias(%g) epsilon(1.0e-5)
       : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
       -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
  %6 = rlx.fused_attention_block %x, %w, %w2 bias(%b, %b2 : tensor<12xf32>, tensor<8xf32>) mask keys(%m
      : tensor<2x3xi1>)
       heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5)
       : (tensor<2x3x8xf32>, tensor<8x12xf32>, tensor<4x8xf32>) -> tensor<2x3x8xf32>
  %7 = rlx.fused_attention_block %x, %w, %w2 heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) causal_offset(0)
       : (tensor<2x3x8xf32>, tensor<8x12xf32>, tensor<4x8xf32>) -> tensor<2x3x8xf32>
  func.return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3x12xf32>, tensor<2x3x12xf32>, tensor<2x3x12xf32>,
      tensor<2x3x8xf32>,
      tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
}
"""


def test_fused_ops_become_composites():
    """Seven fused ops of six forms: two share one decomposition."""
    text = generic_text(check(FUSED))
    assert text.count('"stablehlo.composite"') == 7
    assert text.count('sym_visibility = "private"') == 6


DIALECT = Path(__file__).parents[2] / "filecheck" / "dialect"


VALID = sorted(path.stem for path in DIALECT.glob("*.mlir") if not path.stem.endswith("invalid"))


def static_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions over tensors of known dims."""
    return [
        op for op in module.body.ops if isinstance(op, FuncOp) and op.body.blocks and all(map(is_static, op.walk()))
    ]


def is_static(op: Operation) -> bool:
    """Whether an op works on tensors of known dims alone."""
    types: list[Attribute] = [value.type for value in (*op.operands, *op.results)]
    types += op.function_type.inputs.data if isinstance(op, FuncOp) else ()
    return all(isinstance(type, TensorType) and "?" not in str(cast(Attribute, type)) for type in types)


@sampled(5)
@pytest.mark.parametrize("chapter", VALID)
def test_programs_of_the_dialect_tests(chapter: str):
    """Every function of a round-trip test, all called by one main, so that XLA compiles once a file."""
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    for text in accepted(DIALECT / f"{chapter}.mlir"):
        module = parse_module(tool_context(), text)
        functions = static_functions(module)
        inputs: list[Array] = []
        expected: dict[str, Array] = {}
        for op in [op for op in module.body.ops if op not in functions]:
            op.detach()
            op.erase()
        types = [type for op in functions for type in op.function_type.inputs.data]
        main, calls = Block(arg_types=types), list[CallOp]()
        for op in functions:
            name = op.sym_name.data
            arrays = random_inputs(ModuleOp([op.clone()]))
            expected |= {f"{name}: {key}": value for key, value in run(module, name, arrays).items()}
            arguments = main.args[len(inputs) : len(inputs) + len(arrays)]
            calls.append(CallOp(name, arguments, op.function_type.outputs.data))
            inputs += arrays
            op.sym_visibility = StringAttr("private")
        results = [result for call in calls for result in call.results]
        main.add_ops([*calls, ReturnOp(*results)])
        signature = (types, [result.type for result in results])
        ConvertRLXToStableHLOPass().apply(tool_context(), module)
        module.body.block.add_op(FuncOp("main", signature, Region(main)))
        module.verify()
        compare(XlaFunction(generic_text(module), chapter)(inputs), expected)


def test_equal_dynamic_operands_need_no_size():
    type = "tensor<?x4xf32>"
    module = parse_module(
        tool_context(),
        f"func.func @main(%x: {type}) -> {type} {{\n %0 = rlx.binary add %x, %x : ({type}, {type}) -> {type}\n"
        f" func.return %0 : {type}\n}}",
    )
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    assert '"stablehlo.add"' in generic_text(module)


def test_foreign_op():
    module = parse_module(
        tool_context(),
        "func.func @main(%x: index) -> index {\n %0 = arith.addi %x, %x : index\n func.return %0 : index\n}",
    )
    with pytest.raises(Refusal, match=r"'arith.addi' in @main has no form in StableHLO"):
        ConvertRLXToStableHLOPass().apply(tool_context(), module)
