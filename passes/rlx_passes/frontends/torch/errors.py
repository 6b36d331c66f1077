"""What goes wrong while a PyTorch module is read."""

from rlx_passes.core.errors import RlxError


class TorchError(RlxError):
    """A module that cannot be read, with what is in its way and where."""
