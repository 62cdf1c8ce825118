"""The catalogue of mutation operators, each against our own codec behind the protocol."""

import gzip
import pickle
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.bundled import layout as bundled_layout
from kafkawire.primitives import codec_of
from kafkawire.records import Compression, Record, RecordBatch, encode_records, record_set_layout
from tests.wireproof.power.testees.mutant_questions import own_ground, own_testee, questions
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.repertoire import CodecDirection
from wireproof.power.summary import BugClass
from wireproof.power.testees.choosing import choose_mutants
from wireproof.power.testees.mutant import AnswerMutant, MutatedSession, MutationCounts
from wireproof.power.testees.operator import Memory, Question, Scope
from wireproof.power.testees.operators import OPERATORS
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.testee_session import OkAnswer

TESTEE = own_testee()
GROUND = own_ground(TESTEE)
PLACES = 12
FRAMED = [cell for cell in GROUND.cells if cell.message.startswith("ConsumerProtocol")]


def changes(mutant: AnswerMutant) -> MutationCounts:
    """Yield the changes of the mutant to the boundary cases of its cell, until an answer changes."""
    tally = MutationCounts()
    conversation = MutatedSession(TESTEE, mutant, tally)
    for some in questions(mutant.cell, TESTEE):
        conversation.ask(some)
        if tally.changed:
            break
    return tally


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_changes_an_answer_somewhere(name: str) -> None:
    """A mutant without any change could not be killed by any plan."""
    ground = replace(GROUND, cells=FRAMED) if OPERATORS[name].scope is Scope.EMBEDDED else GROUND

    assert any(changes(mutant).changed for mutant in choose_mutants(ground, [name], 0, PLACES))


def test_the_catalogue_has_operators_for_every_class_but_compression() -> None:
    """The protocol's answers show nothing of the inside of compressed data."""
    classes = {operator.bug_class for operator in OPERATORS.values()}

    assert classes == set(BugClass) - {BugClass.COMPRESSION}


def test_names_are_unique() -> None:
    """An operator is chosen by its name."""
    assert all(name == operator.name for name, operator in OPERATORS.items())


def test_the_seed_chooses_the_site() -> None:
    """The same seed gives the same mutants, and another seed gives others."""
    one, same, other = (
        [each.place for each in choose_mutants(GROUND, list(OPERATORS), seed)] for seed in (0, 0, 1)
    )

    assert one == same != other


def test_a_mutant_can_be_sent_between_processes() -> None:
    """The operator's name and the site are pickled."""
    (mutant,) = choose_mutants(GROUND, ["null-as-empty"], 0)

    assert pickle.loads(pickle.dumps(mutant)) == mutant


def test_answers_about_other_messages_do_not_change() -> None:
    """A mutant of one message leaves the answers about all others as they are."""
    (mutant,) = choose_mutants(GROUND, ["all-refused"], 0)
    tally = MutationCounts()
    other = next(cell for cell in GROUND.cells if cell.message != mutant.cell.message)
    conversation = MutatedSession(TESTEE, mutant, tally)
    for some in questions(other, TESTEE, 3):
        assert conversation.ask(some) == TESTEE.ask(some)

    assert tally.asked == 0


def test_what_a_mutant_refuses_to_read_it_does_not_compare() -> None:
    """Neither as the first object nor as the second; and it refuses it beside values that no message has."""
    layout = bundled_layout("MetadataResponse", 2)
    cell = Cell(GROUND.cells[0].release, "clients", layout.name, 2)
    mutant = AnswerMutant("null-refused", cell, "clusterId", CodecDirection.DECODE, {2: layout})
    null, empty = (codec_of(layout).encode({"clusterId": text}).hex() for text in (None, ""))

    def answers(operation: Operation, members: dict[str, str], content: dict[str, Any]) -> bool:
        answer = OkAnswer(content)
        return mutant.answer(Question(operation, layout.name, 2, members), answer, Memory()) is answer

    assert not answers(Operation.EQUAL, {"data": null, "other": empty}, {"equal": False})
    assert not answers(Operation.EQUAL, {"data": empty, "other": null}, {"equal": False})
    assert answers(Operation.EQUAL, {"data": empty, "other": empty}, {"equal": True})
    assert not answers(Operation.DECODE, {"data": ""}, {"value": {"brokers": None, "clusterId": None}})
    assert answers(Operation.DECODE, {"data": ""}, {"value": {"brokers": None, "clusterId": ""}})


def test_bytes_that_another_library_compressed_are_no_change() -> None:
    """A mutant whose change leaves the value as it is answers with the testee's bytes, and not with ours."""
    layout = record_set_layout(2)
    cell = Cell(GROUND.cells[0].release, RECORDS_MODULE, layout.name, 2)
    path = "batches[].records[].timestampDelta"
    mutant = AnswerMutant(
        "records-timestamp-deltas-of-32-bits", cell, path, CodecDirection.ENCODE, {2: layout}
    )
    question = Question(Operation.ENCODE, layout.name, 2, {})
    answers = []
    for delta in (5, 2**31):
        batch = RecordBatch((Record(timestamp_delta=delta),), compression=Compression.GZIP)
        stored = encode_records([batch], compress=lambda _, data, magic: gzip.compress(data, 0))
        answers.append(OkAnswer({"data": stored.hex()}))

    small, large = answers
    assert mutant.answer(question, small, Memory()) is small
    assert mutant.answer(question, large, Memory()) != large
