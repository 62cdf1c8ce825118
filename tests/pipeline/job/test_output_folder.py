"""The output folder of a job, and that of an older version."""

import json
from pathlib import Path

import pytest

from wireproof.pipeline.job.output_folder import close_job, open_output, read_job
from wireproof.pipeline.job_plan import OutputError


def old(folder: Path) -> Path:
    """The folder of a complete job in format 1, whose tables had other names."""
    (folder / "tables" / "looks").mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps({"job": 1, "about": {}, "counts": {"looks": 3}}), "utf-8")
    return folder


def test_a_complete_job_is_read_back(tmp_path: Path) -> None:
    """Plan and counts, in the present format."""
    with open_output(tmp_path / "out", {"files": {}}):
        close_job(tmp_path / "out", {"readings": 3})
    assert read_job(tmp_path / "out") == {"job": 2, "about": {"files": {}}, "counts": {"readings": 3}}


def test_an_older_folder_is_refused_with_its_format(tmp_path: Path) -> None:
    """The error names both formats, why they differ, and what to do."""
    with pytest.raises(OutputError, match=r"job\.json has format 1.*expected format 2") as error:
        read_job(old(tmp_path))
    assert "tables and columns have other names" in error.value.message
    assert "Run the job again in a new folder" in error.value.advice


def test_a_job_does_not_continue_in_an_older_folder(tmp_path: Path) -> None:
    """Nothing in it changes."""
    before = (old(tmp_path) / "job.json").read_text("utf-8")
    with pytest.raises(OutputError, match="has format 1"), open_output(tmp_path, {}):
        pytest.fail("the folder was opened")
    assert (tmp_path / "job.json").read_text("utf-8") == before


@pytest.mark.parametrize("text", ["[]", "{}", '{"job": "2"}'])
def test_what_is_not_the_file_of_a_job_is_refused(tmp_path: Path, text: str) -> None:
    """Other JSON under its name."""
    (tmp_path / "job.json").write_text(text, "utf-8")
    with pytest.raises(OutputError, match="expected format 2"):
        read_job(tmp_path)


@pytest.mark.parametrize("name", [".lock", "job.json", "corpus", "tables", "tables/frames"])
def test_a_link_in_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    """A job that continues removes what is incomplete: nothing that a link leads to is removed or changed."""
    out, treasure = tmp_path / "out", tmp_path / "treasure"
    with open_output(out, {}):
        pass
    treasure.mkdir()
    (treasure / "file").write_text((out / "job.json").read_text())
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).unlink(missing_ok=True)
    (out / name).symlink_to(treasure if "." not in name else treasure / "file")
    with pytest.raises(OutputError, match=f"{name} is a link"), open_output(out, {}):
        raise AssertionError("it was opened")
    assert (treasure / "file").read_text().startswith("{")
