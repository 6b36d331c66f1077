"""Where raising rounds less often than what was written, as it is heard and as a report lists it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from xdsl.ir import Operation

from rlx_passes.report.parts import NOWHERE, PLACES, Rounded
from rlx_passes.report.places import Origin
from rlx_passes.rewriting.legality import tensor_type

Key = tuple[str, tuple[str, ...], tuple[str, ...]]


@dataclass
class Roundings:
    """The roundings that went in one run: a pattern, the kinds of ops and their types, and where."""

    heard: dict[Key, list[Origin]] = field(default_factory=dict[Key, list[Origin]])

    def hear(self, pattern: str, root: Operation, ops: Sequence[Operation]) -> None:
        """One op that was found in the place of others."""
        names = sorted({op.name for op in ops})
        dtypes = sorted({_element(op) for op in ops})
        self.heard.setdefault((pattern, tuple(names), tuple(dtypes)), []).append(Origin.of(root.location))

    def grouped(self) -> tuple[Rounded, ...]:
        """The lines of a report, the most frequent first."""
        lines = [
            Rounded(*key, len(all_), tuple(islice(dict.fromkeys(each for each in all_ if each != NOWHERE), PLACES)))
            for key, all_ in self.heard.items()
        ]
        return tuple(sorted(lines, key=lambda line: -line.count))


def _element(op: Operation) -> str:
    return str(tensor_type(op.results[0]).element_type)
