"""A C program in the language of [PN, 2]: what is left of it when data are forgotten.

    lock(&m); counter++; unlock(&m);    ->    acquire m; read counter; write counter; release m;

It is written from the control graphs that the net is made of (`program_walk`, without the values of flags), so that its
net has the runs of the program's. A job type is a start function with its arguments.

Follows [PN, Fig. 1 and 2].
Differs:
- An access stands for those that it may race with: it reads or writes a variable for each location at which it has a
  race pair. The paper's race is "two accesses to one variable, one of them a write"; pairs know more (a thread that
  runs only once), so that this may have more races, never fewer. Atomic accesses do not race with one another: at a
  location where one races with plain accesses, there is a second variable, which atomic accesses read and plain ones
  write.
- What the paper's language does not have becomes tokens that are taken and given, like those of a lock: a lock for
  readers and writers has two tokens, of which writers take both, a semaphore as many as its value; barriers and
  once-objects have some places of this kind. A lock has one token at first, so main begins with what sets the others.
- More than `MOST` tokens at a time are given as any number.
- A wait with a time limit, or with a lock that may not be held, is a release and an acquire: it need not be signalled.
- A signal of an unknown condition variable is one of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from raceproof.core import Budget, SourcePos, strongly_connected
from raceproof.facts import describe_location
from raceproof.model import AccessId, ConcurrentProgram, MemLoc, RacePair
from raceproof.petri.program_edges import (
    ANY_CONDITION,
    At,
    Condition,
    Edge,
    Ended,
    Lock,
    Resource,
    Round,
    Semaphore,
    Start,
    ThreadCopy,
    Tokens,
    Value,
    name_of_place,
)
from raceproof.petri.program_net import at_first, drawn
from raceproof.petri.program_pointers import Place
from raceproof.petri.program_reduction import with_named_semaphores
from raceproof.petri.program_surroundings import Surroundings
from raceproof.petri.sml_format import format_sml, structured
from raceproof.petri.sml_syntax import KEYWORDS, Action, Job, Label, Name, Op, Program, Statement, While, parse_sml
from raceproof.petri.sml_syntax import Start as JobStart

_NOWHERE: Final = SourcePos("", 1)
MOST: Final = 16
"""Tokens that are counted. More at a time are given as any number, and only so many are taken: more runs."""
_END: Final = -1
"""The node at which a job ends."""


def write_program_sml(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> str:
    """The program as text. Raises `Unsupported` and `LimitReached`, as the net does."""
    writing = _Writing(Surroundings(cp), pairs, budget)
    text = format_sml(writing.program(), writing.comments)
    parse_sml(text, "program.sml")  # what is written can be read
    return text


@dataclass(slots=True)
class _Code:
    """What a thread does at a node, and where it goes on: any of `after`; nowhere if there is none."""

    body: list[Statement] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


class _Writing:
    def __init__(self, around: Surroundings, pairs: Sequence[RacePair], budget: Budget) -> None:
        self.comments: list[str] = []
        self._around = around
        self._budget = budget
        walk, self._kinds = drawn(around, pairs, budget, has_conditions=True)
        self._graph = walk.graph
        self._edges = with_named_semaphores(self._graph.edges)
        self._names = _Names()
        self._jobs = {copy: self._names.new(self._source_name(copy)) for copy in self._graph.entries}
        self._resources = self._name_resources()
        self._conditions = self._name_conditions()
        self._accesses = self._find_accesses(pairs, walk.reached)  # the memory of a lock comes behind the lock
        self._shared: dict[str, None] = {}
        self.comments += self._find_gaps(pairs, walk.reached)
        self._has_unknown_signals = any(targets.is_unknown for targets in around.calls.targets.values())

    def program(self) -> Program:
        by_source: dict[int, list[Edge]] = {}
        for edge in self._edges:
            by_source.setdefault(edge.source, []).append(edge)
        first = self._setting_up()
        jobs = []
        for copy, entry in self._graph.entries.items():
            self._budget.check()
            code = _Job(self, by_source, entry).statements()
            jobs.append(Job(_name(self._jobs[copy]), structured([*first, *code])))
            first = []  # only main sets up
        unbounded = set(self._graph.unbounded)
        main = next(iter(self._graph.entries))
        starts = [JobStart(_name(self._jobs[main]), 1)]
        starts += [JobStart(_name(self._jobs[copy]), None) for copy in self._graph.entries if copy in unbounded]
        return Program(
            shared=tuple(map(_name, self._shared)),
            locks=tuple(map(_name, self._resources.values())),
            conditions=tuple(map(_name, self._conditions.values())),
            jobs=tuple(jobs),
            starts=tuple(starts),
        )

    def _source_name(self, copy: ThreadCopy) -> str:
        return self._around.program.functions[copy.function].source_name

    # -- names

    def _find_accesses(
        self, pairs: Sequence[RacePair], reached: Mapping[AccessId, set[str]]
    ) -> dict[AccessId, list[tuple[Op, str]]]:
        """What each access reads and writes."""
        cp = self._around.cp
        variables: dict[tuple[MemLoc, bool], str] = {}
        found: dict[AccessId, dict[tuple[Op, str], None]] = {}
        for pair in pairs:
            both = [cp.accesses[number] for number in (pair.first, pair.second)]
            is_mixed = both[0].is_atomic != both[1].is_atomic
            if all(access.is_atomic for access in both) or any(access.id not in reached for access in both):
                continue
            key = (pair.target, is_mixed)
            if key not in variables:
                name = describe_location(cp, pair.target).split(" (")[0]
                variables[key] = self._names.new(f"{name}_atomic" if is_mixed else name)
            for access in both:
                writes = not access.is_atomic if is_mixed else access.kind.writes
                op = Op.WRITE if writes else Op.READ
                found.setdefault(access.id, {})[op, variables[key]] = None
        return {access: list(operations) for access, operations in found.items()}

    def _find_gaps(self, pairs: Sequence[RacePair], reached: Mapping[AccessId, set[str]]) -> list[str]:
        """Why the text does not stand for the whole program, if so."""
        cp = self._around.cp
        found = dict.fromkeys(f"not in here: {obstacle}" for obstacle in cp.program.obstacles)
        for number in (number for pair in pairs for number in (pair.first, pair.second)):
            access = cp.accesses[number]
            for start in sorted({cp.threads[v.thread].start for v in access.views} - reached.get(number, set())):
                found[f"not in here: an access of {access.function} in threads of {start}"] = None
        return list(found)

    def _name_resources(self) -> dict[Resource, str]:
        """Everything that has tokens to be taken; threads and their ends are jobs."""
        program = self._around.program
        found: dict[Resource, str] = {}
        conditions = (edge.condition for edge in self._edges if edge.condition is not None)
        waited: list[Resource] = [Lock(condition.lock) for condition in conditions if condition.lock is not None]
        for resource in (*(r for edge in self._edges for r, _ in (*edge.take, *edge.give)), *waited):
            if resource in found:
                continue
            match resource:
                case Lock(place=place) | Semaphore(place=place):
                    found[resource] = self._names.new(name_of_place(program, place))
                case Round(place=place, part=part):
                    found[resource] = self._names.new(f"{name_of_place(program, place)}_{part}")
                case Value(flag=place, value=value):
                    found[resource] = self._names.new(f"{name_of_place(program, place)}_{value}")
                case Start() | Ended() | At():
                    pass
        return found

    def _name_conditions(self) -> dict[Place, str]:
        places = dict.fromkeys(edge.condition.place for edge in self._edges if edge.condition is not None)
        program = self._around.program
        return {place: self._names.new(name_of_place(program, place)) for place in places if place != ANY_CONDITION}

    def _setting_up(self) -> list[Statement]:
        """What main does first so that everything has the tokens that it begins with; a lock has one."""
        found: list[Statement] = []
        for resource, count in at_first(self._around, self._kinds, self._resources).items():
            name = self._resources[resource]
            found += self._repeated(Op.RELEASE, name, count - 1, None) if count else [_action(Op.ACQUIRE, name)]
            if count != 1:
                self.comments.append(f"{name} is no lock: it has {count} tokens at first, which main sees to")
        return found

    # -- steps

    def accesses(self, edge: Edge) -> list[Action] | None:
        """What is accessed, if the thread comes to stand there by this edge."""
        at = [resource.access for resource, _ in edge.give if isinstance(resource, At)]
        if not at:
            return None
        found = [_action(op, name, pos=edge.pos) for access in at for op, name in self._accesses.get(access, ())]
        self._shared.update(dict.fromkeys(step.operands[0].text for step in found))
        return found

    def steps(self, edge: Edge) -> list[list[Statement]]:
        """The ways to take the edge; none if nobody ever can."""
        if edge.condition is not None:
            return [[*self._condition(edge.condition, edge.pos)]]
        ways: list[list[Statement]] = [[]]
        for resource, count in edge.take:
            options = self._taking(resource)
            taken = [[_action(*option, pos=edge.pos)] * min(count, MOST) for option in options]
            ways = [[*way, *steps] for way in ways for steps in taken]
        given = list(self._giving(edge.give, edge.pos))
        return [[*way, *given] for way in ways]

    def _taking(self, resource: Resource) -> list[tuple[Op, str]]:
        if isinstance(resource, Ended):
            return [(Op.JOIN, name) for copy, name in self._jobs.items() if copy.id_in == resource.variable]
        return [(Op.ACQUIRE, self._resources[resource])]

    def _giving(self, tokens: Tokens, pos: SourcePos | None) -> Iterator[Statement]:
        for resource, count in tokens:
            if isinstance(resource, Start):
                yield from self._repeated(Op.CREATE, self._jobs[resource.copy], count, pos)
            elif not isinstance(resource, Ended):  # the end of its job
                yield from self._repeated(Op.RELEASE, self._resources[resource], count, pos)

    def _repeated(self, op: Op, name: str, count: int, pos: SourcePos | None) -> list[Statement]:
        step = _action(op, name, pos=pos)
        if count <= MOST:
            return [step] * count
        self.comments.append(f"{count} tokens of {name} are any number of tokens here")
        return [While((step,), step.pos)]

    def _condition(self, condition: Condition, pos: SourcePos | None) -> list[Action]:
        if condition.what == "wait" and condition.lock is not None:
            lock = self._resources[Lock(condition.lock)]
            if self._has_unknown_signals:
                return [_action(Op.RELEASE, lock, pos=pos), _action(Op.ACQUIRE, lock, pos=pos)]
            return [_action(Op.WAIT, self._conditions[condition.place], lock, pos=pos)]
        op = Op.SIGNAL if condition.what == "signal" else Op.BROADCAST
        is_any = condition.place == ANY_CONDITION
        places = list(self._conditions.values()) if is_any else [self._conditions[condition.place]]
        return [_action(op, name, pos=pos) for name in places]


class _Job:
    """The code of one job type: nodes that do nothing are left out, the rest is put in order."""

    def __init__(self, writing: _Writing, by_source: Mapping[int, list[Edge]], entry: int) -> None:
        self._writing = writing
        self._by_source = by_source
        self._entry = entry
        self._codes: dict[int, _Code] = {_END: _Code()}
        self._next_node = 1 + max(by_source, default=0) + sum(map(len, by_source.values()))

    def statements(self) -> list[Statement]:
        self._draw()
        self._shorten()
        order = self._order()
        wanted = self._wanted(order)
        labels = {node: f"l{number}" for number, node in enumerate((n for n in order if n in wanted), 1)}
        found: list[Statement] = []
        for position, node in enumerate(order):
            code = self._codes[node]
            following = order[position + 1] if position + 1 < len(order) else None
            if node in labels:
                found.append(Label(_name(labels[node])))
            found += code.body
            after = sorted(code.after, key=lambda other: other == following)  # what follows comes last
            found += [_action(Op.BRANCH, labels[other]) for other in after[:-1]]
            if after and after[-1] != following:
                found.append(_action(Op.GOTO, labels[after[-1]]))
            elif not after and node != _END:
                found.append(_action(Op.GOTO, labels[node]))  # it never goes on
        return found

    def _draw(self) -> None:
        """Each node with its accesses; a node of its own for each other edge that does something, if there are more."""
        work = [self._entry]
        while work:
            node = work.pop()
            if node in self._codes:
                continue
            code = self._codes[node] = _Code()
            ways: list[tuple[list[Statement], int]] = []
            for edge in self._by_source.get(node, ()):
                accesses = self._writing.accesses(edge)
                if accesses is not None:
                    code.body += accesses
                    continue
                target = _END if edge.target is None else edge.target
                ways += [(steps, target) for steps in self._writing.steps(edge)]
                work.append(target)
            if len(ways) == 1:
                code.body += ways[0][0]
                code.after = [ways[0][1]]
                continue
            for steps, target in ways:
                if not steps:
                    code.after.append(target)
                    continue
                self._next_node += 1
                self._codes[self._next_node] = _Code(steps, [target])
                code.after.append(self._next_node)

    def _shorten(self) -> None:
        """Leave out nodes that do nothing but go on to one other; a silent step from a node to itself, if it can also
        leave."""
        is_changed = True
        while is_changed:
            is_changed = False
            passed = {n: c.after[0] for n, c in self._codes.items() if not c.body and len(c.after) == 1}
            for node, code in self._codes.items():
                after = list(dict.fromkeys(_behind(passed, other) for other in code.after))
                if len(after) > 1 and not code.body and node in after:
                    after.remove(node)
                if after != code.after:
                    code.after, is_changed = after, True
            self._entry = _behind(passed, self._entry)

    def _order(self) -> list[int]:
        """Reverse postorder: what may come before something stands before it, but for loops; a loop's body stands
        before what comes after the loop. The end is last."""
        reaches_itself = self._in_circle()
        seen = {self._entry}
        order: list[int] = []
        stack = [(self._entry, self._visits(self._entry, reaches_itself))]
        while stack:
            node, ways = stack[-1]
            following = next((other for other in ways if other not in seen), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, self._visits(following, reaches_itself)))
        order.reverse()
        return [node for node in order if node != _END] + [_END]

    def _visits(self, node: int, circles: Mapping[int, int]) -> Iterator[int]:
        """What is visited first ends up last: first what leaves the loop."""
        after = self._codes[node].after[::-1]
        return iter(sorted(after, key=lambda other: circles.get(other, -1) == circles.get(node, -2)))

    def _in_circle(self) -> dict[int, int]:
        """Nodes in loops, by the number of the outermost one."""
        components = strongly_connected(list(self._codes), lambda node: self._codes[node].after)
        return {
            node: number
            for number, component in enumerate(components)
            for node in component
            if len(component) > 1 or node in self._codes[node].after
        }

    def _wanted(self, order: Sequence[int]) -> set[int]:
        """Nodes that something jumps to."""
        found: set[int] = set()
        for position, node in enumerate(order):
            after = self._codes[node].after
            following = order[position + 1] if position + 1 < len(order) else None
            found.update(other for other in after if other != following)
            if not after and node != _END:
                found.add(node)
        return found


def _behind(passed: Mapping[int, int], node: int) -> int:
    seen = {node}
    while node in passed and passed[node] not in seen:
        node = passed[node]
        seen.add(node)
    return node


class _Names:
    """Names of the language: no keywords, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set(KEYWORDS)

    def new(self, wish: str) -> str:
        name = re.sub(r"\W+", "_", wish, flags=re.ASCII).strip("_") or "x"
        if name[0].isdigit():
            name = f"x_{name}"
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}_{number}"
        self._taken.add(unique)
        return unique


def _name(text: str) -> Name:
    return Name(text, _NOWHERE)


def _action(op: Op, *names: str, pos: SourcePos | None = None) -> Action:
    where = pos or _NOWHERE
    return Action(op, tuple(Name(text, where) for text in names), where)
