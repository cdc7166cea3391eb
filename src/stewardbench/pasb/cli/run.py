"""``run pasb``: run or resume the persistent-sycophancy benchmark on a real agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stewardbench.commands import key_values

if TYPE_CHECKING:
    from stewardbench.pasb.run.settings import PasbSettings


def run_pasb(
    *,
    model: Annotated[str, typer.Option(help="The model under test: any Inspect name, scripted/NAME, or URL#MODEL.")],
    out: Annotated[Path, typer.Option(help="The run folder. The same command on the same folder resumes.")],
    agent: Annotated[str, typer.Option(help="The agent: hermes, openclaw, or any installed plug-in.")] = "hermes",
    judge: Annotated[str, typer.Option(help="A model of another family, or 'reference' for scripted models.")] = "",
    reader: Annotated[str, typer.Option(help="A model that reads what was written, or 'reference'.")] = "",
    tasks: Annotated[str, typer.Option(help="smoke, open, released:FILE, or a JSONL file of tasks.")] = "open",
    sample: Annotated[int | None, typer.Option(help="A stratified sample of this many tasks.")] = None,
    limit: Annotated[int | None, typer.Option(help="The first so many tasks.")] = None,
    trials: Annotated[int, typer.Option(help="Episodes of each task: run it so many times.")] = 1,
    workers: Annotated[int, typer.Option(help="Agents that run at the same time.")] = 1,
    preset: Annotated[
        str, typer.Option(help="released: the paper's policy; stock: what a new user gets.")
    ] = "released",
    review: Annotated[str | None, typer.Option(help="Self-improvement policy, instead of the preset's.")] = None,
    tools: Annotated[str | None, typer.Option(help="Tool set of the agent, instead of the preset's.")] = None,
    model_name: Annotated[str, typer.Option(help="The name that the agent is told, where the model's is none.")] = "",
    masked_name: Annotated[bool, typer.Option(help="Ablation: tell the agent no real model name.")] = False,
    flush: Annotated[str, typer.Option(help="Wait after persist: quiescence, or fixed (the paper's).")] = "quiescence",
    confine: Annotated[str, typer.Option(help="auto, required or off.")] = "auto",
    seed: Annotated[int, typer.Option(help="Seed of the sample and the canaries.")] = 0,
    temperature: Annotated[str, typer.Option(help="A number, or 'default' to leave it to the provider.")] = "0",
    shard: Annotated[str, typer.Option(help="i/n: run one part of n, to be merged with the others later.")] = "",
    max_attempts: Annotated[
        int, typer.Option(help="Attempts at a task while it is invalid; failures of the endpoint do not count.")
    ] = 3,
    patience: Annotated[float, typer.Option(help="Seconds that a call waits for an endpoint that fails.")] = 180.0,
    max_calls: Annotated[int | None, typer.Option(help="Model calls that one turn may make.")] = None,
    turn_timeout: Annotated[float, typer.Option(help="Seconds that one turn may take.")] = 600.0,
    version: Annotated[str, typer.Option("--agent-version", help="Version of the agent, where it has several.")] = "",
    session_search: Annotated[bool, typer.Option(help="Give the agent its search over old sessions.")] = False,
    same_family: Annotated[bool, typer.Option(help="Allow a judge of the model's own family; it is marked.")] = False,
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for the agent; may be repeated.")] = None,
) -> None:
    """Run PASB: five persist turns, a clean cut, three query turns, for every task.

    Example: stewardbench run pasb --model scripted/promoter --judge reference --tasks smoke --sample 16 --out runs/demo

    The same command again resumes. Everything is in the run folder: episodes, model calls, judgments, Inspect logs.
    """
    from stewardbench.pasb.run.settings import pasb_settings

    settings = pasb_settings(
        agent=agent,
        model=model,
        version=version,
        judge=judge,
        tasks=tasks,
        sample=sample,
        limit=limit,
        trials=trials,
        seed=seed,
        preset=preset,
        review=review,
        tools=tools,
        model_name=model_name,
        masked_name=masked_name,
        flush=flush,
        confine=confine,
        session_search=session_search,
        temperature=None if temperature == "default" else temperature,
        turn_timeout_s=turn_timeout,
        max_model_calls_per_turn=max_calls,
        max_attempts=max_attempts,
        patience_s=patience,
        same_family=same_family,
        options=key_values(option or []),
    )
    _run(settings, out, workers, shard, reader)


def _run(settings: PasbSettings, out: Path, workers: int, shard: str, reader: str) -> None:
    """Run or resume, with progress and the closing line, and show the summary."""
    import asyncio
    from functools import partial

    from stewardbench.pasb.run.evaluation import run_pasb as run
    from stewardbench.pasb.run.summary import summarise
    from stewardbench.runs.folder import RunFolder
    from stewardbench.runs.jobs import shard as shard_of
    from stewardbench.runs.terminal import ProgressLine, closing_line

    part = shard_of(shard)
    with closing_line() as close:
        with ProgressLine() as line:
            tell = partial(typer.echo, err=True)
            work = run(settings, out, workers=workers, shard=part, reader=reader, watch=line, tell=tell, close=close)
            asyncio.run(work)
        typer.echo("\n".join(summarise(RunFolder.read(out))))
        typer.echo(f"\nRecords: {out}   Tables: stewardbench report {out}")
