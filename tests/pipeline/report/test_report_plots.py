"""Plots of messages whose names are odd."""

from xml.etree import ElementTree

import pytest

from wireproof.pipeline.report.html_page import coverage_plot
from wireproof.pipeline.report.report_data import CellReach, ReportData


@pytest.mark.parametrize(
    ("name", "shown"),
    [("$x^$", "$x^$"), ("\ud800", "\\ud800"), ("W" * 300, "W" * 60 + "...")],
    ids=["formula", "surrogate", "long"],
)
def test_a_name_is_shown_as_text(name: str, shown: str) -> None:
    """A formula is not set as one, half of a surrogate pair is spelled, and a long name is cut."""
    cell = CellReach("4.3.1", "clients", name, 0, "request", 1, 1, 1, 1, 0)
    plot = coverage_plot(ReportData({}, {}, [], [cell], [], [], [], []), "4.3.1")
    texts = [
        "".join(each.itertext()) for each in ElementTree.fromstring(plot).iter() if each.tag.endswith("text")
    ]
    assert shown in texts
