"""What a lowering says of itself: claims of targets are held against it, and refusals advise by it."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp, IndexCastOp
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from rlx_dialect.decompose import composite_ops
from rlx_dialect.ops import RlxOp
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.rewriting.conversion import name_of

LINALG, GPU_KERNELS, STABLEHLO, MLX = "linalg", "GPU kernels", "StableHLO", "MLX"
"""What lowerings give, as messages and pages call it."""


class LoweringPass(ModulePass):
    """A pass that turns rlx ops into those of a backend dialect."""

    form: ClassVar[str]
    """What the ops become: one of the names above."""

    @classmethod
    @abstractmethod
    def forms(cls) -> frozenset[type[Operation]]:
        """The ops that are lowered by a rule of their own."""

    @classmethod
    def lowers(cls) -> frozenset[type[Operation]]:
        """Every op that is lowered: those with a rule of their own, and those that are taken apart into plain ones."""
        return cls.forms() | composite_ops()


_trying: ContextVar[bool] = ContextVar("rlx_trying", default=False)


def advice(forms: Sequence[str], op: Operation, program: ModuleOp | None = None) -> str:
    """
    What to do about an op that lowerings to `forms` refuse and say nothing more about. The targets it names take
    `program`, the op alone where nobody says which program that is.
    """
    if _trying.get():
        return ""
    if not isinstance(op, RlxOp):
        unread = name_of(op).startswith(("stablehlo.", "chlo."))
        return f"{'drop from=rlx if it is set, ' if unread else ''}turn it into rlx ops first, or take it out"
    whole = alone(op) if program is None else program
    # Kernels are made by way of linalg: what they take cpu takes, and cpu is sooner asked.
    asked = [name for name, cls in lowering_passes().items() if cls.form not in (*forms, GPU_KERNELS)]
    others = [name for name in asked if type(op) in lowering_passes()[name].lowers() and _takes(name, whole)]
    if not others:
        return "no other target has a form of it: write it in other ops, or run the program by the reference (rlx-run)"
    return f"write it in other ops, or choose a target that has a rule for it ({', '.join(others)})"


def _takes(target: str, program: ModuleOp) -> bool:
    """Whether a target's lowering takes a program, by having it done."""
    token = _trying.set(True)
    try:
        lowering_passes()[target]().apply(Context(), program.clone())
    except Exception:  # whatever another tool says, it does not take it
        return False
    finally:
        _trying.reset(token)
    return True


def alone(op: Operation) -> ModuleOp:
    """
    A function that does `op` on its arguments, and on constants where it does so in the program.

    An index is read from a tensor: no program is given one.
    """
    block = Block()
    given: dict[SSAValue, SSAValue] = {}
    for value in dict.fromkeys(op.operands):
        if isinstance(value.owner, ConstantOp):
            constant = value.owner.clone()
            block.add_op(constant)
            given[value] = constant.result
        elif isinstance(value.type, IndexType):
            read = ExtractOp(block.insert_arg(TensorType(i64, []), len(block.args)), [], i64)
            index = IndexCastOp(read.result, IndexType())
            block.add_ops([read, index])
            given[value] = index.result
        else:
            given[value] = block.insert_arg(value.type, len(block.args))
    copy = op.clone(given)
    block.add_ops([copy, ReturnOp(*copy.results)])
    types = ([argument.type for argument in block.args], list(copy.result_types))
    return ModuleOp([FuncOp("alone", types, Region(block))])


@cache
def lowering_passes() -> Mapping[str, type[LoweringPass]]:
    """The lowering of each built-in target."""
    from rlx_passes.universe import RLX_UNIVERSE

    lowerings = {name: load_target(name).lowering for name in builtin_targets()}
    found = {name: RLX_UNIVERSE.all_passes[spec.name]() for name, spec in lowerings.items() if spec is not None}
    return {name: cls for name, cls in found.items() if issubclass(cls, LoweringPass)}
