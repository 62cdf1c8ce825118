"""A capture that fails: its messages and its files."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_folder import CaptureFolder
from wireproof.traffic.capture.capture_session import run_capture
from wireproof.traffic.capture.raw_client.broker_access import OPEN_ACCESS
from wireproof.traffic.wire.frame_identifier import FrameIdentifier

NAMING = FrameIdentifier(load_snapshot(table().find("4.3.1")))


def failing(fail: object) -> Cluster:
    """A cluster that does something else than to start."""
    places = {ListenerPlace(1, Listener.CLIENT): ("127.0.0.1", 1)}
    facts = {
        "release": "4.3.1",
        "facts": {},
        "places": places,
        "can_advertise": True,
        "access": OPEN_ACCESS,
        "cluster_id": "",
    }
    return cast(Cluster, SimpleNamespace(**facts, start=fail, stop=lambda: None))


def test_why_it_ended_is_written_down(tmp_path: Path) -> None:
    """In capture.json, and by the error."""

    def fail(addresses: object) -> None:
        raise CaptureError("node 1 has ended")

    with pytest.raises(CaptureError, match="node 1 has ended"):
        run_capture(failing(fail), CaptureFolder(tmp_path / "c"), [], {}, NAMING, lambda line: None)
    found = json.loads((tmp_path / "c/capture.json").read_text())
    assert found["outcome"] == "failed: node 1 has ended"
    assert [each["file"] for each in found["segments"]] == ["1-CLIENT.wpseg"]


def test_the_first_error_is_the_one_that_counts(tmp_path: Path) -> None:
    """If `capture.json` cannot be written either, that is reported, too, and no partial file is left."""
    folder = CaptureFolder(tmp_path / "c")

    def fail(addresses: object) -> None:
        (folder.path / "capture.json").unlink()
        (folder.path / "capture.json").mkdir()
        raise CaptureError("recording stopped")

    reported: list[str] = []
    with pytest.raises(CaptureError, match="recording stopped"):
        run_capture(failing(fail), folder, [], {}, NAMING, reported.append)
    assert "capture.json cannot be written" in reported[-1]
    assert sorted(path.name for path in folder.path.iterdir()) == ["capture.json", "segments"]
