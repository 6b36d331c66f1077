"""
Rules from StableHLO and CHLO to RLX, one file per chapter.

A rule need not look at element types that RLX lacks, nor at values that are no tensors: such ops are declined before.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.dtypes import dtype_of
from rlx_dialect.shapes import by_identity, of_type
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import CHLO, STABLEHLO, distribution, legacy, random
from rlx_passes.dialects.stablehlo import control_flow as structured
from rlx_passes.dialects.stablehlo import dynamism as dynamic
from rlx_passes.dialects.stablehlo.reduction import ReturnOp
from rlx_passes.frontends.stablehlo import (
    bits,
    chlo_broadcast,
    complex,
    contraction,
    control_flow,
    convolution,
    data_movement,
    dynamism,
    elementwise,
    functions,
    indexing,
    linear_algebra,
    normalization,
    reduction,
    sorting,
    windows,
)
from rlx_passes.frontends.stablehlo.control_flow import CONTROL
from rlx_passes.rewriting.conversion import Emitter, Rule, Rules

KINDS: Rules = {
    **elementwise.RULES,
    **bits.RULES,
    **functions.RULES,
    **complex.RULES,
    **data_movement.RULES,
    **indexing.RULES,
    **dynamism.RULES,
    **sorting.RULES,
    **contraction.RULES,
    **convolution.RULES,
    **linear_algebra.RULES,
    **normalization.RULES,
    **reduction.RULES,
    **windows.RULES,
    **chlo_broadcast.RULES,
    **control_flow.RULES,
}
"""Rules by op class, for ops that RLX has kinds for; `control_flow` converts conditionals and loops afterwards."""

DEVICES = "is run by several devices together"
HOST = "exchanges values with what runs the program"
FUNCTION = "is a function that RLX has no kind for"
REASONS: dict[type[Operation], str] = {
    **dict.fromkeys(distribution.ALL_OPS, HOST),
    **{op: DEVICES for op in distribution.ALL_OPS if issubclass(op, distribution.CollectiveOp)},
    distribution.CollectivePermuteOp: DEVICES,
    distribution.PartitionIdOp: DEVICES,
    distribution.ReplicaIdOp: DEVICES,
    **dict.fromkeys((distribution.TupleOp, distribution.GetTupleElementOp), "has a tuple, which RLX has no type for"),
    **dict.fromkeys((distribution.CreateTokenOp, distribution.AfterAllOp), "orders effects, which RLX ops do not have"),
    structured.CompositeOp: "names a function that cannot be inlined",
    random.RngOp: "draws from a state that is not in the program",
    random.RngBitGeneratorOp: "gives bits and a state, which rlx.rng_uniform and rlx.rng_normal do not",
    dynamic.SetDimensionSizeOp: "makes a size one of run time",
    dynamic.DynamicConvOp: "has pads that are known only when the program runs",
    **dict.fromkeys(
        (legacy.EinsumOp, legacy.UnaryEinsumOp), "is an einsum of an earlier version; write stablehlo.dot_general"
    ),
    **{op: FUNCTION for op in CHLO.operations},
}
"""Why an op without a rule stays; of the others, rules say why they decline."""


@by_identity
def _unread(type: Attribute) -> str:
    """What is wrong with values of a type; nothing with those that rules read."""
    if not isinstance(type, TensorType):
        return f"has a value of type {type}"
    try:
        dtype_of(of_type(cast("TensorType[Attribute]", type)).element)
    except ValueError as error:
        return f"has a value whose {error}"
    return ""


_TYPE = attrgetter("type")


def _checked(rule: Rule) -> Rule:
    def checked(op: Operation, emit: Emitter) -> SSAValue | Sequence[SSAValue]:
        for reason in map(_unread, map(_TYPE, (*op.operands, *op.results))):
            if reason:
                raise Refusal(reason)
        return rule(op, emit)

    return checked


def _stays(reason: str) -> Rule:
    def stays(op: Operation, emit: Emitter) -> SSAValue:
        raise Refusal(reason)

    return stays


RULES: Rules = {
    **{
        op: _stays(REASONS.get(op, "has no RLX kind"))
        for op in (*STABLEHLO.operations, *CHLO.operations)
        if op not in (ReturnOp, *CONTROL)
    },
    **{op: _checked(rule) for op, rule in KINDS.items()},
}
"""By op class, for every op of both dialects that is no conditional, loop or end of a body."""

__all__ = ["KINDS", "REASONS", "RULES"]
