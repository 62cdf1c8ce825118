"""The corpus phase over real processes, without any oracle: the entries have the expected results."""

from dataclasses import replace

import pytest

from tests.support.environments import small_corpus, small_environment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import CaseId, Phase
from wireproof.proof.checks.check_table import Check
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCell
from wireproof.proof.run.core.environment import MakeEnvironment, all_cells
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunFooter
from wireproof.proof.run.engine.case_replay import NoSuchCaseError, replay
from wireproof.proof.run.engine.engine import Engine
from wireproof.traffic.corpus.corpus_entry import Entry, GoldenEntry, id_of
from wireproof.traffic.corpus.corpus_file import corpus_file_text
from wireproof.traffic.corpus.corpus_folder import CorpusSet, EntrySource, LooseEntries, open_set

OPTIONS = RunOptions(phases=(Phase.CORPUS,), shrink_s=0)
CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusSet:
    folder = tmp_path_factory.mktemp("corpus") / "set"
    source = open_set(small_corpus.write_set(folder, small_environment.make()(), CELLS))
    source.index()
    return source


def run(make: MakeEnvironment, corpus: EntrySource, *, oracle: bool = False, cells=CELLS) -> list:
    return list(Engine(small_corpus.With(make, corpus, oracle), OPTIONS).run(cells))


def of(events: list, kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


def test_a_right_codec_is_proven_without_an_oracle(corpus: CorpusSet) -> None:
    """Every entry is a case of its cell; a malformed entry is one for each codec that reads malformed
    bytes."""
    events = run(small_environment.make(), corpus)

    assert of(events, FailedCase) == []
    for done in of(events, CellResult):
        entries = corpus.of(done.cell.id)
        assert done.cases == {Phase.CORPUS: len(entries)}  # one of the two codecs reads malformed bytes
        assert sum(done.verdicts.values()) == sum(not isinstance(entry, GoldenEntry) for entry in entries)
        assert done.coverage is not None
        assert done.coverage.covered > 0
    assert of(events, RunFooter)[0].exit_code is ExitCode.PROVEN


def test_a_wrong_codec_fails_in_the_entries_that_show_the_bug(corpus: CorpusSet) -> None:
    """The codec writes null as the empty string: the bytes differ at `name` in the entries whose name is
    null."""
    events = run(small_environment.make(wrong=small_environment.NullAsEmpty), corpus)

    failed = of(events, FailedCase)
    assert {event.divergences[0].check for event in failed} == {Check.BYTES}
    assert {event.divergences[0].path for event in failed} == {"name"}
    assert all('"name":null' in (event.value or "") for event in failed)
    assert all(event.case_id == f"{event.cell.id}/corpus/{event.entry[7:27]}" for event in failed)
    assert {event.cell.version for event in failed} == {1, 2, 3}
    assert of(events, RunFooter)[0].exit_code is ExitCode.DIVERGENCE


def test_a_case_is_replayed_by_its_id_and_by_its_line(corpus: CorpusSet) -> None:
    """A failure is repeated while the codec is wrong, and passes with the right codec."""
    failed = of(run(small_environment.make(wrong=small_environment.NullAsEmpty), corpus), FailedCase)[0]
    entry = next(each for each in corpus.of(failed.cell.id) if failed.case_id.endswith(id_of(each)))
    case = CaseId.parse(failed.case_id)
    for source in (corpus, LooseEntries((entry,))):
        wrong = small_corpus.With(small_environment.make(wrong=small_environment.NullAsEmpty), source)()
        (again,) = replay(wrong, failed.cell, case)
        assert again.divergences == failed.divergences
        assert replay(small_corpus.With(small_environment.make(), source)(), failed.cell, case) == []

    with pytest.raises(NoSuchCaseError):
        replay(
            small_corpus.With(small_environment.make(), corpus)(), failed.cell, case._replace(name="0" * 20)
        )


def test_a_cell_without_an_entry_does_not_pass(corpus: CorpusSet) -> None:
    """Nothing was tried, so nothing is proven."""
    events = run(small_environment.make(), corpus, cells=list(all_cells(small_environment.schemas()))[-1:])

    assert [event.reason for event in of(events, LostCell)] == ["the corpus phase has no case here"]


def test_an_entry_that_the_oracle_contradicts_fails_and_no_codec_does(corpus: CorpusSet) -> None:
    """Another value, body or verdict with a right id is reported as a fault of the named entry."""
    cell = CELLS[3]
    entries = corpus.of(cell.id)
    good = next(each for each in entries if isinstance(each, GoldenEntry) and each.value["name"] == "x")
    refused = next(each for each in entries if not isinstance(each, GoldenEntry) and not each.framed)
    other = next(each for each in entries if isinstance(each, GoldenEntry) and each.body != good.body)
    bad: list[Entry] = [
        replace(good, value={**good.value, "name": "y"}),
        replace(good, body=other.body, name="other-body", head=other.head, header=other.header),
        replace(good, header={**(good.header or {}), "correlationId": 77}, name="other-header"),
        replace(refused, verdict=replace(refused.verdict, consumed_bytes=40)),
    ]
    events = run(small_environment.make(), LooseEntries((good, *bad)), oracle=True, cells=[cell])

    failed = of(events, FailedCase)
    assert {event.case_id.rpartition("/")[2] for event in failed} == {id_of(each) for each in bad}
    assert {(event.divergences[0].check, event.divergences[0].subject) for event in failed} == {
        (Check.ENTRY, "corpus")
    }
    (done,) = of(events, CellResult)
    assert (done.cases[Phase.CORPUS], done.failed_cases) == (5, 4)


def test_right_entries_agree_with_the_oracle(corpus: CorpusSet) -> None:
    """With an oracle the entries are sent to it as well, and all agree."""
    events = run(small_environment.make(), corpus, oracle=True)

    assert of(events, FailedCase) == []
    assert of(events, RunFooter)[0].exit_code is ExitCode.PROVEN


def test_entries_are_reproducible() -> None:
    """Two makers, each with its own environment, give the same lines."""
    texts = [
        [corpus_file_text(part) for part in small_corpus.parts_of(small_environment.make()(), CELLS)]
        for _ in range(2)
    ]

    assert texts[0] == texts[1]
