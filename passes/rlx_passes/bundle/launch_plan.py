"""The launch plan of a GPU function: buffers, their places, launches in order. Data that every GPU runtime reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from rlx_passes.core.errors import BundleError

ALIGNMENT = 256
"""Every place in the arena and in the constants file is a multiple of this many bytes (WebGPU asks for 256)."""

Kind = Literal["argument", "constant", "result", "temporary"]
KINDS: tuple[Kind, ...] = ("argument", "constant", "result", "temporary")


@dataclass(frozen=True)
class Buffer:
    """
    A buffer of `size` bytes.

    `place` is the argument's position, the offset in the constants file, or the offset in the arena; 0 for a result.
    """

    kind: Kind
    place: int
    size: int


@dataclass(frozen=True)
class LaunchStep:
    """Run `kernel` on `grid` blocks of `block` threads; its arguments are the buffers with these numbers."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    buffers: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """`results[i]` is the number of the buffer that holds result `i`: a result buffer, an argument or a constant."""

    buffers: tuple[Buffer, ...]
    launches: tuple[LaunchStep, ...]
    results: tuple[int, ...]
    arena: int

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "arena": self.arena,
            "buffers": [{"kind": b.kind, "place": b.place, "size": b.size} for b in self.buffers],
            "launches": [
                {"kernel": s.kernel, "grid": list(s.grid), "block": list(s.block), "buffers": list(s.buffers)}
                for s in self.launches
            ],
            "results": list(self.results),
        }

    @staticmethod
    def from_json(data: object, where: str) -> "Plan":
        """Read and check the JSON form; raises `BundleError` that names `where` and what is wrong."""
        try:
            plan = Plan._read(cast(Mapping[str, Any], data))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BundleError(f"{where} is no launch plan: {type(error).__name__} {error}") from error
        plan.check(where)
        return plan

    @staticmethod
    def _read(data: Mapping[str, Any]) -> "Plan":
        return Plan(
            tuple(Buffer(each["kind"], int(each["place"]), int(each["size"])) for each in data["buffers"]),
            tuple(
                LaunchStep(str(s["kernel"]), _three(s["grid"]), _three(s["block"]), tuple(int(b) for b in s["buffers"]))
                for s in data["launches"]
            ),
            tuple(int(number) for number in data["results"]),
            int(data["arena"]),
        )

    def check(self, where: str) -> None:
        """Raise `BundleError` for a buffer or a number that does not fit: a plan is trusted with memory."""
        for i, buffer in enumerate(self.buffers):
            if buffer.kind not in KINDS or buffer.place < 0 or buffer.size <= 0:
                raise BundleError(f"{where}: buffer {i} is {buffer}")
            if buffer.kind == "temporary" and (buffer.place % ALIGNMENT or buffer.place + buffer.size > self.arena):
                raise BundleError(f"{where}: buffer {i} lies outside of the arena of {self.arena} bytes")
        used = [number for step in self.launches for number in step.buffers] + list(self.results)
        if bad := [number for number in used if not 0 <= number < len(self.buffers)]:
            raise BundleError(f"{where}: there is no buffer {bad[0]}")
        if bad := [step for step in self.launches if min(*step.grid, *step.block) < 1]:
            raise BundleError(f"{where}: the launch of '{bad[0].kernel}' has an empty grid or block")


def _three(values: Sequence[Any]) -> tuple[int, int, int]:
    x, y, z = (int(value) for value in values)
    return x, y, z


def aligned(size: int) -> int:
    """`size`, up to the next multiple of `ALIGNMENT`."""
    return -(-size // ALIGNMENT) * ALIGNMENT
