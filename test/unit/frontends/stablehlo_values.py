"""A JAX function, imported from both text forms and run by the reference, against what JAX computes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tolerances import OTHER_ROUNDING
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.reference import run
from rlx_dialect.xdsl_repairs import parse_module, verify_dominance
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import ConvertStableHLOToRLXPass, listen
from rlx_passes.reading.dialects import tool_context

Array = NDArray[Any]
RNG = np.random.default_rng(11)


def normal(*shape: int, dtype: str = "float32") -> Array:
    """Numbers of a normal distribution, the same in each run of a module."""
    return RNG.standard_normal(shape).astype(as_dtype(dtype))


def integers(low: int, high: int, *shape: int, dtype: str = "int32") -> Array:
    return RNG.integers(low, high, shape).astype(as_dtype(dtype))


def as_dtype(name: str) -> np.dtype[Any]:
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def texts(
    function: Callable[..., Any], arguments: tuple[Array | np.generic, ...], platform: str = "cpu"
) -> tuple[str, str]:
    """The program of `function` as JAX prints it, and in generic form."""
    jax: Any = importlib.import_module("jax")
    lowered = jax.jit(function, keep_unused=True).trace(*arguments).lower(lowering_platforms=(platform,))
    generic = lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)
    return lowered.as_text(), generic


def imported(text: str) -> tuple[ModuleOp, list[tuple[str, str]]]:
    """The module of RLX ops, and what stayed StableHLO with the reason."""
    stays: list[tuple[str, str]] = []
    module = parse_module(tool_context(), text)
    with listen(lambda op, reason: stays.append((op.name, reason))):
        ConvertStableHLOToRLXPass().apply(tool_context(), module)
    module.verify()
    verify_dominance(module)
    return module, stays


def nameless(module: ModuleOp) -> str:
    """The text of a module with numbered values."""
    copy = module.clone()
    for op in copy.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            value.name_hint = None
    return str(copy)


def ops_of(module: ModuleOp) -> set[str]:
    return {op.name for op in module.walk()}


def check(
    function: Callable[..., Any],
    *arguments: Array | np.generic,
    platform: str = "cpu",
    gives: Collection[str] = (),
    rtol: float = 2e-6,
    atol: float = 2e-6,
    exact: bool = False,
) -> None:
    """
    Both text forms become one program, without StableHLO, that computes what JAX does; with the ops that `gives` names.

    `platform` is whose form of a function JAX writes; the values are always those of the cpu.
    """
    jax: Any = importlib.import_module("jax")
    (module, stays), (generic, _) = (imported(text) for text in texts(function, arguments, platform))
    assert nameless(module) == nameless(generic)
    assert not stays, stays
    found = ops_of(module)
    assert not [name for name in found if name.startswith(("stablehlo.", "chlo."))]
    assert found >= {f"rlx.{name}" for name in gives}, found
    expected = [np.asarray(value) for value in jax.tree.leaves(jax.jit(function)(*arguments))]
    got = list(run(module, None, list(map(np.asarray, arguments))).values())
    for value, wanted in zip(got, expected, strict=True):
        assert value.dtype == wanted.dtype
        assert value.shape == wanted.shape
        if exact or wanted.dtype.kind in "biu":
            np.testing.assert_array_equal(value, wanted)
            zeros = wanted == 0
            if wanted.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(value[zeros]), np.signbit(wanted[zeros]))
        else:
            loose = OTHER_ROUNDING[wanted.dtype.name].relative if wanted.dtype.itemsize == 2 else 0.0
            wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(
                value.astype(wide), wanted.astype(wide), rtol=max(rtol, loose), atol=max(atol, loose)
            )


def stays(function: Callable[..., Any], *arguments: Array | np.generic, reasons: dict[str, str]) -> None:
    """Exactly the ops in `reasons` stay StableHLO in both text forms, each with a reason that holds the given text."""
    for text in texts(function, arguments):
        module, kept = imported(text)
        assert {name for name, _ in kept} == set(reasons)
        assert all(reasons[name] in reason for name, reason in kept), kept
        found = {name for name in ops_of(module) if name.startswith(("stablehlo.", "chlo."))}
        assert found >= set(reasons)


def check_text(
    text: str, *arguments: Array | np.generic, gives: Collection[str] = (), rtol: float = 2e-6, atol: float = 2e-6
) -> None:
    """What a StableHLO text becomes computes what XLA makes of it."""
    from rlx_passes.runtime.xla import XlaFunction

    module, kept = imported(text)
    assert kept == []
    found = ops_of(module)
    assert found >= {f"rlx.{name}" for name in gives}, found
    expected = XlaFunction(text, "main")(list(map(np.asarray, arguments)))
    for value, wanted in zip(run(module, None, list(map(np.asarray, arguments))).values(), expected, strict=True):
        assert value.dtype == wanted.dtype
        np.testing.assert_allclose(value, wanted, rtol=rtol, atol=atol)
