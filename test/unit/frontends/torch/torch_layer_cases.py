"""A small program for each layer."""

from __future__ import annotations

from typing import Any

from torch_cases import GAIN, IMAGE, OpCase, V, floats, truths
from torch_oracle import torch

nn, F = torch.nn, torch.nn.functional

WINDOWS = [
    OpCase(
        "conv1d",
        "aten.convolution.default",
        lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1),
        [floats(2, 3, 9), floats(4, 3, 3), floats(4)],
        1e-5,
    ),
    OpCase(
        "conv2d",
        "aten.convolution.default",
        lambda x, w, b: F.conv2d(x, w, b, (2, 1), (1, 0), (1, 2)),
        [IMAGE, floats(4, 6, 3, 3), floats(4)],
        2e-5,
    ),
    OpCase(
        "conv2d_groups",
        "aten.convolution.default",
        lambda x, w: F.conv2d(x, w, groups=3),
        [IMAGE, floats(9, 2, 3, 2)],
        1e-5,
    ),
    OpCase(
        "conv2d_same",
        "aten.convolution.default",
        lambda x, w: F.conv2d(x, w, padding="same"),
        [IMAGE, floats(4, 6, 3, 5)],
        2e-5,
    ),
    OpCase(
        "conv2d_unbatched",
        "aten.convolution.default",
        lambda x, w: F.conv2d(x, w),
        [IMAGE[0], floats(4, 6, 3, 2)],
        1e-5,
    ),
    OpCase(
        "conv3d",
        "aten.convolution.default",
        lambda x, w, b: F.conv3d(x, w, b, padding=1),
        [floats(1, 2, 3, 4, 5), floats(3, 2, 2, 3, 3), floats(3)],
        1e-5,
    ),
    OpCase(
        "conv_transpose1d",
        "aten.convolution.default",
        lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2, padding=1, output_padding=1),
        [floats(2, 3, 5), floats(3, 4, 3), floats(4)],
        1e-5,
    ),
    OpCase(
        "conv_transpose2d",
        "aten.convolution.default",
        lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2, dilation=2),
        [IMAGE, floats(6, 2, 3, 2)],
        1e-5,
    ),
    OpCase(
        "conv_transpose3d",
        "aten.convolution.default",
        lambda x, w: F.conv_transpose3d(x, w),
        [floats(1, 2, 3, 4, 2), floats(2, 3, 2, 2, 2)],
        1e-5,
    ),
    OpCase("max_pool1d", "aten.max_pool1d.default", lambda x: F.max_pool1d(x, 3, 2, 1), [floats(2, 3, 9)]),
    OpCase("max_pool2d", "aten.max_pool2d.default", lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 0)), [IMAGE]),
    OpCase("max_pool2d_ceil", "aten.max_pool2d.default", lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), [IMAGE]),
    OpCase("max_pool2d_dilation", "aten.max_pool2d.default", lambda x: F.max_pool2d(x, 2, 1, dilation=2), [IMAGE[0]]),
    OpCase("max_pool3d", "aten.max_pool3d.default", lambda x: F.max_pool3d(x, 2), [floats(1, 2, 4, 5, 6)]),
    OpCase("avg_pool1d", "aten.avg_pool1d.default", lambda x: F.avg_pool1d(x, 3, 2, 1), [floats(2, 3, 9)]),
    OpCase("avg_pool2d", "aten.avg_pool2d.default", lambda x: F.avg_pool2d(x, 3, 2, 1), [IMAGE]),
    OpCase(
        "avg_pool2d_no_pad",
        "aten.avg_pool2d.default",
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        [IMAGE],
    ),
    OpCase(
        "avg_pool2d_ceil", "aten.avg_pool2d.default", lambda x: F.avg_pool2d(x, (2, 3), 2, 1, ceil_mode=True), [IMAGE]
    ),
    OpCase(
        "avg_pool2d_divisor", "aten.avg_pool2d.default", lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5), [IMAGE]
    ),
    OpCase("avg_pool3d", "aten.avg_pool3d.default", lambda x: F.avg_pool3d(x, 2), [floats(1, 2, 4, 5, 6)]),
    OpCase(
        "adaptive_avg_pool1d",
        "aten.adaptive_avg_pool1d.default",
        lambda x: F.adaptive_avg_pool1d(x, 4),
        [floats(2, 3, 9)],
    ),
    OpCase(
        "adaptive_avg_pool2d", "aten.adaptive_avg_pool2d.default", lambda x: F.adaptive_avg_pool2d(x, (3, 4)), [IMAGE]
    ),
    OpCase(
        "adaptive_avg_pool2d_whole", "aten.adaptive_avg_pool2d.default", lambda x: F.adaptive_avg_pool2d(x, 1), [IMAGE]
    ),
    OpCase(
        "adaptive_avg_pool2d_even",
        "aten.adaptive_avg_pool2d.default",
        lambda x: F.adaptive_avg_pool2d(x, (7, 4)),
        [IMAGE],
    ),
    OpCase(
        "adaptive_avg_pool3d",
        "aten.adaptive_avg_pool3d.default",
        lambda x: F.adaptive_avg_pool3d(x, (2, 3, 3)),
        [floats(1, 2, 4, 5, 6)],
    ),
    OpCase(
        "adaptive_max_pool2d", "aten.adaptive_max_pool2d.default", lambda x: F.adaptive_max_pool2d(x, (3, 4)), [IMAGE]
    ),
    OpCase("lp_pool", "aten.avg_pool2d.default", lambda x: F.lp_pool2d(x, 2, 2), [IMAGE], 1e-5),
    *(
        OpCase(
            f"interpolate_{mode}_{kind}",
            f"aten.{op}.vec",
            lambda x, mode=mode, options=options: F.interpolate(x, mode=mode, **options),
            [shape],
            1e-5,
        )
        for mode, op, shape in (
            ("nearest", "upsample_nearest1d", floats(2, 3, 5)),
            ("nearest", "upsample_nearest2d", IMAGE),
            ("nearest", "upsample_nearest3d", floats(1, 2, 2, 3, 4)),
            ("nearest-exact", "_upsample_nearest_exact2d", IMAGE),
            ("linear", "upsample_linear1d", floats(2, 3, 5)),
            ("bilinear", "upsample_bilinear2d", IMAGE),
            ("trilinear", "upsample_trilinear3d", floats(1, 2, 2, 3, 4)),
            ("bicubic", "upsample_bicubic2d", IMAGE),
        )
        for kind, options in (
            ("twice", {"scale_factor": 2}),
            ("scale", {"scale_factor": 1.5}),
            ("size", {"size": (5, 9, 7)[: shape.ndim - 2]}),
        )
    ),
    OpCase(
        "interpolate_corners",
        "aten.upsample_bilinear2d.vec",
        lambda x: F.interpolate(x, size=(5, 11), mode="bilinear", align_corners=True),
        [IMAGE],
        1e-5,
    ),
    OpCase(
        "interpolate_antialias",
        "aten._upsample_bilinear2d_aa.vec",
        lambda x: F.interpolate(x, size=(3, 5), mode="bilinear", antialias=True),
        [IMAGE],
        1e-5,
    ),
    OpCase(
        "interpolate_cubic_antialias",
        "aten._upsample_bicubic2d_aa.vec",
        lambda x: F.interpolate(x, size=(3, 5), mode="bicubic", antialias=True),
        [IMAGE],
        1e-5,
    ),
    OpCase(
        "grid_sample",
        "",
        lambda x, g: F.grid_sample(x, g, align_corners=False),
        [IMAGE, floats(2, 3, 4, 2, low=-0.9, high=0.9)],
        1e-4,
    ),
    OpCase("fold", "aten._unsafe_index_put.default", lambda x: F.fold(x, (4, 5), (2, 2)), [floats(1, 8, 12)], 1e-5),
]

NORMS = [
    OpCase(
        "layer_norm",
        "aten.layer_norm.default",
        lambda x, g, b: F.layer_norm(x, (4,), g, b),
        [V, floats(4), floats(4, name="b")],
        1e-5,
    ),
    OpCase("layer_norm_plain", "aten.layer_norm.default", lambda x: F.layer_norm(x, (4,)), [V], 1e-5),
    OpCase(
        "layer_norm_two",
        "aten.layer_norm.default",
        lambda x, g: F.layer_norm(x, (3, 4), g, eps=1e-3),
        [V, floats(3, 4)],
        1e-5,
    ),
    OpCase(
        "layer_norm_half",
        "aten.layer_norm.default",
        lambda x, g, b: F.layer_norm(x, (4,), g, b),
        [V.half(), floats(4).half(), floats(4, name="b").half()],
        1e-2,
    ),
    OpCase("rms_norm", "aten.rms_norm.default", lambda x, g: F.rms_norm(x, (4,), g, 1e-6), [V, floats(4)], 1e-5),
    OpCase("rms_norm_plain", "aten.rms_norm.default", lambda x: F.rms_norm(x * 1e-3, (3, 4)), [V], 1e-5),
    OpCase("rms_norm_half", "aten.rms_norm.default", lambda x: F.rms_norm(x * 1e-2, (4,)), [V.half()], 1e-2),
    OpCase(
        "group_norm", "aten.group_norm.default", lambda x, g, b: F.group_norm(x, 3, g, b), [IMAGE, GAIN, GAIN + 1], 1e-5
    ),
    OpCase("group_norm_plain", "aten.group_norm.default", lambda x: F.group_norm(x, 2), [IMAGE], 1e-5),
    OpCase(
        "instance_norm", "aten.instance_norm.default", lambda x, g: F.instance_norm(x, weight=g), [IMAGE, GAIN], 1e-5
    ),
    OpCase(
        "batch_norm",
        "aten._native_batch_norm_legit_no_training.default",
        lambda x, m, v, g, b: F.batch_norm(x, m, v, g, b),
        [IMAGE, GAIN, GAIN.abs() + 0.1, GAIN - 1, GAIN + 1],
        1e-5,
    ),
    OpCase(
        "batch_norm_rows",
        "aten._native_batch_norm_legit_no_training.default",
        lambda x, m, v: F.batch_norm(x, m, v),
        [floats(4, 6), GAIN, GAIN.abs() + 0.1],
        1e-5,
    ),
    OpCase(
        "batch_norm_of_batch",
        "aten._native_batch_norm_legit.no_stats",
        lambda x, g: F.batch_norm(x, None, None, g, training=True),
        [IMAGE, GAIN],
        1e-5,
    ),
    OpCase("local_response_norm", "aten.div.Tensor", lambda x: F.local_response_norm(x, 3), [IMAGE], 1e-5),
    OpCase("softmax", "aten._softmax.default", lambda x: x.softmax(1), [V]),
    OpCase("softmax_to_f32", "aten._softmax.default", lambda x: x.softmax(-1, dtype=torch.float32), [V.half()]),
    OpCase("softmin", "aten._softmax.default", lambda x: F.softmin(x, 0), [V]),
    OpCase("log_softmax", "aten._log_softmax.default", lambda x: x.log_softmax(-1), [V]),
]


def heads(*shape: int, name: str) -> Any:
    return floats(*shape, name=name, low=-1, high=1)


Q, K, VALUE = heads(2, 4, 3, 8, name="q"), heads(2, 4, 5, 8, name="k"), heads(2, 4, 5, 6, name="v")
sdpa = F.scaled_dot_product_attention

ATTENTION = [
    OpCase("sdpa", "aten.scaled_dot_product_attention.default", sdpa, [Q, K, VALUE]),
    OpCase(
        "sdpa_scale",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v, scale=0.3),
        [Q, K, VALUE],
    ),
    OpCase(
        "sdpa_causal",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v, is_causal=True),
        [Q, K, VALUE],
    ),
    OpCase(
        "sdpa_bias",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, floats(4, 3, 5)],
    ),
    OpCase(
        "sdpa_mask",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, truths(2, 1, 3, 5)],
    ),
    OpCase(
        "sdpa_keys",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, torch.tensor([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0]]).bool()[:, None, None]],
    ),
    OpCase(
        "sdpa_keys_shared",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q, K, VALUE, torch.tensor([[True, True, False, True, False]])],
    ),
    OpCase(
        "sdpa_groups",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v, enable_gqa=True),
        [Q, K[:, :2], VALUE[:, :2]],
    ),
    OpCase(
        "sdpa_rank3",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v, m: sdpa(q, k, v, m),
        [Q[0], K[0], VALUE[0], truths(4, 3, 5)],
    ),
    OpCase("sdpa_rank2", "aten.scaled_dot_product_attention.default", sdpa, [Q[0, 0], K[0, 0], VALUE[0, 0]]),
    OpCase(
        "sdpa_rank5",
        "aten.scaled_dot_product_attention.default",
        lambda q, k, v: sdpa(q, k, v),
        [Q[None], K[None], VALUE[None]],
    ),
    OpCase("sdpa_half", "aten.scaled_dot_product_attention.default", sdpa, [Q.half(), K.half(), VALUE.half()], 5e-3),
]


def recurrent(kind: str, x: Any = None, **options: Any) -> OpCase:
    torch.manual_seed(7)
    layer = getattr(nn, kind)(5, 4, **options)
    shape = f"{kind.lower()}{''.join(f'_{key}' for key in options)}"
    target = f"aten.{kind.lower()}{'_' + options.get('nonlinearity', 'tanh') if kind == 'RNN' else ''}.input"
    return OpCase(shape, target, layer, [floats(6, 2, 5)])


RECURRENT = [
    recurrent("LSTM"),
    recurrent("LSTM", batch_first=True, num_layers=2, bidirectional=True),
    recurrent("LSTM", bias=False),
    recurrent("GRU"),
    recurrent("GRU", num_layers=2, bidirectional=True),
    recurrent("GRU", batch_first=True, bias=False),
    recurrent("RNN"),
    recurrent("RNN", nonlinearity="relu"),
]
