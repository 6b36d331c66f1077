"""`docs/lowering.md`: which ops become code for which target, by `test/code_coverage.py`."""

import sys
from pathlib import Path

TEST = Path(__file__).parents[1] / "test"

HEADER = """\
# Lowering

<!-- Made by docs/generate.py from test/data/coverage.json, which test/code_coverage.py measures. -->

An op lowers by a rule of its own or, where a backend has none, through its plain form
(`rlx_dialect.decompose`). One with neither is refused: the message names the op, its function and what to
do, and the program is left as it was. The lowerings share one driver
(`rlx_passes/rewriting/conversion.py`): a rule takes an op and the emitter of its backend and returns the
values of the results. Kernels of the GPU targets are made by way of linalg.

The table is made by compiling the examples of each op in `test/filecheck/dialect` down to code: `yes` where
some with static sizes become code and, if there are any, some with sizes that only a run knows; `static` where
only the former do; nothing where none does. rocm takes the kernels of cuda, metal those of wgpu.
"""


def lowering_page() -> str:
    sys.path.append(str(TEST))
    import code_coverage

    columns = {target: code_coverage.cells(target) for target in code_coverage.TARGETS}
    heads = [f"{target} ({sum(map(bool, cells.values()))} of {len(cells)})" for target, cells in columns.items()]
    lines = [HEADER, f"| op | {' | '.join(heads)} |", f"| --- |{' --- |' * len(heads)}"]
    for op in code_coverage.OPS:
        lines.append(f"| `{op}` | {' | '.join(cells[op] for cells in columns.values())} |")
    return "\n".join(lines) + "\n"
