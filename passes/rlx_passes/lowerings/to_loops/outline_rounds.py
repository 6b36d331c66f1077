"""`rlx-outline-rounds`: parallel loops as functions of their own, equal ones once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import FloatAttr, FunctionType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from rlx_passes.lowerings.to_loops.rows import is_movable
from rlx_passes.rewriting.conversion import on_copy

NAME = "rlx_rounds"


@dataclass(frozen=True)
class OutlineRoundsPass(ModulePass):
    """
    Move every `scf.parallel` into a private function that takes the memory it works on, and call that.

    Views of memory, sizes and constants are computed inside. Loops that are alike become one function, so that what
    comes after sees the layers of a network once.
    """

    name = "rlx-outline-rounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, outline)


def outline(module: ModuleOp) -> None:
    """What the pass does, in place."""
    loops = [op for op in module.walk() if isinstance(op, scf.ParallelOp)]
    taken = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}
    made = defaultdict[tuple[str, ...], list[func.FuncOp]](list)
    for loop in loops:
        block = loop.parent
        assert block is not None
        body = _Body()
        for value in _outer(loop):
            body.value(value)
        arguments = list(body.arguments)
        call = func.CallOp(NAME, arguments, [])
        block.insert_op_before(call, loop)
        loop.detach()
        for op in loop.walk():
            op.operands = [body.values.get(value, value) for value in op.operands]
        body.block.add_ops([loop, func.ReturnOp()])
        type = FunctionType.from_lists([value.type for value in arguments], [])
        new = func.FuncOp(NAME, type, Region(body.block), StringAttr("private"))
        _unname(new)
        alike = made[tuple(op.name for op in new.walk())]
        known = next((each for each in alike if _is_alike(each, new)), None)
        if known is None:
            name = f"{NAME}_{sum(map(len, made.values()))}"
            while name in taken:
                name += "_"
            alike.append(known := new)
            new.sym_name = StringAttr(name)
            module.body.block.add_op(new)
        call.properties["callee"] = SymbolRefAttr(known.sym_name)
    _sweep(module)


def _is_alike(a: func.FuncOp, b: func.FuncOp) -> bool:
    """Whether functions do the same. xDSL's comparison leaves out types of results, and -0 is equal to 0 there."""
    return a.body.is_structurally_equivalent(b.body) and all(
        x.result_types == y.result_types and all(str(p) == str(q) for p, q in zip(_floats(x), _floats(y), strict=True))
        for x, y in zip(a.walk(), b.walk(), strict=True)
    )


def _floats(op: Operation) -> list[Attribute]:
    return [value for value in op.properties.values() if isinstance(value, FloatAttr)]


def _outer(op: Operation) -> list[SSAValue]:
    """The values that `op` takes from outside, in order."""
    found: dict[SSAValue, None] = {}
    inside: set[SSAValue] = set()
    for each in op.walk():
        inside.update(each.results)
        inside.update(argument for region in each.regions for block in region.blocks for argument in block.args)
        found.update(dict.fromkeys(value for value in each.operands if value not in inside))
    return list(found)


@dataclass
class _Body:
    """The start of a function, with what is computed in it of its arguments."""

    block: Block = field(default_factory=Block)
    arguments: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def value(self, old: SSAValue) -> None:
        """Have `old` inside."""
        if old in self.values:
            return
        owner = old.owner
        if isinstance(owner, Operation) and is_movable(owner) and owner.name != "memref.alloc":
            for operand in owner.operands:
                self.value(operand)
            new = owner.clone(self.values)
            self.block.add_op(new)
            self.values.update(zip(owner.results, new.results, strict=True))
            return
        self.arguments[old] = self.values[old] = self.block.insert_arg(old.type, len(self.block.args))


def _unname(function: func.FuncOp) -> None:
    """Take away the names of values, by which functions may differ that do the same."""
    for op in function.walk():
        for value in (
            *op.results,
            *(value for region in op.regions for block in region.blocks for value in block.args),
        ):
            value.name_hint = None


def _sweep(module: ModuleOp) -> None:
    """Take away what nobody reads any more."""
    for op in reversed([op for op in module.walk() if not isinstance(op, linalg.GenericOp)]):
        if is_movable(op) and op.parent is not None and not any(result.uses for result in op.results):
            op.parent.erase_op(op)
