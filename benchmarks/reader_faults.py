"""Faults of a client's reader, planted in copies of clients: how many does `judge --vary` find?

    python benchmarks/reader_faults.py --folder FOLDER [--jobs 2] [--page-only] [NAME ...]

FOLDER gets the programs of `benchmarks/subjects`, as from `client_table.py`. Each fault of
`subjects/reader_faults.toml` has a copy of its client. All run against one broker, with all variations but
those that the right client does not take. A fault is found if the first finding is a variation that it
concerns. The page, docs/reference/reader-faults.md, has all outcomes of FOLDER.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from client_table import CLIENTS, HERE, SUBJECTS, build_programs

from wireproof.app.cli.capture.clusters import find_java
from wireproof.kafka.releases.broker_classpath import broker_jars, broker_releases
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.existing_cluster import ExistingCluster
from wireproof.traffic.capture.brokers.processes.node_process import JarPrograms
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace, Topology
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.capture_folder import CaptureFolder
from wireproof.traffic.capture.capture_session import run_capture
from wireproof.traffic.capture.raw_client.raw_client import Address, ApiCatalog
from wireproof.traffic.capture.varying.cause_search import VaryVerdict
from wireproof.traffic.capture.varying.program_runs import VaryingProxy
from wireproof.traffic.capture.varying.varied_program import VariedProgram, VaryOptions

PAGE: Final = HERE.parent / "docs" / "reference" / "reader-faults.md"
OWN_FINDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "kafka-python": (
        "tags-nested",
        "values-throttle",
        "values-operations",
        "records-empty",
        "stream-close",
        "version:DescribeClusterRequest:0",
    ),
    "franz-go": ("stream-close",),
}
"""The variations that the right clients do not take, or not each time."""


@dataclass(frozen=True, slots=True)
class ReaderFault:
    """A wrong line of the reader.

    Attributes:
        file: in the package; in Go with the module before it: ``kmsg/api.go``.
        right, wrong: text that is once in the file, and its replacement.
        variations: beginnings of the ids that the fault concerns.
    """

    client: str
    name: str
    file: str
    right: str
    wrong: str
    variations: tuple[str, ...]

    def wrong_text(self, path: Path) -> str:
        """Return the text of the file with the fault."""
        text = path.read_text("utf-8")
        if text.count(self.right) != 1:
            raise SystemExit(f"{self.name}: its text is {text.count(self.right)} times in {self.file}")
        return text.replace(self.right, self.wrong)

    def plant(self, path: Path) -> None:
        """Write the fault into a file."""
        path.write_text(self.wrong_text(path), "utf-8")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of `judge --vary` for a fault.

    Attributes:
        word: ``found``, ``elsewhere``, ``missed``, or the reason why the copy cannot be judged.
        names: the variations of the finding; without one those that the fault concerns, with their outcomes.
    """

    word: str
    names: str
    runs: int
    seconds: float

    @classmethod
    def of(cls, fault: ReaderFault, verdict: VaryVerdict, seconds: float) -> "Outcome":
        """Return the outcome of a judgement."""
        concerns = tuple(fault.variations)
        names = [str(each) for finding in verdict.findings for each in finding.selections]
        word = "found" if all(name.startswith(concerns) for name in names) else "elsewhere"
        if not names:
            word = "missed"
            names = [f"{name} {end}" for name, end in verdict.outcomes.items() if name.startswith(concerns)]
        return cls(verdict.fault or word, ", ".join(names), verdict.runs, seconds)


def read_faults() -> list[ReaderFault]:
    """Return the table of faults."""
    return [
        ReaderFault(**{**row, "variations": tuple(row["variations"])})
        for row in tomllib.loads((SUBJECTS / "reader_faults.toml").read_text("utf-8"))["fault"]
    ]


def python_package(home: Path) -> Path:
    """Return the folder of the right kafka-python."""
    words = [str(home / "env" / "bin" / "python"), "-c", "import kafka; print(kafka.__path__[0])"]
    return Path(subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip())


def faulty_python(home: Path, fault: ReaderFault, copy: Path) -> list[str]:
    """Return the command of a program with a faulty copy of the package."""
    python = home / "env" / "bin" / "python"
    shutil.copytree(python_package(home), copy / "kafka", ignore=shutil.ignore_patterns("__pycache__"))
    fault.plant(copy / "kafka" / fault.file)
    return ["env", f"PYTHONPATH={copy}", str(python), str(home / "strict_kafka_python.py")]


def faulty_go(home: Path, fault: ReaderFault, copy: Path) -> list[str]:
    """Return the command of a program that was built with a faulty copy of a module."""
    module, _, file = fault.file.partition("/")
    path = "github.com/twmb/franz-go" + (f"/pkg/{module}" if module == "kmsg" else "")
    words = ["go", "list", "-m", "-f", "{{.Dir}}", path]
    found = subprocess.run(words, cwd=home, check=True, capture_output=True, text=True).stdout.strip()
    inside = copy / "module" if module == "kmsg" else copy / "module" / "pkg" / module
    shutil.copytree(found, copy / "module", copy_function=shutil.copyfile)
    for each in (copy / "module").rglob("*"):
        each.chmod(0o755 if each.is_dir() else 0o644)
    fault.plant(inside / file)
    shutil.copytree(home, copy / "program", ignore=shutil.ignore_patterns("strict"))
    for line in (
        ["go", "mod", "edit", f"-replace={path}={copy / 'module'}"],
        ["go", "build", "-o", "strict"],
    ):
        subprocess.run(line, cwd=copy / "program", check=True)
    return ["env", str(copy / "program" / "strict"), fault.client]


BUILDS: Final = {"kafka-python": faulty_python, "franz-go": faulty_go}


class FaultHunt:
    """Judges copies of clients against one broker, several at a time."""

    def __init__(
        self, homes: Mapping[str, Path], apis: ApiCatalog, broker: Address, folder: Path, results: Path
    ) -> None:
        self._homes = homes
        self._apis = apis
        self._broker = broker
        self._folder = folder
        self._results = results
        self._building = Lock()

    def judge(self, fault: ReaderFault) -> None:
        """Build the copy, judge it, keep the outcome, and print a line about it."""
        copy = self._folder / fault.name
        copy.mkdir()
        with self._building:
            command = BUILDS[fault.client](self._homes[fault.client], fault, copy)
        began = time.monotonic()
        command[1:1] = [f"RUN_PREFIX={fault.name}"]
        proxy = VaryingProxy(self._apis.naming)
        options = VaryOptions(maxfail=1, narrows=False, without=OWN_FINDINGS[fault.client])
        program = VariedProgram(command, proxy, self._apis, options, copy / "runs", lambda finding: True)
        folder = CaptureFolder(copy / "capture")
        cluster = ExistingCluster(self._apis, self._broker)
        run_capture(cluster, folder, [program], {}, self._apis.naming, lambda line: None, proxy.filter)
        outcome = Outcome.of(fault, program.verdict, time.monotonic() - began)
        result_file(self._results, fault).write_text(json.dumps(asdict(outcome)), "utf-8")
        cost = f"{outcome.runs} runs, {outcome.seconds:.0f} s"
        sys.stdout.write(f"{fault.client:12} {fault.name:36} {outcome.word:9} {outcome.names} ({cost})\n")
        sys.stdout.flush()


def result_file(folder: Path, fault: ReaderFault) -> Path:
    """Return the file of a fault's outcome."""
    return folder / f"fault-{fault.name}.json"


def page(outcomes: Mapping[ReaderFault, Outcome]) -> Iterator[str]:
    """Yield the lines of the page."""
    versions = {each.name: f"{each.name} {each.version}" for each in CLIENTS}
    yield from INTRODUCTION.splitlines()
    yield ""
    yield "| client | found | runs | seconds |"
    yield "|---|---|---|---|"
    for client in BUILDS:
        rows = [each for fault, each in outcomes.items() if fault.client == client]
        found = f"{sum(each.word == 'found' for each in rows)} of {len(rows)}"
        runs, seconds = sum(each.runs for each in rows), sum(each.seconds for each in rows)
        yield f"| {versions[client]} | {found} | {runs} | {seconds:.0f} |"
    yield ""
    yield "| client | fault | outcome | variation | runs |"
    yield "|---|---|---|---|---|"
    for fault, each in outcomes.items():
        cells = (fault.client, f"`{fault.name}`", each.word, f"`{each.names}`", each.runs)
        yield f"| {' | '.join(map(str, cells))} |"


INTRODUCTION: Final = """# Faults of a reader

`benchmarks/subjects/reader_faults.toml` has faults of a client's reader, each of one or few lines. Each is
planted in a copy of the client, and the client's strict program runs with `wireproof judge --vary` and all
variations but those that the right client does not take. A fault is *found* if the first finding names a
variation that the fault concerns; *elsewhere* is a finding that names another. No broker gives the unvaried
program an answer that shows the fault.

`python benchmarks/reader_faults.py --folder FOLDER` makes this page. All faults meet one broker, of Apache
Kafka 4.3.1, several at a time. Other work shared the machine (load 9 to 20 on two processors)."""


def hunt(faults: Sequence[ReaderFault], results: Path, jobs: int) -> None:
    """Start a broker, and judge the faults."""
    languages = {each.name: each.language for each in CLIENTS}
    homes = {name: build_programs(languages[name], results) for name in BUILDS}
    release, store = table().find(broker_releases()[0]), JarStore()
    apis = ApiCatalog(load_snapshot(release))
    digests = {jar.file_name: jar.sha256 for jar in broker_jars(release)}
    jars = JarPrograms(release.version, store.broker_jars(release), find_java(), digests)
    with tempfile.TemporaryDirectory() as name:
        cluster = StartedCluster(jars, apis, Topology.parse("1"), Path(name) / "logs", auto_topics=True)
        try:
            cluster.start()
            broker = cluster.places[ListenerPlace(1, Listener.CLIENT)]
            judging = FaultHunt(homes, apis, broker, Path(name), results)
            with ThreadPoolExecutor(jobs) as pool:
                list(pool.map(judging.judge, faults))
        finally:
            cluster.stop()


def main() -> None:
    """Judge the faults, and write the page; the exit code is 1 if one was not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--page-only", action="store_true", help="write the page of the outcomes that are there"
    )
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    folder, faults = words.folder.resolve(), read_faults()
    if not words.page_only:
        hunt([each for each in faults if not words.names or each.name in words.names], folder, words.jobs)
    files = {each: result_file(folder, each) for each in faults}
    outcomes = {
        each: Outcome(**json.loads(path.read_text("utf-8"))) for each, path in files.items() if path.is_file()
    }
    PAGE.write_text("\n".join(page(outcomes)) + "\n", "utf-8")
    found = sum(each.word == "found" for each in outcomes.values())
    sys.stdout.write(f"{found} of {len(faults)} found\n")
    sys.exit(found < len(faults))


if __name__ == "__main__":
    main()
