"""The diagnosis of one message: what comes out of the answers of codecs with planted deviations."""

import pickle
import random
from dataclasses import replace
from itertools import combinations

import pytest

from tests.support.codecs.planted_deviations import (
    READ,
    WRITE,
    assert_all_predicted,
    operators,
    planted,
    searched,
    small_asked,
)
from wireproof.model.adapter import Decode, Decoded, Reencode, Refused, Reply
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply
from wireproof.proof.deviations.rules import family_of

HIDING = (
    Deviation(READ, "null-not-allowed", "empty"),
    Deviation(READ, "beyond-end", "clamp"),
    Deviation(READ, "ill-formed-text", "latin-1"),
    Deviation(READ, "known-tag", "drop"),
    Deviation(READ, "unknown-tag", "drop"),
    Deviation(READ, "tag-order", "accept"),
    Deviation(READ, "varint-bits", "drop"),
    Deviation(READ, "marker", "sign"),
)
PAIRS = random.Random(7).sample(list(combinations(HIDING, 2)), 20)
_TEXT = frozenset({"compact string", "compact nullable string"})


@pytest.mark.parametrize(
    "deviation",
    [
        Deviation(READ, "null-not-allowed", "empty"),
        Deviation(READ, "beyond-end", "clamp"),
        Deviation(READ, "beyond-end", "empty"),
        Deviation(READ, "ill-formed-text", "latin-1"),
        Deviation(READ, "known-tag", "drop"),
        Deviation(READ, "unknown-tag", "drop"),
        Deviation(READ, "tag-order", "accept"),
        Deviation(READ, "varint-bits", "drop"),
        Deviation(READ, "tagged", "default"),
        Deviation(READ, "long-tag", "refuse"),
        Deviation(READ, "varint-two", "byte"),
        Deviation(READ, "varint-three", "refuse"),
        Deviation(READ, "varint-five", "refuse"),
        Deviation(READ, "varint-zero", "last"),
        Deviation(READ, "to-end", "crash", "IndexError"),
        Deviation(READ, "type", "other", types=frozenset({"bool"})),
        Deviation(WRITE, "varint-127", "padded"),
        Deviation(WRITE, "varint-128", "cut"),
        Deviation(WRITE, "length", "count"),
        Deviation(WRITE, "length", "int32", types=frozenset({"compact string", "compact nullable string"})),
        Deviation(WRITE, "not-empty", "one-less"),
        Deviation(READ, "non-ascii", "latin-1"),
        Deviation(WRITE, "non-ascii", "latin-1"),
        Deviation(WRITE, "tag-size", "one-more"),
        Deviation(WRITE, "neighbours", "swapped", fields=frozenset({"name"})),
        Deviation(READ, "neighbours", "swapped", fields=frozenset({"offset"})),
        Deviation(READ, "marker", "sign"),
        Deviation(READ, "sign", "unsigned", types=frozenset({"int32"})),
        Deviation(READ, "message", "crash", "ValueError"),
        Deviation(READ, "message", "crash", "hang"),
        Deviation(WRITE, "message", "crash", "ValueError"),
        Deviation(WRITE, "message", "refuse"),
        Deviation(WRITE, "text-length", "characters"),
        Deviation(READ, "default", "constant", value="7", types=frozenset({"int32"})),
        Deviation(WRITE, "tag-default", "write"),
        Deviation(WRITE, "tag-default", "truthy"),
        Deviation(WRITE, "tag-default", "new"),
        Deviation(WRITE, "marker", "null"),
        Deviation(WRITE, "marker", "present"),
        Deviation(WRITE, "marker", "skip"),
        Deviation(READ, "sibling", "minus-one", value='name = ""', fields=frozenset({"late"})),
        Deviation(READ, "end-of-message", "one-less"),
        Deviation(READ, "tags", "skip"),
        Deviation(READ, "end-of-message", "one-more", types=frozenset({"body"})),
        Deviation(READ, "unequal", "equal"),
        Deviation(READ, "unequal-tags", "equal"),
        Deviation(
            READ, "elements", "map", types=frozenset({"array of struct"}), fields=frozenset({"topics"})
        ),
        Deviation(WRITE, "layout", "skip", fields=frozenset({"late", "id", "one", "two"})),
        Deviation(WRITE, "layout", "skip", fields=frozenset({"offset"})),
        Deviation(READ, "layout", "skip", fields=frozenset({"name"})),
        Deviation(WRITE, "layout", "int32", types=frozenset({"int64"})),
    ],
    ids=lambda each: "-".join((each.direction, each.trigger, each.action, *sorted(each.types))),
)
def test_one_planted_deviation_is_what_comes_out(deviation: Deviation) -> None:
    """Each cause has its trigger and action, and nothing is left."""
    found, differing = searched(planted(deviation))
    words = {(each.direction, each.trigger, each.action, each.error) for each in found.found}
    assert words == {(deviation.direction, deviation.trigger, deviation.action, deviation.error)}
    assert pickle.loads(pickle.dumps(found.found)) == found.found
    assert_all_predicted(found, differing)


def test_a_limit_of_bytes_has_its_least_size() -> None:
    """As small as the answers show: no shorter text is refused, and no longer one is read."""
    limit = Deviation(READ, "content", "refuse", value="1000", types=family_of({"compact bytes"}))
    found, differing = searched(planted(limit))
    assert [(each.trigger, each.action, each.value) for each in found.found] == [
        ("content", "refuse", "17000")
    ]
    assert_all_predicted(found, differing)


@pytest.mark.parametrize("action", ["default", "last-lost"])
def test_a_codec_without_values_shows_the_field_in_the_bytes_that_it_writes_again(action: str) -> None:
    """A codec that only writes what it read has a cause of one field, as one whose values are seen."""
    fields = frozenset({"id" if action == "default" else "topics"})
    rewritten = [
        replace(each, request=Reencode(each.request.data))
        for each, _ in small_asked()
        if isinstance(each.request, Decode)
    ]
    asked = [(each, right_reply(each)) for each in rewritten]
    found, differing = searched(planted(Deviation(READ, "value", action, fields=fields)), asked)
    assert differing
    assert {(each.trigger, each.action, each.fields) for each in found.found} == {("value", action, fields)}


def test_one_answer_does_not_show_that_a_field_depends_on_others() -> None:
    """Any value that this answer alone has would explain it."""
    answered: list[CodecExchange] = []

    def answer(exchange: CodecExchange) -> Reply:
        """Answer one request wrongly: the first that has another offset."""
        right = right_reply(exchange)
        if answered or not isinstance(right, Decoded) or right.value["offset"] == 5:
            return right
        answered.append(exchange)
        return Decoded({**right.value, "late": 0, "middle": -1})

    found, differing = searched(answer)
    assert len(differing) == 1
    assert "sibling" not in {each.trigger for each in found.found}


def test_what_kafka_reads_all_the_same_is_no_cause() -> None:
    """A codec that loses a field loses it in bytes that only a lenient reader takes, too."""
    lost = Deviation(READ, "value", "zero", types=frozenset({"int64"}), fields=frozenset({"offset"}))
    lenient = Deviation(READ, "varint-bits", "drop"), Deviation(READ, "ill-formed-text", "replace")
    codec = Model([lost, *lenient])

    def answer(exchange: CodecExchange) -> Reply:
        prediction = codec.predict(exchange)
        return prediction.reply if lost in prediction.deviations else right_reply(exchange)

    found, differing = searched(answer)
    assert any(isinstance(right_reply(each), Refused) for each in differing)
    assert {(each.trigger, each.fields) for each in found.found} == {("value", lost.fields)}
    assert_all_predicted(found, differing)


def test_a_reader_that_changes_every_text_is_one_cause() -> None:
    """A codec that reads another field of the type rightly has one cause a field."""
    types = frozenset({"compact nullable string", "compact string"})
    one = Deviation(READ, "value", "first-126", types=types)
    for deviation in (one, *(replace(one, fields=frozenset({name})) for name in ("name", "topics[].key"))):
        found, _ = searched(planted(deviation))
        assert [each.fields for each in found.found] == [deviation.fields]


@pytest.mark.parametrize(
    "pair", PAIRS, ids=lambda pair: " and ".join(f"{each.trigger}-{each.action}" for each in pair)
)
def test_two_planted_deviations_come_out_as_two(pair: tuple[Deviation, Deviation]) -> None:
    """One can hide the other, as where both show in one answer."""
    found, differing = searched(planted(*pair))
    assert operators(found.found) == operators(pair)
    assert_all_predicted(found, differing)


@pytest.mark.parametrize(
    "deviations",
    [
        # Each answer shows two of them, and two others explain the first answer as well.
        (
            Deviation(READ, "tags", "skip", types=frozenset({"tag section"}), fields=frozenset({"_tags"})),
            Deviation(READ, "value", "default", types=_TEXT, fields=frozenset({"name"})),
            Deviation(READ, "null", "empty", types=_TEXT),
            Deviation(READ, "beyond-end", "past", types=_TEXT),
        ),
        (
            Deviation(READ, "end-of-message", "one-less"),
            Deviation(READ, "value", "default", types=_TEXT, fields=frozenset({"name"})),
            Deviation(READ, "null", "empty", types=_TEXT),
        ),
        # A default of the codec's own looks like null that is written as text, until null itself is written.
        (
            Deviation(WRITE, "absent", "constant", value='"x"', types=_TEXT, fields=frozenset({"name"})),
            Deviation(WRITE, "null", "refuse", types=_TEXT),
            Deviation(READ, "null", "refuse", types=_TEXT),
        ),
    ],
    ids=lambda several: " and ".join(f"{each.trigger}-{each.action}" for each in several),
)
def test_deviations_that_show_in_the_same_answers_come_out(deviations: tuple[Deviation, ...]) -> None:
    """Of several explanations of an answer, the one that predicts most of the others is right."""
    found, differing = searched(planted(*deviations))
    assert not found.exhausted
    assert operators(found.found) == operators(deviations)
    assert_all_predicted(found, differing)


@pytest.mark.parametrize(
    ("read", "written", "value"), [("skip", "skip", ""), ("unknown", "skip", ""), ("retag", "retag", "5")]
)
def test_a_tagged_field_that_a_codec_has_otherwise(read: str, written: str, value: str) -> None:
    """It lacks it as Kafka lacks those of other versions, does not know it, or has another tag for it."""
    types, fields = family_of({"int32"}), frozenset({"high"})
    deviations = [
        Deviation(direction, "layout", action, value=value, types=types, fields=fields)
        for direction, action in ((READ, read), (WRITE, written))
    ]
    found, differing = searched(planted(*deviations))
    assert {*found.found} == {*deviations}
    assert_all_predicted(found, differing)


def test_one_struct_without_its_tag_section_is_one_deviation() -> None:
    """Each message has other sections, which are right: the deviation is of one field."""
    inside = frozenset({"topics[]._tags"})
    deviation = Deviation(WRITE, "tags", "skip", types=frozenset({"tag section"}), fields=inside)
    found, differing = searched(planted(deviation))
    assert differing
    assert found.found == [deviation]
