"""The message definitions of a git checkout: those of a commit, and those of the work tree."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from kafkawire.schema import TODAY, Dialect, SchemaSet
from wireproof.app.assembly.definitions.git_repository import CommittedFile, GitFolder
from wireproof.app.assembly.definitions.schema_operands import FILES_MODULE, SchemaOperand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.kafka.releases import (
    MOST_BYTES,
    MOST_BYTES_TOGETHER,
    MOST_FILES,
    Definitions,
    FileRule,
    ReleaseError,
    oversize_words,
    parse_definitions,
    read_definitions,
)

__all__ = ["read_checkout"]

WORK_TREE: Final = "the work tree"
_KAFKAS: Final = re.compile(r"(?:.*/)?src/main/resources/(?:common/)?message/[^/]+\.json", re.DOTALL)
"""The places of definitions in Kafka's source; the module storage has no folder ``common``."""
_SHORT_ID: Final = 12


def read_checkout(base: str, folder: Path, dialect: Dialect = TODAY) -> tuple[SchemaOperand, SchemaOperand]:
    """Return the definitions of a commit, and those of the work tree, both at or below a folder.

    Files that a sparse checkout leaves out are on neither side: the work tree cannot have changed them.
    Definitions are the files at Kafka's places. Where neither side has one, they are the ``.json`` files
    directly in the folder. Files that git ignores do not count.

    Args:
        base: the name of the commit.

    Raises:
        FatalError: git is missing, the folder is not in a work tree, the name means no commit, there is no
            definition, or a file has errors. An error in a file of the commit begins with ``BASE:FILE:LINE``.
    """
    repository = GitFolder.open(folder)
    commit = repository.commit(base)
    committed = {each.path: each for each in repository.committed_files(commit) if _may_be(each.path)}
    present = {each for each in repository.work_files() if _may_be(each)}
    skipped = {each for each in repository.skipped_files() if _may_be(each)}
    every = _chosen({*committed, *present, *skipped}, repository.prefix)
    chosen = every - skipped
    if every and not chosen:
        raise FatalError(
            f"the sparse checkout has none of the {len(every):,} message files in {folder}",
            "`git sparse-checkout add FOLDER` checks them out.",
            ExitCode.USAGE,
        )
    if not chosen:
        raise FatalError(
            f"neither {base} nor {WORK_TREE} has a message file in {folder}",
            "Name a folder of Kafka's source, or one with definitions such as FetchRequest.json.",
            ExitCode.USAGE,
        )
    places = {path: _shown(repository.top / path) for path in sorted(chosen)}
    old = {places[path]: committed[path] for path in places if path in committed}
    name = base if commit.startswith(base) else f"{base} ({commit[:_SHORT_ID]})"
    try:
        before = parse_definitions(_contents(repository, old, base), dialect, origin=f"{base}:")
        after = read_definitions([places[path] for path in places if path in present], dialect)
    except ReleaseError as error:
        raise FatalError(error.message, error.advice, ExitCode.USAGE) from error
    old_side = replace(_operand(name, before), warnings=())  # a user cannot correct a commit
    return old_side, replace(_operand(WORK_TREE, after), not_checked_out=len(every - chosen))


def _may_be(path: str) -> bool:
    return path.endswith(".json")


def _chosen(paths: Iterable[str], prefix: str) -> set[str]:
    """Return the paths of definitions.

    Raises:
        FatalError: there are too many.
    """
    every = set(paths)
    found = {each for each in every if _KAFKAS.fullmatch(each)}
    found = found or {each for each in every if "/" not in each.removeprefix(prefix)}
    if len(found) > MOST_FILES:
        words = f"there are more than {MOST_FILES:,} message files"
        raise FatalError(words, "Name a folder of definitions.", ExitCode.USAGE)
    return found


def _shown(path: Path) -> Path:
    """Return a path from the working folder, where it is below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _contents(repository: GitFolder, files: Mapping[Path, CommittedFile], base: str) -> dict[Path, bytes]:
    """Return the bytes of a commit's files, none of which is longer than a message file may be.

    Raises:
        FatalError: a file is too long or a link, or the clone lacks its object.
    """
    errors = list(_faults(files, base))
    if errors:
        raise FatalError("\n".join(errors), f"Compare with a commit other than {base}.", ExitCode.USAGE)
    data = repository.contents(each.object for each in files.values())
    return {path: data[each.object] for path, each in files.items()}


def _faults(files: Mapping[Path, CommittedFile], base: str) -> Iterator[str]:
    left = MOST_BYTES_TOGETHER
    for path, each in files.items():
        if not each.is_regular:
            words = "this is a link: a message definition is a regular file"
            yield f"{base}:{path}:1: error: {words} [{FileRule.FILE_UNREADABLE.value}]"
        elif each.size is not None and each.size > min(MOST_BYTES, left):
            yield f"{base}:{path}:1: error: {oversize_words(each.size)} [{FileRule.FILE_SIZE.value}]"
        else:
            left -= each.size or 0


def _operand(text: str, found: Definitions) -> SchemaOperand:
    messages = {name: file.spec for name, file in found.files.items()}
    return SchemaOperand(text, SchemaSet(text, {FILES_MODULE: messages}), warnings=found.warnings)
