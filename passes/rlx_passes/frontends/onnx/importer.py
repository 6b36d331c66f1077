"""From a model to a program: each node in turn, by its rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
    UnknownLoc,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Undecided
from rlx_dialect.reference import run
from rlx_dialect.shapes import DYNAMIC, ShapeError
from rlx_dialect.signature import DIMS
from rlx_passes.core.errors import InputError, Refusal, RlxError, did_you_mean, one_line
from rlx_passes.frontends.imported import Imported
from rlx_passes.frontends.onnx.emitter import GraphEmitter, Program, is_sized
from rlx_passes.frontends.onnx.functions import check_calls, function_of, missing_ops, qualified, standard_function
from rlx_passes.frontends.onnx.model import (
    Array,
    FunctionDef,
    GraphDef,
    ModelDef,
    NodeDef,
    Reference,
    nodes_as_read,
)
from rlx_passes.frontends.onnx.names import Names
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules import ON_SIZES, RULES
from rlx_passes.frontends.onnx.schema import check_form
from rlx_passes.frontends.onnx.signature import inputs_of
from rlx_passes.frontends.onnx.values import Value

FOLD_LIMIT = 1 << 16
"""How many elements an op on constants may give for it to be worked out on import."""

SMALL = 4096
"""Integers and truth values of at most so many elements are constants: indices, shapes, masks."""

ONE = (Tensor, np.ndarray, Value)
"""What a rule gives that gives one result."""

OPSETS = range(7, 29)
"""The versions of the default op set that the rules know."""


def import_model(
    model: ModelDef,
    *,
    dims: Mapping[str, int] | None = None,
    values: Mapping[str, float] | None = None,
    name: str = "main",
    inline: bool = False,
) -> Imported:
    """
    The model as a function `name`; `dims` gives named dims a size, `values` inputs of one element their value, `inline`
    makes constants of its weights.

    Raises `InputError` that names the node and what of it cannot be read.
    """
    return Importer(model, dims or {}, values or {}, inline).run(name)


@dataclass(eq=False)
class Importer:
    """One model under import."""

    model: ModelDef
    sizes: Mapping[str, int]
    values: Mapping[str, float]
    inline: bool = False
    program: Program = field(default_factory=Program)
    within: list[str] = field(default_factory=list[str])
    """The nodes whose functions are being put in place, outermost first."""

    def run(self, name: str) -> Imported:
        graph = Graph(name)
        emitter = GraphEmitter(self.program, graph)
        names = Names(self.model.opsets)
        self._check_ops()
        self._inputs(emitter, names, self.model.graph)
        self.nodes(emitter, names, self.model.graph)
        if not self.model.graph.outputs:
            raise self._fault("the graph has no output")
        for at, output in enumerate(self.model.graph.outputs):
            if output in self.model.graph.outputs[:at]:
                raise self._fault(f"two outputs are called '{output}'")
            graph.output(output, emitter.tensor(self.value(names, output)))
        try:
            module = graph.module()
        except VerifyException as problem:
            raise self._fault(f"{self._culprit(graph)}{problem}") from None
        _write_dims(module, self.program)
        return Imported(module, self.program.params)

    def nodes(self, emitter: GraphEmitter, names: Names, graph: GraphDef | FunctionDef) -> None:
        """Build the nodes of a graph; their outputs are in `names` then."""
        nodes = nodes_as_read(graph)
        for at, definition in enumerate(nodes):
            last = emitter.graph.block.last_op
            if not definition.outputs:
                raise self._fault_at(definition, "it has no output")
            inputs = [names.find(name) if name else None for name in definition.inputs]
            if missing := [name for name, value in zip(definition.inputs, inputs) if name and value is None]:
                raise self._fault_at(definition, f"it reads '{missing[0]}', {_where(missing[0], nodes[at:])}")
            try:
                results = self._results(emitter, names, definition, inputs)
                self._bind(names, definition, results)
            except (Refusal, ShapeError, Undecided) as problem:
                raise self._fault_at(definition, str(problem)) from None
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
                # Rules take attributes and ranks as the op has them; nothing else makes sure that they are so.
                raise self._fault_at(definition, f"inputs or attributes that it cannot have: {problem}") from problem
            _locate(emitter, last, definition)

    def value(self, names: Names, name: str) -> Value:
        """What a graph gives under `name`."""
        value = names.find(name)
        if value is None:
            raise self._fault(f"output '{name}' is computed nowhere")
        return value

    def initializers(self, names: Names, arrays: Mapping[str, Array]) -> None:
        """Stored arrays: weights are params, small integers and single numbers constants."""
        for name, array in arrays.items():
            names.values[name] = Value(name, array, param=not (self.inline or _is_constant(array)))

    # A node.

    def _results(
        self, emitter: GraphEmitter, names: Names, definition: NodeDef, inputs: Sequence[Value | None]
    ) -> Sequence[Result]:
        node = self._node(emitter, names, definition, inputs)
        if function := self.model.functions.get((definition.domain, definition.op_type)):
            return self._inline(function, node)
        check_form(definition, node.opset)
        rule = RULES.get(qualified(definition))
        if rule is None:
            return self._inline(standard_function(node), node)
        known = bool(inputs) and all(value is None or value.folds for value in inputs)
        if known and any(value is not None and value.known is not None and is_sized(value.known) for value in inputs):
            results = self._on_sizes(node)
            if results is not None:
                return results
        elif known and not _has_graph(definition) and (folded := self._fold(rule, node)) is not None:
            return folded
        return _several(rule(emitter.graph, node))

    def _node(self, emitter: GraphEmitter, names: Names, definition: NodeDef, inputs: Sequence[Value | None]) -> Node:
        attributes = {key: each for key, each in definition.attributes.items() if not isinstance(each, Reference)}
        opset = names.opsets.get(definition.domain, 0)
        return Node(definition, opset, attributes, inputs, emitter, names, self)

    def _on_sizes(self, node: Node) -> Sequence[Result] | None:
        """What NumPy makes of integers some of which are sizes."""
        if node.op_type not in ON_SIZES:
            return None
        try:
            return _several(ON_SIZES[node.op_type](node))
        except (Undecided, Refusal, IndexError, TypeError, ValueError):
            return None  # The op's own rule reads it then, or says what is wrong.

    def _fold(self, rule: NodeRule, node: Node) -> Sequence[Result] | None:
        """What the reference computes of constants; None where that is too much to keep."""
        graph = Graph("fold")
        scratch = GraphEmitter(self.program, graph)
        results = _several(rule(graph, replace(node, emitter=scratch)))
        tensors = {str(at): each for at, each in enumerate(results) if isinstance(each, Tensor)}
        if any(DYNAMIC in each.shape or np.prod(each.shape) > FOLD_LIMIT for each in tensors.values()):
            return None
        if not tensors:
            return results
        for key, each in tensors.items():
            graph.output(key, each)
        try:
            arrays = run(graph.module())
        except (IndexError, MemoryError, VerifyException) as problem:
            raise Refusal(str(problem)) from None
        return [arrays[str(at)] if isinstance(each, Tensor) else each for at, each in enumerate(results)]

    def _inline(self, function: FunctionDef, node: Node) -> Sequence[Value]:
        """The body of the function that the node calls, in place."""
        names = Names(function.opsets)
        names.values.update((name, value) for name, value in zip(function.inputs, node.inputs) if value is not None)
        self.within.append(node.definition.label())
        self.nodes(node.emitter, names, function_of(function, node))
        self.within.pop()
        return [names.values[name] for name in function.outputs if name in names.values]

    def _bind(self, names: Names, definition: NodeDef, results: Sequence[Result]) -> None:
        for name, result in zip(definition.outputs, results):
            if not name:
                continue
            if name in names.values:
                raise Refusal(f"'{name}' is computed a second time")
            names.values[name] = _value_of(name, result)
        for name in definition.outputs[len(results) :]:
            if name:
                raise Refusal(f"output '{name}' is not computed")

    # The signature.

    def _inputs(self, emitter: GraphEmitter, names: Names, graph: GraphDef) -> None:
        self.initializers(names, graph.initializers)
        try:
            for each in inputs_of(graph, self.sizes, self.values):
                if each.value is not None:
                    names.values[each.name] = Value(each.name, each.value)
                    continue
                tensor = emitter.graph.input(each.name, each.shape, each.dtype)
                emitter.name_dims(tensor, each.dims)
                names.values[each.name] = Value(each.name, tensor=tensor)
        except RlxError as problem:
            raise self._fault(str(problem)) from None

    def _check_ops(self) -> None:
        """The version is one that is read, and so is every op: messages name them all at once."""
        version = self.model.opsets.get("")
        if version is None:
            raise self._fault("the model says no version of the default op set")
        if version not in OPSETS:
            known = f"{OPSETS.start} to {OPSETS.stop - 1} are (onnx.version_converter changes it)"
            raise self._fault(f"op set {version} is not read; {known}")
        try:
            check_calls(self.model)
        except Refusal as problem:
            raise self._fault(str(problem)) from None
        if missing := list(missing_ops(self.model, RULES)):
            labels = ", ".join(node.label() for node in missing)
            guess = did_you_mean(missing[0].op_type, RULES)
            raise self._fault(f"no rule reads {labels}{guess}")

    def _culprit(self, graph: Graph) -> str:
        """The node whose op the verifier refuses, as the start of a message; nothing where no single op is at fault."""
        for op in graph.block.walk():
            try:
                op.verify(verify_nested_ops=False)
            except VerifyException:
                name = op.location.desc.data if isinstance(op.location, NameLoc) else ""
                labels = (node.label() for node in self.model.graph.nodes if name in (node.name, *node.outputs))
                return next(labels, f"node '{name}'") + ": "
        return ""

    def _fault_at(self, node: NodeDef, reason: str) -> InputError:
        around = "".join(f"{label}: in its function, " for label in self.within)
        return self._fault(f"{around}{node.label()}: {reason}")

    def _fault(self, reason: str) -> InputError:
        return InputError(one_line(f"{self.model.file}: {reason}"))


def _several(results: Result | Sequence[Result]) -> Sequence[Result]:
    return [results] if isinstance(results, ONE) else list(results)


def _value_of(name: str, result: Result) -> Value:
    if isinstance(result, Value):
        return result
    return Value(name, tensor=result) if isinstance(result, Tensor) else Value(name, result)


def _where(name: str, nodes: Sequence[NodeDef]) -> str:
    """Why nothing is called so yet."""
    later = next((node for node in nodes if name in node.outputs), None)
    if later is None:
        return "which nothing computes and the model does not store"
    return f"which only a later node computes, {later.label()}: the nodes are out of order, or go in a circle"


def _has_graph(node: NodeDef) -> bool:
    """Whether the node's values do not tell all that it reads."""
    return any(isinstance(value, GraphDef) for value in node.attributes.values())


def _is_constant(array: Array) -> bool:
    return array.size <= 1 or (array.dtype.kind in "iub" and array.size <= SMALL)


def _locate(emitter: GraphEmitter, last: Operation | None, definition: NodeDef) -> None:
    """The ops after `last` come from a node."""
    op = emitter.graph.block.first_op if last is None else last.next_op
    if op is None:
        return
    location = NameLoc(StringAttr(definition.name or definition.outputs[0]), UNKNOWN_LOC)
    while op is not None:
        if type(op.location) is UnknownLoc:
            op.location = location
        op = op.next_op


def _write_dims(module: ModuleOp, program: Program) -> None:
    """`rlx.dims` on the arguments that have a dim known at run time only."""
    func = module.body.block.first_op
    assert isinstance(func, FuncOp)
    assert func.arg_attrs is not None
    attrs = list(func.arg_attrs.data)
    for at, argument in enumerate(func.args):
        dims = program.named.get(argument, ())
        if any(isinstance(dim, str) for dim in dims):
            words = [StringAttr(dim) if isinstance(dim, str) else IntegerAttr(dim, i64) for dim in dims]
            attrs[at] = DictionaryAttr({**attrs[at].data, DIMS: ArrayAttr(words)})
    func.arg_attrs = ArrayAttr(attrs)
