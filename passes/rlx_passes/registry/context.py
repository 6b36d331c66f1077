"""The context in which programs are read: every dialect of the environment, loaded when a program first uses it."""

from xdsl.context import Context

from rlx_passes.universe import all_dialects


def fresh_context(*, allow_unregistered: bool = False) -> Context:
    """A context in which every known dialect is registered and none is loaded."""
    context = Context(allow_unregistered=allow_unregistered)
    for name, factory in all_dialects().items():
        context.register_dialect(name, factory)
    return context
