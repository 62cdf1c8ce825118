"""Faults of a client's reader, planted in copies of kafka-python: how many does `judge --vary` find?

    python benchmarks/reader_faults.py --python ENV/bin/python [NAME ...]

ENV has kafka-python 3.0.12 with its compressions. Each copy has one fault; variations that the library itself
does not take are left out. A fault is found if the first finding is a variation that it concerns. Program:
`benchmarks/subjects/strict_kafka_python.py`.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wireproof.app.cli.capture.clusters import find_java
from wireproof.kafka.releases import JarStore, broker_jars, broker_releases, load_snapshot, table
from wireproof.traffic.capture.brokers import JarPrograms, StartedCluster, Topology
from wireproof.traffic.capture.capture_folder import CaptureFolder
from wireproof.traffic.capture.capture_session import CaptureStage, run_capture
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.varying.program_runs import VaryingProxy
from wireproof.traffic.capture.varying.varied_program import VariedProgram, VaryOptions

PROGRAM: Final = Path(__file__).parent / "subjects" / "strict_kafka_python.py"


@dataclass(frozen=True, slots=True)
class ReaderFault:
    """A wrong line of the reader.

    Attributes:
        file: in the package.
        right, wrong: text that is once in the file, and its replacement.
        variations: beginnings of the ids that the fault concerns.
    """

    name: str
    file: str
    right: str
    wrong: str
    variations: tuple[str, ...]


TAGS: Final = "protocol/schemas/fields/codecs/tagged_fields.py"
FRAMES: Final = "protocol/parser.py"
BATCHES: Final = "record/default_records.py"
SETS: Final = "record/memory_records.py"
OLD: Final = "record/legacy_records.py"
FETCHER: Final = "consumer/fetcher.py"
CONNECTION: Final = "net/connection.py"
CLUSTER: Final = "cluster.py"
RACK: Final = "node_id, host, port, rack = broker\n"
PARTITION: Final = "partition = p_data.partition_index\n"
UNKNOWN_TAG: Final = "ret['_%d' % tag] = data.read(size)"

FAULTS: Final = (
    ReaderFault("unknown-tag-refused", TAGS, UNKNOWN_TAG, "raise ValueError(tag)", ("tags-",)),
    ReaderFault("unknown-tag-not-skipped", TAGS, UNKNOWN_TAG, "ret['_%d' % tag] = None", ("tags-",)),
    ReaderFault("unknown-tag-one-byte-short", TAGS, UNKNOWN_TAG, "data.read(max(0, size - 1))", ("tags-",)),
    ReaderFault(
        "tag-size-in-one-byte",
        TAGS,
        "size = UnsignedVarInt32.decode(data)\n            if tag in",
        "size = data.read(1)[0]\n            if tag in",
        ("tags-",),
    ),
    ReaderFault(
        "tag-number-in-one-byte",
        TAGS,
        "tag = UnsignedVarInt32.decode(data)\n            size",
        "tag = data.read(1)[0]\n            size",
        ("tags-",),
    ),
    ReaderFault(
        "tags-of-body-refused",
        "protocol/schemas/fields/struct.py",
        "ctx.emit(indent, '        if _tk.startswith(\"_\"):')",
        "ctx.emit(indent, '        if _tk.startswith(\"_\"): raise ValueError(_tk)')\n"
        "        ctx.emit(indent, '        if _tk.startswith(\"_\"):')",
        ("tags-",),
    ),
    ReaderFault(
        "size-in-two-pieces-lost",
        FRAMES,
        "bytes_to_read = min(4 - self._header.tell(), n - i)\n",
        "bytes_to_read = min(4 - self._header.tell(), n - i)\n"
        "                if n - i < 4 and not self._header.tell(): return responses\n",
        ("stream-",),
    ),
    ReaderFault(
        "an-answer-is-one-read",
        FRAMES,
        "                if staged_bytes != total_bytes:\n                    break",
        "                if staged_bytes != total_bytes:\n"
        "                    raise Errors.KafkaProtocolError('short read')",
        ("stream-",),
    ),
    ReaderFault(
        "snappy-not-decompressed",
        BATCHES,
        "uncompressed = snappy_decode(data.tobytes())",
        "uncompressed = data.tobytes()",
        ("records-snappy",),
    ),
    ReaderFault(
        "zstd-not-decompressed",
        BATCHES,
        "uncompressed = zstd_decode(data.tobytes())",
        "uncompressed = data.tobytes()",
        ("records-zstd",),
    ),
    ReaderFault(
        "negative-delta-unsigned",
        BATCHES,
        "timestamp = self.first_timestamp + ts_delta",
        "timestamp = self.first_timestamp + ts_delta % (1 << 40)",
        ("records-deltas",),
    ),
    ReaderFault(
        "append-time-refused",
        BATCHES,
        "timestamp = self.max_timestamp\n",
        "raise ValueError('timestamp type 1')\n",
        ("records-append-time",),
    ),
    ReaderFault(
        "offsets-of-batches-count-from-0",
        BATCHES,
        "offset = self.base_offset + offset_delta",
        "offset = self.base_offset + self._next_record_index",
        ("records-holes", "records-merged"),
    ),
    ReaderFault(
        "a-batch-has-several-records",
        BATCHES,
        "        self._maybe_uncompress()\n        return self",
        "        self._maybe_uncompress()\n"
        "        assert self._num_records != 1 or self.is_transactional\n        return self",
        ("records-split",),
    ),
    ReaderFault(
        "short-tail-read",
        SETS,
        "if remaining < log_overhead:",
        "if remaining <= 0:",
        ("records-short-tail",),
    ),
    ReaderFault(
        "cut-batch-refused",
        SETS,
        "if slice_end > buffer_len:",
        "if slice_end > buffer_len:\n            raise CorruptRecordError('cut')",
        ("records-cut-tail",),
    ),
    ReaderFault(
        "old-magic-refused",
        SETS,
        "if magic <= 1:",
        "if magic <= 1:\n            raise CorruptRecordError('magic')\n        if magic <= 1:",
        ("records-magic-",),
    ),
    ReaderFault(
        "inner-offsets-are-absolute",
        OLD,
        "offset += absolute_base_offset",
        "offset += 0",
        ("records-magic-1-",),
    ),
    ReaderFault(
        "compressed-old-set-refused",
        OLD,
        "        if self.compression_type:\n            # In case",
        "        if self.compression_type:\n            raise ValueError('set')\n            # In case",
        ("records-magic-",),
    ),
    ReaderFault(
        "null-aborted-transactions",
        FETCHER,
        "sorted(aborted_transactions or [],",
        "sorted(aborted_transactions,",
        ("values-aborted-null",),
    ),
    ReaderFault(
        "null-records",
        FETCHER,
        "records = MemoryRecords(completed_fetch.partition_data.records)",
        "records = MemoryRecords(completed_fetch.partition_data.records[:])",
        ("values-records-null",),
    ),
    ReaderFault(
        "partitions-come-in-order",
        CLUSTER,
        PARTITION,
        f"{PARTITION}                    assert partition == len(_new_partitions[topic])\n",
        ("values-order",),
    ),
    ReaderFault(
        "leaders-have-an-epoch",
        CLUSTER,
        PARTITION,
        f"{PARTITION}                    assert p_data.leader_epoch >= 0\n",
        ("values-no-epoch",),
    ),
    ReaderFault(
        "empty-rack-refused",
        CLUSTER,
        RACK,
        f"{RACK}                assert rack is None or rack\n",
        ("values-rack-empty",),
    ),
    ReaderFault(
        "rack-in-ascii",
        CLUSTER,
        RACK,
        f"{RACK}                assert (rack or '').isascii()\n",
        ("values-rack-long",),
    ),
    ReaderFault(
        "snappy-of-old-sets-not-decompressed",
        OLD,
        "uncompressed = snappy_decode(data.tobytes())",
        "uncompressed = data.tobytes()",
        ("records-magic-1-snappy",),
    ),
    ReaderFault(
        "lz4-of-old-sets-not-decompressed",
        OLD,
        "uncompressed = lz4_decode(data.tobytes())",
        "uncompressed = data.tobytes()",
        ("records-magic-1-lz4",),
    ),
    ReaderFault(
        "unknown-api-refused",
        CONNECTION,
        "        bvd = BrokerVersionData(api_versions=api_versions)",
        "        assert max(api_versions) < 100\n        bvd = BrokerVersionData(api_versions=api_versions)",
        ("version-unknown-apis",),
    ),
    ReaderFault(
        "error-35-without-list",
        CONNECTION,
        "                    self._api_versions_idx = 0\n                continue",
        "                    raise error_type()\n                continue",
        ("version-refused-empty",),
    ),
    ReaderFault(
        "error-35-refused",
        CONNECTION,
        "elif error_type is Errors.UnsupportedVersionError:",
        "elif False:",
        ("version-refused",),
    ),
)
"""Each concerns answers that no broker gives to the unvaried program."""

OWN_FINDINGS: Final = ("tags-nested", "values-throttle", "values-operations", "records-empty", "stream-close")
"""The variations that 3.0.12 itself does not take."""


class FaultHunt:
    """A workload: the program against varied answers, with one faulty copy after the other."""

    name = "reader-faults"

    def __init__(self, python: Path, faults: Sequence[ReaderFault], apis: ApiCatalog, folder: Path) -> None:
        self.proxy = VaryingProxy(apis.naming)
        self.found = 0
        self._python = python
        self._faults = faults
        self._apis = apis
        self._folder = folder

    def run(self, stage: CaptureStage) -> None:
        """Judge each copy, and print a line about it."""
        quiet = CaptureStage(stage.cluster, stage.addresses, lambda line: None)
        for number, fault in enumerate(self._faults):
            copy = faulty_copy(self._python, fault, self._folder / f"copy-{number}")
            began = time.monotonic()
            words = ["env", f"PYTHONPATH={copy}", f"RUN_PREFIX={number}", str(self._python), str(PROGRAM)]
            runs = self._folder / f"runs-{number}"
            options = VaryOptions(
                versions="none", maxfail=1, narrows=False, without=OWN_FINDINGS, limit_s=20.0
            )
            program = VariedProgram(words, self.proxy, self._apis, options, runs, lambda finding: None)
            program.run(quiet)
            verdict = program.verdict
            names = [str(each) for finding in verdict.findings for each in finding.selections]
            right = bool(names) and all(name.startswith(fault.variations) for name in names)
            self.found += right
            outcome = "found" if right else verdict.fault or "MISSED"
            cost = f"{verdict.runs} runs, {time.monotonic() - began:.0f} s"
            sys.stdout.write(f"{fault.name:32} {outcome:6} {', '.join(names)} ({cost})\n")
            sys.stdout.flush()

    def facts(self) -> dict[str, Any]:
        """Return the count."""
        return {"found": self.found, "faults": len(self._faults)}


def faulty_copy(python: Path, fault: ReaderFault, folder: Path) -> Path:
    """Return a folder with a copy of the package that has the fault."""
    words = [str(python), "-c", "import kafka; print(kafka.__path__[0])"]
    package = Path(subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip())
    shutil.copytree(package, folder / "kafka", ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "kafka" / fault.file
    text = path.read_text("utf-8")
    if text.count(fault.right) != 1:
        raise SystemExit(f"{fault.name}: its text is {text.count(fault.right)} times in {fault.file}")
    path.write_text(text.replace(fault.right, fault.wrong), "utf-8")
    return folder


def main() -> None:
    """Print a line for each fault, and the count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    faults = [each for each in FAULTS if not words.names or each.name in words.names]
    release, store = table().find(broker_releases()[0]), JarStore()
    apis = ApiCatalog(load_snapshot(release))
    digests = {jar.file_name: jar.sha256 for jar in broker_jars(release)}
    jars = JarPrograms(release.version, store.broker_jars(release), find_java(), digests)
    found = 0
    for fault in faults:  # each has a new cluster: failed runs leave topics and groups
        with tempfile.TemporaryDirectory() as name:
            folder = CaptureFolder(Path(name) / "capture")
            cluster = StartedCluster(jars, apis, Topology.parse("1"), folder.logs, auto_topics=True)
            hunt = FaultHunt(words.python, [fault], apis, Path(name))
            run_capture(cluster, folder, [hunt], {}, apis.naming, lambda line: None, hunt.proxy.filter)
        found += hunt.found
    sys.stdout.write(f"{found} of {len(faults)} found\n")


if __name__ == "__main__":
    main()
