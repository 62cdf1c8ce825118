"""Judgement of a codec's claims: the operations that it has, and those that it claims."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping

from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.base.text.wording import ranges_text
from wireproof.model.adapter import RegisteredApi
from wireproof.model.divergence import Divergence
from wireproof.model.repertoire import (
    BOTH_DIRECTIONS,
    ClaimProblem,
    CodecDirection,
    MessageVersion,
    Repertoire,
)
from wireproof.proof.checks.check_table import Check


def judge_repertoire(
    subject: str, codec: Repertoire, run: Iterable[MessageVersion], nowhere: Collection[MessageVersion]
) -> Iterator[ClaimProblem]:
    """Yield the problems of a codec's claims: for each fault, each message once, with all its versions.

    Args:
        run: every place of the run, claimed or not.
        nowhere: the claimed places that no known release has. Other places outside the run are accepted.
    """
    here = [place for place in run if place in codec.has or place in codec.claimed]
    faults = (
        (
            {place: _unexplained(codec, place) for place in here},
            "unclaimed",
            "the codec has it by its own index, and it is neither claimed nor given a reason",
            "Claim it, or add to the hello's `unclaimed`: {entry}",
        ),
        (
            {place: _beside_index(codec, place) for place in here},
            "not-in-index",
            "it is claimed, and the codec's own index lacks it",
            "Take the index from the library as a whole, or the claim away.",
        ),
        (
            {place: _ways(codec.claimed, place) & frozenset(codec.reasons.get(place, {})) for place in here},
            "contradiction",
            "it is claimed, and has a reason for not being claimed",
            "Take it out of the hello's `unclaimed`.",
        ),
        (
            {place: ways for place, ways in codec.claimed.items() if place in nowhere},
            "no-such-cell",
            "it is claimed, and no release has it: it can never be exercised",
            "Claim what Kafka has, by Kafka's name; `wireproof cells --release all` lists it.",
        ),
    )
    for places, fault, summary, advice in faults:
        for message, versions, ways in _grouped(places):
            words = advice.format(entry=_entry(message, versions, ways))
            yield ClaimProblem(subject, message, versions, _words(ways), fault, summary, words)


def to_try(
    codec: Repertoire, here: Iterable[MessageVersion]
) -> dict[MessageVersion, frozenset[CodecDirection]]:
    """The places with ways that are not claimed for a stated reason: a few questions show if they work."""
    found = {}
    for place in here:
        ways = frozenset(codec.reasons.get(place, {})) - _ways(codec.claimed, place)
        has = codec.has.get(place)
        if has is not None and (ways := ways & (has or BOTH_DIRECTIONS)):
            found[place] = ways
    return found


def judge_tried(
    subject: str, codec: Repertoire, worked: Mapping[MessageVersion, frozenset[CodecDirection]]
) -> tuple[ClaimProblem, ...]:
    """Return the operations that work without being claimed, as problems that do not fail a run."""
    return tuple(
        ClaimProblem(
            subject,
            message,
            versions,
            _words(ways),
            "works",
            f"it is not claimed ({_reason(codec, message, ways)}), and works in the cases that were tried",
            "Claim it, or give a reason that holds.",
            fails=False,
        )
        for message, versions, ways in _grouped(worked)
    )


def _unexplained(codec: Repertoire, place: MessageVersion) -> frozenset[CodecDirection]:
    """The ways of a place that the codec has, but does not claim and gives no reason for."""
    has = codec.has.get(place)
    if has is None:
        return frozenset()
    stated = _ways(codec.claimed, place) | codec.reasons.get(place, {}).keys()
    if has:
        return has - stated
    return frozenset() if stated else BOTH_DIRECTIONS


def _beside_index(codec: Repertoire, place: MessageVersion) -> frozenset[CodecDirection]:
    """The ways of a place that are claimed although the index lacks them."""
    has = codec.has.get(place)
    if not codec.complete or has == frozenset():
        return frozenset()
    return _ways(codec.claimed, place) - (has or frozenset())


def _ways(
    places: Mapping[MessageVersion, frozenset[CodecDirection]], place: MessageVersion
) -> frozenset[CodecDirection]:
    return places.get(place, frozenset())


def _grouped(
    places: Mapping[MessageVersion, frozenset[CodecDirection]],
) -> Iterator[tuple[str, str, frozenset[CodecDirection]]]:
    """The versions of each message with the same ways, in ranges; places without ways are left out."""
    groups: dict[tuple[str, frozenset[CodecDirection]], set[int]] = {}
    for (message, version), ways in places.items():
        if ways:
            groups.setdefault((message, ways), set()).add(version)
    for (message, ways), versions in groups.items():
        yield message, ranges_text(versions), ways


def _words(ways: Collection[CodecDirection]) -> str:
    return " and ".join(way for way in CodecDirection if way in ways)


def _entry(message: str, versions: str, ways: frozenset[CodecDirection]) -> str:
    gap = {"reason": "why", "messages": {message: versions.replace(" ", "")}}
    way = {} if ways == BOTH_DIRECTIONS else {"way": _words(ways)}
    return json.dumps({**gap, **way}, separators=(",", ":"))


def _reason(codec: Repertoire, message: str, ways: frozenset[CodecDirection]) -> str:
    found = (
        reason
        for (name, _), reasons in codec.reasons.items()
        if name == message
        for way, reason in reasons.items()
        if way in ways
    )
    return next(found, "")


def judge_claims(
    subject: str, idle: frozenset[str], unanswered: frozenset[str] = frozenset()
) -> tuple[Divergence, ...]:
    """Return a divergence for each claimed operation that gave no right answer.

    Cases without an answer have reports of their own: then the claim is not reported again.

    Args:
        idle: the claimed operations that gave no right answer.
        unanswered: the checks in which the codec gave no answer in a case of the cell.
    """
    summary = "an operation is claimed, and no case of it was answered right"
    hollow = (each for each in sorted(idle) if not _reporting(each) & unanswered)
    return tuple(Divergence(Check.CLAIM, subject, summary, operation) for operation in hollow)


def _reporting(operation: str) -> frozenset[str]:
    """The checks that report a missing answer of an operation."""
    return frozenset(check for check in Check if operation in check.row.operations)


def judge_registry(layout: MessageLayout, subject: str, registered: RegisteredApi) -> Iterator[Divergence]:
    """Judge the entry of the codec's registry for a request or response against Kafka's classes."""
    if layout.kind not in (MessageKind.REQUEST, MessageKind.RESPONSE):
        return
    if registered.api_key != layout.api_key:
        summary = "the codec's registry has another api key"
        ours, theirs = f"api key {registered.api_key}", f"api key {layout.api_key}"
        yield Divergence(Check.REGISTRY, subject, summary, codec=ours, oracle=theirs)
    if registered.header_version is not None and registered.header_version != layout.header_version:
        yield Divergence(
            Check.REGISTRY,
            subject,
            "the codec's registry has another header version",
            codec=f"header version {registered.header_version}",
            oracle=f"header version {layout.header_version}",
        )
