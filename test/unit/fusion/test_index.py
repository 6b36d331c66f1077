"""Pattern passes of one run share an index of the program's ops: it says what a walk would, come what may."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages

import pytest
from programs import context, parse, text_of
from programs_of_fusion import encoder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

import rlx_passes
from rlx_dialect.attributes import Activation
from rlx_dialect.ops import ActivationOp, IfOp, MatMulOp
from rlx_passes import build_pipeline
from rlx_passes.core.index import Index, PatternPass, PipelineRun, apply_all, index_of
from rlx_passes.pipeline.target import builtin_targets
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns

NESTED = """
func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %x : tensor<4xf32>
  %1 = rlx.if %p(%a = %0) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    %2 = rlx.activation neg %a : tensor<4xf32>
    rlx.yield %2 : tensor<4xf32>
  } else(%b) {
    %3 = rlx.activation abs %b : tensor<4xf32>
    rlx.yield %3 : tensor<4xf32>
  }
  %4 = rlx.activation neg %1 : tensor<4xf32>
  func.return %4 : tensor<4xf32>
}"""


def kinds(ops: Sequence[Operation]) -> list[str]:
    return [op.kind.data if isinstance(op, ActivationOp) else op.name for op in ops]


def test_ops_by_class_in_program_order():
    index = Index(parse(NESTED))
    assert kinds(index.of(ActivationOp)) == ["exp", "neg", "abs", "neg"]
    assert kinds(index.of(ActivationOp, IfOp, FuncOp)) == ["func.func", "exp", "rlx.if", "neg", "abs", "neg"]
    assert not index.of(MatMulOp)


@dataclass(frozen=True)
class NegToAbs(FusionPattern[ActivationOp]):
    """`-x` becomes `|exp(x)|`: erases one op and makes two, one of a kind that the next pass starts at."""

    title = "neg_to_abs"
    roots = (ActivationOp,)

    def considers(self, root: ActivationOp, /) -> bool:
        return root.activation is Activation.NEG

    def match(self, root: ActivationOp, /) -> Fusion:
        exp = ActivationOp(Activation.EXP, root.input)
        return Fusion.of((root,), exp, ActivationOp(Activation.ABS, exp.result))


@dataclass(frozen=True)
class NegToAbsPass(PatternPass):
    name = "neg-to-abs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (NegToAbs(),))


@dataclass(frozen=True)
class SeenPass(PatternPass):
    """Notes the activations that the index has."""

    seen: list[str]
    name = "seen"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.seen[:] = kinds(index_of(op).of(ActivationOp))


@dataclass(frozen=True)
class ForeignPass(ModulePass):
    """Turns the first activation into a negation, and tells nobody."""

    name = "foreign"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        old = next(inner for inner in op.walk() if isinstance(inner, ActivationOp))
        new = ActivationOp(Activation.NEG, old.input)
        block = old.parent
        assert block is not None
        block.insert_op_before(new, old)
        old.result.replace_all_uses_with(new.result)
        old.detach()
        old.erase()


@dataclass(frozen=True)
class FailingPass(PatternPass):
    """Changes the program and fails before it can say so."""

    name = "failing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        index_of(op)
        ForeignPass().apply(ctx, op)
        raise ValueError("no")


def test_ops_that_a_pass_erases_and_makes():
    """Nested regions included."""
    module, seen = parse(NESTED), list[str]()
    apply_all((SeenPass(seen), NegToAbsPass(), SeenPass(seen)), context(), module)
    assert seen == ["exp", "exp", "abs", "abs", "exp", "abs"] == kinds(Index(module).of(ActivationOp))


def test_passes_that_change_nothing_hand_on_one_index():
    module, run, seen = parse(NESTED.replace("neg", "relu")), PipelineRun(), list[str]()
    assert run.apply(SeenPass(seen), context(), module)
    index = run.index
    assert index is not None
    for _ in range(2):
        assert not run.apply(NegToAbsPass(), context(), module)
    assert run.index is index


def test_a_pass_that_finds_something_is_said_to():
    module, run = parse(NESTED), PipelineRun()
    run.apply(SeenPass([]), context(), module)
    assert run.apply(NegToAbsPass(), context(), module)
    run.apply(SeenPass([]), context(), module)
    assert not run.apply(NegToAbsPass(), context(), module)


def test_any_other_pass_may_change_the_program_as_it_likes():
    module, seen = parse(NESTED), list[str]()
    apply_all((SeenPass(seen), ForeignPass(), SeenPass(seen), NegToAbsPass()), context(), module)
    assert seen == ["neg", "neg", "abs", "neg"]
    assert "neg" not in kinds(Index(module).of(ActivationOp))


def test_no_index_is_left_by_a_pass_that_fails():
    module, run, seen = parse(NESTED), PipelineRun(), list[str]()
    run.apply(SeenPass(seen), context(), module)
    with pytest.raises(ValueError, match="no"):
        run.apply(FailingPass(), context(), module)
    run.apply(SeenPass(seen), context(), module)
    assert seen[0] == "neg"


def test_a_run_over_another_module():
    run, seen = PipelineRun(), list[str]()
    run.apply(SeenPass(seen), context(), parse(NESTED))
    run.apply(SeenPass(seen), context(), parse(NESTED.replace("exp", "relu")))
    assert seen == ["relu", "neg", "abs", "neg"]


def test_outside_of_a_run_every_pass_looks_for_itself():
    module, seen = parse(NESTED), list[str]()
    for pass_ in (SeenPass(seen), NegToAbsPass(), SeenPass(seen)):
        pass_.apply(context(), module)
    assert "neg" not in seen


@pytest.mark.parametrize("target", builtin_targets())
def test_the_index_of_a_run_is_that_of_a_walk(target: str):
    """After every pass of the pipeline; and what comes out is what the passes make one by one."""
    module, alone = parse(encoder(2)), parse(encoder(2))
    run = PipelineRun()
    for pass_ in build_pipeline(target, stage="fuse", origin="rlx"):
        run.apply(pass_, context(), module)
        if run.index is not None:
            assert run.index.where(bool) == Index(module).where(bool) == list(module.walk())[1:]
        pass_.apply(context(), alone)
    assert text_of(module) == text_of(alone)


def test_whatever_runs_patterns_is_a_pattern_pass():
    """Else the passes around it walk the program anew."""
    found: set[type[ModulePass]] = set()
    for part in ("fusion", "raising", "expansion"):
        for module in walk_packages(import_module(f"rlx_passes.{part}").__path__, f"rlx_passes.{part}."):
            found |= {
                cls
                for cls in vars(import_module(module.name)).values()
                if isinstance(cls, type) and issubclass(cls, ModulePass) and _runs_patterns(cls)
            }
    assert len(found) > 40, rlx_passes.__file__
    assert not [cls.__name__ for cls in found if not issubclass(cls, PatternPass)]


def _runs_patterns(cls: type[ModulePass]) -> bool:
    """Whether the pass's `apply`, or the part of it that is its own, is written where patterns are run."""
    method = cls.find if issubclass(cls, RaisingPass) else cls.apply
    return "run_patterns" in method.__globals__
