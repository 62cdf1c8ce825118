"""The diagnosis: what it makes of a codec that has one deviation, and of one that is wrong everywhere."""

import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, count

import pytest

from kafkawire.bundled import layout as bundled_layout
from tests.support.codecs.enumerated_exchanges import HEADER, LAYOUTS, requests, small_requests
from wireproof.model.adapter import (
    NO_VALUE,
    Crashed,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Reencode,
    Refused,
    Reply,
)
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply
from wireproof.proof.deviations.rules import family_of
from wireproof.proof.deviations.search import deviation_search as search
from wireproof.proof.deviations.search.deviation_search import DeviationSearch
from wireproof.proof.deviations.search.diagnosis import diagnose, joined_crashes
from wireproof.proof.deviations.wrong_layouts import inflexible

READ, WRITE = CodecDirection.DECODE, CodecDirection.ENCODE
AGREEING = 240
"""About as many as the observer keeps."""


@cache
def _asked(of: str, number: int) -> list[tuple[CodecExchange, Reply]]:
    """Return the small requests about a message, with the right replies; these depend on no codec here."""
    asked = [
        CodecExchange(message, HEADER, request, Refused("", ""))
        for message, request in small_requests()
        if (message.name, message.version) == (of, number)
    ]
    return [(each, right_reply(each)) for each in asked]


def _answer_of(model: Model, exchange: CodecExchange) -> Reply:
    return model.predict(exchange).reply


def _diagnosis(
    answer: Callable[[CodecExchange], Reply],
    number: int = 2,
    *,
    of: str = "SmallRequest",
    most: int = search.MOST_PREDICTIONS,
) -> tuple[DeviationSearch, list[CodecExchange]]:
    """Diagnose a codec; return the exchanges in which it differs, too."""
    answered = [(replace(each, reply=answer(each)), right) for each, right in _asked(of, number)]
    same = [(each, matches(right, each.reply)) for each, right in answered]
    agreeing = [each for each, is_right in same if is_right]
    differing = [each for each, is_right in same if not is_right]
    some = agreeing[:: max(1, len(agreeing) // AGREEING)]
    return diagnose(differing, some, [], most=most), differing


@pytest.mark.parametrize(
    "planted",
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
        Deviation(WRITE, "message", "crash", "ValueError"),
        Deviation(WRITE, "message", "refuse"),
        Deviation(WRITE, "text-length", "characters"),
        Deviation(READ, "default", "constant", value="7", types=frozenset({"int32"})),
        Deviation(WRITE, "tag-default", "write"),
        Deviation(WRITE, "tag-default", "truthy"),
        Deviation(WRITE, "marker", "null"),
        Deviation(WRITE, "marker", "present"),
        Deviation(READ, "sibling", "minus-one", value='name = ""', fields=frozenset({"late"})),
        Deviation(READ, "end-of-message", "one-less"),
        Deviation(READ, "tags", "skip"),
        Deviation(READ, "end-of-message", "one-more", types=frozenset({"body"})),
        Deviation(READ, "unequal", "equal"),
        Deviation(
            READ, "elements", "map", types=frozenset({"array of struct"}), fields=frozenset({"topics"})
        ),
        Deviation(WRITE, "layout", "skip", fields=frozenset({"late", "id", "one", "two"})),
    ],
    ids=lambda each: "-".join((each.direction, each.trigger, each.action, *sorted(each.types))),
)
def test_one_planted_deviation_is_what_comes_out(planted: Deviation) -> None:
    """Each cause has its trigger and action, and nothing is left."""
    found, differing = _diagnosis(partial(_answer_of, Model([planted])))
    assert differing
    words = {(each.direction, each.trigger, each.action, each.error) for each in found.found}
    assert words == {(planted.direction, planted.trigger, planted.action, planted.error)}
    assert pickle.loads(pickle.dumps(found.found)) == found.found
    assert all(found.predicts(each) is not None for each in differing)


def test_a_limit_of_bytes_has_its_least_size() -> None:
    """As small as the answers show: no shorter text is refused, and no longer one is read."""
    limit = Deviation(READ, "content", "refuse", value="1000", types=family_of({"compact bytes"}))
    found, differing = _diagnosis(partial(_answer_of, Model([limit])))
    assert differing
    assert [(each.trigger, each.action, each.value) for each in found.found] == [
        ("content", "refuse", "17000")
    ]
    assert all(found.predicts(each) is not None for each in differing)


@pytest.mark.parametrize("action", ["default", "last-lost"])
def test_a_codec_without_values_shows_the_field_in_the_bytes_that_it_writes_again(action: str) -> None:
    """A codec that only writes what it read has a cause of one field, as one whose values are seen."""
    field = "id" if action == "default" else "topics"
    message = LAYOUTS[2]
    asked = [
        CodecExchange(message, HEADER, Reencode(each.data), Refused("", ""))
        for layout, each in small_requests()
        if layout is message and isinstance(each, Decode)
    ]
    planted = Deviation(READ, "value", action, fields=frozenset({field}))
    answered = [replace(each, reply=Model([planted]).predict(each).reply) for each in asked]
    differing = [each for each in answered if not matches(right_reply(each), each.reply)]
    agreeing = [each for each in answered if matches(right_reply(each), each.reply)]
    assert differing
    found = diagnose(differing, agreeing[:: max(1, len(agreeing) // AGREEING)], [])
    assert {(each.trigger, each.action, each.fields) for each in found.found} == {
        ("value", action, frozenset({field}))
    }


def _noise(exchange: CodecExchange) -> Reply:
    return Encoded(random.Random(repr(exchange.request)).randbytes(12))


def _constant(exchange: CodecExchange) -> Reply:
    return right_reply(
        replace(exchange, request=Encode({}) if isinstance(exchange.request, Encode) else Decode(b""))
    )


def _crash(_: CodecExchange) -> Reply:
    return Crashed("ValueError", "")


@pytest.mark.parametrize("answer", [_noise, _constant, _crash])
def test_a_codec_that_is_wrong_everywhere_stays_within_the_bounds(
    answer: Callable[[CodecExchange], Reply],
) -> None:
    """The search ends: it counts its predictions, and what it did not explain stays in the rest."""
    found, differing = _diagnosis(answer, most=8_000)
    assert len(differing) > 400
    assert found.predictions <= 8_000 + search.FEW_PREDICTIONS + 6 * len(differing)
    assert found.exhausted == (answer is not _crash)
    assert any(found.predicts(each) is None for each in differing) or found.found


def test_a_ledger_with_many_causes_hides_no_new_one() -> None:
    """The causes that a ledger knows count against no explanation."""
    known = [Deviation(READ, "end", "crash", f"Error{each}", types=frozenset({"uuid"})) for each in range(40)]
    codec = Model([Deviation(READ, "null", "empty"), *known])
    asked = [(each, right) for each, right in _asked("SmallRequest", 2) if isinstance(right, Decoded)]
    answered = [(replace(each, reply=_answer_of(codec, each)), right) for each, right in asked]
    differing = [each for each, right in answered if not matches(right, each.reply)][:1]
    found = diagnose(differing, [], [], known)
    assert found.predicts(differing[0]) is not None


def test_a_crash_with_two_errors_is_one_cause() -> None:
    """A library has an error for a stream that is cut and another one for a damaged one."""
    codec = Model([Deviation(READ, "ill-formed-text", "crash", "ValueError")])

    def answer(exchange: CodecExchange) -> Reply:
        reply = _answer_of(codec, exchange)
        odd = isinstance(exchange.request, Decode) and len(exchange.request.data) % 2 == 1
        return replace(reply, error="KeyError") if odd and isinstance(reply, Crashed) else reply

    found, differing = _diagnosis(answer)
    assert [(each.trigger, each.error) for each in found.found] == [
        ("ill-formed-text", "KeyError, ValueError")
    ]
    assert all(found.predicts(each) is not None for each in differing)


def test_two_versions_of_a_message_can_crash_each_with_its_error() -> None:
    """A cell asks for other versions of its message, too."""
    planted = [
        Deviation(READ, "message", "crash", f"Error{version}", scope={"SmallRequest": frozenset({version})})
        for version in (1, 2)
    ]
    codec = Model(planted)
    asked = [pair for version in (1, 2) for pair in _asked("SmallRequest", version)]
    answered = [(replace(each, reply=_answer_of(codec, each)), right) for each, right in asked]
    differing = [each for each, right in answered if not matches(right, each.reply)]
    agreeing = [each for each, right in answered if matches(right, each.reply)]
    found = diagnose(differing, agreeing[:: len(agreeing) // AGREEING], [])
    assert sorted(found.found, key=repr) == sorted(planted, key=repr)
    assert all(found.predicts(each) is not None for each in differing)


def test_an_exchange_that_nothing_explains_leaves_time_for_the_others() -> None:
    """The codec answers some requests at random; the others have one deviation."""
    planted = Deviation(READ, "ill-formed-text", "latin-1")
    codec = Model([planted])

    def answer(exchange: CodecExchange) -> Reply:
        request = exchange.request
        noisy = isinstance(request, Decode) and len(request.data) % 23 == 0
        return _noise(exchange) if noisy else _answer_of(codec, exchange)

    found, differing = _diagnosis(answer)
    assert planted.trigger in {each.trigger for each in found.found}
    mine = [each for each in differing if not isinstance(each.reply, Encoded)]
    assert all(found.predicts(each) is not None for each in mine if isinstance(each.request, Decode))


def test_a_message_that_is_read_as_inflexible_has_a_header_that_is_not() -> None:
    """The header is another message; its right answers do not contradict what the body shows."""
    codec = Model([Deviation(each, "message", "inflexible") for each in (READ, WRITE)])
    of_version = bundled_layout("DescribeAclsResponse", 2)
    some = requests(of_version, every=11)
    asked = [CodecExchange(of_version, None, each, Refused("", "")) for each in some]
    answered = [replace(each, reply=codec.predict(each).reply) for each in asked]
    of_header = CodecExchange(bundled_layout("ResponseHeader", 1), None, Decode(bytes(5)), Refused("", ""))
    agreeing = [each for each in answered if matches(right_reply(each), each.reply)]
    agreeing.append(replace(of_header, reply=right_reply(of_header)))
    differing = [each for each in answered if each not in agreeing]
    found = diagnose(differing, agreeing, [])
    assert {(each.direction, each.trigger, each.action) for each in found.found} == {
        (READ, "message", "inflexible"),
        (WRITE, "message", "inflexible"),
    }
    assert all(found.predicts(each) is not None for each in differing)


@pytest.mark.parametrize(("name", "version"), [("MetadataRequest", 8), ("FetchResponse", 11)])
def test_a_message_that_is_flexible_a_version_too_early(name: str, version: int) -> None:
    """Both directions of the version have tag sections and compact lengths."""
    codec = Model([Deviation(each, "message", "flexible") for each in (READ, WRITE)])
    message = bundled_layout(name, version)
    asked = [CodecExchange(message, None, each, Refused("", "")) for each in requests(message, every=11)]
    answered = [replace(each, reply=codec.predict(each).reply) for each in asked]
    agreeing = [each for each in answered if matches(right_reply(each), each.reply)]
    differing = [each for each in answered if each not in agreeing]
    found = diagnose(differing, agreeing, [])
    assert {(each.direction, each.trigger, each.action) for each in found.found} == {
        (READ, "message", "flexible"),
        (WRITE, "message", "flexible"),
    }
    assert all(found.predicts(each) is not None for each in differing)


def test_a_message_that_is_written_as_inflexible_has_no_unknown_tags() -> None:
    """There is no section for them: that is no second cause."""
    of_version = bundled_layout("DescribeAclsResponse", 2)
    asked = CodecExchange(of_version, None, Encode({"_tags": {5: b"x"}}), Refused("", ""))
    prediction = Model([Deviation(WRITE, "message", "inflexible")]).predict(asked)
    assert prediction.reply == right_reply(replace(asked, layout=inflexible(of_version), request=Encode({})))
    assert {each.trigger for each in prediction.deviations} == {"message"}


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

    found, differing = _diagnosis(answer)
    assert len(differing) == 1
    assert "sibling" not in {each.trigger for each in found.found}


def test_crashes_with_other_words_are_searched_once() -> None:
    """The message and the output of a crash say nothing about its cause."""
    crashes = (Crashed("ValueError", f"line {each}", f"trace {each}") for each in count())
    once = _diagnosis(_crash)[0].predictions
    assert _diagnosis(lambda _: next(crashes))[0].predictions <= once


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


def test_what_kafka_reads_all_the_same_is_no_cause() -> None:
    """A codec that loses a field loses it in bytes that only a lenient reader takes, too."""
    lost = Deviation(READ, "value", "zero", types=frozenset({"int64"}), fields=frozenset({"offset"}))
    codec = Model(
        [lost, Deviation(READ, "varint-bits", "drop"), Deviation(READ, "ill-formed-text", "replace")]
    )
    mine = [each for message, each in small_requests() if message is LAYOUTS[2]]
    asked = [CodecExchange(LAYOUTS[2], HEADER, each, Refused("", "")) for each in mine]
    answered = [replace(each, reply=codec.predict(each).reply) for each in asked]
    differing = [each for each in answered if lost in codec.predict(each).deviations]
    agreeing = [each for each in answered if matches(right_reply(each), each.reply)]
    assert any(isinstance(right_reply(each), Refused) for each in differing)
    found = diagnose(differing, agreeing, [])
    assert {(each.trigger, each.fields) for each in found.found} == {("value", lost.fields)}
    assert all(found.predicts(each) is not None for each in differing)


def test_a_reader_that_changes_every_text_is_one_cause() -> None:
    """A codec that reads another field of the type rightly has one cause a field."""
    types = frozenset({"compact nullable string", "compact string"})
    one = Deviation(READ, "value", "first-126", types=types)
    for planted in (one, *(replace(one, fields=frozenset({name})) for name in ("name", "topics[].key"))):
        found, _ = _diagnosis(partial(_answer_of, Model([planted])))
        assert [each.fields for each in found.found] == [planted.fields]


@pytest.mark.parametrize("action", ["first-alone", "last-alone", "last-lost"])
def test_a_reader_that_loses_elements_of_arrays_in_arrays_is_one_cause(action: str) -> None:
    """The outer array differs in its elements, too, and two equal elements do not say which one is kept."""
    message = bundled_layout("ConsumerGroupHeartbeatResponse", 1)
    codec = Model([Deviation(READ, "value", action, types=frozenset({"compact array"}))])
    asked = [CodecExchange(message, None, each, Refused("", "")) for each in requests(message, every=3)]
    answered = [replace(each, reply=codec.predict(each).reply) for each in asked]
    differing = [each for each in answered if not matches(right_reply(each), each.reply)]
    agreeing = [each for each in answered if matches(right_reply(each), each.reply)]
    found = diagnose(differing, agreeing[:: len(agreeing) // AGREEING], [])
    assert [(each.action, each.fields) for each in found.found] == [(action, frozenset())]


def test_crashes_at_three_kinds_of_refused_bytes_are_one_cause() -> None:
    """A right refusal contradicts it; a value that Kafka reads all the same does not."""
    crashes = [Deviation(READ, each, "crash", "KeyError") for each in ("end", "tag-order", "long-text")]
    one = Deviation(READ, "refused", "crash", "KeyError")
    assert joined_crashes(crashes, ()) == {one: crashes}
    assert not joined_crashes(crashes, crashes[:1])
    assert not joined_crashes([*crashes[:2], replace(crashes[2], error="IndexError")], ())

    asked = CodecExchange(LAYOUTS[2], HEADER, Decode(b""), Crashed("KeyError", ""))
    met = frozenset({(READ, "end")})
    for agreeing, joins in ((Refused("", ""), False), (Decoded({}), True)):
        right = replace(asked, request=Decode(b"\x02"), reply=agreeing)
        searched = DeviationSearch([], [asked], [(right, met | {(READ, "refused")})] * 9, list(crashes))
        searched.put_in_place(one, crashes)
        assert (searched.found == [one]) is joins


@pytest.mark.parametrize(
    "pair", PAIRS, ids=lambda pair: " and ".join(f"{each.trigger}-{each.action}" for each in pair)
)
def test_two_planted_deviations_come_out_as_two(pair: tuple[Deviation, Deviation]) -> None:
    """One can hide the other, as where both show in one answer."""
    found, differing = _diagnosis(partial(_answer_of, Model(pair)))
    words = {(each.trigger, each.action) for each in found.found}
    assert words == {(each.trigger, each.action) for each in pair}
    assert all(found.predicts(each) is not None for each in differing)


_TEXT = frozenset({"compact string", "compact nullable string"})


@pytest.mark.parametrize(
    "planted",
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
    ids=lambda planted: " and ".join(f"{each.trigger}-{each.action}" for each in planted),
)
def test_deviations_that_show_in_the_same_answers_come_out(planted: tuple[Deviation, ...]) -> None:
    """Of several explanations of an answer, the one that predicts most of the others is right."""
    codec = Model(planted)
    found, differing = _diagnosis(lambda each: codec.predict(each).reply)
    assert not found.exhausted
    words = {(each.direction, each.trigger, each.action) for each in found.found}
    assert words == {(each.direction, each.trigger, each.action) for each in planted}
    assert all(found.predicts(each) is not None for each in differing)


@pytest.mark.parametrize(
    ("read", "written", "value"), [("skip", "skip", ""), ("unknown", "skip", ""), ("retag", "retag", "5")]
)
def test_a_tagged_field_that_a_codec_has_otherwise(read: str, written: str, value: str) -> None:
    """It lacks it as Kafka lacks those of other versions, does not know it, or has another tag for it."""
    planted = (
        Deviation(
            direction, "layout", action, value=value, types=family_of({"int32"}), fields=frozenset({"high"})
        )
        for direction, action in ((READ, read), (WRITE, written))
    )
    codec = Model(planted)
    found, differing = _diagnosis(partial(_answer_of, codec))
    assert differing
    assert {*found.found} == {*codec.deviations}
    assert all(found.predicts(each) is not None for each in differing)


@pytest.mark.parametrize(
    ("version", "path", "kind", "after"),
    [
        (8, "topics[].partitions[].currentLeaderEpoch", "int32", "partition"),
        (10, "rackId", "string", "forgottenTopicsData"),
        (13, "topics[].topic", "compact string", ""),
        (15, "replicaId", "int32", ""),
    ],
)
def test_a_field_that_begins_too_early_or_ends_too_late(
    version: int, path: str, kind: str, after: str
) -> None:
    """All answers of the version are predicted, and no type of a field or array is blamed."""
    message = bundled_layout("FetchRequest", version)
    types, fields = frozenset({kind}), frozenset({path})
    codec = Model(
        Deviation(each, "added", "after", value=after, types=types, fields=fields) for each in (READ, WRITE)
    )
    asked = [CodecExchange(message, None, each, Refused("", "")) for each in requests(message, every=5)]
    answered = [replace(each, reply=codec.predict(each).reply) for each in asked]
    differing = [each for each in answered if not matches(right_reply(each), each.reply)]
    agreeing = [each for each in answered if matches(right_reply(each), each.reply)]
    found = diagnose(differing, agreeing[:: 1 + len(agreeing) // AGREEING], [])
    assert {(each.direction, each.trigger, each.value) for each in found.found} == {
        (each, "added", after) for each in (READ, WRITE)
    }
    assert all(found.predicts(each) is not None for each in differing)


def test_a_number_that_is_read_as_a_bool_is_no_value_of_its_field() -> None:
    """The reply names the field, so that other ways to make a wrong value are not causes."""
    message = bundled_layout("FetchRequest", 5)
    field = frozenset({"isolationLevel"})
    codec = Model(Deviation(each, "layout", "bool", fields=field) for each in (READ, WRITE))
    asked = [CodecExchange(message, None, each, Refused("", "")) for each in requests(message, every=7)]
    answered = [replace(each, reply=codec.predict(each).reply) for each in asked]
    differing = [each for each in answered if not matches(right_reply(each), each.reply)]
    assert any(isinstance(each.reply, Crashed) and each.reply.error == NO_VALUE for each in differing)
    agreeing = [each for each in answered if matches(right_reply(each), each.reply)]
    found = diagnose(differing, agreeing[:: 1 + len(agreeing) // AGREEING], [])
    assert {(each.direction, each.trigger, each.action) for each in found.found} == {
        (READ, "layout", "bool"),
        (WRITE, "layout", "bool"),
    }


def test_one_struct_without_its_tag_section_is_one_deviation() -> None:
    """Each message has other sections, which are right: the deviation is of one field."""
    inside = frozenset({"topics[]._tags"})
    planted = Deviation(WRITE, "tags", "skip", types=frozenset({"tag section"}), fields=inside)
    found, differing = _diagnosis(partial(_answer_of, Model([planted])))
    assert differing
    assert found.found == [planted]


def test_a_tagged_struct_that_is_refused_and_left_at_its_default_is_two_deviations() -> None:
    """Kafka reads unknown tagged fields in it: nothing but the default says that the codec refuses them."""
    inside = frozenset({"supportedFeatures[]._tags"})
    codec = Model(
        [Deviation(READ, "tagged", "default"), Deviation(READ, "unknown-tag", "refuse", fields=inside)]
    )
    of_version = bundled_layout("ApiVersionsResponse", 4)
    differing: list[CodecExchange] = []
    agreeing: list[CodecExchange] = []
    for request in (each for each in requests(of_version, every=17) if isinstance(each, Decode)):
        asked = CodecExchange(of_version, None, request, Refused("", ""))
        answered = replace(asked, reply=codec.predict(asked).reply)
        (agreeing if matches(right_reply(asked), answered.reply) else differing).append(answered)
    found = diagnose(differing, agreeing[:: max(1, len(agreeing) // AGREEING)], [])
    assert {(each.trigger, each.action) for each in found.found} == {
        ("tagged", "default"),
        ("unknown-tag", "refuse"),
    }
    assert all(found.predicts(each) is not None for each in differing)


@pytest.mark.parametrize(
    "planted",
    [
        (Deviation(READ, "checksum", "accept"),),
        (Deviation(READ, "checksum", "accept"), Deviation(READ, "batch-size", "content")),
        (Deviation(READ, "checksum", "accept"), Deviation(READ, "record-size", "content")),
        (Deviation(READ, "record-size", "size"), Deviation(READ, "negative-length", "null")),
        (Deviation(READ, "compressed", "crash", "BadGzipFile"), Deviation(READ, "codec", "none")),
        (Deviation(READ, "cut-off", "refuse"), Deviation(READ, "magic", "2")),
        (Deviation(READ, "elements", "unique-key", fields=frozenset({"batches[].records[].headers"})),),
    ],
    ids=lambda planted: " and ".join(f"{each.trigger}-{each.action}" for each in planted),
)
def test_planted_deviations_of_record_sets_come_out(planted: tuple[Deviation, ...]) -> None:
    """A codec that does not look at checksums reads damaged sets as far as its other deviations say."""
    found, differing = _diagnosis(partial(_answer_of, Model(planted)), of="RecordBatch")
    words = {(each.trigger, each.action, each.error) for each in found.found}
    assert words == {(each.trigger, each.action, each.error) for each in planted}
    assert all(found.predicts(each) is not None for each in differing)


@pytest.mark.parametrize(
    "planted",
    [
        (Deviation(READ, "checksum", "late"), Deviation(READ, "negative-length", "crash", "SystemError")),
        (Deviation(READ, "no-stream", "empty"), Deviation(READ, "compressed", "crash", "EOFError")),
    ],
    ids=lambda planted: " and ".join(f"{each.trigger}-{each.action}" for each in planted),
)
def test_planted_deviations_of_message_sets_come_out(planted: tuple[Deviation, ...]) -> None:
    """A checksum that is looked at last hides nothing; an empty stream is damaged, too."""
    found, differing = _diagnosis(partial(_answer_of, Model(planted)), 1, of="RecordBatch")
    words = {(each.trigger, each.action, each.error) for each in found.found}
    assert words == {(each.trigger, each.action, each.error) for each in planted}
    assert all(found.predicts(each) is not None for each in differing)
