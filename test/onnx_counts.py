"""How many cases of the `onnx` package the reference is checked by, counted from the tests themselves."""

from __future__ import annotations

import runpy
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_cases import Case

CHAPTERS = Path(__file__).parent / "unit" / "onnx_cases"

HEADER = """# Checks of the reference

<!-- Made by docs/generate.py from test/unit/onnx_cases. -->

The reference in `rlx_dialect/reference` defines what every op means. Ops that ONNX has too are compared with the single-op cases of the `onnx`
package, whose values nobody here worked out. A case that asks for what the dialect has no op for is counted under what it asks for.
Gradients are compared with central differences in float64, fused ops with their plain form.

| ONNX op | compared | not expressible | what they ask for |
| --- | --- | --- | --- |
"""


def checks_page() -> str:
    """A row for each ONNX op, and the sum."""
    checked: Counter[str] = Counter()
    refused: dict[str, Counter[str]] = {}
    seen: set[str] = set()
    for path in (str(Path(__file__).parent), str(CHAPTERS)):
        if path not in sys.path:
            sys.path.append(path)
    for path in sorted(CHAPTERS.glob("test_*.py")):
        chapter = runpy.run_path(str(path))
        cases: list[Case] = chapter["CASES"]
        unsupported: dict[str, str] = chapter.get("UNSUPPORTED", {})
        for case in cases:
            if case.name in seen:
                continue
            seen.add(case.name)
            if case.name in unsupported:
                refused.setdefault(case.op_type, Counter())[unsupported[case.name]] += 1
            else:
                checked[case.op_type] += 1
    rows = [_row(name, checked[name], refused.get(name, Counter())) for name in sorted({*checked, *refused})]
    total = sum(reasons.total() for reasons in refused.values())
    return HEADER + "".join(rows) + f"| all | {checked.total()} | {total} | |\n"


def _row(name: str, checked: int, reasons: Counter[str]) -> str:
    asked = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
    return f"| {name} | {checked} | {reasons.total()} | {asked} |\n"
