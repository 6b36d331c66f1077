"""`rlx-opt`: read a program, run passes over it, print it. Flags and behaviour follow mlir-opt."""

import gc
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from io import StringIO
from typing import IO, TYPE_CHECKING

from rlx_passes.core.collection import rare_collection
from rlx_passes.core.errors import RlxError

if TYPE_CHECKING:
    import argparse

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass

    from rlx_passes.core.spec import PassSpec
    from rlx_passes.reading.diagnostics import Diagnostic
    from rlx_passes.reading.source import Source
    from rlx_passes.tools.instrument import Instruments
    from rlx_passes.tools.running import Runner

    Steps = Sequence[tuple[ModulePass, Sequence[ModulePass]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code: 0, or 1 after an error that was printed to standard error."""
    with rare_collection():
        code = run_tool("rlx-opt", _main, arguments)
        if arguments is None:
            gc.freeze()  # else Python goes through all of the program for garbage here, and before it exits
    return code


def run_tool(tool: str, work: Callable[[Sequence[str]], int], arguments: Sequence[str] | None) -> int:
    """Run a tool's work on `arguments`; None means those of the process."""
    given = sys.argv[1:] if arguments is None else arguments
    return guarded(tool, partial(work, given), stacktrace="--print-stacktrace" in given)


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
        print_stacktrace()
    return 1


def print_stacktrace() -> None:
    """Print where in the tool the error at hand arose."""
    import traceback

    traceback.print_exc()


def _main(arguments: Sequence[str]) -> int:
    if "--version" in arguments:
        from rlx_passes.tools.listings import version_line

        print(version_line("rlx-opt"))
        return 0
    from rlx_passes.core.data_classes import compiled_once

    with compiled_once():
        return _work(arguments)


def _work(arguments: Sequence[str]) -> int:
    from rlx_passes.tools.arguments import opt_parser, split_arguments, with_signature
    from rlx_passes.universe import all_passes

    known = all_passes()
    parser = opt_parser(known)
    split = split_arguments(arguments, known, parser.flags)
    flags = parser.parse(split.rest)
    if flags.check_target is not None:
        from rlx_passes.tools.target_check import check_target

        found = check_target(flags.check_target)
        print("\n".join(found) or f"{flags.check_target}: nothing is wrong")
        return 1 if found else 0
    if listing := _listing(flags):
        print(listing)
        return 0

    steps = passes_of(with_signature(split.specs, flags))
    if flags.compare_targets is not None:
        from rlx_passes.tools.compare import compare

        return compare(flags, [part for _, parts in steps for part in parts])
    if flags.print_pass_pipeline:
        from rlx_passes.core.spec import print_pipeline
        from rlx_passes.registry.instantiate import spec_of

        print(print_pipeline(spec_of(part) for _, parts in steps for part in parts))
        return 0
    return _process(flags, steps, known)


def passes_of(specs: "Sequence[PassSpec]") -> "Steps":
    """The passes that are asked for, each with those that it comes to; what makes them is loaded if there are any."""
    if not specs:
        return []
    from rlx_passes.registry.composite import flatten
    from rlx_passes.registry.instantiate import create_passes

    return [(pass_, flatten((pass_,))) for pass_ in create_passes(specs)]


def _listing(flags: "argparse.Namespace") -> str:
    from rlx_passes.tools import listings

    if flags.show_dialects:
        return listings.dialects()
    if flags.emit_irdl:
        from rlx_dialect.description.irdl import irdl_text

        return irdl_text()
    if flags.explain is not None:
        from rlx_passes.report.pages import page_of

        return page_of(flags.explain)
    if flags.list_passes:
        return listings.passes()
    if flags.print_target is not None:
        from rlx_passes.pipeline.target import load_target
        from rlx_passes.tools.target_check import print_target

        return print_target(load_target(flags.print_target))
    return listings.targets() if flags.list_targets else ""


def _process(flags: "argparse.Namespace", steps: "Steps", known: Collection[str]) -> int:
    from rlx_passes.core.errors import UsageError
    from rlx_passes.reading.model_options import ModelOptions
    from rlx_passes.reading.source import SPLIT, read_source
    from rlx_passes.tools.instrument import Clock, Dumps, Instruments
    from rlx_passes.tools.output import check_output, write_with
    from rlx_passes.tools.reports import Reports

    check_output(flags.output)
    if flags.sidecar:
        check_output(flags.sidecar.path)
        if flags.output == flags.sidecar.path:
            raise UsageError(f"{flags.output}: is given as -o and as --sidecar, and one would be lost")
    dumps = Dumps.of(flags.before, flags.after, flags.before_all, flags.after_all, known)
    if flags.lock and flags.split_input_file:
        raise UsageError("--fusion-lock is for one program, --split-input-file for several")
    written = [flags.output, *([flags.sidecar.path] if flags.sidecar else [])]
    reports = Reports.of(flags, *written, several=flags.split_input_file)
    clock = Clock(flags.timing)
    instruments = Instruments(dumps, partial(render, flags), flags.statistics, clock, reports=reports)
    runner = _runner(flags, steps, instruments)
    source = read_source(flags.input, ModelOptions.of(flags), flags.sidecar)
    job = Job(flags, source, runner, instruments)

    if flags.split_input_file:
        modules = map(job.run, source.chunks())
        texts = [render(flags, module, job.context.loaded_dialects) for module in modules if module is not None]
        save = partial(_write_all, f"{SPLIT}\n".join(texts))
    else:
        save = partial(print_module, flags, job.run(source), job.context.loaded_dialects)
    if not job.failed:
        with instruments.clock.measure("(print)"):
            if flags.sidecar:
                flags.sidecar.write()
            write_with(flags.output, save)
    instruments.report()
    if reports and reports.made:
        reports.write(source.line_at)
    return int(job.failed)


def _runner(flags: "argparse.Namespace", steps: "Steps", instruments: "Instruments") -> "Runner | None":
    """What runs the passes, loaded only if there are any."""
    if not (steps or flags.lock or flags.update_lock or instruments.reports):
        return None
    from rlx_passes.tools.running import Runner

    lock = None
    if flags.lock or flags.update_lock:
        from rlx_passes.tools.fusion_lock import FusionLock

        lock = FusionLock.of(flags.lock, flags.update_lock, (part for _, parts in steps for part in parts))
    return Runner(steps, instruments, flags.verify_each, lock, flags.verify_rewrites)


class Job:
    """The work on one input file: each chunk of it is read, verified and transformed."""

    def __init__(
        self, flags: "argparse.Namespace", source: "Source", runner: "Runner | None", instruments: "Instruments"
    ):
        from rlx_passes.reading.dialects import tool_context

        self.flags, self.source, self.runner, self.instruments = flags, source, runner, instruments
        self.failed = False
        self.context = tool_context(allow_unregistered=flags.allow_unregistered_dialect)

    def run(self, chunk: "Source") -> "ModuleOp | None":
        """What a chunk becomes, or None after errors, which are printed or checked off here."""
        from rlx_passes.reading.diagnostics import of_error
        from rlx_passes.tools.import_remarks import import_remarks

        module, found = None, ()
        with import_remarks(
            [part for _, parts in self.runner.steps for part in parts] if self.runner else ()
        ) as remarks:
            try:
                module = self._transform(chunk)
            except RlxError as fault:
                found = of_error(fault)
                if self.flags.print_stacktrace:
                    print_stacktrace()
        self._report(chunk, (*remarks, *found))
        return module

    def _transform(self, chunk: "Source") -> "ModuleOp":
        from rlx_passes.reading.parsing import parse
        from rlx_passes.reading.verifying import verify

        clock = self.instruments.clock
        with clock.measure("(parse)"):
            module = parse(self.context, chunk)
        with clock.measure("(verify)"):
            verify(module)
        if self.runner:
            self.runner.run(self.context, module)
            with clock.measure("(verify)"):
                verify(module)
        if self.flags.sidecar:
            self.flags.sidecar.add(module)
        return module

    def _report(self, chunk: "Source", found: "Sequence[Diagnostic]") -> None:
        if self.flags.verify_diagnostics:
            from rlx_passes.tools.expectations import Expectations

            found = Expectations.of(chunk).check(found)
        self.failed = self.failed or any(diagnostic.severity == "error" for diagnostic in found)
        for diagnostic in found:
            print(diagnostic.render(self.source.line_at), file=sys.stderr)


def print_module(
    flags: "argparse.Namespace", module: "ModuleOp | None", dialects: "Iterable[Dialect]", stream: IO[str]
) -> None:
    """Write a module in the form the flags ask for, ended by a newline; with the resources of `dialects`."""
    from rlx_passes.core.printing import printer

    if module is None:
        return
    chosen = (flags.sidecar.printer if flags.sidecar else printer)(
        stream,
        print_generic_format=flags.generic,
        print_properties_as_attributes=flags.print_no_properties,
        print_debuginfo=flags.debuginfo,
    )
    chosen.print_op(module)
    chosen.stream = resources = StringIO()
    chosen.print_metadata(dialects)
    stream.write(resources.getvalue().rstrip("\n") + "\n")


def render(flags: "argparse.Namespace", module: "ModuleOp", dialects: "Iterable[Dialect]" = ()) -> str:
    """The text of `print_module`."""
    text = StringIO()
    print_module(flags, module, dialects, text)
    return text.getvalue()


def _write_all(text: str, stream: IO[str]) -> None:
    stream.write(text)


if __name__ == "__main__":
    sys.exit(main())
