"""`docs/coverage.md` says what is so: ops are lowered to code again, and what is missing is refused by name."""

import re

import pytest
import target_coverage
from tools import need_module, need_program, shared

from rlx_dialect.dtypes import DTYPES
from rlx_passes.pipeline.target import builtin_targets

ANSWERS = target_coverage.read()
CHEAP, COSTLY = ("mlx", "tpu"), ("cpu", "cuda", "metal", "rocm", "wgpu")
WITHOUT_FORM = {"rlx.custom", "rlx.eigh", "rlx.eigh_backward", "rlx.svd"}
BY_NAME = re.compile(
    r"no (buffer|array) there holds|has no form in|on f64|Metal has no f64|only known at run time|sizes must be static|"
    r"must be known|known in the rounds|loops or branches"
)
"""What a refusal may be about: an element type that a target cannot hold, and what is left of sizes and of loops."""
NEEDED = {"cpu": "llvmlite", "mlx": "mlx", "tpu": "jax"}


def asked() -> list[str]:
    """Of targets whose compilers take their time every eighth op is asked with all tests, of these a few always."""
    cheap = [f"{target} {op}" for target in CHEAP for op in target_coverage.OPS]
    costly = [f"{target} {op}" for at, target in enumerate(COSTLY) for op in sorted(ANSWERS[target])[at::8]]
    return [*shared(cheap, 12), *shared(costly, 9)]


@pytest.mark.parametrize("pair", asked())
def test_the_page_says_what_a_target_takes(pair: str):
    target, op = pair.split()
    if target in NEEDED:
        need_module(NEEDED[target])
    else:
        need_program("mlir-opt-22", "mlir-opt")
    if target == "metal":
        need_program("spirv-cross")
    assert target_coverage.answers(op, target) == ANSWERS[target][op], f"run python test/target_coverage.py {target}"


def test_targets_were_asked_about_every_op():
    assert sorted(ANSWERS) == sorted(builtin_targets())
    assert all(sorted(ANSWERS[target]) == target_coverage.OPS for target in CHEAP)


@pytest.mark.parametrize("target", sorted(ANSWERS))
def test_what_is_missing_is_refused_by_name(target: str):
    reasons = {reason for faults in ANSWERS[target].values() for reason in faults.values()}
    assert [reason for reason in sorted(reasons) if not BY_NAME.search(reason)] == []


@pytest.mark.parametrize("target", sorted(ANSWERS))
def test_only_what_has_no_form_has_empty_cells(target: str):
    def taken(op: str) -> bool:
        mine = target_coverage.examples().get(op, ())
        return any(each.label in DTYPES and each.label not in ANSWERS[target][op] for each in mine)

    empty = {op for op in ANSWERS[target] if not taken(op)}
    reasons = {op: set(ANSWERS[target][op].values()) for op in empty - WITHOUT_FORM}
    assert empty >= WITHOUT_FORM & ANSWERS[target].keys()
    assert [op for op, why in reasons.items() if not all(BY_NAME.search(each) for each in why)] == []
