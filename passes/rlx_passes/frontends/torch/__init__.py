"""
PyTorch modules read through `torch.export`.

    program = from_torch(model.eval(), (x,), dynamic_shapes={"x": {0: Dim("batch")}})
    run(program.module, inputs={**program.params, "x": x.numpy()})

Rules by op are in `rules`, a file per chapter; none of them imports PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rlx_passes.frontends.imported import Imported


def from_torch(
    module: Any,
    example_inputs: Any = (),
    example_kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    name: str = "main",
) -> Imported:
    """
    The program of a `torch.nn.Module`, in evaluation mode where it has dropout or batch norms.

    Its public function is `name`, its inputs are named after the arguments of `forward`, its params after parameters
    and buffers, its outputs after the keys of what `forward` returns, else `out0`, `out1`, ... Contents of params share
    the memory of the module where they lie on the CPU.

    `example_inputs` are the positional arguments of `forward`, a tuple or one tensor, `example_kwargs` those by
    keyword; tensors among them become inputs, all else is fixed. `dynamic_shapes` is that of `torch.export.export`:
    which dims are known at run time only; named ones have that name in `rlx.dims`. Ops are read as PyTorch defines
    them, with its promotion of element types as casts; weights that are tied are one param, weights that nothing reads
    are none. Raises `TorchError`, an `RlxError`, with one line: PyTorch is absent, `forward` does not take the inputs,
    it branches on values, it writes to buffers, or it has ops that the dialect cannot express, all of which are listed.
    An input that it writes to in place, such as a cache, is not: what the input then holds is one more output, of the
    input's name (`.new` after it where that is taken), and the input is given up for it (`rlx.donate`).
    """
    from rlx_passes.frontends.imported import Imported
    from rlx_passes.frontends.torch.export import exported
    from rlx_passes.frontends.torch.importer import import_program
    from rlx_passes.frontends.torch.reading import program_of
    from rlx_passes.frontends.torch.rules import load
    from rlx_passes.frontends.torch.signature import finished

    load()
    several = isinstance(example_inputs, tuple | list)
    args = cast("Sequence[Any]", example_inputs) if several else (example_inputs,)
    kwargs = example_kwargs or {}
    traced = exported(module, args, kwargs, dynamic_shapes)
    program = program_of(traced, module, args, kwargs, dynamic_shapes)
    graph, params, arguments = import_program(program, name)
    return Imported(finished(graph, arguments, program), params)
