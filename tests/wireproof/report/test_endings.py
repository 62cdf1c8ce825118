"""The line for a question that ended a codec."""

from tests.support.environments import small_environment
from wireproof.model import CodecEnd, MutationSite
from wireproof.report.run.ended_lines import ended_line
from wireproof.run import EndedCodec


def test_a_codec_that_ends_is_one_line() -> None:
    """The case, what was done where, and the first line of what the codec said."""
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
