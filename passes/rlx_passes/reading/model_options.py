"""What a command line says of the inputs of a model."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rlx_passes.core.errors import UsageError

NumberT = TypeVar("NumberT", int, float)


@dataclass(frozen=True)
class ModelOptions:
    """What is said of the inputs of an ONNX model: the sizes of dims, the values of inputs that are always the same."""

    dims: Mapping[str, int]
    values: Mapping[str, float]

    @staticmethod
    def add(parser: argparse.ArgumentParser) -> None:
        """`--dim NAME=SIZE` and `--set NAME=VALUE`, each any number of times."""
        for flag, dest, metavar, text in (
            ("--dim", "dims", "NAME=SIZE", "the size of a dim of an ONNX model"),
            ("--set", "values", "NAME=VALUE", "what an input of one element of an ONNX model always is"),
        ):
            parser.add_argument(flag, dest=dest, metavar=metavar, help=text, action="append", default=[])

    @staticmethod
    def of(flags: argparse.Namespace) -> "ModelOptions":
        """Raises `UsageError` for a word that is no pair, and for a name that comes twice."""
        return ModelOptions(
            dict(_pairs("--dim", flags.dims, "NAME=SIZE, as in --dim batch=1", _size)),
            dict(_pairs("--set", flags.values, "NAME=VALUE, as in --set rate=16000", float)),
        )


def _size(text: str) -> int:
    if not text.isdecimal():
        raise ValueError
    return int(text)


def _pairs(
    flag: str, words: Sequence[str], wanted: str, read: Callable[[str], NumberT]
) -> Iterator[tuple[str, NumberT]]:
    seen: set[str] = set()
    for word in words:
        name, _, text = word.rpartition("=")
        try:
            value = read(text)
        except ValueError:
            raise UsageError(f"{flag} {word}: expected {wanted}") from None
        if not name:
            raise UsageError(f"{flag} {word}: expected {wanted}")
        if name in seen:
            raise UsageError(f"{flag} {word}: '{name}' is given already")
        seen.add(name)
        yield name, value
