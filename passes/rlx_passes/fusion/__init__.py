"""The fusion passes, one file per pass."""
