"""The launch plan of a host function, read off its ops; temporaries share one arena by their lifetimes."""

from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, func, gpu, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FixedBitwidthType, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_passes.bundle.launch_plan import Buffer, Kind, LaunchStep, Plan, aligned
from rlx_passes.core.errors import CodegenError


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
            self.content.extend(bytes(aligned(len(self.content)) - len(self.content)))
            self._places[data] = len(self.content)
            self.content.extend(data)
        return self._places[data]

    def place(self, name: str) -> int:
        """The offset of the constant `name`."""
        return self._names[name]


@dataclass
class _Use:
    """A buffer while the plan is made: `first` and `last` are the launches that touch it."""

    kind: Kind
    place: int
    size: int
    first: int | None = None
    last: int = -1


def plan_of(function: func.FuncOp, constants: ConstantsFile) -> Plan:
    """The launch plan of a host function as `convert-rlx-to-gpu` leaves it; any other op in it is a `CodegenError`."""
    uses: list[_Use] = []
    number: dict[SSAValue, int] = {}

    def define(value: SSAValue, kind: Kind, place: int = 0) -> None:
        number[value] = len(uses)
        uses.append(_Use(kind, place, byte_size(value)))

    for i, argument in enumerate(function.body.block.args):
        define(argument, "argument", i)
    launches: list[LaunchStep] = []
    results: tuple[int, ...] = ()
    for op in function.body.block.ops:
        match op:
            case memref.AllocOp():
                define(op.memref, "temporary")
            case memref.GetGlobalOp():
                define(op.memref, "constant", constants.place(op.name_.string_value()))
            case memref.ReinterpretCastOp():
                number[op.result] = number[op.source]
            case gpu.LaunchFuncOp():
                step = _launch(op, number)
                for each in step.buffers:
                    uses[each].first = len(launches) if uses[each].first is None else uses[each].first
                    uses[each].last = len(launches)
                launches.append(step)
            case func.ReturnOp():
                results = tuple(number[value] for value in op.arguments)
            case arith.ConstantOp():
                pass
            case _:
                raise CodegenError(f"'{op.name}' in @{function.sym_name.data} has no place in a launch plan")
    for each in results:
        if uses[each].kind == "temporary":
            uses[each].kind = "result"
    arena = _place(uses)
    return Plan(tuple(Buffer(use.kind, use.place, use.size) for use in uses), tuple(launches), results, arena)


def byte_size(value: SSAValue) -> int:
    """The bytes of a memref value; at least 4, as an empty buffer cannot be bound."""
    type_ = cast(MemRefType, value.type)
    element = type_.element_type
    if not isinstance(element, FixedBitwidthType):
        raise CodegenError(f"a buffer of {element} has no fixed size")
    return max(4, type_.element_count() * element.compile_time_size)


def _launch(op: gpu.LaunchFuncOp, number: dict[SSAValue, int]) -> LaunchStep:
    grid = (_constant(op.gridSizeX), _constant(op.gridSizeY), _constant(op.gridSizeZ))
    block = (_constant(op.blockSizeX), _constant(op.blockSizeY), _constant(op.blockSizeZ))
    kernel = op.kernel.nested_references.data[-1].data
    return LaunchStep(kernel, grid, block, tuple(number[value] for value in op.kernelOperands))


def _constant(value: SSAValue) -> int:
    owner = value.owner
    if not isinstance(owner, Operation) or not isinstance(owner, arith.ConstantOp):
        raise CodegenError("a launch whose size is only known at run time cannot be planned")
    return cast(IntegerAttr, owner.value).value.data


def _place(uses: list[_Use]) -> int:
    """
    Give each temporary its place in the arena, and return the arena's size.

    Greedy by size: the largest first, each at the lowest offset where it meets nothing that lives at the same time.
    """
    placed: list[_Use] = []
    arena = 0
    temporaries = [use for use in uses if use.kind == "temporary"]
    for use in sorted(temporaries, key=lambda each: -each.size):
        meets = sorted((o for o in placed if _overlap(o, use)), key=lambda each: each.place)
        at = 0
        for other in meets:
            if at + use.size <= other.place:
                break
            at = max(at, aligned(other.place + other.size))
        use.place = at
        placed.append(use)
        arena = max(arena, aligned(at + use.size))
    return arena


def _overlap(a: _Use, b: _Use) -> bool:
    if a.first is None or b.first is None:
        return False
    return a.first <= b.last and b.first <= a.last
