"""domains: abstract domains over machine integers, as pure values; no control flow graph, no solver, no I/O."""

from raceproof.domains.concrete import Undefined, Unspecified
from raceproof.domains.concrete import evaluate as evaluate_concretely
from raceproof.domains.expressions import (
    BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    AnyValue,
    Binary,
    Cast,
    Const,
    Expr,
    MachineType,
    Op,
    SignedOverflow,
    Unary,
    UnaryOp,
    Variable,
    variables_of,
)
from raceproof.domains.linear import LinearExpr
from raceproof.domains.numeric import NumericDomain, intervals, octagons, polyhedra
from raceproof.domains.packs import packs_of, related_in
from raceproof.domains.parma import has_polyhedra
from raceproof.domains.polyhedron import Limits
from raceproof.domains.protocol import Domain
from raceproof.domains.relation import Bounds
from raceproof.domains.state import State
from raceproof.domains.values import Value, between, hull

__all__ = [
    "BOOL",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "AnyValue",
    "Binary",
    "Bounds",
    "Cast",
    "Const",
    "Domain",
    "Expr",
    "Limits",
    "LinearExpr",
    "MachineType",
    "NumericDomain",
    "Op",
    "SignedOverflow",
    "State",
    "Unary",
    "UnaryOp",
    "Undefined",
    "Unspecified",
    "Value",
    "Variable",
    "between",
    "evaluate_concretely",
    "has_polyhedra",
    "hull",
    "intervals",
    "octagons",
    "packs_of",
    "polyhedra",
    "related_in",
    "variables_of",
]
