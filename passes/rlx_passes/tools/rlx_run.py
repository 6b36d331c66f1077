"""`rlx-run out --input x=x.npy --params weights.safetensors --output y.npy`: run a bundle."""

import argparse
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rlx_passes.core.errors import InputError, UsageError, did_you_mean, one_line
from rlx_passes.tools.arguments import ArgumentParser
from rlx_passes.tools.rlx_opt import run_tool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rlx_passes.bundle.manifest import TensorSpec


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code: 0, or 1 after an error that was printed to standard error."""
    return run_tool("rlx-run", _main, arguments)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="rlx-run",
        description=(
            "Run one entry of a bundle. A bundle is native code: run none that you do not trust.\n\n"
            "Without --output, name, shape and dtype of each output are printed, and its first values."
        ),
    )
    add = parser.add_argument
    add("bundle", nargs="?", help="the bundle's folder")
    add("--entry", help="which function (default: the only one, or main)")
    add(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="an input from a .npy file, or all from a .npz",
    )
    add("--params", metavar="FILE", help="the params, from a .safetensors, .npz or .onnx file")
    add(
        "--output",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="an output to a .npy file, or all to a .npz",
    )
    add("--threads", type=int, default=0, metavar="N", help="how many threads a native cpu program uses (default: all)")
    add("--print-stacktrace", action="store_true", help="on an error, print where in the tool it arose as well")
    add("--version", action="store_true", help="print the version")
    return parser


def _main(arguments: Sequence[str]) -> int:
    flags = _parser().parse(arguments)
    if flags.version:
        from rlx_passes.tools.listings import version_line

        print(version_line("rlx-run"))
        return 0
    if not flags.bundle:
        raise UsageError("the bundle is missing: the folder that rlx-compile wrote")
    return _run(flags)


def _run(flags: argparse.Namespace) -> int:
    from rlx_passes.runtime.program import load_bundle
    from rlx_passes.tools.arrays import read_inputs, write_npy, write_npz
    from rlx_passes.weights.reading import read_params

    program = load_bundle(flags.bundle, flags.entry, threads=flags.threads)
    files = _output_files(flags.output, program.entry.outputs)
    inputs = read_inputs(flags.input, program.entry.inputs)
    params: Mapping[str, Any] = {}
    if flags.params:
        params = read_params(flags.params)
        program.load(params)
    elif wanted := program.entry.params:
        names = ", ".join(spec.name for spec in wanted)
        raise UsageError(f"--params is missing: entry '{program.entry.name}' needs its params first ({names})")
    outputs = program(inputs)

    for name, path in files.items():
        if name is None:
            write_npz(path, outputs)
        else:
            write_npy(path, outputs[name])
    if not files:
        _print(outputs)
    if spare := _spare(params, [spec.name for spec in program.entry.params]):
        print(f"rlx-run: remark: {flags.params} holds {spare}", file=sys.stderr)
    return 0


def _spare(params: Iterable[str], wanted: Collection[str]) -> str:
    """What a file of params holds beyond those that an entry takes; nothing where there is no more."""
    spare = [name for name in params if name not in wanted]
    if not spare:
        return ""
    shown = ", ".join(f"'{name}'" for name in spare[:3]) + (", ..." if len(spare) > 3 else "")
    return one_line(f"{len(spare)} param{'s' * (len(spare) > 1)} that the entry does not take: {shown}")


def _output_files(given: Sequence[str], outputs: "Sequence[TensorSpec]") -> dict[str | None, str]:
    """Which output goes to which file; None stands for all of them. Checked before anything runs."""
    names = [spec.name for spec in outputs]
    files: dict[str | None, str] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals:
            name, path = None, text
            if not path.endswith(".npz"):
                if len(names) != 1:
                    raise UsageError(f"--output {path}: say which output, as NAME={path}; there are {', '.join(names)}")
                name = names[0]
        elif name not in names:
            raise UsageError(
                f"--output {text}: no output '{name}'{did_you_mean(name, names)} (there are {', '.join(names)})"
            )
        if not path.endswith(".npz" if name is None else ".npy"):
            raise InputError(f"{path}: one output is written as .npy, all of them as .npz")
        if name in files:
            raise UsageError(f"--output {text}: {files[name]} is given for it already")
        files[name] = path
    return files


def _print(outputs: "Mapping[str, NDArray[Any]]") -> None:
    for name, value in outputs.items():
        shape = ", ".join(map(str, value.shape))
        first = ", ".join(str(each) for each in value.reshape(-1)[:6])
        more = ", ..." if value.size > 6 else ""
        print(f"{name}: [{shape}] {value.dtype}: {first}{more}")


if __name__ == "__main__":
    sys.exit(main())
