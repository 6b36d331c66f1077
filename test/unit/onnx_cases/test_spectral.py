"""Fourier transforms against the cases of the `onnx` package."""

from dataclasses import replace

import numpy as np
import pytest
from onnx_cases import Case, cases_of, check_import, sized

from rlx_dialect.reference import run
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.rules import spectral

CASES = cases_of(*sorted(spectral.RULES))
UNSUPPORTED: dict[str, str] = {}
STATIC = {
    **{case.name: "the number of points must be known on import" for case in CASES if case.op_type == "DFT"},
    "test_stft": "frames of 16 with step 8 cannot be cut from [1, ?]",
    "test_stft_with_window": "the length of a frame must be known on import",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, UNSUPPORTED)


@pytest.mark.parametrize("case", sized(CASES, UNSUPPORTED), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, STATIC, symbolic=True)


def test_a_batch_of_any_size():
    """Only the points must be known."""
    case = next(case for case in CASES if case.name == "test_dft_axis")
    model = case.model()
    given = model.graph.inputs[0]
    assert given.dims == (1, 10, 10, 1)
    batch = replace(given, dims=("batch", 10, 10, 1))
    imported = import_model(replace(model, graph=replace(model.graph, inputs=[batch])))
    x = np.concatenate([case.fed()["x"]] * 3)
    (actual,) = run(imported.module, inputs={"x": x}).values()
    np.testing.assert_allclose(actual, np.concatenate([case.outputs[0]] * 3), rtol=2e-5, atol=2e-5)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(spectral.RULES)
    assert set(UNSUPPORTED) | set(STATIC) <= {case.name for case in CASES}
