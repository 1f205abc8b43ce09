"""Which bytes a thread may touch by each access that it may still make, and which locks it certainly holds then.

The bytes are for the thread states of the native search, the locks for its subspace check.

Follows [DHTC, Table 1 and Fig. 2]: the state of a shared object follows from which threads read and write it. The
tables of `futures` say which accesses may come, these ones where: an object is owned as long as only one of the threads
that may still do something can come to it. Static facts tell that for all runs at once. A run knows more: the argument
that a thread was given, and what a global variable holds that only others write, and only while no thread runs that
uses it (`Stable`).
Paper -> here: tid(t) -> a *class* of threads: those created at one site, or, for threads to come, those that run one
function; the object of t -> `TouchedPlace`.

A place is an expression over what the run knows (None: it does not know the address), with the objects that it may be
in. An access without places in a class may touch anything. All errs on the side of touching more.

[PDP, Fig. 4] l.5 takes locks by their run-time address. What the branches that were not taken would lock has none in
the trace; but where the address follows from the argument, or from such a global variable, the run knows it as soon as
the thread exists: `HeldPlace`. Only mutexes and rwlocks count that every view of the class holds, by the facts'
must-locksets: a lock that the run cannot tell protects nothing.

    future place 5 4 b2 p8 +        place 5: 4 bytes at 8 behind Places.bases[2]
    future place 6 4 a p16 +        4 bytes at 16 behind the thread's argument
    future place 7 4 b3 l8          4 bytes where the pointer at Places.bases[3] points to
    future lies 6 17 18             place 6 is in object 17 or 18
    future class 1 site 53          class 1: the threads created at site 53; 0 is the main thread
    future class 2 function 1       class 2: those that run function 1, and are not created yet
    future touch 1 11 5 6           by access 11 they touch place 5 or 6
    future holds 1 11 6 s7          and hold the locks at places 6 and 7, the latter one shared
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from raceproof.core import SourcePos, reverse_postorder
from raceproof.explore.future_writers import Writers
from raceproof.ir import SiteId
from raceproof.model import (
    Access,
    AccessId,
    Base,
    CallTargets,
    ConcurrentProgram,
    Derived,
    Linear,
    LockKind,
    LockMode,
    ObjectId,
    ObjectKind,
    Opaque,
    SameArgument,
    Self,
    Stable,
    StartArg,
    ThreadId,
    View,
)

MAX_OF_ACCESS: Final = 8
MAX_PLACES: Final = 20_000
MAX_TERMS: Final = 24


@dataclass(frozen=True, slots=True)
class TouchedPlace:
    """`size` bytes at the value of `address`, in postfix; None where the run does not know it. `objects`: it is in one
    of them."""

    size: int | None
    address: tuple[str, ...] | None
    objects: tuple[ObjectId, ...]


@dataclass(frozen=True, slots=True)
class HeldPlace:
    """The value of `address`, in postfix, is where a lock is."""

    address: tuple[str, ...]
    is_shared: bool

    @property
    def place(self) -> TouchedPlace:
        """It is known by its first byte."""
        return TouchedPlace(1, self.address, ())


@dataclass(frozen=True, slots=True)
class ThreadClass:
    """Threads that the run takes for alike: the `site` that creates them (0: main), or the `function` that they will
    run. `places`: what they may touch by each access; `locks`: what they certainly hold then."""

    site: int | None
    function: int | None
    places: tuple[tuple[AccessId, tuple[TouchedPlace, ...]], ...]
    locks: tuple[tuple[AccessId, tuple[HeldPlace, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """`bases`: global variables, whose addresses the expressions use by number."""

    bases: tuple[str, ...] = ()
    classes: tuple[ThreadClass, ...] = ()


def compute_places(cp: ConcurrentProgram, accesses: Collection[AccessId], functions: Sequence[str]) -> Places:
    """`functions`: the start functions, as `Futures.functions` numbers them. Without places if there are too many."""
    if cp.calls is None:
        return Places()
    finder = _Finder(cp, cp.calls.targets)
    of_site: dict[int, set[ThreadId]] = {}
    of_function: dict[int, set[ThreadId]] = {}
    for thread in cp.threads.values():
        of_site.setdefault(int(thread.created_at or 0), set()).add(thread.id)
        if thread.start in functions:
            of_function.setdefault(functions.index(thread.start), set()).add(thread.id)
    wanted = [cp.accesses[number] for number in sorted(accesses)]
    classes = [
        ThreadClass(site, None, finder.places(wanted, threads), finder.locks(wanted, threads))
        for site, threads in sorted(of_site.items())
    ]
    classes += [ThreadClass(None, f, finder.places(wanted, threads)) for f, threads in sorted(of_function.items())]
    if sum(len(found) for c in classes for _, found in c.places) > MAX_PLACES:
        return Places()
    return Places(tuple(finder.bases), tuple(classes))


class _Finder:
    def __init__(self, cp: ConcurrentProgram, targets: Mapping[SiteId, CallTargets]) -> None:
        self._cp = cp
        self._writers = Writers(cp.program)
        self._run_by: dict[ThreadId, frozenset[str]] = {}
        self._called: dict[str, tuple[str, ...]] = {}
        at_end = dict.fromkeys(cp.program.listed_functions("llvm.global_dtors"))
        for name, function in cp.program.functions.items():
            calls = [targets[i.id] for i in function.instructions() if i.id in targets]
            self._called[name] = tuple(f for c in calls for f in (*c.functions, *c.callbacks))
            at_end.update(dict.fromkeys(f for c in calls for f in (*c.at_end, *c.any_time)))
        self._at_end = tuple(at_end)
        self.bases: dict[str, int] = {}
        symbols: dict[tuple[str, SourcePos | None], list[str]] = {}
        for variable in cp.program.globals.values():
            if not variable.is_thread_local and not variable.is_external:
                symbols.setdefault((variable.source_name, variable.pos), []).append(variable.name)
        self._symbols = {key: names[0] for key, names in symbols.items() if len(names) == 1}

    def places(
        self, accesses: Sequence[Access], threads: Collection[ThreadId]
    ) -> tuple[tuple[AccessId, tuple[TouchedPlace, ...]], ...]:
        rows = []
        for access in accesses:
            views = [view for view in access.views if view.thread in threads]
            found = tuple(dict.fromkeys(self._place(access, view) for view in views))
            if len(found) > MAX_OF_ACCESS:
                objects = sorted({o for place in found for o in place.objects})
                found = (TouchedPlace(None, None, tuple(objects)),)
            if found:
                rows.append((access.id, found))
        return tuple(rows)

    def locks(
        self, accesses: Sequence[Access], threads: Collection[ThreadId]
    ) -> tuple[tuple[AccessId, tuple[HeldPlace, ...]], ...]:
        """What all views of an access hold; shared if one of them holds it so."""
        rows = []
        for access in accesses:
            held = [self._held(view) for view in access.views if view.thread in threads]
            addresses = set.intersection(*(set(h) for h in held)) if held else set()
            known = tuple(HeldPlace(a, any(h[a] for h in held)) for a in sorted(addresses))
            if known:
                rows.append((access.id, known[:MAX_OF_ACCESS]))
        return tuple(rows)

    def _held(self, view: View) -> dict[tuple[str, ...], bool]:
        """The mutexes whose addresses the run knows: is each one held shared?"""
        found: dict[tuple[str, ...], bool] = {}
        for lock in view.held:
            address = self._expression(lock.address, view.thread) if lock.kind is LockKind.MUTEX else None
            if address is not None and len(address) <= MAX_TERMS:
                found[address] = found.get(address, True) and lock.mode is LockMode.SHARED
        return found

    def _place(self, access: Access, view: View) -> TouchedPlace:
        objects = view.objects if view.objects is not None else {t.object for t in access.targets}
        address = None
        if view.address is not None and access.size is not None:
            address = self._expression(view.address, view.thread)
        if address is not None and len(address) > MAX_TERMS:
            address = None
        return TouchedPlace(access.size if address is not None else None, address, tuple(sorted(objects)))

    def _expression(self, value: Linear, thread: ThreadId) -> tuple[str, ...] | None:
        match self._cp.threads[thread].argument:
            case SameArgument(value=given) if given.terms and self._holds(given, thread):
                behind = value.plus(given, -1)
                if behind.is_constant:
                    return f"p{behind.constant}", "a", "+"
        parts: list[str] = [f"p{value.constant}"]
        for atom, factor in value.terms:
            match atom:
                case Base(object=number):
                    base = self._base(number)
                    if base is None:
                        return None
                    parts.append(f"b{base}")
                case StartArg(thread=owner) if owner == thread:
                    parts.append("a")
                case Stable(location=Linear(constant=offset, terms=((Base(object=number), 1),)), size=size):
                    base = self._base(number)
                    is_whole = size == self._cp.program.pointer_size and 0 <= offset <= self._size(number) - size
                    if base is None or not is_whole or not self._is_set_by_others(base, thread):
                        return None
                    parts += [f"b{base}", f"p{offset}", "+", f"l{size}"]
                case StartArg() | Stable() | Self() | Derived() | Opaque():
                    return None
            if factor != 1:
                parts.append(f"m{factor}")
            parts.append("+")
        return tuple(parts)

    def _holds(self, value: Linear, thread: ThreadId) -> bool:
        """It is the same number all the time while such a thread runs."""
        for atom in value.atoms():
            match atom:
                case Base():
                    continue
                case Stable(location=Linear(terms=((Base(object=number), 1),))):
                    base = self._base(number)
                    if base is None or not self._is_set_by_others(base, thread):
                        return False
                case _:
                    return False
        return True

    def _is_set_by_others(self, base: int, thread: ThreadId) -> bool:
        """A thread that reads the variable lives between two writes to it, if it writes none itself: `Stable` says that
        whoever else may write does so while no such thread runs. So it holds all the time what it held at creation."""
        writers = self._writers.of(tuple(self.bases)[base])
        return writers is not None and not writers & self._functions_of(thread)

    def _functions_of(self, thread: ThreadId) -> frozenset[str]:
        """What the thread may run, with what may be run at the end of any."""
        found = self._run_by.get(thread)
        if found is None:
            start = self._cp.threads[thread].start
            found = frozenset(
                name for first in (start, *self._at_end) for name in reverse_postorder(first, self._called.__getitem__)
            )
            self._run_by[thread] = found
        return found

    def _size(self, number: ObjectId) -> int:
        return self._cp.objects[number].size or 0

    def _base(self, number: ObjectId) -> int | None:
        described = self._cp.objects[number]
        symbol = self._symbols.get((described.name, described.pos))
        if described.kind is not ObjectKind.GLOBAL or not described.is_single or symbol is None:
            return None
        return self.bases.setdefault(symbol, len(self.bases))


def format_places(places: Places) -> Iterator[str]:
    """The directives of the control file."""
    numbers: dict[TouchedPlace, int] = {}

    def described(found: Iterable[TouchedPlace]) -> Iterator[str]:
        for place in found:
            if place not in numbers:
                numbers[place] = len(numbers)
                yield from _described(numbers[place], place)

    for number, threads in enumerate(places.classes):
        what = f"site {threads.site}" if threads.function is None else f"function {threads.function}"
        yield f"future class {number} {what}"
        for access, found in threads.places:
            yield from described(found)
            yield f"future touch {number} {access} {' '.join(str(numbers[place]) for place in found)}"
        for access, locks in threads.locks:
            yield from described(lock.place for lock in locks)
            held = " ".join(f"{'s' if lock.is_shared else ''}{numbers[lock.place]}" for lock in locks)
            yield f"future holds {number} {access} {held}"


def _described(number: int, place: TouchedPlace) -> Iterator[str]:
    if place.address is None:
        yield f"future place {number} 0"
    else:
        yield f"future place {number} {place.size} {' '.join(place.address)}"
    yield f"future lies {number} {' '.join(map(str, place.objects))}"
