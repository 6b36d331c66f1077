"""The graph of an exported module built as RLX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.shapes import DYNAMIC, ShapeError, compatible, show
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.errors import TorchError
from rlx_passes.frontends.torch.program import ArgumentSource, Body, Node, Program, Ref, Spec
from rlx_passes.frontends.torch.registry import REFUSED, RULES, OverloadRule
from rlx_passes.frontends.torch.sizes import Sizes

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array

CONSTANT_LIMIT = 2**16
"""The most elements that a constant of the module in the program may have; a larger one becomes a param of its name."""

MODES = ("wrap_with_set_grad_enabled", "wrap_with_autocast")
"""Calls of a graph that only say in which mode it was traced."""


@dataclass
class Importer:
    """
    Builds nodes one after the other.

    A node without a form is noted in `missing`, by its target; what depends on it is left out, and the rest seen.
    """

    graph: Graph
    missing: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    sizes: Sizes = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = Sizes(self.graph)

    def run(self, nodes: Sequence[Node]) -> None:
        """Appends nodes whose arguments are in `values`, and puts their results there."""
        last: Operation | None = None
        for node in nodes:
            self.values[node.name] = self._value(node)
            last = located(self.values[node.name], last, node)

    def inline(self, body: Body, args: Sequence[Any]) -> tuple[Any, ...]:
        """What a graph gives for arguments of this one."""
        inner = Importer(self.graph, self.missing, {source.node: arg for source, arg in zip(body.sources, args)})
        inner.sizes = self.sizes
        inner.run(body.nodes)
        return tuple(inner.values[output.value.name] for output in body.outputs)

    def region(self, body: Body) -> Callable[..., Sequence[Tensor]]:
        """A graph as the body of a region op. Raises `Refusal` where a part of it has no form."""

        def build(*args: Tensor) -> Sequence[Tensor]:
            inner = Importer(args[0].graph, self.missing)
            for source, arg in zip(body.sources, args):
                inner.values[source.node] = arg
                inner.sizes.note(arg, source.spec.dims)
            inner.run(body.nodes)
            results = [inner.values[output.value.name] for output in body.outputs]
            if not all(isinstance(each, Tensor) for each in results):
                raise Refusal("a part of its body has no form")
            return results

        return build

    def _value(self, node: Node) -> Any:
        """The tensor or tensors that a node gives; None where it has no form."""
        args = {name: self._argument(each) for name, each in node.args.items()}
        if node.target == "getitem":
            return self._item(node, args)
        if node.target.startswith(MODES):
            values = list(args.values())
            at = next(i for i, each in enumerate(values) if isinstance(each, Body))
            return self.inline(values[at], values[at + 1 :])
        rule = RULES.get(node.target)
        if rule is None:
            return self._miss(node, REFUSED.get(node.target, ""))
        if any(self.values.get(ref.name, ref) is None for ref in references(node.args)):
            return None
        try:
            return self._built(rule, node, args)
        except (Refusal, ShapeError) as error:
            return self._miss(node, str(error))

    def _built(self, rule: OverloadRule, node: Node, args: Mapping[str, Any]) -> Any:
        built = rule.build(Call(node, args, self.graph, self.sizes, self.region))
        results = (built,) if isinstance(built, Tensor) else tuple(built)
        for result, spec in zip(results, node.outs):
            if result is not None and spec is not None:
                check(result, spec)
                self.sizes.note(result, spec.dims)
        return results if node.many else results[0]

    def _item(self, node: Node, args: Mapping[str, Any]) -> Any:
        source = node.args["0"].name
        if self.values[source] is None:
            return None
        item = self.values[source][args["1"]]
        if item is None:
            self._miss(node, f"result {args['1']} of {source} has no form")
        return item

    def _miss(self, node: Node, reason: str = "") -> None:
        where = f"{node.name}{f' in {node.place}' if node.place else ''}{f': {reason}' if reason else ''}"
        self.missing.setdefault(node.target, []).append(where)

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Ref):
            return self.values.get(value.name)
        if isinstance(value, list):
            return [self._argument(each) for each in cast("list[Any]", value)]
        return value


def import_program(program: Program, name: str) -> tuple[Graph, dict[str, Array], dict[SSAValue, ArgumentSource]]:
    """
    The graph of a program, the elements of its params, and where its arguments come from.

    Inputs come before params; params that nothing reads are left out. Raises `TorchError` with all formless nodes.
    """
    graph, body = Graph(name), program.body
    importer = Importer(graph)
    read = {ref.name for node in body.nodes for ref in references(node.args)} | {
        each.value.name for each in body.outputs
    }
    params: dict[str, Array] = {}
    arguments: dict[SSAValue, ArgumentSource] = {}
    bound: dict[str, Tensor] = {}
    names = {source.name for source in body.sources if source.role == "input"}
    for source in sorted(body.sources, key=lambda each: each.role != "input"):
        spec, array = source.spec, source.array
        if source.role != "input" and source.node not in read:
            continue
        if spec.dtype.startswith("torch."):
            raise TorchError(f"{source.role} '{source.name}' has elements of {spec.dtype}, for which RLX has no type")
        if source.role == "constant" and array is not None and array.size <= CONSTANT_LIMIT:
            tensor = graph.constant(array)
        elif source.role == "input":
            tensor = graph.input(
                source.name, [each if isinstance(each, int) else None for each in spec.dims], spec.dtype
            )
            arguments[tensor.value] = source
        else:
            label = f"{source.name}.param" if source.name in names else source.name
            tensor = bound.get(label) or graph.param(label, array.shape if array is not None else (), spec.dtype)
            bound[label] = tensor
            if array is not None:
                params[label] = array
        importer.values[source.node] = tensor
        importer.sizes.note(tensor, spec.dims)
    importer.run(body.nodes)
    if importer.missing:
        listed = "; ".join(f"{target} ({', '.join(places)})" for target, places in importer.missing.items())
        raise TorchError(f"the module has ops that RLX cannot express: {listed}")
    for output in body.outputs:
        graph.output(output.name, importer.values[output.value.name])
    return graph, params, arguments


def references(value: Any) -> Iterator[Ref]:
    """The values that an argument mentions."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, Any]", value).values():
            yield from references(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from references(each)


def check(result: Tensor, spec: Spec) -> None:
    """Raises `ShapeError` unless a rule gave what PyTorch says the node gives: a mistake of the rule."""
    dims = tuple(each if isinstance(each, int) else DYNAMIC for each in spec.dims)
    fits = len(dims) == len(result.shape) and all(map(compatible, dims, result.shape))
    if not fits or result.dtype != spec.dtype:
        raise ShapeError(f"it became {show(result.shape)} of {result.dtype}, but is {show(dims)} of {spec.dtype}")


def located(value: Any, last: Operation | None, node: Node) -> Operation | None:
    """Gives the ops after `last` their module's name as location; returns the last op."""
    values = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
    tensors = [each for each in values if isinstance(each, Tensor)]
    ops = [each.value.owner for each in tensors if isinstance(each.value.owner, Operation)]
    if not ops or (block := ops[0].parent) is None:
        return last
    op = block.first_op if last is None else last.next_op
    while op is not None:
        if node.place:
            op.location = NameLoc(StringAttr(node.place), NoneAttr())
        last, op = op, op.next_op
    return last
