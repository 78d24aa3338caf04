"""A Dask cluster on this machine, some of whose processes may be killed."""

import importlib
import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from helpers.bench_runs import ENVIRONMENT, wait_for

from puretree._support.run_script import end_with_parent


class Cluster:
    """A Dask scheduler and its workers as processes, on the loopback interface."""

    def __init__(self, folder: Path, processes: ExitStack) -> None:
        self._processes, self._folder = processes, folder
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self) -> None:
        """Start a worker with one thread."""
        worker = self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--local-directory", self._folder)
        self.workers.append(worker)

    def wait_for_workers(self, n_workers: int) -> None:
        """Wait until ``n_workers`` have joined."""
        distributed = importlib.import_module("distributed")
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(n_workers, timeout=60)

    def _start(self, program: str, *arguments: object) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *map(str, arguments), "--no-dashboard"]
        process = subprocess.Popen(  # must not outlive a killed pytest and slow down other tests
            command, env=ENVIRONMENT, stderr=subprocess.DEVNULL, preexec_fn=end_with_parent
        )
        self._processes.callback(process.wait)
        self._processes.callback(process.kill)
        return process
