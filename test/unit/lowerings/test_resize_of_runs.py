"""Resized axes whose size only a run knows: compiled once, run at several, against the reference."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from exported import function
from programs import parse
from test_fault_rows_of_code import PACKAGES
from tools import need_module, sampled

import rlx_passes
from rlx_dialect.attributes import NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import ResizeOp
from rlx_dialect.reference import run
from rlx_dialect.shape_rules.windows import fraction_of
from rlx_passes.core.numerics import difference

SIZES = (5, 1, 8, 2, 3)
NEW = {"size [7]": "7", "size [1]": "1", "scales [0.5]": "?", "scales [2.75]": "?", "scales [0.6]": "?"}


def _lines(coordinates: ResizeCoordinates) -> Iterator[tuple[str, str]]:
    """The words of each way to resize, and the type that it gives."""
    crop = " region [0.25, 1.5]" if coordinates is ResizeCoordinates.CROP else ""
    nearest = [] if crop else [(ResizeMode.NEAREST, f" rounding({each})") for each in NearestRounding]
    smooth = itertools.product((ResizeMode.LINEAR, ResizeMode.CUBIC), ("", " exclude_outside", " antialias"))
    for (new, size), (kind, more) in itertools.product(NEW.items(), [*nearest, *smooth]):
        type = f"tensor<2x{size}xf32>"
        words = f"{new} coordinates({coordinates}){more}{crop}"
        yield f"rlx.resize {kind} %0 axes [1] {words} : tensor<2x?xf32> -> {type}", type


@sampled(3)
@pytest.mark.parametrize("target", ["cpu", "wgpu"])
@pytest.mark.parametrize("coordinates", ResizeCoordinates)
def test_runs(coordinates: ResizeCoordinates, target: str):
    for package in PACKAGES[target]:
        need_module(package)
    text = function(["tensor<2x?xf32>"], list(_lines(coordinates)))
    program = rlx_passes.compile(text, target, origin="rlx")
    for size in SIZES:
        x = np.random.default_rng(size).standard_normal((2, size)).astype(np.float32)
        wanted = run(parse(text), None, [x])
        for (name, expected), got in zip(wanted.items(), program({"arg0": x}).values(), strict=True):
            assert difference(got, expected) is None, (size, name)


@pytest.mark.parametrize("scale", [0.29, 0.7, 0.1234567890123])
def test_what_has_no_plain_form(scale: float):
    """A size that no fraction gives: some products with it that should be whole are less, and others are not."""
    text = f"""
    func.func @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {{
      %0 = rlx.resize linear %x axes [1] scales [{scale}] : tensor<2x?xf32> -> tensor<2x?xf32>
      func.return %0 : tensor<2x?xf32>
    }}"""
    (op,) = (op for op in parse(text).walk() if isinstance(op, ResizeOp))
    assert decompose(op) is None


@pytest.mark.parametrize("scale", [1 / 3, 0.1, 0.9, 2.2, 1.1, 0.6, 5.0, 0.0625, 1.7])
def test_a_fraction_gives_the_sizes_of_its_float(scale: float):
    part = fraction_of(scale)
    assert part is not None
    sizes = [*range(5000), *(2**31 - n for n in range(1, 5000)), *range(10**6, 10**8, 99991)]
    near = [n * part.denominator for n in (*range(1, 3000), *(2**k + d for k in range(2, 25) for d in (-1, 0, 1)))]
    for size in (*sizes, *(each for each in near if each < 2**31)):
        assert math.floor(size * scale) == size * part.numerator // part.denominator
