"""The part of SARIF 2.1.0 that raceproof writes, as a JSON schema; nothing else is allowed.

The official schema is not at hand as a package. Names and what is required are compared with `sarif_om`, which was
generated from the official schema; types, enumerations and bounds are from the text of the standard.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1}
NUMBER: Schema = {"type": "integer", "minimum": 0}
POSITION: Schema = {"type": "integer", "minimum": 1}
BAG: Schema = {"type": "object"}
LEVEL: Schema = {"enum": ["none", "note", "warning", "error"]}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(items: Schema, at_least: int = 0, unique: bool = False) -> Schema:
    return {"type": "array", "items": items, "minItems": at_least, "uniqueItems": unique}


def _object(required: str = "", **properties: Schema) -> Schema:
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


OBJECTS: dict[str, Schema] = {
    "SarifLog": _object(
        "version runs",
        **{"$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"}, "runs": _list(_ref("Run"))},
    ),
    "Run": _object(
        "tool",
        tool=_ref("Tool"),
        columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        originalUriBaseIds={"type": "object", "additionalProperties": _ref("ArtifactLocation")},
        results=_list(_ref("Result")),
        invocations=_list(_ref("Invocation")),
        artifacts=_list(_ref("Artifact"), unique=True),
    ),
    "Tool": _object("driver", driver=_ref("ToolComponent")),
    "ToolComponent": _object(
        "name",
        name=TEXT,
        fullName=TEXT,
        version=TEXT,
        semanticVersion=TEXT,
        shortDescription=_ref("MultiformatMessageString"),
        fullDescription=_ref("MultiformatMessageString"),
        rules=_list(_ref("ReportingDescriptor"), unique=True),
        notifications=_list(_ref("ReportingDescriptor"), unique=True),
    ),
    "ReportingDescriptor": _object(
        "id",
        id=TEXT,
        name=TEXT,
        shortDescription=_ref("MultiformatMessageString"),
        fullDescription=_ref("MultiformatMessageString"),
        help=_ref("MultiformatMessageString"),
        defaultConfiguration=_ref("ReportingConfiguration"),
        properties=BAG,
    ),
    "MultiformatMessageString": _object("text", text=TEXT, markdown=TEXT),
    "ReportingConfiguration": _object(level=LEVEL),
    "Result": _object(
        "message",
        ruleId=TEXT,
        ruleIndex=NUMBER,
        level=LEVEL,
        message=_ref("Message"),
        locations=_list(_ref("Location")),
        relatedLocations=_list(_ref("Location"), unique=True),
        codeFlows=_list(_ref("CodeFlow")),
        fixes=_list(_ref("Fix"), unique=True),
        partialFingerprints={"type": "object", "additionalProperties": TEXT},
        suppressions=_list(_ref("Suppression"), unique=True),
        baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
        properties=BAG,
    ),
    "Message": _object("text", text=TEXT),
    "Location": _object(
        id=NUMBER,
        physicalLocation=_ref("PhysicalLocation"),
        logicalLocations=_list(_ref("LogicalLocation"), unique=True),
        message=_ref("Message"),
    ),
    "PhysicalLocation": _object("artifactLocation", artifactLocation=_ref("ArtifactLocation"), region=_ref("Region")),
    "LogicalLocation": _object(name=TEXT, kind=TEXT),
    "ArtifactLocation": _object("uri", uri={"type": "string", "format": "uri-reference"}, uriBaseId=TEXT, index=NUMBER),
    "Region": _object(**dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), POSITION)),
    "Fix": _object("artifactChanges", description=_ref("Message"), artifactChanges=_list(_ref("ArtifactChange"), 1)),
    "ArtifactChange": _object(
        "artifactLocation replacements",
        artifactLocation=_ref("ArtifactLocation"),
        replacements=_list(_ref("Replacement"), 1),
    ),
    "Replacement": _object("deletedRegion", deletedRegion=_ref("Region"), insertedContent=_ref("ArtifactContent")),
    "ArtifactContent": _object(text={"type": "string"}),
    "Artifact": _object(
        location=_ref("ArtifactLocation"),
        sourceLanguage=TEXT,
        roles=_list({"enum": ["analysisTarget", "uncontrolledFile", "referencedOnCommandLine"]}, unique=True),
    ),
    "CodeFlow": _object("threadFlows", message=_ref("Message"), threadFlows=_list(_ref("ThreadFlow"), 1)),
    "ThreadFlow": _object(
        "locations", id=TEXT, message=_ref("Message"), locations=_list(_ref("ThreadFlowLocation"), 1)
    ),
    "ThreadFlowLocation": _object(
        executionOrder={"type": "integer", "minimum": 0},
        nestingLevel=NUMBER,
        importance={"enum": ["important", "essential", "unimportant"]},
        kinds=_list({"enum": ["acquire", "release", "lock", "danger", "memory"]}, unique=True),
        location=_ref("Location"),
        state={"type": "object", "additionalProperties": _ref("MultiformatMessageString")},
    ),
    "Suppression": _object("kind", kind={"enum": ["inSource", "external"]}, justification=TEXT),
    "Invocation": _object(
        "executionSuccessful",
        executionSuccessful={"type": "boolean"},
        exitCode={"type": "integer"},
        toolExecutionNotifications=_list(_ref("Notification")),
    ),
    "Notification": _object(
        "message",
        descriptor=_ref("ReportingDescriptorReference"),
        level=LEVEL,
        message=_ref("Message"),
        locations=_list(_ref("Location"), unique=True),
    ),
    "ReportingDescriptorReference": _object(id=TEXT),
}

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": OBJECTS,
    **_ref("SarifLog"),
}
