"""`rlx-opt`: read a program, run passes over it, print it. Flags and behaviour follow mlir-opt."""

import argparse
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

from rlx_passes.core.errors import RlxError

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass

    from rlx_passes.reading.diagnostics import Diagnostic
    from rlx_passes.reading.source import Source
    from rlx_passes.tools.instrument import Instruments
    from rlx_passes.tools.running import Runner

    Steps = Sequence[tuple[ModulePass, Sequence[ModulePass]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code: 0, or 1 after an error that was printed to standard error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    return guarded("rlx-opt", partial(_main, arguments), stacktrace="--print-stacktrace" in arguments)


def guarded(tool: str, work: Callable[[], int], *, stacktrace: bool = False) -> int:
    """
    Run a tool's work: what a user did wrong is printed on one line, a closed pipe ends quietly.

    Variables that the work overrides stay so for its length.
    """
    try:
        return copy_context().run(work)
    except BrokenPipeError:
        # The reader went away. Python flushes standard output once more at exit, which must not fail aloud.
        with suppress(OSError, ValueError):
            sys.stdout.close()
        return 1
    except RlxError as problem:
        print(f"{tool}: error: {problem}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{tool}: interrupted", file=sys.stderr)
    except OSError as problem:
        # Of files the tools speak themselves; what is left is a standard stream, or a machine in trouble.
        print(f"{tool}: error: {problem.filename or 'standard output'}: {problem.strerror or problem}", file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:
            with suppress(OSError):
                sys.stdout.close()
    except Exception as problem:
        kind, text = type(problem).__name__, " ".join(str(problem).split())
        print(f"{tool}: internal error: {kind}: {text} (see --print-stacktrace)", file=sys.stderr)
    if stacktrace:
        traceback.print_exc()
    return 1


def _main(arguments: Sequence[str]) -> int:
    if "--version" in arguments:
        from rlx_passes.tools.listings import version_line

        print(version_line("rlx-opt"))
        return 0

    from rlx_passes.tools.arguments import opt_parser, split_arguments, with_signature
    from rlx_passes.universe import all_passes

    registry = all_passes()
    split = split_arguments(arguments, registry)
    flags = opt_parser(tuple(registry)).parse(split.rest)
    if flags.check_target is not None:
        from rlx_passes.tools.target_check import check_target

        found = check_target(flags.check_target)
        print("\n".join(found) or f"{flags.check_target}: nothing is wrong")
        return 1 if found else 0
    if listing := _listing(flags):
        print(listing)
        return 0

    from rlx_passes.registry.composite import flatten
    from rlx_passes.registry.instantiate import create_passes

    specs = with_signature(split.specs, flags)
    steps = [(pass_, flatten((pass_,))) for pass_ in create_passes(specs)]
    if flags.print_pass_pipeline:
        from rlx_passes.core.spec import print_pipeline
        from rlx_passes.registry.instantiate import spec_of

        print(print_pipeline(spec_of(part) for _, parts in steps for part in parts))
        return 0
    return _process(flags, steps, frozenset(registry))


def _listing(flags: argparse.Namespace) -> str:
    from rlx_passes.tools import listings

    if flags.show_dialects:
        return listings.dialects()
    if flags.emit_irdl:
        from rlx_dialect.description.irdl import irdl_text

        return irdl_text()
    if flags.list_passes:
        return listings.passes()
    if flags.print_target is not None:
        from rlx_passes.pipeline.target import load_target
        from rlx_passes.tools.target_check import print_target

        return print_target(load_target(flags.print_target))
    return listings.targets() if flags.list_targets else ""


def _process(flags: argparse.Namespace, steps: "Steps", known: frozenset[str]) -> int:
    from rlx_passes.core.errors import UsageError
    from rlx_passes.reading.model_options import ModelOptions
    from rlx_passes.reading.source import SPLIT, read_source
    from rlx_passes.tools.fusion_lock import FusionLock
    from rlx_passes.tools.instrument import Clock, Dumps, Instruments
    from rlx_passes.tools.output import check_output, write_output
    from rlx_passes.tools.running import Runner

    check_output(flags.output)
    dumps = Dumps.of(flags.before, flags.after, flags.before_all, flags.after_all, known)
    if flags.lock and flags.split_input_file:
        raise UsageError("--fusion-lock is for one program, --split-input-file for several")
    lock = FusionLock.of(flags.lock, flags.update_lock, (part for _, parts in steps for part in parts))
    source = read_source(flags.input, ModelOptions.of(flags))
    instruments = Instruments(dumps, partial(render, flags), flags.statistics, Clock(flags.timing))
    runner = Runner(steps, instruments, flags.verify_each, lock, flags.verify_rewrites)
    job = Job(flags, source, runner, instruments)

    chunks = list(source.chunks()) if flags.split_input_file else [source]
    texts = [job.run(chunk) for chunk in chunks]
    instruments.report()
    if job.failed:
        return 1
    write_output(flags.output, f"{SPLIT}\n".join(text for text in texts if text is not None))
    return 0


@dataclass
class Job:
    """The work on one input file: each chunk of it is read, verified, transformed and printed."""

    flags: argparse.Namespace
    source: "Source"
    runner: "Runner"
    instruments: "Instruments"
    failed: bool = False
    context: "Context" = field(init=False)

    def __post_init__(self) -> None:
        from rlx_passes.reading.dialects import tool_context

        self.context = tool_context(allow_unregistered=self.flags.allow_unregistered_dialect)

    def run(self, chunk: "Source") -> str | None:
        """The printed result of a chunk, or None after errors, which are printed or checked off here."""
        from rlx_passes.reading.diagnostics import of_error
        from rlx_passes.tools.import_remarks import import_remarks

        text, found = None, ()
        with import_remarks([part for _, parts in self.runner.steps for part in parts]) as remarks:
            try:
                text = self._transform(chunk)
            except RlxError as fault:
                found = of_error(fault)
                if self.flags.print_stacktrace:
                    traceback.print_exc()
        self._report(chunk, (*remarks, *found))
        return text

    def _transform(self, chunk: "Source") -> str:
        from rlx_passes.reading.parsing import parse
        from rlx_passes.reading.verifying import verify
        from rlx_passes.tools.collection import no_collection

        clock = self.instruments.clock
        with clock.measure("(parse)"), no_collection():
            module = parse(self.context, chunk)
        with clock.measure("(verify)"):
            verify(module)
        if self.runner.steps:
            self.runner.run(self.context, module)
            with clock.measure("(verify)"):
                verify(module)
        with clock.measure("(print)"):
            return render(self.flags, module, self.context.loaded_dialects)

    def _report(self, chunk: "Source", found: "Sequence[Diagnostic]") -> None:
        from rlx_passes.tools.expectations import Expectations

        if self.flags.verify_diagnostics:
            found = Expectations.of(chunk).check(found)
        self.failed = self.failed or any(diagnostic.severity == "error" for diagnostic in found)
        for diagnostic in found:
            print(diagnostic.render(self.source.line_at), file=sys.stderr)


def render(flags: argparse.Namespace, module: "ModuleOp", dialects: "Iterable[Dialect]" = ()) -> str:
    """The text of a module in the form the flags ask for, ended by a newline; with the resources of `dialects`."""
    from rlx_passes.core.printing import printer

    text = StringIO()
    chosen = printer(
        text,
        print_generic_format=flags.generic,
        print_properties_as_attributes=flags.print_no_properties,
        print_debuginfo=flags.debuginfo,
    )
    chosen.print_op(module)
    chosen.print_metadata(dialects)
    return text.getvalue().rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())
