"""Attention and fused ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from case_text import (
    FLOATS,
    Case,
    Inputs,
    function,
    op,
    scaled,
)


def attention() -> Iterator[dict[str, Case]]:
    def attend(
        name: str,
        q: str,
        k: str,
        config: str,
        *,
        v: str | None = None,
        mask: tuple[str, str] | None = None,
        result: str | None = None,
        heads: tuple[int, int] = (4, 4),
        widths: tuple[int, int] = (8, 8),
        layout: str = "bhsd",
        change: Callable[[Inputs], object] | None = None,
    ) -> dict[str, Case]:
        arguments = {"q": q, "k": k, "v": v or k} | ({"m": mask[1]} if mask else {})
        masking = f"mask {mask[0]}(%m) " if mask else ""
        text = (
            f"rlx.attention %q, %k, %v {masking}layout({layout}) heads({heads[0]}) kv_heads({heads[1]}) "
            f"head_dim({widths[0]}) v_head_dim({widths[1]}) scale(0.35) {config}"
        )
        return op(f"attention_{name}", arguments, text, result or q, **({"change": change} if change else {}))

    plain = ("2x4x5x8xf32", "2x4x7x8xf32")
    yield attend("plain", *plain, "")
    yield attend("softcap", *plain, "softcap(1.5)")
    yield attend("causal", *plain, "causal_offset(0)")
    yield attend("causal_end", *plain, "causal_offset(end)")
    yield attend("window", *plain, "causal_offset(end) window_left(2)")
    yield attend("window_both", *plain, "window_left(1) window_right(2)")
    for policy in ("uniform", "zero", "nan"):
        yield attend(f"blind_{policy}", *plain, f"causal_offset(-3) masked_rows({policy})")
        yield attend(f"keys_{policy}", *plain, f"masked_rows({policy})", mask=("keys", "2x7xi1"), change=no_keys)
        yield attend(
            f"bias_{policy}", *plain, f"masked_rows({policy})", mask=("bias", "2x1x5x7xf32"), change=minus_infinity
        )
    yield attend("keys_i32", *plain, "causal_offset(end)", mask=("keys", "2x7xi32"), change=zero_or_one)
    yield attend("keys_f32", *plain, "", mask=("keys", "2x7xf32"), change=zero_or_one)
    for shape in ("7xf32", "5x7xf32", "4x1x7xf32", "1x4x5x7xf32", "2x1x1x7xf32", "f32"):
        yield attend(f"bias_{shape}", *plain, "", mask=("bias", shape))
    yield attend("lowest_bias", *plain, "causal_offset(end)", mask=("bias", "2x1x1x7xf32"), change=lowest)
    yield attend("groups", "2x4x5x8xf32", "2x2x7x8xf32", "", heads=(4, 2))
    yield attend("groups_bias", "2x4x5x8xf32", "2x2x7x8xf32", "", heads=(4, 2), mask=("bias", "2x4x5x7xf32"))
    yield attend("one_key_head", "2x4x5x8xf32", "2x1x7x8xf32", "", heads=(4, 1), mask=("bias", "4x5x7xf32"))
    yield attend("one_head", "2x1x5x8xf32", "2x1x7x8xf32", "causal_offset(0)", heads=(1, 1))
    yield attend("wide_values", "2x4x5x8xf32", "2x4x7x8xf32", "", v="2x4x7x6xf32", result="2x4x5x6xf32", widths=(8, 6))
    yield attend("bshd", "2x5x4x8xf32", "2x7x2x8xf32", "", heads=(4, 2), layout="bshd")
    yield attend("bsm", "2x5x32xf32", "2x7x32xf32", "causal_offset(end)", layout="bsm", mask=("keys", "2x7xi1"))
    yield attend(
        "bsm_groups",
        "2x5x32xf32",
        "2x7x16xf32",
        "",
        layout="bsm",
        heads=(4, 2),
        v="2x7x12xf32",
        result="2x5x24xf32",
        widths=(8, 6),
    )
    yield attend("bsm_matrix", "5x32xf32", "7x32xf32", "", layout="bsm", mask=("keys", "1x7xi1"))
    yield attend(
        "dynamic", "?x?x32xf32", "?x?x16xf32", "causal_offset(end)", layout="bsm", heads=(4, 2), mask=("keys", "?x?xi1")
    )
    yield attend("dynamic_bhsd", "?x4x?x8xf32", "?x4x?x8xf32", "window_left(1)")
    for t in ("f16", "bf16", "f64"):
        yield attend(t, f"2x4x5x8x{t}", f"2x4x7x8x{t}", "causal_offset(end)", mask=("bias", f"2x1x5x7x{t}"))
    yield attend("wide_sums", "2x4x5x8xf32", "2x4x7x8xf32", "accumulate(f64)")


def no_keys(inputs: Inputs) -> None:
    """The first batch sees nothing."""
    inputs["m"][0] = False


def minus_infinity(inputs: Inputs) -> None:
    """A query that sees nothing, and one that misses a key."""
    inputs["m"][0, 0, 1] = -np.inf
    inputs["m"][1, 0, 2, 3] = -np.inf


def zero_or_one(inputs: Inputs) -> None:
    inputs["m"] = (inputs["m"] > 0).astype(inputs["m"].dtype)
    inputs["m"][:, 0] = 1


def lowest(inputs: Inputs) -> None:
    """A bias that hides by the most negative number: of the first batch everything."""
    inputs["m"][:] = 0
    inputs["m"][0] = np.finfo(np.float32).min
    inputs["m"][1, ..., 2:4] = np.finfo(np.float32).min


def fused() -> Iterator[dict[str, Case]]:
    for t in FLOATS:
        arguments = {"x": f"2x4x8x{t}", "w": f"8x6x{t}", "b": f"6x{t}"}
        for activation in ("", " activation(gelu)", " activation(relu)", " activation(silu)"):
            name = activation[12:-1] or "none"
            yield op(
                f"fused_matmul_{name}_{t}", arguments, f"rlx.fused_matmul_bias_act %x, %w, %b{activation}", f"2x4x6x{t}"
            )
        rows = f"2x3x8x{t}"
        arguments = {"x": rows, "r": rows, "g": f"8x{t}", "b": f"8x{t}"}
        yield op(f"fused_residual_ln_{t}", arguments, "rlx.fused_residual_ln %x, %r, %g, %b epsilon(1.0e-5)", rows)
        types = (
            f"(tensor<{rows}>, tensor<{rows}>, tensor<8x{t}>, tensor<8x{t}>, tensor<8x{t}>) -> (tensor<{rows}>, "
            f"tensor<{rows}>)"
        )
        line = f"%y, %s = rlx.fused_residual_ln %x, %r, %g, %b bias(%c) epsilon(1.0e-5) : {types}"
        yield function(f"fused_residual_ln_tee_{t}", arguments | {"c": f"8x{t}"}, [line], {"y": rows, "s": rows})
    arguments = {"x": "?x8xf32", "w": "8x6xf32", "b": "6xf32"}
    yield op("fused_matmul_dynamic", arguments, "rlx.fused_matmul_bias_act %x, %w, %b activation(tanh)", "?x6xf32")
    config = "heads(4) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5)"
    for t in ("f32", "f16"):
        for name, bias, mask in (
            ("plain", "", ""),
            ("bias", f"bias(%c, %d : tensor<32x{t}>, tensor<16x{t}>) ", ""),
            ("mask", f"bias(%c, %d : tensor<32x{t}>, tensor<16x{t}>) ", "mask keys(%m : tensor<2x5xi1>) "),
        ):
            arguments = {
                "x": f"2x5x16x{t}",
                "w": f"16x32x{t}",
                "o": f"16x16x{t}",
                "c": f"32x{t}",
                "d": f"16x{t}",
                "m": "2x5xi1",
            }
            types = f"(tensor<2x5x16x{t}>, tensor<16x32x{t}>, tensor<16x16x{t}>) -> tensor<2x5x16x{t}>"
            line = f"%y = rlx.fused_attention_block %x, %w, %o {bias}{mask}{config} causal_offset(0) : {types}"
            change = scaled(0.3, "w", "o")
            yield function(f"attention_block_{name}_{t}", arguments, [line], {"y": f"2x5x16x{t}"}, change=change)
