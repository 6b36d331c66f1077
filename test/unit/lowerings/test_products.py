"""Products on memory as loops, compiled and run against NumPy, with memory that ends where they must not read on."""

import ctypes
import mmap
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from native import Native
from tools import long, need_module
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.parser import Parser

from rlx_passes.lowerings.to_loops.pack_products import read_in_panels
from rlx_passes.lowerings.to_loops.products import lay_out, lower_contraction, panels_of
from rlx_passes.pipeline.chip import chip
from rlx_passes.registry.context import fresh_context

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}
CHIPS = ("host", "x86-64-v2", "x86-64-v4", "aarch64")
"""Schedules for all of them run here: LLVM cuts vectors that are too long."""


@dataclass(frozen=True)
class Product:
    """
    Types of lhs, rhs and out; sizes; the loops along the axes of each; `open` if sizes are known at run time only.

    `fresh` products overwrite what is in out.
    """

    types: tuple[str, str, str] = ("f32", "f32", "f32")
    sizes: tuple[int, int, int] = (8, 8, 8)
    axes: tuple[str, str, str] = ("mk", "kn", "mn")
    open: str = ""
    fresh: bool = True

    def shape(self, axes: str) -> list[int]:
        """`a` and `b` are loops of a batch, of 2 and 3."""
        return [{"a": 2, "b": 3, **dict(zip("mnk", self.sizes))}[axis] for axis in axes]

    def memref(self, number: int) -> str:
        axes = self.axes[number]
        dims = ["?" if axis in self.open else str(size) for axis, size in zip(axes, self.shape(axes))]
        return f"memref<{'x'.join((*dims, self.types[number]))}>"

    def text(self, name: str) -> str:
        """A function of one `linalg.generic`."""
        loops = sorted(set("".join(self.axes)))
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(axes)})>" for axes in self.axes)
        kinds = ", ".join('"parallel"' if loop in self.axes[2] else '"reduction"' for loop in loops)
        left, right, out = (self.memref(number) for number in range(3))
        total = self.types[2]
        kind = "i" if total.startswith("i") else "f"
        widen = {True: "arith.extsi", False: "arith.extf"}[kind == "i"]
        lines: list[str] = []
        for value, type in zip("xy", self.types):
            same = type == total
            lines.append("" if same else f"%{value}w = {widen} %{value} : {type} to {total}")
        x, y = ("%x" if self.types[0] == total else "%xw"), ("%y" if self.types[1] == total else "%yw")
        return f"""func.func @{name}(%a: {left}, %b: {right}, %c: {out}) {{
          linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
            ins(%a, %b : {left}, {right}) outs(%c : {out}) {{
          ^bb0(%x: {self.types[0]}, %y: {self.types[1]}, %z: {total}):
            {" ".join(lines)}
            %p = arith.mul{kind} {x}, {y} : {total}
            %s = arith.add{kind} %z, %p : {total}
            linalg.yield %s : {total}
          }}
          func.return
        }}"""


def compiled(products: Sequence[Product], name: str) -> Native:
    """The functions `p0`, `p1` ... for products, with the schedules of the chip of that name, as code for this one."""
    module = Parser(fresh_context(), "\n".join(each.text(f"p{at}") for at, each in enumerate(products))).parse_module()
    generics = [op for op in module.walk() if isinstance(op, linalg.GenericOp)]
    for product, op in zip(products, generics, strict=True):
        assert lower_contraction(op, chip(name), fresh=product.fresh), product
        op.detach()
        op.erase()
    return Native(module)


def guarded(array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """A copy that ends where a page begins that nobody may touch."""
    size = -(-array.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + size), mmap.PAGESIZE, 0) == 0
    copy = np.frombuffer(memory, array.dtype, array.size, size - array.nbytes).reshape(array.shape)
    copy[...] = array
    return copy


def random_array(shape: Sequence[int], dtype: str, numbers: np.random.Generator) -> "np.ndarray[Any, Any]":
    if dtype.startswith("i"):
        return numbers.integers(-100, 100, shape).astype(DTYPES[dtype])
    return numbers.standard_normal(shape).astype(DTYPES[dtype])


def check(products: Sequence[Product], chip_name: str) -> None:
    code = compiled(products, chip_name)
    numbers = np.random.default_rng(1)
    for at, product in enumerate(products):
        left, right, out = (
            guarded(random_array(product.shape(axes), type, numbers)) for axes, type in zip(product.axes, product.types)
        )
        wide = np.int64 if product.types[2].startswith("i") else np.float64
        expected = np.einsum(f"{','.join(product.axes[:2])}->{product.axes[2]}", left.astype(wide), right.astype(wide))
        if not product.fresh:
            expected = expected + out
        assert code(f"p{at}", left, right, out)[0] == 0
        bound = 2e-5 * (1 + np.sqrt(product.sizes[2]))
        np.testing.assert_allclose(out, expected, rtol=0, atol=bound, err_msg=f"{product} for {chip_name}")


def drawn(seed: int, count: int) -> Iterator[Product]:
    """Random products: few rows and many, all layouts, mixed types, sizes that no tile divides."""
    draw = random.Random(seed)
    types = [("f32", "f32", "f32")] * 4 + [("f64", "f64", "f64"), ("f16", "f16", "f32"), ("f32", "f16", "f32")]
    types += [("i8", "i8", "i32"), ("i32", "i32", "i32")]
    for _ in range(count):
        lead = draw.choice(["", "", "a", "ab"])
        sizes = tuple(draw.choice([1, 2, 5, 8, 16, draw.randint(1, 40), draw.randint(1, 90)]) for _ in range(3))
        yield Product(
            draw.choice(types),
            (sizes[0], sizes[1], draw.choice([sizes[2], draw.randint(1, 900)])),
            (lead + draw.choice(["mk", "mk", "km"]), lead + draw.choice(["kn", "nk"]), lead + "mn"),
            draw.choice(["", "", "m", "k", "mnk", "n"]),
            draw.random() < 0.6,
        )


@pytest.mark.parametrize("name", CHIPS)
def test_random_products(name: str):
    need_module("llvmlite")
    check(list(drawn(CHIPS.index(name), 4)), name)


@long
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_random_products(seed: int):
    need_module("llvmlite")
    check(list(drawn(seed, 30)), CHIPS[seed % len(CHIPS)])


def test_products_with_every_schedule():
    """Blocks of sums, of columns and of packed rows; a few rows; dot products; four loops; out by columns."""
    need_module("llvmlite")
    plain = Product(sizes=(37, 45, 700))
    check(
        [
            plain,
            replace(plain, fresh=False, open="mnk"),
            replace(plain, types=("f16", "f16", "f32"), sizes=(37, 200, 700)),
            replace(plain, sizes=(7, 333, 900)),
            replace(plain, sizes=(3, 29, 100), axes=("mk", "nk", "mn"), fresh=False),
            replace(plain, sizes=(40, 29, 1030), axes=("mk", "nk", "mn")),
            Product(sizes=(9, 21, 30), axes=("makb", "kbna", "amn")),
            Product(sizes=(9, 21, 30), axes=("mk", "kn", "nm")),
            Product(sizes=(9, 21, 30), axes=("mak", "kan", "man")),
            Product(sizes=(9, 1, 30), axes=("mk", "k", "m")),
            Product(sizes=(1, 9, 30), axes=("k", "kn", "n")),
            Product(sizes=(9, 5, 0)),
            Product(sizes=(5, 90, 200), open="m", fresh=False),
            Product(sizes=(70, 90, 200), open="m"),
        ],
        "host",
    )


PARTS = """
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<70x50xf32>, %b: memref<50x40xf32>, %c: memref<70x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c70 = arith.constant 70 : index
  "scf.parallel"(%c0, %c3, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %row = arith.muli %i, %c32 : index
    %rest = arith.subi %c70, %row : index
    %rows = arith.minsi %rest, %c32 : index
    %l = memref.subview %a[%row, 10] [%rows, 20] [1, 2]
      : memref<70x50xf32> to memref<?x20xf32, strided<[50, 2], offset: ?>>
    %r = memref.subview %b[5, 8] [20, 24] [2, 1] : memref<50x40xf32> to memref<20x24xf32, strided<[80, 1], offset: 208>>
    %o = memref.subview %c[%row, 0] [%rows, 24] [1, 1]
      : memref<70x40xf32> to memref<?x24xf32, strided<[40, 1], offset: ?>>
    linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%l, %r : memref<?x20xf32, strided<[50, 2], offset: ?>>, memref<20x24xf32, strided<[80, 1], offset: 208>>)
      outs(%o : memref<?x24xf32, strided<[40, 1], offset: ?>>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
"""


def test_parts_of_matrices_in_rounds():
    need_module("llvmlite")
    module = Parser(fresh_context(), PARTS).parse_module()
    (op,) = (op for op in module.walk() if isinstance(op, linalg.GenericOp))
    assert lower_contraction(op, chip())
    op.detach()
    op.erase()
    module.verify()
    numbers = np.random.default_rng(1)
    left, right, out = (guarded(random_array(shape, "f32", numbers)) for shape in ((70, 50), (50, 40), (70, 40)))
    expected = out.copy()
    expected[:, :24] += left[:, 10:50:2] @ right[5:45:2, 8:32]
    assert Native(module)("f", left, right, out)[0] == 0
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-4)


LAID_OUT = [
    Product(sizes=(37, 45, 70)),
    Product(sizes=(1, 90, 600), axes=("mk", "nk", "mn"), fresh=False),
    Product(sizes=(5, 109, 1700)),
    Product(types=("f32", "f16", "f32"), sizes=(3, 32, 40), open="m"),
    Product(types=("f32", "f16", "f32"), sizes=(20, 33, 41), axes=("mk", "nk", "mn")),
]


@pytest.mark.parametrize("narrow", [False, True])
def test_a_matrix_may_be_laid_out_ahead(narrow: bool):
    """What `prepare` makes of weights, as wide as the sums or as they are."""
    need_module("llvmlite")
    functions: list[str] = []
    for at, product in enumerate(LAID_OUT):
        rows, columns = product.shape(product.axes[1])
        n, k = product.sizes[1:]
        element = product.types[1] if narrow else "f32"
        panels = f"memref<{-(-n // 16)}x{k}x16x{element}>"
        text = product.text(f"p{at}").replace("%c:", f"%panels: {panels}, %c:")
        source = f"memref<{rows}x{columns}x{product.types[1]}>"
        functions += [text, f"func.func @lay{at}(%source: {source}, %into: {panels}) {{\n func.return\n}}"]
    module = Parser(fresh_context(), "\n".join(functions)).parse_module()
    here = chip("x86-64-v3")
    generics = [op for op in module.walk() if isinstance(op, linalg.GenericOp)]
    returns = [op for op in module.walk() if isinstance(op, ReturnOp)]
    for product, op, done in zip(LAID_OUT, generics, returns[1::2], strict=True):
        panels = panels_of(op, here)
        assert panels is not None
        assert panels.shape[2] == 16
        block = done.parent
        assert block is not None
        assert op.parent is not None
        lay_out(done, block.args[0], panels, block.args[1], here, at_once=narrow)
        op = read_in_panels(op, panels.operand, op.parent.args[2])
        module.verify()
        assert lower_contraction(op, here, fresh=product.fresh)
        op.detach()
        op.erase()
    module.verify()
    code, numbers = Native(module), np.random.default_rng(1)
    for at, product in enumerate(LAID_OUT):
        left, right, out = (
            guarded(random_array(product.shape(axes), type, numbers)) for axes, type in zip(product.axes, product.types)
        )
        n, k = product.sizes[1:]
        into = np.zeros((-(-n // 16), k, 16), DTYPES[product.types[1]] if narrow else np.float32)
        expected = np.einsum(f"{','.join(product.axes[:2])}->mn", left.astype(np.float64), right.astype(np.float64))
        if not product.fresh:
            expected = expected + out
        assert code(f"lay{at}", right, guarded(into))[0] == 0
        assert code(f"lay{at}", right, into)[0] == 0
        assert code(f"p{at}", left, np.zeros_like(right), into, out)[0] == 0
        np.testing.assert_allclose(out, expected, rtol=0, atol=5e-4, err_msg=str(product))


NO_PRODUCTS = {
    "a window": ("(m, n, k) -> (m + k)", "(m, n, k) -> (k, n)", "memref<8xf32>", "arith.addf", "%z"),
    "a maximum": ("(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "memref<4x4xf32>", "arith.maximumf", "%z"),
    "a square": ("(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "memref<4x4xf32>", "arith.addf", "%p"),
}


@pytest.mark.parametrize("case", NO_PRODUCTS)
def test_other_ops_are_left_alone(case: str):
    left_map, right_map, left, add, other = NO_PRODUCTS[case]
    text = f"""func.func @f(%a: {left}, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {{
      linalg.generic {{
        indexing_maps = [affine_map<{left_map}>, affine_map<{right_map}>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}}
        ins(%a, %b : {left}, memref<4x4xf32>) outs(%c : memref<4x4xf32>) {{
      ^bb0(%x: f32, %y: f32, %z: f32):
        %p = arith.mulf %x, %y : f32
        %s = {add} {other}, %p : f32
        linalg.yield %s : f32
      }}
      func.return
    }}"""
    module = Parser(fresh_context(), text).parse_module()
    before = str(module)
    (op,) = (op for op in module.walk() if isinstance(op, linalg.GenericOp))
    assert not lower_contraction(op, chip("x86-64-v3"))
    assert str(module) == before
