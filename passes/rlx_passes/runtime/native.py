"""cpu, native."""
