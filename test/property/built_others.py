"""Experts, embeddings, decoding with a cache, loops over layers and quantised products, in PyTorch."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
from typing import Any

from built_torch import ACTIVATIONS, BATCH, PLACES, WIDTH, F, Net, normed, torch
from drawing import Case, Draw

HEADS, DIM = 4, 8


def experts(draw: Draw) -> Case:
    """A router and gated experts of which each token takes the best, by products over all of them or one by one."""
    net = Net(draw)
    net.of_type(draw.of("dtype", "float32", "float32", "bfloat16"))
    count, most, inner = 4, draw.of("most", 2, 1), 12
    order = draw.of("order", "softmax first", "top first", "sigmoid")
    way, act = draw.of("way", "one by one", "einsum", "bmm"), ACTIVATIONS[draw.of("act", "silu", "gelu", "relu")]
    common = draw.seldom("common expert")
    router = net.linear("router", WIDTH, count, draw.of("router bias", False, True))
    gate, up = net.learnt("gate", count, WIDTH, inner), net.learnt("up", count, WIDTH, inner)
    down = net.learnt("down", count, inner, WIDTH)
    always = net.linear("always", WIDTH, WIDTH, True) if common else None
    x = net.input(BATCH, PLACES, WIDTH)

    def shares(y: Any) -> Any:
        scores = router(y).float()
        if order == "top first":
            best, chosen = scores.topk(most, -1)
            best = torch.softmax(best, -1)
        else:
            weights = torch.softmax(scores, -1) if order == "softmax first" else torch.sigmoid(scores)
            best, chosen = weights.topk(most, -1)
            best = best / best.sum(-1, keepdim=True)
        return torch.zeros_like(scores).scatter(-1, chosen, best).to(y.dtype)

    def body(*xs: Any) -> Any:
        y = xs[x].reshape(-1, WIDTH)
        part = shares(y)
        if way == "one by one":
            z = torch.zeros_like(y)
            for e in range(count):
                z = z + part[:, e, None] * ((act(y @ gate[e]) * (y @ up[e])) @ down[e])
        elif way == "einsum":
            h = act(torch.einsum("ti,eio->teo", y, gate)) * torch.einsum("ti,eio->teo", y, up)
            z = torch.einsum("teo,eod,te->td", h, down, part)
        else:
            wide = y.expand(count, *y.shape)
            z = (torch.bmm(act(torch.bmm(wide, gate)) * torch.bmm(wide, up), down) * part.t()[..., None]).sum(0)
        z = z + always(y) if always is not None else z
        return z.view(BATCH, PLACES, WIDTH)

    net.body = body
    each = {"one by one": count}.get(way)
    softmaxes = {"softmax": int(order != "sigmoid")}
    return net.case(softmaxes, {} if each is None else {"fused_swiglu": each})


def embedding(draw: Draw) -> Case:
    """Tokens and places looked up, summed and normed."""
    net = Net(draw)
    net.of_type(draw.of("dtype", "float32", "float32", "bfloat16", "float16"))
    table = net.part("tokens", torch.nn.Embedding(20, WIDTH))
    places = draw.of("places", "row", "table", "none", "input")
    rms, scaled = draw.of("norm", "layer", "rms") == "rms", draw.seldom("scaled")
    tied = draw.of("tied", False, True)
    where = net.part("where", torch.nn.Embedding(PLACES, WIDTH))
    weight, shift = net.learnt("norm_weight", WIDTH, around=1.0), net.learnt("norm_shift", WIDTH)
    ids = net.also(torch.randint(0, 20, (BATCH, PLACES), generator=net.generator))
    at = net.also(torch.arange(PLACES).flip(0).expand(BATCH, PLACES).contiguous()) if places == "input" else None

    def body(*xs: Any) -> Any:
        y = table(xs[ids])
        y = y * WIDTH**0.5 if scaled else y
        if places == "row":
            y = y + where.weight[:PLACES]
        elif places == "table":
            y = y + where(torch.arange(PLACES))[None]
        elif at is not None:
            y = y + where(xs[at])
        y = normed(y, weight, "op") if rms else F.layer_norm(y, (WIDTH,), weight, shift)
        return y @ table.weight.t() if tied else y

    net.body = body
    kind = "fused_residual_rms_norm" if rms else "fused_residual_ln"
    return net.case({"rms_norm" if rms else "layer_norm": 1}, {kind: int(places == "input")})


def decoding(draw: Draw) -> Case:
    """A few tokens behind a cache, which comes back with them."""
    net = Net(draw)
    net.of_type(draw.of("dtype", "float32", "float32", "bfloat16"))
    kv_heads, new = draw.of("kv_heads", 4, 2, 1), draw.of("new", 1, 3)
    way = draw.of("cache", "joined", "written", "index_copy", "by place")
    room, kept = (8, 5) if way != "joined" else (5 + new, 5)
    projected = net.linear("qkv", WIDTH, (HEADS + 2 * kv_heads) * DIM, draw.of("bias", False, True))
    out = net.linear("out", HEADS * DIM, WIDTH, False)
    mask = draw.of("mask", "places", "none" if way == "joined" and new == 1 else "places")
    x = net.input(BATCH, new, WIDTH)
    dims = (BATCH, kv_heads, kept if way == "joined" else room, DIM)
    dims = (dims[0], dims[2], dims[1], dims[3]) if way == "by place" else dims
    keys, values = net.input(*dims), net.input(*dims)
    position = net.also(torch.arange(kept, kept + new))

    def cached(old: Any, now: Any, at: Any) -> Any:
        if way == "joined":
            return torch.cat([old, now], 2)
        if way == "by place":
            return old.index_copy(1, at, now.transpose(1, 2))
        if way == "index_copy":
            return old.index_copy(2, at, now)
        return torch.cat([old[:, :, :kept], now, old[:, :, kept + new :]], 2)

    def body(*xs: Any) -> Any:
        sizes = [HEADS * DIM, kv_heads * DIM, kv_heads * DIM]
        q, k, v = (part.view(BATCH, new, -1, DIM).transpose(1, 2) for part in projected(xs[x]).split(sizes, -1))
        k, v = cached(xs[keys], k, xs[position]), cached(xs[values], v, xs[position])
        read_k, read_v = (k.transpose(1, 2), v.transpose(1, 2)) if way == "by place" else (k, v)
        shown = (torch.arange(room)[None] <= xs[position][:, None]) if mask == "places" else None
        y = F.scaled_dot_product_attention(q, read_k, read_v, shown, enable_gqa=kv_heads != HEADS)
        return out(y.transpose(1, 2).reshape(BATCH, new, HEADS * DIM)), k, v

    net.body = body
    return net.case({"attention": 1, "softmax": 0}, {})


def layers(draw: Draw) -> Case:
    """Blocks of a norm and a gated unit, in a loop of the module or in one of the program."""
    net = Net(draw)
    count, way = draw.of("count", 2, 3), draw.of("way", "module", "scan", "stacked")
    bias, rms = draw.of("bias", False, True), draw.of("norm", "rms", "layer") == "rms"
    act, inner = ACTIVATIONS[draw.of("act", "silu", "gelu", "sigmoid")], 24
    scale = net.learnt("norm_weight", count, WIDTH, around=1.0)
    shift = net.learnt("norm_shift", count, WIDTH)
    whole, down = net.learnt("whole", count, WIDTH, 2 * inner), net.learnt("down", count, inner, WIDTH)
    end = net.learnt("end", count, WIDTH)
    x = net.input(BATCH, PLACES, WIDTH)

    def block(y: Any, w: Any, b: Any, packed: Any, last: Any, e: Any) -> Any:
        z = normed(y, w, "op") if rms else F.layer_norm(y, (WIDTH,), w, b)
        g, u = (z @ packed).chunk(2, -1)
        z = (act(g) * u) @ last
        return y + (z + e if bias else z)

    def step(y: Any, parts: Any) -> tuple[Any, Any]:
        return block(y, *parts), y.sum()

    def body(*xs: Any) -> Any:
        y = xs[x]
        stacked = (scale, shift, whole, down, end)
        if way == "scan":
            scan = importlib.import_module("torch._higher_order_ops.scan").scan
            return scan(step, y, stacked)[0]
        for i in range(count):
            y = block(y, *(each[i] for each in stacked))
        return y

    net.body = body
    times = 1 if way == "scan" else count
    return net.case({"rms_norm" if rms else "layer_norm": times}, {"fused_swiglu": times})


def quantised(draw: Draw) -> Case:
    """A product with weights of eight bits and their scales, of columns or groups, with what ends it."""
    net = Net(draw)
    net.of_type(draw.of("dtype", "float32", "float32", "bfloat16"))
    way = draw.of("way", "columns", "groups", "after", "zero points")
    act, bias = draw.of("act", "relu", "silu", "none"), draw.of("bias", True, False)
    codes = torch.randint(-127, 128, (WIDTH, WIDTH), generator=net.generator).to(torch.int8)
    net.register_buffer("codes", codes)
    scales = net.learnt("scales", *((WIDTH, 2, 1) if way == "groups" else (WIDTH, 1)), around=0.004, size=0.001)
    zeros = torch.randint(-5, 5, (WIDTH, 1), generator=net.generator).to(torch.int8)
    net.register_buffer("zeros", zeros)
    vector = net.learnt("shift", WIDTH)
    x = net.input(BATCH, PLACES, WIDTH)

    def body(*xs: Any) -> Any:
        y, wide = xs[x], net.codes.to(net.dtype)
        if way == "groups":
            y = F.linear(y, (wide.view(WIDTH, 2, -1) * scales).view(WIDTH, WIDTH))
        elif way == "after":
            y = F.linear(y, wide) * scales.view(-1)
        else:
            y = F.linear(y, (wide - net.zeros.to(net.dtype) if way == "zero points" else wide) * scales)
        y = y + vector if bias else y
        return ACTIVATIONS[act](y) if act != "none" else y

    net.body = body
    # Scales behind the product stand between it and what follows.
    ends = (bias or act != "none") and way != "after"
    return net.case({}, {"fused_matmul_bias_act": int(ends)})


def multihead(draw: Draw) -> Case:
    """`nn.MultiheadAttention` in its forms."""
    net = Net(draw)
    first, bias = draw.of("batch first", True, False), draw.of("bias", True, False)
    weights, average = draw.of("weights", False, True), draw.of("average", True, False)
    masked, padded = draw.of("mask", "none", "bool", "float", "heads"), draw.of("padding", False, True)
    own, cross = draw.of("own sizes", False, True), draw.of("cross", False, True)
    added = draw.seldom("bias of keys")
    keys = 5 if cross else PLACES
    sizes = {"kdim": 12, "vdim": 12} if own and cross else {}
    whole = net.part(
        "whole", torch.nn.MultiheadAttention(WIDTH, HEADS, bias=bias, batch_first=first, add_bias_kv=added, **sizes)
    )
    x = net.input(*((BATCH, PLACES, WIDTH) if first else (PLACES, BATCH, WIDTH)))
    width = 12 if sizes else WIDTH
    y = net.input(*((BATCH, keys, width) if first else (keys, BATCH, width))) if cross else x
    hidden = torch.ones(PLACES, keys, dtype=torch.bool).triu(1)
    if masked == "float":
        hidden = torch.zeros(PLACES, keys).masked_fill(hidden, float("-inf"))
    elif masked == "heads":
        hidden = hidden.expand(BATCH * HEADS, PLACES, keys)
    padding = torch.zeros(BATCH, keys, dtype=torch.bool)
    padding[1, -2:] = True
    at = net.also(padding) if padded else None

    def body(*xs: Any) -> Any:
        given = None if at is None else xs[at]
        mask = None if masked == "none" else hidden
        if given is not None and masked == "float":
            given = torch.zeros_like(given, dtype=torch.float32).masked_fill(given, float("-inf"))
        z, p = whole(xs[x], xs[y], xs[y], given, weights, mask, average_attn_weights=average)
        return (z, p) if weights else z

    net.body = body
    return net.case({"attention": 1, "softmax": int(weights)}, {})
