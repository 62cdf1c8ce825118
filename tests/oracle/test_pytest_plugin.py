"""The pytest plugin in its own sessions: a codec of four cells that is right or wrong in some."""

import os
import sys
import tomllib
from pathlib import Path

import pytest

import wireproof.api  # noqa: F401 - a session in this process forgets what it imports
from tests.support.commands.forked_command import run_command
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.proof.testees.build.scaffold import start_testee

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
JARS = cache_folder() / "jars"
HELPER = cache_folder() / "oracle"
"""Where a checkout keeps the Java classes that it has compiled."""
RIGHT = ('run = ["env/bin/python", "adapter.py"]', 'run = ["{python}", "adapter.py"]')
LAST_IS_WRONG = ("return bytes(out)", 'return bytes(out) + b"!"')
FIRST_ARE_WRONG = ('return b""', 'return b"!"')
CELLS = [f"4.4.0/ApiVersionsRequest/{version}" for version in range(4)]
TEST = """
import pytest

@pytest.mark.wireproof(testee="my-codec", phases=["enumerated"], shrink=0)
def test_codec(wireproof_cell):
    wireproof_cell.prove()
"""


@pytest.fixture
def author(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Make a folder of a codec's author, with the plugin installed as the wheel installs it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    installed = pytester.mkdir("installed") / "wireproof-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: wireproof-here\nVersion: 0\n")
    ((name, module),) = project["entry-points"]["pytest11"].items()
    (installed / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    path = [str(installed.parent), *(place for place in sys.path if place)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.syspath_prepend(installed.parent)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    start_codec(pytester.path / "my-codec")
    pytester.makepyfile(test_mine=TEST)
    monkeypatch.setenv("WIREPROOF_CACHE", str(pytester.mkdir("cache")))
    HELPER.mkdir(parents=True, exist_ok=True)
    (pytester.path / "cache" / "oracle").symlink_to(HELPER)
    if JARS.is_dir():
        monkeypatch.setenv("WIREPROOF_JARS", str(JARS))
    return pytester


def run_here(author: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run a session in this process, without its `faulthandler`: a JVM of an earlier test needs SIGSEGV."""
    return author.runpytest_inprocess("-p", "no:faulthandler", *arguments)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The deviations of the codec with the wrong last cell, accepted as an author does."""
    folder = tmp_path_factory.mktemp("author")
    start_codec(folder / "my-codec")
    change(folder / "my-codec" / "codec.py", *LAST_IS_WRONG)
    run = ["run", "--testee", "my-codec", "--phase", "enumerated", "--shrink", "0", "--jobs", "1"]
    assert run_command(folder, *run, "--events", "events").returncode == 1
    words = ["ledger", "accept", "--from", "events", "--ledger", "my-codec/ledger.toml"]
    assert run_command(folder, *words, "--reason-kind", "bug", "--owner", "ann").returncode == 0
    return (folder / "my-codec" / "ledger.toml").read_text()


def start_codec(folder: Path) -> None:
    start_testee(folder, "python")
    change(folder / "testee.toml", *RIGHT)
    lines = (folder / "testee.toml").read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("build", "  ", "]"))]
    (folder / "testee.toml").write_text("".join(kept))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def spoil(author: pytest.Pytester, bug: tuple[str, str]) -> None:
    change(author.path / "my-codec" / "codec.py", *bug)


def fix(author: pytest.Pytester, bug: tuple[str, str]) -> None:
    change(author.path / "my-codec" / "codec.py", bug[1], bug[0])


def test_each_cell_is_a_test(author: pytest.Pytester) -> None:
    """A test has the cell's name, so that -k selects it; command-line options come before those of the
    marker."""
    listed = author.runpytest_subprocess("--collect-only", "-q")
    assert listed.outlines[:4] == [f"test_mine.py::test_codec[{cell}]" for cell in CELLS]
    author.runpytest_subprocess("-k", "ApiVersionsRequest/2 or ApiVersionsRequest/3").assert_outcomes(
        passed=2, deselected=2
    )
    words = (
        "--wireproof-options",
        "--message-version 1-2 --phase oracle --all-versions",
        "--wireproof-profile",
        "pr",
    )
    other = run_here(author, "--collect-only", "-q", *words)
    assert other.outlines[:3] == [*(f"test_mine.py::test_codec[{cell}]" for cell in CELLS[1:3]), ""]
    words = ("--wireproof-testee", "my-codec@7", "--collect-only", "-q")
    assert run_here(author, *words).ret == 0


def test_reports_of_the_configuration_file_are_the_commands(author: pytest.Pytester) -> None:
    """The file names reports for `wireproof run`; its other options hold. A marker may name no report."""
    (author.path / "wireproof.toml").write_text('junit = "a.xml"\nevents = "-"\nmessage_version = "1-2"\n')
    listed = run_here(author, "--collect-only", "-q")
    assert listed.outlines[:3] == [*(f"test_mine.py::test_codec[{cell}]" for cell in CELLS[1:3]), ""]
    author.makepyfile(test_mine=TEST.replace("shrink=0", 'html="b.html"'))
    listed = run_here(author, "--collect-only", "-q")
    listed.stdout.fnmatch_lines(["*: html: only the command writes reports"])


LOADED = """
import sys

def pytest_sessionfinish():
    print("loaded:", "wireproof.api" in sys.modules)
"""


def collected(author: pytest.Pytester) -> tuple[list[str], bool]:
    """Collect without running. Return the tests, and whether the session of the codec was made for it."""
    lines = author.runpytest_subprocess("--collect-only", "-q", "-s").outlines
    return [line for line in lines if "::" in line], "loaded: True" in lines


def test_cells_are_collected_again_without_the_testee(author: pytest.Pytester) -> None:
    """A changed file of its folder, or other options, need its claims anew."""
    author.makeconftest(LOADED)
    first, again = collected(author), collected(author)
    assert first == ([f"test_mine.py::test_codec[{cell}]" for cell in CELLS], True)
    assert again == (first[0], False)

    change(author.path / "my-codec" / "adapter.py", '"decode encode reencode", "0-3"', '"decode", "2-3"')
    assert collected(author) == (first[0][2:], True)
    change(author.path / "test_mine.py", "shrink=0", "shrink=0, message_version='3'")
    assert collected(author) == (first[0][3:], True)
    assert collected(author) == (first[0][3:], False)


def test_cells_of_a_codec_outside_of_its_folder_are_not_kept(author: pytest.Pytester) -> None:
    """Its claims may change while no file of the folder does."""
    author.makeconftest(LOADED)
    change(author.path / "my-codec" / "testee.toml", '"adapter.py"', '"{folder}/adapter.py"')
    assert [collected(author)[1] for _ in range(2)] == [True, True]


def test_an_entry_that_cannot_be_read_is_written_again(author: pytest.Pytester) -> None:
    """As one that a full disk has cut. `test_cell_lookup` has others that cannot be read."""
    author.makeconftest(LOADED)
    first = collected(author)
    (entry,) = kept(author)
    whole = entry.read_text()
    entry.write_text("[")
    assert (collected(author), entry.read_text()) == (first, whole)


def test_an_entry_of_other_cells_fails_the_tests(author: pytest.Pytester) -> None:
    """Once: the next session has the right ones."""
    collected(author)
    (entry,) = kept(author)
    entry.write_text(entry.read_text().replace(", 2], ", ", 7], "))
    ran = author.runpytest_subprocess()
    ran.assert_outcomes(failed=4)
    ran.stdout.fnmatch_lines(["*other cells than those that were collected*", "*run pytest again*"])
    author.runpytest_subprocess().assert_outcomes(passed=4)


def kept(author: pytest.Pytester) -> list[Path]:
    return list((author.path / "cache" / "cells").glob("*.json"))


def test_the_finding_is_in_the_report(author: pytest.Pytester) -> None:
    """The report is that of the terminal, with the command that repeats it; --lf runs failed cells."""
    spoil(author, LAST_IS_WRONG)
    ran = author.runpytest_subprocess()

    ran.assert_outcomes(passed=3, failed=1)
    ran.stdout.fnmatch_lines(
        [
            "*_ test_codec[[]4.4.0/ApiVersionsRequest/3[]] _*",
            "*: the bytes differ from Kafka's",
            "  check *bytes: The codec's bytes are Kafka's for the same value",
            "  replay * wireproof replay --testee my-codec 4.4.0/ApiVersionsRequest/3/enumerated/*",
            "Not proven. The codec and Kafka differ: * finding*.",
        ]
    )
    ran.stdout.no_fnmatch_line("*Traceback*")
    ran.stdout.no_fnmatch_line("*def test_codec*")
    assert list((author.path / ".wireproof" / "failures").glob("*.json"))
    author.runpytest_subprocess("--lf").assert_outcomes(failed=1)


def test_x_stops_at_the_first_failure(author: pytest.Pytester) -> None:
    """The cells after it are not proven."""
    spoil(author, FIRST_ARE_WRONG)
    author.runpytest_subprocess("-x").assert_outcomes(failed=1)


def test_xdist_proves_in_several_processes(author: pytest.Pytester, ledger: str) -> None:
    """Each process has its own prover; outcome and audit of the ledger are the same.

    In the first session the ledger excuses one of four wrong cells, and in the second none is wrong.
    """
    (author.path / "my-codec" / "ledger.toml").write_text(ledger)
    spoil(author, LAST_IS_WRONG)
    spoil(author, FIRST_ARE_WRONG)
    author.runpytest_subprocess("-n", "2").assert_outcomes(passed=1, failed=3)
    fix(author, LAST_IS_WRONG)
    fix(author, FIRST_ARE_WRONG)
    ran = author.runpytest_subprocess("-n", "2")
    ran.assert_outcomes(passed=4)
    assert ran.ret == pytest.ExitCode.TESTS_FAILED
    ran.stdout.fnmatch_lines(["*ledger: passed *", "  type: wireproof ledger remove --ledger *"])


def test_the_ledger_excuses_and_is_audited(author: pytest.Pytester, ledger: str) -> None:
    """Known deviations pass. A wrong entry fails the session, but an untried one does not."""
    (author.path / "my-codec" / "ledger.toml").write_text(ledger)
    spoil(author, LAST_IS_WRONG)
    author.runpytest_subprocess().assert_outcomes(passed=4)
    fix(author, LAST_IS_WRONG)
    assert author.runpytest_subprocess("-k", "ApiVersionsRequest/2").ret == pytest.ExitCode.OK
    ran = author.runpytest_subprocess()
    ran.assert_outcomes(passed=4)
    assert ran.ret == pytest.ExitCode.TESTS_FAILED
    ran.stdout.fnmatch_lines(["*ledger: passed *", "  type: wireproof ledger remove --ledger *"])


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (TEST.replace("(wireproof_cell)", "()"), "*does not take wireproof_cell: it would prove nothing*"),
        (TEST.replace("@pytest", "# @pytest"), '*mark it with @pytest.mark.wireproof(testee="...")*'),
        (TEST.replace('"my-codec"', '"nobody"'), "*nobody is not a testee*"),
        (TEST.replace("shrink=0", 'message="Fetch*"'), "*claims none of the * cells that match*"),
        (TEST.replace("shrink=0", "speed=7"), "*speed: this option does not exist*"),
    ],
)
def test_an_invalid_marker_is_an_error(author: pytest.Pytester, test: str, words: str) -> None:
    """The session has an error at collection, and never passes without tests."""
    author.makepyfile(test_mine=test)
    ran = run_here(author)
    ran.assert_outcomes(errors=1)
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    ran.stdout.fnmatch_lines([words])


def test_the_unused_plugin_imports_nothing(author: pytest.Pytester) -> None:
    """A session without it imports no module of it, although it is installed."""
    author.makepyfile(
        test_mine="""
        import sys
        def test_nothing(pytestconfig):
            assert pytestconfig.pluginmanager.has_plugin("wireproof")
            assert not {"hypothesis", "jpype", "kafkawire", "click", "rich"} & set(sys.modules)
            assert [name for name in sys.modules if name.startswith("wireproof")] == [
                "wireproof", "wireproof.pytest_plugin"]
        """
    )
    author.runpytest_subprocess("-p", "no:hypothesispytest", "-p", "no:xdist").assert_outcomes(passed=1)
