"""All questions of ``wireproof testee check``, and the lines of its report about the answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kafkawire.compiler import fastest_codec
from kafkawire.primitives import codec_of
from kafkawire.records import encode_records, to_value
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.adapter_check.survey import KnownValue, KnownValues, Survey
from wireproof.base.text.wording import first_names
from wireproof.model.adapter import (
    Copy,
    Crashed,
    Decode,
    Encode,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
    Unsupported,
)
from wireproof.model.cell import PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.proof.adapters.testee.testee_adapter import UNCLAIMED, TesteeAdapter
from wireproof.proof.checks.state.echoed_input import EncodedForms, judge_order, judge_own_input, questions
from wireproof.proof.run.core.environment import Layouts
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.layout_source import LayoutSource
from wireproof.proof.strategies.records.record_cases import record_cases
from wireproof.proof.testees.description.claimed_operations import Operation

_LARGEST: Final = 2048
"""Bytes. A larger boundary value differs from a smaller one only in its length."""


@dataclass(slots=True)
class Covered:
    """The values that one limit excludes.

    Attributes:
        answers: the number of excluded answers.
        places: fields, as ``Message.path``.
        classes: the classes of values: the last words of the names of the cases.
        example: a case, and the message of the adapter about it.
        anyway: how often the library had each result with such values.
    """

    answers: int = 0
    places: set[str] = field(default_factory=set)
    classes: Counter[str] = field(default_factory=Counter)
    example: tuple[str, str] = ("", "")
    anyway: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class BoundarySurvey:
    """The answers of a testee to boundary values.

    Attributes:
        answered: the numbers of values that were answered, excluded, refused, or that failed.
        failures: refusals and crashes of the codec by their text, with the cases.
        limits: the excluded values, by the name of the limit.
    """

    answered: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[str]] = field(default_factory=dict)
    limits: dict[str, Covered] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell, *, fullest: bool) -> None:
        """Let the testee encode and decode each boundary value; only the fullest value if `fullest`."""
        layout = layouts.of(cell)
        values = list(_boundaries(adapter, cell, layout, fullest=fullest))
        requests: list[Request] = [
            request for each in values for request in (Encode(each.value), Decode(each.data))
        ]
        left_out: dict[tuple[str, str], KnownValue] = {}
        for index, reply in enumerate(adapter.ask(cell, layout, requests)):
            self._count(cell, values[index // 2], reply, left_out)
        self._ask_past(adapter, cell, layout, left_out)

    def _count(
        self, cell: Cell, each: KnownValue, reply: Reply, left_out: dict[tuple[str, str], KnownValue]
    ) -> None:
        if reply is UNCLAIMED:
            return
        case = f"{cell.id} {each.name}"
        match reply:
            case Unsupported(reason, message):
                self.answered["left out by a limit"] += 1
                covered = self.limits.setdefault(reason, Covered(example=(case, message)))
                covered.answers += 1
                path, _, kind = each.name.rpartition("/")
                covered.places.add(f"{cell.message}.{path}")
                covered.classes[kind] += 1
                left_out.setdefault((reason, path), each)
            case Refused(error) | Crashed(error):
                word = "refused" if isinstance(reply, Refused) else "failed"
                self.answered[word] += 1
                self.failures.setdefault(f"{word}: {error}", []).append(case)
            case _:
                self.answered["answered"] += 1

    def _ask_past(
        self,
        adapter: TesteeAdapter,
        cell: Cell,
        layout: MessageLayout,
        left_out: Mapping[tuple[str, str], KnownValue],
    ) -> None:
        """Let the library read and write excluded values. The adapter does not have to make a value."""
        operation = _past_values(adapter, cell)
        if not left_out:
            return
        if operation is None:
            for reason, _ in left_out:
                self.limits[reason].anyway["not asked: nothing is claimed that reads and writes again"] += 1
            return
        asked = [operation(each.data) for each in left_out.values()]
        replies = adapter.ask(cell, layout, asked)
        for (reason, _), request, reply in zip(left_out, asked, replies, strict=True):
            self.limits[reason].anyway[_became(request.data, reply)] += 1


def _past_values(adapter: TesteeAdapter, cell: Cell) -> type[Reencode] | type[Copy] | None:
    """Return the operation that passes bytes to the library without a value that the adapter makes."""
    claimed = adapter.claimed(cell)
    if Operation.REENCODE in claimed:
        return Reencode
    return Copy if Operation.COPY in claimed else None


def _became(data: bytes, reply: Reply) -> str:
    match reply:
        case Reencoded(again):
            return "read and written as it was" if again == data else "read and written as other bytes"
        case Refused(error):
            return f"refused ({error})"
        case Crashed(error):
            return f"failed ({error})"
        case Unsupported(reason, message):
            return f"left out there, too, by {reason}: {message[:100]}"
    return "answered"


def newest(cells: Sequence[Cell]) -> frozenset[Cell]:
    """The newest version of each message in each release: it has nearly all of the fields."""
    found: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        known = found.get((cell.release, cell.message))
        if known is None or known.version < cell.version or cell.module == RECORDS_MODULE:
            found[cell.release, cell.message] = cell
    return frozenset(found.values())


def _boundaries(
    adapter: TesteeAdapter, cell: Cell, layout: MessageLayout, *, fullest: bool
) -> Iterator[KnownValue]:
    if cell.module == RECORDS_MODULE:
        yield from _record_sets(adapter, cell)
        return
    codec = codec_of(layout)
    if fullest:
        values = [each for each in _SOURCE.whole(layout) if each[0].startswith("message/fullest")]
    else:  # a value with omitted fields has the same bytes as another value
        values = [(each.name, each.value) for each in scenarios(layout) if not each.omits]
    for name, value in values:
        data = codec.encode(value)
        if len(data) <= _LARGEST:
            yield KnownValue(name, value, data)


def _record_sets(adapter: TesteeAdapter, cell: Cell) -> Iterator[KnownValue]:
    codecs = {codec.name.lower() for codec in adapter.record_domain(cell).compressions}
    for each in record_cases():
        magic, codec, *rest = each.name.split("/")
        if magic == f"v{cell.version}" and codec in codecs and rest and each.foreign is None:
            data = encode_records(each.records)
            if len(data) <= _LARGEST:
                yield KnownValue(f"{codec}/{'/'.join(rest)}", to_value(each.records), data)


_SOURCE: Final = LayoutSource(lambda cell: "")

Replies = Mapping[tuple[str, type], Reply]


@dataclass(slots=True)
class InputSurvey:
    """Answers that a library cannot have given."""

    warnings: dict[str, list[str]] = field(default_factory=dict)
    _before: dict[Cell, Replies] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell) -> None:
        layout = layouts.of(cell)
        forms = _forms(layout)
        replies = _replies(adapter, cell, layout, list(questions(forms)))
        self._warn(cell, judge_own_input(forms, replies))
        self._before[cell] = replies

    def ask_afresh(self, adapter: TesteeAdapter, layouts: Layouts) -> None:
        """Ask a new process the same questions, decoding before encoding, and compare the answers."""
        for cell, before in self._before.items():
            forms = _forms(layouts.of(cell))
            known: list[tuple[str, Request]] = [
                ("full", Decode(forms.full)),
                ("small", Decode(forms.small)),
                ("full", Encode(dict(forms.full_value))),
                ("small", Encode(dict(forms.small_value))),
            ]
            self._warn(cell, judge_order(before, _replies(adapter, cell, layouts.of(cell), known)))

    def _warn(self, cell: Cell, found: Iterable[str]) -> None:
        for words in dict.fromkeys(found):
            self.warnings.setdefault(words, []).append(cell.id)


def _forms(layout: MessageLayout) -> EncodedForms:
    """The default instance, and the fullest one without unknown tags."""
    values = dict(_SOURCE.whole(layout))
    full = values.get("message/fullest-known", values["message/fullest"])
    codec = fastest_codec(layout)
    small = codec.encode({})
    # The default instance of a flexible version ends with its count of tags: 0, also as a longer varint.
    lax = small[:-1] + b"\x80\x00" if layout.flexible and small.endswith(b"\x00") else None
    return EncodedForms({}, small, full, codec.encode(full), lax)


def _replies(
    adapter: TesteeAdapter, cell: Cell, layout: MessageLayout, asked: list[tuple[str, Request]]
) -> Replies:
    replies = adapter.ask(cell, layout, [request for _, request in asked])
    return {
        (name, type(request)): reply
        for (name, request), reply in zip(asked, replies, strict=True)
        if reply is not UNCLAIMED
    }


_LISTED: Final = 12


@dataclass(slots=True)
class Surveys:
    """The answers of a testee.

    Attributes:
        first: the answers for every operation, about the default instance.
        boundaries: the answers to fullest instances and boundary values, encoded and decoded.
        inputs: the answers that a library cannot have given.
        known: the plain values that are not read or written as expected.
        orderly: true if the process stopped cleanly before a new process got the last questions.
    """

    first: Survey = field(default_factory=Survey)
    boundaries: BoundarySurvey = field(default_factory=BoundarySurvey)
    inputs: InputSurvey = field(default_factory=InputSurvey)
    known: KnownValues = field(default_factory=KnownValues)
    orderly: bool = True

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cells: Sequence[Cell]) -> None:
        """Ask everything about the claimed cells."""
        chosen = newest(cells)
        for cell in cells:
            self.first.ask(adapter, layouts, cell)
            self.known.ask(adapter, layouts, cell)
            if cell.module not in (RECORDS_MODULE, PRIMITIVES_MODULE):
                self.inputs.ask(adapter, layouts, cell)
        for cell in cells:
            whole = cell in chosen or cell.module == RECORDS_MODULE
            self.boundaries.ask(adapter, layouts, cell, fullest=not whole)
        self.orderly = adapter.end()
        self.inputs.ask_afresh(adapter, layouts)


def boundary_lines(survey: BoundarySurvey) -> Iterator[str]:
    """The lines about boundary values: how many were answered, and the failures."""
    counts = ", ".join(f"{count} {what}" for what, count in sorted(survey.answered.items()))
    yield f"fullest instances and boundary values: {counts or 'none'}"
    for words, cases in survey.failures.items():
        yield f"  {len(cases)} {words}, such as {cases[0]}"


def known_lines(survey: KnownValues) -> Iterator[str]:
    """The lines about plain values: how many answers are right, and the places of the others."""
    wrong = survey.wrong - survey.known
    known = f", {survey.known} as the ledger says" if survey.known else ""
    yield f"plain values: {survey.answered - survey.wrong} right{known}, {wrong} altered"
    for words, cases in survey.altered.items():
        yield f"the codec or its adapter is at fault at {some(cases)}: {words}"
    if survey.altered:
        yield "  to decide: print the codec's own object for the value, beside the value of the adapter"


def limit_lines(survey: BoundarySurvey, name: str) -> Iterator[str]:
    """The lines about the values that a limit excludes, and the results of the library with them."""
    covered = survey.limits.get(name)
    if covered is None:
        yield "  it leaves out no fullest instance and no boundary value"
        return
    classes = [f"{count} {kind}" for kind, count in covered.classes.most_common()]
    counts = f"{covered.answers} of {survey.answered.total()} answers"
    yield f"  it leaves out {counts}, at {some(sorted(covered.places))}"
    yield f"  these values are: {some(classes)}"
    case, words = covered.example
    yield f"  such as {case}" + (f": {words[:200]}" if words else "")
    anyway = [f"{count} {what}" for what, count in covered.anyway.most_common()]
    yield f"  past the limit the library did: {some(anyway)}"


def some(names: Sequence[str]) -> str:
    return first_names(names, _LISTED)
