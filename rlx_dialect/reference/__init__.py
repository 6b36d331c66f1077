"""
The meaning of every op in NumPy. It defines what is right: passes, lowerings and compiled code are compared with it.

    outputs = run(module, "main", {"x": x, "w": w})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter, InterpreterFunctions
from xdsl.interpreters.func import FuncFunctions
from xdsl.ir import Attribute

from rlx_dialect.chapters import chapters, defined
from rlx_dialect.dims import Atom, AxisSize, Dim, Size, Symbol
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.known_sizes import KnownSizes, is_open
from rlx_dialect.reference.custom import CustomFunction, CustomFunctions
from rlx_dialect.reference.numeric import Array
from rlx_dialect.relations import size_name
from rlx_dialect.requirements import requirements
from rlx_dialect.shapes import ShapeError, compatible, of_type, show
from rlx_dialect.signature import arguments_of, find_function, results_of

__all__ = ["IMPLEMENTATIONS", "Array", "run"]

IMPLEMENTATIONS: list[type[InterpreterFunctions]] = [
    FuncFunctions,
    *(cls for chapter in chapters(__name__) for cls in defined(chapter, InterpreterFunctions)),
]
"""The functions of all chapters, found there; a package with ops of its own appends what they mean."""
IMPLEMENTATIONS.remove(CustomFunctions)  # `run` makes one that knows what it was given

TOO_LARGE = ("array is too big", "Maximum allowed")
"""How the messages of NumPy's `ValueError`s begin that are about sizes."""


def run(
    module: ModuleOp,
    name: str | None = None,
    inputs: Mapping[str, Array] | Sequence[Array] = (),
    custom: Mapping[str, CustomFunction] | None = None,
) -> dict[str, Array]:
    """
    Call the function `name` (or the only public one) and return its results by name.

    `inputs` holds an array for each argument, by position or by name (`rlx_dialect.signature.arguments_of`); dtype and
    shape must be the declared ones. `custom` says by kind what an `rlx.custom` computes. Raises `LookupError` for a
    missing function or name and for a custom op that nobody explains, `ValueError` for an array that does not fit or
    whose sizes do not fit those of others, `IndexError` for an index outside of a table, `MemoryError` for arrays that
    NumPy cannot hold.
    """
    func = find_function(module, name)
    arguments = _arguments(func, inputs)
    _check_sizes(func, arguments)
    interpreter = Interpreter(module)
    for implementation in IMPLEMENTATIONS:
        interpreter.register_implementations(implementation())
    interpreter.register_implementations(CustomFunctions(custom or {}))
    try:
        with np.errstate(all="ignore"):
            results = interpreter.call_op(func, tuple(arguments))
    except (MemoryError, ValueError) as error:
        if isinstance(error, ValueError) and not str(error).startswith(TOO_LARGE):
            raise
        raise MemoryError(f"@{func.sym_name.data} has values that are too large for NumPy: {error}") from None
    return {
        binding.name: np.ascontiguousarray(value).reshape(np.shape(value))
        for binding, value in zip(results_of(func), results)
    }


def _check_sizes(func: FuncOp, arguments: Sequence[Array]) -> None:
    """Raises `ShapeError` where sizes that the types leave open are not related as the function relies on."""
    named: dict[Atom, Size] = {}
    sizes: dict[Atom, Size] = {}
    for value, binding, array in zip(func.args, arguments_of(func), arguments):
        if isinstance(binding.type, TensorType):
            for axis, size in enumerate(array.shape):
                symbol = Symbol(size_name(binding.role.removeprefix("rlx."), binding.name, axis))
                named[AxisSize(value, axis)], sizes[symbol] = Dim.of(symbol), size
    if any(is_open(value) for value in func.args):
        given = [value for value in func.args if isinstance(value.type, TensorType)]
        for relation in requirements(func, KnownSizes(), given).of_callers:
            if fault := relation.substitute(named).fault(sizes):
                raise ShapeError(f"@{func.sym_name.data}: {fault}")


def _arguments(func: FuncOp, inputs: Mapping[str, Array] | Sequence[Array]) -> list[Array]:
    bindings = arguments_of(func)
    if isinstance(inputs, Mapping):
        missing = [binding.name for binding in bindings if binding.name not in inputs]
        if missing:
            raise LookupError(f"@{func.sym_name.data}: no value for {', '.join(missing)}")
        values = [inputs[binding.name] for binding in bindings]
    else:
        values = list(inputs)
    if len(values) != len(bindings):
        raise ValueError(f"@{func.sym_name.data} takes {len(bindings)} arguments, got {len(values)}")
    for binding, value in zip(bindings, values):
        type = binding.type
        if not isinstance(type, TensorType):
            continue
        dims, element = of_type(cast(TensorType[Attribute], type))
        expected = numpy_dtype(element)
        if value.dtype != expected or len(dims) != value.ndim or not all(map(compatible, dims, value.shape)):
            raise ValueError(
                f"@{func.sym_name.data}: '{binding.name}' must be {show(dims)} of {expected}, "
                f"got {show(value.shape)} of {value.dtype}"
            )
    return values
