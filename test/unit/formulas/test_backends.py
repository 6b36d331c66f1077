"""The elementwise functions on every backend that runs here: errors within bounds, and an up-to-date page."""

import json

import pytest
from backend_accuracy import DTYPES, MEASURED, bound, errors, need, results, rows
from tools import long

from rlx_dialect.formulas import FUNCTIONS


@pytest.mark.parametrize(
    ("target", "dtype"),
    [
        pytest.param(target, dtype, marks=[] if dtype == "f32" else [long])
        for target, dtypes in DTYPES.items()
        for dtype in dtypes
    ],
)
def test_errors_are_within_bounds(target: str, dtype: str):
    need(target)
    found = errors(target, dtype, results(target, dtype))
    assert {name: error for name, error in found.items() if error > bound(target, dtype, name)} == {}


def test_page_tells_what_is_used():
    """The numbers may be those of another processor; the rows, and what is native, are not."""
    known = json.loads(MEASURED.read_text())
    told = {(*key.split(), name, cell["native"]) for key, column in known.items() for name, cell in column.items()}
    assert told == set(rows()), "run python test/backend_accuracy.py and python docs/generate.py"


def test_page_keeps_the_bounds():
    known = json.loads(MEASURED.read_text())
    for key, column in known.items():
        assert set(column) == set(FUNCTIONS)
        target, dtype = key.split()
        assert all(cell["error"] <= bound(target, dtype, name) for name, cell in column.items()), key
