"""Functions that cover every op and kind, for comparing compiled MLX programs with the reference."""

from collections.abc import Iterator

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind

FLOATS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui32")
ON_INTEGERS = (Activation.NEG, Activation.ABS, Activation.SIGN, Activation.RELU)


def function(name: str, arguments: list[str], results: list[str], *body: str) -> str:
    """A function of `%a0, %a1, ...` whose body defines `%r0, %r1, ...`."""
    parameters = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(arguments))
    values = ", ".join(f"%r{i}" for i in range(len(results)))
    lines = "".join(f"  {line}\n" for line in body)
    return (
        f"func.func @{name}({parameters}) -> ({', '.join(results)}) {{\n{lines}  func.return {values} : "
        f"{', '.join(results)}\n}}\n"
    )


def one(name: str, op: str, arguments: list[str], result: str) -> str:
    """A function of one op, whose text is `op` with its functional type left out."""
    return function(name, arguments, [result], f"%r0 = {op} : ({', '.join(arguments)}) -> {result}")


def elementwise() -> Iterator[str]:
    for d in FLOATS:
        t = f"tensor<67x{d}>"
        for kind in Activation:
            yield function(f"activation_{kind}_{d}", [t], [t], f"%r0 = rlx.activation {kind} %a0 : {t}")
        for op in ("erfc", "log1p", "expm1"):
            yield function(f"{op}_{d}", [t], [t], f"%r0 = rlx.{op} %a0 : {t}")
        yield function(f"is_finite_{d}", [t], ["tensor<67xi1>"], f"%r0 = rlx.is_finite %a0 : {t} -> tensor<67xi1>")
    for d in INTEGERS:
        t = f"tensor<67x{d}>"
        for kind in ON_INTEGERS:
            yield function(f"activation_{kind}_{d}", [t], [t], f"%r0 = rlx.activation {kind} %a0 : {t}")
    for d in (*FLOATS, *INTEGERS, "i1"):
        integer = d not in FLOATS
        lhs, rhs, out = f"tensor<67x1x{d}>", f"tensor<67x{d}>", f"tensor<67x67x{d}>"
        for kind in BinaryKind:
            only_integers = kind in ("bit_and", "bit_or", "bit_xor", "shl", "shr")
            # NumPy has no remainder of truth values.
            if (d == "i1" and kind == "mod") or (kind == "atan2" and integer):
                continue
            if only_integers and not integer:
                continue
            yield one(f"binary_{kind}_{d}", f"rlx.binary {kind} %a0, %a1", [lhs, rhs], out)
        for kind in CompareKind:
            yield one(f"compare_{kind}_{d}", f"rlx.compare {kind} %a0, %a1", [lhs, rhs], "tensor<67x67xi1>")
        yield one(f"where_{d}", "rlx.where %a0, %a1, %a2", ["tensor<67xi1>", lhs, f"tensor<{d}>"], out)
    b = "tensor<67xi1>"
    yield function("logical_not", [b], [b], f"%r0 = rlx.logical_not %a0 : {b}")
    for source in (*FLOATS, "i8", "i32", "i64", "ui8", "i1"):
        for target in (*FLOATS, "i8", "i32", "i64", "ui8", "i1"):
            a, r = f"tensor<9x{source}>", f"tensor<9x{target}>"
            yield function(f"cast_{source}_{target}", [a], [r], f"%r0 = rlx.cast %a0 : {a} -> {r}")


def contractions() -> Iterator[str]:
    for d in (*FLOATS, *INTEGERS, "i1"):
        yield one(
            f"matmul_{d}", "rlx.matmul %a0, %a1", [f"tensor<2x1x3x5x{d}>", f"tensor<4x5x6x{d}>"], f"tensor<2x4x3x6x{d}>"
        )
        for name, text, lhs, rhs, out in (
            ("plain", "contracting([1] x [0])", "3x4", "4x5", "3x5"),
            ("batch", "contracting([1] x [2]) batch([2] x [0])", "3x4x2", "2x5x4", "2x3x5"),
            ("two", "contracting([0, 2] x [2, 1]) batch([1] x [3])", "3x2x4", "6x4x3x2", "2x6"),
            ("outer", "contracting([] x [])", "3x2", "4", "3x2x4"),
            ("inner", "contracting([0] x [0])", "7", "7", ""),
            ("empty", "contracting([1] x [0])", "3x0", "0x5", "3x5"),
        ):
            types = [f"tensor<{dims}x{d}>" for dims in (lhs, rhs)]
            result = f"tensor<{out}x{d}>" if out else f"tensor<{d}>"
            attributes = text.replace("[", "array<i64: ").replace("]", ">").replace("array<i64: >", "array<i64>")
            yield one(f"dot_{name}_{d}", f"rlx.dot_general %a0, %a1 {_lists(attributes)}", types, result)
        for index, rows in (("i32", "2x3x"), ("i64", ""), ("ui8", "0x")):
            types = [f"tensor<{rows}5x{d}>", f"tensor<3x5x4x{d}>", f"tensor<{rows}{index}>"]
            if d != "i1":
                yield one(f"grouped_{d}_{index}", "rlx.grouped_matmul %a0, %a1, %a2", types, f"tensor<{rows}4x{d}>")
    f16 = ["tensor<3x5xf16>", "tensor<5x6xf16>"]
    yield one("matmul_accumulate_f64", "rlx.matmul %a0, %a1 accumulate(f64)", f16, "tensor<3x6xf16>")
    f32 = ["tensor<3x5xf32>", "tensor<5x6xf32>"]
    yield one("matmul_accumulate_f16", "rlx.matmul %a0, %a1 accumulate(f16)", f32, "tensor<3x6xf32>")


def _lists(text: str) -> str:
    """The assembly of integer lists, as the dialect prints them."""
    return text.replace("array<i64: ", "[").replace("array<i64>", "[]").replace(">", "]")


def normalizations() -> Iterator[str]:
    for d in FLOATS:
        for axis, dims, size in ((-1, "3x8", 8), (1, "3x8x5", 8), (0, "6", 6), (-1, "2x0", 0), (-1, "0x4", 4)):
            x, v = f"tensor<{dims}x{d}>", f"tensor<{size}x{d}>"
            name = f"{dims}_{d}_{axis % 3}"
            for op in ("layer_norm", "rms_norm") if size else ():
                text = f"rlx.{op} %a0, %a1, %a2 epsilon(1.0e-5) axis({axis})"
                yield one(f"{op}_{name}", text, [x, v, v], x)
            yield function(f"softmax_{name}", [x], [x], f"%r0 = rlx.softmax %a0 axis({axis}) : {x}")
    x, v = "tensor<3x8xf32>", "tensor<8xf32>"
    wide = "rlx.layer_norm %a0, %a1, %a2 epsilon(1.0e-5) accumulate(f64)"
    yield one("layer_norm_accumulate", wide, [x, v, v], x)
    yield function("softmax_accumulate", [x], [x], f"%r0 = rlx.softmax %a0 accumulate(f64) : {x}")
    yield function(
        "rms_norm_without_beta",
        [x, v],
        [x],
        f"%b = arith.constant dense<0.0> : {v}",
        f"%r0 = rlx.rms_norm %a0, %a1, %b epsilon(1.0e-5) : ({x}, {v}, {v}) -> {x}",
    )


def reductions() -> Iterator[str]:
    for d in (*FLOATS, *INTEGERS, "i1"):
        for kind in ReduceKind:
            if (kind in ("any", "all")) != (d == "i1") and (d != "i1" or kind == "mean"):
                continue
            if kind == "mean" and d not in FLOATS:
                continue
            for dims, axes, out, keep in (
                ("3x8x5", "1", "3x5", False),
                ("3x8x5", "0, -1", "1x8x1", True),
                ("3x8x5", "0, 1, 2", "", False),
                ("3x8", "", "3x8", False),
                ("0x4", "0", "4", False),
                ("3x0", "1", "3x1", True),
            ):
                x = f"tensor<{dims}x{d}>"
                r = f"tensor<{out}x{d}>" if out else f"tensor<{d}>"
                name = f"reduce_{kind}_{d}_{dims}_{axes.replace(', ', '_').replace('-', 'n')}"
                lists = f"array<i64: {axes}>" if axes else "array<i64>"
                kept = " keep_dims" if keep else ""
                yield function(name, [x], [r], f"%r0 = rlx.reduce {kind} %a0 axes {_lists(lists)}{kept} : {x} -> {r}")


def shapes() -> Iterator[str]:
    for d in ("f32", "bf16", "i64", "i1"):
        x = f"tensor<2x3x4x{d}>"

        def to(dims: str, d: str = d) -> str:
            return f"tensor<{dims}x{d}>"

        yield function(f"reshape_{d}", [x], [to("6x4")], f"%r0 = rlx.reshape %a0 : {x} -> {to('6x4')}")
        yield function(
            f"expand_{d}", [to("3x1")], [to("2x3x4")], f"%r0 = rlx.expand %a0 : {to('3x1')} -> {to('2x3x4')}"
        )
        yield function(
            f"transpose_{d}", [x], [to("4x2x3")], f"%r0 = rlx.transpose %a0 [2, 0, 1] : {x} -> {to('4x2x3')}"
        )
        yield function(
            f"narrow_{d}",
            [x],
            [to("2x2x4")],
            f"%r0 = rlx.narrow %a0 axis(-2) start(1) length(2) : {x} -> {to('2x2x4')}",
        )
        yield one(f"concat_{d}", "rlx.concat %a0, %a1, %a2 axis(-1)", [x, to("2x3x1"), x], to("2x3x9"))
        for index in ("i32", "i64", "ui8"):
            yield one(f"gather_{d}_{index}", "rlx.gather %a0, %a1 axis(1)", [x, f"tensor<5x1x{index}>"], to("2x5x1x4"))


CONFIG = "heads(4) kv_heads({kv}) head_dim(8) v_head_dim({v}) scale(0.3)"
VIEWS = (
    ("all", "", ""),
    ("causal", "", "causal_offset(end)"),
    ("offset", "", "causal_offset(1)"),
    ("behind", "", "causal_offset(-2)"),
    ("window", "", "window_left(1) window_right(1)"),
    ("beyond", "", "causal_offset(end) window_left(1)"),
    ("keys", "keys", ""),
    ("keys_causal", "keys", "causal_offset(end)"),
    ("bias", "bias", ""),
    ("bias_causal", "bias", "causal_offset(end) window_left(2)"),
    ("softcap", "keys", "softcap(2.0) causal_offset(end)"),
)


def _dims(layout: str, length: int, heads: int, width: int) -> str:
    """The dims of a query, key or value of two batches in `layout`; `sm` is `bsm` without a batch."""
    return {
        "bhsd": f"2x{heads}x{length}x{width}",
        "bshd": f"2x{length}x{heads}x{width}",
        "bsm": f"2x{length}x{heads * width}",
        "sm": f"{length}x{heads * width}",
    }[layout]


def attention(d: str, layout: str, queries: int, keys: int, view: str, policy: str, kv: int, v: int) -> str:
    """One attention of two batches; the mask of kind keys is f32 or i1."""
    _, kind, config = next(each for each in VIEWS if each[0] == view)
    types = [
        f"tensor<{_dims(layout, s, h, w)}x{d}>"
        for s, h, w in ((queries, 4, 8), (keys, kv, 8), (keys, kv, v), (queries, 4, v))
    ]
    arguments, result = types[:3], types[3]
    mask = ""
    if kind:
        batch = 1 if layout == "sm" else 2
        arguments.append(f"tensor<{batch}x{keys}xi1>" if kind == "keys" else f"tensor<{batch}x1x{queries}x{keys}x{d}>")
        mask = f"mask {kind}(%a3) "
    written = "bsm" if layout == "sm" else layout
    text = (
        f"rlx.attention %a0, %a1, %a2 {mask}layout({written}) {CONFIG.format(kv=kv, v=v)} {config} "
        f"masked_rows({policy})"
    )
    name = f"attention_{d}_{layout}_{queries}_{keys}_{view}_{policy}_{kv}_{v}"
    return one(name, text, arguments, result)


def attentions() -> Iterator[str]:
    for view, _, _ in VIEWS:
        for policy in ("uniform", "zero", "nan"):
            yield attention("f32", "bhsd", 5, 3, view, policy, 2, 8)
        yield attention("f16", "bhsd", 3, 5, view, "uniform", 4, 6)
        yield attention("bf16", "bsm", 3, 3, view, "zero", 1, 6)
        yield attention("f64", "bshd", 3, 4, view, "nan", 2, 8)
    for layout in ("bhsd", "bshd", "bsm", "sm"):
        yield attention("f32", layout, 4, 6, "keys", "uniform", 2, 6)
    for policy in ("uniform", "zero", "nan"):
        yield attention("f32", "bsm", 3, 0, "all", policy, 4, 8)


def fused() -> Iterator[str]:
    for d in FLOATS:
        x, w, b, y = f"tensor<2x3x5x{d}>", f"tensor<5x6x{d}>", f"tensor<6x{d}>", f"tensor<2x3x6x{d}>"
        for kind in (None, Activation.GELU, Activation.RELU, Activation.TANH):
            tail = f" activation({kind})" if kind else ""
            yield one(f"matmul_bias_{kind}_{d}", f"rlx.fused_matmul_bias_act %a0, %a1, %a2{tail}", [x, w, b], y)
        empty = [f"tensor<2x3x0x{d}>", f"tensor<0x8x{d}>", f"tensor<8x{d}>"]
        yield one(f"matmul_bias_empty_{d}", "rlx.fused_matmul_bias_act %a0, %a1, %a2", empty, f"tensor<2x3x8x{d}>")
        r, v = f"tensor<2x3x8x{d}>", f"tensor<8x{d}>"
        yield one(f"matmul_residual_{d}", "rlx.fused_matmul_residual %a0, %a1, %a2", [x, w, y], y)
        for op in ("fused_residual_ln", "fused_residual_rms_norm"):
            yield one(f"{op}_{d}", f"rlx.{op} %a0, %a1, %a2, %a3 epsilon(1.0e-5)", [r, r, v, v], r)
            yield function(
                f"{op}_tee_{d}",
                [r, r, v, v, v],
                [r, r],
                f"%r0, %r1 = rlx.{op} %a0, %a1, %a2, %a3 bias(%a4) epsilon(1.0e-5) : "
                f"({r}, {r}, {v}, {v}, {v}) -> ({r}, {r})",
            )
        m = f"tensor<2x1x8x{d}>"
        for norm in ("layer_norm", "rms_norm"):
            text = f"rlx.ada_layer_norm %a0, %a1, %a2 norm({norm}) epsilon(1.0e-5)"
            yield one(f"ada_{norm}_{d}", text, [r, m, m], r)
        yield one(f"gated_residual_{d}", "rlx.gated_residual %a0, %a1, %a2", [r, r, m], r)
        for first in ("", " gate_first"):
            yield function(
                f"swiglu{first.replace(' ', '_')}_{d}",
                [r],
                [f"tensor<2x3x4x{d}>"],
                f"%r0 = rlx.fused_swiglu %a0{first} : {r} -> tensor<2x3x4x{d}>",
            )
        lora = [x, w, f"tensor<5x2x{d}>", f"tensor<2x6x{d}>"]
        yield one(f"block_lora_{d}", "rlx.lora_matmul %a0, %a1, %a2, %a3 scale(0.5)", lora, y)
        h, qkv, out, mask = f"tensor<2x3x32x{d}>", f"tensor<32x64x{d}>", f"tensor<32x32x{d}>", "tensor<2x3xi1>"
        qkv_b, out_b = f"tensor<64x{d}>", f"tensor<32x{d}>"
        config = "heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3)"
        yield function(
            f"block_attention_{d}",
            [h, qkv, out, qkv_b, out_b, mask],
            [h],
            f"%r0 = rlx.fused_attention_block %a0, %a1, %a2 bias(%a3, %a4 : {qkv_b}, {out_b}) "
            f"mask keys(%a5 : {mask}) {config} : ({h}, {qkv}, {out}) -> {h}",
        )
        g, fc1, fc2 = f"tensor<32x{d}>", f"tensor<32x16x{d}>", f"tensor<16x32x{d}>"
        yield function(
            f"block_layer_{d}",
            [h, qkv, out, g, fc1, fc2, g],
            [h],
            f"%r0 = rlx.fused_transformer_layer %a0 qkv(%a1 : {qkv}) out(%a2 : {out}) ln1(%a3 : {g}) fc1(%a4 : {fc1}) "
            f"fc2(%a5 : {fc2}) ln2(%a6 : {g}) activation(gelu) epsilon(1.0e-5, 1.0e-5) {config} : {h} -> {h}",
        )
    half = "tensor<2x8xf16>"
    yield function(
        "swiglu_cast",
        [half],
        ["tensor<2x4xf32>"],
        f"%r0 = rlx.fused_swiglu %a0 cast_to(f32) : {half} -> tensor<2x4xf32>",
    )


def positions() -> Iterator[str]:
    x, half, full = "tensor<2x5x3x8xf32>", "tensor<5x4xf32>", "tensor<2x5x6xf32>"
    for name, table, text in (
        ("half", half, "style(neox) table(half) n_rot(8) axis(1)"),
        ("full", full, "style(gptj) table(full) n_rot(6) axis(1)"),
    ):
        yield one(f"rope_{name}", f"rlx.rope %a0, %a1, %a2 {text}", [x, table, table], x)
        yield one(f"rope_backward_{name}", f"rlx.rope_backward %a0, %a1, %a2 {text}", [x, table, table], x)
    grid = "tensor<2x6x8xf32>"
    yield function(
        "rope_axial", [grid], [grid], f"%r0 = rlx.axial_rope2d %a0 axis(1) grid [2, 3] theta(100.0) : {grid}"
    )
    yield one(
        "kv_append", "rlx.kv_append %a0, %a1 axis(1) position(2)", [x, "tensor<2x2x3x8xf32>"], "tensor<2x4x3x8xf32>"
    )


def all_functions() -> Iterator[str]:
    """Every function, in order."""
    for chapter in (elementwise, contractions, normalizations, reductions, shapes, attentions, fused, positions):
        yield from chapter()
