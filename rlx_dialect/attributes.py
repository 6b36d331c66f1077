"""
The enumerations of the dialect.

An enumeration is stored as a builtin string, so that tools which read the dialect through IRDL can carry it, checked by
the verifier against the classes below, and printed as a bare word in the pretty form (`rlx_dialect.directives`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

WordT = TypeVar("WordT", bound=StrEnum)


class Activation(StrEnum):
    """Unary functions of one real value; formulas in `rlx_dialect.reference.elementwise`."""

    GELU = "gelu"
    GELU_APPROX = "gelu_approx"
    SILU = "silu"
    RELU = "relu"
    SIGMOID = "sigmoid"
    TANH = "tanh"
    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    NEG = "neg"
    ABS = "abs"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    ATAN = "atan"
    RECIP = "recip"
    ROUND = "round"
    FLOOR = "floor"
    CEIL = "ceil"
    SIGN = "sign"
    SOFTPLUS = "softplus"
    ELU = "elu"
    ERF = "erf"
    HARD_SWISH = "hard_swish"
    HARD_SIGMOID = "hard_sigmoid"
    MISH = "mish"
    SOFTSIGN = "softsign"
    LOG_SIGMOID = "log_sigmoid"
    QUICK_GELU = "quick_gelu"


REGION_ACTIVATIONS = frozenset(
    {
        *(
            Activation.GELU,
            Activation.GELU_APPROX,
            Activation.SILU,
            Activation.RELU,
            Activation.SIGMOID,
            Activation.TANH,
            Activation.QUICK_GELU,
        ),
        *(Activation.EXP, Activation.LOG, Activation.SQRT, Activation.RSQRT, Activation.NEG, Activation.ABS),
        *(Activation.SIN, Activation.COS, Activation.TAN, Activation.ATAN, Activation.RECIP, Activation.ROUND),
    }
)
"""Those that fusion puts into elementwise regions. A kind joins when it is written here."""


class BinaryKind(StrEnum):
    """Two-operand elementwise functions; `mod` is C's fmod, `atan2(a, b)` the angle of the point (b, a)."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MAX = "max"
    MIN = "min"
    POW = "pow"
    MOD = "mod"
    BIT_AND = "bit_and"
    BIT_OR = "bit_or"
    BIT_XOR = "bit_xor"
    SHL = "shl"
    SHR = "shr"
    ATAN2 = "atan2"


COMMUTATIVE = frozenset(
    {
        BinaryKind.ADD,
        BinaryKind.MUL,
        BinaryKind.MAX,
        BinaryKind.MIN,
        BinaryKind.BIT_AND,
        BinaryKind.BIT_OR,
        BinaryKind.BIT_XOR,
    }
)
COMPLEX_BINARY = frozenset({BinaryKind.ADD, BinaryKind.SUB, BinaryKind.MUL, BinaryKind.DIV})
"""What complex numbers have."""
REGION_BINARIES = COMPLEX_BINARY | {BinaryKind.MAX, BinaryKind.MIN, BinaryKind.POW}
"""Those that fusion puts into elementwise regions."""
INTEGER_ONLY = frozenset({BinaryKind.BIT_AND, BinaryKind.BIT_OR, BinaryKind.BIT_XOR, BinaryKind.SHL, BinaryKind.SHR})


class CompareKind(StrEnum):
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"


class ReduceKind(StrEnum):
    """`any` and `all` take `i1`; the others numbers. The reduction of nothing is the identity of the kind."""

    SUM = "sum"
    MEAN = "mean"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    ANY = "any"
    ALL = "all"


class AttentionLayout(StrEnum):
    """How queries, keys and values lie: `b` batch, `h` head, `s` position, `d` head width, `m` all heads packed."""

    BHSD = "bhsd"
    BSHD = "bshd"
    BSM = "bsm"


class MaskKind(StrEnum):
    """
    `keys`: `[B, S_k]`, i1 or exactly 0/1, true where the key may be seen. `bias`: added to the scaled scores, any shape
    that broadcasts to `[B, H, S_q, S_k]`.
    """

    KEYS = "keys"
    BIAS = "bias"


class MaskedRows(StrEnum):
    """What attention gives for a query that sees no key: the mean of the values, zero, or NaN."""

    UNIFORM = "uniform"
    ZERO = "zero"
    NAN = "nan"


class AdaNormKind(StrEnum):
    """Which norm an adaptive norm modulates."""

    LAYER_NORM = "layer_norm"
    RMS_NORM = "rms_norm"


class RopeStyle(StrEnum):
    """Which elements of a head turn together: `neox` i and i + n/2 of the n rotated ones, `gptj` 2i and 2i + 1."""

    NEOX = "neox"
    GPTJ = "gptj"


class RopeTable(StrEnum):
    """What a rotary table holds for a position: `half` one angle for each pair, `full` one for each rotated element."""

    HALF = "half"
    FULL = "full"


class RegionPrologue(StrEnum):
    """What a region op does to its first operand before the body reads it."""

    NONE = "none"
    RESIZE_NEAREST2X = "resize_nearest2x"


class FftNorm(StrEnum):
    """
    The scaling of a Fourier transform of N points: `none` in neither direction, `by_n_on_inverse` 1/N in the inverse,
    `ortho` 1/sqrt(N) in both.
    """

    NONE = "none"
    BY_N_ON_INVERSE = "by_n_on_inverse"
    ORTHO = "ortho"


class SvdPart(StrEnum):
    """A factor of the singular value decomposition `u @ diag(s) @ vt`."""

    U = "u"
    S = "s"
    VT = "vt"


class QrPart(StrEnum):
    """A factor of the decomposition `q @ r`."""

    Q = "q"
    R = "r"


class CodeScheme(StrEnum):
    """
    How the weights of a product lie: `plain` as elements, `int4` and `fp4` as two codes of 4 bits in a byte, the lower
    half first, of two's complement or of a sign, two bits of exponent and one of mantissa.
    """

    PLAIN = "plain"
    INT4 = "int4"
    FP4 = "fp4"


class Direction(StrEnum):
    """In which order a recurrent layer reads its steps; `bidirectional` is two layers."""

    FORWARD = "forward"
    REVERSE = "reverse"
    BIDIRECTIONAL = "bidirectional"


class RnnActivation(StrEnum):
    """What a plain recurrent layer makes of its sums."""

    TANH = "tanh"
    RELU = "relu"


class AttentionOperand(StrEnum):
    """What an attention is differentiated by."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"


class SpatialLayout(StrEnum):
    """Where the channels of a value with spatial dims are: `[N, C, ..]` or `[N, .., C]`."""

    CHANNELS_FIRST = "channels_first"
    CHANNELS_LAST = "channels_last"


class PadMode(StrEnum):
    """
    What lies beyond the ends of an axis: one number, elements mirrored at the outermost one, it, or the other end's.
    """

    CONSTANT = "constant"
    REFLECT = "reflect"
    REPLICATE = "replicate"
    CIRCULAR = "circular"


class Triangle(StrEnum):
    """The part of a matrix at and above a diagonal, or at and below it."""

    UPPER = "upper"
    LOWER = "lower"


class Extremum(StrEnum):
    """The greatest or the least element."""

    MAX = "max"
    MIN = "min"


class ScatterReduction(StrEnum):
    """What becomes of an element that an update meets; `none` puts the update in its place."""

    NONE = "none"
    ADD = "add"
    MUL = "mul"
    MAX = "max"
    MIN = "min"


class ResizeMode(StrEnum):
    """How a resized value is made of the elements around the place where it comes from."""

    NEAREST = "nearest"
    LINEAR = "linear"
    CUBIC = "cubic"


class ResizeCoordinates(StrEnum):
    """Where the element i of a resized axis comes from; formulas in `rlx_dialect.reference.resize`."""

    HALF_PIXEL = "half_pixel"
    HALF_PIXEL_SYMMETRIC = "half_pixel_symmetric"
    PYTORCH_HALF_PIXEL = "pytorch_half_pixel"
    ALIGN_CORNERS = "align_corners"
    ASYMMETRIC = "asymmetric"
    CROP = "crop"


class NearestRounding(StrEnum):
    """Which element is nearest to a place between two."""

    ROUND_PREFER_FLOOR = "round_prefer_floor"
    ROUND_PREFER_CEIL = "round_prefer_ceil"
    FLOOR = "floor"
    CEIL = "ceil"


class PoolKind(StrEnum):
    """What a pooling window gives."""

    MAX = "max"
    AVG = "avg"


@cache
def _spellings(words: type[StrEnum]) -> Mapping[str, None]:
    return dict.fromkeys(map(str, words))


@cache
def _members(words: type[StrEnum]) -> Mapping[str, StrEnum]:
    return {str(word): word for word in words}


@dataclass(frozen=True)
class WordOf(AttrConstraint[StringAttr]):
    """A `StringAttr` that spells a member of `words`."""

    words: type[StrEnum]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        known = _spellings(self.words)
        if not isinstance(attr, StringAttr) or attr.data not in known:
            raise VerifyException(f"expected one of {', '.join(known)}, got {attr}")

    def get_bases(self) -> set[type[Attribute]]:
        return {StringAttr}

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> "WordOf":
        return self


def word_of(attr: StringAttr, words: type[WordT]) -> WordT:
    """The member of `words` that `attr` spells. Raises `ValueError` for any other text."""
    known = cast("Mapping[str, WordT]", _members(words))
    return known[attr.data] if attr.data in known else words(attr.data)
