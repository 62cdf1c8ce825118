"""The pictures of README and of the site are those that their recipes make, and every page shows its own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from docs.pictures.manifest import read_manifest, text_hash
from docs.pictures.recipes import FOLDER, RECIPES, Cast, Recipe, Screenshot, TypedCommand, recipe_hash
from docs.pictures.screens import COLOURS, Emulator, UnknownColourError, session, text_of
from docs.pictures.svg import PALETTE, SHAPES, contrast, draw
from docs.pictures.terminal import CommandFailedError, OutputChunk, record, run_quietly
from docs.pictures.upkeep import (
    cast_text,
    command_problems,
    file_problems,
    images,
    page_problems,
    png_problems,
    record_problems,
    svg_problems,
    text_problems,
)
from wireproof.app.cli.app import command_line

_CASTS = [each for each in RECIPES if isinstance(each, Cast)]
_SHOTS = [each for each in RECIPES if isinstance(each, Screenshot)]
_SMALL = Cast("small", "A title", "What it shows", (), (TypedCommand("echo one"),), columns=40)
_PRINTED = (OutputChunk(0.2, b"\x1b[2mone\x1b[0m\r\n"), OutputChunk(3.0, b"\x1b[1;31mtwo\x1b[0m  <&>\r\n"))


def _named(recipes: Sequence[Recipe]) -> list[object]:
    return [pytest.param(each, id=each.name) for each in recipes]


def test_every_recipe_has_a_picture_and_every_picture_a_recipe() -> None:
    """A picture without a recipe cannot be made again."""
    assert list(file_problems(RECIPES, read_manifest(), FOLDER)) == []


@pytest.mark.parametrize("recipe", _named(RECIPES))
def test_a_picture_is_of_its_recipe(recipe: Recipe) -> None:
    """Neither the recipe nor the file was changed after the recording, and each page shows the picture."""
    assert list(record_problems(recipe, read_manifest().get(recipe.name), FOLDER)) == []
    assert list(page_problems(recipe)) == []


@pytest.mark.parametrize("cast", _named(_CASTS))
def test_a_cast_is_whole_and_loads_nothing(cast: Cast) -> None:
    """It is well-formed, small, without a script and without a reference; it shows its commands."""
    svg = (FOLDER / cast.files[0]).read_bytes()
    assert list(svg_problems(svg)) == []
    assert list(text_problems(cast, svg)) == []


def test_screenshots_are_small() -> None:
    """Each theme has its own PNG."""
    for shot in _SHOTS:
        light, dark = ((FOLDER / name).read_bytes() for name in shot.files)
        assert light != dark
        assert [*png_problems(light), *png_problems(dark)] == [], shot.name


@pytest.mark.parametrize("recipe", _named(RECIPES))
def test_the_commands_of_a_picture_exist(recipe: Recipe) -> None:
    """Each command has the options that the picture shows."""
    lines = [each.line for each in (recipe.commands if isinstance(recipe, Cast) else recipe.setup)]
    if isinstance(recipe, Cast):
        lines += recipe.setup
    assert [problem for line in lines for problem in command_problems(line, command_line)] == []
    assert any(line.startswith("wireproof ") for line in lines)


def test_an_unknown_command_or_option_is_a_problem() -> None:
    """So is an option of another command; words after a comment sign are not looked at."""
    for line, words in (
        ("wireproof prove", "No such command"),
        ("wireproof run --testees x", "--testees"),
        ("wireproof schema check 3.5 3.6 --phase enumerated", "--phase"),
        ("wireproof testee create x", "No such command"),
    ):
        (problem,) = command_problems(line, command_line)
        assert words in problem
    assert list(command_problems("wireproof run --testee x # --none", command_line)) == []
    assert list(command_problems("echo --none", command_line)) == []


def test_a_stale_picture_is_a_problem() -> None:
    """A changed recipe, a changed file and a missing record are found; so are files too few and too many."""
    cast = _CASTS[0]
    kept = read_manifest()[cast.name]
    changed = replace(cast, commands=(*cast.commands, TypedCommand("wireproof doctor")))
    (problem,) = record_problems(changed, kept, FOLDER)
    assert "the recipe changed" in problem
    (problem,) = record_problems(cast, replace(kept, files={cast.files[0]: "0" * 64}), FOLDER)
    assert "changed by hand" in problem
    (problem,) = record_problems(cast, None, FOLDER)
    assert "the recipe changed" in problem
    (problem,) = file_problems([*RECIPES, replace(cast, name="other")], {}, FOLDER)
    assert problem.startswith("other.svg: no such picture")
    assert [each.partition(":")[0] for each in file_problems(RECIPES[1:], {}, FOLDER)] == [cast.files[0]]
    assert any("a record without a recipe" in each for each in file_problems(RECIPES, {"gone": kept}, FOLDER))


def test_the_hash_of_a_recipe_follows_each_of_its_parts() -> None:
    """Another width, setup, command or text is another picture; on another page it is the same."""
    others = (
        replace(_SMALL, columns=80),
        replace(_SMALL, setup=("true",)),
        replace(_SMALL, commands=(TypedCommand("echo one", exit_code=1),)),
        replace(_SMALL, alt="Another"),
    )
    assert len({recipe_hash(each) for each in (_SMALL, *others)}) == 5
    assert recipe_hash(replace(_SMALL, pages=("README.md",))) == recipe_hash(_SMALL)


def test_a_page_without_its_picture_is_a_problem() -> None:
    """So is a page with another alternative text."""
    (problem,) = page_problems(replace(_CASTS[0], name="other", pages=("README.md",)))
    assert problem == "README.md does not show other.svg"
    (problem,) = page_problems(replace(_CASTS[0], alt="other", pages=_CASTS[0].pages[:1]))
    assert "the alternative text of" in problem
    assert images(
        '![a b](x.svg)\n<source srcset="d.png">\n<img\n src="l.png"\n alt="Kafka&#39;s\n bytes">'
    ) == [("x.svg", "a b"), ("d.png", None), ("l.png", "Kafka's bytes")]


@pytest.mark.parametrize(
    "part",
    [
        "<script>alert(1)</script>",
        '<image href="a.png"/>',
        '<text onclick="a()">a</text>',
        '<rect class="back" style="fill: url(//host.example/a)"/>',
        "<style>@import 'a.css';</style>",
        "<foreignObject/>",
        "<a/>",
    ],
)
def test_a_script_or_a_reference_in_an_svg_is_a_problem(part: str) -> None:
    """So is any element that the drawing does not use."""
    svg = draw(_SMALL, session([(_SMALL.commands[0], _PRINTED)], 40))
    assert list(svg_problems(svg.encode())) == []
    assert list(svg_problems(svg.replace("</svg>", f"{part}</svg>").encode()))
    assert list(svg_problems(svg.replace("A title", " ").encode())) == ["no title"]
    assert "expected 200000 at most" in next(svg_problems(svg.encode() + b" " * 200_000))


def test_a_large_screenshot_is_a_problem() -> None:
    """Bytes and pixels are bounded."""
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x10\0\0\0\x02\0"
    assert list(png_problems(png)) == ["4096 by 512 pixels: expected 2400 at most"]
    assert "expected 250000 at most" in next(png_problems(png.ljust(250_001)))
    assert list(png_problems(b"GIF")) == ["not a PNG"]


def test_a_session_is_typed_paced_and_drawn() -> None:
    """Long pauses are cut, faint and bold text keep their look, the last screen rests; text is escaped."""
    screens = session([(_SMALL.commands[0], _PRINTED)], 40)
    assert text_of(screens[0].screen) == "$ ech"
    assert text_of(screens[-1].screen) == "$ echo one\none\ntwo  <&>"
    assert [each.seconds for each in screens] == [0.0, 0.1, 0.2, 0.6, 0.8, 1.5, 3.0]
    assert [run.style for row in screens[-1].screen for run in row] == ["", "dim", "red bold", ""]
    slow = [OutputChunk(each * 10.0, b"%d\r\n" % each) for each in range(1, 9)]
    assert session([(_SMALL.commands[0], slow)], 40)[-1].seconds == pytest.approx(0.6 + 4.0 + 1.5)
    svg = draw(_SMALL, screens)
    assert "&lt;&amp;&gt;" in svg
    assert svg == draw(_SMALL, session([(_SMALL.commands[0], _PRINTED)], 40))
    assert cast_text(svg.encode()).splitlines()[1:] == ["one", "two<&>"]
    assert list(text_problems(_SMALL, svg.encode())) == []
    assert list(text_problems(replace(_SMALL, commands=(TypedCommand("echo two"),)), svg.encode()))


def test_only_the_rows_of_the_last_screen_show_without_animation() -> None:
    """A command typed in part and a progress bar that is gone have the class `gone`."""
    bar = OutputChunk(0.1, "\x1b[38;5;197m━━╸\x1b[0m 1/4".encode())
    end = OutputChunk(2.0, b"\r\x1b[2Kdone\r\n")
    svg = draw(_SMALL, session([(_SMALL.commands[0], (bar, end))], 40))
    gone = [line for line in svg.splitlines() if ' gone"' in line]
    assert [word in "".join(gone) for word in ("$ ech<", "1/4", 'width="21.0"')] == [True, True, True]
    rest = [line for line in svg.splitlines() if line.startswith("<g") and " gone" not in line]
    assert [cast_text(f'<x xmlns="http://www.w3.org/2000/svg">{line}</x>'.encode()) for line in rest] == [
        "$echoone",
        "done",
    ]


def test_a_colour_without_a_class_is_an_error() -> None:
    """It would be drawn in the colour of plain text."""
    with pytest.raises(UnknownColourError, match="colour 123456 on default: expected one of default, red"):
        Emulator(20).feed(b"\x1b[38;2;18;52;86mx")


def test_text_has_contrast_in_both_themes() -> None:
    """WCAG AA asks for 4.5 to 1."""
    assert set(filter(None, COLOURS.values())) < PALETTE.keys()
    for theme in (0, 1):
        back = PALETTE["back"][theme]
        low = {name: contrast(each[theme], back) for name, each in PALETTE.items() if name not in SHAPES}
        assert min(low.values()) >= 4.5, low
    assert round(contrast("#ffffff", "#000000")) == 21


def test_a_recording_has_the_screen_of_a_real_terminal(tmp_path: Path) -> None:
    """The command sees a terminal of that width; another exit code than the recipe's is an error."""
    line = "test -t 1 && stty size && printf '\\033[31mred\\033[0m'; exit 3"
    chunks = record(TypedCommand(line, exit_code=3), tmp_path, columns=72)
    assert b"".join(each.data for each in chunks).split(b"\r\n") == [b"60 72", b"\x1b[31mred\x1b[0m"]
    with pytest.raises(CommandFailedError, match="ended with 3: expected 0"):
        record(TypedCommand(line), tmp_path, columns=72)
    with pytest.raises(CommandFailedError, match="ended with 2: expected 0"):
        run_quietly(TypedCommand("exit 2"), tmp_path)


def test_times_are_no_part_of_what_a_picture_shows() -> None:
    """Two runs that differ in durations and rates alone show the same."""
    assert text_hash("4 cells, 62 cases, 40/s 00:01 ━━╸ 7.0 s") == text_hash(
        "4 cells, 62 cases, 9/s --:-- ━ 2.1 s"
    )
    assert text_hash("4 cells") != text_hash("5 cells")
