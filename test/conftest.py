"""What holds for every test: no clock, PyTorch without triton, and at the end a list of what lacked a tool."""

import sys
from collections import Counter, defaultdict
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings
from tools import ABSENT, LONG, long

# PyTorch imports an installed triton, whose LLVM crashes a process in which Mesa's software renderer has loaded its
# own, as here. PyTorch does without triton on a CPU.
cast("dict[str, Any]", sys.modules)["triton"] = None

# A busy machine fails no test: no deadline, and no check of the speed or size of examples. Tests set counts alone.
settings.register_profile(
    "rlx",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("rlx")

_FILES: dict[str, str] = {}
"""Why a file was skipped as a whole, by path. Workers of pytest-xdist hand theirs over: collection is not reported."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make test-all` what `tools.sampled` says of a test's cases, which any order of parameters may cross."""
    seen = Counter[str]()
    for item in items:
        if (marker := item.get_closest_marker("sampled")) is not None:
            test, every = item.nodeid.partition("[")[0], marker.args[0]
            # One in each `every`, another one each time: a fixed step would always meet the same of two backends.
            if (seen[test] + seen[test] // every) % every:
                item.add_marker(long)
            seen[test] += 1


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _FILES[report.nodeid] = _reason(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    handed_over: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if handed_over is not None:
        handed_over["skipped_files"] = _FILES


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _FILES.update(getattr(node, "workeroutput", {}).get("skipped_files", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reason in _FILES.values():
        skipped[reason]["file"] += 1
    for report in terminalreporter.stats.get("skipped", ()):
        if isinstance(report, pytest.TestReport):
            skipped[_reason(report)]["test"] += 1
    for reason, counts in sorted(skipped.items()):
        amount = " and ".join(f"{n} {kind}{'s' * (n > 1)}" for kind, n in counts.items())
        what, _, how = reason.partition(ABSENT)
        if how:
            terminalreporter.write_line(f"skipped without {what}: {amount}{how}")
        elif reason.startswith(LONG):
            terminalreporter.write_line(f"skipped for their {LONG}{amount}; {reason.removeprefix(LONG)}")


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    """What a skipped test or file said."""
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")
