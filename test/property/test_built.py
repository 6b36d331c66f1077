"""Modules and graphs of known parts: each part is found, fused for every target, and gives the framework's values."""

import pytest
from built import one
from built_kinds import KINDS
from tools import shared

SEEDS = [(kind, seed) for seed in range(3) for kind in KINDS]

FOUND = [
    ("attention", 7, {"spelling": 2}),  # the batch of einsum's products is joined, and ones move about
    ("attention", 3, {"spelling": 3}),
    ("attention", 7, {"spelling": 3, "batch": 2}),  # a batch of one, which is a broadcast as well
    ("attention", 7, {"spelling": 4, "mask": 9}),  # the softmax is one of joined axes
    ("attention", 7, {"spelling": 4}),  # and the scale too: an attention of three axes
    ("attention", 7, {"spelling": 5}),  # heads and places change their order behind the product
    ("attention", 10, {"dtype": 3, "sink": 3, "softmax": 1, "out bias": 1}),  # the softmax beside a sink is in f32
    ("epilogue", 0, {"spelling": 4}),  # the rows of einsum's product are a batch of one
    ("gated", 4, {"packed": 1, "cut": 3}),  # halves by an axis of their own
]
"""Programs of which something was overlooked once, with the choices that make them."""


@pytest.mark.parametrize("case", shared(SEEDS, 3), ids=str)
def test_parts_are_found_and_right(case: tuple[str, int]):
    assert one(*case) == ""


@pytest.mark.parametrize(("kind", "seed", "fixed"), FOUND)
def test_what_was_overlooked_is_found(kind: str, seed: int, fixed: dict[str, int]):
    assert one(kind, seed, fixed) == ""
