"""Where a lit file says `MISS`, that reason is given, or none for `none`; without a listener nothing is kept."""

import pytest
from lit_cases import LitCase, lit_cases
from programs import parse
from xdsl.context import Context

from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass
from rlx_passes.rewriting.miss import Miss, MissRecord, Reason, collect_misses

CASES = [
    case
    for case in lit_cases("fusion", "expansion", "simplify/dead_code_elimination.mlir", "raising")
    if case.misses and case.name.endswith(":0")
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_guards_give_their_reason(case: LitCase):
    heard = case.run(case.module())
    for function, reasons in case.misses.items():
        if reasons == ("none",):
            assert function not in heard, f"@{function} gave {heard[function]}"
            continue
        for reason in reasons:
            assert reason in heard.get(function, []), f"@{function} gave {heard.get(function)}"


def test_there_are_cases():
    assert len(CASES) >= 6


TWO_READERS = """
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %m = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> loc("net.py":3:7)
  %a = rlx.binary add %m, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32> loc("net.py":4:7)
  %t = rlx.activation tanh %m : tensor<4x16xf32> loc("tap"("net.py":9:2))
  func.return %a, %t : tensor<4x16xf32>, tensor<4x16xf32>
}
"""


def missed(text: str) -> list[MissRecord]:
    with collect_misses() as misses:
        FuseMatMulBiasActPass().apply(Context(), parse(text))
    return misses


def test_a_miss_names_root_reason_and_blockers_with_their_places():
    (miss,) = missed(TWO_READERS)
    assert (miss.pattern, miss.root, miss.location, miss.reason) == (
        "matmul_bias_act",
        "rlx.matmul",
        "net.py:3:7",
        Reason.MULTI_USE,
    )
    assert set(miss.blockers) == {"rlx.binary %a at net.py:4:7", 'rlx.activation %t at "tap" (net.py:9:2)'}
    assert str(miss).startswith("matmul_bias_act: rlx.matmul at net.py:3:7: RLX-F002 multi-use: ")
    assert "rlx.activation %t" in str(miss)


def test_detail_is_made_for_listeners_only():
    calls: list[int] = []

    def detail() -> str:
        calls.append(1)
        return "why"

    miss = Miss(Reason.DTYPE, detail=detail)
    assert not calls
    assert str(miss) == f"RLX-F007 dtype: {Reason.DTYPE.text} (why)"


def test_the_inner_listener_hears_alone():
    with collect_misses() as outer:
        inner = missed(TWO_READERS)
    assert len(inner) == 1
    assert not outer
