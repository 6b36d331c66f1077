"""rlx to calls of MLX functions: the `mlx` dialect, a pattern an op, and the library that the calls may use."""
