"""The table of output formats is all that a command needs to know of them."""

import pytest

from wireproof.verdict.report.output_formats import CLIENT_FORMATS, OUTPUT_FORMATS, RUN_FORMATS
from wireproof.verdict.report.run_summary import RunSummary


@pytest.mark.parametrize("form", RUN_FORMATS, ids=lambda form: form.name)
def test_a_format_renders_a_run_that_did_not_start(form):
    """A renderer takes a summary without any event and returns text that says why nothing ran."""
    summary = RunSummary(stopped="no Java here")
    assert "no Java here" in form.run_renderer()(summary)


@pytest.mark.parametrize("form", CLIENT_FORMATS, ids=lambda form: form.name)
def test_a_client_format_has_a_renderer(form):
    """Each format of `wireproof judge` can be imported."""
    assert callable(form.client_renderer())


def test_names_are_options():
    """Names are unique, and each format says what its option does."""
    assert len({form.name for form in OUTPUT_FORMATS}) == len(OUTPUT_FORMATS)
    assert all(form.name.isidentifier() and form.help.endswith(".") for form in OUTPUT_FORMATS)
    assert set(CLIENT_FORMATS) <= set(OUTPUT_FORMATS)
