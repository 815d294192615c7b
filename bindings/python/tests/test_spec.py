# SPDX-License-Identifier: MIT OR Apache-2.0
"""Specs: what they say, and what is wrong with them."""

import copy
import pickle
import warnings
from pathlib import Path

import gnomon
import pytest
from conftest import ANSWERED, ROOT


def test_a_spec_describes_itself(spec: gnomon.Spec) -> None:
    assert [property.name for property in spec.properties] == ["answered", "calm"]
    answered = spec.properties[0]
    assert (answered.language, answered.title, answered.line) == ("mtl", "Asked and answered", 4)
    assert "forall x." in answered.text and str(spec) == spec.text == ANSWERED
    assert repr(spec) == 'Spec("answers.rv", properties=["answered", "calm"])'
    assert (spec.fields, spec.time_field) == (["x"], None)
    assert {"ask", "answer", "alarm"} <= set(spec.events)


def test_specs_are_equal_by_text_and_can_be_sent(spec: gnomon.Spec) -> None:
    for other in (pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec), gnomon.Spec.from_text(ANSWERED)):
        assert other == spec and hash(other) == hash(spec)
    assert pickle.loads(pickle.dumps(spec)).name == "answers.rv"
    assert spec.only(["calm"]) != spec
    assert [property.name for property in pickle.loads(pickle.dumps(spec.only(["calm"]))).properties] == ["calm"]


def test_a_spec_is_loaded_from_a_file() -> None:
    path = ROOT / "examples/atm/atm.rv"
    spec = gnomon.load(path)
    assert spec == gnomon.Spec.from_file(str(path)) and spec.properties
    with pytest.raises(FileNotFoundError) as error:
        gnomon.load(path.with_name("atn.rv"))
    assert error.value.filename is not None and "atn.rv" in str(error.value)


def test_an_error_shows_its_picture() -> None:
    with pytest.raises(gnomon.SpecError) as error:
        gnomon.Spec.from_text("mtl late {\n  G (ask -> F[0,3 answer)\n}\n", name="late.rv")
    (first, *_) = error.value.diagnostics
    assert (first.severity, first.line) == ("error", 2) and first.column is not None
    assert first.code == error.value.code and first.code.startswith("G0")
    text = str(error.value)
    assert f"error[{first.code}]: {first.message}" in text and "--> late.rv:2:" in text and "^" in text
    copied = pickle.loads(pickle.dumps(error.value))
    assert str(copied) == text and copied.diagnostics == error.value.diagnostics


def test_unknown_and_missing_properties_are_refused(tmp_path: Path) -> None:
    with pytest.raises(gnomon.SpecError, match="answered, calm"):
        gnomon.Spec.from_text(ANSWERED, properties=["quiet"])
    with pytest.raises(gnomon.SpecError, match="G0709"):
        gnomon.Spec.from_text("time in s\n")
    path = tmp_path / "latin.rv"
    path.write_bytes(b"soloist calm { G(!\xe9) }")
    with pytest.raises(ValueError, match="UTF-8"):
        gnomon.load(path)


def test_what_is_doubtful_is_a_warning() -> None:
    text = 'extern $rate from "rate.json"\nsoloist calm { G(!alarm) }\n'
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gnomon.Spec.from_text(text, name="unused.rv")
    assert [warning.category for warning in caught] == [gnomon.SpecWarning]
    assert "G0739" in str(caught[0].message)


def test_a_plan_names_the_key(spec: gnomon.Spec) -> None:
    plan = spec.plan(by="x")
    answered = next(one for one in plan["properties"] if one["property"] == "answered")
    assert [key["field"] for key in answered["keys"]] == ["x"]
    assert plan["by"]["field"] == "x" and plan["by"]["allowed"] is False
    assert spec.only(["answered"]).plan(by="x")["by"]["allowed"] is True
