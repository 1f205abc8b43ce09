"""Who looks at the program of a seed: the cheap engines at each, the others by turns, so that all see every family."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from metamorphic.changes import CHANGES

from exploration.families import CYCLE, Specimen
from exploration.judging import PROVERS, Plan
from exploration.searches import ALL, BY_HAPPENS_BEFORE, CLASSES, ORACLE, SWEEP, UNHUNTED
from raceproof import portfolio

LIGHT_ROUND: Final = 12
_COSTLY: Final = ("limits", "library")
OTHERS: Final = ("optimal", "dpor", "pdp", "dhtc", UNHUNTED)
_CHANGES: Final = tuple(CHANGES)
_WEAK: Final = re.compile(r"memory_order_(?!seq_cst)")
_WAITS: Final = re.compile(r"cond_\w*wait|pthread_cancel")
_TRIED: Final = re.compile(r"try(?:rd|wr)?lock|trywait|tryjoin|setrobust|pthread_cancel")
_CHECKED: Final = (tuple(portfolio.ENGINES), ("shapes",), ("petri",), ("transactions",), ("bmc",), ("explore",))


def searches_of(whole: Specimen) -> tuple[str, ...]:
    """The searches that must agree with `dfs` on it: where an order comes from nothing but happens-before, the papers'
    test, whether both threads stand before their accesses, need not see what that sees."""
    is_weak = _WEAK.search(whole.text) or (whole.family != "sc" and _TRIED.search(whole.text))
    left_out = (ORACLE, "optimal") if "pthread_cancel" in whole.text else (ORACLE,)
    return tuple(name for name in (BY_HAPPENS_BEFORE if is_weak else ALL) if name not in left_out)


def without_hunts(searches: tuple[str, ...]) -> tuple[str, ...]:
    """What rests on the search alone: hunts find many races by luck."""
    return (SWEEP, UNHUNTED) if "dhtc" in searches else (SWEEP,)


def classes_of(whole: Specimen) -> tuple[str, ...]:
    """`classes`, where `optimal` needs as many executions: behind waits at conditions, and where threads are cancelled,
    it goes by source sets."""
    return () if _WAITS.search(whole.text) else (CLASSES,)


def everybody(whole: Specimen) -> Plan:
    searches = searches_of(whole)
    all_of_them = (*searches, *classes_of(whole), *without_hunts(searches))
    return Plan(all_of_them, tuple(PROVERS), True, True, _CHECKED[0], True, True)


def is_light(seed: int) -> bool:
    """Whether a light soak looks at this seed: at the families that cost most in every twelfth round only."""
    return CYCLE[seed % len(CYCLE)] not in _COSTLY or seed // len(CYCLE) % LIGHT_ROUND == 0


def light_plan_of(whole: Specimen) -> Plan:
    """`dfs`, `race`, another search, lockset and shapes at each program; what costs most in every twelfth round."""
    turn = whole.seed // len(CYCLE)
    if turn % LIGHT_ROUND == 0:
        return _plan(whole, turn // LIGHT_ROUND)
    return replace(
        _plan(whole, turn),
        provers=("lockset", "shapes"),
        bmc=False,
        checked=(),
        interpreted=False,
        sanitized=False,
        change=None,
    )


def plan_of(whole: Specimen) -> Plan:
    return _plan(whole, whole.seed // len(CYCLE))


def _plan(whole: Specimen, turn: int) -> Plan:
    """`dfs`, `race`, another search, lockset and shapes look at each program, transactions at those with values, and
    petri and transactions by turns at variations, which have the most idioms; the round of seeds says who else."""
    fitting = searches_of(whole)
    other = OTHERS[turn % len(OTHERS)]
    searches: tuple[str, ...] = ("race", other)
    if other == "optimal" or (other if other != UNHUNTED else "dhtc") not in fitting:
        searches = ("race", "optimal", *classes_of(whole))
    if turn % 2 or whole.family == "chains":
        searches = (SWEEP, *searches)
    provers = ["lockset", "shapes"]
    has_idioms = whole.family == "variations"
    if (has_idioms and turn % 2) or turn % 5 == 0:
        provers.append("petri")
    if (has_idioms and turn % 2 == 0) or whole.family == "values" or turn % 15 == 1:
        provers.append("transactions")
    return Plan(
        searches=tuple(name for name in searches if name in (*fitting, CLASSES, SWEEP, UNHUNTED)),
        provers=tuple(provers),
        narrowed=turn % 2 == 0,
        bmc=turn % 15 == 8,
        checked=_CHECKED[turn // 60 % len(_CHECKED)] if turn % 60 == 7 else (),
        interpreted=turn % 5 == 3 or (has_idioms and turn % 2 == 0),
        sanitized=turn % 80 == 9,
        change=_CHANGES[turn // 10 % len(_CHANGES)] if turn % 10 == 4 else None,
    )
