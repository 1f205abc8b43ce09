"""What a flow takes down on its way: how locks, semaphores, barriers, flags and counters are used, what is assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from raceproof.facts.flow.initial_values import InitialValues
from raceproof.facts.flow.sights import Debt
from raceproof.facts.flow.world import World
from raceproof.ir import SiteId
from raceproof.model import Base, Linear, MemLoc, ObjectId, Signal, ThreadId, TokenSeen

_T = TypeVar("_T")


def unknown_code(name: str) -> str:
    """What is assumed of a function that nothing describes."""
    return (
        f"`{name}` is not known: while it is called it may touch, keep and call whatever it can reach, or unknown "
        "functions were given before, but takes or waits for no lock of the program's own, and starts no threads"
    )


@dataclass(frozen=True, slots=True)
class Step:
    """What a write does to a number in a global variable: it adds `amount`, or sets it (None)."""

    address: Linear
    size: int
    amount: int | None


@dataclass(frozen=True, slots=True)
class Uses:
    """How semaphores, barriers, locks, flags and counters are used, by address or by the instruction that does it."""

    semaphores: Mapping[Linear, frozenset[int | None]]
    semaphore_inits: Mapping[Linear, frozenset[SiteId]]
    late_inits: frozenset[Linear]
    posters: Mapping[Linear, frozenset[ThreadId]]
    barriers: Mapping[Linear, frozenset[int | None]]
    barrier_users: Mapping[Linear, frozenset[ThreadId]]
    lock_operations: Mapping[Linear, frozenset[SiteId]]
    broken_locks: frozenset[Linear]
    other_writes: frozenset[Linear]
    lock_objects: Mapping[Linear, frozenset[ObjectId]]
    reset_sites: frozenset[SiteId]
    sent_after: Mapping[Linear, frozenset[Signal]]
    steps: Mapping[SiteId, frozenset[Step]]
    repeated_counts: frozenset[Linear]
    counted_for: Mapping[tuple[Linear, ThreadId], frozenset[frozenset[ObjectId] | None]]
    payments: Mapping[tuple[Linear, ThreadId], frozenset[frozenset[TokenSeen]]]
    left_tokens: frozenset[Debt]
    second_tokens: frozenset[Linear]
    other_lendings: frozenset[SiteId]
    turn_words: frozenset[Linear]
    turn_sources: Mapping[Linear, frozenset[Linear | ThreadId]]
    turn_vias: Mapping[Linear, frozenset[Linear | None]]
    section_stores: Mapping[Linear, Mapping[SiteId, frozenset[tuple[int, int]]]]
    word_sizes: Mapping[Linear, frozenset[int]]
    given_away: frozenset[ObjectId]
    certain_releases: frozenset[SiteId] = frozenset()


class Observations:
    """What one run of the flow has seen so far; `assumptions`: the first instruction for which each is made."""

    def __init__(self, world: World, initial: InitialValues) -> None:
        self._world = world
        self._initial = initial
        self.assumptions: dict[str, SiteId] = {}
        self._lock_objects: dict[Linear, frozenset[ObjectId]] = {}
        self._semaphores: dict[Linear, set[int | None]] = {}
        self._semaphore_inits: dict[Linear, set[SiteId]] = {}
        self._late_inits: set[Linear] = set()
        self._posters: dict[Linear, set[ThreadId]] = {}
        self._barriers: dict[Linear, set[int | None]] = {}
        self._barrier_users: dict[Linear, set[ThreadId]] = {}
        self._lock_operations: dict[Linear, set[SiteId]] = {}
        self._broken: set[Linear] = set()
        self._other_writes: set[Linear] = set()
        self._resets: set[SiteId] = set()
        self._changes: set[SiteId] = set()
        self._sent_after: dict[Linear, frozenset[Signal]] = {}
        self._steps: dict[SiteId, set[Step]] = {}
        self._repeated_counts: set[Linear] = set()
        self._counted_for: dict[tuple[Linear, ThreadId], set[frozenset[ObjectId] | None]] = {}
        self._payments: dict[tuple[Linear, ThreadId], set[frozenset[TokenSeen]]] = {}
        self._left_tokens: set[Debt] = set()
        self._second_tokens: set[Linear] = set()
        self._other_lendings: set[SiteId] = set()
        self._turn_words: set[Linear] = set()
        self._turn_sources: dict[Linear, set[Linear | ThreadId]] = {}
        self._turn_vias: dict[Linear, frozenset[Linear | None]] = {}
        self._section_stores: dict[Linear, dict[SiteId, set[tuple[int, int]]]] = {}
        self._other_stores: set[SiteId] = set()
        self._word_sizes: dict[Linear, set[int]] = {}
        self._given_away: set[ObjectId] = set()
        self._releases: dict[SiteId, bool] = {}

    def note_lock_objects(self, address: Linear, targets: tuple[MemLoc, ...]) -> None:
        objects = frozenset(t.object for t in targets)
        self._lock_objects[address] = self._lock_objects.get(address, frozenset()) | objects

    def note_lock_place(self, address: Linear) -> None:
        """A lock that is known by its place in an object."""
        objects = frozenset(atom.object for atom in address.atoms() if isinstance(atom, Base))
        self._lock_objects[address] = self._lock_objects.get(address, frozenset()) | objects

    def note_same_lock(self, new: Linear, old: Linear) -> None:
        if new != old:
            self._lock_objects[new] = self._lock_objects.get(new, frozenset()) | self.lock_objects(old)

    def lock_objects(self, address: Linear) -> frozenset[ObjectId]:
        """Objects that the lock may lie in; a name that came through a call is looked up by all that have it."""
        found = self._lock_objects.get(address)
        return found if found is not None else self._world.lock_objects

    def note_lock_operation(self, address: Linear, site: SiteId) -> None:
        self._lock_operations.setdefault(address, set()).add(site)

    def note_store(self, address: Linear, size: int, value: Linear, site: SiteId) -> None:
        """Tell stores that only ever write a flag's initial value from those that set it, or a part, or more."""
        initial = self._initial.value(address)
        is_reset = initial is not None and value == Linear(initial) and self._initial.is_whole(address, size)
        (self._resets if is_reset else self._changes).add(site)

    def break_lock(self, address: Linear) -> None:
        self._broken.add(address)

    def note_other_write(self, address: Linear) -> None:
        """A write that neither takes a spin lock nor clears it; the same instruction may do so elsewhere."""
        self._other_writes.add(address)

    def note_semaphore(self, address: Linear, value: int | None, site: SiteId, is_unused: bool) -> None:
        """`is_unused`: nobody can have it at this moment."""
        self._semaphores.setdefault(address, set()).add(value)
        self._semaphore_inits.setdefault(address, set()).add(site)
        if not is_unused:
            self._late_inits.add(address)

    def note_post(self, address: Linear, thread: ThreadId) -> None:
        self._posters.setdefault(address, set()).add(thread)

    def note_send(self, address: Linear, received: frozenset[Signal]) -> None:
        """What a thread had received when it sent; only what holds for every sending counts."""
        before = self._sent_after.get(address)
        self._sent_after[address] = received if before is None else before & received

    def note_step(self, site: SiteId, address: Linear, size: int, amount: int | None) -> None:
        """A write to a number that has an initial value."""
        if self._initial.value(address) is not None and self._initial.is_whole(address, size):
            self._steps.setdefault(site, set()).add(Step(address, size, amount))

    def note_repeated_count(self, address: Linear) -> None:
        self._repeated_counts.add(address)

    def note_count(self, address: Linear, thread: ThreadId, joined: frozenset[ObjectId] | None) -> None:
        """A thread counts down, for the one that it has joined just before; None: for itself, as far as is known."""
        self._counted_for.setdefault((address, thread), set()).add(joined)

    def note_payment(self, counter: Linear, thread: ThreadId, tokens: frozenset[TokenSeen]) -> None:
        """A thread counts down, for the first time since it has seen this token (one, with each lock that it has)."""
        self._payments.setdefault((counter, thread), set()).add(tokens)

    def note_left_token(self, debt: Debt) -> None:
        """A lock may have been given back before the cell was emptied."""
        self._left_tokens.add(debt)

    def note_second_token(self, cell: Linear) -> None:
        self._second_tokens.add(cell)

    def note_lending(self, site: SiteId, is_regular: bool) -> None:
        """Whether a store takes a number out of a mask or gives back what was borrowed, and nothing else."""
        if not is_regular:
            self._other_lendings.add(site)

    def note_turn_word(self, address: Linear) -> None:
        self._turn_words.add(address)

    def note_turn(self, address: Linear, source: Linear | ThreadId | None, vias: frozenset[Linear | None]) -> None:
        """A thread has found its number, which comes from `source`, in a word; or, with none, it writes the word."""
        self._turn_vias[address] = self._turn_vias.get(address, vias) & vias
        if source is not None:
            self._turn_sources.setdefault(address, set()).add(source)

    def note_section_store(self, address: Linear, site: SiteId, stored: tuple[int, int] | None) -> None:
        """Size and value of what a word of atomic sections gets; None: not as such a word does."""
        if stored is None:
            self._other_stores.add(site)
        else:
            self._section_stores.setdefault(address, {}).setdefault(site, set()).add(stored)

    def note_word(self, address: Linear, size: int) -> None:
        """A load, store or atomic update of that many bytes where all threads know the address."""
        if address.is_absolute:
            self._word_sizes.setdefault(address, set()).add(size)

    def note_barrier(self, address: Linear, count: int | None, site: SiteId) -> None:
        self._barriers.setdefault(address, set()).add(count)

    def note_barrier_wait(self, address: Linear, thread: ThreadId) -> None:
        self._barrier_users.setdefault(address, set()).add(thread)

    def note_given_away(self, objects: frozenset[ObjectId]) -> None:
        """Unknown code has these: it may post semaphores in them, now or later."""
        self._given_away |= objects

    def note_release(self, site: SiteId, is_held: bool) -> None:
        """An unlock, and whether it is one of what is certainly held."""
        self._releases[site] = self._releases.get(site, True) and is_held

    def assume(self, text: str, site: SiteId) -> None:
        self.assumptions.setdefault(text, site)

    def uses(self) -> Uses:
        return Uses(
            semaphores=_frozen(self._semaphores),
            semaphore_inits=_frozen(self._semaphore_inits),
            late_inits=frozenset(self._late_inits),
            posters=_frozen(self._posters),
            barriers=_frozen(self._barriers),
            barrier_users=_frozen(self._barrier_users),
            lock_operations=_frozen(self._lock_operations),
            broken_locks=frozenset(self._broken),
            other_writes=frozenset(self._other_writes),
            lock_objects=dict(self._lock_objects),
            reset_sites=frozenset(self._resets - self._changes),
            sent_after=dict(self._sent_after),
            steps={site: frozenset(found) for site, found in self._steps.items()},
            repeated_counts=frozenset(self._repeated_counts),
            counted_for={key: frozenset(joined) for key, joined in self._counted_for.items()},
            payments={key: frozenset(tokens) for key, tokens in self._payments.items()},
            left_tokens=frozenset(self._left_tokens),
            second_tokens=frozenset(self._second_tokens),
            other_lendings=frozenset(self._other_lendings),
            turn_words=frozenset(self._turn_words),
            turn_sources=_frozen(self._turn_sources),
            turn_vias=dict(self._turn_vias),
            section_stores={
                address: {site: frozenset(stored) for site, stored in sites.items() if site not in self._other_stores}
                for address, sites in self._section_stores.items()
            },
            word_sizes=_frozen(self._word_sizes),
            given_away=frozenset(self._given_away),
            certain_releases=frozenset(site for site, is_held in self._releases.items() if is_held),
        )


def _frozen(table: Mapping[Linear, set[_T]]) -> dict[Linear, frozenset[_T]]:
    return {key: frozenset(values) for key, values in table.items()}
