"""Every op either lowers to a backend dialect or is refused there by name; `docs/coverage.md` says which."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import parse
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from rlx_dialect.description.facts import accepted
from rlx_dialect.ops import ALL_OPS, ArtifactOp, YieldOp
from rlx_passes.core.errors import RlxError
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.forms import LoweringPass
from rlx_passes.lowerings.to_linalg import ConvertRlxToLinalgPass
from rlx_passes.lowerings.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.reading.dialects import tool_context

DIALECT = Path(__file__).parents[2] / "filecheck" / "dialect"
LOWERINGS: tuple[type[LoweringPass], ...] = (ConvertRlxToLinalgPass, ConvertRLXToStableHLOPass, ConvertRlxToMlxPass)
NOT_CODE = (ArtifactOp, YieldOp)
"""What code generation leaves, and what ends the body of another op."""


def examples() -> Iterator[tuple[type[Operation], ModuleOp]]:
    """The first function of the dialect's lit files that holds an op, for each op; alone in a module."""
    seen: set[type[Operation]] = set()
    for path in sorted(DIALECT.glob("*.mlir")):
        if "invalid" in path.stem:
            continue
        for part in accepted(path):
            for function in parse(part).ops:
                if not isinstance(function, FuncOp):
                    continue
                for op in function.walk():
                    if type(op) in ALL_OPS and type(op) not in seen:
                        seen.add(type(op))
                        yield type(op), ModuleOp([function.clone()])


EXAMPLES = dict(examples())


def refused() -> Iterator[tuple[type[LoweringPass], type[Operation]]]:
    for lowering in LOWERINGS:
        missing = set(ALL_OPS) - lowering.lowers() - set(NOT_CODE)
        yield from ((lowering, op) for op in sorted(missing, key=lambda op: op.name))


def test_every_op_has_an_example():
    assert [op.name for op in ALL_OPS if op not in EXAMPLES and op not in NOT_CODE] == []


@pytest.mark.parametrize(("lowering", "op"), list(refused()), ids=lambda each: each.name)
def test_an_op_without_a_form_is_refused_by_name(lowering: type[LoweringPass], op: type[Operation]):
    """Where nothing reads it, a lowering may drop it as well."""
    module = EXAMPLES[op].clone()
    message = ""
    try:
        lowering().apply(tool_context(), module)
    except RlxError as error:
        message = str(error)
    assert re.search(r"rlx\.\w+", message) or not any(isinstance(each, op) for each in module.walk())
