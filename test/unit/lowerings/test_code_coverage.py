"""`docs/lowering.md` tells the truth: what it was made of still becomes code, and what has none is known."""

import code_coverage
import pytest
from code_coverage import OPS, TARGETS, cells, functions, measured
from tools import need_module, need_program, shared

NEEDS = {
    "cpu": (("iree.compiler",), ()),
    "cuda": ((), ("mlir-opt-22", "llc-22", "ptxas")),
    "mlx": ((), ()),
    "tpu": (("jax",), ()),
    "wgpu": ((), ("mlir-opt-22", "mlir-translate-22")),
}
"""The packages and programs that make code for a target."""

CASES = [(target, name) for target in TARGETS for name in functions()]
WITHOUT_CODE = {"rlx.custom", "rlx.eigh", "rlx.eigh_backward", "rlx.svd"}
"""What the caller brings, and decompositions that no target has."""


def test_every_example_is_measured():
    assert {target: sorted(found) for target, found in measured().items()} == {
        target: sorted(functions()) for target in TARGETS
    }


@pytest.mark.parametrize("target", TARGETS)
def test_ops_without_code(target: str):
    assert {op for op in OPS if not cells(target)[op]} == WITHOUT_CODE | KNOWN[target]


@pytest.mark.parametrize("case", shared(CASES[::4], 5), ids="-".join)
def test_an_example_becomes_code_or_not(case: tuple[str, str]):
    target, name = case
    packages, programs = NEEDS[target]
    for package in packages:
        need_module(package)
    for program in programs:
        need_program(program)
    assert bool(code_coverage.outcome(name, target)) == bool(measured()[target][name])


F20 = (
    "complex-parts", "cumulative-cumsum", "filling-iota", "general_indexing-rows", "general_indexing-scattered_windows",
    "indexing-gather_nd", "indexing-scatter_elements_of_unknown_many", "indexing-scatter_nd_of_elements",
    "sorting-argsort", "sorting-smallest_of_unknown_many", "sorting-sort",
)  # fmt: skip


@pytest.mark.parametrize("target", ["cpu", "mlx"])
@pytest.mark.parametrize("name", F20)
def test_f20_ops_that_models_need_become_code(name: str, target: str):
    for package in NEEDS[target][0]:
        need_module(package)
    assert code_coverage.outcome(name, target) == ""
