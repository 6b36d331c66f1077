"""The programs of test/data/linalg: arguments, and what NumPy says the results are."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from ml_dtypes import bfloat16
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, linalg, scf, tensor
from xdsl.dialects import math as math_ops
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes.codegen import cuda, metal, rocm, wgpu
from rlx_passes.codegen.emit import generator
from rlx_passes.lowerings.to_gpu import linalg_to_gpu
from rlx_passes.pipeline.target import load_target

Array = NDArray[Any]
Named = dict[str, Array]

FOLDER = Path(__file__).parents[2] / "data" / "linalg"


@dataclass(frozen=True)
class Case:
    """A program by file name: `arguments()` gives inputs and params, `expected(inputs, params)` the results."""

    name: str
    arguments: Callable[[], tuple[Named, Named]]
    expected: Callable[[Named, Named], Named]
    rtol: float = 1e-5
    atol: float = 1e-5

    @property
    def text(self) -> str:
        """The program."""
        return (FOLDER / f"{self.name}.mlir").read_text()


def _normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def _erfc(x: Array) -> Array:
    return np.vectorize(math.erfc, otypes=[np.float64])(x)


def _round(x: Array) -> Array:
    return np.trunc(x + np.copysign(0.5, x))


def _rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _linear_gelu(inputs: Named, params: Named) -> Named:
    s = inputs["x"].astype(np.float64) @ params["w"] + params["b"]
    return {"y": (0.5 * s * (1 + _erf(s / math.sqrt(2)))).astype(np.float32)}


def _product(inputs: Named, params: Named) -> Named:
    s = inputs["x"].astype(np.float64) @ params["w"] + params["b"]
    return {"y": np.maximum(s, 0).astype(np.float32)}


def _unordered_arguments() -> tuple[Named, Named]:
    x = np.array([1, 2, 0.5, np.nan, np.inf, -np.inf, -0.0, np.nan], np.float32)
    a = np.array([7, -7, 7, -7, -1, 100, -100, 0], np.int32)
    return {"x": x, "a": a, "b": np.array([2, 2, -2, -2, 2, -7, 7, -3], np.int32)}, {}


def _unordered(inputs: Named, params: Named) -> Named:
    x, a, b = inputs["x"], inputs["a"], inputs["b"]
    quotient = np.trunc(a / b).astype(np.int32)
    return {
        "differs": x != 1,
        "not_below": ~(x < 1),
        "nan": np.isnan(x),
        "quotient": quotient,
        "rest": a - quotient * b,
    }


def _powers_arguments() -> tuple[Named, Named]:
    a = np.array([2, -3, 7, -1, -1, 1, 5, 0, 0, -2147483648, 3, 2], np.int32)
    return {"a": a, "b": np.array([10, 3, 0, 2147483647, -4, -5, -1, 0, 5, 2, 40, 31], np.int32)}, {}


def _powers(inputs: Named, params: Named) -> Named:
    """Wrapped; 0 to a negative power but for the bases 1 and -1."""
    power = [1024, -27, 1, -1, 1, 1, 0, 1, 0, 0, 3**40 % 2**32, -2147483648]
    return {"power": np.array(power, np.int32), "size": np.abs(inputs["a"])}


def _layer_norm(inputs: Named, params: Named) -> Named:
    x = inputs["x"].astype(np.float64)
    d = x - x.mean(1, keepdims=True)
    y = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * params["gamma"] + params["beta"]
    return {"y": y.astype(np.float32)}


def _attention(inputs: Named, params: Named) -> Named:
    q, k, v = (inputs[name].astype(np.float64) for name in "qkv")
    s = np.where(inputs["keys"][:, None, None, :], q @ k.swapaxes(2, 3) * 0.35355339, -3.4028235e38)
    p = np.exp(s - s.max(3, keepdims=True))
    return {"y": (p / p.sum(3, keepdims=True) @ v).astype(np.float32)}


def _keys() -> Array:
    keys = np.random.default_rng(3).random((2, 9)) < 0.6
    keys[0, 0] = keys[1, 1] = True
    return keys


def _gather(inputs: Named, params: Named) -> Named:
    rows = params["table"][inputs["ids"]]
    start = int(inputs["start"])
    return {
        "rows": rows,
        "part": rows[1:4, 2:6:2],
        "joined": np.concatenate([rows[:, 3:], rows], 1),
        "from_start": params["table"][start : start + 3],
    }


def _reshape(inputs: Named, params: Named) -> Named:
    x = inputs["x"]
    split = x.reshape(2, 2, 6)
    return {"t": x.T, "flat": x.T.reshape(-1), "split": split, "both": x.T.reshape(6, 2, 2) - split.transpose(2, 1, 0)}


def _integers(inputs: Named, params: Named) -> Named:
    table = np.array([3, -1, 4, 1, -5, 9, 2, -6, 5], np.int32)
    flags = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1], bool)
    a = inputs["a"]
    n = np.where(inputs["m"] ^ flags, a + table, a * table)
    even = n % 2 == 0
    return {"n": n, "even": even, "long": inputs["l"] + a + np.int64(5_000_000_000), "f": even.astype(np.float32)}


def _reductions(inputs: Named, params: Named) -> Named:
    x = inputs["x"]
    return {"total": np.array(x.sum()), "columns": x.sum(0), "highest": x.max(1)}


def _passthrough(inputs: Named, params: Named) -> Named:
    x = inputs["x"]
    constant = np.array([-np.inf, 1.5, np.inf, -0.0], np.float32)
    return {"same": x, "twice": x + x, "again": x + x, "constant": constant, "sevens": np.full(3, 7, np.int32)}


_MATH: Mapping[str, Callable[..., Any]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": _erf,
    "erfc": _erfc,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "round": _round,
    "roundeven": np.rint,
    "rsqrt": _rsqrt,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
    "absf": np.abs,
    "atan2": np.arctan2,
    "powf": np.power,
    "copysign": np.copysign,
    "remf": np.fmod,
}
MATH_OF_TWO = ("atan2", "powf", "copysign", "remf")


def _math_arguments() -> tuple[Named, Named]:
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-6]
    x = np.concatenate([np.linspace(-0.98, 0.98, 32), np.linspace(-9.4, 9.3, 24), special]).astype(np.float32)
    return {"x": x, "y": _normal(5, 64) + 2.5}, {}


def _math(inputs: Named, params: Named) -> Named:
    x, y = inputs["x"].astype(np.float64), inputs["y"].astype(np.float64)
    with np.errstate(all="ignore"):
        return {name: (f(x, y) if name in MATH_OF_TWO else f(x)).astype(np.float32) for name, f in _MATH.items()}


def _narrow_arguments() -> tuple[Named, Named]:
    x = np.concatenate([_normal(0, 36) * 10, [60000.0, -60000.0, 6e-8, -3e-5]])
    numbers = np.arange(40, dtype=np.int64) * 37 - 700
    return {"h": x.astype(np.float16), "b": _normal(1, 40).astype(bfloat16), "q": numbers.astype(np.int8)}, {}


def _narrow(inputs: Named, params: Named) -> Named:
    h, b, q = inputs["h"], inputs["b"], inputs["q"]
    third = np.float16(0.333333)
    c = (np.arange(1, 41) * np.where(np.arange(40) % 2, -1, 1)).astype(np.int8)
    with np.errstate(over="ignore"):
        return {
            "half": np.maximum((h * third + h) / third, h),
            "brain": b * b - h.astype(np.float32).astype(bfloat16),
            "byte": q * c + q,
            "wide": (q.astype(np.int32) + q.astype(np.uint8)).astype(np.float32) + b.astype(np.float32),
            "exp": np.exp(h.astype(np.float32)).astype(np.float16),
        }


def _prepare(inputs: Named, params: Named) -> Named:
    return {"y": inputs["x"] @ params["w"].T + params["b"]}


_ALL = (
    Case("unordered", _unordered_arguments, _unordered),
    Case("powers", _powers_arguments, _powers),
    Case("product", lambda: ({"x": _normal(0, 128, 24)}, {"w": _normal(1, 24, 192), "b": _normal(2, 192)}), _product),
    Case(
        "linear_gelu", lambda: ({"x": _normal(0, 5, 24)}, {"w": _normal(1, 24, 37), "b": _normal(2, 37)}), _linear_gelu
    ),
    Case(
        "layer_norm", lambda: ({"x": _normal(0, 6, 50)}, {"gamma": _normal(1, 50), "beta": _normal(2, 50)}), _layer_norm
    ),
    Case(
        "attention",
        lambda: (
            {"q": _normal(0, 2, 3, 7, 8), "k": _normal(1, 2, 3, 9, 8), "v": _normal(2, 2, 3, 9, 8), "keys": _keys()},
            {},
        ),
        _attention,
    ),
    Case(
        "gather",
        lambda: (
            {"ids": np.array([9, 0, 3, 3], np.int32), "start": np.array(5, np.int32)},
            {"table": _normal(0, 10, 6)},
        ),
        _gather,
    ),
    Case("reshape", lambda: ({"x": _normal(0, 4, 6)}, {}), _reshape),
    Case(
        "integers",
        lambda: (
            {
                "a": np.arange(-4, 5, dtype=np.int32),
                "m": np.arange(9) % 3 == 0,
                "l": np.arange(9, dtype=np.int64) * 10**12,
            },
            {},
        ),
        _integers,
    ),
    Case("reductions", lambda: ({"x": _normal(0, 5, 7)}, {}), _reductions),
    Case("passthrough", lambda: ({"x": _normal(0, 4), "unread": _normal(1, 2)}, {}), _passthrough),
    Case("identity", lambda: ({"x": _normal(0, 2, 3)}, {}), lambda inputs, params: {"y": inputs["x"]}),
    Case("prepare", lambda: ({"x": _normal(0, 3, 4)}, {"w": _normal(1, 6, 4), "b": _normal(2, 6)}), _prepare),
    Case("math", _math_arguments, _math, rtol=1e-6, atol=1e-12),
    Case("narrow", _narrow_arguments, _narrow, rtol=1e-7, atol=0),
)

CASES = {case.name: case for case in _ALL}

CHIPS: Mapping[str, Sequence[str]] = {
    "cuda": cuda.CHIPS,
    "metal": metal.CHIPS,
    "rocm": rocm.CHIPS,
    "wgpu": wgpu.CHIPS,
}


def parse(text: str) -> ModuleOp:
    """The module in `text`."""
    context = Context(allow_unregistered=True)
    for dialect in (builtin.Builtin, arith.Arith, func.Func, linalg.Linalg, math_ops.Math, scf.Scf, tensor.Tensor):
        context.load_dialect(dialect)
    return RlxParser(context, text).parse_module()


def lowered(text: str, target: str) -> ModuleOp:
    """Host functions and kernels for the program in `text`; verified."""
    module = parse(text)
    linalg_to_gpu(module, load_target(target).required_storage())
    module.verify()
    return module


@cache
def artefacts(name: str, target: str, chip: str = "") -> Mapping[str, bytes]:
    """The files of the bundle of a case; made once a session."""
    return generator(target)(lowered(CASES[name].text, target), chip)


def check_outputs(case: Case, outputs: Named, expected: Named) -> None:
    """Compare the results of a run with NumPy's: names, shapes, dtypes, values."""
    assert list(outputs) == list(expected)
    for name, want in expected.items():
        got = outputs[name]
        assert got.shape == want.shape, name
        assert got.dtype == want.dtype, name
        got, want = got.astype(np.float64), want.astype(np.float64)
        np.testing.assert_allclose(got, want, rtol=case.rtol, atol=case.atol, err_msg=f"{case.name}: {name}")
