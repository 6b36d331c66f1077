"""The methods of `rlx_dialect.builder.Graph`, one chapter of the dialect a module."""
