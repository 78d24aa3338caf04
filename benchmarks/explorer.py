"""The page of the explorer in a browser: its size, the seconds until it can be used, and the latency of filters.

The table is new-thyroid with all thresholds, of whose 19,114,784,940 minimum trees the page has the graph. A filter is
applied by a click on a button of the page; the time ends when the new count is shown, and separately when the tree and
all shares are. Opening is measured from the start of the navigation until all is drawn. Each number is the
median of several runs, with the largest one.

``python benchmarks/explorer.py --data FOLDER`` needs Chromium and selenium (``pip install "puretree[test]"``). If
``tree-praxis`` can be installed from PyPI, which is done in an environment of its own, its page for trees near the
optimum of iris and zoo is measured beside ours; otherwise the reason is printed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from puretree import minimum_trees, prepare
from puretree.datasets import load

PEER = "tree-praxis>=0.0.30,<0.1"
N_RUNS = 5
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1280,800"),
)

# Runs in an environment with tree-praxis: arguments are a file of 0/1 features and labels, and the page to write.
WRITE_PEER = """
import sys
import numpy as np
from praxis import PRAXIS
rows = np.load(sys.argv[1])
model = PRAXIS()
options = {"lambda_reg": 0.01, "depth_budget": 5, "rashomon_mult": float(sys.argv[3])}
model.fit(rows["X"], rows["y"], **options)
model.save_builder_html(sys.argv[2], **options, root_n=len(rows["y"]))
print(model.count_trees())
"""
PEER_MULTIPLIERS = {"sklearn:iris": "0.2", "zoo": "0.1"}  # of the best objective

CLICK = """
const [selector] = arguments;
const before = performance.now();
document.querySelector(selector).click();
const shown = performance.now();  // the count is updated in the click itself
while (document.documentElement.dataset.busy) await new Promise((resolve) => setTimeout(resolve));
return [shown - before, performance.now() - before];
"""


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a headless Chromium."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    with tempfile.TemporaryDirectory() as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            yield driver
        finally:
            driver.quit()


def seconds_to_open(driver: Any, page: Path, is_ready: str) -> float:
    """Return the seconds from the start of the navigation until an expression is true."""
    driver.get("about:blank")
    begin = time.perf_counter()
    driver.get(page.as_uri())
    while not driver.execute_script(f"return Boolean({is_ready})"):
        time.sleep(0.005)
        if time.perf_counter() - begin > 60:
            return float("inf")
    return time.perf_counter() - begin


def summary(values: list[float], unit: str, digits: int) -> str:
    """Format the median and the maximum."""
    return f"{statistics.median(values):.{digits}f} {unit} (at most {max(values):.{digits}f})"


def measure_filters(driver: Any) -> dict[str, list[list[float]]]:
    """Return the latencies of clicks: switching each filter on, one at a time."""
    kinds = {
        "avoid a column": ".toggle.avoids",
        "require a column": ".toggle.uses",
        "column at the root": ".toggle.root",
    }
    latencies: dict[str, list[list[float]]] = {name: [] for name in kinds}
    n_columns = driver.execute_script("return document.querySelectorAll('#columns > li').length")
    for name, selector in kinds.items():
        for i in range(n_columns):
            key = driver.execute_script(
                "return document.querySelectorAll(arguments[0])[arguments[1]].dataset.key", selector, i
            )
            button = f"[data-key='{key}']"
            latencies[name].append(driver.execute_script(f"return (async () => {{ {CLICK} }})(...arguments)", button))
            driver.execute_script("document.querySelector('#undo').click()")
            time.sleep(0.2)
    return latencies


def measure_ours(driver: Any, name: str, folder: Path) -> None:
    """Print the figures of our page of all minimum trees of a data set."""
    data = load(name)
    forest = minimum_trees(data.table, data.target, binarize="thresholds", on_conflict="majority", time_limit=None)
    page = forest.explorer(folder / "ours.html", title=name)
    ready = "document.documentElement.dataset.ready"
    seconds = [seconds_to_open(driver, page, ready) for _ in range(N_RUNS)]
    size = page.stat().st_size / 1e6
    print(f"{name}, puretree: {forest.count:,} trees, {size:.2f} MB, opens in {summary(seconds, 's', 2)}")
    for kind, times in measure_filters(driver).items():
        handled, drawn = ([pair[i] for pair in times] for i in range(2))
        print(f"  {kind}: counted in {summary(handled, 'ms', 0)}; all is drawn after {summary(drawn, 'ms', 0)}")


def install_peer(folder: Path) -> Path | None:
    """Install tree-praxis in a new environment, and return its Python; None if that fails."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", PEER], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"tree-praxis is left out: {done.stderr.strip().splitlines()[-1]}")
        return None
    return python


def measure_peer(driver: Any, python: Path, name: str, folder: Path) -> None:
    """Print the figures of the page of tree-praxis for the same 0/1 features."""
    data = load(name)
    prepared = prepare(data.table, data.target, binarize="thresholds", on_conflict="majority")
    rows = folder / "rows.npz"
    np.savez(rows, X=prepared.binarizer.transform(prepared.table).astype(np.uint8), y=prepared.labels.codes)
    page = folder / "peer.html"
    command = [str(python), "-c", WRITE_PEER, str(rows), str(page), PEER_MULTIPLIERS[name]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        print(f"{name}, tree-praxis: {done.stderr.strip().splitlines()[-1]}")
        return
    ready = "document.readyState === 'complete' && document.body.innerText.trim().length > 0"
    seconds = [seconds_to_open(driver, page, ready) for _ in range(N_RUNS)]
    size = page.stat().st_size / 1e6
    n_trees = int(done.stdout.split()[-1])
    print(f"{name}, tree-praxis: {n_trees:,} trees, {size:.2f} MB, opens in {summary(seconds, 's', 2)}")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the folder of the paper's data sets")
    os.environ["PURETREE_DATA"] = parser.parse_args().data
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        sys.exit("this benchmark needs a browser: apt-get install chromium chromium-driver")
    with tempfile.TemporaryDirectory() as name, open_browser() as driver:
        folder = Path(name)
        measure_ours(driver, "new-thyroid", folder)
        python = install_peer(folder / "peer")
        for table in PEER_MULTIPLIERS:
            measure_ours(driver, table, folder)
            if python is not None:
                measure_peer(driver, python, table, folder)


if __name__ == "__main__":
    main()
