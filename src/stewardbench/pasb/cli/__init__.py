"""PASB's commands: parsing and printing, nothing else."""

from stewardbench.commands import Commands


def register(commands: Commands) -> None:
    """Add PASB's commands to the command line."""
    from stewardbench.pasb.cli import commands as pasb
    from stewardbench.pasb.cli import studies
    from stewardbench.pasb.cli.published import published_pasb
    from stewardbench.pasb.cli.run import run_pasb

    commands.run.command("pasb")(run_pasb)
    commands.published.command("pasb")(published_pasb)
    studies.register(commands.root)
    pasb.register(commands.root)
