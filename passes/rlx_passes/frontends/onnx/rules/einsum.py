"""Einsum: sums over the labels of dims that the result has not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rlx_dialect.attributes import CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result


@dataclass(frozen=True)
class Term:
    """A tensor and the label of each of its dims."""

    x: Tensor
    labels: tuple[str, ...]


def einsum(g: Graph, node: Node) -> Result:
    tensors = [node.required(at) for at in range(len(node.inputs))]
    inputs, output = labels_of(node.attributes["equation"], [len(x.shape) for x in tensors])
    terms = [diagonal(g, node, Term(x, labels)) for x, labels in zip(tensors, inputs)]
    terms = [without_ones(node, term, [each for each in terms if each is not term]) for term in terms]
    first, *rest = terms
    for at, term in enumerate(rest):
        later = {label for each in rest[at + 1 :] for label in each.labels}
        first = joined(g, node, first, term, later | set(output))
    last = summed(g, first, set(output))
    return g.transpose(last.x, [last.labels.index(label) for label in output])


def labels_of(equation: str, ranks: Sequence[int]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """
    The labels of each input and of the output; dims under dots are `.0`, `.1` and so on from the end.

    Raises `Refusal` for an equation that does not fit the ranks.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    words = left.split(",")
    if len(words) != len(ranks):
        raise Refusal(f"equation '{equation}' has {len(words)} terms for {len(ranks)} inputs")
    dots = max((rank - len(word.replace("...", "")) for word, rank in zip(words, ranks) if "..." in word), default=0)
    inputs = [
        _spread(word, rank - len(word.replace("...", "")) if "..." in word else 0) for word, rank in zip(words, ranks)
    ]
    for labels, rank in zip(inputs, ranks):
        if len(labels) != rank:
            raise Refusal(f"equation '{equation}' has {len(labels)} labels for an input of {rank} dims")
    if arrow:
        output = _spread(right, dots)
    else:
        letters = left.replace("...", "").replace(",", "")
        output = (*_spread("...", dots), *sorted(each for each in set(letters) if letters.count(each) == 1))
    if set(output) - {label for labels in inputs for label in labels} or len(set(output)) != len(output):
        raise Refusal(f"equation '{equation}' has an output that its inputs do not give")
    return inputs, output


def _spread(word: str, dots: int) -> tuple[str, ...]:
    before, found, after = word.partition("...")
    under = [f".{at}" for at in range(dots)][::-1] if found else []
    return (*before, *under, *after)


def diagonal(g: Graph, node: Node, term: Term) -> Term:
    """A label that appears twice means the elements whose places are equal there."""
    x, labels = term.x, list(term.labels)
    while repeated := next((label for label in labels if labels.count(label) > 1), None):
        kept = labels.index(repeated)
        gone = labels.index(repeated, kept + 1)
        ranges = [
            g.iota(node.shape([size if at == axis else 1 for at, size in enumerate(node.dims_of(x))]), axis)
            for axis in (kept, gone)
        ]
        x = g.sum(g.where(g.compare(CompareKind.EQ, *ranges), x, 0), (gone,))
        del labels[gone]
    return Term(x, tuple(labels))


def without_ones(node: Node, term: Term, others: Sequence[Term]) -> Term:
    """A dim of 1 that is longer in another term is stretched, which the other does alone."""
    longer = {label for each in others for label, size in zip(each.labels, each.x.shape) if size != 1}
    kept = [at for at, label in enumerate(term.labels) if term.x.shape[at] != 1 or label not in longer]
    if len(kept) == len(term.labels):
        return term
    dims = node.dims_of(term.x)
    return Term(node.reshape(term.x, [dims[at] for at in kept]), tuple(term.labels[at] for at in kept))


def summed(g: Graph, term: Term, kept: set[str]) -> Term:
    """Without the labels that nothing else has."""
    gone = [at for at, label in enumerate(term.labels) if label not in kept]
    if not gone:
        return term
    return Term(g.sum(term.x, gone), tuple(label for label in term.labels if label in kept))


def joined(g: Graph, node: Node, a: Term, b: Term, kept: set[str]) -> Term:
    """The product of two terms, summed over the labels that are not kept."""
    a, b = summed(g, a, kept | set(b.labels)), summed(g, b, kept | set(a.labels))
    shared = [label for label in a.labels if label in b.labels]
    over = [label for label in shared if label not in kept]
    if not over:
        return outer(node, a, b)
    batch = [label for label in shared if label in kept]
    places = [[[term.labels.index(label) for label in labels] for term in (a, b)] for labels in (over, batch)]
    free = [label for term in (a, b) for label in term.labels if label not in shared]
    (a_over, b_over), (a_batch, b_batch) = places
    return Term(g.dot_general(a.x, b.x, (a_over, b_over), (a_batch, b_batch)), (*batch, *free))


def outer(node: Node, a: Term, b: Term) -> Term:
    """The product of each element of one with each of the other that has the same place under common labels."""
    labels = (*a.labels, *(label for label in b.labels if label not in a.labels))
    sides: list[Tensor] = []
    for term in (a, b):
        order = [term.labels.index(label) for label in labels if label in term.labels]
        x = term.x.graph.transpose(term.x, order)
        sizes = iter(node.dims_of(x))
        sides.append(node.reshape(x, [next(sizes) if label in term.labels else 1 for label in labels]))
    return Term(sides[0] * sides[1], labels)


RULES: Mapping[str, NodeRule] = {"Einsum": einsum}
