"""Random numbers that depend on names, never on call order.

Every random choice asks for a generator by (seed, purpose...): the same names give the same numbers on every
machine and in every process, whatever was drawn before. There is no global random state anywhere in the package.
"""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def derive(seed: int, *purpose: str | int) -> int:
    """A 64-bit integer that is a pure function of the seed and the purpose's words."""
    text = "\x1f".join([str(seed), *map(str, purpose)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def generator(seed: int, *purpose: str | int) -> random.Random:
    """A standard-library generator for small choices: shuffles, picks, canaries."""
    return random.Random(derive(seed, *purpose))


def array_generator(seed: int, *purpose: str | int) -> np.random.Generator:
    """A numpy generator for bootstrap draws and simulations."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(derive(seed, *purpose)))
