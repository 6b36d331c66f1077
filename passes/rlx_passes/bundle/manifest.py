"""The bundle: a folder with `manifest.json` and the code files, written whole or not at all."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

from rlx_dialect.dims import Atom, Size, Symbol
from rlx_dialect.dtypes import DTYPES
from rlx_dialect.relations import MOST, Relation, relations_of_json, size_name
from rlx_passes.core.errors import BundleError

MANIFEST = "manifest.json"
FORMAT = 3

Role = Literal["input", "param", "prepared"]
Json = Mapping[str, Any]


@dataclass(frozen=True)
class TensorSpec:
    """Name, shape and RLX dtype name of one tensor of an entry; a size that is None is known at run time only."""

    name: str
    shape: tuple[int | None, ...]
    dtype: str

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {"name": self.name, "shape": list(self.shape), "dtype": self.dtype}

    @staticmethod
    def from_json(data: object, where: str) -> "TensorSpec":
        """Read the JSON form; `where` names the place in errors."""
        name = checked_entry(data, "name", str, where)
        shape = checked_entry(data, "shape", list, where)
        dtype = checked_entry(data, "dtype", str, where)
        if not all(size is None or (type(size) is int and size >= 0) for size in shape):
            raise BundleError(f"{where}.shape is {shape!r}: a list of sizes or nulls was expected")
        if dtype not in DTYPES:
            raise BundleError(f"{where}.dtype is '{dtype}': expected one of {', '.join(sorted(DTYPES))}")
        return TensorSpec(name, tuple(shape), dtype)


@dataclass(frozen=True)
class Call:
    """How one compiled function is called: what each argument is, by role and name, and the names of its results."""

    arguments: tuple[tuple[Role, str], ...]
    results: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {"arguments": [list(each) for each in self.arguments], "results": list(self.results)}

    @staticmethod
    def from_json(data: object, where: str) -> "Call":
        """Read the JSON form; `where` names the place in errors."""
        arguments: list[tuple[Role, str]] = []
        for i, pair in enumerate(checked_entry(data, "arguments", list, where)):
            match pair:
                case [role, str(name)] if role in get_args(Role):
                    arguments.append((role, name))
                case _:
                    raise BundleError(
                        f'{where}.arguments[{i}] is {pair!r}: ["input"|"param"|"prepared", NAME] expected'
                    )
        results = checked_entry(data, "results", list, where)
        if not all(isinstance(name, str) for name in results):
            raise BundleError(f"{where}.results is {results!r}: a list of names was expected")
        return Call(tuple(arguments), tuple(results))


@dataclass(frozen=True)
class Entry:
    """
    One public function of a bundle.

    `prepared` are values that `prepare`, run once after loading, makes from params; None means that nothing is
    prepared. `donated` are inputs that the caller gives up, each with the output that may take its memory. `relations`
    are what the code relies on of the sizes of inputs and params, by names as `size_names` has them. `code` is the
    backend's own: files, function names, launch plans.
    """

    name: str
    inputs: tuple[TensorSpec, ...]
    params: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    call: Call
    prepared: tuple[TensorSpec, ...] = ()
    prepare: Call | None = None
    donated: Mapping[str, str] = field(default_factory=dict[str, str])
    relations: tuple[Relation, ...] = ()
    code: Json = field(default_factory=dict[str, Any])

    def size_names(self) -> frozenset[str]:
        """What the sizes of inputs and params are called."""
        specs = [("input", spec) for spec in self.inputs] + [("param", spec) for spec in self.params]
        return frozenset(size_name(role, spec.name, axis) for role, spec in specs for axis in range(len(spec.shape)))

    def misfit(self, inputs: Mapping[str, Sequence[int]], params: Mapping[str, Sequence[int]]) -> str:
        """In what shapes, each as its spec says, differ from what the code relies on; empty where they fit."""
        sizes = _named(inputs, params)
        return next(filter(None, (relation.fault(sizes) for relation in self.relations)), "")

    def most_elements(self, inputs: Mapping[str, Sequence[int]], params: Mapping[str, Sequence[int]]) -> int:
        """Of the tensors that a run on fitting shapes makes and that are far larger than these: the most elements."""
        sizes = _named(inputs, params)
        counts = [each.substitute(sizes).left for each in self.relations if each[1:] == ("at most", MOST)]
        return max((count for count in counts if isinstance(count, int)), default=0)

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "name": self.name,
            "inputs": [spec.to_json() for spec in self.inputs],
            "params": [spec.to_json() for spec in self.params],
            "outputs": [spec.to_json() for spec in self.outputs],
            "prepared": [spec.to_json() for spec in self.prepared],
            "call": self.call.to_json(),
            "prepare": self.prepare.to_json() if self.prepare else None,
            **({"donated": dict(self.donated)} if self.donated else {}),
            "relations": [relation.to_json(str) for relation in self.relations],
            "code": dict(self.code),
        }

    @staticmethod
    def from_json(data: object, where: str) -> "Entry":
        """Read the JSON form; `where` names the place in errors."""
        name = checked_entry(data, "name", str, where)
        prepare = checked_entry(data, "prepare", dict | None, where)
        entry = Entry(
            name,
            inputs=_specs(data, "inputs", where),
            params=_specs(data, "params", where),
            outputs=_specs(data, "outputs", where),
            call=Call.from_json(checked_entry(data, "call", dict, where), f"{where}.call"),
            prepared=_specs(data, "prepared", where),
            prepare=Call.from_json(prepare, f"{where}.prepare") if prepare is not None else None,
            donated=_donated(cast(Json, data), where),
            code=checked_entry(data, "code", dict, where),
        )
        entry.check(where)
        try:
            relations = relations_of_json(checked_entry(data, "relations", list, where), entry.size_names())
        except ValueError as error:
            raise BundleError(f"{where}.relations: {error}") from error
        return replace(entry, relations=relations)

    def check(self, where: str) -> None:
        """Raise `BundleError` when a call names a tensor that the entry does not have."""
        known = {
            "input": {spec.name for spec in self.inputs},
            "param": {spec.name for spec in self.params},
            "prepared": {spec.name for spec in self.prepared},
        }
        calls = {"call": self.call} | ({"prepare": self.prepare} if self.prepare else {})
        for key, call in calls.items():
            for role, name in call.arguments:
                if name not in known[role]:
                    raise BundleError(f"{where}.{key} takes {role} '{name}', which the entry does not have")
        outputs = tuple(spec.name for spec in self.outputs)
        if self.call.results != outputs:
            raise BundleError(f"{where}.call gives {list(self.call.results)}, its outputs are {list(outputs)}")
        if self.prepare is not None and not known["prepared"] >= set(self.prepare.results):
            raise BundleError(f"{where}.prepare gives a value that is not among 'prepared'")
        inputs = {spec.name: spec for spec in self.inputs}
        results = {spec.name: spec for spec in self.outputs}
        for donor, result in self.donated.items():
            if donor not in inputs or result not in results:
                raise BundleError(f"{where}.donated gives '{donor}' up for '{result}': an input for an output expected")
            if replace(inputs[donor], name=result) != results[result]:
                raise BundleError(f"{where}.donated gives '{donor}' up for '{result}', which is another tensor")
        if len(set(self.donated.values())) != len(self.donated):
            raise BundleError(f"{where}.donated gives two inputs up for one output")


def _named(inputs: Mapping[str, Sequence[int]], params: Mapping[str, Sequence[int]]) -> dict[Atom, Size]:
    """The sizes of all axes by their names."""
    return {
        Symbol(size_name(role, name, axis)): size
        for role, shapes in (("input", inputs), ("param", params))
        for name, shape in shapes.items()
        for axis, size in enumerate(shape)
    }


@dataclass(frozen=True)
class Manifest:
    """
    What a bundle says about itself: its target, chip, the pipeline that made it, and its entries.

    `via` is the route of the target to its code, empty for a target with one way alone. `levels` are the files with the
    manifests of the machines that there is code for, the best first; then the entries here have no code of their own.
    """

    target: str
    chip: str
    pipeline: str
    entries: tuple[Entry, ...]
    files: tuple[str, ...] = ()
    via: str = ""
    levels: tuple[str, ...] = ()

    def entry(self, name: str | None = None) -> Entry:
        """The entry called `name`; without a name the one there is, or `main`."""
        by_name = {entry.name: entry for entry in self.entries}
        if name is None and len(by_name) == 1:
            return self.entries[0]
        if (found := by_name.get(name or "main")) is not None:
            return found
        raise BundleError(f"no entry '{name or 'main'}' in this bundle; it has {', '.join(by_name) or 'none'}")

    def to_json(self) -> str:
        """The text of `manifest.json`."""
        data = {
            "format": FORMAT,
            "target": self.target,
            "chip": self.chip,
            **({"via": self.via} if self.via else {}),
            "pipeline": self.pipeline,
            **({"levels": list(self.levels)} if self.levels else {}),
            "entries": [entry.to_json() for entry in self.entries],
            "files": list(self.files),
        }
        return json.dumps(data, indent=1) + "\n"

    @staticmethod
    def from_json(text: str | bytes) -> "Manifest":
        """Read the text of `manifest.json`; raises `BundleError` that names the key at fault."""
        try:
            data: object = json.loads(text)
        except ValueError as error:
            raise BundleError(f"{MANIFEST} is not JSON: {error}") from error
        except RecursionError as error:
            raise BundleError(f"{MANIFEST} is nested too deeply to be read") from error
        version = checked_entry(data, "format", int, MANIFEST)
        if version != FORMAT:
            raise BundleError(f"{MANIFEST} has format {version}, this version reads format {FORMAT}: recompile")
        entries = checked_entry(data, "entries", list, MANIFEST)
        levels = checked_entry(data, "levels", list, MANIFEST) if "levels" in cast(Json, data) else ()
        return Manifest(
            target=checked_entry(data, "target", str, MANIFEST),
            chip=checked_entry(data, "chip", str, MANIFEST),
            via=checked_entry(data, "via", str, MANIFEST) if "via" in cast(Json, data) else "",
            pipeline=checked_entry(data, "pipeline", str, MANIFEST),
            entries=tuple(Entry.from_json(each, f"{MANIFEST}: entries[{i}]") for i, each in enumerate(entries)),
            files=tuple(check_file_name(str(name)) for name in checked_entry(data, "files", list, MANIFEST)),
            levels=tuple(check_file_name(str(name)) for name in levels),
        )


def _donated(data: Json, where: str) -> dict[str, str]:
    given = cast(dict[str, object], checked_entry(data, "donated", dict, where) if "donated" in data else {})
    outputs = {name: output for name, output in given.items() if isinstance(output, str)}
    if outputs != given:
        raise BundleError(f"{where}.donated is {given!r}: names of outputs by names of inputs were expected")
    return outputs


def _specs(data: object, key: str, where: str) -> tuple[TensorSpec, ...]:
    given = checked_entry(data, key, list, where)
    specs = tuple(TensorSpec.from_json(each, f"{where}.{key}[{i}]") for i, each in enumerate(given))
    if len({spec.name for spec in specs}) != len(specs):
        raise BundleError(f"{where}.{key} has a name twice")
    return specs


def checked_entry(data: object, key: str, type_: Any, where: str) -> Any:
    """`data[key]`, checked to be of `type_`."""
    if not isinstance(data, dict):
        raise BundleError(f"{where} is not an object")
    known = cast(dict[str, object], data)
    if key not in known:
        raise BundleError(f"{where} has no '{key}'")
    value = known[key]
    if not isinstance(value, type_):
        expected = getattr(type_, "__name__", str(type_))
        raise BundleError(f"{where}.{key} is {value!r}: expected {expected}")
    return value


# Files


_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


def check_file_name(name: str) -> str:
    """`name`, if it can be a file of a bundle: one path part of plain characters; else `BundleError`."""
    if _FILE_NAME.fullmatch(name) is None or len(name) > 200:
        raise BundleError(f"{name!r} cannot be a file of a bundle: letters, digits and any of _ . + - only, no folders")
    return name
