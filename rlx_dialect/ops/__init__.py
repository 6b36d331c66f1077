"""
The ops of the dialect, one module per chapter.

Every public class of a chapter can be imported from here: the modules are found by a walk, so a new op needs no line in
this file. What type checkers and editors know of it is `__init__.pyi`, which `make docs` writes.
"""

from xdsl.irdl import IRDLOperation

from rlx_dialect.chapters import chapters, defined

_CLASSES = {cls.__name__: cls for module in chapters(__name__) for cls in defined(module, object)}
globals().update(_CLASSES)

ALL_OPS: tuple[type[IRDLOperation], ...] = tuple(
    sorted(
        (cls for cls in _CLASSES.values() if issubclass(cls, IRDLOperation) and hasattr(cls, "name")),
        key=lambda op: op.name,
    )
)
"""The ops of all chapters, by name. A class without a name is a base of others."""
