"""Follows every thread through all it may do, and notes which accesses go to nodes that the thread owns.

Follows [GBCS07]: a lock protects a piece of the heap, described by invariants. Who takes the lock owns the piece, who
gives it back must leave a piece that an invariant describes; the invariants are what is found to be given back.
Differs: a thread gives back what can be reached from the roots of the lock, and keeps the rest; main owns the roots
while it is alone; what is not understood is an access that the thread is not known to own, and no failure.

A step is always one of the program's, or one that has less to own. So where every execution of two accesses is found to
go to a node that the thread owns, they do not race: a node is owned by one thread at a time, and changes hands only
with a lock, or while main is alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from raceproof.core import Budget, LimitReached
from raceproof.facts import MemoryTouch, Sync, SyncOp, effect_of, sync_op, touches_of
from raceproof.ir import (
    Address,
    Alloca,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Gep,
    IndirectJump,
    Instr,
    IntConst,
    IntType,
    Jump,
    Load,
    Operand,
    Phi,
    PtrType,
    Reg,
    Return,
    Rmw,
    Select,
    SiteId,
    Store,
    Switch,
    Unreachable,
    result,
)
from raceproof.model import MAIN, Access, AccessId, AccessKind, ObjectId, ObjectKind, ThreadId
from raceproof.shapes.certificates import Piece
from raceproof.shapes.states import Frame, Key, Since, State
from raceproof.shapes.surroundings import SILENT, Protected, Surroundings, operations, overlaps
from raceproof.shapes.symbolic_heap import (
    ANYTHING,
    NULL,
    At,
    Cell,
    Heap,
    Layout,
    NotZero,
    Number,
    Origin,
    Place,
    Segment,
    Value,
    Written,
)

MAX_STATES: Final = 20_000
MAX_DEPTH: Final = 24
MAX_INVARIANTS: Final = 60
_FIRST_PAGE: Final = 4096
_RESUMED: Final = frozenset({Sync.LOCK, Sync.TRYLOCK, Sync.WAIT})
_SAME: Final = frozenset({"bitcast", "ptrtoint", "inttoptr", "addrspacecast"})


@dataclass(slots=True)
class Observed:
    """What was seen: `owned`: accesses that went to a node of the thread; `placed`: to a variable; `others`: that may
    have gone elsewhere. `blind`: writes that may have gone anywhere that the facts say. `relied_on`: fields of nodes
    that had a value. `spoilt`: roots that somebody may have written without owning them. `used`: with which locks a
    place was used that may have a pointer in it, but for what main did alone; `locks`: all that were taken. `links`:
    offsets in nodes at which there was a pointer to another one."""

    owned: set[AccessId] = field(default_factory=set)
    placed: set[AccessId] = field(default_factory=set)
    others: set[AccessId] = field(default_factory=set)
    blind: dict[AccessId, Access] = field(default_factory=dict)
    relied_on: set[tuple[ObjectId, int]] = field(default_factory=set)
    spoilt: set[Place] = field(default_factory=set)
    used: dict[Place, set[frozenset[Place]]] = field(default_factory=dict)
    locks: set[Place] = field(default_factory=set)
    links: set[int] = field(default_factory=set)


class Execution:
    """All threads of a program, with what locks protect. With `given` pieces, nothing else may be given back: what
    is, is the `surprise`. Without `protected` locks, it is found out which may be.

    `hosts`: objects that may have locks and roots in them, and are no nodes.
    """

    def __init__(
        self,
        around: Surroundings,
        layout: Layout,
        protected: Sequence[Protected] | None,
        hosts: frozenset[ObjectId],
        budget: Budget,
        given: Sequence[Sequence[Piece]] | None = None,
    ) -> None:
        self._around = around
        self.layout = layout
        self._budget = budget
        self._width = around.program.pointer_size
        self._is_scouting = protected is None
        self.protected = protected = tuple(protected or ())
        self._lock_of = {root: number for number, group in enumerate(protected) for root in group.roots}
        self._locks = {group.lock: number for number, group in enumerate(protected)}
        self._hosts = hosts
        self.seen = Observed()
        self.surprise: int | None = None
        self._is_given = given is not None
        self.invariants: list[dict[Written, Piece]] = [
            {heap.written(values): (heap, values) for heap, values in pieces}
            for pieces in (given if given is not None else [()] * len(protected))
        ]
        self._waiting: list[list[tuple[State, Since, ThreadId]]] = [[] for _ in protected]
        self._known: set[tuple[ThreadId, Key]] = set()
        self._asked: set[tuple[ThreadId, int, Key]] = set()
        self._work: list[tuple[State, ThreadId]] = []
        self._thread = MAIN
        self._begun: set[ThreadId] = set()

    @property
    def count(self) -> int:
        """Of states that were followed."""
        return len(self._known)

    def run(self) -> None:
        """Raises `LimitReached` if there is too much to follow."""
        self._begin(MAIN, ANYTHING)
        while self._work:
            self._budget.check()
            state, self._thread = self._work.pop()
            self._follow(state)
        for access in self._around.cp.accesses.values():
            if any(view.thread not in self._begun for view in access.views):
                self._unknown(access)

    def _begin(self, thread: ThreadId, argument: Value) -> None:
        """Follow a thread from its start on; of what it is given only places are known to it."""
        self._begun.add(thread)
        function = self._around.program.functions[self._around.cp.threads[thread].start]
        registers: dict[str, Value] = {}
        if thread != MAIN and function.params:
            registers[function.params[0].name] = argument if isinstance(argument, Place) else ANYTHING
        frame = Frame(function, 0, 0, registers)
        owned = dict.fromkeys(range(len(self.protected)), Since.ALONE) if thread == MAIN else {}
        initial = {root: self._around.initial(root) for root in self._lock_of} if thread == MAIN else {}
        self._add(State([frame], Heap(self.layout), owned, initial), thread)

    def _add(self, state: State, thread: ThreadId) -> None:
        """Go on from here, unless that was done."""
        key = (thread, state.forget(self._around))
        if key not in self._known:
            if len(self._known) >= MAX_STATES:
                raise LimitReached(f"more than {MAX_STATES:,} states of lists")
            self._known.add(key)
            self._work.append((state, thread))

    # -- steps

    def _follow(self, state: State) -> None:
        """From here to the next blocks, or to where ways part."""
        while True:
            frame = state.top
            block = frame.function.blocks[frame.block]
            if frame.step == len(block.body):
                for after in self._leave(state):
                    self._add(after, self._thread)
                return
            after_step = list(self._step(state, block.body[frame.step]))
            if len(after_step) != 1:
                for after in after_step:
                    self._add(after, self._thread)
                return
            state = after_step[0]

    def _leave(self, state: State) -> Iterator[State]:
        frame = state.top
        terminator = frame.function.blocks[frame.block].terminator
        match terminator:
            case Return(value=value):
                yield from self._return(state, self._value(state, value) if value is not None else ANYTHING)
                return
            case Unreachable():
                return
            case Jump(target=target):
                labels = [target]
            case Branch(condition=condition, if_true=if_true, if_false=if_false):
                is_set = truth(self._value(state, condition))
                labels = [if_true] * (is_set is not False) + [if_false] * (is_set is not True)
            case Switch(value=value, default=default, cases=cases):
                known = self._value(state, value)
                labels = [label for number, label in cases if not isinstance(known, Number) or known.value == number]
                labels = labels or [default] if isinstance(known, Number) else [*labels, default]
            case IndirectJump(targets=targets):
                labels = list(targets)
        for label in dict.fromkeys(labels):
            yield self._enter_block(state.copy(), label)

    def _enter_block(self, state: State, label: str) -> State:
        frame = state.top
        source = frame.function.blocks[frame.block].label
        number = next(i for i, block in enumerate(frame.function.blocks) if block.label == label)
        found: dict[str, Value] = {}
        phis = 0
        for instr in frame.function.blocks[number].body:
            if not isinstance(instr, Phi):
                break
            phis += 1
            found[instr.result.name] = self._value(state, next(v for v, where in instr.incoming if where == source))
        frame.registers.update(found)
        frame.block, frame.step = number, phis
        return state

    def _return(self, state: State, value: Value) -> Iterator[State]:
        if len(state.frames) == 1:
            if self._thread != MAIN:  # the program ends with main
                self._end_thread(state)
            return
        state.frames.pop()
        yield self._done(state, value)

    def _end_thread(self, state: State) -> None:
        for number in list(state.owned):
            self._give_back(state, number)

    def _done(self, state: State, value: Value = ANYTHING) -> State:
        """The instruction is over, with this result."""
        frame = state.top
        instr = frame.function.blocks[frame.block].body[frame.step]
        made = result(instr)
        if made is not None:
            frame.registers[made.name] = value
        frame.step += 1
        state.is_resumed = False
        return state

    def _step(self, state: State, instr: Instr) -> Iterator[State]:
        match instr:
            case Load():
                yield from self._load(state, instr)
            case Store():
                yield from self._store(state, instr)
            case Rmw() | CompareExchange():
                yield from self._update(state, instr)
            case Call():
                yield from self._call(state, instr)
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                is_set = truth(self._value(state, condition))
                for choice, operand in ((True, if_true), (False, if_false)):
                    if is_set is not (not choice):
                        made = state.copy()
                        yield self._done(made, self._value(made, operand))
            case _:
                yield self._done(state, self._computed(state, instr))

    def _computed(self, state: State, instr: Instr) -> Value:
        match instr:
            case Gep(base=base, offset=offset, terms=terms):
                return _moved(self._value(state, base), None if terms else offset)
            case Cast(op=op, value=value, to_type=to_type):
                known = self._value(state, value)
                if op in _SAME:
                    return known if to_type.size == self._width else ANYTHING
                if isinstance(known, Number) and op in ("zext", "sext", "trunc"):
                    return known if 0 <= known.value < 128 and not _is_bit(to_type) else ANYTHING
                return ANYTHING
            case Compare(predicate=predicate, left=left, right=right):
                return _compared(predicate, self._value(state, left), self._value(state, right))
            case Alloca():
                return self._made_once(state, instr.id) or ANYTHING
        return ANYTHING

    def _value(self, state: State, operand: Operand) -> Value:
        match operand:
            case Reg(name=name):
                return state.top.registers.get(name, ANYTHING)
            case IntConst(value=value):
                return Number(value)
            case Address(symbol=symbol, offset=offset):
                number = self._around.symbols.get(symbol)
                return ANYTHING if number is None else Place(number, offset)
        return ANYTHING

    # -- memory

    def _load(self, state: State, instr: Load) -> Iterator[State]:
        address = self._value(state, instr.address)
        is_pointer = isinstance(instr.type, PtrType) or (
            isinstance(instr.type, IntType) and instr.type.size == self._width
        )
        for after in self._touch(state, instr.id, 0, address, instr.type.size):
            if after is None:
                yield self._done(state)
                continue
            value: Value = ANYTHING
            match address:
                case At(node=node, offset=offset) if is_pointer:
                    cell = after.heap.parts[node]
                    assert isinstance(cell, Cell)
                    value = cell.value(offset, self._width)
                    if value is not ANYTHING and offset is not None:
                        self.seen.relied_on.update((origin, offset) for origin in cell.origin)
                case Place() if is_pointer:
                    value = after.roots.get(address, ANYTHING)
            yield self._done(after, value)

    def _store(self, state: State, instr: Store) -> Iterator[State]:
        address = self._value(state, instr.address)
        value = self._value(state, instr.value) if isinstance(instr.type, PtrType) else ANYTHING
        yield from self._write(state, instr.id, address, instr.type.size, value)

    def _update(self, state: State, instr: Rmw | CompareExchange) -> Iterator[State]:
        yield from self._write(state, instr.id, self._value(state, instr.address), instr.type.size, ANYTHING)

    def _write(self, state: State, site: SiteId, address: Value, size: int, value: Value) -> Iterator[State]:
        for after in self._touch(state, site, 0, address, size):
            if after is None:
                yield self._done(state)
                continue
            self._put(after, address, size, value)
            yield self._done(after)

    def _put(self, state: State, address: Value, size: int | None, value: Value = ANYTHING) -> None:
        """Write to a node, or to a place, of the thread's own."""
        if isinstance(address, At):
            if isinstance(value, At) and address.offset is not None:
                self.seen.links.add(address.offset)
            state.heap.store(address.node, address.offset, size, value)
            if value is not ANYTHING and address.offset is not None:
                self.seen.relied_on.update((o, address.offset) for o in state.heap.parts[address.node].origin)
        elif isinstance(address, Place):
            for root in state.roots:
                if root.object == address.object and _may_overlap(root, address, size, self._width):
                    state.roots[root] = value if root == address and size == self._width else ANYTHING

    def _touch(
        self, state: State, site: SiteId, index: int, address: Value, size: int | None
    ) -> Iterator[State | None]:
        """An access to memory: the states in which the thread owns what it touches, the node told apart; None if it
        may not. No state: the program does what C does not define."""
        accesses = [a for a in self._around.by_site.get(site, ()) if a.touch == index]
        match address:
            case At(node=node):
                self.seen.owned.update(access.id for access in accesses)
                self._may_be_root(state.heap.parts[node].origin, accesses)
                for heap in state.heap.exposed(node):
                    made = state.copy()
                    made.heap = heap.copy()
                    yield made
            case Number(value=number) if 0 <= number < _FIRST_PAGE:
                return
            case Place(object=number):
                is_heap = self._around.cp.objects[number].kind is ObjectKind.HEAP
                (self.seen.others if is_heap else self.seen.placed).update(access.id for access in accesses)
                yield from self._touch_place(state, accesses, address, size)
            case _:
                for access in accesses:
                    self._unknown(access)
                yield None

    def _touch_place(
        self, state: State, accesses: list[Access], place: Place, size: int | None
    ) -> Iterator[State | None]:
        touched = {
            number
            for root, number in self._lock_of.items()
            if root.object == place.object and _may_overlap(root, place, size, self._width)
        }
        if self._is_scouting and size == self._width and place.offset is not None:
            held = self.seen.used.setdefault(place, set())
            if not self._is_alone(accesses):
                held.add(state.held)
        missing = sorted(touched - state.owned.keys())
        if not missing:
            yield state.copy()
            return
        if self._is_alone(accesses):
            self._ask(state, missing[0], Since.ALONE)
            return
        if any(access.kind.writes for access in accesses) or not accesses:
            self.seen.spoilt.update(root for root, number in self._lock_of.items() if number in missing)
        yield None

    def _may_be_root(self, origin: Origin, accesses: list[Access]) -> None:
        """A node of which it is not known what it is may be an object with roots in it."""
        for root in self._lock_of:
            if root.object in origin or not origin:
                is_heap = self._around.cp.objects[root.object].kind is ObjectKind.HEAP
                targets = [target for access in accesses if access.kind.writes for target in access.targets]
                if is_heap and any(overlaps(target, root, self._width) for target in targets):
                    self.seen.spoilt.add(root)

    def _is_alone(self, accesses: list[Access]) -> bool:
        views = [view for access in accesses for view in access.views if view.thread == MAIN]
        return self._thread == MAIN and bool(views) and all(self._around.is_alone(view) for view in views)

    def _unknown(self, access: Access) -> None:
        """Nothing is known of where the access goes but what the facts say."""
        self.seen.others.add(access.id)
        if access.kind.writes and access.kind is not AccessKind.FREE:
            self.seen.blind[access.id] = access
            for root in self._lock_of:
                if any(overlaps(target, root, self._width) for target in access.targets):
                    self.seen.spoilt.add(root)

    # -- locks

    def _ask(self, state: State, number: int, since: Since) -> None:
        """Go on with this instruction once the thread has what the lock protects, whatever that may be."""
        asking = state.copy()
        key = (self._thread, number, asking.forget(self._around))
        if key in self._asked:
            return
        self._asked.add(key)
        self._waiting[number].append((asking, since, self._thread))
        for piece, values in list(self.invariants[number].values()):
            self._give(asking, number, since, piece, values, self._thread)

    def _give(
        self, state: State, number: int, since: Since, piece: Heap, values: list[Value], thread: ThreadId
    ) -> None:
        made = state.copy()
        made.owned[number] = since
        made.roots.update(zip(self.protected[number].roots, made.heap.join_in(piece, values), strict=True))
        made.is_resumed = True
        self._work.append((made, thread))

    def _give_back(self, state: State, number: int) -> None:
        """What can be reached from the roots of a lock is the thread's no longer."""
        values = [state.roots.pop(root) for root in self.protected[number].roots]
        del state.owned[number]
        piece, named = state.heap.extracted(values)
        state.lose(set(state.heap.reachable(values)))
        piece.fold(named)
        self._rely_on(piece)
        piece, named = piece.extracted(named)
        key = piece.written(named)
        if key not in self.invariants[number]:
            if self._is_given:
                self.surprise = number
                return
            if len(self.invariants[number]) >= MAX_INVARIANTS:
                raise LimitReached(f"a lock protects more than {MAX_INVARIANTS} kinds of lists")
            self.invariants[number][key] = (piece, named)
            for waiting, since, thread in list(self._waiting[number]):
                self._give(waiting, number, since, piece, named, thread)

    def _rely_on(self, piece: Heap) -> None:
        for part in piece.parts.values():
            if isinstance(part, Segment):
                offsets = [part.link, *(offset for offset, _ in part.owned)]
            else:
                offsets = list(part.fields)
            self.seen.relied_on.update((origin, offset) for origin in part.origin for offset in offsets)

    # -- calls

    def _call(self, state: State, call: Call) -> Iterator[State]:
        targets = self._around.calls.targets.get(call.id)
        if targets is None:
            raise LimitReached("a call of which nothing is known")
        if call.by_value:
            for access in self._around.by_site.get(call.id, ()):
                self._unknown(access)
        ops = operations(targets)
        is_once = len(ops) == 1 and ops[0].kind is Sync.ONCE and len(targets.externals) == 1
        if any(self._around.matters(name) for name in targets.callbacks) and not is_once:
            raise LimitReached("the library calls functions that use lists")
        for name in targets.functions if not is_once else targets.callbacks:
            if not self._around.matters(name):
                yield self._done(state.copy())
                continue
            yield self._entered(state.copy(), call, name, is_once)
        if targets.externals or not targets.functions:
            made = state.copy()
            if self._around.may_release_all(targets):
                for number in list(made.owned):
                    self._give_back(made, number)
            if len(targets.externals) == 1 and not targets.is_unknown:
                yield from self._external(made, call, targets.externals[0])
            else:
                yield from self._any_external(made, call, targets.externals)

    def _entered(self, state: State, call: Call, name: str, is_callback: bool) -> State:
        if len(state.frames) >= MAX_DEPTH or any(frame.function.name == name for frame in state.frames):
            raise LimitReached(f"`{name}` is called in itself, or calls are too deep")
        function = self._around.program.functions[name]
        given = () if is_callback else call.args
        copied = {index for index, _ in call.by_value}
        registers = {
            param.name: self._value(state, arg)
            for index, (param, arg) in enumerate(zip(function.params, given, strict=False))
            if index not in copied
        }
        state.frames.append(Frame(function, 0, 0, registers))
        return state

    def _any_external(self, state: State, call: Call, names: tuple[str, ...]) -> Iterator[State]:
        """One of several functions, or one that nobody knows: what it touches may be anything."""
        if any(op.kind not in SILENT for name in names for op in operations_of(name)):
            for number in list(state.owned):
                self._give_back(state, number)
        for access in self._around.by_site.get(call.id, ()):
            self._unknown(access)
        yield self._done(state)

    def _external(self, state: State, call: Call, name: str) -> Iterator[State]:
        ops = operations_of(name)
        if ops and ops[0].kind in _RESUMED:
            for access in self._around.by_site.get(call.id, ()):  # times of waits, which nobody has in a list
                self._unknown(access)
            states = [state]
        else:
            states = self._touches(state, call, name)
        for after in states:
            if ops and self._is_scouting:
                yield from self._scouted(after, call, ops[0])
            elif ops:
                yield from self._synchronised(after, call, ops[0])
            else:
                yield from self._returned(after, call, name)

    def _touches(self, state: State, call: Call, name: str) -> list[State]:
        """The accesses that a function of the library makes."""
        touches = touches_of(self._around.program, call, (name,))
        states = [state]
        for access in self._around.by_site.get(call.id, ()):
            if access.touch >= len(touches):
                self._unknown(access)
        for index, touch in enumerate(touches):
            following: list[State] = []
            for before in states:
                following += self._touched(before, call, name, index, touch)
            states = following
        return states

    def _touched(self, state: State, call: Call, name: str, index: int, touch: MemoryTouch) -> list[State]:
        if touch.deref or touch.reach or touch.static is not None:
            for access in self._around.by_site.get(call.id, ()):
                if access.touch == index:
                    self._unknown(access)
            return [state]
        address = self._value(state, touch.address)
        if touch.kind is AccessKind.FREE and address == NULL:
            return [state]
        found: list[State] = []
        for after in self._touch(state, call.id, index, address, touch.size):
            if after is None:
                found.append(state)
                continue
            if touch.kind is AccessKind.FREE and isinstance(address, At):
                after.lose({address.node})
            elif touch.kind.writes:
                self._overwrite(after, call, name, address, touch.size)
            found.append(after)
        return found

    def _overwrite(self, state: State, call: Call, name: str, address: Value, size: int | None) -> None:
        """What a library function writes is not known, unless it is all zero."""
        is_zero = "memset" in name and len(call.args) > 1 and self._value(state, call.args[1]) == NULL
        if is_zero and isinstance(address, Place) and address.offset is not None and size is not None:
            for root in state.roots:
                if root.object == address.object and root.offset is not None:
                    is_inside = address.offset <= root.offset and root.offset + self._width <= address.offset + size
                    if is_inside:
                        state.roots[root] = NULL
                    elif _may_overlap(root, address, size, self._width):
                        state.roots[root] = ANYTHING
        elif is_zero and isinstance(address, At) and address.offset == 0 and self._is_all(state, address.node, size):
            state.heap.clear(address.node)
        else:
            self._put(state, address, size)

    def _is_all(self, state: State, node: int, size: int | None) -> bool:
        sizes = [self._around.cp.objects[origin].size for origin in state.heap.parts[node].origin]
        return size is not None and bool(sizes) and all(known is not None and known <= size for known in sizes)

    def _returned(self, state: State, call: Call, name: str) -> Iterator[State]:
        effect = effect_of(name)
        if effect is None or effect.noreturn or call.noreturn:
            if effect is None:
                yield self._done(state)
            return
        if effect.returns.value == "fresh":
            once = self._made_once(state, call.id)
            for made in (state.copy(), state):
                if made is state:
                    yield self._done(made, NULL)
                elif once is not None:
                    yield self._done(made, once)
                else:
                    origin = self._origin(made, call.id)
                    cell = Cell(origin, is_zeroed=effect.zeroed)
                    yield self._done(made, At(made.heap.add(cell)))
        elif effect.returns.value == "arg" and effect.returns_arg is not None and effect.returns_arg < len(call.args):
            yield self._done(state, self._value(state, call.args[effect.returns_arg]))
        else:
            yield self._done(state)

    def _origin(self, state: State, site: SiteId) -> frozenset[ObjectId]:
        """Of a new node; nothing, unless the facts tell all accesses to it."""
        found = self._around.origin(site, state.call_stack())
        return found if found <= self._around.shared else frozenset()

    def _made_once(self, state: State, site: SiteId) -> Place | None:
        """The object that an instruction makes, if there are locks or roots in it."""
        found = self._around.origin(site, state.call_stack())
        hosted = found & self._hosts
        if not hosted:
            return None
        return Place(next(iter(hosted)), 0) if len(found) == 1 else None

    def _synchronised(self, state: State, call: Call, op: SyncOp) -> Iterator[State]:
        number = self._lock_number(state, call, op.lock_arg if op.kind is Sync.WAIT else op.arg)
        match op.kind:
            case Sync.LOCK if op.shared or op.refuses_owner or number is None:
                yield self._done(state)
            case Sync.LOCK if number is not None:
                yield from self._locked(state, number)
            case Sync.TRYLOCK if op.shared or number is None:
                yield self._done(state)
            case Sync.TRYLOCK if number is not None:
                if not state.is_resumed:
                    yield self._done(state.copy(), NotZero())
                yield from self._locked(state, number)
            case Sync.UNLOCK:
                self._unlocked(state, call, op.arg, number)
                yield self._done(state, NULL)
            case Sync.WAIT:
                if not state.is_resumed:
                    self._unlocked(state, call, op.lock_arg, number)
                if number is None:
                    yield self._done(state)
                else:
                    yield from self._locked(state, number, ANYTHING)
            case Sync.CREATE:
                self._create(state, call, op)
                for held, since in list(state.owned.items()):
                    if since is Since.ALONE:
                        self._give_back(state, held)
                yield self._done(state)
            case Sync.EXIT:
                self._end_thread(state)
            case Sync.ONCE:
                yield self._done(state, NULL)
            case kind if kind in SILENT:
                yield self._done(state)
            case _:
                for held in list(state.owned):
                    self._give_back(state, held)
                yield self._done(state)

    def _create(self, state: State, call: Call, op: SyncOp) -> None:
        given = self._argument(state, call, op.start_arg)
        for thread in self._around.cp.threads.values():
            is_outside = thread.id in self._around.outside
            if thread.created_at == call.id and thread.parent == self._thread and not is_outside:
                self._begin(thread.id, ANYTHING if given is None else given)

    def _argument(self, state: State, call: Call, index: int | None) -> Value | None:
        return self._value(state, call.args[index]) if index is not None and index < len(call.args) else None

    def _locked(self, state: State, number: int, value: Value = NULL) -> Iterator[State]:
        if number in state.owned:
            state.owned[number] = Since.LOCKED
            yield self._done(state, value)
        else:
            self._ask(state, number, Since.LOCKED)

    def _unlocked(self, state: State, call: Call, argument: int | None, number: int | None) -> None:
        known = self._argument(state, call, argument)
        is_other = isinstance(known, Place) and known.offset is not None and number is None
        for held in list(state.owned):
            if held == number or (number is None and not is_other):
                self._give_back(state, held)

    def _lock_number(self, state: State, call: Call, argument: int | None) -> int | None:
        address = self._argument(state, call, argument)
        return self._locks.get(address) if isinstance(address, Place) else None

    def _scouted(self, state: State, call: Call, op: SyncOp) -> Iterator[State]:
        """While it is found out what locks protect: nobody owns anything by them."""
        lock = self._argument(state, call, op.lock_arg if op.kind is Sync.WAIT else op.arg)
        match op.kind:
            case Sync.LOCK | Sync.TRYLOCK | Sync.WAIT if isinstance(lock, Place):
                self.seen.locks.add(lock)
                if op.kind is Sync.TRYLOCK:
                    yield self._done(state.copy(), NotZero())
                if not op.shared and not op.refuses_owner:
                    state.held |= {lock}
                yield self._done(state, ANYTHING if op.kind is Sync.WAIT else NULL)
            case Sync.UNLOCK:
                state.held = state.held - {lock} if isinstance(lock, Place) else frozenset()
                yield self._done(state)
            case Sync.EXIT:
                return
            case Sync.CREATE:
                self._create(state, call, op)
                yield self._done(state)
            case _:
                yield self._done(state)


def operations_of(name: str) -> list[SyncOp]:
    found = sync_op(name)
    return [] if found is None else [found]


def truth(value: Value) -> bool | None:
    match value:
        case Number(value=number):
            return number != 0
        case NotZero() | Place() | At():
            return True
    return None


def _is_bit(ir_type: object) -> bool:
    return isinstance(ir_type, IntType) and ir_type.bits == 1


def _moved(value: Value, offset: int | None) -> Value:
    match value:
        case At(node=node, offset=before):
            return At(node, None if before is None or offset is None else before + offset)
        case Place(object=number, offset=before):
            return Place(number, None if before is None or offset is None else before + offset)
        case Number(value=before) if offset is not None and 0 <= before + offset < _FIRST_PAGE:
            return Number(before + offset)  # of null: to use it is undefined
    return ANYTHING


def _may_overlap(root: Place, place: Place, size: int | None, width: int) -> bool:
    """Whether so many bytes at the place may be in the root, which is in the same object."""
    if place.offset is None or root.offset is None:
        return True
    return root.offset + width > place.offset and (size is None or root.offset < place.offset + size)


def _compared(predicate: str, left: Value, right: Value) -> Value:
    if predicate in ("eq", "ne"):
        is_equal = _is_equal(left, right)
        return ANYTHING if is_equal is None else Number(int(is_equal == (predicate == "eq")))
    if isinstance(left, Number) and isinstance(right, Number):
        a, b = left.value, right.value
        known = {"slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b}.get(predicate)
        return ANYTHING if known is None else Number(int(known))
    return ANYTHING


def _is_equal(left: Value, right: Value) -> bool | None:
    match left, right:
        case Number(value=a), Number(value=b):
            return a == b
        case (At() | Place() | NotZero(), Number(value=0)) | (Number(value=0), At() | Place() | NotZero()):
            return False
        case At(node=a, offset=x), At(node=b, offset=y):
            if x is None or y is None:
                return None
            return a == b and x == y if a == b or (x == 0 and y == 0) else None
        case Place(object=c, offset=x), Place(object=d, offset=y) if c == d and x is not None and y is not None:
            return x == y
    return None
