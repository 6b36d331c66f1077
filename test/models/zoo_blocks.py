"""Blocks of published image generators, small and with random weights: PyTorch modules after the papers."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportUntypedBaseClass=false, reportMissingImports=false

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention, silu


def heads_of(x: Tensor, heads: int) -> Tensor:
    """`[B, S, H * D]` as `[B, H, S, D]`."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)


def modulate(x: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    return x * (1 + scale) + shift


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions, of pairs of neighbours."""
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return x * cos + torch.stack((-odd, even), -1).flatten(-2) * sin


def angles(positions: int, dim: int) -> tuple[Tensor, Tensor]:
    rates = 100.0 ** (-torch.arange(0, dim, 2) / dim)
    table = torch.outer(torch.arange(positions), rates).repeat_interleave(2, -1)
    return table.cos(), table.sin()


class CrossAttention(nn.Module):
    def __init__(self, width: int, context: int, heads: int):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(context, width, bias=False)
        self.v = nn.Linear(context, width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        q, k, v = (heads_of(each, self.heads) for each in (self.q(x), self.k(context), self.v(context)))
        return self.out(attend(q, k, v))


class SpatialTransformer(nn.Module):
    """Self-attention, attention to a text and a gated feed-forward on the pixels of a feature map."""

    def __init__(self, width: int, context: int, heads: int, groups: int):
        super().__init__()
        self.norm = nn.GroupNorm(groups, width)
        self.enter = nn.Conv2d(width, width, 1)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.own = CrossAttention(width, width, heads)
        self.cross = CrossAttention(width, context, heads)
        self.gated = nn.Linear(width, 8 * width)
        self.down = nn.Linear(4 * width, width)
        self.leave = nn.Conv2d(width, width, 1)

    def forward(self, image: Tensor, context: Tensor) -> Tensor:
        x = self.enter(self.norm(image)).flatten(2).transpose(1, 2)
        read = self.norm1(x)
        x = x + self.own(read, read)
        x = x + self.cross(self.norm2(x), context)
        value, gate = self.gated(self.norm3(x)).chunk(2, -1)
        x = x + self.down(value * gelu(gate))
        return image + self.leave(x.transpose(1, 2).unflatten(2, image.shape[2:]))


class StableDiffusionUNetModel(nn.Module):
    """A residual block that reads the time, then a transformer that reads a text."""

    def __init__(self, channels: int, width: int, time: int, context: int, heads: int, groups: int):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(groups, channels), nn.GroupNorm(groups, width)
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.time = nn.Linear(time, width)
        self.skip = nn.Conv2d(channels, width, 1)
        self.transformer = SpatialTransformer(width, context, heads, groups)

    def forward(self, latents: Tensor, time: Tensor, context: Tensor) -> dict[str, Tensor]:
        x = self.conv1(silu(self.norm1(latents)))
        x = x + self.time(silu(time))[:, :, None, None]
        x = self.conv2(silu(self.norm2(x)))
        return {"last_hidden_state": self.transformer(self.skip(latents) + x, context)}


class DiTBlock(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.modulation = nn.Linear(width, 6 * width)
        self.norm1, self.norm2 = (nn.LayerNorm(width, elementwise_affine=False) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        shift1, scale1, gate1, shift2, scale2, gate2 = self.modulation(silu(condition))[:, None].chunk(6, -1)
        parts = self.qkv(modulate(self.norm1(x), shift1, scale1)).chunk(3, -1)
        x = x + gate1 * self.out(attend(*(heads_of(part, self.heads) for part in parts)))
        read = modulate(self.norm2(x), shift2, scale2)
        return x + gate2 * self.down(gelu(self.up(read), approximate="tanh"))


class DiTModel(nn.Module):
    """Blocks whose norms and residuals are modulated by a condition, and the last layer."""

    def __init__(self, width: int, heads: int, layers: int, patch: int):
        super().__init__()
        self.blocks = nn.ModuleList(DiTBlock(width, heads) for _ in range(layers))
        self.modulation = nn.Linear(width, 2 * width)
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.out = nn.Linear(width, patch)

    def forward(self, tokens: Tensor, condition: Tensor) -> dict[str, Tensor]:
        x = tokens
        for block in self.blocks:
            x = block(x, condition)
        shift, scale = self.modulation(silu(condition))[:, None].chunk(2, -1)
        return {"last_hidden_state": self.out(modulate(self.norm(x), shift, scale))}


class Stream(nn.Module):
    """One of the streams of a joint block: its own weights and modulation."""

    def __init__(self, width: int, heads: int, packed: bool):
        super().__init__()
        self.heads = heads
        self.modulation = nn.Linear(width, 6 * width)
        self.norm1, self.norm2 = (nn.LayerNorm(width, elementwise_affine=False) for _ in range(2))
        self.qkv = nn.ModuleList(nn.Linear(width, size) for size in ([3 * width] if packed else [width] * 3))
        self.q_norm, self.k_norm = nn.RMSNorm(width // heads, eps=1e-6), nn.RMSNorm(width // heads, eps=1e-6)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def project(self, x: Tensor, condition: Tensor) -> tuple[tuple[Tensor, Tensor, Tensor], tuple[Tensor, ...]]:
        """Queries, keys and values by head, and what modulates the rest."""
        shift, scale, *rest = self.modulation(silu(condition))[:, None].chunk(6, -1)
        read = modulate(self.norm1(x), shift, scale)
        made = [linear(read) for linear in self.qkv]
        parts = made if len(made) == 3 else made[0].chunk(3, -1)
        q, k, v = (heads_of(part, self.heads) for part in parts)
        return (self.q_norm(q), self.k_norm(k), v), tuple(rest)

    def finish(self, x: Tensor, attended: Tensor, rest: tuple[Tensor, ...]) -> Tensor:
        gate1, shift, scale, gate2 = rest
        x = x + gate1 * self.out(attended)
        read = modulate(self.norm2(x), shift, scale)
        return x + gate2 * self.down(gelu(self.up(read), approximate="tanh"))


class JointBlock(nn.Module):
    """Text and image attend to both, each with weights of its own."""

    def __init__(self, width: int, heads: int, packed: bool):
        super().__init__()
        self.text, self.image = Stream(width, heads, packed), Stream(width, heads, packed)

    def forward(
        self, tokens: Tensor, text: Tensor, condition: Tensor, rotary: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        of_text, rest_of_text = self.text.project(text, condition)
        of_image, rest_of_image = self.image.project(tokens, condition)
        q, k, v = (torch.cat(both, 2) for both in zip(of_text, of_image))
        attended = attend(q, k, v) if rotary is None else attend(turn(q, *rotary), turn(k, *rotary), v)
        before, after = attended.split([text.shape[1], tokens.shape[1]], 1)
        return self.image.finish(tokens, after, rest_of_image), self.text.finish(text, before, rest_of_text)


class StableDiffusion3Model(nn.Module):
    """Joint blocks, with norms of the heads."""

    def __init__(self, width: int, heads: int, layers: int):
        super().__init__()
        self.blocks = nn.ModuleList(JointBlock(width, heads, packed=False) for _ in range(layers))

    def forward(self, tokens: Tensor, text: Tensor, condition: Tensor) -> dict[str, Tensor]:
        x = tokens
        for block in self.blocks:
            x, text = block(x, text, condition)
        return {"last_hidden_state": x, "text.new": text}


class SingleBlock(nn.Module):
    """Attention and feed-forward side by side, between one product that leads in and one that leads out."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.width, self.heads = width, heads
        self.modulation = nn.Linear(width, 3 * width)
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.enter, self.leave = nn.Linear(width, 7 * width), nn.Linear(5 * width, width)
        self.q_norm, self.k_norm = nn.RMSNorm(width // heads, eps=1e-6), nn.RMSNorm(width // heads, eps=1e-6)

    def forward(self, x: Tensor, condition: Tensor, rotary: tuple[Tensor, Tensor]) -> Tensor:
        shift, scale, gate = self.modulation(silu(condition))[:, None].chunk(3, -1)
        qkv, up = self.enter(modulate(self.norm(x), shift, scale)).split([3 * self.width, 4 * self.width], -1)
        q, k, v = (heads_of(part, self.heads) for part in qkv.chunk(3, -1))
        attended = attend(turn(self.q_norm(q), *rotary), turn(self.k_norm(k), *rotary), v)
        return x + gate * self.leave(torch.cat((attended, gelu(up, approximate="tanh")), -1))


class FluxModel(nn.Module):
    """A joint block, then a single one on text and image as one sequence, with rotary positions."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.dim = width // heads
        self.joint, self.alone = JointBlock(width, heads, packed=True), SingleBlock(width, heads)

    def forward(self, tokens: Tensor, text: Tensor, condition: Tensor) -> dict[str, Tensor]:
        rotary = angles(text.shape[1] + tokens.shape[1], self.dim)
        image, text = self.joint(tokens, text, condition, rotary)
        x = self.alone(torch.cat((text, image), 1), condition, rotary)
        return {"last_hidden_state": x[:, text.shape[1] :]}
