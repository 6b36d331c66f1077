"""No test depends on time: a busy machine is no fault."""

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parents[1]
CLOCK = re.compile(
    r"^\s*(?:import|from) (?:time|timeit)\b|\bdeadline=|\bHealthCheck\.|load_profile|perf_counter|datetime\.now",
    re.MULTILINE,
)
MAY = {"conftest.py", "property/fuzz.py", "unit/test_clock.py"}
"""The profile itself, and a program, no test, that prints how far it is."""


def test_hypothesis_looks_at_no_clock():
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check


def test_no_test_looks_at_a_clock():
    """A limit of its own would also hide what the profile says."""
    paths = {path.relative_to(TESTS).as_posix(): path for path in TESTS.rglob("*.py")}
    assert paths.keys() >= MAY
    assert [name for name, path in sorted(paths.items()) if name not in MAY and CLOCK.search(path.read_text())] == []
