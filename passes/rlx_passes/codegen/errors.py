"""What goes wrong between a lowered module and machine code."""

from rlx_passes.errors import RlxError


class CodegenError(RlxError):
    """A module that a backend cannot compile, or a compiler that failed; the message is one a user can act on."""


class ToolMissing(CodegenError):
    """An external program that is needed and not installed; one line says which, for what, and how to get it."""


class BundleError(CodegenError):
    """A bundle folder or manifest that is not what its format says."""
