"""stewardbench: is a personal agent a good steward of what its user says and owns?

Two published benchmarks, PASB and SovereignPA-Bench, on real agents, with proofs that the measurement holds.
Nothing heavy is imported here, so that the command starts fast; import the subpackage that you need.
"""

__version__ = "0.1.0"
