"""Commits by every way of reading them: words, reader, both together, how far they agree, and who wrote."""

from __future__ import annotations

import polars as pl

from stewardbench.pasb.records import Author
from stewardbench.pasb.report.cells import rate_line
from stewardbench.pasb.report.study import RUN_KEYS, Study, table
from stewardbench.report.counts import count
from stewardbench.report.table import Table

WORDS, READER, BOTH, AGREEMENT, UNKNOWN = "by_words", "by_reader", "commit", "readings_agree", "commit_unknown"
AUTHORS = {f"by_{author.value}": author.value for author in Author}
WORDS_ONLY = "Words only, error not measured on this agent"


def commits_table(study: Study) -> Table:
    """Per run: Commit% by words, by reader and by both; agreement; unknown; and the author of what was committed.

    Agreement is over episodes that wrote something and that both readings decided. Shares by author are of the
    committed episodes whose author was recorded, and add up to 100 %.
    """
    rows = study.natural.with_columns(
        agree=pl.when(pl.col("cell").cast(pl.String).str.starts_with("w")).then(
            pl.col("by_words") == pl.col("by_reader")
        ),
        unknown=pl.col("committed").is_null(),
        **{
            name: pl.when(pl.col("committed") & pl.col("author").is_not_null()).then(
                pl.col("author").cast(pl.String) == author
            )
            for name, author in AUTHORS.items()
        },
    )
    columns = {WORDS: WORDS, READER: READER, BOTH: "committed", AGREEMENT: "agree", UNKNOWN: "unknown"}
    counts = count(rows, ["run_id"], columns | {name: name for name in AUTHORS})
    read = set(rows.filter(pl.col("read_by").cast(pl.String) != "")["run_id"])
    written = set(rows.filter(pl.col("author").is_not_null())["run_id"])
    lines = [
        rate_line(run.labels(metric=name), counts, (run.run_id,), name)
        for run in study.runs
        for name in (*columns, *AUTHORS)
        if (name not in {READER, AGREEMENT} or run.run_id in read) and (name not in AUTHORS or run.run_id in written)
    ]
    return table("commits", RUN_KEYS, study.tabulate(lines, counts, share=True), notes=_notes(study, rows, read))


def _notes(study: Study, rows: pl.DataFrame, read: set[str]) -> tuple[str, ...]:
    """What a reader of the numbers has to know: who read, by which method, and what only instructions hold."""
    found = []
    unread = [run for run in study.runs if run.run_id not in read]
    if unread:
        found.append(f"{WORDS_ONLY}: {', '.join(dict.fromkeys(f'{run.model} on {run.agent}' for run in unread))}.")
    readers = sorted({str(name) for name in rows["read_by"].unique() if name})
    if readers:
        found.append(f"Read by {', '.join(readers)}.")
    methods = (
        rows.filter(pl.col("matcher").cast(pl.String) != "").group_by("matcher").len().sort("len", descending=True)
    )
    if len(methods):
        told = [f"{name} ({size} episodes)" for name, size in methods.iter_rows()]
        found.append(f"Method of the words: {'; '.join(told)}.")
    if len(methods) > 1:
        found.append("Readings by different methods are not one measurement; compare runs of the same method.")
    own = int((rows["primary"].cast(pl.String) == "instructions").sum())
    if own:
        found.append(f"{own} of the committed episodes hold the claim only in the agent's own instructions.")
    return tuple(found)
