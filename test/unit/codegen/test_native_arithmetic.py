"""Every op of `arith` and `math` that loops may hold, as native code, against NumPy."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from native import Native
from tools import need_module

Array = np.ndarray[Any, Any]
Function = Callable[[Any, Any], Any]

INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
FLOATS: Mapping[str, Any] = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
BYTES: Mapping[str, Any] = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}


def unsigned(x: Array) -> Array:
    return x.view(f"u{x.dtype.itemsize}")


def bits_of(x: Array) -> int:
    return 8 * x.dtype.itemsize


def wide(x: Array) -> Array:
    return x.astype(object)


def wrapped(x: Array, type_: Any) -> Array:
    bits = 8 * np.dtype(type_).itemsize
    return np.array([int(each) % 2**bits for each in x], object).astype(f"u{bits // 8}").view(type_)


INTEGER_OPS: Mapping[str, tuple[str, Function]] = {
    "addi": ("arith.addi %x, %y : T", lambda x, y: x + y),
    "subi": ("arith.subi %x, %y : T", lambda x, y: x - y),
    "muli": ("arith.muli %x, %y : T", lambda x, y: x * y),
    "andi": ("arith.andi %x, %y : T", lambda x, y: x & y),
    "ori": ("arith.ori %x, %y : T", lambda x, y: x | y),
    "xori": ("arith.xori %x, %y : T", lambda x, y: x ^ y),
    "minsi": ("arith.minsi %x, %y : T", np.minimum),
    "maxsi": ("arith.maxsi %x, %y : T", np.maximum),
    "minui": ("arith.minui %x, %y : T", lambda x, y: np.minimum(unsigned(x), unsigned(y))),
    "maxui": ("arith.maxui %x, %y : T", lambda x, y: np.maximum(unsigned(x), unsigned(y))),
    "shli": ("arith.shli %x, %s : T", lambda x, y: x << (y & (bits_of(x) - 1))),
    "shrsi": ("arith.shrsi %x, %s : T", lambda x, y: x >> (y & (bits_of(x) - 1))),
    "shrui": ("arith.shrui %x, %s : T", lambda x, y: unsigned(x) >> unsigned(y & (bits_of(x) - 1))),
    "divsi": ("arith.divsi %z, %d : T", lambda x, y: wrapped(_toward_zero(*halved(x, y)), x.dtype)),
    "remsi": ("arith.remsi %z, %d : T", lambda x, y: np.fmod(*halved(x, y))),
    "floordivsi": ("arith.floordivsi %z, %d : T", lambda x, y: np.floor_divide(*halved(x, y))),
    "ceildivsi": ("arith.ceildivsi %z, %d : T", lambda x, y: -np.floor_divide(-halved(x, y)[0], halved(x, y)[1])),
    "divui": ("arith.divui %x, %d : T", lambda x, y: unsigned(x) // unsigned(y | 1)),
    "remui": ("arith.remui %x, %d : T", lambda x, y: unsigned(x) % unsigned(y | 1)),
    "ceildivui": (
        "arith.ceildivui %x, %d : T",
        lambda x, y: wrapped(-(-wide(unsigned(x)) // wide(unsigned(y | 1))), x.dtype),
    ),
    "absi": ("math.absi %x : T", lambda x, y: np.abs(x)),
    "ctlz": ('"math.ctlz"(%x) : (T) -> T', lambda x, y: [bits_of(x) - int(each).bit_length() for each in unsigned(x)]),
    "cttz": (
        '"math.cttz"(%x) : (T) -> T',
        lambda x, y: [(int(each) & -int(each)).bit_length() - 1 if each else bits_of(x) for each in unsigned(x)],
    ),
    "ctpop": ('"math.ctpop"(%x) : (T) -> T', lambda x, y: [int(each).bit_count() for each in unsigned(x)]),
    "low": ("arith.addi %lo, %zero : T", lambda x, y: x * y),
    "high": ("arith.addi %hi, %zero : T", lambda x, y: wrapped(wide(x) * wide(y) >> bits_of(x), x.dtype)),
    "uhigh": (
        "arith.addi %uhi, %zero : T",
        lambda x, y: wrapped(wide(unsigned(x)) * wide(unsigned(y)) >> bits_of(x), x.dtype),
    ),
    "carry": (
        "arith.extui %carries : i1 to T",
        lambda x, y: wide(unsigned(x)) + wide(unsigned(y)) >= 2 ** bits_of(x),
    ),
    "index": ("arith.index_cast %there : index to T", lambda x, y: x),
    **{
        order: (
            f"arith.extui %{order} : i1 to T",
            lambda x, y, order=order: _ORDERS[order.strip("su")](
                *((unsigned(x), unsigned(y)) if order[0] == "u" else (x, y))
            ),
        )
        for order in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    },
}
_ORDERS: Mapping[str, Function] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def halved(x: Array, y: Array) -> tuple[Array, Array]:
    """A numerator that no division takes out of range, and a divisor that is not 0."""
    return x >> 1, y | 1


def _toward_zero(x: Array, y: Array) -> Array:
    quotients = [abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)]
    return np.array(quotients, object)


def loop(name: str, source: str, target: str, count: int, body: str) -> str:
    """A function `(x, y, out)` whose rounds define `%r0`, `%r1`, .., which it stores to the rows of `out`."""
    rows = "\n".join(
        f"    %row{k} = arith.constant {k} : index\n"
        f"    memref.store %r{k}, %out[%row{k}, %i] : memref<{count}x?x{target}>"
        for k in range(count)
    )
    return f"""
func.func @{name}(%xs: memref<?x{source}>, %ys: memref<?x{source}>, %out: memref<{count}x?x{target}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %xs, %c0 : memref<?x{source}>
  scf.for %i = %c0 to %n step %c1 {{
    %x = memref.load %xs[%i] : memref<?x{source}>
    %y = memref.load %ys[%i] : memref<?x{source}>
{body}
{rows}
  }}
  func.return
}}
"""


def integer_loop(type_: str, bits: int) -> str:
    compared = "\n".join(
        f"    %{order} = arith.cmpi {order}, %x, %y : T"
        for order in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    )
    lines = f"""
    %zero = arith.constant 0 : T
    %one = arith.constant 1 : T
    %most = arith.constant {bits - 1} : T
    %s = arith.andi %y, %most : T
    %z = arith.shrsi %x, %one : T
    %d = arith.ori %y, %one : T
    %lo, %hi = arith.mulsi_extended %x, %y : T
    %ulo, %uhi = arith.mului_extended %x, %y : T
    %sum, %carries = arith.addui_extended %x, %y : T, i1
    %there = arith.index_cast %x : T to index
{compared}
""" + "\n".join(f"    %r{k} = {text}" for k, (text, _) in enumerate(INTEGER_OPS.values()))
    return loop(
        f"ops_{type_}", type_, type_, len(INTEGER_OPS), lines.replace(" T", f" {type_}").replace("(T", f"({type_}")
    )


ORDERS = (
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
)


def compared(order: str, x: Array, y: Array) -> Array:
    unordered = np.isnan(x) | np.isnan(y)
    if order in ("true", "false"):
        return np.full(x.shape, order == "true")
    if order in ("ord", "uno"):
        return unordered == (order == "uno")
    return np.where(unordered, order[0] == "u", _ORDERS[order[1:]](x, y))


def larger(x: Array, y: Array) -> Array:
    return np.where(x == y, np.where(np.signbit(x), y, x), np.maximum(x, y))


def smaller(x: Array, y: Array) -> Array:
    return np.where(x == y, np.where(np.signbit(x), x, y), np.minimum(x, y))


def least(x: Array, y: Array) -> Array:
    return np.where(x < y, x, y)


FLOAT_OPS: Mapping[str, tuple[str, Function]] = {
    "addf": ("arith.addf %x, %y : T", np.add),
    "subf": ("arith.subf %x, %y : T", np.subtract),
    "mulf": ("arith.mulf %x, %y : T", np.multiply),
    "divf": ("arith.divf %x, %y : T", np.divide),
    "maximumf": ("arith.maximumf %x, %y : T", larger),
    "minimumf": ("arith.minimumf %x, %y : T", smaller),
    "maxnumf": ("arith.maxnumf %x, %y : T", np.fmax),
    "minnumf": ("arith.minnumf %x, %y : T", np.fmin),
    "negf": ("arith.negf %x : T", lambda x, y: -x),
    "absf": ("math.absf %x : T", lambda x, y: np.abs(x)),
    "copysign": ("math.copysign %x, %y : T", np.copysign),
    "sqrt": ("math.sqrt %x : T", lambda x, y: np.sqrt(x)),
    "floor": ("math.floor %x : T", lambda x, y: np.floor(x)),
    "ceil": ("math.ceil %x : T", lambda x, y: np.ceil(x)),
    "roundeven": ("math.roundeven %x : T", lambda x, y: np.rint(x)),
    "trunc": ("math.trunc %x : T", lambda x, y: np.trunc(x)),
    "select": ("arith.select %olt, %x, %y : T", least),
    **{
        order: (f"arith.uitofp %{order} : i1 to T", lambda x, y, order=order: compared(order, x, y)) for order in ORDERS
    },
}


def float_loop(type_: str) -> str:
    lines = "\n".join(f"    %{order} = arith.cmpf {order}, %x, %y : T" for order in ORDERS)
    lines += "\n" + "\n".join(f"    %r{k} = {text}" for k, (text, _) in enumerate(FLOAT_OPS.values()))
    return loop(f"ops_{type_}", type_, type_, len(FLOAT_OPS), lines.replace(" T", f" {type_}"))


def cast_loop(source: str, target: str) -> str:
    """Ways from one type to another."""
    lines = [f"    %r{k} = arith.{op} %x : {source} to {target}" for k, op in enumerate(casts(source, target))]
    return loop(f"{source}_to_{target}", source, target, len(lines), "\n".join(lines))


def casts(source: str, target: str) -> tuple[str, ...]:
    sizes = [int("".join(each for each in type_.split("E")[0] if each.isdigit())) for type_ in (source, target)]
    if source in INTEGERS and target in INTEGERS:
        return ("extsi", "extui") if sizes[0] < sizes[1] else ("trunci",)
    if source in INTEGERS:
        return ("sitofp", "uitofp")
    if target in INTEGERS:
        return ("fptosi", "fptoui")
    return ("extf",) if sizes[0] < sizes[1] else ("truncf",)


NARROW = ("f16", "bf16", "f8E4M3FN", "f8E5M2")
CASTS = [
    *((a, b) for a in INTEGERS for b in INTEGERS if a != b),
    *((a, b) for a in INTEGERS for b in FLOATS),
    *((a, b) for a in FLOATS for b in INTEGERS),
    *((a, b) for a in NARROW for b in ("f32", "f64")),
    *((a, b) for a in ("f32", "f64") for b in NARROW),
    *(("f32", "f64"), ("f64", "f32"), ("f8E5M2", "f16"), ("f16", "f8E4M3FN")),
]


@cache
def program() -> Native:
    need_module("llvmlite")
    parts = [integer_loop(type_, np.dtype(each).itemsize * 8) for type_, each in INTEGERS.items()]
    parts += [*map(float_loop, FLOATS), *(cast_loop(a, b) for a, b in CASTS)]
    return Native("".join(parts))


def integers(type_: str) -> tuple[Array, Array]:
    """All pairs of edge values, and others."""
    info = np.iinfo(INTEGERS[type_])
    edges = [info.min, info.min + 1, -2, -1, 0, 1, 2, 3, 7, info.max // 2, info.max - 1, info.max]
    x, y = (each.ravel() for each in np.meshgrid(edges, edges))
    more = np.random.default_rng(1).integers(info.min, info.max, (2, 200), dtype=INTEGERS[type_])
    return tuple(np.concatenate([a.astype(info.dtype), b]) for a, b in zip((x, y), more))  # pyright: ignore[reportReturnType]


def floats(type_: str) -> tuple[Array, Array]:
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.49999997, np.inf, -np.inf, np.nan, 1e-40, 6e-8, 3e38, 65504.0]
    edges += [127.5, 128.0, 255.0, 32768.0, -32769.0, 2147483648.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19]
    x, y = (each.ravel() for each in np.meshgrid(edges, edges))
    more = np.random.default_rng(2).normal(0, 30, (2, 300))
    with np.errstate(all="ignore"):
        return tuple(np.concatenate([a, b]).astype(FLOATS[type_]) for a, b in zip((x, y), more))  # pyright: ignore[reportReturnType]


def run(name: str, x: Array, y: Array, rows: int, type_: Any, native: Native | None = None) -> Array:
    out = np.zeros((rows, len(x)), type_)
    status, _ = (native or program())(name, x, y, out)
    assert status == 0
    return out


def same(got: Array, wanted: Array) -> Array:
    """Where floats are equal, the sign of 0 included; all NaNs are."""
    both_nan = np.isnan(got) & np.isnan(wanted)
    return both_nan | ((got == wanted) & (np.signbit(got) == np.signbit(wanted)))


@pytest.mark.parametrize("type_", INTEGERS)
def test_integer_ops(type_: str):
    x, y = integers(type_)
    out = run(f"ops_{type_}", x, y, len(INTEGER_OPS), INTEGERS[type_])
    with np.errstate(all="ignore"):
        for row, (name, (_, function)) in zip(out, INTEGER_OPS.items()):
            wanted = np.asarray(function(x, y)).astype(INTEGERS[type_])
            assert np.array_equal(row, wanted), (name, x[row != wanted][:4], y[row != wanted][:4])


@pytest.mark.parametrize("type_", FLOATS)
def test_float_ops(type_: str):
    x, y = floats(type_)
    out = run(f"ops_{type_}", x, y, len(FLOAT_OPS), FLOATS[type_])
    wide_type = np.float64 if type_ == "f64" else np.float32
    a, b = x.astype(wide_type), y.astype(wide_type)
    with np.errstate(all="ignore"):
        for row, (name, (_, function)) in zip(out, FLOAT_OPS.items()):
            wanted = np.asarray(function(a, b)).astype(FLOATS[type_])
            row, wanted = row.astype(np.float64), wanted.astype(np.float64)
            right = same(row, wanted) | ((row == wanted) & (name in ("maxnumf", "minnumf")))
            assert right.all(), (name, x[~right][:4], y[~right][:4], row[~right][:4])


@pytest.mark.parametrize(("source", "target"), CASTS)
def test_casts(source: str, target: str):
    every = {**INTEGERS, **FLOATS, **BYTES}
    x = inputs(source)
    out = run(f"{source}_to_{target}", x, x, len(casts(source, target)), every[target])
    with np.errstate(all="ignore"):
        for row, op in zip(out, casts(source, target)):
            wanted = cast_reference(op, x, every[target])
            got = row.astype(np.float64) if target not in INTEGERS else row
            right = same(got, wanted.astype(np.float64)) if target not in INTEGERS else got == wanted
            right |= ~fits(op, x, every[target])
            assert right.all(), (op, x[~right][:4], row[~right][:4], wanted[~right][:4])


def fits(op: str, x: Array, target: type[np.generic]) -> Array:
    """Where a float has an integer of the target; elsewhere arith says nothing of the result."""
    if not op.startswith("fpto"):
        return np.ones(x.shape, np.bool_)
    wide = np.trunc(x.astype(np.float64))
    bits = np.dtype(target).itemsize * 8
    least, most = (0.0, 2.0**bits) if op == "fptoui" else (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1))
    return (wide >= least) & (wide < most)


def inputs(type_: str) -> Array:
    """Every bit pattern of narrow types."""
    if type_ in INTEGERS:
        return integers(type_)[0]
    if type_ in BYTES:
        return np.arange(256, dtype=np.uint8).view(BYTES[type_])
    if type_ in NARROW:
        return np.arange(2**16, dtype=np.uint32).astype(np.uint16).view(FLOATS[type_])
    return np.concatenate([floats(type_)[0], _around_halves().astype(FLOATS[type_])])


def _around_halves() -> Array:
    """Floats of f32 next to those halfway between two numbers of 16 or 8 bits."""
    tops = np.arange(2**16, dtype=np.uint32) << 16
    lows = (0, 1, 0x7FFF, 0x8000, 0x8001, 0x0FFF, 0x1000, 0x1001, 0x2000, 0x3000)
    values = np.concatenate([tops[::7] | np.uint32(low) for low in lows]).view(np.float32)
    return values[~np.isnan(values)]


def cast_reference(op: str, x: Array, target: Any) -> Array:
    if op in ("extui", "uitofp"):
        x = unsigned(x)
    if op.startswith("fpto"):
        info = np.iinfo(target if op == "fptosi" else f"u{np.dtype(target).itemsize}")
        whole = [
            0
            if v != v
            else min(max(int(v), info.min), info.max)
            if abs(v) < np.inf
            else (info.max if v > 0 else info.min)
            for v in x.astype(np.float64)
        ]
        return np.array(whole, info.dtype).view(target)
    if op == "truncf" and x.dtype == np.float64 and target is not np.float32:
        return _rounded_once(x, target)
    if op in ("sitofp", "uitofp") and np.dtype(target).itemsize == 2:
        return _rounded_once(x.astype(np.float64), target)
    return x.astype(target)


def _rounded_once(x: Array, target: Any) -> Array:
    """By way of f32 and of its neighbour that is odd, which no half is."""
    near = x.astype(np.float32)
    back = near.astype(np.float64)
    other = np.nextafter(near, np.where(x > back, np.inf, -np.inf).astype(np.float32))
    odd = np.where((near.view(np.uint32) & 1) == 1, near, other)
    return np.where((back == x) | np.isnan(x), near, odd).astype(target)


def test_conversions_of_narrow_floats_without_instructions_for_them():
    """Code for chips without any gives the same bits."""
    need_module("llvmlite")
    native = Native(cast_loop("f16", "f32") + cast_loop("f32", "f16"), half=False)
    x = np.arange(2**16, dtype=np.uint32).astype(np.uint16).view(np.float16)
    assert same(run("f16_to_f32", x, x, 1, np.float32, native)[0], x.astype(np.float32)).all()
    y = _around_halves()
    with np.errstate(all="ignore"):
        assert same(run("f32_to_f16", y, y, 1, np.float16, native)[0], y.astype(np.float16)).all()
