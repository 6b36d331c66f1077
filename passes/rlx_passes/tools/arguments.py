"""The command line of rlx-opt: pass flags and pipeline strings in their order, and the tool's own flags."""

import argparse
import re
from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from rlx_passes.core.errors import PipelineError, UsageError, did_you_mean
from rlx_passes.core.spec import PassSpec, parse_pipeline, parse_spec
from rlx_passes.reading.model_options import ModelOptions
from rlx_passes.switches.environment import set_override
from rlx_passes.tools.reports import add_report

if TYPE_CHECKING:
    from rlx_passes.core.sidecar import Sidecar

DEFAULTS = {"--report": "--report=text"}
"""Flags with a value that may be left out; argparse would take the word after them for it."""

PIPELINE_FLAGS = ("-p", "--passes", "--pass-pipeline")


@dataclass(frozen=True)
class SplitArguments:
    """The passes that the command line asks for, in order, and what is left of it."""

    specs: tuple[PassSpec, ...]
    rest: tuple[str, ...]


def split_arguments(arguments: Sequence[str], pass_names: Container[str], flags: Container[str] = ()) -> SplitArguments:
    """
    Take `--pass-name`, `--pass-name=options` and pipeline strings out of `arguments`; `flags` are the tool's own.

    argparse cannot: an option with an optional value would swallow the input file. One dash is as good as two.
    """
    specs: list[PassSpec] = []
    rest: list[str] = []
    pending: Iterator[str] = iter(arguments)
    for argument in pending:
        if argument == "--":
            rest += [argument, *pending]
            break
        name, equals, value = argument.partition("=")
        if name in PIPELINE_FLAGS or name == "-pass-pipeline":
            text = value if equals else next(pending, None)
            if text is None:
                raise PipelineError(f"{name} needs a pipeline, as in {name}='rlx-fusion{{target=cpu}}'")
            specs += parse_pipeline(_unquoted(text))
        elif argument.startswith("-") and not (name in flags or f"-{name}" in flags) and name.lstrip("-") in pass_names:
            specs.append(_pass_flag(name.lstrip("-"), value if equals else None))
        else:
            rest.append(argument)
    return SplitArguments(tuple(specs), tuple(rest))


def _pass_flag(name: str, options: str | None) -> PassSpec:
    if options is None:
        return PassSpec(name)
    text = _unquoted(options)
    braced = text.startswith("{") and text.endswith("}")
    return parse_spec(f"{name}{text if braced else '{' + text + '}'}")


def _unquoted(text: str) -> str:
    """The text without one pair of quotes around it, which some shells and build files leave there."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text


class ArgumentParser(argparse.ArgumentParser):
    """argparse with errors that are raised and that guess what was meant."""

    def __init__(self, *, prog: str, description: str, pass_names: Collection[str] = ()):
        super().__init__(
            prog=prog,
            description=description,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.pass_names = pass_names
        self.add_argument("--stock-parser", action="store_true", help="read, verify and print with xDSL alone")

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The flags; raises UsageError for an unknown one, naming those that look like it."""
        whole = map(self._two_dashes, arguments)
        known, unknown = self.parse_known_args([DEFAULTS.get(argument, argument) for argument in whole])
        if unknown:
            name = unknown[0].partition("=")[0]
            if not name.startswith("-"):
                raise UsageError(f"more than one input: '{name}'")
            candidates = [*self.flags, *(f"--{name}" for name in self.pass_names)]
            raise UsageError(f"unknown flag or pass '{name}'{did_you_mean(name, candidates)}")
        if known.stock_parser:
            set_override("RLX_STOCK_PARSER", "1")
        return known

    @property
    def flags(self) -> Sequence[str]:
        """The tool's own flags."""
        return [flag for action in self._actions for flag in action.option_strings]

    def _two_dashes(self, argument: str) -> str:
        name = argument.partition("=")[0]
        return f"-{argument}" if re.match("-[a-z]", name) and f"-{name}" in self.flags else argument


SIGNATURE = {
    "params": "which arguments of a StableHLO program are params: names, positions, 3-5 or 3-",
    "inputs": "which arguments of a StableHLO program are inputs, in the same words; all others are params",
    "names": "names for the arguments of a StableHLO program, separated by commas, or a file of them: FILE.json, "
    "FILE.npz",
}
"""Options of the passes that import StableHLO, which are flags of the tools as well."""

IMPORTS = ("convert-stablehlo-to-rlx", "rlx-pipeline")


def add_signature(parser: argparse.ArgumentParser) -> None:
    """`--params`, `--inputs` and `--names`."""
    for name, text in SIGNATURE.items():
        parser.add_argument(f"--{name}", default="", help=text)


def add_sidecar(parser: argparse.ArgumentParser) -> None:
    """`--sidecar`: None, or a `Sidecar`."""

    def sidecar(path: str) -> "Sidecar":
        from rlx_passes.core.sidecar import Sidecar

        return Sidecar(path)

    parser.add_argument(
        "--sidecar", type=sidecar, metavar="FILE", help="the file of large constants, which the text refers to"
    )


def words(text: str) -> tuple[str, ...]:
    """The words of a list with commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def with_signature(specs: Sequence[PassSpec], flags: argparse.Namespace) -> tuple[PassSpec, ...]:
    """The passes, with the flags on arguments as options of those that import. Raises `UsageError` if none does."""
    given = {name: words(getattr(flags, name)) for name in SIGNATURE if getattr(flags, name)}
    if given and not any(spec.name in IMPORTS for spec in specs):
        raise UsageError(f"--{next(iter(given))} is for the import of StableHLO: --{IMPORTS[0]} or --{IMPORTS[1]}")
    return tuple(
        PassSpec(spec.name, (*(pair for pair in spec.options if pair[0] not in given), *given.items()))
        if spec.name in IMPORTS
        else spec
        for spec in specs
    )


def opt_parser(pass_names: Collection[str]) -> ArgumentParser:
    """The flags of rlx-opt beside the passes."""
    parser = ArgumentParser(
        prog="rlx-opt",
        description=(
            "Run passes over a program, in command-line order.\n\n"
            "A pass is a flag, with options after `=`: --rlx-fusion='target=rocm merge-env=true'. "
            "-p / --pass-pipeline takes a whole pipeline: 'builtin.module(a,b{x=1})' or 'a,b{x=1}'. "
            "See --list-passes."
        ),
        pass_names=pass_names,
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="the program or an .onnx model, `-` for standard input (default)")
    add("-o", dest="output", default="-", metavar="FILE", help="where the result goes; whole or not at all")
    ModelOptions.add(parser)
    add_signature(parser)
    add_sidecar(parser)
    add("--split-input-file", action="store_true", help="treat the parts between `// -----` lines as own programs")
    add("--verify-diagnostics", action="store_true", help="check `expected-error` comments; succeed if all came true")
    add("--verify-each", action="store_true", help="verify after each pass, not just at the beginning and the end")
    add(
        "--verify-rewrites",
        action="store_true",
        help="run each function by the reference before and after each pass, on random inputs; fail where they differ",
    )
    add(
        "--fusion-lock",
        dest="lock",
        default="",
        metavar="FILE",
        help="hold the fused ops of each function against a file; write it where there is none",
    )
    add("--update-fusion-lock", dest="update_lock", action="store_true", help="write the file of --fusion-lock anew")
    add_report(parser)
    add("--compare-targets", metavar="TARGETS", help="fuse for each target of a list and print how the results differ")
    add("--allow-unregistered-dialect", action="store_true", help="accept ops of unknown dialects unread")
    add("--mlir-print-op-generic", "--print-op-generic", dest="generic", action="store_true", help="generic form")
    add("--print-no-properties", action="store_true", help="print properties among the attributes")
    add("--mlir-print-debuginfo", "--print-debuginfo", dest="debuginfo", action="store_true", help="print locations")
    add("--mlir-print-ir-before-all", dest="before_all", action="store_true", help="the program before each pass")
    add("--mlir-print-ir-after-all", dest="after_all", action="store_true", help="the program after each pass")
    add("--mlir-print-ir-before", dest="before", default="", metavar="PASSES", help="before the passes of a list")
    add("--mlir-print-ir-after", dest="after", default="", metavar="PASSES", help="after the passes of a list")
    add("--mlir-timing", dest="timing", action="store_true", help="how long each pass took")
    add("--mlir-pass-statistics", dest="statistics", action="store_true", help="ops before and after each pass")
    add(
        "--print-pass-pipeline",
        action="store_true",
        help="print the flat pipeline on standard output, without reading or running anything",
    )
    add("--print-stacktrace", action="store_true", help="on an error, print where in the tool it arose as well")
    add("--show-dialects", action="store_true", help="list the dialects")
    add("--emit-irdl", action="store_true", help="print the rlx dialect as IRDL, for mlir-opt --irdl-file")
    add("--list-passes", action="store_true", help="list the passes, with the options of this package's own")
    add("--list-targets", action="store_true", help="list the targets")
    add("--print-target", metavar="TARGET", help="print a target as a target file with every key")
    add("--explain", metavar="CODE", help="print the page on a reason for a missed fusion, as in --explain=RLX-F012")
    add("--check-target", metavar="FILE", help="list what is wrong with a target file, one line each")
    add("--version", action="store_true", help="print the version")
    return parser
