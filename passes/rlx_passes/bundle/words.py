"""
How native code is called: `int32_t f(int64_t *words)`.

`words` hold, for each argument, its address and then the sizes that only a call shows; for each result of known sizes,
the address where it goes; the address of the arena, where the function wants one; and for each other result a place
for its address and its unknown sizes, which the function fills in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rlx_passes.bundle.manifest import Call, Entry, Role, TensorSpec


@dataclass(frozen=True)
class Words:
    """Where the address of each argument, result and the arena is; unknown sizes stand behind it. `count` are all."""

    arguments: tuple[tuple[int, Role, TensorSpec], ...]
    results: tuple[tuple[int, TensorSpec], ...]
    arena: int
    count: int

    @staticmethod
    def of_main(entry: Entry, arena: int) -> "Words":
        """Those of the entry itself, which wants `arena` bytes."""
        return _words(entry, entry.call, entry.outputs, arena)

    @staticmethod
    def of_prepare(entry: Entry, arena: int) -> "Words":
        """Those of its prepare function."""
        assert entry.prepare is not None
        specs = {spec.name: spec for spec in entry.prepared}
        return _words(entry, entry.prepare, [specs[name] for name in entry.prepare.results], arena)


def _words(entry: Entry, call: Call, results: Sequence[TensorSpec], arena: int) -> Words:
    specs: dict[tuple[Role, str], TensorSpec] = {}
    roles: tuple[tuple[Role, Sequence[TensorSpec]], ...] = (
        ("input", entry.inputs),
        ("param", entry.params),
        ("prepared", entry.prepared),
    )
    for role, of_role in roles:
        specs |= {(role, spec.name): spec for spec in of_role}
    count = 0
    arguments: list[tuple[int, Role, TensorSpec]] = []
    for role, name in call.arguments:
        arguments.append((count, role, specs[role, name]))
        count += 1 + len(unknown(specs[role, name]))
    places: dict[str, int] = {}
    for spec in results:
        if not unknown(spec):
            places[spec.name] = count
            count += 1
    at = count
    count += arena > 0
    for spec in results:
        if unknown(spec):
            places[spec.name] = count
            count += 1 + len(unknown(spec))
    return Words(tuple(arguments), tuple((places[spec.name], spec) for spec in results), at, count)


def unknown(spec: TensorSpec) -> tuple[int, ...]:
    """The axes whose size only a call shows."""
    return tuple(axis for axis, size in enumerate(spec.shape) if size is None)
