"""The format of a bundle: its folder, its manifest, and the launch plan of a GPU function."""
