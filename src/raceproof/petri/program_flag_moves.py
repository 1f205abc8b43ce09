"""What instructions on flags do to tokens: see `program_flags` for what the places mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raceproof.ir import CompareExchange, Load, Operand, Program, Rmw, Store
from raceproof.petri.program_edges import Tokens, Value, name_of_place
from raceproof.petri.program_flags import OTHER, Flag, FlagUse
from raceproof.petri.program_states import Move, State
from raceproof.petri.program_values import Known, Values, computed, part_of, unsigned, with_known


def flag_moves(program: Program, use: FlagUse, state: State, values: Values, behind: State) -> Iterator[Move]:
    """From `state`, before the instruction, to `behind` it, once for each value that there may be."""
    flag, instr = use.flag, use.instr
    name = name_of_place(program, flag.place)
    if isinstance(instr, Load) and instr.result.name not in values.wanted:
        yield Move(behind)
        return
    for old in flag.values:
        match instr:
            case Load(result=register):
                after = _knowing(behind, values, register.name, old)
                take, give = _read(flag, old, use.listens)
                yield Move(after, take, give, f"reads {_spelled(old)} from {name}" if take else "", instr.pos)
            case Store(value=operand):
                for new in _stored(flag, operand, values, state):
                    take, give = _write(flag, old, new)
                    yield Move(behind, take, give, f"sets {name} to {_spelled(new)}", instr.pos)
                if not flag.is_exact:
                    return
            case Rmw(result=register):
                after = _knowing(behind, values, register.name, old)
                for new in _updated(flag, instr, old, values, state):
                    take, give = _update(flag, old, new, use.listens)
                    yield Move(after, take, give, f"changes {name} from {_spelled(old)} to {_spelled(new)}", instr.pos)
            case CompareExchange():
                yield from _exchange(program, use, instr, old, values, state, behind)


def _exchange(
    program: Program, use: FlagUse, instr: CompareExchange, old: int, values: Values, state: State, behind: State
) -> Iterator[Move]:
    flag, pair = use.flag, instr.result.name
    name = name_of_place(program, flag.place)
    expected = values.value(instr.expected, state.known)
    fits = expected is None or (expected == old if old != OTHER else expected not in flag.values)
    differs = expected is None or instr.weak or expected != old
    if fits:
        after = _knowing(behind, values, part_of(pair, 0), old)
        after = _knowing(after, values, part_of(pair, 1), 1)
        for new in _stored(flag, instr.new, values, state):
            take, give = _update(flag, old, new, use.listens)
            yield Move(after, take, give, f"changes {name} from {_spelled(old)} to {_spelled(new)}", instr.pos)
    if differs:
        after = _knowing(behind, values, part_of(pair, 0), old)
        after = _knowing(after, values, part_of(pair, 1), 0)
        take, give = _read(flag, old, use.listens_in_vain)
        yield Move(after, take, give, f"finds {_spelled(old)} in {name}" if take else "", instr.pos)


def _knowing(state: State, values: Values, register: str, value: int) -> State:
    if register not in values.wanted or value == OTHER:
        return replace(state, known=tuple(known for known in state.known if known.register != register))
    return replace(state, known=with_known(state.known, Known(register, value)))


def _stored(flag: Flag, operand: Operand, values: Values, state: State) -> tuple[int, ...]:
    return flag.named(values.value(operand, state.known))


def _updated(flag: Flag, instr: Rmw, old: int, values: Values, state: State) -> tuple[int, ...]:
    operand = values.value(instr.value, state.known)
    if instr.op == "xchg":
        return flag.named(operand)
    if old == OTHER or operand is None:
        return flag.values
    return flag.named(computed(instr.op, old, unsigned(operand, flag.bits), flag.bits))


def _read(flag: Flag, value: int, listens: bool) -> tuple[Tokens, Tokens]:
    if flag.is_exact:
        token: Tokens = ((Value(flag.place, value, "is"), 1),)
        return token, token
    if flag.is_heard(value, listens):
        token = ((Value(flag.place, value, "was"), 1),)
        return token, token
    return (), ()


def _write(flag: Flag, old: int, new: int) -> tuple[Tokens, Tokens]:
    if flag.is_exact:
        return ((Value(flag.place, old, "is"), 1),), ((Value(flag.place, new, "is"), 1),)
    return (), _written(flag, new)


def _update(flag: Flag, old: int, new: int, listens: bool) -> tuple[Tokens, Tokens]:
    """Reading and writing in one step: of what was written once, only one update is the next."""
    if flag.is_exact:
        return _write(flag, old, new)
    taken: Tokens = ((Value(flag.place, old, "next"), 1),) if flag.is_heard(old, listens) else ()
    return taken, _written(flag, new)


def _written(flag: Flag, value: int) -> Tokens:
    if value not in flag.telling:
        return ()
    return (Value(flag.place, value, "was"), 1), (Value(flag.place, value, "next"), 1)


def _spelled(value: int) -> str:
    return "another value" if value == OTHER else str(value)
