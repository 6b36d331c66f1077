"""The errors that reach a user. Each carries one message that says what is wrong, where, and what to do about it."""

from collections.abc import Iterable


class RlxError(Exception):
    """Base of every error this project raises on wrong input; a tool prints its text and exits with 1."""


class PipelineError(RlxError):
    """A pipeline string, a pass name or a pass option that cannot be used."""


class TargetError(RlxError):
    """An unknown target, or a target file that is malformed; names the file, the key and the value."""


class ExtensionError(RlxError):
    """A package that adds to this one and cannot be loaded, or claims what is not its own."""


class InputError(RlxError):
    """A file that cannot be read or written as asked."""


class Refusal(RlxError):
    """
    What a conversion or an importer cannot express: `<what> <where> <reason>; <advice>`, with `op` that is meant.

    Rules give the reason, a predicate of the op such as "needs static dims", and any advice; the walker adds the rest.
    """

    def __init__(self, reason: str, advice: str = "", *, what: str = "", where: str = "", op: object = None):
        self.reason, self.advice, self.what, self.where, self.op = reason, advice, what, where, op
        text = " ".join(part for part in (what, where, reason) if part)
        head, line, tail = text.partition("\n")
        super().__init__(f"{head}; {advice}{line}{tail}" if advice else text)


def one_line(message: str) -> str:
    """A message about names that a file gives, with what is not printable in them, such as line breaks, escaped."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in message)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The tail of a message about an unknown word: `; did you mean 'x'?` with up to three close ones, else nothing."""
    import difflib  # for a user's mistakes alone

    close = difflib.get_close_matches(word, list(known), n=3, cutoff=0.6)
    if not close:
        return ""
    return "; did you mean " + " or ".join(f"'{name}'" for name in close) + "?"


class CodegenError(RlxError):
    """A module that a backend cannot compile, or a compiler that failed; the message is one a user can act on."""


class ToolMissing(CodegenError):
    """An external program that is needed and not installed; one line says which, for what, and how to get it."""


class BundleError(CodegenError):
    """A bundle folder or manifest that is not what its format says."""


class RunError(RlxError):
    """Arguments or params that do not fit a program, a file that cannot be read, or a device that is not there."""


class UsageError(PipelineError):
    """A command line that makes no sense."""
