"""The doctor: what must work before a run is worth starting, each with what to do when it does not.

agent         it is installed, starts in a slot, and answers a turn
confinement   walls can be built around it
disk          the cache and the run folder have room
endpoint      the model answers through the real gateway, and tools reach it: a proxy that drops ``tools`` is the
              commonest silent fault, because then nothing is ever written and every rate looks good
assistant     one that is reached over HTTP only answers a message
judge         the judge model answers with the JSON that it is asked for
reach         it answers at all: one short question to every endpoint at the same time; one that does not is not
              asked anything else
rehearsals    model and judge take the very requests that runs send, and answer with what runs can read
"""

from stewardbench.agents.doctor.diagnosis import Diagnosis
from stewardbench.agents.doctor.local import check_agent, check_assistant, check_confinement, check_disk
from stewardbench.agents.doctor.models import (
    check_endpoint,
    check_judge,
    check_model,
    check_rehearsal,
)
from stewardbench.agents.doctor.reach import ANSWER_S, check_reach

__all__ = [
    "ANSWER_S",
    "Diagnosis",
    "check_agent",
    "check_assistant",
    "check_confinement",
    "check_disk",
    "check_endpoint",
    "check_judge",
    "check_model",
    "check_reach",
    "check_rehearsal",
]
