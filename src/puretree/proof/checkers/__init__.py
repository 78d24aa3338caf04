"""Standalone checkers of certificates: each file needs Python's standard library and nothing else, not even the others."""
