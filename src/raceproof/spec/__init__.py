"""spec: what each function of the thread APIs does, once: state x operation -> outcomes, executable.

`RULES` is the table, with the clause of POSIX or C11 beside each row; `FUNCTIONS` maps the names of the APIs to its
operations; `World` executes it. Engines, the explorer's runtime and the tests' oracle are tested against it, and
docs/thread_api.md is printed from it.
"""

from raceproof.spec.interpreter import RULES, Change, Step, VectorClocks, World, rule_for
from raceproof.spec.operations import ALIASES, FUNCTIONS, ApiFunction, Family, Operation, function, returned
from raceproof.spec.states import (
    SEM_VALUE_MAX,
    BarrierState,
    CondState,
    Health,
    KeyState,
    Life,
    MutexState,
    ObjectState,
    OnceState,
    RwlockState,
    SemState,
    ThreadState,
    seen,
)
from raceproof.spec.terms import Basis, Clock, Edge, Effect, Kind, ObjectType, Outcome, Result, Rule, Seen

__all__ = [
    "ALIASES",
    "FUNCTIONS",
    "RULES",
    "SEM_VALUE_MAX",
    "ApiFunction",
    "BarrierState",
    "Basis",
    "Change",
    "Clock",
    "CondState",
    "Edge",
    "Effect",
    "Family",
    "Health",
    "KeyState",
    "Kind",
    "Life",
    "MutexState",
    "ObjectState",
    "ObjectType",
    "OnceState",
    "Operation",
    "Outcome",
    "Result",
    "Rule",
    "RwlockState",
    "Seen",
    "SemState",
    "Step",
    "ThreadState",
    "VectorClocks",
    "World",
    "function",
    "returned",
    "rule_for",
    "seen",
]
