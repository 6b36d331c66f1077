"""The launch plan of a host function, read off its ops."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, cf, func, gpu, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    MemRefType,
    ModuleOp,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_dialect.dims import Dim, Size, Symbol, larger, product
from rlx_dialect.relations import size_name
from rlx_passes.bundle.launch_plan import (
    ALIGNMENT,
    BranchStep,
    Buffer,
    CheckStep,
    Kind,
    LaunchStep,
    LetStep,
    LoopStep,
    Plan,
    ReadStep,
    Step,
)
from rlx_passes.codegen.entries import Signature, dtype_name
from rlx_passes.codegen.placing import Use, place
from rlx_passes.core.errors import CodegenError
from rlx_passes.lowerings.to_gpu.sizes import read_assert, read_index


@dataclass
class ConstantsFile:
    """The bytes of all constants of a module, each aligned; equal ones stand there once."""

    content: bytearray = field(default_factory=bytearray)
    _places: dict[bytes, int] = field(default_factory=dict[bytes, int])
    _names: dict[str, int] = field(default_factory=dict[str, int])

    @staticmethod
    def of(module: ModuleOp) -> "ConstantsFile":
        """The constants of `module`: its `memref.global`s."""
        file = ConstantsFile()
        for op in module.ops:
            if isinstance(op, memref.GlobalOp) and isinstance(op.initial_value, DenseIntOrFPElementsAttr):
                file._names[op.sym_name.data] = file._add(op.initial_value.data.data)
        return file

    def _add(self, data: bytes) -> int:
        if data not in self._places:
            self.content.extend(bytes(-len(self.content) % ALIGNMENT))
            self._places[data] = len(self.content)
            self.content.extend(data)
        return self._places[data]

    def place(self, name: str) -> int:
        """The offset of the constant `name`."""
        return self._names[name]


def plan_of(function: func.FuncOp, constants: ConstantsFile) -> Plan:
    """The launch plan of a host function as `convert-rlx-to-gpu` leaves it; any other op in it is a `CodegenError`."""
    return _Planner(function, constants).plan()


class _Planner:
    def __init__(self, function: func.FuncOp, constants: ConstantsFile) -> None:
        self._function, self._constants = function, constants
        self._uses: list[Use] = []
        self._number: dict[SSAValue, int] = {}
        self._shapes: dict[SSAValue, tuple[Size, ...]] = {}
        self._sizes: dict[SSAValue, Size | None] = {}
        self._steps = self._named = 0
        self._elements: set[str] = set()
        self._variables: dict[SSAValue, tuple[str, Dim]] = {}
        self._touched: set[int] = set()

    def plan(self) -> Plan:
        block = self._function.body.block
        for i, (argument, (role, spec)) in enumerate(zip(block.args, Signature.of(self._function).arguments)):
            names = [size_name(role, spec.name, axis) for axis, size in enumerate(spec.shape) if size is None]
            self._define(argument, "argument", i, [Dim.of(Symbol(name)) for name in names])
        launches = self._block(block)
        returned = block.last_op.operands if block.last_op is not None else ()
        results = tuple(self._number[value] for value in returned)
        for use in (self._uses[each] for each in results):
            use.kind = "result" if use.kind == "temporary" else use.kind
        open_ = any(DYNAMIC_INDEX in cast(MemRefType, value.type).get_shape() for value in returned)
        shapes = tuple(self._shapes[value] for value in returned) if open_ else ()
        arena = place(self._uses)
        buffers = tuple(Buffer(use.kind, use.place, use.size) for use in self._uses)
        return Plan(buffers, launches, results, arena, shapes)

    def _define(self, value: SSAValue, kind: Kind, place: int, sizes: Iterable[Size | None] = ()) -> None:
        self._shape(value, sizes)
        self._number[value] = len(self._uses)
        size = byte_size(value.type, self._shapes[value])
        if isinstance(size, Dim) and any(isinstance(a, Symbol) and a.name in self._elements for a in size.atoms()):
            kind = "result"  # memory of its own, as its size shows in the midst of a run
        self._uses.append(Use(kind, place, size))

    def _shape(self, value: SSAValue, sizes: Iterable[Size | None]) -> None:
        """The shape of a buffer, with `sizes` for the axes of which its type says nothing."""
        left = iter(sizes)
        types = cast(MemRefType, value.type).get_shape()
        self._shapes[value] = tuple(self._known(next(left)) if size == DYNAMIC_INDEX else size for size in types)

    def _known(self, size: Size | None) -> Size:
        if size is None:
            raise CodegenError(f"@{self._function.sym_name.data} has a size that no argument says")
        return size

    def _block(self, block: Block) -> tuple[Step, ...]:
        steps = (self._step(op) for op in block.ops)
        return tuple(step for step in steps if step is not None)

    def _step(self, op: Operation) -> Step | None:
        match op:
            case memref.AllocOp():
                self._define(op.memref, "temporary", 0, [self._sizes.get(size) for size in op.dynamic_sizes])
            case memref.AllocaOp():
                self._variables[op.memref] = self._new_name("size")
            case memref.StoreOp():
                return LetStep(self._variables[op.memref][0], self._known(self._sizes.get(op.value)))
            case memref.LoadOp() if op.memref in self._variables:
                self._sizes[op.res] = self._variables[op.memref][1]
            case memref.GetGlobalOp():
                self._define(op.memref, "constant", self._constants.place(op.name_.string_value()))
            case memref.ReinterpretCastOp():
                self._number[op.result] = self._number[op.source]
                self._shape(op.result, [self._sizes.get(size) for size in op.sizes])
            case UnrealizedConversionCastOp():  # a buffer of complex numbers as one of their parts
                self._number[op.results[0]] = self._number[op.inputs[0]]
            case memref.DimOp():
                self._sizes[op.result] = self._shapes[op.source][cast(int, self._sizes[op.index])]
            case gpu.LaunchFuncOp():
                return self._launch(op)
            case cf.AssertOp() if (relation := read_assert(op, self._sizes.get)) is not None:
                return CheckStep(relation, op.msg.data)
            case scf.IfOp():
                condition = self._condition(op.cond)
                then, otherwise = (self._block(region.block) for region in (op.true_region, op.false_region))
                return BranchStep(condition, then, otherwise)
            case scf.ForOp():
                return self._loop((op.body.block,), self._sizes.get(op.ub))
            case scf.WhileOp():
                return self._loop((op.before_region.block, op.after_region.block), None)
            case arith.IndexCastOp():
                return self._read(op, cast(memref.LoadOp, op.input.owner))
            case func.ReturnOp() | scf.YieldOp() | scf.ConditionOp() | memref.LoadOp():
                pass
            case _ if op.name.startswith("arith."):
                self._sizes[op.results[0]] = read_index(op, self._sizes.get)
            case _:
                raise CodegenError(f"'{op.name}' in @{self._function.sym_name.data} has no place in a launch plan")
        return None

    def _read(self, op: arith.IndexCastOp, load: memref.LoadOp) -> ReadStep:
        name, self._sizes[op.result] = self._new_name("element")
        number = self._number[load.memref]
        self._touch(number)
        return ReadStep(name, number, dtype_name(op.input.type))

    def _new_name(self, kind: str) -> tuple[str, Dim]:
        self._named += 1
        name = f"{kind} {self._named}"
        self._elements.add(name)
        return name, Dim.of(Symbol(name))

    def _loop(self, blocks: Sequence[Block], rounds: Size | None) -> LoopStep:
        """A buffer from outside that rounds touch is in use from the first round to the last."""
        made = len(self._uses)
        name, number = self._new_name("round")
        self._sizes.update({block.args[0]: number for block in blocks})
        first, outside, self._touched = self._steps, self._touched, set()
        *before, body = (self._block(block) for block in blocks)
        end = blocks[0].last_op
        condition = self._condition(end.condition) if isinstance(end, scf.ConditionOp) else None
        self._steps += 1
        for each in (number for number in self._touched if number < made):
            self._uses[each].touch(first, self._steps)
        self._touched |= outside
        return LoopStep(name, rounds, before[0] if before else (), condition, body)

    def _condition(self, truth: SSAValue) -> int:
        compared = cast(arith.CmpiOp, truth.owner)
        number = self._number[cast(memref.LoadOp, compared.lhs.owner).memref]
        self._touch(number)
        return number

    def _touch(self, number: int) -> None:
        self._uses[number].touch(self._steps, self._steps)
        self._touched.add(number)

    def _launch(self, op: gpu.LaunchFuncOp) -> LaunchStep:
        x, y, z = (self._known(self._sizes.get(size)) for size in (op.gridSizeX, op.gridSizeY, op.gridSizeZ))
        block = tuple(self._sizes.get(size) for size in (op.blockSizeX, op.blockSizeY, op.blockSizeZ))
        buffers = tuple(self._number[value] for value in op.kernelOperands if value in self._number)
        sizes = [self._sizes.get(value) for value in op.kernelOperands if value not in self._number]
        self._steps += 1
        for each in buffers:
            self._touch(each)
        kernel = op.kernel.nested_references.data[-1].data
        three = cast("tuple[int, int, int]", block)
        return LaunchStep(kernel, (x, y, z), three, buffers, tuple(map(self._known, sizes)))


def byte_size(type_: Attribute, shape: Sequence[Size]) -> Size:
    """The bytes of a buffer of memref type; at least an element and 4, as an empty buffer cannot be bound."""
    element = cast(MemRefType, type_).element_type
    if not isinstance(element, FixedBitwidthType | ComplexType):
        raise CodegenError(f"a buffer of {element} has no fixed size")
    return larger(max(4, element.compile_time_size), product(shape) * element.compile_time_size)
