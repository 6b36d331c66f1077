"""How the benchmarks time: contenders take turns, round after round, so that a slow machine slows all of them."""

import statistics
import time
from collections.abc import Callable, Mapping

Run = Callable[[], object]


def interleaved(contenders: Mapping[str, Run], rounds: int = 15, warmup: int = 2) -> dict[str, float]:
    """The median seconds of one call of each contender; the rounds take turns."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for index in range(warmup + rounds):
        for name, run in contenders.items():
            started = time.perf_counter()
            run()
            if index >= warmup:
                seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in seconds.items()}


def table(medians: Mapping[str, float], unit: str = "ms", scale: float = 1e3) -> str:
    """One line a contender: its median and the ratio to the first."""
    first = next(iter(medians.values()))
    width = max(map(len, medians))
    lines = [f"{name:<{width}}  {value * scale:9.3f} {unit}  {value / first:6.2f}x" for name, value in medians.items()]
    return "\n".join(lines)
