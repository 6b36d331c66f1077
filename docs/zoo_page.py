"""`docs/zoo.md`: what a reader of each architecture expects the fuser to find, and what it finds."""

import json
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

MODELS = Path(__file__).parents[1] / "test" / "models"

HEADER = """# Zoo

<!-- Made by docs/generate.py from test/models/zoo, which test/models/test_zoo.py holds to today's counts. -->

Architectures as the package `transformers` has them, with two layers, random weights and a batch of two: imported from
PyTorch and fused for seven targets. Code for the cpu is run and compared with PyTorch. The table was written from the
architecture before the fuser ran on it: what there is to fuse, on a target that claims the kind; one that does not
claim it makes none. Where today's count is another, it follows in brackets, with the targets if not all that claim it.
`open` is a fault to mend, `limit` what no op holds, `reader` what the reader overlooked, and `refused` a program that
is not imported: its counts are those to reach.
"""


def zoo_page() -> str:
    sys.path.append(str(MODELS))
    sys.path.append(str(MODELS.parent))
    zoo: Any = import_module("zoo_models")
    gaps: Mapping[str, Any] = json.loads(zoo.GAPS_FILE.read_text())
    kinds: list[str] = list(next(iter(zoo.EXPECTED.values()))["counts"])
    lines = [*HEADER.splitlines(), "", "| model | " + " | ".join(f"`{kind}`" for kind in kinds) + " | differs |"]
    lines.append("| --- |" + " --- |" * (len(kinds) + 1))
    for name in zoo.ARCHITECTURES:
        row = zoo.EXPECTED[name]
        gap = gaps.get(name, {})
        cells = [_cell(zoo, kind, row["counts"][kind], gap.get("today", {}).get(kind, {})) for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} | {_verdict(gap)} |")
    lines += ["", "## What there is to find", ""]
    for name in zoo.ARCHITECTURES:
        row = zoo.EXPECTED[name]
        lines.append(f"- {name}: {row['why']}" + (f" {gaps[name]['why']}" if name in gaps else ""))
    return "\n".join(lines) + "\n"


def _cell(zoo: Any, kind: str, expected: int, today: Mapping[str, int]) -> str:
    """`4 (1 on cpu)`; a dot for none."""
    shown = str(expected) if expected else "."
    if not today:
        return shown
    makers = {target for target in zoo.TARGETS if zoo.makes(target, kind)}
    by_count = {count: [target for target in today if today[target] == count] for count in sorted(set(today.values()))}
    texts = [f"{count}" if makers <= set(on) else f"{count} on {', '.join(on)}" for count, on in by_count.items()]
    return f"{shown} ({'; '.join(texts)})"


def _verdict(gap: Mapping[str, Any]) -> str:
    if not gap:
        return ""
    return f"{gap['verdict']}, refused" if "refused" in gap else str(gap["verdict"])
