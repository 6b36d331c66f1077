"""Every program of the dialect's lit files reads back as it was printed, in both forms."""

from io import StringIO
from pathlib import Path

import pytest
from programs import parse
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from rlx_dialect.doc_facts import accepted

FILES = sorted(
    path for path in (Path(__file__).parents[2] / "filecheck" / "dialect").glob("*.mlir") if "invalid" not in path.stem
)


def generic(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_text_is_stable(path: Path):
    module = parse("".join(accepted(path)))
    text = str(module)
    assert str(parse(text)) == text
    assert generic(parse(generic(module))) == generic(module)
    assert str(parse(generic(module))) == text
