"""
Large constants beside the text of a program, in a file that the text refers to.

    %0 = arith.constant dense_resource<rlx_sidecar_4096_3b0c...> : tensor<32x32xf32>

The name holds the number of bytes and their SHA-256, so that a reference means the same bytes wherever it is copied
to, equal constants share a place, and a file that was changed is noticed. The file is a safetensors file of `U8`
tensors by those digests. Writing adds to what is there, so that several programs may share a file, and the one that was
read may be the one that is written.
"""

import json
import mmap
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from math import gcd, prod
from pathlib import Path
from typing import IO, Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    PackableType,
    ShapedType,
)
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from rlx_dialect.constants import is_splat
from rlx_dialect.fast import FastPrinter
from rlx_passes.core.errors import InputError
from rlx_passes.core.files import write_whole
from rlx_passes.switches.environment import flag

SMALLEST = 1024
"""From how many bytes on a constant goes to the file."""

REFERENCE = re.compile(r"<\s*\"?rlx_sidecar_([0-9]+)_([0-9a-f]{64})\"?\s*>")
"""What follows `dense_resource` where that is a constant in a sidecar."""

_ALIGNMENT = 64
_CHUNK = 1 << 24


class Sidecar:
    """
    A file of constants, which need not be there before something is written.

    What is read is mapped into memory and never copied. Every method raises `InputError` with the name of the file
    where that is not what it should be, or cannot be read or written.
    """

    def __init__(self, path: str):
        self.path = path
        self._names: dict[int, str] = {}
        self._map: mmap.mmap | None = None
        self._new: dict[str, memoryview] = {}
        self._kept: list[BytesAttr] = []  # so that no other object gets the id of one

    @cached_property
    def blobs(self) -> dict[str, memoryview]:
        """The bytes in the file by their digests; nothing where there is no file."""
        try:
            with Path(self.path).open("rb") as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as problem:
            raise InputError(f"{self.path}: cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
        mapped = memoryview(self._map)
        try:
            start = 8 + int.from_bytes(mapped[:8], "little")
            header: object = json.loads(bytes(mapped[8:start]))
            return dict(_entries(cast(Mapping[str, Any], header), mapped[start:]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InputError(f"{self.path}: is no whole sidecar file") from None

    def constant(self, name: str, type: Attribute) -> DenseIntOrFPElementsAttr:
        """The constant of `type` that a reference by `name` stands for."""
        _, size, digest = name.rsplit("_", 2)
        if digest not in self.blobs:
            what = "does not have" if Path(self.path).exists() else "no such file, which should have"
            raise InputError(f"{self.path}: {what} the constant {name}")
        blob = self.blobs[digest]
        if len(blob) != int(size) or len(blob) != _size(type):
            raise InputError(f"{self.path}: the constant {name} has {len(blob)} bytes, which {type} has not")
        if self._digest(blob) != digest:
            raise InputError(f"{self.path}: the constant {name} was changed")
        data = BytesAttr(cast(bytes, blob))  # a view behaves as the bytes do, hash and equality included
        self._keep(data, name)
        return DenseIntOrFPElementsAttr(cast(Any, type), data)

    def add(self, root: Operation) -> None:
        """Take up the large constants below `root`, which `printer` writes as references from then on."""
        for data in _large(root):
            if id(data) not in self._names:
                blob = memoryview(data.data)
                digest = self._digest(blob)
                self._keep(data, f"rlx_sidecar_{len(blob)}_{digest}")
                if digest not in self.blobs:
                    self._new[digest] = blob

    def write(self) -> None:
        """Bring into the file what was added; it is there whole or not at all, and as it was if it has all of that."""
        if self._new:
            self._write(self.blobs | self._new)
            self._new.clear()
            del self.blobs

    def printer(self, stream: IO[str], **options: Any) -> Printer:
        """A printer that writes the stored constants as references."""
        kind = _ReferringPrinter if flag("RLX_STOCK_PARSER") else _FastReferringPrinter
        return kind(stream, self._names, **options)

    def _digest(self, blob: memoryview) -> str:
        digest = sha256()
        for start in range(0, len(blob), _CHUNK):
            digest.update(blob[start : start + _CHUNK])
            if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
                self._map.madvise(mmap.MADV_DONTNEED)  # what was read once does not stay in memory
        return digest.hexdigest()

    def _keep(self, data: BytesAttr, name: str) -> None:
        self._names[id(data)] = name
        self._kept.append(data)

    def _write(self, blobs: Mapping[str, memoryview]) -> None:
        entries: dict[str, object] = {}
        at = 0
        # Those whose size is a multiple of much come first, so that each lies where its elements want to.
        blobs = dict(sorted(blobs.items(), key=lambda item: -gcd(len(item[1]), _ALIGNMENT)))
        for digest, blob in blobs.items():
            entries[digest] = {"dtype": "U8", "shape": [len(blob)], "data_offsets": [at, at + len(blob)]}
            at += len(blob)
        header = json.dumps(entries).encode()
        header += b" " * (-(8 + len(header)) % _ALIGNMENT)

        def save(stream: IO[bytes]) -> None:
            stream.writelines((len(header).to_bytes(8, "little"), header))
            for blob in blobs.values():
                for start in range(0, len(blob), _CHUNK):
                    stream.write(blob[start : start + _CHUNK])

        write_whole(self.path, save)


def _entries(header: Mapping[str, Any], body: memoryview) -> Iterator[tuple[str, memoryview]]:
    for digest, entry in header.items():
        if digest != "__metadata__":
            start, end = entry["data_offsets"]
            if not 0 <= start <= end <= len(body):
                raise ValueError(digest)
            yield digest, body[start:end]


def _size(type: Attribute) -> int:
    """The bytes of a constant of `type`; -1 for one that has none."""
    element = getattr(type, "element_type", None)
    if not isinstance(type, ShapedType) or not isinstance(element, PackableType):
        return -1
    return prod(type.get_shape()) * element.compile_time_size


def _large(root: Operation) -> Iterator[BytesAttr]:
    for op in root.walk():
        for held in (op.properties, op.attributes):
            for attribute in held.values():
                yield from _within(attribute)


def _within(attribute: Attribute) -> Iterator[BytesAttr]:
    match attribute:
        case DenseIntOrFPElementsAttr():
            if len(attribute.data.data) >= SMALLEST and not is_splat(attribute):
                yield attribute.data
        case ArrayAttr():
            for each in attribute:
                yield from _within(each)
        case DictionaryAttr():
            for each in attribute.data.values():
                yield from _within(each)
        case _:
            pass


class _ReferringPrinter(Printer):
    def __init__(self, stream: IO[str], names: Mapping[int, str], **options: Any):
        super().__init__(stream, **options)
        self._references = names

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr) and (name := self._references.get(id(attribute.data))):
            self.print_string(f"dense_resource<{name}> : ")
            self.print_attribute(attribute.get_type())
        else:
            super().print_attribute(cast(Attribute, attribute))


class _FastReferringPrinter(_ReferringPrinter, FastPrinter):
    pass
