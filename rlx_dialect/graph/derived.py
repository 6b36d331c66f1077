"""The builder's methods that pass operands on to an op: made from the constructors, so a new op has one at once."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation, OptResultDef, VarResultDef

from rlx_dialect.dtypes import dtype_of, element_type
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import ALL_OPS

RENAMED = {"input": "x", "element_type": "dtype"}
"""What a parameter of constructors is called in the builder."""

LIFTED: dict[Any, Any] = {
    SSAValue: Tensor,
    SSAValue | None: Tensor | None,
    Sequence[SSAValue]: Sequence[Tensor],
    Attribute: str,
    TypeAttribute: str,
    TypeAttribute | None: str | None,
}
"""What the builder takes for a constructor's parameter type: tensors for values, dtype names for element types."""


class DerivedMethods(GraphBase):
    """A method for each op, called like it; `builder.pyi` shows them."""

    @classmethod
    def add_method(cls, op: type[IRDLOperation]) -> None:
        """
        Give the builder the method of an op, with the parameters of its constructor: for the ops of another package.

        An op has none where it has a body, where its results vary in number, or where the name is taken.
        """
        name, definition = op.name.rpartition(".")[2], op.get_irdl_definition()
        varies = any(isinstance(result, OptResultDef | VarResultDef) for _, result in definition.results)
        if not definition.results or varies or definition.regions or keyword.iskeyword(name) or hasattr(cls, name):
            return
        several = len(definition.results) > 1
        wanted = {
            RENAMED.get(each.name, each.name): each for each in inspect.signature(op.__init__).parameters.values()
        }
        returned: Any = tuple[(Tensor,) * len(definition.results)] if several else Tensor
        signature = inspect.Signature([_lifted(*each) for each in wanted.items()], return_annotation=returned)
        del wanted["self"]
        lowering = {key: (each.name, cls._lowering(each.annotation)) for key, each in wanted.items()}
        keys = [key for key, each in wanted.items() if each.kind is not each.KEYWORD_ONLY]
        needed = {key for key, each in wanted.items() if each.default is each.empty}

        def method(self: DerivedMethods, *args: Any, **kwargs: Any) -> Any:
            given = {**dict(zip(keys, args)), **kwargs}
            if len(given) < len(args) + len(kwargs) or not needed <= given.keys() <= lowering.keys():
                signature.bind(self, *args, **kwargs)  # says what is wrong
            lowered: dict[str, Any] = {}
            for key, value in given.items():
                parameter, lower = lowering[key]
                lowered[parameter] = value if lower is None else lower(self, value)
            return self._emit_all(op(**lowered)) if several else self._emit(op(**lowered))

        method.__name__, method.__qualname__ = name, f"Graph.{name}"
        method.__doc__ = inspect.cleandoc(op.__doc__ or "").partition("\n\n")[0]
        setattr(method, "__signature__", signature)  # noqa: B010 # a function has no such field to type checkers
        setattr(cls, name, method)

    @classmethod
    def _lowering(cls, wanted: Any) -> Callable[[Any, Any], Any] | None:
        """How an argument becomes what the constructor wants; None for one that is that."""
        if wanted == Sequence[SSAValue]:
            return lambda graph, given: [cls._value(graph, each) for each in given]
        if wanted == SSAValue:
            return cls._value
        if wanted == SSAValue | None:
            return cls._optional
        return (lambda _, given: None if given is None else element_type(given)) if wanted in LIFTED else None


def _lifted(name: str, parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter of a constructor as the builder has it."""
    wanted, default = parameter.annotation, parameter.default
    if wanted in (Attribute, TypeAttribute) and default is not parameter.empty:
        default = dtype_of(default).name
    return parameter.replace(name=name, annotation=LIFTED.get(wanted, wanted), default=default)


for _op in ALL_OPS:
    DerivedMethods.add_method(_op)
