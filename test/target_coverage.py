"""
What every target takes: the examples of each op, alone, with each element type that the verifier lets them have,
lowered to code.

    python test/target_coverage.py [TARGET...] [rlx.OP...]    # asks anew, and writes test/data/coverage.json
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from programs import parse
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, ModuleOp, StringAttr, TensorType, f64, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, Region

from rlx_dialect.description.element_types import Alone, alone, with_element
from rlx_dialect.description.facts import accepted
from rlx_dialect.dtypes import DTYPES, dtype_of
from rlx_dialect.ops import ALL_OPS, ArtifactOp, RlxOp, YieldOp
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped
from rlx_passes.codegen.emit import generator
from rlx_passes.codegen.tpu import function_text
from rlx_passes.pipeline.stages import stage_specs
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.instantiate import create_passes

DIALECT = Path(__file__).parent / "filecheck" / "dialect"
ANSWERS = Path(__file__).parent / "data" / "coverage.json"
SIZES = (3, 4, 2, 1, 5, 6, 8)
"""What a `?` of an example may be, tried in this order."""
UNKNOWN = "?"
"""What stands in place of an element type for an example whose sizes only a run knows."""
UNKNOWN_F64 = f"f64 {UNKNOWN}"
"""The same in f64."""
APART = {"cpu": (), **dict.fromkeys(("cuda", "metal", "rocm", "wgpu"), ("c64", "f64", UNKNOWN, UNKNOWN_F64))}
"""Targets whose compilers take their time: examples go through them together, but for what is likely to be refused."""
OPS = sorted(op.name for op in ALL_OPS if op not in (ArtifactOp, YieldOp))

Answers = Mapping[str, Mapping[str, Mapping[str, str]]]
"""By target and op: why there is no code, by element type. An op that was not asked about is not there."""


@dataclass(frozen=True)
class Example:
    """A program of one op; `label` is the element type that it stands for, or `UNKNOWN` or `UNKNOWN_F64`."""

    label: str
    module: ModuleOp


def tensors(op: Operation) -> list[Shaped]:
    return [shaped(value) for value in (*op.operands, *op.results) if isinstance(value.type, TensorType)]


def main_element(op: RlxOp) -> Attribute:
    """The element type of the first operand; of ops with regions f32 if anything has it."""
    elements = [type.element for type in tensors(op)]
    f32 = DTYPES["f32"].type
    return f32 if op.regions and f32 in elements else elements[0]


def given_size(size: int | None, type: Shaped) -> Shaped:
    """A type without indices, which no caller gives, and with `size` for what is not known."""
    dims = (size if each == DYNAMIC and size is not None else each for each in type.dims)
    return Shaped(tuple(dims), i64 if isinstance(type.element, IndexType) else type.element)


def sized(op: RlxOp) -> Alone | None:
    """`op` alone with numbers in place of `?`, the first that the verifier takes."""
    for size in SIZES:
        found = alone(op, partial(given_size, size))
        if found is not None and all(type.static for type in tensors(found.op)):
            return found
    return None


def program_of(found: Alone) -> ModuleOp:
    """A module of one function that gives back the results of the op; sizes that it is told are 3."""
    op, block = found
    block.add_ops([op, ReturnOp(*op.results)])
    for argument in list(block.args):
        if isinstance(argument.type, IndexType):
            three = ConstantOp(IntegerAttr(3, IndexType()))
            block.insert_op_before(three, op)
            argument.replace_all_uses_with(three.result)
            block.erase_arg(argument)
    types = FunctionType.from_lists(list(block.arg_types), list(op.result_types))
    return ModuleOp([FuncOp("main", types, Region(block))])


def _uses() -> Iterator[RlxOp]:
    """The ops of the programs that the verifier takes, each form once."""
    seen: set[tuple[str, str, str]] = set()
    for path in sorted(DIALECT.glob("*.mlir")):
        for text in () if path.stem.endswith("_invalid") else accepted(path):
            for op in parse(text, path.name).walk():
                if isinstance(op, RlxOp) and isinstance(op.parent_op(), FuncOp) and tensors(op):
                    form = op.name, str([each.type for each in (*op.operands, *op.results)]), str(op.properties)
                    if form not in seen:
                        seen.add(form)
                        yield op


def as_written(op: RlxOp) -> Alone | None:
    """`op` alone with the sizes that it has."""
    return alone(op, partial(given_size, None))


def open_uses() -> Iterator[RlxOp]:
    """The uses that leave sizes to a run."""
    for op in _uses():
        known = sized(op)
        if (known is None or not all(type.static for type in tensors(op))) and as_written(op) is not None:
            yield op


def _element(op: RlxOp, name: str) -> str:
    """The element type that an example stands for: f64 wherever that is asked for, which not every target has."""
    values = (value for each in op.walk() for value in (*each.operands, *each.results))
    types = {shaped(value).element for value in values if isinstance(value.type, TensorType)}
    return "f64" if f64 in types or f64 in op.properties.values() else name


def _by_default(found: Alone) -> Alone:
    """The same op without an `accumulate` of its own."""
    copy = found.op.clone()
    copy.properties.pop("accumulate", None)
    copy.attributes.pop("accumulate", None)
    return alone(copy, lambda type: type) or found


@cache
def examples() -> Mapping[str, Sequence[Example]]:
    """By op: its examples as they are, with known sizes, and one of these with every other element type."""
    found: dict[str, list[Example]] = {}
    known: dict[str, list[Alone]] = {}
    for op in _uses():
        mine = found.setdefault(op.name, [])
        sizes = sized(op)
        static = sizes is not None and all(type.static for type in tensors(op))
        if not static:
            mine += _unknown(op)
        if sizes is not None:
            known.setdefault(op.name, []).append(_by_default(sizes))
            mine.append(Example(_element(op, dtype_of(main_element(op)).name), program_of(sizes)))
    for name, options in known.items():
        found[name] += _variants(next((each for each in options if not _element(each.op, "")), options[0]))
    return found


def _unknown(op: RlxOp) -> list[Example]:
    """`op` as it is; with a label of its own where that is in f64, and then in f32 too."""
    found = alone(op, partial(given_size, None))
    if found is None:
        return []
    if not _element(found.op, ""):
        return [Example(UNKNOWN, program_of(found))]
    narrow = with_element(_by_default(found).op, f64, DTYPES["f32"].type)
    others = [] if narrow is None or _element(narrow.op, "") else [Example(UNKNOWN, program_of(narrow))]
    return [Example(UNKNOWN_F64, program_of(found)), *others]


def _variants(base: Alone) -> list[Example]:
    own = main_element(base.op)
    others = {name: with_element(base.op, own, each.type) for name, each in DTYPES.items()}
    return [Example(_element(each.op, name), program_of(each)) for name, each in others.items() if each is not None]


def fault(module: ModuleOp, target: str) -> str:
    """Why `target` makes no code of `module`, in one line; nothing where it does."""
    try:
        _emit(module.clone(), target)
    except Exception as error:
        reason = str(error).partition("\n")[0].partition("; ")[0]
        return reason.replace("in @main ", "") or type(error).__name__
    return ""


def _emit(module: ModuleOp, name: str) -> None:
    """Do all that the target does after fusion; for tpu StableHLO's own reader stands in for its compiler."""
    target = load_target(name)
    before = len(stage_specs(target, "fuse", origin="rlx"))
    for pass_ in create_passes(stage_specs(target, "lower", origin="rlx")[before:]):
        pass_.apply(tool_context(), module)
    if target.route().emitter != "tpu":
        generator(name)(module)
        return
    mlir: Any = import_module("jax.interpreters.mlir")
    ir: Any = import_module("jaxlib.mlir.ir")
    with mlir.make_ir_context():
        ir.Module.parse(function_text(module, "main")).operation.verify()


def answers(op: str, target: str) -> dict[str, str]:
    """Why `target` makes no code of some examples of `op`, by their labels."""
    mine = examples().get(op, ())
    if target not in APART:
        found = [(each.label, fault(each.module, target)) for each in mine]
    else:
        apart = APART[target]
        groups = [[each for each in mine if each.label == label] for label in apart]
        groups.append([each for each in mine if each.label not in apart])
        found = [pair for group in groups for pair in _faults(group, target)]
    return {label: reason for label, reason in reversed(found) if reason}


def _faults(programs: Sequence[Example], target: str) -> list[tuple[str, str]]:
    """Labels and reasons of those that fail, in order: one run of a compiler is enough where none does."""
    if not programs:
        return []
    if len(programs) == 1:
        return [(each.label, fault(each.module, target)) for each in programs]
    if not fault(_together(programs), target):
        return []
    half = len(programs) // 2
    return [*_faults(programs[:half], target), *_faults(programs[half:], target)]


def _together(programs: Sequence[Example]) -> ModuleOp:
    functions: list[Operation] = []
    for number, each in enumerate(programs):
        for function in each.module.ops:
            copy = function.clone()
            if isinstance(copy, FuncOp):
                copy.sym_name = StringAttr(f"main{number}")
            functions.append(copy)
    return ModuleOp(functions)


def read() -> dict[str, dict[str, dict[str, str]]]:
    return json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}


def main(words: Sequence[str]) -> None:
    ops = [word for word in words if word in OPS]
    targets = [word for word in words if word not in OPS] or builtin_targets()
    for target in targets:
        for op in ops or OPS:
            kept = {op: faults for op, faults in read().get(target, {}).items() if op in OPS}
            new = {**read(), target: {**kept, op: answers(op, target)}}
            ANSWERS.write_text(json.dumps(new, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
