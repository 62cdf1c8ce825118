"""The testees that come with wireproof, as CI checks and proves them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from wireproof.app.assembly.codec_under_test import LEDGER
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.base.text.parsing import parse_toml, read_text
from wireproof.proof.testees.build.testee_build import is_built
from wireproof.proof.testees.description.manifest import Manifest, every_shipped_word, shipped_manifests


def chosen_words(names: Sequence[str], every: bool) -> list[str]:
    """The testees of a command.

    Raises:
        click.UsageError: neither names nor --all are given, or both.
    """
    if bool(names) == every:
        raise click.UsageError("name testees, or give --all")
    return list(names) or list(every_shipped_word())


_HEAD: Final = ("name", "version", "language", "variants", "known deviations", "built")


def print_list(cache_dir: Path, form: str) -> None:
    """Print the testees that come with wireproof."""
    rows = [_listed(manifest, cache_dir) for manifest in shipped_manifests()]
    if form == "tsv":
        for row in rows:
            echo("\t".join(row))
        return
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    for row in (_HEAD, *rows):
        echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _listed(manifest: Manifest, cache_dir: Path) -> tuple[str, ...]:
    """The texts of a line, below `_HEAD`."""
    built = "yes" if is_built(manifest, cache_dir) else "slow" if manifest.slow else "no"
    return (
        manifest.name,
        manifest.version,
        manifest.language,
        ",".join(manifest.variants) or "-",
        str(_entries(manifest.folder / LEDGER)),
        built,
    )


def _entries(ledger: Path) -> int:
    """The number of causes and entries of a ledger. They are not checked."""
    if not ledger.is_file():
        return 0
    try:
        tables = parse_toml(read_text(ledger))
        return len(tables.get("cause", ())) + len(tables.get("entry", ()))
    except (OSError, ValueError) as error:
        raise FatalError(f"cannot read {ledger}: {error}", "", ExitCode.LEDGER) from error
