"""franz-go's definition files, from the Go module proxy through Go's own client.

They are kept in the cache (``<cache>/franz-go/v1.22.2/``) and never become a part of this package. Each use
checks them against a pinned digest. They are downloaded to a temporary folder and moved into their place in
one step, so that a killed fetch leaves no incomplete copy.
"""

import hashlib
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path, PurePosixPath
from typing import Final

from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.files.own_folders import MARKER, OwnFolder, temporary_folder

FRANZ_GO_VERSION: Final = "v1.22.2"

_MODULE: Final = "github.com/twmb/franz-go"
_SUM: Final = "h1:EdwIHGzD/4mgCpl/sNS0C74JYn6cL/r2KYS+8UC96Ww="
"""The module's checksum, as in a ``go.sum``."""
_DIGEST: Final = "3204557a55317209d9b6b00e2ede70a15f66027404f6d90e9a2613457bb5ec1b"
"""SHA-256 over the names and contents of all definition files."""
_FOLDER: Final = f"{_MODULE}@{FRANZ_GO_VERSION}/generate/definitions/"
_MOST_BYTES: Final = 8 << 20
"""The most bytes of all files together; they have 0.3 MB."""
_LIMIT_S: Final = 300
_COMMAND: Final = f"go mod download {_MODULE}@{FRANZ_GO_VERSION}"


def fetch_definitions(cache: Path, *, offline: bool = False) -> Path:
    """The folder with the definition files of the pinned version.

    Args:
        cache: the folder with all that wireproof fetches. It may not exist yet.
        offline: take the files from the cache, or from Go's, and never from the network.

    Raises:
        FatalError: Go is missing, the module cannot be had, or it is not the pinned one.
    """
    folder = cache / "franz-go" / FRANZ_GO_VERSION
    if folder.is_dir():
        if _digest(folder) == _DIGEST:
            return folder
        raise FatalError(
            f"{folder} does not have the files of franz-go {FRANZ_GO_VERSION}",
            "Remove the folder: the next run fetches it.",
            ExitCode.MISSING,
        )
    archive = _download(offline)
    try:
        return _unpack(archive, folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise FatalError(
            f"franz-go's definitions cannot be put into {folder}: {error}",
            "Set WIREPROOF_CACHE to a folder that can be written, or name the files with --definitions.",
            ExitCode.MISSING,
        ) from error


def _download(offline: bool) -> Path:
    """The module's archive in Go's own cache."""
    go = shutil.which("go")
    if go is None:
        raise FatalError(
            "go is not on the PATH: franz-go's definitions come from the Go module proxy",
            "Type: apt-get install golang-go\nOr name a folder that has them: --definitions DIR",
            ExitCode.MISSING,
        )
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    if offline:
        environment["GOPROXY"] = "off"
    with temporary_folder("download") as empty:  # without a go.mod that the command would change
        try:
            result = subprocess.run(
                [go, "mod", "download", "-json", f"{_MODULE}@{FRANZ_GO_VERSION}"],
                cwd=empty,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=_LIMIT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _not_fetched(str(error), offline) from error
    return _archive_in(result.stdout, result.stderr, offline)


def _archive_in(output: str, errors: str, offline: bool) -> Path:
    try:
        answer = json.loads(output)
    except ValueError:
        answer = {}
    if not isinstance(answer, dict) or "Zip" not in answer:
        reason = answer.get("Error", "") if isinstance(answer, dict) else ""
        raise _not_fetched(str(reason or errors).strip(), offline)
    if answer.get("Sum") != _SUM:
        raise _not_fetched(f"its checksum is {answer.get('Sum')}, the pinned one {_SUM}", offline)
    return Path(str(answer["Zip"]))


def _not_fetched(reason: str, offline: bool) -> FatalError:
    advice = f"Type: {_COMMAND}"
    if offline:
        advice = "Run once without --offline."
    return FatalError(
        f"Go does not give {_MODULE} {FRANZ_GO_VERSION}: {reason}",
        f"{advice}\nOr name a folder that has the files: --definitions DIR",
        ExitCode.MISSING,
    )


def _unpack(archive: Path, folder: Path) -> Path:
    """Extract the definition files from the archive, and move them into their place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    arriving = OwnFolder("definitions", folder.parent, mode=0o777)
    try:
        with zipfile.ZipFile(archive) as module:
            members = [each for each in module.infolist() if each.filename.startswith(_FOLDER)]
            if sum(each.file_size for each in members) > _MOST_BYTES:
                raise OSError(f"the archive has more than {_MOST_BYTES:,} bytes of definitions")
            for member in members:
                (arriving.path / PurePosixPath(member.filename).name).write_bytes(module.read(member))
        if _digest(arriving.path) != _DIGEST:
            raise OSError("the archive does not have the pinned files")
        _move(arriving, folder)
        return folder
    finally:
        arriving.remove()


def _move(arrived: OwnFolder, folder: Path) -> None:
    try:
        arrived.publish(folder)
    except OSError:  # another process moved its own copy there meanwhile
        if not folder.is_dir() or _digest(folder) != _DIGEST:
            raise


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(each for each in folder.iterdir() if each.name != MARKER):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.name} {content}\n".encode())
    return total.hexdigest()
