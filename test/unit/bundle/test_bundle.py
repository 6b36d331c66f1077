"""The bundle folder and its manifest: whole or nothing, and clear about what is wrong."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rlx_dialect.dims import Dim, Symbol, larger, total
from rlx_dialect.relations import Relation, size_name
from rlx_passes.bundle.folder import Bundle, read_bundle, write_bundle
from rlx_passes.bundle.manifest import Call, Entry, Manifest, TensorSpec
from rlx_passes.core.errors import BundleError


def _size(role: str, name: str) -> Dim:
    return Dim.of(Symbol(size_name(role, name, 1)))


X, W, WT, Y = (TensorSpec(name, (2, None), "f32") for name in ("x", "w", "wt", "y"))
ENTRY = Entry(
    "main",
    inputs=(X,),
    params=(W,),
    outputs=(Y,),
    call=Call((("input", "x"), ("prepared", "wt")), ("y",)),
    prepared=(WT,),
    prepare=Call((("param", "w"),), ("wt",)),
    relations=(
        Relation(_size("input", "x"), "equal to", _size("param", "w") * 2 - 1),
        Relation(larger(_size("input", "x"), _size("param", "w")) // 3, "at most", 7),
    ),
    code={"files": ["a.bin"]},
)
MANIFEST = Manifest("cpu", "", "rlx-fusion{target=cpu}", (ENTRY,), ("a.bin", "manifest.json"))
FILES = {"manifest.json": MANIFEST.to_json().encode(), "a.bin": b"\x00code"}


def _deep(levels: int) -> object:
    return ["max", _deep(levels - 1), 1] if levels else 1


OTHER = TensorSpec("x", (3,), "f32").to_json()
TWO = [X.to_json(), X.to_json() | {"name": "z"}]


def _json(**changes: object) -> str:
    return json.dumps(json.loads(MANIFEST.to_json()) | changes)


def _entry(**changes: object) -> str:
    entry: dict[str, Any] = ENTRY.to_json() | changes
    return _json(entries=[entry])


def test_manifest_round_trip() -> None:
    assert Manifest.from_json(MANIFEST.to_json()) == MANIFEST


def test_donated_inputs_are_said_where_there_are_any() -> None:
    given = replace(MANIFEST, entries=(replace(ENTRY, donated={"x": "y"}),))
    assert Manifest.from_json(given.to_json()) == given
    assert "donated" not in MANIFEST.to_json()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "manifest.json is not JSON"),
        ("[]", "manifest.json is not an object"),
        (_json(format=1), "has format 1, this version reads format 3: recompile"),
        (_json(target=3), r"manifest.json.target is 3: expected str"),
        ('{"format": 3}', "has no 'entries'"),
        (_entry(name=None), r"entries\[0\].name is None"),
        (_entry(inputs=[{"name": "x", "shape": [-1], "dtype": "f32"}]), r"inputs\[0\].shape is \[-1\]"),
        (_entry(inputs=[{"name": "x", "shape": [True], "dtype": "f32"}]), r"inputs\[0\].shape"),
        (_entry(inputs=[{"name": "x", "shape": [2], "dtype": "float"}]), r"dtype is 'float': expected one of bf16"),
        (_entry(inputs=[X.to_json(), X.to_json()]), "inputs has a name twice"),
        (_entry(inputs=[]), "call takes input 'x', which the entry does not have"),
        (_entry(params=[]), "prepare takes param 'w', which the entry does not have"),
        (_entry(outputs=[]), r"call gives \['y'\], its outputs are \[\]"),
        (_entry(call={"arguments": [["weight", "x"]], "results": ["y"]}), r"call.arguments\[0\] is \['weight', 'x'\]"),
        (_entry(donated={"x": 3}), r"donated is {'x': 3}: names of outputs by names of inputs"),
        (_entry(donated={"w": "y"}), "donated gives 'w' up for 'y': an input for an output expected"),
        (_entry(donated={"x": "z"}), "donated gives 'x' up for 'z': an input for an output expected"),
        (_entry(donated={"x": "y"}, inputs=[OTHER]), "donated gives 'x' up for 'y', which is another tensor"),
        (_entry(donated={"x": "y", "z": "y"}, inputs=TWO), "donated gives two inputs up for one output"),
        (_entry(prepare={"arguments": [], "results": ["q"]}), "prepare gives a value that is not among 'prepared'"),
        (_entry(relations=3), r"entries\[0\].relations is 3: expected list"),
        (_entry(relations=[["equal to", 1, 2]]), r"relations: \['equal to', 1, 2\] is no relation: a list of a size"),
        (_entry(relations=[[1, "like", 2]]), "is no relation"),
        (_entry(relations=[["dim 1 of input 'y'", "at least", 2]]), "\"dim 1 of input 'y'\" is no size"),
        (_entry(relations=[[["^", 1, 2], "at least", 2]]), r"\['\^', 1, 2\] is no size"),
        (_entry(relations=[[["//", "dim 1 of input 'x'", 0], "at least", 2]]), "a size is divided by 0"),
        (_entry(relations=[[["//", 1, 0], "at least", 2]]), r"relations: .* zero"),
        (_entry(relations=[[["+", True, 2], "at least", 2]]), "True is no size"),
        (_entry(relations=[[[["+"], 1, 2], "at least", 2]]), r"\[\['\+'\], 1, 2\] is no size"),
        (_entry(relations=[[[{"of": 1}, 1, 2], "at least", 2]]), r"\[\{.of.: 1\}, 1, 2\] is no size"),
        (_entry(relations=[[10**4000, "at least", 2]]), r"relations: 10+ is no size"),
        (_entry(relations=[[_deep(900), "at least", 2]]), "relations: a size is nested too deeply to be read"),
        ("[" * 100_000, "manifest.json is nested too deeply to be read"),
    ],
)
def test_bad_manifest_is_named(text: str, message: str) -> None:
    with pytest.raises(BundleError, match=message):
        Manifest.from_json(text)


def test_a_long_sum_is_read_back() -> None:
    inputs = tuple(TensorSpec(f"x{i}", (2, None), "f32") for i in range(500))
    call = Call(tuple(("input", spec.name) for spec in inputs), ("y",))
    sizes = total([_size("input", spec.name) * 3 for spec in inputs])
    entry = Entry("main", inputs, (), (Y,), call, relations=(Relation(sizes, "equal to", 1 - sizes),))
    given = replace(MANIFEST, entries=(entry,))
    assert Manifest.from_json(given.to_json()) == given


def test_entry_by_name() -> None:
    other = Entry("other", (), (), (), Call((), ()))
    both = Manifest("cpu", "", "", (ENTRY, other))
    assert MANIFEST.entry() is ENTRY
    assert both.entry() is ENTRY
    assert both.entry("other") is other
    with pytest.raises(BundleError, match="no entry 'mian' in this bundle; it has main, other"):
        both.entry("mian")


def test_write_and_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "out"
    write_bundle(path, FILES)
    bundle = read_bundle(path)
    assert isinstance(bundle, Bundle)
    assert bundle.manifest == MANIFEST
    assert bundle.read("a.bin") == b"\x00code"
    assert sorted(each.name for each in path.iterdir()) == ["a.bin", "manifest.json"]
    assert [each.name for each in path.parent.iterdir()] == ["out"]
    with pytest.raises(BundleError, match=r"no file 'b\.bin'"):
        bundle.read("b.bin")


def test_rewriting_replaces_all(tmp_path: Path) -> None:
    write_bundle(tmp_path / "out", FILES)
    write_bundle(tmp_path / "out", {"manifest.json": FILES["manifest.json"], "b.bin": b"new"})
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["b.bin", "manifest.json"]
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["../x", "a/b", "a\\b", "", ".", "..", ".hidden", "a b", "x" * 300, "a\0b"])
def test_file_names_stay_inside(name: str, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="cannot be a file of a bundle"):
        write_bundle(tmp_path / "out", FILES | {name: b""})
    assert not list(tmp_path.iterdir())


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"needs a manifest\.json"):
        write_bundle(tmp_path / "out", {"a.bin": b""})


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "photos"
    mine.mkdir()
    (mine / "cat.png").write_bytes(b"cat")
    with pytest.raises(BundleError, match=r"without a manifest\.json, not a bundle"):
        write_bundle(mine, FILES)
    (mine / "manifest.json").write_text("{}")
    (mine / "album").mkdir()
    with pytest.raises(BundleError, match="holds folders"):
        write_bundle(mine, FILES)
    assert (mine / "cat.png").read_bytes() == b"cat"
    (mine / "album").rmdir()
    with pytest.raises(BundleError, match=r"manifest\.json is not that of a bundle"):
        write_bundle(mine, FILES)
    (mine / "manifest.json").write_text("{")
    with pytest.raises(BundleError, match=r"manifest\.json cannot be read"):
        write_bundle(mine, FILES)
    (mine / "manifest.json").write_bytes(FILES["manifest.json"])
    with pytest.raises(BundleError, match=r"holds files that its manifest\.json does not name \(cat\.png\)"):
        write_bundle(mine, FILES)
    assert (mine / "cat.png").read_bytes() == b"cat"
    file = tmp_path / "file"
    file.write_text("text")
    with pytest.raises(BundleError, match="is not a bundle folder"):
        write_bundle(file, FILES)
    assert file.read_text() == "text"


def test_a_failed_write_leaves_the_old_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bundle(tmp_path / "out", FILES)
    write_bytes = Path.write_bytes

    def fail_on_code(path: Path, data: bytes) -> int:
        if path.name == "b.bin":
            raise OSError(28, "No space left on device")
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", fail_on_code)
    with pytest.raises(BundleError, match="No space left on device"):
        write_bundle(tmp_path / "out", FILES | {"b.bin": b""})
    assert read_bundle(tmp_path / "out").manifest == MANIFEST
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_many_writers_of_one_bundle(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for _ in range(20):
            write_bundle(tmp_path / "out", FILES | {"a.bin": bytes([number] * 1000)})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert read_bundle(tmp_path / "out").manifest == MANIFEST
    assert len(set((tmp_path / "out" / "a.bin").read_bytes())) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_an_interrupted_write_leaves_the_old_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bundle(tmp_path / "out", FILES)
    rename, calls = Path.rename, list[Path]()

    def interrupted(path: Path, target: Path) -> Path:
        calls.append(path)
        if len(calls) == 3:  # the old bundle has moved away, the new one is to come
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bundle(tmp_path / "out", FILES | {"a.bin": b"new"})
    assert len(calls) == 4
    assert (tmp_path / "out" / "a.bin").read_bytes() == FILES["a.bin"]
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_reading_what_is_none(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="no such folder"):
        read_bundle(tmp_path / "nowhere")
    with pytest.raises(BundleError, match=r"has no manifest\.json"):
        read_bundle(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(BundleError, match=r"is not JSON"):
        read_bundle(tmp_path)
