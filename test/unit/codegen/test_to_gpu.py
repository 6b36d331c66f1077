"""The conversion from linalg to kernels and host functions, and the launch plans read off them."""

from collections.abc import Sequence

import pytest
from gpu_cases import CASES, lowered, parse
from tools import need_program
from xdsl.dialects import func, gpu, memref, scf
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp

from rlx_passes.bundle.launch_plan import ALIGNMENT, LaunchStep, Plan
from rlx_passes.codegen.entries import entry_specs
from rlx_passes.codegen.planning import ConstantsFile, plan_of
from rlx_passes.core.errors import BundleError, Refusal
from rlx_passes.lowerings.to_gpu import linalg_to_gpu
from rlx_passes.pipeline.target import load_target


@pytest.fixture(autouse=True)
def _mlir() -> None:
    need_program("mlir-opt-22", "mlir-opt")


def _kernels(module: ModuleOp) -> Sequence[gpu.FuncOp]:
    return [op for op in module.walk() if isinstance(op, gpu.FuncOp)]


def _plan(module: ModuleOp, name: str = "main") -> Plan:
    host = next(op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == name)
    return plan_of(host, ConstantsFile.of(module))


def _launches(plan: Plan) -> list[LaunchStep]:
    """The steps of a plan of launches alone."""
    launches = [step for step in plan.launches if isinstance(step, LaunchStep)]
    assert len(launches) == len(plan.launches)
    return launches


def _layers(count: int) -> str:
    """`count` layers of a row sum and a row update, the same each."""
    lines = [
        "func.func @main(%x0: tensor<6x8xf32>) -> tensor<6x8xf32> {",
        "  %z = arith.constant 0.0 : f32",
        "  %e = tensor.empty() : tensor<6x8xf32>",
        "  %v = tensor.empty() : tensor<6xf32>",
        "  %f = linalg.fill ins(%z : f32) outs(%v : tensor<6xf32>) -> tensor<6xf32>",
    ]
    for i in range(count):
        lines.append(f"""
  %s{i} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j)
      -> (i)>], iterator_types = ["parallel", "reduction"]}}
    ins(%x{i} : tensor<6x8xf32>) outs(%f : tensor<6xf32>) {{
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }} -> tensor<6xf32>
  %x{i + 1} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j)
      -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}}
    ins(%x{i}, %s{i} : tensor<6x8xf32>, tensor<6xf32>) outs(%e : tensor<6x8xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  }} -> tensor<6x8xf32>""")
    return "\n".join([*lines, f"  func.return %x{count} : tensor<6x8xf32>", "}"])


def test_equal_kernels_exist_once() -> None:
    module = lowered(_layers(6), "cuda")
    plan = _plan(module)
    assert len(plan.launches) == 12
    # The sum, the update out of the argument, and the update in place, which all later layers share.
    assert len(_kernels(module)) == 3


def test_temporaries_share_the_arena() -> None:
    plan = _plan(lowered(_layers(6), "cuda"))
    temporaries = [each for each in plan.buffers if each.kind == "temporary"]
    assert len(temporaries) >= 6
    assert all(each.place % ALIGNMENT == 0 for each in temporaries)
    assert plan.arena <= 3 * ALIGNMENT  # two matrices and a row are alive at a time
    # No two that are alive at once overlap.
    alive: dict[int, tuple[int, int]] = {}
    for at, step in enumerate(_launches(plan)):
        for number in step.buffers:
            first, _ = alive.get(number, (at, at))
            alive[number] = (first, at)
    numbers = [n for n in alive if plan.buffers[n].kind == "temporary"]
    for a in numbers:
        for b in numbers:
            x, y = plan.buffers[a], plan.buffers[b]
            if a < b and alive[a][0] <= alive[b][1] and alive[b][0] <= alive[a][1]:
                assert x.place + x.size <= y.place or y.place + y.size <= x.place


def test_every_thread_of_a_grid_is_needed_or_guarded() -> None:
    """Block sizes in the launch are those that the kernel was built for."""
    for name in CASES:
        module = lowered(CASES[name].text, "cuda")
        sizes: dict[str, tuple[int, ...]] = {}
        for kernel in _kernels(module):
            size = kernel.attributes["known_block_size"]
            assert isinstance(size, DenseArrayBase)
            sizes[kernel.sym_name.data] = tuple(int(each) for each in size.get_values())
        for host in (op for op in module.ops if isinstance(op, func.FuncOp)):
            for step in _launches(plan_of(host, ConstantsFile.of(module))):
                assert step.block == sizes[step.kernel]
                assert max(step.grid) <= 65535


def test_a_thread_of_a_large_product_sums_several_elements() -> None:
    """Four columns and two rows a thread, in one loop with eight sums."""
    module = lowered(CASES["product"].text, "cuda")
    (step,) = _launches(_plan(module))
    assert step.grid[0] * step.block[0] == 128 * 192 // 8
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert len(loop.results) == 8


def test_dead_launches_go() -> None:
    text = (
        CASES["reductions"]
        .text.replace(
            "return %total, %columns, %highest : tensor<f32>, tensor<7xf32>, tensor<5xf32>",
            "return %total : tensor<f32>",
        )
        .replace(
            'tensor<f32> {rlx.output = "total"}, tensor<7xf32> {rlx.output = "columns"}, '
            'tensor<5xf32> {rlx.output = "highest"}',
            "tensor<f32>",
        )
    )
    assert len(_plan(lowered(text, "cuda")).launches) == 1


def test_identity_launches_nothing() -> None:
    module = lowered(CASES["identity"].text, "cuda")
    plan = _plan(module)
    assert not _kernels(module)
    assert plan.launches == ()
    assert plan.buffers[plan.results[0]].kind == "argument"


def test_passthrough_shares_results() -> None:
    module = lowered(CASES["passthrough"].text, "cuda")
    plan = _plan(module)
    same, twice, again, constant, sevens = (plan.buffers[number] for number in plan.results)
    assert (same.kind, constant.kind, twice.kind, sevens.kind) == ("argument", "constant", "result", "result")
    assert plan.results[1] == plan.results[2]
    assert again == twice
    assert [op.sym_name.data for op in module.ops if isinstance(op, memref.GlobalOp)] == ["main_constant_0"]


def test_equal_constants_stand_in_the_file_once() -> None:
    text = """
func.func @main() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = arith.constant dense<[3, 2, 1]> : tensor<3xi32>
  %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  func.return %a, %b, %c : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}"""
    content = bytes(ConstantsFile.of(lowered(text, "cuda")).content)
    assert len(content) == ALIGNMENT + 12
    assert content[:12] == b"\1\0\0\0\2\0\0\0\3\0\0\0"


def test_empty_tensors() -> None:
    text = """
func.func @main(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %e = tensor.empty() : tensor<0x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<0x4xf32>
  func.return %r : tensor<0x4xf32>
}"""
    plan = _plan(lowered(text, "cuda"))
    assert plan.launches == ()
    assert all(each.size == 4 for each in plan.buffers)


def test_empty_constants() -> None:
    text = """
func.func @main() -> tensor<0x4xf32> {
  %c = arith.constant dense<1.0> : tensor<0x4xf32>
  func.return %c : tensor<0x4xf32>
}"""
    assert _plan(lowered(text, "cuda")).launches == ()


@pytest.mark.parametrize("op", ["arith.remui", "arith.divsi", "arith.shli"])
def test_scalars_that_may_trap(op: str) -> None:
    """One element, outside any loop: not pure to xDSL, yet the op may move into the kernel that reads it."""
    text = f"""
func.func @main(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {{
  %e = tensor.empty() : tensor<i32>
  %r = linalg.generic {{indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                       iterator_types = []}} ins(%x, %y : tensor<i32>, tensor<i32>) outs(%e : tensor<i32>) {{
  ^bb0(%a: i32, %b: i32, %o: i32):
    %s = {op} %a, %b : i32
    linalg.yield %s : i32
  }} -> tensor<i32>
  func.return %r : tensor<i32>
}}"""
    assert len(_plan(lowered(text, "cuda")).launches) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 0 : index
  %d = tensor.dim %x, %c : tensor<?xf32>
  %n = arith.shli %d, %d : index
  %e = tensor.empty(%n) : tensor<?xf32>
  func.return %e : tensor<?xf32>
}""",
            "a size is computed by what GPU launches are not planned for",
        ),
        (
            """func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %e = tensor.empty() : tensor<2xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<2xi32>) outs(%e : tensor<2xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = math.ctpop %a : i32
    linalg.yield %s : i32
  } -> tensor<2xi32>
  func.return %r : tensor<2xi32>
}""",
            "math.ctpop has no device code; there is some for math.absf",
        ),
    ],
)
def test_what_has_no_kernel_is_refused(text: str, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        linalg_to_gpu(parse(text), load_target("cuda").required_storage())


def test_storage_types_are_named() -> None:
    module = lowered(CASES["integers"].text, "wgpu")
    (entry,) = entry_specs(module)
    assert [spec.dtype for spec in entry.inputs] == ["i32", "i1", "i64"]
    assert [spec.dtype for spec in entry.outputs] == ["i32", "i1", "i64", "f32"]
    assert "xi1>" not in str(module)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arena": 0}, "outside of the arena"),
        ({"results": [99]}, "there is no buffer 99"),
        ({"launches": [{"kernel": "k", "grid": [0, 1, 1], "block": [1, 1, 1], "buffers": []}]}, "empty grid"),
        ({"launches": [{"kernel": "k", "grid": [1, 1], "block": [1, 1, 1], "buffers": []}]}, "no launch plan"),
        ({"buffers": [{"kind": "secret", "place": 0, "size": 4}]}, "buffer 0 is"),
    ],
)
def test_a_bad_plan_is_refused(change: dict[str, object], message: str) -> None:
    plan = _plan(lowered(_layers(2), "cuda"))
    assert Plan.from_json(plan.to_json(), "here") == plan
    with pytest.raises(BundleError, match=f"here.*{message}"):
        Plan.from_json(plan.to_json() | change, "here")
