"""One suite for every agent, ours or a third party's: what an agent must do for its episodes to mean something.

report   what a run of the suite found, as a record
bench    one agent in one slot with scripted models, as the checks use it
state    checks of capture, wipe, reset and fork
talk     checks of conversations: turns, freshness, neutrality
faults   checks of failures, confinement and shutdown
outside  checks of an assistant that is seen from outside only
plants   the check that no mark left in any channel is found by the sessions after it
channels the channels, and how a mark is left in each and found; runs inside the agent's walls, by way of ``enter``
suite    all checks in order, and running them
matrix   the results of several agents as one page
"""

from stewardbench.agents.conformance.report import CheckResult, ConformanceReport
from stewardbench.agents.conformance.suite import CHECKS, OUTSIDE_CHECKS, check_agent

__all__ = ["CHECKS", "OUTSIDE_CHECKS", "CheckResult", "ConformanceReport", "check_agent"]
