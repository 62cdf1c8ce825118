"""Requirements of versions and releases on each other, checked with Kafka's classes."""

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.schema import absences, with_absent_fields
from kafkawire.values import TAGS
from tests.support.oracles.kafka_classes import RELEASES, accepted, kafka
from wireproof.model.oracle import EqualityBreach, OracleValue, Refusal
from wireproof.proof.strategies.cases.absent_fields import absent_cases
from wireproof.proof.strategies.values.whole_instances import full

each_release = pytest.mark.parametrize("version", RELEASES)


@each_release
@pytest.mark.parametrize("names", ["Fetch", "Metadata", "Offset", "Partition", "Create"])
def test_the_listed_fields_are_those_that_java_refuses(version: str, names: str) -> None:
    """The class refuses every field that `cells --non-ignorable` lists for a cell, and no other."""
    release, seen = kafka(version), 0
    for cell, layout in release.cells():
        if not cell.message.startswith(names):
            continue
        whole = with_absent_fields(layout)
        cases = [case for case in absent_cases(layout) if case.name.endswith("/off-default")]
        binaries = [canonical(whole).to_binary(case.value) for case in cases]
        replies = release.oracle.write(cell, whole, binaries)
        refused = {
            case.name.rpartition("/")[0]
            for case, reply in zip(cases, replies, strict=True)
            if isinstance(reply, Refusal) and reply.error == "UnsupportedVersionException"
        }
        assert refused == {absence.path for absence in absences(layout) if absence.refused}, cell.id
        assert len(refused) + sum(isinstance(reply, OracleValue) for reply in replies) == len(replies)
        seen += len(refused)
    assert seen > 0


def test_tags_of_a_newer_release_survive_an_older_release() -> None:
    """4.3 added a tagged field to a group's current assignment: 4.2 keeps its bytes, and 4.3 reads them
    again."""
    message = "ConsumerGroupCurrentMemberAssignmentValue"
    older, newer = kafka("4.2.2"), kafka("4.3.1")
    cell, layout = newer.cell(message, 0)
    value = full(layout.root, unknown_tags=False)
    written = accepted(newer.write(message, 0, value))
    carried = accepted(older.oracle.reread(*older.cell(message, 0), [written.written])[0])
    read = interpret_layout(older.cell(message, 0)[1]).decode(written.written)
    assert TAGS in read["assignedPartitions"][0]
    assert carried.written == written.written == interpret_layout(older.cell(message, 0)[1]).encode(read)
    again = accepted(newer.oracle.reread(cell, layout, [carried.written])[0])
    assert again.value == canonical(layout).to_binary(value)


@each_release
def test_every_request_beyond_its_versions_is_refused(version: str) -> None:
    """Kafka refuses versions below and above a request's range when it parses them; no class has a schema
    there."""
    release, requests = kafka(version), 0
    for module, spec in release.schemas:
        if module != "clients" or spec.retired:
            continue
        cell, _ = release.cell(spec.name, spec.valid_versions.highest)
        answer = release.oracle.bounds(cell, spec.valid_versions.highest + 1)
        assert (answer.lowest, answer.highest) == (spec.valid_versions.lowest, spec.valid_versions.highest)
        assert not answer.described
        assert answer.request in ("", "UnsupportedVersionException")
        requests += bool(answer.request)
    assert requests > 60


@each_release
def test_two_codecs_of_kafka_agree(version: str) -> None:
    """`SCHEMAS` read the bytes of the class, unknown tags too, and write the same bytes."""
    release = kafka(version)
    cell, layout = release.cell("FetchRequest", 12)
    value = full(layout.root, unknown_tags=True)
    first = accepted(release.write("FetchRequest", 12, value))
    (second,) = release.oracle.second_reread(cell, layout, [first.written])
    assert second == first


@each_release
def test_the_law_of_equality_holds_except_for_the_duplicate(version: str) -> None:
    """Each single change of a field in a Fetch request makes an unequal instance."""
    release = kafka(version)
    cell, layout = release.cell("FetchRequest", 12)
    form = canonical(layout)
    known, unknown = (form.to_binary(full(layout.root, unknown_tags=tags)) for tags in (False, True))
    assert release.oracle.equality(cell, layout, known) == []
    assert release.oracle.equality(cell, layout, unknown) == [EqualityBreach("", "duplicate-differs")]
