"""The checks of option values that several passes share."""

from collections.abc import Collection, Sequence

from rlx_dialect.attributes import Activation
from rlx_dialect.dtypes import DTYPES, is_float
from rlx_passes.core.errors import PipelineError, did_you_mean

FLOATS = tuple(dtype.name for dtype in DTYPES.values() if is_float(dtype.type))


def check_words(pass_name: str, option: str, words: Sequence[str], known: Collection[str]) -> None:
    """Raises `PipelineError` for a word that is none of `known`."""
    for word in words:
        if word not in known:
            raise PipelineError(
                f"option '{option}' of pass '{pass_name}' takes {', '.join(known)}, "
                f"not '{word}'{did_you_mean(word, known)}"
            )


def check_epilogues(pass_name: str, words: Sequence[str]) -> None:
    check_words(pass_name, "epilogues", words, tuple(map(str, Activation)))


def check_dtypes(pass_name: str, words: Sequence[str]) -> None:
    check_words(pass_name, "dtypes", words, FLOATS)


def check_max_tokens(pass_name: str, max_tokens: int) -> None:
    if max_tokens < 0:
        raise PipelineError(f"option 'max-tokens' of pass '{pass_name}' must be at least 0, not {max_tokens}")


def check_limits(pass_name: str, steps: int, inputs: int) -> None:
    """Raises `PipelineError` unless both bounds of a region are positive."""
    for option, value in (("max-elementwise-steps", steps), ("max-elementwise-inputs", inputs)):
        if value < 1:
            raise PipelineError(f"option '{option}' of pass '{pass_name}' takes a positive number, not {value}")
