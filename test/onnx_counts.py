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
package, whose values nobody here worked out. A case that the dialect cannot express stands in its test with the reason.
Gradients are compared with central differences in float64, fused ops with their plain form.

| ONNX op | compared | not expressible |
| --- | --- | --- |
"""


def checks_page() -> str:
    """A row for each ONNX op, and the sum."""
    checked, refused = Counter[str](), Counter[str]()
    for path in (str(Path(__file__).parent), str(CHAPTERS)):
        if path not in sys.path:
            sys.path.append(path)
    for path in sorted(CHAPTERS.glob("test_*.py")):
        chapter = runpy.run_path(str(path))
        cases: list[Case] = chapter["CASES"]
        unsupported: dict[str, str] = chapter.get("UNSUPPORTED", {})
        for case in cases:
            (refused if case.name in unsupported else checked)[case.op_type] += 1
    rows = [f"| {name} | {checked[name]} | {refused[name]} |\n" for name in sorted({*checked, *refused})]
    return HEADER + "".join(rows) + f"| all | {checked.total()} | {refused.total()} |\n"
