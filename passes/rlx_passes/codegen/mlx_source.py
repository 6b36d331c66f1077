"""The Python source of a program of `mlx.call` ops: a function for each function, a line for each op."""

import builtins
import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import arith, cf, func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    f64,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute

from rlx_dialect.constants import array_of
from rlx_dialect.dtypes import is_float
from rlx_dialect.formulas import F32, F64, FUNCTIONS
from rlx_dialect.ops import IfOp, ScanOp, WhileOp
from rlx_dialect.shapes import of_type, shaped
from rlx_dialect.signature import arguments_of
from rlx_passes.codegen.entries import dtype_name
from rlx_passes.codegen.mlx_control import control_lines
from rlx_passes.codegen.mlx_library import needed_functions, read_library
from rlx_passes.core.errors import CodegenError
from rlx_passes.dialects.mlx import CallOp, SliceOp
from rlx_passes.lowerings.forms import MLX, advice
from rlx_passes.lowerings.to_mlx.functions import UNNAMED, source_name

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array

CONSTANTS = "constants.npz"
INLINE = 16
"""Constants of more elements than this go into the file of constants, unless they are splats."""

DTYPES = {
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "ui8": "uint8",
    "ui16": "uint16",
    "ui32": "uint32",
    "ui64": "uint64",
    "i1": "bool_",
    "c64": "complex64",
}
"""RLX dtype names as MLX has them."""

LIST_ARGUMENTS = frozenset({"mx.concatenate"})
"""Functions that take their arrays as one list."""
VIEWS = frozenset({"mx.reshape"})
"""Functions with a shape that make no elements."""
FIRST_KEYWORD = {"mx.einsum": "subscripts", "lib.integer_einsum": "subscripts"}
"""Functions whose first argument is no array: the keyword that holds it."""
NAMED_ARGUMENTS = {
    "mx.fast.scaled_dot_product_attention": (None, None, None, "mask"),
    "mx.gather_mm": (None, None, "rhs_indices"),
    "mx.gather_qmm": (None, None, None, None, "rhs_indices"),
}
"""Functions that take some arrays by name only."""

INDEX_OPS: dict[type[Operation], str] = {
    arith.AddiOp: "{} + {}",
    arith.SubiOp: "{} - {}",
    arith.MuliOp: "{} * {}",
    arith.DivSIOp: "{} // {}",
    arith.DivUIOp: "{} // {}",
    arith.FloorDivSIOp: "{} // {}",
    arith.CeilDivSIOp: "-(-{} // {})",
    arith.CeilDivUIOp: "-(-{} // {})",
    arith.RemSIOp: "{} % {}",
    arith.RemUIOp: "{} % {}",
    arith.MaxSIOp: "max({}, {})",
    arith.MinSIOp: "min({}, {})",
    arith.MaxUIOp: "max({}, {})",
    arith.MinUIOp: "min({}, {})",
    arith.IndexCastOp: "{}",
}
"""Arithmetic on sizes, which are never negative, as Python on integers."""
COMPARISONS = {0: "==", 1: "!=", 2: "<", 3: "<=", 4: ">", 5: ">=", 6: "<", 7: "<=", 8: ">", 9: ">="}
"""The predicates of `arith.cmpi` on sizes, in which signed and unsigned are alike."""


@dataclass(frozen=True)
class PythonSource:
    """The text of a module; `functions` maps the program's names to Python's; `constants` are what its file holds."""

    text: str
    functions: dict[str, str]
    constants: "dict[str, Array]"


def python_source(module: ModuleOp) -> PythonSource:
    """
    The source of every function of `module`.

    Names come from names in the program, made into identifiers; no other text of the program gets into the source.
    Raises `CodegenError` for an op or a type that MLX has not.
    """
    library = read_library()
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    if strange := [op for op in module.ops if not isinstance(op, func.FuncOp)]:
        raise CodegenError(f"'{strange[0].name}' beside the functions cannot be compiled for MLX")
    formulas = {source_name(name, form) for name in (*FUNCTIONS, *UNNAMED) for form in (F32, F64)}
    reserved = {"mx", "Path", "CONSTANTS", *dir(builtins), *keyword.kwlist, *library, *formulas}
    names = Names(reserved)
    known = {function.sym_name.data: names.new(function.sym_name.data, "function") for function in functions}
    writer = Writer(known, reserved | set(known.values()))
    bodies = [writer.function(function) for function in functions]
    parts = ["import mlx.core as mx\n"]
    if writer.constants:
        parts = ["from pathlib import Path\n\nimport mlx.core as mx\n"]
        parts.append(f'CONSTANTS = mx.load(str(Path(__file__).with_name("{CONSTANTS}")))\nmx.eval(CONSTANTS)\n')
    parts += needed_functions(writer.used, library)
    return PythonSource("\n\n".join([*parts, *bodies]), known, writer.constants)


# Names and literals.


class Names:
    """Identifiers, none twice."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, wanted: str | None, otherwise: str) -> str:
        """`wanted` made into an identifier that is free, or `otherwise` where nothing of it can be used."""
        base = re.sub(r"[^A-Za-z0-9_]+", "_", wanted or "")[:40].strip("_")
        if not base or not base.isidentifier():
            base = f"{otherwise}_{base}" if base else otherwise
        name, count = base, 1
        while name in self._taken:
            name, count = f"{base}_{count}", count + 1
        self._taken.add(name)
        return name


def dtype(element: Attribute) -> str:
    """The MLX dtype of an element type, as Python."""
    name = "i64" if isinstance(element, IndexType) else dtype_name(element)
    if name not in DTYPES:
        raise CodegenError(f"MLX has no counterpart of element type {element}")
    return f"mx.{DTYPES[name]}"


def number(value: Any) -> str:
    """A number as Python."""
    if isinstance(value, complex):
        return f"complex({number(value.real)}, {number(value.imag)})"
    if not isinstance(value, float) or value - value == 0:
        return repr(value)
    return "mx.nan" if value != value else "mx.inf" if value > 0 else "-mx.inf"


def integers(value: Attribute) -> list[int]:
    """The elements of a list of integers; raises `CodegenError` for any other attribute."""
    array = cast("DenseArrayBase[Any] | None", value if isinstance(value, DenseArrayBase) else None)
    if array is not None and isinstance(array.elt_type, IntegerType):
        return list(array.get_values())
    raise CodegenError(f"{value} cannot be an argument of an MLX call: a list of integers was expected")


def literal(value: Attribute) -> str:
    """A keyword's value as Python."""
    match value:
        case IntegerAttr() if value.type == i1:
            return repr(bool(value.value.data))
        case IntegerAttr():
            return repr(value.value.data)
        case FloatAttr():
            return number(value.value.data)
        case StringAttr():
            return repr(value.data)
        case DenseArrayBase():
            return repr(integers(value))
        case ArrayAttr():
            return f"[{', '.join(literal(each) for each in value)}]"
        case UnitAttr():
            return "None"
        case TypeAttribute():
            return dtype(value)
        case _:
            raise CodegenError(f"{value} cannot be an argument of an MLX call")


# Functions.


@dataclass
class Writer:
    """Writes functions, and collects the library functions and constants that they use."""

    functions: dict[str, str]
    reserved: set[str]
    used: set[str] = field(default_factory=set[str])
    constants: "dict[str, Array]" = field(default_factory=dict[str, Any])

    def function(self, function: func.FuncOp) -> str:
        """The definition of one function, which returns a tuple."""
        if len(function.body.blocks) != 1:
            raise CodegenError(f"@{function.sym_name.data} has branches, which an MLX program cannot have")
        body = Body(self, function)
        parameters = [body.name(value, binding.name) for value, binding in zip(function.args, arguments_of(function))]
        described = ", ".join(
            f"{name} {_described(value.type)}" for name, value in zip(parameters, function.args, strict=True)
        )
        lines = [line for op in function.body.block.ops for line in body.lines(op)]
        head = f"def {self.functions[function.sym_name.data]}({', '.join(parameters)}):\n"
        summary = f'    """{described or "No arguments"}."""\n'
        return head + summary + "".join(f"    {line}\n" for line in lines)


class Body:
    """Writes the ops of one function."""

    def __init__(self, writer: Writer, function: func.FuncOp) -> None:
        self.writer, self.function = writer, function
        self.names = Names(writer.reserved)
        self.known: dict[SSAValue, str] = {}

    def name(self, value: SSAValue, wanted: str | None = None) -> str:
        """The new name of a value that is defined here."""
        self.known[value] = self.names.new(wanted or value.name_hint, "v")
        return self.known[value]

    def of(self, value: SSAValue) -> str:
        return self.known[value]

    def fresh(self, wanted: str) -> str:
        """A name that nothing has."""
        return self.names.new(wanted, "v")

    def library(self, function: str) -> str:
        """The name of a library function, which is needed from now on."""
        self.writer.used.add(function)
        return function

    def dtype(self, element: Attribute) -> str:
        """An element type as MLX has it."""
        return dtype(element)

    def lines(self, op: Operation) -> list[str]:
        """The statements of one op."""
        if isinstance(op, func.ReturnOp):
            values = [self.of(value) for value in op.arguments]
            return [f"return ({', '.join(values)}{',' if len(values) == 1 else ''})"]
        if isinstance(op, IfOp | WhileOp | ScanOp):
            return control_lines(op, self)
        if isinstance(op, cf.AssertOp):
            return [f"if not {self.of(op.arg)}:", f"    raise ArithmeticError({self.message(op)})"]
        expression = self.expression(op)
        targets = [self.name(result) for result in op.results]
        if isinstance(op, func.CallOp):
            return [f"{''.join(f'{target}, ' for target in targets).strip()} = {expression}"] if targets else []
        return [f"{targets[0]} = {expression}"]

    def message(self, op: cf.AssertOp) -> str:
        """What is said where an assertion fails, with the two sizes where it compares some."""
        compared = op.arg.owner
        if not isinstance(compared, arith.CmpiOp):
            return repr(op.msg.data)
        left, right = map(self.of, compared.operands)
        return f"{op.msg.data!r} + f', got {{{left}}} and {{{right}}}'"

    def expression(self, op: Operation) -> str:
        """The right hand side of an op."""
        match op:
            case CallOp():
                return self.call(op)
            case SliceOp():
                start = op.start.value.data
                brackets = [":"] * op.axis.value.data + [f"{start}:{start + op.length.value.data}"]
                return f"{self.of(op.input)}[{', '.join(brackets)}]"
            case arith.ConstantOp():
                return self.constant(op)
            case tensor.DimOp():
                return f"{self.of(op.source)}.shape[{self.of(op.index)}]"
            case tensor.FromElementsOp():
                dims, element = shaped(op.result)
                elements = ", ".join(self.of(value) for value in op.elements)
                return f"mx.array([{elements}], dtype={dtype(element)}).reshape({list(dims)})"
            case tensor.ExtractOp():
                at = f"[{', '.join(self.of(value) for value in op.indices)}]" if op.indices else ""
                return f"{self.of(op.tensor)}{at}.item()"
            case func.CallOp():
                callee = op.callee.root_reference.data
                if callee not in self.writer.functions:
                    raise CodegenError(f"@{self.function.sym_name.data} calls @{callee}, which has no body")
                return f"{self.writer.functions[callee]}({', '.join(self.of(value) for value in op.arguments)})"
            case arith.CmpiOp() if op.predicate.value.data in COMPARISONS and isinstance(op.lhs.type, IndexType):
                lhs, rhs = map(self.of, op.operands)
                return f"{lhs} {COMPARISONS[op.predicate.value.data]} {rhs}"
            case _ if type(op) in INDEX_OPS and not any(isinstance(each.type, TensorType) for each in op.results):
                return INDEX_OPS[type(op)].format(*(self.of(value) for value in op.operands))
            case _:
                where = f"'{op.name}' in @{self.function.sym_name.data}"
                raise CodegenError(f"{where} cannot be written for MLX; {advice((MLX,), op)}")

    def call(self, op: CallOp) -> str:
        """A call, by the conventions of its callee."""
        callee = op.callee.data
        arrays = [self.of(value) for value in op.arguments if isinstance(value.type, TensorType)]
        sizes = [self.of(value) for value in op.arguments if not isinstance(value.type, TensorType)]
        keywords = {key: literal(value) for key, value in op.keywords.data.items()}
        if "shape" in op.keywords.data:
            keywords["shape"] = _shape(op, sizes)
            if sizes and callee not in VIEWS:
                keywords["shape"] = f"{self.library('held')}({keywords['shape']})"
        if callee in LIST_ARGUMENTS:
            arrays = [f"[{', '.join(arrays)}]"]
        if callee in FIRST_KEYWORD:
            arrays.insert(0, keywords.pop(FIRST_KEYWORD[callee]))
        labels = NAMED_ARGUMENTS.get(callee, ())
        labelled = [f"{labels[i]}={each}" if i < len(labels) and labels[i] else each for i, each in enumerate(arrays)]
        if callee.startswith("lib."):
            callee = callee.removeprefix("lib.")
            if callee in FUNCTIONS or callee in UNNAMED:
                callee = source_name(callee, F64 if shaped(op.result).element == f64 else F32)
            self.library(callee)
        return f"{callee}({', '.join([*labelled, *(f'{key}={value}' for key, value in keywords.items())])})"

    def constant(self, op: arith.ConstantOp) -> str:
        """A constant: a Python number, an array written out, or a name in the file of constants."""
        if isinstance(op.value, IntegerAttr | FloatAttr):
            return number(op.value.value.data)
        try:
            array = array_of(op.value)
        except ValueError as error:
            raise CodegenError(f"a constant in @{self.function.sym_name.data}: {error}") from error
        type_ = dtype(shaped(op.result).element)
        if array.size == 0:
            return f"mx.zeros({list(array.shape)}, dtype={type_})"
        if array.strides.count(0) == array.ndim > 0:
            return f"mx.full({list(array.shape)}, {number(array.flat[0].item())}, dtype={type_})"
        if array.size <= INLINE:
            return f"mx.array({_nested(_plain(array, op).tolist())}, dtype={type_})"
        key = f"{self.writer.functions[self.function.sym_name.data]}_{len(self.writer.constants)}"
        if type_ == "mx.bfloat16":
            self.writer.constants[key] = array.view("uint16")
            return f'CONSTANTS["{key}"].view(mx.bfloat16)'
        self.writer.constants[key] = array
        return f'CONSTANTS["{key}"]'


def _plain(array: "Array", op: arith.ConstantOp) -> "Array":
    """Floats in a type whose elements become Python floats."""
    return array.astype("float64") if is_float(shaped(op.result).element) else array


def _nested(values: Any) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_nested(each) for each in values)}]"  # pyright: ignore[reportUnknownVariableType]
    return number(values)


def _shape(op: CallOp, sizes: Sequence[str]) -> str:
    """The list `shape`, a size that is known at run time only taken from the index arguments."""
    shape = integers(op.keywords.data["shape"])
    known = iter(sizes)
    return f"[{', '.join(next(known) if size == DYNAMIC_INDEX else str(size) for size in shape)}]"


def _described(type_: Attribute) -> str:
    if not isinstance(type_, TensorType):
        return "int"
    dims, element = of_type(cast("TensorType[Attribute]", type_))
    sizes = ", ".join("?" if size == DYNAMIC_INDEX else str(size) for size in dims)
    return f"{dtype(element).removeprefix('mx.')}[{sizes}]"
