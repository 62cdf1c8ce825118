"""The schemas of releases from the project's own snapshots, which a run without Java reads.

It imports little: a program that needs schemas alone starts fast.
"""

from collections.abc import Sequence

from kafkawire.embedded import CONNECT_MESSAGES, hand_written_specs
from kafkawire.records import record_set_spec
from kafkawire.schema.model import SchemaSet
from wireproof.kafka.releases import Release, load_snapshot
from wireproof.model import EMBEDDED_MODULE, RECORDS_MODULE


def snapshots(releases: Sequence[Release]) -> dict[str, SchemaSet]:
    """The schemas of the releases from the project's own snapshots: no jar, no Java, no network."""
    return {release.version: with_own_modules(release, load_snapshot(release)) for release in releases}


def with_own_modules(release: Release, schemas: SchemaSet) -> SchemaSet:
    """The schemas and, as own modules, what has none in any jar: record sets and hand-written protocols.

    Connect's protocol is there where the release offers its jar.
    """
    records = record_set_spec()
    connect = any(extra.name == "connect-runtime" for extra in release.extras)
    embedded = {
        name: spec for name, spec in hand_written_specs().items() if connect or name not in CONNECT_MESSAGES
    }
    own = {RECORDS_MODULE: {records.name: records}, EMBEDDED_MODULE: embedded}
    return SchemaSet(schemas.release, {**schemas.modules, **own})
