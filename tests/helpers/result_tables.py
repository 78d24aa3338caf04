"""Result tables and rows for tests of output formats."""

from puretree.bench.cell import Row
from puretree.bench.result_table import Estimate, Reproduction, ResultTable

NASTY = "a|b_<script>$%"

TABLE_3 = ResultTable(
    "table3",
    "Best upper bounds after 20 s",
    ("share", "engine", "best", "PAR2"),
    (
        ("40 %", "search", Reproduction(58, 528), 1.5),
        ("40 %", NASTY, Reproduction(3, None), None),
        ("60 %", "mindt", 123456, 40.0),
    ),
    rules=(2,),
)
TABLE_4 = ResultTable(
    "table_4",
    "Accuracy, published values in brackets: 100 % & more",
    ("dataset", "t.acc", "size", "t.acc"),
    (
        (NASTY, Reproduction(Estimate(71.054, 0.312), 70.48), 27, Estimate(100.0)),
        ("[iris]", Reproduction(None, 94.53), None, Estimate(-0.5, 0.25)),
        ("mean", Reproduction(87.0, 87.07), None, None),
    ),
    groups=(("", 1), ("psk", 2), ("mpdt", 1)),
    rules=(2,),
)
EMPTY = ResultTable("empty", "Nothing yet", ("dataset", "t.acc"), ())
TABLES = (TABLE_3, TABLE_4, EMPTY)

ROWS = (
    Row("runtime", {"dataset": NASTY, "limit": 20.0}, "done", "", 1.5, 1.25, 2**20,
        values={"status": "optimal", "upper": 7, "bounds": [[0.1, 3, 9], [1.0, 7, 7]], "n_trees": 5}),
    Row("runtime", {"dataset": "iris", "limit": 20.0}, "crashed", 'signal 11,\n"bad"', 0.5),
    Row("runtime", {"dataset": "wine", "limit": 20.0}, "done", "", 2.0, 1.0, 2**21,
        values={"status": "time_limit", "upper": None, "n_trees": 2**64, "odd": 10**400}),
)  # fmt: skip
