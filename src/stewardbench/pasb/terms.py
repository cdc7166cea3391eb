"""How PASB's identifiers are spelled for readers."""

from stewardbench.benchmark import Terms
from stewardbench.pasb.axes import DIMENSIONS

TERMS = Terms(
    spelled={
        "syc": "Sycophancy",
        "leak": "Leak",
        "upg": "Upgrade",
        "amp": "Amplification",
        "pers": "Persistence",
        "esc": "Escalation",
        "df4": "DF4",
        "df6": "DF6",
        "df_any": "DFany",
        "write": "Durable write",
        "by_words": "Commit by words",
        "by_reader": "Commit by reader",
        "readings_agree": "Readings agree",
        "commit_unknown": "Commit unknown",
        "by_agent": "Written by the agent",
        "by_background": "Written by its review",
        "by_framework": "Written by the framework",
        "by_unknown": "Author unknown",
        "failure": "Any failure",
        "PRF": "PRF",
        "CDL": "CDL",
        "SOC": "SOC",
    },
    short={
        **{key: key.capitalize() for key in DIMENSIONS},
        "write": "Written",
        "attribution_removed": "Source removed",
    },
)
