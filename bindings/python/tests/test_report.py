# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reports: as the command line's, as objects, as a picture."""

import html.parser
import json
import pickle
from pathlib import Path

import gnomon
import pytest


@pytest.fixture
def report(spec: gnomon.Spec, csv: Path) -> gnomon.Report:
    return gnomon.check(spec, csv)


def test_outcomes(report: gnomon.Report) -> None:
    assert list(report) == ["answered", "calm"] and len(report) == 2
    answered = report["answered"]
    assert (answered.activated, answered.satisfied, answered.violated) == (4, 2, 2)
    assert answered.verdict == "violated" and not answered.ok and report["calm"].ok
    assert answered.duration is not None and (answered.duration.min, answered.duration.max) == (0, 2)
    assert (report.events, report.first_time, report.last_time) == (7, 1, 10)
    assert report.unseen == ["alarm"]
    with pytest.raises(KeyError, match="answered, calm"):
        report["quiet"]


def test_a_violation_is_explained(report: gnomon.Report) -> None:
    first, second = report.violations
    assert (first.property, first.event_index, first.time, first.event) == ("answered", 1, 2, "ask")
    assert first.binding == {"x": "bob"} and first.failed == "F[0,3] answer(x)"
    assert first.because and first.because[0].event == "ask"
    assert first.decided == gnomon.Decided(time=5)
    assert "answered" in str(first) and "'bob'" in str(first)
    assert second.time == 5


def test_the_text_is_what_the_command_prints(report: gnomon.Report) -> None:
    text = str(report)
    assert "answers.csv: 7 events, from 1 to 10" in text.splitlines()[0]
    assert "violation[answered]" in text and "^^^" in text and "\x1b" not in text
    assert text.endswith("2 properties: 1 violated, 1 holds")
    assert repr(report) == "<Report of answers.csv: answered: violated, calm: holds>"


def test_the_json_is_that_of_the_command(report: gnomon.Report) -> None:
    said = report.to_dict()
    assert said == json.loads(report.to_json()) and said["gnomon"] == gnomon.__version__
    assert said["spec"] == "answers.rv" and said["traces"][0]["verdict"] == "violated"


class Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag not in ("br", "line", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("line", "circle"):
            assert self.open.pop() == tag


def test_a_report_draws_itself(spec: gnomon.Spec) -> None:
    report = gnomon.check(spec, [("ask", 1, {"x": "<script>alert(1)</script>"}), ("<img>", 9)])
    page = report._repr_html_()
    tags = Tags()
    tags.feed(page)
    assert not tags.open and {"table", "svg", "details", "pre"} <= tags.seen
    assert not tags.seen & {"script", "img"} and "http" not in page
    assert "violated" in page and "&lt;script&gt;" in page


def test_reports_are_pickled(spec: gnomon.Spec, csv: Path) -> None:
    report = gnomon.check(spec, csv, by="x")
    copied = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(report))))
    assert copied == report and str(copied) == str(report) and copied._repr_html_() == report._repr_html_()
    assert copied.violations == report.violations
    assert copied.to_arrow("cases").to_pylist() == report.to_arrow("cases").to_pylist()
