"""The parts of a report as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rlx_passes.report.parts import LINES, Fused, Missed, Prices, Rounded
from rlx_passes.report.places import Origin
from rlx_passes.report.work import Work

Excerpt = Callable[[Origin], str]
"""The source line at a place with a caret below, or nothing."""

SHOWN_LINES = 20
SHOWN_PLACES = 3
WIDEST = 300
"""The most characters of a detail."""


def no_excerpt(place: Origin) -> str:
    """Shows nothing."""
    return ""


def table(before: Work | None, after: Work, prices: Prices | None) -> Iterator[str]:
    """What the program costs, `before` in a column of its own where there was one."""
    columns = [*([] if before is None else [("before", before)]), ("after", after)]
    yield " " * 16 + "".join(f"{name:>12}" for name, _ in columns)
    for name in ("ops", "launches", "bytes", "flops"):
        title = "bytes moved" if name == "bytes" else name
        yield f"  {title:14}" + "".join(f"{_number(getattr(work, name)):>12}" for _, work in columns)
    if prices is not None:
        times = "".join(f"{prices.nanoseconds(work) / 1000:9.1f} us" for _, work in columns)
        yield f"  {'time':14}{times}   at {prices.dispatch_ns:g} ns a launch and {prices.memory_bw:g} bytes a ns"
    if unsized := max(work.unsized for _, work in columns):
        yield f"  sizes that only a run knows count for nothing in bytes and flops: {unsized} ops have one"


def fused_lines(fused: Sequence[Fused]) -> Iterator[str]:
    """What is fused now."""
    if fused:
        yield "fused:"
    for each in fused:
        was = f" ({each.before} before)" if each.before else ""
        yield f"  {each.after} {each.family}{was}" + _places(each.places, each.after)


def missed_lines(missed: Sequence[Missed], left_off: int, excerpt: Excerpt) -> Iterator[str]:
    """The first misses, and how many lines there would be beside them."""
    if missed:
        yield "not fused, near misses first:"
    for line in missed[:SHOWN_LINES]:
        yield from _missed(line, excerpt)
    if (rest := len(missed[SHOWN_LINES:]) + left_off) > 0:
        yield f"  and {rest} more lines, of which --report=json has up to {LINES}"


def rounded_lines(rounded: Sequence[Rounded]) -> Iterator[str]:
    """Where raising rounds less often than what was written."""
    if rounded:
        yield "rounded less often than written (exact-rounding=true of rlx-raise keeps it):"
    for line in rounded[:SHOWN_LINES]:
        times = f" {line.count} times" if line.count > 1 else ""
        what = f"{', '.join(line.ops)} to {', '.join(line.dtypes)}"
        yield f"  {line.pattern}{_places(line.places, line.count)}{times}: {what}"
    if (rest := len(rounded[SHOWN_LINES:])) > 0:
        yield f"  and {rest} more lines, which --report=json has"


def count_lines(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """Numbers by pattern, on one line."""
    if counts:
        yield f"{title}: " + ", ".join(f"{pattern} {number}" for pattern, number in sorted(counts.items()))


def _number(number: float) -> str:
    for unit, factor in (("T", 10**12), ("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= 10 * factor:
            return f"{number / factor:.1f} {unit}"
    return f"{number:g}"


def _missed(line: Missed, excerpt: Excerpt) -> Iterator[str]:
    times = f" {line.count} times" if line.count > 1 else ""
    detail = f": {line.detail[:WIDEST]}" if line.detail else ""
    where = _places(line.places, line.count)
    yield f"  {line.pattern}: {line.root}{where}{times}: {line.reason}{detail}"
    if line.places and (shown := excerpt(line.places[0])):
        yield from (f"    {row}" for row in shown.split("\n"))
    others = [str(blocker) for blocker in line.blockers]
    if others:
        yield f"    blocked by {', '.join(others)}"
    if line.to_fuse:
        yield f"    to fuse: {line.to_fuse}"


def _places(places: tuple[Origin, ...], count: int) -> str:
    shown = [str(place) for place in places[:SHOWN_PLACES]]
    if not shown:
        return ""
    return f" at {', '.join(shown)}" + (", .." if count > len(shown) else "")
