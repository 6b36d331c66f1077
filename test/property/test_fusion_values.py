"""
Fusion passes over random programs: what a program computes stays, and a second run of a pipeline changes nothing.

Ten thousand programs from the seeds below under `make test-all`, else 640; `make fuzz N=...` goes on from a
random seed.
"""

from dataclasses import dataclass

import pytest
from fuzzing import BATCH, Failure, batches, check, hunt_all, run, shrink, variants
from pieces import PIECES
from random_programs import make_module, make_program
from tools import ALL
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, LayerNormOp, MatMulOp, RmsNormOp
from rlx_passes.rewriting.miss import listening

START, COUNT = 20_250_901, 10_000 if ALL else 640


def test_values_stay(capsys: pytest.CaptureFixture[str]):
    with capsys.disabled():
        print(f"\n{COUNT} random programs, seeds from {START}")
    done, failures = 0, list[Failure]()
    for count, found in hunt_all(START, COUNT, jobs=2):
        done += count
        failures += found
    assert done == COUNT
    assert not failures, f"seeds from {START}\n" + "\n".join(map(str, failures[:5]))


def test_every_variant_gets_its_turn():
    run = {name for _, names in batches(START, COUNT) for name in names}
    assert run == variants().keys()


def test_a_seed_says_it_all():
    assert [str(make_program(seed, PIECES)) for seed in range(50)] == [
        str(make_program(seed, PIECES)) for seed in range(50)
    ]


def test_some_programs_are_large():
    sizes = [sum(1 for _ in make_program(seed, PIECES).walk()) for seed in range(START, START + 400)]
    assert max(sizes) >= 100
    assert sorted(sizes)[len(sizes) // 2] <= 20


ALWAYS_TRIED = {"matmul_bias_act": MatMulOp, "residual_ln": LayerNormOp, "residual_rms_norm": RmsNormOp}
"""Patterns that consider every op of their root, and that root."""


def test_every_candidate_that_is_left_has_a_reason():
    module = make_module([make_program(seed, PIECES, f"f{seed}", large=False) for seed in range(3000, 3200)])
    there = set(module.walk())
    heard = set[tuple[str, Operation]]()
    with listening(lambda pattern, root, miss: heard.add((pattern, root))):
        run(module, variants()["target=cuda"])
    left = [op for op in module.walk() if op in there]
    for pattern, root in ALWAYS_TRIED.items():
        candidates = [op for op in left if isinstance(op, root)]
        assert len(candidates) >= 5
        assert all((pattern, op) in heard for op in candidates)


@dataclass(frozen=True)
class AddsForDifferences(ModulePass):
    """A pass that is wrong."""

    name = "rlx-wrong"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, BinaryOp) and inner.binary is BinaryKind.SUB:
                inner.kind = StringAttr(BinaryKind.ADD)


@dataclass(frozen=True)
class Fails(ModulePass):
    """A pass that gives up on one function."""

    name = "rlx-fails"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, BinaryOp) and inner.binary is BinaryKind.SUB:
                raise RuntimeError("no differences here")


@pytest.mark.parametrize(
    ("broken", "problem"), [(AddsForDifferences(), "tolerance"), (Fails(), "RuntimeError: no diff")]
)
def test_a_wrong_pass_is_found_and_its_program_shrunk(
    broken: ModulePass, problem: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("fuzzing.variants", lambda: {"rlx-broken": (broken,)})
    seeds = range(BATCH)
    failures = list(check(seeds, PIECES, ["rlx-broken"]))
    wrong = {seed for seed in seeds if has_difference(make_program(seed, PIECES))}
    assert len(failures) >= 2
    assert {failure.seed for failure in failures} <= wrong
    for failure in failures[:2]:
        small = shrink(failure, make_program(failure.seed, PIECES))
        assert problem in small.problem
        assert small.text.count("rlx.") <= 2, small.text


def has_difference(func: FuncOp) -> bool:
    return any(isinstance(op, BinaryOp) and op.binary is BinaryKind.SUB for op in func.walk())
