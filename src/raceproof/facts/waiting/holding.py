"""What a thread may hold where it may have to wait: every path through its code, calls included.

A function is followed for each set of resources with which it is entered ([ESP02]: paths are kept apart by what they
hold), and for each binding of its parameters. What is held only grows where it is not known: a release of what is not
certainly held releases nothing. A certain one of several locks that are held goes each way; where none of them is held
the path is not one of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from raceproof.core import LimitReached
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.sync_api import is_atomic_function
from raceproof.facts.waiting.resources import SECTION, Binding, Resources, end_of
from raceproof.ir import Branch, Call, Compare, Function, IntConst, Reg, Return, SiteId, successors
from raceproof.model import CallGraph, ObjectId, ObjectKind, Resource, ThreadId, Unaccounted

MANY = 2
"""So often or more: a resource that is held is counted up to there."""
MAX_PATHS = 32
"""Sets of resources at one point of a function; with more they are joined."""
MAX_CONTEXTS = 20_000

Held = frozenset[tuple[Resource, int]]
NOTHING: Held = frozenset()


@dataclass(frozen=True, slots=True)
class Path:
    """What is held, and which registers tell that a try has succeeded, or has not."""

    held: Held
    tries: frozenset[tuple[str, bool]] = frozenset()


@dataclass(eq=False, slots=True)
class Context:
    """A function as entered; `exits`: what may be held when it returns, `callers`: who must be told of more."""

    function: Function
    entry: Held
    binding: Binding
    exits: set[Held] = field(default_factory=set)
    callers: dict[Context, None] = field(default_factory=dict)


def taken(held: Held, resource: Resource) -> Held:
    counts = dict(held)
    counts[resource] = min(counts.get(resource, 0) + 1, MANY)
    return frozenset(counts.items())


def released(held: Held, resource: Resource) -> Iterator[Held]:
    """Once less; where it was held often, perhaps as often as before."""
    counts = dict(held)
    count = counts.pop(resource)
    if count == MANY:
        yield held
    yield frozenset(counts.items()) if count == 1 else frozenset([*counts.items(), (resource, count - 1)])


def resources(held: Held) -> frozenset[Resource]:
    return frozenset(resource for resource, _ in held)


class Holding:
    """All that one start function does, as thread after thread: run it, then read `waits`, `left`, `unaccounted`.

    `waits`: by site what is wanted and held; `left`: what may be held when the thread ends.
    """

    def __init__(
        self, world: World, calls: CallGraph, known: Resources, certain: frozenset[SiteId], relevant: frozenset[str]
    ) -> None:
        self._world = world
        self._calls = calls
        self._known = known
        self._certain = certain
        self._relevant = relevant
        self._contexts: dict[tuple[str, Held, Binding], Context] = {}
        self._work: dict[Context, None] = {}
        self.waits: dict[tuple[SiteId, frozenset[Resource], frozenset[Resource]], None] = {}
        self.left: dict[Resource, SiteId | None] = {}
        self.unaccounted: dict[Unaccounted, None] = {}

    def run(self, start: str) -> None:
        first = self._enter(self._world.program.functions[start], NOTHING, (), None)
        while self._work:
            self._world.budget.check()
            context = next(iter(self._work))
            del self._work[context]
            self._walk(context)
        for held in first.exits:
            self._end(held, None)

    def _end(self, held: Held, site: SiteId | None) -> None:
        for resource, _ in held:
            self.left.setdefault(resource, site)

    def _enter(self, function: Function, held: Held, binding: Binding, caller: Context | None) -> Context:
        key = (function.name, held, binding)
        context = self._contexts.get(key)
        if context is None:
            if len(self._contexts) >= MAX_CONTEXTS:
                raise LimitReached("too many ways to hold locks")
            context = self._contexts[key] = Context(function, held, binding)
            self._work[context] = None
        if caller is not None:
            context.callers[caller] = None
        return context

    # -- one function

    def _walk(self, context: Context) -> None:
        info = self._world.info(context.function.name)
        incoming: dict[str, set[Path]] = {label: set() for label in info.order}
        incoming[info.order[0]] = {Path(context.entry)}
        work = dict.fromkeys(info.order[:1])
        while work:
            self._world.budget.check()
            label = next(iter(work))
            del work[label]
            block = info.blocks[label]
            paths = list(_limited(incoming[label]))
            for instr in block.body:
                if isinstance(instr, Call):
                    paths = list(dict.fromkeys(after for path in paths for after in self._call(context, instr, path)))
            for path in paths:
                if isinstance(block.terminator, Return):
                    self._leave(context, path.held)
                for target in self._ways_on(context, label, path):
                    if path not in incoming[target]:
                        incoming[target].add(path)
                        work[target] = None

    def _leave(self, context: Context, held: Held) -> None:
        if held not in context.exits:
            context.exits.add(held)
            self._work.update(context.callers)

    def _ways_on(self, context: Context, label: str, path: Path) -> Iterable[str]:
        """Without the branch that the result of a try rules out."""
        info = self._world.info(context.function.name)
        terminator = info.blocks[label].terminator
        if isinstance(terminator, Branch) and isinstance(terminator.condition, Reg):
            test = info.definitions.get(terminator.condition.name)
            match test:
                case Compare(predicate="eq" | "ne" as how, left=Reg(name=name), right=IntConst(value=0)):
                    for known, succeeded in path.tries:
                        if known == name:
                            is_zero = succeeded
                            return [terminator.if_true if is_zero == (how == "eq") else terminator.if_false]
        return successors(terminator)

    # -- calls

    def _call(self, context: Context, call: Call, path: Path) -> Iterator[Path]:
        targets = self._calls.targets.get(call.id)
        if targets is None:
            yield path
            return
        for name in targets.functions:
            operation = self._world.sync_op(call, name)
            if operation is not None:  # a lock of the user's own, by a model
                yield from self._operation(context, call, operation, path)
            elif name in self._relevant:
                yield from self._function(context, call, name, path)
            else:
                yield path
        for name in targets.externals:
            operation = self._world.sync_op(call, name)
            if operation is not None:
                yield from self._operation(context, call, operation, path)
            elif targets.may_return and not call.noreturn:
                yield path
                yield from self._callbacks(context, call, targets.callbacks, path)
        if not targets.functions and not targets.externals:
            yield path

    def _function(self, context: Context, call: Call, name: str, path: Path) -> Iterator[Path]:
        callee = self._world.program.functions[name]
        binding = self._known.bind(context.function, context.binding, call, callee)
        held = path.held
        is_step = is_atomic_function(name)
        if is_step:
            self._wait(call.id, frozenset({SECTION}), held)
            held = taken(held, SECTION)
        for after in sorted(self._enter(callee, held, binding, context).exits, key=str):
            yield from (Path(h, path.tries) for h in (released(after, SECTION) if is_step else (after,)))

    def _callbacks(self, context: Context, call: Call, names: tuple[str, ...], path: Path) -> Iterator[Path]:
        """Functions that the library runs now, as often as it likes."""
        seen, work = {path}, [path]
        while work:
            before = work.pop()
            for name in names:
                if name not in self._relevant:
                    continue
                for after in self._enter(self._world.program.functions[name], before.held, (), context).exits:
                    found = Path(after, path.tries)
                    if found not in seen:
                        seen.add(found)
                        work.append(found)
                        yield found

    def _wait(self, site: SiteId, wanted: frozenset[Resource], held: Held) -> None:
        self.waits[site, wanted, resources(held)] = None

    def _operation(self, context: Context, call: Call, op: SyncOp, path: Path) -> Iterator[Path]:
        match op.kind:
            case Sync.LOCK | Sync.TRYLOCK:
                yield from self._take(context, call, op, path)
            case Sync.UNLOCK:
                wanted = self._known.of(context.function, context.binding, call, op)
                yield from self._release(call, wanted, path)
            case Sync.ONCE:
                yield from self._once(context, call, op, path)
            case Sync.JOIN:
                if not op.may_fail:
                    self._wait(call.id, self._ends(context, call, op), path.held)
                yield path
            case Sync.WAIT:
                self._condition(context, call, op, path)
                yield path
            case Sync.ATOMIC_BEGIN:
                self._wait(call.id, frozenset({SECTION}), path.held)
                yield Path(taken(path.held, SECTION), path.tries)
            case Sync.ATOMIC_END:
                ends = released(path.held, SECTION) if SECTION in resources(path.held) else [path.held]
                yield from (Path(held, path.tries) for held in ends)
            case Sync.EXIT:
                self._end(path.held, call.id)
            case _:
                yield path

    def _take(self, context: Context, call: Call, op: SyncOp, path: Path) -> Iterator[Path]:
        wanted = self._known.of(context.function, context.binding, call, op)
        if wanted is None:
            self.unaccounted[Unaccounted("a lock that may be anywhere in memory", call.pos)] = None
            yield path
            return
        if op.kind is Sync.LOCK:
            self._wait(call.id, wanted, path.held)
        elif call.result is None:
            yield path
        else:
            yield Path(path.held, _told(path.tries, call.result.name, False))
        for resource in sorted(wanted, key=str):
            held = taken(path.held, resource)
            is_told = op.kind is Sync.TRYLOCK and call.result is not None and op.success == 0
            tries = _told(path.tries, call.result.name, True) if is_told and call.result is not None else path.tries
            yield Path(held, tries)

    def _release(self, call: Call, wanted: frozenset[Resource] | None, path: Path) -> Iterator[Path]:
        if wanted is None or call.id not in self._certain:
            yield path
            return
        for resource in sorted(wanted & resources(path.held), key=str):
            yield from (Path(held, path.tries) for held in released(path.held, resource))

    def _once(self, context: Context, call: Call, op: SyncOp, path: Path) -> Iterator[Path]:
        """The initialiser runs here, with the right to run it, or has run."""
        yield path
        control = self._known.of(context.function, context.binding, call, op)
        if control is None:
            self.unaccounted[Unaccounted("an initialiser whose control may be anywhere in memory", call.pos)] = None
            return
        self._wait(call.id, control, path.held)
        for right in sorted(control, key=str):
            for name in self._world.points_to.thread_starts(call.id):
                held = taken(path.held, right)
                exits = self._enter(self._world.program.functions[name], held, (), context).exits
                for after in sorted(exits, key=str):
                    if right in resources(after):
                        yield from (Path(h, path.tries) for h in released(after, right))

    def _condition(self, context: Context, call: Call, op: SyncOp, path: Path) -> None:
        """Whoever was woken waits for the mutex again, with all else that is held."""
        names = [name for name in self._world.callees(call) if self._world.sync_op(call, name) is op]
        if not all("timed" in name or "clock" in name for name in names):
            self.unaccounted[Unaccounted("a wait at a condition, which somebody must signal", call.pos)] = None
        if op.lock_arg is None or op.lock_arg >= len(call.args):
            return
        mutex = self._known.at(context.function, context.binding, call.args[op.lock_arg])
        if mutex is None:
            self.unaccounted[Unaccounted("a wait with a mutex that may be anywhere in memory", call.pos)] = None
            return
        rest = [h for resource in sorted(mutex & resources(path.held), key=str) for h in released(path.held, resource)]
        for held in rest or [path.held]:
            self._wait(call.id, mutex, held)

    def _ends(self, context: Context, call: Call, op: SyncOp) -> frozenset[Resource]:
        """The threads that a join may be for; all, if that is not known."""
        objects: set[ObjectId] = set()
        points_to = self._world.points_to
        found = points_to.targets(context.function.name, call.args[op.arg]) if op.arg is not None else ()
        objects.update(target.object for target in found)
        is_known = bool(found) and all(points_to.objects[o].kind is ObjectKind.THREAD for o in objects)
        return frozenset(
            end_of(thread) for thread, made in self.threads if not is_known or not made.isdisjoint(objects)
        )

    threads: tuple[tuple[ThreadId, frozenset[ObjectId]], ...] = ()
    """All threads, with the objects that stand for their ids; to be set before `run`."""


def _told(tries: frozenset[tuple[str, bool]], register: str, succeeded: bool) -> frozenset[tuple[str, bool]]:
    return frozenset([(name, s) for name, s in tries if name != register] + [(register, succeeded)])


def _limited(paths: set[Path]) -> Iterable[Path]:
    """Too many ways to come to a point are one, on which all is held that is on any of them."""
    if len(paths) <= MAX_PATHS:
        return sorted(paths, key=str)
    most: dict[Resource, int] = {}
    for path in paths:
        for resource, count in path.held:
            most[resource] = max(most.get(resource, 0), count)
    tries = frozenset.intersection(*(path.tries for path in paths))
    return [Path(frozenset(most.items()), tries)]
