"""Comparison of the layouts of franz-go's definitions with Kafka's, cell by cell."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from kafkawire.embedded.hand_written import CONNECT_MESSAGES, STICKY_USER_DATA, hand_written_specs
from kafkawire.schema import MessageKind, MessageSpec, SchemaSet, VersionRange, resolve
from wireproof.definitions.franz_go.layout_alignment import LayoutDifference, layout_differences
from wireproof.definitions.krammar.conversion.field_conversion import ConversionNote, NoteLevel
from wireproof.definitions.krammar.conversion.to_schema import described_message
from wireproof.definitions.krammar.definition_model import KrammarDefinitions, KrammarStruct, StructRole

_OTHER_NAMES: Final = MappingProxyType(
    {
        "TxnMetadataKey": "TransactionLogKey",
        "TxnMetadataValue": "TransactionLogValue",
        "ConsumerMemberMetadata": "ConsumerProtocolSubscription",
        "ConsumerMemberAssignment": "ConsumerProtocolAssignment",
        "StickyMemberMetadata": STICKY_USER_DATA,
        "ConnectMemberMetadata": CONNECT_MESSAGES[0],
        "ConnectMemberAssignment": CONNECT_MESSAGES[1],
    }
)
"""The structs whose name differs from Kafka's, or from our name for messages that Kafka writes by hand."""

WITHOUT_COUNTERPART: Final = MappingProxyType(
    {
        "MessageV0": "records of magic 0",
        "MessageV1": "records of magic 1",
        "Header": "headers of records",
        "RecordBatch": "record batches",
        "ControlRecordKey": "keys of control records",
    }
)
"""The structs for which Kafka has neither a definition nor a schema object, with what they describe."""


def counterpart_of(struct: KrammarStruct, schemas: SchemaSet) -> MessageSpec | None:
    """Kafka's definition of a struct in one release; None if the release has none.

    Requests and responses are found by api key, others by name.
    """
    if struct.key is not None:
        kind = MessageKind(struct.role.value)
        return next((each for _, each in schemas if (each.kind, each.api_key) == (kind, struct.key)), None)
    name = _OTHER_NAMES.get(struct.name, struct.name)
    if name in hand_written_specs():
        return hand_written_specs()[name]
    return next((each for _, each in schemas if each.name == name), None)


def starts_with_version(spec: MessageSpec) -> bool:
    """Test if Kafka's definition itself has the version field, which usually other code writes."""
    return bool(spec.fields) and spec.fields[0].json_name == "version"


@dataclass(frozen=True, slots=True)
class LayoutDisagreement:
    """One difference between Kafka's message and krammar's struct, in all versions of a release with it."""

    release: str
    message: str
    struct: str
    versions: tuple[int, ...]
    difference: LayoutDifference


@dataclass(frozen=True, slots=True)
class DefinitionComparison:
    """The result of a comparison. A cell is one message at one version.

    Attributes:
        compared: the cells that both have, as Kafka's name and version.
        equal_bytes: the number of these cells in which every value has the same encoding.
        equal: the number of cells in which, in addition, the defaults of all fields are equal.
        kafka_only: the cells of the newest release that krammar lacks, as ``Message/version``.
        krammar_only: the cells of requests and responses that no release has.
        without_counterpart: the structs that no definition of Kafka describes.
        notes: the constructs that Kafka's language cannot express, and that no layout contains.
    """

    compared: frozenset[tuple[str, int]]
    equal_bytes: int
    equal: int
    kafka_only: tuple[str, ...]
    krammar_only: tuple[str, ...]
    without_counterpart: tuple[str, ...]
    disagreements: tuple[LayoutDisagreement, ...]
    notes: tuple[ConversionNote, ...]


@dataclass(frozen=True, slots=True)
class PairedMessage:
    """A struct as a message, and Kafka's cells of it: each version in the newest release that has it."""

    struct: KrammarStruct
    spec: MessageSpec
    cells: tuple[tuple[str, MessageSpec, int], ...]


def paired_messages(
    definitions: KrammarDefinitions, releases: Sequence[SchemaSet]
) -> Iterator[tuple[PairedMessage | KrammarStruct, list[ConversionNote]]]:
    """Yield each message of franz-go's definitions, with Kafka's definitions of it.

    Args:
        releases: from the newest to the oldest.

    Yields:
        The pair, or the struct alone if no release has it; and the notes of its conversion.
    """
    for struct in definitions.structs:
        if struct.role is StructRole.PLAIN and not (
            struct.name in WITHOUT_COUNTERPART or struct.name == "StickyMemberMetadata"
        ):
            continue
        found = [(each.release, counterpart_of(struct, each)) for each in releases]
        specs = [(release, spec) for release, spec in found if spec is not None]
        if not specs:
            yield struct, []
            continue
        spec, notes = described_message(_with_version(struct, specs[0][1]), definitions)
        if spec is None:
            yield struct, notes
            continue
        cells: dict[int, tuple[str, MessageSpec, int]] = {}
        for release, kafka in specs:
            for version in kafka.valid_versions:
                cells.setdefault(version, (release, kafka, version))
        yield PairedMessage(struct, spec, tuple(cells[each] for each in sorted(cells))), notes


def _with_version(struct: KrammarStruct, kafka: MessageSpec) -> KrammarStruct:
    """Keep the field ``Version`` of a struct if Kafka's definition has it, too."""
    if struct.role is StructRole.VERSIONED and starts_with_version(kafka):
        return replace(struct, role=StructRole.PLAIN)
    return struct


def compare_definitions(
    definitions: KrammarDefinitions, releases: Sequence[SchemaSet]
) -> DefinitionComparison:
    """Compare every cell that both have; releases go from the newest to the oldest.

    A struct that is not top level does not state its newest version, so it is compared at each of Kafka's.
    """
    found: dict[tuple[str, str, str, LayoutDifference], list[int]] = defaultdict(list)
    equal_bytes = equal = 0
    alone: list[str] = []
    krammar_only: list[str] = []
    compared: set[tuple[str, int]] = set()
    notes: list[ConversionNote] = []
    for pair, notes_of_pair in paired_messages(definitions, releases):
        notes += (each for each in notes_of_pair if each.level is NoteLevel.DEFAULT)
        if isinstance(pair, KrammarStruct):
            alone.append(pair.name)
            continue
        versions = pair.spec.valid_versions if pair.struct.key is not None else VersionRange.ALL
        spec = replace(pair.spec, valid_versions=versions)
        of_kafka = [each for each in pair.cells if each[2] in versions]
        for release, kafka, version in of_kafka:
            differences = layout_differences(resolve(spec, version).root, resolve(kafka, version).root)
            equal_bytes += not any(each.aspect.of_bytes for each in differences)
            equal += not differences
            compared.add((kafka.name, version))
            for each in differences:
                found[release, kafka.name, pair.struct.name, each].append(version)
        if pair.struct.key is not None:
            missing = set(versions) - {version for _, _, version in of_kafka}
            krammar_only += (f"{pair.struct.name}/{version}" for version in sorted(missing))
    return DefinitionComparison(
        frozenset(compared),
        equal_bytes,
        equal,
        tuple(_kafka_only(releases[:1], compared)),
        tuple(krammar_only),
        tuple(alone),
        tuple(
            LayoutDisagreement(release, message, struct, tuple(versions), difference)
            for (release, message, struct, difference), versions in found.items()
        ),
        tuple(notes),
    )


def _kafka_only(releases: Iterable[SchemaSet], compared: set[tuple[str, int]]) -> Iterator[str]:
    """The requests and responses of a release that krammar lacks."""
    for schemas in releases:
        for _, spec in schemas:
            if spec.kind in ("request", "response"):
                missing = (each for each in spec.valid_versions if (spec.name, each) not in compared)
                yield from (f"{spec.name}/{version}" for version in missing)
