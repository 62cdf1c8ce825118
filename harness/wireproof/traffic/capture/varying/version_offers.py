"""Offers of single versions: the offers to try, and the meaning of a different end."""

from collections.abc import Sequence
from typing import Final

from kafkawire.errors import CodecError
from kafkawire.records import Compression, RecordBatch, decode_records
from kafkawire.values import StructValue
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.variations.version_variations import pinned_version
from wireproof.traffic.capture.varying.cause_search import VaryOutcome
from wireproof.traffic.capture.varying.varied_run import VariationChoice, VariedRun, is_offer
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType

_PRODUCE: Final = 0
_ZSTD_SINCE: Final = 7
"""The first version of Produce that may have zstd (KIP-110)."""
_FIRST_PRODUCE: Final = 3
"""The first Produce that brokers accept since 4.0. They offer 0 and newer, for old librdkafka (KIP-896)."""


def offer_rounds(apis: ApiCatalog, usual: VariedRun, *, each: bool) -> list[list[VariationChoice]]:
    """Return the offers to try together: one of each API, from the newest version that the program uses down.

    A version that cannot hold the usual requests is tried alone: it probably ends the run and hides the rest.

    Args:
        usual: a run without variations.
        each: true for all versions down to the oldest; false for the newest and the oldest.
    """
    used: dict[int, int] = {}
    for key, version in usual.requests:
        used[key] = max(used.get(key, 0), version)
    rounds: list[list[VariationChoice]] = []
    alone: list[list[VariationChoice]] = []
    for key, newest in sorted(used.items()):
        name, offer = apis.name(key), usual.offers.get(key)
        if name is None or offer is None or offer[0] == offer[1]:
            continue
        oldest = max(offer[0], _FIRST_PRODUCE) if key == _PRODUCE else offer[0]
        versions = list(range(newest, oldest - 1, -1))
        for number, version in enumerate(versions if each else dict.fromkeys([newest, versions[-1]])):
            choice = VariationChoice(pinned_version(name, key, version))
            if not _is_carried(apis.naming, usual, key, version):
                alone.append([choice])
                continue
            while len(rounds) <= number:
                rounds.append([])
            rounds[number].append(choice)
    return [*rounds, *alone]


def guess_offers(
    selections: Sequence[VariationChoice], apis: ApiCatalog, usual: VariedRun, run: VariedRun
) -> list[VariationChoice]:
    """Return the offers that probably ended a run: the first unused offer, and the last used one.

    Args:
        usual, run: the runs without and with all the selections.
    """
    offers = {}
    for each in filter(is_offer, selections):
        _, name, version = each.variation.id.split(":")
        offers[apis.key(name), int(version)] = each
    order = {key: place for place, (key, _) in enumerate(usual.requests)}
    unused = [pair for pair in offers if pair not in run.requests and pair[0] in order]
    used = [pair for pair in run.requests if pair in offers]
    likely = sorted(unused, key=lambda pair: order[pair[0]])[:1] + used[-1:]
    return [offers[pair] for pair in likely]


def judge_offer(
    selection: VariationChoice, apis: ApiCatalog, usual: VariedRun, run: VariedRun
) -> VaryOutcome:
    """Return the outcome of a run that ended otherwise with one variation.

    A request in a version that was not offered is a finding. A version that the program never used in the run
    is "not spoken". A version whose schema cannot hold a usual request gives no finding: the program asked
    for something that the version does not have.

    Args:
        usual, run: the runs without and with the variation.
    """
    if not is_offer(selection):
        return VaryOutcome.FOUND
    _, name, text = selection.variation.id.split(":")
    key, version = apis.key(name), int(text)
    if run.not_offered - usual.not_offered:
        return VaryOutcome.FOUND
    if (key, version) not in run.requests:
        return VaryOutcome.NOT_SPOKEN
    return VaryOutcome.FOUND if _is_carried(apis.naming, usual, key, version) else VaryOutcome.NOT_CARRIED


def _has_zstd(produced: StructValue) -> bool:
    """Return True if a Produce request has a batch that is compressed with zstd."""
    sets = (each["records"] for topic in produced["topicData"] for each in topic["partitionData"])
    batches = (batch for data in sets if data for batch in decode_records(data).batches)
    return any(isinstance(each, RecordBatch) and each.compression is Compression.ZSTD for each in batches)


def _is_carried(naming: FrameIdentifier, usual: VariedRun, key: int, version: int) -> bool:
    """Return True if each usual request of an API that can be read can be written in that version."""
    target = naming.request(key, version)
    if not isinstance(target, FrameType):
        return False
    for (other, used), frames in usual.samples.items():
        named = naming.request(other, used)
        if other != key or not isinstance(named, FrameType):
            continue
        for frame in frames:
            try:
                body = naming.codec(named).decode(frame)[1]
            except CodecError:
                continue  # an invalid request proves nothing about versions
            if key == _PRODUCE and version < _ZSTD_SINCE and _has_zstd(body):
                return False
            try:
                naming.codec(target).body.encode(body)
            except CodecError:
                return False
    return True
