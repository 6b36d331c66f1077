"""
What the tool makes of random programs, as digests: two trees that print the same lines give the same, byte for byte.

    python test/property/digests.py --count 10000 > here
    python test/property/digests.py --count 10000 --tree ../other > there; diff here there

A line has the seeds of the programs of one file and a digest for each pipeline: of the text that `rlx-opt` writes, with
places in every other file, and of its messages. The programs are always those of the tree of this script.
"""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGETS = ("cpu", "cuda", "rocm", "metal", "wgpu", "tpu", "mlx")
PIPELINES: Mapping[str, Sequence[str]] = {
    **{target: ("--rlx-raise", f"--rlx-fusion=target={target}") for target in TARGETS},
    "stablehlo": ("--convert-rlx-to-stablehlo", "--convert-stablehlo-to-rlx"),
}
ALONE = ("stablehlo",)
"""Pipelines that refuse many programs: they get the first of each file alone."""
BATCH = 8
"""Programs in one file."""


def texts(start: int, count: int) -> Iterator[tuple[range, str, str]]:
    """The programs of `count` seeds from `start` on, several as one text, and the first of them."""
    from pieces import PIECES
    from random_programs import make_module, make_program

    for first in range(start, start + count, BATCH):
        seeds = range(first, min(first + BATCH, start + count))
        programs = [make_program(seed, PIECES, f"f{seed}") for seed in seeds]
        yield seeds, str(make_module(programs)), str(make_module([programs[0].clone()]))


def outcome(file: Path, flags: Sequence[str]) -> str:
    """What a run of the tool prints, the messages last."""
    from rlx_passes.tools.rlx_opt import main

    out, messages = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(messages):
        code = main([*flags, str(file)])
    return f"{out.getvalue()}\n{messages.getvalue()}\n{code}".replace(str(file.parent), "")


def digests(start: int, count: int, folder: Path) -> Iterator[str]:
    """A line for each file."""
    several, one = folder / "programs.mlir", folder / "program.mlir"
    for seeds, text, first in texts(start, count):
        several.write_text(text + "\n")
        one.write_text(first + "\n")
        places = ("--mlir-print-debuginfo",) if seeds.start // BATCH % 2 else ()
        found = [
            f"{name}={_digest(outcome(one if name in ALONE else several, (*flags, *places)))}"
            for name, flags in PIPELINES.items()
        ]
        yield f"{seeds.start}-{seeds.stop - 1} {' '.join(found)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="how many programs (default 10000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--tree", type=Path, default=ROOT, help="where the packages lie (default: here)")
    flags = parser.parse_args()
    packages = (flags.tree, flags.tree / "passes", ROOT / "test", ROOT / "test" / "property")
    sys.path[:0] = [str(path.resolve()) for path in packages]
    with tempfile.TemporaryDirectory() as folder:
        for line in digests(flags.seed, flags.count, Path(folder)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
