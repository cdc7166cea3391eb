"""SovereignPA-Bench: a scripted platform and user, an agent that books and cancels, deterministic metrics.

    situation    one user, one shopping task, six options, hidden truth      situation.py, generate/
    scenario     a situation as control or with one changed component        variants.py
    episode      agent <-> platform and user, one JSON action per reply      episode.py, platform.py, user.py
    score        every metric from the recorded events alone                 metrics.py, questions.py
    family       booking (ten variants) and cancellation (three)             cancellation/

An agent plugs in as an object with ``first(page) -> reply`` and ``next(page) -> reply``: both take the text a model
would read and give back raw reply text, so rule-based agents pass the same parser as models. ``episode.play`` runs such
an agent; a model loop calls ``Episode.step(raw)`` itself and stops when it returns None. Nothing here imports a model,
starts a process or reads a clock.
"""

from stewardbench.benchmark import Benchmark

BENCHMARK = Benchmark(
    "sovereignpa",
    "SovereignPA-Bench",
    records=("tasks.jsonl", "episodes.jsonl"),
    attempts="stewardbench.sovereignpa.run.store:stored",
    reporting="stewardbench.sovereignpa.report.reporting:REPORTING",
    pages="stewardbench.sovereignpa.pages:PAGES",
    commands="stewardbench.sovereignpa.cli:register",
    terms="stewardbench.sovereignpa.terms:TERMS",
    checks="stewardbench.sovereignpa.report.checks:checks",
    rehearsals="stewardbench.sovereignpa.run.rehearsals:rehearsals",
    rank=2,
)
