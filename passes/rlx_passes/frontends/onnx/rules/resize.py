"""Axes resampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

from typing_extensions import TypeVar
from xdsl.utils.str_enum import StrEnum

from rlx_dialect.attributes import NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Dim, Size
from rlx_dialect.shapes import normalize_axes
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result

COORDINATES: Mapping[str, ResizeCoordinates] = {
    "tf_crop_and_resize": ResizeCoordinates.CROP,
    **{each.value: each for each in ResizeCoordinates if each is not ResizeCoordinates.CROP},
}
MODES: Mapping[str, ResizeMode] = {each.value: each for each in ResizeMode}
WordT = TypeVar("WordT", bound=StrEnum)

ROUNDINGS: Mapping[str, NearestRounding] = {each.value: each for each in NearestRounding}


@dataclass(frozen=True)
class Sampling:
    """How places of the result become places of the input, and those elements."""

    mode: ResizeMode
    coordinates: ResizeCoordinates
    rounding: NearestRounding


@dataclass(frozen=True)
class Target:
    """What becomes of each of `axes`: its new size or its scale."""

    axes: list[int]
    sizes: list[int] | None = None
    scales: list[float] | None = None

    def only(self, kept: list[int]) -> Target:
        """The entries at the places `kept`."""
        return Target(
            [self.axes[at] for at in kept],
            None if self.sizes is None else [self.sizes[at] for at in kept],
            None if self.scales is None else [self.scales[at] for at in kept],
        )


def resize(g: Graph, node: Node) -> Result:
    """An axis that keeps its size is left alone."""
    x, dims, sampling = node.required(0), node.dims(0), _sampling(node)
    target = _target(node, dims)
    if sampling.coordinates is ResizeCoordinates.CROP:
        return _cropped(g, node, x, sampling, target)
    kept = [at for at in range(len(target.axes)) if not _stays(target, dims, at)]
    return _resampled(g, node, x, sampling, target.only(kept)) if kept else x


def _sampling(node: Node) -> Sampling:
    """What the attributes say; before op set 11 there was one way."""
    old = node.op_type == "Upsample" or node.opset < 11
    names = ("asymmetric", "floor") if old else ("half_pixel", "round_prefer_floor")
    coordinates, rounding = (
        node.attributes.get(key, name) for key, name in zip(("coordinate_transformation_mode", "nearest_mode"), names)
    )
    return Sampling(
        _word("mode", node.attributes.get("mode", "nearest"), MODES),
        _word("coordinate_transformation_mode", coordinates, COORDINATES),
        _word("nearest_mode", rounding, ROUNDINGS),
    )


def _word(name: str, given: str, known: Mapping[str, WordT]) -> WordT:
    if given not in known:
        raise Refusal(f"{name} is one of {', '.join(known)}, got '{given}'")
    return known[given]


def _target(node: Node, dims: tuple[Size, ...]) -> Target:
    axes = list(normalize_axes(node.attributes.get("axes", range(len(dims))), len(dims)))
    scales = _scales(node)
    if scales is not None:
        if len(scales) != len(axes):
            raise Refusal(f"there are {len(scales)} scales for {len(axes)} axes")
        return Target(axes, scales=scales)
    sizes = node.sizes(3)
    if len(sizes) != len(axes):
        raise Refusal(f"there are {len(sizes)} sizes for {len(axes)} axes")
    have = [dims[axis] for axis in axes]
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) == len(sizes):
        return Target(axes, sizes=_kept_ratio(node, have, known))
    if node.attributes.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise Refusal("keep_aspect_ratio_policy needs sizes that are known on import")
    return Target(axes, scales=[_scale(size, want) for size, want in zip(have, sizes)])


def _scales(node: Node) -> list[float] | None:
    """The scales, None where sizes are given in their place: an empty list says so too."""
    if "scales" in node.attributes:
        return list(node.attributes["scales"])
    known = node.constant(1 if node.op_type == "Upsample" or node.opset < 11 else 2)
    return None if known is None or not known.size else known.ravel().tolist()


def _kept_ratio(node: Node, have: list[Size], wanted: list[int]) -> list[int]:
    """The sizes, or those that one scale for all axes gives."""
    policy = node.attributes.get("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return wanted
    known = [size for size in have if isinstance(size, int)]
    if policy not in ("not_larger", "not_smaller") or len(known) != len(have):
        raise Refusal(f"keep_aspect_ratio_policy '{policy}' of dims {list(have)}")
    ratios = [want / size for want, size in zip(wanted, known)]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    # As the op says: half up.
    return [int(ratio * size + 0.5) for size in known]


def _scale(have: Size, want: Size) -> float:
    """The scale that makes `want` of `have`, one of which is known at run time only."""
    if isinstance(have, int) and isinstance(want, int):
        scale = want / have if have else 0.0
        if floor(have * scale) == want:
            return scale
    elif (
        isinstance(have, Dim) and isinstance(want, Dim) and want % have == 0 and isinstance(times := want // have, int)
    ):
        return float(times)
    raise Refusal("a size that is no multiple of the dim must be known on import")


def _stays(target: Target, dims: tuple[Size, ...], at: int) -> bool:
    if target.scales is not None:
        return target.scales[at] == 1
    return target.sizes is not None and target.sizes[at] == dims[target.axes[at]]


def _resampled(
    g: Graph, node: Node, x: Tensor, sampling: Sampling, target: Target, region: list[float] | None = None
) -> Tensor:
    return g.resize(
        *(sampling.mode, x, target.axes, target.sizes),
        scales=target.scales,
        coordinates=sampling.coordinates,
        region=region,
        rounding=sampling.rounding if sampling.mode is ResizeMode.NEAREST else NearestRounding.ROUND_PREFER_FLOOR,
        cubic_coefficient=node.attributes.get("cubic_coeff_a", -0.75),
        exclude_outside=bool(node.attributes.get("exclude_outside", 0)),
        antialias=bool(node.attributes.get("antialias", 0)),
    )


def _cropped(g: Graph, node: Node, x: Tensor, sampling: Sampling, target: Target) -> Tensor:
    """Places outside give 0 in `rlx.resize`: what they give here is taken away before and added again."""
    region, outside = node.constant(1), node.attributes.get("extrapolation_value", 0.0)
    if region is None:
        raise Refusal("tf_crop_and_resize needs a region, which is left out")
    inner = _resampled(g, node, x - outside if outside else x, sampling, target, region.tolist())
    return inner + outside if outside else inner


RULES: Mapping[str, NodeRule] = {"Resize": resize, "Upsample": resize}
