"""The pictures: for each one its commands, its alternative text and the pages that show it."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "assets" / "pictures"
TEMPLATE: Final = Path(__file__).parent / "cast.svg.jinja"


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """One command line of a session.

    Attributes:
        line: the line, as a user types it; bash runs it.
        exit_code: the exit code that it must have.
        rest: seconds for which the last screen of the command stays.
    """

    line: str
    exit_code: int = 0
    rest: float = 1.5


@dataclass(frozen=True, slots=True)
class Cast:
    """A session in a terminal, as an animated SVG.

    Attributes:
        name: name of the file, without its suffix.
        title: the topic, in a few words.
        alt: what the session shows, for readers who do not see it.
        pages: the pages with the picture, relative to the repository.
        setup: lines of bash that run first and are not shown, in the same empty folder.
        commands: the lines that are shown.
        columns: width of the terminal, in characters.
    """

    name: str
    title: str
    alt: str
    pages: tuple[str, ...]
    commands: tuple[TypedCommand, ...]
    setup: tuple[str, ...] = ()
    columns: int = 100

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the picture."""
        return (f"{self.name}.svg",)


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A page in a browser, as one PNG for the light theme and one for the dark theme.

    Attributes:
        name: name of the files, without `-light.png` and `-dark.png`.
        alt: what the page shows, for readers who do not see it.
        pages: the pages with the picture, relative to the repository.
        setup: commands that write the page; bash runs them in an empty folder. `$CHECKOUT` is the repository.
        page: the file that they write, relative to that folder.
        width: width of the window, in CSS pixels.
        height: height of the window, in CSS pixels.
        clicks: CSS selectors of the elements to click, in order.
        typed: pairs of a CSS selector and the text to fill in.
        focus: CSS selector of the element to scroll to the top of the window; empty: the top of the page.
    """

    name: str
    alt: str
    pages: tuple[str, ...]
    setup: tuple[TypedCommand, ...]
    page: str
    width: int = 1100
    height: int = 700
    clicks: tuple[str, ...] = ()
    typed: tuple[tuple[str, str], ...] = ()
    focus: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the picture: light, dark."""
        return f"{self.name}-light.png", f"{self.name}-dark.png"


Recipe = Cast | Screenshot


def recipe_hash(recipe: Recipe) -> str:
    """Return the hash of everything in a recipe that decides how its picture looks: 16 hex digits."""
    text = repr(replace(recipe, pages=()))
    if isinstance(recipe, Cast):
        text += TEMPLATE.read_text("utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_SWAPPED_FIELDS: Final = (
    "wireproof testee new my-codec --language python",
    "sed -i.right 's/(self.client_software_name, self.client_software_version):/"
    "(self.client_software_version, self.client_software_name):/; "
    "s/name, software = reader.text()/software, name = reader.text()/' my-codec/codec.py",
    "printf '%s\\n' 'import sys' 'sys.path.insert(0, \"my-codec\")' 'from codec import ApiVersionsRequest' "
    '\'request = ApiVersionsRequest("my-client", "1.0")\' '
    "'assert ApiVersionsRequest.decode(request.encode(3), 3)[0] == request' "
    "'print(\"round trip: passed\")' > round_trip.py",
)
"""The codec of docs/start/python.md, with two fields in the wrong order."""

_CASE: Final = "4.4.0/ApiVersionsRequest/3/enumerated/clientSoftwareName/length-1"

_BATCH: Final = (
    "00000000 00000000 0000004b ffffffff 026ada4a cf000000 00000000 00018bcf e5680000 00018bcf e5680000 "
    "00000000 000fa000 01000000 0c000000 01320000 000e6f72 6465722d 37087061 6964020a 74726163 65022a"
)
"""A record batch of one record with a key, a value and a header."""

_PRODUCE: Final = (
    "0000007e 00000009 00000007 00047368 6f700000 ffff0000 05dc0207 6f726465 72730200 00000258 00000000 "
    "00000000 0000004b ffffffff 026ada4a cf000000 00000000 00018bcf e5680000 00018bcf e5680000 00000000 "
    "000fa000 01000000 0c000000 01320000 000e6f72 6465722d 37087061 6964020a 74726163 65022a00 0000"
)
"""A frame of ProduceRequest 9 with that record."""

RECIPES: Final[tuple[Recipe, ...]] = (
    Cast(
        name="finding",
        title="wireproof finds a bug that a round trip does not",
        alt=(
            "A terminal. The round trip of a codec passes. Then wireproof run finds two fields in the"
            " wrong order: it names two causes, one of reading and one of writing, shows the codec's "
            "answer beside Kafka's, and prints the lines that replay a case and that try a fix."
        ),
        pages=("README.md", "docs/index.md"),
        setup=_SWAPPED_FIELDS,
        commands=(
            TypedCommand("python round_trip.py", rest=1.2),
            TypedCommand("wireproof run --testee my-codec --phase enumerated", exit_code=1, rest=6),
        ),
    ),
    Cast(
        name="proven",
        title="The bug is fixed: replay, and a run that proves the codec",
        alt=(
            "A terminal. The codec is fixed. wireproof replay reports that the divergence is gone; "
            "wireproof run proves 4 of 4 cells of my-codec and ends with the verdict Proven."
        ),
        pages=("docs/start/python.md",),
        setup=(*_SWAPPED_FIELDS, "mv my-codec/codec.py.right my-codec/codec.py"),
        commands=(
            TypedCommand(f"wireproof replay --testee my-codec {_CASE}"),
            TypedCommand("wireproof run --testee my-codec", rest=5),
        ),
    ),
    Cast(
        name="decode",
        title="wireproof decode: every byte of a record batch by name",
        alt=(
            "A terminal. wireproof decode takes the hex of a record batch, and prints each byte with its "
            "offset, its field and its value, down to the key, the value and the headers of a record; "
            "then all as JSON."
        ),
        pages=("docs/guides/codec.md",),
        commands=(TypedCommand(f"wireproof decode --cell RecordBatch/2 {_BATCH}", rest=6),),
    ),
    Cast(
        name="schema-check",
        title="wireproof schema check: what a change of a message breaks",
        alt=(
            "A terminal. wireproof schema check compares a message of Kafka 3.5 and 3.6, lists the "
            "changed fields, and shows the shortest bytes that each side misreads: one reads 16777216"
            " where the other wrote 0."
        ),
        pages=("docs/guides/schema.md",),
        commands=(
            TypedCommand(
                "wireproof schema check 3.5 3.6 --message ConsumerGroupPartitionMetadataValue",
                exit_code=1,
                rest=6,
            ),
        ),
    ),
    Screenshot(
        name="run-page",
        alt=(
            "The page of a run in a browser: the verdict Not proven, seven numbers, two causes with the "
            "codec's answers beside Kafka's, filters, and the first finding, of ApiVersionsRequest 3."
        ),
        pages=("docs/guides/ci.md",),
        setup=(
            *(TypedCommand(line) for line in _SWAPPED_FIELDS),
            TypedCommand("wireproof run --testee my-codec --phase enumerated --html run.html", exit_code=1),
        ),
        page="run.html",
        width=1280,
        height=1200,
    ),
    Screenshot(
        name="decoder-page",
        alt=(
            "The page of a frame in a browser: on the left the fields of ProduceRequest 9 as a tree, down to "
            "the record batch; on the right the bytes, each field in a colour of its own."
        ),
        pages=("docs/guides/codec.md",),
        setup=(TypedCommand(f"wireproof decode --html frame.html {_PRODUCE}"),),
        page="frame.html",
        width=1280,
        height=860,
        clicks=("text=correlationId",),
    ),
    Screenshot(
        name="codecs-page",
        alt=(
            "The table of public codecs in a browser: for each codec how many versions of messages it "
            "encodes and decodes as Kafka does, with known deviations marked, and filters by message, codec "
            "and state."
        ),
        pages=("README.md", "docs/reference/generated/codecs-matrix.md"),
        setup=(
            TypedCommand(
                'wireproof matrix --from "$CHECKOUT/docs/reference/generated/codecs-matrix.json" '
                "--format html --output codecs.html"
            ),
        ),
        page="codecs.html",
        width=1280,
        height=900,
    ),
)
"""All pictures."""
