"""The page on each reason for a missed fusion, from `reasons.md`."""

import re
from collections.abc import Mapping
from functools import cache
from pkgutil import get_data
from textwrap import indent

from rlx_passes.core.errors import UsageError, did_you_mean
from rlx_passes.policy.extensions import every_reason

_FENCED = re.compile(r"^```mlir\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## ", re.MULTILINE)


def page_of(code: str) -> str:
    """The page of a code, or of a reason's name. Raises `UsageError` for an unknown one, with near ones."""
    known = {word: reason for reason in every_reason() for word in (reason.code, reason.title)}
    reason = known.get(code.upper()) or known.get(code.lower())
    if reason is None:
        raise UsageError(f"no reason has the code '{code}'{did_you_mean(code, known) or _range(code, known)}")
    page = sections().get(str(reason), f"{reason}\n\n{reason.text}")
    return _FENCED.sub(lambda block: indent(block[1], "    ").rstrip(), page)


def _range(code: str, known: Mapping[str, object]) -> str:
    codes = sorted(word for word in known if word.isupper())
    return f"; codes go from {codes[0]} to {codes[-1]}"


@cache
def sections() -> Mapping[str, str]:
    """The pages of this package's reasons, each with its heading, by what the reason is called in messages."""
    parts = _HEADING.split(text())[1:]
    return {part.split("\n", 1)[0]: part.rstrip() for part in parts}


def text() -> str:
    """All pages, as `docs/reasons.md` has them."""
    return (get_data(__name__, "reasons.md") or b"").decode()
