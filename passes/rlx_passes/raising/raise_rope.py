"""`rlx-raise-rope`: elements that are turned in pairs become a rotary embedding."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, RopeStyle
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import (
    BinaryOp,
    ConcatOp,
    GatherOp,
    ImagOp,
    NarrowOp,
    RealOp,
    ReshapeOp,
    RopeOp,
    SliceOp,
    TransposeOp,
)
from rlx_dialect.shapes import DYNAMIC, normalize_axis
from rlx_passes.raising.forms import Element, Form
from rlx_passes.raising.last_axes import DEPTH, Reading
from rlx_passes.raising.last_axes_steps import step_of
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.rope_tables import Elements, chosen, found, laid, pairs, placed, tables_of
from rlx_passes.raising.trail import RaisingPattern, RootT
from rlx_passes.rewriting.legality import dims_of, read_only_by, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns

SUMS = (BinaryKind.ADD, BinaryKind.SUB)


class RaiseRope(RaisingPattern[RootT]):
    """
    x * cos + rotated(x) * sin          =>   rlx.rope %x, %cos, %sin style(neox) table(full)

    where `rotated` is the second half negated beside the first (neox), or each pair exchanged and its first negated
    (gptj), by slices, joins and reshapes of any kind; or the turned elements computed apart and joined, as complex
    numbers or not. Each element is read as a sum of elements of x with one factor each: what matters is which stand
    where, not how they came there. A head may turn in part. Where pairs are read in one style and written in the other,
    the elements of x are moved first.

    A table is half where one value serves both elements of each pair, else full. It lies along one axis, and along dim
    0 beside it.
    """

    title = "rope"

    def match(self, root: RootT, /) -> Fusion:
        result = root.results[0]
        require(isinstance(tensor_type(result).element_type, AnyFloat), Reason.DTYPE, result)
        require(dims_of(result)[-1] != DYNAMIC, Reason.DYNAMIC, result)
        miss = Miss(Reason.NOT_PRODUCED_BY, result, detail="no value is taken apart along its last axis")
        for base in bases(result):
            try:
                return self.turned(root, base)
            except Miss as other:
                miss = other
        raise miss

    def turned(self, root: Operation, base: SSAValue) -> Fusion:
        result, reading = root.results[0], Reading(base)
        forms: list[Form] = list(reading.read(result, 1).flat)
        read, style, cos, sin = rotation(forms, base)
        known = tables_of(reading)
        table, cosines, sines = chosen(found(known, cos, style), found(known, sin, style), base)
        place = placed(base, (*cosines, *sines))
        absorbed = [op for op in reading.path if op is not root]
        readers = {*absorbed, root}
        for op in absorbed:
            if not reading.path[op]:
                read_only_by(op.results[0], readers)
            if isinstance(op, RealOp | ImagOp):
                read_only_by(op.input, readers)

        to = Plain()
        tables = [laid(to, base, place, parts, style) for parts in (cosines, sines)]
        if read is not style:
            base = exchanged(to, base, len(cos), read)
        fused = RopeOp(base, *tables, n_rot=len(cos), axis=place.axis, style=style, table=table)
        return Fusion.of((*absorbed, root), *to.ops, fused)


def bases(value: SSAValue) -> Iterator[SSAValue]:
    """What may be turned: values with the dims of `value`, parts of which it is computed from; the nearest first."""
    level, seen = [(value, 1, False)], set[tuple[SSAValue, int, bool]]()
    for _ in range(DEPTH):
        below: list[tuple[SSAValue, int, bool]] = []
        for inner, axes, part in level:
            if (inner, axes, part) in seen:
                continue
            seen.add((inner, axes, part))
            if part and axes == 1 and dims_of(inner) == dims_of(value):
                yield inner
            try:
                step = step_of(inner, axes)
            except Miss:
                continue
            part = part or isinstance(inner.owner, NarrowOp | SliceOp | GatherOp)
            below += [] if step is None else [(source, count, part) for source, count in step.sources]
        level = below


class Rotation(NamedTuple):
    """The styles in which pairs are read and written, and for each turned element its cosine and sine."""

    read: RopeStyle
    style: RopeStyle
    cos: Elements
    sin: Elements


def rotation(forms: list[Form], base: SSAValue) -> Rotation:
    """How `forms` turn the elements of `base`. Raises `Miss` where they rotate no pairs."""
    n_rot = next((place for place, form in enumerate(forms) if len(form) != 2), len(forms))
    require(n_rot >= 2 and n_rot % 2 == 0, Reason.NOT_PRODUCED_BY, base, detail=f"{n_rot} elements are turned")
    kept = all(form == {(place, ()): 1.0} for place, form in enumerate(forms[n_rot:], n_rot))
    require(kept, Reason.NOT_PRODUCED_BY, base, detail="what is not turned does not stay as it is")
    first, second = ({index for index, _ in form} for form in forms[:2])
    read = RopeStyle.NEOX if first == {0, n_rot // 2} else RopeStyle.GPTJ
    style = read if n_rot == 2 else RopeStyle.GPTJ if first == second else RopeStyle.NEOX
    turned: dict[int, Turned] = {}
    for (i, j), places in zip(pairs(n_rot, read), pairs(n_rot, style)):
        for place, index, partner, sign in zip(places, (i, j), (j, i), (-1.0, 1.0)):
            term = turned_element(forms[place], index)
            if term is None or (term.partner, term.sign) != (partner, sign):
                raise Miss(Reason.NOT_PRODUCED_BY, base, detail=f"elements {i} and {j} do not turn")
            turned[place] = term
    terms = [turned[place] for place in range(n_rot)]
    return Rotation(read, style, tuple(term.cos for term in terms), tuple(term.sin for term in terms))


def exchanged(to: Plain, base: SSAValue, n_rot: int, read: RopeStyle) -> SSAValue:
    """`base` with its pairs, which lie as in `read`, as in the other style."""
    *outer, width = dims_of(base)
    part = base if n_rot == width else to.add(NarrowOp(base, -1, 0, n_rot)).result
    split = (n_rot // 2, 2) if read is RopeStyle.GPTJ else (2, n_rot // 2)
    sizes, rank = to.sizes(base), len(outer)
    apart = to.add(ReshapeOp(part, (*outer, *split), sizes)).result
    moved = to.add(TransposeOp(apart, (*range(rank), rank + 1, rank))).result
    part = to.add(ReshapeOp(moved, (*outer, n_rot), sizes)).result
    if n_rot == width:
        return part
    return to.add(ConcatOp([part, to.add(NarrowOp(base, -1, n_rot, width - n_rot)).result], -1)).result


@dataclass(frozen=True)
class Turned:
    """`x * cos + sign * partner of x * sin`"""

    cos: Element
    partner: int
    sign: float
    sin: Element


def turned_element(form: Form, place: int) -> Turned | None:
    """A form as what becomes of the element `place` of a head that turns, or None."""
    if len(form) != 2:
        return None
    cos: Element | None = None
    beside: tuple[int, float, Element] | None = None
    for (index, factors), number in form.items():
        if len(factors) != 1 or index is None:
            return None
        if index == place and number == 1.0:
            cos = factors[0]
        else:
            beside = (index, number, factors[0])
    return None if cos is None or beside is None else Turned(cos, *beside)


def is_turned_part(value: SSAValue) -> bool:
    """Whether `value`, reshapes left out, is a sum or difference of two products, or a part of a complex number."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input
    op = value.owner
    if isinstance(op, RealOp | ImagOp):
        return True
    return isinstance(op, BinaryOp) and op.binary in SUMS and all(map(operands_of, op.operands))


def joins(value: SSAValue) -> ConcatOp | None:
    """The join of parts along the last axis that `value`, reshapes left out, is."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input
    op = value.owner
    if not isinstance(op, ConcatOp):
        return None
    rank = len(dims_of(op.result))
    return op if normalize_axis(op.axis.value.data, rank) == rank - 1 else None


@dataclass(frozen=True)
class RaiseJoinedRope(RaiseRope[ConcatOp | ReshapeOp]):
    """The turned elements computed apart and joined, or joined with those that do not turn."""

    roots = (ConcatOp, ReshapeOp)

    def starts(self, op: Operation) -> bool:
        """A join of which parts are turned; one of single elements is looked at where it is reshaped to heads."""
        join = joins(op.results[0])
        if join is None or not any(map(is_turned_part, join.inputs)):
            return False
        single = all(dims_of(part)[-1] == 1 for part in join.inputs)
        return single == isinstance(op, ReshapeOp)


@dataclass(frozen=True)
class RaiseSummedRope(RaiseRope[BinaryOp]):
    """The sum of x and of x with its elements exchanged, each with its table."""

    roots = (BinaryOp,)

    def starts(self, op: Operation) -> bool:
        if not isinstance(op, BinaryOp) or op.binary not in SUMS or not all(map(operands_of, op.operands)):
            return False
        return any(is_exchanged(factor) for product in op.operands for factor in operands_of(product))


def is_exchanged(value: SSAValue) -> bool:
    """Whether `value` is a join of parts, times signs or not."""
    return joins(value) is not None or any(joins(factor) is not None for factor in operands_of(value))


def operands_of(value: SSAValue) -> tuple[SSAValue, ...]:
    """The factors of a product; nothing for other values."""
    op = value.owner
    return tuple(op.operands) if isinstance(op, BinaryOp) and op.binary is BinaryKind.MUL else ()


@dataclass(frozen=True)
class RaiseRopePass(RaisingPass):
    """Elements turned in pairs become rotary embeddings."""

    name: ClassVar[str] = "rlx-raise-rope"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseJoinedRope(),))
        run_patterns(op, (RaiseSummedRope(),))
