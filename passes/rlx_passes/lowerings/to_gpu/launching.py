"""The launches of a host function: kernels cut out of loops, copies, and elements that the host reads back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as places
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, ComplexType
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.dims import Dim, Size, Symbol, product
from rlx_dialect.relations import Relation
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_gpu.kernel import Grid, KernelBuilder
from rlx_passes.lowerings.to_gpu.kernels import Kernels
from rlx_passes.lowerings.to_gpu.sizes import is_arithmetic, read_index
from rlx_passes.lowerings.to_gpu.steps import Check, Launch, Let, Read, Scope, Step
from rlx_passes.lowerings.to_gpu.storage import Kept
from rlx_passes.lowerings.to_gpu.tile import choose_tile
from rlx_passes.lowerings.to_gpu.views import View, memref_type, told

REACHED = 2**31 - 1
"""The last place that indices of kernels reach."""


class Launching:
    """Makes the steps of a function: `views` says what memory memrefs stand for, `sizes` what indices come to."""

    def __init__(self, name: str, kernels: Kernels, storage: Kept) -> None:
        self.name, self.kernels, self.storage = name, kernels, storage
        self.views: dict[SSAValue, View] = {}
        self.sizes: dict[SSAValue, Size | None] = {}
        self.steps: list[Step] = []
        self.read_only: set[SSAValue] = set()
        self.made: dict[SSAValue, Scope] = {}
        self.scope: Scope = ()
        self._serial: KernelBuilder | None = None
        self._named = 0
        self._veiled = False
        self._inner: set[str] = set()
        self.varying: set[str] = set()

    # Sizes.

    def size_of(self, value: SSAValue) -> Size | None:
        """What an index value comes to, where sizes of arguments and numbers of rounds say it."""
        return self.sizes.get(value)

    def size(self, value: SSAValue) -> Size:
        """What an index value comes to; what elements decide is read back."""
        size = self.size_of(value)
        if size is None and isinstance(op := value.owner, Operation):
            if isinstance(op, arith.IndexCastOp):
                size = self._read(self._scalar(op.input))
            elif is_arithmetic(op):
                for operand in op.operands:
                    self.size(operand)
                size = read_index(op, self.size_of)
            self.sizes[value] = size
        return told(size)

    def _read(self, base: SSAValue) -> Dim:
        """The element in `base`, from now on."""
        name, element = self._new_name("element")
        self.steps.append(Read(name, base))
        return self._let(element) if self._veiled else element

    def _let(self, size: Size) -> Dim:
        """A symbol that is `size` from now on, seen everywhere."""
        name, symbol = self._new_name("size")
        self.varying.add(name)
        self.steps.append(Let(name, size))
        return symbol

    def _new_name(self, kind: str) -> tuple[str, Dim]:
        self._named += 1
        name = f"{kind} {self._named}"
        return name, Dim.of(Symbol(name))

    def _view(self, value: SSAValue) -> View:
        if value not in self.views:
            raise Refusal(f"@{self.name}: a buffer that is chosen at run time has no GPU launch plan")
        return self.views[value]

    def _place(self, base: SSAValue, shape: Sequence[Size]) -> View:
        """Memory of its own for `base`."""
        atoms = [atom for size in shape if isinstance(size, Dim) for atom in size.atoms()]
        if any(isinstance(atom, Symbol) and atom.name in self._inner for atom in atoms):
            raise Refusal(
                "the condition of a loop makes a tensor whose size is the number of the round", "make it static"
            )
        self.views[base] = View.packed(base, shape)
        self.made[base] = self.scope
        return self.views[base]

    def _fresh(self, element: Attribute, shape: Sequence[Size]) -> View:
        types = [size if isinstance(size, int) else DYNAMIC_INDEX for size in shape]
        return self._place(memref.AllocOp.get(element, shape=types).memref, shape)

    # Kernels.

    def _builder(self) -> KernelBuilder:
        return KernelBuilder(self.views, self.size_of, self.storage)

    def _serial_builder(self) -> KernelBuilder:
        """The kernel of one thread that collects the ops between parallel loops."""
        if self._serial is None:
            self._serial = self._builder()
        self._serial.views.update(self.views)
        return self._serial

    def _flush(self) -> None:
        if self._serial is not None:
            serial, self._serial = self._serial, None
            self._launch(serial, Grid(1))

    def _launch(self, builder: KernelBuilder, grid: Grid) -> None:
        name = self.kernels.add(builder, grid)
        buffers, sizes = tuple(builder.buffers), tuple(builder.sizes)
        for base in buffers:
            self._check_reach(base)
        self.steps.append(Launch(name, grid, buffers, sizes, frozenset(builder.reads), frozenset(builder.writes)))

    def _check_reach(self, base: SSAValue) -> None:
        """Kernels count the parts of complex numbers in 32 bits."""
        if not isinstance(memref_type(base).element_type, ComplexType):
            return
        relation = Relation(self.views[base].size, "at most", REACHED // 2)
        message = f"kernels do not reach so many complex numbers: {relation}"
        if isinstance(relation.left, Dim):
            self.steps.append(Check(relation, message))
        elif relation.left > REACHED // 2:
            raise Refusal(message, "use smaller dims")

    def _parallel(self, op: scf.ParallelOp) -> None:
        self._flush()
        if op.initVals:
            raise Refusal("a parallel loop with a reduction cannot become a GPU launch")
        lows, highs, steps = ([self.size(n) for n in each] for each in (op.lowerBound, op.upperBound, op.step))
        shape = [rounds_of(low, high, step) for low, high, step in zip(lows, highs, steps, strict=True)]
        if 0 in shape:
            return
        tile = choose_tile(op, shape)
        inner = [size // factor for size, factor in zip(shape, tile, strict=True)]
        builder, grid = self._builder(), Grid(product(inner))
        builder.add_lanes(prod(tile))
        number = builder.thread_number(grid)
        builder.guarded(grid, number)
        at = builder.coordinates(number, inner)
        for lane, corner in zip(builder.lanes, places(*(range(factor) for factor in tile)), strict=True):
            # Neighbouring threads read neighbouring elements, so a thread's lanes lie a whole row of threads apart.
            for dim, argument in enumerate(op.body.block.args):
                start = lows[dim] + corner[dim] * inner[dim] * steps[dim]
                scaled = builder.times(at[dim], steps[dim])
                lane[argument] = scaled if start == 0 else builder.add(scaled, builder.index(start))
        builder.copy_for_lanes(list(op.body.block.ops)[:-1])
        self._launch(builder, grid)

    def _copy(self, source: View, target: View) -> None:
        self._flush()
        if source.size == 0:
            return
        builder, grid = self._builder(), Grid(source.size)
        number = builder.thread_number(grid)
        builder.guarded(grid, number)
        at = builder.coordinates(number, source.shape)
        builder.store(builder.load(source, at), target, at)
        self._launch(builder, grid)

    def _scalar_load(self, op: memref.LoadOp) -> None:
        """A scalar read on the host: kernels that want it read it again, from memory that nothing writes later."""
        view = self._view(op.memref)
        if view.base in self.read_only:
            return
        self._flush()
        scalar = self._fresh(memref_type(view.base).element_type, [])
        self.read_only.add(scalar.base)
        builder = self._builder()
        builder.store(builder.load(view, [builder.value(i) for i in op.indices]), scalar, [])
        self._launch(builder, Grid(1))
        op.res.replace_all_uses_with(memref.LoadOp.get(scalar.base, []).res)

    def _scalar(self, value: SSAValue) -> SSAValue:
        """A buffer of one element that holds `value`."""
        self._flush()
        base = self._view(value.owner.memref).base if isinstance(value.owner, memref.LoadOp) else None
        if base is not None and self.views[base].size == 1:
            return base
        scalar = self._fresh(value.type, [])
        builder = self._builder()
        builder.store(builder.value(value), scalar, [])
        self._launch(builder, Grid(1))
        return scalar.base


def rounds_of(low: Size, high: Size, step: Size) -> Size:
    """How often a loop goes round."""
    count = (high - low + step - 1) // step
    return max(0, count) if isinstance(count, int) else count
