"""
Whether a rewrite that changes launches and transfers pays off on a target: a cost model of four linear terms.

Costs are nanoseconds, bandwidths bytes per nanosecond (which is GB/s).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class GraphIoProfile:
    """What one run of a program costs in launches and transfers."""

    kernel_launches: int = 0
    sync_points: int = 0
    host_output_bytes: int = 0
    device_traffic_bytes: int = 0


@dataclass(frozen=True)
class IoFusionGate:
    """
    The price list of a target. A saving counts as before minus after and may be negative.

        score = launches * dispatch_ns + syncs * roundtrip_ns + traffic / memory_bw + readback / readback_bw
        score -= added syncs * host_thunk_penalty_ns
        worth it when score >= min_gain_ns

    With unified memory the readback is divided by 1 byte/ns, which weighs it *more* than on a discrete device. This is
    the reference's rule, and what its Metal numbers rest on.
    """

    dispatch_ns: float
    roundtrip_ns: float
    memory_bw: float
    host_readback_bw: float
    unified_memory: bool
    host_thunk_penalty_ns: float
    min_gain_ns: float

    def score(self, before: GraphIoProfile, after: GraphIoProfile) -> float:
        """Nanoseconds gained by going from `before` to `after`."""
        launches = before.kernel_launches - after.kernel_launches
        syncs = before.sync_points - after.sync_points
        readback = before.host_output_bytes - after.host_output_bytes
        traffic = before.device_traffic_bytes - after.device_traffic_bytes

        readback_bw = 0.0 if self.unified_memory else self.host_readback_bw
        gain = launches * self.dispatch_ns + syncs * self.roundtrip_ns
        gain += traffic / max(self.memory_bw, 1.0) + readback / max(readback_bw, 1.0)
        return gain - max(-syncs, 0) * self.host_thunk_penalty_ns

    def should_fuse(self, before: GraphIoProfile, after: GraphIoProfile) -> bool:
        """Whether the gain reaches `min_gain_ns`."""
        return self.score(before, after) >= self.min_gain_ns


FREE = IoFusionGate(0, 0, 1, 1, False, 0, 0)
"""A gate that puts no price on launches, and one byte per nanosecond on every transfer."""
