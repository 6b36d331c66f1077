"""Attention as programs write it, from StableHLO and ONNX: one op, its attributes, and the same values."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import combinations, product
from math import inf
from typing import Any, TypeAlias

import numpy as np
import pytest
from attention_programs import CAP, HEADS, NAMES, WIDTH, Form, Jax, Onnx, inputs, wanted, write
from programs import context
from stablehlo_values import as_dtype, texts
from stablehlo_values import imported as from_stablehlo
from tolerances import OTHER_ROUNDING, agree
from tools import need_module
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.ops import AttentionOp
from rlx_dialect.reference import Array, run
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.registry.composite import flatten
from rlx_passes.rewriting.miss import CodedReason, Miss, Reason, listening

need_module("jax")
need_module("onnx")

AXES: dict[str, tuple[Any, ...]] = {
    "layout": ("bhsd", "bshd", "bsm", "rows", "single"),
    "masked": ("none", "causal", "cached", "keys", "added", "added-lowest", "bias", "causal+keys", "causal&keys"),
    "scaled": ("scores", "divided", "query", "split", "no"),
    "capped": (False, True),
    "grouped": ("no", "repeated", "stretched"),
    "dtype": ("float32", "float16", "bfloat16"),
    "guarded": (False, True),
}
DTYPES = ("float32", "float16", "bfloat16")
"""Halves are rounded between the ops of a program and once by an attention."""


def possible(form: Form) -> bool:
    """Whether a form can be written, and raised: f16 has no -1e9, and what it adds leaves digits of the scores."""
    grouped = form.grouped == "no" or form.layout in ("bhsd", "bshd", "bsm")
    guarded = not form.guarded or "keys" in form.masked
    return grouped and guarded and not (form.dtype == "float16" and "added" in form.masked)


def covering() -> list[Form]:
    """Forms among which each two choices of two axes meet, as far as they can."""

    def pairs(form: Form) -> set[Any]:
        return set(combinations([(field.name, getattr(form, field.name)) for field in fields(form)], 2))

    met = {form: pairs(form) for form in (Form(*choice) for choice in product(*AXES.values())) if possible(form)}
    missing, chosen = set[Any]().union(*met.values()), list[Form]()
    while missing:
        best = max(met, key=lambda form: len(met[form] & missing))
        chosen.append(best)
        missing -= met[best]
    return chosen


FORMS = covering()


def jax_module(form: Form, arrays: Mapping[str, Array]) -> ModuleOp:
    def program(*operands: Any) -> Any:
        return write(form, Jax(), *operands)

    return stablehlo_module(program, *arrays.values())


def stablehlo_module(program: Callable[..., Any], *arrays: Array, platform: str = "cpu") -> ModuleOp:
    module, stays = from_stablehlo(texts(program, arrays, platform)[0])
    assert not stays
    return module


def onnx_module(form: Form, arrays: Mapping[str, Array], sizes: Mapping[int, str] | None = None) -> ModuleOp:
    """The imported text of a form; `sizes` names the axes of the arrays that are known at run time only, by size."""
    import onnx.parser

    names = sizes or {}
    on = Onnx(form.dtype, dynamic=bool(names))
    result = write(form, on, *arrays)
    given = (
        f"{NAMES[array.dtype.name]}[{', '.join(str(names.get(n, n)) for n in array.shape)}] {name}"
        for name, array in arrays.items()
    )
    ranks = ", ".join(f"o{axis}" for axis in range(wanted(form, arrays).ndim))
    head = f"g ({', '.join(given)}) => ({NAMES[form.dtype]}[{ranks}] {result})"
    parse: Any = onnx.parser.parse_model
    text = '<ir_version: 8, opset_import: ["": 17]>\n' + head + "{\n" + "\n".join(on.lines) + "\n}"
    imported = import_model(model_of(parse(text), "attention.onnx"))
    assert not imported.params
    return imported.module


def raised(before: ModuleOp) -> tuple[list[AttentionOp], ModuleOp, list[CodedReason]]:
    """The attention of a program after raising, the program then, and why there is none."""
    reasons: list[CodedReason] = []

    def listen(pattern: str, root: object, miss: Miss) -> None:
        if pattern == "attention":
            reasons.append(miss.reason)

    after = before.clone()
    with listening(listen):
        for pass_ in flatten((RaisePass(),)):
            pass_.apply(context(), after)
            after.verify()
    return [op for op in after.walk() if isinstance(op, AttentionOp)], after, reasons


def computed(module: ModuleOp, *arrays: Array) -> Array:
    with np.errstate(all="ignore"):
        (result,) = run(module, None, arrays).values()
    return result.astype(np.float64)


def close(got: Array, wanted: Array, dtype: str) -> None:
    """Both are widened; what was rounded to `dtype` may differ by what that rounds away."""
    agree(got, wanted, {"float64": OTHER_ROUNDING[dtype]})


def check(form: Form, before: ModuleOp, arrays: Mapping[str, Array]) -> AttentionOp:
    (op,), after, _ = raised(before)
    expected = wanted(form, arrays)
    for module in (before, after):
        close(computed(module, *arrays.values()), expected, form.dtype)
    config = op.config
    assert (config.heads, config.kv_heads) == ((HEADS, form.kv_heads) if "b" in form.layout else (1, 1))
    np.testing.assert_allclose(config.scale, form.scale, rtol=1e-2 if form.dtype != "float32" else 1e-6)
    assert config.softcap == (CAP if form.capped else None)
    return op


@pytest.mark.parametrize("written", [jax_module, onnx_module])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_form_of_attention_is_one_attention(form: Form, written: Callable[[Form, Mapping[str, Array]], ModuleOp]):
    arrays = inputs(form)
    op = check(form, written(form, arrays), arrays)
    bare = form.masked in ("none", "causal", "cached")
    kind = None if bare else MaskKind.BIAS if form.masked == "bias" else MaskKind.KEYS
    rows = MaskedRows.NAN if form.masked == "bias" else MaskedRows.ZERO if form.guarded else MaskedRows.UNIFORM
    layouts = {"bhsd": AttentionLayout.BHSD, "bshd": AttentionLayout.BSHD}
    assert op.config.causal_offset == form.offset
    assert (op.masking, op.config.masked_rows) == (kind, rows)
    assert op.lies == layouts.get(form.layout, AttentionLayout.BSM)


DYNAMIC = [
    *(Form(layout, masked) for layout in ("bhsd", "bsm") for masked in ("none", "keys", "added", "bias")),
    *(Form("bhsd", "keys", scaled, True, guarded=True) for scaled in ("query", "split", "divided")),
    Form("bsm", "bias", dtype="float16"),
    *(Form(layout, masked) for layout in ("rows", "single") for masked in ("none", "keys", "bias")),
]


@pytest.mark.parametrize("form", DYNAMIC, ids=str)
def test_batch_and_lengths_that_are_known_at_run_time(form: Form):
    """A mask that is reshaped for the attention has its sizes at run time."""
    arrays = inputs(form)
    op = check(form, onnx_module(form, arrays, {2: "b", 3: "s", 5: "t"}), arrays)
    assert op.lies == (AttentionLayout.BHSD if form.layout == "bhsd" else AttentionLayout.BSM)
    assert op.masking is {"none": None, "bias": MaskKind.BIAS}.get(form.masked, MaskKind.KEYS)


def sides(dtype: str, heads: int = 4, kv_heads: int = 4) -> list[Array]:
    """Queries, keys and values `[batch, place, head, width]`."""
    rng = np.random.default_rng(9)
    return [
        rng.standard_normal((2, 5, h, WIDTH)).astype(np.float32).astype(as_dtype(dtype))
        for h in (heads, kv_heads, kv_heads)
    ]


SHOWN = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], bool).reshape(2, 1, 1, 5)

Bounds: TypeAlias = tuple[int | None, int | None, int | None]
"""A causal offset and a window to the left and the right."""

ANYWHERE: Bounds = (None, None, None)
BIAS = np.linspace(-1, 1, 200, dtype=np.float32).reshape(2, 4, 5, 5)
LENGTHS = np.array([3, 5], np.int32)
LIBRARY: dict[str, tuple[dict[str, Any], MaskKind | None, Bounds]] = {
    "plain": ({}, None, ANYWHERE),
    "causal": ({"is_causal": True}, None, (0, None, None)),
    "mask": ({"mask": SHOWN}, MaskKind.KEYS, ANYWHERE),
    "lengths": ({"key_value_seq_lengths": LENGTHS}, MaskKind.KEYS, ANYWHERE),
    "window": ({"local_window_size": (2, 0)}, None, (0, 2, None)),
    "window to both sides": ({"local_window_size": (2, 1)}, None, (None, 2, 1)),
    "window to the right": ({"local_window_size": (4, 2)}, None, (2, None, None)),
    "window and lengths": (
        {"local_window_size": (2, 0), "key_value_seq_lengths": LENGTHS},
        MaskKind.KEYS,
        (0, 2, None),
    ),
    "lengths and causal": ({"is_causal": True, "key_value_seq_lengths": LENGTHS}, MaskKind.KEYS, (0, None, None)),
    "bias": ({"bias": BIAS}, MaskKind.BIAS, ANYWHERE),
    "bias and causal": ({"bias": BIAS, "is_causal": True}, MaskKind.BIAS, (0, None, None)),
    "mask and causal": ({"mask": SHOWN, "is_causal": True}, MaskKind.KEYS, (0, None, None)),
}
"""Arguments of JAX's own attention, and what they become: the kind of mask and the bounds of what each query sees."""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kv_heads", [4, 2])
@pytest.mark.parametrize("name", list(LIBRARY))
def test_f26_the_attention_of_jax(name: str, kv_heads: int, dtype: str):
    """Its products of halves give f32, which only accelerators compute: the text is the one for them."""
    options, kind, bounds = LIBRARY[name]
    arrays: dict[str, Array] = {key: value for key, value in options.items() if isinstance(value, np.ndarray)}
    if "bias" in arrays:
        arrays["bias"] = arrays["bias"].astype(as_dtype(dtype))
    attention: Any = importlib.import_module("jax").nn.dot_product_attention

    def program(q: Any, k: Any, v: Any, *more: Any) -> Any:
        return attention(q, k, v, **{**options, **dict(zip(arrays, more))})

    operands = (*sides(dtype, 4, kv_heads), *arrays.values())
    before = stablehlo_module(program, *operands, platform="tpu")
    (op,), after, _ = raised(before)
    config = op.config
    assert (config.causal_offset, config.window_left, config.window_right) == bounds
    assert (op.masking, config.kv_heads) == (kind, kv_heads)
    assert op.lies == AttentionLayout.BSHD
    close(computed(after, *operands), computed(before, *operands), dtype)


jnp: Any = importlib.import_module("jax.numpy")
softmax: Any = importlib.import_module("jax").nn.softmax


def scores(q: Any, k: Any) -> Any:
    return jnp.einsum("bshd,bthd->bhst", q, k)


def mixed(weights: Any, v: Any) -> Any:
    return jnp.einsum("bhst,bthd->bshd", weights, v)


def over_queries(q: Any, k: Any, v: Any) -> Any:
    return mixed(softmax(scores(q, k), axis=2), v)


def batch_in_place_of_heads(q: Any, k: Any, v: Any) -> Any:
    """Keys whose first two axes change places: of sizes that would fit."""
    turned = jnp.transpose(k[:, :2], (1, 2, 3, 0))
    return softmax(jnp.transpose(q, (0, 2, 1, 3)) @ turned) @ jnp.transpose(v[:, :2], (0, 2, 1, 3))


def weights_returned(q: Any, k: Any, v: Any) -> Any:
    weights = softmax(scores(q, k))
    return jnp.concatenate([mixed(weights, v).ravel(), weights.ravel()])


def scores_read_twice(q: Any, k: Any, v: Any) -> Any:
    found = scores(q, k)
    return mixed(softmax(found), v) * jnp.mean(found)


def mask_of_another_rank(q: Any, k: Any, v: Any) -> Any:
    """The mask makes three of each score."""
    return softmax(scores(q, k) + jnp.ones((3, 1, 1, 1, 5))) @ jnp.transpose(v, (0, 2, 1, 3))


def mask_along_the_width(q: Any, k: Any, v: Any) -> Any:
    """Part of the weights is hidden, after the softmax."""
    return mixed(jnp.where(SHOWN, softmax(scores(q, k)), 0.0), v)


def bias_beside_a_finite_number(q: Any, k: Any, v: Any) -> Any:
    """The bias may be -inf where keys are shown: then the hidden ones are seen."""
    return mixed(softmax(jnp.where(SHOWN, scores(q, k) + jnp.log(jnp.abs(q[:1, :1, :1, :5])), -1e30)), v)


def small_number(q: Any, k: Any, v: Any) -> Any:
    """A score of -100 is small, not hidden."""
    return mixed(softmax(jnp.where(SHOWN, scores(q, k), -100.0)), v)


def without_softmax(q: Any, k: Any, v: Any) -> Any:
    """Exponentials overflow that a softmax does not."""
    powers = jnp.exp(scores(q, k))
    return mixed(powers / powers.sum(-1, keepdims=True), v)


def capped_by_two_numbers(q: Any, k: Any, v: Any) -> Any:
    return mixed(softmax(jnp.tanh(scores(q, k) / 2.0) * -3.0), v)


def scaled_by_query(q: Any, k: Any, v: Any) -> Any:
    """A scale that is a value."""
    return mixed(softmax(scores(q, k) * jnp.mean(v)), v)


def halves_beside_their_lowest(q: Any, k: Any, v: Any) -> Any:
    """A row of hidden keys keeps some digits of its scores: a mean it is not, nor what a bias leaves."""
    q, k, v = (x.astype("float16") for x in (q, k, v))
    hidden = (1 - (v[:, None, None, :, 0, 0] > 0).astype("float16")) * jnp.float16(-65504)
    return mixed(softmax(scores(q, k) * jnp.float16(4) + hidden), v).astype("float32")


MUST_NOT: tuple[tuple[Callable[..., Any], Reason | None], ...] = (
    (over_queries, Reason.AXIS),
    (batch_in_place_of_heads, Reason.LAYOUT),
    (weights_returned, Reason.MULTI_USE),
    (scores_read_twice, Reason.MULTI_USE),
    (mask_of_another_rank, None),
    (mask_along_the_width, Reason.NOT_CONSUMED_BY),
    (bias_beside_a_finite_number, Reason.ATTRIBUTES),
    (small_number, Reason.CONSTANT),
    (without_softmax, None),
    (capped_by_two_numbers, Reason.CONSTANT),
    (scaled_by_query, Reason.NOT_PRODUCED_BY),
    (halves_beside_their_lowest, Reason.ATTRIBUTES),
)
"""What is no attention, or none of equal values, and why; None where no softmax between products is seen."""


@pytest.mark.parametrize(("program", "reason"), MUST_NOT, ids=lambda each: getattr(each, "__name__", None))
def test_what_is_no_attention_stays(program: Callable[..., Any], reason: Reason | None):
    arrays = sides("float32")
    before = stablehlo_module(program, *arrays)
    found, after, reasons = raised(before)
    assert (found, reasons[:1]) == ([], [reason] if reason else [])
    dtype = "float16" if program is halves_beside_their_lowest else "float32"
    close(computed(after, *arrays), computed(before, *arrays), dtype)


@pytest.mark.parametrize("repeated", [False, True])
def test_heads_that_are_repeated_as_a_whole_are_as_many_heads(repeated: bool):
    """Query head 1 reads key head 1 of tiled heads, and head 0 of repeated ones."""

    def program(q: Any, k: Any, v: Any) -> Any:
        k, v = (jnp.repeat(x, 2, 2) if repeated else jnp.tile(x, (1, 1, 2, 1)) for x in (k, v))
        return mixed(softmax(scores(q, k) * WIDTH**-0.5), v)

    arrays = sides("float32", 4, 2)
    before = stablehlo_module(program, *arrays)
    (op,), after, _ = raised(before)
    assert (op.config.heads, op.config.kv_heads) == (4, 2 if repeated else 4)
    np.testing.assert_allclose(computed(after, *arrays), computed(before, *arrays), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("number", [-1e9, float(np.finfo(np.float32).min), -inf])
def test_a_row_without_keys_gives_what_it_gave(number: float):
    """A boolean mask, and the same one added: the mean of the values for a finite number, NaN for -inf."""

    def replaced(q: Any, k: Any, v: Any, shown: Any) -> Any:
        return mixed(softmax(jnp.where(shown, scores(q, k), number)), v)

    def added(q: Any, k: Any, v: Any, shown: Any) -> Any:
        return mixed(softmax(scores(q, k) + jnp.where(shown, 0.0, number)), v)

    shown = SHOWN.copy()
    shown[1] = False
    arrays = (*sides("float32"), shown)
    for program in (replaced, added):
        (op,), after, _ = raised(stablehlo_module(program, *arrays))
        assert op.masking is MaskKind.KEYS
        row = computed(after, *arrays)[1]
        mean = np.broadcast_to(arrays[2][1].mean(0, dtype=np.float64), row.shape)
        np.testing.assert_allclose(row, np.full_like(mean, np.nan) if number == -inf else mean, rtol=1e-5, atol=1e-5)
