"""`rlx-import model.onnx -o model.mlir`: a model to a program, its weights to a file beside it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from rlx_passes.core.errors import InputError, UsageError
from rlx_passes.reading.model_options import ModelOptions
from rlx_passes.tools.arguments import ArgumentParser, add_sidecar
from rlx_passes.tools.reports import Reports, add_report
from rlx_passes.tools.rlx_opt import run_tool


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code: 0, or 1 after an error that was printed to standard error."""
    return run_tool("rlx-import", _main, arguments)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="rlx-import",
        description=(
            "Write an ONNX model as a program of RLX ops.\n\n"
            "The weights go to a .safetensors file beside the program, which rlx-run takes as --params. "
            "A program on standard output comes without, unless --weights names a file."
        ),
    )
    add = parser.add_argument
    add("input", nargs="?", help="the model, an .onnx file")
    add(
        "-o",
        dest="output",
        default="-",
        metavar="FILE",
        help="where the program goes, `-` for standard output (default)",
    )
    add("--weights", default="", metavar="FILE", help="where the weights go (default: beside the program)")
    add("--inline-params", dest="inline", action="store_true", help="make the weights constants of the program")
    add("--name", default="main", help="what the function is called (default: main)")
    add_sidecar(parser)
    ModelOptions.add(parser)
    add_report(parser)
    add("--print-stacktrace", action="store_true", help="on an error, print where in the tool it arose as well")
    add("--version", action="store_true", help="print the version")
    return parser


def _main(arguments: Sequence[str]) -> int:
    flags = _parser().parse(arguments)
    if flags.version:
        from rlx_passes.tools.listings import version_line

        print(version_line("rlx-import"))
        return 0
    if not flags.input:
        raise UsageError("the model is missing: an .onnx file")
    if flags.inline and flags.weights:
        raise UsageError("--inline-params leaves no weights for --weights")
    if not flags.input.endswith(".onnx"):
        raise InputError(f"{flags.input}: models are read from .onnx files; rlx-opt reads programs")

    from rlx_passes.core.printing import printer
    from rlx_passes.frontends.onnx import from_onnx
    from rlx_passes.tools.output import STDOUT, check_output, write_with
    from rlx_passes.weights.writing import write_safetensors

    options = ModelOptions.of(flags)
    weights = flags.weights or ("" if flags.output == STDOUT else str(Path(flags.output).with_suffix(".safetensors")))
    sidecar = flags.sidecar
    places = (flags.output, weights, sidecar.path if sidecar else "")
    written = [path for path in places if path not in ("", STDOUT)]
    for at, path in enumerate(written):
        check_output(path)
        taken = {
            Path(flags.input).resolve(): "the model",
            **{
                Path(other).resolve(): "the program" if other == flags.output else "the weights"
                for other in written[:at]
            },
        }
        if (what := taken.get(Path(path).resolve())) is not None:
            raise InputError(f"{path}: is {what} as well, which would be lost; -o and --weights say what goes where")
    reports = Reports.of(flags, *written)
    imported = from_onnx(flags.input, dims=options.dims, values=options.values, name=flags.name, inline=flags.inline)
    if imported.params and weights:
        write_safetensors(weights, imported.params)
    if sidecar:
        sidecar.add(imported.module)
        sidecar.write()

    def save(stream: IO[str]) -> None:
        """Print part by part: with its weights in it a program may be larger than the model."""
        (sidecar.printer if sidecar else printer)(stream).print_op(imported.module)
        stream.write("\n")

    write_with(flags.output, save)
    if reports:
        from rlx_passes.report.recording import of_import

        reports.made.append(of_import(imported.module))
        reports.write(lambda place: None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
