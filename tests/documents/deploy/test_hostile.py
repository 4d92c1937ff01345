"""Hostile names in deployment files: they stay a comment, a tag or a value."""

import ast
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from deployed import HOSTILE, shape, texts, written
from documents_checked import template_of, terraform_of
from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.quoting import comment_text, file_stem, tag_value

TAG = re.compile(r"[\w\s_.:/=+\-@]{0,256}")
"""Characters that every service accepts in a tag's value (EC2 user guide, "Tag restrictions"; same in EMR and IAM)."""


def named(name: str) -> Deployment:
    return replace(shape("emr on spot"), name=name)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_changes_nothing_but_name_and_comment(name: str) -> None:
    there, _ = written(named(name))
    template = template_of(there["cloudformation"].text)
    plain, plain_terraform = _plain()
    assert _without_names(template) == _without_names(plain)
    assert terraform_of(there["terraform"].text).keys() == plain_terraform.keys()
    assert _shape_of(there["boto3"].text) == _shape_of(texts("emr on spot")["boto3"])
    assert json.loads(there["emr"].text).keys() == json.loads(texts("emr on spot")["emr"]).keys()
    for file in there.values():
        assert file.text.encode()
        assert len(file.name) < 80
        assert file.name.isascii()
        if file.format.startswith("fio"):
            assert _jobs(file.text) == _jobs(texts("emr on spot")[file.format])


@cache
def _plain() -> tuple[Any, Any]:
    """Return the template and the Terraform of a harmless name."""
    return template_of(texts("emr on spot")["cloudformation"]), terraform_of(texts("emr on spot")["terraform"])


def _without_names(document: object) -> str:
    return re.sub(r"'Key': 'Name', 'Value': '[^']*'", "", str(document))


def _shape_of(script: str) -> list[str]:
    """Return a script without its string values."""
    values = {"CLUSTER", "TAGS"}
    statements = [
        each
        for each in ast.parse(script).body
        if not (isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and each.targets[0].id in values)
    ]
    return [ast.dump(each) for each in statements]


def _jobs(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@given(st.text(max_size=400))
def test_a_comment_stays_on_its_line(text: str) -> None:
    assert comment_text(text).isprintable()
    assert yaml.safe_load(f"# {comment_text(text)}\nx: 1\n") == {"x": 1}


@given(st.text(max_size=400))
def test_a_tag_is_one_that_aws_takes(text: str) -> None:
    value = tag_value(text)
    assert TAG.fullmatch(value)
    assert "  " not in value
    assert tag_value(value) == value


@pytest.mark.parametrize(("name", "tag"), [("aws:x", "aws_x"), ("AWS: x", "AWS_ x"), ("an aws:x", "an aws:x")])
def test_no_tag_begins_like_those_of_aws(name: str, tag: str) -> None:
    assert tag_value(name) == tag
    assert tag_value(tag) == tag


def test_no_security_group_is_named_like_the_identifier_of_one() -> None:
    assert [file_stem(name) for name in ("SG 1", "sg", "sgi 1", "msg 1")] == ["group-1", "group", "sgi-1", "msg-1"]
    there, _ = written(named("sg"))
    assert "CLUSTER = 'group-" in there["boto3"].text
    assert 'name_prefix = "sg-' not in there["terraform"].text


@given(st.text(max_size=100))
def test_a_file_has_a_name_everywhere(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", file_stem(text))


def test_a_name_that_was_cleaned_says_so(tmp_path: Path) -> None:
    del tmp_path
    head = texts("emr on spot")["cloudformation"].splitlines()[:8]
    assert not any("In tags" in line for line in head)
    cleaned = written(named("50% of {x}"))[0]["cloudformation"].text
    assert "# In tags: 50_ of _x_ (AWS takes letters" in cleaned
