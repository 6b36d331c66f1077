"""As much of JSON Schema as `docs/report.md` uses: every keyword of another kind is an error."""

import re
from pathlib import Path
from typing import Any

REPORT = Path(__file__).parents[1] / "docs" / "report.md"

_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
_IGNORED = {"$schema", "$defs", "title", "type"}


def report_schema() -> dict[str, Any]:
    """The schema of reports."""
    import json

    found = re.search(r"<!-- schema -->\n```json\n(.*?)```", REPORT.read_text(), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], place: str = "$") -> list[str]:
    """What is wrong with `value` under `schema`, each with its place."""
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, place)
    if "type" in schema and (isinstance(value, bool) or not isinstance(value, _TYPES[schema["type"]])):
        return [f"{place}: {value!r} is no {schema['type']}"]
    found: list[str] = []
    for keyword, wanted in schema.items():
        match keyword:
            case "const":
                found += [] if value == wanted else [f"{place}: {value!r} is not {wanted!r}"]
            case "enum":
                found += [] if value in wanted else [f"{place}: {value!r} is none of {wanted!r}"]
            case "anyOf":
                ways = [faults(value, way, root, place) for way in wanted]
                found += [] if not all(ways) else ways[0]
            case "required":
                found += [f"{place}: no {key}" for key in wanted if key not in value]
            case "items":
                for index, item in enumerate(value):
                    found += faults(item, wanted, root, f"{place}[{index}]")
            case "properties":
                for key in wanted.keys() & value.keys():
                    found += faults(value[key], wanted[key], root, f"{place}.{key}")
            case "additionalProperties":
                for key in value.keys() - schema.get("properties", {}).keys():
                    found += faults(value[key], wanted, root, f"{place}.{key}") if wanted else [f"{place}: {key}"]
            case _:
                assert keyword in _IGNORED, keyword
    return found
