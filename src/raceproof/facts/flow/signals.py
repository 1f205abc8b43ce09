"""Which semaphores, spin locks, barriers and flags really order threads: checked over the whole program.

The flow only says what each thread does with them. Here all uses are looked at together:
  * a semaphore excludes like a mutex if it starts at 1 and only who holds it posts it; of an array of them, or of many
    objects, each does if that is so of all;
  * a word is a spin lock if it starts at 0 and is only ever taken (0 -> not 0, acquire) and, by its holder,
    cleared (release); an element of an array is, if that is so of all;
  * a word that says whose turn it is excludes if only who has the turn writes it (`turns`);
  * a signal orders if it starts unset and one thread that runs once sets it;
  * a barrier orders if no more threads than its count ever wait at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raceproof.facts.flow.contexts import AccessKey, ThreadRecord
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.locations import is_apart, overlap
from raceproof.facts.flow.spin_elements import array_of
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Instr, Rmw, Store, Terminator
from raceproof.model import (
    MAIN,
    BarrierFact,
    Base,
    DistinctArgument,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    ObjectId,
    Signal,
    Thread,
    ThreadId,
    View,
)


def _base_of(address: Linear) -> ObjectId | None:
    match address.terms:
        case ((Base(object=target), 1),):
            return target
    return None


def _is_confused(address: Linear, others: Iterable[Linear], flow: FlowResult) -> bool:
    """Some other address in `others` may be the same object, though it is not certain which."""
    target = _base_of(address)
    return any(
        other != address and _base_of(other) is None and target in flow.uses.lock_objects.get(other, frozenset())
        for other in others
    )


def _may_change_unseen(world: World, address: Linear, size: int) -> bool:
    target = _base_of(address)
    return target is not None and world.may_change_unseen(MemLoc(target, address.constant, size))


def _size_of(flow: FlowResult, address: Linear) -> int:
    """As many bytes as anybody reads or writes there at once."""
    return max(flow.uses.word_sizes.get(address, ()), default=1)


def _may_post_unseen(world: World, flow: FlowResult, target: ObjectId | None) -> bool:
    """Code that the flow does not see may post semaphores there."""
    return target is not None and (world.may_post_unseen(target) or target in flow.uses.given_away)


def _runs_at_most_once(record: ThreadRecord) -> bool:
    return record.id == MAIN or (record.instances == 1 and not record.many)


def exclusive_locks(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], drawn_from: frozenset[Linear]
) -> frozenset[Linear]:
    """Semaphores, spin locks and words with turns that exclude like mutexes; `drawn_from`: counters that give different
    numbers."""
    semaphores = {
        address
        for address, values in flow.uses.semaphores.items()
        if values == {1}
        and _base_of(address) is not None
        and len(flow.uses.semaphore_inits[address]) == 1
        and all(world.executes_once(site) for site in flow.uses.semaphore_inits[address])
        and address not in flow.uses.broken_locks
        and not _is_confused(address, flow.uses.posters, flow)
        and not _is_confused(address, flow.uses.semaphores, flow)
        and not _may_post_unseen(world, flow, _base_of(address))
    }
    spins = {
        address
        for address, sites in flow.uses.lock_operations.items()
        if address not in flow.uses.broken_locks | flow.uses.other_writes
        and len(flow.uses.word_sizes.get(address, ())) == 1
        and not _may_change_unseen(world, address, _size_of(flow, address))
        and (address not in flow.turn_words or _is_taken_in_turn(flow, address, drawn_from))
        and all(
            view.address == address and key[0] in sites
            for key, view in _writes_to(flow, address, touched, _size_of(flow, address))
        )
    }
    elements = _spin_elements(world, flow, touched)
    return frozenset(semaphores | spins | elements | _semaphores_in_objects(world, flow))


def _spin_elements(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> set[Linear]:
    """Held elements of arrays in which all words are spin locks, and nothing else happens to them."""
    held = {
        lock.address: array
        for views in flow.views.values()
        for view in views
        for lock in view.held
        if lock.kind is LockKind.SPIN and (array := array_of(lock.address)) is not None
    }
    good = {array for array in held.values() if _are_spin_locks(world, flow, touched, array)}
    return {address for address, array in held.items() if array in good}


def _are_spin_locks(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], array: ObjectId
) -> bool:
    """All that is written where locks of the array may be takes or clears one, which is named by its index.

    Words at fixed places could have other rules (`turns`, `section_words`): then none of them counts.
    """
    writes = [
        (key, touch)
        for key, touch in touched.items()
        if touch.touch.kind.writes and any(t.object == array for t in touch.targets)
    ]
    operations = {
        site for address, sites in flow.uses.lock_operations.items() if _lies_in(address, array) for site in sites
    }
    places = [t for key, touch in writes if key[0] in operations for t in touch.targets if t.object == array]
    spoilt = flow.uses.broken_locks | flow.uses.other_writes
    sizes = set()
    for key, touch in writes:
        if not any(overlap(place, t) for place in places for t in touch.targets):
            continue
        sizes.add(touch.touch.size)
        for view in flow.views[key]:
            address = view.address
            if address is None or array_of(address) != array or address in spoilt:
                return False
            if key[0] not in flow.uses.lock_operations.get(address, frozenset()):
                return False
    return len(sizes) == 1 and None not in sizes and not any(map(world.may_change_unseen, places))


def _lies_in(address: Linear, array: ObjectId) -> bool:
    return any(isinstance(atom, Base) and atom.object == array for atom in address.atoms())


def _semaphores_in_objects(world: World, flow: FlowResult) -> set[Linear]:
    """Held semaphores in objects whose semaphores all start at 1, before anybody can have them, and are posted only by
    who holds them: then each has one holder at most, whichever it is."""
    held = {
        lock.address
        for views in flow.views.values()
        for view in views
        for lock in view.held
        if lock.kind is LockKind.SEMAPHORE
    }
    if not held:
        return set()
    uses = flow.uses

    def objects(address: Linear) -> frozenset[ObjectId]:
        target = _base_of(address)
        return uses.lock_objects.get(address, world.lock_objects if target is None else frozenset({target}))

    made = frozenset().union(*map(objects, uses.semaphores))
    bad = [address for address, values in uses.semaphores.items() if values != {1} or address in uses.late_inits]
    made -= frozenset().union(*map(objects, bad), *map(objects, uses.broken_locks))
    good = frozenset(target for target in made if not _may_post_unseen(world, flow, target))
    return {address for address in held if objects(address) and objects(address) <= good}


def turn_words(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> frozenset[Linear]:
    """Words that may say whose turn it is: they are compared with something, and are no locks of another kind."""
    if world.uses_setjmp:
        return frozenset()
    return frozenset(
        address
        for address in flow.uses.turn_words - section_words(world, flow, touched).keys()
        if all(
            _may_end_a_turn(world.instructions[key[0]][1])
            for key, _ in _writes_to(flow, address, touched, _size_of(flow, address))
        )
    )


def _may_end_a_turn(instr: Instr | Terminator) -> bool:
    return isinstance(instr, Store) or (isinstance(instr, Rmw) and instr.op in ("add", "sub"))


def _is_taken_in_turn(flow: FlowResult, address: Linear, drawn_from: frozenset[Linear]) -> bool:
    """All numbers are different, and all reads and writes are ordered in one way."""
    sources = flow.uses.turn_sources.get(address, frozenset())
    if len(sources) != 1 or not flow.uses.turn_vias[address]:
        return False
    (source,) = sources
    if isinstance(source, Linear):
        return source in drawn_from
    return any(r.id == source and isinstance(r.argument, DistinctArgument) for r in flow.records)


def section_words(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]
) -> dict[Linear, tuple[int, int]]:
    """Words that are locks in atomic sections, each with its size and the value that it has while it is taken."""
    found: dict[Linear, tuple[int, int]] = {}
    for address, sites in flow.uses.section_stores.items():
        sizes = {size for stored in sites.values() for size, _ in stored}
        taken = {value for stored in sites.values() for _, value in stored} - {0}
        if len(sizes) != 1 or len(taken) != 1 or _may_change_unseen(world, address, _size_of(flow, address)):
            continue
        if all(view.address == address and key[0] in sites for key, view in _writes_to(flow, address, touched, *sizes)):
            found[address] = (sizes.pop(), taken.pop())
    return found


def _writes_to(
    flow: FlowResult, address: Linear, touched: Mapping[AccessKey, TargetedTouch], size: int
) -> list[tuple[AccessKey, View]]:
    """Writes that may touch the word, each way in which they happen; a function that gets many places has more ways."""
    target = _base_of(address)
    if target is None:
        return []
    location = MemLoc(target, address.constant, size)
    return [
        (key, view)
        for key, touch in touched.items()
        if touch.touch.kind.writes and target in touch.objects and any(overlap(location, t) for t in touch.targets)
        for view in flow.views[key]
        if not is_apart(view.address, touch.touch.size, address, size)
    ]


def senders_of(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> dict[Signal, ThreadId]:
    """Signals that order, with the one thread that sends them."""
    records = {r.id: r for r in flow.records}
    result: dict[Signal, ThreadId] = {}
    for signal in sorted(flow.candidates, key=str):
        if _base_of(signal.address) is None or _may_change_unseen(
            world, signal.address, _size_of(flow, signal.address)
        ):
            continue
        if signal.address in flow.uses.semaphores:
            sender = _poster(world, flow, signal.address)
        else:
            sender = _setter(world, flow, touched, signal)
        if sender is not None and _runs_at_most_once(records[sender]):
            result[signal] = sender
    return result


def _poster(world: World, flow: FlowResult, address: Linear) -> ThreadId | None:
    posters = flow.uses.posters.get(address, frozenset())
    certain = (
        flow.uses.semaphores[address] == {0}
        and len(flow.uses.semaphore_inits[address]) == 1
        and all(world.executes_once(site) for site in flow.uses.semaphore_inits[address])
        and not _is_confused(address, flow.uses.posters, flow)
        and not _is_confused(address, flow.uses.semaphores, flow)
        and not _may_post_unseen(world, flow, _base_of(address))
    )
    return next(iter(posters)) if certain and len(posters) == 1 else None


def _setter(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], signal: Signal
) -> ThreadId | None:
    """The one thread that changes a flag, always in a way that the reader's way of reading is ordered with."""
    sender: ThreadId | None = None
    for key, view in _writes_to(flow, signal.address, touched, _size_of(flow, signal.address)):
        if key[0] in flow.uses.reset_sites:
            continue
        _, instr = world.instructions[key[0]]
        order = touched[key].touch.order
        if view.address != signal.address or sender not in (None, view.thread):
            return None
        if signal.via is None:
            fits = isinstance(instr, Store | Rmw) and order is not None and order.releases
        else:
            fits = any(
                h.address == signal.via and h.mode is LockMode.EXCLUSIVE and h.kind is LockKind.MUTEX for h in view.held
            )
        if not fits:
            return None
        sender = view.thread
    return sender


def barrier_facts(flow: FlowResult, threads: Mapping[ThreadId, Thread]) -> tuple[BarrierFact, ...]:
    """Barriers at which nobody can be missing or overtaken."""
    facts = []
    for address, counts in sorted(flow.uses.barriers.items(), key=lambda item: str(item[0])):
        users = flow.uses.barrier_users.get(address, frozenset())
        instances = [threads[t].instances for t in users]
        (count,) = counts if len(counts) == 1 else (None,)
        if (
            count is not None
            and _base_of(address) is not None
            and not _is_confused(address, flow.uses.barrier_users, flow)
            and not _is_confused(address, flow.uses.barriers, flow)
            and None not in instances
            and sum(i for i in instances if i is not None) <= count
        ):
            facts.append(BarrierFact(address, count, tuple(sorted(users))))
    return tuple(facts)
