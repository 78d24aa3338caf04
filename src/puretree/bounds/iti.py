def iti_tree(problem, **k): return None
