"""Layers in a loop of JAX: a short one leaves its layers alone, a long one stays and has a fused body."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from stablehlo_values import imported as from_text
from stablehlo_values import texts
from tolerances import OTHER_ROUNDING, agree
from tools import need_module
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import WhileOp
from rlx_dialect.reference import Array, run
from rlx_passes import build_pipeline, compile
from rlx_passes.reading.dialects import tool_context

need_module("jax")
jax: Any = importlib.import_module("jax")
jnp: Any = importlib.import_module("jax.numpy")

WIDTH, HIDDEN = 8, 12
COUNTING = {"compare", "where", "dynamic_slice", "dynamic_update_slice", "while", "scan"}
"""What the counter of a loop is read by, and loops."""


def arrays(layers: int) -> list[Array]:
    rng = np.random.default_rng(layers)
    shapes = [(2, 3, WIDTH), (layers, WIDTH), (layers, WIDTH, HIDDEN), (layers, HIDDEN), (layers, HIDDEN, WIDTH)]
    return [(rng.standard_normal(shape) * 0.3).astype(np.float32) for shape in shapes]


def layer(x: Any, weights: Any) -> tuple[Any, Any]:
    gain, up, bias, down = weights
    h = x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * gain
    return x + jax.nn.gelu(h @ up + bias) @ down, None


def scanned(x: Any, *weights: Any) -> Any:
    return jax.lax.scan(layer, x, weights)[0]


def indexed(x: Any, *weights: Any) -> Any:
    def one(i: Any, x: Any) -> Any:
        return layer(x, [w[i] for w in weights])[0]

    return jax.lax.fori_loop(0, weights[0].shape[0], one, x)


def imported(program: Callable[..., Any], *inputs: Array) -> ModuleOp:
    module, stays = from_text(texts(program, inputs)[0])
    assert not stays
    return module


def fused(module: ModuleOp) -> Counter[str]:
    for one in build_pipeline("cpu", stage="fuse", origin="rlx"):
        one.apply(tool_context(), module)
        module.verify()
    return Counter(op.name.removeprefix("rlx.") for op in module.walk())


def same_values(module: ModuleOp, program: Callable[..., Any], inputs: list[Array]) -> None:
    names = [f"arg{i}" for i in range(len(inputs))]
    (actual,) = run(module, None, dict(zip(names, inputs))).values()
    agree(actual, np.asarray(jax.jit(program)(*inputs)), OTHER_ROUNDING)


@pytest.mark.parametrize("program", [scanned, indexed])
def test_f30_unrolled_layers_know_nothing_of_a_counter(program: Callable[..., Any]):
    inputs = arrays(3)
    module = imported(program, *inputs)
    found = fused(module)
    assert not COUNTING & set(found)
    assert (found["fused_matmul_bias_act"], found["matmul"]) == (3, 3)
    assert found["rms_norm"] + found["fused_residual_rms_norm"] == 3
    same_values(module, program, inputs)


@pytest.mark.parametrize("program", [scanned, indexed])
def test_f30_a_long_loop_of_layers_stays_and_is_fused_inside(program: Callable[..., Any]):
    inputs = arrays(20)
    module = imported(program, *inputs)
    found = fused(module)
    (loop,) = (op for op in module.walk() if isinstance(op, WhileOp))
    assert {str(value.type) for value in loop.carried} == {"tensor<i32>", "tensor<2x3x8xf32>"}
    assert len(loop.captures) == 4
    inside = Counter(op.name.removeprefix("rlx.") for op in loop.body.walk())
    assert (inside["rms_norm"], inside["fused_matmul_bias_act"], inside["matmul"]) == (1, 1, 1)
    assert inside["dynamic_slice"] == 4
    assert found["fused_matmul_bias_act"] == 1
    same_values(module, program, inputs)


@pytest.mark.parametrize("layers", [3, 20])
def test_f30_code_for_layers_in_a_loop(layers: int):
    need_module("llvmlite")
    inputs = arrays(layers)
    program = compile(imported(scanned, *inputs), "cpu", origin="rlx").load({})
    (actual,) = program({f"arg{i}": x for i, x in enumerate(inputs)}).values()
    agree(actual, np.asarray(jax.jit(scanned)(*inputs)), OTHER_ROUNDING)
