"""The paper's experiments, and some past them: sets of cells that can be stopped, resumed and spread over machines.

An experiment lists its cells; each is measured in a process of its own and leaves a line in a file of results; tables
and pictures are made of these lines alone, so they can be made again at any time.
"""
