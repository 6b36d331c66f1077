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
BY_NAME = {
    "metal": r"^Metal has no f64: ",
    "mlx": r"no array there holds f8E",
    "wgpu": r"on f64 has no form in SPIR-V: ",
}
"""What refusals of ops that have a form are about: an element type that the target cannot hold."""
NARROW_ALONE = {"mlx": {"rlx.scaled_grouped_matmul", "rlx.scaled_matmul"}}
"""Ops on floats of 8 bits alone, where a target has none."""
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
    assert {target: sorted(found) for target, found in ANSWERS.items()} == dict.fromkeys(
        builtin_targets(), target_coverage.OPS
    )


def _faults(target: str) -> list[tuple[str, str, str]]:
    """Op, label and reason of what has no code, but for ops that have no form."""
    with_form = ((op, faults) for op, faults in ANSWERS[target].items() if op not in WITHOUT_FORM)
    return [(op, label, reason) for op, faults in with_form for label, reason in faults.items()]


@pytest.mark.parametrize("target", sorted(ANSWERS))
def test_what_is_missing_is_refused_by_name(target: str):
    assert [each for each in _faults(target) if not re.search(BY_NAME.get(target, "^$"), each[2])] == []


@pytest.mark.parametrize("target", COSTLY)
def test_what_is_in_no_f64_has_code(target: str):
    """Formulas of other types do without f64, where a target does."""
    assert [each for each in _faults(target) if "f64" in each[2] and "f64" not in each[1]] == []


@pytest.mark.parametrize("target", sorted(ANSWERS))
def test_only_what_has_no_form_has_empty_cells(target: str):
    def taken(op: str) -> bool:
        mine = target_coverage.examples().get(op, ())
        return any(each.label in DTYPES and each.label not in ANSWERS[target][op] for each in mine)

    empty = {op for op in ANSWERS[target] if not taken(op)}
    assert empty == WITHOUT_FORM | NARROW_ALONE.get(target, set())
