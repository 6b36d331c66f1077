"""When a nearest 2x resize can be its reader's prologue: one answer for the pass that fuses it and for the other."""

from dataclasses import dataclass

from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.ops import ElementwiseRegionOp, ResizeNearest2xOp
from rlx_passes.fusion.steps import UNARY_STEPS, UnaryStep, require_equal_dims, require_step
from rlx_passes.rewriting.legality import NO_FUSE, only_reader, require
from rlx_passes.rewriting.miss import Miss, Reason

Reader = ElementwiseRegionOp | UnaryStep
READERS = (ElementwiseRegionOp, *UNARY_STEPS)


@dataclass(frozen=True)
class Prologue:
    """A resize, and which operand of its reader it is."""

    resize: ResizeNearest2xOp
    place: int


def resizes(reader: Reader) -> bool:
    """Whether an operand of `reader` is a resize."""
    return any(isinstance(operand.owner, ResizeNearest2xOp) for operand in reader.operands)


def prologue_of(reader: Reader) -> Prologue:
    """
    The first operand of `reader` that is a resize of the reader's dims, which it alone reads. Raises `Miss` for none.

    A region has one prologue at most; a single op must be one that may stand in a region.
    """
    require(NO_FUSE not in reader.attributes, Reason.NO_FUSE, reader)
    if isinstance(reader, ElementwiseRegionOp):
        require(reader.before is RegionPrologue.NONE, Reason.ATTRIBUTES, reader, detail="it has a prologue already")
    else:
        require_step(reader)
    missed: Miss | None = None
    for place, operand in enumerate(reader.operands):
        resize = operand.owner
        if not isinstance(resize, ResizeNearest2xOp):
            continue
        try:
            only_reader(operand, READERS)
            require(NO_FUSE not in resize.attributes, Reason.NO_FUSE, resize)
            require_equal_dims(operand, reader.result)
        except Miss as miss:
            missed = missed or miss
            continue
        return Prologue(resize, place)
    raise missed or Miss(Reason.NOT_PRODUCED_BY, reader)


def becomes_prologue(resize: ResizeNearest2xOp) -> bool:
    """Whether the reader of `resize` takes it as its prologue."""
    try:
        return prologue_of(only_reader(resize.result, READERS)).resize is resize
    except Miss:
        return False
