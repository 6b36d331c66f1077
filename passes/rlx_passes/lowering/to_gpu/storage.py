"""What a buffer holds for each element type: targets whose shaders cannot address a type keep it in a wider one."""

from collections.abc import Mapping

from xdsl.dialects.builtin import bf16, f16, f32, i1, i8, i16, i32
from xdsl.ir import Attribute

Storage = Mapping[Attribute, Attribute]

_TRUTH: Storage = {i1: i32}
_SHADER: Storage = {i1: i32, i8: i32, i16: i32, f16: f32, bf16: f32}

STORAGE: Mapping[str, Storage] = {
    "cuda": _TRUTH,
    "rocm": _TRUTH,
    "wgpu": _SHADER,
    "metal": _SHADER,
}
"""By target: element type to the type that its buffers hold, where they differ."""

BUFFERS: Mapping[str, int] = {"cuda": 64, "rocm": 64, "wgpu": 16, "metal": 31}
"""By target: the most buffers of a kernel for whose sake loops are fused; a kernel that needs more anyway is left alone."""

UNSIGNED = {"i8": "ui8", "i16": "ui16"}


def storage_names(target: str) -> dict[str, str]:
    """`STORAGE` of a target by RLX dtype names, unsigned ones included."""
    signed = {str(narrow): str(wide) for narrow, wide in STORAGE[target].items()}
    return signed | {UNSIGNED[name]: wide for name, wide in signed.items() if name in UNSIGNED}
