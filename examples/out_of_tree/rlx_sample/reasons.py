"""Why a square is not fused, where the reasons of rlx-dialect do not say it."""

from rlx_passes.rewriting.miss import CodedReason


class SampleReason(CodedReason):
    """Codes with a prefix of the package's own."""

    NOT_A_SQUARE = ("SAMPLE-F001", "not-a-square", "The factors are different values.")
