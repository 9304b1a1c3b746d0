"""The part of JSON Schema that docs/gateway.schema.json uses."""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int}
KNOWN = {"$ref", "oneOf", "type", "const", "enum", "pattern", "minLength", "maxLength", "minimum", "required", "properties",
         "additionalProperties", "items", "description"}


def faults(value, schema, root, path="$"):
    """What is wrong with a value: sentences."""
    unknown = set(schema) - KNOWN
    assert not unknown, f"{path}: this file does not know {unknown}"
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, path)
    if "oneOf" in schema:
        tried = [faults(value, one, root, path) for one in schema["oneOf"]]
        fitting = [one for one in tried if not one]
        return [] if len(fitting) == 1 else [f"{path}: {len(fitting)} of {len(tried)} fit: {value!r:.300} {tried}"]
    wanted = schema.get("type", [])
    wanted = wanted if isinstance(wanted, list) else [wanted]
    if wanted and not any(isinstance(value, TYPES[one]) and (one != "integer" or not isinstance(value, bool)) for one in wanted):
        return [f"{path}: no {wanted}: {value!r:.100}"]
    found = []
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: not {schema['const']!r}: {value!r:.100}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: none of {schema['enum']}: {value!r:.100}")
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            found.append(f"{path}: does not match {schema['pattern']}: {value!r:.100}")
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            found.append(f"{path}: {len(value)} characters")
    if isinstance(value, int) and value < schema.get("minimum", value):
        found.append(f"{path}: less than {schema['minimum']}: {value}")
    if isinstance(value, dict):
        found += [f"{path}: without {name}" for name in schema.get("required", []) if name not in value]
        properties = schema.get("properties", {})
        for name, part in value.items():
            if name in properties:
                found += faults(part, properties[name], root, f"{path}.{name}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{path}: unknown member {name}")
    if isinstance(value, list) and "items" in schema:
        for index, part in enumerate(value):
            found += faults(part, schema["items"], root, f"{path}[{index}]")
    return found
