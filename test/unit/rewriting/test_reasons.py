"""Codes are stable, documented, and given by some guard."""

import re
from pathlib import Path

from rlx_passes.rewriting.miss import Reason

ROOT = Path(__file__).parents[3]
STABLE = (
    *(
        "unused",
        "multi-use",
        "returned",
        "other-block",
        "not-consumed-by",
        "not-produced-by",
        "dtype",
        "effects",
        "no-fuse",
    ),
    *(
        "depends-on-result",
        "type-changes",
        "not-a-row-vector",
        "broadcasts-up",
        "dynamic",
        "dims-not-known-equal",
        "axis",
    ),
    *(
        "residual-broadcasts",
        "later-fusion",
        "attributes",
        "not-a-partition",
        "too-large",
        "layout",
        "epilogue",
        "rank",
    ),
    *("constant", "not-a-gate"),
    *("not-a-step", "region-full", "not-trailing", "fusion-boundary", "other-chain", "dims-change", "loop-bound"),
    *("not-along-channels", "out-of-limits"),
    *("not-optional", "no-gain"),
    *("not-claimed", "out-of-range", "rounding"),
)
"""The names in the order of their codes. Only ever append."""


def test_codes_are_stable():
    codes = {reason.code: reason.title for reason in Reason}
    stable = {f"RLX-F{number:03}": title for number, title in enumerate(STABLE, 1)}
    assert {code: codes.get(code) for code in stable} == stable
    assert len(codes) == len(Reason)


def test_every_reason_has_a_section_that_begins_as_it_does():
    sections = re.split(r"^## ", (ROOT / "docs" / "reasons.md").read_text(), flags=re.MULTILINE)[1:]
    documented = dict(section.split("\n\n", 1) for section in sections)
    assert list(documented) == [str(reason) for reason in Reason]
    for reason in Reason:
        text = " ".join(documented[str(reason)].split())
        assert text.startswith(re.sub(r"[.]$", "", reason.text)), reason


def test_every_reason_is_given_by_some_guard():
    code = "\n".join(path.read_text() for path in (ROOT / "passes" / "rlx_passes").rglob("*.py"))
    assert [reason.name for reason in Reason if f"Reason.{reason.name}" not in code] == []
