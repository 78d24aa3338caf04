"""Programs that check a certificate with Python's standard library alone.

Each is one file that imports nothing of puretree, so that somebody who trusts neither us nor a solver can read it and
run it; copies of them lie in every certificate. They share no code with what they check, nor with each other.
"""
