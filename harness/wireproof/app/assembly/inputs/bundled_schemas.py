"""The schemas of releases from the project's own snapshots, and schemas that no jar has as a file.

This module imports little, because programs that ask for nothing else start often.
"""

from collections.abc import Sequence

from kafkawire.embedded.hand_written import CONNECT_MESSAGES, hand_written_specs
from kafkawire.primitives import primitive_specs
from kafkawire.records import record_set_spec
from kafkawire.schema.model import SchemaSet
from wireproof.kafka.releases.release_table import Release
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE


def snapshots(releases: Sequence[Release]) -> dict[str, SchemaSet]:
    """The schemas of the releases from the project's own snapshots: no jar, no Java, no network."""
    return {release.version: with_own_modules(release, load_snapshot(release)) for release in releases}


def with_own_modules(release: Release, schemas: SchemaSet) -> SchemaSet:
    """The schemas, with modules for data without a schema in any jar: record sets, hand-written protocols.

    Connect's protocol is included if the release offers its jar.
    """
    records = record_set_spec()
    connect = any(extra.name == "connect-runtime" for extra in release.extras)
    embedded = {
        name: spec for name, spec in hand_written_specs().items() if connect or name not in CONNECT_MESSAGES
    }
    own = {RECORDS_MODULE: {records.name: records}, EMBEDDED_MODULE: embedded}
    return SchemaSet(schemas.release, {**schemas.modules, **own})


def with_primitives(schemas: SchemaSet) -> SchemaSet:
    """The schemas, with a module of single primitives, which become cells if a testee claims some."""
    return SchemaSet(schemas.release, {**schemas.modules, PRIMITIVES_MODULE: primitive_specs()})
