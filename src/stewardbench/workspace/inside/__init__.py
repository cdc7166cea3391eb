"""Programs that run outside stewardbench's own process: before an agent, around it, as it.

They import the standard library only, because they run under whatever Python a slot can see.
"""
