"""Shape rules of families of ops, beside those that all share in `rlx_dialect.shapes`."""
