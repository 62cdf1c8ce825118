"""The plan of a job on Spark. It is made, with all its errors, before Spark starts."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wireproof.app.assembly.corpus.corpus_add import capture_key, capture_reasons, golden_head
from wireproof.app.assembly.corpus.segment_files import file_names, segment_files
from wireproof.app.cli.capture.broker_ends import BrokerEnd
from wireproof.base.fatal import FatalError
from wireproof.base.version import own_version
from wireproof.kafka.releases import Release, ReleaseError, table
from wireproof.pipeline.job_plan import PacketFile, SegmentFile
from wireproof.proof.run import ExitCode
from wireproof.traffic.wire import SegmentFormatError, segment_facts
from wireproof.traffic.wire.packets import PacketFileFormatError, split_packet_file

if TYPE_CHECKING:
    from wireproof.pipeline.job.job_progress import JobProgress
    from wireproof.pipeline.job_plan import JobPlan

__all__ = ["plan_job"]

_KEY_BYTES: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 20


def plan_job(
    inputs: Sequence[Path],
    word: str,
    brokers: Sequence[BrokerEnd],
    largest_bytes: int,
    progress: "JobProgress",
) -> "tuple[JobPlan, list[Release]]":
    """Make the plan of a job, and the list of the releases of its brokers.

    Args:
        inputs: folders of captures, segment files, packet captures.
        word: the release for files that do not contain it; may be empty.
        brokers: the ports of brokers, for packet captures.

    Raises:
        FatalError: an input cannot be read, or its release is unknown.
    """
    from wireproof.pipeline.job_plan import JobPlan

    paths = [path.resolve() for path in segment_files(*inputs)]
    files = [_file(path, name, word, brokers) for path, name in zip(paths, file_names(paths), strict=True)]
    releases = [table().find(each) for each in sorted({file.release for file in files})]
    reasons: dict[str, Any] = {release.version: {} for release in releases}
    for each in inputs:
        for release in {file.release for file in files if Path(file.path).is_relative_to(each.resolve())}:
            reasons[release] |= capture_reasons(each)
    sizes = {file.name: Path(file.path).stat().st_size for file in files}
    with progress.reading(sum(sizes.values())) as read:
        digests = {file.name: _digest(Path(file.path), read) for file in files}
    about = {
        "tool": f"wireproof {own_version()}",
        "files": sizes,
        "digests": digests,
        "brokers": [[each.address, each.port] for each in brokers],
        "releases": [release.version for release in releases],
        "largest": largest_bytes,
    }
    segments = [each for each in files if isinstance(each, SegmentFile)]
    packets = [each for each in files if isinstance(each, PacketFile)]
    heads = {release.version: partial(golden_head, release) for release in releases}
    plan = JobPlan(segments, packets, _key(segments, packets), largest_bytes, heads, reasons, about)
    return plan, releases


def _digest(path: Path, read: Callable[[int], None]) -> str:
    """Return the SHA-256 of a file: a job goes on only with the files that it began with."""
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            read(len(chunk))
    return digest.hexdigest()


def _key(segments: Sequence[SegmentFile], packets: Sequence[PacketFile]) -> bytes:
    """The key of `corpus add`. Packet captures have no marker: their first bytes replace it."""
    key = capture_key([Path(file.path) for file in segments])
    for each in packets:
        with Path(each.path).open("rb") as file:
            key = sha256(key + file.read(_KEY_BYTES)).digest()
    return key


def _file(path: Path, name: str, word: str, brokers: Sequence[BrokerEnd]) -> SegmentFile | PacketFile:
    facts = _facts(path)
    release = _release(path, word if facts is None else str(facts.get("release") or "") or word)
    if facts is not None:
        return SegmentFile(str(path), name, release.version, str(facts.get("listener", "")))
    ends = tuple((each.address, each.port) for each in brokers)
    return PacketFile(str(path), name, release.version, ends)


def _facts(path: Path) -> Any:
    """The facts of a segment file; None for a packet capture."""
    try:
        with path.open("rb") as file:
            try:
                return segment_facts(file)
            except SegmentFormatError as error:
                file.seek(0)
                try:
                    next(split_packet_file(file, 1), None)
                except PacketFileFormatError as none:
                    words = f"--input: {path} is not a segment file ({error}) or a packet capture ({none})"
                    raise FatalError(words, "", ExitCode.USAGE) from none
    except OSError as error:
        raise FatalError(f"--input: {path}: {error.strerror}", "", ExitCode.USAGE) from error
    return None


def _release(path: Path, word: str) -> Release:
    if not word:
        advice = "Name it with --release, such as --release 4.3.1."
        raise FatalError(f"--input: {path} does not contain its release", advice, ExitCode.USAGE)
    try:
        return table().find(word)
    except ReleaseError as error:
        raise FatalError(error.message, error.advice, ExitCode.USAGE) from error
