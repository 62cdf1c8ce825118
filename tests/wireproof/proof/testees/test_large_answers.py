"""An answer with more parts than a value of the asked bytes can have is refused before it takes memory."""

import json
import tracemalloc
from collections.abc import Callable

import pytest

from wireproof.proof.testees.session.testee_session import OkAnswer, read_answers
from wireproof.proof.testees.testee_errors import ProtocolViolationError

PARTS = 1_000_000
HOSTILE: dict[str, Callable[[], str]] = {
    "lists": lambda: '{"id":1,"ok":{"value":[' + ",".join(["[]"] * PARTS) + "]}}",
    "keys": lambda: '{"id":1,"ok":{' + ",".join(f'"{number}":0' for number in range(PARTS)) + "}}",
    "answers": lambda: "[" + ",".join(['{"id":1,"ok":{}}'] * PARTS) + "]",
    "depth": lambda: "[" * PARTS,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_more_parts_than_a_value_can_have_are_refused(name: str) -> None:
    """The refusal has both numbers, and takes less memory than the line."""
    line = HOSTILE[name]().encode()
    tracemalloc.start()
    try:
        with pytest.raises(
            ProtocolViolationError, match=r"members and elements answers 90 characters of requests"
        ):
            list(read_answers(line, 90))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(line) // 10


def test_the_answer_to_a_large_request_may_be_large() -> None:
    """An element takes two hexadecimal digits of the request, and has as many fields as a struct of Kafka."""
    fields = {f"field{number}": None for number in range(7)}
    line = json.dumps({"id": 1, "ok": {"value": [fields] * 131_071}}, separators=(",", ":")).encode()
    ((number, answer),) = read_answers(line, 2 * 131_071)
    assert number == 1
    assert isinstance(answer, OkAnswer)
    assert len(answer.content["value"]) == 131_071
