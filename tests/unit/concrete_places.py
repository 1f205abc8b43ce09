"""An oracle for symbolic addresses: two threads with numbers for everything they know, all that there are, one by one.

Objects lie far apart; an object that exists once has one place, others have several. Main creates workers in a loop:
`ROUND` is the number of the round there, and may be part of what a worker is given. Two accesses are of different
thread instances. What is claimed about them must hold for every choice of numbers that the facts allow:

  * pointer arithmetic stays in the object that a pointer is made from, and an access is at one of its targets;
  * an `Opaque` number is the instance's own, a `Derived` one a function of its arguments, a `Stable` one a constant;
  * two workers got arguments of different rounds, or different new objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from unit.handmade import WORKER, concurrent_program

from raceproof.ir import SiteId
from raceproof.model import (
    MAIN,
    Access,
    AccessId,
    AccessKind,
    AnyArgument,
    Argument,
    Atom,
    Base,
    ConcurrentProgram,
    Derived,
    DistinctArgument,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    Moment,
    ObjectId,
    Opaque,
    Self,
    Stable,
    StartArg,
    Thread,
    ThreadId,
    View,
    of_atom,
)

Happening = tuple[Access, View]
TABLE, OTHER, NEW = ObjectId(1), ObjectId(2), ObjectId(3)
PLACES = {TABLE: (1000,), OTHER: (3000,), NEW: tuple(range(5000, 21000, 2000))}
EXTENT = 1000
ROUND = Opaque("round")
INDEX = Opaque("index")
CREATED = Opaque("new")  # main's pointer to the object that it makes for a worker
ROUNDS = (0, 1, 2, 3)
INDICES = (0, 1, 2, 3, 1004, 3008, 5000)  # a number may be a pointer, too


@dataclass(frozen=True, slots=True)
class Numbers:
    """What one thread instance knows."""

    own: dict[Atom, int]

    def value(self, expression: Linear) -> int:
        return expression.constant + sum(factor * self._atom(atom) for atom, factor in expression.terms)

    def _atom(self, atom: Atom) -> int:
        match atom:
            case Base(object=number):
                return PLACES[number][0]
            case Stable(location=location):
                return 2 * (self.value(location) % 5)
            case Derived(args=args):
                return self.value(args[0]) % max(1, self.value(args[1]))
            case _:
                return self.own[atom]


def meetings(cp: ConcurrentProgram, a: Happening, b: Happening) -> Iterator[tuple[Numbers, Numbers]]:
    """All numbers with which the two are of different instances and touch a common byte."""
    yours = list(_possible(cp, b))
    for (round_a, mine), (round_b, other) in product(_possible(cp, a), yours):
        are_different = a[1].thread != b[1].thread or (a[1].thread != MAIN and round_a != round_b)
        if are_different and not _is_over(cp, a[1], mine, b[1], other) and _overlap(a, mine, b, other):
            yield mine, other


def _possible(cp: ConcurrentProgram, happening: Happening) -> Iterator[tuple[int, Numbers]]:
    for number, index in product(ROUNDS, INDICES):
        numbers = _numbers(cp, number, index)
        if can_be(happening, numbers):
            yield number, numbers


def _overlap(a: Happening, mine: Numbers, b: Happening, yours: Numbers) -> bool:
    (access_a, view_a), (access_b, view_b) = a, b
    if view_a.address is None or view_b.address is None:
        return bool(_objects(a, mine) & _objects(b, yours))
    apart = mine.value(view_a.address) - yours.value(view_b.address)
    size_a, size_b = (EXTENT if access.size is None else access.size for access in (access_a, access_b))
    return -size_a < apart < size_b


def _objects(happening: Happening, numbers: Numbers) -> frozenset[ObjectId]:
    """Where it is, or may be."""
    access, view = happening
    if view.address is not None:
        block = numbers.value(view.address) // EXTENT
        return frozenset(o for o, places in PLACES.items() if any(place // EXTENT == block for place in places))
    targets = frozenset(target.object for target in access.targets)
    return targets if view.objects is None else targets & view.objects


def _is_over(cp: ConcurrentProgram, a: View, mine: Numbers, b: View, yours: Numbers) -> bool:
    """Main knows of the other instance, by its argument, that it has ended, or was not created yet."""
    for main, its, worker, numbers in ((a, mine, b, yours), (b, yours, a, mine)):
        argument = cp.threads[worker.thread].argument
        if main.thread != MAIN or not isinstance(argument, DistinctArgument):
            continue
        given = numbers.value(of_atom(StartArg(worker.thread)))
        ended = [pattern for thread, pattern in main.moment.must_returned if thread == worker.thread]
        if any(its.value(pattern) == given for pattern in ended):
            return True
        if worker.thread not in main.moment.may_handed and its.value(argument.pattern) == given:
            return True
    return False


def _numbers(cp: ConcurrentProgram, number: int, index: int) -> Numbers:
    own: dict[Atom, int] = {INDEX: index, ROUND: number, CREATED: PLACES[NEW][number]}
    for thread in cp.threads.values():
        own[Self(thread.id)] = 64 + number
        own[StartArg(thread.id)] = _argument(thread, Numbers(own), index)
    return Numbers(own)


def _argument(thread: Thread, creator: Numbers, index: int) -> int:
    """What the instance was given, in the round that the numbers are of."""
    argument = thread.argument
    if not isinstance(argument, DistinctArgument):
        return index
    if argument.fresh:
        return PLACES[NEW][creator.own[ROUND] + len(ROUNDS) * (thread.id != WORKER)]
    if argument.values is None:
        return creator.value(argument.pattern)
    return Numbers({ROUND: argument.values[creator.own[ROUND]]}).value(argument.pattern)


def can_be(happening: Happening, numbers: Numbers) -> bool:
    """The access may be there: at one of its targets, and in the object that its address is made from."""
    access, view = happening
    if view.address is None:
        return True
    at = numbers.value(view.address)
    if not any(_is_at(target, at, view) for target in access.targets):
        return False
    bases = [atom for atom, factor in view.address.terms if isinstance(atom, Base) and factor == 1]
    starts = [atom for atom, factor in view.address.terms if isinstance(atom, StartArg) and factor == 1]
    if len(bases) + len(starts) != 1:
        return True
    made_from = numbers.value(of_atom((bases or starts)[0]))
    return made_from // EXTENT == at // EXTENT


def _is_at(target: MemLoc, at: int, view: View) -> bool:
    if view.objects is not None and target.object not in view.objects:
        return False
    for place in PLACES[target.object]:
        offset = at - place
        if target.offset is None:
            if 0 <= offset < EXTENT:
                return True
        elif target.stride is None:
            if offset == target.offset:
                return True
        elif (offset - target.offset) % target.stride == 0 and 0 <= offset < EXTENT:
            return True
    return False


def have_a_lock(a: View, mine: Numbers, b: View, yours: Numbers) -> bool:
    """Both hold one and the same lock, one of them not as a reader."""
    return any(
        mine.value(x.address) == yours.value(y.address) and x.kind is y.kind and not x.mode is y.mode is LockMode.SHARED
        for x in a.held
        for y in b.held
    )


# -- cases

Case = tuple[ConcurrentProgram, Happening, Happening]
SECOND = ThreadId(2)
SHIFTS = (0, 0, 2, 4, 6, 8)
SIZES = (4, 4, 8, 1, None)
EVERYWHERE = tuple(MemLoc(number, None, None) for number in PLACES)
TARGETS = (
    (MemLoc(TABLE, None, None),),
    (MemLoc(TABLE, 0, None, 8),),
    (MemLoc(TABLE, 4, None, 8),),
    (MemLoc(TABLE, 0, None), MemLoc(OTHER, 0, None)),
    (MemLoc(NEW, None, None),),
    EVERYWHERE,
)
PATTERN = of_atom(Base(TABLE)).plus(of_atom(ROUND), 8)
ELEMENTS: tuple[Argument, ...] = (
    DistinctArgument(PATTERN, 8, False, counter=ROUND, values=(0, 1, 2, 3)),
    DistinctArgument(PATTERN.shifted(64), 8, False, counter=ROUND, values=(7, 6, 5, 4)),
    DistinctArgument(PATTERN.shifted(36), 8, False, counter=ROUND, values=(3, 2, 1, 0)),
    DistinctArgument(PATTERN, 8, False, counter=ROUND),
    DistinctArgument(of_atom(CREATED), 0, True),
)
ARGUMENTS = (
    AnyArgument(),
    DistinctArgument(of_atom(ROUND), 1, False, counter=ROUND, values=(3, 2, 1, 0)),
    *ELEMENTS,
)
STRIPE = Derived("urem", (of_atom(INDEX), Linear(2)))


def cases(count: int, seed: int, locked: bool = False) -> Iterator[Case]:
    """Two accesses of the forms that programs have, often of the same one."""
    rng = Random(seed)
    for _ in range(count):
        cp = _program(rng.choice(ARGUMENTS), rng.choice(ARGUMENTS))
        thread_a, thread_b = rng.choice([(WORKER, WORKER), (MAIN, WORKER), (WORKER, MAIN), (WORKER, SECOND)])
        first = _address(rng, thread_a)
        form = first if thread_a == thread_b else _address(rng, thread_b)
        second = rng.choice([form, form.shifted(rng.choice(SHIFTS)), _address(rng, thread_b)])
        yield cp, _happening(rng, cp, thread_a, first, locked), _happening(rng, cp, thread_b, second, locked)


def handovers(count: int, seed: int) -> Iterator[Case]:
    """Main and a worker, or two workers, at elements of one table or in new objects."""
    rng = Random(seed)
    for _ in range(count):
        cp = _program(rng.choice(ELEMENTS), rng.choice(ELEMENTS))
        thread_a, thread_b = rng.choice([(MAIN, WORKER), (WORKER, SECOND), (SECOND, WORKER), (WORKER, WORKER)])
        argument = cp.threads[WORKER].argument
        assert isinstance(argument, DistinctArgument)
        mains = argument.pattern
        at_a, at_b = mains if thread_a == MAIN else of_atom(StartArg(thread_a)), of_atom(StartArg(thread_b))
        returned = rng.choice([(), ((WORKER, mains),)])
        handed = frozenset(thread for thread in (WORKER, SECOND) if rng.random() < 0.5)
        moment = Moment(may_handed=handed, must_returned=frozenset(returned)) if thread_a == MAIN else Moment()
        a, b = (
            (_access(number, rng.choice(SIZES), EVERYWHERE), View(thread, at, frozenset(), when, False))
            for number, thread, at, when in (
                (1, thread_a, at_a.shifted(rng.choice(SHIFTS)), moment),
                (2, thread_b, at_b.shifted(rng.choice(SHIFTS)), Moment()),
            )
        )
        yield (cp, a, b) if rng.random() < 0.5 else (cp, b, a)


def _program(first: Argument, second: Argument) -> ConcurrentProgram:
    cp = concurrent_program(many=True)
    threads = {
        **cp.threads,
        WORKER: replace(cp.threads[WORKER], argument=first),
        SECOND: replace(cp.threads[WORKER], id=SECOND, argument=second),
    }
    new = replace(cp.objects[TABLE], id=NEW, is_single=False)
    return replace(cp, threads=threads, objects={**cp.objects, NEW: new})


def _access(number: int, size: int | None, targets: tuple[MemLoc, ...]) -> Access:
    return Access(AccessId(number), SiteId(number), "f", AccessKind.WRITE, size, targets, None, (), None)


def _address(rng: Random, thread: ThreadId) -> Linear:
    """An object and an index, or a pointer; of the thread, of its argument, of a round of main's loop."""
    base = rng.choice([Base(TABLE), Base(TABLE), Base(OTHER), None])
    atom = rng.choice([None, INDEX, Self(thread), StartArg(thread), ROUND, Stable(of_atom(Base(OTHER)), 8)])
    address = of_atom(base) if base is not None else Linear(0)
    if atom is not None:
        address = address.plus(of_atom(atom), rng.choice([1, 4, 8, 8, 16]) if base is not None else 1)
    return address.shifted(rng.choice(SHIFTS))


def _happening(rng: Random, cp: ConcurrentProgram, thread: ThreadId, address: Linear, locked: bool) -> Happening:
    targets = rng.choice(TARGETS)
    within = frozenset(target.object for target in targets)
    objects = rng.choice([None, None, within, within - {OTHER, NEW} or within, within - {TABLE} or within])
    moment = Moment()
    if thread == MAIN:
        handed = frozenset(rng.choice([(), (WORKER,), (WORKER, SECOND)]))
        given = {t.id: t.argument.pattern for t in cp.threads.values() if isinstance(t.argument, DistinctArgument)}
        moment = Moment(may_handed=handed, must_returned=frozenset(rng.choice([(), given.items()])))
    known = address if rng.random() < 0.8 else None
    held = _locks(rng, address) if locked else frozenset()
    return _access(1, rng.choice(SIZES), targets), View(thread, known, held, moment, False, objects)


def _locks(rng: Random, address: Linear) -> frozenset[HeldLock]:
    """A lock beside the data, one of a row with the data's index, or a global one."""
    row = of_atom(Base(OTHER)).shifted(400)
    places = [row, address.shifted(rng.choice([40, 40, 48])), row.plus(of_atom(STRIPE), 40), of_atom(INDEX)]
    places += [row.plus(of_atom(a), rng.choice([40, 40, 8])) for a in address.atoms() if not isinstance(a, Base)]
    kinds = (LockKind.MUTEX, LockKind.MUTEX, LockKind.SEMAPHORE)
    modes = (LockMode.EXCLUSIVE, LockMode.EXCLUSIVE, LockMode.SHARED)
    return frozenset(
        HeldLock(place, rng.choice(modes), rng.choice(kinds)) for place in rng.sample(places, rng.choice([1, 2]))
    )
