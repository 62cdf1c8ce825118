"""The variations that foreign clients take: run their strict programs with `judge --vary`, write the page.

    python benchmarks/client_table.py --folder FOLDER [--page-only] [CLIENT ...]

FOLDER gets the built programs, and the result of each client as JSON. The page, docs/reference/clients.md,
has all results of FOLDER. A finding must have its reason in `subjects/reasons.toml`, read in the client's
source; without one the page says so and the exit code is 1.
"""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.traffic.capture.variations.answer import Family
from wireproof.traffic.capture.variations.variation_table import CATALOGUE

HERE: Final = Path(__file__).parent
SUBJECTS: Final = HERE / "subjects"
PAGE: Final = HERE.parent / "docs" / "reference" / "clients.md"
JUDGE: Final = (sys.executable, "-c", "from wireproof.app.cli import main; main()", "judge", "--vary")
PIP: Final = (
    "aiokafka==0.14.0 confluent-kafka==2.16.1 kafka-python==3.0.12 cramjam==2.14.0 python-snappy==0.7.3 "
    "lz4==4.4.5 zstandard==0.25.0"
)
NPM: Final = "kafkajs@2.2.4 kafkajs-snappy@1.1.0 @platformatic/kafka@1.35.0"


@dataclass(frozen=True, slots=True)
class Subject:
    """A client, with its program.

    Attributes:
        run: the words of the program, in the folder of its language.
        without: variations that it says it does not take.
    """

    name: str
    version: str
    language: str
    run: str
    without: tuple[str, ...] = ()


BUILDS: Final[Mapping[str, Sequence[str]]] = {
    "python": (f"{sys.executable} -m venv env", f"env/bin/python -m pip install --quiet {PIP}"),
    "go": ("go build -o strict .",),
    "javascript": (f"npm install --no-audit --no-fund --silent {NPM}",),
    "rust": ("cargo build --quiet --release",),
    "java": (),
}
JAVA: Final = ("2.8.2", "3.9.2", "4.3.1")
CLIENTS: Final = (
    Subject("aiokafka", "0.14.0", "python", "env/bin/python strict_aiokafka.py"),
    Subject("confluent-kafka", "2.16.1", "python", "env/bin/python strict_confluent.py"),
    Subject("kafka-python", "3.0.12", "python", "env/bin/python strict_kafka_python.py"),
    Subject("franz-go", "1.22.2", "go", "./strict franz-go"),
    Subject("sarama", "1.61.1", "go", "./strict sarama"),
    Subject("kafka-go", "0.4.51", "go", "./strict kafka-go"),
    Subject(
        "kafkajs",
        "2.2.4",
        "javascript",
        "node strict_kafkajs.mjs",
        ("records-lz4", "records-zstd", "records-magic-1-lz4"),
    ),
    Subject("platformatic-kafka", "1.35.0", "javascript", "node strict_platformatic.mjs", ("records-zstd",)),
    Subject("rskafka", "0.6.0", "rust", "target/release/strict"),
    *(Subject(f"java-{release}", release, "java", f"./strict-{release}") for release in JAVA),
)
MARKS: Final = {"taken": "+", "found": "**-**", "unmet": "", "unsteady": "?", "not run": "not run"}


def main() -> None:
    """Judge the clients, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument(
        "--page-only", action="store_true", help="write the page of the results that are there"
    )
    parser.add_argument("clients", nargs="*", choices=[[], *(each.name for each in CLIENTS)])
    words = parser.parse_args()
    chosen = [each for each in CLIENTS if not words.clients or each.name in words.clients]
    for subject in () if words.page_only else chosen:
        judge(subject, words.folder.resolve())
    reasons = tomllib.loads((SUBJECTS / "reasons.toml").read_text("utf-8"))
    results = {}
    for subject in CLIENTS:
        path = words.folder / f"{subject.name}.json"
        if path.is_file():
            results[subject] = json.loads(path.read_text("utf-8"))
    PAGE.write_text("\n".join(page(results, reasons)) + "\n", "utf-8")
    missing = [
        f"{subject.name} {identity(each)}"
        for subject, result in results.items()
        for each in result["findings"]
        if identity(each) not in reasons.get(subject.name, {})
    ]
    sys.exit(f"no reason for: {', '.join(missing)}" if missing else 0)


def judge(subject: Subject, folder: Path) -> None:
    """Run the program with all variations, and keep the result."""
    home = build_programs(subject.language, folder)
    without = [word for name in subject.without for word in ("--without", name)]
    first, *rest = shlex.split(subject.run)
    program = [
        str(home / first) if "/" in first else first,
        *(each if each == subject.name else str(home / each) for each in rest),
    ]
    done = subprocess.run([*JUDGE, "--format", "json", *without, "--", *program], stdout=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(f"{subject.name}: exit code {done.returncode}")
    (folder / f"{subject.name}.json").write_bytes(done.stdout)


def build_programs(language: str, folder: Path) -> Path:
    """Return the folder of the programs of a language, built if they are not there."""
    home = folder / language
    names = {"python": "*.py", "javascript": "*.mjs", "java": "*.java"}.get(language, f"{language}/**/*")
    for path in filter(Path.is_file, SUBJECTS.glob(names)):
        place = home / path.relative_to(SUBJECTS / language if "/" in names else SUBJECTS)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    if not (home / "built").is_file():
        for command in BUILDS[language]:
            subprocess.run(shlex.split(command), cwd=home, check=True)
        for release in JAVA if language == "java" else ():
            build_java(release, home)
        (home / "built").touch()
    return home


def build_java(release: str, home: Path) -> None:
    """Compile the program for Kafka's client of a release, and write the script that runs it."""
    jars = ":".join(map(str, JarStore().broker_jars(table().find(release))))
    words = ("javac", "-d", f"classes-{release}", "-cp", jars, "StrictClient.java")
    subprocess.run(words, cwd=home, check=True)
    script = home / f"strict-{release}"
    script.write_text(f"#!/bin/sh\nexec java -cp {jars}:{home}/classes-{release} StrictClient\n", "utf-8")
    script.chmod(0o755)


def identity(finding: Mapping[str, Any]) -> str:
    """Return the ids of a finding's variations without the answer."""
    return " + ".join(name.partition("@")[0] for name in finding["variation"].split(" + "))


def page(
    results: Mapping[Subject, Mapping[str, Any]], reasons: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield the lines of the page."""
    yield from INTRODUCTION.splitlines()
    yield ""
    yield "| client | variations taken | findings | runs | seconds |"
    yield "|---|---|---|---|---|"
    for subject, result in results.items():
        outcomes = list(result["outcomes"].values())
        taken = f"{outcomes.count('taken')} of {len(outcomes) - outcomes.count('unmet')}"
        name = subject.name.removesuffix(f"-{subject.version}")
        cells = (f"{name} {subject.version}", taken, len(result["findings"]), result["runs"])
        yield f"| {' | '.join(map(str, cells))} | {result['seconds']:.0f} |"
    yield ""
    yield from LEGEND.splitlines()
    yield ""
    yield f"| variation | {' | '.join(each.name for each in results)} |"
    yield f"|---|{'---|' * len(results)}"
    for variation in CATALOGUE:
        if variation.family is not Family.ERRORS:
            marks = (mark(subject, result, variation.id) for subject, result in results.items())
            yield f"| `{variation.id}` | {' | '.join(marks)} |"
    yield from versions(results)
    for subject, result in results.items():
        if result["findings"]:
            yield from details(subject, result["findings"], reasons.get(subject.name, {}))


def mark(subject: Subject, result: Mapping[str, Any], name: str) -> str:
    """Return the cell of a variation."""
    if name in subject.without:
        return "left out"
    outcome = result["outcomes"].get(name, "")
    return MARKS.get(outcome, outcome)


def versions(results: Mapping[Subject, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the table of the versions that requests came in."""
    yield from ("", "## Versions", "", SPOKEN, "")
    yield f"| request | {' | '.join(each.name for each in results)} |"
    yield f"|---|{'---|' * len(results)}"
    spoken: list[dict[str, list[int]]] = []
    for result in results.values():
        spoken.append({})
        for row in sorted(result["spoken"], key=lambda row: row["version"]):
            spoken[-1].setdefault(row["message"], []).append(row["version"])
    for name in sorted({name for each in spoken for name in each}):
        yield f"| {name} | {' | '.join(spans(each.get(name, [])) for each in spoken)} |"


def spans(numbers: Sequence[int]) -> str:
    """Return sorted numbers as text: `0-2, 7`."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and groups[-1][-1] == number - 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(f"{each[0]}-{each[-1]}" if len(each) > 1 else str(each[0]) for each in groups)


def details(
    subject: Subject, findings: Sequence[Mapping[str, Any]], reasons: Mapping[str, str]
) -> Iterator[str]:
    """Yield the section about the findings of a client."""
    yield ""
    yield f"## {subject.name}"
    for finding in findings:
        name = identity(finding)
        yield ""
        yield f"**`{finding['variation']}`**: {finding['sentence']} The program {finding['ended']}."
        yield reasons.get(name, "The reason is not known.")
        yield ""
        yield "```text"
        yield f"answer  {finding['where']}"
        yield f"rule    {finding['rule']}"
        if finding["pieces"]:
            yield f"pieces  {', '.join(map(str, finding['pieces'][:12]))} bytes"
        else:
            before, after = (bytes.fromhex(finding[which]) for which in ("before", "after"))
            shorter = min(len(before), len(after))
            at = next((at for at in range(4, shorter) if before[at] != after[at]), shorter)
            for which, frame in (("before", before), ("after", after)):
                yield f"{which:6}  {len(frame)} bytes, from byte {at}: {frame[at : at + 40].hex(' ')}"
        yield "```"


INTRODUCTION: Final = """# Clients

What `wireproof judge --vary` found in clients, with the bytes. [Your client](../guides/client.md) says how to
run it, and [Variations](variations.md) has each variation with its source. The programs are in
`benchmarks/subjects`. Each creates a topic, produces batches with every compression, commits and aborts
transactions, reads all records in a group, commits offsets, and asks the admin client for what it made. It
fails if one value is not the one that was written. kafka-go has no transactions; rskafka has neither these
nor groups. kafkajs has snappy from kafkajs-snappy, no LZ4 and no zstd; @platformatic/kafka has no zstd on
Node 20. Broker: Apache Kafka 4.3.1.

`python benchmarks/client_table.py --folder FOLDER` makes this page. The reason of each finding was read in
the client's source. Kafka's own Java clients 3.9.2 and 4.3.1 have no finding; 2.8.2 has one, which is
KAFKA-17455. Three runs went on at once, and other work shared the machine (load 9 to 21 on two
processors). [Faults of a reader](reader-faults.md) says how many planted faults are found.
"""
LEGEND: Final = """`+`: the program ended as without the variation. `-`: a finding. `?`: it ended otherwise
once, and not again. Empty: no answer of the program can be varied so."""
SPOKEN: Final = (
    "Requests came in these versions, over all runs, with the newest and the oldest offered alone:"
)


if __name__ == "__main__":
    main()
