"""rlx to calls of MLX functions: the `mlx` dialect, a pattern per op, and the library that the calls may use."""
