"""What goes wrong when a bundle runs."""

from rlx_passes.errors import RlxError


class RunError(RlxError):
    """Arguments or params that do not fit a program, a file that cannot be read, or a device that is not there."""
