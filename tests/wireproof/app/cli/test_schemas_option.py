"""`--schemas DIR`: every command that takes a release takes a fork as well, or the guide says why not."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.support.schemas.fork import ACME
from wireproof.app.cli.app import command_line
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.proof.config.option_table import OPTIONS
from wireproof.proof.config.option_words import option_values
from wireproof.proof.config.run_config import ConfigError, RunConfig, file_layer
from wireproof.proof.config.selection import SchemaSource

GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "forks.md"
_ROW = re.compile(r"^\| `(?:wireproof )?([a-z ]+)` \|", re.MULTILINE)


def commands(
    command: click.Command, context: click.Context, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield (words of the command, its options)."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, click.Context(found, context, name), (*words, name))
    else:
        yield " ".join(words), frozenset(word for each in command.params for word in each.opts)


ALL = dict(commands(command_line, click.Context(command_line, info_name="wireproof")))


def without_a_fork() -> set[str]:
    """The commands of the guide's table of those that take no fork."""
    table = GUIDE.read_text("utf-8").partition("## Commands that take no fork")[2].partition("\n## ")[0]
    return set(_ROW.findall(table))


def test_every_command_with_a_release_takes_a_fork_or_has_a_reason() -> None:
    """The guide lists the others, each once, and none that takes one."""
    released = {name for name, options in ALL.items() if "--release" in options}
    forked = {name for name, options in ALL.items() if "--schemas" in options}
    assert len(released) > 10
    assert released - forked == without_a_fork() & released
    assert not forked & without_a_fork()


def test_commands_that_name_a_release_otherwise_take_a_fork_too() -> None:
    """A cell, a case, a corpus."""
    corpus = ("make", "verify", "lint", "fmt", "min", "stats")
    for name in ("show", "replay", "schema check", "schema sizes", *(f"corpus {each}" for each in corpus)):
        assert "--schemas" in ALL[name], name


def test_what_asks_kafkas_classes_takes_the_fork_s_jar() -> None:
    """The others need no classes."""
    asked = {name for name, options in ALL.items() if "--schemas-jar" in options}
    forked = {name for name, options in ALL.items() if "--schemas" in options}
    assert asked == {"run", "campaign", "matrix", "power", "corpus make", "corpus verify", "replay"}
    assert asked < forked


def call(*words: str) -> Result:
    return CliRunner().invoke(command_line, list(words), standalone_mode=False)


def test_the_cells_of_a_fork() -> None:
    """Each is named after the release and the folder; the fork's messages are listed."""
    ran = call("cells", "--schemas", str(ACME), "--message", "Trace*", "--format", "tsv")
    names = [line.split("\t") for line in ran.stdout.splitlines()]
    assert {(name[0], name[1], name[2]) for name in names} == {
        ("4.4.0+acme", "clients", "TracePingRequest"),
        ("4.4.0+acme", "clients", "TracePingResponse"),
        ("4.4.0+acme", "metadata", "TraceRecord"),
    }
    assert len(names) == 8
    listed = call("cells", "--schemas", str(ACME), "--message", "*Ping*", "--message", "Heartbeat*")
    assert (
        f"{ACME}: 4 messages, of these 2 in place of Kafka's: HeartbeatRequest, HeartbeatResponse, "
        "TracePingRequest, TracePingResponse\n"
    ) in listed.stderr


def test_every_cell_of_the_release_is_there() -> None:
    """A fork is Kafka with the definitions over it; one version more of the heartbeat."""
    kafka = call("cells", "--format", "tsv").stdout.replace("4.4.0\t", "4.4.0+acme\t").splitlines()
    fork = call("cells", "--format", "tsv", "--schemas", str(ACME)).stdout.splitlines()
    news = set(fork) - set(kafka)
    assert set(kafka) < set(fork)
    assert len(news) == 8 + 2
    assert "4.4.0+acme\tclients\tHeartbeatRequest\t5" in news


def test_the_layout_of_a_private_message() -> None:
    """`show` takes the short name, the release and the fork's name."""
    for name in ("TracePingRequest/2", "4.4/TracePingRequest/2", "4.4.0+acme/TracePingRequest/2"):
        text = call("show", name, "--schemas", str(ACME)).stdout
        assert text.startswith("4.4.0+acme/TracePingRequest/2  request, api key 900\n")
        assert "  payload: records, nullable, versions 0-2, default null" in text
    assert "HeartbeatRequest/5" in call("show", "HeartbeatRequest/5", "--schemas", str(ACME)).stdout


def test_the_changes_of_a_fork() -> None:
    """The operand with the folder's name is the fork; only its own messages differ from the release."""
    ran = call("schema", "check", "4.4", "4.4+acme", "--schemas", str(ACME), "--json")
    assert ran.return_value == ExitCode.PROVEN
    plain = json.loads(ran.stdout)
    assert (plain["before"], plain["after"]) == ("4.4.0", "4.4.0+acme")
    assert {each["message"] for each in plain["findings"]} == {
        *("TracePingRequest", "TracePingResponse", "TraceRecord", "HeartbeatRequest", "HeartbeatResponse")
    }


def test_a_frame_of_a_private_request() -> None:
    """Its api key names it."""
    frame = "0384 0000 00000001 0003 626164" + "00" * 16 + "00000000 ffffffff"
    text = call("decode", frame, "--schemas", str(ACME)).stdout
    assert text.startswith("TracePingRequest 0, 41 bytes\n")
    assert "header.requestApiKey = 900" in text
    error = call("decode", frame).exception
    assert isinstance(error, click.ClickException)
    assert "as a request this would be api key 900, which 4.4.0 does not have" in error.message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cells", "--release", "4.3.1+acme"), "4.3.1+acme is a fork of 4.3.1"),
        (
            ("show", "4.4.0+other/FetchRequest/4", "--schemas", str(ACME)),
            "has no 4.4.0+other: it has 4.4.0+acme",
        ),
        (("cells", "--schemas", "gone"), "there is no folder gone"),
        (("cells", "--schemas", str(ACME), "--diff", "4.3", "4.4"), "--diff compares releases"),
        (("run", "--schemas-jar", "fork.jar"), "schemas_jar: it needs schemas"),
        (("matrix", "--schemas-jar", "fork.jar"), "--schemas-jar needs --schemas"),
        (("run", "--schemas", str(ACME), "--schemas-jar", "gone.jar"), "there is no jar gone.jar"),
    ],
    ids=["no-folder", "other-name", "missing", "diff", "run-jar", "matrix-jar", "no-jar"],
)
def test_a_mistake(words: tuple[str, ...], message: str) -> None:
    """The error says what is expected."""
    error = call(*words).exception
    assert isinstance(error, click.ClickException | FatalError)
    assert message in error.message
    assert error.exit_code in (ExitCode.USAGE, ExitCode.MISSING)


def test_the_option_in_a_file_in_a_text_and_in_python(tmp_path: Path) -> None:
    """A relative path is relative to the file; jars may be a list."""
    (tmp_path / "wireproof.toml").write_text('schemas = "defs"\nschemas_jar = ["one.jar", "two.jar"]\n')
    config = RunConfig.merged([file_layer(tmp_path)])
    jars = (tmp_path / "one.jar", tmp_path / "two.jar")
    assert config.schema_source == SchemaSource(tmp_path / "defs", jars)
    text = RunConfig.of(**option_values("--schemas defs --schemas-jar one.jar --schemas-jar two.jar"))
    assert text.schema_source == SchemaSource(Path("defs"), (Path("one.jar"), Path("two.jar")))
    assert RunConfig.of(schemas="defs", schemas_jar="one.jar").schemas_jar == (Path("one.jar"),)
    assert RunConfig().schema_source is None
    with pytest.raises(ConfigError, match="schemas_jar: it needs schemas"):
        RunConfig(schemas_jar=(Path("one.jar"),))
    assert {"schemas", "schemas_jar"} <= OPTIONS.keys()


def test_the_record_of_a_failure_names_the_fork() -> None:
    """A replay finds the definitions from another folder, too."""
    source = SchemaSource(Path("defs"), (Path("one.jar"),))
    record = source.record
    assert SchemaSource.from_record(record) == SchemaSource(Path.cwd() / "defs", (Path.cwd() / "one.jar",))
    assert SchemaSource.from_record({}) is None
