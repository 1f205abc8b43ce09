"""What the engine must know about the whole program before it follows any thread; all of it errs on the safe side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from raceproof.core import Unsupported
from raceproof.facts import (
    Sync,
    effect_of,
    leaps_of,
    objects_of_symbols,
    recursion_counts,
    thread_operations,
)
from raceproof.ir import (
    Address,
    Block,
    Call,
    Function,
    Instr,
    Program,
    Reg,
    SiteId,
    operands,
    result,
    successors,
)
from raceproof.model import (
    MAIN,
    Access,
    CallGraph,
    CallTargets,
    ConcurrentProgram,
    MemLoc,
    ObjectId,
    ObjectKind,
    ThreadId,
    View,
)
from raceproof.shapes.symbolic_heap import ANYTHING, NULL, Layout, Origin, Place, Value

SILENT: Final = frozenset(
    {Sync.NONE, Sync.ATTRIBUTE, Sync.SELF, Sync.YIELD, Sync.DETACH, Sync.SIGNAL, Sync.BROADCAST, Sync.CONDITION_INIT}
    | {Sync.BARRIER_INIT, Sync.BARRIER_WAIT, Sync.JOIN, Sync.SEM_INIT, Sync.SEM_WAIT, Sync.SEM_TRYWAIT, Sync.SEM_POST}
    | {Sync.LOCK_INIT, Sync.LOCK_DESTROY, Sync.ATOMIC_BEGIN, Sync.ATOMIC_END}
)
"""Operations after which a thread owns what it owned before."""


@dataclass(frozen=True, slots=True)
class Protected:
    """A lock, and the places that are touched only by who holds it, or by main while it is alone."""

    lock: Place
    roots: tuple[Place, ...]


class Surroundings:
    """`by_site`: the accesses of an instruction to what threads share. `outside`: threads that may run at any time,
    whoever starts them."""

    def __init__(self, cp: ConcurrentProgram) -> None:
        if cp.calls is None:
            raise Unsupported("a program whose calls are not known")
        self.cp = cp
        self.calls: CallGraph = cp.calls
        self.program: Program = cp.program
        self.leaps = leaps_of(self.program, self.calls)
        self.symbols = objects_of_symbols(cp)
        self.by_site: dict[SiteId, tuple[Access, ...]] = {}
        for access in cp.accesses.values():
            self.by_site[access.site] = (*self.by_site.get(access.site, ()), access)
        self.shared = frozenset(target.object for access in cp.accesses.values() for target in access.targets)
        families = {number: (one.source_type, one.size) for number, one in cp.objects.items()}
        self.layout = Layout(self.program.pointer_size, families)
        self.outside = self._find_outside()
        self._settled: dict[Place, bool] = {}
        self._unwritten = frozenset(one.object for one in cp.states if one.state == "read-shared")
        self._writing: dict[ObjectId, list[tuple[Access, MemLoc]]] = {}
        for access in cp.accesses.values():
            for target in access.targets if access.kind.writes else ():
                self._writing.setdefault(target.object, []).append((access, target))
        self._relevant = self._find_relevant()
        self._code_below: dict[tuple[str, ...], frozenset[SiteId]] = {}
        self._live: dict[str, dict[str, frozenset[str]]] = {}
        self._live_at: dict[tuple[str, int, int], frozenset[str]] = {}

    def _find_outside(self) -> frozenset[ThreadId]:
        creating = {
            site
            for site, targets in self.calls.targets.items()
            if any(op.kind is Sync.CREATE for op in thread_operations(targets))
        }
        found = {t.id for t in self.cp.threads.values() if t.id != MAIN and t.created_at not in creating}
        found |= {t.id for t in self.cp.threads.values() if t.is_callback}
        while more := {t.id for t in self.cp.threads.values() if t.parent in found} - found:
            found |= more
        return frozenset(found)

    # -- locks and roots

    def may_protect(self, group: Protected) -> bool:
        """Whether the lock is one that can be relied on, and the places are of objects that exist once. Where threads
        may leave what they do at any point, they may give the lock back whatever is in the places."""
        if self.leaps.at_any_point:
            return False
        hosts = [place.object for place in (group.lock, *group.roots)]
        is_known = all(number in self.cp.objects and self.may_host(number) for number in hosts)
        return is_known and not self._may_refuse(group.lock.object) and self.shared.issuperset(hosts[1:])

    def may_host(self, number: ObjectId) -> bool:
        """Whether locks and roots may be in the object: there is one of it."""
        described = self.cp.objects[number]
        kinds = (ObjectKind.GLOBAL, ObjectKind.HEAP, ObjectKind.STACK)
        return described.is_single and described.kind in kinds

    def _may_refuse(self, number: ObjectId) -> bool:
        """Whether a call that locks a mutex in the object may come back without it."""
        if number in self.cp.doubtful_objects or number in self.cp.overwritten:
            return True
        symbol = next((name for name, known in self.symbols.items() if known == number), None)
        if symbol is None:
            return self.cp.objects[number].kind is ObjectKind.GLOBAL
        return not recursion_counts(self.cp)(symbol)

    def is_alone(self, view: View) -> bool:
        """Main, while no other thread runs."""
        return view.thread == MAIN and not view.moment.may_run and not self.outside

    def is_settled(self, place: Place) -> bool:
        """Whether only main ever writes the place, while no other thread runs."""
        known = self._settled.get(place)
        if known is None:
            accesses = self._writing.get(place.object, ())
            views = [v for access, at in accesses if overlaps(at, place, self.layout.width) for v in access.views]
            is_listed = place.object in self.shared or place.object in self._unwritten
            known = self.may_host(place.object) and is_listed and all(map(self.is_alone, views))
            self._settled[place] = known
        return known

    def settled_at_start(self) -> dict[Place, Place]:
        """Places that point to variables when main begins, and that only main writes, alone."""
        found = {}
        for symbol, number in self.symbols.items():
            for cell in self.program.globals[symbol].initial:
                place = Place(number, cell.offset)
                target = self.symbols.get(cell.value.symbol) if isinstance(cell.value, Address) else None
                if isinstance(cell.value, Address) and cell.is_exact and target is not None and self.is_settled(place):
                    found[place] = Place(target, cell.value.offset)
        return found

    # -- objects

    def origin(self, site: SiteId, stack: tuple[SiteId, ...]) -> Origin:
        """The objects of the facts that an instruction may make; `stack`: the calls that lead to it."""
        made = self.cp.made_at.get(site, ())
        return frozenset(number for number, context in made if not context or stack[-len(context) :] == context)

    def initial(self, root: Place) -> Value:
        """What is in a root when main begins."""
        symbol = next((name for name, number in self.symbols.items() if number == root.object), None)
        if symbol is None or root.offset is None:
            return ANYTHING
        variable = self.program.globals[symbol]
        size = self.program.pointer_size
        touched = any(
            cell.offset < root.offset + size and root.offset < cell.offset + cell.size for cell in variable.initial
        )
        return NULL if variable.initial_complete and not touched and not variable.is_external else ANYTHING

    # -- functions

    def matters(self, name: str) -> bool:
        """Whether the function, or one that it calls, touches what is shared, orders threads or makes objects."""
        return name in self._relevant

    def code_below(self, names: tuple[str, ...]) -> frozenset[SiteId]:
        """The instructions of functions and of those that they may call."""
        known = self._code_below.get(names)
        if known is None:
            found, work = set(names), list(names)
            sites: set[SiteId] = set()
            while work:
                for instr in self.program.functions[work.pop()].instructions():
                    sites.add(instr.id)
                    targets = self.calls.targets[instr.id] if isinstance(instr, Call) else None
                    new = {*targets.functions, *targets.callbacks} - found if targets is not None else set()
                    found |= new
                    work += sorted(new)
            known = self._code_below[names] = frozenset(sites)
        return known

    def may_order(self, sites: frozenset[SiteId]) -> bool:
        """Whether some of the instructions may take or give back locks, create threads or end one."""
        called = [targets for site in sites if (targets := self.calls.targets.get(site)) is not None]
        return not sites.isdisjoint(self.leaps.leaving) or any(
            targets.is_unknown
            or not targets.may_return
            or any(op.kind not in SILENT for op in thread_operations(targets))
            for targets in called
        )

    def _find_relevant(self) -> frozenset[str]:
        callers: dict[str, list[str]] = {}
        work = []
        for name, function in self.program.functions.items():
            for instr in function.instructions():
                if isinstance(instr, Call):
                    targets = self.calls.targets[instr.id]
                    for callee in (*targets.functions, *targets.callbacks):
                        callers.setdefault(callee, []).append(name)
            if any(self._is_step(instr) for block in function.blocks for instr in block.body):
                work.append(name)
        found = set(work)
        while work:
            for caller in callers.get(work.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    work.append(caller)
        return frozenset(found)

    def _is_step(self, instr: Instr) -> bool:
        if instr.id in self.by_site or instr.id in self.cp.made_at:
            return True
        if not isinstance(instr, Call):
            return False
        targets = self.calls.targets[instr.id]
        if (
            instr.id in self.leaps.sites
            or targets.is_unknown
            or not targets.may_return
            or any(op.kind not in SILENT for op in thread_operations(targets))
        ):
            return True
        effects = (effect_of(name, self.program) for name in targets.externals)
        return any(effect is not None and effect.noreturn for effect in effects)

    def may_release_all(self, targets: CallTargets) -> bool:
        """Code that nothing describes, which has pointers to locks or may run functions of the program."""
        return targets.is_unknown and (targets.may_release_any or bool(self.calls.from_outside))

    def live(self, function: Function, block: int, step: int) -> frozenset[str]:
        """Registers that may still be read from an instruction of a block on."""
        key = function.name, block, step
        found = self._live_at.get(key)
        if found is None:
            if function.name not in self._live:
                self._live[function.name] = _live_registers(function)
            code = function.blocks[block]
            behind = _live_at_end(code, self._live[function.name])
            found = self._live_at[key] = _live_before(code.body[step:], behind)
        return found


def overlaps(target: MemLoc, place: Place, size: int) -> bool:
    """Whether an access there may touch `size` bytes at the place."""
    if target.object != place.object:
        return False
    if target.offset is None or place.offset is None or target.stride is not None:
        return True
    end = target.offset + target.size if target.size is not None else None
    return (end is None or place.offset < end) and target.offset < place.offset + size


def _live_before(instrs: Iterable[Instr], live: frozenset[str]) -> frozenset[str]:
    """Registers that are read by the instructions, or live behind them, and not made by them."""
    now = set(live)
    for instr in reversed(list(instrs)):
        made = result(instr)
        if made is not None:
            now.discard(made.name)
        now.update(operand.name for operand in operands(instr) if isinstance(operand, Reg))
    return frozenset(now)


def _live_at_end(block: Block, at_start: Mapping[str, frozenset[str]]) -> frozenset[str]:
    used = frozenset(o.name for o in operands(block.terminator) if isinstance(o, Reg))
    return used.union(*(at_start[label] for label in successors(block.terminator)))


def _live_registers(function: Function) -> dict[str, frozenset[str]]:
    """Those that are live at the start of each block; what its phis read is, whichever way it is entered."""
    known: dict[str, frozenset[str]] = {block.label: frozenset() for block in function.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            now = _live_before(block.body, _live_at_end(block, known))
            changed |= now != known[block.label]
            known[block.label] = now
    return known
