"""Gated units, products with what ends them, norms, convolutions: the layers between attentions, in PyTorch."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from typing import Any

from built_torch import ACTIVATIONS, BATCH, PLACES, WIDTH, F, Net, normed, torch
from drawing import Case, Draw

HALVES = ("float32", "float32", "float32", "bfloat16", "float16")


def gated(draw: Draw) -> Case:
    """`down(act(gate(x)) * up(x))`, the two products one or two, the factors in either order."""
    net = Net(draw)
    net.of_type(draw.of("dtype", *HALVES))
    bias, inner = draw.of("bias", False, True), 24
    act = ACTIVATIONS[draw.of("act", *ACTIVATIONS)]
    first, packed = draw.of("gate first", True, False), draw.of("packed", False, True)
    cut = draw.of("cut", "chunk", "slice", "split", "unflatten")
    swapped, residual = draw.of("swapped", False, True), draw.of("residual", False, True)
    flat = draw.seldom("flat")
    down = net.linear("down", inner, WIDTH, bias)
    x = net.input(BATCH, PLACES, WIDTH)
    sizes = {"whole": 2 * inner} if packed else {"gate": inner, "up": inner}
    made = [net.linear(name, WIDTH, size, bias) for name, size in sizes.items()]

    def halves(y: Any) -> tuple[Any, Any]:
        if not packed:
            return made[0](y), made[1](y)
        z = made[0](y)
        if cut == "slice":
            a, b = z[..., :inner], z[..., inner:]
        elif cut == "unflatten":
            a, b = z.unflatten(-1, (2, inner)).unbind(-2)
        else:
            a, b = z.chunk(2, -1) if cut == "chunk" else z.split(inner, -1)
        return (a, b) if first else (b, a)

    def body(*xs: Any) -> Any:
        y = xs[x].view(-1, WIDTH) if flat else xs[x]
        g, u = halves(y)
        y = down(u * act(g) if swapped else act(g) * u)
        y = y.view(BATCH, PLACES, WIDTH) if flat else y
        return y + xs[x] if residual else y

    net.body = body
    # With a bias, the gate ends its own product.
    return net.case({}, {"fused_swiglu": int(packed or not bias)})


def epilogue(draw: Draw) -> Case:
    """A product with bias, activation and residual, moved about by views on the way."""
    net = Net(draw)
    net.of_type(draw.of("dtype", *HALVES))
    bias, act = draw.of("bias", True, False), draw.of("act", *ACTIVATIONS, "none")
    spelling = draw.of("spelling", "linear", "matmul", "addmm", "left", "einsum", "mm of view")
    view = draw.of("view", "none", "flat before", "split after", "heads", "transposed after", "squeezed")
    residual, scaled = draw.of("residual", False, True), draw.seldom("scaled")
    x, outputs = net.input(BATCH, PLACES, WIDTH), WIDTH
    weight = net.learnt("weight", WIDTH, outputs) if spelling != "linear" else None
    vector = net.learnt("shift", outputs) if bias else None
    whole = net.linear("whole", WIDTH, outputs, bias) if spelling == "linear" else None

    def product(y: Any) -> Any:
        if whole is not None:
            return whole(y)
        if spelling == "addmm" and vector is not None:
            return torch.addmm(vector, y.reshape(-1, WIDTH), weight).view(*y.shape[:-1], outputs)
        if spelling == "einsum":
            z = torch.einsum("...i,io->...o", y, weight)
        elif spelling == "mm of view":
            z = torch.mm(y.reshape(-1, WIDTH), weight).view(*y.shape[:-1], outputs)
        else:
            z = y @ weight
        if vector is None:
            return z
        return vector + z if spelling == "left" else z + vector

    def body(*xs: Any) -> Any:
        y = xs[x].reshape(-1, WIDTH) if view == "flat before" else xs[x]
        z = product(y)
        if view == "split after":
            z = z.reshape(BATCH, PLACES // 2, 2, outputs)
        elif view == "heads":
            z = z.view(BATCH, PLACES, 4, outputs // 4)
        elif view == "transposed after":
            z = z.transpose(1, 2)
        elif view == "squeezed":
            z = z.unsqueeze(1)
        z = ACTIVATIONS[act](z) if act != "none" else z
        z = z * 0.5 if scaled else z
        if view == "transposed after":
            z = z.transpose(1, 2)
        z = z.reshape(xs[x].shape)
        return z + xs[x] if residual else z

    net.body = body
    # An activation behind a transpose stands on its own, and so does a product that nothing follows.
    ended = bias or (act != "none" and view != "transposed after")
    return net.case({}, {"fused_matmul_bias_act": int(ended)})


def norm(draw: Draw) -> Case:
    """A norm of any kind, of a sum or not, which is read elsewhere or not."""
    net = Net(draw)
    dtype = net.of_type(draw.of("dtype", *HALVES))
    kind = draw.of("kind", "layer", "rms op", "rms plain", "rms llama", "rms gemma", "layer written", "layer f32")
    if dtype != "float32" and kind in ("rms plain", "layer written"):
        kind = "rms llama"
    residual = draw.of("residual", "none", "sum", "teed", "returned", "three", "biased", "flat")
    follows = draw.of("follows", "product", "none")
    affine = draw.of("affine", True, False) or kind not in ("layer", "layer written")
    weight: Any = net.learnt("weight", WIDTH, around=0.0 if kind == "rms gemma" else 1.0) if affine else None
    shift: Any = net.learnt("shift", WIDTH) if affine else None
    x, r, third = net.input(BATCH, PLACES, WIDTH), net.input(BATCH, PLACES, WIDTH), net.input(BATCH, PLACES, WIDTH)
    whole = net.linear("whole", WIDTH, WIDTH, False) if follows == "product" else None
    before: Any = net.linear("before", WIDTH, WIDTH, True) if residual == "biased" else None

    def normal(y: Any) -> Any:
        if kind.startswith("rms"):
            return normed(y, weight, kind.split()[1])
        if kind == "layer":
            return F.layer_norm(y, (WIDTH,), weight, shift, 1e-6)
        if kind == "layer f32":
            return F.layer_norm(y.float(), (WIDTH,), weight.float(), shift.float(), 1e-6).to(y.dtype)
        centred = y - y.mean(-1, keepdim=True)
        z = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-6)
        return z if weight is None else z * weight + shift

    def body(*xs: Any) -> Any:
        y = xs[x]
        if residual == "biased":
            y = xs[r] + before(y)
        elif residual == "three":
            y = xs[x] + xs[r] + xs[third]
        elif residual == "flat":
            y = (xs[x] + xs[r]).view(-1, WIDTH)
        elif residual != "none":
            y = xs[x] + xs[r]
        z = normal(y)
        z = z if whole is None else whole(z)
        z = z.view(BATCH, PLACES, WIDTH)
        if residual == "teed":
            return z + y
        return (z, y) if residual == "returned" else z

    net.body = body
    found = "rms" if kind.startswith("rms") else "ln"
    name = {"rms": "rms_norm", "ln": "layer_norm"}[found]
    fused = "fused_residual_rms_norm" if found == "rms" else "fused_residual_ln"
    return net.case({name: 1}, {fused: int(residual not in ("none", "flat"))})


def adaptive(draw: Draw) -> Case:
    """An adaptive norm and the gated residual behind it, as diffusion transformers have them."""
    net = Net(draw)
    net.of_type(draw.of("dtype", *HALVES))
    rms, one = draw.of("norm", "layer", "rms") == "rms", draw.of("scale", "1 + s", "s + 1", "y + y * s")
    bias = draw.of("ranks", "unsqueeze", "chunked", "by place")
    gate = draw.of("gate", True, False)
    x = net.input(BATCH, PLACES, WIDTH)
    c = net.input(*((BATCH, PLACES, WIDTH) if bias == "by place" else (BATCH, WIDTH)))
    modulation, whole = net.linear("modulation", WIDTH, 3 * WIDTH), net.linear("whole", WIDTH, WIDTH)

    def body(*xs: Any) -> Any:
        m = modulation(F.silu(xs[c]))
        if bias == "unsqueeze":
            shift, scale, g = (each.unsqueeze(1) for each in m.chunk(3, -1))
        elif bias == "chunked":
            shift, scale, g = m[:, None].chunk(3, -1)
        else:
            shift, scale, g = m.chunk(3, -1)
        y = normed(xs[x], None, "op") if rms else F.layer_norm(xs[x], (WIDTH,), None, None, 1e-6)
        factor = 1 + scale if one == "1 + s" else scale + 1
        y = (y + y * scale if one == "y + y * s" else y * factor) + shift
        z = whole(y)
        return xs[x] + g * z if gate else xs[x] + z

    net.body = body
    # A gate as large as the sum is an ordinary product.
    return net.case({}, {"ada_layer_norm": 1, "gated_residual": int(gate and bias != "by place")})


def convolution(draw: Draw) -> Case:
    """A convolution with what follows it: a bias, a batch norm, a residual, an activation."""
    net = Net(draw)
    net.of_type(draw.of("dtype", "float32", "float32", "float32", "bfloat16"))
    rank, bias, bn = draw.of("rank", 2, 1), draw.of("bias", True, False), draw.of("bn", False, True)
    act, residual = (
        draw.of("act", "relu", "silu", "gelu", "none", "relu6", "hard_swish"),
        draw.of("residual", False, True),
    )
    groups, kernel = draw.of("groups", 1, 2, 8), draw.of("kernel", 3, 1)
    last = draw.seldom("channels last")
    conv = net.part(
        "conv", getattr(torch.nn, f"Conv{rank}d")(8, 8, kernel, padding=kernel // 2, groups=groups, bias=bias)
    )
    norm = net.part("norm_weight", getattr(torch.nn, f"BatchNorm{rank}d")(8)) if bn else None
    if norm is not None:
        norm.running_mean = 0.2 * torch.randn(8, generator=net.generator).to(net.dtype)
        norm.running_var = (0.5 + torch.rand(8, generator=net.generator)).to(net.dtype)
    dims = (6, 5) if rank == 2 else (7,)
    x = net.input(BATCH, *dims, 8) if last else net.input(BATCH, 8, *dims)
    activation = {**ACTIVATIONS, "relu6": F.relu6, "none": torch.nn.Identity()}[act]

    def body(*xs: Any) -> Any:
        y = xs[x].movedim(-1, 1) if last else xs[x]
        z = conv(y)
        z = norm(z) if norm is not None else z
        z = activation(z + y if residual else z)
        return z.movedim(1, -1) if last else z

    net.body = body
    # A residual stands between the convolution and the activation; one without bias may end in an activation.
    ends = bias or bn or (not residual and act not in ("none", "relu6"))
    # Of halves a norm stays one, since they would be rounded twice.
    folded = bn and net.dtype == torch.float32
    return net.case({"batch_norm_inference": 0} if folded else {}, {"fused_conv_bias_act": int(ends)})
