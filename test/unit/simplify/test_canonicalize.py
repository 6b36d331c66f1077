"""Canonicalisation keeps every bit; CSE and DCE of xDSL treat every pure op."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from programs import check_uses, context, parse, random_inputs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import Rewriter
from xdsl.traits import Pure
from xdsl.transforms.canonicalize import CanonicalizePass as StockCanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.builder import Graph
from rlx_dialect.description.facts import accepted
from rlx_dialect.dtypes import element_type, numpy_dtype
from rlx_dialect.ops import ALL_OPS, ArtifactOp, ControlOp, RlxOp, YieldOp
from rlx_dialect.reference import Array, run
from rlx_dialect.xdsl_repairs import verify_dominance
from rlx_passes.simplify.canonicalize import CanonicalizePass

FILECHECK = Path(__file__).parents[2] / "filecheck"
EXAMPLES = sorted(path for path in (FILECHECK / "dialect").glob("*.mlir") if not path.stem.endswith("_invalid"))
CASES = FILECHECK / "simplify" / "canonicalize.mlir"

SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, -1e-45, 1.5)


def chunks(path: Path) -> Iterator[ModuleOp]:
    for text in accepted(path):
        yield parse(text, path.name)


def special(inputs: dict[str, Array]) -> dict[str, Array]:
    """The same inputs with the numbers that a careless rule changes."""
    rng = np.random.default_rng(0)
    return {
        name: rng.choice(SPECIAL, array.shape).astype(array.dtype) if array.dtype.kind == "f" else array
        for name, array in inputs.items()
    }


def bits(array: Array) -> Array:
    return np.frombuffer(array.tobytes(), np.uint8)


def runnable() -> list[str]:
    """The cases without index arguments, and without those whose run is an error."""
    names = [op.sym_name.data for op in parse(CASES.read_text()).body.ops if isinstance(op, FuncOp)]
    return [name for name in names if name not in ("unknown", "not_computed", "contradiction")]


@pytest.mark.parametrize("name", runnable())
def test_values_stay_bit_for_bit(name: str):
    before, after = parse(CASES.read_text()), parse(CASES.read_text())
    CanonicalizePass().apply(context(), after)
    func = next(op for op in before.body.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
    inputs = special(random_inputs(func))
    with np.errstate(all="ignore"):
        expected, got = run(before, name, inputs), run(after, name, inputs)
    for output, array in expected.items():
        np.testing.assert_array_equal(bits(array), bits(got[output]))


def with_constant(kind: BinaryKind, number: float, left: bool, dtype: str) -> ModuleOp:
    """`x kind number`, or `number kind x`."""
    g = Graph("f")
    x, constant = g.input("x", (len(SPECIAL),), dtype), g.full((), number, dtype)
    g.output("y", g.binary(kind, constant, x) if left else g.binary(kind, x, constant))
    return g.module()


@pytest.mark.parametrize("kind", BinaryKind)
@pytest.mark.parametrize("dtype", ["f32", "f16", "i32", "i1"])
def test_every_constant_beside_every_number(kind: BinaryKind, dtype: str):
    """Which bits a binary op gives does not depend on whether it was canonicalised."""
    array = np.nan_to_num(np.array(SPECIAL), posinf=7, neginf=-9) if dtype[0] == "i" else np.array(SPECIAL)
    x = array.astype(numpy_dtype(element_type(dtype)))
    for number in (0, 1) if dtype == "i1" else (0, 1, -1) if dtype == "i32" else (0.0, -0.0, 1.0, -1.0, *SPECIAL[:3]):
        for left in (False, True):
            try:
                before, after = (with_constant(kind, number, left, dtype) for _ in range(2))
                expected = run(before, "f", [x])["y"]
            except (ValueError, VerifyException, ArithmeticError):
                continue  # no such op for this type, or an error of the run
            CanonicalizePass().apply(context(), after)
            np.testing.assert_array_equal(bits(run(after, "f", [x])["y"]), bits(expected), err_msg=f"{number} {left}")


@pytest.mark.parametrize("path", [*EXAMPLES, CASES], ids=lambda path: path.stem)
def test_both_passes_agree_and_are_idempotent(path: Path):
    for module, other in zip(chunks(path), chunks(path)):
        CanonicalizePass().apply(context(), module)
        StockCanonicalizePass().apply(context(), other)
        module.verify()
        verify_dominance(module)
        assert str(module) == str(other)
        text = str(module)
        CanonicalizePass().apply(context(), module)
        assert str(module) == text
        check_uses(module)


def examples() -> dict[str, Operation]:
    """An op of each name, from the examples."""
    found: dict[str, Operation] = {}
    for path in EXAMPLES:
        for module in chunks(path):
            for op in module.walk():
                if isinstance(op, RlxOp):
                    found.setdefault(op.name, op)
    return found


FOUND = examples()
PURE = [op for op in ALL_OPS if op.has_trait(Pure) and op not in (YieldOp, ArtifactOp)]


def twice(op: Operation) -> tuple[ModuleOp, Block]:
    """A function of the op and its copy, both returned."""
    block = Block(arg_types=op.operand_types)
    copies = [op.clone(dict(zip(op.operands, block.args))) for _ in range(2)]
    returned = [result for copy in copies for result in copy.results]
    block.add_ops([*copies, ReturnOp(*returned)])
    types = [value.type for value in returned]
    return ModuleOp([FuncOp("f", (op.operand_types, types), Region(block))]), block


@pytest.mark.parametrize("op", PURE, ids=lambda op: op.name)
def test_cse_and_dce(op: type[Operation]):
    """An op and its copy become one; unread, both go."""
    module, block = twice(FOUND[op.name])
    module.verify()
    CommonSubexpressionElimination().apply(context(), module)
    assert [each.name for each in block.ops] == [op.name, "func.return"]

    module, block = twice(FOUND[op.name])
    last = block.last_op
    assert last is not None
    Rewriter.replace_op(last, ReturnOp())
    DeadCodeElimination().apply(context(), module)
    assert [each.name for each in block.ops] == ["func.return"]


@pytest.mark.parametrize("name", ["rlx.if", "rlx.while", "rlx.scan"])
def test_unread_control_flow_goes(name: str):
    """It has the effects of its regions, and these have none."""
    module, block = twice(FOUND[name])
    last = block.last_op
    assert last is not None
    Rewriter.replace_op(last, ReturnOp())
    DeadCodeElimination().apply(context(), module)
    assert [each.name for each in block.ops] == ["func.return"]


def test_ops_without_the_trait_are_known():
    """What is not pure is not so by intent: control flow has the effects of its regions, a file is one."""
    control = {op.name for op in ALL_OPS if issubclass(op, ControlOp)}
    impure = {op.name for op in ALL_OPS if not op.has_trait(Pure)}
    assert impure <= {"rlx.artifact", "rlx.custom", *control}


def test_cse_tells_zeros_apart():
    module = parse("""
    func.func @f() -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = rlx.full 0.0 : tensor<2xf32>
      %1 = rlx.full -0.0 : tensor<2xf32>
      func.return %0, %1 : tensor<2xf32>, tensor<2xf32>
    }
    """)
    CommonSubexpressionElimination().apply(context(), module)
    assert [np.signbit(array).all() for array in run(module).values()] == [False, True]
