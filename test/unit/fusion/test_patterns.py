"""The base of all fusions: what a match may do, how it is applied, and in whose walker."""

from dataclasses import dataclass

from programs import check_uses, context, parse, text_of
from programs_of_fusion import apply, encoder, names, run
from xdsl.dialects.builtin import ModuleOp, f16
from xdsl.ir import Operation
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from rlx_dialect.attributes import Activation
from rlx_dialect.ops import ActivationOp, CastOp, MatMulOp
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass, MatMulBiasAct
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass, ResidualLN
from rlx_passes.rewriting.legality import only_reader, require
from rlx_passes.rewriting.miss import Reason, collect_misses
from rlx_passes.rewriting.order import is_after, numbered, put_before
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


def test_a_pattern_works_in_a_walker_of_xdsl():
    """The same result as under the driver, a tee and moved operands included."""
    theirs, ours = parse(encoder(2) + LATE_GAIN), parse(encoder(2) + LATE_GAIN)
    walker = PatternRewriteWalker(GreedyRewritePatternApplier([MatMulBiasAct(), ResidualLN()]), apply_recursively=False)
    assert walker.rewrite_module(theirs)
    apply(ours, FuseMatMulBiasActPass(), FuseResidualLNPass())
    assert text_of(theirs) == text_of(ours)


LATE_GAIN = """
func.func @late(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %s = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = rlx.activation exp %g : tensor<8xf32>
  %y = rlx.layer_norm %s, %e, %g epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %s, %y : tensor<4x8xf32>, tensor<4x8xf32>
}"""

TWO = """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %x : tensor<4xf32>
  %1 = rlx.activation neg %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}"""


@dataclass(frozen=True)
class ToHalf(FusionPattern[ActivationOp]):
    """A faulty pattern: gives a value of another type."""

    title = "to_half"
    roots = (ActivationOp,)

    def match(self, root: ActivationOp, /) -> Fusion:
        require(root.activation is Activation.NEG, Reason.NOT_CONSUMED_BY, root)
        return Fusion.of((root,), CastOp(root.input, f16))


def test_a_fusion_that_changes_a_type_is_refused_and_leaves_nothing_behind():
    module = parse(TWO)
    before = text_of(module)
    with collect_misses() as misses:
        assert not run_patterns(module, (ToHalf(),))
    assert [str(miss.reason) for miss in misses] == ["RLX-F005 not-consumed-by", "RLX-F011 type-changes"]
    assert text_of(module) == before
    check_uses(module)


@dataclass(frozen=True)
class TwoNegations(FusionPattern[ActivationOp]):
    """neg, neg => neg: fuses again and again if new ops were visited."""

    title = "two"
    roots = (ActivationOp,)

    def match(self, root: ActivationOp, /) -> Fusion:
        reader = only_reader(root.result, ActivationOp)
        return Fusion.of((root, reader), ActivationOp(Activation.NEG, root.input))


def test_new_ops_are_not_visited():
    text = "\n".join(
        [
            "func.func @f(%0: tensor<4xf32>) -> tensor<4xf32> {",
            *(f"  %{i + 1} = rlx.activation neg %{i} : tensor<4xf32>" for i in range(6)),
            "  func.return %6 : tensor<4xf32>",
            "}",
        ]
    )
    module = parse(text)
    assert run_patterns(module, (TwoNegations(),))
    assert names(module) == ["rlx.activation"] * 3


def test_the_first_pattern_wins():
    module = parse(TWO)
    assert run_patterns(module, (TwoNegations(), ToHalf()))
    assert names(module) == ["rlx.activation"]


def test_an_op_of_no_root_is_left_alone():
    module = parse(TWO)

    class Never(FusionPattern[MatMulOp]):
        title = "never"
        roots = (MatMulOp,)

        def match(self, root: MatMulOp, /) -> Fusion:
            raise AssertionError

    assert not run_patterns(module, (Never(),))


def test_locations_of_unknown_places_are_left_out():
    text = """
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc(unknown)
      %1 = rlx.binary add %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc("net.py":2:1)
      func.return %1 : tensor<4x8xf32>
    }"""
    module, _ = run(text, FuseMatMulBiasActPass())
    assert '-> tensor<4x8xf32> loc("net.py":2:1)' in text_of(module, locations=True)
    apply(module, UnfusePass())
    assert text_of(module, locations=True).count('loc("net.py":2:1)') == 2


def test_ops_that_a_pattern_moved_or_made_can_be_moved_again():
    """The gain of the second norm is the first norm's own output, which comes after the second sum."""
    v, g = "tensor<8x8xf32>", "tensor<8xf32>"
    text = f"""
    func.func @f(%x: {v}, %r: {v}, %g: {g}) -> ({v}, {v}, {v}, {v}) {{
      %s = rlx.binary add %x, %r : ({v}, {v}) -> {v}
      %t = rlx.binary add %r, %r : ({v}, {v}) -> {v}
      %e = rlx.activation exp %g : {g}
      %a = rlx.layer_norm %t, %e, %g epsilon(1.0e-5) : ({v}, {g}, {g}) -> {v}
      %h = rlx.reduce mean %a axes [0] : {v} -> {g}
      %b = rlx.layer_norm %s, %h, %e epsilon(1.0e-5) : ({v}, {g}, {g}) -> {v}
      func.return %s, %t, %a, %b : {v}, {v}, {v}, {v}
    }}"""
    module, misses = run(text, FuseResidualLNPass())
    assert not misses
    assert names(module) == ["rlx.activation", "rlx.fused_residual_ln", "rlx.reduce", "rlx.fused_residual_ln"]


def test_a_dead_reader_does_not_count_where_nobody_swept_before():
    module = parse("""
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      %1 = rlx.activation exp %0 : tensor<4x8xf32>
      %2 = rlx.binary add %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      func.return %2 : tensor<4x8xf32>
    }""")
    assert PatternRewriteWalker(MatMulBiasAct(), apply_recursively=False).rewrite_module(module)
    assert "rlx.fused_matmul_bias_act" in names(module)


@dataclass(frozen=True)
class Greedy(FusionPattern[ActivationOp]):
    """Takes whatever comes before its root with it."""

    title = "greedy"
    roots = (ActivationOp,)

    def match(self, root: ActivationOp, /) -> Fusion:
        before = root.input.owner
        absorbed = (before, root) if isinstance(before, Operation) else (root,)
        return Fusion.of(absorbed, ActivationOp(Activation.NEG, root.input))


def test_an_op_with_effects_is_not_absorbed():
    module = parse("""
    func.func @f() -> tensor<4xf32> {
      %0 = "acme.next"() : () -> tensor<4xf32>
      %1 = rlx.activation exp %0 : tensor<4xf32>
      func.return %1 : tensor<4xf32>
    }""")
    with collect_misses() as misses:
        assert not run_patterns(module, (Greedy(),))
    assert [str(miss.reason) for miss in misses] == ["RLX-F008 effects"]


def test_positions():
    """By number, by walking where there are none, and by walking among those that share one."""
    module = parse(TWO.replace("func.return", "%2 = rlx.activation exp %1 : tensor<4xf32>\n  func.return"))
    a, b, c = (op for op in module.walk() if isinstance(op, ActivationOp))
    questions = [(a, b), (b, a), (a, c), (c, a)]
    assert [is_after(x, y) for x, y in questions] == [False, True, False, True]
    with numbered(module):
        assert [is_after(x, y) for x, y in questions] == [False, True, False, True]
        put_before((a, b), c)
        assert [is_after(x, y) for x, y in questions] == [False, True, False, True]


def test_a_module_without_functions():
    module = ModuleOp([])
    FuseMatMulBiasActPass().apply(context(), module)
    assert list(module.walk()) == [module]
