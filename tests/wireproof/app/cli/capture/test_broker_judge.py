"""`wireproof judge broker`: its place beside `wireproof judge`, its exit codes, its reports."""

import json
import shlex
from pathlib import Path

import click
import jsonschema
import pytest
from click.testing import CliRunner, Result

from tests.support.capture.small_broker import SmallBroker
from tests.support.oracles.interpreted_oracle import InterpretedOracle
from tests.wireproof.proof.broker_judge.test_wrong_bytes import lenient
from wireproof.app.assembly import broker_judging
from wireproof.app.cli.app import command_line
from wireproof.app.cli.capture import broker_judge_command, judge_command
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest
from wireproof.proof.broker_judge.handshake_phase import first_exchange
from wireproof.proof.client_judge.sent_requests import RequestFault
from wireproof.proof.run.core.environment import Layouts

RELEASE = "4.3.1"
SCHEMA_FILE = Path(__file__).parents[5] / "docs/reference/judge-events.schema.json"


@pytest.fixture(autouse=True)
def _without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreted codec judges in place of Kafka's classes."""

    def opened(plan: broker_judging.BrokerPlan, _: object, *more: object) -> object:
        version = plan.release.version
        oracle = InterpretedOracle(version, Layouts({version: load_snapshot(plan.release)}))
        return broker_judging.broker_with_oracle(plan, oracle, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(broker_judge_command, "open_broker", opened)


def judge(*words: str, errors: bool = False, release: str = RELEASE) -> Result:
    """Run the command; with `errors` an error ends it with its exit code, else its result is returned."""
    command = ["judge", "broker", "--release", release, *words]
    return CliRunner().invoke(command_line, command, standalone_mode=errors)


def test_a_right_broker_ends_with_0(tmp_path: Path) -> None:
    """The summary names the address; JUnit has a case for each version of ApiVersions."""
    report = tmp_path / "report.xml"
    with SmallBroker().listen() as (host, port):
        done = judge("--timeout", "1", "--junit", str(report), f"{host}:{port}")
    assert done.return_value == 0, done.stderr
    assert "Right. It kept every rule" in done.stderr
    assert "ApiVersionsRequest/4" in report.read_text("utf-8")


def test_a_broker_is_judged_by_an_older_release() -> None:
    """Its wrong bytes are those of the requests that the release has."""
    with SmallBroker(listed=lambda _: [(17, 0, 1), (18, 0, 3)]).listen() as (host, port):
        done = judge("--only", "bytes", "--timeout", "1", f"{host}:{port}", release="2.8.2")
    assert done.return_value == 0, done.stderr
    assert "ApiVersionsRequest" in done.stderr


def test_a_wrong_broker_ends_with_1_and_the_bytes(tmp_path: Path) -> None:
    """The finding of each report has its rule, the request and the answer."""
    events, page, text = (tmp_path / name for name in ("events.ndjson", "page.html", "summary.md"))
    files = ["--events", str(events), "--html", str(page), "--markdown", str(text)]
    with SmallBroker(listed=lambda _: [(17, 0, 1)]).listen() as (host, port):
        done = judge("--only", "stream", "--timeout", "1", *files, "--format", "json", f"{host}:{port}")
    assert done.return_value == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["fault"] == "lists-itself"
    assert finding["request"].startswith("00000013001200")
    assert finding["frame"]
    repeated = f"wireproof judge broker --only handshake --release 4.3.1 --timeout 1 {host}:{port}"
    assert finding["replay"] == repeated
    pasted = judge_command.command.make_context("judge", shlex.split(repeated)[2:])
    assert (pasted.params["address"], pasted.params["only"]) == (f"{host}:{port}", ("handshake",))
    written = [json.loads(line) for line in events.read_text("utf-8").splitlines()]
    assert [each["event"] for each in written][:2] == ["header", "finding"]
    assert written[-1]["exitCode"] == 1
    schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
    for each in written:
        jsonschema.validate(each, schema)
    named, _ = schema["$defs"]["finding"]["properties"]["fault"]["anyOf"]
    assert set(named["enum"]) == {*RequestFault, *BrokerRule}
    assert "lists-itself" in page.read_text("utf-8")
    assert "lists-itself" in text.read_text("utf-8")


def test_a_finding_about_wrong_bytes_repeats_those_of_its_request() -> None:
    """The line has --message, and finds the same."""
    with SmallBroker(answer=lenient).listen() as (host, port):
        done = judge("--only", "bytes", "--timeout", "1", "--format", "json", f"{host}:{port}")
        first, *_ = json.loads(done.stdout)["findings"]
        words = shlex.split(first["replay"])
        again = CliRunner().invoke(command_line, [*words[1:], "--format", "json"], standalone_mode=False)
    assert words[3:7] == ["--only", "bytes", "--release", RELEASE]
    assert words[-3:] == ["--message", "ApiVersionsRequest", f"{host}:{port}"]
    assert [each["summary"] for each in json.loads(again.stdout)["findings"]] == [
        each["summary"] for each in json.loads(done.stdout)["findings"]
    ]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        (
            "MetadataReqest",
            2,
            f"Kafka {RELEASE} has no request 'MetadataReqest'\nDid you mean MetadataRequest",
        ),
        ("MetadataRequest", 3, "does not offer MetadataRequest"),
    ],
)
def test_a_request_that_cannot_be_judged_is_an_error(name: str, code: int, words: str) -> None:
    """A name that Kafka lacks, and a request that the broker does not offer."""
    with SmallBroker().listen() as (host, port):
        done = judge("--message", name, "--timeout", "1", f"{host}:{port}", errors=True)
    assert (done.exit_code, words in done.stderr) == (code, True), done.stderr


ACCEPTED = """
[[accepted]]
message = "{message}"
field = ""
rule = "{rule}"
reason = "the broker is old"
date = 2026-11-28
"""


def accepted(folder: Path, rule: str, message: str = "ApiVersionsRequest") -> Path:
    """Return a file that accepts the findings of a rule."""
    known = folder / "known.toml"
    known.write_text(ACCEPTED.format(rule=rule, message=message), "utf-8")
    return known


def test_an_accepted_finding_ends_with_0(tmp_path: Path) -> None:
    """It is listed with its reason."""
    known = accepted(tmp_path, "lists-itself")
    with SmallBroker(listed=lambda _: [(17, 0, 1)]).listen() as (host, port):
        done = judge("--only", "stream", "--timeout", "1", "--accepted", str(known), f"{host}:{port}")
    assert done.return_value == 0, done.stderr
    assert "accepted: ApiVersionsRequest message [lists-itself]" in done.stderr
    assert "the broker is old" in done.stderr


def test_an_entry_that_accepts_nothing_ends_with_1(tmp_path: Path) -> None:
    """A judgement of all parts says that it is gone; a wrong rule is an error before it."""
    known = accepted(tmp_path, "lists-itself")
    with SmallBroker().listen() as (host, port):
        done = judge("--timeout", "1", "--accepted", str(known), f"{host}:{port}")
        accepted(tmp_path, "lists")
        wrong = judge("--accepted", str(known), f"{host}:{port}", errors=True)
    assert done.return_value == 1, done.stderr
    assert "An accepted finding is gone: remove its entry." in done.stderr
    assert f"{known}:2: error: no finding that fails matches ApiVersionsRequest" in done.stderr
    assert (wrong.exit_code, "the rule 'lists' is unknown" in wrong.stderr) == (2, True)


def test_an_address_without_a_broker_ends_with_4() -> None:
    """The error names the address."""
    with SmallBroker().listen() as (host, port):
        pass
    done = judge(f"{host}:{port}", errors=True)
    assert done.exit_code == 4
    assert f"nothing listens at {host}:{port}" in done.stderr


def test_a_proxy_or_an_upstream_broker_that_is_missing_ends_with_4() -> None:
    """The error names the one that does not listen, or does not answer."""
    with SmallBroker().listen() as (host, port):
        gone = f"{host}:{port}"
    with SmallBroker().listen() as (host, port), SmallBroker(dead=True).listen() as (_, silent):
        no_proxy = judge("--through", gone, f"{host}:{port}", errors=True)
        no_broker = judge("--through", f"{host}:{port}", gone, errors=True)
        words = ("--only", "answers", "--timeout", "1", "--through", f"{host}:{port}", f"{host}:{silent}")
        no_answer = judge(*words, errors=True)
    for done in (no_proxy, no_broker):
        assert (done.exit_code, f"nothing listens at {gone}" in done.stderr) == (4, True)
    assert no_answer.exit_code == 4
    assert "the upstream broker does not answer ApiVersions" in no_answer.stderr


@pytest.mark.parametrize("words", [("--through", "localhost:9192"), ("--beside", "jars:4.3.1")])
def test_a_comparison_without_its_part_is_an_error(words: tuple[str, str]) -> None:
    """The answers are what it compares."""
    done = judge("--only", "handshake", *words, "localhost:9092", errors=True)
    assert (done.exit_code, "compares answers, and --only leaves them out" in done.stderr) == (2, True)


THROUGH = ("--only", "answers", "--timeout", "1", "--format", "json", "--through")


def test_a_proxy_that_lists_other_versions_has_one_finding() -> None:
    """All else is the same straight and through."""
    with (
        SmallBroker(listed=lambda _: [(17, 0, 0), (18, 0, 4)]).listen() as (host, port),
        SmallBroker().listen() as (_, upstream),
    ):
        done = judge(*THROUGH, f"{host}:{port}", f"{host}:{upstream}")
    assert done.return_value == 1, done.stderr
    found, *more = json.loads(done.stdout)["findings"]
    assert not more
    assert (found["message"], found["fault"]) == ("ApiVersionsRequest", "through-proxy")
    assert "apiKeys[].maxVersion is 0, and the broker's is 1" in found["summary"]


def test_an_upstream_broker_that_dies_is_not_the_proxys_fault() -> None:
    """Without this, both ways would be silent, and so alike."""

    def dying(broker: SmallBroker, content: bytes) -> bytes | None:
        broker.dead |= content[:2] == b"\0\x11"
        return None if broker.dead else broker.right(content)

    with SmallBroker().listen() as (host, port), SmallBroker(answer=dying).listen() as (_, upstream):
        done = judge(*THROUGH, f"{host}:{port}", f"{host}:{upstream}", errors=True)
    assert done.exit_code == 4, done.stderr
    assert "the upstream broker does not answer ApiVersions" in done.stderr


def test_a_proxy_without_a_request_in_common_was_not_compared() -> None:
    """It ends with 3, not with 0."""
    with (
        SmallBroker().listen() as (host, port),
        SmallBroker(listed=lambda _: [(18, 0, 4)]).listen() as (_, upstream),
    ):
        words = ("--message", "SaslHandshakeRequest", f"{host}:{upstream}")
        done = judge(*THROUGH, f"{host}:{port}", *words, errors=True)
    assert (done.exit_code, "no request was compared" in done.stderr) == (3, True), done.stderr


def test_a_request_without_an_answer_is_in_every_report(tmp_path: Path) -> None:
    """No version of a message was judged, so JUnit has a case of the rule; an event file names its line."""
    report, events = tmp_path / "report.xml", tmp_path / "events.ndjson"
    with SmallBroker(answer=lambda _, __: None).listen() as (host, port):
        done = judge("--timeout", "1", "--junit", str(report), "--events", str(events), f"{host}:{port}")
    assert done.return_value == 1, done.stderr
    assert 'name="ApiVersionsRequest/first-answer"' in report.read_text("utf-8")
    replayed = CliRunner().invoke(command_line, ["replay", str(events)])
    assert replayed.exit_code == 2
    assert (
        f"wireproof judge broker --only handshake --release 4.3.1 --timeout 1 {host}:{port}"
        in replayed.stderr
    )


def test_a_signal_makes_the_judgement_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted judgement gives no verdict on the broker."""

    def ended(plan: object, broker: BrokerUnderTest, report: object) -> str:
        first_exchange(broker)
        raise KeyboardInterrupt

    monkeypatch.setattr(broker_judge_command, "judge_broker", ended)
    with SmallBroker().listen() as (host, port):
        done = judge(f"{host}:{port}")
    assert done.return_value == 130
    assert "Incomplete: a signal ended the judgement. Until then: It kept every rule" in done.stderr


def test_an_accepted_finding_that_ends_the_judgement_is_not_right(tmp_path: Path) -> None:
    """The parts that are left were not judged."""
    known = accepted(tmp_path, "stays-up", message="")

    def dying(broker: SmallBroker, content: bytes) -> bytes | None:
        broker.dead |= content[:2] == b"\x7f\xff"
        return None if broker.dead else broker.right(content)

    with SmallBroker(answer=dying).listen() as (host, port):
        done = judge("--only", "refusals", "--timeout", "1", "--accepted", str(known), f"{host}:{port}")
    assert done.return_value == 7, done.stderr
    assert "accepted: bytes [stays-up]" in done.stderr
    assert "Incomplete: the broker answers no more. Not judged to the end: refusals." in done.stderr


def test_an_accepted_first_answer_ends_the_judgement(tmp_path: Path) -> None:
    """Without the first answer nothing was judged."""
    known = accepted(tmp_path, "first-answer")
    with SmallBroker(dead=True).listen() as (host, port):
        done = judge("--timeout", "1", "--accepted", str(known), f"{host}:{port}")
    assert done.return_value == 3, done.stderr
    assert "accepted: ApiVersionsRequest message [first-answer]" in done.stderr


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e10", "0"])
def test_a_time_that_cannot_be_waited_ends_with_2(seconds: str) -> None:
    """Sockets take no such timeout."""
    done = judge("--timeout", seconds, "localhost:9092", errors=True)
    assert (done.exit_code, "Invalid value for '--timeout'" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "address",
    [
        "localhost",
        "localhost:0",
        ":9092",
        "localhost:port",
        "localhost:\u00b2",
        "a..b:9092",
        70 * "a" + ":9092",
    ],
)
def test_what_is_no_address_ends_with_2(address: str) -> None:
    """The error quotes it."""
    done = judge(address, errors=True)
    assert done.exit_code == 2
    assert f"Error: {address!r} is not HOST:PORT" in done.stderr


def test_two_dashes_make_a_program_of_any_word() -> None:
    """`wireproof judge -- broker` runs a program of that name; `wireproof judge broker` never does."""
    chosen = judge_command.command.make_context("judge", ["broker", "localhost:9092"])
    assert chosen.command is broker_judge_command.command
    program = judge_command.command.make_context("judge", ["--", "broker", "localhost:9092"])
    assert program.command is judge_command.command
    assert program.params["program"] == ("broker", "localhost:9092")
    assert isinstance(chosen, click.Context)
