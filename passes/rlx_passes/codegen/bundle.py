"""The bundle: a folder with `manifest.json` and the code files, written whole or not at all."""

import errno
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from rlx_dialect.dtypes import DTYPES
from rlx_passes.codegen.errors import BundleError

MANIFEST = "manifest.json"
FORMAT = 1

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
        name = _get(data, "name", str, where)
        shape = _get(data, "shape", list, where)
        dtype = _get(data, "dtype", str, where)
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
        for i, pair in enumerate(_get(data, "arguments", list, where)):
            match pair:
                case [role, str(name)] if role in get_args(Role):
                    arguments.append((role, name))
                case _:
                    raise BundleError(
                        f'{where}.arguments[{i}] is {pair!r}: ["input"|"param"|"prepared", NAME] expected'
                    )
        results = _get(data, "results", list, where)
        if not all(isinstance(name, str) for name in results):
            raise BundleError(f"{where}.results is {results!r}: a list of names was expected")
        return Call(tuple(arguments), tuple(results))


@dataclass(frozen=True)
class Entry:
    """
    One public function of a bundle.

    `prepared` are values that `prepare`, run once after loading, makes from params; None means that nothing is prepared.
    `code` is the backend's own: files, function names, launch plans.
    """

    name: str
    inputs: tuple[TensorSpec, ...]
    params: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    call: Call
    prepared: tuple[TensorSpec, ...] = ()
    prepare: Call | None = None
    code: Json = field(default_factory=dict[str, Any])

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
            "code": dict(self.code),
        }

    @staticmethod
    def from_json(data: object, where: str) -> "Entry":
        """Read the JSON form; `where` names the place in errors."""
        name = _get(data, "name", str, where)
        prepare = _get(data, "prepare", dict | None, where)
        entry = Entry(
            name,
            inputs=_specs(data, "inputs", where),
            params=_specs(data, "params", where),
            outputs=_specs(data, "outputs", where),
            call=Call.from_json(_get(data, "call", dict, where), f"{where}.call"),
            prepared=_specs(data, "prepared", where),
            prepare=Call.from_json(prepare, f"{where}.prepare") if prepare is not None else None,
            code=_get(data, "code", dict, where),
        )
        entry.check(where)
        return entry

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


@dataclass(frozen=True)
class Manifest:
    """What a bundle says about itself: its target, chip, the pipeline that made it, and its entries."""

    target: str
    chip: str
    pipeline: str
    entries: tuple[Entry, ...]
    files: tuple[str, ...] = ()

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
            "pipeline": self.pipeline,
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
        version = _get(data, "format", int, MANIFEST)
        if version != FORMAT:
            raise BundleError(f"{MANIFEST} has format {version}, this version reads format {FORMAT}: compile again")
        entries = _get(data, "entries", list, MANIFEST)
        return Manifest(
            target=_get(data, "target", str, MANIFEST),
            chip=_get(data, "chip", str, MANIFEST),
            pipeline=_get(data, "pipeline", str, MANIFEST),
            entries=tuple(Entry.from_json(each, f"{MANIFEST}: entries[{i}]") for i, each in enumerate(entries)),
            files=tuple(check_file_name(str(name)) for name in _get(data, "files", list, MANIFEST)),
        )


def _specs(data: object, key: str, where: str) -> tuple[TensorSpec, ...]:
    given = _get(data, key, list, where)
    specs = tuple(TensorSpec.from_json(each, f"{where}.{key}[{i}]") for i, each in enumerate(given))
    if len({spec.name for spec in specs}) != len(specs):
        raise BundleError(f"{where}.{key} has a name twice")
    return specs


def _get(data: object, key: str, type_: Any, where: str) -> Any:
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


def write_bundle(path: Path | str, artefacts: Mapping[str, bytes]) -> None:
    """
    Write `artefacts`, file name to content, as the bundle folder `path`: whole, or not at all.

    A bundle that is there already is replaced. Raises `BundleError` for a name that is no plain file name, when there is no
    manifest among them, and as `check_replaceable` does.
    """
    path = Path(path)
    names = [check_file_name(name) for name in artefacts]
    if MANIFEST not in names:
        raise BundleError(f"a bundle needs a {MANIFEST}")
    manifest = replace(Manifest.from_json(artefacts[MANIFEST]), files=tuple(sorted(names)))
    check_replaceable(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise BundleError(f"cannot write beside {path}: {error.strerror}") from error
    try:
        for name, content in {**artefacts, MANIFEST: manifest.to_json().encode()}.items():
            (fresh / name).write_bytes(content)
        fresh.chmod(0o777 & ~_umask())
        _put_in_place(fresh, path)
    except OSError as error:
        raise BundleError(f"cannot write the bundle {path}: {error.strerror}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def check_replaceable(path: Path | str) -> None:
    """
    Raise `BundleError` when there is something at `path` that writing a bundle there would lose: anything but an empty folder, or
    a bundle with no other files than its manifest names.
    """
    path = Path(path)
    if "\0" in str(path):
        raise BundleError(f"{str(path)!r} is no path: it holds a NUL")
    while (there := _identity(path)) is not None:
        try:
            return _check_contents(path)
        except (BundleError, FileNotFoundError):
            # Somebody else may have replaced the bundle while it was looked at.
            if _identity(path) == there:
                raise


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file or folder from all others; None where there is none."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def _check_contents(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        raise BundleError(f"{path} exists and is not a bundle folder: choose another output or remove it")
    inside = list(path.iterdir())
    if inside and not (path / MANIFEST).is_file():
        raise BundleError(f"{path} is a folder without a {MANIFEST}, not a bundle: it is left as it is")
    if strange := sorted(each.name for each in inside if each.is_dir()):
        raise BundleError(f"{path} holds folders ({', '.join(strange[:3])}), which no bundle does: it is left as it is")
    if inside and (foreign := sorted({each.name for each in inside} - _file_names(path / MANIFEST))):
        raise BundleError(
            f"{path} holds files that its {MANIFEST} does not name ({', '.join(foreign[:3])}): it is left as it is; move them, or "
            "choose another output"
        )


def _file_names(manifest: Path) -> set[str]:
    """The files of the bundle with `manifest`, of whatever format, itself among them."""
    try:
        data: object = json.loads(manifest.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BundleError(f"{manifest} cannot be read ({error}): its folder is left as it is") from error
    if not isinstance(data, dict) or not {"format", "target", "entries", "files"} <= data.keys():
        raise BundleError(f"{manifest} is not that of a bundle: its folder is left as it is")
    return {MANIFEST, *map(str, _get(cast(object, data), "files", list, MANIFEST))}


def _put_in_place(fresh: Path, path: Path) -> None:
    """
    Rename `fresh` to `path`; an older bundle moves away first, and comes back when the rename fails.

    Where others write the same bundle at the same time, the last of them stays.
    """
    while not _take_place(fresh, path):
        check_replaceable(path)
        old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
        try:
            path.rename(old)
        except OSError as error:
            old.rmdir()
            if isinstance(error, FileNotFoundError):
                continue  # somebody else moved it away
            raise
        try:
            done = _take_place(fresh, path)
        except BaseException:
            old.rename(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
        if done:
            return


def _take_place(fresh: Path, path: Path) -> bool:
    """Rename `fresh` to `path`, unless there is something; whether it did."""
    try:
        fresh.rename(path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@dataclass(frozen=True)
class Bundle:
    """A bundle folder that was read: its manifest, and its files on demand."""

    path: Path
    manifest: Manifest

    def file(self, name: str) -> Path:
        """Where the file `name` of the bundle is; raises `BundleError` when it is not there."""
        found = self.path / check_file_name(name)
        if not found.is_file():
            raise BundleError(f"the bundle {self.path} has no file '{name}', which its manifest names")
        return found

    def read(self, name: str) -> bytes:
        """The content of the file `name`."""
        return self.file(name).read_bytes()


def read_bundle(path: Path | str) -> Bundle:
    """Read the manifest of the bundle folder `path`; raises `BundleError` when it is none."""
    path = Path(path)
    if not path.is_dir():
        raise BundleError(f"{path} is not a bundle: no such folder")
    if not (path / MANIFEST).is_file():
        raise BundleError(f"{path} is not a bundle: it has no {MANIFEST}")
    try:
        return Bundle(path, Manifest.from_json((path / MANIFEST).read_bytes()))
    except BundleError as error:
        raise BundleError(f"{path}: {error}") from error
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
