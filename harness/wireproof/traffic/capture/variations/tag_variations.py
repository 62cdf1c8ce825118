"""Tagged fields: unknown ones, and known ones that are left out."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

from kafkawire.schema import StructLayout
from kafkawire.values import TAGS, StructValue
from wireproof.traffic.capture.variations.answer import (
    OFFER_SLOT,
    BrokerAnswer,
    Family,
    Variation,
    map_structs,
)

_FIRST_TAG: Final = 10_000
"""The first unknown tag: far above the tags of all releases, and two bytes long on the wire."""
_KIP_482: Final = "KIP-482: a reader skips tagged fields that it does not know"
_OPTIONAL: Final = (
    "supportedFeatures",
    "finalizedFeatures",
    "finalizedFeaturesEpoch",
    "zkMigrationReady",
    "currentLeader",
    "nodeEndpoints",
)
"""Known tagged fields that a client can do without."""


def _added(struct: StructLayout, value: StructValue, tags: Mapping[int, bytes]) -> StructValue:
    if not struct.flexible:
        return value
    known = {field.tag for field in struct.tagged} | struct.reserved_tags
    new = {tag: data for tag, data in tags.items() if tag not in known}
    return {**value, TAGS: dict(sorted({**value.get(TAGS, {}), **new}.items()))}


def _unknown(answer: BrokerAnswer, random: Random, *, nested: bool) -> BrokerAnswer:
    tags = {_FIRST_TAG + random.randrange(1000): random.randbytes(1 + random.randrange(8))}
    return answer.with_structs(
        lambda struct, value, path: _added(struct, value, tags) if ("~" in path) == nested else value
    )


def _root(answer: BrokerAnswer, random: Random) -> BrokerAnswer:
    tags = {_FIRST_TAG + random.randrange(1000): random.randbytes(4)}
    return replace(answer, body=_added(answer.layout.root, answer.body, tags))


def _many(answer: BrokerAnswer, random: Random) -> BrokerAnswer:
    tags = {100: b"", _FIRST_TAG: random.randbytes(200), 2_000_000: b"\xff"}
    return answer.with_structs(
        lambda struct, value, path: value if "~" in path else _added(struct, value, tags)
    )


def _header(answer: BrokerAnswer, random: Random) -> BrokerAnswer:
    tags = {_FIRST_TAG + random.randrange(1000): random.randbytes(5)}
    root = answer.header_layout.root
    header = map_structs(root, answer.header, lambda struct, value, path: _added(struct, value, tags))
    return replace(answer, header=header)


def _left_out(answer: BrokerAnswer, random: Random) -> BrokerAnswer:
    def change(struct: StructLayout, value: StructValue, path: str) -> StructValue:
        gone = {field.name for field in struct.tagged if field.name in _OPTIONAL}
        return {name: held for name, held in value.items() if name not in gone}

    return answer.with_structs(change)


TAG_VARIATIONS: Final = (
    Variation(
        "tags-unknown",
        Family.TAGS,
        "Each struct of the body has an unknown tagged field.",
        _KIP_482,
        partial(_unknown, nested=False),
    ),
    Variation(
        "tags-nested",
        Family.TAGS,
        "Each struct inside a known tagged field has an unknown tagged field.",
        _KIP_482,
        partial(_unknown, nested=True),
    ),
    Variation(
        "tags-root", Family.TAGS, "The body itself ends with an unknown tagged field.", _KIP_482, _root
    ),
    Variation("tags-header", Family.TAGS, "The header has an unknown tagged field.", _KIP_482, _header),
    Variation(
        "tags-many",
        Family.TAGS,
        "Each struct has three unknown tagged fields: an empty one, one of 200 bytes, one with a large tag.",
        _KIP_482,
        _many,
    ),
    Variation(
        "tags-left-out",
        Family.TAGS,
        "Features (KIP-584), the current leader and node addresses (KIP-951) are left out.",
        "KIP-482: a tagged field that is not there has its default",
        _left_out,
        slot=OFFER_SLOT,
    ),
)
