"""Matrices that `@F_prepare` lays out for products of `@F`, both functions over memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from rlx_dialect.signature import INPUT, PARAM, PREPARE, PREPARED, RESULT, arguments_of, fresh
from rlx_passes.lowerings.to_loops.products import Panels, lay_out
from rlx_passes.pipeline.chip import Chip


@dataclass
class Preparation:
    """
    What a public function has its prepare function lay out; one is made where there is none.

    `main` reads panels as arguments with `rlx.prepared`. A matrix that nobody else reads is no argument any more.
    """

    module: ModuleOp
    main: func.FuncOp
    chip: Chip
    made: dict[tuple[BlockArgument, MemRefType], BlockArgument] = field(
        default_factory=dict["tuple[BlockArgument, MemRefType]", BlockArgument]
    )

    def panels(self, panels: Panels, element: Attribute) -> SSAValue:
        """The argument that has the matrix `panels.operand`, one that `is_kept`, laid out like `panels`."""
        matrix, type = cast("BlockArgument", panels.operand), MemRefType(element, panels.shape)
        if (matrix, type) not in self.made:
            prepare = self._prepare()
            name = self._name(matrix)
            results = _results(prepare)
            out = _insert(prepare, len(prepare.args), type, {PREPARED: name, RESULT: IntegerAttr(len(results), i64)})
            last = prepare.body.block.last_op
            assert last is not None
            lay_out(last, self._source(prepare, matrix), panels, out, self.chip, at_once=True)
            self.made[matrix, type] = _insert(self.main, _count_given(self.main), type, {PREPARED: name})
        return self.made[matrix, type]

    def finish(self) -> None:
        """Drop the matrices that only products read."""
        for matrix in dict.fromkeys(matrix for matrix, _ in self.made):
            if not matrix.uses:
                name = _attributes(self.main, matrix.index).get(PREPARED)
                _erase(self.main, matrix.index)
                if name is not None:
                    _keep_inside(self._prepare(), name)

    def _prepare(self) -> func.FuncOp:
        functions = {op.sym_name.data: op for op in self.module.ops if isinstance(op, func.FuncOp)}
        named = self.main.attributes.get(PREPARE)
        if isinstance(named, SymbolRefAttr):
            return functions[named.string_value()]
        name = fresh(f"{self.main.sym_name.data}_prepare", set(functions))
        prepare = func.FuncOp(name, ((), ()), Region(Block([func.ReturnOp()])))
        self.module.body.block.insert_op_before(prepare, self.main)
        self.main.attributes[PREPARE] = SymbolRefAttr(name)
        return prepare

    def _name(self, matrix: BlockArgument) -> StringAttr:
        """A name for the panels of a matrix that no prepared value of `main` has."""
        _, given = self._bound(matrix)
        taken = {binding.name for binding in arguments_of(self.main) if binding.role == PREPARED}
        return StringAttr(fresh(f"{given.data}.panels", taken))

    def _source(self, prepare: func.FuncOp, matrix: BlockArgument) -> SSAValue:
        """A param or prepared value of `main` in the function that prepares it."""
        ((role, name),) = (
            each for each in _attributes(self.main, matrix.index).items() if each[0] in (PARAM, PREPARED)
        )
        for argument in prepare.args:
            if _attributes(prepare, argument.index).get(role) == name:
                return argument
        return _insert(prepare, _count_given(prepare), matrix.type, {role: name})

    def _bound(self, matrix: BlockArgument) -> tuple[str, StringAttr]:
        attributes = _attributes(self.main, matrix.index)
        role = PARAM if PARAM in attributes else PREPARED
        return role, cast("StringAttr", attributes[role])


def _attributes(function: func.FuncOp, at: int) -> dict[str, Attribute]:
    return dict(function.arg_attrs.data[at].data) if function.arg_attrs is not None else {}


def _results(function: func.FuncOp) -> list[BlockArgument]:
    return [argument for argument in function.args if RESULT in _attributes(function, argument.index)]


def _count_given(function: func.FuncOp) -> int:
    """How many arguments stand before the memory of results."""
    return len(function.args) - len(_results(function))


def _insert(function: func.FuncOp, at: int, type: Attribute, attributes: dict[str, Attribute]) -> BlockArgument:
    dicts = [_attributes(function, i) for i in range(len(function.args))]
    argument = function.body.block.insert_arg(type, at)
    _set(function, [*dicts[:at], attributes, *dicts[at:]])
    return argument


def _erase(function: func.FuncOp, at: int) -> None:
    """Drop an argument; inputs that have their place for a name are given it as an attribute."""
    dicts = [_attributes(function, i) for i in range(len(function.args))]
    for i, binding in enumerate(arguments_of(function)):
        if i > at and binding.role == INPUT and RESULT not in dicts[i]:
            dicts[i][INPUT] = StringAttr(binding.name)
    function.body.block.erase_arg(function.args[at])
    _set(function, [*dicts[:at], *dicts[at + 1 :]])


def _set(function: func.FuncOp, dicts: list[dict[str, Attribute]]) -> None:
    outputs = list(function.function_type.outputs)
    function.function_type = FunctionType.from_lists([argument.type for argument in function.args], outputs)
    function.arg_attrs = ArrayAttr(DictionaryAttr(each) for each in dicts)


def _keep_inside(prepare: func.FuncOp, name: Attribute) -> None:
    """Have the result called `name` in memory of the function itself."""
    (result,) = (each for each in _results(prepare) if _attributes(prepare, each.index).get(PREPARED) == name)
    number = cast("IntegerAttr", _attributes(prepare, result.index)[RESULT]).value.data
    inside = memref.AllocOp([], [], cast("MemRefType", result.type))
    first: Operation | None = prepare.body.block.first_op
    assert first is not None
    prepare.body.block.insert_op_before(inside, first)
    result.replace_all_uses_with(inside.memref)
    _erase(prepare, result.index)
    dicts = [_attributes(prepare, i) for i in range(len(prepare.args))]
    for each in dicts:
        if isinstance(at := each.get(RESULT), IntegerAttr) and at.value.data > number:
            each[RESULT] = IntegerAttr(at.value.data - 1, i64)
    _set(prepare, dicts)
