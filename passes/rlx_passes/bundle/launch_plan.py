"""The launch plan of a GPU function: buffers, their places, launches in order. Data that every GPU runtime reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from rlx_dialect.dims import Atom, Dim, Size, Symbol
from rlx_dialect.relations import Relation, relations_of_json, size_of_written, written
from rlx_passes.core.errors import BundleError

ALIGNMENT = 256
"""Every place in the arena and in the constants file is a multiple of this many bytes (WebGPU asks for 256)."""

Kind = Literal["argument", "constant", "result", "temporary"]
KINDS: tuple[Kind, ...] = ("argument", "constant", "result", "temporary")

READ = ("i8", "i16", "i32", "i64")
"""Types of elements that may be sizes."""

Three = tuple[Size, Size, Size]
Names = frozenset[str]
"""What sizes may speak of: axes of arguments, numbers of rounds of the loops around, and elements that were read."""


@dataclass(frozen=True)
class Buffer:
    """
    A buffer of `size` bytes. That of a result may be one that shows in the midst of a run.

    `place` is the argument's position, the offset in the constants file, or the offset in the arena; 0 for a result.
    """

    kind: Kind
    place: Size
    size: Size


@dataclass(frozen=True)
class LaunchStep:
    """
    Run `kernel` on `grid` blocks of `block` threads, unless there are none.

    Its arguments are the buffers with these numbers, then `sizes`, each below 2^31.
    """

    kernel: str
    grid: Three
    block: tuple[int, int, int]
    buffers: tuple[int, ...]
    sizes: tuple[Size, ...] = ()


@dataclass(frozen=True)
class LoopStep:
    """
    Do `before`, end unless the i32 in the buffer `condition` then is not 0, do `body`, again and again.

    At most `rounds` times, where that is given. Sizes inside may speak of `name`, the number of rounds done before.
    """

    name: str
    rounds: Size | None
    before: tuple[Step, ...]
    condition: int | None
    body: tuple[Step, ...]


@dataclass(frozen=True)
class BranchStep:
    """Do `then` where the i32 in the buffer `condition` is not 0, else `otherwise`."""

    condition: int
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


@dataclass(frozen=True)
class CheckStep:
    """End the run with an error unless the relation holds."""

    relation: Relation
    message: str


@dataclass(frozen=True)
class ReadStep:
    """From here on sizes may speak of `name`, the element of type `dtype` in `buffer`."""

    name: str
    buffer: int
    dtype: str


@dataclass(frozen=True)
class LetStep:
    """From here on `name` is what `size` is here. Buffers of sizes that speak of it are made anew if these differ."""

    name: str
    size: Size


Step = LaunchStep | LoopStep | BranchStep | CheckStep | ReadStep | LetStep


@dataclass(frozen=True)
class Plan:
    """
    `results[i]` is the number of the buffer that holds result `i`: a result buffer, an argument or a constant.

    `shapes` are those of the results, empty where their types say them.
    """

    buffers: tuple[Buffer, ...]
    launches: tuple[Step, ...]
    results: tuple[int, ...]
    arena: Size
    shapes: tuple[tuple[Size, ...], ...] = ()

    def at(self, sizes: Mapping[str, int]) -> Plan:
        """The plan for a run with these sizes by name; what the run itself counts or reads stays open."""
        known: dict[Atom, Size] = {Symbol(name): size for name, size in sizes.items()}
        found: dict[Size, Size] = {}

        def at(size: Size) -> Size:
            if size not in found:
                found[size] = size.substitute(known) if isinstance(size, Dim) else size
            return found[size]

        return Plan(
            tuple(Buffer(each.kind, at(each.place), at(each.size)) for each in self.buffers),
            tuple(step_at(step, at) for step in self.launches),
            self.results,
            at(self.arena),
            tuple(tuple(map(at, shape)) for shape in self.shapes),
        )

    def names(self) -> frozenset[str]:
        """What the sizes speak of, what a run counts or reads apart."""
        found: set[str] = set()

        def note(size: Size) -> Size:
            atoms = size.atoms() if isinstance(size, Dim) else ()
            found.update(atom.name for atom in atoms if isinstance(atom, Symbol))
            return size

        for buffer in self.buffers:
            note(buffer.place)
            note(buffer.size)
        for step in self.launches:
            step_at(step, note)
        for size in (self.arena, *(size for shape in self.shapes for size in shape)):
            note(size)
        named = (step for step in _all_steps(self.launches) if isinstance(step, LoopStep | ReadStep | LetStep))
        return frozenset(found - {step.name for step in named})

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        data = {
            "arena": _written(self.arena),
            "buffers": [{"kind": b.kind, "place": _written(b.place), "size": _written(b.size)} for b in self.buffers],
            "launches": [_step_to_json(step) for step in self.launches],
            "results": list(self.results),
        }
        return data | ({"shapes": [list(map(_written, shape)) for shape in self.shapes]} if self.shapes else {})

    @staticmethod
    def from_json(data: object, where: str, names: Names = frozenset()) -> Plan:
        """
        Read and check the JSON form, whose sizes speak of `names`.

        Raises `BundleError` that names `where` and what is wrong.
        """
        try:
            plan = Plan._read(cast(Mapping[str, Any], data), names)
        except RecursionError as error:
            raise BundleError(f"{where} is no launch plan: it is nested too deeply to be read") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BundleError(f"{where} is no launch plan: {type(error).__name__} {error}") from error
        plan.check(where)
        return plan

    @staticmethod
    def _read(data: Mapping[str, Any], names: Names) -> Plan:
        names |= frozenset(_found_out(data["launches"]))

        def size(written: object) -> Size:
            return size_of_written(written, names)

        return Plan(
            tuple(Buffer(each["kind"], size(each["place"]), size(each["size"])) for each in data["buffers"]),
            _steps(data["launches"], names),
            tuple(int(number) for number in data["results"]),
            size(data["arena"]),
            tuple(tuple(map(size, shape)) for shape in data.get("shapes", ())),
        )

    def check(self, where: str) -> None:
        """Raise `BundleError` for a buffer or a number that does not fit: a plan is trusted with memory."""
        self.check_memory(where)
        self._check_steps(where)

    def check_memory(self, where: str) -> None:
        """Raise `BundleError` for a buffer that does not fit, by its sizes as far as they are known."""
        for i, buffer in enumerate(self.buffers):
            place, size, arena = buffer.place, buffer.size, self.arena
            if buffer.kind not in KINDS or _below(place, 0) or _below(size, 1):
                raise BundleError(f"{where}: buffer {i} is {buffer}")
            if buffer.kind == "temporary" and (_below(0, place % ALIGNMENT) or _below(arena, place + size)):
                raise BundleError(f"{where}: buffer {i} lies outside of the arena of {self.arena} bytes")

    def _check_steps(self, where: str) -> None:
        used = list(self.results)
        for step in _all_steps(self.launches):
            match step:
                case LaunchStep():
                    used += step.buffers
                    if any(_below(size, 1) for size in (*step.grid, *step.block)):
                        raise BundleError(f"{where}: the launch of '{step.kernel}' has an empty grid or block")
                case BranchStep() | LoopStep():
                    if isinstance(step, LoopStep) and step.rounds is None and step.condition is None:
                        raise BundleError(f"{where}: nothing ends the loop '{step.name}'")
                    used += [step.condition] if step.condition is not None else []
                case ReadStep():
                    used.append(step.buffer)
                    if step.dtype not in READ:
                        raise BundleError(f"{where}: a size of type {step.dtype} is read: {', '.join(READ)} expected")
                case CheckStep() | LetStep():
                    pass
        if bad := [number for number in used if not 0 <= number < len(self.buffers)]:
            raise BundleError(f"{where}: there is no buffer {bad[0]}")


def step_at(step: Step, at: Callable[[Size], Size]) -> Step:
    """A step with what `at` gives in place of each size."""
    match step:
        case LaunchStep():
            x, y, z = map(at, step.grid)
            return replace(step, grid=(x, y, z), sizes=tuple(map(at, step.sizes)))
        case LoopStep():
            before, body = (tuple(step_at(each, at) for each in part) for part in (step.before, step.body))
            return replace(step, rounds=None if step.rounds is None else at(step.rounds), before=before, body=body)
        case BranchStep():
            then, otherwise = (tuple(step_at(each, at) for each in part) for part in (step.then, step.otherwise))
            return replace(step, then=then, otherwise=otherwise)
        case CheckStep():
            left, kind, right = step.relation
            return replace(step, relation=Relation(at(left), kind, at(right)))
        case LetStep():
            return replace(step, size=at(step.size))
        case ReadStep():
            return step


def aligned(size: Size) -> Size:
    """`size`, up to the next multiple of `ALIGNMENT`."""
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def _below(size: Size, bound: Size) -> bool:
    """Whether a size is too small, as far as it is known before a run."""
    gap = size - bound
    return isinstance(gap, int) and gap < 0


def _all_steps(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        match step:
            case LoopStep():
                yield from _all_steps((*step.before, *step.body))
            case BranchStep():
                yield from _all_steps((*step.then, *step.otherwise))
            case _:
                pass


# Steps as data.


def _name(atom: Atom) -> str:
    assert isinstance(atom, Symbol), "plans speak of names"
    return atom.name


def _written(size: Size) -> Any:
    return written(size, _name)


def _step_to_json(step: Step) -> dict[str, Any]:
    match step:
        case LaunchStep():
            grid = list(map(_written, step.grid))
            data = {"kernel": step.kernel, "grid": grid, "block": list(step.block), "buffers": list(step.buffers)}
            return data | ({"sizes": list(map(_written, step.sizes))} if step.sizes else {})
        case LoopStep():
            rounds = {} if step.rounds is None else {"rounds": _written(step.rounds)}
            condition = {} if step.condition is None else {"condition": step.condition}
            before, body = (list(map(_step_to_json, part)) for part in (step.before, step.body))
            return {"loop": step.name, **rounds, "before": before, **condition, "body": body}
        case BranchStep():
            then, otherwise = (list(map(_step_to_json, part)) for part in (step.then, step.otherwise))
            return {"if": step.condition, "then": then, "else": otherwise}
        case ReadStep():
            return {"read": step.name, "buffer": step.buffer, "dtype": step.dtype}
        case LetStep():
            return {"let": step.name, "size": _written(step.size)}
        case CheckStep():
            return {"check": step.relation.to_json(_name), "message": step.message}


def _steps(data: Sequence[Mapping[str, Any]], names: Names) -> tuple[Step, ...]:
    return tuple(_step(each, names) for each in data)


def _found_out(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The names that a run finds out sizes for, in loops and branches too."""
    for step in steps:
        yield from (str(step[key]) for key in ("read", "let", "loop") if key in step)
        for part in ("before", "body", "then", "else"):
            yield from _found_out(step.get(part, ()))


def _step(data: Mapping[str, Any], names: Names) -> Step:
    if "loop" in data:
        inside = names | {str(data["loop"])}
        rounds = size_of_written(data["rounds"], names) if "rounds" in data else None
        condition = int(data["condition"]) if "condition" in data else None
        before, body = _steps(data["before"], inside), _steps(data["body"], inside)
        return LoopStep(str(data["loop"]), rounds, before, condition, body)
    if "read" in data:
        return ReadStep(str(data["read"]), int(data["buffer"]), str(data["dtype"]))
    if "let" in data:
        return LetStep(str(data["let"]), size_of_written(data["size"], names))
    if "if" in data:
        return BranchStep(int(data["if"]), _steps(data["then"], names), _steps(data["else"], names))
    if "check" in data:
        (relation,) = relations_of_json([data["check"]], names)
        return CheckStep(relation, str(data["message"]))
    x, y, z = (size_of_written(each, names) for each in data["grid"])
    block = cast("tuple[int, int, int]", tuple(int(each) for each in data["block"]))
    sizes = tuple(size_of_written(each, names) for each in data.get("sizes", ()))
    if len(block) != 3:
        raise ValueError(f"a block of {len(block)} dims")
    return LaunchStep(str(data["kernel"]), (x, y, z), block, tuple(int(b) for b in data["buffers"]), sizes)
