"""When local variables that threads share are gone: what follows from a finished flow."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync
from raceproof.facts.pointers.execution_counts import may_repeat
from raceproof.ir import Call, CompareExchange, Function, Load, Rmw
from raceproof.model import Lifetime, ObjectId, ThreadId

_WAITING: Final = frozenset(
    {Sync.JOIN, Sync.WAIT, Sync.BARRIER_WAIT, Sync.SEM_WAIT, Sync.SEM_TRYWAIT, Sync.LOCK, Sync.TRYLOCK}
)
"""Sleeping waits for no other thread. A loop that sleeps until another one has come so far reads something."""


def lifetimes(world: World, flow: FlowResult, shared: Collection[ObjectId]) -> dict[ObjectId, Lifetime]:
    """Of the shared local variables of functions that may create threads. Main's last until the program ends."""
    found: dict[ObjectId, Lifetime] = {}
    known: dict[str, tuple[frozenset[ThreadId], bool]] = {}
    for identity in sorted(shared):
        name = world.points_to.owner(identity)
        if name is None or name == world.program.entry or name not in flow.returns:
            continue
        if name not in known:
            functions = [world.program.functions[callee] for callee in sorted(world.called_by(name))]
            sites = {i.id for function in functions for i in function.instructions()}
            created = frozenset(r.id for r in flow.records if r.site in sites and r.context is not None)
            known[name] = created, any(_may_wait(world, function) for function in functions)
        threads, may_wait = known[name]
        source_name = world.program.functions[name].source_name
        found[identity] = Lifetime(source_name, may_wait, flow.returns[name], threads)
    return found


def _may_wait(world: World, function: Function) -> bool:
    """Whether the function itself may wait until another thread has come so far: by a call, or by what it reads."""
    repeated = may_repeat(function)
    for instr in function.instructions():
        match instr:
            case Call():
                ops = world.sync_ops(instr)
                if any(op.kind in _WAITING for op in ops) or any(map(world.is_unknown, world.callees(instr))):
                    return True
            case Load() | Rmw() | CompareExchange():
                if instr.id in repeated:
                    return True
    return False
