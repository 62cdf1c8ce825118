"""Contradictions: right answers of a codec for which a deviation predicts a wrong one."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any, Final

from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.primitives import codec_of
from kafkawire.values import TAGS
from wireproof.model.adapter import (
    Copy,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Equal,
    Equality,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Size,
    Sized,
)
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CRASH, REFUSE, SIBLING, SIZE
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, Prediction
from wireproof.proof.deviations.rules import rules_of
from wireproof.proof.deviations.search.recent_exchanges import data_of
from wireproof.proof.deviations.whole_values import is_record_set

_FEW: Final = 3
_LEAST_OF_SIBLINGS: Final = 3
"""The least number of answers that a deviation with a condition must predict."""
_OF_EQUALITY: Final = ("equal", "unequal")
_WAYS: Final = (CodecDirection.DECODE, CodecDirection.ENCODE)
_ANSWERED: Final = (Decoded, DecodedFrame, Encoded, Equality, Reencoded, Sized)
_OF_REFUSALS: Final = frozenset(key for key, each in TRIGGERS.items() if each.kafka == "refused")
"""Triggers at which the reference refuses."""
_OF_FOREIGN_BYTES: Final = frozenset(
    (CodecDirection.DECODE, name)
    for name in (
        "bool-above-1",
        "ill-formed-text",
        "marker",
        "negative-length",
        "tag-size-negative",
        "tag-number",
        "trailing",
        "varint-bits",
    )
)
"""Triggers that bytes of the reference never meet."""
_OF_TAGS: Final = frozenset((CodecDirection.ENCODE, name) for name in ("unknown-tag", "unknown-tag-again"))
"""Triggers of unknown tagged fields."""


def of_few(
    new: Collection[Deviation],
    differing: Sequence[CodecExchange],
    predicts: Callable[[CodecExchange], Prediction | None],
) -> set[Deviation]:
    """Return the new deviations with a condition, or of one refused number, that too few answers show."""
    of_siblings = {each for each in new if each.trigger == SIBLING}
    of_numbers = {each for each in new if each.trigger in ("value", SIZE) and each.action in (CRASH, REFUSE)}
    shown: Counter[Deviation] = Counter()
    rest = False
    for each in differing if of_siblings | of_numbers else ():
        prediction = predicts(each)
        shown.update(prediction.deviations if prediction is not None else ())
        rest |= prediction is None and isinstance(each.reply, Refused)
    few = {each for each in of_siblings if shown[each] < _LEAST_OF_SIBLINGS}
    # If the codec also refuses for an unknown reason, one answer says nothing about a number in it.
    return few | {each for each in of_numbers if rest and shown[each] == 1}


def outweighs(against: int, tried: int) -> bool:
    """Test if right refusals contradict a deviation: a codec may refuse a few inputs for another reason.

    Args:
        against: the number of refusals for which the deviation predicts another answer.
        tried: the number of refusals at which the deviation acts.
    """
    return against > _FEW and 2 * against > tried


def concerns(exchange: CodecExchange, trigger: str) -> bool:
    """Test if an answer says anything about a trigger.

    An equality says nothing about how objects are read. A value says nothing about bytes that Kafka refuses:
    Kafka is more lenient there than the reference.
    """
    if trigger == "refused" and not isinstance(exchange.reply, Refused):
        return False
    return not isinstance(exchange.request, Equal) or trigger in _OF_EQUALITY


class Contradictions:
    """The right answers that contradict the deviations of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._found: dict[Deviation, CodecExchange] = {}
        self._refused: dict[Deviation, CodecExchange] = {}
        self._against: defaultdict[Deviation, set[tuple[type, bytes | int]]] = defaultdict(set)
        self._tried: Counter[Deviation] = Counter()
        self._triggers: dict[tuple[str, int], frozenset[tuple[CodecDirection, str]]] = {}

    def note(self, exchange: CodecExchange, right: Reply | None = None) -> None:
        """Test the deviations of the model with a right answer.

        The answer contradicts a deviation if the model predicts the answer only without that deviation. Equal
        bytes that are refused several times count once.

        Args:
            right: the reply of the reference; None if it is not known yet.
        """
        if right is not None and self._is_idle(exchange, right):
            return
        prediction = self._model.predict(exchange)
        refused = isinstance(exchange.reply, Refused)
        if refused:
            self._tried.update(each for each in prediction.deviations if not each.ends_late)
        if not any(concerns(exchange, each.trigger) for each in prediction.deviations):
            return
        if matches(prediction.reply, exchange.reply):
            return
        without = {
            each: Model(other for other in self._model.deviations if other != each).predict(exchange)
            for each in prediction.deviations
        }
        wrong = [each for each, other in without.items() if matches(other.reply, exchange.reply)]
        if len(wrong) == 1 and not (refused and wrong[0].ends_late):
            (self._refused if refused else self._found).setdefault(wrong[0], exchange)
            if refused:
                data, seen = data_of(exchange), self._against[wrong[0]]
                seen.add((type(exchange.request), len(seen) if data is None else data))

    def _is_idle(self, exchange: CodecExchange, right: Reply) -> bool:
        """Test if no deviation can act: most act only on bytes that Kafka refuses or never writes."""
        layout = exchange.layout
        if is_record_set(layout) or not isinstance(right, _ANSWERED):
            return False
        cell = layout.name, layout.version
        if cell not in self._triggers:
            rules = zip(_WAYS, rules_of(self._model.deviations, *cell), strict=True)
            met = frozenset((way, each) for way, found in rules for each in found)
            self._triggers[cell] = met - _OF_REFUSALS
        able = self._triggers[cell]
        match exchange.request:
            case Encode(value) | Size(value):
                able = frozenset(each for each in able if each[0] is CodecDirection.ENCODE)
                return not able or (able <= _OF_TAGS and not _has_tags(value))
            case EncodeFrame(head, value):
                able = frozenset(each for each in able if each[0] is CodecDirection.ENCODE)
                return not able or (able <= _OF_TAGS and not _has_tags([head, value]))
            case Decode() | DecodeFrame():
                able = frozenset(each for each in able if each[0] is CodecDirection.DECODE)
        return not able or (able <= _OF_FOREIGN_BYTES and _is_own(exchange, right))

    def found(self) -> dict[Deviation, CodecExchange]:
        """Return the contradicted deviations, each with an exchange that the codec answers right."""
        refused = {
            each: exchange
            for each, exchange in self._refused.items()
            if outweighs(len(self._against[each]), self._tried[each])
        }
        return refused | self._found


def _is_own(exchange: CodecExchange, right: Reply) -> bool:
    """Test if the reference writes exactly the bytes of an exchange."""
    codec = codec_of(exchange.layout)
    with suppress(CodecError):
        match exchange.request, right:
            case Decode(data), Decoded(value):
                return codec.encode(value) == data
            case DecodeFrame(data), DecodedFrame(head, value) if exchange.header is not None:
                frames = FrameCodec(fastest_codec(exchange.header), fastest_codec(exchange.layout))
                return frames.encode(head, value) == data
            case ((Reencode(data) | Copy(data)), Reencoded(again)):
                return again == data
            case Equal(data, other), _:
                return all(codec.encode(codec.decode(each)) == each for each in (data, other))
    return False


def _has_tags(value: Any) -> bool:
    """Test if a value has unknown tagged fields, at any depth."""
    if isinstance(value, dict):
        return TAGS in value or any(map(_has_tags, value.values()))
    return isinstance(value, list) and any(map(_has_tags, value))
