"""What the ops of ATen become, a file per chapter."""

from importlib import import_module

CHAPTERS = (
    *(
        "unary",
        "binary",
        "reduction",
        "order",
        "shape",
        "movement",
        "indexing",
        "filling",
        "contraction",
        "grouped",
        "convolution",
    ),
    *("pooling", "resize", "normalization", "attention", "recurrent", "spectral", "control_flow"),
)


def load() -> None:
    """Registers the rules of all chapters."""
    for chapter in CHAPTERS:
        import_module(f"{__name__}.{chapter}")
