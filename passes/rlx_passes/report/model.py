"""The report: what a run made of a program, what it fused, what it did not and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rlx_passes.report.parts import Fused, Missed, Prices, Rounded
from rlx_passes.report.text import Excerpt, count_lines, fused_lines, missed_lines, no_excerpt, rounded_lines, table
from rlx_passes.report.work import Work

FORMAT = 1


@dataclass(frozen=True)
class Report:
    """
    What a run did.

    `before` is the program as it was read, or once it was imported (`before_after` names the pass); `after` is that
    before it was lowered (`after_before` names the pass), or as it was left. `taken` are the misses, by pattern, at ops
    that another fusion took; `no_candidates` those where no reader would look for the fusion. `left_off` counts the
    lines beyond the first 1000. `rounded` says where raising found ops that round less often than what was written.
    """

    target: str
    before: Work | None
    after: Work
    before_after: str = ""
    after_before: str = ""
    prices: Prices | None = None
    changed_by: tuple[str, ...] = ()
    passes_run: int = 0
    fused: tuple[Fused, ...] = ()
    missed: tuple[Missed, ...] = ()
    left_off: int = 0
    rounded: tuple[Rounded, ...] = ()
    taken: Mapping[str, int] = field(default_factory=dict[str, int])
    no_candidates: Mapping[str, int] = field(default_factory=dict[str, int])

    def nanoseconds(self, work: Work) -> float | None:
        """The time of launches and transfers by the target's prices, or None without a target."""
        return None if self.prices is None else self.prices.nanoseconds(work)

    def to_json(self) -> dict[str, object]:
        """The report in types that `json` takes; `docs/report.md` has the schema."""

        def measured(work: Work) -> dict[str, object]:
            return {**work.to_json(), "nanoseconds": self.nanoseconds(work)}

        return {
            "format": FORMAT,
            **vars(self),
            "prices": None if self.prices is None else dict(vars(self.prices)),
            "before": None if self.before is None else measured(self.before),
            "after": measured(self.after),
            "changed_by": list(self.changed_by),
            "fused": [each.to_json() for each in self.fused],
            "missed": [each.to_json() for each in self.missed],
            "rounded": [each.to_json() for each in self.rounded],
            "taken": dict(self.taken),
            "no_candidates": dict(self.no_candidates),
        }

    def __str__(self) -> str:
        return self.text()

    def text(self, excerpt: Excerpt = no_excerpt) -> str:
        """Some tens of lines, however large the program is; `excerpt` shows the source of a miss."""
        span = (
            f"from {self.before_after} on" if self.before_after else "",
            f"up to {self.after_before}" if self.after_before else "",
        )
        shown = ", ".join(filter(None, span))
        title = f"report for {self.target}" if self.target else "report"
        changes = f"{len(self.changed_by)} of {self.passes_run} passes changed the program"
        lines = [f"{title}: {changes}" + (f" ({shown})" if shown else "")]
        lines += table(self.before, self.after, self.prices)
        lines += fused_lines(self.fused)
        lines += missed_lines(self.missed, self.left_off, excerpt)
        lines += rounded_lines(self.rounded)
        lines += count_lines("not fused here, but by another pattern", self.taken)
        lines += count_lines("no candidates", self.no_candidates)
        return "\n".join(lines)
