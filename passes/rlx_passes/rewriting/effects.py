"""What an op may be taken for: pure, dead, the end of its block. What holds for all of a class is found once."""

from functools import cache

from xdsl.ir import Operation
from xdsl.traits import (
    AlwaysSpeculatable,
    ConditionallySpeculatable,
    IsTerminator,
    MemoryEffect,
    NoMemoryEffect,
    SymbolOpInterface,
    is_side_effect_free,
    is_speculatable,
)
from xdsl.transforms.dead_code_elimination import would_be_trivially_dead


def is_pure(op: Operation) -> bool:
    """Whether `op` may be moved, copied and removed: no effects, and no harm where it did not run before."""
    return _all_pure(type(op)) or (is_side_effect_free(op) and is_speculatable(op))


def is_dead(op: Operation) -> bool:
    """Whether nothing reads `op` and nothing else would be missed of it."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return _all_removable(type(op)) or would_be_trivially_dead(op)


@cache
def is_terminator(kind: type[Operation]) -> bool:
    """Whether ops of a class end their block."""
    return kind.has_trait(IsTerminator, value_if_unregistered=False)


@cache
def _all_free(kind: type[Operation]) -> bool:
    effects = kind.get_traits_of_type(MemoryEffect)
    return bool(effects) and all(isinstance(effect, NoMemoryEffect) for effect in effects)


@cache
def _all_pure(kind: type[Operation]) -> bool:
    runs = kind.get_traits_of_type(ConditionallySpeculatable)
    return _all_free(kind) and bool(runs) and all(isinstance(trait, AlwaysSpeculatable) for trait in runs)


@cache
def _all_removable(kind: type[Operation]) -> bool:
    symbol = kind.has_trait(SymbolOpInterface, value_if_unregistered=False)
    return _all_free(kind) and not is_terminator(kind) and not symbol
