"""Whether a recorded step is one that the program has: its site, its call or instruction, its bytes."""

from __future__ import annotations

import re
from typing import Final

from raceproof.evidence.happens_before import ORDERS, Span
from raceproof.ir import Address, Call, CompareExchange, Fence, Instr, Load, Rmw, Store, Terminator
from raceproof.model import AccessKind, ConcurrentProgram, ObjectKind, RunStep
from raceproof.spec import function

_OFFSET: Final = re.compile(r"(.*)\+(\d+)", re.DOTALL)
_ATOMICS: Final[dict[str, tuple[type, ...]]] = {
    "atomic load": (Load,),
    "atomic store": (Store,),
    "atomic update": (Rmw,),
    "compare-exchange": (CompareExchange,),
    "fence": (Fence,),
}
_KINDS: Final = {"read": AccessKind.READ, "write": AccessKind.WRITE, "free": AccessKind.FREE}
_ANYWHERE: Final = (
    *("end of thread", "cancellation point", "pthread_cancel", "atomic begin", "atomic end"),
    "spin loop",
)
_FAMILIES: Final = {
    "unlock to wait": ("wait",),
    "lock again": ("wait",),
    "pthread_tryjoin_np": ("join",),
    "pthread_create": ("create",),
    "pthread_join": ("join",),
    "yield": ("yield", "syscall"),
}
"""Steps that stand for several functions: what their names have in common."""


def site_problem(instr: Instr | Terminator, step: RunStep) -> str | None:
    """Why the step is not what the program does with this instruction; None if it is."""
    what = step.operation
    if what in _KINDS or what in _ANYWHERE:
        return None  # accesses are compared by their numbers
    if what in _ATOMICS:
        return _atomic_problem(instr, step)
    if not isinstance(instr, Call):
        return "there is no call at its site"
    return None if _calls(instr, what) else f"the call at its site is not {what}"


def _atomic_problem(instr: Instr | Terminator, step: RunStep) -> str | None:
    if isinstance(instr, Call):
        return None  # a function of the library that is atomic
    if not isinstance(instr, _ATOMICS[step.operation]):
        return f"there is no {step.operation} at its site"
    match instr:
        case Fence(order=order):
            size = step.size
        case Load(order=order, type=type_) | Rmw(order=order, type=type_) | CompareExchange(order=order, type=type_):
            size = type_.size
        case Store(order=order, type=type_):
            size = type_.size
        case _:
            return f"there is no {step.operation} at its site"
    if order is None or order is not ORDERS.get(step.order):
        return "the operation at its site has another memory order"
    return None if step.size == size else "the operation at its site is of another size"


def _calls(call: Call, what: str) -> bool:
    if not isinstance(call.callee, Address):
        return True  # through a pointer
    name = call.callee.symbol
    if what in _FAMILIES:
        return any(part in name for part in _FAMILIES[what])
    api = function(what)
    return name == what or (api is not None and function(name) is api)


def access_problem(cp: ConcurrentProgram, instr: Instr | Terminator, step: RunStep) -> str | None:
    """Why the step is not the access that it says it is; None if it is."""
    if step.access is None:
        return None
    access = cp.accesses.get(step.access)
    if access is None:
        return f"the program has no access {step.access}"
    kind = _KINDS.get(step.operation)
    if (kind is None) != access.is_atomic:
        return f"access {step.access} is {'atomic' if access.is_atomic else 'not atomic'}"
    # The runtime has one word for calls that write all of a block, and for those that free it.
    is_whole = isinstance(instr, Call) and {kind, access.kind} <= {AccessKind.WRITE, AccessKind.FREE}
    if kind is not None and kind is not access.kind and not is_whole:
        return f"access {step.access} is a {access.kind.value}"
    if access.size is not None and access.kind is not AccessKind.FREE:
        # What a call touches is known up to a bound.
        fits = step.size <= access.size if isinstance(instr, Call) else step.size == access.size
        if not fits:
            return f"access {step.access} is to {access.size} bytes"
    # Of an exchange the facts have what both its orders give; the record has the one for success.
    order = access.order
    if step.operation == "compare-exchange":
        order = instr.order if isinstance(instr, CompareExchange) else None
    if order is not None and order is not ORDERS.get(step.order):
        return f"access {step.access} has memory order {order.value}"
    named = {cp.objects[target.object].name for target in access.targets if target.object in cp.objects}
    base = span_of(step).base
    if base in cp.program.globals and base not in named and not access.has_others and _are_named(cp, access.targets):
        return f"access {step.access} does not go to {base}"
    return None


def _are_named(cp: ConcurrentProgram, targets: object) -> bool:
    """All targets are global variables, so that their names say which."""
    return isinstance(targets, tuple) and all(
        target.object in cp.objects and cp.objects[target.object].kind is ObjectKind.GLOBAL for target in targets
    )


def span_of(step: RunStep) -> Span:
    """The bytes of an access, by the name that the runtime gives to its address."""
    match = _OFFSET.fullmatch(step.address)
    if match is None:
        if step.address.startswith("0x"):
            low = int(step.address, 16)
            return Span("", low, low + step.size)
        return Span(step.address, 0, step.size)
    low = int(match[2])
    if match[1].startswith("stack "):
        low = -low  # counted from its top
    return Span(match[1], low, low + step.size)
