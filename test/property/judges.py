"""
What PyTorch gives for ops of the dialect, as a second opinion on the reference at edge values.

Floats are computed in f64 and rounded once, as the reference does; integers in their own type.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, PoolKind, ReduceKind
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import (
    ActivationOp,
    ArgMaxOp,
    ArgMinOp,
    ArgsortOp,
    AttentionOp,
    BinaryOp,
    ClampOp,
    CompareOp,
    ConcatOp,
    ConvOp,
    CummaxOp,
    CumprodOp,
    CumsumOp,
    LayerNormOp,
    LogicalNotOp,
    MatMulOp,
    PoolOp,
    ReduceOp,
    ReverseOp,
    SoftmaxOp,
    SortOp,
    TransposeOp,
    TriangularSolveOp,
    WhereOp,
)
from rlx_dialect.reference import Array
from rlx_dialect.shapes import of_type
from rlx_dialect.signature import find_function

torch: Any = importlib.import_module("torch") if importlib.util.find_spec("torch") else None
