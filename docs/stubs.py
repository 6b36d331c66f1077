"""
What type checkers and editors know of names that are made at run time: `.pyi` files, written by `generate.py`.

`rlx_dialect.ops` gives on the classes of its chapters, and the builder has a method for each op.
"""

import inspect
import re
import types
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, get_args, get_origin

from rlx_dialect import ops
from rlx_dialect.builder import Graph
from rlx_dialect.graph import base

HEADER = '"""Made by docs/generate.py."""\n'

OPS = '''
from collections.abc import Mapping

from xdsl.irdl import IRDLOperation

{classes}

ALL_OPS: tuple[type[IRDLOperation], ...]
"""The ops of all chapters, by name; all are loaded."""

def op_named(name: str) -> type[IRDLOperation] | None:
    """{op_named}"""

def places() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """{places}"""

def kind_and_chapter(op: str) -> tuple[str, str]:
    """{kind_and_chapter}"""
'''

BUILDER = '''
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
# The bases serve one chapter each; here a tensor knows the whole graph.

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import IRDLOperation

from rlx_dialect.arrays import Array
from rlx_dialect.graph import base
{imports}

LARGEST: int
Number = base.Number

Given = Tensor | Sequence[Tensor]
Body = (
    Callable[[], Given]
    | Callable[[Tensor], Given]
    | Callable[[Tensor, Tensor], Given]
    | Callable[[Tensor, Tensor, Tensor], Given]
    | Callable[[Tensor, Tensor, Tensor, Tensor], Given]
    | Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Given]
)
"""
Takes a tensor for each argument of a region and returns what the region yields; `tensor.graph` builds the ops.

The types stop at five arguments; one that takes `*args` takes any number.
"""

class Tensor(base.Tensor):
    """{tensor}"""

    graph: Graph
    def __init__(self, graph: Graph, value: SSAValue) -> None: ...
{operators}

class Graph(base.GraphBase):
    """
    {graph}
    """

    name: str
    def __init__(self, name: str = "main") -> None: ...
    @property
    def block(self) -> Block: ...
    @classmethod
    def add_method(cls, op: type[IRDLOperation]) -> None:
        """{add_method}"""
{methods}
'''


def ops_stub() -> str:
    """Every class that `rlx_dialect.ops` gives on, from its chapter."""
    lines = [f"from rlx_dialect.ops.{chapter} import {cls} as {cls}" for cls, chapter in ops.places()[0].items()]
    return HEADER + OPS.format(
        classes="\n".join(lines),
        **{each.__name__: inspect.getdoc(each) for each in (ops.op_named, ops.places, ops.kind_and_chapter)},
    )


def builder_stub() -> str:
    """Every method of the builder, written by hand or made from an op."""
    methods = {name: value for name, value in inspect.getmembers(Graph, inspect.isfunction) if not name.startswith("_")}
    shown = {name: _shown(name, method) for name, method in methods.items()}
    owners = {name: module for key, method in methods.items() for name, module in _owners(method, shown[key])}
    return HEADER + BUILDER.format(
        imports="\n".join(f"from {owners[name]} import {name}" for name in sorted(owners)),
        tensor=inspect.getdoc(base.Tensor),
        operators="\n".join(_shown(name, method) for name, method in _operators()),
        graph=_indented(Graph, 4),
        add_method=_indented(Graph.add_method, 8),
        methods="\n".join(shown.values()),
    )


def _owners(method: Callable[..., Any], shown: str) -> Iterator[tuple[str, str]]:
    """What the signature of a method names of this package, and the modules to import it from."""
    known = {name: value for name, value in vars(inspect.getmodule(method)).items()}
    for each in inspect.signature(method).parameters.values():
        known |= {cls.__name__: cls for cls in (each.annotation, *get_args(each.annotation)) if isinstance(cls, type)}
    signature = shown.partition('"""')[0]
    for name in set(re.findall(r"\b[A-Z]\w+", signature)) - {"Tensor", "Body", "Number"}:
        module = getattr(known.get(name), "__module__", "")
        if name in known and module.partition(".")[0] not in ("collections", "xdsl"):
            yield name, module if module.startswith("rlx_dialect") else method.__module__


def _indented(thing: object, columns: int) -> str:
    """The docstring of a thing, its lines after the first indented."""
    return re.sub(r"\n(?=.)", "\n" + " " * columns, inspect.getdoc(thing) or "")


def _operators() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, method in vars(base.Tensor).items():
        if inspect.isfunction(method) and method.__annotations__.get("return") == "Tensor":
            yield name, method


def _shown(name: str, method: Callable[..., Any]) -> str:
    """The signature of a method with its docstring."""
    signature = inspect.signature(method)
    parameters: list[str] = []
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not any(shown.startswith("*") for shown in parameters):
            parameters.append("*")
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        annotation = "" if each.name == "self" else f": {_type(each.annotation)}"
        default = "" if each.default is each.empty else f" = {_default(each.default)}"
        parameters.append(f"{star}{each.name}{annotation}{default}")
    doc = _indented(method, 8)
    end = f'\n        """{doc}"""' if doc else " ..."
    return f"    def {name}({', '.join(parameters)}) -> {_type(signature.return_annotation)}:{end}"


def _type(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    if annotation is None or annotation is types.NoneType:
        return "None"
    if isinstance(annotation, types.UnionType):
        return " | ".join(map(_type, get_args(annotation)))
    if (origin := get_origin(annotation)) is not None:
        return f"{origin.__name__}[{', '.join(map(_type, get_args(annotation)))}]"
    return "..." if annotation is ... else annotation.__name__


def _default(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return repr(value) if type(value) in (types.NoneType, bool, int, float, str, tuple) else "..."
