"""Units of recurrent layers and bins of spectra whose number only a run knows: compiled once, run at several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from programs import parse
from test_fault_rows_of_code import PACKAGES
from tools import need_module, sampled

import rlx_passes
from rlx_dialect.reference import Array, run
from rlx_passes.core.numerics import difference, tolerance_of_whole


@dataclass(frozen=True)
class Case:
    """The types of arguments, what follows on an op's name, and the dims of each argument by the open size."""

    types: Sequence[str]
    op: str
    dims: Callable[[int], Sequence[Sequence[int]]]

    @property
    def text(self) -> str:
        types = [f"tensor<{type}>" for type in self.types]
        made = re.findall(r"tensor<[^>]*>", self.op.rpartition("-> ")[2])
        names = ", ".join(f"%r{i}" for i in range(len(made)))
        arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(types))
        return f"""
        func.func @main({arguments}) -> ({", ".join(made)}) {{
          {names} = rlx.{self.op}
          func.return {names} : {", ".join(made)}
        }}"""


U = "1x?x?xf32"
CASES: Mapping[str, Case] = {
    "rnn": Case(
        ["?x?x?xf32", U, U],
        f"rnn forward %0, %1, %2 activation(tanh) : (tensor<?x?x?xf32>, tensor<{U}>, tensor<{U}>) "
        "-> (tensor<?x1x?x?xf32>, tensor<1x?x?xf32>)",
        lambda u: [(5, 2, 3), (1, u, 3), (1, u, u)],
    ),
    "gru": Case(
        ["4x2x3xf32", "2x?x3xf32", "2x?x?xf32", "2x?xf32"],
        "gru bidirectional %0, %1, %2 bias(%3 : tensor<2x?xf32>) linear_before_reset : (tensor<4x2x3xf32>, "
        "tensor<2x?x3xf32>, tensor<2x?x?xf32>) -> (tensor<4x2x2x?xf32>, tensor<2x2x?xf32>)",
        lambda u: [(4, 2, 3), (2, 3 * u, 3), (2, 3 * u, u), (2, 6 * u)],
    ),
    "gru_reset_first": Case(
        ["?x2x3xf32", "1x?x3xf32", "1x?x?xf32"],
        "gru reverse %0, %1, %2 : (tensor<?x2x3xf32>, tensor<1x?x3xf32>, tensor<1x?x?xf32>) "
        "-> (tensor<?x1x2x?xf32>, tensor<1x2x?xf32>)",
        lambda u: [(20, 2, 3), (1, 3 * u, 3), (1, 3 * u, u)],
    ),
    "lstm": Case(
        ["?x2x3xf32", "1x?x3xf32", "1x?x?xf32", "1x?xf32"],
        "lstm reverse %0, %1, %2 peepholes(%3 : tensor<1x?xf32>) : (tensor<?x2x3xf32>, tensor<1x?x3xf32>, "
        "tensor<1x?x?xf32>) -> (tensor<?x1x2x?xf32>, tensor<1x2x?xf32>, tensor<1x2x?xf32>)",
        lambda u: [(20, 2, 3), (1, 4 * u, 3), (1, 4 * u, u), (1, 3 * u)],
    ),
    "welch_peaks": Case(
        ["?x?xf32"],
        "welch_peaks %0 k(3) n_segments(2) : tensor<?x?xf32> -> tensor<?x6xf32>",
        lambda u: [(4, 2 * u)],
    ),
    "log_mel": Case(
        ["?x?xf32", "?x?xf32"],
        "log_mel %0, %1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>",
        lambda u: [(4, 2 * u), (5, u // 2 + 1)],
    ),
    "log_mel_backward": Case(
        ["?x?xf32"] * 3,
        "log_mel_backward %0, %1, %2 : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>",
        lambda u: [(4, 2 * u), (5, u // 2 + 1), (5, 4)],
    ),
}


def _arrays(case: Case, size: int) -> list[Array]:
    random = np.random.default_rng(size)
    return [np.abs(random.standard_normal(dims)).astype(np.float32) - np.float32(0.1) for dims in case.dims(size)]


@sampled(4)
@pytest.mark.parametrize("target", ["cpu", "mlx", "tpu", "wgpu"])
@pytest.mark.parametrize("name", CASES)
def test_runs(name: str, target: str):
    for package in PACKAGES[target]:
        need_module(package)
    case = CASES[name]
    program = rlx_passes.compile(case.text, target, origin="rlx")
    for size in (4, 1, 3, 8):
        arrays = _arrays(case, size)
        got = program({f"arg{i}": array for i, array in enumerate(arrays)})
        for key, wanted in run(parse(case.text), None, arrays).items():
            assert difference(got[key], wanted, tolerance_of_whole(wanted)) is None, (size, key)
