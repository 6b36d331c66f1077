"""Attention as modules of PyTorch write it: projections, heads, norms, rope, scales, masks, sinks and weights."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from built_torch import BATCH, F, Net, normed, torch
from drawing import Case, Draw

HEADS, DIM = 4, 8
MASKS = (
    *(
        "none",
        "causal",
        "causal added",
        "is_causal",
        "keys",
        "keys added",
        "lengths",
        "window",
        "band",
        "causal & keys",
    ),
    *(
        "causal added & keys",
        "window & keys",
        "bias",
        "bias of heads",
        "bias of keys",
        "bias & keys",
        "alibi",
        "segments",
    ),
)


def attention(draw: Draw) -> Case:
    """One attention, whatever stands around it."""
    net = Net(draw)
    dtype = net.of_type(draw.of("dtype", "float32", "float32", "float32", "bfloat16", "float16"))
    batch = draw.of("batch", BATCH, BATCH, 1)
    queries, keys = draw.of("places", (6, 6), (6, 6), (1, 6), (3, 6), (5, 7))
    kv_heads = draw.of("kv_heads", 4, 4, 2, 1)
    q_of, k_of, v_of = _sides(net, draw, batch, queries, keys, kv_heads)
    norm = _norms(net, draw, dtype)
    rope = _rope(draw, queries, keys)
    mask = _mask(net, draw, batch, queries, keys)
    spelling = draw.of("spelling", "eager", "sdpa", "einsum", "bmm", "flat", "by place")
    sink = net.learnt("sink", HEADS) if spelling in ("eager", "einsum") and draw.seldom("sink") else None
    softcap = spelling != "sdpa" and draw.seldom("softcap")
    returned = spelling == "eager" and sink is None and draw.seldom("weights")
    scale = draw.of("scale", "scores", "divided", "query", "both", "none")
    wide = draw.of("softmax", "same", "wide") == "wide"
    out = net.linear("out", HEADS * DIM, 16, draw.of("out bias", True, False)) if draw.of("out", True, False) else None
    repeat = draw.of("repeat", "interleave", "expand", "grouped")

    def scores(q: Any, k: Any) -> Any:
        if spelling == "einsum":
            return torch.einsum("bhqd,bhkd->bhqk", q, k)
        if spelling == "by place":
            return torch.einsum("bqhd,bkhd->bhqk", q.transpose(1, 2), k.transpose(1, 2))
        if spelling in ("bmm", "flat"):
            flat = torch.bmm(q.reshape(-1, queries, DIM), k.reshape(-1, keys, DIM).transpose(1, 2))
            whole = spelling == "flat" and draw.said["mask"] == "none"
            return flat if whole else flat.view(batch, HEADS, queries, keys)
        return q @ k.transpose(-1, -2)

    def body(*xs: Any) -> Any:
        q, k, v = rope(norm("q", q_of(xs))), rope(norm("k", k_of(xs))), v_of(xs)
        factor = DIM**-0.5
        if spelling == "sdpa":
            causal = draw.said["mask"] == "is_causal"
            given = None if causal else mask(xs, None)
            given = given[None, :] if given is not None and given.dim() == 1 else given
            if kv_heads != HEADS and repeat == "grouped":
                y = F.scaled_dot_product_attention(q, k, v, given, is_causal=causal, enable_gqa=True)
            else:
                k, v = _repeated(k, kv_heads, repeat), _repeated(v, kv_heads, repeat)
                y = F.scaled_dot_product_attention(q, k, v, given, is_causal=causal)
        else:
            k, v = _repeated(k, kv_heads, repeat), _repeated(v, kv_heads, repeat)
            q = q * factor if scale == "query" else q * factor**0.5 if scale == "both" else q
            k = k * factor**0.5 if scale == "both" else k
            s = scores(q, k)
            s = s * factor if scale == "scores" else s / DIM**0.5 if scale == "divided" else s
            s = 5.0 * torch.tanh(s / 5.0) if softcap else s
            s = mask(xs, s)
            if sink is not None:
                s = torch.cat([s, sink.view(1, HEADS, 1, 1).expand(batch, HEADS, queries, 1)], -1)
            s = s.reshape(-1, queries, s.shape[-1]) if spelling == "flat" else s
            p = torch.softmax(s, -1, torch.float32).to(v.dtype) if wide else torch.softmax(s, -1)
            p = p[..., :-1] if sink is not None else p
            if spelling == "einsum":
                y = torch.einsum("bhqk,bhkd->bhqd", p, v)
            elif spelling == "by place":
                y = torch.einsum("bhqk,bkhd->bqhd", p, v.transpose(1, 2)).transpose(1, 2)
            elif spelling == "flat":
                y = torch.bmm(p, v.reshape(-1, keys, DIM)).view(batch, HEADS, queries, DIM)
            else:
                y = p @ v
            if returned:
                return y, p
        y = y.transpose(1, 2).reshape(batch, queries, HEADS * DIM)
        return y if out is None else out(y)

    net.body = body
    turned = 0 if draw.said["rope"] == "none" else 2
    # A bias may hold -inf; in a row of them keys that a finite number hides would count.
    found = not (draw.said["mask"] == "bias & keys" and draw.said["hidden"] != -inf and spelling != "sdpa")
    return net.case({"attention": int(found), "softmax": int(returned or not found), "rope": turned}, {})


def _sides(net: Net, draw: Draw, batch: int, queries: int, keys: int, kv_heads: int) -> list[Callable[[Any], Any]]:
    """What gives query, key and value as `[b, h, s, d]` from the inputs."""
    if draw.of("sides", "projected", "given", "given by place") == "projected":
        bias = draw.of("bias", True, False)
        x = net.input(batch, queries, 16)
        y = x if queries == keys else net.input(batch, keys, 16)
        sizes = [HEADS * DIM, kv_heads * DIM, kv_heads * DIM]
        if x == y and draw.of("packed", False, True):
            whole = net.linear("qkv", 16, sum(sizes), bias)

            def part(at: int) -> Callable[[Any], Any]:
                return lambda xs: _heads(whole(xs[x]).split(sizes, -1)[at])

            return [part(0), part(1), part(2)]
        made = [net.linear(name, 16, size, bias) for name, size in zip("qkv", sizes)]
        return [
            lambda xs: _heads(made[0](xs[x])),
            lambda xs: _heads(made[1](xs[y])),
            lambda xs: _heads(made[2](xs[y])),
        ]
    by_place = draw.said["sides"] == "given by place"
    found: list[Callable[[Any], Any]] = []
    for heads, length in ((HEADS, queries), (kv_heads, keys), (kv_heads, keys)):
        at = net.input(batch, length, heads, DIM) if by_place else net.input(batch, heads, length, DIM)
        found.append(lambda xs, at=at: xs[at].transpose(1, 2) if by_place else xs[at])
    return found


def _heads(x: Any) -> Any:
    return x.view(x.shape[0], x.shape[1], -1, DIM).transpose(1, 2)


def _repeated(x: Any, heads: int, how: str) -> Any:
    times = HEADS // heads
    if times == 1:
        return x
    if how == "interleave":
        return x.repeat_interleave(times, 1)
    spread = x[:, :, None].expand(x.shape[0], heads, times, x.shape[2], DIM)
    return spread.reshape(x.shape[0], HEADS, x.shape[2], DIM)


def _norms(net: Net, draw: Draw, dtype: str) -> Callable[[str, Any], Any]:
    kind = draw.of("head norm", "none", "none", "op", "llama", "layer")
    if kind == "none":
        return lambda name, x: x
    weights = {name: net.learnt(f"{name}_weight", DIM, around=1.0) for name in "qk"}
    if kind == "layer":
        return lambda name, x: F.layer_norm(x, (DIM,), weights[name])
    return lambda name, x: normed(x, weights[name], kind)


def _rope(draw: Draw, queries: int, keys: int) -> Callable[[Any], Any]:
    """The same turn for query and key; the query stands at the end of the keys."""
    kind = draw.of("rope", "none", "none", "halves", "pairs", "complex", "part")
    if kind == "none":
        return lambda x: x
    size = DIM // 2 if kind == "part" else DIM
    angles = torch.arange(keys)[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)

    def turn(x: Any) -> Any:
        own = angles[keys - x.shape[2] :] if x.shape[2] < keys else angles
        if kind == "complex":
            z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
            return torch.view_as_real(z * torch.polar(torch.ones_like(own), own)).flatten(3).to(x.dtype)
        if kind == "pairs":
            cos, sin = own.cos().to(x.dtype), own.sin().to(x.dtype)
            a, b = x[..., 0::2], x[..., 1::2]
            return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
        cos, sin = (torch.cat([f(own)] * 2, -1).to(x.dtype) for f in (torch.cos, torch.sin))
        head, rest = x[..., :size], x[..., size:]
        a, b = head.chunk(2, -1)
        head = head * cos + torch.cat([-b, a], -1) * sin
        return torch.cat([head, rest], -1) if size < DIM else head

    return turn


Mask = Callable[[Any, Any], Any]
"""Of inputs and scores; gives the mask itself where there are no scores."""


def _mask(net: Net, draw: Draw, batch: int, queries: int, keys: int) -> Mask:
    kind = draw.of("mask", *MASKS)
    lowest = float(torch.finfo(net.dtype).min)
    hidden = draw.of("hidden", -inf, lowest)
    if net.dtype == torch.float16 and "added" in kind:
        lowest = hidden = -inf  # what f16 adds of its lowest number leaves digits of the scores: no mask
    at, before = torch.arange(keys - queries, keys)[:, None], torch.arange(keys)[None]
    triangle = before <= at
    if draw.of("rank of mask", 2, 4) == 4:
        triangle = triangle[None, None].expand(*draw.of("expanded", (1, 1), (batch, 1)), queries, keys)
    window = (before <= at) & (before > at - 3)
    band = (before - at).abs() <= 2
    shown = torch.ones(batch, keys, dtype=torch.bool)
    shown[-1, keys - 2 :] = False
    position: int | None = None
    if "keys" in kind.split(" & ") or kind == "keys added":
        position = net.also(shown if draw.of("keys as", "bool", "int") == "bool" else shown.long())
    if kind == "lengths":
        position = net.also(torch.tensor([keys, keys - 2])[-batch:])
    if kind == "segments":
        position = net.also(torch.tensor([[0] * 3 + [1] * (keys - 3), [0] * keys])[:batch])
    bias = {"bias": (batch, 1, queries, keys), "bias of heads": (HEADS, queries, keys), "bias of keys": (keys,)}
    name = "bias" if kind == "bias & keys" else kind
    added = net.input(*bias[name]) if name in bias else None
    slopes = 2.0 ** -torch.arange(1, HEADS + 1)
    alibi = (slopes[:, None, None] * (before - at)[None]).to(net.dtype)

    def of_keys(xs: Any) -> Any:
        return xs[position].to(torch.bool)[:, None, None, :]

    def condition(xs: Any) -> Any:
        if kind in ("causal", "is_causal"):
            return triangle
        if kind in ("keys", "bias & keys"):
            return of_keys(xs)
        if kind == "lengths":
            return (before < xs[position][:, None])[:, None, None, :]
        if kind == "segments":
            ids = xs[position]
            own = ids[:, keys - queries :]
            return (own[:, None, :, None] == ids[:, None, None, :]) & triangle
        if kind in ("window", "band"):
            return window if kind == "window" else band
        return of_keys(xs) & (window if kind == "window & keys" else triangle)

    def mask(xs: Any, scores: Any) -> Any:
        if kind == "none":
            return scores
        first = None
        if added is not None:
            first = xs[added]
        elif kind == "alibi":
            first = alibi
        elif kind == "causal added":
            first = torch.zeros(queries, keys, dtype=net.dtype).masked_fill(~triangle, hidden)
        elif kind == "keys added":
            zero = torch.zeros((), dtype=net.dtype)
            first = (
                torch.where(of_keys(xs), zero, lowest) if lowest == -inf else (1 - of_keys(xs).to(net.dtype)) * lowest
            )
        elif kind == "causal added & keys":
            first = torch.zeros(queries, keys, dtype=net.dtype).masked_fill(~triangle, lowest)
            first = first.expand(batch, 1, queries, keys).masked_fill(~of_keys(xs), lowest)
        if first is not None and kind != "bias & keys":
            return first if scores is None else scores + first
        shown = condition(xs)
        if scores is None:
            return shown if first is None else first.masked_fill(~shown, -inf)
        scores = scores if first is None else scores + first
        return scores.masked_fill(~shown, hidden) if draw.said["hidden"] == -inf else torch.where(shown, scores, hidden)

    return mask
