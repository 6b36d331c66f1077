"""Every program of the dialect's lit files reads back as it was printed, in both forms."""

from pathlib import Path

import pytest
from programs import parse

from rlx_dialect.description.facts import accepted
from rlx_passes.core.printing import generic_text

FILES = sorted(
    path for path in (Path(__file__).parents[2] / "filecheck" / "dialect").glob("*.mlir") if "invalid" not in path.stem
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_text_is_stable(path: Path):
    module = parse("".join(accepted(path)))
    text = str(module)
    assert str(parse(text)) == text
    assert generic_text(parse(generic_text(module))) == generic_text(module)
    assert str(parse(generic_text(module))) == text
