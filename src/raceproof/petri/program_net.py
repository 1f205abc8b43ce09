"""The program as one net: threads are tokens; points of control, locks, semaphores and ended threads are places.

Follows [PN, sec. 3].
Paper -> here: job type -> `ThreadCopy`; Read_v, Write_v -> a place for each access, in which a thread that stands
before it may stay; bad state -> two tokens there, of a pair of accesses that may touch the same bytes.
Differs: there are places only for what matters to the pairs in question; calls are inlined or share copies; joins,
semaphores, read-write locks, barriers, once-objects and flags are added; signals are not followed, because a wait may
end without one.

Errs on the side of more runs: see docs/soundness.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from raceproof.core import Budget
from raceproof.ir import SiteId
from raceproof.model import AccessId, Base, ConcurrentProgram, RacePair
from raceproof.petri.net import Marking, Net, Transition
from raceproof.petri.program_code import Code
from raceproof.petri.program_edges import (
    At,
    Edge,
    Ended,
    Graph,
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
from raceproof.petri.program_flags import OTHER
from raceproof.petri.program_locks import Kinds
from raceproof.petri.program_pointers import Place
from raceproof.petri.program_reduction import reduced
from raceproof.petri.program_surroundings import Surroundings
from raceproof.petri.program_walk import Walk
from raceproof.petri.spec_format import write_spec

Key = tuple[AccessId, AccessId]
MAX_NAMED: Final = 3
"""Functions that a note names."""


@unique
class Detail(Enum):
    """What a net knows of data: next to nothing, or the values of flags, and counters of loops that create threads."""

    CONTROL = "control"
    VALUES = "values"


@dataclass(frozen=True, slots=True)
class ProgramNet:
    """A net and what its parts mean.

    `steps[i]` is what transition i does, by one thread: it comes from the place `sources[i]` and goes to `goals[i]`
    (None: it ends, or stands before an access). `owners`: which threads are in a place of control; `entries`: the
    places where they begin. `targets`: of each pair the number of its target; None if both accesses are atomic, or one
    of them is never reached. `reached`: the start functions of the threads in which each access was found.
    """

    net: Net
    steps: tuple[Edge, ...]
    sources: tuple[int, ...]
    goals: tuple[int | None, ...]
    owners: Mapping[int, ThreadCopy]
    entries: Mapping[int, ThreadCopy]
    targets: Mapping[Key, int | None]
    reached: Mapping[AccessId, frozenset[str]]
    notes: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The same for the same net."""
        return hashlib.sha256(repr(self.net).encode()).hexdigest()[:16]


def program_net(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget, detail: Detail = Detail.CONTROL
) -> ProgramNet:
    """The net for these pairs. Raises `Unsupported` and `LimitReached`."""
    return net_of(Surroundings(cp), pairs, budget, detail)


def format_net(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> str:
    """The net as text, in the format of mist."""
    made = program_net(cp, pairs, budget)
    if not made.net.places:
        return "# no thread comes to any of the accesses\n"
    return write_spec(made.net) + "".join(f"# {note}\n" for note in made.notes)


def details(around: Surroundings) -> tuple[Detail, ...]:
    """From small nets to large ones, as far as they differ."""
    return (Detail.CONTROL, Detail.VALUES) if around.has_detail else (Detail.CONTROL,)


def net_of(
    around: Surroundings, pairs: Sequence[RacePair], budget: Budget, detail: Detail = Detail.CONTROL
) -> ProgramNet:
    """As `program_net`, for several nets of one program."""
    walk, kinds = drawn(around, pairs, budget, detail)
    edges = reduced(walk.graph, budget, lambda lock: lock.place in walk.protecting)
    return _Assembly(around, walk.graph, edges, kinds).net(pairs, walk.reached)


def drawn(
    around: Surroundings,
    pairs: Sequence[RacePair],
    budget: Budget,
    detail: Detail = Detail.CONTROL,
    *,
    has_conditions: bool = False,
) -> tuple[Walk, Kinds]:
    """The control graphs of all threads. `has_conditions`: with waits and signals as steps of their own."""
    code = Code(around, _sites(around.cp, pairs), is_detailed=detail is Detail.VALUES, has_conditions=has_conditions)
    shared: frozenset[Place] = frozenset()
    while True:
        kinds = Kinds(shared, around.counts)
        walk = Walk(code, kinds, budget)
        walk.run()
        if walk.is_cut and code.locks is None:
            locks = _likely_locks(around.cp, pairs)
            code = Code(around, code.accesses, locks, code.is_detailed, code.has_conditions)
        elif walk.shared <= shared:
            return walk, kinds
        shared |= walk.shared  # a writer needs as many tokens as there may be readers: draw it again


def unreached(cp: ConcurrentProgram, made: ProgramNet, pair: RacePair) -> str | None:
    """Where the facts see an access and the net does not, something was lost: then nothing is proved."""
    for number in (pair.first, pair.second):
        access = cp.accesses[number]
        expected = {cp.threads[view.thread].start for view in access.views}
        missing = sorted(expected - made.reached.get(number, frozenset()))
        if missing:
            return f"the net does not come to the access of {access.function} in threads of {missing[0]}"
    return None


def _likely_locks(cp: ConcurrentProgram, pairs: Sequence[RacePair]) -> frozenset[str]:
    """Global variables with locks that the facts see at the accesses. Others could be left out whatever they are."""
    accesses = [cp.accesses[number] for pair in pairs for number in (pair.first, pair.second)]
    held = [hold.address for access in accesses for view in access.views for hold in view.held]
    names = {cp.objects[atom.object].name for address in held for atom in address.atoms() if isinstance(atom, Base)}
    return frozenset(s for s, variable in cp.program.globals.items() if s in names or variable.source_name in names)


def _sites(cp: ConcurrentProgram, pairs: Sequence[RacePair]) -> dict[SiteId, tuple[AccessId, ...]]:
    """The accesses of pairs that could race at all, by instruction."""
    found: dict[SiteId, dict[AccessId, None]] = {}
    for pair in pairs:
        for number in (pair.first, pair.second):
            found.setdefault(cp.accesses[number].site, {})[number] = None
    return {site: tuple(accesses) for site, accesses in found.items()}


class _Assembly:
    def __init__(self, around: Surroundings, graph: Graph, edges: Sequence[Edge], kinds: Kinds) -> None:
        self._around = around
        self._graph = graph
        self._edges = edges
        self._kinds = kinds
        self._names: list[str] = []
        self._taken: set[str] = set()
        self._nodes: dict[int, int] = {}
        self._resources: dict[Resource, int] = {}

    def net(self, pairs: Sequence[RacePair], reached: Mapping[AccessId, set[str]]) -> ProgramNet:
        for edge in self._edges:
            for node in (edge.source, edge.target):
                if node is not None and node not in self._nodes:
                    self._nodes[node] = self._add(_name_of_node(self._graph.owners[node].function, edge, node))
            for resource, _ in (*edge.take, *edge.give):
                if not isinstance(resource, Start) and resource not in self._resources:
                    self._resources[resource] = self._add(self._name(resource))
        targets, numbers = self._targets(pairs)
        return ProgramNet(
            net=Net(
                places=tuple(self._names),
                transitions=tuple(self._transition(edge) for edge in self._edges),
                initial=self._initial(),
                unbounded=frozenset(
                    self._nodes[node]
                    for copy in self._graph.unbounded
                    if (node := self._graph.entries[copy]) in self._nodes
                ),
                targets=targets,
            ),
            steps=tuple(self._edges),
            sources=tuple(self._nodes[edge.source] for edge in self._edges),
            goals=tuple(None if e.target is None else self._nodes[e.target] for e in self._edges),
            owners={place: self._graph.owners[node] for node, place in self._nodes.items()},
            entries={self._nodes[n]: copy for copy, n in self._graph.entries.items() if n in self._nodes},
            targets=numbers,
            reached={access: frozenset(starts) for access, starts in reached.items()},
            notes=(*_approximated(list(self._graph.shared)), *self._around.notes()),
        )

    def _add(self, name: str) -> int:
        name = re.sub(r"\W", "_", name, flags=re.ASCII)
        number, unique = 1, name
        while unique in self._taken:
            number += 1
            unique = f"{name}_{number}"
        self._taken.add(unique)
        self._names.append(unique)
        return len(self._names) - 1

    def _name(self, resource: Resource) -> str:
        program = self._around.program
        match resource:
            case Lock(place=place) | Semaphore(place=place):
                name = name_of_place(program, place)
                return f"free_{name}" if isinstance(resource, Lock) else f"value_{name}"
            case Ended(variable=(function, name)):
                return f"ended_{function}.{name}" if function else f"ended_{name}"
            case At(access=number):
                access = self._around.cp.accesses[number]
                line = f"_{access.pos.line}" if access.pos is not None else ""
                return f"at_{access.kind.value}{line}"
            case Value(flag=place, value=value, kind=kind):
                return f"{name_of_place(program, place)}_{kind}_{'other' if value == OTHER else value}"
            case Round(place=place, part=part):
                return f"{part}_{name_of_place(program, place)}"
            case Start():
                return f"start_{resource.copy.function}"

    def _transition(self, edge: Edge) -> Transition:
        take = [(self._nodes[edge.source], 1), *self._numbered(edge.take)]
        give = [*self._numbered(edge.give)]
        if edge.target is not None:
            give.append((self._nodes[edge.target], 1))
        line = f":{edge.pos.line}" if edge.pos is not None else ""
        name = f"{self._graph.owners[edge.source].function}{line} {edge.what}".strip()
        return Transition(name, _marking(take), _marking(give))

    def _numbered(self, tokens: Tokens) -> list[tuple[int, int]]:
        return [
            (self._nodes[self._graph.entries[r.copy]] if isinstance(r, Start) else self._resources[r], count)
            for r, count in tokens
        ]

    def _initial(self) -> Marking:
        main = next(iter(self._graph.entries.values()))
        tokens = [(self._nodes[main], 1)] if main in self._nodes else []
        counts = at_first(self._around, self._kinds, self._resources)
        return _marking([*tokens, *((place, counts[r]) for r, place in self._resources.items() if counts[r])])

    def _targets(self, pairs: Sequence[RacePair]) -> tuple[tuple[Marking, ...], dict[Key, int | None]]:
        found: dict[Marking, int] = {}
        numbers: dict[Key, int | None] = {}
        for pair in pairs:
            key = (pair.first, pair.second)
            both = [self._around.cp.accesses[number] for number in key]
            places = [self._resources.get(At(number)) for number in key]
            numbers[key] = None
            if not all(access.is_atomic for access in both) and None not in places:
                target = _marking([(place, 1) for place in places if place is not None])
                numbers[key] = found.setdefault(target, len(found))
        return tuple(found), numbers


def at_first(around: Surroundings, kinds: Kinds, resources: Iterable[Resource]) -> dict[Resource, int]:
    """The tokens of things that threads share, before any thread runs."""
    values: dict[Place, int] = {}
    found: dict[Resource, int] = {}
    for resource in resources:
        match resource:
            case Lock(place=place):
                found[resource] = kinds.capacity(place)
            case Round(place=place, part="free"):
                found[resource] = around.barriers[place]
            case Round(part="new"):
                found[resource] = 1
            case Value(flag=place, value=value):
                values = values or {use.flag.place: use.flag.initial for use in around.flags.values()}
                found[resource] = int(values[place] == value)
            case _:
                found[resource] = 0
    return found


def _approximated(functions: Sequence[str]) -> Iterator[str]:
    if functions:
        others = f" and {len(functions) - MAX_NAMED} others" if len(functions) > MAX_NAMED else ""
        yield f"calls of {', '.join(functions[:MAX_NAMED])}{others} are over-approximated"


def _marking(tokens: Sequence[tuple[int, int]]) -> Marking:
    sums: dict[int, int] = {}
    for place, count in tokens:
        sums[place] = sums.get(place, 0) + count
    return tuple(sorted(sums.items()))


def _name_of_node(function: str, edge: Edge, node: int) -> str:
    if node == edge.source and edge.pos is not None:
        return f"{function}_{edge.pos.line}"
    return f"{function}_"
