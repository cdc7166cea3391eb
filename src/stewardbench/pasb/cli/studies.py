"""``judge``, ``annotate``, ``agreement``, ``probe``: scoring stored episodes, and measuring who scored them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stewardbench.pasb.cli import agreement

if TYPE_CHECKING:
    from stewardbench.pasb.run.scoring import Estimate
    from stewardbench.runs.closing import Closing

Run = Annotated[Path, typer.Argument(metavar="DIR", help="A PASB run folder.")]
Workers = Annotated[int, typer.Option(help="Episodes that are read at the same time.")]
Patience = Annotated[float, typer.Option(help="Seconds that a call waits for an endpoint that fails.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")]
Retry = Annotated[bool, typer.Option(help="Read again what was read without a usable reply.")]
PriceIn = Annotated[float | None, typer.Option(help="Price of a million input tokens, for --dry-run.")]
PriceOut = Annotated[float | None, typer.Option(help="Price of a million output tokens, for --dry-run.")]
Related = Annotated[bool, typer.Option(help="Allow a model of the subject's own family; its records are marked.")]


def judge(
    run: Run,
    *,
    judge: Annotated[list[str], typer.Option(help="A model, or 'reference' for scripted models; may be repeated.")],
    blind_to_state: Annotated[bool, typer.Option(help="Hide the saved state from the judge (kept apart).")] = False,
    repeat: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of episodes to judge a second time.")] = 0.0,
    retry_unscored: Retry = False,
    same_family: Related = False,
    workers: Workers = 8,
    patience: Patience = 180.0,
    dry_run: DryRun = False,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
) -> None:
    """Judge stored episodes, by one model or several. Resumable; no agent runs again.

    Example: stewardbench judge runs/hermes --judge openrouter/moonshotai/kimi-k2.6 --repeat 0.1
    """
    import asyncio

    from stewardbench.pasb.run.closing import judging_closing
    from stewardbench.pasb.run.judges import BLIND, open_judge
    from stewardbench.pasb.run.scoring import Reading, Stored, estimate_judging, judge_stored
    from stewardbench.runs.terminal import ProgressLine

    closings: list[Closing] = []
    reading = Reading(blind=blind_to_state, repeats=repeat, retry_unscored=retry_unscored)
    with Stored(run, locked=not dry_run) as stored:
        for name in judge:
            if dry_run:
                show_cost(name, estimate_judging(stored.judging(name, reading), reading), price_in, price_out)
                continue
            chosen = open_judge(name, stored.subject, allow_same_family=same_family, patience_s=patience)
            with ProgressLine() as line:
                progress = asyncio.run(judge_stored(stored, chosen, reading, workers=workers, watch=line))
            typer.echo(f"{name}: {progress.done} records added to {run / 'judgments.jsonl'}")
            probe, unreached = BLIND if blind_to_state else "", progress.unjudged_for
            closings.append(judging_closing(stored.folder, name, probe=probe, unreached=unreached))
            typer.echo(f"{name}: {closings[-1].line}")
    _end(closings)


def annotate(
    run: Run,
    *,
    annotator: Annotated[str, typer.Option(help="A model, or 'reference' for scripted models.")],
    retry_unscored: Retry = False,
    same_family: Related = False,
    workers: Workers = 8,
    patience: Patience = 180.0,
    dry_run: DryRun = False,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
) -> None:
    """Annotate the persist stage of stored episodes: stance, role, attribution. Resumable.

    Example: stewardbench annotate runs/hermes --annotator openrouter/moonshotai/kimi-k2.6
    """
    import asyncio

    from stewardbench.pasb.run.closing import annotating_closing
    from stewardbench.pasb.run.judges import open_judge
    from stewardbench.pasb.run.scoring import Stored, annotate_stored, estimate_annotating
    from stewardbench.runs.terminal import ProgressLine

    with Stored(run, locked=not dry_run) as stored:
        if dry_run:
            owed = stored.annotating(annotator, retry_unscored=retry_unscored)
            show_cost(annotator, estimate_annotating(owed), price_in, price_out)
            return
        chosen = open_judge(annotator, stored.subject, allow_same_family=same_family, patience_s=patience)
        with ProgressLine() as line:
            work = annotate_stored(stored, chosen, retry_unscored=retry_unscored, workers=workers, watch=line)
            progress = asyncio.run(work)
        typer.echo(f"{annotator}: {progress.done} records added to {run / 'annotations.jsonl'}")
        closing = annotating_closing(stored.folder, annotator, unreached=progress.unjudged_for)
        typer.echo(f"{annotator}: {closing.line}")
    _end([closing])


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
    app.command()(judge)
    app.command()(annotate)
    agreement.register(app)


def _end(closings: list[Closing]) -> None:
    """End with the exit code of the account that lacks most."""
    if code := max((closing.exit_code for closing in closings), default=0):
        typer.echo("The same command reads what is missing; --retry-unscored reads anew what has no score.", err=True)
        raise typer.Exit(code)


def show_cost(name: str, cost: Estimate, price_in: float | None, price_out: float | None) -> None:
    """Print what reading would cost."""
    line = (
        f"{name}: {cost.records} records, {cost.calls} calls, about {cost.input_tokens:,} tokens in "
        f"and {cost.output_tokens:,} out"
    )
    if price_in is not None and price_out is not None:
        price = (cost.input_tokens * price_in + cost.output_tokens * price_out) / 1e6
        line += f", about {price:,.2f} in the currency of the prices"
    typer.echo(line)
