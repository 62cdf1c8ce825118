"""The message definitions of a git checkout: those of a commit, and those of the work tree.

A repository may be a stranger's: its configuration can name programs that git runs (an fsmonitor, hooks, a
remote that delivers missing objects). No command here runs one of them, fetches, or writes to the repository.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kafkawire.schema import TODAY, Dialect
from wireproof.app.assembly.definitions.schema_conversion import SchemaOperand, operand_of
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.kafka.releases.definition_files import (
    MOST_BYTES,
    MOST_BYTES_TOGETHER,
    MOST_FILES,
    FileRule,
    oversize_words,
    parse_definitions,
    read_definitions,
)
from wireproof.kafka.releases.release_table import ReleaseError

_SAFE: Final = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_KEPT: Final = ("GIT_CONFIG", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
"""Git's variables with the user's own configuration. Other variables, as in a hook, name a repository."""
_SET: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # for a git that does not know the variable above: no transport at all
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_FILE_MODES: Final = (b"100644", b"100755")
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file of a commit.

    Attributes:
        path: from the top of the repository.
        object: the id of the object with its bytes.
        size: in bytes; None if the clone lacks the object.
    """

    path: str
    object: str
    size: int | None
    is_regular: bool


@dataclass(frozen=True, slots=True)
class GitFolder:
    """A folder in the work tree of a repository.

    Attributes:
        prefix: the folder from there, with a slash at its end; empty for the top itself.
    """

    git: str
    folder: Path
    top: Path
    prefix: str

    @classmethod
    def open(cls, folder: Path) -> "GitFolder":
        """Find the repository of a folder."""
        git = shutil.which("git")
        if git is None:
            raise FatalError(
                "git is not on the PATH: --git reads a commit with it", "Install git.", ExitCode.MISSING
            )
        if not folder.is_dir():
            raise FatalError(f"{folder} is not a folder", "Name a folder of a git checkout.")
        unknown = cls(git, folder, folder, "")
        answers = [unknown._asked("rev-parse", word) for word in ("--show-toplevel", "--show-prefix")]
        for _, errors in answers:
            if errors is not None:
                raise FatalError(
                    f"{folder} is not in a git work tree: {errors}",
                    "Name a folder of a git checkout, or compare two folders: OLD NEW.",
                )
        top, prefix = (os.fsdecode(output.removesuffix(b"\n")) for output, _ in answers)
        return cls(git, folder, Path(top), prefix)

    def commit(self, name: str) -> str:
        """Return the id of the commit that a name means: a branch, a tag, an id, ``HEAD~2``."""
        words = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        output, errors = self._asked("rev-parse", *words)
        if errors is not None:
            raise FatalError(
                f"{name!r} is not a commit of {self.top}" + (f": {errors}" if errors else ""),
                "Name a branch, a tag or the id of a commit. CI servers fetch few commits: fetch this one, "
                "too (actions/checkout: fetch-depth).",
            )
        return output.decode("ascii").strip()

    def committed_files(self, commit: str) -> Iterator[CommittedFile]:
        """Yield the files of a commit that are in the folder or below it."""
        for record in self._records("ls-tree", "-rlz", "--full-name", commit):
            about, _, path = record.partition(b"\t")
            mode, _, name, size = about.split()
            length = int(size) if size.isdigit() else None
            yield CommittedFile(os.fsdecode(path), name.decode("ascii"), length, mode in _FILE_MODES)

    def work_files(self) -> Iterator[str]:
        """Yield the paths, from the top, of the files in the work tree at or below the folder.

        Files that git ignores are left out. A path may come twice.
        """
        listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name")
        for record in self._records(*listing):
            path = os.fsdecode(record)
            if os.path.lexists(self.top / path):
                yield path

    def skipped_files(self) -> Iterator[str]:
        """Yield the paths, from the top, of the files in the folder that a sparse checkout leaves out."""
        for record in self._records("ls-files", "-tz", "--cached", "--full-name"):
            tag, _, path = record.partition(b" ")
            if tag == b"S" and not os.path.lexists(self.top / os.fsdecode(path)):
                yield os.fsdecode(path)

    def contents(self, objects: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of objects by id. The caller bounds their sizes."""
        wanted = list(dict.fromkeys(objects))
        output, errors = self._asked("cat-file", "--batch", sent="".join(f"{each}\n" for each in wanted))
        if errors is not None:
            raise _failure(errors)
        found: dict[str, bytes] = {}
        place = 0
        for name in wanted:
            end = output.find(b"\n", place)
            head = output[place:end].split()
            if end < 0 or len(head) != 3 or head[1] != b"blob":
                raise _failure(f"object {name} cannot be read")
            size = int(head[2])
            found[name] = output[end + 1 : end + 1 + size]
            place = end + size + 2
        return found

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [self.git, "-C", str(self.folder), *_SAFE, *arguments]

    def _asked(self, *arguments: str, sent: str = "") -> tuple[bytes, str | None]:
        """Return the output of a command, and its errors if it fails."""
        done = subprocess.run(
            self._command(arguments),
            input=sent.encode(),
            capture_output=True,
            env=_environment(),
            check=False,
        )
        return done.stdout, _words(done.stderr) if done.returncode else None

    def _records(self, *arguments: str) -> Iterator[bytes]:
        """Yield what a command prints, up to each zero byte."""
        process = subprocess.Popen(
            self._command(arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
        )
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            rest = b""
            while chunk := process.stdout.read(_CHUNK):
                *records, rest = (rest + chunk).split(b"\0")
                yield from records
            errors = process.stderr.read()
        if process.returncode:
            raise _failure(_words(errors))


def _environment() -> dict[str, str]:
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }
    return {**own, **_SET}


def _words(errors: bytes) -> str:
    return " ".join(errors.decode("utf-8", "replace").split()).removeprefix("fatal: ")


def _failure(words: str) -> FatalError:
    return FatalError(
        f"git cannot read the files: {words}",
        "A partial clone lacks objects: fetch them, or clone without --filter.",
        ExitCode.MISSING,
    )


WORK_TREE: Final = "the work tree"
_KAFKAS: Final = re.compile(r"(?:.*/)?src/main/resources/(?:common/)?message/[^/]+\.json", re.DOTALL)
"""The places of definitions in Kafka's source; the module storage has no folder ``common``."""
_SHORT_ID: Final = 12


def read_checkout(base: str, folder: Path, dialect: Dialect = TODAY) -> tuple[SchemaOperand, SchemaOperand]:
    """Return the definitions of a commit, and those of the work tree, both at or below a folder.

    Files that a sparse checkout leaves out are on neither side: the work tree cannot have changed them.
    Definitions are the files in the folders that Kafka uses. If neither side has such a file, they are the
    ``.json`` files directly in the folder. Files that git ignores do not count.

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
        )
    if not chosen:
        raise FatalError(
            f"neither {base} nor {WORK_TREE} has a message file in {folder}",
            "Name a folder of Kafka's source, or one with definitions such as FetchRequest.json.",
        )
    places = {path: _shown(repository.top / path) for path in sorted(chosen)}
    old = {places[path]: committed[path] for path in places if path in committed}
    name = base if commit.startswith(base) else f"{base} ({commit[:_SHORT_ID]})"
    with as_fatal(ReleaseError):
        before = parse_definitions(_contents(repository, old, base), dialect, origin=f"{base}:")
        after = read_definitions([places[path] for path in places if path in present], dialect)
    old_side = replace(operand_of(name, before), warnings=())  # a user cannot correct a commit
    return old_side, replace(operand_of(WORK_TREE, after), not_checked_out=len(every - chosen))


def _may_be(path: str) -> bool:
    return path.endswith(".json")


def _chosen(paths: Iterable[str], prefix: str) -> set[str]:
    every = set(paths)
    found = {each for each in every if _KAFKAS.fullmatch(each)}
    found = found or {each for each in every if "/" not in each.removeprefix(prefix)}
    if len(found) > MOST_FILES:
        words = f"there are more than {MOST_FILES:,} message files"
        raise FatalError(words, "Name a folder of definitions.")
    return found


def _shown(path: Path) -> Path:
    """Return a path relative to the working folder, if it is below that folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _contents(repository: GitFolder, files: Mapping[Path, CommittedFile], base: str) -> dict[Path, bytes]:
    """Return the bytes of a commit's files, none of which is longer than a message file may be."""
    errors = list(_faults(files, base))
    if errors:
        raise FatalError("\n".join(errors), f"Compare with a commit other than {base}.")
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
