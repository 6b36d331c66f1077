"""Examples of ops with sizes that only a run knows: lowered once, run at several, against the reference."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from programs import parse, random_inputs
from target_coverage import as_written, given_size, open_uses, program_of, tensors
from tools import need_module, sampled
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.description.element_types import alone
from rlx_dialect.ops import RlxOp
from rlx_dialect.reference import Array, run
from rlx_dialect.signature import find_function
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.numerics import Tolerance, difference, tolerance_of
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.program import load_bundle

SIZES = (3, 5, 2, 8, 4, 6)
"""What a `?` may be, tried in this order, of which `MOST` run; a 1 that is known stretches, and a `?` does not."""
MOST = 2
REFUSED = {"rlx.eigh", "rlx.eigh_backward", "rlx.svd"}
"""What has no form, whatever its sizes, or with some that only a run knows."""
ANY_OF_EQUAL = {"rlx.general_scatter"}
"""Where several updates go to one place, any of them may stay."""
LONG_SUMS = {"rlx.log_mel_backward": Tolerance(1e-4, 1e-4)}
"""Sums in another order, of addends that are larger than what they come to."""

Run = Callable[[Sequence[Array]], Sequence[Array]]


@cache
def cases() -> Mapping[str, RlxOp]:
    found: dict[str, RlxOp] = {}
    for op in open_uses():
        if op.name in REFUSED:
            continue
        number = sum(name.partition("-")[0] == op.name for name in found)
        found[f"{op.name}-{number}"] = op
    return found


def _runs(op: RlxOp) -> Iterator[tuple[Sequence[Array], Sequence[Array]]]:
    """Arguments that the reference takes, and its results."""
    for size in SIZES:
        known = alone(op, partial(given_size, size))
        if known is None or not all(type.static for type in tensors(known.op)):
            continue
        module = program_of(known)
        arrays = list(random_inputs(find_function(module)).values())
        try:
            yield arrays, list(run(module, None, arrays).values())
        except (ValueError, IndexError):  # random numbers that are no places of a tensor
            continue


def _on_cpu(module: ModuleOp, folder: Path) -> Run:
    need_module("llvmlite")
    lower_to_linalg(module)
    write_bundle(folder / "bundle", generator("cpu")(module))
    program = load_bundle(folder / "bundle")
    return lambda arrays: list(program({f"arg{i}": array for i, array in enumerate(arrays)}).values())


def _on_xla(module: ModuleOp, folder: Path) -> Run:
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    module.verify()
    return XlaFunction(generic_text(module), "test")


RUNNERS: Mapping[str, Callable[[ModuleOp, Path], Run]] = {"cpu": _on_cpu, "tpu": _on_xla}


@sampled(9)
@pytest.mark.parametrize("target", ["cpu", "tpu"])
@pytest.mark.parametrize("name", cases())
def test_runs(name: str, target: str, tmp_path: Path):
    op = cases()[name]
    found = as_written(op)
    assert found is not None
    program = RUNNERS[target](program_of(found), tmp_path)
    for _, (arrays, wanted) in zip(range(MOST), _runs(op)):
        for got, expected in zip(program(arrays), wanted, strict=True):
            assert got.shape == expected.shape
            if op.name not in ANY_OF_EQUAL:
                tolerance = LONG_SUMS.get(op.name) or tolerance_of(expected.dtype)
                assert difference(np.asarray(got), expected, tolerance) is None


@pytest.mark.parametrize("target", ["cpu", "tpu"])
def test_channels_of_groups(target: str, tmp_path: Path):
    text = """
    func.func @main(%x: tensor<?x?x?xf32>, %w: tensor<?x?x5xf32>) -> tensor<?x?x?xf32> {
      %0 = rlx.conv %x, %w groups(3) : (tensor<?x?x?xf32>, tensor<?x?x5xf32>) -> tensor<?x?x?xf32>
      func.return %0 : tensor<?x?x?xf32>
    }"""
    program = RUNNERS[target](parse(text), tmp_path)
    random = np.random.default_rng(0)
    for batch, inner, outer, length in ((2, 2, 1, 9), (1, 1, 4, 5), (3, 3, 2, 6)):
        shapes = (batch, 3 * inner, length), (3 * outer, inner, 5)
        arrays = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
        (wanted,) = run(parse(text), None, arrays).values()
        assert difference(np.asarray(program(arrays)[0]), wanted) is None
