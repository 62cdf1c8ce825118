"""The contract of `wireproof.model.adapter.Adapter`, and of `Claimant` where an adapter is one."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import (
    Adapter,
    Claimant,
    Copy,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Equal,
    Equality,
    FedFrame,
    FeedFrame,
    Reencode,
    Reencoded,
    Refused,
    RegisteredApi,
    Reply,
    Request,
    Size,
    Sized,
    Unsupported,
)
from wireproof.model.cell import Cell
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.contract.contract import (
    ContractCell,
    Violations,
    checked_cells,
    described,
    sample_values,
)

_KINDS: Final[dict[type, type]] = {
    Encode: Encoded,
    Size: Sized,
    Decode: Decoded,
    Reencode: Reencoded,
    Equal: Equality,
    Copy: Encoded,
    EncodeFrame: Encoded,
    DecodeFrame: DecodedFrame,
    FeedFrame: FedFrame,
}
"""The reply to each kind of request that succeeds."""
_FAILURES: Final = (Refused, Crashed, Unsupported)
_OPERATIONS: Final = {Encode: "encode", Size: "size", Decode: "decode", Equal: "equal", Copy: "copy"}
"""The claim that a request needs; a `Decode` may be answered by a codec that claims `reencode`."""
_MALFORMED: Final = (b"", b"\x00", b"\xff" * 16, b"\x7f" * 64)


def check_adapter(adapter: Adapter, cells: Sequence[ContractCell] | None = None) -> None:
    """Check that an adapter keeps the contract of `wireproof.model.adapter.Adapter`.

    Each cell is asked valid values in every operation, the bytes of kafkawire's own codec for them, cut and
    foreign bytes. The rules:

    - ``name``: a printable line, the same at every call;
    - ``no-exception``: `ask` never raises for what the codec does;
    - ``one-reply``: as many replies as requests, none to none;
    - ``reply-kind``: a reply is of the request's kind, or `Refused`, `Crashed`, `Unsupported`;
    - ``reply-content``: bytes are `bytes`, a size is an int, a value is one of the message, a reason is text;
    - ``order``: the requests in reverse order have the replies in reverse order;
    - ``requests-kept``: the adapter does not change the values it is given;
    - ``claims``: a `Claimant` answers what it does not claim by `Unsupported` without a reason, its ways
      agree with its claims, and `idle` names claims alone.

    Args:
        adapter: the adapter, ready to be asked.
        cells: (cell, layout) pairs; by default those of `contract_cells()`.

    Raises:
        ContractError: it violates a rule. It is an AssertionError with all violated rules.
        ValueError: there are no cells.
    """
    found = Violations(f"the adapter {type(adapter).__name__}")
    _check_name(found, adapter)
    for cell, layout in checked_cells(cells):
        _check_cell(found, adapter, cell, layout)
        if isinstance(adapter, Claimant):
            _check_claims(found, adapter, cell, layout)
    found.finish()


def _check_name(found: Violations, adapter: Adapter) -> None:
    names: list[object] = [adapter.name, adapter.name]
    text = names[0] if isinstance(names[0], str) else ""
    good = bool(text.strip()) and text.isprintable()
    found.require(good, "name", "a printable line", described(names[0]), "name")
    found.require(names[0] == names[1], "name", "the same name at every call", described(names), "name")


def _check_cell(found: Violations, adapter: Adapter, cell: Cell, layout: MessageLayout) -> None:
    place = f"ask of {cell.id}"
    _asked(found, adapter, cell, layout, [])
    requests = _requests(layout)
    if (
        layout.header_version is not None
        and isinstance(adapter, Claimant)
        and "feed" in adapter.claimed(cell)
    ):
        requests += [FeedFrame((bad[:1], bad[1:])) for bad in _MALFORMED]
    given = deepcopy(requests)
    replies = _asked(found, adapter, cell, layout, requests)
    kept = found.require(
        requests == given,
        "requests-kept",
        "the values of requests are left as they are",
        next((described(new) for new, old in zip(requests, given, strict=True) if new != old), ""),
        place,
    )
    if replies is None or not kept:
        return
    for request, reply in zip(requests, replies, strict=True):
        _check_reply(found, layout, request, reply, place)
    turned = _asked(found, adapter, cell, layout, requests[::-1])
    for request, one, other in zip(requests, replies, (turned or replies[::-1])[::-1], strict=True):
        if not _alike(one, other):
            expected = "the replies in reverse order to requests in reverse order"
            came = f"{described(one)}, then {described(other)}, to {described(request)}"
            found.add("order", expected, came, place)


def _requests(layout: MessageLayout) -> list[Request]:
    """Every kind of request about some values, then about malformed bytes."""
    codec = fastest_codec(layout)
    requests: list[Request] = []
    for value in sample_values(layout):
        data = codec.encode(value)
        requests += [Encode(value), Size(value), Decode(data), Decode(data, b"\x01\x02", b"\x03")]
        requests += [Reencode(data), Decode(data[:-1]), Decode(data + b"\x00")]
    data = codec.encode({})
    requests += [Equal(data, data), Copy(data), *(Decode(bad) for bad in _MALFORMED)]
    if layout.header_version is not None:
        requests += [EncodeFrame({}, {}), *(DecodeFrame(bad) for bad in _MALFORMED)]
    return requests


def _asked(
    found: Violations, adapter: Adapter, cell: Cell, layout: MessageLayout, requests: Sequence[Request]
) -> list[Reply] | None:
    """The replies; None where they cannot be taken apart."""
    place = f"ask of {cell.id}"
    try:
        replies: Any = adapter.ask(cell, layout, requests)
    except Exception as error:  # noqa: BLE001 - it is the violation itself
        expected = "ask does not raise for what the codec does: a refusal is a Refused, an error a Crashed"
        found.add("no-exception", expected, f"{type(error).__name__}: {error}", place)
        return None
    good = isinstance(replies, list) and len(replies) == len(requests)
    came = f"{len(replies)} replies" if isinstance(replies, list) else described(replies)
    expected = f"a list of {len(requests)} replies to {len(requests)} requests"
    found.require(good, "one-reply", expected, came, place)
    return list(replies) if good else None


def _check_reply(
    found: Violations, layout: MessageLayout, request: Request, reply: Reply, place: str
) -> None:
    place = f"{place}, {type(request).__name__}"
    wanted = _KINDS[type(request)]
    if not found.require(
        isinstance(reply, (wanted, *_FAILURES)),
        "reply-kind",
        f"{wanted.__name__}, or Refused, Crashed, Unsupported",
        described(reply),
        place,
    ):
        return
    if problem := _content_problem(layout, reply):
        found.add("reply-content", problem, described(reply), place)


def _content_problem(layout: MessageLayout, reply: Any) -> str:
    """The rule that a reply's content violates; empty if it violates none."""
    match reply:
        case Encoded(data) | Reencoded(data):
            return "" if _are(bytes, data) else "data is bytes"
        case Sized(size):
            return "" if _are(int, size) and size >= 0 else "size_bytes is an int, 0 or more"
        case Decoded(value) | DecodedFrame(_, value):
            return "" if _has_form(layout, value) else "value is a value of the message (kafkawire.values)"
        case FedFrame(value, consumed, parts):
            good = _has_form(layout, value) and _are(int, consumed, parts) and min(consumed, parts) >= 0
            return "" if good else "value is one of the message, consumed_bytes and parts are ints, 0 or more"
        case Equality(equal, hashes):
            good = _are(bool, equal) and (hashes is None or _are(bool, hashes))
            return "" if good else "equal is a bool, hashes a bool or None"
        case Refused(error, message) | Crashed(error, message):
            good = _are(str, error, message) and error != ""
            return "" if good else "error is the name of a class, message a text"
        case Unsupported(reason, message):
            return "" if _are(str, reason, message) else "reason and message are texts"
        case _:
            return "a reply of wireproof.model"


def _are(kind: type, *things: object) -> bool:
    """Compare the types of things with one type, exactly."""
    return all(type(thing) is kind for thing in things)


def _has_form(layout: MessageLayout, value: object) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        canonical(layout).to_binary(value)
    except Exception:  # noqa: BLE001 - a value of any other shape fails in its own way
        return False
    return True


def _alike(one: Reply, other: Reply) -> bool:
    """Compare two replies; texts of errors may hold an address, so their classes are compared."""
    if isinstance(one, _FAILURES):
        return type(one) is type(other)
    return repr(one) == repr(other)  # a NaN is equal to itself as text


def _check_claims(found: Violations, adapter: Claimant, cell: Cell, layout: MessageLayout) -> None:
    place = f"claims of {cell.id}"
    claims, ways = adapter.claimed(cell), adapter.ways(cell)
    _check_ways(found, claims, ways, place)
    idle = adapter.idle(cell)
    odd = sorted(each for each in idle if each.partition("/")[0] not in claims)
    found.require(not odd, "claims", "idle names claimed operations alone", described(odd), place)
    entry = adapter.registered(cell)
    good = entry is None or isinstance(entry, RegisteredApi)
    found.require(good, "claims", "registered gives a RegisteredApi or None", described(entry), place)
    versions = adapter.known_versions(cell.message)
    good = not versions or cell.version in versions or not claims
    found.require(good, "claims", "known_versions holds each claimed version", described(versions), place)
    asked = _asked(found, adapter, cell, layout, requests := _requests(layout)) or []
    for request, reply in zip(requests, asked, strict=False):
        operation = _OPERATIONS.get(type(request))
        claimed = operation in claims or (operation == "decode" and "reencode" in claims)
        if operation and not claimed and reply != Unsupported("", getattr(reply, "message", "")):
            expected = f"Unsupported without a reason, since {operation} is not claimed"
            found.add("claims", expected, described(reply), f"{place}, {type(request).__name__}")


def _check_ways(
    found: Violations, claims: frozenset[str], ways: frozenset[CodecDirection], place: str
) -> None:
    """Each way is of a claim, and each claim of a way is one."""
    named = "" not in claims and set(map(type, claims)) <= {str}
    found.require(named, "claims", "claims are names of operations", described(claims), place)
    claimed = {CodecDirection(each) for each in ("encode", "decode") if each in claims}
    found.require(
        claimed <= ways and bool(ways) <= bool(claims),
        "claims",
        f"ways hold {sorted(claimed)}, for it claims {sorted(claims)}",
        described(sorted(ways)),
        place,
    )
