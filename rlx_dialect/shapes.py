"""
Shape and element type rules, each once. Verifier, constructors, builder, shape inference and importers call these.

A rule works on `Shaped` values: dims (`DYNAMIC` where a size is only known at run time) and an element type. A size
that is only known at run time never broadcasts: only a static 1 stretches, and dims that meet must be equal when the
program runs. A rule that finds a contradiction raises `ShapeError` with both values.

Within `said`, the dims of some values are expressions (`rlx_dialect.dims.Dim`) instead of `DYNAMIC`. Rules reckon with
them as with numbers, and check only what `known` says is one.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from math import prod
from operator import index
from typing import NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IndexType, IntAttr, IntegerType, TensorType, f32, i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.dims import Dim, Size
from rlx_dialect.dtypes import is_complex, is_float
from rlx_dialect.relations import Noted, can_be, noted

DYNAMIC = DYNAMIC_INDEX

Dims = tuple[int, ...]

AttributeT = TypeVar("AttributeT", bound=Attribute)
FoundT = TypeVar("FoundT")


class ShapeError(ValueError):
    """Operands whose shapes or element types do not fit together."""


@cache
def _element_text(element: Attribute) -> str:
    """Printing an attribute is slow, and messages of checks that hold name types too."""
    return str(element)


class Shaped(NamedTuple):
    """The dims and the element type of a ranked tensor."""

    dims: Dims
    element: Attribute

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def static(self) -> bool:
        return DYNAMIC not in self.dims

    @property
    def type(self) -> TensorType[Attribute]:
        return _type_of(self.element, self.dims)

    def with_dims(self, dims: Iterable[int]) -> "Shaped":
        return Shaped(tuple(dims), self.element)

    def __str__(self) -> str:
        return (
            "tensor<" + "".join(f"{'?' if d == DYNAMIC else d}x" for d in self.dims) + f"{_element_text(self.element)}>"
        )


@lru_cache(4096)
def _type_of(element: Attribute, dims: Dims) -> TensorType[Attribute]:
    """One type for all that are equal, of plain integers: NumPy's are equal to them. Only a lowering's hold a `Dim`."""
    return TensorType(element, [IntAttr(size if isinstance(size, Dim) else index(size)) for size in dims])


REMEMBERED = 4096
"""As many results of a pure function of types are kept, so that a long-lived process does not grow."""

MAX_RANK = 64
"""As many dims as an array of NumPy has, and with it the reference."""
MAX_COUNT = 2**63 - 1
"""As many elements as a signed index reaches."""


def require_size(value: Shaped) -> None:
    """Raises `ShapeError` for a tensor of more dims or elements than can be told apart by an index."""
    if value.rank > MAX_RANK:
        raise ShapeError(f"a tensor has at most {MAX_RANK} dims, got {value.rank} in {value}")
    if prod(size for size in value.dims if size > 0) > MAX_COUNT:
        raise ShapeError(f"the sizes of a tensor must multiply to at most {MAX_COUNT}, got {value}")


_said: dict[SSAValue, Dims] = {}


@contextmanager
def said(dims: Mapping[SSAValue, Sequence[Size]]) -> Generator[Noted]:
    """
    Inside the `with` block `shaped` gives these dims. They are numbers to a rule, so that its own types stay simple.

    Yields the list of what rules rely on, of dims that only a run knows.
    """
    _said.update(cast("Mapping[SSAValue, Dims]", dims))
    try:
        with noted() as relations:
            yield relations
    finally:
        for value in dims:
            del _said[value]


def is_said() -> bool:
    """Whether `shaped` gives other dims than types for some value."""
    return bool(_said)


def shaped(value: SSAValue, name: str = "operand") -> Shaped:
    """The dims and element type of `value`. Raises `ShapeError` unless it is a ranked tensor."""
    found = of_any(value.type)
    if found is None:
        raise ShapeError(f"{name} must be a ranked tensor, got {value.type}")
    return Shaped(_said[value], found.element) if _said and value in _said else found


def by_identity(work: Callable[[AttributeT], FoundT]) -> Callable[[AttributeT], FoundT]:
    """A function of types with what it gave for each, by identity: hashing a type costs more than reading it."""
    given: dict[int, tuple[AttributeT, FoundT]] = {}  # holds the types, so that no other gets the id of one

    def ask(type: AttributeT) -> FoundT:
        known = given.get(id(type))
        if known is None:
            if len(given) >= REMEMBERED:
                given.clear()
            known = given[id(type)] = type, work(type)
        return known[1]

    return ask


@by_identity
def of_type(type: TensorType[Attribute]) -> Shaped:
    """The dims and element type of a tensor type."""
    return Shaped(type.get_shape(), type.element_type)


@by_identity
def of_any(type: Attribute) -> Shaped | None:
    """The dims and element type of a ranked tensor type; None for any other."""
    return of_type(cast("TensorType[Attribute]", type)) if isinstance(type, TensorType) else None


def show(dims: Sequence[Size]) -> str:
    """`[4, ?, 8]`"""
    return "[" + ", ".join("?" if d == DYNAMIC else str(d) for d in dims) + "]"


def known(size: Size) -> bool:
    """Whether a size is a number."""
    return size != DYNAMIC and not isinstance(size, Dim)


def compatible(a: int, b: int) -> bool:
    """Whether two dims can be equal when the program runs."""
    return a == b or can_be(a, "equal to", b)


def same_but_for_sizes(a: Attribute, b: Attribute) -> bool:
    """Whether two types are equal, or are tensor types that differ only in sizes that one of them does not know."""
    if a == b:
        return True
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return False
    x, y = of_type(cast("TensorType[Attribute]", a)), of_type(cast("TensorType[Attribute]", b))
    return x.element == y.element and x.rank == y.rank and all(map(compatible, x.dims, y.dims))


def meet(a: int, b: int, where: str) -> int:
    """The size of two dims that must be equal: the known one where only one is known, else the first."""
    if a == b or b == DYNAMIC:
        return a
    if a == DYNAMIC:
        return b
    if can_be(a, "equal to", b):
        return b if known(b) else a
    raise ShapeError(f"{where} must be equal, got {a} and {b}")


def known_equal(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether both dims are static and the same."""
    return DYNAMIC not in a and tuple(a) == tuple(b)


def alike(a: Shaped, b: Shaped) -> bool:
    """Whether two types are one, in so far as the expressions in them tell."""
    return a == b or (
        a.element == b.element
        and a.rank == b.rank
        and all(x == y or (DYNAMIC not in (x, y) and compatible(x, y)) for x, y in zip(a.dims, b.dims))
    )


def count(dims: Sequence[int]) -> int | None:
    """The number of elements, or None where it is not known."""
    if 0 in dims:
        return 0
    return None if DYNAMIC in dims else prod(dims)


def same_dims(a: Shaped, b: Shaped, a_name: str, b_name: str) -> Dims:
    """The dims of two tensors of equal dims, with the sizes that either knows."""
    require_rank(b, a.rank, b_name)
    return tuple(
        meet(x, y, f"dim {i} of {a_name} {a} and {b_name} {b}") for i, (x, y) in enumerate(zip(a.dims, b.dims))
    )


def same(a: Shaped, b: Shaped, a_name: str, b_name: str) -> Shaped:
    """The shape of two tensors of one element type and equal dims, with the sizes that either knows."""
    require_element(a.element, b.element, b_name)
    return a.with_dims(same_dims(a, b, a_name, b_name))


def require_element(expected: Attribute, actual: Attribute, where: str) -> None:
    if expected != actual:
        raise ShapeError(f"{where} must have element type {expected}, got {actual}")


def require_floats(value: Shaped, name: str) -> None:
    """Raises `ShapeError` unless the elements of `value` are floats."""
    if not is_float(value.element):
        raise ShapeError(f"{name} must have a float element type, got {value}")


_ACTIVATIONS_OF_INTEGERS = frozenset({"neg", "abs", "sign", "relu"})
_ACTIVATIONS_OF_COMPLEX = frozenset({"neg", "exp"})
_ACTIVATIONS_OF_SIGNS = frozenset({"neg", "sign"})


def require_activation(value: Shaped, kind: str) -> None:
    """Raises `ShapeError` unless the elements of `value` have the activation called `kind`."""
    if is_complex(value.element):
        if kind not in _ACTIVATIONS_OF_COMPLEX:
            raise ShapeError(f"{kind} needs real numbers, got {value}")
    elif not is_float(value.element) and kind not in _ACTIVATIONS_OF_INTEGERS:
        raise ShapeError(f"{kind} needs a float element type, got {value}")
    elif value.element == i1 and kind in _ACTIVATIONS_OF_SIGNS:
        raise ShapeError(f"{kind} needs numbers, got {value}")


def require_integers(value: Shaped, name: str) -> None:
    """Raises `ShapeError` unless `value` holds integers or is of type index; i1 holds truth values, not integers."""
    if value.element == i1 or not isinstance(value.element, IntegerType | IndexType):
        raise ShapeError(f"{name} must be integers, got {value}")


def require_rank(value: Shaped, rank: int, name: str) -> None:
    if value.rank != rank:
        raise ShapeError(f"{name} must have rank {rank}, got {value}")


def require_vector(value: Shaped, size: int, element: Attribute, name: str, dim: str = "the normalised dim") -> None:
    """`value` is `[size]` of `element`."""
    require_rank(value, 1, name)
    require_element(element, value.element, name)
    meet(value.dims[0], size, f"the size of {name} and {dim}")


def require_weight(value: Shaped, size: int, of: Shaped, name: str) -> None:
    """`value` is `[size]` of the elements of `of`, or of f32 where those are narrower floats."""
    wider = value.element == f32 and isinstance(of.element, AnyFloat) and of.element.bitwidth < f32.bitwidth
    require_vector(value, size, f32 if wider else of.element, name)


def require_epsilon(epsilon: float, name: str = "epsilon") -> None:
    """Raises `ShapeError` for NaN and for less than 0, of which a norm would take a root that is no number."""
    if not epsilon >= 0:
        raise ShapeError(f"{name} must be 0 or more, got {epsilon}")


def normalize_axis(axis: int, rank: int, operand: str = "input", name: str = "axis") -> int:
    """An axis of `operand` counted from the end becomes one counted from the start."""
    if not -rank <= axis < rank:
        raise ShapeError(f"{name} {axis} is out of range for {operand} of rank {rank}")
    return axis % rank


def normalize_axes(axes: Iterable[int], rank: int, operand: str = "input", name: str = "axes") -> tuple[int, ...]:
    """Axes of `operand` counted from the start, none twice."""
    result = tuple(normalize_axis(axis, rank, operand, name) for axis in axes)
    if len(set(result)) != len(result):
        raise ShapeError(f"{name} of {operand} must not repeat, got {show(result)}")
    return result


def broadcast_dims(a: Dims, b: Dims, a_name: str = "lhs", b_name: str = "rhs") -> Dims:
    """NumPy's rule, right-aligned; only a static 1 stretches."""
    if a == b:
        return a
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    result: list[int] = []
    for axis, (x, y) in enumerate(zip(left, right)):
        if x == 1 or y == 1:
            result.append(y if x == 1 else x)
        elif compatible(x, y):
            result.append(meet(x, y, b_name))
        else:
            raise ShapeError(
                f"{a_name} {show(a)} and {b_name} {show(b)} do not broadcast: {x} and {y} meet in dim {axis}"
            )
    return tuple(result)


def broadcast(a: Shaped, b: Shaped, a_name: str = "lhs", b_name: str = "rhs") -> Shaped:
    """The result of an elementwise op on `a` and `b`, which have one element type."""
    if a.element != b.element:
        raise ShapeError(f"{a_name} and {b_name} must have one element type, got {a} and {b}")
    return Shaped(broadcast_dims(a.dims, b.dims, a_name, b_name), a.element)


def require_broadcasts_to(value: Shaped, target: Dims, name: str) -> Dims:
    """`value` stretches to exactly `target`, which comes back with the sizes that follow from `value`."""
    stretched = broadcast_dims(value.dims, target, name, "the dims")
    if len(stretched) != len(target) or not all(map(compatible, stretched, target)):
        raise ShapeError(f"{name} {value} does not broadcast to {show(target)}")
    return stretched


def reduce(value: Shaped, axes: Sequence[int], keep_dims: bool) -> Shaped:
    """The listed axes removed, or kept as 1."""
    dropped = normalize_axes(axes, value.rank)
    if keep_dims:
        return value.with_dims(1 if axis in dropped else d for axis, d in enumerate(value.dims))
    return value.with_dims(d for axis, d in enumerate(value.dims) if axis not in dropped)


def transpose(value: Shaped, permutation: Sequence[int]) -> Shaped:
    """Dim i of the result is dim `permutation[i]` of the input."""
    if sorted(permutation) != list(range(value.rank)):
        raise ShapeError(f"permutation {show(permutation)} must name each dim of {value} once")
    return value.with_dims(value.dims[axis] for axis in permutation)


def narrow(value: Shaped, axis: int, start: int, length: int) -> Shaped:
    """`length` entries of `axis` from `start`."""
    axis = normalize_axis(axis, value.rank)
    size = value.dims[axis]
    if start < 0 or length < 0:
        raise ShapeError(f"start and length must not be negative, got {start} and {length}")
    if not can_be(size, "at least", start + length):
        raise ShapeError(f"start {start} plus length {length} exceeds dim {axis} of {value}")
    return value.with_dims((*value.dims[:axis], length, *value.dims[axis + 1 :]))


def concat(values: Sequence[Shaped], axis: int, name: str = "input") -> Shaped:
    """The inputs one after the other along `axis`; all other dims are equal."""
    if not values:
        raise ShapeError(f"concat needs at least one {name}")
    first = values[0]
    axis = normalize_axis(axis, first.rank, f"{name} 0")
    dims = list(first.dims)
    for i, value in enumerate(values[1:], 1):
        require_rank(value, first.rank, f"{name} {i}")
        require_element(first.element, value.element, f"{name} {i}")
        for d in range(first.rank):
            if d != axis:
                dims[d] = meet(dims[d], value.dims[d], f"dim {d} of {name} 0 {first} and {name} {i} {value}")
    sizes = [value.dims[axis] for value in values]
    dims[axis] = DYNAMIC if DYNAMIC in sizes else sum(sizes)
    return first.with_dims(dims)


def reshape(value: Shaped, result: Shaped) -> Shaped:
    """Input and result have as many elements, as far as known; the result with the size that an open one must have."""
    require_element(value.element, result.element, "result")
    before, after = count(value.dims), count(result.dims)
    if before is not None and after is not None and not compatible(before, after):
        raise ShapeError(f"{value} has {before} elements, {result} has {after}")
    rest = prod(size for size in result.dims if size != DYNAMIC)
    if before is None or rest == 0 or result.dims.count(DYNAMIC) != 1 or (size := before // rest) * rest != before:
        return result
    return result.with_dims(size if each == DYNAMIC else each for each in result.dims)
