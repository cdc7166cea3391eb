"""``sovereignpa ...``: scenario sets, one episode in full, acceptance, scoring from logs, schemas."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

SHIPPED_SEED = 7
commands = typer.Typer(
    no_args_is_help=True, help="SovereignPA-Bench: generate and show scenarios, check acceptance, score logs again."
)


class Mode(StrEnum):
    """How the generator sets the design factors."""

    QUOTA = "quota"
    INDEPENDENT = "independent"


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
    app.add_typer(commands, name="sovereignpa")


Seed = Annotated[int, typer.Option("--seed", help="Seed of the scenario set; 7 is the shipped set.")]
Design = Annotated[
    Mode, typer.Option("--mode", help="quota: exact design counts. independent: every factor drawn on its own.")
]


@commands.command()
def generate(
    out: Annotated[Path, typer.Option("--out", help="Folder to write the set into.")],
    seed: Seed = SHIPPED_SEED,
    mode: Design = Mode.QUOTA,
) -> None:
    """Write a scenario set: situations, scenarios, vocabulary, prompts and a manifest with the SHA-256 of each file.

    The same seed and mode give the same bytes on every machine.

    Example: stewardbench sovereignpa generate --seed 11 --mode independent --out fresh
    """
    from stewardbench.sovereignpa.generate import Mode as GeneratorMode
    from stewardbench.sovereignpa.sets import write_set

    manifest = write_set(out, seed, GeneratorMode(mode.value))
    for name, entry in manifest["files"].items():
        typer.echo(f"{entry['sha256']}  {out / name}")


@commands.command()
def show(
    scenario: Annotated[str, typer.Argument(help="A scenario id, such as flights-03.stale or meal_kit-2.clean.")],
    agent: Annotated[str, typer.Option("--agent", help="A rule-based agent. Default: careful, or canceller.")] = "",
    seed: Seed = SHIPPED_SEED,
    mode: Design = Mode.QUOTA,
    pages_only: Annotated[bool, typer.Option("--pages", help="Show what an agent can see; play nothing.")] = False,
) -> None:
    """Show one episode: the pages, the dialogue, and the verdict of each metric with its reason.

    Example: stewardbench sovereignpa show flights-03.injection --agent naive
    """
    from stewardbench.sovereignpa.generate import Mode as GeneratorMode
    from stewardbench.sovereignpa.narrate import narrate, narrate_pages
    from stewardbench.sovereignpa.sets import find_scenario

    found = find_scenario(scenario, seed, GeneratorMode(mode.value))
    typer.echo(narrate_pages(found) if pages_only else narrate(found, agent))


@commands.command()
def accept(
    seed: Seed = SHIPPED_SEED,
    bands: Annotated[bool, typer.Option("--bands", help="Check bands over many sets instead of one table.")] = False,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="With --bands: the number of seeds, from 0.")] = 60,
    mode: Annotated[Mode, typer.Option("--mode", help="With --bands: the generator mode.")] = Mode.INDEPENDENT,
) -> None:
    """Compare the rule-based agents with the published table, cell by cell, on both splits.

    With --bands, compare them with the 95 % bands over many independently drawn sets (some minutes), or with
    --mode quota with the published figures over many quota sets. Exit code 1 where a cell misses.

    Example: stewardbench sovereignpa accept --bands --seeds 60
    """
    good = _print_bands(mode, seeds) if bands else _print_cells(seed)
    typer.echo("accepted" if good else "NOT accepted: see the lines marked MISS")
    if not good:
        raise typer.Exit(1)


@commands.command()
def rescore(
    run: Annotated[Path, typer.Argument(help="A run folder, or an episodes file.")],
    situations: Annotated[
        Path | None,
        typer.Option("--situations", help="The situations of the run. Default: tasks.jsonl beside the episodes."),
    ] = None,
) -> None:
    """Compute every metric of a run again, from its logs alone, and say where a stored one differs.

    Each log is scored twice: from its recorded events, and by playing its raw replies again. No model is called.

    Example: stewardbench sovereignpa rescore runs/careful
    """
    from stewardbench.errors import DataError
    from stewardbench.sovereignpa.records import read_logs
    from stewardbench.sovereignpa.rescore import differences
    from stewardbench.sovereignpa.sets import read_situations, scenarios_of

    episodes = run / "episodes.jsonl" if run.is_dir() else run
    known = scenarios_of(read_situations(situations or episodes.parent / "tasks.jsonl"))
    logs = list(read_logs(episodes))
    if not logs:
        raise DataError("no finished episode in it.", path=episodes, hint="Name a run folder or its episodes file.")
    changed = differences(logs, known)
    for difference in changed:
        typer.echo(f"{difference.scenario_id}: {', '.join(difference.fields)} differ when scored from {difference.by}")
    typer.echo(f"{len(logs)} episodes scored again, {len(changed)} differences")
    if changed:
        raise typer.Exit(1)


@commands.command()
def schema(
    record: Annotated[str, typer.Argument(help="domain, situation, subscription, booking-log or cancellation-log.")],
) -> None:
    """Print the JSON schema of a record.

    Example: stewardbench sovereignpa schema booking-log
    """
    import json

    from stewardbench.errors import UsageError
    from stewardbench.sovereignpa.schema import SCHEMAS, json_schema

    if record not in SCHEMAS:
        raise UsageError(f"no schema {record!r}.", hint=f"Known schemas: {', '.join(SCHEMAS)}.")
    typer.echo(json.dumps(json_schema(record), indent=2, ensure_ascii=False))


def _print_cells(seed: int) -> bool:
    from stewardbench.sovereignpa.acceptance import Cell, compare, compare_cancellation
    from stewardbench.sovereignpa.axes import Split

    good = True
    for split in Split:
        cells: list[Cell] = [*compare(split, seed), *compare_cancellation(split, seed)]
        typer.echo(f"{split.value} split, seed {seed}: published against ours")
        typer.echo(f"  {'agent':<16}{'column':<36}{'published':>10}{'ours':>10}{'n':>6}")
        for cell in cells:
            published = "-" if cell.published is None else f"{cell.published:g}"
            mark = {True: "ok", False: "MISS", None: ""}[cell.ok]
            typer.echo(
                f"  {cell.agent:<16}{cell.column:<36}{published:>10}{cell.ours:>10.2f}{cell.n:>6}  {mark}".rstrip()
            )
            good = good and cell.ok is not False
        typer.echo("")
    return good


def _print_bands(mode: Mode, seeds: int) -> bool:
    from stewardbench.sovereignpa.acceptance import bands
    from stewardbench.sovereignpa.generate import Mode as GeneratorMode

    with typer.progressbar(length=seeds, label="sets") as bar:
        found = bands(GeneratorMode(mode.value), range(seeds), lambda _: bar.update(1))
    typer.echo(f"{'agent':<16}{'column':<22}{'band':>16}{'smallest':>10}{'mean':>9}{'largest':>9}{'inside':>10}")
    for band in found:
        limits = f"{band.low:g} - {band.high:g}"
        mark = "ok" if band.ok else "MISS"
        typer.echo(
            f"{band.agent:<16}{band.column:<22}{limits:>16}{band.smallest:>10.2f}{band.mean:>9.2f}{band.largest:>9.2f}"
            f"{f'{band.inside}/{band.seeds}':>10}  {mark}"
        )
    return all(band.ok for band in found)
