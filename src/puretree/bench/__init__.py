"""The paper's experiments, and some past them: sets of cells that can be stopped, resumed and spread over machines.

An experiment (``runtime``, ``accuracy``, ``scale``) lists its cells and says how one is measured; ``measuring`` makes a
row of each, in a process of its own; tables and pictures are made of rows alone, so they can be made again at any time,
and ``writing`` puts them into files.
"""
