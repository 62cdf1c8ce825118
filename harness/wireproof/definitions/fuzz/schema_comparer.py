"""`SchemaComparer`: our front end and codecs against Kafka's generator, for a batch of schemas."""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema import MessageSpec, SchemaProblem, Severity, dialect_of, read_message, resolve
from kafkawire.schema.rules.refusals import JAVA_REFUSALS, rules_of
from wireproof.definitions.fuzz.drawn_schemas import DrawnSchema
from wireproof.definitions.fuzz.oddities import (
    ComparisonKind,
    FrontEndVerdict,
    SchemaComparison,
    ValueFailure,
    verdict_oddity,
)
from wireproof.definitions.fuzz.value_comparer import MakeCodec, ValueComparer, ValueResult, quick_options
from wireproof.model.oracle import OracleError
from wireproof.proof.strategies.values.whole_instances import required

if TYPE_CHECKING:
    from wireproof.kafka.oracle.generator.schema_generator import GeneratorVerdict, SchemaGenerator
    from wireproof.proof.run.core.plan import RunOptions


_NOT_COMPILED: Final = "not-compiled"
_JAVA_RULES: Final = frozenset(refusal.rule.value for refusal in JAVA_REFUSALS) | {"name-taken"}
"""The rules about Java, with the rule that generators before 4.0 leave to javac."""


def rules_of_cause(outcome: str, cause: str) -> frozenset[str]:
    """The ids of the rules that a refusal may mean; empty if its text is in no table.

    javac's texts are about Java, so any rule about Java may be the cause.

    Args:
        outcome: the outcome of the verdict, ``refused`` or ``not-compiled``.
        cause: the text of the verdict.
    """
    return _JAVA_RULES if outcome == _NOT_COMPILED else frozenset(rule.value for rule in rules_of(cause))


def round_trip_failure(spec: MessageSpec) -> str:
    """A sentence about the first version whose round trip changes the value; ``""`` if there is none.

    The interpreted codec writes and reads the instance with every default. The canonical form, which shares
    no code with the codec, decides whether the value is the same.
    """
    for version in spec.valid_versions:
        layout = resolve(spec, version)
        codec, form = interpret_layout(layout), canonical(layout)
        value = required(layout.root)
        try:
            data = codec.encode(value)
        except EncodeError as error:
            if error.fault is Fault.NULL:  # the oddity `records-default`, in a tagged struct
                continue
            raise
        if form.to_binary(codec.decode(data)) != form.to_binary(value) or codec.size(value) != len(data):
            return f"version {version}: the least instance does not come back from its bytes"
    return ""


ReadSchema = Callable[[str], tuple[MessageSpec | None, list[SchemaProblem]]]
"""The front end: reads a text."""


class SchemaComparer:
    """Compares schemas with the generator of a release; without it, with the verdict they were made for.

    Args:
        release: the release that determines the dialect, such as ``4.3.1``.
        generator: Kafka's generator; None to work without Java.
        read: the front end to try; None for `kafkawire.schema.read_message`.
        codecs: the codecs to try, by name; None for ours.
    """

    def __init__(
        self,
        release: str,
        generator: "SchemaGenerator | None",
        options: "RunOptions | None" = None,
        read: ReadSchema | None = None,
        codecs: Mapping[str, MakeCodec] | None = None,
    ) -> None:
        self.release = release
        self._generator = generator
        self._codecs = codecs
        self._options = options or quick_options()
        dialect = dialect_of(release)
        self._read = read or (lambda text: read_message(text, "schema.json", dialect))

    def compare(self, drawn: Sequence[DrawnSchema]) -> list[SchemaComparison]:
        """Compare each schema; results in order. No two messages may have the same name.

        Raises OracleError if Java cannot work at all.
        """
        return list(self.comparisons(drawn))

    def comparisons(self, drawn: Sequence[DrawnSchema]) -> Iterator[SchemaComparison]:
        """Yield the results of `compare`. A schema's codecs and classes are compared when it is reached."""
        if self._generator is None:
            yield from map(self._construction, drawn)
            return
        verdicts = self._generator.judge([each.text for each in drawn])
        results = [self._verdicts(each, verdict) for each, verdict in zip(drawn, verdicts, strict=True)]
        for index, (comparison, _) in enumerate(results):
            if comparison.kind.disagrees:
                # If javac refuses one schema, it may refuse others of the batch, too: judge this one alone.
                (verdicts[index],) = self._generator.judge([drawn[index].text])
                results[index] = self._verdicts(drawn[index], verdicts[index])
        yield from self._values(results, verdicts)

    def _front_end(self, text: str) -> tuple[MessageSpec | None, FrontEndVerdict]:
        spec, problems = self._read(text)
        errors = [each for each in problems if each.severity is Severity.ERROR]
        rules = frozenset(each.rule for each in errors)
        warnings = frozenset(each.rule for each in problems) - rules
        field = errors[0].path if errors else ""
        return spec, FrontEndVerdict(rules, warnings, tuple(str(each) for each in errors), field)

    def _verdicts(
        self, drawn: DrawnSchema, verdict: "GeneratorVerdict"
    ) -> tuple[SchemaComparison, MessageSpec | None]:
        """Compare the verdicts alone."""
        try:
            spec, ours = self._front_end(drawn.text)
        except Exception as error:  # noqa: BLE001 - any exception of the front end is the finding
            crash = SchemaComparison(
                drawn.number, ComparisonKind.CRASH, drawn.text, _crash_key(error), repr(error), verdict.cause
            )
            return crash, None
        comparison = SchemaComparison(
            drawn.number, ComparisonKind.ACCEPTED, drawn.text, "", "; ".join(ours.texts), verdict.cause
        )
        kind, key = _kind_of(ours, verdict)
        return replace(comparison, kind=kind, key=key, field=ours.field), spec

    def _values(
        self,
        results: Sequence[tuple[SchemaComparison, MessageSpec | None]],
        verdicts: "Sequence[GeneratorVerdict]",
    ) -> Iterator[SchemaComparison]:
        """Compare codecs and classes of the schemas that both accept; yield each result."""
        assert self._generator is not None
        chosen = [
            (spec, comparison.text, verdict)
            for (comparison, spec), verdict in zip(results, verdicts, strict=True)
            if comparison.kind is ComparisonKind.ACCEPTED and spec is not None and not spec.retired
        ]
        comparer = ValueComparer(
            self._generator.oracle([verdict for _, _, verdict in chosen]),
            {spec.name: spec for spec, _, _ in chosen},
            {spec.name: text for spec, text, _ in chosen},
            self._options,
            self._codecs,
        )
        compared = {spec.name for spec, _, _ in chosen}
        for comparison, spec in results:
            is_read = comparison.kind is ComparisonKind.ACCEPTED
            if spec is not None and spec.name in compared and is_read:
                yield _with_values(comparison, comparer, spec)
            else:
                yield comparison

    def _construction(self, drawn: DrawnSchema) -> SchemaComparison:
        """Compare without Java: the verdict with the one that the schema was made for, and a round trip."""
        comparison = SchemaComparison(drawn.number, ComparisonKind.ACCEPTED, drawn.text)
        expected = drawn.expectation
        try:
            spec, ours = self._front_end(drawn.text)
            if not ours.rules and spec is not None and expected.valid is not False:
                comparison = replace(
                    comparison, cells=len(spec.valid_versions), cases=len(spec.valid_versions)
                )
                failure = round_trip_failure(spec)
                if failure:
                    return replace(comparison, kind=ComparisonKind.VALUES, key="round-trip", ours=failure)
        except Exception as error:  # noqa: BLE001 - any exception of ours is the finding
            return replace(comparison, kind=ComparisonKind.CRASH, key=_crash_key(error), ours=repr(error))
        wrong = expected.valid is not None and expected.valid == bool(ours.rules)
        kind = ComparisonKind.REFUSED if ours.rules else ComparisonKind.ACCEPTED
        key = expected.violation if not ours.rules else "+".join(sorted(ours.rules))
        return replace(
            comparison,
            kind=ComparisonKind.CONSTRUCTION if wrong else kind,
            key=key,
            ours="; ".join(ours.texts),
            field=ours.field,
            kafka=f"made for {expected.violation}" if expected.violation else "made as a valid schema",
        )


def _kind_of(ours: FrontEndVerdict, verdict: "GeneratorVerdict") -> tuple[ComparisonKind, str]:
    """Compare two verdicts: the kind, and the key of the cause."""
    if verdict.accepted and not ours.rules:
        return ComparisonKind.ACCEPTED, ""
    oddity = verdict_oddity(ours, verdict.outcome)
    if oddity:
        return ComparisonKind.ODDITY, oddity
    broken = "+".join(sorted(ours.rules))
    if verdict.accepted:
        return ComparisonKind.STRICTER, broken
    causes = rules_of_cause(verdict.outcome, verdict.cause)
    named = "+".join(sorted(causes)) or "unknown"
    if not ours.rules:
        return ComparisonKind.LAXER, named
    shared = causes & ours.rules
    if shared:
        return ComparisonKind.REFUSED, "+".join(sorted(shared))
    return ComparisonKind.CAUSE, f"{named} for {broken}"


def _with_values(
    comparison: SchemaComparison, comparer: ValueComparer, spec: MessageSpec
) -> SchemaComparison:
    try:
        result = comparer.compare(spec)
    except OracleError as error:
        result = ValueResult(failures=[ValueFailure("oracle", "", "", "Kafka's class failed", str(error))])
    except Exception as error:  # noqa: BLE001 - an exception in a layout or a codec is the finding
        return replace(comparison, kind=ComparisonKind.CRASH, key=_crash_key(error), ours=repr(error))
    comparison = replace(comparison, cells=result.cells, cases=result.cases)
    if result.failures:
        found = replace(comparison, kind=ComparisonKind.VALUES, failures=tuple(result.failures))
        return replace(next(found.by_cause()), failures=found.failures)
    if result.skipped:
        return replace(comparison, kind=ComparisonKind.ODDITY, key="+".join(sorted(result.skipped)))
    return comparison


def _crash_key(error: Exception) -> str:
    """Return the cause of a crash: the exception and the function that raised it.

    All endless recursions are one cause, because they end in any function.
    """
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, RecursionError) or not frames:
        return name
    return f"{name} in {Path(frames[-1].filename).stem}.{frames[-1].name}"
