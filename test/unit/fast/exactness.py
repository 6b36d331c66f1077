"""What xDSL makes of a text, and what the fast parser, printer and verifier make of it."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.printer import Printer

from rlx_dialect.fast import FastParser, FastPrinter, verify
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import FastLocatedParser, LocatedParser
from rlx_passes.reading.source import Source

# pyright: reportPrivateUsage=false

ROOT = Path(__file__).parents[3]
OWN = sorted(
    path for folder in ("test/filecheck", "test/models", "examples") for path in (ROOT / folder).rglob("*.mlir")
)
"""The texts of this project."""

STRESS = 16
LARGE = 20_000
"""One text in so many is also held in the forms that xDSL prints it in, unless it has so many characters."""

FORMS: tuple[dict[str, Any], ...] = ({}, {"print_generic_format": True}, {"print_debuginfo": True})
_MARK = re.compile(r"^// -----.*$", re.MULTILINE)


@dataclass(frozen=True)
class Contenders:
    """The two parsers of a comparison."""

    stock: Callable[[Context, str, str], Parser]
    fast: Callable[[Context, str, str], Parser]


XDSL = Contenders(Parser, FastParser)
TOOLS = Contenders(
    lambda context, text, name: LocatedParser(context, Source(name, text)),
    lambda context, text, name: FastLocatedParser(context, Source(name, text)),
)
"""Those of this project's tools, which repair xDSL's and say where each op was written."""


@dataclass(frozen=True)
class Read:
    """What became of a text: a module, or the error that it is refused with; the parser, for its templates."""

    module: ModuleOp | None
    error: str
    parser: Parser | None


@cache
def context(allow_unregistered: bool) -> Context:
    return tool_context(allow_unregistered=allow_unregistered)


def sections(path: Path) -> Iterator[tuple[str, str]]:
    """The parts of a file, each with a name."""
    for at, text in enumerate(_MARK.split(path.read_bytes().decode())):
        yield f"{path.name} {at}", text


def unregistered(text: str) -> bool:
    """Whether a file is meant for tools that accept what they do not know."""
    return "allow-unregistered" in text


def read(
    kind: Callable[[Context, str, str], Parser], text: str, name: str, context: Context, warm: Parser | None = None
) -> Read:
    """
    Read a text, with the templates of another parser where one is given. Names of resources are those of a fresh
    process.
    """
    resources = Builtin.get_interface(OpAsmDialectInterface)
    assert resources is not None
    resources._blob_storage.clear()
    parser = None
    try:
        parser = kind(context, text, name)
        if isinstance(parser, FastParser) and isinstance(warm, FastParser):
            parser._templates, parser._known = warm._templates, warm._known
        return Read(parser.parse_module(), "", parser)
    except Exception as error:
        return Read(None, f"{type(error).__name__}: {error}", parser)


def printed(kind: type[Printer], module: ModuleOp, times: int, **form: Any) -> str:
    """A module printed by one printer, again and again; or what it is refused with."""
    stream = StringIO()
    try:
        printer = kind(stream, **form)
        for _ in range(times):
            printer.print_op(module)
            stream.write("\n")
    except Exception as error:
        stream.write(f"{type(error).__name__}: {error}")
    return stream.getvalue()


def located(module: ModuleOp) -> str:
    """A module as xDSL prints it, with everything that it holds."""
    return printed(Printer, module, 1, print_generic_format=True, print_debuginfo=True)


def verified(op: Operation, *, fast: bool) -> str:
    """The error that an op is refused with."""
    try:
        verify(op) if fast else op.verify()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def same_module(text: str, name: str, context: Context, contenders: Contenders) -> tuple[ModuleOp, ModuleOp] | None:
    """
    Hold the fast parser against the stock one, cold and warm: same error, or same ops and places. Gives the stock
    module and the warm one.
    """
    wanted = read(contenders.stock, text, name, context)
    cold = read(contenders.fast, text, name, context)
    assert cold.error == wanted.error, name
    warm = read(contenders.fast, text, name, context, cold.parser)
    assert warm.error == wanted.error, name
    if wanted.module is None or cold.module is None or warm.module is None:
        return None
    expected = located(wanted.module)
    assert located(cold.module) == expected, name
    assert located(warm.module) == expected, name
    return wanted.module, warm.module


def same(
    text: str,
    name: str,
    context: Context,
    contenders: Contenders = XDSL,
    *,
    generic: bool = False,
    times: int = 3,
    stress: bool = False,
) -> None:
    """
    The same for verifier and printer, in one of the forms, by one printer again and again; under stress also for the
    texts that xDSL prints.
    """
    modules = same_module(text, name, context, contenders)
    if modules is None:
        return
    stock, warm = modules
    error = verified(stock, fast=False)
    assert verified(stock, fast=True) == error, name
    assert verified(warm, fast=True) == error, name
    expected = printed(Printer, stock, times, print_generic_format=generic)
    assert printed(FastPrinter, stock if generic else warm, times, print_generic_format=generic) == expected, name
    for form in FORMS if stress else ():
        same_module(printed(Printer, stock, 1, **form), f"{name} printed", context, contenders)


def hold(files: Iterable[Path], contenders: Contenders) -> None:
    """Hold the fast tools against the stock ones on every part of some files."""
    count = 0
    for path in files:
        accepts = context(unregistered(path.read_bytes().decode()))
        for name, text in sections(path):
            count += 1
            stress = count % STRESS == 0 and len(text) < LARGE
            times = 1 if count % 3 else 3
            same(text, name, accepts, contenders, generic=count % 2 == 0, times=times, stress=stress)
