"""The params of a program in files."""
