"""The context in which programs are read: every dialect of the environment, loaded when a program first uses it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.context import Context
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute

from rlx_dialect.ops import op_named
from rlx_passes.universe import all_dialects


class EnvironmentContext(Context):
    """
    A context that asks `known` for a dialect when a program first names it, and loads ops of the `rlx` dialect singly.

    `known` may take long to say that it does not have a name: it is asked once for each.
    """

    def __init__(self, known: Mapping[str, Callable[[], Dialect]], *, allow_unregistered: bool = False):
        super().__init__(allow_unregistered)
        self._known = known
        self._asked: set[str] = set()
        self._alone: set[str] = set()
        self._whole = False

    def _ask(self, dialect: str) -> None:
        if dialect not in self._asked:
            self._asked.add(dialect)
            if dialect not in super().registered_dialect_names and (factory := self._known.get(dialect)) is not None:
                self.register_dialect(dialect, factory)

    @property
    def registered_dialect_names(self) -> Iterable[str]:
        for name in self._known:
            self._ask(name)
        return super().registered_dialect_names

    def clone(self) -> Context:
        for name in self.registered_dialect_names:
            if name == "rlx" and self._alone:
                self.get_optional_dialect(name)
        return super().clone()

    def load_op(self, op: type[Operation]) -> None:
        if op.name not in self._alone:
            super().load_op(op)

    def load_registered_dialect(self, name: str) -> None:
        self._ask(name)
        self._whole = self._whole or name == "rlx"
        super().load_registered_dialect(name)

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        dialect, dot, _ = name.partition(".")
        for each in (*dialect_stack, *((dialect,) if dot else ())):
            self._ask(each)
        alone = dialect == "rlx" and name not in self._alone and not self._whole
        if alone and (op := op_named(name)) is not None:
            self.load_op(op)
            self._alone.add(name)
        return super().get_optional_op(name, dialect_stack=dialect_stack)

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        self._ask(name.partition(".")[0])
        return super().get_optional_type(name)

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        self._ask(name.partition(".")[0])
        return super().get_optional_attr(name)

    def get_optional_dialect(self, name: str) -> Dialect | None:
        self._ask(name)
        return super().get_optional_dialect(name)


def fresh_context(*, allow_unregistered: bool = False) -> Context:
    """A context in which every known dialect can be used and none is loaded."""
    return EnvironmentContext(all_dialects(), allow_unregistered=allow_unregistered)
