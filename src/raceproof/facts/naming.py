"""Names of locations and locks as the programmer knows them, and the facts as text."""

from __future__ import annotations

from collections.abc import Iterator

from raceproof.facts.place_names import path_in, pointer_name
from raceproof.ir import SourceKind, TypeId, Variable
from raceproof.model import (
    MAIN,
    Base,
    ConcurrentProgram,
    Derived,
    Family,
    Linear,
    MemLoc,
    MemObject,
    ObjectId,
    ObjectKind,
    Opaque,
    Self,
    Stable,
    StartArg,
    Thread,
    ThreadId,
    View,
)

UNNAMED = "pointer"
"""In the place of a name that the code does not have."""


def describe_location(cp: ConcurrentProgram, location: MemLoc) -> str:
    """`counter`, `accounts[*].balance`, `node.next (allocated at list.c:12)`."""
    target = cp.objects[location.object]
    path = ""
    if location.offset is not None:
        path = field_path(cp, target.source_type, location.offset, location.size, location.stride is not None)
    return _object_name(cp, target, path)


def _object_name(cp: ConcurrentProgram, target: MemObject, path: str) -> str:
    where = f"{target.pos.file}:{target.pos.line}" if target.pos is not None else None
    if target.kind is ObjectKind.HEAP:
        declared = cp.program.source_types.get(target.source_type) if target.source_type is not None else None
        name = declared.name if declared is not None else "heap object"
        return f"{name}{path}" + (f" (allocated at {where})" if where is not None else "")
    if target.kind is ObjectKind.STACK:
        return f"{target.name}{path} (local variable{f', {where}' if where is not None else ''})"
    return f"{target.name}{path}"


def field_path(cp: ConcurrentProgram, type_id: TypeId | None, offset: int, size: int | None, any_element: bool) -> str:
    """Member names and indices from the start of a type down to `offset`; any_element prints `[*]`."""
    return path_in(cp.program, type_id, offset, any_element, size)


def describe_lock(cp: ConcurrentProgram, address: Linear) -> str:
    """`mutex`, `accounts[*].lock`, `p->lock` as far as it can be said."""
    if address == Linear(-1):
        return "atomic section"
    parts = [_term(cp, atom, factor) for atom, factor in address.terms]
    match address.terms:
        case ((Base(object=identity), 1), *rest):
            target = cp.objects[identity]
            stride = bool(rest)
            path = field_path(cp, target.source_type, address.constant, 1, stride)
            index = "" if not rest or "[" in path else "[...]"
            return _object_name(cp, target, path + index)
        case ((Opaque(key=key), 1),):
            variable = _variable(cp, key)
            pointer = cp.program.source_types.get(variable.type) if variable and variable.type is not None else None
            if variable is not None and pointer is not None and pointer.kind is SourceKind.POINTER:
                path = field_path(cp, pointer.target, address.constant, 1, False)
                return (
                    f"{variable.name}->{path.removeprefix('.')}" if path.startswith(".") else f"*{variable.name}{path}"
                )
    if address.constant:
        parts.append(str(address.constant))
    return " + ".join(parts)


def _term(cp: ConcurrentProgram, atom: object, factor: int) -> str:
    match atom:
        case Base(object=identity):
            name = cp.objects[identity].name
        case Stable(location=location):
            name = f"*{describe_lock(cp, location)}"
        case StartArg():
            name = "thread argument"
        case Self():
            name = "pthread_self()"
        case Opaque(key=key):
            name = _register_name(cp, key)
        case Derived(op=op, args=args):
            name = f"{op.removeprefix('@')}(...)" if args else op  # without arguments: a lock that the user has named
        case _:
            name = str(atom)
    return name if factor == 1 else f"{factor}*{name}"


def _register_name(cp: ConcurrentProgram, key: str) -> str:
    variable = _variable(cp, key)
    if variable is not None:
        return variable.name
    function, _, register = key.partition(":")
    return pointer_name(cp.program, function, register.removeprefix("%")) or UNNAMED


def _variable(cp: ConcurrentProgram, key: str) -> Variable | None:
    """The source variable of a register, or of the parameter that stands for a caller's value."""
    function, _, register = key.partition(":")
    known = cp.program.functions.get(function)
    if known is None:
        return None
    if register.startswith("^") and len(known.params) == 1:
        register = "%" + known.params[0].name
    return known.variables.get(register[1:])


def format_facts(cp: ConcurrentProgram) -> str:
    """Threads, shared objects and accesses as text, for `raceproof dump facts` and golden tests."""
    return "\n".join(_lines(cp)) + "\n"


def _lines(cp: ConcurrentProgram) -> Iterator[str]:
    yield "threads"
    for thread in cp.threads.values():
        yield f"  {_thread_line(thread)}"
    yield "objects that threads share"
    for state in cp.states:
        yield f"  {_object_name(cp, cp.objects[state.object], '')}: {state.state}"
    yield f"accesses ({cp.private_accesses} more to objects that are not shared)"
    for access in cp.accesses.values():
        line = f"{access.pos.line}:{access.pos.column}" if access.pos is not None else "?"
        targets = ", ".join(describe_location(cp, t) for t in access.targets)
        atomic = f" atomic {access.order.value}" if access.order is not None else ""
        yield f"  site {access.site} {line} in {access.function}: {access.kind.value}{atomic} {targets}"
        for view in access.views:
            yield f"    {_view_line(cp, view)}"
    for title, items in (
        ("locks made of semaphores and atomics", [describe_lock(cp, a) for a in cp.exclusive]),
        ("signals", [f"{describe_lock(cp, s.address)} from thread {t}" for s, t in cp.senders.items()]),
        ("barriers", [f"{describe_lock(cp, b.barrier)} for {b.count}" for b in cp.barriers]),
        (
            "structures that are not kept apart",
            [_families(cp, tie.families) + " in one element" * tie.in_element for tie in cp.regions.ties],
        ),
        ("assumptions", [f"{a.text} ({a.pos})" for a in cp.assumptions]),
    ):
        if items:
            yield title
            yield from sorted(f"  {item}" for item in items)


def _thread_line(thread: Thread) -> str:
    if thread.id == MAIN:
        return f"{thread.id} main"
    many = " many" if thread.many else ""
    count = f" at most {thread.instances}" if thread.instances is not None else ""
    beside = _ids(thread.may_run_at_creation)
    how = "given away at" if thread.is_callback else "created at"
    return f"{thread.id} {thread.start} {how} {thread.pos} by {thread.parent}{many}{count} beside {beside}"


def _view_line(cp: ConcurrentProgram, view: View) -> str:
    held = ", ".join(sorted(describe_lock(cp, h.address) + f" {h.mode.value}" for h in view.held))
    parts = [f"thread {view.thread}", f"at {view.address}", f"held {{{held}}}", f"beside {_ids(view.moment.may_run)}"]
    if view.private:
        parts.append("private")
    if view.moment.must_done:
        parts.append("done " + ", ".join(sorted(describe_lock(cp, d) for d in view.moment.must_done)))
    if view.moment.in_once:
        parts.append("in once")
    for barrier, low, high in view.moment.phases:
        parts.append(f"{describe_lock(cp, barrier)} passed {low}..{high if high is not None else 'any'}")
    if view.moment.must_received:
        parts.append("received " + ", ".join(sorted(describe_lock(cp, s.address) for s in view.moment.must_received)))
    if view.region is not None:
        element = f" of the element at {view.region.element}" if view.region.element is not None else ""
        parts.append(f"in what {_families(cp, view.region.families)}{element} leads to")
    return " ".join(parts)


def _families(cp: ConcurrentProgram, families: frozenset[Family]) -> str:
    places = (MemLoc(family.object, family.offset, cp.program.pointer_size) for family in families)
    return ", ".join(sorted(describe_location(cp, place) for place in places))


def _ids(threads: frozenset[ThreadId]) -> str:
    return "{" + ", ".join(str(t) for t in sorted(threads)) + "}"


def objects_of_symbols(cp: ConcurrentProgram) -> dict[str, ObjectId]:
    """Global variables by their name in the IR; those that cannot be told apart are left out."""
    by_place: dict[tuple[str, object], list[ObjectId]] = {}
    for number, described in cp.objects.items():
        if described.kind is ObjectKind.GLOBAL:
            by_place.setdefault((described.name, described.pos), []).append(number)
    symbols: dict[tuple[str, object], list[str]] = {}
    for symbol, variable in cp.program.globals.items():
        symbols.setdefault((variable.source_name, variable.pos), []).append(symbol)
    return {
        names[0]: by_place[place][0]
        for place, names in symbols.items()
        if len(names) == 1 and len(by_place.get(place, ())) == 1
    }
