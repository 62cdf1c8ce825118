"""The report of a judged program as JUnit XML: a test case for each message version, and for the program."""

from collections.abc import Iterator, Sequence

from junitparser import Error, Failure, TestCase, TestSuite

from wireproof.base.accepted_findings import UNMATCHED
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.client_judge.sent_requests import FindingGroup, MessageStatistics
from wireproof.verdict.report.client_judge.client_summary import ClientSummary, group_lines
from wireproof.verdict.report.text.xml_results import failed, legal, result, suite_xml

_UNKNOWN = "unknown"


def render_client_junit(account: ClientSummary) -> str:
    """Render the report as text with its XML declaration."""
    suite = TestSuite("wireproof judge")
    for name, value in _properties(account):
        suite.add_property(legal(name), legal(value))
    cases = [_case(account, *place, row) for place, row in sorted(account.statistics.rows.items())]
    suite.add_testcases([*cases, *_beside(account)])
    return suite_xml(suite, account.duration_s)


def _case(account: ClientSummary, message: str, version: int, row: MessageStatistics) -> TestCase:
    case = TestCase(legal(f"{message}/{version}"), f"{account.release}.{row.module or _UNKNOWN}")
    case.time = 0
    causes = account.statistics.causes_of(message, version)
    if causes:
        case.result = [_failure(causes, version)]
    errors = ", ".join(f"{name} ({count:,})" for name, count in row.errors.most_common())
    counts = f"requests {row.requests:,}, right {row.right:,}, bytes {row.request_bytes:,}"
    case.system_out = legal(f"{counts}\nthe broker answered {errors}" if errors else counts)
    return case


def _failure(causes: Sequence[FindingGroup], version: int | None) -> Failure:
    first = causes[0].first
    field = f" {first.divergence.path}" if first.divergence and first.divergence.path else ""
    more = f" (and {len(causes) - 1:,} more)" if len(causes) > 1 else ""
    lines = [line for cause in causes for line in (*group_lines(cause), "")]
    made = result(Failure, f"[{first.fault}]{field}: {first.summary}{more}", str(first.fault), lines)
    assert isinstance(made, Failure)
    return made


def _beside(account: ClientSummary) -> Iterator[TestCase]:
    """Yield failures of no message version: other bytes, requests without an answer, the program, the run."""
    for cause in account.statistics.loose_causes:
        first = cause.first
        place = f"{first.message or 'bytes'}/{first.fault}"
        yield failed(place, Failure, first.fault, first.summary, list(group_lines(cause)))
    for entry in account.unmatched:
        place, words = f"{account.accepted_in}:{entry.line}", entry.unmatched_words
        yield failed(place, Failure, UNMATCHED, words, [words])
    if account.stopped:
        yield failed("run", Error, "stopped", account.stopped.splitlines()[0], [account.stopped])
    elif account.exit_code is ExitCode.INTERRUPTED:
        yield failed(
            "run", Error, "interrupted", "interrupted", [f"the {account.subject} was not judged to its end"]
        )
    elif account.exit_code is ExitCode.NOTHING_RAN:
        yield failed("run", Error, "nothing", "nothing was judged", [account.verdict])
    if account.ended:
        words = f"{account.program[0]} {account.ended}"
        yield failed(account.subject, Failure, account.subject, words, [words])


def _properties(account: ClientSummary) -> Iterator[tuple[str, str]]:
    yield "version", account.version
    yield "command", " ".join(account.command)
    yield "program", " ".join(account.program)
    yield "broker", account.broker
    yield "releases", account.release
    if account.statistics.software:
        yield "software", ", ".join(name for name, _ in account.statistics.software.most_common())
    yield "requests", str(account.statistics.requests)
    yield "requests.wrong", str(account.statistics.wrong)
    yield "connections", str(account.connections)
    if account.exit_code is not None:
        yield "exit-code", str(int(account.exit_code))
    yield "verdict", account.verdict
    yield "summary", account.summary
