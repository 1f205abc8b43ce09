"""Words that are locks because they change only in atomic sections.

    __VERIFIER_atomic_begin(); old = word; word = 1; __VERIFIER_atomic_end();      if old is 0, the lock is taken
    __VERIFIER_atomic_begin(); word = 0; __VERIFIER_atomic_end();                  it is given back

Sections exclude one another. So if every write of a word is in a section, and writes 0 or one other constant, the word
has one of these two values; and what a section reads from it stays there until the section itself writes it. Who finds
0 and writes the other value has the lock; it is given back by writing 0, which nobody else may do (else
`Observations.break_lock`). Sections are ordered with one another, so what is done under the lock is, too.

A first run of the flow finds the words (`signals.section_words`), the second follows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raceproof.facts.flow.state import ATOMIC_SECTION, Condition, Known, State
from raceproof.facts.flow.world import TargetedTouch
from raceproof.ir import Store
from raceproof.model import MAIN, HeldLock, Linear, LockKind, LockMode

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def note_store(w: Walker, instr: Store, address: Linear, value: Linear, state: State) -> None:
    """For the next run: a store of a constant in a section, or of the initial value while there is one thread."""
    if not w.recording or not address.is_absolute:
        return
    is_alone = w.context.thread == MAIN and not state.may_run
    size = instr.type.size
    is_word = w.flow.initial.value(address) == 0 and w.flow.initial.is_whole(address, size)
    is_fit = is_word and value.is_constant and (ATOMIC_SECTION in state.locks or (is_alone and value == Linear(0)))
    w.flow.observed.note_section_store(address, instr.id, (size, value.constant) if is_fit else None)


def read(w: Walker, name: str, address: Linear, size: int, touch: TargetedTouch, state: State) -> None:
    """Until the section ends, or writes it, the word is what was read from it."""
    word = w.flow.section_words.get(address)
    if word is not None and word[0] == size and ATOMIC_SECTION in state.locks:
        state.values[name] = w.evaluator.itself(name)
        state.memory[(address, size)] = Known(state.values[name], touch.objects, in_section=True)


def write(w: Walker, instr: Store, address: Linear, value: Linear, before: Known | None, state: State) -> list[State]:
    """A write to a word; `before`: what the section has read from it."""
    w.flow.observed.note_lock_operation(address, instr.id)
    lock = HeldLock(address, LockMode.EXCLUSIVE, LockKind.SPIN, w.flow.position(instr.id))
    if value == Linear(0):
        if lock in state.locks:
            state.release(lock, lambda _: False)
        elif w.recording and (w.context.thread != MAIN or state.may_run):
            w.flow.observed.break_lock(address)
        return [state]
    if before is None or not before.in_section:
        return [state]
    was_free = Condition("eq", before.value)
    known = before.value == Linear(0) if before.value.is_constant else state.facts.get(was_free)
    if known is not None:
        if known:
            state.take(lock)
        return [state]
    taken = state.copy()
    _put(taken, before.value, 0)
    taken.facts[was_free] = True
    taken.take(lock)
    _put(state, before.value, w.flow.section_words[address][1])
    state.facts[was_free] = False
    return [state, taken]


def _put(state: State, value: Linear, number: int) -> None:
    """`value` has turned out to be `number`."""
    for register in [register for register, known in state.values.items() if known == value]:
        state.values[register] = Linear(number)
    for key, known in list(state.memory.items()):
        if known.value == value:
            state.memory[key] = Known(Linear(number), known.objects, known.in_section, known.is_seen)
