"""`rlx-compile in.mlir --target=T -o out`: a program to a bundle."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rlx_passes.core.errors import RlxError, UsageError
from rlx_passes.reading.model_options import ModelOptions
from rlx_passes.tools.arguments import ArgumentParser, add_sidecar, add_signature, words
from rlx_passes.tools.reports import Reports, add_report
from rlx_passes.tools.rlx_opt import run_tool

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code: 0, or 1 after an error that was printed to standard error."""
    return run_tool("rlx-compile", _main, arguments)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="rlx-compile", description="Compile a program for a target and write the bundle.")
    add = parser.add_argument
    add("input", nargs="?", default="-", help="the program or an .onnx model, `-` for standard input (default)")
    add("--target", default="", help="a target's name, or the path of a target file")
    add("--chip", default="", help="the device that code is made for (default: the target's own)")
    add("--via", default="", help="the way to code, for a target with several (default: the target's first choice)")
    add(
        "--from",
        dest="origin",
        choices=("stablehlo", "rlx"),
        default="stablehlo",
        help="what the program is written in",
    )
    add_signature(parser)
    ModelOptions.add(parser)
    add_sidecar(parser)
    add("--pack-attention", action="store_true", help="join the three projections in front of an attention")
    add("--exact-rounding", action="store_true", help="keep every rounding to fewer than 32 bits that is written")
    add("-o", dest="output", default="", metavar="FOLDER", help="the bundle's folder; written whole or not at all")
    add(
        "--fusion-lock",
        dest="lock",
        default="",
        metavar="FILE",
        help="hold the fused ops of each function against a file; write it where there is none",
    )
    add("--update-fusion-lock", dest="update_lock", action="store_true", help="write the file of --fusion-lock anew")
    add_report(parser)
    add("--allow-unregistered-dialect", action="store_true", help="accept ops of unknown dialects unread")
    add("--verify-each", action="store_true", help="verify after each pass")
    add("--print-pass-pipeline", action="store_true", help="print the pipeline on standard output and stop")
    add("--mlir-print-ir-after-all", dest="after_all", action="store_true", help="the program after each pass")
    add("--mlir-timing", dest="timing", action="store_true", help="how long each pass took")
    add("--print-stacktrace", action="store_true", help="on an error, print where in the tool it arose as well")
    add("--version", action="store_true", help="print the version")
    return parser


def _main(arguments: Sequence[str]) -> int:
    from rlx_passes.tools.listings import version_line

    flags = _parser().parse(arguments)
    if flags.version:
        print(version_line("rlx-compile"))
        return 0
    if not flags.target:
        raise UsageError("--target is missing; see rlx-opt --list-targets")
    if not flags.output and not flags.print_pass_pipeline:
        raise UsageError("-o is missing: the folder that the bundle goes to")

    from rlx_passes.core.spec import print_pipeline
    from rlx_passes.frontends.naming import read_names
    from rlx_passes.pipeline.stages import build_pipeline
    from rlx_passes.pipeline.target import load_target
    from rlx_passes.reading.source import MODEL
    from rlx_passes.registry.instantiate import spec_of

    passes = build_pipeline(
        load_target(flags.target),
        origin="rlx" if flags.input.endswith(MODEL) else flags.origin,
        params=words(flags.params),
        names=read_names(words(flags.names)),
        inputs=words(flags.inputs),
        pack_attention=flags.pack_attention,
        exact_rounding=flags.exact_rounding,
        chip=flags.chip,
        via=flags.via,
    )
    if flags.print_pass_pipeline:
        print(print_pipeline(map(spec_of, passes)))
        return 0
    return _compile(flags, passes)


def _compile(flags: argparse.Namespace, passes: "tuple[ModulePass, ...]") -> int:
    from rlx_passes.bundle.folder import check_replaceable, write_bundle
    from rlx_passes.compiler import compile_module
    from rlx_passes.core.printing import text_of
    from rlx_passes.reading.diagnostics import of_error
    from rlx_passes.reading.dialects import tool_context
    from rlx_passes.reading.parsing import parse
    from rlx_passes.reading.source import read_source
    from rlx_passes.reading.verifying import verify
    from rlx_passes.tools.fusion_lock import FusionLock
    from rlx_passes.tools.instrument import Clock, Dumps, Instruments
    from rlx_passes.tools.output import check_parent
    from rlx_passes.tools.running import Runner

    if flags.output == "-":
        raise UsageError("-o -: a bundle is a folder, which standard output cannot hold")
    check_parent(flags.output)
    check_replaceable(flags.output)
    source = read_source(flags.input, ModelOptions.of(flags), flags.sidecar)
    dumps = Dumps(after=None) if flags.after_all else Dumps()
    written = [flags.output, *([flags.sidecar.path] if flags.sidecar else [])]
    reports = Reports.of(flags, *written, target=flags.target)
    clock = Clock(flags.timing)
    instruments = Instruments(dumps, lambda module: f"{text_of(module)}\n", clock=clock, reports=reports)
    lock = FusionLock.of(flags.lock, flags.update_lock, passes)
    runner = Runner([(pass_, (pass_,)) for pass_ in passes], instruments, flags.verify_each, lock)
    context = tool_context(allow_unregistered=flags.allow_unregistered_dialect)
    try:
        with instruments.clock.measure("(parse)"):
            module = parse(context, source)
        verify(module)
        files = compile_module(context, module, passes, runner.run)
    except RlxError as fault:
        for diagnostic in of_error(fault):
            print(diagnostic.render(source.line_at), file=sys.stderr)
        return 1
    write_bundle(flags.output, files)
    instruments.report()
    if reports:
        reports.write(source.line_at)
    return 0


if __name__ == "__main__":
    sys.exit(main())
