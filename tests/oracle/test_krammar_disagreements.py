"""Disagreements between franz-go's definitions and Kafka's about bytes: Kafka's classes decide."""

import re
from dataclasses import replace

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.embedded.hand_written import hand_written_specs
from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout, VersionRange, resolve
from kafkawire.values import TAGS
from tests.support.oracles.kafka_classes import kafka
from tests.support.schemas.franz_go_definitions import franz_go_comparison, franz_go_messages
from wireproof.definitions.evolution.break_example import find_break
from wireproof.definitions.franz_go.cell_comparison import LayoutDisagreement
from wireproof.definitions.franz_go.layout_alignment import Aspect
from wireproof.model.cell import EMBEDDED_MODULE, Cell
from wireproof.model.embedding import CONNECT_SCHEMA, EmbeddedBlob, OracleBlob
from wireproof.model.oracle import OracleReply, OracleValue, Refusal
from wireproof.proof.strategies.cases.scenarios import scenarios

pytestmark = pytest.mark.languages("go")

CONNECT_RELEASE = "4.3.1"
"""The newest release with Kafka Connect's classes."""


def disagreements() -> list[LayoutDisagreement]:
    return [each for each in franz_go_comparison().disagreements if each.difference.aspect.of_bytes]


def cell_of(found: LayoutDisagreement, version: int) -> tuple[Cell, MessageLayout]:
    if found.message in hand_written_specs():
        cell = Cell(CONNECT_RELEASE, EMBEDDED_MODULE, found.message, version)
        return cell, resolve(hand_written_specs()[found.message], version)
    return kafka(found.release).cell(found.message, version)


def reread(found: LayoutDisagreement, version: int, data: list[bytes]) -> list[OracleReply]:
    """The values that Kafka's class reads, and the bytes that it writes of them."""
    cell, layout = cell_of(found, version)
    if cell.module != EMBEDDED_MODULE:
        return list(kafka(found.release).oracle.reread(cell, layout, data))
    prefix = version.to_bytes(2)
    blobs = [EmbeddedBlob(prefix + each) for each in data]
    replies = kafka(CONNECT_RELEASE).oracle.read_blobs(cell, layout, CONNECT_SCHEMA, blobs)
    return [_value(reply, prefix) if isinstance(reply, OracleBlob) else reply for reply in replies]


def _value(reply: OracleBlob, prefix: bytes) -> OracleValue:
    body = reply.blob.data.removeprefix(prefix)
    return OracleValue(body, len(body), len(body), reply.value)


def krammar_layout(found: LayoutDisagreement, version: int) -> MessageLayout:
    spec = franz_go_messages()[found.struct].spec
    return resolve(replace(spec, valid_versions=VersionRange.ALL), version)


def examples(layout: MessageLayout, path: str) -> list[bytes]:
    """The boundary cases of a field, by its own name, and the message with all defaults."""
    name = path.rpartition(".")[2]
    cases = (each for each in scenarios(layout))
    chosen = [
        each for each in cases if name in re.split(r"[./]", each.name) or each.name == "message/default"
    ]
    encode = interpret_layout(layout).encode
    return [encode(each.value) for each in chosen]


@pytest.mark.parametrize("number", range(18))
def test_kafkas_bytes_follow_kafkas_layout(number: int) -> None:
    """The class reads what our codec writes with Kafka's layout, and writes the same bytes."""
    found = disagreements()[number]
    for version in (found.versions[0], found.versions[-1]):
        _, layout = cell_of(found, version)
        data = examples(layout, found.difference.path)
        assert data
        for given, reply in zip(data, reread(found, version, data), strict=True):
            assert isinstance(reply, OracleValue), (found, reply)
            assert reply.written == given, found


@pytest.mark.parametrize("number", range(18))
def test_krammar_is_wrong_about_bytes(number: int) -> None:
    """Bytes by krammar's layout are refused or read as another value, or Kafka's bytes are misread by it."""
    found = disagreements()[number]
    version = found.versions[-1]
    _, layout = cell_of(found, version)
    other = krammar_layout(found, version)
    if found.difference.aspect is Aspect.FIELD and found.difference.kafka == "absent":
        # A tag that the version does not have: the class refuses each message with it, as our codec does.
        data = examples(other, found.difference.path)
        replies = reread(found, version, data)
        refused = [isinstance(each, Refusal) for each in replies]
        assert any(refused)
        assert refused == [_refuses(layout, each) for each in data], found
        return
    to_krammar, to_kafka = find_break(layout, other), find_break(other, layout)
    if to_krammar is not None:
        (reply,) = reread(found, version, [to_krammar.data])
        assert isinstance(reply, OracleValue), (found, reply)
        assert reply.written == to_krammar.data
    elif to_kafka is not None:
        (reply,) = reread(found, version, [to_kafka.data])
        assert isinstance(reply, Refusal), (found, reply)
    else:
        # Only Kafka has the tag: krammar keeps it as an unknown one.
        assert found.difference.krammar == "absent"
        data = examples(layout, found.difference.path)
        values = [
            (interpret_layout(layout).decode(each), interpret_layout(other).decode(each)) for each in data
        ]
        assert any(theirs.get(TAGS) and not own.get(TAGS) for own, theirs in values)


def _refuses(layout: MessageLayout, data: bytes) -> bool:
    try:
        interpret_layout(layout).decode(data)
    except CodecError:
        return True
    return False


def test_there_are_disagreements_to_ask_about() -> None:
    """The numbers of the tests above are all of them."""
    assert len(disagreements()) == 18
