"""What an import leaves in its own dialect, as remarks at the ops."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rlx_passes.reading.diagnostics import Diagnostic, place_of

if TYPE_CHECKING:
    from xdsl.ir import Operation
    from xdsl.passes import ModulePass

IMPORT = "convert-stablehlo-to-rlx"


@contextmanager
def import_remarks(passes: "Sequence[ModulePass]") -> Generator[list[Diagnostic]]:
    """Within the block, the list gets a remark for each op that one of `passes` cannot convert."""
    remarks: list[Diagnostic] = []
    if not any(each.name == IMPORT for each in passes):
        yield remarks
        return
    from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import listen

    def hear(op: "Operation", reason: str) -> None:
        remarks.append(Diagnostic("remark", f"{op.name} stays: it {reason}", place_of(op)))

    with listen(hear):
        yield remarks
