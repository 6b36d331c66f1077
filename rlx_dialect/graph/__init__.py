"""The methods of `rlx_dialect.builder.Graph`, one module per chapter of the dialect."""
