"""Problems among the messages of a module."""

from dataclasses import replace

import pytest

from kafkawire.schema import (
    MessageKind,
    MessageSpec,
    SchemaSet,
    Severity,
    VersionRange,
    check_message,
    check_set,
)

_REQUEST = MessageSpec(
    name="ProbeRequest",
    kind=MessageKind.REQUEST,
    valid_versions=VersionRange(0, 0),
    flexible_versions=VersionRange.NONE,
    fields=(),
    api_key=1,
    source="ProbeRequest.json",
)
_RESPONSE = replace(_REQUEST, name="ProbeResponse", kind=MessageKind.RESPONSE)
_KEY = replace(_REQUEST, name="GroupKey", kind=MessageKind.COORDINATOR_KEY)
_VALUE = replace(_REQUEST, name="GroupValue", kind=MessageKind.COORDINATOR_VALUE)
_RECORD = replace(_REQUEST, name="TopicRecord", kind=MessageKind.METADATA)
_DATA = replace(_REQUEST, name="State", kind=MessageKind.DATA, api_key=None)


def test_header_versions_of_a_release_are_its_own() -> None:
    """A table from a release's classes covers its valid versions only; no file is at fault."""
    assert check_message(replace(_REQUEST, header_versions=((VersionRange(0, 0), 1),))) == []


def _problems(*specs: MessageSpec) -> list[str]:
    problems = check_set(SchemaSet("9.9.0", {"clients": {spec.name: spec for spec in specs}}))
    assert all(problem.severity is Severity.ERROR for problem in problems)
    return [problem.text for problem in problems]


def test_a_valid_module_has_no_problem() -> None:
    """Pairs with their own keys, records and data have no problem together."""
    assert _problems(_REQUEST, _RESPONSE, _KEY, _VALUE, _RECORD, _DATA) == []


def test_modules_do_not_share_keys() -> None:
    """Two modules may use the same record ids."""
    other = replace(_RECORD, name="OtherRecord")
    modules = {"metadata": {"TopicRecord": _RECORD}, "storage": {"OtherRecord": other}}
    assert check_set(SchemaSet("9.9.0", modules)) == []


@pytest.mark.parametrize(
    ("specs", "text"),
    [
        ((_REQUEST,), "ProbeRequest: there is no response with apiKey 1: add it"),
        ((_RESPONSE,), "ProbeResponse: there is no request with apiKey 1: add it"),
        ((_VALUE,), "GroupValue: there is no coordinator-key with apiKey 1: add it"),
        (
            (_REQUEST, _RESPONSE, replace(_REQUEST, name="SecondRequest")),
            "SecondRequest: the apiKey 1 is ProbeRequest's already: give it the next free one",
        ),
        (
            (_RECORD, replace(_RECORD, name="UnTopicRecord")),
            "UnTopicRecord: the apiKey 1 is TopicRecord's already: give it the next free one",
        ),
        (
            (replace(_RECORD, api_key=None),),
            "TopicRecord: a metadata message needs an apiKey: give it the next free one",
        ),
        (
            (replace(_REQUEST, name="Probe"), _RESPONSE),
            "Probe: the name of a request ends in Request: call it ProbeRequest",
        ),
    ],
)
def test_a_problem_of_a_module_is_reported(specs: tuple[MessageSpec, ...], text: str) -> None:
    """Keys used twice, requests or responses without their pair, missing keys and missing name endings are
    problems."""
    assert _problems(*specs) == [text]
