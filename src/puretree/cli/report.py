"""``puretree report``: write a model card and a dossier of a run."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from . import options


def report(
    run: options.RunFolder,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="The output folder. Default: RUN/report.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace documents that were edited.")] = False,
    test: Annotated[
        list[Path] | None,
        typer.Option("--test", metavar="FILE", help="Labelled rows to evaluate the tree on; repeatable."),
    ] = None,
    data: options.MovedData = None,
    time_limit: Annotated[
        str,
        typer.Option("--time-limit", metavar="SECONDS", help="For finding all minimum trees; 'none' for no limit."),
    ] = options.DEFAULT_TIME_LIMIT,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
) -> int:
    """Write a model card and a dossier of a run, as Markdown and HTML."""
    from ..report import ProofRecord, collect_facts, require_report_folder, save_report
    from ..runs.store import FILES
    from .inputs import open_model, reread_data
    from .output import note, put, put_json
    from .progress import Progress

    opened = open_model(run).run
    if opened is None:
        raise InputError(f"{run} is a model; a report needs a run folder, written by 'puretree fit --out'")
    folder = out or Path(run) / "report"
    require_report_folder(folder, force=force)  # before the work, not after it
    table = reread_data(opened, data)
    seconds = options.parse_seconds(time_limit)
    hashes = {name: hashlib.sha256((Path(run) / name).read_bytes()).hexdigest() for name in FILES}
    with Progress(table.dataset.n_rows, seconds, quiet=quiet, verbose=verbose) as progress:
        facts = collect_facts(
            opened,
            table.dataset,
            tests=test or (),
            time_limit=seconds,
            proof=ProofRecord.read(opened, Path(run)),
            files=hashes,
            on_progress=progress,
        )
    written = save_report(facts, folder, force=force)
    if json:
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in written.items()}
        put_json({"folder": str(folder), "documents": digests, **facts.to_dict()})
        return 0
    for name in written:
        put(str(folder / name))
    if facts.trees.unknown_reason and not quiet:
        note(f"note: {facts.trees.unknown_reason}")
    return 0
