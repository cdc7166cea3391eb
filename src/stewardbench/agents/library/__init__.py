"""Agents built on a Python library: what the vector-store agent and the SDK agent have in common.

The library runs in an environment of its own, one process per session, behind the same walls as the other agents. Its
store is not made of files that anyone could read, so the process reports every entry after every turn, and the slot
holds them as virtual files:

    store/profile/<key>, store/memory/<key>, store/skill/<key>    one captured file per entry
    session/**                                                    what the library writes; gone at the cut

Every session begins with an empty store that is filled from these entries. So nothing can cross the cut but what was
captured, and a fork is a list of entries.
"""

from stewardbench.agents.library.agent import LibraryAgent
from stewardbench.agents.library.entries import Entry

__all__ = ["Entry", "LibraryAgent"]
