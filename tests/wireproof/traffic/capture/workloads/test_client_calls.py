"""The workload of Kafka's clients: the addresses that it gets, its messages and its facts."""

import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import (
    OPEN_ACCESS,
    BrokerAccess,
    SaslLogin,
    SaslMechanism,
)
from wireproof.traffic.capture.raw_client.raw_client import Address
from wireproof.traffic.capture.workloads.client_steps import ClientCalls

PROGRAM = """
import os
mine = sys.argv[sys.argv.index('io.wireproof.workload.Main') + 1:]
print('{"step":"%s","outcome":"done","ms":1}' % ' '.join(mine))
print('{"step":"as %s","outcome":"done","ms":1}' % ' '.join(
    os.environ["WIREPROOF_LOGIN" + name] for name in ("", "_USER", "_PASSWORD")))
print('{"step":"group/a","outcome":"late","error":"Timeout: 3","ms":2}')
print('{"step":"group/b","outcome":"refused","error":"Denied","ms":3}')
print('{"step":"end","outcome":"done","ms":0}')
"""


def driven(
    folder: Path, brokers: int, listeners: tuple[Listener, ...], access: BrokerAccess = OPEN_ACCESS
) -> tuple[Mapping[str, Any], list[str]]:
    """The facts of the workload, and its messages."""
    java = folder / "java"
    java.write_text(f"#!{sys.executable}\nimport sys\n{PROGRAM}")
    java.chmod(0o755)
    addresses: dict[ListenerPlace, Address] = {
        ListenerPlace(node, listener): ("127.0.0.1", 100 * node + place)
        for node in range(1, brokers + 1)
        for place, listener in enumerate(listeners)
    }
    reported: list[str] = []
    cluster = cast(Cluster, SimpleNamespace(brokers=tuple(range(1, brokers + 1)), access=access))
    calls = ClientCalls(java, [], folder / "log")
    calls.run(CaptureStage(cluster, addresses, reported.append))
    return calls.facts(), reported


def test_steps_are_kept_and_failures_are_reported(tmp_path: Path) -> None:
    """A step that the broker refused is not reported; one that came late is."""
    facts, reported = driven(tmp_path, 1, (Listener.CLIENT, Listener.SASL))
    assert facts["steps"] == [
        {"step": "127.0.0.1:100 1 127.0.0.1:101", "outcome": "done", "ms": 1},
        {"step": "as   ", "outcome": "done", "ms": 1},
        {"step": "group/a", "outcome": "late", "error": "Timeout: 3", "ms": 2},
        {"step": "group/b", "outcome": "refused", "error": "Denied", "ms": 3},
    ]
    assert reported[1:] == [
        "group/a late: Timeout: 3",
        "4 steps of Kafka's clients: 2 done, 1 refused, 1 late",
    ]


def test_replicas_are_at_most_three(tmp_path: Path) -> None:
    """And no more than there are brokers; without a listener for logins none is named."""
    facts, _ = driven(tmp_path, 5, (Listener.CLIENT,))
    assert facts["steps"][0]["step"] == "127.0.0.1:100 3"


def test_a_login_is_in_the_environment(tmp_path: Path) -> None:
    """Where the cluster wants one; it is in no argument."""
    alice = BrokerAccess(SaslLogin(SaslMechanism.SCRAM_SHA_256, "alice", "pencil"))
    facts, reported = driven(tmp_path, 1, (Listener.CLIENT,), alice)
    assert facts["steps"][0]["step"] == "127.0.0.1:100 1"
    assert facts["steps"][1]["step"] == "as SCRAM-SHA-256 alice pencil"
    assert "pencil" not in "".join(reported)
