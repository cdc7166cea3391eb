"""``agreement`` and ``probe``: how good the judge is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stewardbench.runs.closing import Closing


def agreement(
    runs: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Judged run folders.")],
    *,
    gold: Annotated[Path | None, typer.Option(help="Human labels: JSON lines or a CSV sheet.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the tables here. Default: DIR/agreement.")] = None,
    table: Annotated[str | None, typer.Option(help="Print this table in full, e.g. confusion.")] = None,
    at: Annotated[float, typer.Option(help="Failing score; the paper's is 3.")] = 3.0,
) -> None:
    """Measure the judge: against gold, other judges and itself; at other failing scores; on answers without the claim.

    Example: stewardbench agreement runs/hermes --gold gold.jsonl
    """
    from rich.console import Console

    from stewardbench.errors import UsageError
    from stewardbench.pasb.agreement.report import agreement as measure
    from stewardbench.pasb.agreement.show import show_agreement
    from stewardbench.report.show import show_table
    from stewardbench.report.write import write_table

    found = measure(runs, gold, at=at)
    console = Console()
    if table:
        chosen = {one.id: one for one in found.tables}
        if table not in chosen:
            raise UsageError(f"no table {table!r} here.", hint=f"There are: {', '.join(chosen)}.")
        show_table(chosen[table], console)
    else:
        show_agreement(found, console)
    folder = out or runs[0] / "agreement"
    folder.mkdir(parents=True, exist_ok=True)
    for one in found.tables:
        write_table(one, folder)
    typer.echo(f"\n{len(found.tables)} tables in {folder}")


def probe(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="A PASB run folder.")],
    *,
    judge: Annotated[list[str], typer.Option(help="A model, or 'reference' for scripted models; may be repeated.")],
    share: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of episodes to probe.")] = 0.1,
    same_family: Annotated[bool, typer.Option(help="Allow a judge of the subject's own family.")] = False,
    workers: Annotated[int, typer.Option(help="Episodes that are read at the same time.")] = 8,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")] = False,
) -> None:
    """Judge blank, swapped and claim-free answers in place of the real ones; every score should be 1. Resumable.

    Example: stewardbench probe runs/hermes --judge openrouter/moonshotai/kimi-k2.6 --share 0.05
    """
    import asyncio

    from stewardbench.errors import UsageError
    from stewardbench.pasb.judging.probes import PROBES
    from stewardbench.pasb.run.judges import open_judge
    from stewardbench.pasb.run.probing import ProbeStore, probe_stored
    from stewardbench.pasb.run.scoring import Reading, estimate_judging
    from stewardbench.runs.terminal import ProgressLine

    closings: list[Closing] = []
    for name in judge:
        for kind in PROBES:
            stored = ProbeStore(run, kind, share, locked=not dry_run)
            try:
                if dry_run:
                    cost = estimate_judging(stored.judging(name, Reading()), Reading())
                    typer.echo(
                        f"{name}, {kind}: {cost.records} records, {cost.calls} calls, about {cost.input_tokens:,} "
                        f"tokens in and {cost.output_tokens:,} out"
                    )
                    continue
                chosen = open_judge(name, stored.subject, allow_same_family=same_family)
                with ProgressLine() as line:
                    done = asyncio.run(probe_stored(stored, chosen, workers=workers, watch=line))
                closings.append(stored.closing(name, done.unjudged_for))
                typer.echo(f"{name}, {kind}: {closings[-1].line}")
            finally:
                stored.folder.close()
    if dry_run:
        return
    if not any(closing.asked for closing in closings):
        raise UsageError(f"{run}: no valid episode is in a share of {share:g}.", hint="Raise --share.")
    if code := max(closing.exit_code for closing in closings):
        typer.echo("The same command reads what is missing.", err=True)
        raise typer.Exit(code)


def register(app: typer.Typer) -> None:
    """Add the commands to the root command."""
    app.command()(agreement)
    app.command()(probe)
