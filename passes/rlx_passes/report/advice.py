"""What to do about a miss, on one line: the edit or the option that would make the fusion."""

from collections.abc import Mapping
from types import MappingProxyType

from rlx_passes.rewriting.miss import BETWEEN, CodedReason, Reason

_ADVICE: Mapping[CodedReason, str] = MappingProxyType(
    {
        Reason.UNUSED: "read the value, or drop it from the program",
        Reason.MULTI_USE: "let {blocker} read a value computed apart",
        Reason.RETURNED: "do not return the value",
        Reason.OTHER_BLOCK: "move both ops into one block",
        Reason.NOT_CONSUMED_BY: "have {blocker} read what the whole pattern gives, not a part of it",
        Reason.NOT_PRODUCED_BY: "write {blocker} as the pattern has it",
        Reason.DTYPE: "cast to a type of `dtypes`, or put this one there in the target file or the option of the pass",
        Reason.EFFECTS: "keep ops with effects out of the pattern",
        Reason.NO_FUSE: "take `rlx.no_fuse` off {blocker}",
        Reason.DEPENDS_ON_RESULT: "compute {blocker} from something else than what is fused",
        Reason.TYPE_CHANGES: "nothing: a fault of the pattern, please report it",
        Reason.NOT_A_ROW_VECTOR: "make the addend [N], [1, .., 1, N] or one element",
        Reason.BROADCASTS_UP: "expand the smaller value to the dims of the other before {blocker}",
        Reason.DYNAMIC: "give the size: a static dim, or --dim for a model",
        Reason.DIMS_NOT_KNOWN_EQUAL: "give both dims the same static size",
        Reason.AXIS: "transpose so that the op works on the axis that is wanted",
        Reason.RESIDUAL_BROADCASTS: "add values of equal dims; `rlx-raise` takes away an expand of one of them",
        Reason.LATER_FUSION: "nothing: a later pass takes these ops",
        Reason.ATTRIBUTES: "give the ops the same attributes",
        Reason.NOT_A_PARTITION: "take the parts side by side, in order, none left out",
        Reason.TOO_LARGE: "raise the bound of the pass (`max-tokens` of attention), where it has one",
        Reason.LAYOUT: "lay the heads packed on the last axis",
        Reason.EPILOGUE: "put {detail} among `epilogues` of the target file or of the pass",
        Reason.RANK: "reshape the operand to the rank that the fused op takes",
        Reason.CONSTANT: "write the constant that is wanted",
        Reason.NOT_A_GATE: "multiply by a gate that is smaller than the sum and as long on the last axis",
        Reason.NOT_A_STEP: "nothing: ops of this kind stay outside of regions",
        Reason.REGION_FULL: "raise max-elementwise-steps or max-elementwise-inputs of rlx-fusion",
        Reason.NOT_TRAILING: "expand the operand before the chain, or bring its axis to the end",
        Reason.FUSION_BOUNDARY: "nothing: a new chain starts after a product or a convolution",
        Reason.OTHER_CHAIN: "swap the operands of {blocker}, and this chain goes on",
        Reason.DIMS_CHANGE: "expand before the chain, so that all of it has the same dims",
        Reason.LOOP_BOUND: "give the loop a bound of at most unroll-limit rounds",
        Reason.NOT_ALONG_CHANNELS: "make the operand [1, C, 1, 1] or the like, or one element",
        Reason.OUT_OF_LIMITS: "change the limit: `kernel-min` or `max-groups` under [claim.FusedConvBiasAct]",
        Reason.NOT_OPTIONAL: "put `rlx.optional` on the result",
        Reason.NO_GAIN: "lower `min-gain-ns` of the target file",
        Reason.NOT_CLAIMED: "claim {detail}: `claims` of a target file, or claims= of rlx-fusion",
        Reason.OUT_OF_RANGE: "use a wider type for the number, or a scale that fits",
        Reason.ROUNDING: "leave out exact-rounding, or compute in f32 up to the end",
    }
)


_OF_ONE_READER = "let one of these read the value, and compute it apart for the others"
_OF_ONE_BETWEEN = "move {blocker} in front of these ops, or behind them"


def to_fuse(reason: CodedReason, detail: str, blocker: str, *, several: bool = False) -> str:
    """The advice on a miss, which may have `several` blockers; empty for a reason of another package."""
    advice = _ADVICE.get(reason, "")
    if detail == BETWEEN:
        advice = _OF_ONE_BETWEEN
    elif several and reason is Reason.MULTI_USE:
        advice = _OF_ONE_READER
    return advice.format(detail=detail or "the activation", blocker=blocker or "the other op")
