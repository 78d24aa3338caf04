"""Bounds on the size of a minimum pure tree, each argument in its own file."""
