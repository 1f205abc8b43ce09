"""From the facts to the hooks: which accesses the instrumented program tells the runtime of, and how."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from raceproof.core import Unsupported
from raceproof.explore.library32 import takes_wide_types
from raceproof.explore.library_hooks import filling_hook, hook_of
from raceproof.explore.outside import needs_fork, told_outside
from raceproof.explore.uninitialised import memory_hooks
from raceproof.facts import (
    FILLED,
    UNDER_MANY_ADDRESSES,
    Sync,
    SyncOp,
    atomic_call,
    is_atomic_function,
    names_of,
    sync_op,
    touches_of,
)
from raceproof.frontend import AccessHook, Fixed, HookKind, HookPlan, Role
from raceproof.ir import Address, Call, Instr, Program, SiteId, Terminator
from raceproof.model import Access, AccessId, ConcurrentProgram

_ROLES = {
    Sync.LOCK: Role.LOCK,
    Sync.UNLOCK: Role.UNLOCK,
    Sync.ATOMIC_BEGIN: Role.LOCK,
    Sync.ATOMIC_END: Role.UNLOCK,
    Sync.YIELD: Role.QUIET,
    Sync.TRYLOCK: Role.QUIET,  # the runtime does not wait behind a round in which one has succeeded
    Sync.SEM_TRYWAIT: Role.QUIET,
    Sync.WAIT: Role.QUIET,
}


_WITH_CALLBACKS = frozenset({"fopencookie", "funopen"})


def _role(operation: SyncOp) -> Role | None:
    if operation.kind is Sync.JOIN and operation.may_fail:
        return Role.QUIET
    return _ROLES.get(operation.kind)


@dataclass(frozen=True, slots=True)
class Hooks:
    """The plan for `frontend.instrument`, and the accesses that a run will not show."""

    plan: HookPlan
    unobserved: frozenset[AccessId]


def hooks_for(
    cp: ConcurrentProgram,
    watched: Collection[AccessId] | None,
    replaced: Collection[str],
    tokens: Sequence[tuple[str, int]] = (),
    tells_states: bool = False,
    tells_idle: bool = False,
    tells_all: bool = False,
) -> Hooks:
    """Hooks for the accesses `watched` (None: all); `replaced` are the functions that the runtime implements."""
    program = cp.program
    instructions = program.instructions_by_site()
    hooks: dict[SiteId, list[AccessHook]] = {}
    unobserved: set[AccessId] = set()
    for access in cp.accesses.values():
        if watched is not None and access.id not in watched:
            continue
        hook = _hook(cp, access, instructions[access.site][1])
        if hook is None:
            unobserved.add(access.id)
        else:
            hooks.setdefault(access.site, []).append(hook)
    operations = {name: sync_op(name) for name in program.externals}
    plan = HookPlan(
        accesses={site: tuple(found) for site, found in hooks.items()},
        replaced=_replaced(program, frozenset(replaced)),
        thread_api=frozenset(name for name, operation in operations.items() if operation is not None),
        atomic_functions=frozenset(name for name in program.functions if is_atomic_function(name)),
        roles={n: role for n, op in operations.items() if op is not None and (role := _role(op)) is not None},
        meetings=frozenset(n for n, op in operations.items() if op is not None and op.kind is Sync.BARRIER_WAIT),
        tokens=tuple(tokens),
        memory=memory_hooks(cp),
        variables=cp.uninitialised.variables,
        copies=cp.uninitialised.copies,
        outside=_outside(cp),
        tells_states=tells_states,
        tells_idle=tells_idle,
        tells_all=tells_all,
    )
    _refuse_callbacks_of_streams(program)
    _refuse_hidden_atomics(program, plan)
    return Hooks(plan, frozenset(unobserved))


def _hook(cp: ConcurrentProgram, access: Access, instr: Instr | Terminator) -> AccessHook | None:
    kind: HookKind = access.kind.value
    if any(cp.objects[target.object].name in UNDER_MANY_ADDRESSES for target in access.targets):
        return None  # the runtime knows memory by its address
    if not isinstance(instr, Call):
        return AccessHook(access.id, kind)
    targets = cp.calls.targets.get(instr.id) if cp.calls is not None else None
    if targets is not None:
        functions, externals = targets.functions, targets.externals
    elif isinstance(instr.callee, Address):
        is_own = instr.callee.symbol in cp.program.functions
        functions, externals = ((instr.callee.symbol,), ()) if is_own else ((), (instr.callee.symbol,))
    else:
        return None
    if access.touch == FILLED:
        return filling_hook(instr, externals[0], access.id) if len(externals) == 1 and not functions else None
    touches = touches_of(cp.program, instr, sorted((*functions, *externals)))
    if access.touch >= len(touches):
        return None
    touch = touches[access.touch]
    if touch.arg in dict(instr.by_value) and touch.kind is access.kind:
        return AccessHook(access.id, kind, touch.arg, Fixed(dict(instr.by_value)[touch.arg or 0]))
    if len(externals) != 1 or functions:
        return None  # which of them it is, the run does not say
    return hook_of(cp.program, instr, externals[0], touch, access.id)


def _outside(cp: ConcurrentProgram) -> dict[SiteId, int]:
    """Calls by which threads may tell one another something through the system."""
    if cp.calls is None or not needs_fork(cp.program.externals):
        return {}
    known = {name: told_outside(name) for name in cp.program.externals}
    found: dict[SiteId, int] = {}
    for site, targets in cp.calls.targets.items():
        how = 0
        for name in targets.externals:
            how |= known.get(name, 0)
        if how:
            found[site] = how
    return found


def _replaced(program: Program, names: frozenset[str]) -> dict[str, str]:
    """External function -> the runtime's, by its own name only if a variant takes its arguments elsewhere (fortified
    ones), or wider ones than the runtime does (times and offsets of 64 bits in a 32-bit program)."""
    result: dict[str, str] = {}
    for name in program.externals:
        plain = name.removeprefix("\x01")
        is_other = plain.endswith("_chk") or (program.pointer_size == 4 and takes_wide_types(plain))
        candidates = (plain,) if is_other else tuple(names_of(name))
        found = next((known for known in candidates if known in names), None)
        if found is not None:
            result[name] = f"rp_lib_{found}"
    return result


def _refuse_callbacks_of_streams(program: Program) -> None:
    """They run under the lock of their stream, which is the real library's: all threads are one to it."""
    for name in program.externals:
        if not _WITH_CALLBACKS.isdisjoint(names_of(name)):
            raise Unsupported(f"running a program that calls `{name}`: its functions run under the lock of a stream")


def _refuse_hidden_atomics(program: Program, plan: HookPlan) -> None:
    """Calls of libatomic synchronise, and nothing would be told of them."""
    for name in program.externals:
        if atomic_call(name) is not None and name not in plan.replaced:
            raise Unsupported(f"running a program that calls {name}")
