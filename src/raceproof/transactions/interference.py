"""What threads that are not followed may do to the cells, at any time: any number of writes of values from a set.

For each write only the expression that is stored counts, with any value for what it depends on; when it can happen is
limited by the locks that its thread certainly holds there, and by which threads may be running.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raceproof.domains import AnyValue, Binary, Cast, Const, Expr, Unary, Variable
from raceproof.ir import Rmw, SiteId, Store
from raceproof.model import Access, Base, HeldLock, LockKind, LockMode, ThreadId, View
from raceproof.transactions.actions import converted
from raceproof.transactions.expressions import Values, binary
from raceproof.transactions.names import Cell
from raceproof.transactions.program import Surroundings
from raceproof.transactions.thread_graph import ATOMIC, Hold


@dataclass(frozen=True, slots=True)
class Write:
    """A thread that holds `held` may write `value`, in which there is no variable but the cell itself, into `cell`."""

    cell: Variable
    value: Expr
    held: frozenset[Hold]


def writes_of(
    around: Surroundings, dead: Mapping[ThreadId, frozenset[SiteId | None]] | None = None
) -> Mapping[ThreadId, tuple[Write, ...]]:
    """All writes to cells, by the thread that makes them; `dead`: sites that a thread never reaches."""
    dead = dead or {}
    sites = around.program.instructions_by_site()
    found: dict[ThreadId, dict[Write, None]] = {}
    for access in around.cp.accesses.values():
        if not access.kind.writes:
            continue
        function, instr = sites[access.site]
        values = Values(around.body(function.name), 0, (None,) * len(function.params), 8 * around.program.pointer_size)
        for cell in around.cells.within(access.targets):
            variable = around.cells.variables[cell]
            stored: Expr = AnyValue(variable.type)
            if isinstance(instr, Store | Rmw) and cell.size == instr.type.size:
                given = without_variables(values.as_type(instr.value, variable.type))
                op = instr.op if isinstance(instr, Rmw) else "xchg"
                stored = given if op == "xchg" else binary(op, variable, given) or stored
            if around.cells.exactly(access) != cell and not _is_whole(access, cell.offset):
                stored = AnyValue(variable.type)
            for view in access.views:
                if access.site in dead.get(view.thread, ()) or _is_elsewhere(view, access.size, cell):
                    continue
                write = Write(variable, stored, _held(around, view))
                found.setdefault(view.thread, {})[write] = None
    return {thread: tuple(writes) for thread, writes in found.items()}


def _is_elsewhere(view: View, size: int | None, cell: Cell) -> bool:
    """Whether the access, as it happens in the view, is certainly not at the cell."""
    if view.address is None or len(view.address.terms) != 1 or size is None:
        return False
    atom, factor = view.address.terms[0]
    if not isinstance(atom, Base) or factor != 1:
        return False
    start = view.address.constant
    return atom.object != cell.object or start >= cell.offset + cell.size or start + size <= cell.offset


def _is_whole(access: Access, offset: int) -> bool:
    return all(t.offset is not None and (t.offset - offset) % (t.stride or 1) == 0 for t in access.targets)


def _held(around: Surroundings, view: View) -> frozenset[Hold]:
    return frozenset(hold for lock in view.held if (hold := _hold(around, lock)) is not None)


def _hold(around: Surroundings, lock: HeldLock) -> Hold | None:
    if lock.kind is LockKind.ATOMIC_SECTION:
        return Hold(ATOMIC)
    if lock.kind is not LockKind.MUTEX or len(lock.address.terms) != 1:
        return None
    atom, factor = lock.address.terms[0]
    symbol = around.cells.symbol_of.get(atom.object) if isinstance(atom, Base) and factor == 1 else None
    return None if symbol is None else Hold((symbol, lock.address.constant), lock.mode is LockMode.SHARED)


def without_variables(expr: Expr) -> Expr:
    """The same with any value for each variable."""
    match expr:
        case Variable(type=of_type):
            return AnyValue(of_type)
        case Cast(type=to, operand=operand):
            return converted(without_variables(operand), to)
        case Unary(op=op, operand=operand):
            return Unary(op, without_variables(operand))
        case Binary(op=op, left=left, right=right):
            return Binary(op, without_variables(left), without_variables(right))
        case Const() | AnyValue():
            return expr
