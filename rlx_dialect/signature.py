"""Names of a function's inputs, params and outputs: attributes of arguments and results, read and written only here."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, SSAValue

INPUT, PARAM, PREPARED, OUTPUT = "rlx.input", "rlx.param", "rlx.prepared", "rlx.output"
ROLES = (INPUT, PARAM, PREPARED)

DIMS = "rlx.dims"
"""The sizes of an argument, each a number or a name; dims of one name are equal when the program runs."""

DONATE = "rlx.donate"
"""On an input: the index of the result that may take its memory, since nobody reads the input after the call."""

PREPARE = "rlx.prepare"
"""On a function: the name of the one that makes its prepared values, see `rlx-hoist-prepare`."""

RELATIONS = "rlx.relations"
"""On a lowered function: what it relies on of the sizes of its arguments, as the JSON text of the manifest."""

RESULT = "rlx.result"
"""On an argument of a function over memory: the number of the result that goes there."""

WRITTEN = "rlx.written"
"""On an input of a function over memory that is given up: the number of the result that is left in it."""

OPTIONAL = "rlx.optional"
"""A unit attribute on a result: a pass may drop it where the program gets cheaper without."""


class Binding(NamedTuple):
    """What an argument or result is bound to: its role (one of the attribute names above), its name and its type."""

    role: str
    name: str
    type: Attribute


def arguments_of(func: FuncOp) -> list[Binding]:
    """The binding of each argument; one without a role is an input named `arg<i>`."""
    types = func.function_type.inputs.data
    return [
        _binding(attrs, type, ROLES, INPUT, f"arg{i}")
        for i, (attrs, type) in enumerate(zip(_dicts(func.arg_attrs, len(types)), types))
    ]


def results_of(func: FuncOp) -> list[Binding]:
    """The binding of each result; one without a name is `out<i>`."""
    types = func.function_type.outputs.data
    roles = (OUTPUT, PREPARED)
    return [
        _binding(attrs, type, roles, OUTPUT, f"out{i}")
        for i, (attrs, type) in enumerate(zip(_dicts(func.res_attrs, len(types)), types))
    ]


def typed_results(func: FuncOp) -> list[tuple[Attribute, DictionaryAttr]]:
    """Type and attributes of each result, those among them that go to memory of the caller, by `rlx.result`."""
    inputs, outputs = func.function_type.inputs.data, func.function_type.outputs.data
    none = DictionaryAttr({})
    given = {
        number.value.data: (type, attrs)
        for attrs, type in zip(_dicts(func.arg_attrs, len(inputs)), inputs)
        if attrs is not None and isinstance(number := attrs.data.get(RESULT), IntegerAttr)
    }
    returned = iter([(type, attrs or none) for attrs, type in zip(_dicts(func.res_attrs, len(outputs)), outputs)])
    return [given[i] if i in given else next(returned) for i in range(len(given) + len(outputs))]


def find_function(module: ModuleOp, name: str | None = None) -> FuncOp:
    """
    The function called `name`, or the only public one with a body.

    Raises `LookupError` that lists the functions there are.
    """
    functions = [op for op in module.body.ops if isinstance(op, FuncOp) and op.body.blocks]
    if name is not None:
        wanted = [func for func in functions if func.sym_name.data == name]
    else:
        wanted = [func for func in functions if func.sym_visibility is None or func.sym_visibility.data == "public"]
    if len(wanted) == 1:
        return wanted[0]
    known = ", ".join(f"@{func.sym_name.data}" for func in functions) or "none"
    what = f"no function @{name}" if name is not None else f"{len(wanted)} public functions, say which is meant"
    raise LookupError(f"{what}; functions in the module: {known}")


def dims_of(func: FuncOp) -> list[Sequence[str | int] | None]:
    """What `rlx.dims` says of each argument, or None. Raises `ValueError` unless it has a name or size for each dim."""
    return [dims_of_argument(func, i) for i in range(len(func.function_type.inputs))]


def dims_of_argument(func: FuncOp, index: int) -> Sequence[str | int] | None:
    """`dims_of` for one argument."""
    attrs = None if func.arg_attrs is None else func.arg_attrs.data[index]
    return _dims(attrs, func.function_type.inputs.data[index], index)


def donations_of(func: FuncOp) -> dict[int, int]:
    """
    The inputs that are given up by `rlx.donate`, each with the result that may take its place.

    Raises `ValueError` unless each names a result of its type that no other input is given up for, and for the
    attribute anywhere but on an argument.
    """
    results = _dicts(func.res_attrs, len(func.function_type.outputs))
    if DONATE in func.attributes or any(each is not None and DONATE in each.data for each in results):
        raise ValueError(f"{DONATE} is an attribute of arguments, not of functions or results")
    found: dict[int, int] = {}
    inputs, outputs = func.function_type.inputs.data, [type for type, _ in typed_results(func)]
    for i, (attrs, binding) in enumerate(zip(_dicts(func.arg_attrs, len(inputs)), arguments_of(func))):
        given = None if attrs is None else attrs.data.get(DONATE)
        if given is None:
            continue
        what, result = f"{DONATE} of argument #{i}", given.value.data if isinstance(given, IntegerAttr) else None
        if result is None or not 0 <= result < len(outputs):
            raise ValueError(f"{what} must be the index of one of {len(outputs)} results, got {given}")
        if binding.role != INPUT:
            raise ValueError(f"{what}: only inputs are given up, not what {binding.role} names")
        if outputs[result] != inputs[i]:
            raise ValueError(f"{what}: result #{result} has type {outputs[result]}, the argument {inputs[i]}")
        if result in found.values():
            raise ValueError(f"{what}: another argument is given up for result #{result}")
        found[i] = result
    return found


def donate(func: FuncOp, donations: Mapping[int, int]) -> None:
    """Give up inputs for results, and no others."""
    old = _dicts(func.arg_attrs, len(func.function_type.inputs))
    attrs: list[DictionaryAttr] = []
    for i, each in enumerate(old):
        kept = {} if each is None else {key: value for key, value in each.data.items() if key != DONATE}
        new = {DONATE: IntegerAttr(donations[i], i64)} if i in donations else {}
        attrs.append(DictionaryAttr({**kept, **new}))
    func.arg_attrs = ArrayAttr(attrs) if any(each.data for each in attrs) else None


def is_private(func: FuncOp) -> bool:
    """Whether only the module itself can call `func`."""
    return func.sym_visibility is not None and func.sym_visibility.data == "private"


def is_kept(value: SSAValue) -> bool:
    """Whether a value is the same in every call: a param or a prepared value of a public function."""
    func = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(value, BlockArgument) or not isinstance(func, FuncOp) or is_private(func):
        return False
    if func.arg_attrs is None or value.block is not func.body.block:
        return False
    attrs = func.arg_attrs.data[value.index].data
    return PARAM in attrs or PREPARED in attrs


def is_optional(func: FuncOp, result: int) -> bool:
    """Whether a result may be dropped."""
    attrs = _dicts(func.res_attrs, len(func.function_type.outputs))[result]
    return attrs is not None and OPTIONAL in attrs.data


def fresh(wanted: str, names: set[str]) -> str:
    """`wanted`, or that followed by a number; it joins `names`."""
    name, number = wanted, 1
    while name in names:
        name, number = f"{wanted}_{number}", number + 1
    names.add(name)
    return name


def keep_arguments(func: FuncOp, kept: Sequence[int]) -> None:
    """
    Drop the arguments that are not at `kept`; nothing may read them. The others keep their names: one that had its
    place for a name is given it as an attribute.
    """
    bindings = arguments_of(func)
    old = _dicts(func.arg_attrs, len(bindings))
    attrs: list[DictionaryAttr] = []
    for place, i in enumerate(kept):
        named = {} if place == i else {bindings[i].role: StringAttr(bindings[i].name)}
        attrs.append(DictionaryAttr({**(old[i] or DictionaryAttr({})).data, **named}))
    block = func.body.blocks[0]
    for i in sorted(set(range(len(bindings))) - set(kept), reverse=True):
        block.erase_arg(block.args[i])
    func.function_type = FunctionType.from_lists([arg.type for arg in block.args], list(func.function_type.outputs))
    func.arg_attrs = ArrayAttr(attrs) if any(each.data for each in attrs) else None


def keep_results(func: FuncOp, kept: Sequence[int], added: Sequence[SSAValue] = ()) -> None:
    """
    Return only the results at `kept`, then the values of `added`. Results keep their names: one that had its place for
    a name is given it as an attribute, and a new one is named after its place, which is after the old ones. They keep
    the inputs that are given up for them, too.
    """
    bindings = results_of(func)
    donations = donations_of(func)
    old = _dicts(func.res_attrs, len(bindings))
    attrs: list[DictionaryAttr] = []
    for place, i in enumerate(kept):
        named = {} if place == i else {bindings[i].role: StringAttr(bindings[i].name)}
        attrs.append(DictionaryAttr({**(old[i] or DictionaryAttr({})).data, **named}))
    attrs += [DictionaryAttr({OUTPUT: StringAttr(f"out{len(bindings) + i}")}) for i in range(len(added))]
    last = func.body.block.last_op
    if not isinstance(last, ReturnOp):
        raise ValueError(f"@{func.sym_name.data} does not end with a return")
    last.operands = [*(last.operands[i] for i in kept), *added]
    func.function_type = FunctionType.from_lists(
        list(func.function_type.inputs), [operand.type for operand in last.operands]
    )
    func.res_attrs = ArrayAttr(attrs) if any(each.data for each in attrs) else None
    if donations:
        donate(func, {donor: kept.index(result) for donor, result in donations.items() if result in kept})


def find_input(func: FuncOp, name: str) -> SSAValue | None:
    """The first input of that name."""
    return _find(func, INPUT, name)


def find_param(func: FuncOp, name: str) -> SSAValue | None:
    """The first param of that name."""
    return _find(func, PARAM, name)


def find_value(func: FuncOp, name: str) -> SSAValue | None:
    """The first argument of that name, else the first value in the body whose name hint it is."""
    for binding, value in zip(arguments_of(func), func.args):
        if binding.name == name:
            return value
    for op in func.walk():
        for result in op.results:
            if result.name_hint == name:
                return result
    return None


def _find(func: FuncOp, role: str, name: str) -> SSAValue | None:
    for binding, value in zip(arguments_of(func), func.args):
        if binding.role == role and binding.name == name:
            return value
    return None


def _dims(attrs: DictionaryAttr | None, type: Attribute, index: int) -> Sequence[str | int] | None:
    named = None if attrs is None else attrs.data.get(DIMS)
    if named is None:
        return None
    entries = cast("ArrayAttr[Attribute]", named).data if isinstance(named, ArrayAttr) else ()
    dims = [
        entry.data if isinstance(entry, StringAttr) else entry.value.data
        for entry in entries
        if isinstance(entry, StringAttr | IntegerAttr)
    ]
    rank = type.get_num_dims() if isinstance(type, TensorType) else 0
    if not isinstance(named, ArrayAttr) or len(dims) != len(entries) or len(dims) != rank:
        raise ValueError(f"{DIMS} of argument #{index} must have a name or a size for each dim of {type}, got {named}")
    return dims


def _dicts(attrs: ArrayAttr[DictionaryAttr] | None, count: int) -> Sequence[DictionaryAttr | None]:
    return [None] * count if attrs is None else attrs.data


def _binding(
    attrs: DictionaryAttr | None, type: Attribute, roles: Sequence[str], default: str, fallback: str
) -> Binding:
    for role in roles if attrs is not None else ():
        name = attrs.data.get(role) if attrs is not None else None
        if isinstance(name, StringAttr):
            return Binding(role, name.data, type)
    return Binding(default, fallback, type)
