"""The testees that come with wireproof, as CI checks and proves them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from wireproof.app.assembly.codec_under_test import LEDGER
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.base.text.parsing import parse_toml, read_text
from wireproof.proof.run import ExitCode
from wireproof.proof.testees import Manifest, every_shipped_word, is_built, shipped_manifests


def chosen_words(names: Sequence[str], every: bool) -> list[str]:
    """The testees of a command.

    Raises:
        click.UsageError: neither names nor --all are given, or both.
    """
    if bool(names) == every:
        raise click.UsageError("name testees, or give --all")
    return list(names) or list(every_shipped_word())


@dataclass(frozen=True, slots=True)
class _Listed:
    """A line of the list, as text."""

    name: str
    version: str
    language: str
    variants: str
    entries: str
    built: str


def print_list(cache_dir: Path, form: str) -> None:
    """Print the testees that come with wireproof.

    Args:
        form: ``text``, aligned and with a header; or ``tsv``.
    """
    lines = [_listed(manifest, cache_dir) for manifest in shipped_manifests()]
    head = _Listed("name", "version", "language", "variants", "known deviations", "built")
    rows = [[getattr(each, key) for key in _Listed.__slots__] for each in lines]
    if form == "tsv":
        for row in rows:
            echo("\t".join(row))
        return
    table = [[getattr(head, key) for key in _Listed.__slots__], *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _listed(manifest: Manifest, cache_dir: Path) -> _Listed:
    built = "yes" if is_built(manifest, cache_dir) else "slow" if manifest.slow else "no"
    return _Listed(
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
