"""The exit codes that commands declare: each command has them, and they are those of the table."""

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from wireproof.app.cli.app import command_line
from wireproof.app.cli.options import CommandGroup, DocumentedCommand
from wireproof.base.exit_codes import ExitCode


def _commands(group: click.Group, *words: str) -> Iterator[tuple[str, click.Command]]:
    """The commands below a group, by the words that call them; groups are left out."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, *words, name)
        else:
            yield " ".join((*words, name)), command


COMMANDS = dict(_commands(command_line))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_blocks_of_a_help_text_keep_their_lines(name: str) -> None:
    """Click's mark before such a block is not printed."""
    printed = COMMANDS[name].get_help(click.Context(COMMANDS[name], info_name=name))
    assert "\\b" not in printed
    lines = {line.strip() for line in printed.splitlines()}
    blocks = [line.strip() for line in (COMMANDS[name].help or "").splitlines() if line.startswith("  wire")]
    assert set(blocks) <= lines


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_declares_its_exit_codes(name: str) -> None:
    """The codes are those of the table, each with a sentence; every command can return 0, 2, 5 and 130."""
    command = COMMANDS[name]
    assert isinstance(command, DocumentedCommand)
    declared = command.exit_codes
    assert all(isinstance(code, ExitCode) for code in declared)
    common = {ExitCode.PROVEN, ExitCode.USAGE, ExitCode.BROKEN, ExitCode.INTERRUPTED}
    assert common <= set(declared)
    assert list(declared) == sorted(declared)
    assert all(meaning.endswith(".") for meaning in declared.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_lists_the_exit_codes(name: str) -> None:
    """One section has all of them. No other sentence of the description names a code."""
    command = COMMANDS[name]
    assert isinstance(command, DocumentedCommand)
    text = CliRunner().invoke(command_line, [*name.split(), "--help"], terminal_width=1000).output
    section = text.partition("Exit codes:\n")[2].partition("\n\n")[0]
    listed = dict(re.findall(r"^  (\d+) +(.*)$", section, re.MULTILINE))
    assert listed == {str(int(code)): meaning for code, meaning in command.exit_codes.items()}
    assert not re.search(r"[Ee]xit codes? \d|ends? with \d", command.help or "")


def test_an_empty_sentence_is_that_of_the_table() -> None:
    """A command writes a sentence only for a code that has another meaning there."""
    command = DocumentedCommand("x", exit_codes={ExitCode.DIVERGENCE: "", ExitCode.PROVEN: "All is well."})
    assert command.exit_codes[ExitCode.DIVERGENCE] == ExitCode.DIVERGENCE.meaning
    assert command.exit_codes[ExitCode.PROVEN] == "All is well."


def test_a_command_without_exit_codes_is_an_error() -> None:
    """Also in a group: its commands are of the same class."""
    with pytest.raises(TypeError, match="exit_codes"):
        DocumentedCommand("x")  # type: ignore[call-arg]
    group = CommandGroup("group")
    with pytest.raises(TypeError, match="exit_codes"):
        group.command("x")(lambda: None)
