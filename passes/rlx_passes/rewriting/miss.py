"""
Why a fusion did not happen: stable reasons, the exception that carries one, and who listens.

A guard that does not hold raises `Miss`. Its text is made only when somebody listens, so an unheard miss costs one
exception.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import cast
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, FusedLoc, NameLoc, NoneAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.rewriting.pins import pinned

Blocker = Operation | SSAValue


class CodedReason(Enum):
    """A reason for a missed fusion: its stable code, its name, and what it means. Packages derive their own from it."""

    def __init__(self, code: str, title: str, text: str):
        self.code = code
        self.title = title
        self.text = text

    def __str__(self) -> str:
        return f"{self.code} {self.title}"


class Reason(CodedReason):
    """The reasons of this package. `docs/reasons.md` has a section on each."""

    UNUSED = ("RLX-F001", "unused", "Nothing reads the value, so there is nothing to fuse it into.")
    MULTI_USE = ("RLX-F002", "multi-use", "The value is read more than once, and fusing would compute it again.")
    RETURNED = ("RLX-F003", "returned", "The value leaves the block through its terminator and must stay.")
    OTHER_BLOCK = ("RLX-F004", "other-block", "The ops are in different blocks; a fusion stays in one.")
    NOT_CONSUMED_BY = ("RLX-F005", "not-consumed-by", "The value is read by another op than the pattern wants.")
    NOT_PRODUCED_BY = ("RLX-F006", "not-produced-by", "An operand comes from another op than the pattern wants.")
    DTYPE = ("RLX-F007", "dtype", "The element type is not among those the fused op may have here.")
    EFFECTS = ("RLX-F008", "effects", "An op that would be moved or absorbed has effects, or effects nobody knows.")
    NO_FUSE = ("RLX-F009", "no-fuse", "An op carries `rlx.no_fuse`.")
    DEPENDS_ON_RESULT = (
        "RLX-F010",
        "depends-on-result",
        "An operand of the fused op is computed from what it replaces.",
    )
    TYPE_CHANGES = (
        "RLX-F011",
        "type-changes",
        "The fused op would give a value of another type than the one it replaces.",
    )
    NOT_A_ROW_VECTOR = ("RLX-F012", "not-a-row-vector", "The addend does not lie along the last axis of the product.")
    BROADCASTS_UP = ("RLX-F013", "broadcasts-up", "The addend stretches the value it is added to.")
    DYNAMIC = ("RLX-F014", "dynamic", "A size that the fusion needs is only known at run time.")
    DIMS_NOT_KNOWN_EQUAL = ("RLX-F015", "dims-not-known-equal", "Two dims must be equal, and that cannot be shown.")
    AXIS = ("RLX-F016", "axis", "The op works on another axis than the pattern wants.")
    RESIDUAL_BROADCASTS = (
        "RLX-F017",
        "residual-broadcasts",
        "One addend of the residual sum stretches to the other's dims.",
    )
    LATER_FUSION = ("RLX-F018", "later-fusion", "A later pass of the pipeline makes more of these ops.")
    ATTRIBUTES = ("RLX-F019", "attributes", "The ops compute in ways that one fused op cannot express.")
    NOT_A_PARTITION = ("RLX-F020", "not-a-partition", "The parts are not those of one whole, side by side.")
    TOO_LARGE = ("RLX-F021", "too-large", "The program is larger than the size up to which the fusion pays.")
    LAYOUT = ("RLX-F022", "layout", "The heads do not lie packed on the last axis.")
    EPILOGUE = ("RLX-F023", "epilogue", "The activation is not among those the fused op may have here.")
    RANK = ("RLX-F024", "rank", "An operand has another rank than the fused op takes.")
    CONSTANT = ("RLX-F025", "constant", "A constant has another value than the pattern wants.")
    NOT_A_GATE = (
        "RLX-F026",
        "not-a-gate",
        "No factor of the product is a gate of another value than the one it is added to.",
    )
    NOT_A_STEP = ("RLX-F027", "not-a-step", "An op of this kind does not go into a region.")
    REGION_FULL = ("RLX-F028", "region-full", "The region would have more steps or inputs than it may have here.")
    NOT_TRAILING = ("RLX-F029", "not-trailing", "An operand stretches along an axis other than the leading ones.")
    FUSION_BOUNDARY = (
        "RLX-F030",
        "fusion-boundary",
        "An operand comes from a product or a convolution, after which a new chain starts.",
    )
    OTHER_CHAIN = ("RLX-F031", "other-chain", "The reader goes on with the chain of another operand.")
    DIMS_CHANGE = ("RLX-F032", "dims-change", "The reader works on other dims than the chain before it.")
    LOOP_BOUND = ("RLX-F033", "loop-bound", "The loop has no known bound, or more rounds than are unrolled.")
    NOT_ALONG_CHANNELS = (
        "RLX-F034",
        "not-along-channels",
        "The operand does not lie along the channels of the convolution.",
    )
    OUT_OF_LIMITS = ("RLX-F035", "out-of-limits", "A size is outside the limits of the target or of the pass.")
    NOT_OPTIONAL = ("RLX-F036", "not-optional", "A result of a public function does not carry `rlx.optional`.")
    NO_GAIN = ("RLX-F037", "no-gain", "The time that is saved does not reach what the target asks for.")
    NOT_CLAIMED = ("RLX-F038", "not-claimed", "The target does not claim the fused op.")
    OUT_OF_RANGE = ("RLX-F039", "out-of-range", "A number that is computed ahead leaves its element type, or may.")
    ROUNDING = ("RLX-F040", "rounding", "The op would round less often than what it stands for.")


BETWEEN = "it stands between ops of the pattern"
"""The detail of a miss whose blocker would do as well in front of the pattern or behind it."""


class Miss(Exception):
    """
    A guard that does not hold. `blockers` are the ops and values that are in the way; `detail` adds what the reason
    alone does not say, as text or as a function that makes it. `candidate` says whether a reader would look for the
    fusion there, where the pattern knows. `wanted` are the types of op of which another one is the blocker.
    """

    def __init__(
        self,
        reason: CodedReason,
        *blockers: Blocker,
        detail: str | Callable[[], str] = "",
        candidate: bool | None = None,
        wanted: type[Operation] | tuple[type[Operation], ...] = (),
    ):
        super().__init__(reason)
        self.reason = reason
        self.blockers = blockers
        self.detail = detail
        self.candidate = candidate
        self.wanted = wanted

    @property
    def text(self) -> str:
        """The detail as text."""
        return self.detail if isinstance(self.detail, str) else self.detail()

    def __str__(self) -> str:
        return str(record("", None, self))


@dataclass(frozen=True)
class MissRecord:
    """One miss as text, good after the program has changed."""

    pattern: str
    root: str
    location: str
    reason: CodedReason
    blockers: tuple[str, ...] = ()
    detail: str = ""

    def __str__(self) -> str:
        where = f"{self.pattern}: {self.root}" if self.pattern else self.root
        place = f" at {self.location}" if self.location else ""
        head = f"{where}{place}: {self.reason}" if where else str(self.reason)
        tail = f" ({self.detail})" if self.detail else ""
        blocked = f"; blocked by {', '.join(self.blockers)}" if self.blockers else ""
        return f"{head}: {self.reason.text}{tail}{blocked}"


Listener = Callable[[str, Operation, Miss], None]
"""What hears of a miss: the pattern's title, the root op, and the miss."""

_listener: ContextVar[Listener | None] = ContextVar("rlx_miss_listener", default=None)
_unclaimed: ContextVar[str] = ContextVar("rlx_unclaimed_kind", default="")


def report_miss(pattern: str, root: Operation, miss: Miss) -> None:
    """
    Tell whoever listens, if anybody does. For an op that must fuse the miss is remembered as well, outside of
    `refusing`.
    """
    if not _unclaimed.get():
        for op in pinned(root, *miss.blockers):
            note(op, record(pattern, root, miss))
    heard = _listener.get()
    if heard is not None:
        heard(pattern, root, miss)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Send every miss to `listener` inside the `with` block; a listener around this one hears nothing meanwhile."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def refusing(kind: str) -> Generator[None]:
    """Inside the `with` block no pattern changes anything: each match is a miss, since `kind` is not claimed."""
    token = _unclaimed.set(kind)
    try:
        yield
    finally:
        _unclaimed.reset(token)


def require_claimed(root: Operation) -> None:
    """Raises `Miss` inside of `refusing`."""
    if kind := _unclaimed.get():
        raise Miss(Reason.NOT_CLAIMED, root, detail=kind)


@contextmanager
def collect_misses() -> Generator[list[MissRecord]]:
    """The misses inside the `with` block, in order."""
    records: list[MissRecord] = []
    with listening(lambda pattern, root, miss: records.append(record(pattern, root, miss))):
        yield records


def record(pattern: str, root: Operation | None, miss: Miss) -> MissRecord:
    """The text of a miss."""
    return MissRecord(
        pattern,
        "" if root is None else root.name,
        "" if root is None else place(root.location),
        miss.reason,
        tuple(map(_blocker, miss.blockers)),
        miss.text,
    )


def place(location: Attribute) -> str:
    """A location as a reader wants it: `file:line:col`, a name, several joined by `+`; empty where it is unknown."""
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    if isinstance(location, NameLoc):
        inner = "" if isinstance(location.location, NoneAttr) else place(location.location)
        return f'"{location.desc.data}"' + (f" ({inner})" if inner else "")
    if isinstance(location, FusedLoc):
        return " + ".join(filter(None, map(place, cast(ArrayAttr[Attribute], location.locations))))
    return ""


def _blocker(blocker: Blocker) -> str:
    if isinstance(blocker, Operation):
        where = place(blocker.location)
        names = ", ".join(f"%{result.name_hint}" for result in blocker.results if result.name_hint)
        return blocker.name + (f" {names}" if names else "") + (f" at {where}" if where else "")
    owner = blocker.owner
    if isinstance(owner, Block):
        return f"argument %{blocker.name_hint or f'arg{owner.args.index(blocker)}'}"
    return _blocker(owner)


_heard: "WeakKeyDictionary[Operation, dict[MissRecord, None]]" = WeakKeyDictionary()


def note(op: Operation, record: "MissRecord") -> None:
    """Remember that a fusion that touches `op` was missed. Forgotten with the op."""
    _heard.setdefault(op, {})[record] = None


def reasons(op: Operation) -> "tuple[MissRecord, ...]":
    """The misses that were noted for `op`, in order, each once."""
    return tuple(_heard.get(op, ()))
