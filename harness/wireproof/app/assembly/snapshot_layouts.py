"""The definitions of releases outside a run, out of the project's own snapshots."""

from collections.abc import Iterator, Sequence

from kafkawire.schema import resolve
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import SchemaSet
from wireproof.kafka.releases import Release, ReleaseError, load_snapshot, table
from wireproof.model import Cell, release_number
from wireproof.proof.testees import TesteeError


class NamingLayouts:
    """The layouts of releases that testees take their names from, out of the project's own snapshots."""

    def __init__(self) -> None:
        self._schemas: dict[str, SchemaSet] = {}

    def __call__(self, release: str, message: str, version: int) -> MessageLayout | None:
        """A layout; None where the release lacks it.

        Raises:
            TesteeError: the table lacks the release.
        """
        if release not in self._schemas:
            try:
                (found,) = table().choose(release)
            except (ReleaseError, ValueError) as error:
                words = f"a testee takes its names from {release!r}, which is not a release of Kafka"
                raise TesteeError(words) from error
            self._schemas[release] = load_snapshot(found)
        try:
            _, spec = self._schemas[release].find(message)
        except KeyError:
            return None
        return resolve(spec, version) if version in spec.valid_versions else None


class OtherReleases:
    """Finds a cell in the releases outside the run: a codec may be right for one of them.

    Nothing is read before the first question: a run without a failure pays nothing.

    Args:
        used: the releases of the run.
    """

    def __init__(self, used: Sequence[Release]) -> None:
        self._used = {release.version for release in used}
        self._layouts = NamingLayouts()

    def __call__(self, cell: Cell) -> Iterator[tuple[str, MessageLayout]]:
        """Yield each release that has the cell, with its layout, the nearest release first."""
        for release in sorted(table(), key=lambda each: _distance(each.version, cell.release)):
            if release.version in self._used:
                continue
            layout = self._layouts(release.version, cell.message, cell.version)
            if layout is not None:
                yield release.version, layout


def _distance(release: str, other: str) -> tuple[int, ...]:
    """Return the distance of two releases; of two at the same distance, the newer comes first."""
    one, two = release_number(release), release_number(other)
    return (*(abs(a - b) for a, b in zip(one, two, strict=True)), *(-part for part in one))
