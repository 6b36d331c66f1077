"""How many cases of the `onnx` package the reference and the cpu are checked by, counted from the tests themselves."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from onnx_cases import Case

CHAPTERS = Path(__file__).parent / "unit" / "onnx_cases"
ON_CPU = "test_on_cpu.py"

HEADER = """# Checks of the reference

<!-- Made by docs/generate.py from test/unit/onnx_cases. -->

The reference in `rlx_dialect/reference` defines what every op means. The single-op cases of the `onnx` package, whose
values come from elsewhere, are imported like models and run through it, and once more compiled for the cpu. A case
that the importer refuses is counted under the reason it gives. Gradients are compared with central differences in
float64, fused ops with their plain form.

| ONNX op | compared | on the cpu | refused | why |
| --- | --- | --- | --- | --- |
"""


class Count(NamedTuple):
    """
    Of one op type: how many cases give the values of the package, how many of them so where they are compiled for the
    cpu, and what the others ask for, with how many do.
    """

    passed: int
    compiled: int
    unsupported: Counter[str]


def chapters() -> Iterator[tuple[Case, str | None]]:
    """The cases of all chapters, each once, with what the importer says of one that it refuses."""
    seen: set[str] = set()
    for path in (str(Path(__file__).parent), str(CHAPTERS)):
        if path not in sys.path:
            sys.path.append(path)
    for path in sorted(CHAPTERS.glob("test_*.py")):
        if path.name == ON_CPU:
            continue
        chapter: Any = importlib.import_module(path.stem)
        unsupported: Mapping[str, str] = getattr(chapter, "UNSUPPORTED", {})
        cases: Sequence[Case] = getattr(chapter, "CASES", ())  # expansions are cases once more
        for case in cases:
            if case.name not in seen:
                seen.add(case.name)
                yield case, unsupported.get(case.name)


@cache
def compared() -> list[Case]:
    """The cases that give the values of the package."""
    return [case for case, refused in chapters() if refused is None]


def counts() -> Mapping[str, Count]:
    """What the chapters count, by op type."""
    passed, compiled = Counter[str](), Counter[str]()
    refused: dict[str, Counter[str]] = {}
    every = list(chapters())
    lacking: Mapping[str, str] = importlib.import_module(ON_CPU.removesuffix(".py")).LACKING
    for case, reason in every:
        if reason is not None:
            refused.setdefault(case.op_type, Counter())[reason] += 1
        else:
            passed[case.op_type] += 1
            compiled[case.op_type] += case.name not in lacking
    return {
        name: Count(passed[name], compiled[name], refused.get(name, Counter())) for name in sorted({*passed, *refused})
    }


def checks_page() -> str:
    """A row for each ONNX op, and the sum."""
    counted = counts()
    rows = [_row(name, *count) for name, count in counted.items()]
    passed = sum(count.passed for count in counted.values())
    compiled = sum(count.compiled for count in counted.values())
    refused = sum(count.unsupported.total() for count in counted.values())
    return HEADER + "".join(rows) + f"| all | {passed} | {compiled} | {refused} | |\n"


def _row(name: str, checked: int, compiled: int, reasons: Counter[str]) -> str:
    asked = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
    return f"| {name} | {checked} | {compiled} | {reasons.total()} | {asked} |\n"
