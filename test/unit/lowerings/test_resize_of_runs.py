"""Resized axes whose size only a run knows: compiled once, run at several, against the reference."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from exported import function
from programs import parse
from tools import need_module, sampled

from rlx_dialect.attributes import NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import ResizeOp
from rlx_dialect.reference import run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.numerics import difference
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.runtime.program import load_bundle

SIZES = (5, 1, 8, 2, 3)
NEW = {"size [7]": "7", "size [1]": "1", "scales [0.5]": "?", "scales [2.75]": "?"}


def _lines(coordinates: ResizeCoordinates) -> Iterator[tuple[str, str]]:
    """The words of each way to resize, and the type that it gives."""
    crop = " region [0.25, 1.5]" if coordinates is ResizeCoordinates.CROP else ""
    nearest = [] if crop else [(ResizeMode.NEAREST, f" rounding({each})") for each in NearestRounding]
    smooth = itertools.product((ResizeMode.LINEAR, ResizeMode.CUBIC), ("", " exclude_outside"))
    for (new, size), (kind, more) in itertools.product(NEW.items(), [*nearest, *smooth]):
        type = f"tensor<2x{size}xf32>"
        words = f"{new} coordinates({coordinates}){more}{crop}"
        yield f"rlx.resize {kind} %0 axes [1] {words} : tensor<2x?xf32> -> {type}", type


@sampled(3)
@pytest.mark.parametrize("coordinates", ResizeCoordinates)
def test_runs(coordinates: ResizeCoordinates, tmp_path: Path):
    need_module("llvmlite")
    text = function(["tensor<2x?xf32>"], list(_lines(coordinates)))
    module = parse(text)
    lower_to_linalg(module)
    write_bundle(tmp_path / "bundle", generator("cpu")(module))
    program = load_bundle(tmp_path / "bundle")
    for size in SIZES:
        x = np.random.default_rng(size).standard_normal((2, size)).astype(np.float32)
        wanted = run(parse(text), None, [x])
        for (name, expected), got in zip(wanted.items(), program({"arg0": x}).values(), strict=True):
            assert difference(got, expected) is None, (size, name)


@pytest.mark.parametrize("words", ["scales [0.1]", "scales [0.5] antialias"])
def test_what_has_no_plain_form(words: str):
    """A size that is not reckoned exactly, and as many elements as only the run knows."""
    text = f"""
    func.func @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {{
      %0 = rlx.resize linear %x axes [1] {words} : tensor<2x?xf32> -> tensor<2x?xf32>
      func.return %0 : tensor<2x?xf32>
    }}"""
    (op,) = (op for op in parse(text).walk() if isinstance(op, ResizeOp))
    assert decompose(op) is None
