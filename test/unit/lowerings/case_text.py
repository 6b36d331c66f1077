"""What the cases of lowerings share: a function as text with its inputs, element types, and special values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from programs import parse, random_inputs

from rlx_dialect.reference import Array
from rlx_dialect.signature import find_function

FLOATS = ("f32", "f16", "bf16", "f64")


INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui32")


ACTIVATIONS = (
    *(
        "gelu",
        "gelu_approx",
        "silu",
        "relu",
        "sigmoid",
        "tanh",
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "neg",
        "abs",
        "sin",
        "cos",
        "tan",
    ),
    *(
        "atan",
        "recip",
        "round",
        "floor",
        "ceil",
        "sign",
        "softplus",
        "elu",
        "erf",
        "hard_swish",
        "hard_sigmoid",
        "mish",
    ),
    *("softsign", "log_sigmoid", "quick_gelu"),
)


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


CASTS = {
    "f16": ("f32", "bf16", "i32", "ui8"),
    "bf16": ("f32", "f16", "i32", "i1"),
    "f64": ("f16", "bf16", "i64", "ui32"),
    "i8": ("f32", "i64", "ui8", "ui32", "i1"),
    "i16": ("f16", "i8"),
    "i64": ("f64", "i8", "i1"),
    "ui8": ("f32", "i32", "i8", "i1"),
    "ui32": ("f32", "i64", "ui8"),
    "i1": ("f32", "bf16", "i8", "i64"),
}


SPECIAL = [
    np.nan,
    np.inf,
    -np.inf,
    0.0,
    -0.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    1e-3,
    -1e-3,
    3.0,
    -3.0,
    5.0,
    -5.0,
    -5.5,
    -8.0,
    9.5,
    30.0,
    -30.0,
]


Inputs = dict[str, Array]


@dataclass(frozen=True)
class Case:
    """A function as text, its inputs by argument name, and how large the sizes are that its types leave open."""

    text: str
    unknown: int = 3
    change: Callable[[Inputs], object] = field(default=lambda inputs: None)

    def inputs(self, name: str) -> Inputs:
        """Random values, then what `change` makes of them."""
        found = random_inputs(find_function(parse(self.text), name), seed=len(name), unknown=self.unknown)
        self.change(found)
        return found


def function(
    name: str, arguments: Mapping[str, str], body: Sequence[str], results: Mapping[str, str], **options: object
) -> dict[str, Case]:
    """The case `name`: arguments and results by name, each with the type of its tensor."""
    given = ", ".join(f'%{n}: tensor<{t}> {{rlx.input = "{n}"}}' for n, t in arguments.items())
    outputs = ", ".join(f'tensor<{t}> {{rlx.output = "{n}"}}' for n, t in results.items())
    returned = ", ".join(f"%{n}" for n in results)
    types = ", ".join(f"tensor<{t}>" for t in results.values())
    lines = "\n  ".join(body)
    text = f"func.func @{name}({given}) -> ({outputs}) {{\n  {lines}\n  func.return {returned} : {types}\n}}\n"
    return {name: Case(text, **options)}  # pyright: ignore[reportArgumentType] (the options of Case)


def op(name: str, arguments: Mapping[str, str], text: str, result: str, **options: object) -> dict[str, Case]:
    """A function of one op: `text` is its spelling without types."""
    types = ", ".join(f"tensor<{t}>" for t in arguments.values())
    return function(name, arguments, [f"%y = {text} : ({types}) -> tensor<{result}>"], {"y": result}, **options)


def special_values(*names: str) -> Callable[[Inputs], None]:
    """Puts the values at which formulas break into the first elements of the named inputs."""

    def change(inputs: Inputs) -> None:
        for name in names:
            inputs[name].reshape(-1)[: len(SPECIAL)] = SPECIAL

    return change


def scaled(factor: float, *names: str) -> Callable[[Inputs], None]:
    def change(inputs: Inputs) -> None:
        for name in names:
            inputs[name] = (inputs[name] * factor).astype(inputs[name].dtype)

    return change
