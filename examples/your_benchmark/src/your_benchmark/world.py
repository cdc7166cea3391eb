"""The world: a user asks for at most so many words, then asks three questions. Each answer should keep the limit."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from stewardbench.commands import Commands
from stewardbench.runs.loop import JobRecord

TOPICS = ("bread", "bicycles", "rain", "tea", "trains", "violins", "bees", "maps")
LIMITS = (6, 9, 12)
QUESTIONS = ("What is it good for?", "What goes wrong with it?", "What should a beginner know?")


class Attempt(JobRecord):
    """One conversation. ``kept`` says of each answer whether it kept the limit; None is an answer without words."""

    subject: str
    topic: str
    limit: int
    answers: tuple[str, ...]
    kept: tuple[bool | None, ...]


def answer(subject: str, topic: str, limit: int, turn: int) -> str:
    """What a built-in subject says: ``keeper`` keeps every limit, ``drifter`` forgets it after the first answer."""
    words = f"about {topic} there is much that one can say and every bit of it helps a little".split()
    return " ".join(words[: limit if subject == "keeper" or turn == 1 else limit + 3])


def kept(text: str, limit: int) -> bool | None:
    """Whether an answer keeps the limit; None where there is nothing to count."""
    return len(text.split()) <= limit if text.strip() else None


def register(commands: Commands) -> None:
    """Add ``stewardbench run your-benchmark``."""
    commands.run.command("your-benchmark")(run)


def run(
    out: Annotated[Path, typer.Option(help="The run folder. The same command resumes.")],
    subject: Annotated[str, typer.Option(help="keeper or drifter.")] = "keeper",
) -> None:
    """Run the example benchmark.

    Example: stewardbench run your-benchmark --subject drifter --out runs/drifter
    """
    from stewardbench.runs.jobs import Job
    from stewardbench.runs.loop import run_jobs
    from stewardbench.runs.terminal import ProgressLine

    jobs = [Job(task=f"{topic}-{limit}") for topic in TOPICS for limit in LIMITS]

    async def attempt(job: Job, number: int) -> Attempt:
        topic, _, limit = job.task.partition("-")
        answers = tuple(answer(subject, topic, int(limit), turn) for turn in range(1, len(QUESTIONS) + 1))
        verdicts = tuple(kept(text, int(limit)) for text in answers)
        return Attempt(
            job=job, attempt=number, subject=subject, topic=topic, limit=int(limit), answers=answers, kept=verdicts
        )

    with ProgressLine() as line:
        asyncio.run(run_jobs("your-benchmark", out, {"subject": subject}, jobs, Attempt, attempt, watch=line))
    typer.echo(f"Records: {out}   Tables: stewardbench report {out}")
