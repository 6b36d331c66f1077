"""
Write the product, bias and gelu of `mlp.mlir` as others do: `mlp.stablehlo.mlir` as JAX, `mlp.onnx` as exporters.

    python examples/make_mlp.py
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from onnx import numpy_helper, parser

jax: Any = import_module("jax")

HERE = Path(__file__).parent

ONNX = """
<ir_version: 8, opset_import: ["" : 17]>
mlp (float[rows, 8] x) => (float[rows, 16] y)
<float root = {1.41421356}, float one = {1.0}, float half = {0.5}> {
  [matmul] product = MatMul(x, w)
  [bias] sum = Add(product, b)
  scaled = Div(sum, root)
  erf = Erf(scaled)
  shifted = Add(erf, one)
  gated = Mul(sum, shifted)
  [gelu] y = Mul(gated, half)
}
"""


def mlp(x: Any, w: Any, b: Any) -> Any:
    return jax.nn.gelu(x @ w + b, approximate=False)


def main() -> None:
    shapes = ((4, 8), (8, 16), (16,))
    arguments = [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
    (HERE / "mlp.stablehlo.mlir").write_text(jax.jit(mlp).lower(*arguments).as_text())

    model = parser.parse_model(ONNX)
    rng = np.random.default_rng(0)
    for name, shape in (("w", (8, 16)), ("b", (16,))):
        array = rng.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    (HERE / "mlp.onnx").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
