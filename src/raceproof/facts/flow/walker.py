"""One function in one context: states through blocks, instruction by instruction.

Paths that hold different locks or run beside different threads are kept apart (up to `MAX_STATES` per block),
each with what its branches taught it, so that `if (c) lock(); ...; if (c) unlock();` is understood: the
property simulation of [ESP02], with locksets as the property.

Where a block is one decision made of a phi of booleans (`a && b`), paths are not merged before the decision.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from raceproof.facts.flow import call_transfer, counting, memory_transfer, region_calls, regions, tokens, turns
from raceproof.facts.flow.contexts import AccessKey, Context, Exit, Spawn, ThreadRecord, join_spawns
from raceproof.facts.flow.evaluate import Evaluator
from raceproof.facts.flow.membership import Member
from raceproof.facts.flow.rounds import ranges_of
from raceproof.facts.flow.state import Condition, State, merge
from raceproof.facts.flow.world import TargetedTouch
from raceproof.ir import (
    Alloca,
    Binary,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    Extract,
    Fence,
    Gep,
    IndirectJump,
    Instr,
    IntType,
    Jump,
    Load,
    Operand,
    Phi,
    PtrType,
    Return,
    Rmw,
    Select,
    SiteId,
    Store,
    Switch,
    Terminator,
    Unreachable,
    successors,
)
from raceproof.model import MAIN, Base, DistinctArgument, HeldLock, Linear, ObjectId, Signal, Tie, View

if TYPE_CHECKING:
    from raceproof.facts.flow.flow import Flow

MAX_STATES = 6
MAX_FACTS = 24
Edge = tuple[str, State]


class Walker:
    """Runs one context to its fixpoint, then once more to record views and thread creations."""

    def __init__(self, flow: Flow, context: Context) -> None:
        self.flow = flow
        self.world = flow.world
        self.context = context
        self.info = flow.world.info(context.function)
        self.function = self.info.function
        self.evaluator = Evaluator(
            self.info,
            flow.world.program.pointer_size * 8,
            flow.symbols,
            flow.world.points_to.objects,
            flow.arguments_for(context),
        )
        self.recording = False
        self.cyclic = False  # of the block being walked
        self.block = ""
        self.exits: list[Exit] = []
        self.spawns: dict[ThreadRecord, Spawn] = {}
        self.views: dict[AccessKey, dict[View, None]] = {}
        self.waits: dict[SiteId, dict[View, None]] = {}
        self.calls: dict[Context, None] = {}
        self.ties: dict[Tie, None] = {}

    def run(self) -> list[Exit]:
        """Walk until block states are stable, then record; returns the exits.

        Without loops every block is walked once, after its predecessors, so that it can be recorded at once.
        """
        self.recording = not self.info.cyclic
        incoming: dict[str, dict[str, list[State]]] = {label: {} for label in self.info.order}
        entry = self.info.order[0]
        incoming[entry]["<entry>"] = [self._entry_state()]
        position = {label: i for i, label in enumerate(self.info.order)}
        dirty = [position[entry]]
        visits: dict[str, int] = {}
        seen: dict[str, list[State]] = {}
        while dirty:
            self.flow.budget.check()
            label = self.info.order[heapq.heappop(dirty)]
            states = self._at_entry(label, incoming[label], visits.get(label, 0))
            if self.info.cyclic:
                if label in seen and _same_states(seen[label], states):
                    continue
                seen[label] = states
                states = [s.copy() for s in states]
            visits[label] = visits.get(label, 0) + 1
            for succ, out in self._grouped(self._walk_block(label, states)).items():
                incoming[succ][label] = out
                if position[succ] not in dirty:
                    heapq.heappush(dirty, position[succ])
        if self.info.cyclic:
            self.recording = True
            for label in self.info.order:
                states = self._at_entry(label, incoming[label], visits.get(label, 0))
                if states:
                    self._walk_block(label, [s.copy() for s in states])
        self.context.views, self.context.calls, self.context.ties = self.views, self.calls, self.ties
        self.context.waits = self.waits
        self.flow.commit(self.context, self.spawns)
        return call_transfer.merge_exits(self.exits)

    def _entry_state(self) -> State:
        state = self.context.entry.copy()
        if self.context is self.flow.records[MAIN].context:
            counting.start_tallies(self, state)
        return state

    def spawn(self, record: ThreadRecord, event: Spawn) -> None:
        """Note a creation; several paths may lead to one."""
        if self.recording:
            before = self.spawns.get(record)
            self.spawns[record] = join_spawns(before, event) if before is not None else event

    def _at_entry(self, label: str, incoming: dict[str, list[State]], visits: int) -> list[State]:
        """The states with which a block is entered; in a function with loops they must not be changed any more."""
        states = [state for group in incoming.values() for state in group]
        if len(states) > 1 and any(state.locks for state in states):
            if self.info.cyclic:  # they may be needed again
                states = [state.copy() for state in states]
            self._generalise(label, states)
        limit = 1 if visits > 12 else MAX_STATES
        if visits <= 4 and len(states) <= MAX_STATES and self._decides_on_phi(label):
            return states
        return merge(states, limit)

    def _generalise(self, label: str, states: list[State]) -> None:
        """Where a pointer differs between paths, call the lock that each path holds in it by the pointer's name.

        So `p` may be `head` or `p->next`: on both paths the lock held is `p->lock`, and it stays held.
        """
        for instr in self.info.blocks[label].body:
            if not isinstance(instr, Phi):
                break
            name = instr.result.name
            values = [s.values.get(name) for s in states]
            if all(v == values[0] for v in values):
                continue
            for state in states:
                value = state.values.get(name)
                if value is None or value.is_constant:
                    continue
                inside = [h for h in state.locks if h.address.plus(value, -1).is_constant]
                for held in inside:
                    renamed = self.evaluator.itself(name).plus(held.address.plus(value, -1))
                    self.flow.observed.note_same_lock(renamed, held.address)
                    count = state.locks.pop(held)
                    state.locks[HeldLock(renamed, held.mode, held.kind, held.pos)] = count
                if inside:
                    state.publish(state.values.pop(name))

    def _decides_on_phi(self, label: str) -> bool:
        block = self.info.blocks[label]
        return any(isinstance(i, Phi) and isinstance(i.type, IntType) and i.type.bits == 1 for i in block.body[:2])

    def _grouped(self, edges: Iterable[Edge]) -> dict[str, list[State]]:
        groups: dict[str, list[State]] = {succ: [] for succ in successors(self.info.blocks[self.block].terminator)}
        for succ, state in edges:
            groups[succ].append(state)
        return {
            succ: states if self._decides_on_phi(succ) else merge(states, MAX_STATES) for succ, states in groups.items()
        }

    # -- blocks ---------------------------------------------------------------------------------

    def _walk_block(self, label: str, states: list[State]) -> list[Edge]:
        block = self.info.blocks[label]
        self.flow.work += len(states) * (len(block.body) + 1)
        self.block = label
        self.cyclic = label in self.info.cyclic
        edges: list[Edge] = []
        for state in states:
            pending = [(state, 0)]
            while pending:
                current, index = pending.pop()
                alive = True
                while index < len(block.body):
                    instr = block.body[index]
                    index += 1
                    branches = self._step(instr, current)
                    if branches is None:
                        continue
                    alive = bool(branches)
                    if alive:
                        current = branches[0]
                        pending.extend((other, index) for other in branches[1:])
                        continue
                    break
                if alive:
                    self.block = label
                    edges += self._leave(block, current)
        return edges

    def _step(self, instr: Instr, state: State) -> list[State] | None:
        """Change `state` in place; a list says that there are several (or no) states to go on with."""
        match instr:
            case Phi():
                return None  # done on the edge
            case Gep() | Compare() | Extract():
                self._redefine(instr.result.name, state)
            case Cast() | Binary() | Select() | Compute():
                self._redefine(instr.result.name, state)
                memory_transfer.publish_operands(self, instr, state)
                if isinstance(instr, Select):
                    regions.select(self, instr, state)
            case Load():
                member = regions.load(self, instr, state)
                memory_transfer.load(self, instr, state)
                regions.loaded(self, instr, member, state)
            case Store():
                return memory_transfer.store(self, instr, state)
            case Alloca():
                memory_transfer.alloca(self, instr, state)
            case Rmw():
                return memory_transfer.read_modify_write(self, instr, state)
            case CompareExchange():
                return memory_transfer.compare_exchange(self, instr, state)
            case Call():
                states = call_transfer.call(self, instr, state)
                for after in states:
                    tokens.check_locks(self, after)
                return states
            case Fence():
                return None
        return None

    def _redefine(self, register: str, state: State) -> None:
        """A register gets a new value: in a loop, what was known under its name is about the old one."""
        state.values.pop(register, None)
        if self.cyclic and register in self.evaluator.named:
            state.forget(self.evaluator.opaque_name(register))

    define = _redefine

    def value(self, operand: Operand, state: State) -> Linear:
        return self.evaluator.value(operand, state)

    # -- edges ----------------------------------------------------------------------------------

    def _leave(self, block: Block, state: State) -> list[Edge]:
        terminator: Terminator = block.terminator
        match terminator:
            case Jump(target=target):
                return self._edge(block, target, state)
            case Branch(condition=condition, if_true=yes, if_false=no):
                return self._branch(block, condition, yes, no, state)
            case Switch():
                return self._switch(block, terminator, state)
            case IndirectJump(targets=targets):
                return [e for t in dict.fromkeys(targets) for e in self._edge(block, t, state.copy())]
            case Return(value=value):
                tokens.lose_sight(self, state)
                if self.recording:
                    region_calls.returns(self, value, state)
                    returned = self.value(value, state) if value is not None else None
                    call_transfer.lose_names(returned, state)
                    self.exits.append(Exit(state, returned))
                return []
            case Unreachable():
                return []

    def _branch(self, block: Block, condition: Operand, yes: str, no: str, state: State) -> list[Edge]:
        truth = self.evaluator.truth(condition, state)
        if isinstance(truth, bool):
            return self._edge(block, yes if truth else no, state)
        known, positive = truth
        other = state.copy()
        self.learn(state, known, positive)
        self.learn(other, known, not positive)
        return self._edge(block, yes, state) + self._edge(block, no, other)

    def _switch(self, block: Block, switch: Switch, state: State) -> list[Edge]:
        value = self.value(switch.value, state)
        if value.is_constant:
            target = next((label for case, label in switch.cases if case == value.constant), switch.default)
            return self._edge(block, target, state)
        edges: list[Edge] = []
        rest = state.copy()
        for case, label in switch.cases:
            taken = state.copy()
            condition = Condition("eq", value.shifted(-case))
            if state.facts.get(condition) is not False:
                self.learn(taken, condition, True)
                edges += self._edge(block, label, taken)
            self.learn(rest, condition, False)
        return edges + self._edge(block, switch.default, rest)

    def assume(self, operand: Operand, state: State) -> bool:
        """Go on only where the operand is not 0; False if it is."""
        truth = self.evaluator.truth(operand, state)
        if not isinstance(truth, bool):
            self.learn(state, *truth)
        return truth is not False

    def learn_of_truth(self, state: State, condition: Condition, holds: bool) -> None:
        """A callee has tested what it was given: that may be the truth of a condition of the caller's."""
        truth = self.evaluator.decide(condition.difference, condition.kind, True, state)
        if isinstance(truth, bool) or truth[0] == condition:
            state.facts[condition] = holds
        else:
            self.learn(state, truth[0], truth[1] == holds)

    def learn(self, state: State, condition: Condition, holds: bool) -> None:
        """Note a condition, and the signals that a changed flag means."""
        state.facts.pop(condition, None)
        state.facts[condition] = holds
        if len(state.facts) > MAX_FACTS:
            del state.facts[next(iter(state.facts))]  # the oldest
        if state.counts.reads:
            counting.learn(self, condition, holds, state)
        if state.sights.reads:
            tokens.learn(condition, holds, state)
        if condition.kind == "eq" and holds:
            turns.suggest(self, condition, state)
            if state.turns:
                turns.learn(self, condition, state)
        if condition.kind != "eq" or not state.observed:
            return
        match condition.difference.terms:
            case ((atom, factor),) if atom in state.observed and factor in (1, -1):
                value = -condition.difference.constant * factor
                for signal in state.observed[atom]:
                    initial = self.flow.initial.value(signal.address)
                    if initial is not None and (value != initial if holds else value == initial):
                        self.receive(state, signal)

    def receive(self, state: State, signal: Signal) -> None:
        if self.flow.is_signal(signal):
            state.must_received |= {signal}

    def _edge(self, block: Block, target: str, state: State) -> list[Edge]:
        """Go to `target`: leave loops, enter loops, set phis."""
        loop = self.info.counted.get(block.label)
        if loop is not None and target == loop.exit and not call_transfer.join_all(self, loop, state):
            return []
        if target in self.info.loops and block.label not in self.info.loops[target]:
            call_transfer.enter_loop(self, target, state)
        phis = self.info.phis.get(target)
        if phis:
            self._set_phis(block.label, target, phis, state)
        return [(target, state)]

    def _set_phis(self, source: str, target: str, phis: Sequence[Phi], state: State) -> None:
        incoming: list[tuple[str, Linear]] = []
        members: dict[str, tuple[Member | None, Member | None]] = {}
        for phi in phis:
            operand = next(value for value, label in phi.incoming if label == source)
            incoming.append((phi.result.name, self.value(operand, state)))
            if isinstance(phi.type, PtrType):
                members[phi.result.name] = regions.incoming(self, operand, self.function.name, phi.result.name, state)
        changed = {self.evaluator.opaque_name(name) for name, _ in incoming}
        for name, _ in incoming:
            state.values.pop(name, None)
        if target in self.info.cyclic:
            named = sorted(name for name, _ in incoming if name in self.evaluator.named)
            if named:
                state.forget(*map(self.evaluator.opaque_name, named))
            if state.may_handed:
                state.may_handed = frozenset(
                    t
                    for t in state.may_handed
                    if not (
                        isinstance(argument := self.evaluator.arguments.get(t), DistinctArgument)
                        and any(leaf in changed for leaf in argument.pattern.leaves())
                    )
                )
        for name, member in members.items():
            regions.arrive(self, name, member, changed, state)
        counted = self.info.counted.get(target)
        for name, value in incoming:
            is_moving = counted is not None and name in counted.moving  # itself from the first round on
            if is_moving or any(leaf in changed for leaf in value.leaves()):
                state.publish(value)
            else:
                state.values[name] = value

    # -- recording ------------------------------------------------------------------------------

    def record(
        self,
        site: SiteId,
        index: int,
        touch: TargetedTouch,
        address: Linear | None,
        state: State,
        is_private: bool = False,
    ) -> None:
        """Note how an access happens here, if another thread could meet it. `is_private`: nobody else has it yet."""
        if not self.recording:
            return
        objects = self._objects(touch, address, state)
        if not objects & self.world.may_escape:
            return
        private = is_private or (
            address is not None and any(atom in state.fresh and factor == 1 for atom, factor in address.terms)
        )
        view = View(
            thread=self.context.thread,
            address=address,
            held=frozenset(state.locks),
            moment=state.moment(),
            private=private,
            objects=objects,
            region=regions.of_access(self, touch, address, state),
            ranges=ranges_of(self, site, address, state) if address is not None else (),
        )
        self.views.setdefault((site, index), {})[view] = None

    def record_wait(self, site: SiteId, address: Linear | None, without: frozenset[ObjectId], state: State) -> None:
        """Note a place at which the thread may have to wait, and what it certainly holds there, but for locks in
        `without`."""
        if not self.recording:
            return
        objects = self.flow.observed.lock_objects
        held = frozenset(h for h in state.locks if not without or not objects(h.address) & without)
        view = View(self.context.thread, address, held, state.moment(), private=False)
        self.waits.setdefault(site, {})[view] = None

    def _objects(self, touch: TargetedTouch, address: Linear | None, state: State) -> frozenset[ObjectId]:
        """What the access may touch here: what points-to says, narrowed by what the address is made of."""
        return touch.objects if address is None else self.objects_at(touch.objects, address, state)

    def objects_at(self, objects: frozenset[ObjectId], address: Linear, state: State) -> frozenset[ObjectId]:
        """Those of the objects that an address can lie in, by what it is made of."""
        may_touch = objects
        for atom, factor in address.terms if not address.has_difference else ():
            if factor == 1 and isinstance(atom, Base) and len(address.atoms()) >= 1 and atom.object in objects:
                return frozenset({atom.object})
            if factor == 1 and atom in state.objects:
                objects &= state.objects[atom]
        return objects or may_touch


def _same_states(before: Sequence[State], now: Sequence[State]) -> bool:
    """In any order, and however often each is there."""
    if len(before) == len(now) and all(map(State.__eq__, before, now)):
        return True
    if len(before) == len(now) == 1:
        return False
    return {state.full_key() for state in before} == {state.full_key() for state in now}
