"""The judgement of a program or a broker as SARIF 2.1.0: a result for each cause."""

from typing import Any

from wireproof.base.accepted_findings import UNMATCHED, UNMATCHED_SENTENCE
from wireproof.base.text.wording import printable
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.client_judge.sent_requests import RequestFault
from wireproof.verdict.report.client_judge.client_issues import client_issues
from wireproof.verdict.report.client_judge.client_summary import ClientSummary
from wireproof.verdict.report.run.sarif_report import sarif_log


def render_client_sarif(account: ClientSummary) -> str:
    """Return a log with one run."""
    sentences = {each.value: each.sentence for each in (*RequestFault, *BrokerRule)}
    sentences |= {UNMATCHED: UNMATCHED_SENTENCE, "not-run": "The judgement comes to its end."}
    found = [each.first for each in account.statistics.causes.values()]
    sentences |= {each.fault: each.rule for each in found if each.rule}
    invocation: dict[str, Any] = {"executionSuccessful": not (account.stopped or account.ended)}
    if account.exit_code is not None:
        invocation["exitCode"] = int(account.exit_code)
    identity = f"judge/{printable(account.program[0])}"
    return sarif_log(list(client_issues(account)), sentences.__getitem__, identity, invocation)
