"""`rlx.no_fuse` and `rlx.must_fuse` over random programs and over the programs of the lit files of raising."""

import numpy as np
import pytest
from fuzzing import functions, run, variants
from lit_cases import LitCase, lit_cases
from pieces import PIECES
from programs import parse
from random_programs import make_module, make_program, sweep
from tools import sampled, shared
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from rlx_dialect.decompose import fused_ops
from rlx_dialect.ops import RegionOp
from rlx_passes.core.spec import parse_pipeline
from rlx_passes.fusion.check_must_fuse import NotFusedError
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.rewriting.legality import NO_FUSE
from rlx_passes.rewriting.patterns import is_step
from rlx_passes.rewriting.pins import MUST_FUSE

RAISING = [case for case in lit_cases("raising") if case.name.endswith(":0")]


def fenceable(func: FuncOp) -> list[Operation]:
    """The ops of the rlx dialect in the block of a function, none of them dead."""
    sweep(func.body.block)
    return [op for op in func.body.block.ops if op.name.startswith("rlx.") and not op.has_trait(IsTerminator)]


def signature(op: Operation) -> tuple[object, ...]:
    return (op.name, len(op.operands), dict(op.properties), [str(result.type) for result in op.results])


def fence(module: ModuleOp, seed: int) -> dict[str, tuple[object, ...]]:
    """Put `rlx.no_fuse` on one op of each function; what each is like, by function."""
    rng = np.random.default_rng(seed)
    fenced: dict[str, tuple[object, ...]] = {}
    for name, func in functions(module).items():
        ops = fenceable(func) if func.body.blocks else []
        if ops:
            op = ops[int(rng.integers(len(ops)))]
            op.attributes[NO_FUSE] = UnitAttr()
            fenced[name] = signature(op)
    return fenced


def fenced_ops(module: ModuleOp) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: [signature(op) for op in func.walk() if NO_FUSE in op.attributes and not is_step(op)]
        for name, func in functions(module).items()
    }


def check_fences(module: ModuleOp, fenced: dict[str, tuple[object, ...]]) -> None:
    left = fenced_ops(module)
    for name, op in fenced.items():
        assert left[name] == [op], f"@{name}: {left[name]} in place of {op}"


@pytest.mark.parametrize("variant", shared(variants(), 3))
def test_what_is_fenced_off_stays(variant: str):
    module = make_module([make_program(seed, PIECES, f"f{seed}", large=False) for seed in range(1000, 1060)])
    fenced = fence(module, 7)
    run(module, variants()[variant])
    check_fences(module, fenced)


@sampled(5)
@pytest.mark.parametrize("case", RAISING, ids=lambda case: case.name)
def test_raising_leaves_what_is_fenced_off(case: LitCase):
    for seed in range(4):
        module = case.module()
        given = {
            name for name, func in functions(module).items() if any(NO_FUSE in op.attributes for op in func.walk())
        }
        fenced = {name: op for name, op in fence(module, seed).items() if name not in given}
        run(module, case.passes())
        check_fences(module, fenced)


def test_a_fence_keeps_nothing_alive():
    module = parse(
        """func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = rlx.activation relu %x {rlx.no_fuse} : tensor<2xf32>
          func.return %x : tensor<2xf32>
        }"""
    )
    run(module, flatten(create_passes(parse_pipeline("rlx-fusion{target=cpu}"))))
    assert fenced_ops(module) == {"f": []}


@pytest.mark.parametrize("target", ["rocm", "cpu"])
def test_every_pinned_op_that_is_left_is_reported(target: str):
    """With every op pinned, the message names exactly those that are left, and none that a fusion made."""
    passes = variants()[f"target={target}"]
    for seed in range(2000, 2040):
        module = make_module([make_program(seed, PIECES, "f", large=False)])
        for op in fenceable(functions(module)["f"]):
            op.attributes[MUST_FUSE] = UnitAttr()
        named: list[Operation] = []
        try:
            run(module, passes)
        except NotFusedError as error:
            named = [op for op, _ in error.faults]
        assert named == [op for op in module.walk() if MUST_FUSE in op.attributes and not is_step(op)]
        assert not any(isinstance(op, (*fused_ops(), RegionOp)) for op in named)
