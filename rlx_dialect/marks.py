"""Attributes that any op may carry, for passes to read."""

NO_FUSE = "rlx.no_fuse"
"""A unit attribute that keeps an op out of every fusion, and as it is."""
