"""The threads and the memory of native programs: every round is done once, whoever asks and however many work."""

import ctypes
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tools import need_module

from rlx_passes.codegen.llvm_object import object_code
from rlx_passes.codegen.native_runtime import runtime_text
from rlx_passes.runtime.objects import Code, runtime

COUNTING = """
declare void @rlx_parallel(ptr, ptr, i64, i64)
define void @counts(ptr %env, i64 %from, i64 %to) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %from, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %env, i64 %i
  %old = load i64, ptr %place
  %new = add i64 %old, 1
  store i64 %new, ptr %place
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %to
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @nested(ptr %env, i64 %from, i64 %to) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %from, %entry ], [ %next, %loop ]
  %at = mul i64 %i, 8000
  %row = getelementptr i8, ptr %env, i64 %at
  call void @rlx_parallel(ptr @counts, ptr %row, i64 1000, i64 10)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %to
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""
"""Rounds that count how often each of them was done: elements of `env`, or rows of 1000."""

PARALLEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
THREADS = ctypes.CFUNCTYPE(None, ctypes.c_int64)


@pytest.fixture(autouse=True, scope="module")
def llvm() -> None:
    need_module("llvmlite")


@pytest.fixture(scope="module")
def kernels() -> Code:
    return Code(object_code(COUNTING, "host"), "test")


@pytest.fixture
def parallel() -> Callable[..., None]:
    return PARALLEL(runtime()["rlx_parallel"])


def use(threads: int) -> None:
    THREADS(runtime()["rlx_threads"])(threads)


def counted(parallel: Callable[..., None], kernel: int, count: int, grain: int) -> NDArray[Any]:
    rounds = np.zeros(count + 1, np.int64)
    parallel(kernel, rounds.ctypes.data, count, grain)
    assert rounds[count] == 0
    return rounds[:count]


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_each_round_is_done_once(threads: int, kernels: Code, parallel: Callable[..., None]):
    use(threads)
    for count, grain in itertools.product((0, 1, 2, 7, 64, 1000, 4097), (0, 1, 3, 100, 10**9)):
        assert (counted(parallel, kernels.address("counts"), count, grain) == 1).all()


def test_two_threads_work_at_once(parallel: Callable[..., None]):
    use(2)
    both = threading.Barrier(2, timeout=60)

    def wait(env: int, start: int, end: int) -> None:
        both.wait()

    kernel = KERNEL(wait)
    parallel(ctypes.cast(kernel, ctypes.c_void_p), None, 2, 1)
    assert not both.broken


def test_several_callers_at_once(kernels: Code, parallel: Callable[..., None]):
    use(3)
    faults: list[int] = []

    def call() -> None:
        for count in range(1, 300):
            faults.extend(np.flatnonzero(counted(parallel, kernels.address("counts"), count, 2) != 1))

    callers = [threading.Thread(target=call) for _ in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert faults == []


def test_a_round_may_ask_for_threads_itself(kernels: Code, parallel: Callable[..., None]):
    use(2)
    rows = np.zeros((20, 1000), np.int64)
    parallel(kernels.address("nested"), rows.ctypes.data, 20, 1)
    assert (rows == 1).all()


def test_memory_is_aligned():
    take = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int64)(runtime()["rlx_alloc"])
    give = ctypes.CFUNCTYPE(None, ctypes.c_size_t)(runtime()["rlx_free"])
    for size in (0, 1, 64, 10**6):
        place = take(size)
        assert place
        assert place % 64 == 0
        give(place)
    assert take(2**62) == 0
    give(0)


FORKED = """
import os, sys, ctypes, numpy as np
from unit.runtime.test_native_pool import COUNTING, PARALLEL, counted, use
from rlx_passes.codegen.llvm_object import object_code
from rlx_passes.runtime.objects import Code, runtime
code = Code(object_code(COUNTING, "host"), "test")
parallel = PARALLEL(runtime()["rlx_parallel"])
use(3)
fine = lambda: all((counted(parallel, code.address("counts"), 1000, 1) == 1).all() for _ in range(20))
assert fine()
child = os.fork()
if not child:
    grandchild = os.fork()
    if not grandchild:
        os._exit(0 if fine() else 1)
    os._exit(0 if fine() and os.waitpid(grandchild, 0)[1] == 0 else 1)
assert fine()
sys.exit(os.waitpid(child, 0)[1])
"""


def test_a_forked_process_has_threads_of_its_own():
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", FORKED],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "arm64-apple-darwin"])
def test_the_text_is_code_for_other_machines(triple: str):
    code = object_code(runtime_text(triple), triple)
    assert b"rlx_parallel" in code


SPREAD = """
import ctypes, os, time
from rlx_passes.runtime.objects import runtime
before = {int(task) for task in os.listdir("/proc/self/task")}
kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(lambda env, start, end: None)
of_rounds = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
parallel = of_rounds(runtime()["rlx_parallel"])
ctypes.CFUNCTYPE(None, ctypes.c_int64)(runtime()["rlx_threads"])(2)
everywhere = os.sched_getaffinity(0)
for pinned in (everywhere, {min(everywhere)}, {max(everywhere)}, everywhere):
    os.sched_setaffinity(0, pinned)
    for _ in range(20):
        time.sleep(0.01)
        parallel(ctypes.cast(kernel, ctypes.c_void_p), None, 100, 1)
    (thread,) = {int(task) for task in os.listdir("/proc/self/task")} - before
    print(len(pinned), sorted(everywhere - os.sched_getaffinity(thread)))
"""


def test_threads_that_wake_leave_their_caller_its_processor():
    places = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(places) < 2:
        pytest.skip("one processor is all there is")
    told = subprocess.run(
        [sys.executable, "-c", SPREAD], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(told) == 4
    assert told[1:3] == [f"1 [{places[0]}]", f"1 [{places[-1]}]"]
    assert all(len(eval(line.partition(" ")[2])) == 1 for line in told)
