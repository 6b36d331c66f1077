"""cpu, native: object files of this project's own code generation, called in place."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any, cast

import numpy as np

from rlx_passes.bundle.folder import Bundle
from rlx_passes.bundle.manifest import Entry, Manifest, Role
from rlx_passes.bundle.words import Words, unknown
from rlx_passes.core.dtypes import numpy_dtype
from rlx_passes.core.errors import BundleError, RunError
from rlx_passes.runtime.objects import Code, misfit, runtime
from rlx_passes.runtime.program import Array, Program

ALIGNMENT = 64
"""Of memory that the program makes for itself: a line of the cache."""

_HEAD = object.__basicsize__
_word_at: Callable[[int], ctypes.c_size_t] = ctypes.c_size_t.from_address


class NativeProgram(Program):
    """
    One entry of a native cpu bundle. Several threads may call it at once.

    Params and inputs are read where they lie, and outputs written there. Prepared values are kept from `load` on.
    """

    def __init__(self, bundle: Bundle, entry: Entry) -> None:
        super().__init__(bundle, entry)
        if fault := misfit(str(entry.code.get("triple", "")), entry.code.get("needs", ())):
            raise RunError(f"{bundle.path} cannot run here: {fault}; compile it for this machine")
        file = str(entry.code.get("file", ""))
        data = bundle.read(file)
        if sha256(data).hexdigest() != entry.code.get("sha256"):  # LLVM trusts what it links
            raise BundleError(
                f"{bundle.path}: '{file}' is not the file that its manifest was written for: compile again"
            )
        self._code = Code.of(data, f"{bundle.path}: '{file}'")
        self._main = self._function("main", Words.of_main)
        self._main.written = {output: donor for donor, output in _names(entry.code.get("written", {})).items()}
        self._kept: dict[tuple[Role, str], Array] = {}
        self._kept_bounds = (0, 0)
        self._frames: list[_Frame] = []
        self._threads = 0

    @classmethod
    def fitting(cls, bundle: Bundle) -> Bundle:
        faults: list[str] = []
        for name in bundle.manifest.levels:
            level = Manifest.from_json(bundle.read(name))
            code = level.entries[0].code
            fault = misfit(str(code.get("triple", "")), code.get("needs", ()))
            if not fault:
                return replace(bundle, manifest=replace(level, pipeline=bundle.manifest.pipeline))
            faults.append(f"{level.chip}: {fault}")
        if faults:
            raise RunError(f"{bundle.path} cannot run here: {'; '.join(faults)}; compile it for this machine")
        return bundle

    def use_threads(self, count: int) -> NativeProgram:
        if not 1 <= count <= _MOST_THREADS:
            raise RunError(f"{self._title} cannot run on {count} threads: 1 to {_MOST_THREADS} were expected")
        self._threads = count
        return self

    def _function(self, part: str, words: Callable[[Entry, int], Words]) -> _Function:
        match self.entry.code.get(part):
            case {"symbol": str(symbol), "arena": int(arena)}:
                return _Function(words(self.entry, arena), self._code.address(symbol), arena)
            case other:
                where = f"{self.bundle.path}: entry '{self.entry.name}'"
                raise BundleError(
                    f"{where}: code.{part} is {other!r}: a symbol and the bytes of an arena were expected"
                )

    def _prepare(self, params: Mapping[str, Array]) -> None:
        self._kept = {("param", name): array for name, array in params.items()}
        if self.entry.prepare is not None:
            function = self._function("prepare", Words.of_prepare)
            made = self._call(function, _Frame(function, self._kept), {}, {}, _aligned)
            self._kept |= {("prepared", name): array for name, array in zip(self.entry.prepare.results, made)}
            read = set(self.entry.call.arguments)
            self._kept = {key: array for key, array in self._kept.items() if key in read}
        bounds = [(_address(array), array.nbytes) for array in self._kept.values()] or [(0, 0)]
        self._kept_bounds = min(at for at, _ in bounds), max(at + size for at, size in bounds)
        self._frames = []

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        return self._run_into(inputs, {})

    def _run_into(self, inputs: Mapping[str, Array], out: Mapping[str, Array]) -> Sequence[Array]:
        frames = self._frames
        try:
            frame = frames.pop()
        except IndexError:
            frame = _Frame(self._main, self._kept)
        try:
            return self._call(self._main, frame, inputs, out, np.empty)
        finally:
            frames.append(frame)

    def _call(
        self,
        function: _Function,
        frame: _Frame,
        inputs: Mapping[str, Array],
        out: Mapping[str, Array],
        new: Callable[[tuple[int, ...], np.dtype[Any]], Array],
    ) -> list[Array]:
        """The results of `function`, those of known sizes in arrays by `new` where `out` has none."""
        written = function.written
        if written:
            inputs = self._given_up(inputs, out, written)
        words, word_at, head = frame.words, _word_at, _HEAD
        for slot, name, sizes in function.inputs:
            array = inputs[name]
            words[slot] = word_at(id(array) + head).value
            for axis in sizes:
                slot += 1
                words[slot] = array.shape[axis]
        results: list[Array] = []
        direct = True
        for slot, name, shape, dtype in function.results:
            array = out.get(name)
            if name in written:
                direct = direct and (array is None or array is inputs[written[name]])
                array = inputs[written[name]]
            elif array is None or not self._apart(array, inputs, results):
                direct = direct and array is None
                array = new(shape, dtype)
            words[slot] = word_at(id(array) + head).value
            results.append(array)
        if self._threads != _Current.threads:
            _use_threads(self._threads)
        if fault := function.call(frame.address):
            raise RunError(f"{self._title} failed: {self._told(fault)}")
        for place, slot, shape, dtype in function.unsized:
            results.insert(place, _taken_over(words, slot, shape, dtype))
        if direct and not (out and function.unsized):
            return results
        return [self._put(name, array, out) for name, array in zip(self._outputs, results, strict=True)]

    def _given_up(
        self, inputs: Mapping[str, Array], out: Mapping[str, Array], written: Mapping[str, str]
    ) -> Mapping[str, Array]:
        """`inputs`, with copies of those that are written over and cannot be: memory of others, or of constants."""
        found = dict(inputs)
        for output, donor in written.items():
            array = found.pop(donor)
            others = [each for name, each in out.items() if name != output]
            found[donor] = array if self._apart(array, found, others) else array.copy()
        return found

    def _apart(self, array: Array, inputs: Mapping[str, Array], results: Sequence[Array]) -> bool:
        """Whether code may write into `array`: it is packed, and no memory of inputs, other results or kept values."""
        start = _word_at(id(array) + _HEAD).value
        end = start + array.nbytes
        for others in (inputs.values(), results):
            for other in others:
                place = _word_at(id(other) + _HEAD).value
                if place < end and start < place + other.nbytes:
                    return False
        low, high = self._kept_bounds
        if start < high and low < end and not self._apart_from_kept(start, end):
            return False
        return array.flags.carray

    def _apart_from_kept(self, start: int, end: int) -> bool:
        places = ((_address(array), array.nbytes) for array in self._kept.values())
        return all(end <= place or place + size <= start for place, size in places)

    def _told(self, fault: int) -> str:
        told = self.entry.code.get("assertions", [])
        return told[fault - 1] if 0 < fault <= len(told) else f"code {fault}"


class _Function:
    """A compiled function, and what a call has to do with its words."""

    def __init__(self, words: Words, address: int, arena: int) -> None:
        self.call: Callable[[int], int] = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(address)
        self.arena, self.words = arena, words
        self.written: Mapping[str, str] = {}
        self.inputs = [(at, spec.name, unknown(spec)) for at, role, spec in words.arguments if role == "input"]
        self.results: list[tuple[int, str, tuple[int, ...], np.dtype[Any]]] = []
        self.unsized: list[tuple[int, int, tuple[int | None, ...], np.dtype[Any]]] = []
        for place, (at, spec) in enumerate(words.results):
            dtype = numpy_dtype(spec.dtype)
            if unknown(spec):
                self.unsized.append((place, at, spec.shape, dtype))
            else:
                self.results.append((at, spec.name, tuple(size or 0 for size in spec.shape), dtype))


class _Frame:
    """What one call at a time uses: words, those of kept values filled in, and an arena."""

    def __init__(self, function: _Function, kept: Mapping[tuple[Role, str], Array]) -> None:
        self.words: Any = (ctypes.c_int64 * max(1, function.words.count))()
        self.address = ctypes.addressof(self.words)
        for at, role, spec in function.words.arguments:
            if role != "input":
                array = kept[role, spec.name]
                self.words[at] = _address(array)
                for i, axis in enumerate(unknown(spec), at + 1):
                    self.words[i] = array.shape[axis]
        if function.arena:
            self.arena = _aligned((function.arena,), np.dtype(np.uint8))
            self.words[function.words.arena] = _address(self.arena)


class _Memory:
    """Memory that compiled code took and that goes back when no array needs it."""

    __slots__ = ("__array_interface__", "_address")

    def __init__(self, address: int, shape: tuple[int, ...], typestr: str) -> None:
        self._address = address
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": typestr, "data": (address, False)}

    def __del__(self) -> None:
        _free()(self._address)


def _names(value: object) -> dict[str, str]:
    """Names by names, as the manifest has them."""
    given = cast("dict[object, object]", value) if isinstance(value, dict) else {}
    return {name: other for name, other in given.items() if isinstance(name, str) and isinstance(other, str)}


def _taken_over(words: Any, slot: int, shape: tuple[int | None, ...], dtype: np.dtype[Any]) -> Array:
    """The array of a result whose memory and sizes lie in `words`."""
    sizes = iter(words[slot + 1 : slot + 1 + shape.count(None)])
    known = tuple([next(sizes) if size is None else size for size in shape])
    own = dtype.isbuiltin == 1
    array = np.asarray(_Memory(words[slot], known, dtype.str if own else f"|V{dtype.itemsize}"))
    return array if array.dtype is dtype else array.view(dtype)


def _aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    size = math.prod(shape) * dtype.itemsize
    whole = np.empty(size + ALIGNMENT, np.uint8)
    start = -_address(whole) % ALIGNMENT
    return whole[start : start + size].view(dtype).reshape(shape)


def _address(array: Array) -> int:
    """Where the elements of `array` begin: in NumPy's C interface the first field behind the head of an object."""
    return _word_at(id(array) + _HEAD).value


def _slow_address(array: Array) -> int:
    return array.ctypes.data


if _address(probe := np.empty(1)) != _slow_address(probe):
    raise ImportError("native programs do not know where this NumPy keeps the address of an array")


# Threads

_MOST_THREADS = 1024


class _Current:
    """How many threads the runtime was told to use last; 0 is as many as the process may use processors."""

    threads = -1


def _use_threads(count: int) -> None:
    _Current.threads = count
    told = ctypes.CFUNCTYPE(None, ctypes.c_int64)(runtime()["rlx_threads"])
    told(count or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1))


@cache
def _free() -> Callable[[int], None]:
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(runtime()["rlx_free"])
