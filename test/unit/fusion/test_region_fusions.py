"""Region passes: known faults of regions, each by its id, and the facts that the policy rests on."""

import re
from collections.abc import Sequence

import pytest
from programs import parse, random_inputs, text_of
from programs_of_fusion import apply, names, run
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from rlx_dialect import reference
from rlx_dialect.ops import ElementwiseRegionOp, TransformRegionOp
from rlx_dialect.signature import find_function
from rlx_passes.budget.limits import NO_BOUND
from rlx_passes.core.errors import PipelineError
from rlx_passes.expansion.clip_elementwise_regions import ClipElementwiseRegionsPass
from rlx_passes.expansion.decompose_fusion_regions import DecomposeFusionRegionsPass
from rlx_passes.expansion.lower_control_flow import LowerControlFlowPass
from rlx_passes.expansion.unfuse_elementwise_regions import UnfuseElementwiseRegion, UnfuseElementwiseRegionsPass
from rlx_passes.fusion.fuse_batch_preprocess import FuseBatchPreprocessPass
from rlx_passes.fusion.fuse_region_prologue import FuseRegionProloguePass
from rlx_passes.fusion.mark_batch_slice_regions import MarkBatchSliceRegionsPass
from rlx_passes.fusion.mark_elementwise_regions import MarkElementwiseRegion, MarkElementwiseRegionsPass
from rlx_passes.fusion.mark_transform_regions import MarkTransformRegionsPass
from rlx_passes.pipeline.entries import fuse_passes
from rlx_passes.rewriting.patterns import run_patterns

MARK = MarkElementwiseRegionsPass()
UNBOUNDED = MarkElementwiseRegionsPass(max_elementwise_steps=NO_BOUND, max_elementwise_inputs=NO_BOUND)
UNFUSE = UnfuseElementwiseRegionsPass()
BATCH: tuple[ModulePass, ...] = (
    MarkBatchSliceRegionsPass(),
    MarkTransformRegionsPass(),
    FuseRegionProloguePass(),
    FuseBatchPreprocessPass(),
)


def regions(module: ModuleOp) -> list[ElementwiseRegionOp]:
    return [op for op in module.walk() if isinstance(op, ElementwiseRegionOp)]


def same_values(text: str, module: ModuleOp) -> None:
    """`module` computes exactly what `text` does: regions do not change what is rounded."""
    before = parse(text)
    inputs = random_inputs(find_function(before))
    wanted, got = reference.run(before, None, inputs), reference.run(module, None, inputs)
    assert {name: value.tobytes() for name, value in got.items()} == {
        name: value.tobytes() for name, value in wanted.items()
    }


def function(arguments: Sequence[str], type: str, *lines: str, result: str = "", gives: str = "") -> str:
    """`@f` of `arguments`, all of `type`; `lines` are ops without types, `B` and `U` those of binary and unary ops."""
    body = "\n".join(
        f"  {line.replace(' B', f' : ({type}, {type}) -> {type}').replace(' U', f' : {type}')}" for line in lines
    )
    parameters = ", ".join(f"%{name}: {type}" for name in arguments)
    last = result or re.findall(r"%\w+(?= =)", lines[-1])[0]
    return f"func.func @f({parameters}) -> {gives or type} {{\n{body}\n  func.return {last} : {gives or type}\n}}"


def chain(kind: str, steps: int, type: str = "tensor<4xf32>") -> str:
    """An activation after the other."""
    lines = [f"%{i + 1} = rlx.activation {kind} %{i} U" for i in range(steps)]
    return function(["0"], type, *lines)


# What is known to go wrong


@pytest.mark.parametrize(("steps", "inputs"), [(32, 16), (4, 16), (32, 2), (3, 3)])
def test_k39_a_sum_of_forty_inputs_is_split_at_the_limits(steps: int, inputs: int):
    lines = ["%s1 = rlx.binary add %a0, %a1 B"]
    lines += [f"%s{i} = rlx.binary add %s{i - 1}, %a{i} B" for i in range(2, 40)]
    text = function([f"a{i}" for i in range(40)], "tensor<3xf32>", *lines)
    module, _ = run(text, MarkElementwiseRegionsPass(steps, inputs))
    assert regions(module) or inputs == 2
    for region in regions(module):
        assert 2 <= len(region.plain()) <= steps
        assert len(region.inputs) <= inputs
    same_values(text, module)


def two_results(second: str, *lines: str) -> str:
    """An `rlx.if` that stays, of results `%a` 4x8 and `%b` of `second`, and then `lines`."""
    return f"""
    func.func @f(%p: tensor<i1>, %x: tensor<4x8xf32>, %r: tensor<{second}>) -> tensor<4x8xf32> {{
      %a, %b = rlx.if %p(%c = %x, %d = %r) attributes {{rlx.no_fuse}}
          : (tensor<i1>, tensor<4x8xf32>, tensor<{second}>) -> (tensor<4x8xf32>, tensor<{second}>) {{
        rlx.yield %c, %d : tensor<4x8xf32>, tensor<{second}>
      }} else(%e, %g) {{
        %h = rlx.activation neg %g : tensor<{second}>
        rlx.yield %e, %h : tensor<4x8xf32>, tensor<{second}>
      }}
      {" ".join(lines)}
      func.return %z : tensor<4x8xf32>
    }}"""


def test_k40_each_result_is_an_input_once_and_other_dims_end_the_chain():
    text = two_results(
        "1x8xf32",
        "%u = rlx.activation relu %b : tensor<1x8xf32>",
        "%v = rlx.binary add %a, %u : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>",
        "%w = rlx.binary mul %v, %b : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>",
        "%z = rlx.binary sub %w, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>",
    )
    module, misses = run(text, MARK)
    (region,) = regions(module)
    assert [value.name_hint for value in region.inputs] == ["a", "u", "b"]
    assert len(region.plain()) == 3
    assert "RLX-F032 dims-change" in [str(miss.reason) for miss in misses]
    same_values(text, module)


def test_k41_the_result_that_is_used_is_looked_at():
    """The first result has the dims of the sum, the second stretches in the middle."""
    text = two_results(
        "4x1xf32",
        "%v = rlx.binary add %x, %b : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>",
        "%z = rlx.activation relu %v : tensor<4x8xf32>",
    )
    module, misses = run(text, MARK)
    assert not regions(module)
    assert "RLX-F029 not-trailing" in [str(miss.reason) for miss in misses]


def test_k42_a_producer_of_two_regions_stays():
    text = function(
        ["x"],
        "tensor<4xf32>",
        "%p = rlx.activation exp %x U",
        "%a = rlx.activation neg %p U",
        "%b = rlx.activation tanh %a U",
        "%c = rlx.activation sin %p U",
        "%d = rlx.activation cos %c U",
        "%e = rlx.binary add %b, %d B",
    )
    module, _ = run(text, MARK)
    first, second = regions(module)
    assert names(module)[0] == "rlx.activation"
    assert first.inputs[0] is second.inputs[0]
    same_values(text, module)


def test_k44_an_operand_that_stretches_in_the_middle_is_no_input():
    text = """
    func.func @f(%x: tensor<2x3x4xf32>, %m: tensor<2x1x4xf32>) -> tensor<2x3x4xf32> {
      %0 = rlx.binary add %x, %m : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
      %1 = rlx.activation relu %0 : tensor<2x3x4xf32>
      %2 = rlx.activation exp %1 : tensor<2x3x4xf32>
      func.return %2 : tensor<2x3x4xf32>
    }"""
    module, misses = run(text, MARK)
    (region,) = regions(module)
    assert [step.name for step in region.plain()] == ["rlx.activation", "rlx.activation"]
    (miss,) = [miss for miss in misses if str(miss.reason) == "RLX-F029 not-trailing"]
    assert (miss.detail, miss.blockers) == ("[2, 1, 4] in [2, 3, 4]", ("argument %m",))
    same_values(text, module)


def test_k46_marking_and_unfusing_in_one_set_end():
    """Ops that a pattern makes are not visited in the same run, so the two cannot go round."""
    module = parse(chain("exp", 6))
    assert run_patterns(module, (MarkElementwiseRegion(), UnfuseElementwiseRegion()))
    assert len(regions(module)) == 1
    walker = PatternRewriteWalker(
        GreedyRewritePatternApplier([UnfuseElementwiseRegion(), MarkElementwiseRegion()]), apply_recursively=False
    )
    assert walker.rewrite_module(module)
    module.verify()


@pytest.mark.parametrize("prefix", ["a", "zz"])
def test_k52_a_split_does_not_depend_on_names(prefix: str):
    """Five equal trees of three steps under one sum, at most four steps a region."""
    lines: list[str] = []
    for tree in range(5):
        lines.append(f"%{prefix}{tree}_0 = rlx.activation exp %x U")
        lines += [f"%{prefix}{tree}_{i} = rlx.activation neg %{prefix}{tree}_{i - 1} U" for i in (1, 2)]
    lines.append(f"%{prefix}_s1 = rlx.binary add %{prefix}0_2, %{prefix}1_2 B")
    lines += [f"%{prefix}_s{i} = rlx.binary add %{prefix}_s{i - 1}, %{prefix}{i}_2 B" for i in range(2, 5)]
    text = function(["x"], "tensor<4xf32>", *lines)
    module, _ = run(text, MarkElementwiseRegionsPass(max_elementwise_steps=4))
    # The first sum goes on with the first tree and fills its region; each other sum goes on with the tree that it adds.
    assert [len(region.plain()) for region in regions(module)] == [3, 4, 4, 4, 4]
    same_values(text, module)


def test_long_chains_cost_what_short_ones_do():
    """No recursion, and one region of all steps where there is no bound."""
    text = chain("neg", 3000)
    module, _ = run(text, UNBOUNDED)
    (region,) = regions(module)
    assert len(region.plain()) == 3000
    apply(module, UNFUSE)
    assert text_of(module) == text_of(parse(text))


# Facts


def test_forty_activations_with_and_without_limits():
    module, _ = run(chain("relu", 40), MARK)
    assert [len(region.plain()) for region in regions(module)] == [32, 8]
    module, _ = run(chain("relu", 40), UNBOUNDED)
    assert [len(region.plain()) for region in regions(module)] == [40]
    apply(module, ClipElementwiseRegionsPass())
    assert names(module) == ["rlx.activation"] * 40


def test_unfusing_gives_the_program_back():
    text = function(
        ["a", "b", "c"],
        "tensor<4xf32>",
        "%0 = rlx.binary add %a, %b B",
        "%1 = rlx.binary mul %0, %c B",
        "%2 = rlx.activation relu %1 U",
    )
    module, _ = run(text, MARK)
    once = text_of(module)
    assert [len(region.inputs) for region in regions(module)] == [3]
    apply(module, UNFUSE)
    assert text_of(module) == text_of(parse(text))
    apply(module, MARK)
    assert text_of(module) == once


RESIZED = """
func.func @f(%x: tensor<1x3x4x4xf32>, %a: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %0 : tensor<1x3x8x8xf32>
  %2 = rlx.binary add %1, %a : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = rlx.binary mul %2, %a : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  func.return %3 : tensor<1x3x8x8xf32>
}"""


def test_a_resize_becomes_the_prologue_of_the_region_behind_it():
    module, _ = run(RESIZED, MARK, *BATCH)
    (region,) = regions(module)
    assert [value.name_hint for value in region.inputs] == ["x", "a"]
    assert region.before == "resize_nearest2x"
    assert "rlx.resize_nearest2x" not in names(module)
    same_values(RESIZED, module)

    apply(module, UnfuseElementwiseRegionsPass(keep_prologue=True))
    assert len(regions(module)) == 1
    apply(module, UNFUSE)
    assert names(module) == ["rlx.resize_nearest2x", "rlx.activation", "rlx.binary", "rlx.binary"]


def test_metal_keeps_a_region_with_a_prologue():
    text = re.sub(r"  %[23] = .*\n", "", RESIZED).replace("return %3", "return %1")
    module = parse(text)
    apply(module, *fuse_passes("metal").passes())
    (region,) = regions(module)
    assert region.before == "resize_nearest2x"
    cpu = parse(text)
    apply(cpu, *fuse_passes("cpu").passes())
    assert names(cpu) == ["rlx.resize_nearest2x", "rlx.activation"]


def slices(count: int) -> str:
    """relu of the first `count` slices of a batch of four, joined again."""
    whole, part, joined = "tensor<4x3x8x8xf32>", "tensor<1x3x8x8xf32>", f"tensor<{count}x3x8x8xf32>"
    cut = [f"  %n{i} = rlx.narrow %x axis(0) start({i}) length(1) : {whole} -> {part}" for i in range(count)]
    act = [f"  %r{i} = rlx.activation relu %n{i} : {part}" for i in range(count)]
    parts = ", ".join(f"%r{i}" for i in range(count))
    join = f"  %y = rlx.concat {parts} axis(0) : ({', '.join([part] * count)}) -> {joined}"
    lines = "\n".join([*cut, *act, join])
    return f"func.func @f(%x: {whole}) -> {joined} {{\n{lines}\n  func.return %y : {joined}\n}}"


@pytest.mark.parametrize("count", [2, 4])
def test_slices_of_a_batch_become_one_region(count: int):
    text = slices(count)
    module, _ = run(text, *BATCH)
    assert [name for name in names(module) if name.endswith("region")] == ["rlx.batch_elementwise_region"]
    assert "rlx.concat" not in names(module)
    same_values(text, module)

    apply(module, DecomposeFusionRegionsPass())
    assert len(regions(module)) == count
    assert "rlx.concat" in names(module)
    apply(module, UNFUSE)
    assert sorted(names(module)) == sorted(names(parse(text)))
    same_values(text, module)


def test_a_chain_of_resizes_is_one_region_of_all_its_steps():
    text = """
    func.func @f(%x: tensor<1x2x1x3xf32>) -> tensor<1x2x8x24xf32> {
      %0 = rlx.resize_nearest2x %x : tensor<1x2x1x3xf32> -> tensor<1x2x2x6xf32>
      %1 = rlx.resize_nearest2x %0 : tensor<1x2x2x6xf32> -> tensor<1x2x4x12xf32>
      %2 = rlx.resize_nearest2x %1 : tensor<1x2x4x12xf32> -> tensor<1x2x8x24xf32>
      func.return %2 : tensor<1x2x8x24xf32>
    }"""
    module, _ = run(text, MarkTransformRegionsPass())
    (region,) = [op for op in module.walk() if isinstance(op, TransformRegionOp)]
    assert len(region.plain()) == 3
    same_values(text, module)
    apply(module, DecomposeFusionRegionsPass())
    assert text_of(module) == text_of(parse(text))


@pytest.mark.parametrize("target", ["cpu", "cuda", "rocm", "tpu", "wgpu", "metal", "mlx"])
@pytest.mark.parametrize("text", [RESIZED, slices(4)], ids=["resize", "slices"])
def test_a_second_run_of_a_pipeline_changes_nothing(target: str, text: str):
    passes = fuse_passes(target).passes()
    module, _ = run(text, *passes)
    once = text_of(module)
    same_values(text, module)
    apply(module, *passes)
    assert text_of(module) == once


def test_the_values_of_a_loop_with_a_bound():
    """Every number of rounds that the condition can ask for, below and above the bound."""
    text = """
    func.func @f(%x: tensor<3xf32>, %n: tensor<i32>, %m: tensor<i32>, %one: tensor<i32>)
        -> (tensor<3xf32>, tensor<i32>) {
      %0, %1 = rlx.while(%a = %x, %i = %n) captures(%l = %m, %s = %one) max_iterations(5)
          : (tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
        %2 = rlx.compare lt %i, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
        rlx.yield %2 : tensor<i1>
      } do(%b, %j, %k, %t) {
        %3 = rlx.activation tanh %b : tensor<3xf32>
        %4 = rlx.binary add %j, %t : (tensor<i32>, tensor<i32>) -> tensor<i32>
        rlx.yield %3, %4 : tensor<3xf32>, tensor<i32>
      }
      func.return %0, %1 : tensor<3xf32>, tensor<i32>
    }"""
    module, _ = run(text, LowerControlFlowPass())
    assert "rlx.while" not in names(module)
    before = parse(text)
    inputs = random_inputs(find_function(before))
    for rounds in range(-1, 8):
        given = {
            **inputs,
            "arg1": inputs["arg1"] * 0,
            "arg2": inputs["arg2"] * 0 + rounds,
            "arg3": inputs["arg3"] * 0 + 1,
        }
        wanted, got = reference.run(before, None, given), reference.run(module, None, given)
        assert [value.tobytes() for value in got.values()] == [value.tobytes() for value in wanted.values()]


@pytest.mark.parametrize("limit", ["max_elementwise_steps", "max_elementwise_inputs"])
@pytest.mark.parametrize("pass_", [MarkElementwiseRegionsPass, ClipElementwiseRegionsPass])
def test_limits_are_positive(limit: str, pass_: type[ModulePass]):
    with pytest.raises(PipelineError, match=r"takes a positive number, not 0"):
        pass_(**{limit: 0})


def test_bounds_of_control_flow_are_not_negative():
    with pytest.raises(
        PipelineError, match=r"'unroll-limit' of pass 'rlx-lower-control-flow' must not be negative, got -1"
    ):
        LowerControlFlowPass(unroll_limit=-1)
    with pytest.raises(PipelineError, match=r"'max-branch-ops' .* must not be negative, got -2"):
        LowerControlFlowPass(max_branch_ops=-2)
