"""`wireproof schema sizes`: sources of values, what it prints, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kafkawire import bundled
from kafkawire.compiler import compile_layout
from tests.support.schemas.fork import ACME
from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError

CORPUS = Path(__file__).parents[5] / "corpus"
DRAFT = {
    "apiKey": 1,
    "type": "request",
    "name": "ProbeRequest",
    "validVersions": "0-2",
    "flexibleVersions": "2+",
    "fields": [
        {"name": "Small", "type": "int64", "versions": "0+", "encoding": {"0-1": "fixed32", "2+": "packed64"}}
    ],
}


def call(*arguments: str, subcommand: str = "sizes") -> Result:
    return CliRunner().invoke(command, [subcommand, *arguments], standalone_mode=False)


def fails(*arguments: str) -> FatalError:
    error = call(*arguments).exception
    assert isinstance(error, FatalError), error
    return error


def measured(*arguments: str) -> Any:
    return json.loads(call(*arguments, "--json").stdout)


@pytest.fixture(name="draft")
def _draft(tmp_path: Path) -> str:
    path = tmp_path / "ProbeRequest.json"
    path.write_text(json.dumps(DRAFT))
    return str(path)


def test_the_default_instance_is_measured() -> None:
    """The newest version of the newest release, by field, with a sum that the codec confirms."""
    ran = call("HeartbeatRequest")
    assert ran.return_value is ExitCode.PROVEN
    size = len(compile_layout(bundled.layout("HeartbeatRequest", 4)).encode({}))
    lines = ran.stdout.splitlines()
    assert lines[0] == "HeartbeatRequest/4: 1 message, bytes of bodies"
    assert [line.split()[0] for line in lines[1:-1]] == [
        *("field", "groupId", "generationId", "memberId", "groupInstanceId", "_tags", "all")
    ]
    assert lines[-1] == f"saved: 0 of {size} bytes, 0.0 %"


def test_a_release_a_version_and_a_fork_can_be_named() -> None:
    """All name one version of a message."""
    assert measured("3.9/HeartbeatRequest/0")["version"] == 0
    assert measured("HeartbeatRequest", "--message-version", "1")["version"] == 1
    fork = measured("TracePingRequest", "--schemas", str(ACME))
    assert fork["message"] == "TracePingRequest"
    assert measured(str(ACME / "HeartbeatRequest.json"))["message"] == "HeartbeatRequest"


def test_encodings_and_values_are_measured() -> None:
    """The table has both sizes of each field, and JSON has the same numbers."""
    options = ("--encoding", "*=upacked", "--values", "partitions=100", "--values", "leaderId=0..1")
    plain = measured("MetadataResponse/12", *options)
    (row,) = (each for each in plain["fields"] if each["path"].endswith("leaderId"))
    assert (row["values"], row["fixedBytes"], row["bytes"], row["packedBytes"]) == (100, 400, 100, 100)
    assert row["encoding"] == "upacked32"
    assert plain["savedBytes"] == plain["fixedBytes"] - plain["bytes"] > 500
    text = call("MetadataResponse/12", *options).stdout
    assert f"saved: {plain['savedBytes']:,} of {plain['fixedBytes']:,} bytes" in text
    (line,) = (line for line in text.splitlines() if "leaderId " in line)
    assert line.split()[1:] == ["int32", "100", "400", "100", "100", "upacked32", "100", "300"]


def test_captured_traffic_is_measured() -> None:
    """Of the newest version that the traffic has, unless one is named."""
    plain = measured("MetadataResponse", "--from", str(CORPUS / "sample"), "--encoding", "int32=packed")
    assert plain["messages"] > 1
    assert plain["bytes"] < plain["fixedBytes"]
    assert plain["version"] <= bundled.versions("MetadataResponse").highest
    gone = fails("ConsumerProtocolSubscription", "--from", str(CORPUS / "sample"))
    assert gone.exit_code is ExitCode.NOTHING_RAN
    assert gone.advice == "It has the versions: none."


def test_boundary_cases_are_measured() -> None:
    """All of them."""
    plain = measured("HeartbeatRequest", "--cases", "boundary", "--encoding", "generationId=packed16")
    assert plain["messages"] > 50
    assert plain["refused"] == {}


def test_a_proposal_needs_its_option(draft: str) -> None:
    """Kafka refuses the key `encoding`, and so does the command without `--kip-625`."""
    refused = fails(draft)
    assert refused.exit_code is ExitCode.USAGE
    assert "unknown key 'encoding'" in refused.message
    assert measured(draft, "--kip-625", "--values", "small=0..99")["fields"][0]["encoding"] == "packed64"
    assert isinstance(call(draft, subcommand="try").exception, FatalError)
    tried = call(draft, "--kip-625", "--case", "small/2-bytes-last", subcommand="try")
    assert tried.return_value == ExitCode.PROVEN
    assert "generator is not asked: no release accepts the key encoding" in tried.stdout
    assert "small: int64, packed64, versions 0-2" in tried.stdout
    assert "the case small/2-bytes-last, 3 bytes" in tried.stdout


def test_a_value_that_does_not_fit_is_a_divergence(draft: str) -> None:
    """It is named on standard error, and left out of both sizes."""
    ran = call(draft, "--kip-625", "--message-version", "1", "--values", "small=2147483648")
    assert ran.return_value is ExitCode.DIVERGENCE
    assert "1 value cannot be encoded: out-of-range: small" in ran.stderr
    assert "0 messages" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("FetchReqest",), "has no message 'FetchReqest'"),
        (("FetchRequest/99",), "FetchRequest has no version 99"),
        (("gone.json",), "gone.json does not exist"),
        (("4.4",), "messages"),
        (("FetchRequest", "--cases", "boundary", "--values", "maxBytes=1"), "three sources of values"),
        (("FetchRequest", "--encoding", "gone=packed"), "no such field: gone"),
        (("FetchRequest", "--encoding", "maxBytes=zigzag"), "is not FIELD=ENCODING"),
        (("FetchRequest", "--values", "maxBytes=many"), "is not a distribution"),
        (("FetchRequest", "--values", "maxBytes=2147483648"), "out-of-range: maxBytes"),
        (("FetchRequest", "--from", str(Path(__file__))), "not an entry"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_a_request_that_cannot_be_met_is_an_error(arguments: tuple[str, ...], words: str) -> None:
    """The text says what is wrong; the exit code is that of usage."""
    error = fails(*arguments)
    assert words in f"{error.message} {error.advice}"
    assert error.exit_code is ExitCode.USAGE
