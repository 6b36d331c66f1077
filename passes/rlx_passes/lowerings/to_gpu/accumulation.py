"""Sums that a kernel keeps in a register: loop nests that add into one element."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.ir import SSAValue


@dataclass(frozen=True)
class Accumulation:
    """A perfect nest of sequential loops around `store(f(load))` of one element that no loop variable picks."""

    loops: tuple[scf.ForOp, ...]
    load: memref.LoadOp
    store: memref.StoreOp


def find_accumulator(op: scf.ForOp, base_of: Callable[[SSAValue], SSAValue | None]) -> Accumulation | None:
    """The accumulation that the nest starting at `op` is, or None."""
    loops = [op]
    while True:
        inside = list(loops[-1].body.block.ops)
        if loops[-1].iter_args:
            return None
        if len(inside) == 2 and isinstance(inside[0], scf.ForOp):
            loops.append(inside[0])
            continue
        break
    stores = [each for each in inside if isinstance(each, memref.StoreOp)]
    if len(stores) != 1 or inside[-2] is not stores[0]:
        return None
    (store,) = stores
    nested_memory = [m for each in inside for m in each.walk() if isinstance(m, memref.LoadOp | memref.StoreOp)]
    target = base_of(store.memref)
    sharing = [m for m in nested_memory if base_of(m.memref) in (None, target)]
    loads = [each for each in inside if isinstance(each, memref.LoadOp) and each in sharing]
    if target is None or len(sharing) != 2 or len(loads) != 1:
        return None
    (load,) = loads
    if load.memref is not store.memref or tuple(load.indices) != tuple(store.indices):
        return None
    if any(op.is_ancestor(index.owner) for index in store.indices):
        return None
    return Accumulation(tuple(loops), load, store)
