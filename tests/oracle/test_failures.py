"""Errors of the oracle: never a Java traceback, always with the next step."""

from pathlib import Path

import pytest

from tests.support.oracles.kafka_classes import RELEASES, kafka, new_oracle
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleError

CELL = Cell("4.4.0", "clients", "ApiVersionsRequest", 0)


def test_a_missing_jar_is_an_error(tmp_path: Path) -> None:
    """The error names the missing jar."""
    with pytest.raises(OracleError, match=f"there is no jar {tmp_path}/gone.jar"):
        new_oracle("4.4.0", {"clients": tmp_path / "gone.jar"}).schema(CELL)


@pytest.mark.parametrize("kept", [0, 1000])
def test_a_broken_jar_is_an_error(tmp_path: Path, kept: int) -> None:
    """A jar that is empty or cut is named, with the next step."""
    whole = kafka("4.4.0").jars["raft"].read_bytes()
    broken = tmp_path / "kafka-clients.jar"
    broken.write_bytes(whole[:kept])
    with pytest.raises(OracleError, match=r"is not a jar, or is cut short\nDelete it"):
        new_oracle("4.4.0", {"clients": broken}).schema(CELL)


def test_a_path_without_clients_is_an_error() -> None:
    """All classes need those of kafka-clients."""
    raft = {"raft": kafka("4.4.0").jars["raft"]}
    with pytest.raises(OracleError, match="module clients"):
        new_oracle("4.4.0", raft).schema(Cell("4.4.0", "raft", "QuorumStateData", 0))


@pytest.mark.parametrize("version", RELEASES)
def test_unknown_names_are_an_error(version: str) -> None:
    """The error names an unknown module or message, and the valid ones."""
    oracle = kafka(version).oracle
    with pytest.raises(OracleError, match=r"no jar of module nonsense .* the given jars are of clients, "):
        oracle.header_versions(Cell(version, "nonsense", "FetchRequest", 4))
    with pytest.raises(OracleError, match=r"kafka-clients.* has no class of NoSuchRequest in org\.apache"):
        oracle.header_versions(Cell(version, "clients", "NoSuchRequest", 0))


def test_two_releases_work_at_once() -> None:
    """Both releases answer in turn, each with its own classes."""
    answers = [
        kafka(version).reread("ApiVersionsResponse", 3, "0000 01 00000000 00") for version in RELEASES * 2
    ]
    assert answers == [answers[0]] * len(answers)
    assert [kafka(version).oracle.release for version in RELEASES] == RELEASES
