"""Programs of other dialects read into this one."""
