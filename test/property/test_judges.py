"""The reference at edge values against PyTorch, op by op: programs of one op on the numbers of `edges`."""

import numpy as np
import pytest
from edges import cases
from judges import JUDGES, judged
from tools import need_module
from xdsl.ir import Operation

from rlx_dialect.reference import run
from rlx_dialect.signature import find_function
from rlx_passes.core.numerics import difference

DELIBERATE = {"binary_mod_f64": "torch gives NaN for some numbers over a subnormal one, where C's fmod gives 0"}
"""How cases start in which the reference means something else than torch, and why."""


def test_the_reference_gives_what_torch_gives():
    need_module("torch")
    told: list[str] = []
    seen: set[type[Operation]] = set()
    with np.errstate(all="ignore"):
        for name, module, draws in cases(steady=False):
            for what, inputs in draws.items():
                if "_ui" in name or name.startswith(tuple(DELIBERATE)):
                    continue  # torch has few functions of unsigned integers
                expected = judged(module, inputs)
                if expected is None:
                    break
                found = run(module, None, inputs)
                op = find_function(module).body.block.first_op
                assert op is not None
                seen.add(type(op))
                told += [
                    f"{name} {what}: {wrong}" for key in expected if (wrong := difference(found[key], expected[key]))
                ]
    assert told == []
    assert seen == set(JUDGES)


@pytest.mark.parametrize("start", DELIBERATE)
def test_what_differs_deliberately_still_does(start: str):
    need_module("torch")
    with np.errstate(all="ignore"):
        for _, module, draws in cases(steady=False, word=start):
            for inputs in draws.values():
                expected = judged(module, inputs)
                if expected and any(
                    difference(value, expected[key]) for key, value in run(module, None, inputs).items()
                ):
                    return
    pytest.fail(f"{start} agrees with torch: take it off the list")
