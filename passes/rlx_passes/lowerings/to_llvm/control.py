"""Rules of control flow: loops, branches, calls and assertions become blocks."""

from xdsl.dialects import cf, func, llvm, scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_passes.lowerings.to_llvm.code import Number
from rlx_passes.lowerings.to_llvm.lowering import Lowering, Rule, types_of


def _for(low: Lowering, op: scf.ForOp) -> None:
    body = op.body.block
    lower, upper, step = low.numbers((op.lb, op.ub, op.step))
    inits, (index, *carried) = low.spread(op.iter_args), body.args
    if _is_one_round(lower, upper, step):
        # A single round needs no loop, and its index is known.
        low.set(index, lower)
        low.bind(carried, (low.code.ssa(each) for each in inits))
        low.bind(op.res, [low.code.ssa(each) for each in low.region(body)])
        return
    loop = low.code.loop(lower, upper, step, inits, types_of(op.iter_args))
    low.set(index, loop.index)
    low.bind(carried, loop.carried)
    loop.end(low.region(body))
    low.bind(op.res, loop.carried)


def _is_one_round(lower: Number, upper: Number, step: Number) -> bool:
    if not isinstance(lower, int) or not isinstance(upper, int) or not isinstance(step, int):
        return False
    return lower < upper <= lower + step


def _if(low: Lowering, op: scf.IfOp) -> None:
    code = low.code
    yes, no, after = code.new_block(), code.new_block(), code.new_block(types_of(op.output))
    code.branch(low.ssa(op.cond), yes, no)
    for block, region in ((yes, op.true_region), (no, op.false_region)):
        code.place(block)
        code.go(after, low.region(region.block) if region.blocks else ())
    code.place(after)
    low.bind(op.output, after.args)


def _while(low: Lowering, op: scf.WhileOp) -> None:
    code, before, body = low.code, op.before_region.block, op.after_region.block
    head = code.new_block(types_of(before.args))
    code.go(head, low.spread(op.arguments))
    code.block = head
    low.bind(before.args, head.args)
    heap = len(low.heap)
    decision, *values = low.run(before).operands
    parts = [code.ssa(each) for each in low.spread(values)]
    low.release(heap)
    round_, after = code.new_block(), code.new_block()
    code.branch(low.ssa(decision), round_, after)
    code.place(round_)
    low.bind(body.args, parts)
    code.go(head, low.region(body))
    code.place(after)
    low.bind(op.res, parts)


def _assert(low: Lowering, op: cf.AssertOp) -> None:
    number = low.code.integer(low.unit.number_of(op.msg), i32)
    fail_unless(low, low.ssa(op.arg), number)


def fail_unless(low: Lowering, condition: SSAValue, number: SSAValue) -> None:
    """Leave the function with `number` where `condition` is false; buffers of the heap are freed on the way."""
    code = low.code
    otherwise = code.unless(condition)
    here, code.block = code.block, otherwise
    for pointer, _ in reversed(low.heap):
        low.free(pointer)
    low.fail(low, number)
    code.place(here)


def _call(low: Lowering, op: func.CallOp) -> None:
    code, name = low.code, op.callee.string_value()
    operands = [code.ssa(each) for each in low.spread(op.arguments)]
    fallible = name in low.unit.relations.fallible
    types = types_of(op.res)
    result = code.call(body_name(name), operands, result_type(types, fallible=fallible))
    parts = unpacked(low, result, len(types) + fallible)
    if fallible:
        status = parts.pop(0)
        fail_unless(low, code.compare("eq", status, 0), status)
    low.bind(op.res, parts)


def body_name(function: str) -> str:
    """The name of what `function` does, without the ABI of public functions."""
    return f"{function}.body"


def result_type(types: list[Attribute], *, fallible: bool) -> Attribute | None:
    """What a function with results of `types` returns: before them the number of an assertion where one may end it."""
    every = [i32, *types] if fallible else types
    if len(every) > 1:
        return llvm.LLVMStructType.from_type_list(every)
    return every[0] if every else None


def unpacked(low: Lowering, result: SSAValue | None, count: int) -> list[SSAValue]:
    """The values in what a function returned."""
    if result is None or count == 1:
        return [result] if result is not None else []
    return [low.code.field(result, position) for position in range(count)]


def packed(low: Lowering, values: list[SSAValue], type_: Attribute) -> SSAValue:
    """The opposite: what a function returns for `values`."""
    if len(values) == 1:
        return values[0]
    result = low.code.emit(llvm.UndefOp, (), type_)
    for position, value in enumerate(values):
        result = low.code.with_field(result, position, value)
    return result


RULES: dict[type[Operation], Rule] = {
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.WhileOp: _while,
    cf.AssertOp: _assert,
    func.CallOp: _call,
}
