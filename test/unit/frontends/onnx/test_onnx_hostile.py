"""Damaged and hostile models: one line says what is wrong with which node, and nothing else is read or held."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import need_module

from rlx_passes.core.errors import InputError
from rlx_passes.frontends.onnx import from_onnx

need_module("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

FLOAT = TensorProto.FLOAT


def relu(**changes: Any) -> Any:
    """`y = Relu(x)` with some of its parts replaced."""
    parts: dict[str, Any] = {
        "nodes": [helper.make_node("Relu", ["x"], ["y"], name="act")],
        "inputs": [helper.make_tensor_value_info("x", FLOAT, ["n", 4])],
        "outputs": [helper.make_tensor_value_info("y", FLOAT, None)],
        "initializers": [],
        "opset": 17,
    }
    parts.update(changes)
    graph = helper.make_graph(parts["nodes"], "g", parts["inputs"], parts["outputs"], initializer=parts["initializers"])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", parts["opset"])])


def saved(folder: Path, model: Any) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def outcome(path: Path) -> str | None:
    """What the import says against a model, None where it reads it."""
    try:
        from_onnx(path)
    except InputError as problem:
        return str(problem)
    return None


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> Any:
    return helper.make_node(op, inputs, outputs, **attributes)


def tensor(name: str, dims: list[int], data: bytes, kind: int = FLOAT) -> Any:
    message = TensorProto(name=name, data_type=kind, raw_data=data)
    message.dims.extend(dims)
    return message


def repeated_dim() -> Any:
    model = relu()
    model.graph.input.append(model.graph.input[0])
    return model


def typeless() -> Any:
    model = relu()
    model.graph.input[0].type.tensor_type.ClearField("shape")
    return model


def sequence() -> Any:
    return relu(inputs=[helper.make_tensor_sequence_value_info("x", FLOAT, None)])


def sparse() -> Any:
    model = relu()
    model.graph.sparse_initializer.add()
    return model


def endless(limit: str) -> Any:
    numbers = {"start": "0", "limit": limit, "delta": "1"}
    stored = [numpy_helper.from_array(np.array(float(each), np.float32), name) for name, each in numbers.items()]
    return relu(nodes=[node("Range", list(numbers), ["y"])], initializers=stored)


MODELS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: relu(nodes=[node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Neg", ["b"], ["y"])]),
        "node of 'a' (Add): it reads 'b', which only a later node computes, "
        "node of 'b' (Relu): the nodes are out of order, or go in a circle",
    ),
    (
        lambda: relu(nodes=[node("Add", ["x", "w"], ["y"], name="sum")]),
        "node 'sum' (Add): it reads 'w', which nothing computes and the model does not store",
    ),
    (
        lambda: relu(nodes=[node("Relux", ["x"], ["t"]), node("Frob", ["t"], ["y"], domain="acme")]),
        "no rule reads node of 't' (Relux), node of 'y' (acme.Frob); did you mean 'Relu'",
    ),
    (
        lambda: relu(nodes=[node("Transpose", ["x"], ["y"], name="a\nb\x1b[31m", perm=[0, 7])]),
        r"node 'a\nb\x1b[31m' (Transpose): ",
    ),
    (lambda: relu(nodes=[node("Fr\nob", ["x"], ["y"])]), r"no rule reads node of 'y' (Fr\nob)"),
    (
        lambda: relu(inputs=[helper.make_tensor_sequence_value_info("x\n", FLOAT, None)]),
        r"'x\n' is of type sequence; only tensors are read",
    ),
    (lambda: relu(opset=5), "op set 5 is not read; 7 to"),
    (lambda: relu(opset=99), "op set 99 is not read; 7 to"),
    (
        lambda: relu(nodes=[node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])]),
        "node of 'y' (Neg): 'y' is computed a second time",
    ),
    (repeated_dim, "two inputs are called 'x'"),
    (
        lambda: relu(initializers=[tensor("w", [1], bytes(4)), tensor("w", [1], bytes(4))]),
        "two initializers are called 'w'",
    ),
    (typeless, "the model does not say the element type and the rank of input 'x'"),
    (sequence, "'x' is of type sequence; only tensors are read"),
    (sparse, "sparse initializers are not read"),
    (lambda: relu(outputs=[]), "the graph has no output"),
    (
        lambda: relu(outputs=[helper.make_tensor_value_info("z", FLOAT, None)]),
        "output 'z' is computed nowhere",
    ),
    (
        lambda: relu(initializers=[tensor("w", [1 << 40, 1 << 20], bytes(16))]),
        "tensor 'w' of dims [1099511627776, 1048576] has other contents",
    ),
    (lambda: relu(initializers=[tensor("w", [-1], bytes(4))]), "tensor 'w' has a negative dim: [-1]"),
    (
        lambda: relu(initializers=[tensor("w", [2], b"", TensorProto.STRING)]),
        "tensor 'w': element type string has no counterpart in the dialect",
    ),
    (
        lambda: relu(inputs=[helper.make_tensor_value_info("x", TensorProto.UINT64, [2])]),
        "element type uint64 has no counterpart in the dialect",
    ),
    (
        lambda: relu(
            nodes=[node("ConstantOfShape", ["s"], ["y"])],
            initializers=[numpy_helper.from_array(np.array([-2]), "s")],
        ),
        "node of 'y' (ConstantOfShape): ",
    ),
    (
        lambda: relu(nodes=[node("Transpose", ["x"], ["y"], perm=[0, 7])]),
        "node of 'y' (Transpose): ",
    ),
    (
        lambda: relu(
            nodes=[node("Reshape", ["x", "s"], ["y"])],
            initializers=[numpy_helper.from_array(np.array([-1, -1]), "s")],
        ),
        "node of 'y' (Reshape): ",
    ),
    (
        lambda: relu(outputs=[helper.make_tensor_value_info("y", FLOAT, None)] * 2),
        "two outputs are called 'y'",
    ),
    (
        lambda: relu(nodes=[node("Relu", ["x"], ["y"]), node("Neg", ["x"], [], name="n")]),
        "node 'n' (Neg): it has no output",
    ),
    (
        lambda: relu(
            nodes=[node("Expand", ["x", "s"], ["y"])],
            inputs=[helper.make_tensor_value_info("x", FLOAT, [1])],
            initializers=[numpy_helper.from_array(np.array([1 << 40, 1 << 40]), "s")],
        ),
        "node of 'y' (Expand): rlx.expand: the sizes of a tensor must multiply to at most",
    ),
    (
        lambda: relu(nodes=[node("Squeeze", ["x"], ["y"])]),
        "node of 'y' (Squeeze): whether dim 0 is 1 and dropped is known at run time only; axes say which are",
    ),
    (
        lambda: relu(
            nodes=[node("HannWindow", ["n"], ["y"])],
            inputs=[helper.make_tensor_value_info("n", TensorProto.INT64, [2])],
        ),
        "node of 'y' (HannWindow): in its function, node of 'Range' (Range): tensor<2xf32> has 2 elements",
    ),
    (
        lambda: relu(
            nodes=[node("Slice", ["x", "from", "to"], ["y"])],
            initializers=[numpy_helper.from_array(np.array([at]), name) for name, at in (("from", -1), ("to", 1))],
        ),
        "node of 'y' (Slice): whether there is anything from -1 to 1 is known at run time only",
    ),
    *((lambda limit=limit: endless(limit), f"node of 'y' (Range): from 0.0 to {limit} in") for limit in ("nan", "inf")),
]


@pytest.mark.parametrize(("make", "message"), MODELS, ids=[message[:40] for _, message in MODELS])
def test_one_line(make: Callable[[], Any], message: str, tmp_path: Path):
    path = saved(tmp_path, make())
    with pytest.raises(InputError) as problem:
        from_onnx(path)
    text = str(problem.value)
    assert text.startswith(f"{path}: {message}")
    assert "\n" not in text


def test_division_by_an_attribute(tmp_path: Path):
    message = outcome(saved(tmp_path, relu(nodes=[node("Celu", ["x"], ["y"], alpha=0.0)])))
    assert message is not None
    assert "attribute alpha is 0, by which x would be divided" in message


def test_truncated_anywhere(tmp_path: Path):
    """Each prefix of a model is read, or refused in one line."""
    w = numpy_helper.from_array(np.arange(64, dtype=np.float32).reshape(4, 16), "w")
    whole = relu(nodes=[node("MatMul", ["x", "w"], ["t"]), node("Relu", ["t"], ["y"])], initializers=[w])
    data = whole.SerializeToString()
    path, said = tmp_path / "cut.onnx", list[str | None]()
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        said.append(outcome(path))
    assert all(said[:-1])
    assert not any("\n" in text for text in said if text)


def test_flipped_bytes(tmp_path: Path):
    """A model with one byte changed is read, or refused in one line."""
    data = bytearray(relu().SerializeToString())
    path = tmp_path / "flipped.onnx"
    for at in range(len(data)):
        for flip in (0x01, 0x80):
            changed = bytearray(data)
            changed[at] ^= flip
            path.write_bytes(changed)
            assert "\n" not in (outcome(path) or "")


@pytest.mark.parametrize("data", [b"", b"\x00", b"hello", bytes(range(256))])
def test_no_model(data: bytes, tmp_path: Path):
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"m\.onnx: not an ONNX model"):
        from_onnx(path)


def test_no_file(tmp_path: Path):
    with pytest.raises(InputError, match="no such file"):
        from_onnx(tmp_path / "none.onnx")
    with pytest.raises(InputError, match="is a directory, not a file"):
        from_onnx(tmp_path)


# External data.


def external(location: str, **entries: str) -> Any:
    weight = TensorProto(name="w", data_type=FLOAT, data_location=TensorProto.EXTERNAL)
    weight.dims.extend([2, 4])
    for key, value in {"location": location, **entries}.items():
        weight.external_data.add(key=key, value=value)
    return relu(nodes=[node("Add", ["x", "w"], ["y"])], initializers=[weight])


def test_external_data(tmp_path: Path):
    array = np.arange(8, dtype=np.float32).reshape(2, 4)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "w.bin").write_bytes(bytes(4096) + array.tobytes())
    model = external("weights/w.bin", offset="4096", length="32")
    imported = from_onnx(saved(tmp_path, model))
    np.testing.assert_array_equal(imported.params["w"], array)


@pytest.mark.parametrize("location", ["../secret", "sub/../../secret", "/etc/passwd", "link"])
def test_no_path_leaves_the_folder(location: str, tmp_path: Path):
    (tmp_path / "secret").write_bytes(bytes(32))
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="outside of the model's folder, where nothing is read"):
        from_onnx(saved(folder, external(location)))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"offset": "8"}, r"needs 32 bytes; 32 from byte 8 are declared, 'w.bin' has 32"),
        ({"length": "16"}, r"needs 32 bytes; 16 from byte 0 are declared"),
        ({"offset": "-1"}, "offset must be a number of bytes, got '-1'"),
        ({"location": "none.bin"}, "is stored in 'none.bin', which is no file in the model's folder"),
        ({"location": ""}, "is stored outside of the model, in no file"),
        ({"location": "sub"}, "is stored in 'sub', which is no file"),
    ],
)
def test_external_data_that_does_not_fit(entries: dict[str, str], message: str, tmp_path: Path):
    (tmp_path / "w.bin").write_bytes(bytes(32))
    (tmp_path / "sub").mkdir()
    with pytest.raises(InputError, match=f"tensor 'w'.*{message}"):
        from_onnx(saved(tmp_path, external(**{"location": "w.bin", **entries})))


# Memory.


def peak(path: Path) -> int:
    """The bytes that the import of a model holds at most, whether it reads it or not."""
    tracemalloc.start()
    try:
        assert "\n" not in (outcome(path) or "")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_weight_is_not_copied_again(tmp_path: Path):
    """The contents of a file stay within twice its size; protobuf's own copy is not traced."""
    from_onnx(saved(tmp_path, relu()))  # what is imported and cached once
    weight = numpy_helper.from_array(np.ones((4, 1 << 20), np.float32), "w")
    path = saved(tmp_path, relu(nodes=[node("MatMul", ["x", "w"], ["y"])], initializers=[weight]))
    assert peak(path) < 2 * path.stat().st_size


@pytest.mark.parametrize(
    "nodes",
    [
        [node("ConstantOfShape", ["s"], ["y"])],
        [node("Expand", ["one", "s"], ["y"])],
        [node("Range", ["zero", "many", "step"], ["y"])],
        [node("Expand", ["one", "s"], ["t"]), node("Neg", ["t"], ["y"])],
        [node("Tile", ["ones", "s"], ["y"])],
    ],
    ids=lambda nodes: nodes[0].op_type if hasattr(nodes, "__len__") else None,
)
def test_huge_shapes_are_not_made(nodes: list[Any], tmp_path: Path):
    """What a few bytes declare to be 2^40 elements stays an op, or is refused."""
    from_onnx(saved(tmp_path, relu()))
    stored = {
        "s": np.array([1 << 20, 1 << 20]),
        "one": np.array(1, np.float32),
        "ones": np.ones((2, 2), np.float32),
        "zero": np.array(0),
        "many": np.array(1 << 40),
        "step": np.array(1),
    }
    initializers = [numpy_helper.from_array(array, name) for name, array in stored.items()]
    path = saved(tmp_path, relu(nodes=nodes, initializers=initializers))
    assert peak(path) < 1 << 22


def test_deep_nesting(tmp_path: Path):
    """Conditionals in conditionals: read in time that grows with the file."""
    output = helper.make_tensor_value_info("y", FLOAT, [4])
    inputs = [
        helper.make_tensor_value_info("x", FLOAT, [4]),
        helper.make_tensor_value_info("c", TensorProto.BOOL, []),
    ]

    def nested(depth: int) -> Path:
        plain = helper.make_graph([node("Relu", ["x"], ["y"])], "b", [], [output])
        body = plain
        for _ in range(depth):
            body = helper.make_graph([node("If", ["c"], ["y"], then_branch=body, else_branch=plain)], "b", [], [output])
        graph = helper.make_graph(list(body.node), "g", inputs, [output])
        return saved(tmp_path, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))

    assert outcome(nested(20)) is None
