"""Errors have their place as data."""

import pickle

import pytest

from kafkawire.errors import DecodeError, EncodeError, Fault


@pytest.mark.parametrize(
    ("path", "step", "joined"),
    [
        ("", "topics", "topics"),
        ("errorCode", "[3]", "[3].errorCode"),
        ("[3].errorCode", "topics", "topics[3].errorCode"),
        ("[0]", "[1]", "[1][0]"),
    ],
)
def test_a_step_is_put_before_the_path(path: str, step: str, joined: str) -> None:
    """A step is put before the path; an index has no dot."""
    error = DecodeError(Fault.NULL, path, "null", 7).within(step)
    assert (type(error), error.fault, error.path, error.detail, error.offset) == (
        DecodeError,
        Fault.NULL,
        joined,
        "null",
        7,
    )


def test_an_error_is_a_sentence() -> None:
    """The sentence has fault, place, offset and detail."""
    assert str(DecodeError(Fault.UTF8, "a.b", "bad", 3)) == "invalid-utf8: a.b at byte 3: bad"
    assert str(EncodeError(Fault.TYPE, "", "bad")) == "wrong-type: the message: bad"


def test_errors_can_be_pickled() -> None:
    """Errors travel between processes with all their data."""
    error = pickle.loads(pickle.dumps(DecodeError(Fault.UTF8, "a.b", "bad", 3)))
    assert (error.fault, error.path, error.detail, error.offset) == (Fault.UTF8, "a.b", "bad", 3)
