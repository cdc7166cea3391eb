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
