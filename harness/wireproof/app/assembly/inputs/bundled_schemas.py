"""The schemas of releases from the project's own snapshots, and schemas that no jar has as a file.

This module imports little, because programs that ask for nothing else start often.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from kafkawire.embedded.hand_written import CONNECT_MESSAGES, hand_written_specs
from kafkawire.primitives import primitive_specs
from kafkawire.records import record_set_spec
from kafkawire.schema.model import SchemaSet
from wireproof.kafka.releases.release_table import Release
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE

_CONNECT: Final = "connect-runtime"


def snapshots(releases: Sequence[Release]) -> dict[str, SchemaSet]:
    """The schemas of the releases from the project's own snapshots: no jar, no Java, no network."""
    return {release.version: with_own_modules(release, load_snapshot(release)) for release in releases}


def with_own_modules(release: Release, schemas: SchemaSet) -> SchemaSet:
    """The schemas, with modules for data without a schema in any jar: record sets, hand-written protocols.

    Connect's protocol is included if the release offers its jar.
    """
    records = record_set_spec()
    connect = any(extra.name == _CONNECT for extra in release.extras)
    embedded = {
        name: spec for name, spec in hand_written_specs().items() if connect or name not in CONNECT_MESSAGES
    }
    own = {RECORDS_MODULE: {records.name: records}, EMBEDDED_MODULE: embedded}
    return SchemaSet(schemas.release, {**schemas.modules, **own})


def unpublished_messages(release: Release, other: SchemaSet) -> frozenset[str]:
    """The messages of other schemas that the release may have: the registry lacks their modules."""
    lacking = {each.name for each in release.absent if each.unpublished}
    of_connect = CONNECT_MESSAGES if _CONNECT in lacking else ()
    return frozenset(spec.name for module, spec in other if module in lacking or spec.name in of_connect)


def not_compared_words(messages: Iterable[str]) -> str:
    return f"not compared: {', '.join(sorted(messages))}: the registry lacks their modules of a release"


def with_primitives(schemas: SchemaSet) -> SchemaSet:
    """The schemas, with a module of single primitives, which become cells if a testee claims some."""
    return SchemaSet(schemas.release, {**schemas.modules, PRIMITIVES_MODULE: primitive_specs()})
