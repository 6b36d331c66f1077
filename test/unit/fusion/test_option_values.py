"""Every fusion or expansion option of words or bounds refuses nonsense, in a message that names both."""

import dataclasses
from collections.abc import Iterator
from math import inf, nan

import pytest
from xdsl.passes import ModulePass

from rlx_passes.core.errors import PipelineError
from rlx_passes.core.spec import option_key
from rlx_passes.universe import PASSES, RLX_UNIVERSE

WRONG: dict[str, object] = {
    "epilogues": ("relu", "gleu"),
    "dtypes": ("f32", "i32"),
    "yield_to": ("layer_norm",),
    "max_tokens": -1,
    "kernel_min": 0,
    "max_groups": 0,
    "max_elementwise_steps": 0,
    "max_elementwise_inputs": 0,
    "unroll_limit": -1,
    "max_branch_ops": -1,
    "dispatch_ns": inf,
    "roundtrip_ns": nan,
    "memory_bw": -1.0,
    "readback_bw": nan,
    "host_penalty_ns": -0.5,
    "min_gain_ns": inf,
}
"""By field: a value beside those that make sense."""


def options() -> Iterator[tuple[str, str]]:
    for name, place in PASSES.items():
        if place.startswith(("fusion.", "expansion.")):
            fields = dataclasses.fields(RLX_UNIVERSE.all_passes[name]())
            yield from ((name, field.name) for field in fields if field.name in WRONG)


@pytest.mark.parametrize(("name", "field"), list(options()), ids="-".join)
def test_a_value_that_makes_no_sense_is_refused(name: str, field: str):
    cls: type[ModulePass] = RLX_UNIVERSE.all_passes[name]()
    with pytest.raises(PipelineError) as caught:
        cls(**{field: WRONG[field]})
    assert f"option '{option_key(field)}' of pass '{name}'" in str(caught.value)


def test_each_kind_of_value_is_tried():
    assert {field for _, field in options()} == WRONG.keys()
