"""How many cases of the `onnx` package the reference is checked by, counted from the tests themselves."""

from __future__ import annotations

import runpy
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from onnx_cases import Case

CHAPTERS = Path(__file__).parent / "unit" / "onnx_cases"

HEADER = """# Checks of the reference

<!-- Made by docs/generate.py from test/unit/onnx_cases. -->

The reference in `rlx_dialect/reference` defines what every op means. The single-op cases of the `onnx` package, whose
values come from elsewhere, are imported like models and run through it. A case that the importer refuses is counted
under the reason it gives. Gradients are compared with central differences in float64, fused ops with their plain form.

| ONNX op | compared | refused | why |
| --- | --- | --- | --- |
"""


class Count(NamedTuple):
    """Of one op type: how many cases give the values of the package, and what the others ask for, with how many do."""

    passed: int
    unsupported: Counter[str]


def counts() -> Mapping[str, Count]:
    """What the chapters count, by op type. A case that several chapters have is counted once."""
    passed: Counter[str] = Counter()
    refused: dict[str, Counter[str]] = {}
    seen: set[str] = set()
    for path in (str(Path(__file__).parent), str(CHAPTERS)):
        if path not in sys.path:
            sys.path.append(path)
    for path in sorted(CHAPTERS.glob("test_*.py")):
        chapter = runpy.run_path(str(path))
        cases: list[Case] = chapter.get("CASES", [])  # expansions are cases once more
        unsupported: dict[str, str] = chapter.get("UNSUPPORTED", {})
        for case in cases:
            if case.name in seen:
                continue
            seen.add(case.name)
            if case.name in unsupported:
                refused.setdefault(case.op_type, Counter())[unsupported[case.name]] += 1
            else:
                passed[case.op_type] += 1
    return {name: Count(passed[name], refused.get(name, Counter())) for name in sorted({*passed, *refused})}


def checks_page() -> str:
    """A row for each ONNX op, and the sum."""
    counted = counts()
    rows = [_row(name, *count) for name, count in counted.items()]
    passed = sum(count.passed for count in counted.values())
    refused = sum(count.unsupported.total() for count in counted.values())
    return HEADER + "".join(rows) + f"| all | {passed} | {refused} | |\n"


def _row(name: str, checked: int, reasons: Counter[str]) -> str:
    asked = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
    return f"| {name} | {checked} | {reasons.total()} | {asked} |\n"
