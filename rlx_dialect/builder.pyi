"""Made by docs/generate.py."""

# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
# The bases serve one chapter each; here a tensor knows the whole graph.

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import IRDLOperation

from rlx_dialect.arrays import Array
from rlx_dialect.graph import base
from rlx_dialect.attributes import Activation
from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.graph.sizes import Atom
from rlx_dialect.ops.attention import AttentionConfig
from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.attributes import AttentionOperand
from rlx_dialect.attributes import BinaryKind
from rlx_dialect.attributes import CodeScheme
from rlx_dialect.attributes import CompareKind
from rlx_dialect.ops.convolution import ConvConfig
from rlx_dialect.dims import Dim
from rlx_dialect.attributes import Direction
from rlx_dialect.attributes import Extremum
from rlx_dialect.attributes import FftNorm
from rlx_dialect.shape_rules.indexing import GatherNumbers
from rlx_dialect.graph.fused import LayerTensors
from rlx_dialect.attributes import MaskKind
from rlx_dialect.attributes import NearestRounding
from rlx_dialect.attributes import PadMode
from rlx_dialect.graph.quantization import Pads
from rlx_dialect.ops.pooling import PoolConfig
from rlx_dialect.attributes import PoolKind
from rlx_dialect.attributes import ReduceKind
from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.attributes import ResizeCoordinates
from rlx_dialect.attributes import ResizeMode
from rlx_dialect.attributes import RnnActivation
from rlx_dialect.attributes import RopeStyle
from rlx_dialect.attributes import RopeTable
from rlx_dialect.shape_rules.indexing import ScatterNumbers
from rlx_dialect.attributes import ScatterReduction
from rlx_dialect.graph.movement import Size
from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.graph.quantization import Steps
from rlx_dialect.attributes import Triangle

LARGEST: int
Number = base.Number

Given = Tensor | Sequence[Tensor]
Body = (
    Callable[[], Given]
    | Callable[[Tensor], Given]
    | Callable[[Tensor, Tensor], Given]
    | Callable[[Tensor, Tensor, Tensor], Given]
    | Callable[[Tensor, Tensor, Tensor, Tensor], Given]
    | Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Given]
)
"""
Takes a tensor for each argument of a region and returns what the region yields; `tensor.graph` builds the ops.

The types stop at five arguments; one that takes `*args` takes any number.
"""

class Tensor(base.Tensor):
    """A value of a graph. Operators build elementwise ops and products; Python numbers become constants of its type."""

    graph: Graph
    def __init__(self, graph: Graph, value: SSAValue) -> None: ...
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __rmatmul__(self, other: Tensor) -> Tensor: ...
    def __add__(self, other: Tensor | Number) -> Tensor: ...
    def __radd__(self, other: Number) -> Tensor: ...
    def __sub__(self, other: Tensor | Number) -> Tensor: ...
    def __rsub__(self, other: Number) -> Tensor: ...
    def __mul__(self, other: Tensor | Number) -> Tensor: ...
    def __rmul__(self, other: Number) -> Tensor: ...
    def __truediv__(self, other: Tensor | Number) -> Tensor: ...
    def __rtruediv__(self, other: Number) -> Tensor: ...
    def __neg__(self) -> Tensor: ...

class Graph(base.GraphBase):
    """
    One public function in the making. `input`, `param` and `output` name its signature; all others append an op.

    Raises `ValueError` for a name given twice, for a tensor of another graph, and for any use after `module`, which
    hands the program over; `TypeError` for anything else in the place of a tensor.
    """

    name: str
    def __init__(self, name: str = "main") -> None: ...
    @property
    def block(self) -> Block: ...
    @classmethod
    def add_method(cls, op: type[IRDLOperation]) -> None:
        """Give the builder the method of an op, with the parameters of its constructor: for the ops of another package.

        An op has none where it has a body, where its results vary in number, or where the name is taken."""
    def activation(self, kind: Activation, x: Tensor) -> Tensor: ...
    def activation_backward(self, kind: Activation, x: Tensor, gradient: Tensor) -> Tensor:
        """The gradient of `rlx.activation` by its input: `kind`'s derivative at `input` times `gradient`, per element."""
    def ada_layer_norm(self, x: Tensor, scale: Tensor, shift: Tensor, epsilon: float = 1e-05, norm: AdaNormKind = AdaNormKind.LAYER_NORM, *, accumulate: str | None = None) -> Tensor:
        """`n(input) * (1 + scale) + shift`, where n is `norm` over the last axis without gain and shift of its own."""
    def ada_layer_norm_backward(self, x: Tensor, scale: Tensor, shift: Tensor, gradient: Tensor, epsilon: float = 1e-05, norm: AdaNormKind = AdaNormKind.LAYER_NORM, *, accumulate: str | None = None) -> Tensor:
        """The gradients of `rlx.ada_layer_norm`, as one vector: by its input, by scale and by shift, each in row-major order."""
    def arg_max(self, x: Tensor, axis: int = -1, *, keep_dims: bool = False, last: bool = False, index: str = 'i64') -> Tensor:
        """The index of the greatest element along `axis`: that of `rlx.arg_reduce max`."""
    def arg_min(self, x: Tensor, axis: int = -1, *, keep_dims: bool = False, last: bool = False, index: str = 'i64') -> Tensor:
        """The index of the least element along `axis`: that of `rlx.arg_reduce min`."""
    def arg_reduce(self, kind: Extremum, x: Tensor, axis: int = -1, *, keep_dims: bool = False, last: bool = False, index: str = 'i64') -> tuple[Tensor, Tensor]:
        """The greatest (`max`) or the least (`min`) element along `axis`, and its index."""
    def argsort(self, x: Tensor, axis: int = -1, *, descending: bool = False, index: str = 'i64') -> Tensor:
        """Where the elements of the sorted axis stood: entry i is the index of the i-th element of `rlx.sort`."""
    def argument(self, type: Attribute) -> Tensor:
        """One more argument, without a role or a name: of a body, whose op says what it is."""
    def attention(self, query: Tensor, key: Tensor, value: Tensor, config: AttentionConfig, *, layout: AttentionLayout, mask: Tensor | None = None, mask_kind: MaskKind | None = None) -> Tensor:
        """Scaled dot product attention: `softmax(mask(scale * query @ key^T)) @ value` for each head; see `AttentionConfig`."""
    def attention_backward(self, wrt: AttentionOperand, query: Tensor, key: Tensor, value: Tensor, gradient: Tensor, config: AttentionConfig, *, layout: AttentionLayout, mask: Tensor | None = None, mask_kind: MaskKind | None = None) -> Tensor:
        """The gradient of `rlx.attention` by one of its operands, in that operand's shape; `gradient` is that of its result."""
    def attention_backward_all(self, query: Tensor, key: Tensor, value: Tensor, gradient: Tensor, config: AttentionConfig, *, layout: AttentionLayout, mask: Tensor | None = None, mask_kind: MaskKind | None = None) -> Tensor:
        """The three gradients of `rlx.attention`, one after the other on axis 0: by query, by key, by value."""
    def axial_rope2d(self, x: Tensor, *, axis: int, grid: tuple[int, int], theta: float = 10000.0) -> Tensor:
        """The rotary embedding of a picture's tiles, rows and columns each on half of a head."""
    def batch_elementwise_region(self, slices: Sequence[Tensor], body: Body, prologue: RegionPrologue = RegionPrologue.NONE) -> Tensor:
        """One chain of elementwise ops on each slice, the results one after the other."""
    def batch_norm_inference(self, x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, epsilon: float = 1e-05, axis: int = -1) -> Tensor:
        """`(x - mean) / sqrt(variance + epsilon) * gamma + beta` with statistics that are given."""
    def batch_norm_inference_backward_beta(self, gradient: Tensor, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.batch_norm_inference` by beta: the sum of `gradient` over all axes but `axis`."""
    def batch_norm_inference_backward_gamma(self, x: Tensor, mean: Tensor, variance: Tensor, gradient: Tensor, epsilon: float = 1e-05, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.batch_norm_inference` by gamma: the sum of
        `gradient * (input - mean) / sqrt(variance + epsilon)` over all axes but `axis`."""
    def batch_norm_inference_backward_input(self, gamma: Tensor, variance: Tensor, gradient: Tensor, epsilon: float = 1e-05, axis: int = -1) -> Tensor:
        """The gradient of `rlx.batch_norm_inference` by its input: `gradient * gamma / sqrt(variance + epsilon)`."""
    def batched_dense_solve(self, matrix: Tensor, rhs: Tensor) -> Tensor:
        """The solution of `matrix @ result = rhs` for each entry of a batch."""
    def bi_map(self, x: Tensor, weight: Tensor) -> Tensor:
        """`weight @ input @ weight^T`: `[.., N, N]` and `[M, N]` to `[.., M, M]`, which stays symmetric and positive
        semidefinite where input is."""
    def binary(self, kind: BinaryKind, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor: ...
    def cast(self, x: Tensor, dtype: str) -> Tensor:
        """Each element converted to another element type."""
    def cholesky(self, x: Tensor) -> Tensor:
        """The lower triangular L with positive diagonal and `L @ L^T = input`; zero above the diagonal."""
    def clamp(self, x: Tensor, low: float | None = None, high: float | None = None) -> Tensor:
        """`min(max(input, low), high)` for each element; `high` wins where the bounds cross. NaN stays NaN."""
    def compare(self, kind: CompareKind, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor: ...
    def complex(self, real: Tensor, imag: Tensor) -> Tensor:
        """`real + i imag` for each element: two f32 of equal shape give complex numbers."""
    def complex_norm_sq(self, z: Tensor) -> Tensor:
        """`real(z)^2 + imag(z)^2` for each complex number z, as f32."""
    def complex_norm_sq_backward(self, z: Tensor, gradient: Tensor) -> Tensor:
        """The gradient of `rlx.complex_norm_sq` by its input: `2 z gradient` for each complex number z."""
    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        """The inputs one after the other along `axis`; all other dims are equal."""
    def cond(self, condition: Tensor, captures: Sequence[Tensor], then: Body, otherwise: Body) -> tuple[Tensor, ...]:
        """What `then` gives where `condition` holds, else what `otherwise` gives."""
    def conjugate(self, z: Tensor) -> Tensor: ...
    def constant(self, array: Array) -> Tensor:
        """The array as a constant. Raises `ValueError` for a NumPy type outside of the dialect."""
    def conv(self, x: Tensor, weight: Tensor, *, stride: Steps = 1, padding: Pads = 0, dilation: Steps = 1, groups: int = 1, input_dilation: Steps = 1, layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST) -> Tensor:
        """`[N, C, ..]` with kernels `[M, C / groups, ..]`."""
    def conv_backward_input(self, gradient: Tensor, weight: Tensor, config: ConvConfig = ..., *, size: Sequence[int]) -> Tensor:
        """The gradient of `rlx.conv` by its input, given the one by its result."""
    def conv_backward_weight(self, x: Tensor, gradient: Tensor, config: ConvConfig = ..., *, kernel: Sequence[int]) -> Tensor:
        """The gradient of `rlx.conv` by its weight, given the one by its result."""
    def conv_transpose(self, x: Tensor, weight: Tensor, *, stride: Steps = 1, padding: Pads = 0, output_padding: Steps = 0, dilation: Steps = 1, groups: int = 1, layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST) -> Tensor:
        """The adjoint of `conv`: `[N, C, ..]` with kernels `[C, M / groups, ..]`."""
    def cummax(self, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """The greatest element along `axis` up to each place; of nothing the lowest value, `-inf` for floats. NaN passes."""
    def cumprod(self, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """The product of the elements along `axis` up to each place; of nothing 1."""
    def cumsum(self, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """The sum of the elements along `axis` up to each place; of nothing 0."""
    def cumsum_backward(self, gradient: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """The gradient of a prefix sum along `axis` by its input: the sum of `gradient` from each place to the end."""
    def custom(self, kind: str, inputs: Sequence[Tensor], results: Sequence[tuple[Sequence[int | None], str]], attributes: Mapping[str, Attribute] | None = None, *, pure: bool = False) -> tuple[Tensor, ...]:
        """The op of that kind; `results` has a shape and a dtype per result, None for a size known only at run time."""
    def dense_solve(self, matrix: Tensor, rhs: Tensor) -> Tensor:
        """The solution of `matrix @ result = rhs`."""
    def dequant_grouped_matmul(self, x: Tensor, weights: Tensor, indices: Tensor, scale: Tensor, *, scheme: CodeScheme = CodeScheme.PLAIN, zero_point: Tensor | None = None, block: int | None = None) -> Tensor:
        """Each row times the quantised matrix that its index picks:
        `result[.., n] = sum_k input[.., k] * whole[indices[..], k, n]`."""
    def dequant_grouped_matmul_mlx(self, x: Tensor, weights: Tensor, indices: Tensor, scales: Tensor, biases: Tensor, *, bits: int = 4, group_size: int = 64) -> Tensor:
        """Each row times the transposed matrix that its index picks, in the affine layout of MLX:
        `result[.., n] = sum_k input[.., k] * (q * s + b)` with `e = indices[..]`, `q` the code of `[e, n, k]`,
        `s = scales[e, n, k / group_size]` and `b = biases[e, n, k / group_size]`."""
    def dequant_matmul(self, x: Tensor, weight: Tensor, scale: Tensor, *, scheme: CodeScheme = CodeScheme.PLAIN, zero_point: Tensor | None = None, block: int | None = None) -> Tensor:
        """`input @ ((weight - zero_point) * scale)` with weights that stay quantised in memory."""
    def dequant_moe_weights(self, weights: Tensor, scale: Tensor, dtype: str = 'f32', *, scheme: CodeScheme = CodeScheme.PLAIN, zero_point: Tensor | None = None, block: int | None = None) -> Tensor:
        """`(weights - zero_point) * scale` for each expert: quantised `[E, K, N]` to `[E, K, N]` of f32, f16, bf16 or f64."""
    def dequantize(self, x: Tensor, scale: Tensor, *, zero_point: Tensor | None = None, axis: int | None = None, block: int | None = None) -> Tensor:
        """`(input - zero_point) * scale`, in the type of the scale."""
    def det(self, x: Tensor) -> Tensor:
        """The determinant of each matrix, `[.., N, N]` to `[..]`; 1 for an empty one, maybe NaN for infinities."""
    def dim(self, x: Tensor, axis: int) -> SSAValue:
        """The size of a dim when the program runs, for the shape of another tensor."""
    def dot_general(self, lhs: Tensor, rhs: Tensor, contracting: tuple[Sequence[int], Sequence[int]], batch: tuple[Sequence[int], Sequence[int]] = ((), ())) -> Tensor:
        """`contracting` and `batch` name axes of lhs and as many of rhs; the result has batch dims, then free ones."""
    def dynamic_slice(self, x: Tensor, starts: Sequence[Tensor], lengths: Sequence[int]) -> Tensor:
        """`lengths` entries of each axis from the start that the operands say."""
    def dynamic_update_slice(self, x: Tensor, update: Tensor, starts: Sequence[Tensor]) -> Tensor:
        """The input with `update` in place of the entries from the start that the operands say."""
    def eigh(self, x: Tensor) -> Tensor:
        """Eigenvalues, then eigenvectors, of the symmetric `(input + input^T) / 2`: `[.., N, N]` to `[.., N + N * N]`."""
    def eigh_backward(self, x: Tensor, gradient: Tensor) -> Tensor:
        """The gradient of `rlx.eigh` by its input, given the gradient of its result; symmetric."""
    def elementwise_region(self, inputs: Sequence[Tensor], body: Body, prologue: RegionPrologue = RegionPrologue.NONE) -> Tensor:
        """A chain of elementwise ops as one op."""
    def erf(self, x: Tensor) -> Tensor: ...
    def erfc(self, x: Tensor) -> Tensor:
        """`1 - erf(input)` for each element, without the cancellation. Floats of any shape."""
    def exp(self, x: Tensor) -> Tensor: ...
    def expand(self, x: Tensor, shape: Sequence[Size]) -> Tensor:
        """The input stretched to the result's dims by NumPy's rule; a lower rank is aligned at the right."""
    def expm1(self, x: Tensor) -> Tensor:
        """`e^input - 1` for each element, exact near zero. Floats of any shape."""
    def fake_quantize(self, x: Tensor, *, bits: int = 8, scale: Tensor | None = None, axis: int | None = None) -> Tensor:
        """`clamp(round(input / scale), -m, m) * scale` with `m = 2^(bits - 1) - 1`: what a quantised value would be."""
    def fake_quantize_backward(self, x: Tensor, gradient: Tensor, *, bits: int = 8, scale: Tensor | None = None, axis: int | None = None) -> Tensor:
        """The straight-through gradient of `rlx.fake_quantize` by its input: the result's gradient where
        `|input / scale| <= m`, else 0."""
    def fake_quantize_lsq(self, x: Tensor, scale: Tensor, *, bits: int = 8, axis: int | None = None) -> Tensor:
        """`clamp(round(input / scale), -m, m) * scale` with `m = 2^(bits - 1) - 1` and a scale that is learned."""
    def fake_quantize_lsq_backward_scale(self, x: Tensor, scale: Tensor, gradient: Tensor, *, bits: int = 8, axis: int | None = None) -> Tensor:
        """By the scale: the sum of `gradient * (round(q) - q)`, `q = input / scale`, if `|q| <= m`, and `+-m gradient` beyond."""
    def fake_quantize_lsq_backward_x(self, x: Tensor, scale: Tensor, gradient: Tensor, *, bits: int = 8, axis: int | None = None) -> Tensor:
        """By the input: the gradient where `|input / scale| <= m`, else 0."""
    def fft(self, x: Tensor, *, inverse: bool = False, norm: FftNorm = FftNorm.NONE) -> Tensor:
        """`result[k] = scale * sum_n input[n] e^(-2 pi i n k / N)` along the last axis; `inverse` takes `+` in the exponent."""
    def fft_butterfly_stage(self, x: Tensor, stage: int, *, inverse: bool = False, pruned: int | None = None) -> Tensor:
        """A stage of the radix-2 Fourier transform of the last axis: of each pair `a`, `b` the points `a + w b` and `a - w b`."""
    def fft_q(self, x: Tensor, *, inverse: bool = False, norm: FftNorm = FftNorm.NONE, scale: int = 0) -> Tensor:
        """`2^-scale` times what `rlx.fft` with the same `inverse` and `norm` gives, in fixed point: of N = 2^m points, in m
        stages of butterflies."""
    def filled(self, shape: Sequence[Size], value: float, dtype: str = 'f32') -> Tensor:
        """A tensor whose elements are all `value`, of dims that may be known at run time only."""
    def fma(self, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        """`a * b + c` for each element, rounded once. Three floats of equal shape."""
    def frames(self, signal: Tensor, length: int, step: int) -> Tensor:
        """`[.., T]` cut into pieces of `length` that start `step` apart: `[.., (T - length) / step + 1, length]`."""
    def full(self, shape: Sequence[int], value: Number, dtype: str = 'f32') -> Tensor:
        """A constant whose elements are all `value`; `filled` takes sizes known only at run time."""
    def function(self, name: str, *operands: Tensor, **parameters: float) -> Tensor:
        """A function of floats of one dtype, by its name in `rlx_dialect.formulas.FUNCTIONS`, its parameters by keyword.

        One that is no op of the dialect becomes several, on f32 where the floats are narrower. Raises `ValueError`
        where no function has that name, so many operands or such a parameter."""
    def fused_attention_block(self, hidden: Tensor, qkv_w: Tensor, out_w: Tensor, config: AttentionConfig, *, qkv_b: Tensor | None = None, out_b: Tensor | None = None, mask: Tensor | None = None, mask_kind: MaskKind | None = None) -> Tensor:
        """Self attention with its projections: `attention(split(hidden @ qkv_w + qkv_b)) @ out_w + out_b`."""
    def fused_conv_bias_act(self, x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: Activation | None = None, *, residual: Tensor | None = None, stride: Steps = 1, padding: Pads = 0, dilation: Steps = 1, groups: int = 1, input_dilation: Steps = 1, layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST) -> Tensor:
        """`activation(conv(x, weight) (+ bias) (+ residual))`"""
    def fused_matmul_bias_act(self, lhs: Tensor, rhs: Tensor, bias: Tensor | None = None, activation: Activation | None = None, *, accumulate: str | None = None) -> Tensor:
        """`activation(lhs @ rhs (+ bias))`; no activation means identity."""
    def fused_matmul_residual(self, lhs: Tensor, rhs: Tensor, residual: Tensor, *, accumulate: str | None = None) -> Tensor:
        """`lhs @ rhs + residual`."""
    def fused_residual_ln(self, x: Tensor, residual: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, *, bias: Tensor | None = None) -> Tensor:
        """`layer_norm(x + residual (+ bias))`"""
    def fused_residual_rms_norm(self, x: Tensor, residual: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, *, bias: Tensor | None = None) -> Tensor:
        """`rms_norm(x + residual (+ bias))`"""
    def fused_swiglu(self, packed: Tensor, act: Activation = Activation.SILU, *, gate_first: bool = False, cast_to: str | None = None) -> Tensor:
        """`up * act(gate)`, act being silu by default, where `input` holds up and gate side by side on its last axis."""
    def fused_transformer_layer(self, hidden: Tensor, weights: LayerTensors, config: AttentionConfig, *, activation: Activation = Activation.GELU, epsilon1: float = 1e-05, epsilon2: float = 1e-05, mask: Tensor | None = None, mask_kind: MaskKind | None = None) -> Tensor:
        """An encoder layer with its norms after the sums."""
    def gated_residual(self, x: Tensor, update: Tensor, gate: Tensor) -> Tensor:
        """`input + gate * update`; update has the dims of input, gate broadcasts to them, mostly from `[B, 1, D]`."""
    def gated_residual_backward(self, x: Tensor, update: Tensor, gate: Tensor, gradient: Tensor) -> Tensor:
        """The gradients of `rlx.gated_residual`, as one vector: `gradient` itself by its input, `gradient * gate` by its
        update, and `gradient * update` by its gate, summed to the gate's shape; each in row-major order."""
    def gather(self, table: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
        """`numpy.take(table, indices, axis)`: the table's dims before `axis`, those of `indices`, the table's other dims."""
    def gather_backward(self, gradient: Tensor, indices: Tensor, size: int, axis: int = 0) -> Tensor:
        """The gradient of `rlx.gather` by its table: each slice of `gradient` added where its index points to, zero elsewhere."""
    def gather_elements(self, x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
        """For each place of `indices` the element of the input at that place, but for `axis`, where the index says."""
    def gather_nd(self, x: Tensor, indices: Tensor, batch_dims: int = 0) -> Tensor:
        """Slices of the input picked by index vectors: the dims of `indices` but the last, then the input's after the index."""
    def gelu(self, x: Tensor) -> Tensor: ...
    def general_gather(self, x: Tensor, indices: Tensor, numbers: GatherNumbers, slice_sizes: Sequence[int]) -> Tensor:
        """Slices of `slice_sizes` from where indices say: StableHLO's gather."""
    def general_scatter(self, x: Tensor, indices: Tensor, updates: Tensor, numbers: ScatterNumbers, reduction: ScatterReduction = ScatterReduction.NONE) -> Tensor:
        """The input with windows of `updates` where indices say: StableHLO's scatter with a reduction of `rlx.scatter_nd`."""
    def group_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, num_groups: int, epsilon: float = 1e-05, *, accumulate: str | None = None) -> Tensor:
        """`(x - mean) / sqrt(var + epsilon) * gamma + beta`, statistics over `num_groups` groups of channels per sample."""
    def group_norm_backward_beta(self, gradient: Tensor, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.group_norm` by beta `[C]`: the sum of `gradient` `[N, C, ..]` over all axes but 1."""
    def group_norm_backward_gamma(self, x: Tensor, gradient: Tensor, num_groups: int, epsilon: float = 1e-05, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.group_norm` by gamma `[C]`: `gradient * n` summed over all axes but 1, n the plain norm."""
    def group_norm_backward_input(self, x: Tensor, gamma: Tensor, gradient: Tensor, num_groups: int, epsilon: float = 1e-05, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.group_norm` by its input `[N, C, ..]`: a layer norm's per group, gamma `[C]` by channel."""
    def grouped_matmul(self, x: Tensor, weights: Tensor, indices: Tensor, *, accumulate: str | None = None) -> Tensor:
        """Each row times the matrix that its index picks: `result[.., n] = sum_k input[.., k] * weights[indices[..], k, n]`."""
    def gru(self, x: Tensor, weight: Tensor, recurrence: Tensor, *, bias: Tensor | None = None, lengths: Tensor | None = None, initial_h: Tensor | None = None, direction: Direction = Direction.FORWARD, linear_before_reset: bool = False) -> tuple[Tensor, Tensor]:
        """`h = (1 - z) n + z h` for each step, with the gates `z = sigmoid(x Wz^T + h Rz^T + bz)`, r likewise, and
        `n = tanh(x Wn^T + (r h) Rn^T + bn)`; shapes as the module says, gates in the order z, r, n."""
    def histogram(self, x: Tensor, bins: int, low: float, high: float, *, counter: str = 'i64') -> Tensor:
        """How many elements lie in each of `bins` equal parts of `[low, high]`."""
    def im2col(self, x: Tensor, kernel: Steps, *, stride: Steps = 1, padding: Pads = 0, dilation: Steps = 1, layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST) -> Tensor:
        """What each window sees, along the channels."""
    def imag(self, z: Tensor) -> Tensor:
        """The imaginary part of each complex number, as f32."""
    def input(self, name: str, shape: Sequence[int | None], dtype: str = 'f32') -> Tensor:
        """An argument that changes from call to call; None is a size known only at run time."""
    def interpolate3d(self, x: Tensor, size: Sequence[int]) -> Tensor:
        """The nearest elements of `[N, C, D, H, W]`, each new element from the old one that it starts in."""
    def iota(self, shape: Sequence[Size], axis: int, dtype: str = 'i64') -> Tensor:
        """Each element its own entry on `axis`."""
    def irfft(self, x: Tensor, length: int, norm: FftNorm = FftNorm.BY_N_ON_INVERSE) -> Tensor:
        """The real signal of `length` points with these first bins: c64 `[.., length / 2 + 1]` to f32 `[.., length]`."""
    def is_finite(self, x: Tensor) -> Tensor:
        """Whether an element is neither infinite nor NaN, as i1; floats only."""
    def kv_append(self, cache: Tensor, rows: Tensor, *, axis: int, position: int) -> Tensor:
        """The first `position` entries of `cache` on `axis`, followed by `rows`: what attention reads after a step."""
    def layer_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """`(x - mean) / sqrt(var + epsilon) * gamma + beta` over `axis`, the last by default."""
    def layer_norm2d(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, *, accumulate: str | None = None) -> Tensor:
        """`rlx.layer_norm` over the channels of each pixel."""
    def layer_norm_backward_gamma(self, x: Tensor, gradient: Tensor, epsilon: float = 1e-05, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.layer_norm` by gamma: `gradient * n` summed over all axes but `axis`, n the plain norm."""
    def layer_norm_backward_input(self, x: Tensor, gamma: Tensor, gradient: Tensor, epsilon: float = 1e-05, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.layer_norm` by its input: with n the normalised input, d its deviation and
        `g = gradient * gamma`, `(g - mean(g) - n * mean(g * n)) / d`."""
    def log1p(self, x: Tensor) -> Tensor:
        """`log(1 + input)` for each element, exact near zero. Floats of any shape; below -1 it is NaN."""
    def log_det(self, x: Tensor) -> Tensor:
        """The logarithm of each matrix's determinant, `[.., N, N]` to `[..]`: -inf where it is zero, NaN where negative, and
        maybe NaN for infinities."""
    def log_mel(self, spectrum: Tensor, filters: Tensor) -> Tensor:
        """The log-mel features that Whisper reads: `(max(l, max(l) - 8) + 4) / 4` with
        `l = log10(max(filters @ power, 1e-10))`."""
    def log_mel_backward(self, spectrum: Tensor, filters: Tensor, gradient: Tensor) -> Tensor:
        """The gradient of `rlx.log_mel` by its spectrum, given the gradient of its result."""
    def logical_not(self, x: Tensor) -> Tensor:
        """The other truth value of each element; i1 of any shape."""
    def lora_matmul(self, x: Tensor, weight: Tensor, down: Tensor, up: Tensor, scale: float, *, accumulate: str | None = None) -> Tensor:
        """A product with a low-rank update of its weight: `input @ weight + scale * ((input @ down) @ up)`."""
    def lstm(self, x: Tensor, weight: Tensor, recurrence: Tensor, *, bias: Tensor | None = None, lengths: Tensor | None = None, initial_h: Tensor | None = None, initial_c: Tensor | None = None, peepholes: Tensor | None = None, direction: Direction = Direction.FORWARD) -> tuple[Tensor, Tensor, Tensor]:
        """`c = f c + i g`, `h = o tanh(c)` for each step, with the gates `i = sigmoid(x Wi^T + h Ri^T + bi)`, o and f
        likewise, and `g = tanh(x Wg^T + h Rg^T + bg)`; shapes as the module says, gates in the order i, o, f, g."""
    def matmul(self, lhs: Tensor, rhs: Tensor) -> Tensor: ...
    def max_pool_backward(self, x: Tensor, gradient: Tensor, config: PoolConfig) -> Tensor:
        """The gradient of `rlx.pool max` by its input, given the one by its result: each goes to the first largest element of
        its window in row-major order, a NaN counting as largest. A window of pads has none. An infinite or NaN gradient may
        give NaN beside its own element."""
    def maximum(self, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor: ...
    def mean(self, x: Tensor, axes: Sequence[int], keep_dims: bool = False) -> Tensor: ...
    def minimum(self, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor: ...
    def module(self) -> ModuleOp:
        """The finished program, verified. Raises `ValueError` for a graph without outputs."""
    def narrow(self, x: Tensor, axis: int, start: int, length: int) -> Tensor:
        """The `length` entries of `axis` from `start`."""
    def output(self, name: str, tensor: Tensor) -> None:
        """The next result of the function."""
    def pad(self, x: Tensor, low: Sequence[int], high: Sequence[int], mode: PadMode = PadMode.CONSTANT, value: float = 0) -> Tensor:
        """The input with `low` entries before each axis and `high` after it."""
    def param(self, name: str, shape: Sequence[int | None], dtype: str = 'f32') -> Tensor:
        """An argument that is loaded once: a weight."""
    def partitioned_conv(self, signal: Tensor, filter: Tensor, block: int) -> Tensor:
        """`result[.., t] = sum_k filter[k] * signal[.., t - k]`: the whole convolution of signals with a filter that is
        mirrored, as `numpy.convolve`."""
    def pool(self, kind: PoolKind, x: Tensor, kernel: Steps, *, stride: Steps = 1, padding: Pads = 0, dilation: Steps = 1, ceil: bool = False, count_include_pad: bool = False, layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST) -> Tensor:
        """The largest or the mean of each window."""
    def psd(self, spectrum: Tensor, n_segments: int) -> Tensor:
        """The mean one-sided power of groups of rows of `[B * n_segments, 2N]`, cf. `welch_peaks`: `[B, N / 2 + 1]`."""
    def qconv2d(self, x: Tensor, weight: Tensor, *, input_zero_point: Tensor | None = None, weight_zero_point: Tensor | None = None, stride: Steps = 1, padding: Pads = 0, dilation: Steps = 1, groups: int = 1, input_dilation: Steps = 1, layout: SpatialLayout = SpatialLayout.CHANNELS_FIRST) -> Tensor:
        """The convolution of bytes in i32, with the arguments of `conv`."""
    def qmatmul(self, lhs: Tensor, rhs: Tensor, *, lhs_zero_point: Tensor | None = None, rhs_zero_point: Tensor | None = None) -> Tensor:
        """`(lhs - lhs_zero_point) @ (rhs - rhs_zero_point)` in i32, which wraps around."""
    def qr(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Q and R."""
    def quantize(self, x: Tensor, scale: Tensor, dtype: str = 'i8', *, zero_point: Tensor | None = None, axis: int | None = None, block: int | None = None) -> Tensor:
        """`saturate(round(input / scale) + zero_point)`, rounded half to even; floats of 8 bits use their own grid."""
    def real(self, z: Tensor) -> Tensor:
        """The real part of each complex number, as f32."""
    def reckoned(self, dim: Dim, atom: Callable[[Atom], SSAValue]) -> SSAValue:
        """An expression as an index value; see `dims.reckoned`."""
    def reduce(self, kind: ReduceKind, x: Tensor, axes: Sequence[int], keep_dims: bool = False, *, accumulate: str | None = None) -> Tensor:
        """`kind` over `axes`, which are dropped, or kept as 1 with `keep_dims`."""
    def relu(self, x: Tensor) -> Tensor: ...
    def relu_backward(self, x: Tensor, gradient: Tensor) -> Tensor:
        """The gradient of relu by its input: 0 where `input <= 0`, `gradient` elsewhere, also where `input` is NaN."""
    def requantize(self, sums: Tensor, scale: Tensor, new_scale: Tensor, dtype: str = 'i8', *, zero_point: Tensor | None = None) -> Tensor:
        """Sums that stand for multiples of `scale` as multiples of `new_scale`."""
    def reshape(self, x: Tensor, shape: Sequence[Size]) -> Tensor:
        """One entry may be -1, what is left of the elements, if others are numbers; others may be what `dim` gives."""
    def resize(self, mode: ResizeMode, x: Tensor, axes: Sequence[int], size: Sequence[int] | None = None, *, scales: Sequence[float] | None = None, coordinates: ResizeCoordinates = ResizeCoordinates.HALF_PIXEL, rounding: NearestRounding = NearestRounding.ROUND_PREFER_FLOOR, cubic_coefficient: float = -0.75, exclude_outside: bool = False, antialias: bool = False, region: Sequence[float] | None = None) -> Tensor:
        """`axes` resampled, to `size` or by `scales`: a result element is made of those around its place in the input."""
    def resize_nearest2x(self, x: Tensor) -> Tensor:
        """Each pixel as a square of four: `result[n, c, i, j] = input[n, c, i // 2, j // 2]`."""
    def reverse(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """The entries of each of `axes` in reverse order. Any element type; an axis is named once."""
    def rfft(self, x: Tensor, norm: FftNorm = FftNorm.BY_N_ON_INVERSE) -> Tensor:
        """The first `N / 2 + 1` bins of the spectrum of a real signal: f32 `[.., N]` to c64 `[.., N / 2 + 1]`."""
    def rms_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, axis: int = -1, *, accumulate: str | None = None, flatten: bool = False) -> Tensor:
        """`x / sqrt(mean(x^2) + epsilon) * gamma + beta` over `axis`, the last by default. The mean is not subtracted. Beside
        an input of halves, gamma and beta may be f32."""
    def rms_norm_backward_beta(self, gradient: Tensor, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.rms_norm` by beta: the sum of `gradient` over all axes but `axis`."""
    def rms_norm_backward_gamma(self, x: Tensor, gradient: Tensor, epsilon: float = 1e-05, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.rms_norm` by gamma: `gradient * n` summed over all axes but `axis`, n the plain norm."""
    def rms_norm_backward_input(self, x: Tensor, gamma: Tensor, gradient: Tensor, epsilon: float = 1e-05, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of `rlx.rms_norm` by its input: with r the root of the mean square, `n = input / r` and
        `g = gradient * gamma`, `(g - n * mean(g * n)) / r`."""
    def rng_normal(self, shape: Sequence[Size], key: int | Tensor, mean: float = 0.0, deviation: float = 1.0, dtype: str = 'f32') -> Tensor:
        """Floats of a normal distribution."""
    def rng_uniform(self, shape: Sequence[Size], key: int | Tensor, low: float = 0.0, high: float = 1.0, dtype: str = 'f32') -> Tensor:
        """Floats spread evenly over `[low, high)`."""
    def rnn(self, x: Tensor, weight: Tensor, recurrence: Tensor, *, bias: Tensor | None = None, lengths: Tensor | None = None, initial_h: Tensor | None = None, direction: Direction = Direction.FORWARD, activation: RnnActivation = RnnActivation.TANH) -> tuple[Tensor, Tensor]:
        """`h = f(x W^T + h R^T + b)` for each step, f tanh or relu; shapes as the module says, G is 1."""
    def roll(self, x: Tensor, shifts: Sequence[int], axes: Sequence[int]) -> Tensor:
        """Each of `axes` turned by its shift: what was at entry i is at entry `(i + shift) mod dim`."""
    def rope(self, x: Tensor, cos: Tensor, sin: Tensor, *, axis: int, n_rot: int | None = None, style: RopeStyle = RopeStyle.NEOX, table: RopeTable = RopeTable.HALF) -> Tensor:
        """The rotary embedding of heads on the last axis, positions on `axis`; `n_rot` may turn less than a head."""
    def rope_backward(self, gradient: Tensor, cos: Tensor, sin: Tensor, *, axis: int, n_rot: int | None = None, style: RopeStyle = RopeStyle.NEOX, table: RopeTable = RopeTable.HALF) -> Tensor:
        """The gradient of `rope` by its input."""
    def sample(self, logits: Tensor, key: int | Tensor, *, top_k: int = 0, top_p: float = 1.0, temperature: float = 1.0, index: str = 'i64') -> Tensor:
        """A token for each row of logits, drawn from the greatest `top_k` and the likeliest that make up `top_p`."""
    def scaled_grouped_matmul(self, x: Tensor, weights: Tensor, indices: Tensor, x_scale: Tensor, weights_scale: Tensor, dtype: str = 'f32') -> Tensor:
        """Each row times the transposed matrix that its index picks, both of floats of 8 bits with scales:
        `result[.., n] = sum_k input[.., k] * weights[e, n, k] * input_scale[..] * weights_scale[e]` with `e = indices[..]`."""
    def scaled_matmul(self, lhs: Tensor, rhs: Tensor, lhs_scale: Tensor, rhs_scale: Tensor, dtype: str = 'f32') -> Tensor:
        """`(lhs * lhs_scale) @ (rhs * rhs_scale)^T`, both sides with K as their last axis."""
    def scaled_quant_scale(self, x: Tensor, dtype: str = 'f8e4m3fn') -> Tensor:
        """The scale that maps the largest magnitude of `input` to the largest 8-bit float: rank 0 f32, 1 for all zeros."""
    def scan(self, carried: Sequence[Tensor], scanned: Sequence[Tensor], body: Body, *, captures: Sequence[Tensor] = (), length: int | None = None, reverse: bool = False) -> tuple[Tensor, ...]:
        """`body` of the carried values and one entry of each scanned tensor, outputs stacked."""
    def scan_backward(self, gradients: Sequence[Tensor], states: Sequence[Tensor], body: Body, *, scanned: Sequence[Tensor] = (), output_gradients: Sequence[Tensor] = (), captures: Sequence[Tensor] = (), reverse: bool = False) -> tuple[Tensor, ...]:
        """The gradients of `scan` by the carried values it starts with, then the sums of what `body` yields beyond those.

        `gradients` are those by the carried values that it ends with, `states` the carried values that each round read,
        stacked. Body, the chain rule of one round, takes a gradient by each carried value, then one entry of each of
        `states`, `scanned` and `output_gradients`, then the captures."""
    def scan_backward_xs(self, gradients: Sequence[Tensor], states: Sequence[Tensor], body: Body, *, scanned: Sequence[Tensor] = (), output_gradients: Sequence[Tensor] = (), captures: Sequence[Tensor] = (), reverse: bool = False) -> tuple[Tensor, ...]:
        """The gradients of `scan` by the scanned tensors, which `body` yields beyond those by carried values."""
    def scatter_add(self, x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0) -> Tensor:
        """The input with each slice of `updates` added where its index points to: `rlx.gather` the other way."""
    def scatter_elements(self, x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: ScatterReduction = ScatterReduction.NONE) -> Tensor:
        """The input with each element of `updates` at its own place, but for `axis`, where its index says:
        `rlx.gather_elements` the other way."""
    def scatter_nd(self, x: Tensor, indices: Tensor, updates: Tensor, reduction: ScatterReduction = ScatterReduction.NONE) -> Tensor:
        """The input with slices of `updates` where index vectors say: `rlx.gather_nd` the other way."""
    def silu(self, x: Tensor) -> Tensor: ...
    def size(self, operator: str, a: Size, b: Size) -> SSAValue:
        """`a + b`, `a - b`, `a * b` or `a // b`, none of which is below 0."""
    def size_at(self, x: Tensor, *position: int) -> SSAValue:
        """An element of a tensor of integers as a size."""
    def sizes(self, sizes: Sequence[Size]) -> Tensor:
        """Sizes as a tensor `[n]` of i64."""
    def slice(self, x: Tensor, starts: Sequence[int], shape: Sequence[Size], steps: Sequence[int] | None = None) -> Tensor:
        """`shape` entries of each axis, from `starts` in `steps`."""
    def softmax(self, x: Tensor, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """`e^(x - max) / sum(e^(x - max))` over `axis`. A slice of -inf only gives NaN."""
    def softmax_cross_entropy(self, logits: Tensor, targets: Tensor, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """`-sum(targets * log(softmax(logits)))` over `axis`, which the result has not."""
    def softmax_cross_entropy_backward(self, logits: Tensor, targets: Tensor, gradient: Tensor, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """The gradient of either cross entropy by its logits: `(softmax(logits) * sum(targets) - targets) * gradient`."""
    def softmax_cross_entropy_with_logits(self, logits: Tensor, labels: Tensor, axis: int = -1, *, accumulate: str | None = None) -> Tensor:
        """`-log(softmax(logits))` at the class that a label names, for each label."""
    def sort(self, x: Tensor, axis: int = -1, *, descending: bool = False) -> Tensor:
        """The elements along `axis` in ascending order, or `descending`."""
    def spline_activation(self, x: Tensor, coefficients: Tensor, *, low: float = -1.0, high: float = 1.0, degree: int = 3) -> Tensor:
        """A spline for each channel: `y[.., c] = sum_i coefficients[c, i] * B_i(input[.., c])`."""
    def spline_activation_backward_coeff(self, x: Tensor, gradient: Tensor, *, intervals: int, low: float = -1.0, high: float = 1.0, degree: int = 3) -> Tensor:
        """The gradient of `rlx.spline_activation` by its coefficients: for channel c and i,
        `B_i(input[.., c]) * gradient[.., c]` summed over all dims but the last."""
    def spline_activation_backward_x(self, x: Tensor, coefficients: Tensor, gradient: Tensor, *, low: float = -1.0, high: float = 1.0, degree: int = 3) -> Tensor:
        """The gradient of `rlx.spline_activation` by its input: each channel's spline slope at `input` times `gradient`."""
    def sqrt(self, x: Tensor) -> Tensor: ...
    def stft(self, signal: Tensor, length: int, step: int, window: Tensor | None = None) -> Tensor:
        """The bins of each frame of f32 `[.., T]`, times `window` `[length]`: c64 `[.., frames, length / 2 + 1]`."""
    def stop_gradient(self, x: Tensor) -> Tensor:
        """The input itself, of any element type and shape; its gradient is zero."""
    def sum(self, x: Tensor, axes: Sequence[int], keep_dims: bool = False) -> Tensor: ...
    def svd(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """U, the singular values, and the transpose of V."""
    def swiglu_ffn(self, x: Tensor, up_w: Tensor, gate_w: Tensor, down_w: Tensor) -> Tensor:
        """`((x @ up_w) * silu(x @ gate_w)) @ down_w` in plain ops, the product with `up_w` first."""
    def tanh(self, x: Tensor) -> Tensor: ...
    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        """Each axis repeated as a whole: `numpy.tile` with one number for each axis."""
    def top_k(self, x: Tensor, k: int, axis: int = -1, *, smallest: bool = False, index: str = 'i64') -> tuple[Tensor, Tensor]:
        """The `k` greatest elements along `axis` in descending order, or the `smallest` in ascending order, and their indices."""
    def transform_region(self, x: Tensor, body: Body) -> Tensor:
        """A chain of resizes as one op."""
    def transpose(self, x: Tensor, permutation: Sequence[int]) -> Tensor:
        """Dim i of the result is dim `permutation[i]` of the input."""
    def triangular_solve(self, matrix: Tensor, rhs: Tensor, triangle: Triangle = Triangle.LOWER, *, transpose: bool = False) -> Tensor:
        """The solution of `triangle(matrix) @ result = rhs`, or of `triangle(matrix)^T @ result = rhs` with `transpose`."""
    def trilu(self, part: Triangle, x: Tensor, diagonal: int = 0) -> Tensor:
        """The `upper` or the `lower` triangle of the matrices on the last two axes, zero elsewhere."""
    def welch_peaks(self, spectrum: Tensor, *, k: int, n_segments: int) -> Tensor:
        """The `k` strongest bins of the mean power of `n_segments` consecutive spectra, as pairs of bin number and power."""
    def where(self, condition: Tensor, on_true: Tensor | Number, on_false: Tensor | Number) -> Tensor: ...
    def while_loop(self, carried: Sequence[Tensor], condition: Body, body: Body, *, captures: Sequence[Tensor] = (), max_iterations: int | None = None) -> tuple[Tensor, ...]:
        """`body` of the carried values while `condition` of them holds."""
    def zeros(self, shape: Sequence[int], dtype: str = 'f32') -> Tensor: ...
