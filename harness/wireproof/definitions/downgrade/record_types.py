"""The record types of coordinators' logs in one release, by the number at the start of the key."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from kafkawire.schema import MessageKind, MessageSpec, SchemaSet
from wireproof.traffic.wire.inner_messages import InternalLog

__all__ = ["COORDINATOR_LOGS", "CoordinatorRecordType", "record_types"]

COORDINATOR_LOGS: Final = (InternalLog.OFFSETS, InternalLog.TRANSACTIONS, InternalLog.SHARE)

_MODULES: Final = {
    "group-coordinator": InternalLog.OFFSETS,
    "transaction-coordinator": InternalLog.TRANSACTIONS,
    "share-coordinator": InternalLog.SHARE,
}
_LEGACY: Final = "LegacyOffsetCommit"
"""The name of type 0 from 4.1 on; older releases have it as a version of OffsetCommitKey."""


class CoordinatorRecordType(NamedTuple):
    """A type of records.

    Attributes:
        name: the name of key and value without these words: ``OffsetCommit``.
        number: the number at the start of the key.
        key_version: the version of the key's layout.
    """

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
