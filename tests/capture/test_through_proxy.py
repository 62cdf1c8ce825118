"""`wireproof judge broker --through`: a proxy that changes nothing has no finding; each change is found."""

import json
from pathlib import Path

from tests.capture.test_broker_judge import ENTRY, judge_broker
from tests.support.capture.faulty_proxy import PROXY_FAULTS, faulty_proxy
from tests.support.capture.shared_node import SharedNode
from wireproof.base.exit_codes import ExitCode

REQUESTS = [f"{fault.request}Request" for fault in PROXY_FAULTS]


def chosen(*requests: str) -> list[str]:
    return ["--only", "answers", "--timeout", "3", *(f"--message={name}" for name in requests)]


def test_a_proxy_that_changes_nothing_has_no_finding(shared_node: SharedNode, tmp_path: Path) -> None:
    """Names, ids and times of two sessions differ, and none of it is the proxy's."""
    host, port = shared_node.open
    with faulty_proxy(shared_node.open, {}) as (own, through):
        words = ("--through", f"{own}:{through}", *chosen(*REQUESTS))
        done = judge_broker(f"{host}:{port}", tmp_path, *words)
    assert done.returncode == ExitCode.PROVEN, done.stderr
    assert json.loads(done.stdout)["findings"] == []


def test_each_change_is_a_finding_of_its_request(shared_node: SharedNode, tmp_path: Path) -> None:
    """A proxy changes one thing in the answers to each of 13 requests; Kafka's classes read each of them."""
    host, port = shared_node.open
    with faulty_proxy(shared_node.open, {fault.api_key: fault for fault in PROXY_FAULTS}) as (own, through):
        words = ("--through", f"{own}:{through}", *chosen(*REQUESTS))
        done = judge_broker(f"{host}:{port}", tmp_path, *words)
    assert done.returncode == ExitCode.DIVERGENCE, done.stderr
    found = [each for each in json.loads(done.stdout)["findings"] if each["fault"] == "through-proxy"]
    assert {each["message"] for each in found} == set(REQUESTS)
    assert f"--through {own}:{through}" in found[0]["replay"]
    assert found[0]["replay"].endswith(f" {host}:{port}")


def test_a_file_declares_what_a_proxy_changes(shared_node: SharedNode, tmp_path: Path) -> None:
    """Declared changes do not fail; the next one in the same answer does."""
    host, port = shared_node.open
    faults = {
        each.api_key: each for each in PROXY_FAULTS if each.request in ("FindCoordinator", "ApiVersions")
    }
    entries = [
        ENTRY.format(message=f"{request}Request", field=field, fault="through-proxy")
        for request, field in (
            ("FindCoordinator", "port"),
            ("FindCoordinator", "coordinators[].port"),
            ("ApiVersions", "apiKeys"),
        )
    ]
    declared = tmp_path / "proxy.toml"
    with faulty_proxy(shared_node.open, faults) as (own, through):
        requests = ("FindCoordinatorRequest", "ApiVersionsRequest")
        words = ("--through", f"{own}:{through}", "--accepted", str(declared), *chosen(*requests))
        declared.write_text("".join(entries))
        passed = judge_broker(f"{host}:{port}", tmp_path, *words)
        declared.write_text("".join(entries[:-1]))
        failed = judge_broker(f"{host}:{port}", tmp_path, *words)
    assert passed.returncode == ExitCode.PROVEN, passed.stderr
    assert failed.returncode == ExitCode.DIVERGENCE
    assert {each["message"] for each in json.loads(failed.stdout)["findings"]} == {"ApiVersionsRequest"}
