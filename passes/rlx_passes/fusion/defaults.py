"""What a fusion pass takes when it is run alone; a pipeline writes the target's own tables into the options."""

EPILOGUES = ("relu", "gelu", "gelu_approx", "silu", "sigmoid", "tanh")
"""The activations that a fused product may end in."""

DTYPES = ("f32", "f16", "bf16")
"""The element types of fused ops."""

MAX_TOKENS = 64
"""The largest batch times sequence up to which an attention block is one op."""
