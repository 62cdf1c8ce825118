"""The command `wireproof schema fuzz` without Java, and with a front end that is played."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof.app.cli.schema.fuzz_command import fuzz
from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.fuzz.fuzz_summary import disagreement_lines
from wireproof.definitions.fuzz.oddities import ComparisonKind, SchemaComparison

VALID = '{ "name": "Foo", "type": "data", "validVersions": "0", "flexibleVersions": "none", "fields": [] }'


def test_a_run_without_java(tmp_path: Path) -> None:
    """Sums on stderr, JSON on stdout, and the code of agreement."""
    options = [
        "--no-java",
        "--count",
        "60",
        "--seed",
        "3",
        "--jobs",
        "1",
        "--json",
        "--keep",
        str(tmp_path / "kept"),
    ]
    ran = CliRunner().invoke(fuzz, options, standalone_mode=False)
    assert ran.return_value == ExitCode.PROVEN, ran.output
    plain = json.loads(ran.stdout)
    assert (plain["schemas"], plain["disagreements"], plain["java"]) == (60, [], False)
    assert sum(plain["kinds"].values()) == 60
    assert "60 schemas against their construction" in ran.stderr
    assert not (tmp_path / "kept").exists()


def test_a_file_is_tried_again(tmp_path: Path) -> None:
    """Without Java only its round trip is left to try."""
    path = tmp_path / "valid.json"
    path.write_text(VALID)
    ran = CliRunner().invoke(fuzz, ["--no-java", "--replay", str(path)], standalone_mode=False)
    assert ran.return_value == ExitCode.PROVEN
    assert ran.stdout == "accepted: 1 versions, 1 cases\n"


def test_a_release_without_a_generator() -> None:
    """The error lists those that have one."""
    with pytest.raises(Exception, match=r"no generator of Kafka 2\.8: expected one of 4\.3\.1, 3\.9\.1"):
        CliRunner().invoke(fuzz, ["--release", "2.8"], standalone_mode=False, catch_exceptions=False)


def test_the_text_of_a_disagreement() -> None:
    """Both sides, the command that tries it again, and the schema."""
    found = SchemaComparison(
        7,
        ComparisonKind.LAXER,
        VALID,
        "tag-gap",
        "",
        "In Foo, the tag\nIDs are ...",
        field="topics[].name",
        case="version 0",
    )
    lines = list(disagreement_lines(found, 2, "kept.json"))
    assert lines[1:3] == ["  field      topics[].name", "  case       version 0"]
    assert "  seen in    2 schemas; the least is of number 7" in lines
    assert "  file       kept.json" in lines
    assert lines[0] == "wireproof accepts a schema that Kafka refuses: tag-gap"
    assert "  Kafka      In Foo, the tag IDs are ..." in lines
    assert "  replay     wireproof schema fuzz --replay kept.json" in lines
    assert f"  | {VALID}" in lines
