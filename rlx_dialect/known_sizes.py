"""
What is known of the sizes of the values of a program: numbers, or expressions over what only a run knows.

Dims of results are what the op's `infer` says of the dims of its operands. What it cannot tell (`DYNAMIC`) is the value
of a size operand, or an atom of its own.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.dialects.arith import AddiOp, ConstantOp, DivUIOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from rlx_dialect.dims import Atom, AxisSize, Dim, IndexSize, Size, Undecided, substituted
from rlx_dialect.ops import BinaryOp, CompareOp, ControlOp, RegionOp, RlxOp, WhereOp, YieldOp
from rlx_dialect.ops.regions import yielded
from rlx_dialect.relations import Relation, can_be
from rlx_dialect.shapes import DYNAMIC, ShapeError, meet, said, shaped
from rlx_dialect.signature import dims_of

Sizes = tuple[Size, ...]

_ARITHMETIC = (AddiOp, SubiOp, MuliOp, DivUIOp)

_DIM = "tensor.dim"
"""By its name, so that programs without one do not load its dialect."""


STRETCHING = (BinaryOp, CompareOp, WhereOp)
"""Ops whose rule stretches a size of 1."""


def _not_stretched(value: SSAValue, sizes: Sizes) -> Sizes:
    """`sizes`, where a dim of a run that is always 1 is a size to compare: only one that the type says stretches."""
    dims = shaped(value).dims if isinstance(value.type, TensorType) else ()
    if len(sizes) != len(dims):
        return sizes
    return tuple(
        Dim.of(AxisSize(value, axis)) if (size, dim) == (1, DYNAMIC) else size
        for axis, (size, dim) in enumerate(zip(sizes, dims))
    )


NEVER = Relation(0, "equal to", 1)
"""What stands for sizes that fit in no run where a rule says so by itself."""


class Unfit(ShapeError):
    """Sizes that fit in no run, and the relation between them that holds in none."""

    def __init__(self, text: str, relation: Relation):
        super().__init__(text)
        self.relation = relation


class KnownSizes:
    """
    The sizes of values, each op gone through once, when first asked for.

    Values of the program may be replaced meanwhile by others of equal sizes.
    """

    def __init__(self) -> None:
        self._known: dict[SSAValue, Sizes] = {}
        self._relations: list[Relation] = []

    def of(self, value: SSAValue) -> Sizes:
        """The size of each axis of a ranked tensor. Sizes that compare equal are equal whenever the program runs."""
        known = self._known.get(value)
        return self._found(value) if known is None else known

    def index(self, value: SSAValue) -> Size:
        """What an index value that is a size comes to."""
        return self._found(value)[0]

    def say(self, value: SSAValue, sizes: Sequence[Size]) -> None:
        """Says the sizes of a tensor that no op says: an argument of a block that is not part of a program yet."""
        self._known[value] = tuple(sizes)

    def equalities(self) -> Mapping[Atom, Size]:
        """What atoms are in each run without error, by the dims that met in the ops asked for so far; see `settled`."""
        found: dict[Atom, Size] = {}
        for relation in self._relations:
            learn(found, relation)
        return found

    def relied_on(self, op: RlxOp) -> list[Relation]:
        """
        What an op, with the sizes declared for its results, relies on without knowing it.

        Raises `Unfit` where the sizes fit in no run.
        """
        for value in _read(op):
            self._found(value)
        given = self._given(op)
        # Of a size that somebody gives a rule has to be asked, however little is known of it.
        with said({**self._around(op, given), **(given if op.size_operands else {})}) as relations:
            try:
                for (result, sizes), rule in zip(given.items(), op.infer()):
                    for axis, (size, by_rule) in enumerate(zip(sizes, rule.dims)):
                        if size != Dim.of(AxisSize(result, axis)) and not can_be(by_rule, "equal to", size):
                            raise ShapeError(f"dim {axis} of the result must be {by_rule}, got {size}")
            except Undecided:
                return []
            except ShapeError as fault:
                raise Unfit(str(fault), relations.refuted or NEVER) from fault
        return relations

    def _found(self, value: SSAValue) -> Sizes:
        pending, opened = [value], set[SSAValue]()
        while pending:
            value = pending[-1]
            missing = () if value in opened else [each for each in _needed(value) if each not in self._known]
            opened.add(value)
            if value in self._known or not missing:
                pending.pop()
                if value not in self._known:
                    self._known.update(self._reckoned(value))
            pending += missing
        return self._known[value]

    def _reckoned(self, value: SSAValue) -> Mapping[SSAValue, Sizes]:
        """The sizes of `value`, and of the other results of its op."""
        if not isinstance(value.type, TensorType):
            return {value: (self._number(value),)}
        if is_open(value) and isinstance(value.owner, RlxOp):
            return self._results(value.owner)
        if is_open(value) and isinstance(value, BlockArgument):
            match value.owner.parent_op():
                case ControlOp() | RegionOp() as op:
                    return {value: self._argument(op, value)}
                case FuncOp() as func if value.owner is func.body.blocks.first:
                    return self._arguments(func)
                case _:
                    pass
        return {value: own_sizes(value)}

    def _number(self, value: SSAValue) -> Size:
        match value.owner:
            case ConstantOp(value=IntegerAttr() as number):
                return number.value.data
            case Operation() as op if op.name == _DIM:
                sizes, axis = self._get(op.operands[0]), self._get(op.operands[1])[0]
                return sizes[axis] if isinstance(axis, int) and sizes[axis:] else Dim.of(IndexSize(value))
            case AddiOp() as op:
                return self._get(op.lhs)[0] + self._get(op.rhs)[0]
            case SubiOp() as op:
                return self._get(op.lhs)[0] - self._get(op.rhs)[0]
            case MuliOp() as op:
                return self._get(op.lhs)[0] * self._get(op.rhs)[0]
            case DivUIOp() as op if self._get(op.rhs)[0] != 0:
                return self._get(op.lhs)[0] // self._get(op.rhs)[0]
            case _:
                return Dim.of(IndexSize(value))

    def _get(self, value: SSAValue) -> Sizes:
        return self._known[value] if value in self._known else own_sizes(value)

    def _arguments(self, func: FuncOp) -> Mapping[SSAValue, Sizes]:
        try:
            return dict(zip(func.args, named_sizes(func)))
        except ValueError:
            return {argument: own_sizes(argument) for argument in func.args}

    def _argument(self, op: ControlOp | RegionOp, argument: BlockArgument) -> Sizes:
        """The sizes of an argument of a body: those of its operand, its own where rounds may change them."""
        if isinstance(op, ControlOp) and argument.index < op.carries:
            return own_sizes(argument)
        try:
            with said({value: self._get(value) for value in op.operands}):
                rule = op.arguments()[argument.index]
        except (ShapeError, Undecided, IndexError):
            return own_sizes(argument)
        return _filled(own_sizes(argument), rule.dims)

    def rule(self, op: RlxOp) -> Mapping[SSAValue, Sizes]:
        """The sizes of the results by `infer`. Raises `ShapeError` where those of the operands do not fit."""
        for value in _read(op):
            self._found(value)
        return self._rule(op, self._given(op))

    def _results(self, op: RlxOp) -> Mapping[SSAValue, Sizes]:
        given = self._given(op)
        try:
            return self._rule(op, given)
        except ShapeError:
            return given

    def _given(self, op: RlxOp) -> dict[SSAValue, Sizes]:
        """The sizes of the results by their types and the size operands."""
        left = iter(op.size_operands)
        if not op.size_operands:
            return {result: own_sizes(result) for result in op.results}
        (result,) = op.results
        return {result: tuple(self._size(next(left)) if d == DYNAMIC else d for d in shaped(result).dims)}

    def _size(self, index: SSAValue) -> Size:
        (size,) = self._get(index)
        return Dim.of(IndexSize(index)) if isinstance(size, int) and size < 0 else size

    def _rule(self, op: RlxOp, given: Mapping[SSAValue, Sizes]) -> Mapping[SSAValue, Sizes]:
        try:
            with said(self._around(op, given)) as relations:
                rules = op.infer()
        except Undecided:
            return given
        if isinstance(op.parent_op(), FuncOp):
            self._relations += relations
        return {
            result: _filled(sizes, (DYNAMIC if _is_inside(size, op) else size for size in rule.dims))
            for (result, sizes), rule in zip(given.items(), rules)
        }

    def _around(self, op: RlxOp, given: Mapping[SSAValue, Sizes]) -> Mapping[SSAValue, Sizes]:
        """What `infer` reads sizes of. Raises `Undecided` for a carried value with other sizes in another role."""
        pairs = [(value, self._get(value)) for value in _read(op)]
        if isinstance(op, STRETCHING):
            pairs = [(value, _not_stretched(value, sizes)) for value, sizes in pairs]
        if op.size_operands:
            # An index value that nothing is known of says less than the rule does.
            unknown = {Dim.of(IndexSize(size)) for size in op.size_operands}
            pairs += [
                (result, tuple(DYNAMIC if each in unknown else each for each in given[result])) for result in given
            ]
        if isinstance(op, ControlOp) and op.carries:
            pairs = self._after_rounds(op, pairs)
        around = dict(pairs)
        if any(around[value] != sizes for value, sizes in pairs):
            raise Undecided("a value has several roles")
        return around

    def _after_rounds(self, op: ControlOp, pairs: Sequence[tuple[SSAValue, Sizes]]) -> list[tuple[SSAValue, Sizes]]:
        """
        With the sizes of carried values after any number of rounds.

        One that a round leaves, or sets back to the first, is that of the operand; another that of the argument.
        """
        body = op.regions[-1]
        carried: dict[SSAValue, Sizes] = {}
        kept: dict[Atom, Size] = {}
        for first, argument, after in zip(op.operands[: op.carries], body.block.args, yielded(body)):
            for axis, (start, size, end) in enumerate(zip(*map(self._get, (first, argument, after)))):
                kept[AxisSize(argument, axis)] = start if end in (start, size) else size
            sizes = tuple(settled(size, kept) for size in self._get(argument))
            carried |= {first: sizes, after: sizes} | {
                region.block.args[argument.index]: sizes for region in op.regions
            }
        return [(value, carried.get(value) or tuple(settled(size, kept) for size in sizes)) for value, sizes in pairs]


def is_open(value: SSAValue) -> bool:
    """Whether the type of a value leaves a size open."""
    return isinstance(value.type, TensorType) and DYNAMIC in shaped(value).dims


def _needed(value: SSAValue) -> Iterator[SSAValue]:
    """The values whose sizes say those of `value`."""
    owner = value.owner
    around = owner.parent_op() if isinstance(owner, Block) else owner
    if not is_open(value):
        if isinstance(owner, _ARITHMETIC) or (isinstance(owner, Operation) and owner.name == _DIM):
            yield from owner.operands
    elif isinstance(around, RlxOp):
        yield from _read(around) if around is owner else filter(is_open, around.operands)


def _read(op: RlxOp) -> Iterator[SSAValue]:
    """The values whose sizes `infer` reads where their types leave them open."""
    yield from (each for each in op.operands if is_open(each) or isinstance(each.type, IndexType))
    for region in op.regions if isinstance(op, ControlOp | RegionOp) else ():
        ends = region.block.last_op.operands if isinstance(region.block.last_op, YieldOp) else ()
        yield from (each for each in (*region.block.args, *ends) if is_open(each))


def own_sizes(value: SSAValue) -> Sizes:
    """What a value alone says of its sizes."""
    if not isinstance(value.type, TensorType):
        return (Dim.of(IndexSize(value)),)
    dims = shaped(value).dims
    return tuple(Dim.of(AxisSize(value, axis)) if size == DYNAMIC else size for axis, size in enumerate(dims))


def named_sizes(func: FuncOp) -> list[Sizes]:
    """
    The sizes of each argument: numbers that its type, `rlx.dims` or another argument says, else the name's first axis.

    Raises `ValueError` for sizes that contradict each other.
    """
    named = dims_of(func)
    first: dict[str, Size] = {}
    for argument, names in zip(func.args, named):
        value = shaped(argument) if names is not None else None
        for axis, (name, size) in enumerate(zip(names or (), () if value is None else value.dims)):
            if isinstance(name, str):
                before = first.setdefault(name, Dim.of(AxisSize(argument, axis)) if size == DYNAMIC else size)
                if isinstance(before, int) and size not in (before, DYNAMIC):
                    raise ValueError(f"dim '{name}' is {before} and {size} (dim {axis} of {value})")
                if size != DYNAMIC:
                    first[name] = size
    return [
        own_sizes(argument)
        if names is None
        else tuple(
            meet(size, name, f"dim {axis} of {shaped(argument)}") if isinstance(name, int) else first[name]
            for axis, (size, name) in enumerate(zip(shaped(argument).dims, names))
        )
        for argument, names in zip(func.args, named)
    ]


def _filled(own: Sizes, rule: Iterable[Size]) -> Sizes:
    """The sizes of a rule, with a value's own where the rule says none, and those that its type knows."""
    return tuple(size if isinstance(size, int) or by_rule == DYNAMIC else by_rule for size, by_rule in zip(own, rule))


def learn(equalities: dict[Atom, Size], relation: Relation) -> None:
    """Adds what atom a relation shows to be what, if any."""
    if relation.kind != "equal to":
        return
    a, b = (settled(each, equalities) for each in (relation.left, relation.right))
    for one, other in ((a, b), (b, a)) if a != b else ():
        atom = one.atom() if isinstance(one, Dim) else None
        if atom is not None and not (isinstance(other, Dim) and atom in other.atoms()):
            equalities[atom] = other
            break


def settled(size: Size, equalities: Mapping[Atom, Size]) -> Size:
    """A size by `KnownSizes.equalities`."""
    while (other := substituted(size, equalities)) != size:
        size = other
    return size


def _is_inside(size: Size, op: Operation) -> bool:
    """Whether only the regions of `op` know a size."""
    if not op.regions or not isinstance(size, Dim):
        return False
    read = (atom for atom in size.atoms() if isinstance(atom, AxisSize | IndexSize))
    values = (atom.tensor if isinstance(atom, AxisSize) else atom.value for atom in read)
    return any(op.is_ancestor(value.owner) for value in values)


_remembered: ContextVar[KnownSizes | None] = ContextVar("rlx_remembered_sizes", default=None)


@contextmanager
def remembered_sizes() -> Generator[None]:
    """Inside the `with` block all functions here share one `KnownSizes`."""
    token = _remembered.set(KnownSizes())
    try:
        yield
    finally:
        _remembered.reset(token)


def known_sizes() -> KnownSizes:
    """That of the `with` block around, else a new one."""
    return _remembered.get() or KnownSizes()


def sizes_of(value: SSAValue) -> Sizes:
    """The size of each axis of a ranked tensor. Sizes that compare equal are equal whenever the program runs."""
    return known_sizes().of(value)


def size_of(value: SSAValue, axis: int) -> Size:
    """The size of an axis of a ranked tensor."""
    return sizes_of(value)[axis]


def size_in(index: SSAValue) -> Size:
    """What an index value that is a size comes to."""
    return known_sizes().index(index)
