"""Loading a bundle and running it."""
