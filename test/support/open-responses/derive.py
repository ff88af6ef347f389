"""Derives schema.json from the types of Open Responses (openresponses.org), which the package openresponses-types has:

    python3 -m venv v && v/bin/pip install openresponses-types==2.4.0
    v/bin/python test/support/open-responses/derive.py > test/support/open-responses/schema.json
    npx biome format --write test/support/open-responses/schema.json

The package is made of the specification's OpenAPI document of 2026-04-24. Copyright mozilla.ai; Apache License 2.0, as the
specification itself. Only answers are kept, without the descriptions.
"""

import json

import openresponses_types.types as types
from pydantic.json_schema import models_json_schema

EVENTS = [name for name in dir(types) if name.endswith("StreamingEvent")]
ROOTS = ["ResponseResource", "CompactResource", "WebSocketErrorEvent", *EVENTS]


def bare(node, holds_names=False):
    """A schema without what only people read."""
    if isinstance(node, list):
        return [bare(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: bare(value, holds_names=key in ("properties", "$defs"))
        for key, value in node.items()
        if holds_names or key not in ("title", "description", "default")
    }


definitions = bare(models_json_schema([(getattr(types, name), "validation") for name in ROOTS])[1])["$defs"]

# The document says that a schema is null, which is no schema.
definitions["JsonSchemaResponseFormat"]["properties"].pop("schema")


def words(node):
    """What `type` may be in an object; none if it does not matter."""
    node = definitions[node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
    kind = node.get("properties", {}).get("type", {})
    kind = definitions[kind["$ref"].rsplit("/", 1)[1]] if "$ref" in kind else kind
    return kind.get("enum") or ([kind["const"]] if "const" in kind else [])


def told_apart(node):
    """Unions of objects by their `type`, so that an error names the one that is meant. Other types may stand there too."""
    if isinstance(node, list):
        return [told_apart(each) for each in node]
    if not isinstance(node, dict):
        return node
    node = {key: told_apart(value) for key, value in node.items()}
    members = [each for each in node.get("anyOf", []) if each.get("type") != "null"]
    if len(members) < 2 or not all(words(each) for each in members):
        return node
    told = by_type(members)
    return told if len(members) == len(node["anyOf"]) else {"anyOf": [told, {"type": "null"}]}


def by_type(members):
    cases = [
        {"if": {"properties": {"type": {"const": word}}}, "then": each} for each in members for word in words(each)
    ]
    return {"type": "object", "required": ["type"], "allOf": cases}


# Unions of one member so far, and choices of tools that are not in them.
for name in ("Annotation", "Tool"):
    definitions[name] = by_type([definitions[name]])
definitions["AllowedToolChoice"]["properties"]["tools"]["items"] = by_type([{"$ref": "#/$defs/FunctionToolChoice"}])
definitions["ResponseResource"]["properties"]["tool_choice"] = {
    "anyOf": [
        {"$ref": "#/$defs/ToolChoiceValueEnum"},
        by_type([{"$ref": "#/$defs/FunctionToolChoice"}, {"$ref": "#/$defs/AllowedToolChoice"}]),
    ]
}

told = told_apart(definitions)
events = {f"StreamingEvent.{word}": {"$ref": f"#/$defs/{name}"} for name in EVENTS for word in words(told[name])}
print(
    json.dumps(
        {
            "$comment": "Derived from openresponses-types 2.4.0 (mozilla.ai, Apache License 2.0) by derive.py.",
            "$defs": {**told, **events},
        },
        indent=2,
        sort_keys=True,
    )
)
