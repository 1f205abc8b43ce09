"""What loads, stores and atomics do to the state: known contents, fresh objects, flags, spin locks of atomics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raceproof.facts.flow import (
    counting,
    given_numbers,
    lending,
    regions,
    section_words,
    spin_elements,
    stale_names,
    thread_transfer,
    tokens,
    turns,
)
from raceproof.facts.flow.state import Condition, Known, State
from raceproof.facts.flow.world import TargetedTouch
from raceproof.ir import (
    Alloca,
    Binary,
    Cast,
    CompareExchange,
    Compute,
    IntType,
    Load,
    MemoryOrder,
    PtrType,
    Rmw,
    Select,
    SiteId,
    Store,
)
from raceproof.model import Base, HeldLock, Linear, LockKind, LockMode, MemLoc, Signal, Stable, of_atom

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def load(w: Walker, instr: Load, state: State) -> None:
    name = instr.result.name
    w.define(name, state)
    address = w.value(instr.address, state)
    (touch,) = w.world.touches(w.function, instr)
    w.record(instr.id, 0, touch, address, state)
    if not isinstance(instr.type, IntType | PtrType):
        open_fresh(address, state)
        state.find(touch.objects)
        return
    size = instr.type.size
    known = state.memory.get((address, size))
    if known is not None and known.in_section:
        known = None
    is_stable = address.is_absolute and w.flow.is_stable(w, instr.id, address, size, touch)
    if known is not None and (known.value.is_absolute or not is_stable):
        state.values[name] = known.value
        return
    state.find(touch.objects)
    given_numbers.read(w, instr, address, state)
    if is_stable:
        open_fresh(address, state)
        state.values[name] = of_atom(Stable(address, size))
    elif (found := tracked(w, touch, address, w.evaluator.itself(name), state)) is not None:
        open_fresh(address, state)
        state.memory[(address, size)] = found
    else:
        w.flow.observed.note_word(address, size)
        _observe(w, name, address, size, instr.order, state)
        counting.read(w, name, address, instr.order, state)
        turns.read(w, name, address, instr.order, state)
        section_words.read(w, name, address, size, touch, state)
        tokens.read(w, name, address, state)
        counting.read_back(w, instr, address, state)


def open_fresh(address: Linear, state: State) -> None:
    """An unknown value comes out of a fresh object: it may be any fresh object that was stored there."""
    for atom in address.atoms():
        for inner in state.fresh.get(atom, ()):
            state.publish(of_atom(inner))


def _observe(w: Walker, name: str, address: Linear, size: int, order: MemoryOrder | None, state: State) -> None:
    """Remember that the value came from a flag: a later test may show that it was set."""
    if not address.is_absolute or not w.flow.initial.is_whole(address, size):
        return
    signals = {Signal(address, h.address) for h in state.locks if h.address.is_absolute and h.kind is LockKind.MUTEX}
    if order is not None and order.acquires:
        signals.add(Signal(address))
    if signals:
        state.observed[w.evaluator.opaque(name)] = frozenset(signals)


def store(w: Walker, instr: Store, state: State) -> list[State] | None:
    address, value = w.value(instr.address, state), w.value(instr.value, state)
    (touch,) = w.world.touches(w.function, instr)
    w.record(instr.id, 0, touch, address, state)
    regions.store(w, instr, state)
    _keep_or_publish(w, touch, address, value, state)
    before = state.memory.get((address, instr.type.size))
    _write(w, touch, address, instr.type.size, state)
    address, value = w.value(instr.address, state), w.value(instr.value, state)  # the write may have made names stale
    found = tracked(w, touch, address, value, state) if isinstance(instr.type, IntType | PtrType) else None
    if found is not None:
        state.memory[(address, instr.type.size)] = found
    w.flow.observed.note_word(address, instr.type.size)
    counting.write(w, instr, address, state)
    tokens.write(w, instr, address, touch, state)
    if address.is_absolute:
        lending.write(w, instr, address, state)
    if w.recording:
        w.flow.observed.note_store(address, instr.type.size, value, instr.id)
    section_words.note_store(w, instr, address, value, state)
    if address.is_absolute:
        send(w, address, value, state)
        if address in w.flow.turn_words:
            turns.write(w, instr, address, state)
            return None
        if address in w.flow.section_words:
            return section_words.write(w, instr, address, value, before, state)
        if value == Linear(0):
            w.flow.observed.note_lock_operation(address, instr.id)
            _clear_spin_lock(w, address, instr.order, state)
        elif w.recording:
            w.flow.observed.note_other_write(address)
    elif spin_elements.is_element(w, address):
        if value == Linear(0):
            w.flow.observed.note_lock_operation(address, instr.id)
            _clear_spin_lock(w, address, instr.order, state)
        elif w.recording:
            w.flow.observed.note_other_write(address)
    return None


def _keep_or_publish(w: Walker, touch: TargetedTouch, address: Linear, value: Linear, state: State) -> None:
    """A fresh object stored in a fresh object stays with it; stored elsewhere, others may find it.

    Where only this thread can look, nobody else finds it; it is known under its name until this thread looks.
    """
    if not state.fresh:
        return
    inner = frozenset(leaf for leaf in value.leaves() if leaf in state.fresh)
    if not inner:
        return
    holders = [atom for atom, factor in address.terms if atom in state.fresh and factor == 1]
    if holders:
        for holder in holders:
            state.fresh[holder] |= inner
    elif touch.objects and not touch.objects & w.world.may_escape and value.atoms() == tuple(inner):
        state.hide(inner, touch.objects)
    else:
        publish(w, value, state)


def publish(w: Walker, value: Linear, state: State) -> None:
    """Others get the objects that `value` points to. What stands where they never write stays known."""
    own: dict[tuple[Linear, int], Known] = {}
    if any(leaf in state.fresh for leaf in value.leaves()):
        for (address, size), known in state.memory.items():
            match address:
                case Linear(constant=offset, terms=((Base(object=holder), 1),)) if address.atoms()[0] in state.fresh:
                    if w.flow.is_own(w, (MemLoc(holder, offset, size),)):
                        own[address, size] = known
    state.publish(value)
    state.memory.update(own)


def _write(w: Walker, touch: TargetedTouch, address: Linear, size: int, state: State) -> None:
    """An instruction writes: what was there is gone, ids of threads too."""
    thread_transfer.lose_ids(w, touch.targets, address, size, state)
    overwrite(w, touch, address, size, state)


def overwrite(w: Walker, touch: TargetedTouch, address: Linear, size: int | None, state: State) -> None:
    """Forget contents that the write may change: all that may overlap, except by distance from `address`."""
    stale_names.renounce_places(w, touch.targets, state)
    for key, known in list(state.memory.items()):
        if known.objects.isdisjoint(touch.objects):
            continue
        apart = key[0].distance(address)
        if apart is not None and size is not None and (apart >= size or -apart >= key[1]):
            continue
        del state.memory[key]


def tracked(w: Walker, touch: TargetedTouch, address: Linear, value: Linear, state: State) -> Known | None:
    """What is known of memory that has this value, if nobody else can change it now."""
    if any(atom in state.fresh and factor == 1 for atom, factor in address.terms):
        return Known(value, touch.objects)
    if not touch.objects:
        return None
    if not touch.objects & w.world.may_escape or w.flow.is_own(w, touch.targets):
        return Known(value, touch.objects)
    return Known(value, touch.objects, is_seen=True) if w.flow.writes_alone(w, touch.targets) else None


def is_tracked(w: Walker, touch: TargetedTouch, address: Linear, state: State) -> bool:
    """Nobody else can change this memory now, whoever may look at it."""
    return tracked(w, touch, address, address, state) is not None


def send(w: Walker, address: Linear, value: Linear | None, state: State) -> None:
    """A write to a flag signals, unless it just writes the initial value."""
    if w.flow.is_sent(address):
        initial = w.flow.initial.value(address)
        if value is None or initial is None or value != Linear(initial):
            if w.recording:
                w.flow.observed.note_send(address, state.must_received)
            state.may_sent |= {address}


def alloca(w: Walker, instr: Alloca, state: State) -> None:
    name = instr.result.name
    w.define(name, state)
    objects = w.world.points_to.object_of_site(instr.id)
    if len(objects) == 1 and w.world.points_to.objects[objects[0]].is_single:
        state.values[name] = of_atom(Base(objects[0]))
    elif w.world.may_escape & frozenset(objects):
        state.fresh[w.evaluator.opaque(name)] = frozenset()


def publish_operands(w: Walker, instr: Cast | Binary | Select | Compute, state: State) -> None:
    """A fresh pointer that goes into a value which is not followed is not followed either."""
    if not state.fresh:
        return
    match instr:
        case Cast(value=value):
            operands = [value] if instr.op == "trunc" else []
        case Binary(left=left, right=right):
            operands = [] if instr.op in ("add", "sub") else [left, right]
        case Select(if_true=a, if_false=b):
            operands = [a, b]
        case Compute(operands=rest):
            operands = list(rest)
    for operand in operands:
        state.publish(w.value(operand, state))


# -- atomics ------------------------------------------------------------------------------------


def read_modify_write(w: Walker, instr: Rmw, state: State) -> list[State] | None:
    """`xchg(lock, 1) == 0` takes a spin lock; anything else is a write and an unknown old value."""
    w.define(instr.result.name, state)
    address = w.value(instr.address, state)
    new = w.value(instr.value, state)
    (touch,) = w.world.touches(w.function, instr)
    w.record(instr.id, 0, touch, address, state)
    regions.exchange(w, instr, instr.value, state)
    state.publish(new)
    state.find(touch.objects)
    _write(w, touch, address, instr.type.size, state)
    w.flow.observed.note_word(address, instr.type.size)
    counting.write(w, instr, address, state)
    old = w.evaluator.itself(instr.result.name)
    takes = instr.op in ("xchg", "or") and new.is_constant and new.constant != 0 and instr.order.acquires
    if address.is_absolute:
        if address in w.flow.turn_words:
            turns.write(w, instr, address, state)
        send(w, address, None, state)  # taking a lock sets a flag, too: a reader that finds it set is behind this point
        if takes and _is_spin_lock(w, address, instr.type.size):
            return _take_or_fail(w, instr, address, old, state)
        if instr.op == "xchg" and new == Linear(0) and address not in w.flow.turn_words:
            w.flow.observed.note_lock_operation(address, instr.id)
            _clear_spin_lock(w, address, instr.order, state)
        elif w.recording and address not in w.flow.turn_words:
            w.flow.observed.note_other_write(address)
        if instr.order.acquires:
            _observe(w, instr.result.name, address, instr.type.size, instr.order, state)
    elif spin_elements.is_element(w, address):
        if takes:
            return _take_or_fail(w, instr, address, old, state)
        if instr.op == "xchg" and new == Linear(0):
            w.flow.observed.note_lock_operation(address, instr.id)
            _clear_spin_lock(w, address, instr.order, state)
        elif w.recording:
            w.flow.observed.note_other_write(address)
    return None


def _take_or_fail(w: Walker, instr: Rmw, address: Linear, old: Linear, state: State) -> list[State]:
    """Two ways on: the lock was free and is taken, or it was not."""
    taken = state.copy()
    taken.facts[Condition("eq", old)] = True
    taken.take(_spin_lock(w, address, instr.id))
    state.facts[Condition("eq", old)] = False
    w.flow.observed.note_lock_operation(address, instr.id)
    return [state, taken]


def compare_exchange(w: Walker, instr: CompareExchange, state: State) -> list[State]:
    """Two ways on: exchanged or not. A change from 0 takes a spin lock."""
    name = instr.result.name
    w.define(name, state)
    for part in ("0", "1"):
        w.define(f"{name}.{part}", state)
    address = w.value(instr.address, state)
    expected, new = w.value(instr.expected, state), w.value(instr.new, state)
    (touch,) = w.world.touches(w.function, instr)
    w.record(instr.id, 0, touch, address, state)
    regions.exchange(w, instr, instr.new, state)
    state.find(touch.objects)
    _write(w, touch, address, instr.type.size, state)
    w.flow.observed.note_word(address, instr.type.size)
    done = state.copy()
    done.publish(new)
    done.values[f"{name}.1"] = Linear(1)
    done.values[f"{name}.0"] = expected
    state.values[f"{name}.1"] = Linear(0)
    takes = expected == Linear(0) and new.is_constant and new.constant != 0 and instr.order.acquires
    if not address.is_absolute and spin_elements.is_element(w, address):
        if takes:
            done.take(_spin_lock(w, address, instr.id))
            w.flow.observed.note_lock_operation(address, instr.id)
        elif w.recording:
            w.flow.observed.note_other_write(address)
    if address.is_absolute:
        if takes and _is_spin_lock(w, address, instr.type.size):
            done.take(_spin_lock(w, address, instr.id))
            w.flow.observed.note_lock_operation(address, instr.id)
        elif w.recording:
            w.flow.observed.note_other_write(address)
        send(w, address, None, done)
    return [state, done]


def _is_spin_lock(w: Walker, address: Linear, size: int) -> bool:
    return w.flow.initial.value(address) == 0 and w.flow.initial.is_whole(address, size)


def _spin_lock(w: Walker, address: Linear, site: SiteId) -> HeldLock:
    return HeldLock(address, LockMode.EXCLUSIVE, LockKind.SPIN, w.flow.position(site))


def _clear_spin_lock(w: Walker, address: Linear, order: MemoryOrder | None, state: State) -> None:
    """Writing 0 gives a spin lock back. By a thread that may not hold it, it breaks the lock for good."""
    lock = HeldLock(address, LockMode.EXCLUSIVE, LockKind.SPIN)
    if lock in state.locks and order is not None and order.releases:
        state.release(lock, lambda _: False)
        return
    state.locks.pop(lock, None)
    if w.recording and (w.context.thread != 0 or state.may_run):
        w.flow.observed.break_lock(address)
