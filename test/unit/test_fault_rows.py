"""Every fault of other tools has a test that bears its id."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]

FUSION = {*range(1, 6), *range(7, 14), 15, *range(17, 38), 39, 40, 41, 42, *range(44, 48), 49, 51, 52, *range(54, 60)}
DIALECT = {48, 50}
LOWERED = {6, 14, 16}
RUN = {43}
VERIFIED = {53}
IMPORTED = {38}

_TEST = re.compile(r"^def test((?:_k\d\d)+)_", re.MULTILINE)
_FUNCTION = re.compile(r"^func\.func @(k\d\d)_", re.MULTILINE)


def test_every_fault_has_a_test_of_its_name():
    found: set[int] = set()
    for path in TESTS.rglob("*"):
        if path.suffix in (".py", ".mlir"):
            pattern = _TEST if path.suffix == ".py" else _FUNCTION
            for names in pattern.findall(path.read_text(encoding="utf-8")):
                found |= {int(number) for number in re.findall(r"k(\d\d)", names)}
    assert sorted((FUSION | DIALECT | LOWERED | RUN | VERIFIED | IMPORTED) - found) == []
