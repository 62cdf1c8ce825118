"""Lines about requests that ended a codec."""

from tests.support.environments import small_environment
from wireproof.model.codec_ends import CodecEnd, MutationSite
from wireproof.proof.run.core.cell_events import EndedCodec
from wireproof.verdict.report.lines.excused_lines import EndedCodecs, ended_line


def test_a_crash_of_a_codec_is_one_line() -> None:
    """The line has the case, the operation and field, and the first line of the codec's error."""
    site = MutationSite("count-huge", "names", "[]string")
    words = (
        "was killed by SIGABRT; the end of its standard error: panicked at [src]\n  0: rust_begin\n  1: main"
    )
    end = CodecEnd("codec", "process", words, "mutations/default/count=max@0", str(site), 0.0, site)
    event = EndedCodec(
        small_environment.cell("PingRequest", 1), "1.0.0/PingRequest/1/mutations/default/count=max@0", end
    )

    line = ended_line(event)
    assert line.startswith(
        "[yellow]ends its process[/] 1.0.0/PingRequest/1/mutations/default/count=max@0, count-huge"
    )
    assert line.endswith("was killed by SIGABRT; the end of its standard error: panicked at \\[src]")


def test_ends_of_one_operator_have_three_lines_and_a_number_but_each_hang_has_a_line() -> None:
    """One operator ended a codec at 846 fields, and the report of a passing run had as many lines."""
    ended, lines = EndedCodecs(), []
    cell = small_environment.cell("PingRequest", 1)
    for error, operator, count in (
        ("process", "count-huge", 7),
        ("process", "tag-count", 1),
        ("hang", "count-huge", 5),
    ):
        for number in range(count):
            site = MutationSite(operator, f"names{number}", "[]string")
            end = CodecEnd("codec", error, "killed", f"mutations/default/a@{number}", str(site), 9.0, site)
            lines.append(
                ended.line(EndedCodec(cell, f"1.0.0/PingRequest/1/mutations/default/a@{number}", end))
            )

    assert [line is not None for line in lines] == [True] * 3 + [False] * 4 + [True] * 6
    assert [
        line.endswith("(the end gives the number of others with count-huge)") for line in lines[:3] if line
    ] == [False, False, True]
    assert list(ended.lines()) == [
        "Hangs at 5 questions: 5 count-huge",
        "Ends its process at 8 questions: 7 count-huge, 1 tag-count",
    ]
