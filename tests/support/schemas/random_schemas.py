"""Message definitions that Hypothesis draws, with the procedure of `message_drawing`, and shrinks."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from wireproof.proof.strategies.schemas.message_drawing import DrawnMessage, draw_message
from wireproof.proof.strategies.schemas.schema_language import NEWEST, SchemaLanguage
from wireproof.proof.strategies.schemas.schema_text import schema_text

T = TypeVar("T")


class DrawnChoices:
    """Choices that Hypothesis draws."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(st.integers(0, count - 1))

    def group(self, make: Callable[[], T]) -> T:
        return self._draw(st.builds(make))


@st.composite
def drawn_messages(
    draw: DrawFn, language: SchemaLanguage = NEWEST, *, plain: bool = False, odd_names: bool = False
) -> DrawnMessage:
    """Draw the trees of messages that Kafka's generator accepts; see `draw_message` for the options."""
    return draw_message(DrawnChoices(draw), "Drawn", language, plain=plain, odd_names=odd_names)


def schemas(language: SchemaLanguage = NEWEST) -> st.SearchStrategy[str]:
    """Draw message definitions that Kafka's generator accepts, as the JSON text of a file."""
    return drawn_messages(language).map(lambda message: schema_text(message.tree))
