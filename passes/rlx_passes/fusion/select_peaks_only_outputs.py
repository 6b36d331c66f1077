"""`rlx-select-peaks-only-outputs`"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from rlx_dialect.ops import FftOp, WelchPeaksOp
from rlx_dialect.signature import is_optional, is_private, keep_results
from rlx_passes.budget.io_gate import FREE, IoFusionGate
from rlx_passes.budget.io_profile import profile
from rlx_passes.core.errors import PipelineError
from rlx_passes.rewriting.legality import NO_FUSE, live_uses, require
from rlx_passes.rewriting.miss import Miss, Reason, report_miss

TITLE = "peaks_only_outputs"


@dataclass(frozen=True)
class PeaksOnly:
    """
    A function that returns a spectrum beside its peaks, or the spectrum where the peaks would do, returns the peaks.

    Where the peaks are returned already the spectrum goes; else the peaks become the last result, if `gate` finds that
    worth it. A public function drops only results with `rlx.optional`, unless `any_result`; a private one those that no
    caller reads.
    """

    gate: IoFusionGate = FREE
    any_result: bool = False

    def select(
        self, module: ModuleOp, func: FuncOp, returned: ReturnOp, peaks: WelchPeaksOp, spectrum: SSAValue
    ) -> None:
        """Change the results of `func`, which returns `spectrum`. Raises `Miss` where they must stay."""
        require(NO_FUSE not in peaks.attributes, Reason.NO_FUSE, peaks)
        dropped = [i for i, value in enumerate(returned.operands) if value is spectrum]
        kept = [i for i in range(len(returned.operands)) if i not in dropped]
        calls = list(calls_of(module, func)) if is_private(func) else []
        self.require_droppable(func, returned, dropped, calls)

        added = [] if peaks.result in returned.operands else [peaks.result]
        if added:
            before = set(returned.operands)
            self.require_gain(func, before, before - {spectrum} | {peaks.result}, peaks)
        keep_results(func, kept, added)
        for call in calls:
            call_again(call, func, kept)

    def require_droppable(
        self, func: FuncOp, returned: ReturnOp, dropped: Collection[int], calls: Sequence[CallOp]
    ) -> None:
        if not is_private(func):
            optional = self.any_result or all(is_optional(func, i) for i in dropped)
            require(optional, Reason.NOT_OPTIONAL, returned)
        for call in calls:
            for i in dropped:
                require(not any(live_uses(call.results[i])), Reason.MULTI_USE, call)

    def require_gain(
        self, func: FuncOp, before: Collection[SSAValue], after: Collection[SSAValue], peaks: Operation
    ) -> None:
        old, new = profile(func, before), profile(func, after)
        worth = self.gate.should_fuse(old, new)
        require(worth, Reason.NO_GAIN, peaks, detail=lambda: f"{self.gate.score(old, new):.0f} ns")


def calls_of(module: ModuleOp, func: FuncOp) -> Iterator[CallOp]:
    name = func.sym_name.data
    return (op for op in module.walk() if isinstance(op, CallOp) and op.callee.root_reference.data == name)


def call_again(call: CallOp, func: FuncOp, kept: Sequence[int]) -> None:
    """The call with the results that `func` has now, of which the first ones are the old ones at `kept`."""
    new = CallOp(call.callee, call.arguments, list(func.function_type.outputs))
    new.attributes = dict(call.attributes)
    new.location = call.location
    results: list[SSAValue | None] = [None] * len(call.results)
    for place, i in enumerate(kept):
        results[i] = new.results[place]
    Rewriter.replace_op(call, new, results)


@dataclass(frozen=True)
class SelectPeaksOnlyOutputsPass(ModulePass):
    """
    Do not read a whole spectrum back to the host where its peaks are computed beside it.

    Of an `rlx.fft` that is returned and that an `rlx.welch_peaks` reads, only the peaks are returned: at their place
    where they are a result already, else as the last result, if what is saved reaches `min-gain-ns` at the prices that
    the other options name. The spectrum must carry `rlx.optional` where the function is public; `compat-signatures`
    drops it all the same. Without `enabled` nothing happens.
    """

    name = "rlx-select-peaks-only-outputs"

    enabled: bool = False
    dispatch_ns: float = FREE.dispatch_ns
    roundtrip_ns: float = FREE.roundtrip_ns
    memory_bw: float = FREE.memory_bw
    readback_bw: float = FREE.host_readback_bw
    unified: bool = FREE.unified_memory
    host_penalty_ns: float = FREE.host_thunk_penalty_ns
    min_gain_ns: float = FREE.min_gain_ns
    compat_signatures: bool = False

    def __post_init__(self) -> None:
        for option, number in (
            ("dispatch-ns", self.dispatch_ns),
            ("roundtrip-ns", self.roundtrip_ns),
            ("memory-bw", self.memory_bw),
            ("readback-bw", self.readback_bw),
            ("host-penalty-ns", self.host_penalty_ns),
            ("min-gain-ns", self.min_gain_ns),
        ):
            if not 0 <= number < inf:
                raise PipelineError(f"option '{option}' of pass '{self.name}' must be a number from 0 on, not {number}")

    @property
    def gate(self) -> IoFusionGate:
        """The prices."""
        return IoFusionGate(
            self.dispatch_ns,
            self.roundtrip_ns,
            self.memory_bw,
            self.readback_bw,
            self.unified,
            self.host_penalty_ns,
            self.min_gain_ns,
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.enabled:
            return
        pattern = PeaksOnly(self.gate, self.compat_signatures)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                _select_all(op, func, pattern)


def _select_all(module: ModuleOp, func: FuncOp, pattern: PeaksOnly) -> None:
    returned = func.body.block.last_op
    for peaks in func.body.block.ops:
        if not isinstance(peaks, WelchPeaksOp) or not isinstance(returned, ReturnOp):
            continue
        spectrum = peaks.input
        if not isinstance(spectrum.owner, FftOp) or spectrum not in returned.operands:
            continue
        try:
            pattern.select(module, func, returned, peaks, spectrum)
        except Miss as miss:
            report_miss(TITLE, peaks, miss)
