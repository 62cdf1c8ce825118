"""Kept record logs: copied by folder and partition, for their owner alone."""

import os
from pathlib import Path

import pytest

from wireproof.traffic.capture.brokers.node_storage import keep_logs
from wireproof.traffic.capture.capture_error import CaptureError


def test_kept_logs_are_for_their_owner(tmp_path: Path) -> None:
    """The copies of files that others could read can be read by the owner only; empty files are left out."""
    place = tmp_path / "node" / "data" / "topic-0"
    place.mkdir(parents=True)
    for name, text in (("0.log", "records"), ("0.index", "other"), ("1.log", "")):
        (place / name).write_text(text)
        (place / name).chmod(0o644)
    keep_logs(tmp_path / "node", tmp_path / "disk")
    files = [path for path in (tmp_path / "disk").rglob("*") if path.is_file()]
    assert [path.relative_to(tmp_path / "disk").as_posix() for path in files] == ["data/topic-0/0.log"]
    assert files[0].read_text() == "records"
    assert files[0].stat().st_mode & 0o777 == 0o600


def test_a_planted_file_is_not_written_through(tmp_path: Path) -> None:
    """A link in place of a copy is refused, and its target stays."""
    place = tmp_path / "node" / "data" / "topic-0"
    place.mkdir(parents=True)
    (place / "0.log").write_text("records")
    copies = tmp_path / "disk" / "data" / "topic-0"
    copies.mkdir(parents=True)
    (tmp_path / "victim").write_text("the user's")
    os.symlink(tmp_path / "victim", copies / "0.log")
    with pytest.raises(CaptureError, match="File exists"):
        keep_logs(tmp_path / "node", tmp_path / "disk")
    assert (tmp_path / "victim").read_text() == "the user's"
