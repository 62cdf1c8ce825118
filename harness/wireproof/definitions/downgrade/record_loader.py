"""Our reader of coordinators' records: it loads a record as a release does, before or after KIP-915."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.schema import MessageKind, MessageLayout, MessageSpec, SchemaSet, resolve
from kafkawire.values import StructValue
from kafkawire.wire import read_int16
from wireproof.definitions.downgrade.load_rules import DowngradeOutcome, LoadRule, LoadRules, UnknownVersion
from wireproof.proof.checks.known_defects.leniencies import known_leniencies
from wireproof.proof.checks.malformed.lenient_reader import read_leniently
from wireproof.traffic.wire.inner_messages import InternalLog

COORDINATOR_LOGS: Final = (InternalLog.OFFSETS, InternalLog.TRANSACTIONS, InternalLog.SHARE)

_MODULES: Final = {
    "group-coordinator": InternalLog.OFFSETS,
    "transaction-coordinator": InternalLog.TRANSACTIONS,
    "share-coordinator": InternalLog.SHARE,
}
_LEGACY: Final = "LegacyOffsetCommit"
"""The name of type 0 from 4.1 on; older releases have it as a version of OffsetCommitKey."""


class CoordinatorRecordType(NamedTuple):
    """A type of records: ``OffsetCommit``, the number at the start of its key, and the key's version."""

    log: InternalLog
    name: str
    number: int
    key: MessageSpec
    key_version: int
    value: MessageSpec


def record_types(schemas: SchemaSet) -> dict[tuple[InternalLog, int], CoordinatorRecordType]:
    """Return the types of a release by log and number."""
    return {(each.log, each.number): each for each in _types(schemas)}


def _types(schemas: SchemaSet) -> Iterator[CoordinatorRecordType]:
    for module, spec in schemas:
        if not spec.name.endswith("Key") or module not in (*_MODULES, "core"):
            continue
        name = spec.name.removesuffix("Key")
        _, value = schemas.find(f"{name}Value")
        log = InternalLog.TRANSACTIONS if name.startswith("Transaction") else InternalLog.OFFSETS
        log = _MODULES.get(module, log)
        for version in spec.valid_versions:
            has_number = spec.kind is MessageKind.COORDINATOR_KEY and spec.api_key is not None
            number = spec.api_key if has_number else version
            assert number is not None
            legacy = (log, number, name) == (InternalLog.OFFSETS, 0, "OffsetCommit")
            yield CoordinatorRecordType(log, _LEGACY if legacy else name, number, spec, version, value)


_PREFIX_BYTES: Final = 2


@dataclass(frozen=True, slots=True)
class LoadedRecord:
    """The result of one record: the rule that decided, and in words the type, version or error.

    Parts that were not read are None, as are a type unknown to the reader and the value of a tombstone.
    """

    outcome: DowngradeOutcome
    rule: LoadRule
    words: str
    type: CoordinatorRecordType | None = None
    layout: MessageLayout | None = None
    value: StructValue | None = None
    key: StructValue | None = None


class RecordLoader:
    """Reads records by the definitions of one release and by the rules of one reader (`rules_of`)."""

    def __init__(self, schemas: SchemaSet, rules: Callable[[InternalLog], LoadRules]) -> None:
        self._types = record_types(schemas)
        self._logs = {log for log, _ in self._types}
        self._rules = rules
        self._leniencies = known_leniencies(schemas.release)

    def load(self, log: InternalLog, key: bytes, value: bytes | None) -> LoadedRecord:
        """Read a record. A value of None is a tombstone.

        Bytes after a body are ignored, as Kafka ignores them.
        """
        if log not in self._logs:
            return LoadedRecord(DowngradeOutcome.DATA_LOST, LoadRule.LOG_NOT_READ, log)
        number = _prefix(key)
        if number is None:
            return _unreadable(None, "the key has fewer than 2 bytes")
        found = self._types.get((log, number))
        last = self._rules(log).last_type
        if found is None or (last is not None and number > last):
            return self._unknown_type(log, number)
        try:
            label = _decode(resolve(found.key, found.key_version), key)
        except CodecError as error:
            return _unreadable(found, f"key: {error}")
        if value is None:
            return LoadedRecord(DowngradeOutcome.ACCEPTED, LoadRule.KNOWN, "tombstone", found, key=label)
        return replace(self._value(log, found, value), key=label)

    def _unknown_type(self, log: InternalLog, number: int) -> LoadedRecord:
        words = f"type {number}"
        if self._rules(log).skips_unknown_types:
            return LoadedRecord(DowngradeOutcome.DATA_LOST, LoadRule.UNKNOWN_TYPE_SKIPPED, words)
        return LoadedRecord(DowngradeOutcome.REFUSED, LoadRule.UNKNOWN_TYPE_REFUSED, words)

    def _value(self, log: InternalLog, found: CoordinatorRecordType, data: bytes) -> LoadedRecord:
        version = _prefix(data)
        if version is None:
            return _unreadable(found, "the value has fewer than 2 bytes")
        versions, rule = found.value.valid_versions, LoadRule.KNOWN
        words = f"version {version} of {found.value.name}"
        if version not in versions:
            match self._rules(log).unknown_version:
                case UnknownVersion.REFUSE:
                    refused = DowngradeOutcome.REFUSED
                    return LoadedRecord(refused, LoadRule.UNKNOWN_VERSION_REFUSED, words, found)
                case UnknownVersion.SKIP:
                    skipped = DowngradeOutcome.DATA_LOST
                    return LoadedRecord(skipped, LoadRule.UNKNOWN_VERSION_SKIPPED, words, found)
                case UnknownVersion.READ:
                    version, rule = versions.highest, LoadRule.UNKNOWN_VERSION_READ
        layout = resolve(found.value, version)
        try:
            value = _decode(layout, data)
        except CodecError as error:
            if read_leniently(layout, data[_PREFIX_BYTES:], self._leniencies) is None:
                return _unreadable(found, f"value: {error}")
            # Kafka reads other values than the writer's, and no error stops it.
            words = f"value: {error}, which Kafka lets pass"
            return LoadedRecord(DowngradeOutcome.DATA_LOST, LoadRule.CHANGED_LAYOUT, words, found)
        return LoadedRecord(DowngradeOutcome.ACCEPTED, rule, words, found, layout, value)


def _prefix(data: bytes) -> int | None:
    return read_int16(data, 0)[0] if len(data) >= _PREFIX_BYTES else None


def _decode(layout: MessageLayout, data: bytes) -> StructValue:
    return fastest_codec(layout).decode_from(data, _PREFIX_BYTES)[0]


def _unreadable(found: CoordinatorRecordType | None, words: str) -> LoadedRecord:
    return LoadedRecord(DowngradeOutcome.CRASHED, LoadRule.UNREADABLE, words, found)
