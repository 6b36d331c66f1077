"""Small models as people write them."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import math
from typing import Any

from torch_oracle import torch

nn, F = torch.nn, torch.nn.functional


class EncoderLayer(nn.Module):
    """A layer of BERT, its attention written out or by `scaled_dot_product_attention`."""

    def __init__(self, width: int, heads: int, inner: int, eager: bool):
        super().__init__()
        self.heads, self.eager = heads, eager
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def split(self, x: Any) -> Any:
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def attention(self, x: Any, keys: Any) -> Any:
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        if not self.eager:
            mask = None if keys is None else keys[:, None, None, :]
            return F.scaled_dot_product_attention(q, k, v, mask)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        if keys is not None:
            scores = torch.where(keys[:, None, None, :], scores, torch.finfo(scores.dtype).min)
        return torch.matmul(self.dropout(scores.softmax(-1)), v)

    def forward(self, x: Any, keys: Any = None) -> Any:
        mixed = self.attention(x, keys).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.dropout(self.output(mixed)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Bert(nn.Module):
    """Two layers over the embeddings of tokens and places, with the keys that may be seen."""

    def __init__(self, eager: bool):
        super().__init__()
        torch.manual_seed(3)
        self.tokens, self.places = nn.Embedding(31, 16), nn.Embedding(12, 16)
        self.norm = nn.LayerNorm(16)
        self.layers = nn.ModuleList(EncoderLayer(16, 4, 32, eager) for _ in range(2))

    def forward(self, ids: Any, mask: Any) -> Any:
        x = self.norm(self.tokens(ids) + self.places(torch.arange(ids.shape[1])))
        keys = mask > 0
        for layer in self.layers:
            x = layer(x, keys)
        return {"hidden": x, "pooled": x.mean(1)}


def encoder(norm_first: bool, **options: Any) -> Any:
    """Two of PyTorch's own layers."""
    torch.manual_seed(5)
    layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True, norm_first=norm_first)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False, **options).eval()


class RMSNorm(nn.Module):
    """As the models of Hugging Face write it."""

    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, width))

    def forward(self, x: Any) -> Any:
        wide = x.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(x.dtype)


def half_turn(x: Any) -> Any:
    left, right = x.chunk(2, -1)
    return torch.cat((-right, left), -1)


class LlamaBlock(nn.Module):
    """Rotary embeddings, shared key heads, RMS norms and a gated feed forward."""

    def __init__(self, eager: bool = False, own_norm: bool = True, width: int = 32, heads: int = 4, kv_heads: int = 2):
        super().__init__()
        torch.manual_seed(9)
        self.heads, self.kv_heads, self.size, self.eager = heads, kv_heads, width // heads, eager
        self.q_proj, self.o_proj = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k_proj, self.v_proj = (nn.Linear(width, kv_heads * self.size, bias=False) for _ in range(2))
        self.gate_proj, self.up_proj = (nn.Linear(width, 48, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(48, width, bias=False)
        made = RMSNorm if own_norm else nn.RMSNorm
        self.norm1, self.norm2 = made(width), made(width)
        frequencies = 1.0 / (10000.0 ** (torch.arange(0, self.size, 2).float() / self.size))
        self.register_buffer("inv_freq", frequencies, persistent=False)

    @torch.no_grad()
    def tables(self, length: int) -> tuple[Any, Any]:
        angles = torch.outer(torch.arange(length).float(), self.inv_freq)
        both = torch.cat((angles, angles), -1)
        return both.cos(), both.sin()

    def attention(self, x: Any) -> Any:
        batch, length, _ = x.shape
        cos, sin = self.tables(length)
        q = self.q_proj(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        k, v = (
            projection(x).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
            for projection in (self.k_proj, self.v_proj)
        )
        q, k = (each * cos + half_turn(each) * sin for each in (q, k))
        if not self.eager:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        else:
            k, v = (each.repeat_interleave(self.heads // self.kv_heads, 1) for each in (k, v))
            seen = torch.ones(length, length, dtype=torch.bool).tril()
            scores = (q @ k.transpose(-1, -2) * self.size**-0.5).masked_fill(~seen, float("-inf"))
            mixed = scores.softmax(-1) @ v
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, length, -1))

    def forward(self, x: Any) -> Any:
        x = x + self.attention(self.norm1(x))
        y = self.norm2(x)
        return x + self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))


class ResidualBlock(nn.Module):
    """A block of ResNet after its stem."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(11)
        self.conv0, self.bn0 = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8)
        self.conv1, self.bn1 = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.pool, self.fc = nn.MaxPool2d(2), nn.Linear(8, 5)
        for norm in (self.bn0, self.bn1, self.bn2):
            norm.running_mean.uniform_(-0.5, 0.5)
            norm.running_var.uniform_(0.5, 1.5)
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.uniform_(norm.bias, -0.5, 0.5)

    def forward(self, x: Any) -> Any:
        x = self.pool(F.relu(self.bn0(self.conv0(x))))
        y = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(y)) + x)
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


class CellLoop(nn.Module):
    """Cells in a Python loop over the steps of a sequence."""

    def __init__(self, kind: str):
        super().__init__()
        torch.manual_seed(13)
        self.kind, self.cell, self.head = kind, getattr(nn, kind)(5, 6), nn.Linear(6, 2)

    def forward(self, x: Any) -> Any:
        state = (x.new_zeros(x.shape[0], 6),) * 2 if self.kind == "LSTMCell" else x.new_zeros(x.shape[0], 6)
        for step in x.unbind(1):
            state = self.cell(step, state)
        return self.head(state[0] if self.kind == "LSTMCell" else state)
