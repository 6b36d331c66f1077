"""The fusion passes, one file a pass."""
