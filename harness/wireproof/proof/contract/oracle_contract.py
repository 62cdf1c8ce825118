"""The contract of `wireproof.model.oracle.Oracle`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import DecodeError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.cell import Cell
from wireproof.model.oracle import (
    EqualityBreach,
    FieldProbe,
    Oracle,
    OracleReply,
    OracleValue,
    Refusal,
    SchemaField,
    VersionAnswer,
)
from wireproof.proof.contract.contract import (
    ContractCell,
    Violations,
    checked_cells,
    described,
    sample_values,
)

_STAGES: Final = frozenset({"read", "value", "build", "size", "write"})
_INSTANCES: Final = 5
_SEED: Final = 1

AskOracle = Callable[[Sequence[bytes]], list[OracleReply]]


def check_oracle(
    oracle: Oracle, cells: Sequence[ContractCell] | None = None, *, without: Collection[str] = ()
) -> None:
    """Check that an oracle keeps the contract of `wireproof.model.oracle.Oracle`.

    The inputs of each cell are valid values, the bytes of kafkawire's codec for them, and bytes that
    are cut off. The rules:

    - ``release``: a printable line, that of the cells;
    - ``no-inputs``: no inputs have no replies;
    - ``no-exception``: no input makes a method raise; `OracleError` says that the oracle cannot work at all;
    - ``one-reply``: as many replies as inputs, each an `OracleValue` or a `Refusal`;
    - ``reply-content``: bytes are `bytes`, a value is canonical binary, `consumed_bytes` is within the input;
    - ``valid-accepted``: valid bytes and valid values are accepted;
    - ``self-agreement``: it writes the same bytes for a value as for the bytes it read the value from;
    - ``order``: the inputs in reverse order have the replies in reverse order;
    - ``repeatable``: `instances` gives the same for the same seed;
    - ``description``: `header_versions`, `bounds`, `schema`, `probe` and `equality` answer in their types.

    Args:
        oracle: the oracle of the cells' release, ready to be asked.
        cells: (cell, layout) pairs; by default those of `contract_cells()`.
        without: methods that the oracle does not have; they are not called.

    Raises:
        ContractError: it violates a rule. It is an AssertionError with all violated rules.
        ValueError: there are no cells, or `without` names what is no method of an oracle.
    """
    if unknown := sorted(name for name in without if not hasattr(Oracle, name)):
        raise ValueError(f"without: {unknown[0]!r} is not a method of an Oracle; leave it out")
    found = Violations(f"the oracle {type(oracle).__name__}")
    for cell, layout in checked_cells(cells):
        found.require(
            oracle.release == cell.release, "release", cell.release, described(oracle.release), "release"
        )
        _CellContract(found, oracle, cell, layout, without).check()
    found.finish()


class _CellContract:
    """The contract on one cell."""

    def __init__(
        self, found: Violations, oracle: Oracle, cell: Cell, layout: MessageLayout, without: Collection[str]
    ) -> None:
        self._found = found
        self._oracle = oracle
        self._cell = cell
        self._layout = layout
        self._without = without
        values = list(sample_values(layout))
        self._values = [canonical(layout).to_binary(value) for value in values]
        self._bodies = [fastest_codec(layout).encode(value) for value in values]

    def check(self) -> None:
        cell, layout, oracle = self._cell, self._layout, self._oracle
        asks: Mapping[str, AskOracle] = {
            "read": lambda bodies: oracle.read(cell, layout, bodies),
            "reread": lambda bodies: oracle.reread(cell, layout, bodies),
            "second_reread": lambda bodies: oracle.second_reread(cell, layout, bodies),
        }
        for name, ask in asks.items():
            if name not in self._without:
                self._check_reading(name, ask)
        if not {"write", "reread"} & set(self._without):
            self._check_writing()
        self._check_instances()
        self._check_descriptions()

    def _place(self, method: str) -> str:
        return f"{method} of {self._cell.id}"

    def _called(self, method: str, *args: Any) -> Any:
        """The result of a method; None where it raises, or the oracle lacks it."""
        if method in self._without:
            return None
        try:
            return getattr(self._oracle, method)(*args)
        except Exception as error:  # noqa: BLE001 - it is the violation itself
            self._raised(method, error)
            return None

    def _raised(self, method: str, error: Exception) -> None:
        expected = "no input makes it raise: what it thinks of one input is in the reply to it"
        self._found.add("no-exception", expected, f"{type(error).__name__}: {error}", self._place(method))

    def _replies(self, method: str, ask: AskOracle, inputs: Sequence[bytes]) -> list[OracleReply]:
        """The replies; none where they cannot be taken apart."""
        try:
            replies: Any = ask(inputs)
        except Exception as error:  # noqa: BLE001 - it is the violation itself
            self._raised(method, error)
            return []
        good = isinstance(replies, list) and len(replies) == len(inputs)
        good = good and all(isinstance(each, OracleValue | Refusal) for each in replies)
        expected = f"a list of {len(inputs)} replies, each an OracleValue or a Refusal"
        found = self._found.require(good, "one-reply", expected, described(replies), self._place(method))
        return list(replies) if found else []

    def _check_reading(self, method: str, ask: AskOracle) -> None:
        place = self._place(method)
        none = self._called(method, self._cell, self._layout, [])
        self._found.require(none == [], "no-inputs", "an empty list for no inputs", described(none), place)
        cut = [body[:-1] for body in self._bodies if body]
        for inputs, valid in ((self._bodies, True), (cut, False)):
            replies = self._replies(method, ask, inputs)
            for data, reply in zip(inputs, replies, strict=False):
                self._check_reply(reply, len(data), place)
                accepted = isinstance(reply, OracleValue) or not valid
                expected = f"valid bytes are accepted: {data.hex()}"
                self._found.require(accepted, "valid-accepted", expected, described(reply), place)
            turned = self._replies(method, ask, inputs[::-1])[::-1]
            alike = not replies or not turned or turned == replies
            expected = "the replies in reverse order to inputs in reverse order"
            self._found.require(alike, "order", expected, described(turned), place)

    def _check_reply(self, reply: OracleReply, length: int | None, place: str) -> None:
        if problem := self._content_problem(reply, length):
            self._found.add("reply-content", problem, described(reply), place)

    def _content_problem(self, reply: Any, length: int | None) -> str:
        """The rule that a reply's content violates; empty if it violates none."""
        if length is not None and not 0 <= reply.consumed_bytes <= length:
            return f"consumed_bytes is 0 to {length}, the length of the input"
        if isinstance(reply, Refusal):
            return "" if reply.stage in _STAGES and reply.error else f"stage is one of {sorted(_STAGES)}"
        if not isinstance(reply.written, bytes) or not isinstance(reply.value, bytes):
            return "written and value are bytes"
        try:
            canonical(self._layout).from_binary(reply.value)
        except DecodeError as error:
            return f"value is canonical binary of the message: {error}"
        return ""

    def _check_writing(self) -> None:
        """Values are taken, and what it writes for a value is what it writes for the bytes of the value."""
        cell, layout, oracle = self._cell, self._layout, self._oracle
        place = self._place("write")
        replies = self._replies("write", lambda values: oracle.write(cell, layout, values), self._values)
        reread = self._replies("reread", lambda bodies: oracle.reread(cell, layout, bodies), self._bodies)
        for value, wrote, read in zip(self._values, replies, reread, strict=False):
            self._check_reply(wrote, None, place)
            accepted = isinstance(wrote, OracleValue)
            expected = f"a valid value is accepted: {value.hex()}"
            self._found.require(accepted, "valid-accepted", expected, described(wrote), place)
            if isinstance(wrote, OracleValue) and isinstance(read, OracleValue):
                expected = f"the bytes it wrote when it reread the value: {read.written.hex()}"
                same = wrote.written == read.written
                self._found.require(same, "self-agreement", expected, wrote.written.hex(), place)

    def _check_instances(self) -> None:
        place = self._place("instances")
        arguments = self._cell, self._layout, _INSTANCES, _SEED
        one, other = self._called("instances", *arguments), self._called("instances", *arguments)
        if one is None:
            return
        self._found.require(bool(one), "one-reply", "at least the default instance", described(one), place)
        self._found.require(
            one == other, "repeatable", "the same instances for the same seed", described(other), place
        )
        for reply in one:
            self._check_reply(reply, None, place)

    def _check_descriptions(self) -> None:
        header = self._called("header_versions", self._cell)
        self._typed("header_versions", header is None or type(header) is int, "an int or None", header)
        bounds = self._called("bounds", self._cell, self._cell.version)
        if bounds is not None:
            good = isinstance(bounds, VersionAnswer) and bounds.lowest <= self._cell.version <= bounds.highest
            self._typed("bounds", good, f"a VersionAnswer that spans {self._cell.version}", bounds)
        listed: list[tuple[str, type, tuple[Any, ...]]] = [
            ("schema", SchemaField, (self._cell,)),
            ("probe", FieldProbe, (self._cell, self._layout)),
            ("equality", EqualityBreach, (self._cell, self._layout, self._values[0])),
        ]
        for method, kind, arguments in listed:
            gave = self._called(method, *arguments)
            good = gave is None or all(isinstance(each, kind) for each in gave)
            self._typed(method, good, f"each a {kind.__name__}", gave)

    def _typed(self, method: str, good: bool, expected: str, came: object) -> None:
        self._found.require(good, "description", expected, described(came), self._place(method))
