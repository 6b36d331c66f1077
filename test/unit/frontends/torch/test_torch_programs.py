"""Names, dims known at run time only, constants, tied weights, promotion and control flow in programs that are read."""

# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import pytest
from torch_cases import floats, integers, truths
from torch_oracle import Wrapped, arguments, array, check, compare, results_of, same, torch
from xdsl.dialects.arith import ConstantOp

from rlx_dialect.ops import AttentionOp, CastOp, GatherOp, IotaOp
from rlx_dialect.signature import dims_of, find_function
from rlx_passes import from_torch
from rlx_passes.frontends.torch.coverage import torch_coverage
from rlx_passes.frontends.torch.export import decompositions
from rlx_passes.frontends.torch.registry import REFUSED, RULES
from rlx_passes.rewriting.miss import place

nn, F = torch.nn, torch.nn.functional
Dim = torch.export.Dim


# Names.


class Named(nn.Module):
    def forward(self, x: Any, *more: Any, pair: tuple[Any, Any], options: Mapping[str, Any]) -> Any:
        left, right = pair
        return x + more[0], {"sum": left + right, "parts": [options["scale"] * x, options["shift"]]}


def test_names_of_inputs_and_results():
    tensors = [floats(3, name=str(i)) for i in range(6)]
    kwargs = {"pair": (tensors[2], tensors[3]), "options": {"scale": tensors[4], "shift": tensors[5]}}
    program = from_torch(Named(), tuple(tensors[:2]), kwargs, name="forward")
    names = ["x", "more.0", "pair.0", "pair.1", "options.scale", "options.shift"]
    assert arguments(program) == names
    assert find_function(program.module).sym_name.data == "forward"
    results = results_of(program, tensors, names)
    assert list(results) == ["out0", "out1.sum", "out1.parts.0", "out1.parts.1"]
    same(results["out1.sum"], array(tensors[2] + tensors[3]))


def test_one_tensor_and_arguments_that_are_none():
    module = nn.Linear(3, 4)
    program = from_torch(module, floats(2, 3))
    compare(program, module, [floats(2, 3, name="other")], 1e-5)
    scaled = Wrapped(lambda x, factor, flag: x * factor if flag else x)
    assert arguments(from_torch(scaled, (floats(3), 2.5, True))) == ["xs.0"]


class Clash(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Parameter(torch.ones(3))

    def forward(self, x: Any) -> Any:
        return self.x + x


def test_an_input_and_a_parameter_of_one_name():
    program = from_torch(Clash(), (floats(3),))
    assert (arguments(program), list(program.params)) == (["x", "x.param"], ["x.param"])


def test_ops_know_the_module_that_they_are_of():
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.GELU()))
    places = [
        place(op.location).strip('"') for op in find_function(from_torch(model, (floats(2, 3),)).module).body.block.ops
    ]
    assert places[:4] == ["0 (Linear)", "0 (Linear)", "0 (Linear)", "1.0 (GELU)"]


# Weights and constants.


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        self.head.weight = self.tokens.weight
        self.register_buffer("scale", torch.tensor(2.0), persistent=False)

    def forward(self, ids: Any) -> Any:
        return self.head(self.tokens(ids) * self.scale)


def test_tied_weights_are_one_param():
    module = Tied()
    program = check(module, [integers(3, low=0, high=7)], 1e-5)
    assert sorted(program.params) == ["scale", "tokens.weight"]


def test_weights_in_all_types_that_numpy_lacks():
    module = nn.Linear(3, 4).bfloat16()
    program = check(module, [floats(2, 3).bfloat16()], 5e-2)
    assert str(program.params["weight"].dtype) == "bfloat16"


def test_constants_of_a_module_stand_in_the_program():
    table = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    program = check(lambda x: x @ table, [floats(2, 3)], 1e-5)
    assert not program.params
    (constant,) = (op for op in program.module.walk() if isinstance(op, ConstantOp))
    assert str(constant.result.type) == "tensor<3x4xf32>"


def test_large_constants_are_params():
    table = torch.ones(257, 256)
    program = check(lambda x: x @ table, [floats(2, 257)], 1e-4)
    assert [each.shape for each in program.params.values()] == [(257, 256)]


def test_promotion_is_written_out():
    program = check(lambda x, i: (x * i, x > i, i / 2), [floats(3).half(), integers(3)])
    casts = [str(op.result.type) for op in program.module.walk() if isinstance(op, CastOp)]
    assert casts == ["tensor<3xf16>", "tensor<3xf16>", "tensor<3xf32>"]


# Dims known at run time only.


class Ragged(nn.Module):
    """Shapes reckoned from those of the input."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 12)

    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        batch, length, _ = y.shape
        split = y.view(batch, length, 3, 4).transpose(1, 2)
        return {
            "merged": split.reshape(batch * 3, length, 4),
            "places": torch.arange(length) + batch,
            "last": x[:, -1],
            "rest": x[:, 1:],
            "half": torch.arange(length // 2),
            "rest of half": torch.arange(length % 3 + 2),
            "mean": x.mean((0, 1)),
            "spread": x.var(1),
            "wide": torch.cat([x, x], 1),
            "stretched": x[:, :1].expand(-1, length, -1) + x.new_zeros(batch, length, 1),
            "first": x.flatten(0, 1),
            "picked": x[torch.arange(batch), torch.zeros(batch, dtype=torch.int64)],
        }


def test_dims_known_at_run_time_only():
    module, example = Ragged().eval(), floats(3, 5, 6)
    program = from_torch(module, (example,), dynamic_shapes={"x": {0: Dim("batch"), 1: Dim("seq", min=4)}})
    assert dims_of(find_function(program.module))[0] == ["batch", "seq", 6]
    for shape in ((3, 5, 6), (2, 9, 6), (7, 4, 6)):
        compare(program, module, [floats(*shape)], 1e-5)


def test_dims_of_several_inputs():
    """A name for dims that are equal, an expression where one follows from another."""
    n = Dim("n")
    module = Wrapped(lambda x, y, z: x + y.sum() + z.sum())
    program = from_torch(module, (floats(3), floats(6), floats(3)), dynamic_shapes=(({0: n}, {0: 2 * n}, {0: n}),))
    assert dims_of(find_function(program.module)) == [["n"], ["2*n"], ["n"]]
    compare(program, module, [floats(5), floats(10), floats(5)], 1e-5)


def test_f24_windows_of_a_dim_known_at_run_time_only():
    """`Tensor.unfold`, which PyTorch would take apart into strides of its memory."""
    module = Wrapped(lambda x: x.unfold(1, 3, 2))
    program = from_torch(module, (floats(2, 9, 4),), dynamic_shapes=(({0: Dim("b"), 1: Dim("s", min=8)},),))
    for x in (floats(2, 9, 4), floats(3, 12, 4)):
        (result,) = results_of(program, [x]).values()
        same(result, array(module(x)))


def test_dims_without_a_name():
    program = from_torch(Wrapped(lambda x: x * 2), (floats(3, 4),), dynamic_shapes=(({0: Dim.DYNAMIC},),))
    (dims,) = dims_of(find_function(program.module))
    assert dims is not None
    assert isinstance(dims[0], str)
    assert dims[1] == 4


def test_attention_over_a_length_known_at_run_time_only():
    def attend(x: Any) -> Any:
        batch, length, _ = x.shape
        q, k, v = (each.view(batch, length, 2, 4).transpose(1, 2) for each in x.chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, 8)

    program = from_torch(Wrapped(attend), (floats(2, 5, 24),), dynamic_shapes=(({0: Dim("b"), 1: Dim("s")},),))
    for shape in ((2, 5, 24), (3, 7, 24)):
        compare(program, Wrapped(attend), [floats(*shape)], 1e-5)


# Control flow.


def test_cond():
    def branch(flag: Any, x: Any, y: Any) -> Any:
        return torch.cond(flag, lambda a, b: a + b.sum(), lambda a, b: a * 2 - b[0], (x, y))

    module = Wrapped(branch)
    program = from_torch(module, (torch.tensor(True), floats(3), floats(4)))
    for flag in (True, False):
        compare(program, module, [torch.tensor(flag), floats(3), floats(4)])


def test_while_loop():
    loop: Any = importlib.import_module("torch._higher_order_ops.while_loop").while_loop

    def doubled(x: Any) -> Any:
        return loop(lambda i, y: (y.sum() < 100) & (i < 20), lambda i, y: (i + 1, y * 2), (torch.tensor(0), x))

    check(doubled, [torch.tensor([1.0, 2.0, 3.0])])


def test_an_op_without_a_form_inside_of_a_branch():
    from rlx_passes.core.errors import RlxError

    module = Wrapped(lambda f, x: torch.cond(f, lambda a: a + torch.randn_like(a), lambda a: a * 2, (x,)))
    with pytest.raises(RlxError, match=r"aten\.randn_like\.default"):
        from_torch(module, (torch.tensor(True), floats(3)))


def test_modes_are_looked_through():
    @torch.no_grad()
    def inner(x: Any) -> Any:
        with torch.autocast("cpu", enabled=False):
            return x.float().cos()

    check(lambda x: inner(x) * 2, [floats(3)])


# Forms that matter to what comes after.


def test_masks_that_are_constants_are_offsets():
    """Lower triangles, given as truth values or as what is added, say which keys are seen."""
    q, k = floats(2, 2, 4, 8), floats(2, 2, 6, 8)
    seen = torch.ones(4, 6, dtype=torch.bool).tril(2)
    hidden = torch.zeros(4, 6).masked_fill(~seen, float("-inf"))
    for mask in (seen, hidden):
        program = check(lambda q, k, mask=mask: F.scaled_dot_product_attention(q, k, k, mask), [q, k], 1e-5)
        (attention,) = (op for op in program.module.walk() if isinstance(op, AttentionOp))
        assert (attention.config.causal_offset, attention.mask) == (2, None)


def test_all_keys_seen_is_no_mask():
    q = floats(1, 2, 4, 8)
    program = check(lambda q: F.scaled_dot_product_attention(q, q, q, torch.ones(4, 4, dtype=torch.bool)), [q], 1e-5)
    (attention,) = (op for op in program.module.walk() if isinstance(op, AttentionOp))
    assert (attention.config.causal_offset, attention.mask) == (None, None)


def test_indices_that_only_count_are_not_wrapped():
    program = check(lambda x: x[torch.arange(3)], [floats(4, 2)])
    (gather,) = (op for op in program.module.walk() if isinstance(op, GatherOp))
    assert isinstance(gather.indices.owner, IotaOp)


def test_gradients_modes_stay_as_they_were():
    before = torch.is_grad_enabled(), torch.backends.mha.get_fastpath_enabled()
    from_torch(nn.TransformerEncoderLayer(8, 2, 8, dropout=0.0), (floats(3, 2, 8),))
    assert (torch.is_grad_enabled(), torch.backends.mha.get_fastpath_enabled()) == before


# What is read.


def test_coverage_of_the_core_of_aten():
    """Every op of PyTorch's core set that is functional and no gradient has a rule, is taken apart, or has a reason."""
    core = {
        str(getattr(packet, overload))
        for packet in (getattr(torch.ops.aten, name) for name in dir(torch.ops.aten))
        if hasattr(packet, "overloads")
        for overload in packet.overloads()
        if torch.Tag.core in getattr(packet, overload).tags
    }
    known = {row.op for row in torch_coverage()} | set(map(str, decompositions(torch)))
    other = ("backward", ".sym_", ".out", "_.")
    assert not {name for name in core - known if not any(part in name for part in other)}


def test_coverage_has_a_row_for_each_rule_and_reason():
    rows = torch_coverage()
    assert {row.op for row in rows} == {*RULES, *REFUSED}
    assert all(bool(row.chapter) != bool(row.reason) for row in rows)
    assert next(row for row in rows if row.op == "aten.add.Tensor").chapter == "binary"


def test_truth_values_are_numbers_where_they_meet_numbers():
    check(lambda b, x: (b * x, b + 1, ~b & (x > 0)), [truths(3), floats(3)])
