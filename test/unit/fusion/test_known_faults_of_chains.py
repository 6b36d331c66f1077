"""What other fusers got wrong with long chains and unused ops: a test per fault, named by its id."""

import sys

import pytest
from programs import context, parse
from programs_of_fusion import PIPELINE, apply, encoder, names, run
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.traits import IsTerminator, MemoryEffect

from rlx_dialect import RLX
from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass


def chain(length: int, returned: bool = True) -> ModuleOp:
    """`x + x + x ...`, op after op; dead when only `x` is returned. Built, since parsing would take longer."""
    type = TensorType(f32, [4])
    block = Block(arg_types=[type])
    (x,) = block.args
    value: SSAValue = x
    for _ in range(length):
        add = BinaryOp(BinaryKind.ADD, value, x)
        block.add_op(add)
        value = add.result
    block.add_op(ReturnOp(value if returned else x))
    return ModuleOp([FuncOp("f", ([type], [type]), Region(block))])


def test_k47_a_chain_of_twenty_thousand():
    """No recursion: the depth is above Python's limit many times over; dead or alive."""
    length = 20_000
    assert length > 10 * sys.getrecursionlimit()
    module = chain(length)
    for pass_ in PIPELINE:
        pass_.apply(context(), module)
    assert len(names(module)) == length

    dead = chain(length, returned=False)
    DeadCodeEliminationPass().apply(context(), dead)
    assert not names(dead)


def test_k47_late_operands_in_a_deep_chain_move_without_recursion():
    """The gain of a norm depends on a long chain that is computed after the sum."""
    length = 1_500
    assert length > sys.getrecursionlimit()
    text = "\n".join(
        [
            "func.func @f(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {",
            "  %s = rlx.binary add %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>",
            "  %0 = rlx.activation exp %g : tensor<4xf32>",
            *(f"  %{i + 1} = rlx.activation neg %{i} : tensor<4xf32>" for i in range(length)),
            f"  %y = rlx.layer_norm %s, %{length}, %g epsilon(1.0e-5) "
            ": (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>",
            "  func.return %s, %y : tensor<2x4xf32>, tensor<2x4xf32>",
            "}",
        ]
    )
    module, _ = run(text, FuseResidualLNPass())
    assert names(module)[-1] == "rlx.fused_residual_ln"


def steps(count: int) -> int:
    """How many Python functions the pipeline calls on an encoder of `count` layers."""
    module = parse(encoder(count))
    calls = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(profile)
    try:
        for pass_ in PIPELINE:
            pass_.apply(context(), module)
    finally:
        sys.setprofile(None)
    return calls


def test_k47_the_cost_is_linear():
    """Counted in calls, not in time: four times the program is four times the work, within a tenth."""
    base = steps(2)
    small, large = steps(10) - base, steps(34) - base
    assert large / small == pytest.approx(4.0, rel=0.1)


def test_k48_an_unused_op_of_every_kind_goes():
    text = (
        "func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8xf32>, %i: tensor<2xi32>, "
        "%p: tensor<2x4x8xi1>, "
        "%qkv: tensor<8x24xf32>) {\n" + "\n".join(UNUSED) + "\n  func.return\n}"
    )
    module = parse(text)
    assert len(names(module)) == len(UNUSED)
    apply(module, DeadCodeEliminationPass())
    assert not names(module)


def test_k48_every_kind_says_what_effects_it_has():
    silent = [op.name for op in RLX.operations if not op.has_trait(MemoryEffect) and not op.has_trait(IsTerminator)]
    assert silent == ["rlx.artifact"]


X, W, V, P = "tensor<2x4x8xf32>", "tensor<8x8xf32>", "tensor<8xf32>", "tensor<2x4x8xi1>"


UNUSED = [
    f"  rlx.activation exp %x : {X}",
    f"  rlx.binary add %x, %v : ({X}, {V}) -> {X}",
    f"  rlx.cast %x : {X} -> tensor<2x4x8xf16>",
    f"  rlx.compare lt %x, %v : ({X}, {V}) -> {P}",
    f"  rlx.erfc %x : {X}",
    f"  rlx.expm1 %x : {X}",
    f"  rlx.is_finite %x : {X} -> {P}",
    f"  rlx.log1p %x : {X}",
    f"  rlx.logical_not %p : {P}",
    f"  rlx.where %p, %x, %v : ({P}, {X}, {V}) -> {X}",
    f"  rlx.matmul %x, %w : ({X}, {W}) -> {X}",
    f"  rlx.dot_general %x, %w contracting([2] x [0]) : ({X}, {W}) -> {X}",
    f"  rlx.layer_norm %x, %v, %v epsilon(1.0e-5) : ({X}, {V}, {V}) -> {X}",
    f"  rlx.rms_norm %x, %v, %v epsilon(1.0e-5) : ({X}, {V}, {V}) -> {X}",
    f"  rlx.softmax %x : {X}",
    "  rlx.attention %x, %x, %x layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) "
    f": ({X}, {X}, {X}) -> {X}",
    f"  rlx.reduce sum %x axes [2] : {X} -> tensor<2x4xf32>",
    f"  rlx.reshape %x : {X} -> tensor<64xf32>",
    f"  rlx.expand %v : {V} -> {X}",
    f"  rlx.transpose %w [1, 0] : {W} -> {W}",
    f"  rlx.narrow %x axis(1) start(1) length(2) : {X} -> tensor<2x2x8xf32>",
    f"  rlx.concat %x, %x axis(0) : ({X}, {X}) -> tensor<4x4x8xf32>",
    f"  rlx.gather %w, %i axis(0) : ({W}, tensor<2xi32>) -> tensor<2x8xf32>",
    f"  rlx.fused_matmul_bias_act %x, %w, %v : ({X}, {W}, {V}) -> {X}",
    f"  rlx.fused_residual_ln %x, %x, %v, %v epsilon(1.0e-5) : ({X}, {X}, {V}, {V}) -> {X}",
    "  rlx.fused_attention_block %x, %qkv, %w heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) "
    f": ({X}, tensor<8x24xf32>, {W}) -> {X}",
]
