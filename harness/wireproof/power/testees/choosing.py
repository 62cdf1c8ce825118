"""The choice of mutants of a testee: the seed chooses among what the testee claims."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kafkawire.records import record_set_layout
from kafkawire.schema import MessageKind, MessageLayout
from wireproof.model.adapter import HeaderLayouts
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.model.layout_parts import field_in, structs_of
from wireproof.model.repertoire import CodecDirection
from wireproof.power.testees.mutant import AnswerMutant
from wireproof.power.testees.operator import AnswerOperator, FieldOperator, Operator, Scope, StructOperator
from wireproof.power.testees.operators import OPERATORS
from wireproof.proof.adapters.testee.protocol_values import LayoutLookup, renaming
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.description.hello import Hello

_OPERATIONS = {
    CodecDirection.DECODE: frozenset({Operation.DECODE, Operation.REENCODE}),
    CodecDirection.ENCODE: frozenset({Operation.ENCODE}),
}

_PREFERRED = 16
_OLDER_SETS = tuple(
    f"batches[].{name}" for name in ("messages", "key", "value", "offset", "timestamp", "attributes")
)


@dataclass(slots=True)
class MutationFixtures:
    """The claims of a testee in a release, which give the sites of mutants.

    Attributes:
        cells: the cells of the release that it claims.
        layout_of: the layout of a cell.
        layout_in: a message's layout in the release that the testee takes its names from.
    """

    hello: Hello
    cells: Sequence[Cell]
    layout_of: Callable[[Cell], MessageLayout]
    headers: HeaderLayouts
    layout_in: LayoutLookup = lambda *_: None
    _by_message: dict[str, list[Cell]] = field(init=False)

    def __post_init__(self) -> None:
        self._by_message = {}
        for cell in self.cells:
            self._by_message.setdefault(cell.message, []).append(cell)

    def of(self, scope: Scope) -> list[Cell]:
        """The cells for a scope of operators."""
        return [cell for cell in self.cells if self._is(cell, scope)]

    def versions(self, message: str) -> list[Cell]:
        """All cells of a message, by version."""
        return sorted(self._by_message[message], key=lambda cell: cell.version)

    def claims(self, cell: Cell, operations: frozenset[Operation], scope: Scope) -> bool:
        """True if the testee claims any of some operations for a cell."""
        claims = {Scope.PRIMITIVES: self.hello.primitives, Scope.EMBEDDED: self.hello.embedded}.get(
            scope, self.hello.claims
        )
        return bool(claims.of(cell.message, cell.version) & operations)

    def renamed_layout(self, cell: Cell) -> MessageLayout:
        """The layout of a cell under the names that the testee has for its fields."""
        if cell.module == RECORDS_MODULE:
            return record_set_layout(2)
        layout = self.layout_of(cell)
        other = self.layout_in(self.hello.names, layout.name, layout.version) if self.hello.names else None
        renamed = other is not None and renaming(layout.root, other.root) is not None
        return other if renamed and other is not None else layout

    def _is(self, cell: Cell, scope: Scope) -> bool:
        match scope:
            case Scope.RECORDS:
                return cell.module == RECORDS_MODULE
            case Scope.PRIMITIVES:
                return cell.module == PRIMITIVES_MODULE
            case Scope.EMBEDDED:
                return self.hello.embedded.any_of(cell.message, cell.version)
            case _:
                own = (RECORDS_MODULE, PRIMITIVES_MODULE, EMBEDDED_MODULE)
                return cell.module not in own and self.hello.claims.any_of(cell.message, cell.version)


def choose_mutants(
    ground: MutationFixtures, operators: Sequence[str], seed: int, each: int = 1
) -> list[AnswerMutant]:
    """Return the mutants of some operators: `each` places per operator, each in another message.

    An operator gives no mutant if it fits nothing that the testee claims.
    """
    found = []
    preferred = _preferred(ground, seed)
    for name in operators:
        draw = random.Random(f"{seed}/{name}/{ground.hello.identity.subject}")
        places = _places(ground, OPERATORS[name], draw, preferred)
        found += [mutant for mutant, _ in zip(places, range(each), strict=False)]
    return found


def _preferred(ground: MutationFixtures, seed: int) -> frozenset[Cell]:
    """Choose a few cells for most mutants, so that the unchanged testee runs only in few cells."""
    draw = random.Random(f"{seed}/cells/{ground.hello.identity.subject}")
    cells = ground.of(Scope.MESSAGES)
    messages = sorted({cell.message for cell in cells})
    chosen = draw.sample(messages, min(_PREFERRED, len(messages)))
    return frozenset(draw.choice(ground.versions(message)) for message in chosen)


def _places(
    ground: MutationFixtures, operator: Operator, draw: random.Random, preferred: frozenset[Cell]
) -> Iterator[AnswerMutant]:
    cells = ground.of(operator.scope)
    draw.shuffle(cells)
    cells.sort(key=lambda cell: cell not in preferred)
    taken: set[str] = set()
    for cell in cells:
        if cell.message in taken:
            continue
        mutant = _mutant(ground, operator, cell, draw)
        if mutant is not None:
            taken.add(cell.message)
            yield mutant


def _mutant(
    ground: MutationFixtures, operator: Operator, cell: Cell, draw: random.Random
) -> AnswerMutant | None:
    if isinstance(operator, AnswerOperator):
        fits = ground.claims(cell, operator.operations, operator.scope) and operator.fits(
            ground.layout_of(cell)
        )
        return _planted(ground, operator, cell, "", None) if fits else None
    ways = [way for way in operator.ways if ground.claims(cell, _OPERATIONS[way], operator.scope)]
    paths = [*_paths(ground, cell, operator)]
    if not ways or not paths:
        return None
    path, way = draw.choice(paths), draw.choice(ways)
    if isinstance(operator, FieldOperator) and operator.edge:
        return _at_edge(ground, operator, cell, path, way)
    if isinstance(operator, FieldOperator) and operator.absent and ground.hello.whole:
        return None
    return _planted(ground, operator, cell, path, way)


def _paths(ground: MutationFixtures, cell: Cell, operator: FieldOperator | StructOperator) -> Iterator[str]:
    layout = ground.layout_of(cell) if cell.module == RECORDS_MODULE else ground.renamed_layout(cell)
    if isinstance(operator, FieldOperator):
        paths = (path for path, _, each in layout.walk() if operator.fits(each))
        yield from (path for path in paths if not _is_of_older_sets(cell, path))
        return
    yield from (path for path, struct in structs_of(layout) if operator.fits(struct))


def _is_of_older_sets(cell: Cell, path: str) -> bool:
    """True if only record sets of lower magics have the field, although every magic's layout has it."""
    return cell.module == RECORDS_MODULE and cell.version == 2 and path.startswith(_OLDER_SETS)


def _at_edge(
    ground: MutationFixtures, operator: FieldOperator, cell: Cell, path: str, way: CodecDirection
) -> AnswerMutant | None:
    """Move a mutant to the first version in which the field fits; None if the message begins with that
    version.
    """
    cells = ground.versions(cell.message)
    fits = [
        (there := field_in(ground.renamed_layout(each), path)) is not None and operator.fits(there)
        for each in cells
    ]
    first = next((index for index, holds in enumerate(fits) if holds), 0)
    if first == 0 or not ground.claims(cells[first], _OPERATIONS[way], operator.scope):
        return None
    return _planted(ground, operator, cells[first], path, way, only=True)


def _planted(
    ground: MutationFixtures,
    operator: Operator,
    cell: Cell,
    path: str,
    way: CodecDirection | None,
    *,
    only: bool = False,
) -> AnswerMutant:
    cells = ground.versions(cell.message)
    layouts = {each.version: ground.renamed_layout(each) for each in cells}
    wrong = {cell.version: layouts[cell.version]} if only else layouts
    return AnswerMutant(operator.name, cell, path, way, wrong, layouts, _headers(ground, cells))


def _headers(ground: MutationFixtures, cells: Sequence[Cell]) -> Mapping[int, MessageLayout]:
    found = {}
    for cell in cells:
        layout = ground.layout_of(cell)
        if layout.header_version is None or layout.kind not in (MessageKind.REQUEST, MessageKind.RESPONSE):
            continue
        header = ground.headers.get((cell.release, layout.kind, layout.header_version))
        if header is not None:
            found[cell.version] = header
    return found
