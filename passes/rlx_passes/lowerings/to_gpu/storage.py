"""What a buffer holds for each element type: targets whose shaders cannot address a type keep it in a wider one."""

from collections.abc import Mapping

from xdsl.ir import Attribute

from rlx_dialect.dtypes import element_type
from rlx_passes.policy.fusion_target import Storage

Kept = Mapping[Attribute, Attribute]
"""Element type to the type that buffers hold, where they differ."""

UNSIGNED = {"i8": "ui8", "i16": "ui16"}


def kept_types(storage: Storage) -> Kept:
    """The dtypes of `storage` as element types."""
    return {element_type(narrow): element_type(wide) for narrow, wide in storage.dtypes.items()}


def storage_names(storage: Storage) -> dict[str, str]:
    """The dtypes of `storage` by name, unsigned ones included."""
    return {**storage.dtypes, **{UNSIGNED[name]: wide for name, wide in storage.dtypes.items() if name in UNSIGNED}}
