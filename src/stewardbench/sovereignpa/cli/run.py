"""``run sovereignpa``: run or resume SovereignPA-Bench with a rule-based agent or a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run_sovereignpa(
    out: Annotated[Path, typer.Option(help="The run folder. The same command on the same folder resumes.")],
    agent: Annotated[str, typer.Option(help="A rule-based agent: careful, ask-always, no-ask, naive, ...")] = "",
    model: Annotated[str, typer.Option(help="A model: any Inspect name, or URL#MODEL.")] = "",
    defense: Annotated[str, typer.Option(help="direct, checklist, ask, dont-bother or firewall.")] = "direct",
    protocol: Annotated[str, typer.Option(help="json: one JSON action per reply. tools: native tool calls.")] = "json",
    family: Annotated[str, typer.Option(help="booking, cancellation or both.")] = "both",
    split: Annotated[str, typer.Option(help="test, or dev for trying things out.")] = "test",
    seeds: Annotated[int, typer.Option(help="Sampling seeds per scenario, for the spread between runs.")] = 1,
    seed: Annotated[int, typer.Option(help="The first sampling seed; also the seed of --sample.")] = 0,
    sample: Annotated[int | None, typer.Option(help="Whole situations until so many scenarios are reached.")] = None,
    limit: Annotated[int | None, typer.Option(help="The first so many scenarios.")] = None,
    set_seed: Annotated[int, typer.Option(help="Seed of the scenario set; 7 is the shipped set.")] = 7,
    mode: Annotated[str, typer.Option(help="quota: exact design counts. independent: a fresh draw.")] = "quota",
    temperature: Annotated[str, typer.Option(help="A number, or 'default' for the provider's. The paper's: 0.7.")] = "",
    top_p: Annotated[str, typer.Option(help="A number, or 'default' for the provider's. The paper's: 0.95.")] = "",
    max_tokens: Annotated[str, typer.Option(help="New tokens per reply, or 'default'. The paper's: 1024.")] = "",
    system_role: Annotated[
        bool, typer.Option(help="Off for chat templates without a system role: the prompt opens the first user turn.")
    ] = True,
    max_connections: Annotated[int, typer.Option(help="Episodes with a model that run at the same time.")] = 8,
    shard: Annotated[str, typer.Option(help="i/n: run one part of n, to be merged with the others later.")] = "",
    max_attempts: Annotated[
        int, typer.Option(help="Attempts at an episode while it is invalid; failures of the endpoint do not count.")
    ] = 3,
    patience: Annotated[float, typer.Option(help="Seconds that a call waits for an endpoint that fails.")] = 180.0,
) -> None:
    """Run SovereignPA-Bench: book and cancel for a scripted user on a scripted platform, scored by rules.

    Example: stewardbench run sovereignpa --agent careful --out runs/careful

    Example: stewardbench run sovereignpa --model openai/gpt-5.4-mini --defense firewall --family booking --out runs/fw
    """
    import asyncio

    from stewardbench.runs.jobs import shard as shard_of
    from stewardbench.runs.terminal import ProgressLine, closing_line
    from stewardbench.sovereignpa.conversation import decoding_for
    from stewardbench.sovereignpa.run.evaluation import run_sovereignpa as run
    from stewardbench.sovereignpa.run.settings import sovereignpa_settings

    given = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens}
    changed = {name: None if value == "default" else value for name, value in given.items() if value}
    settings = sovereignpa_settings(
        agent=agent,
        model=model,
        defense=defense,
        protocol=protocol,
        family=family,
        split=split,
        seed=seed,
        seeds=seeds,
        set_seed=set_seed,
        mode=mode,
        sample=sample,
        limit=limit,
        decoding={**decoding_for(model).model_dump(), **changed} if changed else None,
        system_role=system_role,
        max_attempts=max_attempts,
        patience_s=patience,
    )
    part = shard_of(shard)
    with closing_line() as close:
        with ProgressLine() as line:
            asyncio.run(run(settings, out, max_connections=max_connections, shard=part, watch=line, close=close))
        typer.echo(f"Records: {out}   Tables: stewardbench report {out}")
