"""`wireproof schema try` with Kafka's generator."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.support.schemas.fork import ACME
from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError

DRAFT = (ACME / "TracePingRequest.json").read_text()


def call(folder: Path, text: str, *options: str) -> Result:
    path = folder / "TracePingRequest.json"
    path.write_text(text)
    return CliRunner().invoke(command, ["try", str(path), *options], standalone_mode=False)


@pytest.mark.parametrize("release", ["4.3", "3.9"])
def test_kafka_accepts_the_draft(release: str, tmp_path: Path) -> None:
    """Its opinion is the first line."""
    ran = call(tmp_path, DRAFT, "--release", release)
    assert ran.return_value == ExitCode.PROVEN, ran.output
    assert ran.stdout.startswith(f"Kafka's generator {release}.1 accepts it\n")


@pytest.mark.parametrize(
    ("before", "after", "ours", "theirs"),
    [
        ('"tag": 1', '"tag": 2', "[tag-gap]", "Kafka's generator 4.3.1 refuses it: "),
        ('"uint16"', '"uint24"', "error: origin.port: there is no type 'uint24'", "refuses it: "),
        ('"Host"', '"Class"', "class is a word of Java's", "accepts it, and its Java does not compile: "),
        ('"uuid"', "uuid", "[json-syntax]", "Kafka's generator 4.3.1 refuses it: JsonParseException: "),
    ],
    ids=["tags", "type", "java", "json"],
)
def test_both_refuse_the_draft(before: str, after: str, ours: str, theirs: str, tmp_path: Path) -> None:
    """Our error comes first, then Kafka's own; there is no disagreement."""
    error = call(tmp_path, DRAFT.replace(before, after)).exception
    assert isinstance(error, FatalError)
    first, _, second = error.message.partition("Kafka's generator")
    assert ours in first
    assert theirs in f"Kafka's generator{second}"
    assert "fault of wireproof" not in error.message
    assert error.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("kind", "default", "cause"),
    [
        ("uint32", "0x80000000", "its setter refuses its own default"),
        ("uuid", "A" * 24, "constructor of the class throws"),
    ],
)
def test_a_class_that_fails_when_it_is_used(kind: str, default: str, cause: str, tmp_path: Path) -> None:
    """Generator and compiler accept it, and wireproof does not: that is no fault of wireproof."""
    field = f'"type": "{kind}", "versions": "0+", "default": "{default}"'
    text = DRAFT.replace('"fields": [', f'"fields": [ {{ "name": "Late", {field} }},', 1)
    error = call(tmp_path, text).exception
    assert isinstance(error, FatalError)
    assert "Kafka's generator 4.3.1 accepts it" in error.message
    assert "The class fails when it is used: " in error.message
    assert cause in error.message
    assert "fault of wireproof" not in error.message


def test_a_new_key_is_no_disagreement(tmp_path: Path) -> None:
    """KIP-1313's headerVersions are newer than the generator."""
    ran = call(
        tmp_path, DRAFT.replace('"apiKey": 900,', '"apiKey": 900, "headerVersions": {"0": 1, "1+": 2},')
    )
    assert ran.return_value == ExitCode.PROVEN
    assert "accepts headerVersions, which this generator does not know (KIP-1313)" in ran.stdout
