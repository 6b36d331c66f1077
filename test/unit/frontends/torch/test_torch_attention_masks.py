"""Masks of attention as PyTorch programs write them: rules become bounds and keys, and the values stay."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pytest
from tools import need_module
from torch_oracle import Wrapped, check, compare, torch
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import AttentionLayout, MaskKind
from rlx_dialect.ops import AttentionOp, BinaryOp, SoftmaxOp
from rlx_passes import from_torch
from rlx_passes.frontends.imported import Imported
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.composite import flatten

need_module("torch")
F: Any = importlib.import_module("torch.nn.functional")

BATCH, HEADS, PLACES, WIDTH = 2, 4, 6, 8
LOWEST = float(np.finfo(np.float32).min)
KEYS, BEYOND = torch.arange(PLACES), torch.tensor([[1, 1, 1, 1, 0, 0], [1] * 6])
"""Places, and keys of which the last two are padding in the first sequence."""
BEFORE = torch.tensor([[0, 0, 1, 1, 1, 1], [1] * 6])
"""Keys of which the first two are padding, so that the first two queries see none."""


class Expected(NamedTuple):
    """What an attention is said to hide."""

    offset: int | None = None
    left: int | None = None
    right: int | None = None
    kind: MaskKind | None = None


def sides(*dims: int) -> list[Any]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(*(dims or (BATCH, HEADS, PLACES, WIDTH)), generator=generator) for _ in range(3)]


def raised(program: Imported) -> ModuleOp:
    for one in flatten((RaisePass(),)):
        one.apply(tool_context(), program.module)
        program.module.verify()
    return program.module


def attention_in(module: Any, inputs: Sequence[Any]) -> AttentionOp:
    """The one attention after raising; values stay."""
    program = check(module, inputs, 1e-5)
    raised(program)
    compare(program, module, inputs, 1e-5)
    (op,) = (op for op in program.module.walk() if isinstance(op, AttentionOp))
    assert not any(isinstance(op, SoftmaxOp) for op in program.module.walk())
    return op


def triangle() -> Any:
    return torch.ones(PLACES, PLACES, dtype=torch.bool).tril()


def added() -> Any:
    return torch.full((PLACES, PLACES), LOWEST).triu(1)


def padded(keys: Any) -> Any:
    """The mask of older decoders: a triangle of the lowest number, into which the padding is written."""
    mask = added()[None, None].expand(keys.shape[0], 1, PLACES, PLACES).clone()
    return mask.masked_fill(mask + keys[:, None, None, :] == 0, LOWEST)


def both(keys: Any) -> Any:
    return triangle()[None, None].expand(keys.shape[0], 1, PLACES, PLACES) & keys[:, None, None, :].to(torch.bool)


def near(before: int, after: int) -> Any:
    away = KEYS[None] - KEYS[:, None]
    return (away >= -before) & (away <= after)


CONSTANT: dict[str, tuple[Callable[[], Any], Expected]] = {
    "triangle, expanded over the batch": (
        lambda: triangle()[None, None].expand(BATCH, 1, PLACES, PLACES),
        Expected(0),
    ),
    "added triangle, expanded": (lambda: added()[None, None].expand(BATCH, HEADS, PLACES, PLACES), Expected(0)),
    "added triangle, written out": (lambda: added().repeat(BATCH, 1, 1, 1), Expected(0)),
    "infinity above": (lambda: torch.full((PLACES, PLACES), -inf).triu(2), Expected(1)),
    "all true": (lambda: torch.ones(BATCH, 1, PLACES, PLACES, dtype=torch.bool), Expected()),
    "all zero": (lambda: torch.zeros(PLACES, PLACES), Expected()),
    "window": (lambda: triangle() & (KEYS[:, None] - KEYS[None] < 3), Expected(0, 2)),
    "window by two masks": (lambda: near(3, 9) & near(9, 0), Expected(0, 3)),
    "band": (lambda: near(2, 1)[None].expand(HEADS, PLACES, PLACES), Expected(None, 2, 1)),
    "the other triangle": (lambda: triangle().T, Expected(None, 0)),
    "not above": (lambda: ~torch.ones(PLACES, PLACES, dtype=torch.bool).triu(1), Expected(0)),
}


@pytest.mark.parametrize("written", ["sdpa", "eager"])
@pytest.mark.parametrize("name", list(CONSTANT))
def test_f26_constant_masks_are_bounds(name: str, written: str):
    mask, expected = CONSTANT[name]

    def program(q: Any, k: Any, v: Any) -> Any:
        return ATTENTION[written](q, k, v, mask())

    op = attention_in(program, sides())
    assert said(op) == expected


def of_product(q: Any, k: Any, v: Any, mask: Any) -> Any:
    """As a program writes it."""
    scores = q @ k.transpose(-1, -2) * WIDTH**-0.5
    scores = torch.where(mask, scores, LOWEST) if mask.dtype == torch.bool else scores + mask
    return F.softmax(scores, dim=-1) @ v


def of_library(q: Any, k: Any, v: Any, mask: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


ATTENTION: dict[str, Callable[..., Any]] = {"sdpa": of_library, "eager": of_product}


def said(op: AttentionOp) -> Expected:
    config = op.config
    offset = config.causal_offset
    assert not isinstance(offset, str)
    return Expected(offset, config.window_left, config.window_right, op.masking)


def short(lengths: Any) -> Any:
    return KEYS[None] < lengths[:, None]


LENGTHS = torch.tensor([4, 6])

GIVEN: dict[str, tuple[Callable[[Any], Any], Sequence[Any], Expected]] = {
    "triangle and padding": (both, (BEYOND, BEFORE), Expected(0, kind=MaskKind.KEYS)),
    "padding in a triangle": (padded, (BEYOND, BEFORE), Expected(0, kind=MaskKind.KEYS)),
    "padding, expanded": (
        lambda keys: keys.to(torch.bool)[:, None, None].expand(BATCH, HEADS, PLACES, PLACES),
        (BEYOND, BEFORE),
        Expected(kind=MaskKind.KEYS),
    ),
    "lengths": (lambda n: short(n)[:, None, None], (LENGTHS,), Expected(kind=MaskKind.KEYS)),
    "lengths and window": (
        lambda n: near(2, 0)[None, None] & short(n)[:, None, None],
        (LENGTHS,),
        Expected(0, 2, kind=MaskKind.KEYS),
    ),
    "two masks of three dims": (
        lambda n: (near(2, 0) & short(n)[:, None]).reshape(BATCH, 1, PLACES, PLACES),
        (LENGTHS,),
        Expected(0, 2, kind=MaskKind.KEYS),
    ),
    "neither above nor beyond": (
        lambda n: ~(~triangle() | ~short(n)[:, None])[:, None],
        (LENGTHS,),
        Expected(0, kind=MaskKind.KEYS),
    ),
    "any for each head": (
        lambda m: triangle() & m[None, :, None] > 0,
        (torch.arange(HEADS * PLACES).reshape(HEADS, PLACES) % 5,),
        Expected(kind=MaskKind.BIAS),
    ),
}


@pytest.mark.parametrize("written", ["sdpa", "eager"])
@pytest.mark.parametrize("name", list(GIVEN))
def test_f26_masks_of_inputs_are_bounds_and_keys(name: str, written: str):
    mask, given, expected = GIVEN[name]

    def program(q: Any, k: Any, v: Any, keys: Any) -> Any:
        return ATTENTION[written](q, k, v, mask(keys))

    for keys in given:
        op = attention_in(program, [*sides(), keys])
        assert said(op) == expected


@pytest.mark.parametrize("expanded", [False, True])
@pytest.mark.parametrize("number", [-inf, LOWEST])
def test_f26_a_bias_below_a_triangle_stays_a_bias(number: float, expanded: bool):
    def program(q: Any, k: Any, v: Any, bias: Any) -> Any:
        mask = torch.where(triangle(), bias, number)
        return of_library(q, k, v, mask[None].expand(BATCH, HEADS, PLACES, PLACES) if expanded else mask)

    bias = torch.linspace(-2, 2, HEADS * PLACES * PLACES).reshape(HEADS, PLACES, PLACES)
    op = attention_in(program, [*sides(), bias])
    assert said(op) == Expected(0, kind=MaskKind.BIAS)


class Whisper(torch.nn.Module):
    """Queries are scaled before their heads are split."""

    def __init__(self, scale: float):
        super().__init__()
        self.scale = scale
        self.q, self.k, self.v = (torch.nn.Linear(HEADS * WIDTH, HEADS * WIDTH) for _ in range(3))

    def forward(self, x: Any) -> Any:
        def split(y: Any) -> Any:
            return y.view(BATCH, PLACES, HEADS, WIDTH).transpose(1, 2).contiguous()

        q, k, v = split(self.q(x) * self.scale), split(self.k(x)), split(self.v(x))
        return of_library(q, k, v, triangle()).transpose(1, 2).reshape(BATCH, PLACES, HEADS * WIDTH)


def test_f26_a_scale_before_the_heads_are_split_is_the_attention_s():
    torch.manual_seed(0)
    op = attention_in(Whisper(3.0).eval(), [torch.randn(BATCH, PLACES, HEADS * WIDTH)])
    assert op.lies is AttentionLayout.BSM
    assert np.isclose(op.config.scale, 3 * WIDTH**-0.5)


@pytest.mark.parametrize("moved", [False, True])
def test_f26_scales_of_queries_and_keys_are_the_attention_s(moved: bool):
    def program(q: Any, k: Any, v: Any) -> Any:
        q, k = q * 0.5, k / 4
        if moved:
            q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        result = F.scaled_dot_product_attention(q, k, v, scale=1.0)
        return result.transpose(1, 2) if moved else result

    op = attention_in(program, sides(BATCH, PLACES, HEADS, WIDTH) if moved else sides())
    assert op.config.scale == 0.125
    assert op.lies is (AttentionLayout.BSHD if moved else AttentionLayout.BHSD)
    assert not isinstance(op.query.owner, BinaryOp)


class WithWeights(torch.nn.Module):
    """PyTorch's own module, which gives its weights unless told otherwise."""

    def __init__(self, first: bool, averaged: bool):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(HEADS * WIDTH, HEADS, batch_first=first)
        self.averaged = averaged

    def forward(self, x: Any, padding: Any) -> Any:
        return self.attention(x, x, x, key_padding_mask=padding, average_attn_weights=self.averaged)


@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_f26_attention_that_gives_its_weights_is_one(first: bool, averaged: bool):
    torch.manual_seed(0)
    x = torch.randn(*((BATCH, PLACES) if first else (PLACES, BATCH)), HEADS * WIDTH)
    inputs, module = [x, BEYOND == 0], WithWeights(first, averaged).eval()
    program = check(module, inputs, 1e-5)
    raised(program)
    compare(program, module, inputs, 1e-5)
    ops = list(program.module.walk())
    assert [op.masking for op in ops if isinstance(op, AttentionOp)] == [MaskKind.KEYS]
    assert sum(isinstance(op, SoftmaxOp) for op in ops) == 1
    again = str(program.module)
    assert str(raised(program)) == again


SINKS: dict[str, tuple[Callable[[Any], Any], Expected]] = {
    "triangle": (lambda keys: triangle(), Expected(1, kind=MaskKind.BIAS)),
    "window": (lambda keys: near(2, 0), Expected(kind=MaskKind.BIAS)),
    "everything": (lambda keys: near(9, 9), Expected(kind=MaskKind.BIAS)),
    "keys": (lambda keys: keys[:, None, None].to(torch.bool), Expected(kind=MaskKind.BIAS)),
    "triangle and keys": (both, Expected(1, kind=MaskKind.BIAS)),
    "window and keys": (lambda keys: near(2, 0) & keys[:, None, None].to(torch.bool), Expected(kind=MaskKind.BIAS)),
}


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("name", list(SINKS))
def test_f26_a_column_beside_the_scores_is_one_more_key(name: str, first: bool):
    mask, expected = SINKS[name]

    def program(q: Any, k: Any, v: Any, keys: Any, sinks: Any) -> Any:
        k, v = (x[:, :2].repeat_interleave(2, dim=1) for x in (k, v))
        scores = torch.where(mask(keys), q @ k.transpose(-1, -2) * WIDTH**-0.5, -inf)
        column = sinks.reshape(1, -1, 1, 1).expand(BATCH, HEADS, PLACES, 1)
        scores = torch.cat([column, scores] if first else [scores, column], dim=-1)
        weights = F.softmax(scores - scores.max(dim=-1, keepdim=True).values, dim=-1)
        return (weights[..., 1:] if first else weights[..., :-1]) @ v

    sinks = torch.tensor([-1.0, 0.0, 2.0, -0.5])
    for keys in (BEYOND, BEFORE):
        op = attention_in(program, [*sides(), keys, sinks])
        assert said(op) == expected
        assert op.config.kv_heads == 2


def test_a_column_that_is_not_cut_off_is_no_sink():
    def program(q: Any, k: Any, v: Any) -> Any:
        scores = torch.cat([q @ k.transpose(-1, -2), q[..., :1]], dim=-1)
        return F.softmax(scores, dim=-1)[..., 1:] @ v

    program_of = check(program, sides(), 1e-5)
    raised(program_of)
    compare(program_of, program, sides(), 1e-5)
    assert not any(isinstance(op, AttentionOp) for op in program_of.module.walk())


OPEN: dict[str, tuple[Callable[[int], Any], Expected]] = {
    "lower": (lambda n: torch.ones(n, n, dtype=torch.bool).tril(), Expected(0)),
    "not upper": (lambda n: ~torch.ones(n, n, dtype=torch.bool).triu(2), Expected(1)),
    "added": (lambda n: torch.full((n, n), -inf).triu(1), Expected(0)),
    "compared": (lambda n: torch.arange(n)[None] <= torch.arange(n)[:, None], Expected(0)),
    "shifted": (lambda n: torch.arange(n)[:, None] + 2 > torch.arange(n)[None, None], Expected(1)),
    "window": (
        lambda n: (torch.arange(n)[:, None] - torch.arange(n) < 3) & (torch.arange(n)[:, None] >= torch.arange(n)),
        Expected(0, 2),
    ),
    "band": (
        lambda n: (torch.arange(n)[:, None] - torch.arange(n) < 3) & (torch.arange(n)[:, None] > torch.arange(n) - 2),
        Expected(None, 2, 1),
    ),
    "all": (lambda n: torch.ones(n, n, dtype=torch.bool), Expected()),
}


@pytest.mark.parametrize("written", ["sdpa", "eager"])
@pytest.mark.parametrize("name", list(OPEN))
def test_f26_masks_of_a_length_that_only_a_run_knows_are_bounds(name: str, written: str):
    mask, expected = OPEN[name]

    def program(q: Any, k: Any, v: Any) -> Any:
        return ATTENTION[written](q, k, v, mask(q.shape[2]))

    length = {2: torch.export.Dim("n", min=2, max=64)}
    read = from_torch(Wrapped(program), tuple(sides()), dynamic_shapes=((length,) * 3,))
    raised(read)
    (op,) = (op for op in read.module.walk() if isinstance(op, AttentionOp))
    assert said(op) == expected
    for places in (2, PLACES, 9):
        compare(read, program, sides(BATCH, HEADS, places, WIDTH), 1e-5)


def split(x: Any) -> Any:
    return x.view(BATCH, PLACES, HEADS, WIDTH).transpose(1, 2)


@pytest.mark.parametrize("written", ["sdpa", "eager"])
@pytest.mark.parametrize("joined", ["no", "places", "packed"])
@pytest.mark.parametrize("alone", [False, True])
def test_f26_a_scale_before_heads_are_split_counts_once(written: str, joined: str, alone: bool):
    """Whether the layout is that of packed heads or not; `alone`, keys and values come by head."""

    def program(x: Any, k: Any, v: Any) -> Any:
        if not alone:
            k, v = split(k), split(v)
        result = ATTENTION[written](split(x * 3.0), k, v, triangle())
        if joined != "no":
            result = result.transpose(1, 2)
        return result.reshape(BATCH, PLACES, HEADS * WIDTH) if joined == "packed" else result

    packed = sides(BATCH, PLACES, HEADS * WIDTH)
    op = attention_in(program, [packed[0], *sides()[1:]] if alone else packed)
    assert np.isclose(op.config.scale, 3 * WIDTH**-0.5)
    assert op.parent is not None
    assert not any(isinstance(each, BinaryOp) for each in op.parent.ops)
