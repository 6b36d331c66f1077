"""
Which functions of the dialect's lit files become code for each target: every op with its own examples.

    python test/code_coverage.py [cpu mlx ..] # compile, and write test/data/coverage.json, of which docs/lowering.md is
    made
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from programs import parse
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import Rewriter

import rlx_passes
from rlx_dialect.description.facts import accepted
from rlx_dialect.ops import ALL_OPS, ArtifactOp, YieldOp
from rlx_passes.core.errors import RlxError

DIALECT = Path(__file__).parent / "filecheck" / "dialect"
MEASURED = Path(__file__).parent / "data" / "coverage.json"
TARGETS = ("cpu", "cuda", "mlx", "tpu", "wgpu")
"""The targets compiled for. rocm and metal take the kernels of cuda and wgpu."""

OPS = tuple(sorted(op.name for op in ALL_OPS if op not in (ArtifactOp, YieldOp)))
"""The ops that are code: not what code generation leaves, nor what ends the body of another op."""


def _functions() -> Iterator[tuple[str, ModuleOp]]:
    for path in sorted(DIALECT.glob("*.mlir")):
        for text in accepted(path) if "invalid" not in path.stem else ():
            for func in parse(text, path.name).ops:
                if isinstance(func, FuncOp) and func.function_type.outputs and not func.is_declaration:
                    alone = func.clone()
                    alone.sym_name = StringAttr("main")  # XLA runs no other
                    _take_sizes_as_tensors(alone)
                    yield f"{path.stem}-{func.sym_name.data}", ModuleOp([alone])


def _take_sizes_as_tensors(func: FuncOp) -> None:
    """A size that is an argument becomes an element of one, since a program takes tensors."""
    first = func.body.block.first_op
    for argument in func.body.block.args:
        if isinstance(argument.type, IndexType) and first is not None:
            size = Rewriter.replace_value_with_new_type(argument, TensorType(i64, []))
            element = tensor.ExtractOp(size, [], i64)
            index = arith.IndexCastOp(element.result, IndexType())
            size.replace_uses_with_if(index.result, lambda use, element=element: use.operation is not element)
            func.body.block.insert_ops_before([element, index], first)
    func.update_function_type()


@cache
def functions() -> Mapping[str, ModuleOp]:
    """Each function that has results, alone in a module, by file and name."""
    return dict(_functions())


def ops_of(module: ModuleOp) -> frozenset[str]:
    """The ops of `OPS` that a module holds."""
    return frozenset(op.name for op in module.walk()) & frozenset(OPS)


def has_unknown(module: ModuleOp) -> bool:
    """Whether a size in it is only known at run time."""
    return "?" in str(module)


def outcome(name: str, target: str) -> str:
    """Empty where the function becomes code, else why not."""
    try:
        rlx_passes.compile(functions()[name].clone(), target, origin="rlx")
    except RlxError as error:
        return str(error).splitlines()[0]
    return ""


def measured() -> Mapping[str, Mapping[str, str]]:
    """The outcome by target and function, as `MEASURED` has it."""
    return json.loads(MEASURED.read_text(encoding="utf-8"))


def cells(target: str) -> Mapping[str, str]:
    """For each op `yes`, `static` where it becomes code with static sizes alone, or nothing."""
    found = measured()[target]
    static: dict[str, bool] = {}
    unknown: dict[str, bool] = {}
    for name, module in functions().items():
        into = unknown if has_unknown(module) else static
        for op in ops_of(module):
            into[op] = into.get(op, False) or not found[name]
    return {
        op: "yes" if static.get(op, True) and unknown.get(op, True) else "static" if static.get(op) else ""
        for op in OPS
    }


def main(targets: list[str]) -> None:
    found = {target: dict(each) for target, each in measured().items()} if MEASURED.exists() else {}
    for target in targets or TARGETS:
        found[target] = {name: outcome(name, target) for name in functions()}
    MEASURED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
