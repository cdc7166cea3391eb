"""``report`` and the other commands that read finished runs: ``compare``, ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stewardbench.cli import compare, merge, plan_study, summary, verify
from stewardbench.cli.summary import print_document


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders, or a folder that holds some.")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Write tables and figures here. Without it: tables only, into DIR/report.")
    ] = None,
    site: Annotated[bool, typer.Option("--site", help="Also build the site into the --out folder.")] = False,
    bundle: Annotated[Path | None, typer.Option(help="Also write an audit bundle to this file.")] = None,
    calls: Annotated[
        bool, typer.Option("--calls/--no-calls", help="Whether the bundle holds every model call, to check answers by.")
    ] = True,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Also sign the bundle with this OpenSSH key, into BUNDLE.sig.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Whose judgments count, where several models judged.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Whose annotations count, where several annotated.")] = None,
    beside: Annotated[bool, typer.Option("--published", help="Put the published runs beside yours, marked.")] = False,
    table: Annotated[str | None, typer.Option(help="Print this table instead of the main one, e.g. table10.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document and nothing else; write files only with --out.")
    ] = False,
    at: Annotated[float | None, typer.Option(help="PASB's failing score; the paper's is 3.")] = None,
    blind: Annotated[bool, typer.Option("--blind", help="PASB: scores by a judge who did not see the state.")] = False,
) -> None:
    """Tables and figures of finished runs, with n, unscored and intervals clustered by base item.

    Example: stewardbench report runs/hermes runs/openclaw --published --out report
    """
    from functools import partial

    from rich.console import Console

    from stewardbench.errors import UsageError
    from stewardbench.report.as_json import report_document
    from stewardbench.report.build import Settings, build_report
    from stewardbench.report.bundle import write_bundle
    from stewardbench.report.show import show_report, show_table
    from stewardbench.report.signature import sign as signed
    from stewardbench.report.write import write_report
    from stewardbench.runs.folder import run_folders

    if site and out is None:
        raise UsageError("--site needs a folder to build into.", hint="Add --out FOLDER.")
    if sign is not None and bundle is None:
        raise UsageError("--sign signs a bundle.", hint="Add --bundle FILE.")
    settings = Settings(judge=judge, annotator=annotator, published=beside, at=at, blind=blind)
    given, runs = runs, run_folders(runs)
    built = build_report(runs, settings)
    console = Console(stderr=json)
    if json:
        print_document(report_document(built))
    elif table:
        show_table(built.table(table), console)
    else:
        show_report(built, console)
    say = partial(typer.echo, err=json)
    if out is not None or not json:
        folder = out or given[0] / "report"
        paths = write_report(built, folder, figures=out is not None)
        say(f"\n{len(paths)} files in {folder}")
    if bundle is not None:
        say(f"Audit bundle: {write_bundle(runs, built, settings, bundle, model_calls=calls)}")
        if sign is not None:
            typer.echo(f"Signature: {signed(bundle, sign)}")
    if site and out is not None:
        from stewardbench.site import build_site

        made = build_site(runs, out / "site", include_published=beside, report=built)
        say(f"Site: open {made.index}")


def register(app: typer.Typer) -> None:
    """Add the commands that read finished runs to the root command."""
    app.command()(report)
    compare.register(app)
    merge.register(app)
    plan_study.register(app)
    summary.register(app)
    verify.register(app)
