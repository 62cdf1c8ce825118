"""The corpus of the repository: its coverage, its size, and the absence of personal data."""

import re
from pathlib import Path

import pytest

from kafkawire.canonical import canonical
from kafkawire.schema import MessageKind, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, Provenance
from wireproof.traffic.corpus.corpus_folder import open_set, read_coverage_report
from wireproof.traffic.corpus.manifest.corpus_manifest import CorpusManifest
from wireproof.traffic.fingerprint.fingerprinter import response_classifier

CORPUS = Path(__file__).parents[4] / "corpus"
RELEASES = ("4.3.1", "3.9.2", "3.0.2", "2.8.2")
MOST_BYTES = 40 << 20
CONTENT_SHARE = 0.9
"""Required share of the cells of responses."""
PRIVATE = re.compile(
    rb"127\.0\.0\.1|localhost|192\.168\.|/tmp/|/home/|/root/|\.(?:internal|local|example\.com)(?![.a-z])"
)


def golden(release: str) -> list[GoldenEntry]:
    """Return all golden entries of a release."""
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
    """Each answered pair has a request and a response in the corpus; each missing one has a reason."""
    reach = read_coverage_report(CORPUS, release).listeners[listener]
    pairs = reach.advertised & reach.answered
    assert len(pairs) >= answered
    assert all(reach.missing.values())
    cells = {entry.cell for entry in golden(release)}
    for request, version in pairs:
        for name in (request, f"{request.removesuffix('Request')}Response"):
            assert f"{release}/{name}/{version}" in cells


@pytest.mark.parametrize("release", RELEASES)
def test_most_responses_have_content(release: str) -> None:
    """For this share of response cells a broker sent a response that is neither an error nor empty."""
    specs = {spec.name: spec for _, spec in load_snapshot(table().find(release))}
    responses = sum(
        len(list(spec.valid_versions))
        for spec in specs.values()
        if spec.kind is MessageKind.RESPONSE and spec.api_key is not None
    )
    with_content = set()
    for entry in golden(release):
        name, version = entry.cell.split("/")[1:]
        if name not in specs:  # record sets have no schema
            continue
        layout = resolve(specs[name], int(version))
        sent = entry.provenance is Provenance.CAPTURED and layout.kind is MessageKind.RESPONSE
        if sent and response_classifier(layout).has_content(canonical(layout).from_tree(entry.value)):
            with_content.add(entry.cell)
    assert len(with_content) >= CONTENT_SHARE * responses


@pytest.mark.parametrize("release", ["3.9.2", "3.0.2", "2.8.2"])
def test_the_corpus_has_requests_of_brokers_and_of_controllers_with_zookeeper(release: str) -> None:
    """Requests that brokers send to each other were captured too, besides generated ones."""
    captured = {
        entry.cell.split("/")[1] for entry in golden(release) if entry.provenance is Provenance.CAPTURED
    }
    names = ("LeaderAndIsr", "StopReplica", "UpdateMetadata", "ControlledShutdown")
    assert captured >= {f"{name}{end}" for name in names for end in ("Request", "Response")}


@pytest.mark.parametrize("release", ["4.3.1", "2.8.2"])
def test_the_corpus_has_clients_of_several_languages_and_log_files(release: str) -> None:
    """Entries name the client that sent them; log files supply batches of each compression."""
    clients = {str(entry.about.get("client", "")).split(" ")[0] for entry in golden(release)}
    assert clients >= {"apache-kafka-java", "kafka-python", "aiokafka", "kafkajs", "kgo"}
    batches = [entry for entry in golden(release) if entry.cell == f"{release}/RecordBatch/2"]
    assert {entry.about["listener"] for entry in batches} == {"DISK"}
    compressions = {entry.name.partition("[")[2].partition("]")[0] for entry in batches}
    assert compressions >= {"none", "gzip", "snappy", "lz4", "zstd"}


@pytest.mark.parametrize("release", RELEASES)
def test_no_personal_data_is_kept(release: str) -> None:
    """No text and no bytes hold an address, folder or host name of the machine that ran a broker."""
    for path in (CORPUS / "golden" / release).rglob("*.ndjson"):
        data = path.read_bytes()
        assert not PRIVATE.search(data), path
        for part in re.findall(rb'"(?:head|body)":"([0-9a-f]*)"', data):
            assert not PRIVATE.search(bytes.fromhex(part.decode())), path


def test_the_corpus_is_not_larger_than_its_limit() -> None:
    """The limit is 40 MiB for all releases together."""
    assert sum(path.stat().st_size for path in CORPUS.rglob("*.ndjson")) <= MOST_BYTES


def test_the_content_is_that_of_the_version() -> None:
    """After a change, `wireproof corpus version --bump corpus` writes the next version. Describe it."""
    recorded = CorpusManifest.read(CORPUS)
    assert recorded is not None
    difference = recorded.compare(CorpusManifest.of_folder(CORPUS, recorded.version))
    assert not difference, f"the next version is {difference.next_version(recorded.version)}"
    assert f"\n## {recorded.version}\n" in (CORPUS / "CHANGELOG.md").read_text("utf-8")


def test_the_package_has_the_licence_of_the_project() -> None:
    """Its folder is built alone, so it has a copy."""
    assert (CORPUS / "LICENSE").read_bytes() == (CORPUS.parent / "LICENSE").read_bytes()
