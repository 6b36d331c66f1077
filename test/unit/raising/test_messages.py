"""What a miss says of sizes that only a run knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.ir import Operation, SSAValue

from rlx_dialect.builder import Graph
from rlx_dialect.shapes import DYNAMIC, Dims
from rlx_passes.raising.norms import require_kept
from rlx_passes.raising.trail import require_along
from rlx_passes.rewriting.miss import Miss

Guard = Callable[[SSAValue, Dims, int, Operation], None]


@pytest.mark.parametrize("guard", [require_kept, require_along])
def test_f40_a_size_known_at_run_time_only_is_a_question_mark(guard: Guard):
    graph = Graph("near_miss")
    value = (graph.input("x", (None, None)) * 2.0).value
    assert isinstance(value.owner, Operation)
    with pytest.raises(Miss) as caught:
        guard(value, (DYNAMIC, DYNAMIC), 1, value.owner)
    detail = caught.value.detail
    assert not isinstance(detail, str)
    assert detail() == "a statistic of dims [?, ?] for [?, ?]"
