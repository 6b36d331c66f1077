"""Dialects beside RLX: StableHLO with CHLO and Shardy, MLX."""
