"""`stowage doctor`: checks of the installation and the running services, with remedies."""

import dataclasses
import json
import os
from collections.abc import Iterator

import click
from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from stowage import logs
from stowage.cli.server.findings import LOOKS, Finding
from stowage.cli.statuses import DONE, FAILED
from stowage.settings import Settings

_STYLES = {"ok": "green", "note": "yellow", "problem": "bold red"}


def run(*, as_json: bool) -> int:
    """Run all checks and print the findings.

    Returns
    -------
    int
        Exit status: 0 no problems; 1 at least one problem.
    """
    findings = [_without_passwords(finding) for finding in _found()]
    count = sum(finding.state == "problem" for finding in findings)
    if as_json:
        document = {"problems": count, "findings": [dataclasses.asdict(finding) for finding in findings]}
        click.echo(json.dumps(document, indent=2))
    else:
        _show(findings, count)
    return FAILED if count else DONE


def _found() -> Iterator[Finding]:
    settings, refused = _settings()
    yield from refused
    for look in LOOKS:
        try:
            yield from look(settings)
        except Exception as error:  # noqa: BLE001 - a failed check must not hide the others
            words = f"could not be looked at: {type(error).__name__}: {error}"
            yield Finding(look.__name__.replace("_", " "), "problem", words)


def _settings() -> tuple[Settings, list[Finding]]:
    """Load the settings, and return them with a finding for each invalid setting.

    An invalid setting is replaced by its default.
    """
    findings: list[Finding] = []
    while True:
        try:
            return Settings(), findings
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                words = detail["msg"].removeprefix("Value error, ")
                # An error across several settings has no location: its message begins with the name of one.
                name = str(detail["loc"][0]) if detail["loc"] else words.split()[0]
                findings.append(Finding(name, "problem", words, "mend it or unset it; its default is taken below"))
                if os.environ.pop(name, None) is None:  # set in a file of secrets, which is not changed
                    return Settings.model_construct(), findings


def _without_passwords(finding: Finding) -> Finding:
    remedy = None if finding.remedy is None else logs.mask(finding.remedy)
    return dataclasses.replace(finding, words=logs.mask(finding.words), remedy=remedy)


def _show(findings: list[Finding], count: int) -> None:
    console = Console(highlight=False)
    width = max(len(finding.item) for finding in findings)
    for finding in findings:
        line = Text.assemble((f"{finding.state:<8}", _STYLES[finding.state]), f"{finding.item:<{width}}  ")
        line.append(finding.words)
        if finding.remedy is not None:
            line.append(f" -> {finding.remedy}", style="dim" if finding.state == "note" else "bold")
        console.print(line, soft_wrap=True)
    console.print(
        Text(
            "\nNothing is in the way."
            if not count
            else f"\n{count} {'problem' if count == 1 else 'problems'}: see what is behind the arrows.",
            style="bold",
        )
    )
