"""The command: what it says, where it says it, how it ends; nothing here needs Java, jars or network."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.commands.forked_command import run_command
from wireproof.app.cli.app import command_line
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.run.core.cell_events import FailedCase, ShrunkCase
from wireproof.verdict.report.failure_files import FailureFiles, read_failure

HEAVY = {"hypothesis", "junitparser", "tomlkit", "jpype", "pyspark", "jgo", "requests"}


def wireproof(*words: str, cache: Path) -> subprocess.CompletedProcess[str]:
    path = ":".join(path for path in sys.path if path)
    environment = {"WIREPROOF_CACHE": str(cache), "PATH": "", "PYTHONPATH": path}
    return run_command(Path.cwd(), *words, env=environment)


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["run", "--help"],
        ["cells", "--help"],
        ["power", "--list"],
        ["ledger", "--help"],
        ["ledger", "accept", "--help"],
    ],
)
def test_help_loads_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    """A person who asks for help does not wait for Hypothesis, a JVM bridge or a network client."""
    program = (
        "import sys, wireproof.app.cli\n"
        f"sys.argv = ['wireproof', *{words!r}]\n"
        "try:\n    wireproof.app.cli.main()\n"
        f"finally:\n    print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert ran.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["run", "--release", "9.9"], 2, "unknown release '9.9'"),
        (["run", "--shard", "5/2"], 2, "expected I/N with I from 1 to N"),
        (["run", "--message-version", "x"], 2, "expected version ranges"),
        (["run", "--phase", "weather"], 2, "weather"),
        (["run", "--jars", "/no/such/folder"], 4, "there is no folder"),
        (["run", "--offline"], 4, "--offline forbids"),
        (["cells", "--message", "Nope"], 3, "no cell matches"),
        (["power", "--mutant", "nobody"], 2, "there is no mutation operator 'nobody'"),
        (["power", "--class", "weather"], 2, "weather"),
        (["power", "--class", "null", "--mutant", "header-version"], 3, "no mutation operator is of these"),
        (["power", "--release", "9.9"], 2, "unknown release '9.9'"),
        (["power", "--offline"], 4, "--offline forbids"),
        (["show", "FetchRequest"], 2, "is not a cell"),
        (["show", "FetchRequst/12"], 2, "Did you mean FetchRequest"),
        (["show", "FetchRequest/99"], 2, "Its valid versions are 4-18"),
        (["replay", "foo"], 2, "is not a case"),
        (["frobnicate"], 2, "No such command"),
    ],
)
def test_a_mistake_has_its_exit_code(words: list[str], code: int, says: str, tmp_path: Path) -> None:
    """What is wrong goes to standard error, nothing to standard output."""
    ran = wireproof(*words, cache=tmp_path)

    assert ran.returncode == code, ran.stderr
    assert says in ran.stderr
    assert ran.stdout == ""


@pytest.mark.parametrize("words", [[], ["ledger"]])
def test_a_group_without_a_command_prints_its_whole_help(words: list[str], tmp_path: Path) -> None:
    """It is longer than an error may be, and has no foreign text."""
    ran = wireproof(*words, cache=tmp_path)

    assert ran.returncode == 2
    assert ran.stderr.strip() == wireproof(*words, "--help", cache=tmp_path).stdout.strip()


def test_cells_as_tsv_are_for_programs(tmp_path: Path) -> None:
    """Release, module, message, version, one a line, no header: all 749 cells of 4.4.0."""
    ran = wireproof("cells", "--release", "4.4.0", "--format", "tsv", cache=tmp_path)
    rows = [line.split("\t") for line in ran.stdout.splitlines()]

    assert ran.returncode == 0
    assert len(rows) == 749
    assert ["4.4.0", "clients", "FetchRequest", "12"] in rows
    assert sum(row[1] == "clients" for row in rows) == 640
    assert ["4.4.0", "records", "RecordBatch", "2"] in rows


def test_show_names_every_byte_of_the_default_instance(tmp_path: Path) -> None:
    """Layout, number of boundary cases, annotated hexdump and canonical JSON; without jar, Java, network."""
    text = wireproof("show", "4.4.0/ApiVersionsResponse/3", cache=tmp_path).stdout

    assert "sent with version 0 of the response header" in text
    assert "finalizedFeaturesEpoch: int64, tag 1, versions 3-5, default -1  [12 cases]" in text
    assert "0002  01                                      apiKeys has 0 elements" in text
    assert '"finalizedFeaturesEpoch":"-1"' in text


def test_show_names_every_byte_of_a_record_set(tmp_path: Path) -> None:
    """Fields, named sets by their number, and a sample batch of the magic asked for."""
    text = wireproof("show", "4.4.0/RecordBatch/2", cache=tmp_path).stdout

    assert "batches[0].records[0].headers[0].key = b'h'" in text
    assert "v2/zstd: " in text
    assert '"batches":[{"magic":2,' in text
    old = wireproof("show", "4.4.0/RecordBatch/0", cache=tmp_path).stdout
    assert "batches[0].timestamp" not in old
    assert "batches[0].magic = 0" in old
    ran = wireproof("show", "4.4.0/RecordBatch/2", "--source", cache=tmp_path)
    assert ran.returncode == 2
    assert "has no compiled codec" in ran.stderr


def test_show_prints_the_compiled_codec(tmp_path: Path) -> None:
    """The source that runs can be read, and is Python."""
    text = wireproof("show", "4.4.0/ApiVersionsRequest/3", "--source", cache=tmp_path).stdout

    compile(text, "shown", "exec")
    assert "def decode(data" in text
    assert "def encode(value" in text


def test_releases_are_listed_without_fetching(tmp_path: Path) -> None:
    """Modules, counts, what is in the cache, what the registry lacks."""
    text = wireproof("releases", "4.4.0", cache=tmp_path).stdout

    assert "4.4.0 (newest)  286 messages, 744 cells" in text
    assert "not fetched" in text
    assert "absent: the registry has no kafka-streams 4.4.0" in text
    assert list(tmp_path.iterdir()) == []


CELL = Cell("4.4.0", "clients", "FetchRequest", 12)
FAILED = FailedCase(
    CELL,
    Phase.RANDOM,
    f"{CELL.id}/random/seed-0",
    (Divergence("bytes", "codec", "differs"),),
    '{"maxWaitMs":7}',
)


def test_a_failure_is_on_disk_at_once_and_grows_smaller_there(tmp_path: Path) -> None:
    """One file a case, as it was found; the smaller instance is added when there is one."""
    files = FailureFiles(tmp_path / "failures")
    files(FAILED)
    place = files.place(FAILED.case_id)
    assert read_failure(place)["value"] == '{"maxWaitMs":7}'

    files(ShrunkCase(CELL, FAILED.case_id, FAILED.divergences, '{"maxWaitMs":1}'))
    content = read_failure(place)
    assert (content["value"], content["shrunk"]["value"]) == ('{"maxWaitMs":7}', '{"maxWaitMs":1}')
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_another_file_is_no_failure(tmp_path: Path) -> None:
    """A file that holds something else is refused."""
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"name": "value"}))

    with pytest.raises(ValueError, match="holds no failure"):
        read_failure(other)


def test_doctor_fits_on_a_screen_and_tries_the_cache(tmp_path: Path) -> None:
    """At most 24 lines on a machine that has everything, each part once; an unwritable cache is a finding."""
    ran = wireproof("doctor", cache=tmp_path / "new" / "cache")
    parts = [line[9:27] for line in ran.stdout.splitlines() if not line.startswith(" ")]
    assert len(parts) == len(set(parts))
    assert sum(not line.startswith(" ") for line in ran.stdout.splitlines()) <= 24
    assert f"{tmp_path}/new/cache, made when something is fetched" in ran.stdout
    (tmp_path / "file").write_text("")
    ran = wireproof("doctor", cache=tmp_path / "file")
    assert ran.returncode == 4
    assert "cannot be written" in ran.stdout
    assert "Set WIREPROOF_CACHE" in ran.stdout


def test_doctor_loads_what_a_run_needs(tmp_path: Path) -> None:
    """A package that is installed and lacks a library of the system is a finding; an absent tool is none."""
    (tmp_path / "jpype.py").write_text("raise ImportError('libstdc++.so.6: cannot open shared object file')")
    path = ":".join([str(tmp_path), *(path for path in sys.path if path)])
    command = [sys.executable, "-m", "wireproof", "doctor"]
    environment = {"WIREPROOF_CACHE": str(tmp_path), "PYTHONPATH": path}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 4
    assert "missing  jpype1 " in ran.stdout
    assert "absent   cargo " in ran.stdout
    assert " cannot be loaded: libstdc++.so.6: cannot open shared object file" in ran.stdout


def test_doctor_is_coloured_on_a_terminal_alone(tmp_path: Path) -> None:
    """The colour is not escaped like foreign text, which would print ``\\x1b[32m``."""
    plain = wireproof("doctor", cache=tmp_path).stdout
    assert plain.startswith("ok       python ")
    assert "x1b" not in plain
    coloured = CliRunner(env={"FORCE_COLOR": "1", "TERM": "xterm"}).invoke(command_line, ["doctor"]).output
    assert coloured.startswith("\x1b[32mok     \x1b[0m  python ")


def test_counts_have_their_plural(tmp_path: Path) -> None:
    """One message, and not one messages."""
    ran = wireproof("cells", "--message", "FetchRequest", cache=tmp_path)
    assert "4.4.0 clients: 1 message, 15 cells" in ran.stderr


def test_failures_are_kept_out_of_git(tmp_path: Path) -> None:
    """The folder of failures has a .gitignore of its own."""
    cell = Cell("4.4.0", "clients", "FetchRequest", 12)
    divergence = Divergence("bytes", "codec", "the bytes differ")
    event = FailedCase(cell, Phase.ENUMERATED, f"{cell.id}/enumerated/x", (divergence,), "{}")
    FailureFiles(tmp_path / ".wireproof" / "failures")(event)
    assert (tmp_path / ".wireproof" / ".gitignore").read_text() == "*\n"
