"""Shipped adapters with a bug planted in their built library: each call that their page names is made."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.records import Record, RecordBatch, encode_records
from kafkawire.schema import ScalarType, StructLayout, resolve
from tests.support.testees.planted_sides import SPECS
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.proof.strategies.values.whole_instances import plain_instances
from wireproof.proof.testees.build.launch import prepare_testee
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.session.testee_session import FailedAnswer, TesteeSession

_LINE = "        if version is not None:\n            self.API_VERSION = version\n"
_PLANTED = """        if version is not None:
            if self.API_VERSION is not None:
                raise ZeroDivisionError("planted")
            self.API_VERSION = version
"""


@pytest.fixture(autouse=True)
def codecs_may_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests run with warnings as errors; a codec may warn."""
    for word in ("PYTHONWARNINGS", "PYTHONDEVMODE"):
        monkeypatch.delenv(word, raising=False)


def test_kafka_python_writes_each_object_at_a_version_that_encode_is_given(tmp_path: Path) -> None:
    """Also an object that was decoded and has a version: a bug of `encode(version=)` there is met."""
    launch = prepare_testee("python-kafka-python", cache_folder(), print)
    assert isinstance(launch.target, ChildProcess)
    assert launch.target.folder is not None
    folder = tmp_path / "testee"
    shutil.copytree(launch.target.folder, folder, symlinks=True)
    (source,) = folder.glob("env/lib/*/site-packages/kafka/protocol/api_message.py")
    text = source.read_text()
    assert text.count(_LINE) == 1
    source.write_text(text.replace(_LINE, _PLANTED))
    command = (str(folder / "env/bin/python"), *launch.target.command[1:])
    session = replace(launch, target=replace(launch.target, command=command, folder=folder)).open_session(
        "x 1"
    )
    request = '"op":"reencode","message":"MetadataRequest","version":1,"data":"00000000"'
    try:
        (answer,) = session.ask([request])
    finally:
        session.close()

    assert isinstance(answer, FailedAnswer)
    assert answer.error == "ZeroDivisionError"


@pytest.mark.languages("go")
def test_the_reasons_for_which_sarama_s_messages_are_not_claimed_are_true() -> None:
    """Messages with maps are written in another order each time, and JoinGroupRequest is not written at all.

    The metrics of a broker are in no message, and sorted keys have an order: those messages are claimed.
    """
    session = prepare_testee("go-sarama", cache_folder(), print).open_session("x 1")
    try:
        hello = session.hello()
        reasons = {each.reason: each.messages for each in hello.unclaimed}
        (maps,) = (reasons[reason] for reason in reasons if "another order" in reason)
        (twice,) = (reasons[reason] for reason in reasons if "refuses" in reason)
        written = {message: _written(session, message, max(versions)) for message, versions in maps.items()}
        refused = [session.ask([_reencode(message, 0)])[0] for message in twice]
    finally:
        session.close()

    assert len(written) > 30
    assert [message for message, answers in written.items() if len(answers) == 1] == []
    assert [*twice] == ["JoinGroupRequest"]
    assert all(isinstance(each, FailedAnswer) and "cannot specify both" in each.message for each in refused)
    claimed = {message for message, _ in hello.claims}
    assert {"MetadataResponse", "FindCoordinatorResponse", "DeleteRecordsRequest"} <= claimed


def _written(session: TesteeSession, message: str, version: int) -> set[str]:
    """Return the different answers to one question, asked 400 times.

    Go begins an iteration at one of eight places: two elements change their order in one answer of eight.
    """
    return {str(each) for each in session.ask([_reencode(message, version)] * 400)}


def _reencode(message: str, version: int) -> str:
    """Return the request to write a plain instance again: two elements an array, one batch a set."""
    layout = resolve(SPECS[message], version)
    _, value = next(plain_instances(layout))
    if "isolationLevel" in value:
        value["isolationLevel"] = 1
    _put_records(layout.root, value)
    data = compile_layout(layout).encode(value).hex()
    return f'"op":"reencode","message":"{message}","version":{version},"data":"{data}"'


def _put_records(struct: StructLayout, value: dict[str, Any]) -> None:
    """Put a batch into each records field: sarama reads the records with the message."""
    for field in struct.all_fields:
        if field.scalar is ScalarType.RECORDS:
            batch = RecordBatch.of([Record(0, 0, b"k", b"v")], base_timestamp=0)
            value[field.name] = encode_records((batch,))
        elif field.struct is not None and value.get(field.name):
            for each in value[field.name] if field.is_array else [value[field.name]]:
                _put_records(field.struct, each)
