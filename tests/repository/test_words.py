"""One word, one meaning: a public class name stands for one thing in the package.

The two wings follow two papers, and a paper's own term (scenario, episode, role) may mean something else in the other.
All other repeats are listed here with the reason why they may stay.
"""

import ast
from collections import defaultdict
from pathlib import Path

import stewardbench

ROOT = Path(stewardbench.__file__).parent
WINGS = ("pasb", "sovereignpa")
MAY_REPEAT = {
    "Conversation": "an agent's child process is a program of its own, installed without this package",
    "Gateway": "OpenClaw's own word for its server, beside the gateway to the model",
    "Gold": "labels while they are made, and the gold that they become",
    "Lexicon": "what a scripted model has heard of a claim, beside the words that an audit counts",
    "Mode": "a choice of the command line has to be known without importing the generator",
    "Place": "a place in a configuration file, beside a place in the frame of situations",
    "Report": "the agent's report to its user is the paper's term",
    "Verdict": "what a bundle's check found, beside the paper's verdict on one component",
}


def repeated() -> dict[str, list[str]]:
    """Class names with several homes; a name in each of the two wings alone is their papers' own."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(place.as_posix())
    several = {name: found for name, found in homes.items() if len(found) > 1}
    return {
        name: found for name, found in several.items() if sorted(place.split("/")[0] for place in found) != [*WINGS]
    }


def test_a_class_name_has_one_meaning() -> None:
    found = repeated()
    new = {name: places for name, places in found.items() if name not in MAY_REPEAT}
    assert not new, "rename one of each, or say why it may stay"


def test_every_listed_repeat_is_still_one() -> None:
    assert sorted(MAY_REPEAT) == sorted(set(repeated()) & set(MAY_REPEAT))
