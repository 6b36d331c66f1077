"""Elementwise functions against the cases of the `onnx` package."""

from collections.abc import Callable, Mapping
from functools import reduce

import pytest
from onnx_cases import Adapter, Case, Node, Unsupported, cases, check

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES, numpy_dtype

WIDE = "element type"

ACTIVATIONS: Mapping[str, Activation] = {
    "Abs": Activation.ABS,
    "Atan": Activation.ATAN,
    "Ceil": Activation.CEIL,
    "Cos": Activation.COS,
    "Erf": Activation.ERF,
    "Exp": Activation.EXP,
    "Floor": Activation.FLOOR,
    "HardSwish": Activation.HARD_SWISH,
    "Log": Activation.LOG,
    "Mish": Activation.MISH,
    "Neg": Activation.NEG,
    "Reciprocal": Activation.RECIP,
    "Relu": Activation.RELU,
    "Round": Activation.ROUND,
    "Sigmoid": Activation.SIGMOID,
    "Sign": Activation.SIGN,
    "Sin": Activation.SIN,
    "Softplus": Activation.SOFTPLUS,
    "Softsign": Activation.SOFTSIGN,
    "Sqrt": Activation.SQRT,
    "Tan": Activation.TAN,
    "Tanh": Activation.TANH,
}
BINARIES: Mapping[str, BinaryKind] = {
    "Add": BinaryKind.ADD,
    "And": BinaryKind.BIT_AND,
    "BitwiseAnd": BinaryKind.BIT_AND,
    "BitwiseOr": BinaryKind.BIT_OR,
    "BitwiseXor": BinaryKind.BIT_XOR,
    "Div": BinaryKind.DIV,
    "Max": BinaryKind.MAX,
    "Min": BinaryKind.MIN,
    "Mul": BinaryKind.MUL,
    "Or": BinaryKind.BIT_OR,
    "Sub": BinaryKind.SUB,
    "Sum": BinaryKind.ADD,
    "Xor": BinaryKind.BIT_XOR,
}
COMPARISONS: Mapping[str, CompareKind] = {
    "Equal": CompareKind.EQ,
    "Less": CompareKind.LT,
    "LessOrEqual": CompareKind.LE,
    "Greater": CompareKind.GT,
    "GreaterOrEqual": CompareKind.GE,
}


def unary(kind: Activation) -> Adapter:
    return lambda g, node: g.activation(kind, node.required(0))


def folded(kind: BinaryKind) -> Adapter:
    """Of any number of inputs."""

    def adapter(g: Graph, node: Node) -> Tensor:
        inputs = [node.required(at) for at in range(len(node.inputs))]
        return reduce(lambda a, b: g.binary(kind, a, b), inputs)

    return adapter


def compared(kind: CompareKind) -> Adapter:
    return lambda g, node: g.compare(kind, node.required(0), node.required(1))


def gelu(g: Graph, node: Node) -> Tensor:
    tanh = node.attributes.get("approximate") == "tanh"
    return g.activation(Activation.GELU_APPROX if tanh else Activation.GELU, node.required(0))


def swish(g: Graph, node: Node) -> Tensor:
    alpha = node.attributes.get("alpha", 1.0)
    return g.silu(node.required(0) * alpha) / alpha


def swiglu(g: Graph, node: Node) -> Tensor:
    alpha = node.attributes.get("alpha", 1.0)
    return g.fused_swiglu(g.concat([node.required(0) * alpha, node.required(1) / alpha], -1), gate_first=True)


def elu(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    y = g.activation(Activation.ELU, x)
    return g.where(g.compare(CompareKind.GT, x, 0.0), y, y * node.attributes.get("alpha", 1.0))


def hard_sigmoid(g: Graph, node: Node) -> Tensor:
    """The op here has the slope 1/6 and goes through 1/2."""
    line = node.required(0) * node.attributes.get("alpha", 0.2) + node.attributes.get("beta", 0.5)
    return g.activation(Activation.HARD_SIGMOID, (line - 0.5) * 6)


def modulo(g: Graph, node: Node) -> Tensor:
    """Without `fmod` the result has the sign of the divisor; the op here is C's."""
    a, b = node.required(0), node.required(1)
    rest = g.binary(BinaryKind.MOD, a, b)
    if node.attributes.get("fmod") or a.dtype.startswith("u"):
        return rest
    crosses = g.compare(CompareKind.NE, g.compare(CompareKind.LT, rest, 0), g.compare(CompareKind.LT, b, 0))
    crosses = g.binary(BinaryKind.BIT_AND, crosses, g.compare(CompareKind.NE, rest, 0))
    return g.where(crosses, rest + b, rest)


def power(g: Graph, node: Node) -> Tensor:
    a, b = node.required(0), node.required(1)
    if a.dtype == b.dtype:
        return g.binary(BinaryKind.POW, a, b)
    return g.cast(g.binary(BinaryKind.POW, g.cast(a, "f64"), g.cast(b, "f64")), a.dtype)


def shift(g: Graph, node: Node) -> Tensor:
    left = node.attributes["direction"] == "LEFT"
    return g.binary(BinaryKind.SHL if left else BinaryKind.SHR, node.required(0), node.required(1))


def is_nan(g: Graph, node: Node) -> Tensor:
    return g.compare(CompareKind.NE, node.required(0), node.required(0))


def is_inf(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    no_number = g.logical_not(g.is_finite(x))
    for sign, kind in (("positive", CompareKind.LT), ("negative", CompareKind.GT)):
        wanted = node.attributes.get(f"detect_{sign}", 1)
        signed = g.compare(CompareKind.EQ if wanted else kind, x, x if wanted else 0.0)
        no_number = g.binary(BinaryKind.BIT_AND, no_number, signed)
    return no_number


def cast(g: Graph, node: Node) -> Tensor:
    dtype = CAST_TYPES.get(node.attributes["to"])
    if dtype is None:
        raise Unsupported(WIDE)
    x = node.required(0)
    if dtype.startswith("f8") and node.attributes.get("saturate", 1):
        greatest = GREATEST[dtype]
        x = g.clamp(x, -greatest, greatest)
    return g.cast(x, dtype)


CAST_TYPES = {
    1: "f32",
    2: "ui8",
    3: "i8",
    5: "i16",
    6: "i32",
    7: "i64",
    9: "i1",
    10: "f16",
    11: "f64",
    12: "ui32",
    16: "bf16",
    17: "f8e4m3fn",
    19: "f8e5m2",
}
"""By the number that the format gives them."""
GREATEST = {"f8e4m3fn": 448.0, "f8e5m2": 57344.0}

SPECIAL: dict[str, Callable[[Graph, Node], Tensor]] = {
    "Gelu": gelu,
    "Swish": swish,
    "SwiGLU": swiglu,
    "Elu": elu,
    "HardSigmoid": hard_sigmoid,
    "Mod": modulo,
    "Pow": power,
    "BitShift": shift,
    "IsNaN": is_nan,
    "IsInf": is_inf,
    "Cast": cast,
    "Not": lambda g, node: g.logical_not(node.required(0)),
    "Where": lambda g, node: g.where(node.required(0), node.required(1), node.required(2)),
}
ADAPTERS: dict[str, Adapter] = {
    **{name: unary(kind) for name, kind in ACTIVATIONS.items()},
    **{name: folded(kind) for name, kind in BINARIES.items()},
    **{name: compared(kind) for name, kind in COMPARISONS.items()},
    **SPECIAL,
}
_MODULES = {
    "And": "and_",
    "Or": "or_",
    "Not": "not_",
    "GreaterOrEqual": "greater_or_equal",
    "LessOrEqual": "less_or_equal",
}
CASES = list(
    {case.name: case for name in ADAPTERS for case in cases(_MODULES.get(name, name.lower()), *ADAPTERS)}.values()
)
TYPES = {numpy_dtype(dtype.type) for dtype in DTYPES.values()}
UNSUPPORTED = {
    case.name: WIDE
    for case in CASES
    if {array.dtype for array in (*case.inputs, *case.outputs) if array is not None} - TYPES
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_case(case: Case):
    check(case, ADAPTERS, UNSUPPORTED)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
