"""A proxy beside its upstream broker: the same requests, straight and through, must have the same answers.

A request that changes nothing is sent with the same bytes: straight, through, and straight again. Another one
is played by three sessions of the sweep, each with names of its own. The second session that goes straight
shows what differs from request to request (times, ids); of such a path only the common form is compared.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, Final, NamedTuple

from kafkawire.schema.layout import FieldLayout, MessageLayout
from kafkawire.values import StructValue
from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import error_name, holds_error_code
from wireproof.proof.broker_judge.answer_shape import FormOf, common_form, shape_differences, shape_of
from wireproof.proof.broker_judge.broker_comparison import BrokerComparison
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest
from wireproof.proof.broker_judge.judged_session import (
    JudgedCall,
    JudgedSession,
    asked_again,
    cluster_facts,
    last_calls,
)
from wireproof.traffic.capture.raw_client.raw_client import RawClient
from wireproof.traffic.capture.workloads.recipes import find_recipes
from wireproof.traffic.capture.workloads.request_sweep import READ_ONLY, Values, play_order, sweep

_ROUNDS: Final = 3
"""A difference is a finding if each round shows it. The later rounds have new sessions, with new topics."""
_MARKS: Final = ("straight", "again", "through")
_MARKED_NAME: Final = re.compile(f"-(?:{'|'.join(_MARKS)})-[0-9a-f]+-[0-9]+-client-[0-9]+")
_COMPARISON: Final = BrokerComparison(BrokerRule.THROUGH_PROXY, "the proxy", "the broker")


class _Calls(NamedTuple):
    """One request: twice straight, and through the proxy."""

    straight: JudgedCall
    again: JudgedCall
    through: JudgedCall


_Key = tuple[str, int, str]
_Round = Mapping[_Key, _Calls]


def judge_through(
    proxy: BrokerUnderTest,
    straight: BrokerUnderTest,
    values: Values,
    report: Callable[[str], None],
    greet: Callable[[RawClient], None] | None = None,
    *,
    destructive: bool = False,
    messages: Collection[str] = (),
) -> int:
    """Compare the answers through a proxy with those of its upstream broker, at versions that both offer.

    Args:
        proxy: the broker under test.
        values, report, greet, destructive, messages: as in `judge_answers`.

    Returns:
        The number of requests that were compared.

    Raises:
        BrokerDownError: the proxy or the broker does not answer any more.
        CaptureError: a login failed.
    """
    compared = 0
    facts = cluster_facts(straight, greet)

    def opened(stack: ExitStack) -> list[JudgedSession]:
        brokers = zip((straight, straight, proxy), _MARKS, strict=True)
        return [stack.enter_context(JudgedSession(each, facts, greet, mark)) for each, mark in brokers]

    with ExitStack() as stack:
        first = opened(stack)
        play = _Player(values, destructive)

        def replayed(message: str, number: int) -> _Round:
            with ExitStack() as more:
                return _replayed(opened(more) if number else first, play, message)

        def resent(calls: Mapping[_Key, JudgedCall], _: int) -> _Round:
            return _resent(proxy, straight, calls, greet)

        for message, _ in play_order(first[-1].offered, find_recipes(first[-1].listener)):
            if messages and message not in messages:
                continue
            report(f"through the proxy: {message}")
            if message in READ_ONLY:
                calls = play(first[0], message)
                compared += _find_lasting(proxy, partial(resent, calls))
            else:
                compared += _find_lasting(proxy, partial(replayed, message))
            for broker in (straight, proxy):
                broker.check_alive(f"the requests of {message}")
    return compared


class _Player(NamedTuple):
    values: Values
    destructive: bool

    def __call__(self, session: JudgedSession, message: str) -> Mapping[_Key, JudgedCall]:
        """Send a request at all versions; return its calls."""
        values = session.with_own_names(self.values)
        sweep(session, values, lambda _: None, destructive=self.destructive, only=[message])
        return {key: call for key, call in last_calls(session.take()).items() if key[0] == message}


def _replayed(sessions: list[JudgedSession], play: _Player, message: str) -> _Round:
    straight, again, through = (play(session, message) for session in sessions)
    common = [key for key in through if key in straight and key in again]
    return {key: _Calls(straight[key], again[key], through[key]) for key in common}


def _resent(
    proxy: BrokerUnderTest,
    straight: BrokerUnderTest,
    calls: Mapping[_Key, JudgedCall],
    greet: Callable[[RawClient], None] | None,
) -> _Round:
    """Send each request again, through and straight, except those that get no answer: each takes long."""
    return {
        key: _Calls(call, through=asked_again(proxy, call, greet), again=asked_again(straight, call, greet))
        for key, call in calls.items()
        if call.answer is not None and call.request.version in proxy.offered.get(call.request.api_key, ())
    }


def _find_lasting(proxy: BrokerUnderTest, play: Callable[[int], _Round]) -> int:
    """Play rounds while a difference lasts; find those of all rounds. Return the number of requests."""
    found: dict[_Key, list[Divergence]] = {}
    calls: _Round = {}
    for number in range(_ROUNDS):
        calls = play(number)
        known, found = found, {}
        for key, each in calls.items():
            before = {(one.path, one.kind) for one in known.get(key, ())}
            rows = [one for one in _differences(proxy, each) if not number or (one.path, one.kind) in before]
            if rows:
                found[key] = rows
        if not found:
            break
    for key, rows in found.items():
        through = calls[key].through
        proxy.find_first(BrokerRule.THROUGH_PROXY, rows, through.request, through.answer)
    return len(calls)


def _differences(proxy: BrokerUnderTest, calls: _Calls) -> Iterator[Divergence]:
    """Yield what differs through the proxy, and not between the two calls that go straight."""
    if any(each.answer is None for each in calls):
        if (calls.straight.answer is None) == (calls.again.answer is None):
            yield from _COMPARISON.unanswered(calls.through, calls.again)
        return
    read = [proxy.read(each.request, each.answer or b"") for each in calls]
    if None in read:
        return  # a broken answer is a finding of its own
    bodies = [each for each in read if each is not None]
    exact, moving = _unlike(bodies, _exact_form)
    common, moving_forms = _unlike(bodies, common_form)
    for path, forms in exact.items():
        if path not in moving:
            yield _COMPARISON.divergence(calls.through, path, *forms)
        elif path in common and path not in moving_forms:
            yield _COMPARISON.divergence(calls.through, path, *common[path])
    straight, again, through = (_rows(body) for _, body in bodies)
    if not exact and straight == again != through:
        words = f"{calls.through.case}: the values of {_COMPARISON.other} are in other rows"
        yield Divergence(_COMPARISON.rule, _COMPARISON.subject, words, kind="rows")


def _unlike(
    bodies: list[tuple[MessageLayout, StructValue]], form: FormOf
) -> tuple[dict[str, tuple[str, str]], set[str]]:
    """Return the forms of paths that differ through the proxy, and the paths that differ straight."""
    straight, again, through = (shape_of(*each, form) for each in bodies)
    differ = {path: (own, theirs) for path, own, theirs in shape_differences(through, again)}
    return differ, {path for path, *_ in shape_differences(straight, again)}


def _exact_form(field: FieldLayout, value: Any) -> str:
    """Return the value of a field, with one name in place of those of the sessions."""
    if value is None:
        return "null"
    if holds_error_code(field):
        return error_name(value)
    if field.struct is not None:
        return f"{len(value)} elements" if isinstance(value, list) else "set"
    text = value if isinstance(value, str) else str(value)
    return _MARKED_NAME.sub("", text) or "empty"


def _rows(value: Any) -> Any:
    """Return a value without the order of elements, and without the names of the sessions."""
    if isinstance(value, dict):
        return {name: _rows(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return sorted(str(_rows(each)) for each in value)
    return _MARKED_NAME.sub("", str(value))
