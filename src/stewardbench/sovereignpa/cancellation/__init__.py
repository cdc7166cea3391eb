"""The cancellation family: can an agent end a subscription that does not want to end, and say how it went? (paper 5.4)

96 subscription situations, each under a clean flow and two obstructed ones that differ in one sentence of the user's
instructions. ``flow`` is the platform, ``episode`` the engine, ``metrics`` the verdicts; the reference agents are in
``agents.cancelling``.
"""
