"""What the reference page says of an op beside its definition: whose meaning it has, what it takes, what it refuses."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.ir import Dialect

from rlx_dialect.description.element_types import has_variants, variants
from rlx_dialect.dtypes import DTYPES, is_float
from rlx_dialect.ops import ALL_OPS, RlxOp
from rlx_dialect.xdsl_repairs import RlxParser

ONNX: Mapping[str, str] = MappingProxyType(
    {
        "rlx.arg_max": "ArgMax",
        "rlx.arg_min": "ArgMin",
        "rlx.attention": "Attention",
        "rlx.batch_norm_inference": "BatchNormalization",
        "rlx.cast": "Cast",
        "rlx.clamp": "Clip",
        "rlx.concat": "Concat",
        "rlx.conv": "Conv",
        "rlx.conv_transpose": "ConvTranspose",
        "rlx.cumprod": "CumProd",
        "rlx.cumsum": "CumSum",
        "rlx.dequantize": "DequantizeLinear",
        "rlx.det": "Det",
        "rlx.expand": "Expand",
        "rlx.gather": "Gather",
        "rlx.gather_elements": "GatherElements",
        "rlx.gather_nd": "GatherND",
        "rlx.group_norm": "GroupNormalization",
        "rlx.gru": "GRU",
        "rlx.layer_norm": "LayerNormalization",
        "rlx.lstm": "LSTM",
        "rlx.matmul": "MatMul",
        "rlx.pad": "Pad",
        "rlx.pool": "AveragePool and MaxPool",
        "rlx.qconv2d": "ConvInteger",
        "rlx.qmatmul": "MatMulInteger",
        "rlx.quantize": "QuantizeLinear",
        "rlx.resize": "Resize",
        "rlx.rms_norm": "RMSNormalization",
        "rlx.rnn": "RNN",
        "rlx.rope": "RotaryEmbedding",
        "rlx.scatter_elements": "ScatterElements",
        "rlx.scatter_nd": "ScatterND",
        "rlx.softmax": "Softmax",
        "rlx.softmax_cross_entropy_with_logits": "SoftmaxCrossEntropyLoss",
        "rlx.tile": "Tile",
        "rlx.top_k": "TopK",
        "rlx.transpose": "Transpose",
        "rlx.trilu": "Trilu",
        "rlx.where": "Where",
    }
)
"""Ops that mean what the ONNX op does, whose cases the reference is checked by."""

STABLEHLO: Mapping[str, str] = MappingProxyType(
    {
        "rlx.cholesky": "cholesky",
        "rlx.complex": "complex",
        "rlx.dot_general": "dot_general",
        "rlx.dynamic_slice": "dynamic_slice",
        "rlx.dynamic_update_slice": "dynamic_update_slice",
        "rlx.expm1": "exponential_minus_one",
        "rlx.general_gather": "gather",
        "rlx.general_scatter": "scatter",
        "rlx.if": "if",
        "rlx.imag": "imag",
        "rlx.iota": "iota",
        "rlx.is_finite": "is_finite",
        "rlx.log1p": "log_plus_one",
        "rlx.logical_not": "not",
        "rlx.real": "real",
        "rlx.reverse": "reverse",
        "rlx.triangular_solve": "triangular_solve",
        "rlx.while": "while",
    }
)
"""Ops that mean what the StableHLO op does."""

_REFUSAL = re.compile(r"// expected-error @\S+ \{\{(rlx\.\w+): (.*)\}\}")


def meaning(op: str) -> str | None:
    """Whose op of another vocabulary this one means."""
    if op in ONNX:
        return f"Means what {ONNX[op]} of ONNX does."
    return f"Means what `stablehlo.{STABLEHLO[op]}` does." if op in STABLEHLO else None


def element_types(op: str, examples: Path) -> str | None:
    """The element types of the first operand in any example; None where no example's operands could have another."""
    taken = _taken(examples).get(op)
    if taken is None:
        return None
    operand, names = taken
    floats = {name for name, dtype in DTYPES.items() if is_float(dtype.type)}
    if len(names) == len(DTYPES):
        return f"Element types of `{operand}`: all."
    shown = ["floats", *(name for name in DTYPES if name in names - floats)] if names > floats else None
    if names == floats:
        return f"Element types of `{operand}`: floats."
    return f"Element types of `{operand}`: " + ", ".join(shown or (name for name in DTYPES if name in names)) + "."


def refusals(op: str, examples: Path) -> Sequence[str]:
    """What the verifier says of the wrong programs in the tests."""
    return _refused(examples).get(op, ())


def accepted(path: Path) -> Sequence[str]:
    """The programs of a lit file that the verifier takes."""
    return [program for program in path.read_text().split("// -----") if "expected-error" not in program]


@cache
def _refused(examples: Path) -> Mapping[str, Sequence[str]]:
    found: dict[str, dict[str, None]] = {}
    for path in sorted(examples.glob("*.mlir")):
        for op, message in _REFUSAL.findall(path.read_text()):
            found.setdefault(op, {})[message] = None
    return {op: tuple(messages) for op, messages in found.items()}


@cache
def _taken(examples: Path) -> Mapping[str, tuple[str, set[str]]]:
    found: dict[str, tuple[str, set[str]]] = {}
    for path in sorted(examples.glob("*.mlir")):
        if path.stem.endswith("_invalid"):
            continue
        for text in accepted(path):
            for op in RlxParser(_context(), text, path.name).parse_module().walk():
                if isinstance(op, RlxOp) and has_variants(op):
                    operand = op.get_irdl_definition().operands[0][0]
                    found.setdefault(op.name, (operand.rstrip("_"), set()))[1].update(name for name, *_ in variants(op))
    return found


def _context() -> Context:
    context = Context(allow_unregistered=True)
    for dialect in (Builtin, Func, Arith, Dialect("rlx", [*ALL_OPS], [])):
        context.load_dialect(dialect)
    return context
