"""`wireproof cells`: listing, counting, comparing. Reads the project's own snapshots."""

from collections.abc import Sequence

import click
import pytest
from click.testing import CliRunner, Result

from wireproof.app.cli.cells.cells_command import command
from wireproof.kafka.releases.release_table import table


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def rows(*arguments: str) -> Sequence[list[str]]:
    """The machine's form of a listing."""
    result = call(*arguments, "--format", "tsv")
    assert result.exception is None
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_every_cell_of_every_release() -> None:
    """The listing of all releases has exactly the cells that the table counts, and those of no jar."""
    listed = rows("--release", "all")
    of_jars = [row for row in listed if row[1] not in ("records", "embedded")]
    assert len(of_jars) == sum(release.cells for release in table()) == 10451
    releases = len(list(table()))
    assert len([row for row in listed if row[1] == "records"]) == 3 * releases
    # Two of the sticky assignor in each, six of Connect in all but the one without its jar.
    assert len([row for row in listed if row[1] == "embedded"]) == 8 * releases - 6
    assert len({tuple(row) for row in listed}) == len(listed)


def test_counts_by_release_and_module() -> None:
    """The terminal shows the sums by module and by release."""
    lines = call("--release", "2.8", "--release", "3.4").stderr.splitlines()
    assert "3.4.1 core: 6 messages, 16 cells" in lines
    assert "3.4.1 records: 1 message, 3 cells" in lines
    assert "2.8.2: 162 messages, 547 cells" in lines
    assert "2 releases, 1,172 cells" in lines


def test_what_came_and_went() -> None:
    """4.0 dropped the oldest versions, and the ZooKeeper messages whole."""
    diff = rows("--diff", "3.9", "4.0")
    went = {(row[2], int(row[3])) for row in diff if row[0] == "went"}
    assert {("FetchRequest", version) for version in range(4)} <= went
    assert ("StopReplicaRequest", 4) in went
    assert ("FetchRequest", 4) not in went
    assert ["came", "share-coordinator", "ShareSnapshotValue", "0"] in diff


@pytest.mark.parametrize(
    ("releases", "row"),
    [
        (
            "3.9 4.0",
            "finding|transaction-coordinator|TransactionLogValue|1|"
            "previousProducerId|field|absent|int64 tag 0|tagged",
        ),
        ("3.5 3.6", "finding|metadata|DelegationTokenRecord|0|requester|field|absent|string|bytes"),
        ("3.2 3.3", "changed|clients|AlterPartitionRequest|1|topics[].topicName|name|name|topicName|words"),
        (
            "3.6 3.7",
            "unstable|clients|ConsumerGroupHeartbeatRequest|0|"
            "clientAssignors|field|[]struct nullable|absent|bytes",
        ),
        (
            "3.6 3.7",
            "unstable|clients|ConsumerGroupHeartbeatResponse|0|"
            "shouldComputeAssignment|field|bool|absent|bytes",
        ),
    ],
    ids=["tagged", "bytes", "words", "unstable-request", "unstable-response"],
)
def test_what_changed(releases: str, row: str) -> None:
    """Each kind of change that Kafka's releases hold is shown with its field and its weight."""
    assert row.split("|") in rows("--diff", *releases.split())


def test_findings_have_their_heading() -> None:
    """A stable version with other bytes stands apart; versions that changed alike are one line."""
    text = call("--diff", "3.5", "3.6").stdout
    findings = text.partition("Changed on the wire though released as stable: 8 cells")[2]
    assert "DelegationTokenRecord" in findings.partition("Names or defaults changed")[0]
    assert f"  {'clients':24} {'OffsetCommitRequest':44} 1-8\n" in text


def test_a_message_that_moved_is_no_other_message() -> None:
    """3.5 took the group's messages out of core into a module of their own."""
    text = call("--diff", "3.4", "3.5").stdout
    assert "Moved to another module: 4 messages" in text
    assert "core -> group-coordinator" in text
    assert not any(row[2] == "OffsetCommitKey" for row in rows("--diff", "3.4", "3.5"))


def test_modules_that_the_registry_lacks() -> None:
    """Their cells neither came nor went."""
    assert not any(row[1] in ("streams", "embedded") for row in rows("--diff", "4.3", "4.4"))
    assert "not compared: ConnectAssignment, " in call("--diff", "4.3", "4.4").stderr


def test_nothing_differs() -> None:
    """A release is like itself, and a selection narrows the difference."""
    assert rows("--diff", "4.4", "4.4") == []
    narrowed = rows("--diff", "3.9", "4.0", "--module", "storage")
    assert {row[1] for row in narrowed} == {"storage"}


def test_diff_names_its_releases_itself() -> None:
    """--release beside --diff is a mistake."""
    assert isinstance(call("--diff", "3.9", "4.0", "--release", "4.4").exception, click.UsageError)


def test_fields_that_a_version_refuses() -> None:
    """Each cell with each field that it lacks and may not ignore; dropped ones and others are not listed."""
    listed = rows("--cell", "4.4.0/MetadataRequest/*", "--non-ignorable")
    fields = {(int(row[3]), row[4]): tuple(row[5:]) for row in listed}
    assert fields[0, "allowAutoTopicCreation"] == ("bool", "4-13")
    assert (4, "allowAutoTopicCreation") not in fields
    assert (7, "includeClusterAuthorizedOperations") in fields
    assert (11, "includeClusterAuthorizedOperations") in fields
    nested = rows("--cell", "4.4.0/FetchRequest/4", "--non-ignorable")
    assert ["forgottenTopicsData[].topic", "string", "7-12"] in [row[4:] for row in nested]


def test_fields_that_versions_refuse_for_people() -> None:
    """One line a field and run of versions; the count goes to standard error."""
    listing = call("--cell", "4.4.0/FetchRequest/*", "--non-ignorable")
    (line,) = [line for line in listing.stdout.splitlines() if "lastFetchedEpoch" in line]
    assert line.split()[2:] == [
        "FetchRequest",
        "4-11",
        "topics[].partitions[].lastFetchedEpoch",
        "(int32,",
        "versions",
        "12-18)",
    ]
    assert "pairs of a cell and a field" in listing.stderr


@pytest.mark.parametrize("lists", ["--diff 3.9 4.0 --non-ignorable", "--uncovered --non-ignorable"])
def test_two_lists_at_once(lists: str) -> None:
    """Each has lines of its own: ask for one list."""
    with pytest.raises(click.UsageError, match="exclude each other: give one"):
        CliRunner().invoke(command, lists.split(), standalone_mode=False, catch_exceptions=False)


def test_what_no_case_meets_has_a_reason() -> None:
    """A line for each class, by cell, field and class, with what the layout says; the sum goes to people."""
    result = call("--cell", "4.4.0/FetchRequest/1*", "--cell", "4.4.0/RecordBatch/*", "--uncovered")
    listed = [line.split("\t") for line in result.stdout.splitlines()]
    assert result.return_value == 0
    place = ["4.4.0", "clients", "FetchRequest", "12"]
    assert [*place, "topics[].topicId", "present", "a field of versions 13-18"] in listed
    assert [*place, "header.requestApiKey", "max", "always 1 in a frame of this cell"] in listed
    record = ["4.4.0", "records", "RecordBatch", "0"]
    assert [*record, "batches[zstd]", "any", "magic 0 does not have it"] in listed
    assert result.stderr.endswith("each with a valid reason; 0 without\n")
    assert f"; {len(listed)} more that no value can meet" in result.stderr


def test_a_class_without_case_and_reason_is_below_the_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of values that lost one: exit code 7, and each field that misses it is named."""
    from kafkawire.schema.model import ScalarType
    from wireproof.proof.strategies.values import boundary_values as _boundaries

    kept = tuple(each for each in _boundaries.SHORT[ScalarType.INT64] if each[0] != "min")
    monkeypatch.setitem(_boundaries.SHORT, ScalarType.INT64, kept)
    result = call("--cell", "4.4.0/ListOffsetsRequest/2", "--uncovered")
    assert result.return_value == 7
    (line,) = (line for line in result.stdout.splitlines() if "NO REASON" in line)
    assert line.split("\t")[:6] == [
        "4.4.0", "clients", "ListOffsetsRequest", "2", "topics[].partitions[].timestamp", "min",
    ]  # fmt: skip
    assert "add one in strategies/" in line


def test_a_class_that_a_case_meets_is_not_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit set too low makes false reasons: exit code 7."""
    from wireproof.model.coverage import reasons
    from wireproof.model.coverage.layout_model import coverage_model as coverage_model_of

    monkeypatch.setattr(reasons, "MESSAGE_BYTES", 16384)
    coverage_model_of.cache_clear()
    try:
        result = call("--cell", "4.4.0/ListGroupsRequest/4", "--uncovered")
    finally:
        coverage_model_of.cache_clear()
    assert result.return_value == 7
    assert "statesFilter[]\tlength-32767\tFALSE REASON" in result.stdout
