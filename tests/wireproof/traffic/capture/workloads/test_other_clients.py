"""Clients of other languages as a workload: their environment, the facts, and the end of a bad one."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import (
    SASL_PASSWORD,
    SASL_USER,
    Listener,
    ListenerPlace,
)
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import (
    OPEN_ACCESS,
    BrokerAccess,
    SaslLogin,
    SaslMechanism,
)
from wireproof.traffic.capture.raw_client.raw_client import Address
from wireproof.traffic.capture.workloads.client_steps import BuiltClients, OtherClients

STEP = """
import json, os, sys
def step(name, outcome, **more):
    print(json.dumps({"step": name, "outcome": outcome, "ms": 1, **more}), flush=True)
"""
GOOD = """
def settings(*names):
    return " ".join(os.environ["WIREPROOF_" + name] for name in names)
step(settings("BOOTSTRAP", "SASL_BOOTSTRAP", "REPLICAS"), "done")
step(settings("USER", "PASSWORD"), "done")
step(settings("LOGIN", "LOGIN_USER", "LOGIN_PASSWORD"), "done")
step(os.path.basename(os.getcwd()), "failed", error="no such call")
step("end", "done")
"""
BAD = "step('begun', 'done'); print('what went wrong', file=sys.stderr); sys.exit(9)"


def client(name: str, program: str, folder: Path | None = None) -> BuiltClients:
    return BuiltClients(name, [sys.executable, "-c", STEP + program], folder)


def stage(*listeners: Listener, access: BrokerAccess = OPEN_ACCESS) -> tuple[CaptureStage, list[str]]:
    """A cluster of five brokers, and the messages."""
    addresses: dict[ListenerPlace, Address] = {
        ListenerPlace(node, listener): ("127.0.0.1", 100 * node + place)
        for node in range(1, 6)
        for place, listener in enumerate(listeners)
    }
    reported: list[str] = []
    cluster = cast(Cluster, SimpleNamespace(brokers=(1, 2, 3, 4, 5), access=access))
    return CaptureStage(cluster, addresses, reported.append), reported


def test_each_gets_the_cluster_and_its_steps_are_kept(tmp_path: Path) -> None:
    """Addresses, the user and a login are in its environment; topics have three replicas at most."""
    alice = BrokerAccess(SaslLogin(SaslMechanism.PLAIN, "alice", "pencil"))
    found, reported = stage(Listener.CLIENT, Listener.SASL, access=alice)
    folder = tmp_path / "built"
    folder.mkdir()
    clients = OtherClients([client("a", GOOD, folder)], {}, tmp_path / "log")
    clients.run(found)
    (kept,) = clients.facts()["clients"]
    assert [each["step"] for each in kept["steps"]] == [
        "127.0.0.1:100 127.0.0.1:101 3",
        f"{SASL_USER} {SASL_PASSWORD}",
        "PLAIN alice pencil",
        "built",
    ]
    assert reported == [
        "clients of a",
        "built failed: no such call",
        "4 steps of clients of a: 3 done, 1 failed",
    ]


def test_one_that_breaks_off_ends_no_other(tmp_path: Path) -> None:
    """Its steps are kept with its last lines, and the next program runs, here without a login address."""
    found, reported = stage(Listener.CLIENT)
    clients = OtherClients([client("bad", BAD), client("good", GOOD)], {}, tmp_path / "log")
    clients.run(found)
    bad, good = clients.facts()["clients"]
    assert [each["step"] for each in bad["steps"]] == ["begun"]
    assert "exit code 9" in bad["broke_off"]
    assert "what went wrong" in bad["broke_off"]
    assert good["steps"][0]["step"] == "127.0.0.1:100  3"
    assert any(line.startswith("clients of bad broke off: ") for line in reported)


def test_what_cannot_be_built_here_is_named(tmp_path: Path) -> None:
    """With the reason, in the facts too; where nothing is left the workload fails."""
    found, reported = stage(Listener.CLIENT)
    clients = OtherClients([], {"go": "cannot start go"}, tmp_path / "log")
    with pytest.raises(CaptureError, match="no client of another language"):
        clients.run(found)
    assert reported == ["no clients of go here: cannot start go"]
    assert json.loads(json.dumps(clients.facts())) == {"clients": [], "absent": {"go": "cannot start go"}}
