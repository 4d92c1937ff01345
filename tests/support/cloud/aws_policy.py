"""The template's policies, filled in and evaluated for requests as IAM does: the default is to deny.

Only the part of IAM's language that the template uses, so that an unknown condition is an error and no permission.

**Source**: IAM user guide, "Policy evaluation logic", "Condition operators", "Keys with several values"; service
authorization reference of EC2, S3, EMR; 2026-11-20.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from uuid import UUID

import yaml

from laboratory.account import ACCOUNT
from stowage.features.benchmarks.account_template import filled

PRINCIPAL = "arn:aws:iam::123456789012:role/stowage-worker"


@dataclass(frozen=True)
class Asked:
    """An action of a request on one resource."""

    action: str
    resource: str
    context: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """Condition key -> value, or values."""


class _Loader(yaml.SafeLoader):
    """YAML loader that reads CloudFormation's short forms as its long ones."""


def _long_form(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
        if suffix == "GetAtt":
            value = value.split(".")
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _long_form)


class Template:
    """The template as a stack of one connection.

    Parameters
    ----------
    connection_id : UUID
    external_id : str
    **parameters : str
        Parameters that the account's owner chose.
    """

    def __init__(self, connection_id: UUID, external_id: str = "x" * 43, **parameters: str) -> None:
        text = filled(external_id=external_id, connection_id=connection_id, principal_arn=PRINCIPAL)
        self.content: dict[str, Any] = yaml.load(text, _Loader)  # noqa: S506 - a safe loader with more tags
        self.values: dict[str, Any] = {
            "AWS::AccountId": ACCOUNT,
            "AWS::Partition": "aws",
            "AWS::Region": "us-east-1",
        }
        for name, told in self.content["Parameters"].items():
            value = parameters.get(name, told.get("Default"))
            self.values[name] = value.split(",") if told["Type"] == "CommaDelimitedList" else value
        short = str(connection_id)[:8]
        self.bucket = f"stowage-{ACCOUNT}-{short}"
        self.values |= {"Bucket": self.bucket, "Role": f"stowage-{short}"}

    def holds(self, condition: str) -> bool:
        return bool(self._resolved(self.content["Conditions"][condition]))

    def resource(self, name: str) -> Any:
        return self._resolved(self.content["Resources"][name]["Properties"])

    def statements(self) -> list[Any]:
        """Return all statements of the role's policies."""
        found = []
        for each in self.content["Resources"].values():
            if each["Type"] == "AWS::IAM::RolePolicy" and ("Condition" not in each or self.holds(each["Condition"])):
                found += self._resolved(each["Properties"])["PolicyDocument"]["Statement"]
        return found

    def trust(self) -> list[Any]:
        statements: list[Any] = self.resource("Role")["AssumeRolePolicyDocument"]["Statement"]
        return statements

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._resolved(each) for each in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            [(name, given)] = value.items()
            if name == "Ref":
                return self.values.get(given, f"<{given}>")
            if name == "Fn::GetAtt":
                return f"arn:aws:s3:::{self.bucket}" if given == ["Bucket", "Arn"] else f"<{'.'.join(given)}>"
            if name.startswith("Fn::"):
                return getattr(self, f"_{name[4:].lower()}")(given)
        return {key: self._resolved(each) for key, each in value.items()}

    def _sub(self, given: Any) -> str:
        text, more = (given, {}) if isinstance(given, str) else (given[0], self._resolved(given[1]))
        known = {"Bucket.Arn": f"arn:aws:s3:::{self.bucket}", **self.values, **more}
        for name, value in known.items():
            text = text.replace(f"${{{name}}}", str(value))
        assert "${" not in text, text
        return str(text)

    def _select(self, given: Any) -> Any:
        place, values = given
        return self._resolved(values)[int(place)]

    def _join(self, given: Any) -> str:
        return str(given[0]).join(self._resolved(given[1]))

    def _split(self, given: Any) -> list[str]:
        return str(self._resolved(given[1])).split(given[0])

    def _equals(self, given: Any) -> bool:
        first, second = self._resolved(given)
        return bool(first == second)

    def _not(self, given: Any) -> bool:
        return not self._resolved(given[0])

    def _if(self, given: Any) -> Any:
        condition, then, otherwise = given
        return self._resolved(then if self.holds(condition) else otherwise)


def allows(statements: Iterable[Any], asked: Asked) -> bool:
    """Return whether policies allow a request: one statement allows it, and none denies it."""
    meant = [each for each in statements if _is_meant(each, asked)]
    return any(each["Effect"] == "Allow" for each in meant) and not any(each["Effect"] == "Deny" for each in meant)


def _is_meant(statement: Any, asked: Asked) -> bool:
    actions, resources = _listed(statement["Action"]), _listed(statement.get("Resource", "*"))
    return (
        any(fnmatchcase(asked.action.lower(), each.lower()) for each in actions)
        and any(fnmatchcase(asked.resource, each) for each in resources)
        and all(
            _meets(operator, key, _listed(wanted), asked.context)
            for operator, keys in statement.get("Condition", {}).items()
            for key, wanted in keys.items()
        )
    )


def _meets(operator: str, key: str, wanted: list[str], context: Mapping[str, str | Sequence[str]]) -> bool:
    there = key in context
    values = _listed(context[key]) if there else []
    match operator:
        case "StringEquals" | "Bool":
            return there and values[0] in wanted
        case "StringEqualsIfExists":
            return not there or values[0] in wanted
        case "StringNotEquals":
            return not there or values[0] not in wanted
        case "StringLike":
            return there and any(fnmatchcase(values[0], each) for each in wanted)
        case "ForAllValues:StringLike":
            return all(any(fnmatchcase(value, each) for each in wanted) for value in values)
        case "NumericLessThan":
            return there and float(values[0]) < float(wanted[0])
        case "NumericGreaterThan":
            return there and float(values[0]) > float(wanted[0])
        case _:
            raise AssertionError(f"{operator} is not understood here")


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
