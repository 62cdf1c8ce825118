"""The corpus of the repository: its coverage and size, and that it holds no personal data."""

import re
from pathlib import Path

import pytest

from kafkawire.canonical import canonical
from kafkawire.schema import MessageKind, resolve
from wireproof.corpus import GoldenEntry, Provenance, open_set, read_coverage_report
from wireproof.fingerprint import response_classifier
from wireproof.releases import load_snapshot, table

CORPUS = Path(__file__).parents[3] / "corpus"
RELEASES = ("4.3.1", "3.9.2", "3.0.2", "2.8.2")
MOST_BYTES = 40 << 20
TELLING = 0.9
"""Of the cells of responses."""
PRIVATE = re.compile(
    rb"127\.0\.0\.1|localhost|192\.168\.|/tmp/|/home/|/root/|\.(?:internal|local|example\.com)(?![.a-z])"
)


def golden(release: str) -> list[GoldenEntry]:
    """All golden entries of a release."""
    parts = open_set(CORPUS / "golden" / release).parts()
    return [entry for _, part in parts for entry in part.entries if isinstance(entry, GoldenEntry)]


@pytest.mark.parametrize(
    ("release", "listener", "answered"),
    [
        ("4.3.1", "CLIENT", 274),
        ("4.3.1", "CONTROLLER", 115),
        ("3.9.2", "CLIENT", 302),
        ("3.9.2", "CONTROLLER", 129),
        ("3.0.2", "CLIENT", 241),
        ("3.0.2", "CONTROLLER", 76),
        ("2.8.2", "CLIENT", 235),
        ("2.8.2", "CONTROLLER", 66),
    ],
)
def test_a_broker_answered_nearly_all_that_it_advertises(release: str, listener: str, answered: int) -> None:
    """And each answered pair has a request and a response in the corpus; what is missing has a reason."""
    reach = read_coverage_report(CORPUS, release).listeners[listener]
    pairs = reach.advertised & reach.answered
    assert len(pairs) >= answered
    assert all(reach.missing.values())
    cells = {entry.cell for entry in golden(release)}
    for request, version in pairs:
        for name in (request, f"{request.removesuffix('Request')}Response"):
            assert f"{release}/{name}/{version}" in cells


@pytest.mark.parametrize("release", RELEASES)
def test_most_responses_say_something(release: str) -> None:
    """Of that part of the cells of responses a broker sent one that is neither an error nor empty."""
    specs = {spec.name: spec for _, spec in load_snapshot(table().find(release))}
    responses = sum(
        len(list(spec.valid_versions))
        for spec in specs.values()
        if spec.kind is MessageKind.RESPONSE and spec.api_key is not None
    )
    telling = set()
    for entry in golden(release):
        name, version = entry.cell.split("/")[1:]
        if name not in specs:  # record sets have no schema
            continue
        layout = resolve(specs[name], int(version))
        sent = entry.provenance is Provenance.CAPTURED and layout.kind is MessageKind.RESPONSE
        if sent and response_classifier(layout).has_content(canonical(layout).from_tree(entry.value)):
            telling.add(entry.cell)
    assert len(telling) >= TELLING * responses


@pytest.mark.parametrize("release", ["3.9.2", "3.0.2", "2.8.2"])
def test_brokers_and_controllers_with_a_zookeeper_are_there(release: str) -> None:
    """Requests that only brokers send to each other were captured, not only generated and accepted."""
    captured = {
        entry.cell.split("/")[1] for entry in golden(release) if entry.provenance is Provenance.CAPTURED
    }
    names = ("LeaderAndIsr", "StopReplica", "UpdateMetadata", "ControlledShutdown")
    assert captured >= {f"{name}{end}" for name in names for end in ("Request", "Response")}


@pytest.mark.parametrize("release", ["4.3.1", "2.8.2"])
def test_clients_of_several_languages_and_what_lay_on_disk_are_there(release: str) -> None:
    """Entries name who sent them; batches of each compression come out of log files."""
    clients = {str(entry.about.get("client", "")).split(" ")[0] for entry in golden(release)}
    assert clients >= {"apache-kafka-java", "kafka-python", "aiokafka", "kafkajs", "kgo"}
    batches = [entry for entry in golden(release) if entry.cell == f"{release}/RecordBatch/2"]
    assert {entry.about["listener"] for entry in batches} == {"DISK"}
    compressions = {entry.name.partition("[")[2].partition("]")[0] for entry in batches}
    assert compressions >= {"none", "gzip", "snappy", "lz4", "zstd"}


@pytest.mark.parametrize("release", RELEASES)
def test_no_personal_data_is_kept(release: str) -> None:
    """No address, folder or host name of the machine on which a broker ran, as text or in bytes."""
    for path in (CORPUS / "golden" / release).rglob("*.ndjson"):
        data = path.read_bytes()
        assert not PRIVATE.search(data), path
        for part in re.findall(rb'"(?:head|body)":"([0-9a-f]*)"', data):
            assert not PRIVATE.search(bytes.fromhex(part.decode())), path


def test_it_is_no_larger_than_it_may_be() -> None:
    """40 MiB, all releases together."""
    assert sum(path.stat().st_size for path in CORPUS.rglob("*.ndjson")) <= MOST_BYTES
