"""The one face of a compiled program, whatever it runs on, and the checks that all backends share."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rlx_passes.bundle.folder import Bundle, read_bundle
from rlx_passes.bundle.manifest import Entry, TensorSpec
from rlx_passes.core.dtypes import dtype_name, numpy_dtype
from rlx_passes.core.errors import RunError, did_you_mean, one_line
from rlx_passes.pipeline.target import load_target, target_files
from rlx_passes.weights.reading import read_params

Array = NDArray[Any]


class Program(ABC):
    """
    One entry of a bundle, ready to run: `load` its params once, then call it.

    A backend implements `_prepare` and `_run`; names, shapes and dtypes are checked before either is called.
    """

    def __init__(self, bundle: Bundle, entry: Entry) -> None:
        self.bundle = bundle
        self.entry = entry
        self._loaded = False
        self._shapes: Mapping[str, tuple[int, ...]] = {}

    def load(self, params: Mapping[str, Array] | Path | str) -> Self:
        """
        Take the params, from a mapping or a `.safetensors` or `.npz` file, and prepare what depends on them alone.

        A source may hold more than the entry asks for. Raises `RunError` with the entry, the params and what was due.
        """
        checked = self._checked("param", self.entry.params, read_params(params), extra=True)
        self._shapes = _shapes(checked)
        self._prepare(checked)
        self._loaded = True
        return self

    def __call__(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs by name for `inputs` by name. Raises `RunError` for inputs that do not fit."""
        checked = self._checked("input", self.entry.inputs, inputs, extra=False)
        if not self._loaded:
            if self.entry.params:
                raise RunError(f"{self._title} needs its params first: call load() ({_listed(self.entry.params)})")
            self.load({})
        if self.entry.relations and (fault := self.entry.misfit(_shapes(checked), self._shapes)):
            raise RunError(f"{self._title}: {fault}")
        try:
            outputs = self._run(checked)
        except (MemoryError, ValueError) as error:
            raise RunError(f"{self._title} gives what NumPy cannot hold: {error}") from error
        return dict(zip((spec.name for spec in self.entry.outputs), outputs, strict=True))

    @abstractmethod
    def _prepare(self, params: Mapping[str, Array]) -> None:
        """Keep the checked params, and run the entry's prepare function where it has one."""

    @abstractmethod
    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        """The outputs, in the order of the entry, for checked inputs."""

    @property
    def _title(self) -> str:
        return f"entry '{self.entry.name}'"

    def _checked(
        self, kind: str, specs: Sequence[TensorSpec], given: Mapping[str, Array], *, extra: bool
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
        fits = len(array.shape) == len(spec.shape) and all(
            expected is None or expected == size for expected, size in zip(spec.shape, array.shape, strict=True)
        )
        if not fits:
            expected = ["?" if size is None else size for size in spec.shape]
            raise RunError(
                f"{self._title}: {kind} '{spec.name}' has shape {_shape(array.shape)}, {_shape(expected)} was expected"
            )
        try:
            # NumPy makes a 1-d array of a 0-d one here.
            return np.ascontiguousarray(array).reshape(array.shape)
        except (MemoryError, ValueError) as error:
            raise RunError(f"{self._title}: {kind} '{spec.name}' is too large for NumPy: {error}") from error


def _shapes(arrays: Mapping[str, Array]) -> Mapping[str, tuple[int, ...]]:
    return {name: array.shape for name, array in arrays.items()}


def _shape(sizes: Sequence[object]) -> str:
    return "[" + ", ".join(str(size) for size in sizes) + "]"


def _listed(specs: Sequence[TensorSpec]) -> str:
    return ", ".join(spec.name for spec in specs) or "none"


def load_bundle(path: Path | str, entry: str | None = None) -> Program:
    """
    The program in the bundle folder `path`: `entry`, or the only one, or `main`.

    A bundle is native code: load none that you do not trust. Raises `BundleError`, or `RunError` if it cannot run here.
    """
    bundle = read_bundle(path)
    chosen = bundle.manifest.entry(entry)
    return program_class(bundle)(bundle, chosen)


def program_class(bundle: Bundle) -> type[Program]:
    """The class that runs a bundle, imported on use. Raises `RunError` where its target is not known here."""
    name = bundle.manifest.target
    known = target_files()
    runner = ""
    if name in known and (route := load_target(name).routes.get(bundle.manifest.via or load_target(name).via)):
        runner = route.runner
    if not runner:
        raise RunError(f"{bundle.path} was compiled for '{name}', which nothing here runs; there is {', '.join(known)}")
    module, _, cls = runner.partition(":")
    return getattr(importlib.import_module(f"rlx_passes.runtime.{module}"), cls)
