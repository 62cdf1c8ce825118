"""Requests for every API and version that the broker offers: recipes, defaults, instances with real names."""

from collections.abc import Callable, Collection
from typing import Final

from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest
from wireproof.proof.broker_judge.judged_session import JudgedCall, JudgedSession, cluster_facts
from wireproof.traffic.capture.raw_client.raw_client import RawClient
from wireproof.traffic.capture.workloads.request_sweep import Values, sweep
from wireproof.traffic.wire.frame_identifier import UnknownFrameType

_OFFERED_ONLY: Final = {"ProduceRequest": range(3)}
"""Versions that Kafka itself offers for old clients, but answers by closing the connection (KAFKA-18659)."""


def judge_answers(
    broker: BrokerUnderTest,
    values: Values,
    report: Callable[[str], None],
    greet: Callable[[RawClient], None] | None = None,
    *,
    destructive: bool = False,
    messages: Collection[str] = (),
) -> list[JudgedCall]:
    """Send every request at every version that the broker offers, and judge each answer.

    Args:
        values: valid values of any layout, by name.
        report: prints a line of progress.
        greet: logs in.
        destructive: also send requests that change more than their own topics and groups, or ended nodes.
        messages: the requests; empty for all.

    Returns:
        All requests with their answers.

    Raises:
        BrokerDownError: the broker does not answer any more.
        OracleError: Kafka's classes fail.
    """
    played: list[JudgedCall] = []

    def judge(request: str, calls: list[JudgedCall]) -> None:
        report(f"answers: {request}")
        played.extend(calls)
        _judge_calls(broker, calls)
        broker.check_alive(f"the requests of {request}", calls[-1].request if calls else None)

    log = play_answers(broker, values, judge, greet, destructive=destructive, messages=messages)
    for (message, version), pair in log.log.pairs.items():
        known = version in broker.apis.valid_versions(message)
        if not pair.answered and known and version not in _OFFERED_ONLY.get(message, ()):
            _find_unanswered(broker, message, version, pair.reason, played)
    return played


def play_answers(
    broker: BrokerUnderTest,
    values: Values,
    after_each: Callable[[str, list[JudgedCall]], None],
    greet: Callable[[RawClient], None] | None = None,
    *,
    destructive: bool = False,
    messages: Collection[str] = (),
) -> JudgedSession:
    """Send every request at every offered version, without a judgement.

    Args:
        after_each: called with the name of each request, and its calls at all versions.
    """
    facts = cluster_facts(broker, greet)
    with JudgedSession(broker, facts, greet) as session:
        sweep(
            session,
            session.with_own_names(values),
            lambda request: after_each(request, session.take()),
            destructive=destructive,
            only=messages,
        )
    return session


def _judge_calls(broker: BrokerUnderTest, calls: list[JudgedCall]) -> None:
    exchanges = []
    for call in calls:
        if call.answer is None:
            continue
        what = f"{call.request.message} version {call.request.version} ({call.case})"
        if not broker.has_correlation_id(call.request, call.answer, what):
            continue
        if call.unasked:
            words = f"{what}: {len(call.unasked):,} bytes came with the answer that no request asked for"
            broker.find(BrokerRule.ONE_ANSWER, words, call.request, call.unasked)
        sent = broker.sent(call.request, call.answer)
        if isinstance(sent.named_answer, UnknownFrameType):
            words = f"{what}: the answer has a version that Kafka lacks"
            broker.find(BrokerRule.READABLE, words, call.request, call.answer, "version")
        else:
            exchanges.append(sent)
    broker.judge_all(exchanges)


def _find_unanswered(
    broker: BrokerUnderTest, message: str, version: int, reason: str, played: list[JudgedCall]
) -> None:
    calls = [each for each in played if (each.request.message, each.request.version) == (message, version)]
    words = f"it is offered, and none of {len(calls)} requests is answered: {reason}"
    if calls and all(
        each.answer is None for each in calls
    ):  # an answer that cannot be read is judged already
        broker.find(BrokerRule.OFFERED_ANSWERED, words, calls[-1].request)
