"""Numbers that threads borrow from a mask of bits: a bit that is set is a number that nobody has.

    lock; j = ffs(mask) - 1; mask &= ~(1 << j); unlock          j is taken: nobody else has it
    lock; mask |= 1 << j; unlock                                j is given back

If every write to the mask takes a number whose bit was found to be set, or gives back one that the thread has, then
no number has two owners; and since all of them hold one lock, what an owner did happened before what the next one does.
A number that is given to a new thread as its argument is that thread's from then on.

A first run of the flow finds writes of these shapes, `counters.lenders` the masks to which there are no others; the
second run follows who has which number (`State.drawn`) and sees whether all that is given back was borrowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from raceproof.facts.flow.state import Condition, State
from raceproof.ir import Address, Binary, Call, IntConst, IntType, Load, Operand, Reg, Store
from raceproof.model import Atom, Base, Derived, Linear, StartArg, ThreadId, of_atom

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker

FIND_FIRST_SET: Final = frozenset({"ffs", "ffsl", "ffsll"})


def write(w: Walker, instr: Store, address: Linear, state: State) -> None:
    """A store: it takes a number, gives one back, or neither."""
    is_lender = address in w.flow.lenders
    taken, given = _taken(w, instr, address, state), _given(w, instr, address, state)
    is_regular = taken is not None
    if given is not None:
        owner = _sole_atom(w.value(given, state))
        is_regular = not is_lender or (owner, address) in state.drawn
    if w.recording:
        w.flow.observed.note_lending(instr.id, is_regular)
    if not is_lender:
        return
    if taken is None:
        state.drawn = frozenset(item for item in state.drawn if item[1] != address)
    else:
        state.values[taken.name] = w.evaluator.itself(taken.name)  # a number of its own, whatever it was found by
        state.drawn |= {(w.evaluator.opaque(taken.name), address)}


def hand_over(w: Walker, argument: Operand | None, thread: ThreadId, state: State) -> frozenset[tuple[Atom, Linear]]:
    """A number is given to a new thread: it has it now, the creator no longer, under whichever name."""
    atom = _sole_atom(w.value(argument, state)) if argument is not None else None
    lenders = {lender for owned, lender in state.drawn if owned == atom and lender in w.flow.lenders}
    state.drawn = frozenset(item for item in state.drawn if item[1] not in lenders)
    start = StartArg(thread)
    narrow = Derived("trunc32", (of_atom(start),))  # as an int it is the same number: no mask has so many bits
    return frozenset((name, lender) for name in (start, narrow) for lender in lenders)


def after_call(w: Walker, callee: str, state: State) -> None:
    """What the callee may have given back, or handed over, is not ours any more."""
    modified = w.world.may_modify[callee]
    may_spawn = callee in w.world.may_spawn
    state.drawn = frozenset(
        (atom, lender)
        for atom, lender in state.drawn
        if lender not in w.flow.lenders
        or not (may_spawn or any(isinstance(a, Base) and modified >> a.object & 1 for a in lender.atoms()))
    )


def _taken(w: Walker, instr: Store, address: Linear, state: State) -> Reg | None:
    """The number whose bit `mask &= ~(1 << number)` clears, if it was found to be set under the same lock."""
    match _definition(w, instr.value):
        case Binary(op="and", left=left, right=right):
            pass
        case _:
            return None
    for kept, cleared in ((left, right), (right, left)):
        if not _is_just_read(w, kept, instr, address, state):
            continue
        match _definition(w, cleared):
            case (
                Binary(op="xor", left=bit, right=IntConst(value=-1))
                | Binary(op="xor", left=IntConst(value=-1), right=bit)
            ):
                number = _number_of_bit(w, bit)
                if number is not None and _is_found(w, number, bit, instr, address, state):
                    return number
    return None


def _given(w: Walker, instr: Store, address: Linear, state: State) -> Reg | None:
    """The number whose bit `mask |= 1 << number` sets."""
    match _definition(w, instr.value):
        case Binary(op="or", left=left, right=right):
            for kept, bit in ((left, right), (right, left)):
                number = _number_of_bit(w, bit)
                if number is not None and _is_just_read(w, kept, instr, address, state):
                    return number
    return None


def _is_found(w: Walker, number: Reg, bit: Operand, instr: Store, address: Linear, state: State) -> bool:
    """The bit is the first one that is set, or it was looked at."""
    match _definition(w, number):
        case (
            Binary(op="sub", left=found, right=IntConst(value=1))
            | Binary(op="add", left=found, right=IntConst(value=-1))
        ):
            match _definition(w, found):
                case Call(callee=Address(symbol=name, offset=0), args=(mask,)) if (
                    name in FIND_FIRST_SET & w.world.silent
                ):
                    return _is_just_read(w, mask, instr, address, state)
    bit_value = w.value(bit, state)
    for condition, holds in state.facts.items():
        match condition:
            case Condition(kind="eq", difference=Linear(constant=0, terms=((Derived(op=op, args=args), 1),))) if (
                not holds and op.startswith("and")
            ):
                reads = (
                    load
                    for load in w.info.may_just_read(instr, w.world.silent)
                    if {w.value(load.result, state), bit_value} == set(args)
                )
                if any(_is_just_read(w, load.result, instr, address, state) for load in reads):
                    return True
    return False


def _is_just_read(w: Walker, operand: Operand, instr: Store, address: Linear, state: State) -> bool:
    """The whole mask, with nothing in between: no lock was given back."""
    load = _definition(w, operand)
    return (
        isinstance(load, Load)
        and load.type == instr.type
        and w.value(load.address, state) == address
        and w.info.must_just_read(load, instr, w.world.silent)
    )


def _number_of_bit(w: Walker, operand: Operand) -> Reg | None:
    """j for `1 << j`; shifting by more than there are bits is undefined."""
    match _definition(w, operand):
        case Binary(op="shl", left=IntConst(value=1), right=Reg() as number, type=IntType()):
            return number
    return None


def _definition(w: Walker, operand: Operand) -> object:
    return w.info.definitions.get(operand.name) if isinstance(operand, Reg) else None


def _sole_atom(value: Linear) -> Atom | None:
    match value:
        case Linear(constant=0, terms=((atom, 1),)):
            return atom
    return None
