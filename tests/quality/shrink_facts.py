"""Facts about instances of the kitchen sink, each with the least instance that Hypothesis ends at."""

import math
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import pytest

from kafkawire.values import TAGS
from tests.support.schemas import kitchen_sink
from wireproof.proof.strategies.values.boundary_values import blob, text

Fact = Callable[[dict[str, Any]], bool]

LAYOUT: Final = kitchen_sink.layout(2)

EMPTY: Final = {"snapshot": b""}
"""The least instance: records that may not be null have no default, all else has."""


def in_schema_order(value: dict[str, Any]) -> dict[str, Any]:
    names = [field.name for field in LAYOUT.root.all_fields]
    return {name: value[name] for name in names if name in value}


def topics(value: dict[str, Any]) -> list[dict[str, Any]]:
    return value.get("topics") or []


def partitions(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for topic in topics(value) for each in topic.get("partitions", ())]


def equal_ids(value: dict[str, Any]) -> bool:
    ids = [node.get("id", 0) for node in value.get("nodes", ())]
    return len(ids) == 3 and len(set(ids)) == 1


FACTS: Final = [
    pytest.param(lambda value: True, {}, id="anything"),
    pytest.param(lambda value: "tiny" in value, {"tiny": 0}, id="a default spelled out"),
    pytest.param(lambda value: value.get("tiny", 0) < 0, {"tiny": -1}, id="a negative int8"),
    pytest.param(lambda value: value.get("port", 0) > 32767, {"port": 32768}, id="a port above int16"),
    pytest.param(lambda value: value.get("crc", 0) == 2**31, {"crc": 2**31}, id="an uint32 above int32"),
    pytest.param(
        lambda value: value.get("timestamp", 0) < -(2**31),
        {"timestamp": -(2**31) - 1},
        id="a timestamp below int32",
    ),
    pytest.param(
        lambda value: value.get("leader", 0) > 2**31 - 2, {"leader": 2**31 - 1}, id="the largest number"
    ),
    pytest.param(lambda value: value.get("flagOn") is False, {"flagOn": False}, id="off the default"),
    pytest.param(
        lambda value: str(value.get("quota")) == "-0.0", {"quota": -0.0}, id="negative zero"
    ),
    pytest.param(
        lambda value: value.get("topicId") == UUID(int=1),
        {"topicId": UUID(int=1)},
        id="a uuid",
    ),
    pytest.param(
        lambda value: len(value.get("name", "")) >= 127, {"name": text(127)}, id="127 characters"
    ),
    pytest.param(
        lambda value: len(value.get("name", "")) > 16383, {"name": text(16384)}, id="16384 characters"
    ),
    pytest.param(
        lambda value: "\U0001f600" * 9 in (value.get("clientId") or ""),
        {"clientId": "\U0001f600" * 31 + "xxx"},
        id="text beyond the BMP",
    ),
    pytest.param(
        lambda value: len(value.get("blob", b"")) == 127, {"blob": blob(127)}, id="127 bytes"
    ),
    pytest.param(lambda value: value.get("group", "") is None, {"group": None}, id="a null string"),
    pytest.param(lambda value: value.get("topics", []) is None, {"topics": None}, id="a null array"),
    pytest.param(
        lambda value: value.get("replicas") == [0], {"replicas": [0]}, id="an array of one number"
    ),
    pytest.param(lambda value: len(topics(value)) == 1, {"topics": [{}]}, id="one element"),
    pytest.param(lambda value: len(topics(value)) > 100, {"topics": [{}] * 126}, id="many elements"),
    pytest.param(
        lambda value: any(each.get("offset") == 0 for each in partitions(value)),
        {"topics": [{"partitions": [{"offset": 0}]}]},
        id="a field two levels down",
    ),
    pytest.param(
        lambda value: any(TAGS in each for each in partitions(value)),
        {"topics": [{"partitions": [{TAGS: {1: b""}}]}]},
        id="an unknown tag two levels down",
    ),
    pytest.param(
        lambda value: any(each.get("diverging", {}).get("endOffset") == 0 for each in partitions(value)),
        {"topics": [{"partitions": [{"diverging": {"endOffset": 0}}]}]},
        id="a field of a tagged struct two levels down",
    ),
    pytest.param(equal_ids, {"nodes": [{}, {}, {}]}, id="three equal map keys"),
    pytest.param(lambda value: isinstance(value.get("cursor"), dict), {"cursor": {}}, id="a struct"),
    pytest.param(lambda value: value.get("classic", 0) is None, {"classic": None}, id="a null struct"),
    pytest.param(
        lambda value: value.get("cluster") == "" and value.get("epoch", -1) == 0,
        {"cluster": "", "epoch": 0},
        id="two tags at once",
    ),
    pytest.param(
        lambda value: math.isnan(value.get("quota", 0.0)) and bool(value.get("flag")),
        {"flag": True, "quota": math.nan},
        id="a NaN and a flag",
    ),
]  # fmt: skip
