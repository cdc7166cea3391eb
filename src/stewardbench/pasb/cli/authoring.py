"""``pasb build``, ``export``, ``review`` and ``gold``: making sets, and having people read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from stewardbench.pasb.authoring.builder import Batch
    from stewardbench.pasb.authoring.stages import Writer
    from stewardbench.pasb.judging.answers import Ask
    from stewardbench.pasb.tasks.draft import Draft
    from stewardbench.pasb.tasks.item import BaseItem

SHOWN = 20  # faults of one item that a build prints

_review = typer.Typer(no_args_is_help=True, help="Review a sample of a set by hand.")
_gold = typer.Typer(no_args_is_help=True, help="The gold subset: label sheets, and labels made gold.")


def register_build(app: typer.Typer) -> None:
    """Add the commands to the ``pasb`` group."""
    app.command("build")(build)
    app.command("export")(export)
    app.add_typer(_review, name="review")
    app.add_typer(_gold, name="gold")


def build(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[ITEMS...]", help="Item files or folders (YAML), or drafts (JSONL).")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for items, tasks, audit log and manifest.")] = None,
    writer: Annotated[str | None, typer.Option(help="Model that writes drafts out: any Inspect model.")] = None,
    structured: Annotated[
        bool, typer.Option("--structured", help="Have the writer's server hold its replies to their JSON schema.")
    ] = False,
    auditor: Annotated[str | None, typer.Option(help="Model that reads each task: any Inspect model.")] = None,
    iterations: Annotated[int, typer.Option(min=0, help="How often a failed stage is done again.")] = 3,
    workers: Annotated[int, typer.Option(min=1, help="Items built at the same time.")] = 4,
    packaged: Annotated[bool, typer.Option("--packaged", help="Renew the companions of the packaged set.")] = False,
    check: Annotated[bool, typer.Option("--check", help="With --packaged: change nothing, say what is stale.")] = False,
) -> None:
    """Build tasks from base items, or from drafts with a writer; audit them; write a set.

    What fails goes back to the stage that made it. The build succeeds below 5 % of failed tasks, and names the rest.

    Example: stewardbench pasb build items/ --out set
    Example: stewardbench pasb build drafts.jsonl --writer openai/gpt-5 --auditor openai/gpt-5 --structured --out set
    """
    import asyncio

    from stewardbench.errors import UsageError
    from stewardbench.pasb.authoring import builder
    from stewardbench.pasb.authoring.output import write_batch

    if packaged:
        _companions(check)
        return
    if not paths or out is None:
        raise UsageError("build needs items and a folder.", hint="Write: stewardbench pasb build ITEMS.yaml --out DIR")
    sources = _sources(paths)
    write = _writer(writer, structured=structured) if writer else None
    read = _asker(auditor) if auditor else None
    batch = asyncio.run(builder.build(sources, writer=write, auditor=read, iterations=iterations, workers=workers))
    counts = write_batch(batch, out)
    _print_batch(batch)
    typer.echo(f"written to {out}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    if not batch.succeeded:
        typer.echo(f"{100 * batch.failure_rate:.1f} % failed; below {100 * builder.TOLERATED:.0f} % wanted", err=True)
        raise typer.Exit(1)


def _companions(check: bool) -> None:
    from stewardbench.pasb.authoring.package import stale, write_companions

    names = list(stale()) if check else write_companions()
    typer.echo(f"{'stale' if check else 'renewed'}: {', '.join(names) or 'nothing'}")
    if check and names:
        raise typer.Exit(1)


def _sources(paths: list[Path]) -> list[BaseItem | Draft]:
    """Items of YAML files that say so, and drafts of all other files."""
    from stewardbench.errors import DataError
    from stewardbench.pasb.tasks.draft import read_drafts
    from stewardbench.pasb.tasks.source import item_files, read_item

    found: list[BaseItem | Draft] = []
    for path in item_files(paths):
        drafted = path.suffix not in {".yaml", ".yml"} or (path.exists() and "pasb-draft/1" in path.read_text("utf-8"))
        found += list(read_drafts(path)) if drafted else [read_item(path)]
    if not found:
        raise DataError("holds no item.", path=paths[0], hint="Name item files or folders (YAML), or drafts (JSONL).")
    ids = [source.id for source in found]
    if repeated := sorted({one for one in ids if ids.count(one) > 1}):
        raise DataError(f"{repeated[0]} stands in several files.", hint="Give every base item an id of its own.")
    return found


def _asker(name: str) -> Ask:
    from stewardbench.models.upstreams import open_upstream
    from stewardbench.pasb.run.judges import asker

    return asker(open_upstream(name))


def _writer(name: str, *, structured: bool) -> Writer:
    from stewardbench.models.upstreams import open_upstream
    from stewardbench.pasb.run.judges import asker

    upstream = open_upstream(name)

    async def write(prompt: str, schema: dict[str, Any]) -> str:
        return await asker(upstream, schema if structured else None)(prompt)

    return write


def _print_batch(batch: Batch) -> None:
    for one in batch.built:
        state = one.reason or (f"{len(one.failed)} tasks failed" if one.failed else "ok")
        typer.echo(f"{one.id}: {len(one.tasks)} tasks, {one.iterations} repeats, {state}")
        last = [line for line in one.log if not line.passed and line.iteration == one.iterations] if one.failed else []
        for line in last[:SHOWN]:
            typer.echo(f"  {line.place or line.task_id}: {line.note}")
        if len(last) > SHOWN:
            typer.echo(f"  and {len(last) - SHOWN} more, all of them in audit.jsonl")
    typer.echo(f"{len(batch.passed)} of {batch.expected} tasks passed.")


def export(
    sets: Annotated[list[str] | None, typer.Argument(metavar="[SET...]", help="open, open:twin, smoke, ...")] = None,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("tasks"),
) -> None:
    """Write sets as JSONL with deterministic bytes, and beside them the card, schema, licence and errata.

    Example: stewardbench pasb export open open:twin --out tasks
    """
    from stewardbench.pasb.authoring.output import jsonl
    from stewardbench.pasb.authoring.package import FOLDER
    from stewardbench.pasb.tasks.load import load_tasks
    from stewardbench.records.files import write_file

    out.mkdir(parents=True, exist_ok=True)
    for spec in sets or ["open"]:
        tasks = load_tasks(spec)
        name, _, variant = spec.partition(":")
        path = out / f"{variant or 'natural' if name == 'open' else spec.replace(':', '_')}.jsonl"
        write_file(path, jsonl(tasks))
        typer.echo(f"{path}: {len(tasks)} tasks")
    for file in ("croissant.json", "manifest.json", "task.schema.json", "gold.json", "errata.yaml", "LICENSE"):
        write_file(out / file, (FOLDER / file).read_text(encoding="utf-8"))


@_review.command("export")
def review_export(
    out: Annotated[Path, typer.Argument(help="CSV file to write.")],
    tasks: Annotated[str, typer.Option(help="The set to review.")] = "open",
    share: Annotated[float, typer.Option(help="Share of the tasks: 0.05, or 0.20 for a new set.")] = 0.05,
    reviewer: Annotated[str, typer.Option(help="Who fills the sheet.")] = "",
    seed: Annotated[int, typer.Option(help="Which sample.")] = 0,
) -> None:
    """Write a balanced sample as a sheet: y or n for each of the seven dimensions.

    Example: stewardbench pasb review export sheet.csv --reviewer A
    """
    from stewardbench.pasb.authoring.review import review_sample, review_sheet
    from stewardbench.pasb.tasks.load import load_tasks
    from stewardbench.records.files import write_file

    sample = review_sample(load_tasks(tasks), share, seed)
    write_file(out, review_sheet(sample, reviewer))
    typer.echo(f"{out}: {len(sample)} tasks to review")


@_review.command("import")
def review_import(file: Annotated[Path, typer.Argument(help="A filled sheet.")]) -> None:
    """Say what a filled sheet holds: yes answers per dimension, and every no.

    Example: stewardbench pasb review import sheet.csv
    """
    from stewardbench.errors import DataError
    from stewardbench.pasb.audit.problems import DIMENSIONS
    from stewardbench.pasb.authoring.review import read_review

    review = read_review(file)
    if not any(answered for _, answered in review.answers.values()):
        raise DataError("holds no answer.", path=file, hint="Fill the seven columns with y or n.")
    typer.echo(f"{review.tasks} tasks, {review.unanswered} cells empty")
    for dim, (yes, answered) in review.answers.items():
        typer.echo(f"  {dim} {DIMENSIONS[dim]}: {yes} of {answered}")
    for no in review.objections:
        typer.echo(f"{no.task_id}: {no.dim} {DIMENSIONS[no.dim]}: {no.comment or 'no comment'} ({no.reviewer or '-'})")


@_gold.command("export")
def gold_export(
    out: Annotated[Path, typer.Argument(help="CSV file to write.")],
    annotator: Annotated[str, typer.Option(help="Who fills the sheet.")],
    replies: Annotated[Path | None, typer.Option(help="JSONL of task_id and replies (three texts) to label.")] = None,
) -> None:
    """Write the label sheet of the 50 gold tasks for one annotator: 14 scores per task.

    Example: stewardbench pasb gold export a.csv --annotator A --replies replies.jsonl
    """
    from stewardbench.errors import DataError
    from stewardbench.pasb.authoring.gold import label_sheet, read_replies
    from stewardbench.pasb.tasks.load import gold_tasks
    from stewardbench.records.files import write_file

    said = read_replies(replies) if replies else {}
    chosen = gold_tasks()
    if replies and not any(task.task_id in said for task in chosen):
        hint = "Run the agent with --tasks gold, and write task_id and replies of each task."
        raise DataError("holds replies to none of the gold tasks.", path=replies, hint=hint)
    write_file(out, label_sheet(chosen, said, annotator))
    typer.echo(f"{out}: {len(chosen)} tasks, {sum(task.task_id in said for task in chosen)} with replies")


@_gold.command("adjudicate")
def gold_adjudicate(
    sheets: Annotated[list[Path], typer.Argument(help="Filled sheets, one or more annotators.")],
    out: Annotated[Path | None, typer.Option(help="Write the gold scores to this JSON file.")] = None,
) -> None:
    """Make gold of labels: majority, else a near median, else the row of "adjudicator".

    Example: stewardbench pasb gold adjudicate a.csv b.csv c.csv d.csv --out gold.json
    """
    from stewardbench.errors import DataError
    from stewardbench.pasb.authoring.gold import adjudicate, read_labels
    from stewardbench.pasb.authoring.output import as_json
    from stewardbench.records.files import write_file

    labels = [label for sheet in sheets for label in read_labels(sheet)]
    if not labels:
        raise DataError("holds no score.", path=sheets[0], hint="Fill the score columns with 1 to 5.")
    gold = adjudicate(labels)
    typer.echo(f"{len(gold.scores)} gold scores, {len(gold.open_places)} for the adjudicator")
    for task_id, place in gold.open_places:
        typer.echo(f"  {task_id} {place}")
    if out:
        rows: dict[str, dict[str, int]] = {}
        for (task_id, place), score in sorted(gold.scores.items()):
            rows.setdefault(task_id, {})[place] = score
        write_file(out, as_json(rows))
