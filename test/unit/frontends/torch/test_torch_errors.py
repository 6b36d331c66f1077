"""What is wrong with a module or its inputs is one line."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from torch_cases import floats
from torch_oracle import Wrapped, torch

from rlx_passes import from_torch
from rlx_passes.core.errors import RlxError

nn, F = torch.nn, torch.nn.functional


def refused(module: Any, *inputs: Any, **options: Any) -> str:
    with pytest.raises(RlxError) as error:
        from_torch(module, inputs, **options)
    text = str(error.value)
    assert "\n" not in text
    return text


def test_no_module():
    assert refused(torch.sin, floats(3)) == (
        "from_torch needs a torch.nn.Module, got a builtin_function_or_method; pass a torch.nn.Module whose forward "
        "calls it"
    )
    assert refused(nn.Linear, floats(3)) == "from_torch needs a torch.nn.Module, got the class Linear; pass Linear()"


def test_inputs_that_forward_does_not_take():
    linear = nn.Linear(3, 4)
    assert refused(linear) == (
        "Linear.forward(input: torch.Tensor) -> torch.Tensor does not take 0 example inputs: "
        "missing a required argument: 'input'"
    )
    assert "does not take 2 example inputs: too many positional arguments" in refused(linear, floats(3), floats(3))
    assert "does not take 1 example input and other:" in refused(linear, floats(3), example_kwargs={"other": 1})


def test_inputs_of_other_dims():
    text = refused(nn.Linear(3, 4), floats(2, 5))
    assert text.startswith("Linear.forward fails on the example inputs")
    assert text.endswith("a and b must have same reduction dim, but got [2, 5] X [3, 4]")


class Branching(nn.Module):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            return x + 1
        return x - 1


def test_a_branch_on_values():
    text = refused(Branching(), floats(3))
    assert text.startswith("Branching cannot be read at test_torch_errors.py:")
    assert "depends on the values of a tensor; torch.where, torch.cond or a fixed size can say it" in text


def test_a_size_of_values():
    text = refused(Wrapped(lambda x: x[x > 0]), floats(3))
    assert text == (
        "the module has ops that RLX cannot express: aten.index.Tensor "
        "(index in Wrapped: how many elements a mask picks depends on its values)"
    )
    assert "aten.nonzero.default (nonzero in Wrapped: how large the result is" in refused(
        Wrapped(torch.nonzero), floats(3)
    )


class Inner(nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.randn_like(x) + torch.as_strided(x, (2,), (1,)).sum()


def test_all_ops_without_a_form_are_listed():
    model = nn.Sequential(nn.Linear(3, 3), Inner(), nn.ReLU(), Inner())
    text = refused(model, floats(2, 3))
    assert text.count("aten.randn_like.default") == 1
    assert "randn_like in 1 (Inner): PyTorch's random numbers" in text
    assert "randn_like_1 in 3 (Inner)" in text
    assert "aten.as_strided.default (as_strided in 1 (Inner): strides are those of PyTorch's memory" in text


@pytest.mark.parametrize(
    ("module", "inputs", "words"),
    [
        (
            lambda: nn.Dropout(0.25),
            [floats(3)],
            "dropout of 0.25 in Dropout in training mode; call module.eval() first",
        ),
        (
            lambda: nn.TransformerEncoderLayer(8, 2, 8),
            [floats(3, 2, 8)],
            "dropout of 0.1 in dropout1 (Dropout), of 0.1 in dropout (Dropout)",
        ),
        (lambda: nn.LSTM(3, 4, 2, dropout=0.5), [floats(5, 2, 3)], "dropout of 0.5 in training mode"),
        (lambda: nn.BatchNorm1d(3), [floats(4, 3)], "writes to 'running_mean', 'running_var', 'num_batches_tracked'"),
    ],
    ids=["dropout", "attention", "lstm", "batch_norm"],
)
def test_training_mode(module: Callable[[], Any], inputs: Sequence[Any], words: str):
    text = refused(module(), *inputs)
    assert words in text
    assert "module.eval()" in text


def test_a_training_module_without_dropout_is_read():
    assert from_torch(nn.Linear(3, 4), (floats(2, 3),)).params.keys() == {"weight", "bias"}


class Writes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(3))

    def forward(self, x: Any) -> Any:
        self.cache.add_(x)
        return self.cache * 2


def test_a_buffer_that_is_written():
    assert "Writes.forward writes to 'cache', which a program cannot" in refused(Writes(), floats(3))


def test_results_that_are_no_tensors():
    assert "returns a size, which is no tensor" in refused(
        Wrapped(lambda x: (x, x.shape[0])), floats(3, 4), dynamic_shapes=(({0: torch.export.Dim("n")},),)
    )
    assert "Wrapped.forward returns no tensor" in refused(Wrapped(lambda x: 3), floats(3))


def test_an_element_type_that_rlx_has_not():
    assert "input 'xs.0' has elements of torch.complex128, for which RLX has no type" in refused(
        Wrapped(lambda x: x + 1), floats(3).to(torch.complex128)
    )
    assert "element type complex128" in refused(
        Wrapped(lambda x: torch.complex(x, x).real), floats(3, dtype=torch.float64)
    )


def test_results_that_nobody_can_give():
    text = refused(Wrapped(lambda x: torch.ops.aten.max_pool2d_with_indices(x, [2, 2])), floats(1, 2, 4, 4))
    assert "result 1 of max_pool2d_with_indices has no form" in text


def test_dims_that_the_module_fixes():
    class Fixed(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.reshape(3, 8)

    text = refused(Fixed(), floats(3, 8), dynamic_shapes={"x": {0: torch.export.Dim("batch")}})
    assert text.startswith("Fixed cannot be read")
    assert "batch" in text


def test_pytorch_is_absent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert refused(object()) == "from_torch needs PyTorch, which is not installed: pip install 'rlx-dialect[torch]'"
