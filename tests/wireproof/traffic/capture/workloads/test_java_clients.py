"""The lines of the program that drives Kafka's clients; the program here is a script."""

import sys
from pathlib import Path

import pytest

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.workloads.client_steps import ClientCalls, StepEnd, StepOutcome

CLUSTER = ("127.0.0.1", 9092)


def clients(folder: Path, program: str) -> ClientCalls:
    """The program in Java's place, in a folder with a space in its name."""
    folder = folder / "a b"
    folder.mkdir()
    java = folder / "java"
    java.write_text(f"#!{sys.executable}\nimport sys\n{program}\n")
    java.chmod(0o755)
    return ClientCalls(java, [], folder / "clients.log")


def test_each_step_is_reported_when_it_ends(tmp_path: Path) -> None:
    """Steps come one by one, in order; the line that ends the program is not a step."""
    program = r"""
print('{"step":"produce/gzip","outcome":"done","ms":7}')
print('{"step":"connect","outcome":"refused","error":"some.Error: no","ms":1}')
print('{"step":"end","outcome":"done","ms":0}')
"""
    assert list(clients(tmp_path, program).steps(CLUSTER, 1)) == [
        StepEnd("produce/gzip", StepOutcome.DONE, "", 7),
        StepEnd("connect", StepOutcome.REFUSED, "some.Error: no", 1),
    ]


def test_a_program_that_ends_early_is_reported_with_its_last_lines(tmp_path: Path) -> None:
    """Without its last line the steps are not all there, whatever the exit code."""
    program = "sys.stderr.write('no memory left\\n'); sys.exit(3)"
    with pytest.raises(CaptureError, match=r"exit code 3(?s:.*)no memory left"):
        list(clients(tmp_path, program).steps(CLUSTER, 1))


def test_a_cluster_that_does_not_answer_is_reported(tmp_path: Path) -> None:
    """The program then ends with exit code 1."""
    with pytest.raises(CaptureError, match="the cluster does not answer"):
        list(clients(tmp_path, "sys.exit(1)").steps(CLUSTER, 1))


@pytest.mark.parametrize("line", ["what?", '{"step":"a"}', '{"step":"a","outcome":"strange","ms":1}', "[]"])
def test_a_line_that_is_not_a_step_is_refused(tmp_path: Path, line: str) -> None:
    """Another program wrote the line."""
    with pytest.raises(CaptureError, match="not a step"):
        list(clients(tmp_path, f"print({line!r})").steps(CLUSTER, 1))


def test_the_login_steps_need_an_address(tmp_path: Path) -> None:
    """The listener for logins is the third argument, and absent without one."""
    program = r"""
mine = sys.argv[sys.argv.index('io.wireproof.workload.Main') + 1:]
print('{"step":"%s","outcome":"done","ms":0}' % ' '.join(mine))
print('{"step":"end","outcome":"done","ms":0}')
"""
    driven = clients(tmp_path, program)
    assert [end.name for end in driven.steps(CLUSTER, 3)] == ["127.0.0.1:9092 3"]
    assert [end.name for end in driven.steps(CLUSTER, 3, ("127.0.0.1", 1))] == [
        "127.0.0.1:9092 3 127.0.0.1:1"
    ]
