"""Certificates: proofs that a tree is pure and that none is smaller, for people who trust neither us nor a solver."""
