"""A PyTorch module as a graph of ATen ops, by `torch.export`."""

from __future__ import annotations

import importlib
import inspect
import logging
import traceback
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rlx_passes.frontends.torch.errors import TorchError
from rlx_passes.frontends.torch.naming import place_of
from rlx_passes.frontends.torch.registry import REFUSED, RULES


def torch_package() -> Any:
    """The package `torch`. Raises `TorchError` where it is not installed."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise TorchError(
            "from_torch needs PyTorch, which is not installed: pip install 'rlx-dialect[torch]'"
        ) from error


def exported(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], dynamic_shapes: Any = None) -> Any:
    """
    The `ExportedProgram` of a module in functional form: ops with a rule as they are, others decomposed if possible.

    Raises `TorchError` for what is no module, inputs that do not fit `forward`, and what `torch.export` cannot trace.
    """
    torch = torch_package()
    if not isinstance(module, torch.nn.Module):
        hint = f"{module.__name__}()" if isinstance(module, type) else "a torch.nn.Module whose forward calls it"
        raise TorchError(f"from_torch needs a torch.nn.Module, got {described(module)}; pass {hint}")
    check_arguments(module, args, kwargs)
    with quiet(torch):
        try:
            program = torch.export.export(
                module, tuple(args), dict(kwargs), dynamic_shapes=dynamic_shapes, strict=False
            )
        except Exception as error:
            raise TorchError(untraceable(type(module).__name__, error)) from error
        check_evaluation(program)
        try:
            return program.run_decompositions(decompositions(torch))
        except Exception as error:
            raise TorchError(f"torch.export cannot decompose {type(module).__name__}: {first_line(error)}") from error


def described(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"


def check_arguments(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raises `TorchError` unless `forward` takes these arguments."""
    forward: Callable[..., Any] = module.forward
    signature = inspect.signature(forward)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        given = f"{len(args)} example input{'' if len(args) == 1 else 's'}"
        names = f" and {', '.join(kwargs)}" if kwargs else ""
        raise TorchError(f"{type(module).__name__}.forward{signature} does not take {given}{names}: {error}") from error


def check_evaluation(program: Any) -> None:
    """Raises `TorchError` for a dropout that drops: PyTorch takes it apart into random numbers."""
    places: list[str] = []
    for node in program.graph.nodes:
        if "dropout" in str(node.target) and len(node.args) > 2 and node.args[1] and node.args[2]:
            places.append(f"{node.args[1]}{f' in {place}' if (place := place_of(node)) else ''}")
    if places:
        raise TorchError(f"dropout of {', of '.join(places)} in training mode; call module.eval() first")


def decompositions(torch: Any) -> Any:
    """How ops without a rule are taken apart: by PyTorch's default, or by a decomposition that is off by default."""
    table = torch.export.default_decompositions()
    more: Mapping[Any, Any] = importlib.import_module("torch._decomp").decomposition_table
    known = set(table)
    for op, way in more.items():
        if op not in known and not str(op).endswith(".out"):
            table[op] = way
    for op in list(table):
        if str(op) in RULES or str(op) in REFUSED:
            del table[op]
    return table


@contextmanager
def quiet(torch: Any) -> Generator[None]:
    """Without gradients, ops for a whole encoder layer, warnings, or the log of tracing."""
    fast, silenced = torch.backends.mha.get_fastpath_enabled(), logging.root.manager.disable
    torch.backends.mha.set_fastpath_enabled(False)
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(silenced)
        torch.backends.mha.set_fastpath_enabled(fast)


def untraceable(name: str, error: Exception) -> str:
    """One line that says why `torch.export` refused a module, and at which line of the user's code."""
    where = line_of(error)
    text = str(error)
    kind = type(error).__name__
    if "data-dependent" in text or kind.startswith("GuardOnDataDependent"):
        return (
            f"{name} cannot be read{where}: a branch, loop or shape there depends on the values of a tensor; "
            "torch.where, torch.cond or a fixed size can say it"
        )
    if kind == "UserError" or "torch.export" in text or "Dim" in text:
        return f"{name} cannot be read{where}: {first_line(error)}"
    return f"{name}.forward fails on the example inputs{where}: {first_line(error)}"


def first_line(error: Exception) -> str:
    """What an error says first, or the points that it lists."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    points = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    return (points or lines)[0].rstrip(".") if lines else type(error).__name__


def line_of(error: Exception) -> str:
    """` at model.py:12`, the innermost line outside PyTorch that the error came through; empty without one."""
    package = Path(str(importlib.import_module("torch").__file__)).parent
    here = Path(__file__).parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if package not in path.parents and here not in path.parents and path.exists():
            return f" at {path.name}:{frame.lineno}"
    return ""
