"""Bounds on the size of a minimum pure tree that need no exact search: `lower` and `upper`."""
