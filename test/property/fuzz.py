"""
Hunt for programs of which a fusion pass changes the values.

    python test/property/fuzz.py --count 100000 --seed 0 --jobs 2      # or: make fuzz N=100000

Failures are shrunk and written to build/fuzz, one file each; the exit code is 1 where there are any.
"""

import argparse
import random
import sys
import time
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(path) for path in (ROOT, ROOT / "passes", ROOT / "test", ROOT / "test" / "property")]

from fuzzing import Failure, hunt_all  # noqa: E402 (the paths come first)
from odd_runs import hunt  # noqa: E402

FOLDER = ROOT / "build" / "fuzz"
BATCH = 50
"""Programs with odd sizes in one process."""
EVERY = 10_000
"""Progress is printed once in so many programs."""


def record(failure: Failure) -> Path:
    """Write a failure to a file of its own."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    variant = failure.variant.replace("=", "-").replace(" ", "-").replace(",", "")
    path = FOLDER / f"seed-{failure.seed}-{variant}.mlir"
    path.write_text(f"{failure}\n")
    return path


def odd_sizes(start: int, count: int) -> int:
    """Runs so many programs with odd sizes on each backend; how many went wrong."""
    failed = 0
    for backend in ("cpu", "mlx", "tpu", "wgpu"):
        for first in range(0, count, BATCH):
            for fault in hunt(backend, "random", start + first, min(BATCH, count - first)):
                failed += 1
                print(f"{backend}: {fault}", flush=True)
        print(f"{count} programs with odd sizes on {backend}, {failed} failures so far", flush=True)
    return failed


def built_of_parts(start: int, count: int) -> int:
    """Runs so many modules and graphs of known parts where PyTorch is there; how many went wrong."""
    if find_spec("torch") is None or find_spec("onnxruntime") is None:
        print("no modules of known parts without PyTorch and ONNX Runtime", flush=True)
        return 0
    from built import hunt as hunt_parts

    found = hunt_parts(start, count)
    print("\n".join([*found, f"{count} modules of known parts, {len(found)} failures"]), flush=True)
    return len(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="how many programs (default 10000)")
    parser.add_argument("--seed", type=int, default=None, help="the first seed (default: a random one, printed)")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes (default 2)")
    flags = parser.parse_args()
    start = random.randrange(10**9) if flags.seed is None else flags.seed
    print(f"{flags.count} programs, seeds from {start}", flush=True)

    began, done, failed = time.perf_counter(), 0, 0
    for count, failures in hunt_all(start, flags.count, flags.jobs):
        shown, done = done // EVERY, done + count
        if done // EVERY > shown:
            print(
                f"{done} programs after {time.perf_counter() - began:.0f} s, {failed + len(failures)} failures",
                flush=True,
            )
        for failure in failures:
            failed += 1
            print(f"{failure}\nwritten to {record(failure).relative_to(ROOT)}", flush=True)
    print(f"{done} programs in {time.perf_counter() - began:.0f} s, {failed} failures", flush=True)
    failed += odd_sizes(start, flags.count // 5)
    failed += built_of_parts(start, flags.count // 100)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
