"""`wireproof schema check --git`: a commit and the work tree, in real repositories, some of them hostile."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from tests.wireproof.app.cli.schema.git_checkouts import MESSAGES, GitCheckout, definition
from wireproof.app.assembly.definitions import git_operands
from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.kafka.releases.definition_files import MOST_BYTES

FILE = f"{MESSAGES}/HeartbeatRequest.json"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["check", *arguments], standalone_mode=False)


def fails(*arguments: str) -> FatalError:
    error = call(*arguments).exception
    assert isinstance(error, FatalError), error
    return error


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitCheckout:
    """A repository whose work tree has another type than its commit; the working folder is its top."""
    made = GitCheckout(tmp_path / "a checkout")
    made.write(FILE, definition())
    made.commit()
    made.write(FILE, definition("bytes"))
    monkeypatch.chdir(made.top)
    return made


def test_a_commit_and_the_work_tree(checkout: GitCheckout) -> None:
    """A changed file breaks both ways; the place is the work tree's, and nothing changed is no finding."""
    ran = call("--git", "HEAD")
    assert ran.return_value == ExitCode.DIVERGENCE, ran.output
    assert ran.stdout.startswith("Breaks readers and writers: ")
    assert "    groupId: type: string -> bytes  [released-version]\n" in ran.stdout
    short = checkout.git("rev-parse", "--short=12", "HEAD")
    assert "    the work tree writes " in ran.stdout
    assert f" of version 0, HEAD ({short}) misreads it: " in ran.stdout
    assert ran.stderr.startswith(f"HEAD ({short}) to the work tree: ")
    checkout.commit()
    assert call("--git", "HEAD").return_value == ExitCode.PROVEN
    assert call("--git", "HEAD~1").return_value == ExitCode.DIVERGENCE


def test_each_form_has_file_and_line_of_the_work_tree(checkout: GitCheckout) -> None:
    """Text before the field moves it in the work tree alone."""
    checkout.write(FILE, "// One\n// Two\n" + definition("bytes"))
    line = 2 + next(n for n, text in enumerate(definition().splitlines(), 1) if "GroupId" in text) - 1
    github = call("--git", "trunk", "--format", "github").stdout
    assert github.startswith(f"::error file={FILE},line={line},title=wireproof%3A HeartbeatRequest.groupId ")
    (run,) = json.loads(call("--git", "trunk", "--format", "sarif").stdout)["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (FILE, line)
    junit = ElementTree.fromstring(call("--git", "trunk", "--format", "junit").stdout.encode())
    assert f"{FILE}:{line}: " in "".join(junit.itertext())
    plain = json.loads(call("--git", "trunk", "--format", "json").stdout)
    assert {(each["file"], each["line"]) for each in plain["findings"]} == {(FILE, line)}
    assert (plain["before"][:7], plain["after"]) == ("trunk (", "the work tree")


def test_the_files_of_kafkas_modules_count(checkout: GitCheckout) -> None:
    """A file that git does not know yet counts; tests, builds, other JSON and ignored files do not."""
    checkout.write(FILE, definition())
    checkout.write("storage/src/main/resources/message/Gone.json", definition(name="GoneRequest", apiKey=13))
    other = ["clients/src/test/resources/common/message/X.json", "package.json", f"{MESSAGES}/sub/X.json"]
    for path in other:
        checkout.write(path, "no definition")
    checkout.write(".gitignore", "build/\n")
    checkout.commit()
    (checkout.top / "storage/src/main/resources/message/Gone.json").unlink()
    checkout.write(
        "raft/src/main/resources/common/message/New.json", definition(name="NewRequest", apiKey=14)
    )
    checkout.write("build/x/src/main/resources/common/message/Y.json", "ignored")
    found = json.loads(call("--git", "HEAD", "--json").stdout)["findings"]
    assert {(each["message"], each["file"], each["what"]) for each in found} == {
        ("GoneRequest", "storage/src/main/resources/message/Gone.json", "the message is gone"),
        ("NewRequest", "raft/src/main/resources/common/message/New.json", "the message is new"),
    }


def test_a_folder_of_the_checkout(
    checkout: GitCheckout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what is below it counts; without Kafka's places, its own `.json` files do. A name may be any."""
    checkout.write("defs/with space\nand line/A.json", definition(name="ARequest", apiKey=1))
    checkout.write("defs/with space\nand line/deeper/B.json", "no definition")
    checkout.commit()
    checkout.write("defs/with space\nand line/A.json", definition("bytes", name="ARequest", apiKey=1))
    checkout.write(FILE, "no definition")
    monkeypatch.chdir(tmp_path)
    folder = checkout.top / "defs" / "with space\nand line"
    found = json.loads(call("--git", "HEAD", str(folder), "--json").stdout)["findings"]
    assert {(each["message"], each["path"]) for each in found} == {("ARequest", "groupId")}
    assert found[0]["file"] == "a checkout/defs/with space\nand line/A.json"
    error = fails("--git", "HEAD", str(checkout.top / "defs"))
    assert error.exit_code == ExitCode.USAGE
    assert "has a message file in" in error.message


def test_the_message_folder_itself(checkout: GitCheckout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output has places from the top of the repository, wherever the command runs."""
    monkeypatch.chdir(checkout.top / MESSAGES)
    found = json.loads(call("--git", "HEAD", "--json").stdout)["findings"]
    assert {each["file"] for each in found} == {"HeartbeatRequest.json"}


def test_accepted_findings_categories_and_messages(checkout: GitCheckout) -> None:
    """They work as with two folders."""
    entry = 'message = "HeartbeatRequest"\nfield = "groupId"\nrule = "released-version"\n'
    accepted = checkout.write("accepted.toml", f'[[accepted]]\n{entry}reason = "Why"\ndate = 2026-11-25\n')
    assert call("--git", "HEAD", "--accepted", str(accepted)).return_value == ExitCode.PROVEN
    assert call("--git", "HEAD", "--category", "stored").return_value == ExitCode.PROVEN
    assert call("--git", "HEAD", "--message", "HeartbeatRequest").return_value == ExitCode.DIVERGENCE
    assert fails("--git", "HEAD", "--message", "Other").exit_code == ExitCode.NOTHING_RAN
    checkout.git("checkout", "--quiet", FILE)
    assert call("--git", "HEAD", "--accepted", str(accepted)).return_value == ExitCode.DIVERGENCE


def test_a_base_that_begins_with_a_dash(checkout: GitCheckout) -> None:
    """It is a name and never an option of git; so is a branch that has such a name."""
    error = fails("--git", "--help")
    assert (error.exit_code, "'--help' is not a commit of" in error.message) == (ExitCode.USAGE, True)
    checkout.git("update-ref", "refs/heads/--all", "HEAD")
    assert call("--git=--all").return_value == ExitCode.DIVERGENCE


@pytest.mark.parametrize("base", ["no-branch", "HEAD~7", "", "HEAD..HEAD", "HEAD:clients", "HEAD\nHEAD"])
def test_an_unknown_base(base: str, checkout: GitCheckout) -> None:
    """The error has the name, and what a CI server has to do."""
    error = fails("--git", base)
    assert error.exit_code == ExitCode.USAGE
    assert f"{base!r} is not a commit of {checkout.top}" in error.message
    assert "fetch-depth" in error.advice


def test_a_tag_and_a_short_id(checkout: GitCheckout) -> None:
    """An annotated tag means its commit; a short id is not repeated."""
    checkout.git("tag", "--annotate", "v1", "--message", "One")
    assert call("--git", "v1").return_value == ExitCode.DIVERGENCE
    short = checkout.git("rev-parse", "--short=9", "HEAD")
    assert call("--git", short).stderr.startswith(f"{short} to the work tree: ")


def test_a_folder_without_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2, with the words of git; also for no folder, and for a repository without a work tree."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    error = fails("--git", "HEAD", str(tmp_path / "plain"))
    assert error.exit_code == ExitCode.USAGE
    assert f"{tmp_path / 'plain'} is not in a git work tree: not a git repository" in error.message
    assert fails("--git", "HEAD", str(tmp_path / "none")).message == f"{tmp_path / 'none'} is not a folder"
    GitCheckout(tmp_path / "bare", "--bare")
    assert "must be run in a work tree" in fails("--git", "HEAD", str(tmp_path / "bare")).message


def test_git_is_missing(checkout: GitCheckout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 4."""
    monkeypatch.setenv("PATH", str(checkout.top))
    error = fails("--git", "HEAD")
    assert (error.exit_code, error.advice) == (ExitCode.MISSING, "Install git.")


@pytest.mark.parametrize(
    "arguments", [("--git", "HEAD", "a", "b"), ("--git", "HEAD", "--schemas", "a"), (), ("4.4",)]
)
def test_operands_and_a_commit_exclude_each_other(arguments: tuple[str, ...], checkout: GitCheckout) -> None:
    """A usage error names what to leave out or to add."""
    (checkout.top / "a").mkdir()
    ran = CliRunner().invoke(command, ["check", *arguments])
    assert ran.exit_code == ExitCode.USAGE
    assert "--git" in ran.output


def test_errors_in_files_name_their_side(checkout: GitCheckout) -> None:
    """A file of the commit has the commit before its name."""
    checkout.write(FILE, '{\n "colour": 1 }')
    assert fails("--git", "HEAD").message.startswith(f"{FILE}:1: error: ")
    checkout.commit()
    checkout.write(FILE, definition())
    error = fails("--git", "trunk")
    assert error.exit_code == ExitCode.USAGE
    assert error.message.startswith(f"trunk:{FILE}:1: error: ")


def test_warnings_are_the_work_trees(checkout: GitCheckout) -> None:
    """Nobody corrects a file of a commit."""
    checkout.write(FILE, definition().replace("{", '{"apiKey": 9, ', 1))
    checkout.commit()
    (warning, _) = call("--git", "HEAD").stderr.splitlines()
    assert warning.startswith(f"{FILE}:2: warning: the key 'apiKey' is given again")


def test_a_commit_has_limits(checkout: GitCheckout) -> None:
    """A long file is not read, a link is not followed, and a message is defined once."""
    checkout.write(FILE, " " * (MOST_BYTES + 1))
    (checkout.top / MESSAGES / "Link.json").symlink_to("/etc/passwd")
    checkout.commit()
    checkout.write(FILE, definition())
    lines = fails("--git", "HEAD").message.splitlines()
    assert lines == [
        f"HEAD:{FILE}:1: error: the file has {MOST_BYTES + 1:,} bytes: a message file has at most "
        f"{MOST_BYTES:,}, all files 67,108,864 [file-size]",
        f"HEAD:{MESSAGES}/Link.json:1: error: this is a link: a message definition is a regular file "
        "[file-unreadable]",
    ]
    (checkout.top / MESSAGES / "Link.json").unlink()
    twice = checkout.write(f"{MESSAGES}/Twice.json", definition())
    checkout.commit()
    twice.unlink()
    assert fails("--git", "HEAD").message == (
        f"HEAD:{MESSAGES}/Twice.json:1: error: HeartbeatRequest is defined in {FILE} already: "
        "keep one of the two [message-twice]"
    )


def test_too_many_files_are_an_error(checkout: GitCheckout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is that of a folder; files elsewhere do not count."""
    monkeypatch.setattr(git_operands, "MOST_FILES", 1)
    checkout.write("package.json", "{}")
    assert call("--git", "HEAD").return_value == ExitCode.DIVERGENCE
    checkout.write(f"{MESSAGES}/Other.json", definition(name="OtherRequest", apiKey=13))
    error = fails("--git", "HEAD")
    assert (error.exit_code, error.message) == (ExitCode.USAGE, "there are more than 1 message files")


def test_files_of_a_commit_have_a_limit_together(
    checkout: GitCheckout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that goes beyond it is named, and none is read."""
    checkout.write(f"{MESSAGES}/Other.json", definition(name="OtherRequest", apiKey=13))
    checkout.commit()
    monkeypatch.setattr(git_operands, "MOST_BYTES_TOGETHER", len(definition()) + 20)
    (line,) = fails("--git", "HEAD").message.splitlines()
    assert line.startswith(f"HEAD:{MESSAGES}/Other.json:1: error: the file has ")


def test_the_variables_of_a_hook_do_not_choose_the_repository(
    checkout: GitCheckout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook of another repository has GIT_DIR and GIT_INDEX_FILE in its environment."""
    other = GitCheckout(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.top / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert call("--git", "HEAD").return_value == ExitCode.DIVERGENCE


def test_no_program_of_the_repository_runs(checkout: GitCheckout, tmp_path: Path) -> None:
    """An fsmonitor, hooks, filters, an alias and a pager are configured, and the index is not written."""
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> "{ran}"\n')
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(program, hooks / name)
    checkout.write(".gitattributes", "*.json filter=evil diff=evil\n")
    checkout.commit()
    checkout.write(FILE, definition("int32"))
    checkout.git("update-index", "--force-untracked-cache")
    checkout.configure(
        [
            ("core.fsmonitor", str(program)),
            ("core.hooksPath", str(hooks)),
            ("core.pager", str(program)),
            ("alias.ls-tree", f"!{program}"),
            ("diff.evil.textconv", str(program)),
            *((f"filter.evil.{word}", str(program)) for word in ("clean", "smudge", "process")),
        ]
    )
    ran.unlink(missing_ok=True)
    index = (checkout.top / ".git" / "index").read_bytes()
    assert call("--git", "HEAD").return_value == ExitCode.DIVERGENCE
    assert not ran.exists(), ran.read_text()
    assert (checkout.top / ".git" / "index").read_bytes() == index
    subprocess.run(["git", "-C", str(checkout.top), "status"], capture_output=True, check=False)
    assert ran.exists()  # git itself runs them


def test_nothing_is_fetched(tmp_path: Path) -> None:
    """A partial clone lacks the older file: git would run the program that serves its remote."""
    origin = GitCheckout(tmp_path / "origin")
    origin.configure([("uploadpack.allowFilter", "true"), ("uploadpack.allowAnySHA1InWant", "true")])
    for kind in ("string", "bytes"):
        origin.write(FILE, definition(kind))
        origin.commit()
    clone = tmp_path / "clone"
    origin.git("clone", "--quiet", "--filter=blob:none", f"file://{origin.top}", str(clone))
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch "{ran}"\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)
    subprocess.run(["git", "-C", str(clone), "config", "remote.origin.uploadpack", str(program)], check=True)
    error = fails("--git", "HEAD~1", str(clone))
    assert error.exit_code == ExitCode.MISSING
    assert "--filter" in error.advice
    assert not ran.exists()
    subprocess.run(["git", "-C", str(clone), "show", "HEAD~1"], capture_output=True, check=True)
    assert ran.exists()  # git itself runs it
    assert call("--git", "HEAD~1", str(clone)).return_value == ExitCode.DIVERGENCE


@pytest.mark.parametrize("index", ["--no-sparse-index", "--sparse-index"])
def test_files_outside_of_a_sparse_checkout_are_not_gone(checkout: GitCheckout, index: str) -> None:
    """They are counted and not compared; a file that is deleted where it should be is a finding, as ever."""
    other = "group-coordinator/src/main/resources/common/message/LeaveGroupRequest.json"
    checkout.write(other, definition(name="LeaveGroupRequest"))
    checkout.write(f"{MESSAGES}/SyncGroupRequest.json", definition(name="SyncGroupRequest"))
    checkout.commit()
    assert "not compared" not in call("--git", "HEAD").stderr
    checkout.git("sparse-checkout", "set", "--cone", index, "clients")
    ran = call("--git", "HEAD")
    assert ran.return_value == ExitCode.PROVEN, ran.output
    assert ran.stderr.endswith("not compared: 1 message file that the sparse checkout leaves out\n")
    (checkout.top / FILE).unlink()
    assert call("--git", "HEAD").return_value == ExitCode.DIVERGENCE
    checkout.git("checkout", "--quiet", "--", FILE)
    checkout.git("sparse-checkout", "set", "--cone", index, "docs")
    error = fails("--git", "HEAD")
    assert error.exit_code == ExitCode.USAGE
    assert error.message.startswith("the sparse checkout has none of the 3 message files in ")


def test_a_file_that_is_written_outside_of_a_sparse_checkout_is_compared(checkout: GitCheckout) -> None:
    """It is in the work tree, whatever git's index says of it."""
    checkout.commit()
    checkout.git("sparse-checkout", "set", "--cone", "docs")
    checkout.write(FILE, definition())
    assert call("--git", "HEAD").return_value == ExitCode.DIVERGENCE
