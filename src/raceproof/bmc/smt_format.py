"""The formula of a program in SMT-LIB 2: is there an execution in which two threads stand before a pair of accesses?

One assertion after the other, then for each pair its own question between `push` and `pop`: any solver that knows
linear integers and bit-vectors can read it.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from raceproof.bmc.conflicts import Conflicts
from raceproof.bmc.encoding import Encoding
from raceproof.bmc.interrupts import Watch, watched
from raceproof.bmc.library import call_library
from raceproof.bmc.options import BmcOptions
from raceproof.bmc.terms import either, term
from raceproof.bmc.unwinding import Unwinder
from raceproof.bmc.unwound import Mode
from raceproof.core import Budget
from raceproof.model import AccessId, ConcurrentProgram, RacePair


def format_smt(cp: ConcurrentProgram, pairs: Sequence[RacePair], bound: int, budget: Budget) -> str:
    """All pairs, with loops unwound up to `bound`, as they are asked about when races are looked for."""
    with watched(budget) as watch:
        return _formatted(cp, pairs, bound, watch)


def _formatted(cp: ConcurrentProgram, pairs: Sequence[RacePair], bound: int, watch: Watch) -> str:
    unwound = Unwinder(Conflicts(cp), bound, Mode(False), call_library, watch, BmcOptions().max_events).run()
    encoding = Encoding(unwound, watch)
    asked = [(pair, term(either(*(m for _, _, m in encoding.races(pair))), 1)) for pair in pairs]
    solver = z3.Solver()
    solver.add(*encoding.constraints)
    solver.add(*(z3.Bool(f"pair {number}") == question for number, (_, question) in enumerate(asked, start=1)))
    text = str(solver.to_smt2()).replace("(check-sat)", "").rstrip()
    lines = [
        f"; loops unwound {bound} times, {unwound.events} events of {len(unwound.threads)} threads",
        "; sat: both threads of the pair stand before their accesses; clocks t<thread>.<event> below 0 have happened",
        "(set-logic ALL)",
        *(line for line in text.splitlines() if not line.startswith(("(set-info", "; benchmark"))),
    ]
    declared = "\n".join(lines)
    for number, (pair, _) in enumerate(asked, start=1):
        name = f"|pair {number}|"
        if name not in declared:
            lines.append(f"(declare-fun {name} () Bool)")
        places = " and ".join(_place(cp, access) for access in (pair.first, pair.second))
        lines += [f"; pair {number}: {places}", "(push 1)", f"(assert {name})", "(check-sat)", "(pop 1)"]
    return "\n".join(lines) + "\n"


def _place(cp: ConcurrentProgram, access: AccessId) -> str:
    found = cp.accesses[access]
    return f"{found.pos.file}:{found.pos.line}" if found.pos is not None else found.function
