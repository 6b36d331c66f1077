"""How programs are changed: patterns, guards, misses and their reasons, conversions between dialects."""
