"""``pasb ...``: items, tasks, audits, building and showing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stewardbench.pasb.cli.authoring import register_build
from stewardbench.pasb.cli.commit_audit import register_commit_audit
from stewardbench.pasb.cli.commit_check import register_commit_check
from stewardbench.pasb.cli.commit_reading import register_commit_reading
from stewardbench.pasb.cli.items import register_items

if TYPE_CHECKING:
    from stewardbench.statistics.interval import Interval

_app = typer.Typer(
    no_args_is_help=True, help="Tasks of the persistent-sycophancy benchmark: show, audit, import, build."
)
_items = typer.Typer(no_args_is_help=True, help="Base items: the YAML files that tasks are laid out from.")
_app.add_typer(_items, name="items")
register_items(_items)
_plan = typer.Typer(no_args_is_help=True, help="Plans: the sessions, cuts, edits and forks of a trial, as data.")
_app.add_typer(_plan, name="plan")


@_items.command("check")
def check(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Item files, or folders of them.")],
) -> None:
    """Check base items against the authoring rules, one line per fault.

    Example: stewardbench pasb items check items/PASB-PRF-0001.yaml
    """
    from stewardbench.errors import DataError
    from stewardbench.pasb.authoring.item_rules import check_item
    from stewardbench.pasb.tasks.source import item_files, read_item

    faulty = 0
    files = item_files(paths)
    for path in files:
        try:
            faults = [str(finding) for finding in check_item(read_item(path))]
        except DataError as error:
            faults = [str(error)]
        faulty += bool(faults)
        typer.echo(f"{path}: {'ok' if not faults else f'{len(faults)} faults'}")
        for fault in faults:
            typer.echo(f"  {fault}")
    typer.echo(f"{len(files) - faulty} of {len(files)} items are ready.")
    if faulty:
        raise typer.Exit(1)


@_items.command("new")
def new(
    item: Annotated[str, typer.Argument(metavar="ID", help="For example PASB-PRF-0002.")],
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of printing.")] = None,
) -> None:
    """Print an empty item to write into, with word counts, and with what the plan of the open set fixes for its id.

    Example: stewardbench pasb items new PASB-PRF-0002 --out PASB-PRF-0002.yaml
    """
    from stewardbench.errors import UsageError
    from stewardbench.pasb.authoring.skeleton import skeleton
    from stewardbench.records.files import write_file

    text = skeleton(item)
    if out is None:
        typer.echo(text, nl=False)
    elif out.exists():
        raise UsageError(f"{out} exists already.", hint="Name another file.")
    else:
        write_file(out, text)


@_app.command("audit")
def audit(
    sets: Annotated[
        list[str] | None, typer.Argument(metavar="[SET...]", help="open, smoke, open:VARIANT, released:FILE or a file.")
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Also list each problem, task by task.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the tasks with their audit entries to this JSONL file.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 unless every task passes every rule.")] = False,
) -> None:
    """Audit sets of tasks by rule, in the seven dimensions, side by side.

    Example: stewardbench pasb audit open released:tasks.jsonl
    """
    from rich.console import Console

    from stewardbench.pasb.audit.dimensions import entries
    from stewardbench.pasb.audit.summary import summarise
    from stewardbench.pasb.cli.tables import audit_tables
    from stewardbench.pasb.tasks.load import PACKAGED, load_tasks
    from stewardbench.records.files import write_file

    specs = sets or ["open"]
    loaded = {spec: load_tasks(spec) for spec in specs}
    arms = {
        spec: [load_tasks(f"{spec}:{arm}") for arm in ("twin", "true_claim")] if spec in PACKAGED else ()
        for spec in specs
    }
    summaries = [summarise(_short(spec), loaded[spec], *arms[spec]) for spec in specs]
    console = Console()
    for table in audit_tables(summaries):
        console.print(table)
    for summary in summaries if rows else []:
        for task_id, problems in summary.report.problems.items():
            for problem in problems:
                typer.echo(f"{task_id}: {problem}")
    if out:
        audited = (
            task.model_copy(update={"audit": entries(summary.report.problems[task.task_id])})
            for spec, summary in zip(specs, summaries, strict=True)
            for task in loaded[spec]
        )
        write_file(out, "".join(task.to_json() + "\n" for task in audited))
        typer.echo(f"written: {out}")
    if strict and any(summary.report.clean() < summary.report.n for summary in summaries):
        raise typer.Exit(1)


def _short(spec: str) -> str:
    """A column heading: the name of a packaged set, or of a file without its folders."""
    from stewardbench.pasb.tasks.load import PACKAGED

    name, _, rest = spec.partition(":")
    return name if name == "released" else spec if name in PACKAGED else Path(rest or name).name


@_app.command("show")
def show(
    task_id: Annotated[str, typer.Argument(metavar="TASK", help="A task id, or the beginning of some.")],
    tasks: Annotated[str, typer.Option(help="The set to look in.")] = "open",
) -> None:
    """Print tasks as dialogues: persist session, cut, query session.

    Example: stewardbench pasb show PASB-PRF-0001__signed_memory__drip
    """
    from stewardbench.errors import UsageError
    from stewardbench.pasb.cli.tables import task_text
    from stewardbench.pasb.tasks.load import load_tasks

    loaded = load_tasks(tasks)
    found = [task for task in loaded if task.task_id == task_id] or [
        task for task in loaded if task.task_id.startswith(task_id)
    ]
    if not found:
        hint = f"Its ids look like {loaded[0].task_id}."
        raise UsageError(f"no task {task_id} in {tasks}.", hint=hint)
    typer.echo("\n\n".join(task_text(task) for task in found))


@_plan.command("list")
def list_plans() -> None:
    """Every plan with what it is for.

    Example: stewardbench pasb plan list
    """
    from stewardbench.pasb.episode.plan import PLANS

    for plan in PLANS.values():
        typer.echo(f"{plan.name:12} {plan.about}")


@_plan.command("show")
def show_plan(name: Annotated[str, typer.Argument(metavar="PLAN", help="A plan's name.")]) -> None:
    """Print the sessions, cuts, edits and forks of a plan in words.

    Example: stewardbench pasb plan show natural
    """
    from stewardbench.pasb.episode.plan import plan_named

    plan = plan_named(name)
    typer.echo("\n".join((f"{plan.name}: {plan.about}", *plan.words())))


@_app.command("import")
def import_(
    kind: Annotated[str, typer.Argument(metavar="pasb|persistbench|elephant", help="The format of the file.")],
    file: Annotated[Path, typer.Argument(help="Your own copy of the upstream file.")],
    out: Annotated[
        Path | None, typer.Option(help="Write tasks (pasb) or drafts (the others) to this JSONL file.")
    ] = None,
    targets: Annotated[
        Path | None,
        typer.Option(help="persistbench: CSV of source_id and memory_index, which memories carry the claim."),
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="List each violation, row by row.")] = False,
) -> None:
    """Turn your copy of upstream data into tasks or drafts; every violation is listed, none repaired.

    Rows of the public PASB release become tasks. PersistBench and ELEPHANT rows become drafts, which
    "stewardbench pasb build" writes out into tasks.

    Example: stewardbench pasb import pasb tasks.jsonl --out mine.jsonl
    """
    from stewardbench.errors import UsageError
    from stewardbench.pasb.tasks.upstream import import_elephant, import_persistbench
    from stewardbench.records.files import write_file

    if kind == "pasb":
        audit([f"released:{file}"], rows=rows, out=out)
        return
    if kind == "persistbench":
        if targets is None:
            hint = "Write a CSV with the columns source_id and memory_index, and name it with --targets."
            raise UsageError("persistbench rows do not say which memories carry the claim.", hint=hint)
        found = import_persistbench(file, targets)
    elif kind == "elephant":
        found = import_elephant(file)
    else:
        raise UsageError(f"there is no format {kind!r}.", hint="Choose pasb, persistbench or elephant.")
    reasons = Counter(skipped.reason for skipped in found.skipped)
    typer.echo(f"{len(found.drafts)} drafts, {len(found.skipped)} rows left out")
    for reason, count in reasons.most_common():
        typer.echo(f"  {count} {reason}")
    for skipped in found.skipped if rows else ():
        typer.echo(f"row {skipped.row}: {skipped.reason}")
    if not found.drafts:
        typer.echo(f"No row of {file} qualifies; nothing was written. --rows lists each row's reason.", err=True)
        raise typer.Exit(1)
    if out:
        write_file(out, "".join(draft.to_json() + "\n" for draft in found.drafts))
        typer.echo(f"written: {out}\nnext: stewardbench pasb build {out} --writer MODEL --out DIR")


@_app.command("twins")
def twins(folder: Annotated[Path, typer.Argument(help="A run folder of twin tasks.")]) -> None:
    """Say how often an agent kept and used what it should, and how often it dragged it in elsewhere.

    Example: stewardbench run pasb --tasks open:twin --model M --out runs/twins && stewardbench pasb twins runs/twins
    """
    from stewardbench.pasb.measure.twins import twin_rates
    from stewardbench.pasb.records import Episode, Task
    from stewardbench.pasb.run.store import EPISODES, TASKS, read_records
    from stewardbench.runs.folder import RunFolder

    run = RunFolder.read(folder)
    rows = twin_rates(read_records(run, TASKS, Task), read_records(run, EPISODES, Episode))
    for row in rows:
        name = row.scenario.value if row.scenario else "all"
        shares = (("kept", row.kept), ("used in scope", row.used), ("intruded out of scope", row.intruded))
        told = "  ".join(f"{label} {_percent(share)}" for label, share in shares)
        typer.echo(f"{name:20} {told}  invalid {row.invalid}")


def _percent(share: Interval) -> str:
    """A rate in percent with its interval and n."""
    if not share.n:
        return "- (n 0)"
    return f"{100 * share.estimate:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}] (n {share.n})"


@_app.command("schema")
def schema(
    record: Annotated[str, typer.Argument(metavar="task|item|draft", help="Which record.")] = "task",
) -> None:
    """Print the JSON schema of a record.

    Example: stewardbench pasb schema task
    """
    import json

    from stewardbench.errors import UsageError
    from stewardbench.pasb.tasks.schema import SCHEMAS, json_schema

    if record not in SCHEMAS:
        raise UsageError(f"there is no record {record!r}.", hint=f"Choose one of {', '.join(SCHEMAS)}.")
    typer.echo(json.dumps(json_schema(record), indent=2, ensure_ascii=False))


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
    register_build(_app)
    register_commit_audit(_app)
    register_commit_check(_app)
    register_commit_reading(_app)
    app.add_typer(_app, name="pasb")
