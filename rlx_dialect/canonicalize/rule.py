"""What a rule is."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from xdsl.ir import Operation, SSAValue

CanonicalRule: TypeAlias = Callable[[Any], SSAValue | Operation | None]
"""What replaces an op: a value, a new op, or None. It has the types of the op's results, else it is not taken."""

Rules: TypeAlias = Mapping[type[Operation], tuple[CanonicalRule, ...]]
