"""What a bundle says about an entry, read off the lowered functions and their `rlx.*` attributes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Attribute

from rlx_dialect import dtypes
from rlx_dialect.relations import Relation, relations_of_json
from rlx_dialect.signature import PREPARE, RELATIONS, RESULT, WRITTEN, donations_of, typed_results
from rlx_passes.bundle.manifest import Call, Entry, Role, TensorSpec
from rlx_passes.core.errors import CodegenError
from rlx_passes.lowerings.to_loops.plan_buffers import ARENA

_ROLES: Mapping[str, Role] = {"rlx.input": "input", "rlx.param": "param", "rlx.prepared": "prepared"}


def dtype_name(type_: Attribute) -> str:
    """The RLX dtype name of an element type; raises `CodegenError` for one that has none."""
    try:
        return dtypes.dtype_of(type_).name
    except ValueError as error:
        raise CodegenError(str(error)) from error


@dataclass(frozen=True)
class Signature:
    """The arguments and results of a lowered function, by role and name."""

    arguments: tuple[tuple[Role, TensorSpec], ...]
    results: tuple[TensorSpec, ...]

    @staticmethod
    def of(function: func.FuncOp) -> "Signature":
        """
        Read the signature of `function`, over tensors, or over memory as `rlx-bufferize` leaves it.

        An argument without a role is an input `arg<i>`, a result without a name is `out<i>`; `rlx.dtype` on either is
        the dtype of the program where the lowering stores another one.
        """
        arguments: list[tuple[Role, TensorSpec]] = []
        for i, (argument, attributes) in enumerate(_zip(function.function_type.inputs.data, function.arg_attrs)):
            if RESULT not in attributes.data and ARENA not in attributes.data:
                role, name = _role(attributes, i)
                arguments.append((role, _spec(name, argument, attributes)))
        results = tuple(
            _spec(_output_name(attributes, i), result, attributes)
            for i, (result, attributes) in enumerate(typed_results(function))
        )
        signature = Signature(tuple(arguments), results)
        for role in dict.fromkeys(role for role, _ in arguments):
            _check_unique(function, role, [spec.name for each, spec in arguments if each == role])
        _check_unique(function, "result", [spec.name for spec in results])
        return signature

    def of_role(self, role: Role) -> tuple[TensorSpec, ...]:
        """The arguments of one role."""
        return tuple(spec for each, spec in self.arguments if each == role)

    def call(self) -> Call:
        """The calling sequence."""
        return Call(
            tuple((role, spec.name) for role, spec in self.arguments), tuple(spec.name for spec in self.results)
        )


def entry_specs(module: ModuleOp) -> tuple[Entry, ...]:
    """
    The entries of a lowered module, without code: one for each public function that is not another's `rlx.prepare`.

    The entry's params are those that the function or its prepare function reads.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks}
    prepares = {name: prepare_name(function) for name, function in functions.items()}
    entries: list[Entry] = []
    for name, function in functions.items():
        if name in prepares.values() or _is_private(function):
            continue
        if not name or "\0" in name:
            raise CodegenError(f"a function called {name!r} cannot be an entry of a bundle: give it another name")
        signature = Signature.of(function)
        prepare = prepares[name]
        if prepare is not None and prepare not in functions:
            raise CodegenError(f"@{name} names @{prepare} as its {PREPARE}, and there is no such function")
        prepared_by = Signature.of(functions[prepare]) if prepare is not None else None
        params = {spec.name: spec for spec in signature.of_role("param")}
        if prepared_by is not None:
            params |= {spec.name: spec for spec in prepared_by.of_role("param")}
        entries.append(
            Entry(
                name,
                inputs=signature.of_role("input"),
                params=tuple(params.values()),
                outputs=signature.results,
                call=signature.call(),
                prepared=_prepared_specs(signature, functions[prepare] if prepare is not None else None),
                prepare=_prepare_call(functions[prepare]) if prepare is not None else None,
                donated=_donated(function, signature),
            )
        )
        entries[-1].check(f"@{name}")
        entries[-1] = replace(entries[-1], relations=_relations(function, entries[-1]))
    if not entries:
        raise CodegenError("the module has no public function to compile")
    return tuple(entries)


def _donated(function: func.FuncOp, signature: Signature) -> Mapping[str, str]:
    try:
        donations = donations_of(function)
    except ValueError as error:
        raise CodegenError(f"@{function.sym_name.data}: {error}") from error
    return {signature.arguments[i][1].name: signature.results[j].name for i, j in donations.items()}


def written_of(function: func.FuncOp) -> Mapping[str, str]:
    """The inputs of a function over memory in which results are left, each with the name of the result."""
    signature = Signature.of(function)
    numbers = [
        number.value.data
        for _, attributes in _zip(function.function_type.inputs.data, function.arg_attrs)
        if isinstance(number := attributes.data.get(WRITTEN), IntegerAttr)
    ]
    donors = {result: donor for donor, result in _donated(function, signature).items()}
    names = [signature.results[number].name for number in numbers]
    return {donors[name]: name for name in names}


def with_code(entry: Entry, code: Mapping[str, Any]) -> Entry:
    """`entry` with the backend's part."""
    return replace(entry, code=dict(code))


def prepare_name(function: func.FuncOp) -> str | None:
    """The name of the function that prepares values for `function`, or None."""
    value = function.attributes.get(PREPARE)
    if value is None:
        return None
    if isinstance(value, SymbolRefAttr):
        return value.string_value()
    if isinstance(value, StringAttr):
        return value.data
    raise CodegenError(f"@{function.sym_name.data}: {PREPARE} is {value}, expected the name of a function")


def _relations(function: func.FuncOp, entry: Entry) -> tuple[Relation, ...]:
    stated = function.attributes.get(RELATIONS)
    try:
        return relations_of_json(json.loads(stated.data), entry.size_names()) if isinstance(stated, StringAttr) else ()
    except (ValueError, TypeError) as error:
        raise CodegenError(f"@{function.sym_name.data}: {RELATIONS}: {error}") from error


def _prepared_specs(signature: Signature, prepare: func.FuncOp | None) -> tuple[TensorSpec, ...]:
    """Every prepared value: those that the prepare function makes, then any the function takes beside them."""
    if prepare is None:
        return signature.of_role("prepared")
    made = {spec.name: spec for spec in _prepared_results(prepare)}
    return tuple((made | {spec.name: spec for spec in signature.of_role("prepared")}).values())


def _prepared_results(prepare: func.FuncOp) -> tuple[TensorSpec, ...]:
    return tuple(
        _spec(_string(attributes, "rlx.prepared") if "rlx.prepared" in attributes.data else f"p{i}", result, attributes)
        for i, (result, attributes) in enumerate(typed_results(prepare))
    )


def _prepare_call(prepare: func.FuncOp) -> Call:
    return Call(Signature.of(prepare).call().arguments, tuple(spec.name for spec in _prepared_results(prepare)))


def _role(attributes: DictionaryAttr, position: int) -> tuple[Role, str]:
    for key, role in _ROLES.items():
        if key in attributes.data:
            return role, _string(attributes, key)
    return "input", f"arg{position}"


def _output_name(attributes: DictionaryAttr, position: int) -> str:
    return _string(attributes, "rlx.output") if "rlx.output" in attributes.data else f"out{position}"


def _check_unique(function: func.FuncOp, what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise CodegenError(f"@{function.sym_name.data} has more than one {what} named '{name}'")


def _is_private(function: func.FuncOp) -> bool:
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def _zip(
    types: Sequence[Attribute], attributes: ArrayAttr[DictionaryAttr] | None
) -> Sequence[tuple[Attribute, DictionaryAttr]]:
    dicts = attributes.data if attributes is not None else [DictionaryAttr({})] * len(types)
    return tuple(zip(types, dicts, strict=True))


def _string(attributes: DictionaryAttr, key: str) -> str:
    value = attributes.data[key]
    if not isinstance(value, StringAttr):
        raise CodegenError(f"{key} = {value}: a name in quotes was expected")
    return value.data


def _spec(name: str, type_: Attribute, attributes: DictionaryAttr) -> TensorSpec:
    if not isinstance(type_, TensorType | MemRefType):
        raise CodegenError(f"'{name}' has type {type_}; an entry takes and gives ranked tensors")
    shaped = cast("TensorType[Attribute] | MemRefType", type_)
    dtype = _string(attributes, "rlx.dtype") if "rlx.dtype" in attributes.data else dtype_name(shaped.element_type)
    return TensorSpec(name, tuple(None if size == DYNAMIC_INDEX else size for size in shaped.get_shape()), dtype)
