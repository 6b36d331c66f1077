"""A small program for each reduction, sort, product and transform."""

from __future__ import annotations

from torch_cases import COUNTS, INTS, ODD, TRUTHS, OpCase, V, X, Y, Z, floats, integers
from torch_oracle import torch

nn, F = torch.nn, torch.nn.functional

REDUCTION = [
    *(
        OpCase(
            f"{name}_{axes}_{keep}",
            "",
            lambda x, name=name, axes=axes, keep=keep: getattr(torch, name)(x, axes, keep),
            [floats(2, 3, 4)],
        )
        for name in ("sum", "mean", "amax", "amin")
        for axes, keep in (((1,), False), ((0, -1), True), ((0, 1, 2), False))
    ),
    *(OpCase(name, "", getattr(torch, name), [X]) for name in ("sum", "mean", "amax", "amin", "max", "min", "prod")),
    OpCase("sum_of_integers", "aten.sum.dim_IntList", lambda x: x.sum(1), [INTS.int()]),
    OpCase("sum_of_bool", "aten.sum.dim_IntList", lambda x: x.sum(0), [TRUTHS]),
    OpCase("sum_to_f64", "aten.sum.dim_IntList", lambda x: x.sum(1, dtype=torch.float64), [X]),
    OpCase("mean_of_half", "aten.mean.dim", lambda x: x.mean(1), [X.half()]),
    OpCase("sum_of_scalar", "aten.sum.default", lambda x: x.sum(), [torch.tensor(2.5)]),
    OpCase("prod_dim", "aten.prod.dim_int", lambda x: x.prod(1, keepdim=True), [X]),
    OpCase("prod_of_integers", "aten.prod.dim_int", lambda x: x.prod(1), [COUNTS.int()]),
    OpCase("any", "aten.any.default", torch.any, [TRUTHS]),
    OpCase("any_dim", "aten.any.dim", lambda x: x.any(1), [INTS]),
    OpCase("all_dim", "aten.all.dim", lambda x: x.all(0, keepdim=True), [X]),
    OpCase("all", "", torch.all, [TRUTHS]),
    OpCase("max_dim", "aten.max.dim", lambda x: tuple(torch.max(x, 1)), [X]),
    OpCase("min_dim", "aten.min.dim", lambda x: tuple(torch.min(x, 0, keepdim=True)), [X]),
    OpCase("max_dim_nan", "aten.max.dim", lambda x: tuple(torch.max(x, 0)), [ODD]),
    OpCase("argmax", "aten.argmax.default", torch.argmax, [X]),
    OpCase("argmax_keep", "aten.argmax.default", lambda x: torch.argmax(x, keepdim=True), [X]),
    OpCase("argmax_dim", "aten.argmax.default", lambda x: x.argmax(1), [X]),
    OpCase("argmin_dim", "aten.argmin.default", lambda x: x.argmin(0, keepdim=True), [X]),
    OpCase("var", "aten.var.dim", lambda x: x.var(1), [X]),
    OpCase("var_population", "aten.var.dim", lambda x: x.var((0, 1), unbiased=False, keepdim=True), [X]),
    OpCase("std", "aten.var.correction", lambda x: x.std(-1), [X]),
    OpCase("std_mean", "aten.var_mean.correction", lambda x: torch.std_mean(x, 1), [X]),
    OpCase("var_mean", "aten.var_mean.correction", lambda x: torch.var_mean(x, 0, correction=2, keepdim=True), [X]),
    OpCase("logsumexp", "aten.logsumexp.default", lambda x: torch.logsumexp(x, (0, 1)), [X]),
    OpCase("logsumexp_keep", "aten.logsumexp.default", lambda x: torch.logsumexp(x, 1, keepdim=True), [X]),
    OpCase("norm_2", "aten.sum.dim_IntList", lambda x: x.norm(dim=1), [X]),
    OpCase("norm_1", "aten.abs.default", lambda x: torch.linalg.vector_norm(x, 1, dim=0), [X]),
    OpCase("normalize", "aten.clamp_min.default", lambda x: F.normalize(x, dim=-1), [X]),
    OpCase("cosine_similarity", "aten.mul.Tensor", lambda x, y: F.cosine_similarity(x, y, dim=1), [X, Y]),
    OpCase("cumsum", "aten.cumsum.default", lambda x: x.cumsum(1), [X]),
    OpCase("cumsum_of_bool", "aten.cumsum.default", lambda x: x.cumsum(0), [TRUTHS]),
    OpCase("cumprod", "aten.cumprod.default", lambda x: x.cumprod(-1), [X]),
    OpCase("cummax", "aten.cummax.default", lambda x: torch.cummax(x, 1)[0], [X]),
    OpCase("count_nonzero", "aten.ne.Scalar", lambda x: torch.count_nonzero(x, 1), [INTS]),
    OpCase("sort", "aten.sort.default", lambda x: tuple(x.sort(1)), [X]),
    OpCase(
        "sort_descending",
        "aten.sort.stable",
        lambda x: tuple(torch.sort(x, dim=0, descending=True, stable=True)),
        [INTS],
    ),
    OpCase("argsort", "aten.argsort.stable", lambda x: torch.argsort(x, dim=1, stable=True), [X]),
    OpCase("histc", "aten.histc.default", lambda x: torch.histc(x, 5, -1, 2), [X]),
    OpCase("histc_of_all", "aten.histc.default", lambda x: torch.histc(x, bins=4), [X]),
    OpCase("histc_of_one", "aten.histc.default", lambda x: torch.histc(x, 4, 1, 1), [torch.tensor([2.0, 2.0, 2.0])]),
    OpCase("topk", "aten.topk.default", lambda x: tuple(x.topk(3, 1)), [X]),
    OpCase("topk_smallest", "aten.topk.default", lambda x: tuple(x.topk(2, 0, largest=False)), [X]),
    OpCase("cross_entropy", "aten._log_softmax.default", F.cross_entropy, [X, integers(3, low=0, high=5)]),
    OpCase("mse_loss", "aten.mean.default", F.mse_loss, [X, Y]),
]

W = floats(5, 4, name="w")

HALF, MATRICES = floats(6, 16).bfloat16(), floats(3, 16, 8).bfloat16()
ENDS = torch.tensor([2, 2, 6], dtype=torch.int32)

CONTRACTION = [
    OpCase("mm", "aten.mm.default", torch.mm, [X, W]),
    OpCase("bmm", "aten.bmm.default", torch.bmm, [V, floats(2, 4, 5)]),
    OpCase("matmul", "aten.matmul.default", torch.matmul, [floats(2, 1, 3, 5), floats(3, 5, 4)]),
    OpCase("matmul_vector", "aten.matmul.default", torch.matmul, [floats(2, 3, 5), floats(5)]),
    OpCase("matmul_from_vector", "aten.matmul.default", torch.matmul, [floats(5), floats(2, 5, 3)]),
    OpCase("matmul_vectors", "aten.matmul.default", torch.matmul, [floats(5), floats(5, name="y")]),
    OpCase("f23_grouped_rows", "aten._grouped_mm.default", torch._grouped_mm, [HALF, MATRICES, ENDS], 2e-2),
    OpCase(
        "f23_grouped_columns",
        "aten._grouped_mm.default",
        torch._grouped_mm,
        [MATRICES.transpose(1, 2), HALF.t(), ENDS],
        2e-2,
    ),
    OpCase(
        "f23_grouped_summands",
        "aten._grouped_mm.default",
        torch._grouped_mm,
        [floats(16, 8, name="h").bfloat16(), floats(8, 16).bfloat16(), torch.tensor([3, 3, 8], dtype=torch.int32)],
        2e-2,
    ),
    OpCase(
        "f23_grouped_all", "aten._grouped_mm.default", torch._grouped_mm, [MATRICES, MATRICES.transpose(1, 2)], 2e-2
    ),
    OpCase("mv", "aten.mv.default", torch.mv, [X, floats(5)]),
    OpCase("dot", "aten.dot.default", torch.dot, [floats(5), floats(5, name="y")]),
    OpCase("outer", "aten.mul.Tensor", torch.outer, [floats(5), floats(3)]),
    OpCase("linear", "aten.linear.default", F.linear, [V, floats(6, 4), floats(6)]),
    OpCase("linear_vector", "aten.linear.default", F.linear, [floats(4), floats(6, 4), floats(6)]),
    OpCase("linear_half", "aten.linear.default", F.linear, [V.half(), floats(6, 4).half(), floats(6).half()], 1e-2),
    OpCase(
        "linear_bf16",
        "aten.linear.default",
        F.linear,
        [V.bfloat16(), floats(6, 4).bfloat16(), floats(6).bfloat16()],
        5e-2,
    ),
    OpCase("linear_f64", "aten.linear.default", F.linear, [V.double(), floats(6, 4).double(), floats(6).double()]),
    OpCase("addmm", "aten.addmm.default", lambda b, x, w: torch.addmm(b, x, w, beta=0.5, alpha=2), [floats(4), X, W]),
    OpCase("addmm_plain", "aten.addmm.default", torch.addmm, [floats(4), X, W]),
    OpCase(
        "baddbmm",
        "aten.baddbmm.default",
        lambda b, x, w: torch.baddbmm(b, x, w, beta=0, alpha=0.5),
        [floats(2, 3, 5), V, floats(2, 4, 5)],
    ),
    OpCase("addbmm", "aten.addbmm.default", torch.addbmm, [floats(3, 5), V, floats(2, 4, 5)], 1e-5),
    OpCase("addmv", "aten.addmv.default", torch.addmv, [floats(3), X, floats(5)]),
    OpCase("einsum", "aten.bmm.default", lambda x, y: torch.einsum("bij,bkj->bik", x, y), [V, floats(2, 5, 4)]),
    OpCase(
        "einsum_heads",
        "aten.bmm.default",
        lambda x, y: torch.einsum("bshd,bthd->bhst", x, y),
        [floats(2, 3, 2, 4), floats(2, 5, 2, 4)],
    ),
    OpCase(
        "tensordot", "aten.mm.default", lambda x, y: torch.tensordot(x, y, dims=([0, 2], [0, 1])), [V, floats(2, 4, 5)]
    ),
    OpCase("kron", "aten.mul.Tensor", torch.kron, [floats(2, 3), floats(3, 2)]),
    *(
        OpCase(
            f"cdist_{p}", "aten._cdist_forward.default", lambda x, y, p=p: torch.cdist(x, y, p), [X, floats(4, 5)], 1e-5
        )
        for p in (2.0, 1.0, 3.0, float("inf"))
    ),
    OpCase("mm_integers", "aten.mm.default", torch.mm, [INTS, integers(5, 4)]),
]

SPECTRAL = [
    OpCase("complex", "aten.complex.default", lambda x, y: torch.complex(x, y) * torch.complex(y, x), [X, Y]),
    OpCase("complex_div", "aten.div.Tensor", lambda z: z / (z + 2), [Z]),
    OpCase("complex_scalar", "aten.mul.Tensor", lambda z: z * 2j + 1, [Z]),
    OpCase("complex_abs", "aten.abs.default", torch.abs, [Z]),
    OpCase("complex_exp", "aten.exp.default", torch.exp, [Z]),
    OpCase("angle", "aten.angle.default", torch.angle, [Z]),
    OpCase("polar", "aten.polar.default", torch.polar, [X.abs(), Y]),
    OpCase("real_imag", "aten.view_as_real.default", lambda z: (z.real + 1, z.imag * 2), [Z]),
    OpCase("conj", "aten._conj.default", lambda z: z.conj() * z, [Z]),
    OpCase("view_as_real", "aten.view_as_real.default", lambda z: torch.view_as_real(z) + 1, [Z]),
    OpCase(
        "view_as_complex", "aten.view_as_complex.default", lambda x: torch.view_as_complex(x) * 1j, [floats(3, 4, 2)]
    ),
    OpCase("real_to_complex", "aten.mul.Tensor", lambda z, x: z * x, [Z, floats(3, 4)]),
    *(
        OpCase(
            f"rfft_{norm}",
            "aten._fft_r2c.default",
            lambda x, norm=norm: torch.fft.rfft(x, norm=norm),
            [floats(3, 7)],
            1e-5,
        )
        for norm in ("backward", "ortho", "forward")
    ),
    *(
        OpCase(
            f"irfft_{norm}", "aten._fft_c2r.default", lambda z, norm=norm: torch.fft.irfft(z, 7, norm=norm), [Z], 1e-5
        )
        for norm in ("backward", "ortho", "forward")
    ),
    *(
        OpCase(f"fft_{norm}", "aten._fft_c2c.default", lambda z, norm=norm: torch.fft.fft(z, norm=norm), [Z], 1e-5)
        for norm in ("backward", "ortho", "forward")
    ),
    OpCase("ifft", "aten._fft_c2c.default", lambda z: torch.fft.ifft(z, dim=0), [Z], 1e-5),
    OpCase("fft2", "aten._fft_c2c.default", torch.fft.fft2, [Z], 1e-5),
    OpCase("rfft2", "aten._fft_r2c.default", torch.fft.rfft2, [floats(2, 3, 6)], 1e-5),
    OpCase("irfft2", "aten._fft_c2r.default", torch.fft.irfft2, [torch.fft.rfft2(floats(3, 6))], 1e-5),
    OpCase("fft_of_real", "aten._fft_r2c.default", torch.fft.fft, [floats(3, 5)], 1e-5),
]
