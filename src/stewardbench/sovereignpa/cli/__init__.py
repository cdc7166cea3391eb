"""SovereignPA-Bench's commands: parsing and printing, nothing else."""

from stewardbench.commands import Commands


def register(commands: Commands) -> None:
    """Add SovereignPA-Bench's commands to the command line."""
    from stewardbench.sovereignpa.cli import commands as sovereignpa
    from stewardbench.sovereignpa.cli import serve
    from stewardbench.sovereignpa.cli.published import published_sovereignpa
    from stewardbench.sovereignpa.cli.run import run_sovereignpa

    commands.run.command("sovereignpa")(run_sovereignpa)
    commands.published.command("sovereignpa")(published_sovereignpa)
    sovereignpa.register(commands.root)
    serve.register(commands.root)
