"""The nodes of the interprocedural analysis: functions in contexts, threads, and what calls translate.

A context is a function entered by one thread in one abstract state. Values that only mean something in the
caller's frame are renamed at the call: the caller's `%p` becomes `f:^0` in the callee, everywhere, so that
"`p->lock` is held and `p` is passed" survives the call, and equal situations give equal contexts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raceproof.core import SourcePos
from raceproof.facts.flow.evaluate import is_simple
from raceproof.facts.flow.state import Condition, Known, State, join
from raceproof.ir import SiteId
from raceproof.model import (
    AnyArgument,
    Argument,
    Atom,
    Base,
    Derived,
    GivenNumber,
    Linear,
    MemLoc,
    ObjectId,
    Opaque,
    SameArgument,
    Self,
    Stable,
    StartArg,
    ThreadId,
    Tie,
    View,
    of_atom,
)

AccessKey = tuple[SiteId, int]
SHARED = ThreadId(-1)  # the thread of a context that is the same in every thread that enters it
COUNTER = Opaque("#i")
MAX_ROUNDS = 64
SLOT_SIZE = 8  # of a thread id, at most
EVERYWHERE = ("tls:", "@", "const:")  # opaque values that have the same name in every frame of a thread


@dataclass(eq=False, slots=True)
class Exit:
    """One way out of a function: the state there and the value returned."""

    state: State
    value: Linear | None


@dataclass(eq=False, slots=True)
class Context:
    """A function as entered by one thread in one state; `exits`, `views`, `waits`, `calls`, `ties` are of the last run.

    `dependents`: who has used the exits, and in which of its runs it last did. `is_outdated`: it was to be run again,
    but nobody uses it any more. `lock_objects`: in which objects the locks of the entry may lie, as the last run knew.
    """

    thread: ThreadId
    function: str
    chain: tuple[SiteId, ...]
    entry: State
    exits: list[Exit] = field(default_factory=list)
    dependents: dict[Context, int] = field(default_factory=dict)
    views: dict[AccessKey, dict[View, None]] = field(default_factory=dict)
    waits: dict[SiteId, dict[View, None]] = field(default_factory=dict)
    calls: dict[Context, None] = field(default_factory=dict)
    ties: dict[Tie, None] = field(default_factory=dict)
    lock_objects: tuple[frozenset[ObjectId], ...] = ()
    runs: int = 0
    running: bool = False
    is_outdated: bool = False
    widenings: int = 0


@dataclass(frozen=True, slots=True)
class LoopIds:
    """The ids of threads made or joined by a counted loop: `address` in terms of the counter, named `#i`."""

    address: Linear
    first: Linear
    bound: Linear
    predicate: str
    step: int

    def rounds(self) -> range | None:
        """The values of the counter, if they are constants."""
        if self.first.is_constant and self.bound.is_constant and self.predicate in ("slt", "ult", "ne"):
            return range(self.first.constant, self.bound.constant, self.step)
        return None

    def slot(self, counter: int) -> Linear:
        factor = dict(self.address.terms)[COUNTER]
        return self.address.plus(of_atom(COUNTER), -factor).shifted(factor * counter)

    def covers(self, other: LoopIds) -> bool:
        """This loop visits every slot that the other one does."""
        if self == other or self._from_zero() == other._from_zero():
            return True
        mine, its = self.slots(), other.slots()
        return mine is not None and its is not None and its <= mine

    def _from_zero(self) -> LoopIds:
        """The same slots with a counter that starts at 0 and ends before the bound."""
        if self.predicate not in ("slt", "sle") or self.step != 1 or not self.first.is_constant:
            return self
        start = self.first.constant
        factor = dict(self.address.terms)[COUNTER]
        end = self.bound.shifted(int(self.predicate == "sle") - start)
        return LoopIds(self.address.shifted(factor * start), Linear(0), end, "slt", 1)

    def is_apart_from(self, other: LoopIds) -> bool:
        """No slot of one is a slot of the other, nor overlaps it."""
        mine, its = self.slots(), other.slots()
        if mine is None or its is None:
            return False
        apart = [a.plus(b, -1) for a in mine for b in its]
        return all(d.is_constant and abs(d.constant) >= SLOT_SIZE for d in apart)

    def slots(self) -> frozenset[Linear] | None:
        """Where the ids are, one by one, if they are few."""
        rounds = self.rounds()
        if rounds is None or len(rounds) > MAX_ROUNDS:
            return None
        return frozenset(self.slot(i) for i in rounds)

    def may_touch(self, address: Linear, size: int) -> bool:
        """A write of `size` bytes at `address` may change one of the slots."""
        slots = self.slots()
        if slots is None:
            return True
        apart = [slot.plus(address, -1) for slot in slots]
        return not all(d.is_constant and (d.constant >= size or -d.constant >= SLOT_SIZE) for d in apart)


@dataclass(frozen=True, slots=True)
class Given:
    """A number that the creator has left for a new thread, so far from its argument, in so many bytes."""

    offset: int
    size: int
    number: GivenNumber


@dataclass(frozen=True, slots=True)
class Spawn:
    """One creation event: what is known where the thread is created.

    `given`: where the creator has left numbers for it, each instance another one, see `given_numbers`.
    """

    argument: Argument
    many: bool
    instances: int | None
    may_run: frozenset[ThreadId]
    entry: State
    argument_objects: frozenset[ObjectId]
    given: frozenset[Given] = frozenset()


def join_spawns(a: Spawn, b: Spawn) -> Spawn:
    """What holds for both: the same creation, seen on two paths."""
    return Spawn(
        argument=a.argument if a.argument == b.argument else AnyArgument(),
        many=a.many or b.many,
        instances=None if a.instances is None or b.instances is None else max(a.instances, b.instances),
        may_run=a.may_run | b.may_run,
        entry=join(a.entry, b.entry),
        argument_objects=a.argument_objects | b.argument_objects,
        given=a.given & b.given,
    )


@dataclass(eq=False, slots=True)
class ThreadRecord:
    """A thread under analysis. `spawns` has one entry per context that creates it; `ended`: state at its end.
    `dependents`: who waits for its end; `watchers`: contexts to which something else about it mattered.

    `ids`: the loops that create it (None: a creation outside such a loop), `id_places`: where the ids are stored,
    `ids_lost`: some may have been overwritten while their threads ran, `overlapping`: its creating loop may be
    entered while instances of an earlier run of the loop are running, `outlives`: joining it does not end it, because
    a thread below it may make it again, `names_lost`: what its creator gave it has other names now, `rounds`: how many
    instances there are at most, in terms of the function that makes them, `id_offsets`: where in its argument, a new
    object, the id is stored (None: elsewhere). These only grow.

    `is_callback`: no thread, but a function that `parent` gives to the outside world, which may run it from then on, on
    any thread, any number of times; `beside`: what may run when it is given away. `is_nested`: one that runs only while
    `parent` calls unknown code, in that thread.
    """

    id: ThreadId
    start: str
    parent: ThreadId | None
    site: SiteId | None
    pos: SourcePos | None
    spawns: dict[Context, Spawn] = field(default_factory=dict)
    ended: State | None = None
    end_by_context: dict[Context, State] = field(default_factory=dict)
    dependents: dict[Context, None] = field(default_factory=dict)
    watchers: dict[Context, None] = field(default_factory=dict)
    context: Context | None = None
    ids: set[LoopIds | None] = field(default_factory=set)
    id_places: frozenset[MemLoc] = frozenset()
    ids_lost: bool = False
    overlapping: bool = False
    outlives: bool = False
    names_lost: bool = False
    rounds: set[tuple[str, Linear] | None] = field(default_factory=set)
    id_offsets: set[int | None] = field(default_factory=set)
    always_many: bool = False
    is_callback: bool = False
    is_nested: bool = False
    beside: frozenset[ThreadId] = frozenset()

    def may_be_id(self, address: Linear, size: int) -> bool:
        """Bytes where the id of an instance may be stored."""
        return any(ids is None or ids.may_touch(address, size) for ids in self.ids)

    @property
    def many(self) -> bool:
        return self.always_many or any(s.many for s in self.spawns.values())

    @property
    def argument(self) -> Argument:
        found = {s.argument for s in self.spawns.values()}
        return found.pop() if len(found) == 1 and not self.names_lost else AnyArgument()

    @property
    def start_value(self) -> Linear:
        """What the start function's parameter is."""
        argument = self.argument
        if isinstance(argument, SameArgument) and argument.value.is_absolute:
            return argument.value
        return Linear(0, ((StartArg(self.id), 1),))

    @property
    def instances(self) -> int | None:
        """How many there are in a run at most, if known; a thread that was never seen started has none."""
        counts = [s.instances for s in self.spawns.values()]
        return None if self.always_many or None in counts else sum(c for c in counts if c is not None)


def is_frame_local(atom: Atom) -> bool:
    """True for atoms that mean something in one frame only."""
    match atom:
        case Base() | Stable() | StartArg() | Self():
            return False
        case Opaque(key=key):
            return not key.startswith(EVERYWHERE)
        case Derived():
            return any(is_frame_local(leaf) for arg in atom.args for leaf in arg.atoms())


Renaming = Mapping[Atom, Linear]


def rename(value: Linear, renaming: Renaming) -> Linear | None:
    """Replace frame-local atoms; None if one has no new name."""
    if all(not is_frame_local(a) for a, _ in value.terms):
        return value
    result = Linear(value.constant)
    for atom, factor in value.terms:
        if not is_frame_local(atom):
            result = result.plus(Linear(0, ((atom, 1),)), factor)
        elif atom in renaming:
            result = result.plus(renaming[atom], factor)
        elif isinstance(atom, Derived):
            args = [rename(arg, renaming) for arg in atom.args]
            if any(arg is None for arg in args):
                return None
            renamed = Derived(atom.op, tuple(arg for arg in args if arg is not None))
            result = result.plus(Linear(0, ((renamed, 1),)), factor)
        else:
            return None
    return result


def parameter_renaming(callee: str, args: list[Linear]) -> dict[Atom, Linear]:
    """New names for the caller's own atoms in the arguments, in order of appearance."""
    renaming: dict[Atom, Linear] = {}
    for arg in args:
        for atom in arg.atoms():
            if is_frame_local(atom) and atom not in renaming:
                renaming[atom] = Linear(0, ((Opaque(f"{callee}:^{len(renaming)}"), 1),))
    return renaming


def rename_facts(facts: Mapping[Condition, bool], renaming: Renaming) -> dict[Condition, bool]:
    """What is known of values, as far as they have a name on the other side of a call.

    What was compared is the value of a sum, which may have wrapped around: nothing follows from it for its parts.
    """
    sums = {atom for atom, value in renaming.items() if not is_simple(value)}
    result = {}
    for condition, holds in facts.items():
        if condition.kind == "slt" and any(atom in sums for atom in condition.difference.atoms()):
            continue
        difference = rename(condition.difference, renaming)
        if difference is not None and not difference.is_constant:
            result[Condition(condition.kind, difference)] = holds
    return result


def rename_memory(memory: Mapping[tuple[Linear, int], Known], renaming: Renaming) -> dict[tuple[Linear, int], Known]:
    """What is known of memory, as far as it has a name on the other side of a call."""
    result = {}
    for (address, size), known in memory.items():
        new_address, new_value = rename(address, renaming), rename(known.value, renaming)
        if new_address is not None and new_value is not None:
            result[(new_address, size)] = Known(new_value, known.objects, known.in_section, known.is_seen)
    return result
