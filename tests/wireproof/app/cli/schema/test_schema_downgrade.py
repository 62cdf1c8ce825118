"""`wireproof schema downgrade`: pairs of releases, records with their frames, JSON, Markdown, exit codes."""

import json

import pytest
from click.testing import CliRunner, Result

from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.definitions.downgrade.downgrade_matrix import reading_releases
from wireproof.definitions.downgrade.report.downgrade_text import release_ranges


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["downgrade", *arguments], standalone_mode=False)


def fails(*arguments: str) -> FatalError:
    error = call(*arguments).exception
    assert isinstance(error, FatalError), error
    return error


def test_without_options_it_prints_the_pairs_of_each_family() -> None:
    """Writers in lines, readers in columns; the summary is on stderr."""
    ran = call()
    assert ran.return_value == ExitCode.PROVEN
    lines = ran.stdout.splitlines()
    assert lines[0] == "Classic groups and committed offsets"
    assert lines[1].split() == ["writer", *reading_releases()]
    line = next(each for each in lines if each.startswith("  4.1.2"))
    assert line.split() == ["4.1.2", *["refused"] * 6, *["lost"] * 7, *["."] * 4]
    assert ran.stderr.startswith("69 records, 1,438 outcomes; accepted: ")


def test_a_pair_of_releases() -> None:
    """Each record has its writer, outcome, rule and bytes; an accepted one has no bytes."""
    ran = call("--from", "4.4", "--to", "3.9", "--record", "offsetcommit")
    assert ran.return_value == ExitCode.PROVEN
    assert (
        "OffsetCommit v4, every field set  (type 1 of __consumer_offsets)\n"
        "  written by 4.4.0\n"
        "  data lost  3.9.2, 3.9.2 (new)  topicId (tag 0)  [unknown-tags-dropped]\n"
        "    key    00010001 78000178 00000001\n"
        "    value  00040000 " in ran.stdout
    )
    assert ran.stdout.count("    key ") == 1
    assert ran.stdout.count("  unknown-tags-dropped: ") == 1
    assert ran.stderr == "3 records, 6 outcomes; accepted: 4; data lost: 2\n"


@pytest.mark.parametrize(
    ("writer", "reader", "code"),
    [
        ("4.4", "4.3", ExitCode.PROVEN),
        ("4.4", "3.9", ExitCode.DIVERGENCE),
        ("4.4", "3.4.0", ExitCode.DIVERGENCE),
        ("3.9", "2.8", ExitCode.PROVEN),
        ("later", "3.4.1", ExitCode.DIVERGENCE),
    ],
)
def test_the_exit_code_is_that_of_the_writers_defaults(writer: str, reader: str, code: ExitCode) -> None:
    """3.9 writes records that 2.8 refuses only with settings. A lost group fails, a lost field does not."""
    assert call("--from", writer, "--to", reader).return_value == code


@pytest.mark.parametrize(
    ("writer", "reader", "lines"),
    [
        ("3.9", "3.8", ["Can a cluster go back from 3.9 to 3.8? Yes."]),
        (
            "newest",
            "3.9",
            ["Can a cluster go back from 4.4.0 to 3.9? Not without loss: it starts, and data are gone."],
        ),
        ("3.9", "4.4", ["Can a cluster go on from 3.9 to 4.4? Yes."]),
        ("4.4", "4.3", ["Can a cluster go back from 4.4 to 4.3? Yes, but fields of records are lost."]),
        (
            "4.4",
            "3.9",
            [
                "Can a cluster go back from 4.4 to 3.9? Not without loss: it starts, and data are gone.",
                "  lost: consumer groups of KIP-848, share groups of KIP-932, streams groups of KIP-1071",
                "    lower the features: kafka-features.sh ... downgrade --release-version 3.9 (KIP-1022)",
                "    or start 3.9.2 with group.coordinator.new.enable=true, which keeps consumer groups",
            ],
        ),
        (
            "4.4",
            "3.3",
            ["Can a cluster go back from 4.4 to 3.3? No: the coordinators do not load their logs."],
        ),
    ],
)
def test_a_pair_of_releases_begins_with_the_answer_for_an_operator(
    writer: str, reader: str, lines: list[str]
) -> None:
    """It says whether a cluster can go back, what is lost, and what to do first."""
    answer = call("--from", writer, "--to", reader).stdout.partition("\n\n")[0].splitlines()
    assert answer[0] == lines[0]
    assert set(lines) <= set(answer)
    assert "Can a cluster" not in call("--from", writer, "--to", reader, "--record", "OffsetCommit").stdout


@pytest.mark.parametrize(
    ("writer", "reader", "outcome"),
    [("3.9", "3.8", "yes"), ("4.4", "4.3", "fields-lost"), ("4.4", "3.9", "data-lost"), ("4.4", "3.3", "no")],
)
def test_json_has_the_answer_that_the_text_begins_with(writer: str, reader: str, outcome: str) -> None:
    """Every word of the text is in the object; a selection of records has no answer."""
    arguments = ("--from", writer, "--to", reader)
    ran = call("--json", *arguments)
    answer = json.loads(ran.stdout)["answer"]
    assert answer["outcome"] == outcome
    assert ran.return_value == (ExitCode.PROVEN if outcome in ("yes", "fields-lost") else ExitCode.DIVERGENCE)
    lines = [
        answer["sentence"],
        *(f"they stop at records of: {', '.join(each)}" for each in [answer["stopsAt"]] if each),
        *(f"lost: {', '.join(each)}" for each in [answer["lost"]] if each),
        *(f"lost in {each['record']}: {each['fields']}" for each in answer["lostFields"]),
        *(["first:", *answer["first"]] if answer["first"] else []),
    ]
    text = call(*arguments).stdout.partition("\n\n")[0]
    assert text.split() == " ".join(lines).split()
    markdown = call("--markdown", *arguments)
    begin = markdown.stdout.partition("### ")[0].replace("\\", "")
    assert begin.startswith(f"**{answer['sentence']}**\n\n")
    found = lines[1 : lines.index("first:")] if answer["first"] else lines[1:]
    assert all(each in begin for each in (*found, *(f"first: {step}" for step in answer["first"])))
    assert markdown.return_value == ran.return_value
    assert json.loads(call("--json", *arguments, "--record", "OffsetCommit").stdout)["answer"] is None


def test_the_steps_of_a_downgrade_are_whole_sentences() -> None:
    """A script shows them as they are."""
    answer = json.loads(call("--json", "--from", "4.4", "--to", "3.9").stdout)["answer"]
    assert answer["lostFields"][0] == {"record": "OffsetCommit v4", "fields": "topicId (tag 0)"}
    assert answer["first"][:2] == [
        "lower the features: kafka-features.sh ... downgrade --release-version 3.9 (KIP-1022)",
        "restart the members of consumer groups with group.protocol=classic: when the last other member "
        "has left, the coordinator converts the group (KIP-848)",
    ]


def test_an_annotated_frame_names_each_byte() -> None:
    """Type and version are named, too; a made-up version has no fields."""
    ran = call("--from", "later", "--to", "3.4.0", "--record", "OffsetCommit", "--annotate")
    assert "    0000  00 01                                   type 1\n" in ran.stdout
    assert "    0002  00 01 78                                group = 'x'\n" in ran.stdout
    assert "    0019  64 05                                   _tags[100] tag 100\n" in ran.stdout
    assert "    0000  00 05                                   version 5\n" in ran.stdout
    assert "written by a later release" in ran.stdout


def test_json_has_every_cell() -> None:
    """The bytes are hexadecimal."""
    plain = json.loads(call("--json", "--from", "4.4", "--to", "3.4.0", "--record", "TransactionLog").stdout)
    assert (plain["from"], plain["to"]) == ("4.4", "3.4.0")
    row = next(each for each in plain["rows"] if each["version"] == 1)
    assert bytes.fromhex(row["value"])[:2] == b"\0\1"
    assert row["writers"] == [{"release": "4.4.0", "condition": ""}]
    assert row["cells"] == [
        {
            "release": "3.4.0",
            "coordinator": "classic",
            "outcome": "refused",
            "rule": "unknown-version-refused",
            "words": "version 1 of TransactionLogValue",
        }
    ]


def test_markdown_of_everything_and_of_a_selection() -> None:
    """The whole has pairs and brokers; a selection has its records only."""
    whole, some = call("--markdown").stdout, call("--markdown", "--record", "ShareUpdate").stdout
    assert "| writer | 2.8 | 3.0 | 3.1 | 3.2 | 3.3 | 3.4.0 | 3.4.1 | 3.5 |" in whole
    assert "Unknown offset message version: 4" in whole
    assert "| writer |" not in some
    assert some.startswith("### ShareUpdate (`__share_group_state`)\n")


@pytest.mark.parametrize(
    ("arguments", "words", "advice", "code"),
    [
        (["--from", "9.9"], "unknown release '9.9'", "Releases of the matrix: 2.8.2, 3.0.2", ExitCode.USAGE),
        (["--to", "later"], "unknown release 'later'", "3.4.0", ExitCode.USAGE),
        (["--record", "Nothing"], "no record has 'Nothing'", "Names: ConsumerGroup", ExitCode.NOTHING_RAN),
        (["--from", "3.5", "--record", "Share"], "3.5.2 writes none", "--record", ExitCode.NOTHING_RAN),
        (["--from", "3.4.0"], "3.4.0 writes none", "", ExitCode.NOTHING_RAN),
        (["--json", "--markdown"], "exclude each other", "one of them", ExitCode.USAGE),
    ],
)
def test_what_cannot_be_shown_is_an_error(
    arguments: list[str], words: str, advice: str, code: ExitCode
) -> None:
    """The error names what the matrix has."""
    error = fails(*arguments)
    assert words in error.message
    assert advice in error.advice
    assert error.exit_code == code


def test_releases_in_a_row_are_a_range() -> None:
    """One that the order does not have stands alone."""
    order = ["1", "2", "3", "4"]
    assert release_ranges(["1", "2", "4"], order) == "1 to 2, 4"
    assert release_ranges(["4", "3", "x"], order) == "3 to 4, x"
    assert release_ranges([], order) == ""
