"""Programs that check a certificate with Python's standard library only.

Each is a single file that imports nothing from puretree, so that a reader who trusts neither puretree nor a solver can
read and run it; every certificate contains copies of them. They share no code with the programs that made the
certificate, nor with each other.
"""
