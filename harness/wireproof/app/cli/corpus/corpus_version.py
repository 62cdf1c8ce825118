"""``wireproof corpus version``: the version of a corpus, and whether its content is that of the version."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted
from wireproof.traffic.corpus import (
    FIRST_VERSION,
    MANIFEST,
    ContentDifference,
    CorpusError,
    CorpusManifest,
    replace_changed_file,
)

__all__ = ["version_command"]

_LISTED: Final = 10


@click.command(
    "version",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "The content is that of the version, or --bump wrote the next version.",
        ExitCode.DIVERGENCE: "The content is not that of the version.",
        ExitCode.NOTHING_RAN: "The folder has no entry.",
    },
)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--bump", is_flag=True, help="Write the next version, if the content changed.")
def version_command(folder: Path, bump: bool) -> int:
    """Print the version of a corpus, and check that its content is that of the version.

    The file manifest.json has the version and the ids of its entries. An entry that changed or is gone
    raises the first number, a new entry the second one, and new metadata (heads, coverage, documents) the
    third.

    \b
    wireproof corpus version corpus
    """
    return int(_check(folder, bump=bump))


def _check(folder: Path, *, bump: bool) -> ExitCode:
    """Print the version of a corpus and how its content differs from the manifest.

    Args:
        bump: write a manifest with the next version if there is a difference.

    Returns:
        DIVERGENCE if the content is not that of the version, and was not given a new one.

    Raises:
        FatalError: the folder has no entry, no manifest, or a damaged file.
    """
    try:
        recorded = CorpusManifest.read(folder)
        now = CorpusManifest.of_folder(folder, FIRST_VERSION if recorded is None else recorded.version)
    except CorpusError as error:
        advice = "`wireproof corpus lint` lists the problems of a corpus."
        raise FatalError(str(error), advice, ExitCode.USAGE) from error
    entries = sum(len(words) - 1 for words in now.files.values())
    if not entries:
        raise FatalError(f"{folder} has no entry of a corpus", "Name its folder.", ExitCode.NOTHING_RAN)
    if recorded is None:
        return _first(folder, now, bump=bump)
    difference = recorded.compare(now)
    if not difference:
        echo(f"{recorded.version}: {counted(entries, 'entry', 'entries')}, unchanged")
        return ExitCode.PROVEN
    _print_difference(difference, recorded.version)
    version = difference.next_version(recorded.version)
    if not bump:
        echo(
            f"The next version is {version}: `wireproof corpus version --bump {folder}` writes it.", err=True
        )
        return ExitCode.DIVERGENCE
    _write(folder, CorpusManifest(version, now.files))
    return ExitCode.PROVEN


def _first(folder: Path, now: CorpusManifest, *, bump: bool) -> ExitCode:
    if not bump:
        advice = f"`wireproof corpus version --bump {folder}` writes one, with version {FIRST_VERSION}."
        raise FatalError(f"{folder} has no {MANIFEST}", advice, ExitCode.USAGE)
    _write(folder, now)
    return ExitCode.PROVEN


def _write(folder: Path, manifest: CorpusManifest) -> None:
    try:
        replace_changed_file(folder / MANIFEST, manifest.text())
    except OSError as error:
        advice = "Name a folder that can be written."
        raise FatalError(
            f"cannot write {folder / MANIFEST}: {error.strerror}", advice, ExitCode.MISSING
        ) from error
    echo(f"{manifest.version}: written to {folder / MANIFEST}")


def _print_difference(difference: ContentDifference, version: str) -> None:
    echo(f"The content is not that of {version}:")
    if difference.another_format:
        echo("  another format")
    _print_entries("changed or removed", difference.removed)
    _print_entries("added", difference.added)
    if difference.described:
        files = counted(len(difference.described), "file")
        echo(f"  metadata of {files}: {_some(difference.described)}")


def _print_entries(what: str, counts: Mapping[str, int]) -> None:
    if counts:
        echo(f"  {counted(sum(counts.values()), 'entry', 'entries')} {what}: {_some(tuple(counts))}")


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f", and {more} more" if more > 0 else "")
