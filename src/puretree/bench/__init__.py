"""Reproduce the experiments of the paper, and extend them: runs that can be stopped, resumed and distributed.

An experiment (``runtime``, ``accuracy``, ``scale``) lists its cells, each one measurement, and defines how to measure
one. ``measurement`` runs each cell in a process of its own and stores the result as a row. ``output`` writes tables and
plots, which depend on the rows alone and can be regenerated at any time.
"""
