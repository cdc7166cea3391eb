"""How SovereignPA-Bench's identifiers are spelled for readers."""

from stewardbench.benchmark import Terms

TERMS = Terms(short={"ssr": "SSR"})
