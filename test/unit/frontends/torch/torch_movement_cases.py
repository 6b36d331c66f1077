"""A small program for each op that moves elements."""

from __future__ import annotations

from typing import Any

from torch_cases import COUNTS, INTS, TRUTHS, OpCase, V, X, Y, floats, integers
from torch_oracle import torch

nn, F = torch.nn, torch.nn.functional

SHAPE = [
    OpCase("view", "aten.view.default", lambda x: x.view(4, -1), [V]),
    OpCase("reshape", "aten._unsafe_view.default", lambda x: x.transpose(0, 1).reshape(6, 4), [V]),
    OpCase("flatten", "aten.view.default", lambda x: x.flatten(1), [V]),
    OpCase("unflatten", "aten.view.default", lambda x: x.unflatten(2, (2, 2)), [V]),
    OpCase("squeeze", "aten.squeeze.default", lambda x: x[:, :1].squeeze(), [V]),
    OpCase("squeeze_dim", "aten.squeeze.dim", lambda x: x[:, :1].squeeze(1), [V]),
    OpCase("unsqueeze", "aten.unsqueeze.default", lambda x: x.unsqueeze(-1), [V]),
    OpCase("expand", "aten.expand.default", lambda x: x.expand(2, 3, -1), [floats(3, 1)]),
    OpCase("expand_new", "aten.expand.default", lambda x: x.expand(4, 3, 5), [X]),
    OpCase("expand_as", "aten.expand.default", lambda x, y: x.expand_as(y), [floats(5), X]),
    OpCase("permute", "aten.permute.default", lambda x: x.permute(2, 0, -2), [V]),
    OpCase("transpose", "aten.transpose.int", lambda x: x.transpose(0, -1), [V]),
    OpCase("t", "aten.t.default", lambda x: x.t() + 1, [X]),
    OpCase("movedim", "aten.permute.default", lambda x: x.movedim(0, 2), [V]),
    OpCase("select", "aten.select.int", lambda x: x[1], [V]),
    OpCase("select_from_end", "aten.select.int", lambda x: x[..., -1], [V]),
    OpCase("slice", "aten.slice.Tensor", lambda x: x[:, 1:], [V]),
    OpCase("slice_step", "aten.slice.Tensor", lambda x: x[..., 1::2], [V]),
    OpCase("slice_from_end", "aten.slice.Tensor", lambda x: x[:, -2:-1], [V]),
    OpCase("slice_beyond", "aten.slice.Tensor", lambda x: x[:, 2:100], [V]),
    OpCase("slice_nothing", "aten.slice.Tensor", lambda x: x[:, 3:], [V]),
    OpCase("narrow", "aten.slice.Tensor", lambda x: x.narrow(2, 1, 2), [V]),
    OpCase("split", "aten.split.Tensor", lambda x: x.split(2, -1), [floats(2, 5)]),
    OpCase("split_sizes", "aten.split_with_sizes.default", lambda x: x.split([1, 4], 1), [floats(2, 5)]),
    OpCase("chunk", "aten.split.Tensor", lambda x: x.chunk(3, 1), [floats(2, 7)]),
    OpCase("unbind", "aten.unbind.int", lambda x: x.unbind(1), [V]),
    OpCase("cat", "aten.cat.default", lambda x, y: torch.cat([x, y, x], 1), [X, floats(3, 2)]),
    OpCase("cat_mixed", "aten.cat.default", lambda x, i: torch.cat([x, i], -1), [X, INTS]),
    OpCase("cat_empty", "aten.cat.default", lambda x: torch.cat([torch.zeros(0), x], 1), [X]),
    OpCase("stack", "aten.stack.default", lambda x, y: torch.stack([x, y], 1), [X, Y]),
    OpCase("stack_last", "aten.stack.default", lambda x, y: torch.stack([x, y], -1), [X, Y]),
    OpCase("hstack", "aten.cat.default", lambda x, y: torch.hstack([x, y]), [X, Y]),
    OpCase("diagonal", "aten.diagonal.default", lambda x: torch.diagonal(x, 1, 0, 2), [V]),
    OpCase("diag_embed", "aten.where.self", torch.diag_embed, [X]),
    OpCase("trace", "aten.diagonal.default", torch.trace, [floats(4, 4)]),
    OpCase("repeat", "aten.repeat.default", lambda x: x.repeat(2, 1, 3), [X]),
    OpCase("repeat_ones", "aten.repeat.default", lambda x: x.repeat(2, 4, 1), [floats(1, 5)]),
    OpCase("tile", "aten.repeat.default", lambda x: x.tile(2), [X]),
    OpCase("repeat_interleave", "aten.repeat_interleave.self_int", lambda x: x.repeat_interleave(2, dim=1), [V]),
    OpCase("repeat_interleave_flat", "aten.repeat_interleave.self_int", lambda x: x.repeat_interleave(3), [X]),
    OpCase("windows", "aten.unfold.default", lambda x: x.unfold(1, 2, 1), [V]),
    OpCase("windows_of_steps", "aten.unfold.default", lambda x: x.unfold(-1, 2, 2).unfold(0, 1, 1), [V]),
    OpCase("windows_beside", "aten.unfold.default", lambda x: x.unfold(1, 2, 3), [floats(2, 7)]),
    OpCase("windows_of_a_number", "aten.unfold.default", lambda x: x.sum().unfold(0, 1, 1), [X]),
    OpCase("flip", "aten.flip.default", lambda x: x.flip(0, -1), [V]),
    OpCase("roll", "aten.roll.default", lambda x: x.roll((1, -2), (0, 2)), [V]),
    OpCase("roll_flat", "aten.roll.default", lambda x: x.roll(3), [X]),
    OpCase("triu", "aten.triu.default", lambda x: x.triu(1), [V]),
    OpCase("tril", "aten.tril.default", lambda x: x.tril(-1), [X]),
    OpCase("rot90", "aten.flip.default", torch.rot90, [X]),
    OpCase("meshgrid", "aten.expand.default", lambda x, y: torch.meshgrid(x, y, indexing="ij"), [floats(3), floats(4)]),
    OpCase("pad", "aten.pad.default", lambda x: F.pad(x, (1, 2, -1, 0), value=1.5), [X]),
    OpCase("pad_integers", "aten.pad.default", lambda x: F.pad(x, (0, 1), value=3), [INTS]),
    *(
        OpCase(f"pad_{mode}", "aten.pad.default", lambda x, mode=mode: F.pad(x, (2, 1), mode=mode), [V])
        for mode in ("reflect", "replicate", "circular")
    ),
    OpCase(
        "pad_reflect_2d", "aten.pad.default", lambda x: F.pad(x, (1, 0, 2, 1), mode="reflect"), [floats(1, 2, 3, 4)]
    ),
    OpCase("pixel_shuffle", "aten.permute.default", lambda x: F.pixel_shuffle(x, 2), [floats(1, 8, 3, 2)]),
    OpCase("pixel_unshuffle", "aten.permute.default", lambda x: F.pixel_unshuffle(x, 2), [floats(1, 2, 4, 6)]),
    OpCase("channel_shuffle", "aten.transpose.int", lambda x: F.channel_shuffle(x, 2), [floats(1, 6, 3, 2)]),
    OpCase("unfold", "aten.im2col.default", lambda x: F.unfold(x, (2, 3), padding=1, stride=2), [floats(2, 3, 5, 6)]),
    OpCase("copy", "aten.copy.default", lambda x, y: torch.ops.aten.copy.default(x, y), [X, INTS[0]]),
]

FILLING = [
    OpCase("full", "aten.full.default", lambda x: torch.full((2, 3), 1.5) + x, [floats(3)]),
    OpCase("full_like", "aten.full_like.default", lambda x: torch.full_like(x, 7) * x, [INTS]),
    OpCase(
        "zeros_ones",
        "aten.zeros_like.default",
        lambda x: torch.ones(3, 5, dtype=torch.int32) + torch.zeros_like(x),
        [INTS.int()],
    ),
    OpCase("new_ones", "aten.new_ones.default", lambda x: x.new_ones(5) + x, [X]),
    OpCase("full_bool", "aten.ones.default", lambda x: torch.ones(3, 5, dtype=torch.bool) & x, [TRUTHS]),
    OpCase("fill", "aten.fill.Scalar", lambda x: torch.empty_like(x).fill_(2.5) + x, [X]),
    OpCase("empty", "aten.empty.memory_format", lambda x: torch.empty(3, 5).fill_(2) + x, [X]),
    OpCase("new_empty", "aten.new_empty.default", lambda x: x.new_empty(5).fill_(2) + x, [X]),
    OpCase("arange", "aten.arange.start_step", lambda x: torch.arange(5) + x, [INTS]),
    OpCase("arange_step", "aten.arange.start_step", lambda x: torch.arange(10, 0, -2) + x, [INTS]),
    OpCase("arange_floats", "aten.arange.start_step", lambda x: torch.arange(0.1, 1.0, 0.2) + x, [X]),
    OpCase("arange_cast", "aten.arange.start_step", lambda x: torch.arange(5, dtype=torch.float32) * x, [X]),
    OpCase("linspace", "aten.where.self", lambda x: torch.linspace(-1, 1, 5) + x, [X]),
    OpCase("eye", "aten.eq.Tensor", lambda x: torch.eye(3) @ x, [X]),
    OpCase("scalar_tensor", "aten.scalar_tensor.default", lambda x: torch.scalar_tensor(2.5) * x, [X]),
    OpCase("tensor", "", lambda x: torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]) * x, [X]),
    OpCase("one_hot", "aten.eq.Tensor", lambda i: F.one_hot(i, 9), [COUNTS[0]]),
    OpCase("tril_indices", "", lambda x: torch.tril_indices(3, 3) + x, [integers(2, 6)]),
]

PICK = integers(4, low=0, high=3, name="pick")
SIGNED = integers(4, low=-3, high=3, name="signed")

INDEXING = [
    OpCase("embedding", "aten.embedding.default", F.embedding, [integers(2, 3, low=0, high=6), floats(6, 4)]),
    OpCase(
        "embedding_padding",
        "aten.embedding.default",
        lambda i, w: F.embedding(i, w, padding_idx=0),
        [integers(3, low=0, high=6), floats(6, 4)],
    ),
    OpCase("index_select", "aten.index_select.default", lambda x, i: x.index_select(1, i), [V, PICK]),
    OpCase("gather", "aten.gather.default", lambda x, i: x.gather(1, i), [V, integers(2, 2, 3, low=0, high=3)]),
    OpCase(
        "take_along_dim",
        "aten.gather.default",
        lambda x, i: torch.take_along_dim(x, i, 1),
        [X, integers(3, 2, low=0, high=5)],
    ),
    OpCase("take", "aten.take.default", torch.take, [X, integers(2, 2, low=-15, high=15)]),
    OpCase("index_one", "aten.index.Tensor", lambda x, i: x[i], [floats(3, 4), SIGNED]),
    OpCase("index_one_constant", "aten.index.Tensor", lambda x: x[:, torch.tensor([0, 2, 2])], [V]),
    OpCase("index_negative_constant", "aten.index.Tensor", lambda x: x[:, torch.tensor([0, -1])], [V]),
    OpCase("index_inner", "aten.index.Tensor", lambda x, i: x[:, i], [V, SIGNED]),
    OpCase("index_two", "aten.index.Tensor", lambda x, i, j: x[i, j], [floats(3, 3, 2), SIGNED, PICK]),
    OpCase(
        "index_two_broadcast",
        "aten.index.Tensor",
        lambda x, i, j: x[i[:, None], j],
        [floats(3, 3, 2), SIGNED, PICK[:2]],
    ),
    OpCase("index_two_inner", "aten.index.Tensor", lambda x, i, j: x[:, i, j], [floats(2, 3, 3), SIGNED, PICK]),
    OpCase("index_two_apart", "aten.index.Tensor", lambda x, i, j: x[i, :, j], [floats(3, 2, 3), SIGNED, PICK]),
    OpCase("index_row_numbers", "aten.index.Tensor", lambda x, i: x[torch.arange(3), i], [floats(3, 3), PICK[:3]]),
    OpCase(
        "index_put",
        "aten.index_put.default",
        lambda x, i, v: x.index_put((i,), v),
        [X, torch.tensor([2, 0]), floats(2, 5)],
    ),
    OpCase(
        "index_put_add",
        "aten.index_put.default",
        lambda x, i, v: x.index_put((i, i), v, accumulate=True),
        [floats(4, 4), SIGNED, floats(4)],
    ),
    OpCase(
        "index_put_inner",
        "aten.index_put.default",
        lambda x, i, v: torch.ops.aten.index_put(x, [None, i], v),
        [V, torch.tensor([2, 0]), floats(2, 2, 4)],
    ),
    OpCase(
        "index_put_value",
        "aten.index_put.default",
        lambda x, i: x.index_put((i,), torch.tensor(1.5)),
        [X, torch.tensor([2, 0])],
    ),
    OpCase("index_put_mask", "aten.index_put.default", lambda x, b: x.index_put((b,), torch.tensor(1.5)), [X, TRUTHS]),
    OpCase(
        "index_put_rows", "aten.index_put.default", lambda x, b: x.index_put((b,), torch.tensor(1.5)), [X, TRUTHS[:, 0]]
    ),
    OpCase("assign", "aten.copy.default", lambda x: _assigned(x), [X]),
    OpCase("assign_mask", "aten.index_put.default", lambda x, b: _assigned_mask(x, b), [X, TRUTHS]),
    OpCase(
        "index_add", "aten.index_add.default", lambda x, i, v: x.index_add(1, i, v, alpha=2), [V, PICK, floats(2, 4, 4)]
    ),
    OpCase(
        "index_copy",
        "aten.index_copy.default",
        lambda x, i, v: x.index_copy(1, i, v),
        [V, torch.tensor([2, 0]), floats(2, 2, 4)],
    ),
    OpCase(
        "select_scatter",
        "aten.select_scatter.default",
        lambda x, v: torch.select_scatter(x, v, 1, -1),
        [V, floats(2, 4)],
    ),
    OpCase(
        "slice_scatter",
        "aten.slice_scatter.default",
        lambda x, v: torch.slice_scatter(x, v, 1, 1, 3),
        [V, floats(2, 2, 4)],
    ),
    OpCase(
        "slice_scatter_step",
        "aten.slice_scatter.default",
        lambda x, v: torch.slice_scatter(x, v, 2, 1, None, 2),
        [V, floats(2, 3, 2)],
    ),
    OpCase(
        "scatter",
        "aten.scatter.src",
        lambda x, i, v: x.scatter(1, i, v),
        [X, torch.tensor([[0, 2], [1, 4], [3, 0]]), Y],
    ),
    OpCase(
        "scatter_value", "aten.scatter.value", lambda x, i: x.scatter(0, i, 2.5), [X, integers(2, 5, low=0, high=3)]
    ),
    OpCase(
        "scatter_add",
        "aten.scatter_add.default",
        lambda x, i, v: x.scatter_add(0, i, v),
        [X, integers(2, 4, low=0, high=3), Y],
    ),
    *(
        OpCase(
            f"scatter_reduce_{how}",
            "aten.scatter_reduce.two",
            lambda x, i, v, how=how: x.scatter_reduce(1, i, v, how),
            [X, integers(3, 4, low=0, high=5), Y],
        )
        for how in ("sum", "prod", "amax", "amin")
    ),
    OpCase("masked_scatter", "aten.masked_scatter.default", lambda x, b, y: x.masked_scatter(b, y), [X, TRUTHS, Y]),
    OpCase(
        "scatter_reduce_alone",
        "aten.scatter_reduce.two",
        lambda x, i, v: x.scatter_reduce(1, i, v, "amax", include_self=False),
        [X, integers(3, 4, low=0, high=5), Y],
    ),
]


def _assigned(x: Any) -> Any:
    y = x.clone()
    y[1] = 7
    y[:, 2:4] = y[:, :2] + 1
    return y


def _assigned_mask(x: Any, mask: Any) -> Any:
    y = x * 2
    y[mask] = -1.0
    return y
