"""The table of output formats is all that a command needs to know of them."""

import pytest

from wireproof.verdict.report.output_formats import CLIENT_FORMATS, RUN_FORMATS, client_renderer, run_renderer
from wireproof.verdict.report.run_summary import RunSummary


@pytest.mark.parametrize("form", RUN_FORMATS, ids=lambda form: form.name)
def test_a_format_renders_a_run_that_did_not_start(form):
    """A renderer takes a summary without any event and returns text that says why nothing ran."""
    summary = RunSummary(stopped="no Java here")
    assert "no Java here" in run_renderer(form)(summary)


@pytest.mark.parametrize("form", CLIENT_FORMATS, ids=lambda form: form.name)
def test_a_client_format_has_a_renderer(form):
    """Each format of `wireproof judge` can be imported."""
    assert callable(client_renderer(form))


def test_names_are_options():
    """Names are unique, and each format says what its option does."""
    assert len({form.name for form in RUN_FORMATS}) == len(RUN_FORMATS)
    assert all(form.name.isidentifier() and form.sentence.endswith(".") for form in RUN_FORMATS)
    assert set(CLIENT_FORMATS) <= set(RUN_FORMATS)
