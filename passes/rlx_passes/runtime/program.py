"""The one face of a compiled program, whatever it runs on, and the checks that all backends share."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rlx_passes.bundle.folder import Bundle, read_bundle
from rlx_passes.bundle.manifest import Entry, TensorSpec
from rlx_passes.core.dtypes import dtype_name, numpy_dtype
from rlx_passes.core.errors import RunError, did_you_mean, one_line
from rlx_passes.pipeline.target import load_target, target_files
from rlx_passes.weights.reading import read_params

Array = NDArray[Any]

_NOWHERE: Mapping[str, Array] = {}
_REMEMBERED = 64
"""Combinations of sizes of inputs that are known to fit."""


class Program(ABC):
    """
    One entry of a bundle, ready to run: `load` its params once, then call it.

    A backend implements `_prepare` and `_run`; names, shapes and dtypes are checked before either is called.
    """

    makes_all: ClassVar[bool] = False
    """Whether memory holds every tensor of a program, also those between ops."""

    def __init__(self, bundle: Bundle, entry: Entry) -> None:
        self.bundle = bundle
        self.entry = entry
        self._loaded = False
        self._shapes: Mapping[str, tuple[int, ...]] = {}
        self._expected = [(spec.name, numpy_dtype(spec.dtype), spec.shape) for spec in entry.inputs]
        self._outputs = {spec.name: (numpy_dtype(spec.dtype), spec.shape) for spec in entry.outputs}
        self._seen: set[tuple[tuple[int, ...], ...]] = set()

    @classmethod
    def fitting(cls, bundle: Bundle) -> Bundle:
        """`bundle` with the code for this machine, where it has code for several."""
        return bundle

    def load(self, params: Mapping[str, Array] | Path | str) -> Self:
        """
        Take the params, from a mapping or a `.safetensors` or `.npz` file, and prepare what depends on them alone.

        A source may hold more than the entry asks for. Arrays of a mapping may be used where they lie: leave them as
        they are while the program is in use. Raises `RunError` with the entry, the params and what was due.
        """
        checked = self._checked("param", self.entry.params, read_params(params), extra=True)
        self._shapes = _shapes(checked)
        self._seen.clear()
        self._prepare(checked)
        self._loaded = True
        return self

    def use_threads(self, count: int) -> Self:
        """Run on `count` threads, the caller's among them. Raises `RunError` where that is no choice of the program."""
        raise RunError(f"{self._title} cannot be told to run on {count} threads: what runs it chooses their number")

    def __call__(self, inputs: Mapping[str, Array], *, out: Mapping[str, Array] | None = None) -> dict[str, Array]:
        """
        The outputs by name for `inputs` by name.

        An output that `out` has an array for is written there: one of its shape and dtype, of any layout, which may be
        memory of inputs. An input that the program gives up (`rlx.donate`) may be written over, and be the output:
        pass a copy if you need it after the call. Raises `RunError` for arrays that do not fit.
        """
        checked = inputs if self._fits_as_it_is(inputs) else self._checked("input", self.entry.inputs, inputs)
        into = self._checked_out(out) if out else _NOWHERE
        if not self._loaded:
            if self.entry.params:
                raise RunError(f"{self._title} needs its params first: call load() ({_listed(self.entry.params)})")
            self.load({})
        if self.entry.relations:
            self._check_relations(checked)
        try:
            outputs = self._run_into(checked, into)
        except (MemoryError, ValueError) as error:
            raise RunError(f"{self._title} gives what NumPy cannot hold: {error}") from error
        return dict(zip(self._outputs, outputs))

    @abstractmethod
    def _prepare(self, params: Mapping[str, Array]) -> None:
        """Keep the checked params, and run the entry's prepare function where it has one."""

    @abstractmethod
    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        """The outputs, in the order of the entry, for checked inputs."""

    def _run_into(self, inputs: Mapping[str, Array], out: Mapping[str, Array]) -> Sequence[Array]:
        """`_run`, with the outputs that `out` has checked arrays for in these."""
        outputs = self._run(inputs)
        return (
            [self._put(name, array, out) for name, array in zip(self._outputs, outputs, strict=True)]
            if out
            else outputs
        )

    def _put(self, name: str, array: Array, out: Mapping[str, Array]) -> Array:
        """`array`, in the memory that `out` has for output `name`, where it has some."""
        if name not in out:
            return array
        if array.shape != out[name].shape:
            raise RunError(
                f"{self._title} gives output '{name}' of shape {_shape(array.shape)}, "
                f"and out['{name}'] has shape {_shape(out[name].shape)}"
            )
        out[name][...] = array
        return out[name]

    def _fits_as_it_is(self, inputs: Mapping[str, Array]) -> bool:
        """Whether there is nothing to convert and no fault to tell: the check that calls in a loop pay for."""
        if inputs.__class__ is not dict or len(inputs) != len(self._expected):
            return False
        for name, dtype, shape in self._expected:
            array = inputs.get(name)
            if type(array) is not np.ndarray or array.dtype is not dtype:
                return False
            if array.shape != shape and not _agree(array.shape, shape):
                return False
            flags = array.flags
            if not flags.c_contiguous or not flags.aligned:
                return False
        return True

    def _check_relations(self, inputs: Mapping[str, Array]) -> None:
        sizes = tuple([inputs[spec.name].shape for spec in self.entry.inputs])
        if sizes in self._seen:
            return
        if fault := self.entry.misfit(_shapes(inputs), self._shapes):
            raise RunError(f"{self._title}: {fault}")
        if self.makes_all:
            self._require_memory(self.entry.most_elements(_shapes(inputs), self._shapes))
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen.add(sizes)

    def _require_memory(self, count: int) -> None:
        """Raises `RunError` where there is no memory for so many numbers of four bytes; takes none."""
        try:
            np.empty(count, np.float32)
        except (MemoryError, ValueError) as error:
            raise RunError(f"{self._title}: no memory holds a tensor of {count} elements") from error

    def _checked_out(self, out: Mapping[str, Array]) -> Mapping[str, Array]:
        for name, array in out.items():
            dtype, shape = self._outputs.get(name, (None, ()))
            if dtype is None:
                hint = did_you_mean(str(name), self._outputs)
                raise RunError(f"{self._title} has no output '{name}'{hint} (it has {_listed(self.entry.outputs)})")
            if type(array) is not np.ndarray:
                raise RunError(f"{self._title}: out['{name}'] is no array of NumPy, got {type(array).__name__}")
            if array.dtype is not dtype and array.dtype != dtype:
                raise RunError(f"{self._title}: out['{name}'] is {array.dtype}, {dtype} was expected")
            if array.shape != shape and not _agree(array.shape, shape):
                raise RunError(
                    f"{self._title}: out['{name}'] has shape {_shape(array.shape)}, {_expected(shape)} was expected"
                )
            if not array.flags.writeable:
                raise RunError(f"{self._title}: out['{name}'] cannot be written")
        return out

    @property
    def _title(self) -> str:
        return f"entry '{self.entry.name}'"

    def _checked(
        self, kind: str, specs: Sequence[TensorSpec], given: Mapping[str, Array], *, extra: bool = False
    ) -> dict[str, Array]:
        if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may be untyped
            raise RunError(f"{self._title} takes each {kind} by name, got {type(given).__name__}; pass a dict")
        given = {str(name): value for name, value in given.items()}
        names = [spec.name for spec in specs]
        if missing := [name for name in names if name not in given]:
            hint = did_you_mean(missing[0], given) or f"; given: {', '.join(given) or 'none'}"
            raise RunError(f"{self._title} lacks {kind} {', '.join(map(repr, missing))}{hint}")
        if not extra and (unknown := [name for name in given if name not in names]):
            raise RunError(
                f"{self._title} has no {kind} '{unknown[0]}'{did_you_mean(unknown[0], names)} (it has {_listed(specs)})"
            )
        return {spec.name: self._fitting(kind, spec, given[spec.name]) for spec in specs}

    def _fitting(self, kind: str, spec: TensorSpec, value: Array) -> Array:
        """`value` as a packed array, if it is what `spec` asks for."""
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise RunError(f"{self._title}: {kind} '{spec.name}' is no array: {one_line(str(error))}") from error
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if array.dtype != numpy_dtype(spec.dtype):
            raise RunError(
                f"{self._title}: {kind} '{spec.name}' is {dtype_name(array.dtype)}, "
                f"{spec.dtype} was expected; convert it with "
                f"astype"
            )
        if not _agree(array.shape, spec.shape):
            raise RunError(
                f"{self._title}: {kind} '{spec.name}' has shape {_shape(array.shape)}, "
                f"{_expected(spec.shape)} was expected"
            )
        try:
            # NumPy makes a 1-d array of a 0-d one here.
            packed = np.ascontiguousarray(array).reshape(array.shape)
            return packed if packed.flags.aligned else packed.copy()
        except (MemoryError, ValueError) as error:
            raise RunError(f"{self._title}: {kind} '{spec.name}' is too large for NumPy: {error}") from error


def _agree(shape: tuple[int, ...], expected: tuple[int | None, ...]) -> bool:
    """Whether an array of `shape` is what a spec asks for."""
    # A generator would take longer than all other checks of a call.
    return len(shape) == len(expected) and not [
        size for size, wanted in zip(shape, expected) if size != wanted and wanted is not None
    ]


def _expected(shape: Sequence[int | None]) -> str:
    return _shape(["?" if size is None else size for size in shape])


def _shapes(arrays: Mapping[str, Array]) -> Mapping[str, tuple[int, ...]]:
    return {name: array.shape for name, array in arrays.items()}


def _shape(sizes: Sequence[object]) -> str:
    return "[" + ", ".join(str(size) for size in sizes) + "]"


def _listed(specs: Sequence[TensorSpec]) -> str:
    return ", ".join(spec.name for spec in specs) or "none"


def load_bundle(path: Path | str, entry: str | None = None, *, threads: int = 0) -> Program:
    """
    The program in the bundle folder `path`: `entry`, or the only one, or `main`.

    `threads` is how many it may use, for those that can be told; 0 leaves the choice to what runs it. A bundle is
    native code: load none that you do not trust. Raises `BundleError`, or `RunError` if it cannot run here.
    """
    bundle = read_bundle(path)
    kind = program_class(bundle)
    fitting = kind.fitting(bundle)
    program = kind(fitting, fitting.manifest.entry(entry))
    return program.use_threads(threads) if threads else program


def program_class(bundle: Bundle) -> type[Program]:
    """The class that runs a bundle, imported on use. Raises `RunError` where its target is not known here."""
    name, via = bundle.manifest.target, bundle.manifest.via
    known = target_files()
    route = load_target(name).routes.get(via or load_target(name).via) if name in known else None
    if route is None or not route.runner:
        way = f" by way of '{via}'" if via else ""
        there = ", ".join(known)
        raise RunError(f"{bundle.path} was compiled for '{name}'{way}, which nothing here runs; there is {there}")
    module, _, cls = route.runner.partition(":")
    return getattr(importlib.import_module(f"rlx_passes.runtime.{module}"), cls)
