"""The GitHub Action, run step by step as a runner does, on a repository with a small codec."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.integrations.codec_repository import plant, start_repository
from tests.integrations.composite_action import PULL_REQUEST, PUSH, ActionRun, run_action

ROOT: Final = Path(__file__).parents[2]
ACTION: Final = ROOT / "integrations" / "github"
KEPT: Final = ("PATH", "HOME", "WIREPROOF_CACHE", "JAVA_HOME")
STEPS: Final = [
    step["name"]
    for step in yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
]
USED: Final = {"actions/cache", "actions/cache/save", "actions/upload-artifact"}
NAME: Final = "wireproof-my-codec-newest-1-of-1"
COMMENTING: Final = ("Name the results", "Compare with the base branch", "Comment on the pull request")
FAKE_GH: Final = """#!/bin/sh
case " $* " in
    *" --jq "*) cat "$GH_FOLDER/known"; exit ;;
esac
for word; do
    case "$word" in body=@*) cp "${word#body=@}" "$GH_FOLDER/body" ;; esac
done
echo "$GH_TOKEN $*" >> "$GH_FOLDER/calls"
"""


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder, in which the action's first step has installed wireproof."""
    folder = tmp_path_factory.mktemp("runner temp")
    ran = act(folder, folder, only=("Install wireproof",))
    assert ran.failed == "", ran.output
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout with a blank in its path, and a codec in it."""
    return start_repository(tmp_path / "my repository", "my codec")


def act(
    repository: Path,
    temp: Path,
    inputs: Mapping[str, str] = {},
    event: Mapping[str, str] = PUSH,
    gh: Path | None = None,
    only: Collection[str] = (),
) -> ActionRun:
    """Run the action, with the program `gh` of a folder; only some of its steps, or all after the first."""
    env = {name: os.environ[name] for name in KEPT if name in os.environ}
    programs = [str(temp / "wireproof" / "bin"), *([str(gh)] if gh else [])]
    env |= {"PATH": os.pathsep.join([*programs, env["PATH"]]), "GH_FOLDER": str(gh)}
    without = set(STEPS) - set(only) if only else {"Install wireproof"}
    given = {"testee": "./my codec", "extras": "oracle", **inputs}
    return run_action(ACTION, repository, temp, given, env, without=without, event=event)


def reports_of(repository: Path) -> Mapping[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8") for path in (repository / "wireproof-reports").iterdir()
    }


def test_a_right_codec_passes(repository: Path, temp: Path):
    """Every report is there, the summary of the step shows the verdict, and no annotation is printed."""
    ran = act(repository, temp)

    assert (ran.failed, ran.outputs["run"]) == ("", {"exit-code": "0"}), ran.output
    assert "::error" not in ran.output
    assert "without a divergence" in ran.summary
    reports = reports_of(repository)
    assert reports.keys() == {
        "events.ndjson",
        "junit.xml",
        "summary.md",
        "wireproof.sarif",
        "badge.json",
        "report.html",
    }
    assert json.loads(reports["badge.json"])["color"] == "brightgreen"
    assert ran.used.keys() == USED
    assert ran.used["actions/upload-artifact"] == {"name": f"{NAME}-0", "path": "wireproof-reports"}


def test_a_planted_regression_fails_with_its_annotation(repository: Path, temp: Path):
    """The job fails in its last step, with the reports kept; the annotation names field and replay line."""
    plant(repository / "my codec")
    ran = act(repository, temp, {"upload-sarif": "true", "reports": "my reports"})

    assert (ran.failed, ran.outputs["run"]) == ("Verdict", {"exit-code": "1"}), ran.output
    (annotation, *_) = [line for line in ran.output.splitlines() if line.startswith("::error ")]
    source = (repository / "my codec" / "adapter.py").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if "ApiVersionsRequest" in text)
    assert annotation.startswith(f"::error file=my codec/adapter.py,line={line},title=")
    assert "ApiVersionsRequest 3" in annotation
    assert "clientSoftware" in annotation
    assert "wireproof replay --testee './my codec'" in annotation
    uploaded = {"sarif_file": "my reports/wireproof.sarif", "category": NAME}
    assert ran.used["github/codeql-action/upload-sarif"] == uploaded
    sarif = json.loads((repository / "my reports" / "wireproof.sarif").read_text())
    places = [each["locations"][0]["physicalLocation"] for each in sarif["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"].partition("/")[0] for place in places} == {"my%20codec"}


def test_a_pull_request_shows_what_is_new(repository: Path, temp: Path):
    """A push stores its events under branch and commit; a pull request finds those of its base."""
    pushed = act(repository, temp)
    saved = pushed.used["actions/cache/save"]
    assert saved["key"] == f"{NAME}-events-main-{'c' * 40}"
    assert Path(saved["path"]).read_text() == reports_of(repository)["events.ndjson"]

    plant(repository / "my codec")
    ran = act(repository, temp, event=PULL_REQUEST)
    restored = ran.used["actions/cache/restore"]
    assert (restored["path"], restored["key"]) == (saved["path"], f"{NAME}-events-main-{'b' * 40}")
    assert saved["key"].startswith(restored["restore-keys"])
    assert "actions/cache/save" not in ran.used
    assert ran.failed == "Verdict", ran.output
    assert "### wireproof: 1 new finding." in ran.summary
    assert "**ApiVersionsRequest version 3**" in reports_of(repository)["diff.md"]


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (None, "No events of main are stored: a push to it stores them for the next pull request.\n"),
        ("no event", "The events of main and of this run cannot be compared: "),
    ],
)
def test_a_pull_request_without_events_of_its_base_has_its_verdict(
    repository: Path, temp: Path, stored: str | None, words: str
):
    """The summary says why nothing is compared."""
    (repository / "wireproof-reports").mkdir()
    (temp / f"{NAME}.ndjson").unlink(missing_ok=True)
    if stored is not None:
        (temp / f"{NAME}.ndjson").write_text(stored)
    ran = act(repository, temp, event=PULL_REQUEST, only=COMMENTING)

    assert ran.failed == "", ran.output
    assert words in ran.summary


@pytest.mark.parametrize(("known", "target"), [("", "7/comments"), ("41\n42\n", "comments/41")])
def test_a_comment_is_written_once_and_then_replaced(
    repository: Path, temp: Path, tmp_path: Path, known: str, target: str
):
    """Its first line is the mark by which a later run finds it."""
    gh = tmp_path / "gh folder"
    gh.mkdir()
    (gh / "gh").write_text(FAKE_GH)
    (gh / "gh").chmod(0o755)
    (gh / "known").write_text(known)
    (temp / f"{NAME}.ndjson").unlink(missing_ok=True)
    (repository / "wireproof-reports").mkdir()
    ran = act(repository, temp, {"comment": "true"}, PULL_REQUEST, gh, COMMENTING)

    assert ran.failed == "", ran.output
    (call,) = (gh / "calls").read_text().splitlines()
    method = "PATCH" if known else "POST"
    assert call.startswith(f"a token api --method {method} repos/owner/codec/issues/{target} ")
    assert (gh / "body").read_text() == f"<!-- {NAME} -->\n{reports_of(repository)['diff.md']}"


def test_a_comment_that_is_not_allowed_fails_nothing(repository: Path, temp: Path, tmp_path: Path):
    """The token of a fork may only read; no comment is asked for without the input."""
    (tmp_path / "gh").write_text("#!/bin/sh\necho HTTP 403 >&2\nexit 1\n")
    (tmp_path / "gh").chmod(0o755)
    (repository / "wireproof-reports").mkdir()
    refused = act(repository, temp, {"comment": "true"}, PULL_REQUEST, tmp_path, COMMENTING)
    silent = act(repository, temp, {}, PULL_REQUEST, tmp_path, COMMENTING)

    assert (refused.failed, silent.failed) == ("", ""), refused.output
    assert "::warning title=wireproof::No comment was written." in refused.output
    assert "HTTP 403" not in silent.output


@pytest.mark.parametrize(
    ("inputs", "name"),
    [
        ({"testee": "../a/my codec"}, "wireproof-a-my-codec-newest-1-of-1"),
        ({"shard": "2/3", "release": "4.4 3.9"}, "wireproof-my-codec-4.4-3.9-2-of-3"),
        ({"testee": "x:\n$(id)'\"", "shard": "1\n/2"}, "wireproof-x-id-newest-1-of-2"),
        ({"testee": "x" * 300}, f"wireproof-{'x' * 80}-newest-1-of-1"),
    ],
)
def test_results_have_the_name_of_their_testee_and_shard(tmp_path: Path, inputs: dict[str, str], name: str):
    """In the letters that artifacts, categories and caches may have: no job replaces those of another."""
    ran = act(tmp_path, tmp_path, inputs, only=("Name the results", "Keep the reports"))

    assert ran.used["actions/upload-artifact"]["name"] == f"{name}-0", ran.output
    assert ran.outputs["name"]["events"] == f"{name}-events-main-"


def test_an_input_is_never_run(repository: Path, temp: Path):
    """Each is a word of wireproof's command line, which refuses it, or the name of a folder."""
    hostile = "$(touch pwned);touch pwned #`touch pwned`"
    names = ("testee", "arguments", "shard", "release", "profile", "reports")
    ran = act(repository, temp, dict.fromkeys(names, hostile))

    assert ran.failed == "Verdict", ran.output
    assert not [path for path in repository.rglob("pwned") if path.parent.name != hostile]
    assert sorted(path.name for path in repository.iterdir()) == [hostile, "my codec"]


def test_inputs_and_outputs_are_described():
    """Each in one sentence."""
    described = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    assert all(each["description"].endswith(".") for each in described["inputs"].values())
    assert described["outputs"].keys() == {"exit-code"}
