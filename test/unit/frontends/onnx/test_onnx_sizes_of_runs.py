"""Pads and ranges whose sizes are values of the program, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError

X = np.random.default_rng(31).standard_normal((2, 3, 4)).astype(np.float32)
NUMBERS = np.arange(12, dtype=np.int32).reshape(3, 4)


def pad(name: str, x: Array, pads: list[int], *more: Array | None, **attributes: Any) -> NodeCase:
    inputs = [x, np.array(pads), *more]
    return NodeCase(
        f"pad_{name}", "Pad", inputs, (0,), attributes, 19, stored=(3,) if len(more) == 2 else (), fixed=(1,)
    )


def numbers(name: str, start: float, limit: float, step: float, dtype: Any = np.int64) -> NodeCase:
    return NodeCase(f"range_{name}", "Range", [np.array(each, dtype) for each in (start, limit, step)])


CASES = [
    pad("constant", X, [0, 1, 2, 0, 3, 1]),
    pad("constant_of_a_value", X, [0, 1, 2, 0, 3, 1], np.array(1.5, np.float32)),
    pad("constant_of_integers", NUMBERS, [1, 0, 0, 2], np.array(-7, np.int32)),
    pad("that_cuts", X, [0, -1, 0, 0, 2, -2]),
    pad("of_an_axis", X, [1, 2], None, np.array([-1]), mode="constant"),
    pad("edge", X, [0, 1, 2, 0, 3, 1], mode="edge"),
    pad("reflect", X, [0, 1, 2, 0, 2, 3], mode="reflect"),
    pad("wrap", X, [0, 1, 2, 0, 3, 1], mode="wrap"),
    pad("of_nothing", X[:, :0], [0, 1, 0, 0, 1, 0]),
    numbers("up", 2, 9, 3),
    numbers("down", 9, 2, -3),
    numbers("that_ends_at_once", 9, 2, 3),
    numbers("of_narrow_integers", 1, 10, 4, np.int32),
    numbers("of_floats", 0.5, 3.1, 0.25, np.float32),
    numbers("of_doubles_down", 3.0, -1.0, -0.5, np.float64),
]


@pytest.mark.parametrize("symbolic", [False, True], ids=["known", "at_run_time"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_f24_values_of_onnx_runtime(case: NodeCase, symbolic: bool):
    case.check(symbolic=symbolic)


REFUSED = [
    (pad("c", X, [1, 2]), "there are 2 pads for 3 axes"),
    (pad("c", X, [0] * 6, mode="around"), "mode is one of constant, reflect, edge, wrap, got 'around'"),
    (NodeCase("c", "Range", numbers("c", 1, 2, 0).inputs, stored=(2,)), "the step is 0"),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_refused(case: NodeCase, reason: str):
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value) == f"{case.name}: node of 'y0' ({case.op}): {reason}"
