"""Generated source: indentation, names, loading; and the cache of generated objects."""

import linecache

import pytest

from kafkawire.caching import BoundedCache
from kafkawire.generated import Names, SourceText, load


def test_blocks_are_indented() -> None:
    """A level has four columns."""
    text = SourceText()
    with text.block("if a:"), text.block("if b:"):
        text.line("c")
    text.line()
    text.line("d")
    assert str(text) == "if a:\n    if b:\n        c\n\nd\n"


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("topic", "topic"),
        ("class", "class_2"),
        ("len", "len_2"),
        ("out", "out_2"),
        ("a-b", "a_b"),
        ("_x", "x"),
    ],
)
def test_names_are_valid_identifiers(wanted: str, name: str) -> None:
    """A name is not a keyword, builtin, reserved or private name."""
    assert Names(["out"]).fresh(wanted) == name


def test_names_are_unique() -> None:
    """The second use of a name gets a number; so do an empty name and one of digits."""
    names = Names()
    assert [names.fresh("a"), names.fresh("a"), names.fresh("a_2")] == ["a", "a_2", "a_2_2"]
    assert [names.fresh(""), names.fresh("9"), names.fresh("ü")] == ["field", "field_9", "field_2"]
    assert Names(prefix="_").fresh("9") == "_9"


def test_two_texts_of_one_title_stay_separate() -> None:
    """Each keeps its own lines; equal texts share them."""
    first = load("test of titles", "def f():\n    return 1\n", {})["f"]
    again = load("test of titles", "def f():\n    return 1\n", {})["f"]
    other = load("test of titles", "def f():\n    return 2\n", {})["f"]
    names = [function.__code__.co_filename for function in (first, again, other)]
    assert names == ["<kafkawire test of titles>"] * 2 + ["<kafkawire test of titles #2>"]
    assert linecache.getline(names[2], 2) == "    return 2\n"
    assert (first(), again(), other()) == (1, 1, 2)


def test_the_cache_is_bounded() -> None:
    """Equal keys share an object; it is made again only after very many others."""
    made: list[tuple[int, ...]] = []

    def make(key: tuple[int, ...]) -> int:
        made.append(key)
        return len(made)

    memo = BoundedCache(make)
    one, equal = (1, 2), tuple(range(1, 3))
    assert one is not equal
    assert memo(one) == memo(one) == memo(equal) == 1
    for number in range(10000):
        memo((number,))
    assert memo(one) == len(made)
    assert len(made) <= 10002


def test_texts_are_bounded() -> None:
    """Tracebacks show the latest texts; earlier ones are dropped."""
    before = len(linecache.cache)
    for number in range(2000):
        load("test of bounds", f"a = {number}\n", {})
    assert linecache.getline("<kafkawire test of bounds #2000>", 1) == "a = 1999\n"
    assert linecache.getline("<kafkawire test of bounds>", 1) == ""
    assert len(linecache.cache) - before < 1000
