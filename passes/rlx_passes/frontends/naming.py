"""Names and roles of imported functions: `rlx.input`, `rlx.param` and `rlx.output` on arguments and results."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from rlx_dialect.signature import INPUT, OUTPUT, PARAM, PREPARED, ROLES, donate, donations_of
from rlx_passes.core.errors import PipelineError, did_you_mean

ALIASED, DONOR = "tf.aliasing_output", "jax.buffer_donor"
"""What JAX writes at an argument that is donated: the index of a result, or that any may be it."""

_RANGE = re.compile(r"(\d+)(?:(-)(\d*))?")


def name_signatures(module: ModuleOp, params: Sequence[str], names: Sequence[str], inputs: Sequence[str] = ()) -> None:
    """
    Give each argument and result of the public functions a role and a name, unless it has one.

    `names` names the arguments in order, or is one file that does (`read_names`); without it they are `arg0`, `arg1`,
    ... `params` says which are params: names, positions (`3`), ranges (`3-5`) or all from one on (`3-`); the others are
    inputs. `inputs` says which are inputs in the same way; the others are params. Where both are given each argument
    must be one of them. Inputs that JAX donates are given up (`rlx.donate`). Raises `PipelineError` for a name or
    position that is not there.
    """
    names = read_names(names)
    for func in module.body.ops:
        if isinstance(func, FuncOp) and func.body.blocks and not _is_private(func):
            _name_arguments(func, params, names, inputs)
            _name_results(func)
            _name_donations(func)


def read_names(names: Sequence[str]) -> tuple[str, ...]:
    """
    `names` themselves, or what one file holds: a `.json` file a list of names, or an object whose entry `arg_names` is
    one; a `.npz` file an array `arg_names`. Raises `PipelineError` for a file that holds no names.
    """
    if len(names) != 1 or not names[0].endswith((".json", ".npz")):
        return tuple(names)
    (path,) = names
    try:
        found = _from_json(path) if path.endswith(".json") else _from_npz(path)
    except OSError as problem:
        raise PipelineError(f"option 'names': {path}: cannot be read: {problem.strerror or problem}") from None
    except Exception as problem:
        # NumPy lets through what zip files and array headers raise.
        raise PipelineError(f"option 'names': {path}: {' '.join(str(problem).split())}") from None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in cast("list[object]", found)):
        raise PipelineError(f"option 'names': {path}: holds no list of names, nor one called 'arg_names'")
    return tuple(cast("list[str]", found))


def _from_json(path: str) -> object:
    found: object = json.loads(Path(path).read_text(encoding="utf-8"))
    return cast("dict[str, object]", found).get("arg_names") if isinstance(found, dict) else found


def _from_npz(path: str) -> object:
    import numpy as np

    with np.load(path, allow_pickle=False) as stored:
        return stored["arg_names"].tolist() if "arg_names" in stored.files else None


def _is_private(func: FuncOp) -> bool:
    return func.sym_visibility is not None and func.sym_visibility.data == "private"


def _name_arguments(func: FuncOp, params: Sequence[str], names: Sequence[str], inputs: Sequence[str]) -> None:
    where, count = f"@{func.sym_name.data}", len(func.args)
    if names and len(names) != count:
        raise PipelineError(f"option 'names' lists {len(names)} names; {where} takes {count} arguments")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PipelineError(f"option 'names' lists '{twice}' twice")
    old = [DictionaryAttr({})] * count if func.arg_attrs is None else list(func.arg_attrs.data)
    known = [_name_of(attrs, i, names) for i, attrs in enumerate(old)]
    chosen = _roles(params, inputs, known, where)
    new = [
        attrs
        if any(role in attrs.data for role in ROLES) and not names and i not in chosen
        else _with_role(attrs, chosen.get(i, PARAM if PARAM in attrs.data or (inputs and not params) else INPUT), name)
        for i, (attrs, name) in enumerate(zip(old, known))
    ]
    if new:
        func.arg_attrs = ArrayAttr(new)


def _roles(params: Sequence[str], inputs: Sequence[str], known: Sequence[str], where: str) -> dict[int, str]:
    """The role of each argument that the options speak of."""
    as_params = {position for word in params for position in _positions("params", word, known, where)}
    as_inputs = {position for word in inputs for position in _positions("inputs", word, known, where)}
    if both := sorted(as_params & as_inputs):
        raise PipelineError(f"options 'params' and 'inputs' both list '{known[both[0]]}' of {where}")
    if params and inputs and (neither := sorted(set(range(len(known))) - as_params - as_inputs)):
        raise PipelineError(
            f"neither option 'params' nor 'inputs' lists '{known[neither[0]]}' of {where}; give one of them"
        )
    return {**dict.fromkeys(as_params, PARAM), **dict.fromkeys(as_inputs, INPUT)}


def _name_of(attrs: DictionaryAttr, position: int, names: Sequence[str]) -> str:
    if names:
        return names[position]
    given = [attrs.data[role] for role in ROLES if role in attrs.data]
    return given[0].data if given and isinstance(given[0], StringAttr) else f"arg{position}"


def _with_role(attrs: DictionaryAttr, role: str, name: str) -> DictionaryAttr:
    kept = {key: value for key, value in attrs.data.items() if key not in ROLES}
    return DictionaryAttr({**kept, role: StringAttr(name)})


def _positions(option: str, word: str, names: Sequence[str], where: str) -> range:
    if word in names:
        return range(names.index(word), names.index(word) + 1)
    match = _RANGE.fullmatch(word)
    if match is None:
        raise PipelineError(f"option '{option}': {where} has no argument '{word}'{did_you_mean(word, names)}")
    first = int(match[1])
    last = first if match[2] is None else int(match[3]) if match[3] else len(names) - 1
    if first >= len(names) or last >= len(names) or last < first:
        raise PipelineError(f"option '{option}': '{word}' is outside of the {len(names)} arguments of {where}")
    return range(first, last + 1)


def _name_results(func: FuncOp) -> None:
    count = len(func.function_type.outputs.data)
    old = [DictionaryAttr({})] * count if func.res_attrs is None else list(func.res_attrs.data)
    new = [
        attrs
        if OUTPUT in attrs.data or PREPARED in attrs.data
        else DictionaryAttr({**attrs.data, OUTPUT: StringAttr(f"out{i}")})
        for i, attrs in enumerate(old)
    ]
    if new:
        func.res_attrs = ArrayAttr(new)


def _name_donations(func: FuncOp) -> None:
    """
    What JAX says of arguments that it donates: the result for which, or, where it leaves that open, the first one of
    the same type that no other is donated for. A param is never given up.
    """
    given = [attrs.data for attrs in func.arg_attrs or ()]
    if not any(ALIASED in data or DONOR in data for data in given):
        return
    types = func.function_type
    donations: dict[int, int] = {}
    for i, data in enumerate(given):
        aliased = data.get(ALIASED)
        if isinstance(aliased, IntegerAttr) and INPUT in data:
            donations[i] = aliased.value.data
    for i, data in enumerate(given):
        fitting = (j for j, type in enumerate(types.outputs) if type == types.inputs.data[i])
        free = next((j for j in fitting if j not in donations.values()), None)
        if DONOR in data and INPUT in data and i not in donations and free is not None:
            donations[i] = free
    rest = [DictionaryAttr({key: v for key, v in data.items() if key not in (ALIASED, DONOR)}) for data in given]
    func.arg_attrs = ArrayAttr(rest)
    donate(func, donations)
    try:
        donations_of(func)
    except ValueError as fault:
        raise PipelineError(f"@{func.sym_name.data}, by {ALIASED}: {fault}") from None
